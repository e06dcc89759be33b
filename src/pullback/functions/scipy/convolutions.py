"""Convolutions and correlations of arrays of any rank: of `scipy.signal`."""

from __future__ import annotations

import numpy as np
from scipy import signal

from pullback.functions.declare import bilinear, composes, planning
from pullback.functions.padding import padded
from pullback.functions.parts import as_array


@bilinear(signal.convolve)
def convolve(in1, in2, mode="full", method="auto", *, y_bar):
    """From y[k] = Σ a[k - j] v[j]:  ā[k] = Σ ȳ[k + j] v[j],  v̄[k] = Σ ȳ[k + j] a[j], where ȳ is 0 beyond its ends."""
    axes = all_axes(np.ndim(in1))
    whole = in_the_whole(y_bar, np.shape(in1), np.shape(in2), mode, axes)
    in1_bar = signal.convolve(whole, np.flip(in2, axes), "valid", method)
    return in1_bar, signal.convolve(whole, np.flip(in1, axes), "valid", method)


@planning
def all_axes(rank):
    """The numbers of so many axes."""
    return tuple(range(rank))


def in_the_whole(y_bar, first, second, mode, axes):
    """A part of a convolution of arrays of these shapes, in the place that it has in the whole, with zeros around."""
    whole = y_bar
    if mode == "full":
        return whole
    for k in axes:
        full, own = first[k] + second[k] - 1, np.shape(y_bar)[k]
        start = min(first[k], second[k]) - 1 if mode == "valid" else (full - own) // 2
        before = np.zeros(with_extent(np.shape(whole), k, start), y_bar.dtype)
        behind = np.zeros(with_extent(np.shape(whole), k, full - own - start), y_bar.dtype)
        whole = np.concatenate((before, whole, behind), axis=k)
    return whole


def with_extent(shape, axis, extent):
    """A shape with another extent along an axis."""
    return tuple(shape[:axis]) + (extent,) + tuple(shape[axis + 1 :])


@composes(signal.correlate)
def correlate(in1, in2, mode="full", method="auto"):
    """Σ a[k + j] v[j]: the convolution with the reversed array."""
    in2 = as_array(in2)
    return signal.convolve(as_array(in1), np.flip(in2, all_axes(np.ndim(in2))), mode, method)


@bilinear(signal.fftconvolve)
def fftconvolve(in1, in2, mode="full", axes=None, *, y_bar):
    """As `convolve`, along some axes; along the others one array may be spread."""
    along = axes_named(axes, np.ndim(in1))
    whole = in_the_whole(y_bar, np.shape(in1), np.shape(in2), mode, along)
    in1_bar = signal.fftconvolve(whole, np.flip(in2, along), "valid", along)
    in2_bar = signal.fftconvolve(whole, np.flip(in1, along), "valid", along)
    for k in axes_besides(along, np.ndim(in1)):
        if np.shape(in1)[k] == 1:
            in1_bar = np.sum(in1_bar, axis=k, keepdims=True)
        if np.shape(in2)[k] == 1:
            in2_bar = np.sum(in2_bar, axis=k, keepdims=True)
    return in1_bar, in2_bar


@planning
def axes_named(axes, rank):
    """The axes that are named, all for None."""
    named = range(rank) if axes is None else (axes,) if isinstance(axes, int) else axes
    return tuple(k % rank for k in named)


@planning
def axes_besides(named, rank):
    """The axes that are not named."""
    return tuple(k for k in range(rank) if k not in named)


@composes(signal.oaconvolve)
def oaconvolve(in1, in2, mode="full", axes=None):
    """Whole transforms; SciPy's are of blocks, which rounds in another way."""
    return signal.fftconvolve(in1, in2, mode, axes)


@composes(signal.convolve2d)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two matrices, with something else than 0 around the first one where that is asked for."""
    in1, in2 = as_array(in1), as_array(in2)
    two_matrices(np.ndim(in1), np.ndim(in2))
    rows, columns = in2.shape
    return within_boundary(in1, in2, mode, boundary, fillvalue, (rows - 1) // 2, (columns - 1) // 2)


@composes(signal.correlate2d)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Σ a[k + j] v[j]: the convolution with the reversed matrix, of which another part is in the middle."""
    in1, in2 = as_array(in1), as_array(in2)
    two_matrices(np.ndim(in1), np.ndim(in2))
    rows, columns = in2.shape
    return within_boundary(in1, np.flip(in2, (0, 1)), mode, boundary, fillvalue, rows // 2, columns // 2)


def within_boundary(in1, in2, mode, boundary, fillvalue, top, left):
    """The convolution of a matrix that goes on beyond its ends; the middle part begins at `top` and `left`."""
    (rows, columns), kind = in2.shape, padding_of(boundary)
    if mode == "valid":
        return signal.convolve(in1, in2, mode, "direct")
    if kind == "constant" and is_zero(fillvalue):
        whole = signal.convolve(in1, in2, "full", "direct")
    else:
        wide = padded(in1, 0, rows - 1, rows - 1, kind, fillvalue, "even", None)
        wide = padded(wide, 1, columns - 1, columns - 1, kind, fillvalue, "even", None)
        whole = signal.convolve(wide, in2, "valid", "direct")
    if mode == "full":
        return whole
    return whole[top : top + in1.shape[0], left : left + in1.shape[1]].copy()


@planning
def two_matrices(first, second):
    """Raises ValueError where an array of such a rank is no matrix."""
    if first != 2 or second != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")


@planning
def is_zero(fillvalue):
    return fillvalue == 0


@planning
def padding_of(boundary):
    """What `np.pad` calls it."""
    known = {
        "fill": "constant",
        "pad": "constant",
        "wrap": "wrap",
        "circular": "wrap",
        "symm": "symmetric",
        "symmetric": "symmetric",
    }
    if boundary not in known:
        raise ValueError("boundary must be one of 'fill', 'circular', 'wrap', 'symmetric', 'symm'")
    return known[boundary]

"""Discrete Fourier transforms: the matrix of each along one axis is symmetric, so that it is its own transpose.

From y[k] = s Σ a[j] w^(jk):  ā[j] = s Σ ȳ[k] w^(jk). A transform of real numbers has half of the spectrum, in which all
but the first and, for an even length, the last number stand for themselves and their conjugates.
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.complex_numbers import conjugated
from pullback.functions.declare import composes, helper, known, linear, planning


@linear(np.fft.fft, compiled=helper(runtime.fft_over, n=None, axis=-1, norm=None))
def fft(a, n=None, axis=-1, norm=None, *, y_bar):
    """The same transform of the cotangent; what was cut off gets 0, and what was filled up is left out."""
    if n is None:
        return np.fft.fft(y_bar, axis=axis, norm=norm)
    return fitted(np.fft.fft(y_bar, axis=axis, norm=norm), np.shape(a)[axis], axis)


@linear(np.fft.ifft, compiled=helper(runtime.ifft_over, n=None, axis=-1, norm=None))
def ifft(a, n=None, axis=-1, norm=None, *, y_bar):
    """As for `fft`."""
    if n is None:
        return np.fft.ifft(y_bar, axis=axis, norm=norm)
    return fitted(np.fft.ifft(y_bar, axis=axis, norm=norm), np.shape(a)[axis], axis)


@linear(np.fft.rfft, compiled=helper(runtime.rfft_over, n=None, axis=-1, norm=None))
def rfft(a, n=None, axis=-1, norm=None, *, y_bar):
    """ā[j] = s Re Σ ȳ[k] w^(jk): a transform to real numbers of the conjugate, all but both ends halved."""
    size = np.shape(a)[axis] if n is None else n
    halves = conjugated(y_bar) / ends_and_pairs(y_bar, size, axis)
    whole = np.fft.irfft(halves, size, axis, other_direction(norm))
    return whole if n is None else fitted(whole, np.shape(a)[axis], axis)


@linear(np.fft.irfft, compiled=helper(runtime.irfft_over, n=None, axis=-1, norm=None))
def irfft(a, n=None, axis=-1, norm=None, *, y_bar):
    """ā[k] = s (Σ ȳ[j] w^(jk))*, doubled for all but both ends."""
    half = np.conjugate(np.fft.rfft(y_bar, None, axis, other_direction(norm)))
    whole = half * ends_and_pairs(half, np.shape(y_bar)[axis], axis)
    return whole if n is None else fitted(whole, np.shape(a)[axis], axis)


def ends_and_pairs(spectrum, size, axis):
    """Along an axis: 1 for the first number of half a spectrum, for the last of an even length, and 2 between them."""
    count = np.shape(spectrum)[axis]
    places = np.arange(count)
    pairs = 2.0 - (places == 0) - (2 * places == size)
    return np.moveaxis(np.reshape(pairs, last_axis(np.ndim(spectrum), count)), -1, axis)


@planning
def ones_before(rank):
    """The sizes of all axes but the last, of an array that varies along that one."""
    return (1,) * (rank - 1)


def last_axis(rank, count):
    """The shape of an array that varies along its last axis."""
    return ones_before(rank) + (count,)


def fitted(x, size, axis):
    """An array of this size along an axis: cut off, or filled up with zeros."""
    kept = np.moveaxis(x, axis, -1)[..., :size]
    missing = np.zeros(np.shape(kept)[:-1] + (size - np.shape(kept)[-1],), dtype=x.dtype)
    return np.moveaxis(np.concatenate((kept, missing), axis=-1), -1, axis)


@planning
def other_direction(norm):
    """The way of scaling that the transform into the other direction has."""
    return {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}[norm]


@composes(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None):
    """The transform of what has a real spectrum."""
    return np.fft.irfft(np.conjugate(a), n, axis, other_direction(norm))


@composes(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None):
    """The inverse of `hfft`."""
    return np.conjugate(np.fft.rfft(a, n, axis, other_direction(norm)))


@planning
def backwards(rank, sizes, axes, left_off):
    """(place, axis) for the axes of a transform from the last one; `left_off` of the last stay out.

    sizes: how many are given, or None; they are those of the last axes where `axes` is None.
    """
    if axes is None:
        axes = tuple(range(rank)) if sizes is None else tuple(range(-sizes, 0))
    axes = tuple(axis % rank for axis in axes)
    return tuple((k, axes[k]) for k in reversed(range(len(axes) - left_off)))


@composes(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None):
    """One axis after the other, from the last."""
    for k, axis in backwards(np.ndim(a), None if s is None else len(s), axes, 0):
        a = np.fft.fft(a, None if s is None else s[k], axis, norm)
    return a


@composes(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None):
    """One axis after the other, from the last."""
    for k, axis in backwards(np.ndim(a), None if s is None else len(s), axes, 0):
        a = np.fft.ifft(a, None if s is None else s[k], axis, norm)
    return a


@composes(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None):
    """Real numbers along the last axis, and then the others."""
    count = None if s is None else len(s)
    _, last = backwards(np.ndim(a), count, axes, 0)[0]
    a = np.fft.rfft(a, None if s is None else s[-1], last, norm)
    for k, axis in backwards(np.ndim(a), count, axes, 1):
        a = np.fft.fft(a, None if s is None else s[k], axis, norm)
    return a


@composes(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None):
    """All axes but the last, which has real numbers in the end."""
    count = None if s is None else len(s)
    _, last = backwards(np.ndim(a), count, axes, 0)[0]
    for k, axis in backwards(np.ndim(a), count, axes, 1):
        a = np.fft.ifft(a, None if s is None else s[k], axis, norm)
    return np.fft.irfft(a, None if s is None else s[-1], last, norm)


@composes(np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None):
    return fftn(a, s, axes, norm)


@composes(np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return ifftn(a, s, axes, norm)


@composes(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return rfftn(a, s, axes, norm)


@composes(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return irfftn(a, s, axes, norm)


@planning
def shifted_axes(rank, axes):
    """The axes of a shift, in a tuple."""
    if axes is None:
        return tuple(range(rank))
    return axes if isinstance(axes, tuple) else (axes,)


@composes(np.fft.fftshift)
def fftshift(x, axes=None):
    """Rolled by half of each size, so that frequency 0 stands in the middle."""
    for axis in shifted_axes(np.ndim(x), axes):
        x = np.roll(x, np.shape(x)[axis] // 2, axis)
    return x


@composes(np.fft.ifftshift)
def ifftshift(x, axes=None):
    """The inverse of `fftshift`."""
    for axis in shifted_axes(np.ndim(x), axes):
        x = np.roll(x, -(np.shape(x)[axis] // 2), axis)
    return x


@composes(np.fft.fftfreq)
def fftfreq(n, d=1.0):
    """The frequencies of `fft`: 0, 1, … and then the negative ones, divided by n d."""
    return np.concatenate((np.arange(0, (n - 1) // 2 + 1), np.arange(-(n // 2), 0))) * (1.0 / (n * d))


@composes(np.fft.rfftfreq)
def rfftfreq(n, d=1.0):
    """The frequencies of `rfft`: 0, 1, … divided by n d."""
    return np.arange(0, n // 2 + 1) * (1.0 / (n * d))


known(
    np.fft.fft,
    np.fft.ifft,
    np.fft.rfft,
    np.fft.irfft,
    np.fft.hfft,
    np.fft.ihfft,
    np.fft.fftn,
    np.fft.ifftn,
    np.fft.rfftn,
    np.fft.irfftn,
    np.fft.fft2,
    np.fft.ifft2,
    np.fft.rfft2,
    np.fft.irfft2,
    np.fft.fftshift,
    np.fft.ifftshift,
    of_complex=True,
)

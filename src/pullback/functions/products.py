"""Products of vectors and tables beyond those of matrices: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.errors import ShapeError
from pullback.functions.complex_numbers import conjugated
from pullback.functions.composed import sum_in_own_dtype
from pullback.functions.declare import bilinear, composes, helper, known, planning
from pullback.functions.parts import as_array

known(np.matmul, spellings=(np.linalg.matmul,))
known(np.tensordot, spellings=(np.linalg.tensordot,))


@composes(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector at right angles to both, of three elements each along an axis. Raises ValueError for other vectors."""
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    a, b = np.moveaxis(as_array(a), axisa, -1), np.moveaxis(as_array(b), axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeError("np.cross is followed for vectors of 3 elements: with 2 the rank depends on the sizes")
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.moveaxis(np.stack((x, y, z), axis=-1), -1, axisc)


@composes(np.linalg.cross)
def cross_along(x1, x2, /, *, axis=-1):
    """np.cross along one axis of both."""
    return np.cross(x1, x2, axis=axis)


@composes(np.kron)
def kron(a, b):
    """Each element of the first array times the second one, side by side in the place of the element."""
    a, b = as_array(a), as_array(b)
    if np.ndim(a) == 0 and np.ndim(b) == 0:
        return np.multiply(a, b)
    outer, inner = [], []
    sizes = []
    for first, second in zip(padded(np.shape(a), np.ndim(b)), padded(np.shape(b), np.ndim(a)), strict=True):
        outer += [first, 1]
        inner += [1, second]
        sizes.append(first * second)
    return np.reshape(np.reshape(a, tuple(outer)) * np.reshape(b, tuple(inner)), tuple(sizes))


def padded(shape, rank):
    """A shape of at least so many axes."""
    return ones(rank - len(shape)) + tuple(shape)


@planning
def ones(count):
    """So many axes of one element."""
    return (1,) * max(count, 0)


@composes(np.vecdot, spellings=(np.linalg.vecdot,))
def vecdot(x1, x2, /, *, axis=-1):
    """The sum of products along an axis, of the conjugates of the first array."""
    x1, x2 = conjugated(as_array(x1)), as_array(x2)
    if np.ndim(x1) == 1 and np.ndim(x2) == 1:
        return np.dot(x1, x2)
    x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    if np.shape(x1)[-1] != np.shape(x2)[-1]:
        raise ValueError("vecdot: the operands differ in size along the axis")
    return sum_in_own_dtype(x1 * x2, -1)


@composes(np.matvec)
def matvec(x1, x2, /):
    """Each matrix times a vector."""
    x1, x2 = as_array(x1), as_array(x2)
    return x1 @ x2 if np.ndim(x2) == 1 else (x1 @ x2[..., None])[..., 0]


@composes(np.vecmat)
def vecmat(x1, x2, /):
    """The conjugate of a vector times each matrix."""
    x1, x2 = conjugated(as_array(x1)), as_array(x2)
    return x1 @ x2 if np.ndim(x1) == 1 else (x1[..., None, :] @ x2)[..., 0, :]


@composes(np.linalg.outer)
def outer(x1, x2, /):
    """The product of each element of a vector with each of another one. Raises ValueError for other arrays."""
    x1, x2 = as_array(x1), as_array(x2)
    both_are_vectors(np.ndim(x1), np.ndim(x2))
    return np.outer(x1, x2)


@planning
def both_are_vectors(first, second):
    """Raises ValueError where an array of such a rank is no vector."""
    if first != 1 or second != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={first} and x2.ndim={second}.")


def has_many_axes(ranks):
    """Whether the array of a call has more than two axes, or the call names two of them, or a dtype."""
    return ranks.get("a", 0) > 2 or not ranks.keys().isdisjoint({"axis1", "axis2", "dtype"})


@composes(np.diagonal, text_when=has_many_axes)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """The elements on a diagonal of each matrix, which the two axes span; the last axis is along it."""
    a = np.moveaxis(a, (axis1, axis2), (-2, -1))
    if np.ndim(a) == 2:
        return np.diagonal(a, offset)
    row, column = max(-offset, 0), max(offset, 0)
    along = np.arange(max(min(a.shape[-2] - row, a.shape[-1] - column), 0))
    return a[..., along + row, along + column]


def has_tables(ranks):
    """Whether one of the two factors of a call has more than two axes."""
    return max(ranks.get("a", 0), ranks.get("b", 0)) > 2 and min(ranks.get("a", 0), ranks.get("b", 0)) > 0


@composes(np.dot, text_when=has_tables)
def dot(a, b, out=None):
    """The sum of products over the last axis of one and the last but one of the other."""
    return np.tensordot(a, b, (-1, -2 if np.ndim(b) > 1 else -1))


@composes(np.inner, text_when=has_tables)
def inner(a, b):
    """The sum of products over the last axis of both."""
    return np.tensordot(a, b, (-1, -1))


@composes(np.trace, text_when=has_many_axes)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal of each matrix."""
    diagonal = np.diagonal(as_array(a), offset, axis1, axis2)
    return np.sum(diagonal, axis=-1) if dtype is None else np.sum(diagonal, axis=-1, dtype=dtype)


@composes(np.linalg.trace)
def trace_of_last(x, /, *, offset=0, dtype=None):
    """np.trace of the last two axes."""
    return np.trace(x, offset, -2, -1, dtype)


@composes(np.linalg.diagonal)
def diagonal_of_last(x, /, *, offset=0):
    """np.diagonal of the last two axes."""
    return np.diagonal(x, offset, -2, -1)


@bilinear(np.convolve, compiled=helper(runtime.convolution, mode="full"))
def convolve(a, v, mode="full", *, y_bar):
    """From y[k] = Σ a[k - j] v[j]:  ā[k] = Σ ȳ[k + j] v[j],  v̄[k] = Σ ȳ[k + j] a[j], where ȳ is 0 beyond its ends."""
    n, m = np.size(a), np.size(v)
    first = 0
    if mode == "same":
        first = (min(n, m) - 1) // 2
    elif mode == "valid":
        first = min(n, m) - 1
    before = np.zeros(first, y_bar.dtype)
    behind = np.zeros(n + m - 1 - first - np.size(y_bar), y_bar.dtype)
    whole = np.concatenate((before, y_bar, behind))
    a_bar, v_bar = np.correlate(whole, conjugated(v), "valid"), np.correlate(whole, conjugated(a), "valid")
    return np.reshape(a_bar, np.shape(a)), np.reshape(v_bar, np.shape(v))


@composes(np.correlate)
def correlate(a, v, mode="valid"):
    """Σ a[k + j] v*[j]: the convolution with the conjugate of the reversed array."""
    a, v = with_an_axis(a), conjugated(with_an_axis(v))
    if a.shape[0] == 0 or v.shape[0] == 0:
        raise ValueError("an array argument of np.correlate cannot be empty")
    mode = known_extent(mode)
    if mode != "same":
        return np.convolve(a, v[::-1], mode)
    n, m = a.shape[0], v.shape[0]
    first = (m - 1) // 2 if n >= m else n // 2
    return np.convolve(a, v[::-1])[first : first + max(n, m)]


def with_an_axis(a):
    """A number as an array of one element."""
    a = as_array(a)
    return np.reshape(a, (1,)) if np.ndim(a) == 0 else a


@planning
def known_extent(mode):
    """How much of a correlation is wanted, by name or by number. Raises ValueError for another mode."""
    mode = {0: "valid", 1: "same", 2: "full"}.get(mode, mode)
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    return mode


known(
    np.cross,
    np.linalg.cross,
    np.kron,
    np.vecdot,
    np.matvec,
    np.vecmat,
    np.linalg.outer,
    np.linalg.trace,
    np.linalg.diagonal,
    np.correlate,
    np.convolve,
    of_complex=True,
)

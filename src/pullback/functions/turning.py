"""Functions of NumPy that turn and reorder axes: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, before, is_number, place_of, shows
from pullback.functions.quantiles import has_fractions

known(np.transpose, spellings=(np.permute_dims,))
known(np.matrix_transpose, spellings=(np.linalg.matrix_transpose,))


def reshape_in_columns(a, shape, order="F"):
    """np.reshape(a, shape, order="F"): the first index changes fastest."""
    sizes = (shape,) if is_number(shape) else tuple(shape)
    return np.transpose(np.reshape(np.transpose(a), tuple(reversed(sizes))))


def ravel_in_columns(a, order="F"):
    """np.ravel(a, order="F")."""
    return np.ravel(np.transpose(a))


@composes(np.fliplr)
def fliplr(m):
    """The columns in the other order."""
    least_rank(np.ndim(m), 2)
    return np.flip(m, 1)


@composes(np.flipud)
def flipud(m):
    """The rows in the other order."""
    least_rank(np.ndim(m), 1)
    return np.flip(m, 0)


@planning
def least_rank(rank, least):
    """Raises ValueError for an array of fewer axes."""
    if rank < least:
        raise ValueError(f"Input must be >= {least}-d.")


@composes(np.require)
def require(a, dtype=None, requirements=None, *, like=None):
    """The array itself, in another dtype or order where one is named."""
    a = as_array(a)
    a = a if is_of(a.dtype, dtype) else a.astype(dtype)
    order = order_required(requirements)
    if order == "F":
        return np.asfortranarray(a)
    return np.ascontiguousarray(a) if order == "C" else a


@planning
def is_of(own, dtype):
    """Whether this dtype is the one that is named, if one is."""
    return dtype is None or own == np.dtype(dtype)


@planning
def order_required(requirements):
    """The order that is named, or "". Raises ValueError for both, and KeyError for what is no requirement."""
    named = (requirements,) if isinstance(requirements, str) else tuple(requirements or ())
    orders = {"C": "C", "F": "F", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
    others = ("A", "ALIGNED", "W", "WRITEABLE", "O", "OWNDATA", "E", "ENSUREARRAY")
    found = {orders[name.upper()] for name in named if name.upper() not in others}
    if len(found) > 1:
        raise ValueError('Cannot specify both "C" and "F" order')
    return "".join(found)


@composes(np.real_if_close)
def real_if_close(a, tol=100):
    """What is real already."""
    return as_array(a)


@composes(np.rot90)
def rot90(m, k=1, axes=(0, 1)):
    """The array turned by quarters in the plane of two axes."""
    m = as_array(m)
    first, second = turned_axes(axes, np.ndim(m))
    quarters = quarters_of(k)
    if quarters == 0:
        return m
    if quarters == 2:
        return np.flip(m, (first, second))
    if quarters == 1:
        return np.swapaxes(np.flip(m, second), first, second)
    return np.flip(np.swapaxes(m, first, second), second)


@planning
def quarters_of(k):
    """How many quarters a turn is, whole turns left out."""
    return k % 4


@planning
def turned_axes(axes, rank):
    """Two different axes, counted from the first."""
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if not all(-rank <= axis < rank for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={rank}.")
    if (axes[0] - axes[1]) % rank == 0:
        raise ValueError("Axes must be different.")
    return axes[0] % rank, axes[1] % rank


@composes(np.rollaxis)
def rollaxis(a, axis, start=0):
    """The array with one axis before another one."""
    return np.transpose(as_array(a), order_after(np.ndim(a), axis, start))


@planning
def order_after(rank, axis, start):
    """The order of axes, of which one stands before another one."""
    if np.ndim(start) > 0:
        raise NotImplementedError("np.rollaxis with an array of axes has no derivative rule")
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    if not -rank <= start <= rank:
        raise np.exceptions.AxisError(start, rank)
    axis, start = axis % rank, start + rank if start < 0 else start
    start -= start > axis
    order = [k for k in range(rank) if k != axis]
    order.insert(start, axis)
    return tuple(order)


@composes(np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Each vector along an axis of its own, spread over the others; with indexing='xy' the first two change places."""
    shape, parts = [], []
    order = axes_of_grid(len(xi), indexing)
    for k, x in enumerate(xi):
        x = np.ravel(as_array(x))
        parts.append(np.reshape(x, along(order[k], len(xi))))
        shape.append(x)
    whole = []
    for k in order:
        whole.append(np.shape(shape[k])[0])
    grids = []
    for part in parts:
        grid = part if sparse else np.broadcast_to(part, tuple(whole))
        grids.append(np.copy(grid) if copy else grid)
    return tuple(grids)


@planning
def axes_of_grid(count, indexing):
    """The axis of each of so many vectors."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    first = (1, 0) if indexing == "xy" and count > 1 else (0, 1)[:count]
    return first + tuple(range(2, count))


@planning
def along(axis, rank):
    """The shape of an array that varies along one axis."""
    return (1,) * axis + (-1,) + (1,) * (rank - 1 - axis)


@composes(np.diagflat)
def diagflat(v, k=0):
    """A matrix with the elements in a row on a diagonal."""
    return np.diag(np.ravel(as_array(v)), k)


@composes(np.vander)
def vander(x, N=None, increasing=False):
    """The powers of a vector's elements, one column for each, of which the first is the highest."""
    x = as_array(x)
    vector_only(np.ndim(x), "x must be a one-dimensional array or sequence.")
    x = x.astype(np.complex128 if np.iscomplexobj(x) else np.float64) if has_fractions(x.dtype) else x
    count = np.shape(x)[0] if N is None else N
    if count == 0:
        return np.zeros((np.shape(x)[0], 0), dtype=x.dtype)
    columns = np.concatenate((np.ones_like(x)[:, None], np.broadcast_to(x[:, None], (np.shape(x)[0], count - 1))), 1)
    powers = np.cumprod(columns, axis=1)
    return powers if increasing else np.flip(powers, 1)


@planning
def vector_only(rank, message):
    """Raises ValueError for an array that is no vector."""
    if rank != 1:
        raise ValueError(message)


@composes(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """The parts of an array under a window, for each of its places; the axes of the window come last."""
    x = as_array(x)
    known_read_only(writeable)
    sizes = (window_shape,) if is_number(window_shape) else tuple(window_shape)
    axes = axes_of_window(np.ndim(x), axis, len(sizes))
    for axis_of_window, size in zip(axes, sizes, strict=True):
        whole = before(axis_of_window, np.ndim(x))
        extent = np.shape(x)[axis_of_window]
        if size < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        if size > extent:
            raise ValueError("window shape cannot be larger than input array shape")
        places = np.arange(extent - size + 1)[:, None] + np.arange(size)
        x = shows(np.moveaxis(x[*whole, places], place_of(axis_of_window, np.ndim(x)) + 1, -1), x)
    return x


@planning
def known_read_only(writeable):
    """Refuses windows through which elements are written: several may show the same one."""
    if writeable:
        raise NotImplementedError("windows that are written cannot be followed")


@planning
def axes_of_window(rank, axis, count):
    """The axes that a window of so many sizes goes along."""
    axes = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) != count:
        raise ValueError(
            f"Must provide matching length window_shape and axis; got {count} window_shape elements "
            f"and {len(axes)} axes elements."
        )
    return tuple(k % rank for k in axes)


known(
    np.fliplr,
    np.flipud,
    np.rot90,
    np.rollaxis,
    np.meshgrid,
    np.diagflat,
    np.vander,
    np.lib.stride_tricks.sliding_window_view,
    of_complex=True,
)

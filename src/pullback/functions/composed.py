"""Functions of NumPy that are made of others: their text is read in place of a call, and run where a tensor is given.

Each is computed as NumPy computes it. What depends on ranks and settings alone is planned before the run, by functions
that are marked as `planning`.
"""

from __future__ import annotations

import string

import numpy as np

from pullback.functions.contractions import contracted_axes, einsum_plan
from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, numbers_to, shows
from pullback.runtime import argsort_along, permuted_along


@composes(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Σ w a / Σ w. Weights of one dimension lie along the axis. Raises ZeroDivisionError where they sum to 0."""
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        return (mean, np.sum(np.ones_like(a), axis=axis, keepdims=keepdims)) if returned else mean
    if np.ndim(weights) < np.ndim(a):
        order, places = axes_of_weights(np.ndim(a), axis)
        weights, sizes, own = np.transpose(weights, order), [], []
        for k, extent in enumerate(np.shape(a)):
            sizes.append(extent if k in places else 1)
            if k in places:
                own.append(extent)
        if np.shape(weights) != tuple(own):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = np.reshape(weights, tuple(sizes))
    elif np.shape(weights) != np.shape(a):
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    total = np.sum(weights, axis=axis, keepdims=keepdims)
    if np.any(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = np.sum(np.multiply(a, weights), axis=axis, keepdims=keepdims) / total
    return (mean, np.broadcast_to(total, np.shape(mean))) if returned else mean


@planning
def axes_of_weights(rank, axis):
    """The order of the axes of weights as they stand in an array, and which of its axes these are."""
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    places = [k % rank for k in (axis if isinstance(axis, tuple) else (axis,))]
    return tuple(sorted(range(len(places)), key=lambda k: places[k])), tuple(sorted(places))


@composes(np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    """The largest element less the smallest."""
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@composes(np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Σ dx (y[k] + y[k + 1]) / 2: the trapezoidal rule along an axis."""
    y = np.moveaxis(y, axis, -1)
    if x is None:
        return np.sum(dx * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    steps = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(x, axis, -1), axis=-1)
    return np.sum(steps * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


@composes(np.linalg.matrix_power)
def matrix_power(a, n):
    """a multiplied by itself, by squarings: a product for each bit of n. LinAlgError for n < 0 and a singular a."""
    if n == 0:
        return np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype)
    square = np.linalg.inv(a) if n < 0 else a
    power = None
    for k, bit in enumerate(bits_of(n)):
        if k > 0:
            square = square @ square
        if bit:
            power = square if power is None else power @ square
    return power


@planning
def bits_of(n):
    """The bits of |n|, the lowest first."""
    return tuple(abs(n) >> k & 1 == 1 for k in range(abs(n).bit_length()))


@composes(np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The elements at the positions of a stable sort; those that are equal keep their order, and their cotangents."""
    if axis is None:
        a = np.reshape(a, (-1,))
        axis = 0
    return permuted_along(a, argsort_along(a, axis), axis)


@composes(np.partition)
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """The elements in their order, which is one of those that NumPy promises: smaller ones before each position."""
    check_positions(kth, a, np.size(a) if axis is None else np.shape(a)[axis])
    return np.sort(a, axis=axis)


def check_positions(kth, a, count):
    """Raises ValueError where a position is none of so many; where `a` has no elements, NumPy looks at none."""
    if np.size(a) > 0 and (np.any(as_array(kth) >= count) or np.any(as_array(kth) < -count)):
        raise ValueError("kth out of bounds")


@composes(np.unique)
def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    """Each value once, in order, as the first element that has it; where that stands, and how often."""
    no_axis(axis)
    row = np.ravel(as_array(ar))
    order = np.argsort(row, kind="stable")
    ordered = row[order]
    is_first = np.ones(np.size(row), dtype=np.bool_)
    differs = ordered[1:] != ordered[:-1]
    if equal_nan:
        differs = differs & ~((ordered[1:] != ordered[1:]) & (ordered[:-1] != ordered[:-1]))
    is_first[1:] = differs
    at = np.flatnonzero(is_first)
    made = [ordered[at]]
    if return_index:
        made.append(order[at])
    if return_inverse:
        inverse = np.empty(np.size(row), dtype=np.int64)
        inverse[order] = np.cumsum(is_first) - 1
        made.append(np.reshape(inverse, np.shape(ar)))
    if return_counts:
        made.append(np.diff(np.concatenate((at, np.full(1, np.size(row))))))
    return made[0] if len(made) == 1 else tuple(made)


@planning
def no_axis(axis):
    """Raises NotImplementedError where whole rows are compared."""
    if axis is not None:
        raise NotImplementedError("np.unique along an axis has no derivative rule")


@composes(np.tensordot)
def tensordot(a, b, axes=2):
    """A product of matrices: the axes to sum over become the last of one array and the first of the other."""
    first, second, count = contracted_axes(np.ndim(a), np.ndim(b), axes)
    a, b = np.transpose(a, first), np.transpose(b, second)
    if np.shape(a)[np.ndim(a) - count :] != np.shape(b)[:count]:
        raise ValueError("shape-mismatch for sum")
    return product_of_groups(a, b, (0, np.ndim(a) - count, count, np.ndim(b) - count))


@composes(np.einsum)
def einsum(subscripts, *operands, optimize=False):
    """Operand after operand, each pair by a product of matrices where there is something to sum over."""
    if not isinstance(subscripts, str):
        lists = operands[0::2] if len(operands) % 2 == 1 else operands[0:-1:2]
        text = written(lists, None if len(operands) % 2 == 1 else operands[-1])
        subscripts, operands = text, (subscripts,) + operands[1 : 2 * len(lists) - 1 : 2]
    diagonals, summed, pairs, order = einsum_plan(subscripts, [np.ndim(operand) for operand in operands])
    total = along_diagonals(operands[0], diagonals[0], summed[0])
    for k, (first, second, groups) in enumerate(pairs):
        other = along_diagonals(operands[k + 1], diagonals[k + 1], summed[k + 1])
        total = product_of_groups(np.transpose(total, first), np.transpose(other, second), groups)
    return np.transpose(total, order)


@planning
def written(lists, result):
    """Subscripts that are given as lists of numbers, as a text; an Ellipsis stands for `...`."""
    terms = ",".join(map(term_of, lists))
    return terms if result is None else f"{terms}->{term_of(result)}"


def term_of(numbers):
    """The subscripts of one operand."""
    return "".join(
        "..." if number is Ellipsis else (string.ascii_uppercase + string.ascii_lowercase)[number] for number in numbers
    )


def along_diagonals(x, cut, summed):
    """The array with one axis for each pair of axes, then summed over axes."""
    for i, j in cut:
        x = np.moveaxis(x, (i, j), (-2, -1))
        if x.shape[-2] != x.shape[-1]:
            raise ValueError("dimensions in an operand for collapsing an index don't match")
        along = np.arange(x.shape[-1])
        x = shows(x[..., along, along], x)
    return sum_in_own_dtype(x, summed) if len(summed) > 0 else x


def sum_in_own_dtype(x, axis):
    """The sum along axes in the dtype of the array: small integers wrap around, and of truth values one suffices."""
    x = as_array(x)
    total = np.sum(x, axis=axis)
    return total if total.dtype == x.dtype else total.astype(x.dtype)


def product_of_groups(a, b, groups):
    """The sum of products over the third group of axes.

    groups: how many axes stand in each: those that both have first, those of `a` alone, those to sum over, which are
    the last of `a`, and those of `b` alone.
    """
    both, of_a, summed, of_b = groups
    if summed == 0 or (both > 0 and of_b == 0):
        b = np.reshape(b, b.shape[:both] + (1,) * of_a + b.shape[both:])
        products = (np.reshape(a, a.shape + (1,) * of_b) if of_b > 0 else a) * b
        return np.sum(products, axis=tuple(range(-summed, 0))) if summed > 0 else products
    if summed == 1 and of_a < 2 and of_b < 2:
        return a @ b if both == 0 or of_a == 1 else (a[..., None, :] @ b)[..., 0, :]
    if a.shape[:both] != b.shape[:both] or a.shape[both + of_a :] != b.shape[both : both + summed]:
        raise ValueError("operands could not be broadcast together: axes of one subscript differ in their sizes")
    count = extent(b.shape[both : both + summed])
    batch = (extent(a.shape[:both]),) if both > 0 else ()
    left = np.reshape(a, batch + (extent(a.shape[both : both + of_a]), count))
    right = np.reshape(b, batch + (count, extent(b.shape[both + summed :])))
    return np.reshape(left @ right, a.shape[: both + of_a] + b.shape[both + summed :])


def extent(sizes):
    """The number of elements of an array."""
    total = 1
    for size in sizes:
        total = total * size
    return total


@composes(np.atleast_1d)
def atleast_1d(*arys):
    """Each array, a number as one of one element."""
    made = []
    for ary in arys:
        made.append(with_axes(ary, 1))
    return made[0] if len(made) == 1 else tuple(made)


@composes(np.atleast_2d)
def atleast_2d(*arys):
    """Each array, a vector as one row."""
    made = []
    for ary in arys:
        made.append(with_axes(ary, 2))
    return made[0] if len(made) == 1 else tuple(made)


@composes(np.atleast_3d)
def atleast_3d(*arys):
    """Each array, a vector as one row, a matrix with an axis behind its own."""
    made = []
    for ary in arys:
        made.append(with_axes(ary, 3))
    return made[0] if len(made) == 1 else tuple(made)


def with_axes(array, least):
    """A view of the array with at least so many axes."""
    array = as_array(array)
    if np.ndim(array) >= least:
        return array
    if np.ndim(array) == 0:
        return np.reshape(array, (1,) * least)
    if least == 2:
        return array[None, :]
    return array[None, :, None] if np.ndim(array) == 1 else array[:, :, None]


def common_shape(shapes):
    """The shape of arrays of these shapes together, where they fit."""
    whole = []
    for k in numbers_to(largest([len(shape) for shape in shapes])):
        extent = 1
        for shape in shapes:
            own = shape[len(shape) - 1 - k] if k < len(shape) else 1
            extent = own if extent == 1 else extent
        whole.append(extent)
    return tuple(reversed(whole))


@planning
def largest(counts):
    """The largest of these numbers; 0 where there is none."""
    return max(counts, default=0)


@composes(np.broadcast_arrays)
def broadcast_arrays(*args, subok=False):
    """The arrays in their common shape."""
    shapes, made = [], []
    for array in args:
        shapes.append(np.shape(array))
    shape = common_shape(shapes)
    for array in args:
        made.append(np.broadcast_to(array, shape))
    return tuple(made)


@composes(np.broadcast_shapes)
def broadcast_shapes(*args):
    """The shape of arrays of these shapes together. Raises ValueError where they do not fit."""
    shapes = []
    for shape in args:
        shapes.append(shape if isinstance(shape, tuple) else (shape,))
    whole = common_shape(shapes)
    for shape in shapes:
        for k in numbers_to(len(shape)):
            own = shape[len(shape) - 1 - k]
            if own != whole[len(whole) - 1 - k] and own != 1:
                raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return whole


@composes(np.polyval)
def polyval(p, x):
    """Horner's scheme."""
    x = of_numpy(as_array(x))
    y = x * 0
    for coefficient in as_array(p):
        y = y * x + coefficient
    return y


def of_numpy(x):
    """A number of Python's as one of NumPy's, whose dtype counts."""
    if isinstance(x, np.generic):
        return x
    return np.float64(x) if isinstance(x, float) else np.int64(x) if isinstance(x, int) else x


@composes(np.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=False, *, axis=0):
    """Evenly spaced numbers along an axis, and the step between them: what its own rule knows, moved."""
    points = np.moveaxis(np.linspace(start, stop, num, endpoint), 0, axis)
    if not retstep:
        return points
    intervals = num - 1 if endpoint else num
    return points, (stop - start) / intervals if intervals > 0 else np.nan


known(
    np.average,
    np.trapezoid,
    np.linalg.matrix_power,
    np.tensordot,
    np.einsum,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.broadcast_arrays,
    np.polyval,
    of_complex=True,
)

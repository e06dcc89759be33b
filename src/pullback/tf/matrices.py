"""TensorFlow's functions that take matrices apart and make them: diagonals, bands, products of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.numpy.items import put_item
from pullback.tape import Tensor
from pullback.tf.values import bare, convert_to_tensor, number, operands


def matrix_transpose(a: Any, name: str | None = None, conjugate: bool = False) -> Tensor:
    """`a` with its last two axes exchanged. `conjugate` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.linalg.matrix_transpose([[1, 2], [3, 4]])
    <View [[1 3]
     [2 4]], int32>
    """
    return convert_to_tensor(a).mT


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """`matrix` with its last two axes exchanged.

    >>> import pullback.tf as tf
    >>> tf.linalg.adjoint([[1, 2], [3, 4]])
    <View [[1 3]
     [2 4]], int32>
    """
    return convert_to_tensor(matrix).mT


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal of matrices `x`, (…, n, m).

    >>> import pullback.tf as tf
    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]])
    <Tensor 5.0, float32>
    """
    found = diag_part(x)
    return np.sum(found, axis=-1, dtype=found.dtype)


def _places(rows: int, columns: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The positions of the elements of a diagonal: above the main one for positive k."""
    first = max(0, -k)
    i = np.arange(first, max(first, min(rows, columns - k)))
    return i, i + k


def _range_of(k: Any) -> tuple[int, int]:
    """The lowest and the highest of several diagonals."""
    found = bare(k).ravel().tolist()
    if found[0] > found[-1]:
        raise ValueError(f"diagonals from {found[0]} to {found[-1]} are not in rising order")
    return found[0], found[-1]


def _inside(k: tuple[int, int], rows: int, columns: int) -> None:
    """ValueError for diagonals that such matrices do not have."""
    if any(d and not -rows < d < columns for d in k):
        raise ValueError(f"matrices of {rows} x {columns} do not have the diagonals {k[0]} to {k[1]}")


def _aligned(align: str, k: int, count: int, longest: int) -> int:
    """Where the elements of a diagonal start among those of the longest."""
    upper, lower = align.split("_")
    return longest - count if (upper if k >= 0 else lower) == "RIGHT" else 0


def diag_part(
    input: Any, name: str | None = None, k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The diagonal `k` of matrices `input`, (…, n, m): the main one is 0, those above it are positive.

    For a pair of numbers all diagonals between, the highest first; shorter ones are filled by `padding_value`, on the
    side that `align` leaves: 'RIGHT_LEFT' sets those above the main one to the right and those below to the left.

    >>> import pullback.tf as tf
    >>> tf.linalg.diag_part([[1.0, 2.0], [3.0, 4.0]])
    <Tensor [1. 4.], float32>
    """
    given, (low, high) = convert_to_tensor(input), _range_of(k)
    n, m = given.shape[-2:]
    _inside((low, high), n, m)
    places = [_places(n, m, j) for j in np.arange(high, low - 1, -1).tolist()]
    if low == high:
        return given[(..., *places[0])]
    longest, rows = max(len(i) for i, _ in places), []
    for j, (i, columns) in zip(np.arange(high, low - 1, -1).tolist(), places, strict=True):
        start = _aligned(align, j, len(i), longest)
        margins = [(0, 0)] * (given.ndim - 2) + [(start, longest - len(i) - start)]
        rows.append(np.pad(given[(..., i, columns)], margins, constant_values=number(padding_value)))
    return np.stack(rows, axis=-2)


def diag(
    diagonal: Any,
    name: str | None = None,
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the rows of `diagonal`, (…, n), as their diagonals `k`, and `padding_value` beside them.

    num_rows, num_cols: their shape, as small as it can be by default. For a pair `k` and for `align`, see
    `tf.linalg.diag_part`.

    >>> import pullback.tf as tf
    >>> tf.linalg.diag([1.0, 2.0])
    <Tensor [[1. 0.]
     [0. 2.]], float32>
    """
    x, (low, high) = convert_to_tensor(diagonal), _range_of(k)
    longest = x.shape[-1]
    rows, columns = number(num_rows), number(num_cols)
    least = longest + max(-high, 0), longest + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least)
    rows, columns = (least[0] if rows == -1 else rows), (least[1] if columns == -1 else columns)
    if rows < least[0] or columns < least[1]:
        raise ValueError(f"{rows} x {columns} elements have no place for diagonals of {longest}")
    if low == high:
        x = x[..., None, :]
    i, j, source = [], [], []
    for place, d in enumerate(np.arange(high, low - 1, -1).tolist()):
        down, across = _places(rows, columns, d)
        start = _aligned(align, d, len(down), longest)
        i.append(down)
        j.append(across)
        source.append(place * longest + start + np.arange(len(down)))
    elements = np.reshape(x, (*x.shape[:-2], -1))[..., np.concatenate(source)]
    batch, index = x.shape[:-2], (np.concatenate(i), np.concatenate(j))
    made = put_item(elements, (..., *index), (*batch, rows, columns))
    if number(padding_value) == 0:
        return made
    beside = np.ones((rows, columns), bool)
    beside[index] = False
    return np.where(beside, x.dtype.type(number(padding_value)), made)


def set_diag(input: Any, diagonal: Any, name: str | None = None, k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices `input`, (…, n, m), with the rows of `diagonal` as their diagonals `k`: see `tf.linalg.diag_part`.

    `align` is that of the shorter ones where `k` is a pair.

    >>> import pullback.tf as tf
    >>> tf.linalg.set_diag([[1.0, 2.0], [3.0, 4.0]], [0.0, 0.0])
    <Tensor [[0. 2.]
     [3. 0.]], float32>
    """
    given, new = operands(input, diagonal)
    n, m = given.shape[-2:]
    low, high = _range_of(k)
    _inside((low, high), n, m)
    longest = min(n + min(high, 0), m - max(low, 0))
    if new.shape != (*given.shape[:-2], *([] if low == high else [high - low + 1]), longest):
        raise ValueError(f"the diagonals of {given.shape} from {low} to {high} are not of the shape {new.shape}")
    made = diag(new, k=k, num_rows=n, num_cols=m, align=align)
    distance = np.arange(m) - np.arange(n)[:, None]
    return np.where((distance >= low) & (distance <= high), made, given)


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Zeros in the shape of `diagonal` twice, with its elements where both positions are the same.

    >>> import pullback.tf as tf
    >>> tf.linalg.tensor_diag([1.0, 2.0])
    <View [[1. 0.]
     [0. 2.]], float32>
    """
    x = convert_to_tensor(diagonal)
    if not x.ndim:
        raise ValueError("a number has no diagonal")
    return np.reshape(diag(np.reshape(x, (-1,))), (*x.shape, *x.shape))


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The elements of `input`, of the same shape twice, where both positions are the same.

    >>> import pullback.tf as tf
    >>> tf.linalg.tensor_diag_part([[1.0, 2.0], [3.0, 4.0]])
    <View [1. 4.], float32>
    """
    x = convert_to_tensor(input)
    half = x.shape[: x.ndim // 2]
    if x.shape != half * 2:
        raise ValueError(f"{x.shape} is not one shape twice")
    count = int(np.prod(half))
    return np.reshape(diag_part(np.reshape(x, (count, count))), half)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices `input`, (…, n, m), with zeros outside of a band around the diagonal.

    num_lower, num_upper: how many diagonals below and above it belong to the band; all for a negative number.

    >>> import pullback.tf as tf
    >>> tf.linalg.band_part([[1.0, 2.0], [3.0, 4.0]], -1, 0)
    <Tensor [[1. 0.]
     [3. 4.]], float32>
    """
    given, low, high = convert_to_tensor(input), int(number(num_lower)), int(number(num_upper))
    n, m = given.shape[-2:]
    if low > n or high > m:
        raise ValueError(f"matrices of {n} x {m} do not have {low} diagonals below and {high} above the main one")
    distance = np.arange(m) - np.arange(n)[:, None]
    inside = ((low < 0) | (-distance <= low)) & ((high < 0) | (distance <= high))
    return np.where(inside, given, given.dtype.type(0))


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross products of the vectors of three numbers along the last axes of `a` and `b`.

    >>> import pullback.tf as tf
    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    <Tensor [0. 0. 1.], float32>
    """
    x, y = operands(a, b)
    if x.shape != y.shape or x.shape[-1:] != (3,):
        raise ValueError(f"vectors of three numbers are wanted, in tensors of one shape, not {x.shape} and {y.shape}")
    after, last = np.array([1, 2, 0]), np.array([2, 0, 1])
    return x[..., after] * y[..., last] - x[..., last] * y[..., after]

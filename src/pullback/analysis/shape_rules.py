"""Shape rules: the shapes of the results of functions that are no elementwise ones.

>>> import pullback as pb
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> function = normal_form(lambda a, b: np.stack((a @ b, np.roll(b[0], 1))), np.ones(2), np.ones((2, 3)))
>>> Shapes(function).of(function.results[0])
(2, (b: float64[:, :], 1))
>>> function = normal_form(lambda a: np.arange(1, a.shape[0] + 1), np.ones(2))
>>> Shapes(function).of(function.results[0])
((a: float64[:], 0),)

A rule gives None for a shape, or for the size of an axis, that is not known in terms of those of the arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from pullback import runtime
from pullback.analysis.progressions import progression_of
from pullback.analysis.sizes import Shape, Size
from pullback.ir import primitives
from pullback.ir.arguments import arguments_of
from pullback.ir.nodes import Constant, Let, Operand
from pullback.ir.types import Array


class Shapes(Protocol):
    """What a rule asks of the shapes that are known so far."""

    unsure: list[tuple[Size, Size, bool]]
    joined: dict[Size, list[Shape]]

    def of(self, operand: Operand) -> Shape: ...
    def size(self, operand: Operand) -> Size: ...
    def made_size(self, operand: Operand) -> Size: ...
    def broadcast(self, shapes: list[Shape]) -> Shape | None: ...
    def between(self, start: int, stop: Operand) -> Size | None: ...


def _matmul(shapes: Shapes, statement: Let) -> Shape | None:
    a, b = (shapes.of(operand) for operand in statement.operands[:2])
    if not a or not b or (statement.function is np.dot and max(len(a), len(b)) > 2):
        return None
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        shapes.unsure.append((a[-1], inner, True))
    many = shapes.broadcast([a[:-2], b[:-2]])
    rows, columns = a[-2:-1], b[-1:] if len(b) > 1 else ()
    return None if many is None else (*many, *rows, *columns)


def _made(shapes: Shapes, statement: Let) -> Shape | None:
    numbers = statement.operands[0]
    return _nested(numbers) if isinstance(numbers, tuple) else shapes.of(numbers)


def _nested(items: Any) -> Shape | None:
    """The shape of an array of the numbers in nested tuples."""
    if not isinstance(items, tuple):
        return None if isinstance(items.type, Array) else ()
    inner = {_nested(item) for item in items}
    return (len(items), *found) if len(inner) == 1 and (found := inner.pop()) is not None else None


def _solve(shapes: Shapes, statement: Let) -> Shape | None:
    a, b = (shapes.of(operand) for operand in statement.operands[:2])
    return b if len(a) == 2 and len(b) in (1, 2) else None


def _jacobian(shapes: Shapes, statement: Let) -> Shape:
    target, source = (shapes.of(operand) for operand in statement.operands[:2])
    return (*target, *source)


def _arange(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of `np.arange(n)` and of `np.arange(2, n + 1)`, where n is the size of an array."""
    numbers = progression_of(statement)
    if numbers is None or numbers.step != 1 or not isinstance(numbers.start, Constant):
        return None
    return (shapes.between(numbers.start.value, numbers.stop),)


def _outer(shapes: Shapes, statement: Let) -> Shape | None:
    a, b = (shapes.of(operand) for operand in statement.operands[:2])
    return (*a, *b) if len(a) == len(b) == 1 else None


_BESIDE_AXES = {"ddof", "dtype", "ord"}
"""What a reduction may say that changes no shape."""


def reduced(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape after a reduction over axes that are known."""
    return _shape_after(shapes, *arguments_of(statement))


def _norm(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of norms, of which the second operand is the order."""
    (x, *rest), named = arguments_of(statement)
    return _shape_after(shapes, (x, *rest[1:]), named)


def _shape_after(shapes: Shapes, operands: tuple[Any, ...], named: dict[str, Any]) -> Shape | None:
    shape = shapes.of(operands[0])
    said = {name: operand for name, operand in named.items() if name not in _BESIDE_AXES}
    reduced_along = _axes(operands, said, len(shape))
    if reduced_along is None:
        return None
    axes, keepdims = reduced_along
    if keepdims:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def reduced_axes(statement: Let, ndim: int) -> tuple[frozenset[int], bool] | None:
    """The axes of a reduction and whether they are kept as axes of size 1; None where the call says more."""
    return _axes(*arguments_of(statement), ndim)


def _axes(operands: tuple[Any, ...], named: dict[str, Any], ndim: int) -> tuple[frozenset[int], bool] | None:
    axis = named.pop("axis", operands[1] if len(operands) > 1 else Constant(None))
    keepdims = named.pop("keepdims", Constant(False))
    if named or len(operands) > 2 or not isinstance(keepdims, Constant):
        return None
    axes = axis if isinstance(axis, tuple) else (axis,)
    if not all(isinstance(a, Constant) for a in axes):
        return None
    if axis == Constant(None):
        return frozenset(range(ndim)), bool(keepdims.value)
    return frozenset(a.value % ndim for a in axes), bool(keepdims.value)


def _contents(shapes: Shapes, statement: Let) -> Shape:
    return (shapes.size(statement.operands[1]),)


def _masked(shapes: Shapes, statement: Let) -> Shape | None:
    x, cotangent = map(shapes.of, statement.operands)
    return x if len(cotangent) == 2 else None


def _eye(shapes: Shapes, statement: Let) -> Shape | None:
    if len(statement.operands) - len(statement.keywords) != 1 or not {"dtype"}.issuperset(statement.keywords):
        return None
    size = shapes.size(statement.operands[0])
    return size, size


def _diagonal(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of a matrix with a vector on its main diagonal, or of the main diagonal of a matrix."""
    shape = shapes.of(statement.operands[0])
    if statement.operands[1:] not in ((), (Constant(0),)):
        return None
    if len(shape) == 1:
        return (*shape, *shape)
    numbers = [size for size in shape if isinstance(size, int)]
    return (min(numbers),) if len(numbers) == len(shape) else None


def _stacked(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of a stack of arrays: they have one shape, or that would have raised."""
    agreed = _agreed(shapes, statement)
    if agreed is None:
        return None
    shape, axis = agreed
    place = axis % (len(shape) + 1)
    return (*shape[:place], len(statement.operands[0]), *shape[place:])


def _joined_rows(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of np.vstack and np.hstack, of vectors or matrices alone."""
    parts = statement.operands[0]
    ranks = {len(shapes.of(part)) for part in parts} if isinstance(parts, tuple) else set()
    if len(ranks) != 1 or not ranks <= {1, 2}:
        return None
    is_matrix = ranks == {2}
    if statement.function is np.vstack:
        return _joined(shapes, statement) if is_matrix else _stacked(shapes, statement)
    return _joined(shapes, replace(statement, operands=(parts, Constant(int(is_matrix)))))


def _joined(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of arrays one behind the other, of which the other axes agree."""
    agreed = _agreed(shapes, statement)
    if agreed is None:
        return None
    shape, axis = agreed
    place = axis % len(shape)
    along = [shapes.of(part)[place] for part in statement.operands[0]]
    shapes.joined.setdefault((statement.value, place), []).append(tuple(along))
    return (*shape[:place], sum(along) if all(isinstance(n, int) for n in along) else None, *shape[place + 1 :])


def _agreed(shapes: Shapes, statement: Let) -> tuple[Shape, int] | None:
    """The shape on which arrays have to agree, numbers before other sizes, and the axis along which they are joined."""
    parts, *given = statement.operands
    axis = given[0] if given else Constant(0)
    if not isinstance(parts, tuple) or len(given) > 1 or not isinstance(axis, Constant) or axis.value is None:
        return None
    sizes = zip(*map(shapes.of, parts), strict=True)
    return tuple(next((n for n in meeting if isinstance(n, int)), meeting[0]) for meeting in sizes), axis.value


def _reshaped(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of a reshaped array; a size of -1 is that of the only axis that is not among the others."""
    wanted = statement.operands[1]
    sizes: list[Size | None] = [_given(shapes, size) for size in (wanted if isinstance(wanted, tuple) else (wanted,))]
    whole = [size for size in (*shapes.of(statement.operands[0]), *sizes) if not isinstance(size, int)]
    if -1 in sizes and not whole:
        others = math.prod(size for size in sizes if isinstance(size, int) and size != -1)
        count = math.prod(size for size in shapes.of(statement.operands[0]) if isinstance(size, int))
        sizes[sizes.index(-1)] = count // others if others else None
    elif -1 in sizes and None not in sizes:
        left = [size for size in shapes.of(statement.operands[0]) if size != 1]
        for size in sizes:
            if size in left:
                left.remove(size)
            elif size not in (1, -1):
                left += [None, None]
        sizes[sizes.index(-1)] = (*left, 1)[0] if len(left) < 2 else None
    return tuple(None if size == -1 else size for size in sizes)


def _given(shapes: Shapes, size: Operand) -> Size | None:
    """A size that an array is reshaped to: an integer of the program may be -1 where it is no size of an array."""
    found = shapes.size(size)
    return None if found is size else found


def _first(shapes: Shapes, statement: Let) -> Shape:
    return shapes.of(statement.operands[0])


def _second(shapes: Shapes, statement: Let) -> Shape:
    return shapes.of(statement.operands[1])


def _cumulated(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape of sums along an axis; without one, of all elements in a row."""
    shape = shapes.of(statement.operands[0])
    return shape if len(shape) == 1 or {"axis"} == set(statement.keywords) else None


def _summed_to(shapes: Shapes, statement: Let) -> Shape:
    return tuple(map(shapes.made_size, statement.operands[1]))


def _block(shapes: Shapes, statement: Let) -> Shape:
    """The shape of an array that a buffer keeps."""
    return tuple(map(shapes.made_size, statement.operands[2]))


JOINING = {np.concatenate, np.hstack, np.vstack}
"""Functions that put arrays one behind the other."""

SHAPES: dict[Callable[..., Any], Callable[[Shapes, Let], Shape | None]] = {
    primitives.jacobian: _jacobian,
    np.matmul: _matmul,
    np.dot: _matmul,
    np.linalg.solve: _solve,
    np.linalg.norm: _norm,
    np.array: _made,
    np.arange: _arange,
    np.outer: _outer,
    np.stack: _stacked,
    np.concatenate: _joined,
    np.vstack: _joined_rows,
    np.hstack: _joined_rows,
    np.reshape: _reshaped,
    np.roll: _first,
    np.interp: _first,
    np.searchsorted: _second,
    np.cumsum: _cumulated,
    np.cumprod: _cumulated,
    runtime.sum_to: _summed_to,
    np.eye: _eye,
    np.identity: _eye,
    np.diag: _diagonal,
    runtime.contents: _contents,
    runtime.block_of: _block,
    runtime.masked_rows: _masked,
    runtime.masked_columns: _masked,
}

"""Views: the element of a part of an array, as an element of the array.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.lowering import lower
>>> def differences(x):
...     return np.sum(x[1:] - x[:-1])
>>> function = lower(normal_form(differences, np.ones(3)))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def differences(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += x[i + 1] - x[i]
    return total
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.analysis.extents import can_compute, extent
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Shape, Size, SliceSize
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Constant, Index, Operand, Permute, Slice, Step, Value
from pullback.ir.paths import is_rest
from pullback.ir.types import Array

Indices = tuple[Operand, ...]
WHOLE_AXIS = Slice(None, None, None)
REVERSED = Slice(None, None, constant(-1))


def can_index(array: Value, path: tuple[Step, ...], shapes: Shapes) -> bool:
    """Whether the elements of a part of an array can be addressed one by one.

    One place of an axis that was cut before cannot: it may be counted from the end of what is left, or lie outside of
    it but in the array.
    """
    shape: tuple[Size, ...] | None = shapes.of(array)
    cut = (False,) * (0 if shape is None else len(shape))
    for step in path:
        if shape is None:
            return False
        match step:
            case Permute(axes):
                shape, cut = tuple(shape[axis] for axis in axes), tuple(cut[axis] for axis in axes)
            case Index(items):
                if not _all_simple(items, shape, cut, shapes, step is not path[0]):
                    return False
                shape, cut = shapes.indexed(shape, items), _cut(items, cut)
            case _:
                return False
    return shape is not None


def has_places(path: tuple[Step, ...]) -> bool:
    """Whether a part is at one place of an axis, which the axis may not have."""
    return any(isinstance(step, Index) and any(map(_is_number, step.items)) for step in path)


def are_apart(path: tuple[Step, ...], other: tuple[Step, ...]) -> bool:
    """Whether two parts of an array have no element in common, as one place of an axis is a different constant."""
    places = [(_place(a), _place(b)) for a, b in _pairs(path, other)]
    return any(a != b and min(a, b) >= 0 for a, b in places)


def are_interleaved(path: tuple[Step, ...], other: tuple[Step, ...]) -> bool:
    """Whether two parts of an array have no element in common, as slices of an axis are in steps from other starts.

    Places that differ by no multiple of the step are not met (the GCD test of dependences).
    """
    return any(_alternate(a, b) for a, b in _pairs(path, other))


def _pairs(path: tuple[Step, ...], other: tuple[Step, ...]) -> list[tuple[Any, Any]]:
    """The items of the indices that two parts of an array are given by, axis by axis."""
    match path, other:
        case ((Index(items),), (Index(others),)) if len(items) == len(others):
            return list(zip(items, others, strict=True))
    return []


def _alternate(part: Operand | Slice, other: Operand | Slice) -> bool:
    if not isinstance(part, Slice) or not isinstance(other, Slice) or part.step != other.step:
        return False
    step, starts = _place(part.step or constant(1)), [_place(each.start or constant(0)) for each in (part, other)]
    return step > 0 <= min(starts) and (starts[0] - starts[1]) % step != 0


def _place(item: Operand | Slice) -> int:
    """A place of an axis that is a constant, counted from its start; -1 for another item."""
    return item.value if isinstance(item, Constant) and type(item.value) is int else -1


def element_of(builder: Builder, array: Value, path: tuple[Step, ...], indices: Indices, shapes: Shapes) -> Indices:
    """The indices in an array of the element of its part `path` at `indices`."""
    before = [shapes.of(array)]
    for step in path[:-1]:
        shape = shapes.part(before[-1], (step,))
        assert shape is not None, "a path that can be indexed has shapes"
        before.append(shape)
    for step, shape in zip(reversed(path), reversed(before), strict=False):
        if isinstance(step, Permute):
            placed = dict(zip(step.axes, indices, strict=True))
            indices = tuple(placed[axis] for axis in range(len(shape)))
        else:
            assert isinstance(step, Index), "a path that can be indexed has no other steps"
            indices = _indexed(builder, step.items, indices, shape, step is not path[0])
    return indices


def _indexed(builder: Builder, items: tuple[Any, ...], indices: Indices, shape: Shape, of_part: bool) -> Indices:
    """The indices before one step of a path, of an array of this shape; `of_part`: there are steps before it."""
    left, sizes = list(indices), iter(shape)
    found: list[Operand] = []
    for item in _spelled_out(items, len(shape)):
        if _is_new(item):
            left.pop(0)
            continue
        size = next(sizes)
        found.append(_moved(builder, item, left.pop(0), size, of_part) if isinstance(item, Slice) else item)
    return tuple(found)


def _moved(builder: Builder, part: Slice, index: Operand, size: Size, of_part: bool) -> Operand:
    """The index in an axis, of this size, of a place in a slice of it.

    An array's own axis is indexed from its end by what is negative, not one of a part of an array.
    """
    if part == REVERSED:
        last = builder.let(np.subtract, extent(size, builder), constant(1))
        return builder.let(np.subtract, last, index)
    start = part.start or constant(0)
    if part.step not in (None, constant(1)):
        index = builder.let(np.multiply, index, part.step)
    if of_part and _counts_from_the_end(start):
        start = builder.let(np.add, extent(size, builder), start)
    return index if start == constant(0) else builder.let(np.add, index, start)


def _spelled_out(items: tuple[Any, ...], rank: int) -> list[Any]:
    """The items of an index into an array of this rank, with a slice for each axis that `...` stands for or nothing."""
    left = rank - sum(not _is_new(item) and not is_rest(item) for item in items)
    for k, item in enumerate(items):
        if is_rest(item):
            return [*items[:k], *[WHOLE_AXIS] * left, *items[k + 1 :]]
    return [*items, *[WHOLE_AXIS] * left]


def _cut(items: tuple[Any, ...], cut: tuple[bool, ...]) -> tuple[bool, ...]:
    """Which axes of a part are not whole axes of the array, from those before one step of its path."""
    found: list[bool] = []
    axes = iter(cut)
    for item in _spelled_out(items, len(cut)):
        was_cut = _is_new(item) or next(axes)
        if _is_new(item) or isinstance(item, Slice):
            found.append(was_cut or item != WHOLE_AXIS)
    return tuple(found)


def _all_simple(
    items: tuple[Any, ...], shape: tuple[Size, ...], cut: tuple[bool, ...], shapes: Shapes, of_part: bool
) -> bool:
    """Whether each item of an index addresses its axis from the start in steps, or at one place that surely exists."""
    axes = iter(zip(shape, cut, strict=True))
    for item in _spelled_out(items, len(shape)):
        if _is_new(item):
            continue
        size, was_cut = next(axes)
        if isinstance(item, Slice):
            if not _is_simple(item, size, shapes) or (
                of_part and _counts_from_the_end(item.start) and not can_compute(size)
            ):
                return False
        elif not _is_number(item) or (was_cut and not _is_place(item, size)):
            return False
    return True


def _is_place(item: Operand, size: Size) -> bool:
    """Whether an index counts from the start and is known to be below a size."""
    return isinstance(item, Constant) and isinstance(size, int) and 0 <= item.value < size


def _is_simple(part: Slice, size: Size, shapes: Shapes) -> bool:
    start, step = part.start or constant(0), part.step or constant(1)
    if part == REVERSED:
        return can_compute(size)
    if SliceSize(size, part) in shapes.equal:
        return True  # both ends are proved to lie in the array
    plain = isinstance(start, Constant) and isinstance(step, Constant)
    return plain and start.value >= 0 and step.value > 0


def _counts_from_the_end(start: Operand | None) -> bool:
    return isinstance(start, Constant) and start.value < 0


def _is_number(item: Any) -> bool:
    if isinstance(item, Value):
        return not isinstance(item.type, Array) and item.type.dtype != "bool"
    return isinstance(item, Constant) and isinstance(item.value, int) and not isinstance(item.value, bool)


def _is_new(item: Any) -> bool:
    return isinstance(item, Constant) and item.value is None

"""Shape analysis: the size of each axis as far as it is known, in terms of sizes that come from elsewhere.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(x, y):
...     a = np.exp(x)[1:]
...     b = x[:-1] * 2.0
...     c = np.sin(y[1:])
...     return a, b, c
>>> function = normal_form(f, np.ones(3), np.ones(3))
>>> shapes, values = Shapes(function), values_by_name(function)
>>> shapes.of(function.results[0]) == shapes.of(values["b"]), shapes.of(values["b"]) == shapes.of(values["c"])
(True, False)

A size is an int, a Value (an integer of the program), a pair (array, axis), or what a slice of one is. Two arrays whose
sizes are equal terms have the same shape on every run; unequal terms say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.sizes import Shape, Size, sliced
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Call,
    Constant,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Permute,
    Slice,
    Statement,
    Value,
    While,
    defined_in,
    is_undefined,
    values_in,
)
from pullback.ir.ruled import LinearMap
from pullback.ir.types import INT, Array, Scalar, is_integer

CREATING = primitives.CREATING | {np.full}
_SAME = {primitives.copy, primitives.cast, primitives.accumulate, primitives.zeros_like, primitives.store}
_SAME |= {primitives.add_at, primitives.product_into, primitives.inverse_into}
_SAME |= {primitives.watched, primitives.gradient, primitives.tangent, runtime.stop_gradient}
_SAME |= {np.linalg.inv, np.linalg.cholesky, np.flip, np.tril, np.triu}
_SAME |= {runtime.argsort_along, runtime.permuted_along, runtime.unpermuted_along}


class Shapes:
    """The sizes of arrays; statements are noted in the order of the program.

    guarded: what holds behind the checks at the entry is true; it is not of the checks themselves. unsure: the pairs of
    sizes that would have to agree for a shape to be known, and whether that is because a product sums over them.
    """

    def __init__(
        self, function: Function | None = None, equal: Mapping[Size, Size] | None = None, guarded: bool = True
    ) -> None:
        self.guarded = guarded
        self.known: dict[Value, Shape] = {}
        self.sizes: dict[Value, Size] = {}
        self.equal: dict[Size, Size] = dict(equal or {})
        self.less: dict[Value, tuple[Size, int]] = {}
        self.compared: dict[Value, tuple[Size, Size]] = {}
        self.unsure: list[tuple[Size, Size, bool]] = []
        if function is not None:
            for parameter in function.parameters:
                self.own(parameter)
            self.block(function.body)

    def of(self, operand: Operand) -> Shape:
        """The shape of an operand; () for a number."""
        if not isinstance(operand, Value) or not isinstance(operand.type, Array):
            return ()
        if operand not in self.known:
            self.own(operand)
        known = self.known[operand]
        return tuple(map(self.named, known)) if self.equal else known

    def own(self, value: Value) -> None:
        if isinstance(value.type, Array):
            self.known[value] = tuple(self.named((value, axis)) for axis in range(value.type.ndim))

    def named(self, size: Size) -> Size:
        """The one of several equal sizes that stands for all."""
        while size in self.equal:
            size = self.equal[size]
        return size

    def size(self, operand: Operand) -> Size:
        """An integer operand as a size."""
        if isinstance(operand, Constant):
            return operand.value
        return self.named(self.sizes.get(operand, operand))

    def made_size(self, operand: Operand) -> Size:
        """An operand as the size that an array was made with: it is not negative then, or that would have raised."""
        if operand in self.less:
            size, left = self.less[operand]
            return self.named(sliced(size, Slice(Constant(left, INT), None, None)))
        return self.size(operand)

    def block(self, block: Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                self.let(statement)
            case If():
                self.block(statement.then)
                self.block(statement.orelse)
                self.branches(statement)
            case For() | While():
                self.loop(statement)
            case Effect(function=primitives.check, operands=(Value() as agree, Constant(value=runtime.SizesDiffer))):
                if self.guarded and agree in self.compared:
                    self.learn(*self.compared[agree])
            case Call(function=LinearMap()):
                for result, y in zip(statement.results, statement.operands[0], strict=True):
                    self.known[result] = self.of(y)
            case _:
                for result in getattr(statement, "results", ()):
                    self.own(result)

    def branches(self, statement: If) -> None:
        """A result has the shape on which the branches agree; nothing after them is in terms of what they define."""
        inside = {*defined_in(statement.then), *defined_in(statement.orelse)}
        for result, *yields in zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True):
            if not isinstance(result.type, Array):
                continue
            shapes = {self.of(o) for o in yields if not is_undefined(o)}
            if len(shapes) == 1 and inside.isdisjoint(values_in(tuple(shapes))):
                self.known[result] = shapes.pop()
            else:
                self.own(result)

    def loop(self, statement: For | While) -> None:
        """A carried array keeps its shape if the body, assuming so, yields the same."""
        arrays = [k for k, c in enumerate(statement.carried) if isinstance(c.parameter.type, Array)]
        for k in arrays:
            initial = statement.carried[k].initial
            if isinstance(initial, Value):
                self.known[statement.carried[k].parameter] = self.of(initial)
        while True:
            if isinstance(statement, While):
                self.block(statement.condition)
            self.block(statement.body)
            changing = [
                k for k in arrays if self.of(statement.body.yields[k]) != self.of(statement.carried[k].parameter)
            ]
            if not changing:
                break
            for k in changing:
                self.note_unsure(statement.carried[k].parameter, statement.body.yields[k])
                self.own(statement.carried[k].parameter)
            arrays = [k for k in arrays if k not in changing]
        for carried, result in zip(statement.carried, statement.results, strict=True):
            if not isinstance(result.type, Array):
                continue
            shape = self.of(carried.parameter)
            if any(isinstance(size, tuple) and size[0] is carried.parameter for size in shape):
                self.own(result)
            else:
                self.known[result] = shape

    def note_difference(self, statement: Let) -> None:
        """Know `max(n - 2, 0)` as the size of a slice that leaves off two elements."""
        value, operands = statement.value, statement.operands
        if statement.function is np.subtract and is_integer(value.type) and isinstance(operands[1], Constant):
            if operands[1].value > 0:
                self.less[value] = (self.size(operands[0]), operands[1].value)
        elif statement.function is max and operands[0] in self.less and operands[1] == Constant(0, INT):
            self.sizes[value] = self.made_size(operands[0])

    def note_unsure(self, a: Operand, b: Operand) -> None:
        """Note the sizes that would have to agree for two arrays to have one shape."""
        self.unsure += [(one, other, False) for one, other in zip(self.of(a), self.of(b), strict=False) if one != other]

    def let(self, statement: Let) -> None:
        value = statement.value
        if isinstance(value.type, Scalar):
            if statement.function in (np.matmul, np.dot):
                self.shape_of(statement)
            if statement.function is np.equal and all(is_integer(o.type) for o in statement.operands):
                self.compared[value] = (self.size(statement.operands[0]), self.size(statement.operands[1]))
            self.note_difference(statement)
            if statement.function is primitives.dim:
                array, axis = statement.operands
                self.sizes[value] = self.of(array)[axis.value]
            return
        shape = self.shape_of(statement)
        if shape is None or len(shape) != value.type.ndim:
            self.own(value)
        else:
            self.known[value] = shape

    def learn(self, one: Size, other: Size) -> None:
        """Take in that two sizes are equal."""
        one, other = self.named(one), self.named(other)
        if one != other:
            first, second = (other, one) if isinstance(one, int) else (one, other)
            self.equal[first] = second

    def shape_of(self, statement: Let) -> Shape | None:
        function, operands = statement.function, statement.operands
        if function in _SAME:
            return self.of(operands[0])
        if function is primitives.shaped_like:
            return self.of(operands[1])
        if function in (primitives.load, primitives.load_last):
            return self.part(self.of(operands[0]), operands[1])
        if function in CREATING or function is np.broadcast_to:
            sizes = operands[1] if function is np.broadcast_to else operands[0]
            sizes = sizes if isinstance(sizes, tuple) else (sizes,)
            return tuple(map(self.made_size, sizes))
        if function is np.array:
            return _nested(operands[0]) if isinstance(operands[0], tuple) else self.of(operands[0])
        if function is np.transpose and len(operands) > 1:
            shape = self.of(operands[0])
            return tuple(shape[axis.value] for axis in operands[1])
        if is_elementwise(function):
            return self.broadcast([self.of(o) for o in operands if isinstance(o, Value)])
        special = _SHAPES.get(function)
        return special(self, statement) if special else None

    def broadcast(self, shapes: list[Shape]) -> Shape | None:
        """The shape of an elementwise result, where it is sure; pairs of sizes that make it unsure are noted."""
        arrays = [shape for shape in shapes if shape]
        result: list[Size] = []
        sure = True
        for place in range(-max(map(len, arrays), default=0), 0):
            sizes = list(dict.fromkeys(shape[place] for shape in arrays if len(shape) >= -place and shape[place] != 1))
            result.append(sizes[0] if sizes else 1)
            self.unsure += [(sizes[0], other, False) for other in sizes[1:]]
            sure = sure and len(sizes) <= 1
        return tuple(result) if sure else None

    def part(self, shape: Shape, path: tuple[Any, ...]) -> Shape | None:
        for step in path:
            match step:
                case Permute(axes):
                    shape = tuple(shape[axis] for axis in axes)
                case Index(items):
                    found = self.indexed(shape, items)
                    if found is None:
                        return None
                    shape = found
                case _:
                    return None
        return shape

    def indexed(self, shape: Shape, items: tuple[Any, ...]) -> Shape | None:
        if any(isinstance(item, Value) and isinstance(item.type, Array) for item in items):
            return None
        used = sum(isinstance(item, Slice) or _is_integer(item) for item in items)
        result: list[Size] = []
        axes = iter(shape)
        for item in items:
            if isinstance(item, Slice):
                size = next(axes)
                result.append(self.named(sliced(size, item)))
            elif _is_integer(item):
                next(axes)
            elif item.value is None:
                result.append(1)
            else:
                result += [next(axes) for _ in range(len(shape) - used)]
        return (*result, *axes)


def _is_integer(item: Any) -> bool:
    return isinstance(item, Value) or (isinstance(item, Constant) and isinstance(item.value, int))


def _matmul(shapes: Shapes, statement: Let) -> Shape | None:
    a, b = (shapes.of(operand) for operand in statement.operands[:2])
    if len(a) > 2 or len(b) > 2 or not a or not b:
        return None
    if a[-1] != b[0]:
        shapes.unsure.append((a[-1], b[0], True))
    return (*a[:-1], *b[1:])


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
    """The shape of `np.arange(n)`, where n is not negative."""
    stop = statement.operands[0] if len(statement.operands) == 1 else None
    size = shapes.sizes.get(stop) if isinstance(stop, Value) else None
    return None if size is None else (shapes.named(size),)


def _outer(shapes: Shapes, statement: Let) -> Shape | None:
    a, b = (shapes.of(operand) for operand in statement.operands[:2])
    return (*a, *b) if len(a) == len(b) == 1 else None


def _reduced(shapes: Shapes, statement: Let) -> Shape | None:
    """The shape after a reduction over axes that are known."""
    shape = shapes.of(statement.operands[0])
    reduced = reduced_axes(statement, len(shape))
    if reduced is None:
        return None
    axes, keepdims = reduced
    if keepdims:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def reduced_axes(statement: Let, ndim: int) -> tuple[frozenset[int], bool] | None:
    """The axes of a reduction and whether they are kept as axes of size 1; None where the call says more."""
    split = len(statement.operands) - len(statement.keywords)
    given = dict(zip(statement.keywords, statement.operands[split:], strict=True))
    axis = given.pop("axis", statement.operands[1] if split > 1 else Constant(None))
    keepdims = given.pop("keepdims", Constant(False))
    if given or split > 2 or not isinstance(keepdims, Constant):
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


_SHAPES: dict[Callable[..., Any], Callable[[Shapes, Let], Shape | None]] = {
    primitives.jacobian: _jacobian,
    np.matmul: _matmul,
    np.dot: _matmul,
    np.linalg.solve: _solve,
    np.arange: _arange,
    np.outer: _outer,
    np.eye: _eye,
    np.identity: _eye,
    np.sum: _reduced,
    np.mean: _reduced,
    np.max: _reduced,
    np.min: _reduced,
    np.prod: _reduced,
    runtime.contents: _contents,
    runtime.masked_rows: _masked,
    runtime.masked_columns: _masked,
}

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

A size is an int, a Value (an integer of the program), a pair (array, axis), what a slice of one is, or a linear form
of those. Two arrays whose sizes are equal terms have the same shape on every run; unequal terms say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from pullback import runtime
from pullback.analysis.congruence import NUMBER, Congruence, Place
from pullback.analysis.shape_rules import SHAPES, reduced
from pullback.analysis.sizes import Form, Shape, Size, SliceSize, sliced, values_of
from pullback.functions import is_elementwise, record_of
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
)
from pullback.ir.ruled import LinearMap
from pullback.ir.types import INT, Array, Scalar, is_integer

_WHOLE = Slice(None, None, None)
CREATING = primitives.CREATING | {
    np.full,
    runtime.local_empty,
    runtime.local_zeros,
    runtime.column_empty,
    runtime.column_zeros,
}
_WRITES = {primitives.store, primitives.add_at, primitives.accumulate}
_SAME = {primitives.copy, primitives.cast, primitives.accumulate, primitives.zeros_like, primitives.store}
_SAME |= {primitives.add_at, primitives.product_into, primitives.inverse_into}
_SAME |= {primitives.watched, primitives.gradient, primitives.tangent, runtime.stop_gradient}
_SAME |= {np.linalg.inv, np.linalg.cholesky, np.flip, np.tril, np.triu}
_SAME |= {runtime.argsort_along, runtime.permuted_along, runtime.unpermuted_along}


class Shapes:
    """The sizes of arrays; statements are noted in the order of the program.

    guarded: what holds behind the checks at the entry is true; it is not of the checks themselves. unsure: the pairs of
    sizes that would have to agree for a shape to be known, and whether that is because a product sums over them.
    joined: for the sizes of arrays one behind the other theirs, as they were taken to be; those taken last are right.
    """

    def __init__(
        self, function: Function | None = None, equal: Mapping[Size, Size] | None = None, guarded: bool = True
    ) -> None:
        self.guarded = guarded
        self.known: dict[Value, Shape] = {}
        self.sizes: dict[Value, Size] = {}
        self.equal: dict[Size, Size] = dict(equal or {})
        self.less: dict[Value, tuple[Size, int]] = {}
        self.more: dict[Value, tuple[Size, int]] = {}
        self.compared: dict[Value, tuple[Size, Size]] = {}
        self.unsure: list[tuple[Size, Size, bool]] = []
        self.joined: dict[Size, list[Shape]] = {}
        self.broadcasts: dict[frozenset[Size], Size] | None = None  # None outside of blocks: nothing says what is left
        self.met: dict[Size, frozenset[Size]] = {}
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

    def own(self, value: Value) -> Shape:
        """Know an array by its own axes, and return them."""
        if not isinstance(value.type, Array):
            return ()
        self.known[value] = tuple(self.named((value, axis)) for axis in range(value.type.ndim))
        return self.known[value]

    def named(self, size: Size) -> Size:
        """The one of several equal sizes that stands for all.

        That of a slice is of an axis that stands for all, which closes circles: x[2:] → y[2:] where x stands for y.
        """
        found: list[Size] = []
        size = self.of_named(size)
        while size in self.equal and size not in found:
            found.append(size)
            size = self.of_named(self.equal[size])
        return min(found[found.index(size) :], key=[*self.equal].index) if size in found else size

    def of_named(self, size: Size) -> Size:
        """The same size as one of a slice of what stands for the sliced axis, or as a form in what stands for sizes."""
        if isinstance(size, SliceSize) and self.equal:
            return sliced(self.named(size.size), size.part)
        return size.of_terms(self.named) if isinstance(size, Form) and self.equal else size

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

    def between(self, start: int, stop: Operand) -> Size | None:
        """How many integers there are from `start` to before `stop`, if that is a size of an array, or a part of it."""
        size, more = self.more.get(stop) or (self.size(stop), 0)
        if stop in self.less:
            size, more = self.less[stop][0], -self.less[stop][1]
        if isinstance(size, int):
            return max(0, size + more - start)
        if isinstance(size, Value) or start < more:
            return None
        return self.named(sliced(size, Slice(Constant(start - more, INT), None, None)))

    def block(self, block: Block) -> None:
        outer = self.broadcasts
        self.broadcasts = dict(outer or {})
        for statement in block.statements:
            self.statement(statement)
        self.broadcasts = outer

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
            if len(shapes) == 1 and inside.isdisjoint(v for shape in shapes for size in shape for v in values_of(size)):
                self.known[result] = shapes.pop()
            else:
                self.own(result)

    def loop(self, statement: For | While) -> None:
        """A carried array keeps its shape if the body, assuming so, yields the same.

        Others are taken to change alike where they start alike, as far as the body, assuming so, yields the same sizes:
        the sizes are congruent, and one of them stands for all. So does an integer that the loop carries.
        """
        yields = statement.body.yields
        kept = {k: c for k, c in enumerate(statement.carried) if isinstance(c.parameter.type, Array)}
        for carried in kept.values():
            if isinstance(carried.initial, Value):
                self.known[carried.parameter] = self.of(carried.initial)
        alike = Congruence()
        while True:
            if isinstance(statement, While):
                self.block(statement.condition)
            self.block(statement.body)
            changing = [k for k, carried in kept.items() if self.of(yields[k]) != self.of(carried.parameter)]
            is_split = alike.split({place: self.size_after(yields, place) for place in alike.starts})
            if not changing and not is_split:
                break
            for k in changing:
                carried = kept.pop(k)
                self.note_unsure(carried.parameter, yields[k])
                starts = self.of(carried.initial) or self.own(carried.parameter)
                alike.add(((j, NUMBER), start) for j, start in self.counts(statement) if start in starts)
                self.own(carried.parameter)
                alike.add(((k, axis), start) for axis, start in enumerate(starts))
            parameters = [carried.parameter for carried in statement.carried]
            self.known |= {parameters[k]: self.shape_alike(alike, k, parameters) for k in alike.arrays()}
        results = statement.results
        for k, carried in kept.items():
            if isinstance(carried.initial, Value):
                self.known[results[k]] = self.of(carried.parameter)
            else:
                self.own(results[k])
        self.known |= {results[k]: self.shape_alike(alike, k, results) for k in alike.arrays()}

    def counts(self, loop: For | While) -> Iterator[tuple[int, Size]]:
        """The integers that a loop carries, by their numbers, as sizes before the loop."""
        for k, carried in enumerate(loop.carried):
            if isinstance(carried.parameter.type, Scalar) and is_integer(carried.parameter.type):
                yield k, self.size(carried.initial)

    def size_after(self, yields: Sequence[Operand], place: Place) -> Size | Place:
        """What an iteration makes of the size at a place; the place itself where that is undefined."""
        k, axis = place
        if axis == NUMBER:
            return self.size(yields[k])
        shape = self.of(yields[k])
        return shape[axis] if shape else place

    def shape_alike(self, alike: Congruence, array: int, values: Sequence[Value]) -> Shape:
        """The shape of one of several arrays that a loop changes, in terms of what stands for sizes like its own."""
        places = alike.representatives(array)
        return tuple(self.named(values[k] if axis == NUMBER else (values[k], axis)) for k, axis in places)

    def note_difference(self, statement: Let) -> None:
        """Know `max(n - 2, 0)` as the size of a slice that leaves off two elements, and what is more than a size."""
        value, operands = statement.value, statement.operands
        if statement.function is np.add and is_integer(value.type) and isinstance(operands[1], Constant):
            if operands[1].value > 0:
                self.more[value] = (self.size(operands[0]), operands[1].value)
        elif statement.function is np.subtract and is_integer(value.type) and isinstance(operands[1], Constant):
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
            if statement.function is primitives.dim and not is_undefined(statement.operands[0]):
                array, axis = statement.operands
                self.sizes[value] = self.of(array)[axis.value]
            elif (
                statement.function is primitives.cast
                and value.type.dtype == statement.operands[0].type.dtype == "int64"
            ):
                self.sizes[value] = self.size(statement.operands[0])
            return
        if statement.function in _WRITES and isinstance(statement.operands[-1].type, Array):
            array, *path, written = statement.operands
            part = self.loaded(value, self.of(array), *path) if path else self.of(array)
            self.broadcast([part or (), self.of(written)])
        shape = self.shape_of(statement)
        if shape is None or len(shape) != value.type.ndim:
            self.own(value)
        else:
            sizes = ((value, axis) if size is None else size for axis, size in enumerate(shape))
            self.known[value] = tuple(map(self.named, sizes))

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
            return self.loaded(statement.value, self.of(operands[0]), operands[1])
        if function in CREATING or function is np.broadcast_to:
            sizes = operands[1] if function is np.broadcast_to else operands[0]
            sizes = sizes if isinstance(sizes, tuple) else (sizes,)
            return tuple(map(self.made_size, sizes))
        if function is np.transpose and len(operands) > 1:
            shape = self.of(operands[0])
            return tuple(shape[axis.value] for axis in operands[1])
        if is_elementwise(function):
            return self.result_of_broadcast(statement.value, [self.of(o) for o in operands if isinstance(o, Value)])
        special = SHAPES.get(function, reduced if record_of(function).is_reduction else None)
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

    def result_of_broadcast(self, value: Value, shapes: list[Shape], first: int = 0) -> Shape:
        """The sizes of an elementwise result, those of a value from its axis `first` on: of the same, the same."""
        self.broadcast(shapes)
        arrays = [shape for shape in shapes if shape]
        ndim = max(map(len, arrays), default=0)
        places = range(-ndim, 0)
        return tuple(
            self.size_of_broadcast((value, first + place + ndim), [s[place] for s in arrays if len(s) >= -place])
            for place in places
        )

    def size_of_broadcast(self, own: Size, sizes: list[Size]) -> Size:
        """The size that several sizes are broadcast to; the first of those that do not tell is known by its array."""
        distinct = list(dict.fromkeys(size for size in sizes if size != 1))
        number = next((size for size in distinct if isinstance(size, int)), None)
        if number is not None or len(distinct) < 2:
            return number if number is not None else (*distinct, 1)[0]
        parts = [self.met.get(size, frozenset((size,))) for size in distinct]
        met = frozenset().union(*parts)
        if met in parts:
            return distinct[parts.index(met)]
        size = own if self.broadcasts is None else self.broadcasts.setdefault(met, own)
        self.met[size] = met
        return size

    def loaded(self, value: Value, shape: Shape, path: tuple[Any, ...]) -> Shape | None:
        """The shape of a part of an array, indexed by arrays of integers perhaps."""
        *before, last = path or (None,)
        if not isinstance(last, Index) or not any(map(is_array, last.items)):
            return self.part(shape, path)
        whole = self.part(shape, tuple(before))
        arrays = [item for item in last.items if is_array(item)]
        if whole is None or any(array.type.dtype == "bool" for array in arrays):
            return None
        places = [k for k, item in enumerate(last.items) if is_array(item) or _is_integer(item)]
        plain = tuple(_WHOLE if k in places else item for k, item in enumerate(last.items))
        sizes = self.indexed(whole, plain)
        if sizes is None or Constant(Ellipsis) in plain:
            return None
        rest = [size for k, size in enumerate(sizes) if k not in places]
        first = places[0] if places[-1] - places[0] == len(places) - 1 else 0
        selected = self.result_of_broadcast(value, [self.of(last.items[k]) for k in places], first)
        return (*rest[:first], *selected, *rest[first:])

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
        if any(map(is_array, items)):
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


def is_array(item: Any) -> TypeGuard[Value]:
    return isinstance(item, Value) and isinstance(item.type, Array)


def _is_integer(item: Any) -> bool:
    return isinstance(item, Value) or (isinstance(item, Constant) and isinstance(item.value, int))

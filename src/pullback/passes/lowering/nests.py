"""Nests: a group of array statements becomes loops whose innermost body computes one element of each.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.lowering import lower
>>> def row_sums(x):
...     return np.sum(x * x, axis=1)
>>> function = lower(normal_form(row_sums, np.ones((2, 3))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def row_sums(x):
    sums = np.empty((x.shape[0],), dtype=np.float64)
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            x_i_j = x[i, j]
            total += x_i_j * x_i_j
        sums[i] = total
    return sums

So is a maximum or minimum:

>>> def row_maxima(x):
...     return np.max(x * x, axis=1)
>>> function = lower(normal_form(row_maxima, np.ones((2, 3))), "all")
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def row_maxima(x):
    if not x.shape[1] > 0:
        raise SizesDiffer()
    maxima = np.empty((x.shape[0],), dtype=np.float64)
    for i in range(x.shape[0]):
        largest = -np.inf
        for j in range(x.shape[1]):
            x_i_j = x[i, j]
            largest = greater_of(largest, x_i_j * x_i_j)
        maxima[i] = largest
    return maxima
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pullback.analysis.extents import extent, iterations
from pullback.analysis.progressions import Progression
from pullback.analysis.shape_rules import reduced_axes
from pullback.analysis.slice_sizes import ndim_of
from pullback.errors import Location
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, Constant, For, Index, Let, Operand, Statement, Step, Value
from pullback.ir.types import INT, Array, Scalar, is_integer
from pullback.passes.lowering.groups import (
    EXTREMA,
    Group,
    converts_integers,
    element_function,
    index_arrays,
    is_extremum,
    is_gather,
    is_inner_product,
    is_map,
    is_scatter,
    is_store,
)
from pullback.passes.lowering.sizes import Sizes
from pullback.passes.lowering.views import Indices, element_of

Views = dict[Value, tuple[Value, tuple[Step, ...]]]
NAMES = "ijklmnop"


@dataclass(slots=True)
class _Carrier:
    """What a nest carries for a member: an array that it writes, a sum, or an extremum.

    inner: how many of the outer loops carry an array of sums or extrema, each a number in the loops in them.
    """

    member: Let
    initial: Operand
    result: Value
    version: Operand
    inner: int | None = None


def _carrier(member: Let, initial: Operand, result: Value, inner: int | None = None) -> _Carrier:
    return _Carrier(member, initial, result, initial, inner)


class Nest:
    """The loops of one group; `needed` are the arrays of the group that are read elsewhere.

    progressions: the arrays whose elements indices give.
    """

    def __init__(
        self,
        group: Group,
        needed: set[Value],
        views: Views,
        sizes: Sizes,
        progressions: Mapping[Value, Progression],
    ) -> None:
        self.group, self.needed, self.views, self.sizes = group, needed, views, sizes
        self.progressions = progressions
        self.builder = Builder()
        self.elements: dict[Value, Operand] = {}
        self.carriers: dict[Value, _Carrier] = {}
        self.after: list[Let] = []

    def statements(self) -> list[Statement]:
        """What allocates, the loops, and what follows from their sums."""
        location = self.group.members[0].location
        with self.builder.at(location):
            extents = [iterations(size, self.builder) for size in self.group.space]
            for member in self.group.members:
                self.prepare(member)
            carriers = self.different_carriers()
            initials = tuple(c.initial for c in carriers)
            self.loop(extents, (), initials, tuple(c.result for c in carriers), location)
        return [*self.builder.statements, *self.after]

    # Before the loops

    def prepare(self, member: Let) -> None:
        """The array that a member writes, or the number that its sum starts from."""
        value = member.value
        with self.builder.at(member.location):
            if is_store(member) and member.operands[0] in self.carriers:
                self.carriers[value] = self.carriers[member.operands[0]]
                self.carriers[value].result = value
            elif is_store(member):
                self.carriers[value] = _carrier(member, member.operands[0], value)
            elif is_map(member) or is_gather(member):
                if value in self.needed:
                    self.carriers[value] = _carrier(member, self.allocated(np.empty, value), value)
            elif isinstance(value.type, Array):
                self.carriers[value] = self.reduction(member)
            elif is_extremum(member):
                self.carriers[value] = _carrier(member, start_of(member), value)
            else:
                self.carriers[value] = self.summed(member)

    def different_carriers(self) -> list[_Carrier]:
        """Each carrier once: several members may write the same array."""
        return list({id(carrier): carrier for carrier in self.carriers.values()}.values())

    def allocated(self, function: Callable[..., object], value: Value, *number: Operand) -> Value:
        shape = tuple(extent(size, self.builder) for size in self.sizes.shapes.of(value))
        dtype = Constant(value.type.dtype)
        return self.builder.let(function, shape, *number, dtype, keywords=("dtype",), name=value.name, type_=value.type)

    def summed(self, member: Let) -> _Carrier:
        """A sum of all elements; one of narrow floats is made in wide ones, as exact as NumPy's."""
        value = member.value
        if value.type.dtype != "float32":
            return _carrier(member, constant_of(0, value.type.dtype), value)
        wide = Value(value.name, Scalar("float64"))
        self.after.append(Let(value, primitives.cast, (wide, Constant("float32")), (), member.location))
        return _carrier(member, constant_of(0, "float64"), wide)

    def reduction(self, member: Let) -> _Carrier:
        """Sums or extrema: each a number in the loops over the last axes, where it goes over just these."""
        value = member.value
        ndim = len(self.group.space)
        axes, _ = self.reduced(member)
        inner = ndim - len(axes)
        if inner and axes and axes == set(range(inner, ndim)):
            return _carrier(member, self.allocated(np.empty, value), value, inner)
        if is_extremum(member):
            return _carrier(member, self.allocated(np.full, value, start_of(member)), value)
        return _carrier(member, self.allocated(np.zeros, value), value)

    # The loops

    def loop(
        self,
        extents: list[Operand],
        indices: Indices,
        initials: tuple[Operand, ...],
        results: tuple[Value, ...],
        location: Location,
    ) -> None:
        """Append the loop over the next axis."""
        index = Value(NAMES[len(indices)], INT)
        parameters = tuple(Value(r.name, r.type) for r in results)
        indices = (*indices, index)
        with self.builder.block() as statements:
            if len(extents) > 1:
                inner = self.inner_loop(extents[1:], indices, parameters, location)
            else:
                inner = self.iteration(indices, parameters)
        carried = tuple(Carried(p, i) for p, i in zip(parameters, initials, strict=True))
        body = Block(tuple(statements), inner)
        step = constant(1)
        self.builder.add(For(index, constant(0), extents[0], step, carried, body, results, location=location))

    def inner_loop(
        self, extents: list[Operand], indices: Indices, parameters: tuple[Value, ...], location: Location
    ) -> tuple[Operand, ...]:
        """Append the loop over the next axis, and stores of what it has found; returns what is carried after it."""
        carriers = self.different_carriers()
        numbers = [carrier.inner == len(indices) for carrier in carriers]
        types = [Scalar(p.type.dtype) if n else p.type for p, n in zip(parameters, numbers, strict=True)]
        results = tuple(Value(p.name, type_) for p, type_ in zip(parameters, types, strict=True))
        starts = [start_of(c.member) if n else p for c, p, n in zip(carriers, parameters, numbers, strict=True)]
        self.loop(extents, indices, tuple(starts), results, location)
        after: list[Operand] = list(results)
        for k, carrier in enumerate(carriers):
            if numbers[k]:
                carrier.version = parameters[k]
                with self.builder.at(carrier.member.location):
                    self.write(carrier, primitives.store, self.places(carrier.member, indices), results[k])
                after[k] = carrier.version
        return tuple(after)

    def iteration(self, indices: Indices, parameters: tuple[Value, ...]) -> tuple[Operand, ...]:
        """One element of each member; returns what the carried values become."""
        self.elements = {}
        carriers = self.different_carriers()
        for carrier, parameter in zip(carriers, parameters, strict=True):
            carrier.version = parameter
        for member in self.group.members:
            with self.builder.at(member.location):
                self.element_of_member(member, indices)
        return tuple(carrier.version for carrier in carriers)

    def element_of_member(self, member: Let, indices: Indices) -> None:
        carrier = self.carriers.get(member.value)
        if is_store(member):
            assert carrier is not None, "a store writes an array"
            array, path, value = member.operands
            if is_scatter(member):
                places = self.named_places(member, indices)
            else:
                places = element_of(self.builder, array, path, indices, self.sizes.shapes)
            self.write(carrier, member.function, places, self.element(value, indices))
        elif is_map(member) or is_gather(member):
            made = self.gathered(member, indices) if is_gather(member) else self.mapped(member, indices)
            self.elements[member.value] = made
            if carrier is not None:
                self.write(carrier, primitives.store, indices, made)
        else:
            assert carrier is not None, "a reduction is carried"
            if is_extremum(member):
                self.compare(carrier, indices)
            else:
                self.add(carrier, indices)

    def mapped(self, member: Let, indices: Indices) -> Value:
        converts = converts_integers(member)
        operands = tuple(self.element(operand, indices, as_float=converts) for operand in member.operands)
        type_, function = Scalar(member.value.type.dtype), element_function(member)
        return self.builder.let(function, *operands, name=member.value.name, type_=type_, by=member.by)

    def gathered(self, member: Let, indices: Indices) -> Value:
        path = (Index(self.named_places(member, indices)),)
        return self.builder.let(primitives.load, member.operands[0], path, name=member.value.name)

    def named_places(self, member: Let, indices: Indices) -> Indices:
        """The indices in an array of an element at the places that arrays of indices name."""
        first, arrays = index_arrays(member.operands[1])
        after = first + ndim_of(arrays[0])
        places = tuple(self.element(array, indices[first:after]) for array in arrays)
        return (*indices[:first], *places, *indices[after:])

    def add(self, carrier: _Carrier, indices: Indices) -> None:
        """Add an element to its sum."""
        dtype = carrier.result.type.dtype
        element, *factor = (self.element(operand, indices) for operand in _summed(carrier.member))
        if factor:
            element = self.builder.let(np.multiply, element, *factor)
        if element.type.dtype != dtype:
            element = self.builder.cast(element, dtype)
        if isinstance(carrier.version.type, Scalar):
            name, type_ = carrier.result.name, Scalar(dtype)
            carrier.version = self.builder.let(np.add, carrier.version, element, name=name, type_=type_)
            return
        self.write(carrier, primitives.add_at, self.places(carrier.member, indices), element)

    def compare(self, carrier: _Carrier, indices: Indices) -> None:
        """Take an element in where it exceeds the maximum of those before, or is below their minimum."""
        function, _ = EXTREMA[carrier.member.function]
        element = self.element(carrier.member.operands[0], indices)
        name, type_ = carrier.result.name, Scalar(carrier.result.type.dtype)
        if isinstance(carrier.version.type, Scalar):
            carrier.version = self.builder.let(function, carrier.version, element, name=name, type_=type_)
            return
        places = self.places(carrier.member, indices)
        before = self.builder.let(primitives.load, carrier.version, (Index(places),))
        extremum = self.builder.let(function, before, element, name=name, type_=type_)
        self.write(carrier, primitives.store, places, extremum)

    def reduced(self, member: Let) -> tuple[frozenset[int], bool]:
        """The axes of a reduction, and whether they are kept."""
        reduced = reduced_axes(member, len(self.group.space))
        assert reduced is not None, "the axes of a reduction are known"
        return reduced

    def places(self, member: Let, indices: Indices) -> Indices:
        """The indices in the result of a reduction for an element, whose last indices may be left out."""
        axes, keepdims = self.reduced(member)
        zero = [constant(0)] if keepdims else []
        ndim = len(self.group.space)
        places = [zero if axis in axes else [indices[axis]] for axis in range(ndim)]
        return tuple(item for items in places for item in items)

    def write(self, carrier: _Carrier, function: Callable[..., object], places: Indices, element: Operand) -> None:
        name = carrier.result.name
        carrier.version = self.builder.let(function, carrier.version, (Index(places),), element, name=name)

    def element(self, operand: Operand, indices: Indices, as_float: bool = False) -> Operand:
        """The element of an operand for an iteration; the operand itself if it is a number."""
        if not isinstance(operand, Value) or not isinstance(operand.type, Array):
            return operand
        if operand not in self.elements:
            self.elements[operand] = self.loaded(operand, indices)
        found = self.elements[operand]
        return self.builder.cast(found, "float64") if as_float and is_integer(operand.type) else found

    def loaded(self, operand: Value, indices: Indices) -> Operand:
        shape = self.sizes.shapes.of(operand)
        lead = len(indices) - len(shape)
        places = tuple(constant(0) if size == 1 else index for size, index in zip(shape, indices[lead:], strict=True))
        array, path = self.views.get(operand, (operand, ()))
        places = element_of(self.builder, array, path, places, self.sizes.shapes)
        if array in self.progressions:
            return self.counted(array, *places)
        current = next((c.version for c in self.carriers.values() if c.initial is array), array)
        return self.builder.let(primitives.load, current, (Index(places),))

    def counted(self, array: Value, index: Operand) -> Operand:
        """The element of a progression at an index."""
        numbers, dtype = self.progressions[array], array.type.dtype
        start, step = numbers.start, constant_of(numbers.step, dtype)
        index = self.builder.cast(index, dtype) if dtype != "int64" else index
        moved = index if numbers.step == 1 else self.builder.let(np.multiply, step, index)
        if start == constant(0):
            return moved
        return self.builder.let(np.add, self.builder.cast(start, dtype) if dtype != "int64" else start, moved)


def _summed(member: Let) -> tuple[Operand, ...]:
    """The array that a sum is of; both factors of the products that it is of."""
    return member.operands if is_inner_product(member) else member.operands[:1]


def start_of(member: Let) -> Constant:
    """What a sum starts from, or an extremum is compared with first."""
    dtype = member.value.type.dtype
    if not is_extremum(member):
        return constant_of(0, dtype)
    _, start = EXTREMA[member.function]
    return Constant(start, Scalar(dtype))


def constant_of(number: int, dtype: str) -> Constant:
    """A number of a dtype."""
    python = {"f": float, "c": complex}.get(dtype[0], int)
    return Constant(python(number), Scalar(dtype))

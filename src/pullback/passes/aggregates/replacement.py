"""Scalar replacement of aggregates: the elements of small arrays that iterations make are numbers of their own.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> def turned(angles):
...     v = np.array([1.0, 0.0])
...     for k in range(angles.shape[0]):
...         s, c = np.sin(angles[k]), np.cos(angles[k])
...         v = np.array([[c, -s], [s, c]]) @ v
...     return v[0]
>>> function = remove_dead(replace_aggregates(normal_form(turned, np.ones(3))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def turned(angles):
    v_0 = 1.0
    v_1 = 0.0
    for k in range(angles.shape[0]):
        s = np.sin(angles[k])
        c = np.cos(angles[k])
        v_0, v_1 = c * v_0 - s * v_1, s * v_0 + c * v_1
    return v_0

An array costs more than the arithmetic with its few elements: it is kept whole for the backward sweep, written and read
where numbers stay in registers, and a product of matrices is a call. Only arrays of at most nine elements are replaced,
in loops, where each access names its elements by constants. A function that knows only whole arrays is handed one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from pullback.analysis.shapes import Shapes
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    is_undefined,
    made_in_iterations,
    map_values,
    values_in,
    walk,
)
from pullback.ir.types import Array, Scalar
from pullback.passes.aggregates.access import is_constant
from pullback.passes.aggregates.arithmetic import signs_and_logarithms
from pullback.passes.aggregates.elements import Elements, named_part
from pullback.passes.aggregates.layouts import LAYOUTS
from pullback.passes.aggregates.rules import CREATING, elements_of, is_arithmetic
from pullback.passes.aggregates.unrolling import unrolled_over_elements

MOST_ELEMENTS = 9
"""So many elements an array may have: a matrix of three rows and columns."""

MOST_STATEMENTS = 500
"""So many statements a function may have then."""


def replace_aggregates(function: Function) -> Function:
    """The same function with the small arrays of its loops as numbers."""
    replacement = _Replacement(function)
    unrolled = unrolled_over_elements(
        function, lambda array: replacement.shape(array) is not None, lambda made: _Replacement(made).candidates
    )
    if unrolled is not function:
        return _replaced(unrolled, _Replacement(unrolled)) or _replaced(function, replacement) or function
    return _replaced(function, replacement) or function


def _replaced(function: Function, replacement: _Replacement) -> Function | None:
    """The function with elements for arrays; None where there are none, or it would be too long."""
    if not replacement.candidates:
        return None
    body = replacement.whole(function.body)
    is_short = sum(1 for _ in walk(body)) <= MOST_STATEMENTS
    return replace(function, body=body) if is_short and replacement.made else None


class _Replacement:
    """elements: those of the arrays that are replaced. arrays: whole ones, made of elements for whom asks for them.

    candidates: the arrays that may be replaced; made: whether an iteration computes with elements of one.
    """

    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.builder = Builder()
        self.elements: dict[Value, Elements] = {}
        self.arrays: dict[Value, Value] = {}
        self.terms: dict[Value, Operand] = {}
        self.made = False
        self.candidates = self.found_in(function)

    # Which arrays

    def shape(self, value: Operand) -> tuple[int, ...] | None:
        """The shape of a small array of floats or truth values."""
        if not isinstance(value, Value) or not isinstance(value.type, Array):
            return None
        if value.type.dtype not in ("float64", "bool"):
            return None
        sizes = self.shapes.of(value)
        known = tuple(size for size in sizes if isinstance(size, int))
        is_small = len(known) == len(sizes) <= 2 and 1 <= math.prod(known) <= MOST_ELEMENTS
        return known if is_small else None

    def found_in(self, function: Function) -> set[Value]:
        """The small arrays all of whose versions are accessed by constants alone, and are not the caller's.

        What meets a large array in the arithmetic of iterations stays an array, and so does what is computed of it, and
        what is a part of a larger one that they make, or becomes one: a loop goes over all of its parts then.
        """
        classes = _Classes([function.parameters[k] for k in function.mutated])
        for statement in walk(function.body):
            classes.take_in(statement)
        loops = [s for s in function.body.statements if isinstance(s, For | While)]
        inside = (s for loop in loops for block in blocks_of(loop) for s in walk(block))
        lets = [s for s in inside if isinstance(s, Let)]
        self.of_iterations = {v for loop in loops for v in made_in_iterations(loop)}
        while True:
            found = {value for value in self.made_in_loops(function.body) if not classes.is_refused(value)}
            meeting = (s for s in lets if self.computes(s) or (s.function in primitives.WRITES and s.value in found))
            refused = [value for statement in meeting for value in self.meeting(statement, found)]
            if not refused:
                return found
            classes.refused += refused

    def computes(self, statement: Let) -> bool:
        """Whether a statement computes with elements, arranges them, or takes a part of an array of known sizes."""
        if statement.function is primitives.load and isinstance(statement.value.type, Array):
            array = statement.operands[0]
            return array in self.of_iterations and all(isinstance(size, int) for size in self.shapes.of(array))
        return is_arithmetic(statement.function) or statement.function in LAYOUTS

    def meeting(self, statement: Let, candidates: set[Value]) -> list[Value]:
        """The candidates among what a statement reads and makes, if one is a large array or the run raises an error."""
        arrays = [v for v in (statement.value, *values_in(statement.operands)) if isinstance(v.type, Array)]
        small = [value for value in arrays if value in candidates]
        is_made_here = statement.value in candidates or not isinstance(statement.value.type, Array)
        shapes = [self.shape(value) for value in arrays]
        return [] if is_made_here and None not in shapes and self.fits(statement, shapes) else small

    def fits(self, statement: Let, shapes: Iterable[tuple[int, ...] | None]) -> bool:
        """Whether arrays of these shapes can be computed with element by element, if that is what a statement does."""
        if not is_elementwise(statement.function):
            return True
        try:
            np.broadcast_shapes(*(shape for shape in shapes if shape is not None))
        except ValueError:
            return False
        return True

    def made_in_loops(self, block: Block, inside: bool = False) -> Iterable[Value]:
        """The small arrays that iterations make or carry."""
        for statement in block.statements:
            values: tuple[Value, ...] = ()
            if isinstance(statement, Let) and (inside or statement.function in CREATING):
                values = (statement.value,)
            elif inside and isinstance(statement, If):
                values = statement.results
            elif isinstance(statement, For | While):
                values = (*(carried.parameter for carried in statement.carried), *statement.results)
            yield from (value for value in values if self.shape(value) is not None)
            for inner in blocks_of(statement):
                yield from self.made_in_loops(inner, inside or isinstance(statement, For | While))

    # Statements

    def whole(self, block: Block) -> Block:
        """A block of the function itself, which yields whole arrays."""
        with self.builder.block() as statements:
            for statement in block.statements:
                self.statement(statement)
            yields = self.operand(block.yields)
        return Block(tuple(statements), yields)

    def inner(self, block: Block, replaced: Iterable[bool]) -> Block:
        """A block of a loop or branch, which yields the elements of some of its arrays."""
        known, arrays = dict(self.elements), dict(self.arrays)
        with self.builder.block() as statements:
            for statement in block.statements:
                self.statement(statement)
            yields: list[Operand] = []
            for value, is_replaced in zip_longest(block.yields, replaced, fillvalue=False):
                yields += self.all_of(value) if is_replaced else [self.operand(value)]
        self.elements, self.arrays = known, arrays
        return Block(tuple(statements), tuple(yields))

    def statement(self, statement: Statement) -> None:
        self.builder.location = statement.location
        match statement:
            case Let():
                self.let(statement)
            case Effect():
                self.builder.add(replace(statement, operands=self.operand(statement.operands)))
            case Call():
                self.call(statement)
            case If():
                self.branch(statement)
            case For() | While():
                self.loop(statement)

    def let(self, statement: Let) -> None:
        """A statement, in terms of elements where it can be."""
        value = statement.value
        if statement.function is primitives.dim and statement.operands[0] in self.elements:
            self.terms[value] = constant(self.elements[statement.operands[0]].shape[statement.operands[1].value])
            return
        found = None
        if value in self.candidates or any(v in self.elements for v in values_in(statement.operands)):
            found = elements_of(self, statement)
        if found is None:
            self.builder.add(replace(statement, operands=self.operand(statement.operands)))
        elif isinstance(found, Elements):
            self.elements[value] = found
            self.made = self.made or statement.function is not primitives.load
            if statement.function is primitives.load and statement.operands[0] not in self.elements:
                self.builder.add(replace(statement, operands=self.operand(statement.operands)))
                self.arrays[value] = value
        else:
            self.terms[value] = found

    def call(self, call: Call) -> None:
        """A call of what returns several numbers, in terms of elements where it can be."""
        has_elements = any(v in self.elements for v in values_in(call.operands))
        found = signs_and_logarithms(self, call) if has_elements else None
        if found is None:
            self.builder.add(replace(call, operands=self.operand(call.operands)))
        else:
            self.made = True
            self.terms |= dict(zip(call.results, found, strict=True))

    def branch(self, branch: If) -> None:
        replaced = [result in self.candidates for result in branch.results]
        then, orelse = (self.inner(side, replaced) for side in (branch.then, branch.orelse))
        results = self.new_values(branch.results, replaced)
        condition = self.operand(branch.condition)
        self.builder.add(replace(branch, condition=condition, then=then, orelse=orelse, results=results))

    def loop(self, loop: For | While) -> None:
        replaced = [carried.parameter in self.candidates for carried in loop.carried]
        carried: list[Carried] = []
        for one, is_replaced in zip(loop.carried, replaced, strict=True):
            initials = self.all_of(one.initial) if is_replaced else [self.operand(one.initial)]
            parameters = self.new_values((one.parameter,), (is_replaced,))
            pairs = zip(parameters, initials, strict=True)
            private = one.private and not is_replaced
            carried += [Carried(parameter, initial, private) for parameter, initial in pairs]
        changed: dict[str, Any] = {"carried": tuple(carried)}
        if isinstance(loop, While):
            changed["condition"] = self.inner(loop.condition, [False] * len(loop.condition.yields))
        else:
            start, stop, step = (self.operand(bound) for bound in (loop.start, loop.stop, loop.step))
            changed.update(start=start, stop=stop, step=step)
        changed["body"] = self.inner(loop.body, replaced)
        results = self.new_values(loop.results, replaced)
        self.builder.add(replace(loop, results=results, **changed))

    def new_values(self, values: Iterable[Value], replaced: Iterable[bool]) -> tuple[Value, ...]:
        """The values themselves, or in place of an array one for each of its elements."""
        made: list[Value] = []
        for value, is_replaced in zip(values, replaced, strict=True):
            if is_replaced:
                shape = self.shape(value)
                assert shape is not None, "an array that is replaced has a known shape"
                names = [named_part(value, place) for place in np.ndindex(shape)]
                elements = tuple(Value(name, Scalar(value.type.dtype)) for name in names)
                self.elements[value] = Elements(shape, elements)
                made += elements
            else:
                made.append(value)
        return tuple(made)

    # Operands

    def operand(self, operand: Operand) -> Any:
        """An operand in terms of what there is now: whole arrays, and numbers."""
        return map_values(operand, self.whole_array)

    def whole_array(self, value: Value) -> Operand:
        if value not in self.elements:
            return self.terms.get(value, value)
        if value not in self.arrays:
            found = self.elements[value]
            made = partial(self.builder.let, name=value.name, type_=value.type)
            whole = made(np.array, _nested(found.table())) if found.shape else made(np.reshape, found.items[0], ())
            self.arrays[value] = whole
        return self.arrays[value]

    def all_of(self, value: Operand) -> list[Operand]:
        """The elements of a small array, which are loaded where it is whole."""
        found = self.parts(value)
        assert found is not None, "it is a small array"
        return list(found.items)

    def parts(self, value: Operand) -> Elements | None:
        """The elements of a small array, loaded where it is whole; None for another operand."""
        if isinstance(value, Value) and value in self.elements:
            return self.elements[value]
        shape = self.shape(value)
        if shape is None:
            return None
        places = [Index(tuple(map(constant, place))) for place in np.ndindex(shape)]
        array = self.operand(value)
        items = [self.builder.let(primitives.load, array, (place,)) for place in places]
        return Elements(shape, tuple(items))


def _nested(items: Any) -> Any:
    return tuple(map(_nested, items)) if isinstance(items, np.ndarray) else items


class _Classes:
    """Versions of arrays that are one array in memory, or may be, and which of these classes are refused."""

    def __init__(self, refused: Iterable[Value]) -> None:
        self.parent: dict[Value, Value] = {}
        self.refused = list(refused)

    def root(self, value: Value) -> Value:
        while value in self.parent:
            value = self.parent[value]
        return value

    def is_refused(self, value: Value) -> bool:
        root = self.root(value)
        return any(self.root(other) is root for other in self.refused)

    def take_in(self, statement: Statement) -> None:
        """Take in a statement: which versions it joins, and whether it reaches for an element that the run chooses."""
        match statement:
            case Let(operands=(Value() as array, path, *_)) if statement.function in primitives.ACCESSES:
                if statement.function is not primitives.load:
                    self.join_all(statement.value, [array])
                if not is_constant(path):
                    self.refused.append(array)
            case If(then=then, orelse=orelse):
                for result, *sides in zip(statement.results, then.yields, orelse.yields, strict=True):
                    self.join_all(result, sides)
            case For() | While():
                handed = zip(statement.carried, statement.results, statement.body.yields, strict=False)
                for carried, result, after in handed:
                    self.join_all(carried.parameter, (result, carried.initial, after))

    def join_all(self, value: Value, others: Iterable[Operand]) -> None:
        """Make one class of what one variable may be; a variable without a value somewhere is refused."""
        for other in others:
            if is_undefined(other):
                self.refused.append(value)
            elif isinstance(other, Value) and self.root(value) is not self.root(other):
                self.parent[self.root(value)] = self.root(other)

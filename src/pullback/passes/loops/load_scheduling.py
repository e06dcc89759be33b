"""Load scheduling: an iteration reads its elements before branches and stores, so that it can be vectorised.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def differences(x, y):
...     for i in range(y.shape[0]):
...         left = x[i + 1] - x[i]
...         if left < 0.0:
...             left = 0.5 * left * left
...         y[i] = left * (x[i + 2] - x[i + 1])
>>> function = prepared(normal_form(differences, np.ones(5), np.ones(3)))
>>> text = emit_module([schedule_loads(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def differences(x, y):
    for i in range(y.shape[0]):
        x_next = x[i + 1]
        y_element = x[i + 2]
        left = x_next - x[i]
        if left < 0.0:
            left = 0.5 * left * left
        y[i] = left * (y_element - x_next)

LLVM hands an element that is read again in the next iteration on in a register. It can vectorise such a recurrence if
all uses of the element stand behind the load of the next one or can be moved there, but it moves nothing past a branch,
and no store. So the loads of an iteration also move before what it stores between those of one element and the next.
The order of loads matters to nobody else: an array that an iteration has written has another name from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form
from pullback.analysis.straight_loops import is_straight
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    read_by,
    results_of,
    values_in,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import INT


def schedule_loads(function: Function) -> Function:
    """The same function with such loads first in the iterations of its innermost loops."""
    callees = tuple(map(schedule_loads, function.callees))
    return replace(function, body=_block(function.body), callees=callees)


def _block(block: Block) -> Block:
    return Block(tuple(map(_statement, block.statements)), block.yields)


def _statement(statement: Statement) -> Statement:
    if isinstance(statement, For) and is_straight(statement):
        return replace(statement, body=_loads_first(statement))
    return with_blocks(statement, _block)


def _loads_first(loop: For) -> Block:
    """The body of a loop, with all loads that can stand there before the rest, if that serves one of them."""
    loads: list[Let] = []
    rest: list[Statement] = []
    made: set[Value] = set()
    is_behind = False
    for statement in loop.body.statements:
        if isinstance(statement, Let) and _is_load_or_index(statement) and made.isdisjoint(read_by(statement)):
            loads.append(statement)
            is_behind |= statement.function is primitives.load and any(isinstance(s, If) for s in rest)
        else:
            rest.append(statement)
            made.update(results_of(statement))
    iteration = _Iteration(loop)
    behind_stores = [load for load in iteration.behind_stores() if load in loads]
    if not is_behind and not behind_stores:
        return loop.body
    terms = {load.value: _named(load) for load in behind_stores if iteration.is_inlined(load)}
    first = [replace(load, value=terms.get(load.value, load.value)) for load in loads]
    return substituted(Block((*first, *rest), loop.body.yields), terms)


def _named(load: Let) -> Value:
    """An element under a name, so that the text does not write the load where it is used."""
    name, of = load.operands[0].of_it("_element")
    return Value(name, load.value.type, of)


def _is_load_or_index(statement: Let) -> bool:
    if statement.function is primitives.load:
        return is_scalar(statement.value)
    return statement.function in (np.add, np.subtract) and statement.value.type == INT


class _Iteration:
    """What the statements of an iteration read, and where the text has them."""

    def __init__(self, loop: For) -> None:
        self.loop, self.statements, self.ranges = loop, loop.body.statements, Ranges(Shapes())
        self.readers: dict[Value, list[int]] = {}
        for number, statement in enumerate(self.statements):
            if isinstance(statement, Let):
                self.ranges.note(statement)
            for value in read_by(statement):
                self.readers.setdefault(value, []).append(number)
        for value in values_in(loop.body.yields):
            self.readers.setdefault(value, []).append(len(self.statements))

    def behind_stores(self) -> Iterator[Let]:
        """The loads behind a store of what follows from the element that the iteration before has loaded so."""
        loads = [(k, s) for k, s in enumerate(self.statements) if isinstance(s, Let) and s.function is primitives.load]
        for number, load in loads:
            before = [earlier for _, earlier in loads if self.is_next(load, earlier)]
            if any(self.first_store(earlier.value) < self.place(number) for earlier in before):
                yield load

    def is_next(self, load: Let, earlier: Let) -> bool:
        """Whether the next iteration reads by `earlier` the element that this one reads by `load`."""
        if load.operands[0] is not earlier.operands[0] or not isinstance(self.loop.step, Constant):
            return False
        by = int(self.loop.step.value) * (-1 if self.loop.reverse else 1)
        here, before = self.forms(load), self.forms(earlier)
        return here != before and here == [form.moved(form.of(self.loop.index) * by) for form in before]

    def forms(self, load: Let) -> list[Form]:
        """The indices of a load as linear forms; none if they are not all integers."""
        path = load.operands[1]
        items: tuple[Operand, ...] = getattr(path[0], "items", ()) if len(path) == 1 else ()
        is_element = all(map(is_scalar, items)) and len(items) == load.operands[0].type.ndim
        return [self.ranges.form(item) for item in items] if is_element else []

    def first_store(self, element: Value) -> int:
        """The number of the first statement that stores what follows from an element, or how many there are."""
        following = {element}
        for number, statement in enumerate(self.statements):
            if not following.isdisjoint(read_by(statement)):
                if isinstance(statement, Let) and statement.function in (primitives.store, primitives.add_at):
                    return number
                following.update(results_of(statement))
        return len(self.statements)

    def place(self, number: int) -> int:
        """The number of the statement whose text has a statement in it."""
        while number < len(self.statements) and self.is_inlined(statement := self.statements[number]):
            (number,) = self.readers[statement.value]
        return number

    def is_inlined(self, statement: Statement) -> TypeGuard[Let]:
        """Whether the text may have a number without a name in the only statement that reads it."""
        if not isinstance(statement, Let) or not is_scalar(statement.value) or statement.value.name:
            return False
        return len(self.readers.get(statement.value, ())) == 1

"""Numbers that a branch leaves undefined on one side, and that selections in place of later branches would read.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     if x > 0.0:
...         root = x**0.5
...     if x > 1.0:
...         return 0.5 / root
...     return x
>>> function = prepared(normal_form(f, 1.0))
>>> sides = UndefinedSides(function)
>>> sides.note(function.body.statements[-1])
>>> text = emit_module([replace(function, body=sides.given(function.body))], compiled=False, comments=False)
>>> print(text[text.index("    if") :], end="")
    if x_is_positive:
        root = x ** 0.5
    else:
        root = 1.0
    if x > 1.0:
        if not x_is_positive:
            raise UnboundLocalError("cannot access local variable 'root' where it is not associated with a value")
        x = 0.5 / root
    return x
"""

from __future__ import annotations

from dataclasses import replace

from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.ir.nodes import Block, Constant, Function, If, Operand, Statement, Value, is_undefined, read_in, walk
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Type


class UndefinedSides:
    """Which values of a function have no number on some path; `read` are those that need one."""

    def __init__(self, function: Function) -> None:
        self.values = maybe_undefined(function.body)
        self.yields: dict[Value, tuple[Operand, Operand]] = {}
        self.read: set[Value] = set()
        for branch in (s for s in walk(function.body) if isinstance(s, If)):
            self.yields |= {r: (branch.then.yields[k], branch.orelse.yields[k]) for k, r in enumerate(branch.results)}

    def may_be_read(self, branch: If) -> bool:
        """Whether all that both sides of a branch read has a number, or can be given one."""
        found = self.values.intersection(value for side in (branch.then, branch.orelse) for value in read_in(side))
        return all(map(self.can_be_given, found))

    def can_be_given(self, value: Value) -> bool:
        """Whether only sides of branches leave a value undefined."""
        yields = self.yields.get(value, ())
        return bool(yields) and all(
            y not in self.values or self.can_be_given(y) for y in yields if isinstance(y, Value)
        )

    def note(self, branch: If) -> None:
        """Note that both sides of a branch are computed, whatever its condition is."""
        waiting = [value for side in (branch.then, branch.orelse) for value in read_in(side)]
        while waiting:
            value = waiting.pop()
            if value in self.values and value not in self.read:
                self.read.add(value)
                waiting += [y for y in self.yields[value] if isinstance(y, Value)]

    def given(self, block: Block) -> Block:
        """The block with a number, one, in place of what is undefined of values that are read."""
        return Block(tuple(map(self._statement, block.statements)), block.yields) if self.read else block

    def _statement(self, statement: Statement) -> Statement:
        made = with_blocks(statement, self.given)
        if not isinstance(made, If):
            return made
        places = [k for k, result in enumerate(made.results) if result in self.read]
        then, orelse = (_with_ones(side, places) for side in (made.then, made.orelse))
        return replace(made, then=then, orelse=orelse)


def _with_ones(block: Block, places: list[int]) -> Block:
    yields = list(block.yields)
    for k in places:
        if is_undefined(yields[k]):
            yields[k] = _one(yields[k].type)
    return Block(block.statements, tuple(yields))


def _one(type_: Type) -> Constant:
    kinds = {"bool": True, "float64": 1.0, "float32": 1.0}
    return Constant(kinds.get(type_.dtype, 1), type_)

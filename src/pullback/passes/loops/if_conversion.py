"""If-conversion: a branch that only chooses between numbers computes both, and selects.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.transform.derivative import prepared
>>> def upwind(now, velocity, after):
...     for i in range(now.shape[0] - 1):
...         here, ahead = now[i], now[i + 1]
...         if velocity[i] > 0:
...             flux = velocity[i] * here
...         else:
...             flux = velocity[i] * ahead
...         after[i] = flux
>>> function = prepared(normal_form(upwind, np.ones(4), np.ones(3), np.zeros(3)))
>>> text = emit_module([remove_dead(convert_branches(function))], compiled=True, comments=False)
>>> print(text[text.index("    for") :], end="")
    for i in range(now.shape[0] - 1):
        here = now[i]
        ahead = now[i + 1]
        velocity_i = velocity[i]
        flux = velocity_i * select(velocity_i > 0, here, ahead)
        after[i] = flux

What both sides compute is computed once, and where they do the same with different numbers, it is done with the number
that is chosen (tail merging). So LLVM vectorises loops that it would otherwise leave as they are: it moves what only
one side reads into that side, loads included, and then has different addresses to choose from.

Converted are branches of innermost loops whose iterations wait for each other in nothing but sums, and in which little
is computed that a branch would save: no exponential, say, unless the other side is that of two equal floats, which are
rare (Ball & Larus 1993, Branch prediction for free).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.straight_loops import may_be_vectorised, work_of
from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, For, Function, If, Let, Operand, Statement, Value, is_scalar, lets_in, walk
from pullback.ir.rewrite import renamed, substituted, with_blocks
from pullback.ir.types import Scalar
from pullback.passes.loops.likely_branches import likely_side
from pullback.passes.loops.speculation import CHEAP
from pullback.passes.loops.undefined_sides import UndefinedSides

MOST_WORK = 16
"""So many operations the two sides may have together."""

MOST_LIKELY_WORK = 80
"""So many operations the side may have that is taken where two floats differ."""

_SAFE = (CHEAP | {runtime.select, np.sign}) - {primitives.load, np.true_divide, np.sqrt}
"""What a side may do that is not taken, by Python's rules as well: where Numba is off, a division by 0 raises."""

_COMMUTING = {np.add, np.multiply}


def convert_branches(function: Function) -> Function:
    """The same function with selections in place of such branches."""
    return _with_selections(function, only_likely=False)


def convert_likely_branches(function: Function) -> Function:
    """The same function with selections in place of branches that ask whether two floats are equal."""
    return _with_selections(function, only_likely=True)


def _with_selections(function: Function, only_likely: bool) -> Function:
    callees = tuple(_with_selections(callee, only_likely) for callee in function.callees)
    undefined = UndefinedSides(function)
    body = undefined.given(_Loops(undefined, only_likely).block(function.body))
    return replace(function, body=body, callees=callees)


class _Loops:
    """The innermost loops of a function."""

    def __init__(self, undefined: UndefinedSides, only_likely: bool) -> None:
        self.undefined, self.only_likely = undefined, only_likely

    def block(self, block: Block) -> Block:
        return Block(tuple(map(self.statement, block.statements)), block.yields)

    def statement(self, statement: Statement) -> Statement:
        if isinstance(statement, For) and may_be_vectorised(statement):
            return replace(statement, body=self.iteration(statement.body, lets_in(statement.body), self.only_likely))
        return with_blocks(statement, self.block)

    def iteration(self, block: Block, lets: Mapping[Value, Let], only_likely: bool) -> Block:
        """A block of an iteration without the branches that can be converted, inner ones first."""
        made: list[Statement] = []
        terms: dict[Value, Operand] = {}
        for statement in block.statements:
            is_left = only_likely and (not isinstance(statement, If) or likely_side(statement, lets) is None)
            read = with_blocks(substituted(statement, terms), partial(self.iteration, lets=lets, only_likely=is_left))
            if isinstance(read, If) and not is_left and self.is_converted(read, lets):
                self.undefined.note(read)
                terms |= _Conversion(read, made).terms()
            else:
                made.append(read)
        return Block(tuple(made), renamed(block.yields, terms))

    def is_converted(self, branch: If, lets: Mapping[Value, Let]) -> bool:
        return _is_choice(branch) and _pays(branch, lets) and self.undefined.may_be_read(branch)


def _is_choice(branch: If) -> bool:
    """Whether a branch does nothing but choose between numbers."""
    if not all(isinstance(s, Let) and _is_safe(s) for s in (*walk(branch.then), *walk(branch.orelse))):
        return False
    chosen = zip(branch.results, branch.then.yields, branch.orelse.yields, strict=True)
    return all(is_scalar(r) and r.type == a.type == b.type for r, a, b in chosen)


def _is_safe(statement: Let) -> bool:
    """Whether a statement computes a number, and may do so in a branch that is not taken."""
    is_vector = isinstance(statement.function, np.ufunc) and record_of(statement.function).vector is True
    divides = statement.function is np.true_divide and any(o.type == Scalar("float64") for o in statement.operands)
    return is_scalar(statement.value) and (statement.function in _SAFE or is_vector or divides)


def _pays(branch: If, lets: Mapping[Value, Let]) -> bool:
    """Whether the work that a branch saves is little, or saved seldom."""
    then, orelse = work_of(branch.then.statements), work_of(branch.orelse.statements)
    likely = likely_side(branch, lets)
    if likely is None:
        return then + orelse <= MOST_WORK
    return (then if likely is branch.orelse else orelse) <= MOST_WORK and work_of(likely.statements) <= MOST_LIKELY_WORK


class _Conversion:
    """One branch; its statements go to `out`."""

    def __init__(self, branch: If, out: list[Statement]) -> None:
        self.branch, self.out = branch, out
        self.builder = Builder()
        self.lets: dict[Value, Let] = {}
        self.known: dict[Any, Value] = {}
        self.selected: dict[tuple[Operand, Operand], Operand] = {}

    def terms(self) -> dict[Value, Operand]:
        """What the results are, behind the statements of both sides."""
        with self.builder.into(self.out), self.builder.at(self.branch.location):
            then, orelse = map(self.side, (self.branch.then, self.branch.orelse))
            results = zip(self.branch.results, then, orelse, strict=True)
            return {result: self.choice(a, b, result.name) for result, a, b in results}

    def side(self, block: Block) -> tuple[Operand, ...]:
        """Compute what one side does, as far as the other one has not; returns what the side yields."""
        terms: dict[Value, Operand] = {}
        for statement in block.statements:
            assert isinstance(statement, Let), "a choice computes numbers"
            let = replace(statement, operands=renamed(statement.operands, terms))
            key = (let.function, let.operands, let.keywords, let.value.type)
            if key in self.known:
                terms[let.value] = self.known[key]
            else:
                self.known[key] = let.value
                self.lets[let.value] = let
                self.out.append(let)
        yields: tuple[Operand, ...] = renamed(block.yields, terms)
        return yields

    def choice(self, a: Operand, b: Operand, name: str = "") -> Operand:
        """The number of the side that is taken: one of two, or what the sides do with one of two."""
        if a == b:
            return a
        if (a, b) not in self.selected:
            parts = self.shared(a, b)
            if parts is None:
                select = runtime.select if a.type.dtype == b.type.dtype == "float64" else primitives.select
                made = self.builder.let(select, self.branch.condition, a, b, name=name, type_=a.type)
            else:
                let, k, x, y = parts
                operands = (*let.operands[:k], self.choice(x, y), *let.operands[k + 1 :])
                made = self.builder.let(let.function, *operands, name=name or let.value.name, type_=a.type)
            self.selected[a, b] = made
        return self.selected[a, b]

    def shared(self, a: Operand, b: Operand) -> tuple[Let, int, Operand, Operand] | None:
        """The operation that both numbers come from, if it has one operand that differs, with its place and both."""
        first, second = self.let_of(a), self.let_of(b)
        if first is None or second is None or (first.function, first.keywords) != (second.function, second.keywords):
            return None
        others = second.operands
        if first.function in _COMMUTING and first.operands[0] != others[0] and first.operands[1] != others[1]:
            others = others[::-1]
        places = [k for k, (x, y) in enumerate(zip(first.operands, others, strict=True)) if x != y]
        if len(places) != 1:
            return None
        x, y = first.operands[places[0]], others[places[0]]
        return (first, places[0], x, y) if x.type == y.type else None

    def let_of(self, operand: Operand) -> Let | None:
        return self.lets.get(operand) if isinstance(operand, Value) else None

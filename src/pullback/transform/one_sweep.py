"""One sweep: a loop that only adds to what it carries is differentiated iteration by iteration, and keeps nothing.

for i in range(n):                             for i in range(n):
    total += f(x[i])                               total += f(x[i])
…                                      →           x_bar[i] += df(x[i])
for i in range(n - 1, -1, -1):
    x_bar[i] += df(x[i])

>>> import pullback as pb
>>> def f(x):
...     total = 0.0
...     for i in range(x.shape[0]):
...         total += np.sin(x[i])
...     return total
>>> print(pb.explain(f, np.ones(3), passes=["both_sweeps"]))
differentiation: both_sweeps
  ...
  -f(x: float64[:]):
  +f_value_and_grad(x: float64[:]):
       t.0: int64* = dim(x, 0)
  -    total.2 = for i in range(0, t.0, 1) with (total: float64 = 0.0):
  +    x_bar: float64[:] = zeros_like(x)
  +    total.2, x_bar.3 = for i in range(0, t.0, 1) with (total: float64 = 0.0, x_bar.1: float64[:] = x_bar):
           t.1: float64 = load(x, ([i]))
  ...
           total.1: float64 = add(total, t.2)
  -        yield total.1
  -    return total.2
  +        t.3: float64 = cos(t.1)
  +        x_bar.2: float64[:] = add_at(x_bar.1, ([i]), t.3)
  +        yield total.1, x_bar.2
  +    return total.2, x_bar.3

This may be done where no cotangent flows from one iteration to another, except into sums, and where all that the
backward iterations read from outside is known before the forward ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from pullback.analysis.reductions import first_summed, only_adds, summed_operand
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    defined_in,
    has_effects,
    is_scalar,
    made_in_iterations,
    operands_of,
    read_in,
    results_of,
    values_in,
)
from pullback.ir.rewrite import like, substituted, without
from pullback.transform.reverse.sweep import Sweep

Loop = For | While
Start = tuple[Operand, tuple[Value, ...]]  # where a sum begins, and the values of the additions after that
Merge = Callable[[Block, Sweep, tuple[Operand, ...]], tuple[list[Statement], Block]]

_FALLIBLE = {np.true_divide, np.floor_divide, np.remainder, np.power, np.float_power}
"""What raises an error for some of Python's numbers."""


def in_one_sweep(
    body: Block, sweep: Sweep, results: tuple[Operand, ...], merge: Merge
) -> tuple[Block, tuple[Operand, ...]]:
    """The forward block with the backward iterations of such loops moved into them, and the results in terms of it.

    What moved leaves `sweep.statements`. `merge` makes one block of a loop's forward body and its backward sweep.
    """
    mover = _Mover(body, sweep, results, merge)
    for statement in body.statements:
        if isinstance(statement, For | While):
            mover.try_to_move(statement)
    return mover.block(), mover.results


class _Mover:
    def __init__(self, body: Block, sweep: Sweep, results: tuple[Operand, ...], merge: Merge) -> None:
        self.body, self.sweep, self.results, self.merge = body, sweep, results, merge
        self.order: dict[Value, int] = {}
        for k, statement in enumerate(body.statements):
            self.order.update(dict.fromkeys(results_of(statement), k))
        self.before: dict[int, list[Statement]] = {}
        self.replaced: dict[int, Statement] = {}
        self.moved: set[int] = set()
        self.effects = [k for k, s in enumerate(body.statements) if _has_effects(s)]

    def block(self) -> Block:
        """The forward block after all moves."""
        statements: list[Statement] = []
        for k, statement in enumerate(self.body.statements):
            statements += self.before.get(k, [])
            if id(statement) not in self.moved:
                statements.append(self.replaced.get(k, statement))
        return Block(tuple(statements), self.body.yields)

    def try_to_move(self, forward: Loop) -> None:
        backward = next((s for s in self.sweep.statements if self.sweep.mirror_of(s) is forward), None)
        if not isinstance(backward, For) or _has_effects(backward) or not only_adds(backward):
            return
        place = next(k for k, s in enumerate(self.body.statements) if s is forward)
        needed = self.needed_before(_read_outside(forward, backward), place)
        if needed is None:
            return
        starts: list[Start] = []
        for item in backward.carried:
            start = self.start(item.initial, place)
            if start is None:
                return
            starts.append(start)
            needed |= self.needed_before(values_in(start[0]), place) or set()
        self.move(forward, backward, starts, needed, place)

    # What must come before

    def needed_before(self, values: Iterable[Value], place: int) -> set[int] | None:
        """The statements behind the loop at `place` that give these values, if they can run before it."""
        made = {v: s for s in self.sweep.statements for v in results_of(s)}
        needed: set[int] = set()
        open_ = [*values]
        while open_:
            value = open_.pop()
            statement = made.get(value)
            if self.order.get(value, -1) >= place:
                statement = self.body.statements[self.order[value]]
                if not _is_arithmetic(statement):
                    return None
            if statement is not None and (not isinstance(statement, Let) or self.comes_too_early(statement, place)):
                return None
            if statement is not None and id(statement) not in needed:
                needed.add(id(statement))
                open_ += values_in(operands_of(statement))
        return needed

    def comes_too_early(self, statement: Let, place: int) -> bool:
        """Whether a statement would raise an error at `place` where the function prints or raises another one first."""
        fallible = statement.function in _FALLIBLE and not isinstance(statement.operands[1], Constant)
        return fallible and any(k >= place for k in self.effects)

    def start(self, value: Operand, place: int) -> Start | None:
        """Where a sum can start: the beginning of the chain of additions that leads to a value, and that chain.

        The chain holds the values after the beginning; None where there is no such beginning.
        """
        initial = value
        made = {v: s for s in self.sweep.statements for v in results_of(s)}
        uses = Counter(read_in(Block(tuple(self.sweep.statements))))
        chain: list[Value] = []
        own_uses = 1  # by what adds to it, both sides of a branch perhaps
        while self.needed_before(values_in(initial), place) is None:
            statement = made.get(initial)
            before = summed_operand(statement, initial) if statement is not None else None
            if before is None and isinstance(statement, If) and self.make_zeros_first(statement, initial):
                return self.start(value, place)
            if statement is None or before is None or uses[initial] != own_uses:
                return None
            chain.append(initial)
            initial = before
            own_uses = Counter(read_in(Block((statement,))))[initial] if isinstance(statement, If) else 1
        return initial, tuple(reversed(chain))

    def make_zeros_first(self, branches: If, result: Operand) -> bool:
        """Make the zeros that both sides of a branch make, and add to, before it; whether they do."""
        k = branches.results.index(result)
        sides = branches.then, branches.orelse
        first = [_zeros_in(side, first_summed(side, side.yields[k])) for side in sides]
        if first[0] is None or first[1] is None or first[0].operands != first[1].operands:
            return False
        zeros = like(first[0].value)
        terms: dict[Value, Operand] = {each.value: zeros for each in first if each is not None}
        made = replace(branches, then=without(branches.then, terms), orelse=without(branches.orelse, terms))
        place = next(k for k, s in enumerate(self.sweep.statements) if s is branches)
        self.sweep.statements[place : place + 1] = [replace(first[0], value=zeros), made]
        return True

    # The move

    def move(self, forward: Loop, backward: For, starts: list[Start], needed: set[int], place: int) -> None:
        early = [s for s in self.body.statements[place:] if id(s) in needed]
        self.moved.update(map(id, early))
        self.before[place] = [*early, *(s for s in self.sweep.statements if id(s) in needed)]
        for statement in self.before[place]:
            self.order.update(dict.fromkeys(results_of(statement), place - 1))
        carried = tuple(Carried(c.parameter, root) for c, (root, _) in zip(backward.carried, starts, strict=True))
        sums = tuple(map(like, backward.results))
        merged = self.merged(forward, replace(backward, carried=carried, results=sums))
        self.replaced[place] = merged
        self.order.update(dict.fromkeys(results_of(merged), place))
        self.sweep.statements[:] = [s for s in self.sweep.statements if id(s) not in needed and s is not backward]
        for result, made, (root, chain) in zip(backward.results, sums, starts, strict=True):
            self.relink(result, made, root, chain)

    def relink(self, result: Value, made: Value, root: Operand, chain: tuple[Value, ...]) -> None:
        """Let the additions that the moved loop continued come after it."""
        last: Operand = chain[-1] if chain else made
        for k, statement in enumerate(self.sweep.statements):
            if chain and chain[0] in results_of(statement):
                statement = _started(statement, chain[0], root, made)
            self.sweep.statements[k] = substituted(statement, {result: last})
        self.results = substituted(Block((), self.results), {result: last}).yields

    def merged(self, forward: Loop, backward: For) -> Loop:
        """The loop that does both."""
        inner = Sweep([*backward.body.statements], {}, self.sweep.mirrored, self.sweep.trip_counts)
        statements, made = self.merge(forward.body, inner, backward.body.yields)
        count = len(forward.carried)
        yields = (*forward.body.yields[:count], *made.yields, *forward.body.yields[count:])
        return replace(
            forward,
            carried=(*forward.carried, *backward.carried),
            body=Block((*statements, *made.statements), yields),
            results=(*forward.results, *backward.results),
        )


def _zeros_in(block: Block, value: Operand) -> Let | None:
    """The statement of a block that makes a value as zeros like an array from outside of it."""
    inside = set(defined_in(block))
    for statement in block.statements:
        if isinstance(statement, Let) and statement.value is value and statement.function is primitives.zeros_like:
            return statement if inside.isdisjoint(values_in(statement.operands)) else None
    return None


def _started(statement: Statement, value: Value, old: Operand, new: Value) -> Statement:
    """The statement that made `value` by adding to `old`, adding to `new` instead."""
    if isinstance(statement, Let):
        return replace(statement, operands=(new, *statement.operands[1:]))
    if isinstance(statement, If):
        return substituted(statement, {old: new} if isinstance(old, Value) else {})
    assert isinstance(statement, For), "sums go through additions, branches and loops"
    k = statement.results.index(value)
    carried = list(statement.carried)
    carried[k] = Carried(carried[k].parameter, new)
    return replace(statement, carried=tuple(carried))


def _has_effects(statement: Statement) -> bool:
    """Whether a statement prints or raises, or may do so in one inside."""
    return has_effects(Block((statement,)))


def _is_arithmetic(statement: Statement) -> bool:
    """Whether a statement computes a number of numbers, so that it may run earlier."""
    if not isinstance(statement, Let) or not is_scalar(statement.value):
        return False
    return isinstance(statement.function, np.ufunc) or statement.function is primitives.cast


def _read_outside(forward: Loop, backward: For) -> set[Value]:
    """What the backward iterations read that is not made in an iteration."""
    return set(read_in(backward.body)) - made_in_iterations(forward) - made_in_iterations(backward)

"""Dead-store elimination: adjoints of elements that nobody reads again are not set to 0.

>>> import numpy as np, pullback as pb
>>> def squares(x):
...     y = np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         y[i] = x[i] * x[i]
...     return y[0] * y[1]
>>> print(pb.explain(squares, np.ones(3), passes=["dead_stores"]))
finish: dead_stores, adjoints of elements that nobody reads again are not set to 0
  ...
           t.7: float64 = load(y_bar.3, ([i.1]))
  -        y_bar.4: float64[:] = store(y_bar.3, ([i.1]), 0.0)
           t.8: float64 = multiply(2, t.6)
  ...
           x_bar.2: float64[:] = add_at(x_bar.1, ([i.1]), t.9)
  -        yield y_bar.4, x_bar.2
  +        yield y_bar.3, x_bar.2
       return t.5, x_bar.3

That is legal where no other iteration uses the element, and nobody reads the array after the loop, or only at places
that the loop does not reach, such as its ends. Where the next
statement that uses the array adds to the element, what is added is stored in its place; what was there before stays:

>>> def decayed(x, steps):
...     y = x.copy()
...     for _ in range(steps):
...         for i in range(y.shape[0]):
...             y[i] = y[i] * 0.5
...     return y[0]
>>> print(pb.explain(decayed, np.ones(2), 3, passes=["dead_stores"]))
finish: dead_stores, adjoints of elements that nobody reads again are not set to 0
  ...
               t.4: float64 = load(y_bar.3, ([i.1]))
  -            y_bar.4: float64[:] = store(y_bar.3, ([i.1]), 0.0)
               t.5: float64 = multiply(t.4, 0.5)
  -            y_bar.5: float64[:] = add_at(y_bar.4, ([i.1]), t.5)
  +            y_bar.5: float64[:] = store(y_bar.3, ([i.1]), t.5)
               yield y_bar.5
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from pullback.analysis.aliases import consumes
from pullback.analysis.iteration_order import has_own_elements
from pullback.analysis.shapes import Shapes
from pullback.analysis.subscripts import Access, Places
from pullback.ir import primitives
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Let,
    Statement,
    Value,
    While,
    operands_of,
    read_in,
    results_of,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import Array


def remove_dead_stores(function: Function) -> Function:
    """The same function without such writes."""
    return replace(function, body=_DeadStores(function).block(function.body))


class _DeadStores:
    def __init__(self, function: Function) -> None:
        self.uses = Counter(read_in(function.body))
        self.places = cache(lambda: Places(function.body, Shapes(function)))

    def block(self, block: Block) -> Block:
        lets = {s.value: s for s in block.statements if isinstance(s, Let)}
        statements: list[Statement] = []
        same: dict[Value, Value] = {}
        changed = (self.statement(s, block.statements[k + 1 :]) for k, s in enumerate(block.statements))
        for statement in changed:
            zero = self.zero_under(statement, lets)
            if zero is None:
                statements.append(statement)
                continue
            statements.remove(zero)
            _, place, added = operands_of(statement)
            before: Value = zero.operands[0]
            array = same.get(before, before)
            (value,) = results_of(statement)
            load = lets.get(added) if isinstance(added, Value) else None
            if load is not None and load.function is primitives.load and load.operands == (before, place):
                same[value] = array  # it is added to 0 where it was
            else:
                statements.append(replace(zero, value=value, operands=(array, place, added)))
        made = Block(tuple(statements), block.yields)
        return substituted(made, same) if same else made

    def zero_under(self, statement: Statement, lets: Mapping[Value, Let]) -> Let | None:
        """The store of 0 into an element of an adjoint that only this statement reads, and adds to."""
        if not isinstance(statement, Let) or statement.function is not primitives.add_at:
            return None
        zero = lets.get(statement.operands[0])
        if zero is None or zero.function is not primitives.store or self.uses[zero.value] > 1:
            return None
        place = statement.operands[1]
        if is_advanced(place) or zero.operands[1] != place:  # an element that is there twice is added to twice
            return None
        return zero if _is_adjoint(zero.value) and _is_zero(zero.operands[2]) else None

    def statement(self, statement: Statement, later: Sequence[Statement]) -> Statement:
        if isinstance(statement, For):
            for k, result in enumerate(statement.results):
                if self.is_unread(result, statement, k, later) and has_own_elements(statement, k):
                    statement = self.without(statement, k)
        return with_blocks(statement, self.block)

    def is_unread(self, array: Value, loop: For, k: int, later: Sequence[Statement]) -> bool:
        """Whether none of the statements behind a loop reads an element of an array that the loop may write."""
        if not self.uses[array]:
            return True
        if not isinstance(array.type, Array) or not _is_adjoint(array):
            return False
        around = self.places().loops.get(array, ())
        writes = [Access(write, (*around, *loops), 0) for write, loops in _writes_in(loop, loop.carried[k].parameter)]
        if not all(write.statement.function in primitives.ACCESSES for write in writes):
            return False
        found = 0
        for statement in later:
            if not isinstance(statement, Let) or array not in statement.operands[:1]:
                continue
            found += 1
            if statement.function is primitives.store:
                return found == self.uses[array] and self.is_unread(statement.value, loop, k, later)
            read = Access(statement, around, 1)
            if statement.function is not primitives.load or any(
                self.places().may_meet_in(read, write, len(around), in_order=False) for write in writes
            ):
                return False
        return found == self.uses[array]

    def without(self, loop: For, k: int) -> For:
        """The loop with the writes of 0 that end an iteration's use of its slots left out."""
        body = self.without_last_store(loop.body, loop.carried[k].parameter, loop.body.yields[k])
        return loop if body is None else replace(loop, body=body)

    def without_last_store(self, block: Block, version: Value, last: object) -> Block | None:
        """A block whose last change of an array, from `version` to `last`, is left out; None if it is another one.

        Behind it, the block does nothing with the array but hand it on.
        """
        if not isinstance(last, Value) or self.uses[last] > 1:
            return None
        for k, statement in enumerate(block.statements):
            match statement:
                case Let(function=primitives.store) if statement.value is last and statement.operands[0] is version:
                    if not _is_zero(statement.operands[2]):
                        return None
                    others = (*block.statements[:k], *block.statements[k + 1 :])
                    return substituted(Block(others, block.yields), {statement.value: version})
                case For() if last in statement.results:
                    made = self.without_inner_store(statement, version, statement.results.index(last))
                    if made is None:
                        return None
                    return Block((*block.statements[:k], made, *block.statements[k + 1 :]), block.yields)
        return None

    def without_inner_store(self, loop: For, version: Value, k: int) -> For | None:
        """An inner loop without such a write."""
        if loop.carried[k].initial is not version or not has_own_elements(loop, k):
            return None
        body = self.without_last_store(loop.body, loop.carried[k].parameter, loop.body.yields[k])
        return None if body is None else replace(loop, body=body)


def _writes_in(loop: For, array: Value) -> Iterator[tuple[Let, tuple[For | While, ...]]]:
    """The writes to an array that a loop carries, and the loops around each, from this one on."""
    versions = {array}
    for statement in loop.body.statements:
        match statement:
            case Let() if consumes(statement) and statement.operands[0] in versions:
                versions.add(statement.value)
                yield statement, (loop,)
            case For():
                for carried, result in zip(statement.carried, statement.results, strict=True):
                    if carried.initial in versions:
                        versions.add(result)
                        for write, inner in _writes_in(statement, carried.parameter):
                            yield write, (loop, *inner)


def _is_adjoint(array: Value) -> bool:
    return array.of is not None and array.of[1] == "_bar"


def _is_zero(operand: object) -> bool:
    return isinstance(operand, Constant) and operand.value == 0 and not isinstance(operand.value, bool)

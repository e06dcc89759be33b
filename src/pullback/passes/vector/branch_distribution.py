"""Branch distribution: a branch in an iteration becomes as many as three, which load, compute and store.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import For
>>> from pullback.transform.derivative import prepared
>>> def f(x, y, places):
...     for i in range(places.shape[0]):
...         if places[i] > 2:
...             y[places[i]] += np.exp(x[i])
...     return y
>>> function = prepared(normal_form(f, np.ones(3), np.ones(3), np.zeros(3, int)))
>>> *before, loop = function.body.statements
>>> loop = replace(loop, body=distribute_branches(loop.body))
>>> function = replace(function, body=replace(function.body, statements=(*before, loop)))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    for ") :], end="")
    for i in range(places.shape[0]):
        places_i = places[i]
        is_greater = places_i > 2
        if is_greater:
            t1 = x[i]
        else:
            t1 = 0.0
        if is_greater:
            t2 = np.exp(t1)
        else:
            t2 = 0.0
        if is_greater:
            y[places_i] += t2
    return y

What the first one loads and the second one needs are results of it, zeros where the branch is not taken; so they are
what the third one stores. A loop can then be distributed into loops that load, compute and store
(`passes/vector/stages.py`), each with the condition, which is kept for all lanes of a strip: its execution variable
(Kennedy & McKinley 1990, Loop distribution with arbitrary control flow).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from pullback.analysis.straight_loops import RAISING
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    If,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    read_by,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import like, substituted
from pullback.ir.types import INT

AFFINE = {np.add, np.subtract, np.multiply}


def distribute_branches(body: Block) -> Block:
    """The same iteration with its branches in parts."""
    return Block(tuple(part for s in body.statements for part in _parts(s)), body.yields)


def needed_early(statements: Iterable[Statement], stores: Iterable[Statement]) -> Callable[[Statement], bool]:
    """Whether a statement loads an element, may raise, or computes where an element is or what is checked."""
    needed = {v for s in walk(Block(tuple(stores))) if isinstance(s, Let) for v in values_in((s.operands[1],))}
    early: set[int] = set()
    for statement in reversed(list(statements)):
        if needed & set(results_of(statement)) or any(map(_loads_or_raises, walk(Block((statement,))))):
            early.add(id(statement))
            needed |= set(read_by(statement))
    return lambda statement: id(statement) in early


def _loads_or_raises(statement: Statement) -> bool:
    if isinstance(statement, Let):
        return statement.function is primitives.load or statement.function in RAISING
    return isinstance(statement, Effect)


def is_store(statement: Statement) -> bool:
    """Whether a statement writes elements; a branch, whether it has one that does."""
    return any(isinstance(s, Let) and s.function in primitives.WRITES for s in walk(Block((statement,))))


def _parts(statement: Statement) -> list[Statement]:
    """A statement in parts; one that is no branch, or only computes, is one."""
    whole = Block((statement,))
    if isinstance(statement, If) and any(_loads_or_raises(s) or is_store(s) for s in walk(whole)):
        return _Branch(statement).parts()
    return [statement]


class _Branch:
    """A branch that is taken apart.

    indices: what its sides compute from indices by additions and multiplications, which stands before it. sides: the
    other statements of each, those that load, compute and store. terms: by side, what stands for the values of a part
    behind it.
    """

    def __init__(self, statement: If) -> None:
        self.statement = statement
        self.blocks = statement.then, statement.orelse
        self.indices: list[Statement] = []
        self.sides = [self.divided(distribute_branches(block)) for block in self.blocks]
        self.terms: tuple[dict[Value, Operand], dict[Value, Operand]] = ({}, {})

    def divided(self, block: Block) -> tuple[list[Statement], list[Statement], list[Statement]]:
        """The statements of a side that load or are needed for it, those that compute, and those that store."""
        own = {v for s in block.statements for v in results_of(s)}
        rest: list[Statement] = []
        for s in block.statements:
            is_index = isinstance(s, Let) and s.function in AFFINE and s.value.type == INT
            if is_index and own.isdisjoint(read_by(s)):
                own -= set(results_of(s))
                self.indices.append(s)
            else:
                rest.append(s)
        late = [s for s in rest if is_store(s)]
        others = [s for s in rest if not is_store(s)]
        is_needed, early, middle = needed_early(others, late), list[Statement](), list[Statement]()
        for s in others:
            waits = not {v for other in middle for v in results_of(other)}.isdisjoint(read_by(s))
            is_early = is_needed(s) or (not waits and _is_short(*read_by(s), *results_of(s)))
            (early if is_early else middle).append(s)
        return [_before_stores(s, late) for s in early], middle, late

    def parts(self) -> list[Statement]:
        """What stands in place of the branch."""
        results = self.statement.results
        loaded = [{v for s in side[0] for v in results_of(s)} for side in self.sides]
        behind = [{v for part in side[1:] for s in part for v in results_of(s)} for side in self.sides]
        first, second, third = list[int](), list[int](), list[int]()
        for k, result in enumerate(results):
            ends = [block.yields[k] for block in self.blocks]
            are_loaded = all(
                end not in computed and (end in made or _is_short(end))
                for end, made, computed in zip(ends, loaded, behind, strict=True)
            )
            (third if not is_scalar(result) else first if are_loaded else second).append(k)
        parts = [self.part(number, places) for number, places in enumerate((first, second, third))]
        return [*self.indices, *(part for part in parts if part is not None)]

    def part(self, number: int, places: list[int]) -> If | None:
        """A part, which has some of the results of the branch, and what the parts behind it need."""
        results = [self.statement.results[k] for k in places]
        ends = [[block.yields[k] for k in places] for block in self.blocks]
        known = [dict(terms) for terms in self.terms]
        for k, side in enumerate(self.sides):
            rest = Block(tuple(s for later in side[number + 1 :] for s in later), self.blocks[k].yields)
            needed = {*read_in(rest)}
            for value in (v for s in side[number] for v in results_of(s) if v in needed and is_scalar(v)):
                if value not in ends[k]:
                    results.append(like(value))
                    ends[k].append(value)
                    ends[1 - k].append(Constant(np.zeros((), value.type.dtype).item(), value.type))
                self.terms[k][value] = results[ends[k].index(value)]
        statements = [side[number] for side in self.sides]
        if not results and not any(statements):
            return None
        then, orelse = (
            substituted(Block(tuple(part), tuple(end)), terms)
            for part, end, terms in zip(statements, ends, known, strict=True)
        )
        return replace(self.statement, then=then, orelse=orelse, results=tuple(results))


def _before_stores(statement: Statement, stores: Iterable[Statement]) -> Statement:
    """A statement that loads from arrays as they are before these stores."""
    terms: dict[Value, Operand] = {}
    for s in walk(Block(tuple(stores))):
        if isinstance(s, Let) and isinstance(s.operands[0], Value):
            terms[s.value] = terms.get(s.operands[0], s.operands[0])
    return substituted(statement, terms)


def _is_short(*operands: Operand) -> bool:
    """Whether these are constants, integers and booleans, of which computing seldom makes many."""
    return all(isinstance(o, Constant) or (is_scalar(o) and o.type.dtype != "float64") for o in operands)

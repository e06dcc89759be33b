"""Unroll-and-jam, its legality: which short loops around a nest may run all their iterations in each one of the nest.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x, y, kernel):
...     for j in range(3):  # known to be short
...         k = kernel[j]
...         for c in range(y.shape[0]):
...             y[c] += k * x[c + j]  # an element that each iteration of the nest has for itself
...     for j in range(3):
...         for c in range(1, y.shape[0]):
...             y[c] += y[c - 1] * x[j]  # needs what the iteration before made
...     return y
>>> function = prepared(normal_form(f, np.ones(5), np.ones(3), np.ones(3)))
>>> for loop in [s for s in function.body.statements if isinstance(s, For)]:
...     found = find_unroll_and_jam(loop)
...     print(found and found.numbers)
(0, 1, 2)
None
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from pullback.analysis.iteration_order import has_own_elements
from pullback.analysis.reductions import adds_to
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    lets_in,
    made_in_iterations,
    read_in,
    results_of,
    values_in,
)
from pullback.ir.types import Array

MOST_ITERATIONS = 8
MOST_STATEMENTS = 64
WIDEST = 8
"""How far apart in a row the elements may be whose additions are gathered (`passes.loops.scatter_to_gather`)."""
SHORT = 32
"""A nest whose innermost loop is known to have no more iterations is best unrolled, which a compiler does."""
_PLAIN = {primitives.cast, primitives.select, max, min}


@dataclass(frozen=True, slots=True)
class UnrollAndJam:
    """A loop whose iterations may run together, in each iteration of the nest in it.

    numbers: its index, iteration by iteration. varying: the values in it that may differ between its iterations.
    shared: what the loops of the nest carry from one iteration of the loop to the next; all else is an iteration's own.
    """

    loop: For
    numbers: tuple[int, ...]
    varying: frozenset[Value]
    shared: frozenset[Value]


def find_unroll_and_jam(loop: For) -> UnrollAndJam | None:
    """The facts of a loop for which unroll-and-jam is legal and profitable; None for another one."""
    numbers = numbers_of(loop)
    nest = _nest_in(loop)
    if loop.exits or not 1 < len(numbers) <= MOST_ITERATIONS or not nest:
        return None
    innermost = nest[-1]
    if numbers_of(innermost) or len(innermost.body.statements) * len(numbers) > MOST_STATEMENTS:
        return None
    finder = _Finder(loop, nest, numbers)
    if not finder.is_orderly() or not finder.is_profitable():
        return None
    return UnrollAndJam(
        loop, numbers, frozenset(finder.varying), frozenset(p for chain in finder.chains for p in chain)
    )


def numbers_of(loop: For) -> tuple[int, ...]:
    """The index of a loop that is known to be short, iteration by iteration; () for another one."""
    bounds = (loop.start, loop.stop, loop.step)
    if not all(isinstance(bound, Constant) for bound in bounds) or not loop.step.value:
        return ()
    numbers = range(*(bound.value for bound in bounds))
    return tuple(reversed(numbers) if loop.reverse else numbers) if len(numbers) <= SHORT else ()


def _nest_in(loop: For) -> list[For]:
    """The loops in a loop, from the outer to the innermost; [] unless all else in it are plain statements."""
    nest: list[For] = []
    while True:
        inner = [s for s in loop.body.statements if isinstance(s, For)]
        others = [s for s in loop.body.statements if not isinstance(s, For)]
        if len(inner) > 1 or any(loop.exits for loop in inner) or not all(map(_is_plain, others)):
            return []
        if not inner:
            return nest
        nest += inner
        loop = inner[0]


def _is_plain(statement: Statement) -> bool:
    """Whether a statement computes a number from numbers, or accesses one element of an array."""
    if not isinstance(statement, Let):
        return False
    if statement.function in primitives.ACCESSES:
        path = statement.operands[1]
        items = getattr(path[0], "items", ()) if len(path) == 1 and isinstance(path[0], Index) else ()
        return len(items) == statement.operands[0].type.ndim > 0 and all(map(is_scalar, items))
    if statement.function is primitives.dim:
        return True
    is_known = isinstance(statement.function, np.ufunc) or statement.function in _PLAIN
    return is_known and all(is_scalar(v) for v in (statement.value, *values_in(statement.operands)))


class _Finder:
    """What varies between the iterations of a loop, and what each carries to the next through the nest (`chains`)."""

    def __init__(self, loop: For, nest: list[For], numbers: tuple[int, ...]) -> None:
        self.loop, self.nest, self.innermost = loop, nest, nest[-1]
        self.uses = Counter(read_in(loop.body))
        self.definitions = lets_in(loop.body)
        self.varying = {loop.index, *(c.parameter for each in (loop, *nest) for c in each.carried)}
        self.spread(loop.body)
        self.chains: list[list[Value]] = []
        self.span = max(numbers) - min(numbers)

    def spread(self, block: Block) -> None:
        """Note the values that are computed from varying ones; all results of a loop count as varying."""
        for statement in block.statements:
            if isinstance(statement, For):
                self.spread(statement.body)
                self.varying.update(statement.results)
            elif isinstance(statement, Let) and self.varying.intersection(values_in(statement.operands)):
                self.varying.add(statement.value)

    def is_orderly(self) -> bool:
        """Legality: whether the iterations run together give what they give one after the other."""
        bounds = tuple((each.start, each.stop, each.step) for each in self.nest)
        if self.varying.intersection(values_in(bounds)):
            return False
        if not all(self.is_handed_on(k) for k in range(len(self.loop.carried))):
            return False
        heads = [chain[0] for chain in self.chains]
        own = [c for c in self.nest[0].carried if c.parameter not in heads]
        if not all(is_scalar(c.parameter) for c in own):
            return False
        deeper = {chain[p] for chain in self.chains for p in range(len(chain))}
        others = [c.parameter for each in self.nest[1:] for c in each.carried if c.parameter not in deeper]
        return all(map(is_scalar, others)) and all(map(self.may_be_shared, self.chains))

    def is_handed_on(self, k: int) -> bool:
        """Whether the k-th carried value goes from iteration to iteration through the nest, or apart from it."""
        parameter, last = self.loop.carried[k].parameter, self.loop.body.yields[k]
        statements = self.loop.body.statements
        at = statements.index(self.nest[0])
        before = {v for s in statements[:at] for v in results_of(s)}
        after = {v for s in statements[at + 1 :] for v in results_of(s)}
        if last is parameter:
            return True
        if last in before:
            arrays = {parameter, *before} if isinstance(parameter.type, Array) else set()
            return not any(isinstance(v.type, Array) and v in arrays for v in read_in(Block(statements[at:])))
        if last in after:
            return parameter not in read_in(Block(statements[: at + 1]))
        chain = self.chain_of(parameter, last)
        self.chains += [chain] if chain else []
        return bool(chain)

    def chain_of(self, value: Value, last: Operand) -> list[Value]:
        """The parameters by which the loops of a nest carry `value` on until it is `last`; [] if they do not."""
        chain: list[Value] = []
        for each in self.nest:
            places = [k for k, carried in enumerate(each.carried) if carried.initial is value]
            if len(places) != 1 or self.uses[value] != 1:
                return []
            if last is not each.results[places[0]] or self.uses[each.results[places[0]]] != 1:
                return []
            value, last = each.carried[places[0]].parameter, each.body.yields[places[0]]
            chain.append(value)
        return chain if last is not value else []

    def may_be_shared(self, chain: list[Value]) -> bool:
        """Whether all iterations may access an array or a reduction in each iteration of the nest."""
        places = [
            next(k for k, c in enumerate(each.carried) if c.parameter is p)
            for each, p in zip(self.nest, chain, strict=True)
        ]
        is_sum = adds_to(self.nest[0], [places[0]])
        if is_scalar(chain[0]):
            return is_sum
        accesses = self.accesses_to(chain[-1])
        if not any(self.varying.intersection(values_in(s.operands[1])) for s in accesses):
            return is_sum or all(has_own_elements(each, k) for each, k in zip(self.nest, places, strict=True))
        return is_sum and len(self.nest) > 1 and all(map(self.is_gathered, accesses))

    def accesses_to(self, version: Value) -> list[Let]:
        """What an iteration of the innermost loop does with a carried array."""
        found: list[Let] = []
        for s in self.innermost.body.statements:
            if isinstance(s, Let) and s.function in primitives.ACCESSES and s.operands[0] is version:
                found.append(s)
                version = version if s.function is primitives.load else s.value
        return found

    def is_gathered(self, addition: Let) -> bool:
        """Whether additions to neighbours are of one row of numbers: see `passes.loops.scatter_to_gather`."""
        array, path, addend = addition.operands
        *rest, last = path[0].items
        moved = self.definitions.get(last) if isinstance(last, Value) else None
        fixed = self.varying | made_in_iterations(self.innermost)
        if moved is None or fixed.intersection(values_in(tuple(rest))) or self.innermost.step != constant(1):
            return False
        index = self.innermost.index, self.loop.index
        if moved.function not in (np.add, np.subtract) or moved.operands != index or self.span > WIDEST:
            return False
        row = self.row_of(addend)
        return row is not None and row.type.dtype == addend.type.dtype == array.type.dtype

    def row_of(self, addend: Operand) -> Value | None:
        """The number, the same in all iterations, of which all that they add are multiples; None if there is none."""
        made = self.definitions.get(addend) if isinstance(addend, Value) else None
        if made is None or addend not in self.varying:
            return addend if isinstance(addend, Value) else None
        inside = [o for o in made.operands if o in made_in_iterations(self.innermost)]
        if made.function is not np.multiply or len(inside) != 1 or inside[0] in self.varying:
            return None
        row: Value = inside[0]
        return row

    def is_profitable(self) -> bool:
        """Whether iterations share an array that the nest writes, or read the same element."""
        if any(isinstance(chain[0].type, Array) for chain in self.chains):
            return True
        made = self.innermost.body.statements
        return any(isinstance(s, Let) and s.function is primitives.load and s.value not in self.varying for s in made)

"""Copy elision: what an iteration copies to change it is changed where it is, if the old elements are not needed.

>>> import pullback as pb
>>> def turned(x, w, n):
...     for _ in range(n):
...         y = x.copy()
...         y[0] = w * x[-1]
...         x = y
...     return x[0]
>>> print(pb.explain(turned, np.ones(9), 0.5, 3, argnums=0, passes=["copy_elision"]))
arrangement: copy_elision, an array that an iteration copies is changed where it is, if its old elements are not needed
  ...
       t.1: int64* = cast(t.0, 'int64*')
  -    x.2 = for _ in range(0, n, 1) with (x.1: float64[:] = x):
  -        y: float64[:] = empty((t.1), dtype='float64')
  -        y.1: float64[:] = store(y, ([...]), x.1)
  +    x.3: float64[:] = copy(x)
  +    x.2 = for _ in range(0, n, 1) with (x.1: float64[:] = x.3):
           t.2: float64 = load(x.1, ([-1]))
           t.3: float64 = multiply(w, t.2)
  -        y.2: float64[:] = store(y.1, ([0]), t.3)
  +        y.2: float64[:] = store(x.1, ([0]), t.3)
           yield y.2

It is legal where `copy_placement.py` asks for no copy when there is none. Where it asks for one before the loop, of
memory that is not the loop's own, there is one copy instead of one in each iteration. A loop that reads the old
elements while it writes new ones needs the copy; the two loops that scatter-to-gather makes of it do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.nodes import Block, For, Function, Let, Value, While, blocks_of, read_in, walk
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import Array
from pullback.passes.memory.copy_insertion import insert_copies
from pullback.passes.memory.copy_placement import required_copies
from pullback.passes.memory.destination_passing import WHOLE


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of an array: the statements that make it, and what the loops around it carry."""

    made: tuple[Let, ...]
    source: Value
    around: frozenset[Value]

    @property
    def value(self) -> Value:
        return self.made[-1].value


def elide_copies(function: Function) -> Function:
    """The same function without such copies in its loops."""
    function = replace(function, callees=tuple(map(elide_copies, function.callees)))
    for value in [copy.value for copy in _copies_of(function)]:
        for copy in [copy for copy in _copies_of(function) if copy.value == value]:
            function = _without(function, copy) or function
    return function


def _copies_of(function: Function) -> list[_Copy]:
    """The copies that iterations make of whole arrays. To leave one out changes what the others copy."""
    shapes, uses = cache(partial(Shapes, function)), Counter(read_in(function.body))
    return list(_copies(function.body, frozenset(), shapes, uses))


def _copies(
    block: Block, around: frozenset[Value], shapes: Callable[[], Shapes], uses: Counter[Value]
) -> Iterator[_Copy]:
    """Those in a block, in a loop where values are carried around it."""
    empty = {s.value: s for s in block.statements if isinstance(s, Let) and s.function is np.empty}
    for statement in block.statements:
        inner = around
        if isinstance(statement, For | While):
            inner = around | {carried.parameter for carried in statement.carried}
        for part in blocks_of(statement):
            yield from _copies(part, inner, shapes, uses)
        if not around or not isinstance(statement, Let) or type(statement.value.type) is not Array:
            continue
        match statement.operands:
            case (Value() as source,) if statement.function is primitives.copy and source.type == statement.value.type:
                yield _Copy((statement,), source, around)
            case (Value() as array, path, Value() as source) if (
                statement.function is primitives.store and path == WHOLE
            ):
                fits = array in empty and uses[array] == 1 and source.type == array.type
                if fits and shapes().of(source) == shapes().of(array):
                    yield _Copy((empty[array], statement), source, around)


def _without(function: Function, copy: _Copy) -> Function | None:
    """The function without a copy, where at most loops around it need one before they begin."""

    def changed(block: Block) -> Block:
        kept = [with_blocks(s, changed) for s in block.statements if s not in copy.made]
        return Block(tuple(kept), block.yields)

    bare = replace(function, body=substituted(changed(function.body), {copy.value: copy.source}))
    required = required_copies(bare)
    if not required.any():
        return bare
    before = {parameter for parameter, _ in required.initials}
    if replace(required, initials=set()).any() or not before <= copy.around:
        return None
    made = insert_copies(bare)
    return made if _count(made) == _count(bare) + len(before) else None


def _count(function: Function) -> int:
    return sum(isinstance(s, Let) and s.function is primitives.copy for s in walk(function.body))

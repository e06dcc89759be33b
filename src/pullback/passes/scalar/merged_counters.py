"""Merging of induction variables: of two carried integers that count the same one is left, and one that equals the
index of the loop becomes the index.

Here the forward sweep counts its iterations (`trips`) and what it keeps on a stack (`count`):

>>> import pullback as pb
>>> def settled(x):
...     while x > 1.0:
...         x = 2.0 * np.sin(x)
...     return x
>>> print(pb.explain(settled, 3.0, passes=["merged_counters"]))
finish: merged_counters, carried integers that count the same become one, or the index of the loop
  ...
           count.1: int64* = add(count, 1)
  -        trips.1: int64* = add(trips, 1)
  +        trips.1: int64* = add(count, 1)
           yield x.2, x_stack.2, count.1, trips.1
       x_saved: float64[:] = contents(x_stack.3, count.2)
  -    x_bar.2, count.5 = for k in range(0, trips.2, 1) reversed with (x_bar: float64 = 1.0, count.3: int64* = count.2):
  +    x_bar.2, count.5 = for k in range(0, count.2, 1) reversed with (x_bar: float64 = 1.0, count.3: int64* = count.2):
           count.4: int64* = subtract(count.3, 1)
  -        x.4: float64 = load(x_saved, ([count.4]))
  +        x.4: float64 = load(x_saved, ([k]))
           t.2: float64 = multiply(x_bar, 2.0)
  ...
           x_bar.1: float64 = multiply(t.2, t.3)
  -        yield x_bar.1, count.4
  +        yield x_bar.1, k
       return x.3, x_bar.2

What is then not read any more, dead-code elimination removes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, For, Function, Let, Operand, Statement, Value, While, map_values
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import Scalar


def merge_induction_variables(function: Function) -> Function:
    """The same function with fewer counters."""
    return replace(function, body=_block(function.body))


def _block(block: Block) -> Block:
    known: dict[Value, Operand] = {}
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(substituted(statement, known) if known else statement, _block)
        statements.append(_merged(changed, known) if isinstance(changed, For | While) else changed)
    return Block(tuple(statements), map_values(block.yields, lambda value: known.get(value, value)))


def _merged(statement: For | While, known: dict[Value, Operand]) -> For | While:
    """The loop with equal counters read as one; the others die, for nobody reads them."""
    body = statement.body
    steps = _steps(statement, body)
    inside: dict[Value, Operand] = {}
    first: dict[tuple[Operand, int], int] = {}
    for k, step in steps.items():
        carried = statement.carried[k]
        same = first.setdefault((carried.initial, step), k)
        if same != k:
            inside[carried.parameter] = statement.carried[same].parameter
            known[statement.results[k]] = statement.results[same]
        elif isinstance(statement, For):
            _as_index(statement, body, k, step, inside)
    body = substituted(body, inside) if inside else body
    return replace(statement, body=body)


def _steps(statement: For | While, body: Block) -> dict[int, int]:
    """The carried integers that every iteration changes by the same number known beforehand."""
    definitions = {s.value: s for s in body.statements if isinstance(s, Let)}
    steps = {}
    for k, carried in enumerate(statement.carried):
        made = definitions.get(body.yields[k]) if isinstance(body.yields[k], Value) else None
        if made is None or made.function not in (np.add, np.subtract) or not _is_int(carried.parameter):
            continue
        start, by = made.operands
        if start is carried.parameter and isinstance(by, Constant) and isinstance(by.value, int):
            steps[k] = by.value if made.function is np.add else -by.value
    return steps


def _is_int(value: Value) -> bool:
    return isinstance(value.type, Scalar) and value.type.dtype == "int64"


def _as_index(statement: For, body: Block, k: int, step: int, inside: dict[Value, Operand]) -> None:
    """A counter that runs as the index does: from 0 upwards, or back from the end to 0."""
    if statement.start != constant(0) or statement.step != constant(1):
        return
    carried = statement.carried[k]
    if step == 1 and not statement.reverse and carried.initial == constant(0):
        inside[carried.parameter] = statement.index
    elif step == -1 and statement.reverse and carried.initial == statement.stop:
        after = body.yields[k]
        assert isinstance(after, Value), "a step is a statement's value"
        inside[after] = statement.index

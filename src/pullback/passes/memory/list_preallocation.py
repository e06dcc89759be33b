"""List preallocation: a list to which every iteration of a counted loop appends is an array made before the loop.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def path(x, n):
...     states = []
...     for _ in range(n):
...         x = np.sin(x)
...         states.append(x)
...     return np.sum(states[-1])
>>> function = preallocate_lists(prepared(normal_form(path, np.ones(3), 4)))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    states =") : text.index("    trips")], end="")
    states = np.empty((max(n, 0), x.shape[0]), dtype=np.float64)
    for k in range(n):
        x = np.sin(x)
        states[k] = x

The items are then as long as they are known to be, and what is done with them becomes loops. It is legal where the
loop has no other exit and the items have sizes that do not change in it; those of a list with items before the loop,
as `states = [x]`, have the sizes of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from pullback import runtime
from pullback.analysis.extents import can_compute, size_before_loops
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Shape, values_of
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    lets_in,
    made_in_iterations,
    read_by,
    walk,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import Array

_PUSHES = {runtime.push, runtime.push_row}


def preallocate_lists(function: Function) -> Function:
    """The same function with such lists as arrays that have their size from the start."""
    callees = tuple(map(preallocate_lists, function.callees))
    function = replace(function, callees=callees)
    refused: set[Value] = set()
    while any(isinstance(s, Let) and s.function in _PUSHES for s in walk(function.body)):
        made, stores = _changed(function, refused)
        shapes = Shapes(made)
        wrong = {item for item, array in stores.items() if shapes.of(item) != shapes.of(array)[1:]}
        if not wrong:
            return made
        refused |= wrong
    return function


def _changed(function: Function, refused: set[Value]) -> tuple[Function, dict[Value, Value]]:
    """The function with arrays for lists, and to which array each item that is one goes, but for some that are refused.

    An item may be computed of items before, and then has the sizes of these, if the array has them.
    """
    lets = (s for s in walk(function.body) if isinstance(s, Let))
    rows = {let.value: number for let in lets if (number := _rows(let)) is not None}
    shapes, stores = cache(lambda: Shapes(function)), dict[Value, Value]()

    def changed(block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            inner = with_blocks(statement, changed)
            statements += _preallocated(inner, rows, shapes, stores, refused) if isinstance(inner, For) else [inner]
        return Block(tuple(statements), block.yields)

    return replace(function, body=changed(function.body)), stores


def _rows(statement: Let) -> int | None:
    """How many items a list has that begins as this array; None for other arrays than lists begin as."""
    first = statement.operands[0] if statement.operands else None
    if not isinstance(first, tuple) or not first or not isinstance(statement.value.type, Array):
        return None
    if statement.function is np.empty:
        return 0 if all(size == constant(0) for size in first) else None
    is_list = statement.function is np.stack or (statement.function is np.array and statement.value.type.ndim == 1)
    return len(first) if is_list and not statement.keywords else None


def _preallocated(
    loop: For,
    rows: Mapping[Value, int],
    shapes: Callable[[], Shapes],
    stored: dict[Value, Value],
    refused: set[Value],
) -> list[Statement]:
    """The loop, and before it the arrays of those lists that grow by one item in each iteration."""
    builder = Builder()
    builder.location = loop.location
    carried, stores = list(loop.carried), dict[int, Let]()
    for k, each in enumerate(loop.carried):
        number = rows.get(each.initial)
        push = None if number is None else _push(loop, k, number)
        if number is None or push is None or push.operands[2] in refused:
            continue
        sizes = shapes().of(each.initial)[1:] if number else _sizes_of_items(loop, push, shapes())
        if sizes is None or not all(map(can_compute, sizes)):
            continue
        carried[k] = Carried(each.parameter, _made(builder, loop, each, number, sizes))
        array, place, item = push.operands
        stores[id(push)] = replace(push, function=primitives.store, operands=(array, (Index((place,)),), item))
        if isinstance(item.type, Array):
            stored[item] = each.parameter
    statements = tuple(stores.get(id(s), s) for s in loop.body.statements)
    body = Block(statements, loop.body.yields)
    return [*builder.statements, replace(loop, carried=tuple(carried), body=body)]


def _made(builder: Builder, loop: For, carried: Carried, number: int, sizes: Shape) -> Value:
    """An array for all items, with those that the list has before the loop."""
    trips = trip_count(builder, loop.start, loop.stop, loop.step)
    length = builder.let(np.add, trips, constant(number)) if number else trips
    shape, type_ = (length, *(size_before_loops(size, builder) for size in sizes)), carried.parameter.type
    made = builder.let(np.empty, shape, Constant(type_.dtype), keywords=("dtype",), type_=type_)
    if not number:
        return made
    first = (Index((Slice(None, constant(number), None),)),)
    return builder.let(primitives.store, made, first, carried.initial)


def _push(loop: For, k: int, number: int) -> Let | None:
    """The statement by which every iteration appends an item to the k-th carried list, and does nothing else to it.

    number: how many items the list has before the loop.
    """
    if loop.exits or loop.reverse or loop.checkpoints is not None:
        return None
    parameter, last = loop.carried[k].parameter, loop.body.yields[k]
    pushes = [s for s in loop.body.statements if isinstance(s, Let) and s.value is last and s.function in _PUSHES]
    if not pushes or pushes[0].operands[0] is not parameter or not _counts_items(loop, pushes[0].operands[1], number):
        return None
    others = [s for s in walk(loop.body) if s is not pushes[0] and {parameter, last}.intersection(read_by(s))]
    return pushes[0] if all(isinstance(s, Let) and s.function in _READING for s in others) else None


_READING = {primitives.load, primitives.dim}


def _counts_items(loop: For, place: Operand, number: int) -> bool:
    """Whether an integer is how many items there are: a counter from so many, or the index of the loop."""
    if place is loop.index:
        return bool(loop.start == constant(number) and loop.step == constant(1))
    following = constant(1)
    for carried, after in zip(loop.carried, loop.body.yields, strict=True):
        if carried.parameter is place and carried.initial == constant(number):
            made = lets_in(loop.body).get(after)
            return made is not None and made.function is np.add and bool(made.operands == (place, following))
    return False


def _sizes_of_items(loop: For, push: Let, shapes: Shapes) -> Shape | None:
    """The sizes of the items, if they are known before the loop."""
    item = push.operands[2]
    if not isinstance(item.type, Array):
        return ()
    made = made_in_iterations(loop)
    sizes = shapes.of(item)
    known = (can_compute(size) and made.isdisjoint(values_of(size)) for size in sizes)
    return sizes if all(known) else None

"""Packing: what the iterations of a strip read along lines of an array, each from left to right, is copied before,
so that what they read at the same time stands side by side.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.passes.vector.outer_vectorisation import vectorise_outer_loops
>>> from pullback.transform.derivative import prepared
>>> def chains(x):
...     total = 0.0
...     for p in range(x.shape[0]):
...         s = 1.0
...         for t in range(x.shape[1]):
...             s += s * x[p, t]
...         total += s
...     return total
>>> function = remove_dead(vectorise_outer_loops(prepared(normal_form(chains, np.ones((130, 3))))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    for k ") : text.index("        for k5 ")], end="")
    for k in range(strips):
        scaled_k = k * 64
        width = min(64, trips - scaled_k)
        elements = np.empty((max(x.shape[1], 0), 64), dtype=np.float64)
        for k2 in range(width):
            t1 = scaled_k + k2
            for t in range(x.shape[1]):
                elements[t, k2] = x[t1, t]
        s = np.empty((64,), dtype=np.float64)
        for k3 in range(width):
            s[k3] = 1.0
        for t in range(x.shape[1]):
            for k4 in range(width):
                s2 = s[k4]
                s2 += s2 * elements[t, k4]
                s[k4] = s2

A machine reads 64 numbers that stand side by side faster than 64 in different lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pullback.analysis.outer_vectorisation import Legality
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, Constant, For, Index, Let, Operand, Value, walk
from pullback.ir.rewrite import like
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT


@dataclass(frozen=True, slots=True)
class Line:
    """A load along a line of an array, by an inner loop."""

    load: Let
    loop: For


def find_lines(lanes: Legality, shapes: Shapes) -> list[list[Line]]:
    """Such loads, those of the same elements together."""
    found: dict[tuple[Operand, Operand], list[Line]] = {}
    surely = set(map(id, lanes.pieces.loops))
    for inner in (s for s in walk(lanes.loop.body) if isinstance(s, For)):
        if (inner.start, inner.step) != (constant(0), constant(1)) or inner.stop in lanes.own:
            continue
        for load in inner.body.statements:
            if isinstance(load, Let) and _is_along(load, inner, lanes):
                array = load.operands[0]
                # A loop in another one may have no iterations at all; then nobody may read where nothing is.
                if id(inner) in surely or _is_whole(array, inner, lanes, shapes):
                    found.setdefault((array, inner.stop), []).append(Line(load, inner))
    return list(found.values())


def _is_along(load: Let, inner: For, lanes: Legality) -> bool:
    """Whether a statement reads the element of an array with the numbers of an iteration and of an inner one."""
    if load.function is not primitives.load:
        return False
    array, path = load.operands
    whole = len(path) == 1 and isinstance(path[0], Index) and len(path[0].items) == array.type.ndim
    return whole and array not in lanes.own and path[0].items == (lanes.loop.index, inner.index)


def _is_whole(array: Value, inner: For, lanes: Legality, shapes: Shapes) -> bool:
    """Whether the loops go over the array's own lines, from the first to the last at most."""
    rows, columns = shapes.of(array)
    starts = lanes.loop.start
    counts_up = isinstance(starts, Constant) and starts.value >= 0
    return bool(counts_up and shapes.made_size(lanes.loop.stop) == rows and shapes.made_size(inner.stop) == columns)


def pack(line: Line, offset: Operand, room: Operand, width: Operand, builder: Builder) -> Value:
    """An array with what `width` iterations from `offset` on read in one iteration of the inner loop side by side.

    It has room for `room` of them.
    """
    load, inner = line.load, line.loop
    dtype = Constant(load.value.type.dtype)
    trips = trip_count(builder, inner.start, inner.stop, inner.step)
    packed = builder.let(np.empty, (trips, room), dtype, keywords=("dtype",), name=load.value.name)
    outer, rows, last, results = (like(packed) for _ in range(4))
    lane, index, element, filled = Value("", INT), like(inner.index), like(load.value), like(packed)
    with builder.block() as body:
        row = builder.let(np.add, offset, lane, type_=INT)
        read = Let(element, primitives.load, (load.operands[0], (Index((row, index)),)), location=builder.location)
        put = Let(filled, primitives.store, (rows, (Index((index, lane)),), element), location=builder.location)
        one = constant(1)
        along = Block((read, put), (filled,))
        builder.add(For(index, inner.start, inner.stop, one, (Carried(rows, outer),), along, (last,)))
    lanes = (Carried(outer, packed),)
    builder.add(For(lane, constant(0), width, one, lanes, Block(tuple(body), (last,)), (results,)))
    return results

"""Strips of columns: as many as lie side by side are computed in one sweep, then the next ones.

>>> import numpy as np, pullback as pb
>>> text = pb.inspect_source(pb.jacfwd(lambda x: np.sin(x) * x[0]), np.ones(3))
>>> for line in text.splitlines():
...     if "strip" in line:
...         print(line.strip())
for strip in range((x.shape[0] + 31) // 32):
scaled_strip = strip * 32
lane_end = min(x.shape[0] - scaled_strip, 32)
unit[np.uint64(scaled_strip + lane), lane] = 1.0
jacobian[i, np.uint64(scaled_strip + k)] = x_0 * (cos_x_i * unit[i, k]) + sin_x_i * elements[k]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Constant, Index, Operand, Value
from pullback.ir.rewrite import like
from pullback.ir.types import INT, Array, Scalar
from pullback.transform.requests.element_loops import over_sizes
from pullback.transform.requests.side_by_side import Lanes
from pullback.transform.requests.splitting import Split
from pullback.transform.requests.varying import NotSideBySideError

LANES = 32
"""So many columns lie side by side: a tangent of a thousand numbers then stays in a near cache."""


def columns_side_by_side(
    builder: Builder,
    split: Split,
    source: Value,
    targets: tuple[Operand, ...],
    pairs: list[tuple[Value, Operand]],
) -> list[Value] | None:
    """The Jacobians of targets by a vector, many columns of which are computed in one sweep; None if that cannot be.

    pairs: for each Jacobian the parameter of a loop that fills it, and the memory that this begins with.
    """
    count = builder.dim(source, 0)
    most = Constant(LANES, INT)
    shared = frozenset(value for _, own in split.varying for value in own)
    with builder.block() as attempt:
        room = builder.let(min, count, most, type_=INT)
        strips = builder.let(
            np.floor_divide, builder.let(np.add, count, Constant(LANES - 1, INT), type_=INT), most, type_=INT
        )

        def strip(indices: tuple[Operand, ...], versions: list[Value]) -> list[Operand]:
            offset = builder.let(np.multiply, indices[0], most, type_=INT)
            width = builder.let(min, builder.let(np.subtract, count, offset, type_=INT), most, type_=INT)
            lanes = Lanes(builder, split.live(), split.unit, split.yields, shared, width, room)

            def column(lane: Operand) -> Operand:
                return builder.let(np.add, offset, lane, type_=INT)

            sizes, dtype = (*builder.dims(source), room), Constant(source.type.dtype)
            type_ = Array(source.type.dtype, source.type.ndim + 1)
            zeros = builder.let(np.zeros, sizes, dtype, keywords=("dtype",), name="unit", type_=type_)

            def seeded(indices: tuple[Operand, ...], units: list[Value]) -> list[Operand]:
                path, one = (Index((column(indices[0]), *indices)),), Constant(1.0, Scalar(source.type.dtype))
                return [builder.let(primitives.store, units[0], path, one, name="unit")]

            (lanes.wide[split.unit],) = over_sizes(builder, (width,), "lane", [(like(zeros), zeros)], seeded)
            lanes.run()
            made: list[Operand] = []
            for target, tangent, version in zip(targets, split.yields, versions, strict=True):

                def stored(indices: tuple[Operand, ...], arrays: list[Value], tangent: Any = tangent) -> list[Operand]:
                    *place, lane = indices
                    number = lanes.element(tangent, tuple(place), lane)
                    path = (Index((*place, column(lane))),)
                    return [builder.let(primitives.store, arrays[0], path, number, name=arrays[0].name)]

                sizes = (*builder.dims(target), width)
                made += over_sizes(builder, sizes, "lane", [(like(version), version)], stored)
            return made

        try:
            made = over_sizes(builder, (strips,), "strip", pairs, strip)
        except NotSideBySideError:
            return None
    builder.statements.extend(attempt)
    return made

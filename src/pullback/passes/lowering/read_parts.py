"""Parts of arrays that loops read in place: what only lowered statements take is not taken, but indexed.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.lowering.sizes import Sizes
>>> from pullback.passes.lowering.spaces import space_of
>>> def differences(x):
...     return np.sum(x[1:] - x[:-1])
>>> function = normal_form(differences, np.ones(3))
>>> sizes, block = Sizes(function), function.body
>>> spaces = {id(s): space_of(s, sizes, "none", lambda statement: False) for s in block.statements}
>>> spaces = {key: space for key, space in spaces.items() if space is not None}
>>> [root.name for root, path in find_views(block, readers_of(block), spaces, set(), sizes).values()]
['x', 'x']
"""

from __future__ import annotations

from collections.abc import Mapping

from pullback.analysis.aliases import consumes
from pullback.analysis.sizes import Shape
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    For,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    operands_of,
    read_in,
    values_in,
)
from pullback.ir.paths import is_whole
from pullback.passes.lowering.groups import is_gather, is_view, view_of
from pullback.passes.lowering.nests import Views
from pullback.passes.lowering.sizes import Sizes
from pullback.passes.lowering.spaces import writes
from pullback.passes.lowering.views import can_index


def find_views(
    block: Block, readers: dict[Value, set[int]], spaces: dict[int, Shape], added: set[int], sizes: Sizes
) -> Views:
    """The parts of arrays that only lowered statements read, before the array changes; with root and path."""
    refused: set[Value] = set()
    while True:
        views: Views = {}
        for statement in _read_by_loops(block, readers, spaces, added, sizes, refused):
            root, path = view_of(statement) or (statement.operands[0], ())
            first, before = views.get(root, (root, ()))
            if not can_index(first, (*before, *path), sizes.shapes):
                refused.add(statement.value)  # and what it is a part of is read by more than loops
                break
            views[statement.value] = (first, (*before, *path))
        else:
            return views


def _read_by_loops(
    block: Block,
    readers: dict[Value, set[int]],
    spaces: dict[int, Shape],
    added: set[int],
    sizes: Sizes,
    refused: set[Value],
) -> list[Let]:
    """The statements that take parts of arrays for nothing but lowered statements, and for one another."""
    places = {id(s): k for k, s in enumerate(block.statements)}
    served = added | {id(s) for s in block.statements if id(s) in spaces and not writes(s)}
    refused = refused | {s.operands[0] for s in block.statements if isinstance(s, Let) and id(s) in added}
    refused |= {s.operands[0] for s in block.statements if is_gather(s)}
    ends: dict[int, int] = {}
    found: list[Let] = []
    for k, statement in reversed(list(enumerate(block.statements))):
        if not is_view(statement, sizes.shapes) or statement.value in refused:
            continue
        users = readers.get(statement.value, set())
        if 0 in users or not users <= served | {id(s) for s in found}:
            continue
        uses = [ends.get(u, places[u]) for u in users]
        ends[id(statement)] = max(uses, default=k)
        if not _changes(statement.operands[0], block.statements[k : ends[id(statement)]]):
            found.append(statement)
    return found[::-1]


def _changes(array: Value, statements: tuple[Statement, ...]) -> bool:
    """Whether one of these statements takes the memory of an array over."""
    for statement in statements:
        if isinstance(statement, Let):
            if consumes(statement) and statement.operands[0] is array:
                return True
        elif array in _read_by(statement) and isinstance(statement, For | While):
            return True
    return False


def added_parts(block: Block, spaces: dict[int, Shape]) -> set[int]:
    """The additions of parts of arrays to parts of others, which are loops wherever they stand."""
    lets = {s.value: s for s in block.statements if isinstance(s, Let)}
    added = (s for s in lets.values() if s.function is primitives.add_at and id(s) in spaces)
    return {id(s) for s in added if not is_whole(s.operands[1]) and not is_part_of(s.operands[2], s.operands[0], lets)}


def is_part_of(value: Operand, array: Value, lets: Mapping[Value, Let]) -> bool:
    """Whether an array is a part of another one as the statements of a block say."""
    made = lets.get(value) if isinstance(value, Value) else None
    found = view_of(made) if made is not None else None
    return value is array or (found is not None and is_part_of(found[0], array, lets))


def readers_of(block: Block) -> dict[Value, set[int]]:
    """For each value the statements of a block that read it; 0 stands for what the block yields."""
    readers: dict[Value, set[int]] = {}
    for statement in block.statements:
        for value in _read_by(statement):
            readers.setdefault(value, set()).add(id(statement))
    for value in values_in(block.yields):
        readers.setdefault(value, set()).add(0)
    return readers


def _read_by(statement: Statement) -> list[Value]:
    inner = [value for block in blocks_of(statement) for value in read_in(block)]
    return [*values_in(operands_of(statement)), *inner]

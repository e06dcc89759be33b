"""Lowering of blocks: the array statements of each block of a function join groups, and each group becomes a nest.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> def centred(x):
...     return x - np.mean(x)
>>> function = lower(normal_form(centred, np.ones(3)))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def centred(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    quotient = total / np.float64(x.shape[0])
    differences = np.empty(x.shape, dtype=np.float64)
    for i in range(x.shape[0]):
        differences[i] = x[i] - quotient
    return differences

A statement that is no part of a group stays where it is, unless it reads what the open group makes or takes the memory
of an array over: then the group is written out first.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal, TypeGuard

from pullback.analysis.aliases import consumes
from pullback.analysis.extents import can_compute, extent
from pullback.analysis.shape_rules import reduced_axes
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Shape
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
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
from pullback.ir.rewrite import with_blocks, with_number
from pullback.passes.lowering.branch_accesses import not_negative_for_accesses
from pullback.passes.lowering.expansion import expanded, with_joined_stored
from pullback.passes.lowering.groups import (
    Group,
    is_extremum,
    is_inner_product,
    is_map,
    is_store,
    is_sum,
    is_view,
    view_of,
)
from pullback.passes.lowering.nests import Nest, Views
from pullback.passes.lowering.sizes import Sizes
from pullback.passes.lowering.stride_lengths import with_lengths
from pullback.passes.lowering.views import are_apart, are_interleaved, can_index, has_places
from pullback.passes.scalar.preserved_exceptions import leave_checks

Extrema = Literal["none", "in rows", "all"]


def lower(function: Function, extrema: Extrema = "none") -> Function:
    """The same function with loops in place of array statements.

    It begins with checks of what it assumes of sizes, which raise SizesDiffer. extrema: which maxima and minima become
    loops too, which cannot be differentiated; those over the first axis make iterations of outermost loops wait.
    """
    plain = replace(function, body=expanded(function.body, cache(lambda: Shapes(function))))
    plain, sizes, entry = with_lengths(plain)
    guards = sizes.guards_of_joined()
    stored = with_joined_stored(plain.body, sizes) if sizes.shapes.joined else plain.body
    if stored != plain.body:
        plain = replace(plain, body=stored)
        sizes = Sizes(plain, entry=entry)
    places: set[Value] = set()
    body = _Lowering(plain.body, sizes, places, extrema).block()
    sizes.not_negative |= not_negative_for_accesses(plain, sizes.shapes, sizes.is_given)
    rest = body.statements[len(entry) :]
    lowered = replace(function, body=Block((*entry, *guards, *sizes.guards(), *rest), body.yields))
    return leave_checks(lowered, places) if places else lowered


class _Lowering:
    """One block: statements go to the open group, or out.

    places: gains the parts at a place of an axis that loops read or write. Statements that nobody reads take them, as
    loops without an iteration do not check the place.
    """

    def __init__(self, block: Block, sizes: Sizes, places: set[Value], extrema: Extrema) -> None:
        self.source, self.sizes, self.places, self.extrema = block, sizes, places, extrema
        self.out: list[Statement] = []
        self.group: Group | None = None
        self.readers = _readers(block)
        spaces = ((s, _space_of(s, sizes, extrema)) for s in block.statements)
        self.spaces = {id(s): space for s, space in spaces if space is not None}
        self.leave_products()
        self.added = _added_parts(block, self.spaces)
        self.views = _find_views(block, self.readers, self.spaces, self.added, sizes)

    def block(self) -> Block:
        for statement in self.source.statements:
            if not (isinstance(statement, Let) and statement.value in self.views):
                self.statement(statement)
            elif statement.function is primitives.load and has_places(statement.operands[1]):
                self.keep_place(statement)
        self.flush()
        return Block(tuple(self.out), self.source.yields)

    def leave_products(self) -> None:
        """Leave inner products to the library unless a factor is a part of an array, or made element by element."""
        lets = [s for s in self.source.statements if isinstance(s, Let)]
        by_elements = {s.value for s in lets if id(s) in self.spaces or is_view(s, self.sizes.shapes)}
        for statement in lets:
            if is_inner_product(statement) and by_elements.isdisjoint(values_in(statement.operands)):
                self.spaces.pop(id(statement), None)

    def keep_place(self, statement: Let) -> None:
        """Keep a part at a place of an axis as a statement that nobody reads."""
        if self.must_wait(statement):
            self.flush()
        self.places.add(statement.value)
        self.out.append(replace(statement, operands=self.views[statement.value]))

    def check_place(self, store: Let) -> None:
        """Take the part that a store of the group writes, before the group."""
        assert self.group is not None, "the store is to join a group"
        written = {member.value: member.operands[0] for member in self.group.members if is_store(member)}
        array, path, _ = store.operands
        while array in written:
            array = written[array]
        builder = Builder()
        with builder.into(self.out), builder.at(store.location):
            self.places.add(builder.load(array, path))

    def statement(self, statement: Statement) -> None:
        space = self.spaces.get(id(statement))
        if space is not None:
            assert isinstance(statement, Let), "only these have a space"
            member = _by_elements(self.renamed(statement))
            if self.group is None or not self.fits(member, space):
                self.flush()
                self.group = None if is_store(member) and id(statement) not in self.added else Group(space)
            if self.group is not None:
                if is_store(member) and has_places(member.operands[1]):
                    self.check_place(member)
                self.group.members.append(member)
                return
        elif self.asks_size(statement):
            statement = self.sized(statement)
        elif self.must_wait(statement):
            self.flush()
        self.out.append(with_blocks(statement, self.lowered))

    def lowered(self, block: Block) -> Block:
        """A block of a statement that stays."""
        return _Lowering(block, self.sizes, self.places, self.extrema).block()

    def renamed(self, statement: Let) -> Let:
        """A store that replaces all of an array that the group computes, as what it stores."""
        if statement.function is not primitives.store or self.group is None:
            return statement
        array, value = statement.operands[0], statement.operands[-1]
        if not is_store(statement) or array not in self.group.maps:
            return statement
        if not is_whole(statement.operands[1]) or self.sizes.shapes.of(array) != self.sizes.shapes.of(value):
            return statement
        return replace(statement, function=primitives.cast, operands=(value, Constant(array.type.dtype)))

    def fits(self, statement: Let, space: Shape) -> bool:
        """Whether a statement can run in the iterations of the open group."""
        group = self.group
        if group is None or group.space != space:
            return False
        read = statement.operands[1:] if is_store(statement) else statement.operands
        direct = set(values_in(read)) - set(self.views)
        viewed = {self.views[v] for v in values_in(statement.operands) if v in self.views}
        inner = {v for root, path in viewed for v in (root, *values_in(path))}
        if direct & (group.made - group.maps) or inner & group.made:
            return False
        return not is_store(statement) or self.can_write(statement)

    def can_write(self, statement: Let) -> bool:
        """Whether a store can go along with the group: no iteration reads or writes what another one has written."""
        array, path, value = statement.operands
        assert self.group is not None, "a store joins a group"
        if value not in self.group.maps:
            return False
        written = {s.value: s for s in self.group.members if is_store(s)}
        while array in written:
            before = written.pop(array)
            if len(self.readers[array]) > 1 or not are_apart(before.operands[1], path):
                return False
            array = before.operands[0]
        if array in self.group.made:
            return False
        whole = is_whole(path)
        for member in self.group.members:
            for read in values_in(member.operands[1:] if is_store(member) else member.operands):
                root, part = self.views.get(read, (read, ()))
                is_same = part == path or (whole and not part)
                if root is array and not is_same and not are_interleaved(part, path):
                    return False
        return all(s.operands[0] is not array for s in written.values())

    def asks_size(self, statement: Statement) -> TypeGuard[Let]:
        """Whether a statement asks for a size of an array of the open group."""
        if self.group is None or not isinstance(statement, Let) or statement.function is not primitives.dim:
            return False
        return statement.operands[0] in self.group.made

    def sized(self, statement: Let) -> Let:
        """The statement in terms of what the size comes from."""
        array, axis = statement.operands
        builder = Builder()
        with builder.into(self.out), builder.at(statement.location):
            size = extent(self.sizes.shapes.of(array)[axis.value], builder)
        return with_number(statement, size)

    def must_wait(self, statement: Statement) -> bool:
        """Whether a statement can run only after the open group."""
        if self.group is None:
            return False
        if not isinstance(statement, Let) or consumes(statement) or statement.function in primitives.REQUESTS:
            return True
        return bool(set(values_in(statement.operands)) & self.group.made)

    def flush(self) -> None:
        """Write the open group out as loops."""
        if self.group is None:
            return
        members = {id(s) for s in self.group.members}
        needed = {v for v in self.group.made if self.readers.get(v, set()) - members}
        self.out += Nest(self.group, needed, self.views, self.sizes).statements()
        self.group = None


def _by_elements(statement: Let) -> Let:
    """An addition to a whole array as one to its elements."""
    if statement.function is not primitives.accumulate:
        return statement
    array, value = statement.operands
    return replace(statement, function=primitives.add_at, operands=(array, (), value))


def _writes(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement stores into an array, or adds to one."""
    return isinstance(statement, Let) and is_store(_by_elements(statement))


def _space_of(statement: Statement, sizes: Sizes, extrema: Extrema) -> Shape | None:
    """The shape that a statement goes over element by element; None for other statements."""
    shapes = sizes.shapes
    space: Shape | None = None
    if is_map(statement):
        space = shapes.of(statement.value)
        if space != shapes.broadcast([shapes.of(o) for o in statement.operands if isinstance(o, Value)]):
            return None
    elif is_sum(statement):
        space = shapes.of(statement.operands[0])
    elif is_inner_product(statement):
        space, other = map(shapes.of, statement.operands)
        if space != other:
            return None
    elif is_extremum(statement):
        space = _compared(statement, sizes, extrema)
    elif _writes(statement):
        array, path, value = _by_elements(statement).operands
        if can_index(array, path, shapes) and shapes.part(shapes.of(array), path) == shapes.of(value):
            space = shapes.of(value)
    return space if space and all(map(can_compute, space)) else None


def _compared(statement: Let, sizes: Sizes, extrema: Extrema) -> Shape | None:
    """The shape of what an extremum is taken of; None for others than `extrema`, or if nothing may be there."""
    shape = sizes.shapes.of(statement.operands[0])
    axes, _ = reduced_axes(statement, len(shape)) or (frozenset(), False)
    if extrema == "none" or (extrema == "in rows" and 0 in axes):
        return None
    return shape if sizes.assume_not_empty([shape[axis] for axis in sorted(axes)]) else None


def _readers(block: Block) -> dict[Value, set[int]]:
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


def _added_parts(block: Block, spaces: dict[int, Shape]) -> set[int]:
    """The additions of parts of arrays to parts of others, which are loops wherever they stand."""
    lets = {s.value: s for s in block.statements if isinstance(s, Let)}

    def is_part_of(value: Operand, array: Value) -> bool:
        made = lets.get(value)
        found = view_of(made) if made is not None else None
        return value is array or (found is not None and is_part_of(found[0], array))

    added = (s for s in lets.values() if s.function is primitives.add_at and id(s) in spaces)
    return {id(s) for s in added if not is_whole(s.operands[1]) and not is_part_of(s.operands[2], s.operands[0])}


def _find_views(
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
    served = added | {id(s) for s in block.statements if id(s) in spaces and not _writes(s)}
    refused = refused | {s.operands[0] for s in block.statements if isinstance(s, Let) and id(s) in added}
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

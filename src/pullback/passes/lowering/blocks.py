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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeGuard

from pullback.analysis.aliases import consumes
from pullback.analysis.extents import extent
from pullback.analysis.observable import find_effects
from pullback.analysis.progressions import Progression, progression_of
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Shape
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Constant,
    Function,
    Let,
    Statement,
    Value,
    values_in,
    walk,
)
from pullback.ir.paths import is_whole
from pullback.ir.rewrite import with_blocks, with_number
from pullback.passes.lowering.branch_accesses import not_negative_for_accesses
from pullback.passes.lowering.expansion import expanded, with_joined_stored
from pullback.passes.lowering.groups import (
    Group,
    index_arrays,
    is_gather,
    is_inner_product,
    is_scatter,
    is_store,
    is_view,
)
from pullback.passes.lowering.nests import Nest
from pullback.passes.lowering.read_parts import added_parts, find_views, is_part_of, readers_of
from pullback.passes.lowering.sizes import Sizes
from pullback.passes.lowering.slice_ends import with_places
from pullback.passes.lowering.spaces import Extrema, by_elements, space_of
from pullback.passes.lowering.stride_lengths import with_lengths
from pullback.passes.lowering.views import are_apart, are_interleaved, has_places
from pullback.passes.scalar.preserved_exceptions import leave_checks

_EXACT = ("int64", "float64")
"""The dtypes whose progressions are computed from an index as `np.arange` computes them."""


def lower(function: Function, extrema: Extrema = "none") -> Function:
    """The same function with loops in place of array statements.

    It begins with checks of what it assumes of sizes, which raise SizesDiffer. extrema: which maxima and minima become
    loops too, which cannot be differentiated; those over the first axis make iterations of outermost loops wait.
    """
    plain = replace(function, body=expanded(function.body, cache(lambda: Shapes(function))))
    plain, sizes, entry = with_lengths(plain)
    placed = with_places(plain, sizes)
    agreed = sizes.agreed()
    if placed is not plain:
        plain = placed
        sizes = Sizes(plain, entry=entry, agreeing=agreed)
    guards = sizes.guards_of_joined()
    stored = with_joined_stored(plain.body, sizes) if sizes.shapes.joined else plain.body
    if stored != plain.body:
        plain = replace(plain, body=stored)
        sizes = Sizes(plain, entry=entry, agreeing=agreed)
    places: set[Value] = set()
    effects = cache(lambda: find_effects(plain))
    marks = _marks_of_tangents(plain.body)
    lets = (s for s in walk(plain.body) if isinstance(s, Let))
    progressions = {s.value: found for s in lets if (found := progression_of(s)) and s.value.type.dtype in _EXACT}
    known = _Known(sizes, places, extrema, marks, progressions, lambda statement: effects().is_seen(statement))
    body = _Lowering(plain.body, known).block()
    sizes.not_negative |= not_negative_for_accesses(plain, sizes.shapes, sizes.is_given)
    rest = body.statements[len(entry) :]
    lowered = replace(function, body=Block((*entry, *guards, *sizes.guards(), *rest), body.yields))
    return leave_checks(lowered, places) if places else lowered


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the function.

    places: gains the parts at a place of an axis that loops read or write. Statements that nobody reads take them, as
    loops without an iteration do not check the place. marks: before which the open group is written out. progressions:
    the arrays whose elements indices give. is_seen: whether a caller sees what a statement writes.
    """

    sizes: Sizes
    places: set[Value]
    extrema: Extrema
    marks: frozenset[Value]
    progressions: Mapping[Value, Progression]
    is_seen: Callable[[Statement], bool]


class _Lowering:
    """One block: statements go to the open group, or out."""

    def __init__(self, block: Block, known: _Known) -> None:
        self.source, self.known = block, known
        self.sizes, self.places, self.is_seen = known.sizes, known.places, known.is_seen
        self.out: list[Statement] = []
        self.group: Group | None = None
        self.readers = readers_of(block)
        spaces = ((s, space_of(s, self.sizes, known.extrema, self.is_seen)) for s in block.statements)
        self.spaces = {id(s): space for s, space in spaces if space is not None}
        self.leave_overlaps()
        self.leave_products()
        self.leave_gathers()
        self.added = added_parts(block, self.spaces)
        self.views = find_views(block, self.readers, self.spaces, self.added, self.sizes)

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

    def leave_overlaps(self) -> None:
        """Leave scatters of parts of an array into the same array to the library, which copies them first."""
        lets = {s.value: s for s in self.source.statements if isinstance(s, Let)}
        for statement in lets.values():
            if is_scatter(statement) and is_part_of(statement.operands[2], statement.operands[0], lets):
                self.spaces.pop(id(statement), None)

    def leave_gathers(self) -> None:
        """Leave gathers to the library unless loops read them, and scatters too where rows may be empty.

        Loops without iterations check no index.
        """
        found = [s for s in self.source.statements if (is_gather(s) or is_scatter(s)) and id(s) in self.spaces]
        for statement in reversed(found):
            first, arrays = index_arrays(statement.operands[1])
            whole = self.sizes.shapes.of(statement.operands[0])
            is_read = not self.spaces.keys().isdisjoint(self.readers.get(statement.value, ()))
            is_used = is_read or is_scatter(statement)
            if not is_used or not self.sizes.assume_not_empty([*whole[:first], *whole[first + len(arrays) :]]):
                self.spaces.pop(id(statement))

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
            member = by_elements(self.renamed(statement))
            if self.group is None or not self.fits(member, space):
                self.flush()
                is_last = is_store(member) and id(statement) not in self.added
                self.group = None if is_last and not is_scatter(member) else Group(space)
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
        return _Lowering(block, self.known).block()

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
        if is_gather(statement) and (statement.operands[0] in group.made or any(map(self.is_seen, group.members))):
            return False
        return not is_store(statement) or self.can_write(statement)

    def can_write(self, statement: Let) -> bool:
        """Whether a store can go along with the group: no iteration reads or writes what another one has written."""
        array, path, value = statement.operands
        assert self.group is not None, "a store joins a group"
        if value not in self.group.maps or (self.group.may_raise and self.is_seen(statement)):
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
            if is_gather(member) and member.operands[0] is array:
                return False
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
        if self.group.may_raise:
            return True  # an index may be out of bounds, which no error of a later statement may precede
        if not isinstance(statement, Let) or consumes(statement) or statement.function in primitives.REQUESTS:
            return True
        if statement.function is primitives.load and any(map(self.is_seen, self.group.members)):
            return True  # an index of its own may be, which no write before it may follow
        if statement.value in self.known.marks:
            return True
        return bool(set(values_in(statement.operands)) & self.group.made)

    def flush(self) -> None:
        """Write the open group out as loops."""
        if self.group is None:
            return
        members = {id(s) for s in self.group.members}
        needed = {v for v in self.group.made if self.readers.get(v, set()) - members}
        self.out += Nest(self.group, needed, self.views, self.sizes, self.known.progressions).statements()
        self.group = None


def _marks_of_tangents(block: Block) -> frozenset[Value]:
    """The sources whose tangents are given: these are computed before their marks, and stay there."""
    requests = (s for s in walk(block) if isinstance(s, Let) and s.function is primitives.tangent)
    return frozenset(value for request in requests for value in request.operands[1])

"""Where loops that run in segments stand, in the forward block and among the backward statements that mirror it.

>>> from pullback.frontend.build import normal_form
>>> def f(x, n):
...     for _ in range(n):
...         x = 0.5 * x
...     return told(x, n)
>>> def told(x, n):
...     print(n)
...     return x if n == 0 else told(x * x, n - 1)
>>> def g(x, n):
...     while x > 0.1:
...         x = 0.5 * told(x, n)
...     return x
>>> for function in (normal_form(f, 0.5, 3), normal_form(g, 0.5, 3)):
...     loop = next(s for s in function.body.statements if isinstance(s, For | While))
...     print(can_be_checkpointed(loop, function))
True
False
"""

from __future__ import annotations

from dataclasses import replace

from pullback.analysis.shapes import Shapes
from pullback.errors import LanguageError, Problem
from pullback.ir import primitives
from pullback.ir.external import calls_outside, draws, has_to_stay, statements_run_by
from pullback.ir.nodes import (
    Block,
    Call,
    Constant,
    Effect,
    For,
    Function,
    If,
    Statement,
    Value,
    While,
    blocks_of,
    defined_in,
    read_by,
    results_of,
    walk,
)
from pullback.transform.checkpointing.binomial import BinomialSegments, may_change_size
from pullback.transform.checkpointing.segmentation import CountedSegments, GrowingSegments, Merge, Segments, is_counted
from pullback.transform.recursion import joint_name
from pullback.transform.reverse.sweep import Sweep


def can_be_checkpointed(statement: Statement, function: Function) -> bool:
    """Whether a statement is a loop of a function that can run in segments: to run it twice is not seen outside.

    A call that prints, or of a function that is not read, is seen.
    """
    if not isinstance(statement, For | While) or (isinstance(statement, For) and statement.reverse):
        return False
    seen = {name for c in function.callees if _is_seen(c.body) for name in (c.name, joint_name(c.name))}
    calls = [s for s in walk(Block((statement,))) if isinstance(s, Call)]
    return not any(s.function in seen if isinstance(s.function, str) else has_to_stay(s) for s in calls)


def asked_for(function: Function, loops: list[For | While]) -> set[int]:
    """The ids of those loops that the user wants to run in segments."""
    found = [loop for loop in loops if isinstance(loop, For) and loop.checkpoints is not None]
    for loop in found:
        if not can_be_checkpointed(loop, function):
            raise LanguageError([_problem(loop, function)])
    return set(map(id, found))


def _problem(loop: For, function: Function) -> Problem:
    """Why a loop cannot run in segments."""
    bodies = {name: c.body for c in function.callees for name in (c.name, joint_name(c.name))}
    if any(map(draws, statements_run_by((loop,), bodies))):
        reason = "this loop draws random numbers: it cannot run in segments, twice each"
        return Problem(loop.location, reason, "leave out pb.checkpointed, or draw them before, into an array")
    reason = "what this loop calls prints, or is not read: it cannot run in segments, twice each"
    return Problem(loop.location, reason, "leave out pb.checkpointed, or what prints")


def _is_seen(block: Block) -> bool:
    """Whether a block prints, raises, or calls what is not read."""
    effects = (s for s in walk(block) if isinstance(s, Effect) and s.function is not primitives.check)
    return any(True for _ in effects) or calls_outside(block)


def with_checkpoints(
    body: Block, sweep: Sweep, chosen: set[int], shapes: Shapes, merge: Merge
) -> tuple[Block, dict[Value, Segments]]:
    """The forward block with the loops whose ids are `chosen` in segments, and `sweep` with their mirrors.

    `merge` makes one block of a segment's forward and its backward iterations. Also returned: the segments of each
    loop, by the index of the backward loop over them.
    """
    made = _Checkpoints(sweep, chosen, shapes, merge)
    if chosen:
        body = made.both(body, sweep.statements, set())
    return body, made.found


class _Checkpoints:
    """Goes through a forward block and the backward statements that mirror it, and through the blocks inside."""

    def __init__(self, sweep: Sweep, chosen: set[int], shapes: Shapes, merge: Merge) -> None:
        self.sweep, self.chosen, self.shapes, self.merge = sweep, chosen, shapes, merge
        self.found: dict[Value, Segments] = {}
        self.moved: list[Statement] = []

    def both(self, body: Block, backward: list[Statement], inside: set[Value]) -> Block:
        """The forward block with its loops in segments; their mirrors take their places in `backward`.

        inside: what the statement around the block makes; what of the lengths does not depend on it goes to `moved`.
        """
        statements: list[Statement] = []
        for forward in body.statements:
            place = next((k for k, s in enumerate(backward) if self.sweep.mirror_of(s) is forward), None)
            if place is None or not any(id(s) in self.chosen for s in walk(Block((forward,)))):
                statements.append(forward)
            elif isinstance(forward, For | While) and id(forward) in self.chosen:
                mirror = backward[place]
                assert isinstance(mirror, For), "the mirror of a loop counts its iterations"
                pieces = self.segments(forward, mirror)
                statements += [*self.before(pieces, inside), pieces.outer]
                backward[place] = made = pieces.backwards()
                self.found[made.index] = pieces
            else:
                around, self.moved = self.moved, []
                changed, backward[place] = self.inside(forward, backward[place])
                moved, self.moved = self.moved, around
                statements += [*self.staying(moved, inside), changed]
        return Block(tuple(statements), body.yields)

    def before(self, pieces: Segments, inside: set[Value]) -> list[Statement]:
        """What stands before the loops over segments, without what can be computed further outside."""
        step = pieces.forward.step if isinstance(pieces.forward, For) else None
        return self.staying(pieces.before, inside) if isinstance(step, Constant) else pieces.before

    def staying(self, statements: list[Statement], inside: set[Value]) -> list[Statement]:
        """Those of some statements that depend on what is made inside of the statement around; the others are moved."""
        if not inside:
            return statements
        varying = set(inside)
        staying: list[Statement] = []
        for statement in statements:
            if varying.isdisjoint(read_by(statement)):
                self.moved.append(statement)
            else:
                staying.append(statement)
                varying.update(results_of(statement))
        return staying

    def segments(self, forward: For | While, mirror: For) -> Segments:
        kind: type[Segments] = CountedSegments if is_counted(forward) else GrowingSegments
        if isinstance(forward, For) and forward.checkpoints not in (None, Constant(None)):
            # The sizes of tangents are not always known to be those of the values; the user cannot change that.
            unknown = [c for c in forward.carried if may_change_size(c, self.shapes)]
            if not any(c.parameter.of is not None for c in unknown):
                kind = BinomialSegments
        return kind(forward, mirror, self.sweep, self.shapes, self.merge)

    def inside(self, forward: Statement, mirror: Statement) -> tuple[Statement, Statement]:
        """A branch or a loop, and its mirror, with the loops inside them in segments."""
        made_inside = {*defined_in(Block((forward,)))}
        made_inside.update(s.index for s in walk(Block((forward,))) if isinstance(s, For))
        pairs: list[tuple[Block, Block]] = []
        for block, mirrored in zip(_bodies(forward), _bodies(mirror), strict=True):
            statements = list(mirrored.statements)
            changed = self.both(block, statements, made_inside)
            pairs.append((changed, Block(tuple(statements), mirrored.yields)))
        made = _with_bodies(forward, [block for block, _ in pairs])
        self.sweep.replace_mirrored(forward, made)
        return made, _with_bodies(mirror, [block for _, block in pairs])


def _bodies(statement: Statement) -> tuple[Block, ...]:
    """The blocks of a branch, or the body of a loop."""
    return blocks_of(statement)[-1:] if isinstance(statement, While) else blocks_of(statement)


def _with_bodies(statement: Statement, blocks: list[Block]) -> Statement:
    if isinstance(statement, If):
        return replace(statement, then=blocks[0], orelse=blocks[1])
    assert isinstance(statement, For | While), "branches and loops have blocks"
    return replace(statement, body=blocks[0])

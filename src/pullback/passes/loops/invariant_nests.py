"""Loop-invariant code motion of nests: what is the same in every iteration is computed once, loops and arrays included.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(a, x):
...     s = 0.0
...     for i in range(a.shape[0]):
...         for j in range(x.shape[0]):
...             s += a[i, j] * np.exp(x[j])
...     return s
>>> function = hoist_invariant_nests(prepared(normal_form(f, np.ones((2, 3)), np.ones(3))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def f(a, x):
    exps = np.empty((max(x.shape[0], 0),), dtype=np.float64)
    if 0 < a.shape[0]:
        for j in range(x.shape[0]):
            exps[j] = np.exp(x[j])
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(x.shape[0]):
            s += a[i, j] * exps[j]
    return s

A nest moves as a whole, or it is distributed (Allen & Kennedy 2001, 5.4): what of it is the same and takes long is in a
loop of its own then, and an array holds what the other one reads of it. As an iteration that never runs must not raise,
and has no derivative, what moves is in a branch that asks whether the loop has iterations.

Nothing moves behind which another statement of the iteration could be seen: one that prints or raises, or writes to an
argument. An array moves if no other statement writes to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from pullback.analysis.aliases import consumed_in, root_of, shares_memory
from pullback.analysis.invariance import is_filled_alike, is_pure
from pullback.analysis.observable import find_effects
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    blocks_in,
    lets_in,
    read_by,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import like, substituted, with_blocks
from pullback.ir.types import Array
from pullback.passes.loops.invariant_parts import distributed, is_costly
from pullback.passes.loops.loop_invariants import is_safe

ZERO = constant(0)


def hoist_invariant_nests(function: Function) -> Function:
    """The same function with such nests before their loops."""
    callees = tuple(map(hoist_invariant_nests, function.callees))
    return replace(function, body=_Motions(function).block(function.body), callees=callees)


class _Motions:
    """Moves nests out of all loops of a function, the inner ones first.

    sizes: numbers that are known not to be negative.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.effects = find_effects(function)
        self.sizes: set[Operand] = set()
        for statement in lets_in(function.body).values():
            self.note_size(statement)

    @cached_property
    def ranges(self) -> Ranges:
        """The integers of the function; few loops ask."""
        ranges = Ranges(Shapes(self.function))
        for statement in lets_in(self.function.body).values():
            ranges.note(statement)
        return ranges

    def note_size(self, statement: Let) -> None:
        if statement.function is primitives.dim or (statement.function is max and ZERO in statement.operands):
            self.sizes.add(statement.value)

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            changed = with_blocks(statement, self.block)
            statements += _Motion(changed, self).moved() if isinstance(changed, For) else [changed]
        return Block(tuple(statements), block.yields)


class _Motion:
    """What moves out of one loop.

    held: the places of the carried arrays that are the same after every iteration, as far as is known.
    staying: arrays that do not move, as others write to them.
    """

    def __init__(self, loop: For, around: _Motions) -> None:
        self.loop, self.around = loop, around
        vectors = (k for k, c in enumerate(loop.carried) if isinstance(c.parameter.type, Array))
        self.held = {k for k in vectors if not around.effects.is_of_caller(loop.carried[k].parameter)}
        self.staying: set[Value] = set()
        self.before: list[Statement] = []
        self.inside: list[Statement] = []

    def moved(self) -> list[Statement]:
        """The statements in place of the loop: itself, if no nest moves."""
        loop = self.loop
        if loop.exits or loop.reverse or loop.checkpoints is not None or not isinstance(loop.step, Constant):
            return [loop]
        while True:
            self.divide()
            if not any(map(is_costly, self.before)):
                return [loop]
            wrong, conflicts = self.wrong_places(), self.conflicts()
            if not wrong and not conflicts:
                return self.guarded()
            self.held -= wrong
            self.staying |= conflicts

    def divide(self) -> None:
        """Divide the statements of an iteration into those that move and those that stay."""
        carried = self.loop.carried
        changing = {self.loop.index, *(c.parameter for k, c in enumerate(carried) if k not in self.held), *self.staying}
        self.before, self.inside = [], []
        is_seen = False
        for statement in self.loop.body.statements:
            is_same = is_pure(statement) and changing.isdisjoint((*read_by(statement), *results_of(statement)))
            parts = None
            if isinstance(statement, For) and not is_same and not is_seen:
                parts = distributed(statement, changing)
            if is_same and not is_seen:
                self.before.append(statement)
            elif parts is not None:
                self.before += parts[0]
                self.inside += parts[1]
                changing.update(value for s in parts[1] for value in results_of(s))
            else:
                self.inside.append(statement)
                changing.update(results_of(statement))
            is_seen = is_seen or self.around.effects.are_in(Block((statement,)))

    def wrong_places(self) -> set[int]:
        """The places of carried arrays that are not the same after every iteration."""
        loop, read = self.loop, set(read_in(Block(tuple(self.inside))))
        made = {value for s in self.before for value in results_of(s)}
        wrong = set()
        for k in self.held:
            array, after = loop.carried[k].parameter, loop.body.yields[k]
            is_right = after in made and array not in read
            if not is_right or not is_filled_alike(array, after, self.before, self.around.ranges):
                wrong.add(k)
        return wrong

    def conflicts(self) -> set[Value]:
        """The arrays of what moves that cannot: others write to their memory, read an old version, or hand them on."""
        inside = Block(tuple(self.inside))
        origin = {v: v for s in self.before for v in results_of(s) if isinstance(v.type, Array)}
        for let in lets_in(inside).values():
            if shares_memory(let) and let.operands[0] in origin:
                origin[let.value] = origin[let.operands[0]]
        handed = {v for block in blocks_in(inside) for v in values_in(block.yields)}
        handed.update(v for k, y in enumerate(self.loop.body.yields) if k not in self.held for v in values_in(y))
        old = consumed_in(Block(tuple(self.before))).intersection(read_in(inside))
        return {origin[v] for v in consumed_in(inside) | handed | old if v in origin}

    def guarded(self) -> list[Statement]:
        """What moves, in a branch that asks whether there are iterations, then the loop."""
        loop, builder = self.loop, Builder()
        builder.location = loop.location
        initials = {loop.carried[k].parameter: loop.carried[k].initial for k in self.held}
        before = substituted(Block(tuple(self.before)), initials).statements
        free = self.safe(before)
        builder.statements += free
        branch = Block(tuple(s for s in before if s not in free))
        made = {value: s for s in walk(branch) for value in results_of(s)}
        staying = [k for k in range(len(loop.carried)) if k not in self.held]
        inside = Block(tuple(self.inside), tuple(loop.body.yields[k] for k in staying))
        of_held = {loop.body.yields[k]: loop.results[k] for k in self.held}
        terms = {v: of_held.get(v) or like(v) for v in (*of_held, *read_in(inside)) if v in made}
        less = np.less if loop.step.value > 0 else np.greater
        runs = builder.let(less, loop.start, loop.stop)
        with builder.block() as otherwise:
            placeholders = tuple(self.placeholder(v, made, builder) for v in terms)
        then, orelse = Block(branch.statements, tuple(terms)), Block(tuple(otherwise), placeholders)
        builder.add(If(runs, then, orelse, tuple(terms.values()), loop.location))
        carried = tuple(loop.carried[k] for k in staying)
        results = tuple(loop.results[k] for k in staying)
        rest = replace(loop, carried=carried, body=substituted(inside, terms), results=results)
        return [*builder.statements, rest]

    def safe(self, statements: Iterable[Statement]) -> list[Statement]:
        """Those that cannot fail, and make numbers or arrays, so that they need not wait for a first iteration."""
        safe: list[Statement] = []
        waiting: set[Value] = set()
        for statement in statements:
            if waiting.isdisjoint(read_by(statement)) and isinstance(statement, Let) and self.cannot_fail(statement):
                safe.append(statement)
                self.around.note_size(statement)
            else:
                waiting.update(results_of(statement))
        return safe

    def cannot_fail(self, statement: Let) -> bool:
        if statement.function not in primitives.CREATING:
            return is_safe(statement)
        shape = statement.operands[0]
        sizes = shape if isinstance(shape, tuple) else (shape,)
        return all(isinstance(s, Constant) and s.value >= 0 for s in sizes if s not in self.around.sizes)

    def placeholder(self, value: Value, made: Mapping[Value, Statement], builder: Builder) -> Operand:
        """What stands for a value where the loop has no iterations: of an array the version before, if there is one."""
        if not isinstance(value.type, Array):
            return Constant(np.zeros((), value.type.dtype.rstrip("*")).item(), value.type)
        root = root_of(value, made)
        is_there = root is not None and root not in made
        return root if is_there else builder.empty((constant(0),) * value.type.ndim, value.type, value.name)

"""Observable effects: which blocks do what a caller sees even where an exception follows, or raise another one.

>>> import numpy as np
>>> from pullback.ir.nodes import For
>>> from pullback.frontend.build import normal_form
>>> def f(x, y, n):
...     for i in range(n):
...         x[i] = 0.0
...     for i in range(n):
...         x[0] += y[i] * y[i]
...     s = 0.0
...     for i in range(n):
...         s += y[i]
...     return s
>>> function = normal_form(f, np.ones(3), np.ones(3), 3)
>>> effects = find_effects(function)
>>> [effects.are_in(s.body) for s in function.body.statements if isinstance(s, For)]
[True, True, False]

Effects are prints, calls of what is not read, and writes to the memory of an argument. A function without them is
called again by Python where it raises, which tells the right one of two exceptions; in others, statements that raise
what is no IndexError are effects too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import Aliases, consumes, find_aliases
from pullback.ir import primitives
from pullback.ir.external import has_to_stay, statements_run_by
from pullback.ir.nodes import Block, Call, Constant, Effect, Function, Let, Statement, Value, walk
from pullback.ir.types import is_integer

_SEEN = {*primitives.PRINTING, primitives.breakpoint_, primitives.write_back}
_OURS = {runtime.SizesDiffer, runtime.KeepsTooMuch, runtime.ResultNotFinite}
"""Exceptions after which another form of the function runs."""

_DIVISIONS = {np.floor_divide, np.remainder}


@dataclass(frozen=True, slots=True)
class Effects:
    """What is seen of a function.

    written: the arguments that it changes for its caller. callees: the functions that it calls, by name. once: whether
    it is not called again where it raises.
    """

    aliases: Aliases
    written: frozenset[Value]
    callees: Mapping[str, Function]
    once: bool

    def are_in(self, block: Block) -> bool:
        """Whether a block, or what it calls, has an effect that is seen."""
        bodies = {name: callee.body for name, callee in self.callees.items()}
        return any(map(self.is_seen, statements_run_by(block.statements, bodies)))

    def are_writes(self, block: Block) -> bool:
        """Whether a block has such an effect, and each is a write to memory."""
        seen = [statement for statement in walk(block) if self.is_seen(statement)]
        return bool(seen) and all(isinstance(s, Let) and self._writes(s) for s in seen)

    def is_seen(self, statement: Statement) -> bool:
        match statement:
            case Effect(function=primitives.check, operands=(_, Constant(value=kind), *_)):
                return self.once and kind not in _OURS
            case Effect(function=primitives.raise_):
                return self.once
            case Effect(function=primitives.evaluated):
                return bool(self.written)
            case Effect():
                return statement.function in _SEEN
            case Call(function=str() as name):
                return bool(self.written) or name not in self.callees or bool(self.callees[name].mutated)
            case Call():
                return bool(self.written) or has_to_stay(statement)
            case Let() if self.written:
                return self._writes(statement) or _divides(statement)
        return False

    def is_of_caller(self, array: Value) -> bool:
        """Whether an array is in the memory of an argument that changes for the caller."""
        return self.aliases.root(array) in self.written

    def _writes(self, statement: Let) -> bool:
        return consumes(statement) and self.is_of_caller(statement.value)


def find_effects(function: Function) -> Effects:
    """What is seen of a function; the arrays that it is given for its results alone are not looked at before."""
    changed = {function.parameters[k] for k in function.mutated}
    for statement in walk(function.body) if changed else ():
        if isinstance(statement, Let) and statement.function is primitives.shaped_like:
            changed.discard(statement.operands[0])
    aliases = find_aliases(function) if changed else Aliases()
    callees = {callee.name: callee for callee in (function, *function.callees)}
    written = frozenset(map(aliases.root, changed))
    silent = Effects(aliases, written, callees, once=False)
    once = bool(written) or any(silent.are_in(each.body) for each in callees.values())
    return replace(silent, once=once)


def _divides(statement: Let) -> bool:
    """Whether a statement divides integers, and raises where they are divided by 0."""
    return statement.function in _DIVISIONS and is_integer(statement.value.type)

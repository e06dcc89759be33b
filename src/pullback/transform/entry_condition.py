"""The condition at the entry of a function: whether the sizes of its arguments are as its form assumes.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.passes.running import run
>>> def f(x, w):
...     return np.sum(np.exp(x) * w)
>>> lowered = run(normal_form(f, np.ones(3), np.ones(3)), replace(ALL, lowered=True), "lowering")
>>> print(show(entry_condition(lowered)))
f_fits(x: float64[:], w: float64[:]):
    t.0: int64* = dim(x, 0)
    t.1: int64* = dim(w, 0)
    t.2: bool* = equal(t.0, t.1)
    t.3 = if t.2:
        yield True
    else:
        yield False
    return t.3

Compiled code calls it before it calls the function: in Python, the exception that the function raises says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.analysis.sizes import is_guard
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Function, If, Let, Operand, Statement, Value
from pullback.ir.types import BOOL, Scalar
from pullback.passes.scalar.dead_code import remove_dead


def entry_condition(function: Function) -> Function | None:
    """A function of the same arguments that returns whether all checks of sizes hold.

    None where there are none, or where one of them needs more than arithmetic of sizes and numbers.
    """
    statements = function.body.statements
    guards = [k for k, statement in enumerate(statements) if is_guard(statement)]
    if not guards:
        return None
    body = _condition([s for s in statements[: guards[-1] + 1] if isinstance(s, Let) or is_guard(s)])
    made = replace(function, name=f"{function.name}_fits", body=body, callees=(), mutated=())
    made = remove_dead(made)
    return made if _is_simple(made.body, set(made.parameters)) else None


def _condition(statements: Sequence[Statement]) -> Block:
    """The statements up to the first check, with the rest in the branch where it holds."""
    for k, statement in enumerate(statements):
        if is_guard(statement):
            holds = Value("", BOOL)
            otherwise = Block((), (constant(False),))
            branch = If(statement.operands[0], _condition(statements[k + 1 :]), otherwise, (holds,), statement.location)
            return Block((*statements[:k], branch), (holds,))
    return Block((), (constant(True),))


def _is_simple(block: Block, known: set[Value]) -> bool:
    """Whether a block reads what it has defined itself, and makes numbers alone."""
    for statement in block.statements:
        if isinstance(statement, If):
            if not _reads(statement.condition, known) or not _is_simple(statement.then, set(known)):
                return False
            known.update(statement.results)
        elif isinstance(statement, Let):
            if not isinstance(statement.value.type, Scalar) or not _reads(statement.operands, known):
                return False
            known.add(statement.value)
    return True


def _reads(operand: Operand | tuple[Operand, ...], known: set[Value]) -> bool:
    parts = operand if isinstance(operand, tuple) else (operand,)
    return all(_reads(p, known) if isinstance(p, tuple) else not isinstance(p, Value) or p in known for p in parts)

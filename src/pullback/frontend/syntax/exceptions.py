"""`try`: accepted where its body cannot raise what a handler catches, or where the handler only raises again.

What the body can raise is read off its statements. Errors of Python's own types (TypeError, AttributeError, NameError,
ImportError) are found before the run. The others come from the operations that the normal form has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from pullback.frontend.values.bindings import Binding, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.nodes import Block, Call, Effect, Let, Statement, values_in, walk
from pullback.ir.types import Array


def execute_guarded(context: Context, node: Any, execute: Callable[[Context, list[Any]], None]) -> None:
    """A `try` whose handlers cannot be entered; else a refusal at the handler."""
    start = len(context.builder.statements)
    execute(context, node.body)
    made = tuple(context.builder.statements[start:])
    for handler in node.handlers:
        if not _only_raises(handler):
            _check_handler(context, handler, made)
    if not context.state.dead:
        execute(context, node.orelse)
    if not context.state.dead:
        execute(context, node.finalbody)


def _only_raises(handler: Any) -> bool:
    """Whether a handler raises again, so that an error stays one."""
    return isinstance(handler.body[-1], gast.Raise) and all(isinstance(s, gast.Raise | gast.Expr) for s in handler.body)


def _check_handler(context: Context, handler: Any, made: Sequence[Statement]) -> None:
    caught = (Exception,) if handler.type is None else _classes(context, context.evaluate(handler.type), handler)
    for statement in walk(Block(tuple(made), ())):
        raised = next((kind for kind in raised_by(statement) if _meet(kind, caught)), None)
        if raised is not None:
            line = f"line {statement.location.line}" if statement.location.line else "the block"
            reason = (
                f"'except' may be entered, as {line} may raise {raised.__name__}, and the backward pass cannot tell"
            )
            remedy = "test the condition before, as in 'if' and 'else', or write a handler that only raises"
            context.refuse(handler, reason, remedy)


def _classes(context: Context, binding: Binding, node: Any) -> tuple[type, ...]:
    items = binding.items if isinstance(binding, TupleValue) else (binding,)
    found = [item.value for item in items if isinstance(item, Static) and isinstance(item.value, type)]
    if len(found) < len(items):
        context.refuse(node, "what 'except' catches must be known before the run", "write the name of an exception")
    return tuple(found)


def _meet(raised: type, caught: tuple[type, ...]) -> bool:
    """Whether a handler for these classes may be entered by an exception of a class, or of one derived from it."""
    return any(issubclass(raised, kind) or issubclass(kind, raised) for kind in caught)


def raised_by(statement: Statement) -> tuple[type, ...]:
    """The exceptions that a statement may raise when it runs."""
    match statement:
        case (
            Effect(function=primitives.raise_, operands=(kind, *_))
            | Effect(function=primitives.check, operands=(_, kind, *_))
        ):
            return (kind.value,)
        case Effect(function=primitives.print_ | primitives.print_to):
            return ()
        case Let(function=primitives.load | primitives.store | primitives.add_at | primitives.load_last):
            return (IndexError, ValueError)
        case Let(function=function) if function in (primitives.cast, primitives.copy, primitives.dim):
            return ()
        case Let(function=np.ufunc() as function):
            return _raised_by_elements(statement, function)
        case Let():
            return (ArithmeticError, LookupError, ValueError)  # types are settled before the run
        case Call():
            return (Exception,)
    return ()


def _raised_by_elements(statement: Let, function: np.ufunc) -> tuple[type, ...]:
    """Numbers of Python's own raise where those of NumPy are infinite; arrays may not broadcast."""
    arrays = [value for value in values_in(statement.operands) if isinstance(value.type, Array)]
    if len(arrays) > 1:
        return (ValueError,)
    if not arrays and getattr(statement.value.type, "weak", False) and function not in SAFE:
        return (ArithmeticError, ValueError)
    return ()


SAFE = {np.negative, np.absolute, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}
SAFE |= {np.logical_not, np.logical_and, np.logical_or}

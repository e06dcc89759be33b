"""A function that Numba has refused becomes the error for the user's call that Numba cannot compile, if there is one.

Each call of a public function is compiled by itself, in the text that it has: this happens only after a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numba
import numpy as np

from pullback.compilation.modules import load_module
from pullback.emission.module import emit_module
from pullback.errors import LanguageError, Problem
from pullback.frontend.source.addresses import address_of, name_of
from pullback.ir.nodes import NOWHERE, Block, Call, Function, Let, Value, operands_of, results_of, values_in, walk
from pullback.ir.types import Array, Type


def find_uncompilable(function: Function) -> LanguageError | None:
    """The error for the first call of another function that Numba has no code for; None if it has code for all."""
    for statement in _calls(function):
        if not _compiles(statement):
            reason = f"Numba cannot compile this call of {name_of(statement.function)}"
            remedy = "call it before and pass the result, or use pb.differentiable(jit=False)"
            return LanguageError([Problem(statement.location, reason, remedy)])
    return None


def _calls(function: Function) -> Iterator[Let | Call]:
    """The calls of public functions that are not arithmetic on elements, of each kind one."""
    seen: set[Any] = set()
    for statement in walk(function.body):
        if not isinstance(statement, Let | Call) or address_of(statement.function) is None:
            continue
        types = tuple(v.type for v in values_in(operands_of(statement)))
        if (statement.function, statement.keywords, types) not in seen:
            seen.add((statement.function, statement.keywords, types))
            yield statement


def _compiles(statement: Let | Call) -> bool:
    parameters = tuple(dict.fromkeys(values_in(operands_of(statement))))
    made = tuple(Value("result", result.type) for result in results_of(statement))
    if isinstance(statement, Let):
        alone: Let | Call = replace(statement, value=made[0], location=NOWHERE)
    else:
        alone = replace(statement, results=made, location=NOWHERE)
    body = Block((alone,), made)
    text = emit_module([Function("call", parameters, body)], compiled=True, comments=False)
    dispatcher = numba.njit(load_module("call", text, "blame").call)
    try:
        dispatcher.compile(tuple(_numba_type(parameter.type) for parameter in parameters))
    except Exception:  # not only NumbaError: of Numba's own code for the function
        return False
    return True


def _numba_type(type_: Type) -> Any:
    if isinstance(type_, Array):
        return numba.typeof(np.empty((1,) * type_.ndim, type_.dtype))
    return numba.typeof(np.dtype(type_.dtype).type(1))

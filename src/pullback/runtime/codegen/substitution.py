"""Functions that compiled code has its own version of: the name `np.empty` becomes that of our `empty`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass

OWN: dict[str, Callable[..., Any]] = {}
"""name in NumPy → the function in its place"""
OWN_BUILTINS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""The same for functions of Python."""


@register_pass(mutates_CFG=False, analysis_only=False)
class Substitution(FunctionPass):
    """Puts our functions in the place of NumPy's and Python's."""

    _name = "pullback_substitution"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        changed = False
        for block in state.func_ir.blocks.values():
            modules = set[str]()
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    own = _own(statement, modules)
                    if own is not None:
                        statement.value = ir.Global(own.__name__, own, statement.value.loc)
                        changed = True
        return changed


def _own(statement: Any, modules: set[str]) -> Callable[..., Any] | None:
    """What an assignment is to take in the place of its function, if anything; `modules`: the variables for NumPy."""
    match statement.value:
        case ir.Global() | ir.FreeVar() as outside:
            if outside.value is np:
                modules.add(statement.target.name)
            return next((own for builtin, own in OWN_BUILTINS.items() if builtin is outside.value), None)
        case ir.Expr(op="getattr") as read if read.value.name in modules:
            return OWN.get(read.attr)
    return None

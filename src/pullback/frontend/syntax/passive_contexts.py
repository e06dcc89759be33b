"""`with np.errstate(...)` and its like, which decide about warnings alone, and bars of `tqdm`: the block runs as it is.

A setting that makes errors of warnings is refused.
"""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

import numpy as np

from pullback.frontend.source.desugar import BARS, call_name
from pullback.frontend.values.bindings import Binding, ObjectRef, Static
from pullback.frontend.values.context import Context
from pullback.functions.progress import ProgressBar

PASSIVE = (np.errstate, warnings.catch_warnings, np.printoptions)


def enter_passive(context: Context, node: Any) -> list[tuple[Any, Binding]]:
    """The names that a with-statement binds, after a check that what it enters changes no result."""
    bound: list[tuple[Any, Binding]] = []
    for item in node.items:
        call = item.context_expr
        if call_name(call) in BARS:
            entered = context.evaluate(call)
            if not isinstance(entered, ObjectRef) or entered.kind is not ProgressBar:
                _refuse(context, call)
            bound += [(item.optional_vars, entered)] * (item.optional_vars is not None)
            continue
        function = context.evaluate(call.func)
        if not isinstance(function, Static) or function.value not in PASSIVE:
            _refuse(context, call)
        settings = [context.evaluate(value) for value in (*call.args, *(keyword.value for keyword in call.keywords))]
        if function.value is np.printoptions:
            context.refuse(call, "'np.printoptions' would not hold for what is printed", "enter it around the call")
        if function.value is np.errstate and not all(setting in _SILENT for setting in settings):
            reason = "a floating point error that raises an exception cannot be followed"
            context.refuse(call, reason, "use 'ignore' or 'warn', or test the numbers with an 'if'")
    return bound


def _refuse(context: Context, call: Any) -> NoReturn:
    reason = "'with' cannot be differentiated: the backward pass cannot enter and leave the context again"
    context.refuse(call, reason, "enter the context around the call")


_SILENT = [Static("ignore"), Static("warn"), Static("print"), Static(None)]

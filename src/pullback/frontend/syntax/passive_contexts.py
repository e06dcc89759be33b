"""`with np.errstate(...)` and its like, which decide about warnings alone: the block runs as it stands.

A setting that makes errors of warnings is refused.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pullback.frontend.values.bindings import Static
from pullback.frontend.values.context import Context

PASSIVE = (np.errstate, warnings.catch_warnings, np.printoptions)


def enter_passive(context: Context, node: Any) -> None:
    """Check that what a with-statement enters changes no result."""
    for item in node.items:
        call = item.context_expr
        function = context.evaluate(call.func)
        if not isinstance(function, Static) or function.value not in PASSIVE:
            reason = "'with' cannot be differentiated: the backward pass cannot enter and leave the context again"
            context.refuse(call, reason, "enter the context around the call")
        settings = [context.evaluate(value) for value in (*call.args, *(keyword.value for keyword in call.keywords))]
        if function.value is np.errstate and not all(setting in _SILENT for setting in settings):
            reason = "a floating point error that raises an exception cannot be followed"
            context.refuse(call, reason, "use 'ignore' or 'warn', or test the numbers with an 'if'")


_SILENT = [Static("ignore"), Static("warn"), Static("print"), Static(None)]

"""The arguments of a statement: what its function is handed by position, and by name.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import walk
>>> (statement,) = walk(normal_form(lambda x: np.sum(x, axis=0), np.ones((2, 3))).body)
>>> positional, named = arguments_of(statement)
>>> len(positional), named["axis"].value
(1, 0)
"""

from __future__ import annotations

from typing import Any

from pullback.ir.nodes import Call, Let


def arguments_of(statement: Let | Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a function is handed by position, and by name."""
    count = len(statement.operands) - len(statement.keywords)
    return statement.operands[:count], dict(zip(statement.keywords, statement.operands[count:], strict=True))

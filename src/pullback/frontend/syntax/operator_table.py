"""What the operators of Python's syntax mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from pullback.functions import RECORDS

OPERATORS: dict[type, Callable[..., Any]] = {
    getattr(gast, record.operator): record.function for record in RECORDS.values() if record.operator
}
"""The function for each node: `np.add` for `gast.Add`."""

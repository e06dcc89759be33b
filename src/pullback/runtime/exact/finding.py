"""Machine code from disk mentions functions by name: here a name becomes what it stands for in this process.

>>> place_again("pullback_special_j0"), place_again("pullback_special_nothing")
(True, False)
"""

from __future__ import annotations

import importlib
from typing import Any

from pullback.runtime.exact.native import LOOP, place_loop
from pullback.runtime.exact.of_cython import SPECIAL, place_special

_MODULES = {"numpy": "numpy", "linalg": "numpy.linalg._umath_linalg", "special": "scipy.special._ufuncs"}
"""Where the ufuncs of a library are."""


def place_again(symbol: str) -> bool:
    """Let compiled code find a function or loop again; False where there is none of this name."""
    if symbol.startswith(SPECIAL):
        return place_special(symbol.removeprefix(SPECIAL))
    library, _, rest = symbol.removeprefix(LOOP).partition("-")
    if not symbol.startswith(LOOP) or library not in _MODULES:
        return False
    name, taken, given = rest.rsplit("_", 2)
    ufunc: Any = getattr(importlib.import_module(_MODULES[library]), name, None)
    if f"{taken}->{given}" not in getattr(ufunc, "types", ()):
        return False
    place_loop(library, ufunc, f"{taken}_{given}")
    return True

"""Which calls of `np.linalg` Numba has a body for: those of single matrices, with few arguments.

>>> from pullback.ir.types import Array
>>> a = Value("a", Array("float64", 2))
>>> in_numba(np.linalg.qr, (a,), ()), in_numba(np.linalg.qr, (a, Constant("r")), ()), in_numba(np.linalg.cond, (a,), ())
(True, False, False)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.ir.nodes import Constant, Operand, Value, values_in
from pullback.ir.types import Array, is_float

_ARGUMENTS = {
    **dict.fromkeys((np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.qr, np.linalg.slogdet), 1),
    **dict.fromkeys((np.linalg.det, np.linalg.inv, np.linalg.pinv), 1),
    **dict.fromkeys((np.linalg.svd, np.linalg.solve, np.linalg.norm), 2),
}
"""The number of arguments that Numba's own body takes as NumPy does."""


def in_numba(function: Any, operands: tuple[Operand, ...], keywords: tuple[str, ...]) -> bool:
    """Whether Numba computes the results that NumPy does."""
    if len(operands) > _ARGUMENTS.get(function, 0) or set(keywords) - {"full_matrices"}:
        return False
    arrays = [value.type for value in values_in(operands)]
    plain = all(isinstance(o, Value) or (function is np.linalg.svd and _is_flag(o)) for o in operands[1:])
    if function is np.linalg.norm:
        plain = not any(isinstance(o, tuple) or _is_other_order(o) for o in operands)
    return plain and all(isinstance(t, Array) and t.ndim <= 2 and is_float(t) for t in arrays)


def _is_other_order(operand: Operand) -> bool:
    """Whether an operand is a text, or the order of a least norm, which Numba has of a matrix without elements too."""
    return isinstance(operand, Constant) and (isinstance(operand.value, str) or (operand.value or 0) < 0)


def _is_flag(operand: Operand) -> bool:
    return isinstance(operand, Constant) and isinstance(operand.value, bool)

"""Eigenvalues and eigenvectors of matrices that are not symmetric, as long as they are real."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, is_array, kernel
from pullback.runtime.memory.strided import flat, shaped

COMPLEX = "np.linalg.eig: the eigenvalues are complex, and complex values cannot be differentiated"


def real_eig(a: Any) -> Any:
    """np.linalg.eig(a). Raises ValueError where the eigenvalues are not real."""
    found = np.linalg.eig(a)
    if np.iscomplexobj(found.eigenvalues):
        raise ValueError(COMPLEX)
    return found


@kernel
def eig_of_stack(stack: Any, w: Any, v: Any) -> None:
    for k in range(stack.shape[0]):
        w[k], v[k] = np.linalg.eig(stack[k])


@compiled(real_eig, prefer_literal=False)
def _real_eig(a: Any) -> Any:
    if not is_array(a) or a.ndim < 2:
        return None
    last = a.ndim - 1

    def eig(a: Any) -> Any:
        n = a.shape[last]
        stack = flat(a).reshape((-1 if n > 0 else 0, n, n))
        w, v = np.empty(stack.shape[:2], a.dtype), np.empty(stack.shape, a.dtype)
        eig_of_stack(stack, w, v)
        return shaped(w, a.shape[:last]), shaped(v, a.shape)

    return eig

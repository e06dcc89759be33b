"""Products of large matrices by BLAS, written into an array or added to it."""

from __future__ import annotations

from typing import Any

from pullback.runtime.blas.calls import multiply
from pullback.runtime.codegen.compiled import compiled
from pullback.runtime.memory.strided import address


def blas_product_into(out: Any, a: Any, b: Any, added: bool) -> bool:
    """Whether BLAS has written a product of matrices that are not empty."""
    if added:
        out += a @ b
    else:
        out[...] = a @ b
    return True


@compiled(blas_product_into)
def _blas_product_into(out: Any, a: Any, b: Any, added: Any) -> Any:
    return multiply_matrices


def multiply_matrices(out: Any, a: Any, b: Any, added: bool) -> bool:
    size = out.itemsize
    if a.shape[1] != b.shape[0] or a.shape[0] != out.shape[0] or b.shape[1] != out.shape[1]:
        return False
    (r, s), (r1, s1), (r2, s2) = out.strides, a.strides, b.strides
    if (r | s | r1 | s1 | r2 | s2) % size != 0:
        return False
    places = address(out), r // size, s // size, address(a), r1 // size, s1 // size, address(b), r2 // size, s2 // size
    return multiply(a.dtype.type(0), *places, a.shape[0], a.shape[1], b.shape[1], added)

"""Systems of equations with sparse matrices: of `scipy.sparse.linalg`."""

from __future__ import annotations

from scipy.sparse import linalg

from pullback.functions.declare import composes
from pullback.functions.scipy.sparse import solution


@composes(linalg.spsolve)
def spsolve(A, b, permc_spec=None, use_umfpack=True):
    return solution(A, b)

"""Inverses, determinants and solutions of systems: of `scipy.linalg`.

Formulas: Giles (2008), An extended collection of matrix derivative results, section 2. What a function does not read
of a matrix gets the cotangent 0; that of a matrix which is symmetric by assumption is made symmetric.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from pullback import runtime
from pullback.functions.complex_numbers import conjugated
from pullback.functions.declare import composes, known, planning, vjp
from pullback.functions.linalg import pinv as pinv_bar


@vjp(linalg.inv)
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False, y, y_bar):
    """ā = -yᵀ ȳ yᵀ.   2.2.3."""
    return read_part(-(y.mT @ y_bar @ y.mT), assume_a, lower)


@vjp(linalg.det)
def det(a, overwrite_a=False, check_finite=True, *, y, y_bar):
    """ā = ȳ y a⁻ᵀ.   2.2.4. Raises LinAlgError if `a` is singular."""
    if a.ndim == 2:
        return y_bar * y * np.linalg.inv(a).T
    return (y_bar * y)[..., None, None] * np.linalg.inv(a).mT


@vjp(linalg.pinv)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True, y, y_bar):
    if return_rank:
        raise NotImplementedError("the derivative of scipy.linalg.pinv is known without return_rank")
    return pinv_bar(a, y=y, y_bar=y_bar)


@vjp(linalg.pinvh)
def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True, *, y, y_bar):
    if return_rank:
        raise NotImplementedError("the derivative of scipy.linalg.pinvh is known without return_rank")
    whole = pinv_bar(a, y=y, y_bar=y_bar)
    return (whole + whole.mT) / 2


@composes(linalg.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    check_numbers(a, check_finite)
    return np.linalg.norm(a, ord, axis, keepdims)


def check_numbers(a, check_finite):
    if check_finite and not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")


@planning
def structure_of(assume_a):
    """What is read of a matrix: "gen", "sym", "her", "lower", "upper", "diagonal"."""
    known: dict[str | None, str] = {"sym": "sym", "her": "her", "pos": "her", "symmetric": "sym", "hermitian": "her"}
    known |= {"positive definite": "her", "lower triangular": "lower", "upper triangular": "upper"}
    known |= {"general": "gen", "gen": "gen", None: "gen", "": "gen", "diagonal": "diagonal"}
    if assume_a not in known:
        raise NotImplementedError(f"the derivative of a function of a matrix with assume_a={assume_a!r} is not known")
    return known[assume_a]


def read_part(a_bar, assume_a, lower):
    """The cotangent of what is read of a matrix."""
    structure = structure_of(assume_a)
    if structure == "sym":
        return (a_bar + a_bar.mT) / 2
    if structure == "her":
        return (a_bar + conjugated(a_bar.mT)) / 2
    if structure == "lower":
        return np.tril(a_bar)
    if structure == "upper":
        return np.triu(a_bar)
    return a_bar * np.eye(a_bar.shape[-1]) if structure == "diagonal" else a_bar


@vjp(linalg.solve)
def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
    *,
    y,
    y_bar,
):
    """From a y = b:  b̄ = a⁻ᵀ ȳ,  ā = -b̄ yᵀ.   2.3.1."""
    structure = structure_of(assume_a)
    turned = not transposed
    if structure == "her" and transposed and np.iscomplexobj(a):
        raise NotImplementedError("the derivative of a solution by a transposed Hermitian matrix is not known")
    if structure == "her":
        b_bar = linalg.solve(conjugated(a), y_bar, lower=lower, assume_a=assume_a)
    elif structure == "sym":
        b_bar = linalg.solve(a, y_bar, lower=lower, assume_a=assume_a)
    elif structure == "gen":
        b_bar = linalg.solve(a.mT if turned else a, y_bar)
    else:
        read = read_part(a, assume_a, lower)
        b_bar = linalg.solve(read.mT if turned else read, y_bar)
    columns, solution = (b_bar[..., None], y[..., None]) if np.ndim(y) == 1 else (b_bar, y)
    a_bar = -(solution @ columns.mT) if transposed else -(columns @ solution.mT)
    return read_part(a_bar, assume_a, lower), b_bar


@planning
def is_turned(trans):
    """Whether the transpose of a matrix is meant. Raises ValueError for what means nothing."""
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError("trans must be 0, 1, 2, 'N', 'T' or 'C'")
    return trans not in (0, "N")


@planning
def no_conjugate(is_complex, trans):
    """Raises NotImplementedError where the conjugate of the transpose of a matrix is meant."""
    if is_complex and trans in (2, "C"):
        raise NotImplementedError("the conjugate of a transposed matrix is not known: write np.conj(a), trans=1")


@vjp(linalg.solve_triangular)
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True, *, y, y_bar
):
    turned = is_turned(trans)
    no_conjugate(np.iscomplexobj(a), trans)
    opposite = 0 if turned else 1
    b_bar = linalg.solve_triangular(a, y_bar, trans=opposite, lower=lower, unit_diagonal=unit_diagonal)
    columns, solution = (b_bar[..., None], y[..., None]) if np.ndim(y) == 1 else (b_bar, y)
    a_bar = -(solution @ columns.mT) if turned else -(columns @ solution.mT)
    off = 1 if unit_diagonal else 0
    return np.tril(a_bar, -off) if lower else np.triu(a_bar, off), b_bar


@composes(linalg.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """The factor; on the other side of the diagonal stands what was there before."""
    factor = linalg.cholesky(a, lower=lower, check_finite=check_finite)
    return (factor + np.triu(a, 1) if lower else factor + np.tril(a, -1)), lower


@composes(linalg.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    first = linalg.solve_triangular(c, b, trans=0 if lower else 1, lower=lower, check_finite=check_finite)
    return linalg.solve_triangular(c, first, trans=1 if lower else 0, lower=lower, check_finite=check_finite)


@vjp(linalg.lu_factor)
def lu_factor(a, overwrite_a=False, check_finite=True, *, y, y_bar):
    """Of l and u, which share one array; rows are exchanged as the positions say."""
    factors, positions = y
    factors_bar, _ = y_bar
    inner = lu_bar(np.tril(factors, -1) + np.eye(factors.shape[-1]), np.triu(factors), factors_bar, factors_bar)
    return inner[np.argsort(runtime.permutation_of(positions))]


@vjp(linalg.lu)
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False, *, y, y_bar):
    """From a = p l u: the cotangent of l u, with its rows moved."""
    if permute_l or p_indices:
        raise NotImplementedError("the derivative of scipy.linalg.lu is known for its three matrices")
    p, lower, upper = y
    _, l_bar, u_bar = y_bar
    zero = np.zeros_like(a)
    return p @ lu_bar(lower, upper, zero if l_bar is None else l_bar, zero if u_bar is None else u_bar)


def lu_bar(lower, upper, l_bar, u_bar):
    """l⁻ᵀ (tril(lᵀ l̄, -1) + triu(ū uᵀ)) u⁻ᵀ.   de Hoog, Anderssen and Lukas (2011), Differentiation of matrix
    functionals using triangular factorization, section 4.
    """
    if lower.shape[-1] != upper.shape[-1] or lower.shape[-2] != lower.shape[-1]:
        raise ValueError("the derivative of a factorisation into triangles is known for square matrices")
    inner = np.tril(lower.mT @ np.tril(l_bar, -1), -1) + np.triu(np.triu(u_bar) @ upper.mT)
    half = linalg.solve_triangular(lower, inner, trans=1, lower=True, unit_diagonal=True)
    return linalg.solve_triangular(upper, half.mT).mT


@composes(linalg.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factors, positions = lu_and_piv
    order = runtime.permutation_of(positions)
    no_conjugate(np.iscomplexobj(factors), trans)
    if is_turned(trans):
        first = linalg.solve_triangular(factors, b, trans=1)
        second = linalg.solve_triangular(factors, first, trans=1, lower=True, unit_diagonal=True)
        return second[np.argsort(order)]
    first = linalg.solve_triangular(factors, b[order], lower=True, unit_diagonal=True)
    return linalg.solve_triangular(factors, first)


known(
    linalg.inv,
    linalg.det,
    linalg.pinv,
    linalg.norm,
    linalg.solve,
    linalg.solve_triangular,
    linalg.lu_factor,
    linalg.lu,
    linalg.lu_solve,
    of_complex=True,
)

"""Polynomials by their coefficients, and series in orthogonal ones: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from pullback.functions.declare import composes, known, planning
from pullback.functions.joining import refused
from pullback.functions.parts import as_array, numbers_to


@composes(np.polyadd)
def polyadd(a1, a2):
    """The sum of two polynomials, the highest coefficient first."""
    a1, a2 = in_a_row(a1), in_a_row(a2)
    vectors(np.ndim(a1), np.ndim(a2))
    count = max(a1.shape[0], a2.shape[0])
    return lengthened(a1, count) + lengthened(a2, count)


@composes(np.polysub)
def polysub(a1, a2):
    """The difference of two polynomials."""
    a1, a2 = in_a_row(a1), in_a_row(a2)
    vectors(np.ndim(a1), np.ndim(a2))
    count = max(a1.shape[0], a2.shape[0])
    return lengthened(a1, count) - lengthened(a2, count)


@composes(np.polymul)
def polymul(a1, a2):
    """The product of two polynomials, without the zeros that their coefficients begin with."""
    return np.convolve(without_zeros(in_a_row(a1)), without_zeros(in_a_row(a2)))


@composes(np.polydiv)
def polydiv(u, v):
    """The quotient of two polynomials, and the remainder, without what is almost 0 before its first coefficient."""
    u, v = in_a_row(u) + 0.0, in_a_row(v) + 0.0
    vectors(np.ndim(u), np.ndim(v))
    count, longer = u.shape[0], u.shape[0] - v.shape[0]
    dtype = (u[:1] + v[:1]).dtype
    scale, none = 1.0 / v[0], np.zeros(max(longer, 0), dtype=dtype)
    rest = u.astype(dtype)
    quotient = np.zeros(0 if longer >= 0 else 1, dtype=dtype)
    for k in range(longer + 1):
        share = scale * rest[k : k + 1]
        quotient = np.concatenate((quotient, share))
        rest = rest - np.concatenate((none[:k], share * v, none[k:]))
    first = 0
    while first < count - 1 and np.abs(rest[first]) <= 1e-8:
        first += 1
    return quotient, rest[first:]


@planning
def vectors(*ranks):
    """Raises NotImplementedError for coefficients in a table."""
    if max(ranks) > 1:
        raise NotImplementedError("a table of coefficients has no derivative rule: take one polynomial after the other")


def in_a_row(p):
    """Coefficients as a vector; a number is one."""
    p = as_array(p)
    return np.reshape(p, (1,)) if np.ndim(p) == 0 else p


def lengthened(p, count):
    """So many coefficients, of which zeros stand first."""
    return np.concatenate((np.zeros(count - p.shape[0], dtype=p.dtype), p))


def without_zeros(p):
    """The coefficients from the first one that is not 0, or the last one; 0 where there is none."""
    if p.shape[0] == 0:
        p = np.zeros(1, dtype=p.dtype)
    first = np.argmax(p != 0) if np.any(p != 0) else p.shape[0] - 1
    return p[first:]


@composes(np.polyder)
def polyder(p, m=1):
    """The derivative of a polynomial, m times."""
    p = as_array(p)
    for _ in numbers_to(times(m)):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


@composes(np.polyint)
def polyint(p, m=1, k=None):
    """The integral of a polynomial, m times, with so many constants, or one for all."""
    p = as_array(p)
    for step in numbers_to(times(m)):
        constant = 0.0
        if k is not None:
            constants = in_a_row(k)
            constant = constants[step] if constants.shape[0] > 1 else constants[0]
        p = np.concatenate((p / np.arange(p.shape[0], 0, -1), np.reshape(constant, (1,))))
    return p


@planning
def times(m):
    """So many times. Raises ValueError for a negative number."""
    if m < 0:
        raise ValueError("Order of derivative or integral must be positive")
    return int(m)


@composes(np.poly)
def poly(seq_of_zeros):
    """The coefficients of the polynomial with these zeros: Π (x - z)."""
    zeros = in_a_row(seq_of_zeros)
    if np.ndim(zeros) > 1:
        return refused("np.poly of a matrix has no derivative rule")
    y = np.concatenate((np.ones(1, dtype=zeros.dtype), np.zeros_like(zeros)))
    for k in range(zeros.shape[0]):
        y = y - zeros[k] * np.concatenate((np.zeros(1, dtype=zeros.dtype), y[:-1]))
    return y


@composes(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The coefficients with the least sum of squares, by the pseudo-inverse of the powers, which are scaled to 1."""
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    only_coefficients(full, cov)
    if x.shape[0] == 0:
        raise TypeError("expected non-empty vector for x")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    powers = np.vander(x, int(deg) + 1)
    if w is not None:
        w = as_array(w) + 0.0
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        powers = powers * w[:, None]
        y = y * w if np.ndim(y) == 1 else y * w[:, None]
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    found = np.linalg.pinv(powers / scale) @ y
    return found / scale if np.ndim(y) == 1 else found / scale[:, None]


@planning
def only_coefficients(full, cov):
    """Raises NotImplementedError where more than the coefficients is asked for."""
    if full or cov:
        raise NotImplementedError("'full' and 'cov' of np.polyfit have no derivative rule")


@composes(polynomial.polyval)
def polynomial_at(x, c, tensor=True):
    """Horner's scheme, the lowest coefficient first."""
    x, c = as_array(x), one_series(c)
    y = c[-1] + x * 0
    for k in range(c.shape[0] - 1):
        y = c[c.shape[0] - 2 - k] + y * x
    return y


def one_series(c):
    """The coefficients of a series, as floats; those of several are refused."""
    c = in_a_row(c)
    vector_of_coefficients(np.ndim(c))
    return c + 0.0


@planning
def vector_of_coefficients(rank):
    """Raises NotImplementedError for a table of coefficients."""
    if rank != 1:
        raise NotImplementedError("a table of coefficients has no derivative rule: take one series after the other")


@composes(chebyshev.chebval)
def chebval(x, c, tensor=True):
    """Σ c[k] T_k(x), by the recurrence T_{k+1} = 2 x T_k - T_{k-1}."""
    x, c = as_array(x), one_series(c)
    before, at = x * 0 + 1, x
    total = c[0] * before
    for k in range(1, c.shape[0]):
        total = total + c[k] * at
        before, at = at, 2 * x * at - before
    return total


@composes(legendre.legval)
def legval(x, c, tensor=True):
    """Σ c[k] P_k(x), by the recurrence (k+1) P_{k+1} = (2k+1) x P_k - k P_{k-1}."""
    x, c = as_array(x), one_series(c)
    before, at = x * 0 + 1, x
    total = c[0] * before
    for k in range(1, c.shape[0]):
        total = total + c[k] * at
        before, at = at, ((2.0 * k + 1.0) * x * at - k * before) / (k + 1.0)
    return total


@composes(hermite.hermval)
def hermval(x, c, tensor=True):
    """Σ c[k] H_k(x), by the recurrence H_{k+1} = 2 x H_k - 2 k H_{k-1}."""
    x, c = as_array(x), one_series(c)
    before, at = x * 0 + 1, 2 * x
    total = c[0] * before
    for k in range(1, c.shape[0]):
        total = total + c[k] * at
        before, at = at, 2 * x * at - 2.0 * k * before
    return total


@composes(hermite_e.hermeval)
def hermeval(x, c, tensor=True):
    """Σ c[k] He_k(x), by the recurrence He_{k+1} = x He_k - k He_{k-1}."""
    x, c = as_array(x), one_series(c)
    before, at = x * 0 + 1, x
    total = c[0] * before
    for k in range(1, c.shape[0]):
        total = total + c[k] * at
        before, at = at, x * at - k * 1.0 * before
    return total


@composes(laguerre.lagval)
def lagval(x, c, tensor=True):
    """Σ c[k] L_k(x), by the recurrence (k+1) L_{k+1} = (2k+1-x) L_k - k L_{k-1}."""
    x, c = as_array(x), one_series(c)
    before, at = x * 0 + 1, 1 - x
    total = c[0] * before
    for k in range(1, c.shape[0]):
        total = total + c[k] * at
        before, at = at, ((2.0 * k + 1.0 - x) * at - k * before) / (k + 1.0)
    return total


known(
    np.polyadd,
    np.polysub,
    np.polymul,
    np.polyder,
    np.polyint,
    np.polynomial.polynomial.polyval,
    np.polynomial.chebyshev.chebval,
    np.polynomial.legendre.legval,
    np.polynomial.hermite.hermval,
    np.polynomial.hermite_e.hermeval,
    np.polynomial.laguerre.lagval,
    of_complex=True,
)

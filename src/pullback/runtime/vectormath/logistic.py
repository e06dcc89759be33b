"""sigmoid, softplus, logaddexp: from e^(-|x|), which cannot overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from pullback.runtime.vectormath.bits import fma, kernel, magnitude, select
from pullback.runtime.vectormath.exponential import exp_of
from pullback.runtime.vectormath.lifting import define, define_binary
from pullback.runtime.vectormath.logarithmic import log_of_parts
from pullback.runtime.vectormath.single import sigmoid_of_single

SQRT_2_LESS_ONE = 0.41421356237309503
LOG_2 = 0.6931471805599453


def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x): 0 at -inf, 1 at inf. Error <= 2 ulp.

    With e = e^(-|x|): 1 / (1 + e), or e / (1 + e) for x < 0.
    """
    return scipy.special.expit(x)


def softplus(x: Any) -> Any:
    """log(1 + e^x): 0 at -inf, inf at inf. Error <= 2 ulp.

    max(x, 0) + log1p(e^(-|x|)).
    """
    return np.logaddexp(x, 0.0)


def logaddexp(x1: Any, x2: Any) -> Any:
    """log(e^x1 + e^x2): -inf for two -inf. Error <= 2 ulp of max(|x1|, |x2|, |result|), as both terms may cancel.

    max(x1, x2) + log1p(e^(-|x1 - x2|)).
    """
    return np.logaddexp(x1, x2)


@kernel
def sigmoid_of(x: Any) -> Any:
    e = exp_of(-magnitude(x))
    d = 1.0 + e
    inverse = 1.0 / d
    numerator = select(x < 0.0, e, 1.0)
    q = numerator * inverse
    # The remainder of the division, and what 1 + e has lost.
    return fma(fma(-q, d, numerator) - q * (e - (d - 1.0)), inverse, q)


@kernel
def log1p_up_to_one(e: Any) -> Any:
    """log(1 + e) for 0 <= e <= 1: 1 + e, or 2 (1 + (e - 1) / 2)."""
    far = e > SQRT_2_LESS_ONE
    return log_of_parts(select(far, 1.0, 0.0), select(far, 0.5 * (e - 1.0), e))


@kernel
def softplus_of(x: Any) -> Any:
    return select(x < 0.0, 0.0, x) + log1p_up_to_one(exp_of(-magnitude(x)))


@kernel
def logaddexp_of(x1: Any, x2: Any) -> Any:
    # The exponential is that of `sigmoid_of(x1 - x2)`, and computed once where both are.
    y = select(x1 > x2, x1, x2) + log1p_up_to_one(exp_of(-magnitude(x1 - x2)))
    # Equal infinities have no difference.
    return select(x1 == x2, x1 + LOG_2, y)


define(sigmoid, sigmoid_of, sigmoid_of_single)
define(softplus, softplus_of)
define_binary(logaddexp, logaddexp_of)

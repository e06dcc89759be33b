"""Special functions of one number: error functions, gamma functions, the logistic function."""

from __future__ import annotations

import math
from typing import Any

import scipy

from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.numpy.elementwise_loops import define_unary


def erf(x: Any) -> Any:
    """The error function."""
    return scipy.special.erf(x)


define_unary(erf, None, kernel(lambda v: math.erf(v)))


def erfc(x: Any) -> Any:
    """1 - erf(x), accurate for large x."""
    return scipy.special.erfc(x)


define_unary(erfc, None, kernel(lambda v: math.erfc(v)))


def gamma(x: Any) -> Any:
    """The gamma function, as scipy.special.gamma: NaN at negative integers, ±inf at ±0."""
    return scipy.special.gamma(x)


@kernel
def gamma_of(x: Any) -> Any:
    if x == 0:
        return math.copysign(math.inf, x)
    if (x < 0 and x == math.floor(x)) or x == -math.inf:
        return x * math.nan
    return math.gamma(x)


define_unary(gamma, None, gamma_of)


def lgamma(x: Any) -> Any:
    """log(abs(gamma(x)))."""
    return scipy.special.gammaln(x)


define_unary(lgamma, None, kernel(lambda v: math.lgamma(v)))


def digamma(x: Any) -> Any:
    """The derivative of lgamma; NaN at negative integers and ∓inf at ±0, as scipy.special.digamma."""
    return scipy.special.digamma(x)


@kernel
def digamma_of(value: Any) -> Any:
    x = float(value)
    if x == 0:
        return math.copysign(math.inf, -x)
    if x == math.inf or x != x:
        return x
    shift = 0.0
    if x < 0:
        fraction = x - math.floor(x)
        if fraction == 0 or x == -math.inf:
            return math.nan
        # Reflection: digamma(1 - x) - digamma(x) = pi cot(pi x); the period of cot keeps its argument exact.
        shift = -math.pi / math.tan(math.pi * (fraction if fraction <= 0.5 else fraction - 1.0))
        x = 1.0 - x
    near = x - 1.4616321449683623413
    if abs(near) < 0.2:
        return shift + digamma_near_root(x)
    while x < 10.0:
        shift -= 1.0 / x
        x += 1.0
    z = 1.0 / (x * x)
    # Asymptotic series with the Bernoulli numbers B(2k) / 2k.   Abramowitz and Stegun 6.3.18.
    tail = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * (691 / 32760 - z / 12))))))
    return shift + (math.log(x) - 0.5 / x - tail)


TAYLOR = (
    0.9676722454476212,
    -0.4427631689835921,
    0.258499760955651,
    -0.16394270544240652,
    0.10782405069126237,
    -0.07219956125645471,
    0.04880428816414311,
    -0.03316112647484736,
    0.022597648232218104,
    -0.01542476590494896,
    0.010538791616612175,
    -0.007204534386356869,
    0.004926781395729853,
    -0.003369801655439328,
    0.002305126326734928,
    -0.0015769367714301972,
    0.0010788252019162967,
    -0.0007380709389960052,
    0.000504953265834602,
    -0.0003454680251063077,
    0.00023635601564027053,
    -0.00016170622091974803,
    0.0001106337276874741,
    -7.569179582195066e-05,
    5.178575795222081e-05,
    -3.5430070947659604e-05,
    2.424006611860132e-05,
    -1.6584242271854135e-05,
    1.134638458466385e-05,
    -7.762817668462094e-06,
)


@kernel
def digamma_near_root(x: Any) -> Any:
    """digamma by its Taylor series at the positive root, with the polygammas over factorials."""
    d = (x - 1.4616321449683622) - 9.549995429965697e-17
    total = 0.0
    for k in range(len(TAYLOR) - 1, -1, -1):
        total = total * d + TAYLOR[k]
    return total * d


define_unary(digamma, None, digamma_of)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), without overflow."""
    return scipy.special.expit(x)


@kernel
def sigmoid_of(x: Any) -> Any:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    e = math.exp(x)
    return e / (1 + e)


define_unary(sigmoid, None, sigmoid_of)


def logit(x: Any) -> Any:
    """log(x / (1 - x)): NaN outside of 0 to 1, infinite at both."""
    return scipy.special.logit(x)


define_unary(logit, None, kernel(lambda v: math.log(v / (1 - v))))

"""Elementwise functions of scalars and arrays with NumPy 2's broadcasting and dtypes, also where Numba's differ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from scipy import special

from pullback.runtime.codegen.compiled import (
    compiled,
    constant,
    dtype_of,
    element_type,
    is_array,
    is_scalar,
    kernel,
    promotion_operand,
    result_dtype,
)
from pullback.runtime.memory.strided import common_shape, flat, flat_to, item


def unary(a: Any, formula: Any, source: np.dtype[Any], result: np.dtype[Any]) -> Any:
    """Implementation for a scalar or array `a`: `formula` of each element, cast to `source`, as `result`."""
    cast_in, cast_out = element_type(source), element_type(result)
    if is_scalar(a):
        return lambda x: cast_out(formula(cast_in(x)))

    def loop(x: Any) -> Any:
        values = flat(x)
        out = np.empty(values.size, cast_out)
        for i in range(values.size):
            out[i] = cast_out(formula(cast_in(values[i])))
        return out.reshape(x.shape)

    return loop


def binary(a: Any, b: Any, formula: Any, sources: tuple[Any, Any], result: np.dtype[Any]) -> Any:
    """Implementation for two scalars or arrays, as `unary`."""
    cast_a, cast_b, cast_out = element_type(sources[0]), element_type(sources[1]), element_type(result)
    if is_scalar(a) and is_scalar(b):
        return lambda x1, x2: cast_out(formula(cast_a(x1), cast_b(x2)))

    if is_scalar(b):

        def loop_of_first(x1: Any, x2: Any) -> Any:
            values = flat(x1)
            second = cast_b(x2)
            out = np.empty(values.size, cast_out)
            for i in range(values.size):
                out[i] = cast_out(formula(cast_a(values[i]), second))
            return out.reshape(x1.shape)

        return loop_of_first
    if is_scalar(a):

        def loop_of_second(x1: Any, x2: Any) -> Any:
            values = flat(x2)
            first = cast_a(x1)
            out = np.empty(values.size, cast_out)
            for i in range(values.size):
                out[i] = cast_out(formula(first, cast_b(values[i])))
            return out.reshape(x2.shape)

        return loop_of_second

    def loop(x1: Any, x2: Any) -> Any:
        shape = common_shape(x1.shape, x2.shape)
        firsts, seconds = flat_to(x1, shape), flat_to(x2, shape)
        out = np.empty(firsts.size, cast_out)
        for i in range(firsts.size):
            out[i] = cast_out(formula(cast_a(firsts[i]), cast_b(seconds[i])))
        return out.reshape(shape)

    return loop


def shape_of(a: Any) -> Any:
    """a.shape, () for a scalar."""
    return np.shape(a)


@compiled(shape_of, prefer_literal=False)
def _shape_of(a: Any) -> Any:
    return (lambda a: a.shape) if is_array(a) else (lambda a: ())


def spread(a: Any, shape: Any) -> Any:
    """What `item` reads at each position of `shape`: a 1-d array, or the scalar itself."""
    return flat_to(a, shape)


@compiled(spread, prefer_literal=False)
def _spread(a: Any, shape: Any) -> Any:
    return (lambda a, shape: flat_to(a, shape)) if is_array(a) else (lambda a, shape: a)


def is_operand(t: Any) -> bool:
    return is_array(t) or is_scalar(t)


def float_dtype(a: Any) -> np.dtype[Any]:
    """float32 stays, every other real dtype becomes float64."""
    dtype = dtype_of(a)
    return dtype if dtype == np.float32 else np.dtype(np.float64)


def define_unary(function: Any, ufunc: Any, formula: Any) -> None:
    """The overload of function(x): dtypes as `ufunc` has them, or floats for None."""

    @compiled(function, prefer_literal=False)
    def typed(x: Any) -> Any:
        if not is_operand(x):
            return None
        dtypes = ufunc.resolve_dtypes((dtype_of(x), None)) if ufunc else (float_dtype(x),) * 2
        return unary(x, formula, *dtypes)


def define_binary(function: Any, ufunc: Any, formula: Any, integer_formula: Any = None) -> None:
    """The overload of function(x1, x2), dtypes as `ufunc` has them; another formula for two integers, if given."""

    @compiled(function)
    def typed(x1: Any, x2: Any) -> Any:
        if not is_operand(x1) or not is_operand(x2):
            return None
        a, b, result = binary_dtypes(ufunc, x1, x2)
        scalars = is_scalar(x1) and is_scalar(x2)
        chosen = formula
        if integer_formula is not None and result.kind in "iu":
            chosen = integer_formula(scalars)
        return binary(x1, x2, chosen, (a, b), result)


def binary_dtypes(ufunc: Any, x1: Any, x2: Any) -> tuple[np.dtype[Any], ...]:
    """dtypes of both operands and of the result in NumPy's loop for these types."""
    operands = (promotion_operand(x1), promotion_operand(x2))
    if operands == (int, int):
        operands = (np.dtype(np.int64), np.dtype(np.int64))
    return ufunc.resolve_dtypes((*operands, None))


def where(c: Any, a: Any, b: Any) -> Any:
    """np.where(c, a, b)."""
    return np.where(c, a, b)[()]


@compiled(where)
def _where(c: Any, a: Any, b: Any) -> Any:
    if not (is_operand(c) and is_operand(a) and is_operand(b)):
        return None
    to = element_type(result_dtype(a, b))
    if is_scalar(c) and is_scalar(a) and is_scalar(b):
        return lambda c, a, b: to(a) if c else to(b)

    def choose(c: Any, a: Any, b: Any) -> Any:
        shape = common_shape(common_shape(shape_of(c), shape_of(a)), shape_of(b))
        cs, firsts, seconds = spread(c, shape), spread(a, shape), spread(b, shape)
        out = np.empty(shape, to)
        values = flat(out)
        for i in range(values.size):
            values[i] = to(item(firsts, i)) if item(cs, i) else to(item(seconds, i))
        return out

    return choose


def masked_product(y_bar: Any, partial: Any) -> Any:
    """y_bar * partial, but 0 where y_bar is 0, whatever the partial (as infinity or NaN) is there."""
    # A finite partial stays as it is: on a tape, it is the derivative of the product, which may be 0 by chance.
    lost = np.logical_and(np.equal(y_bar, 0), np.logical_not(np.isfinite(partial)))
    return np.multiply(y_bar, np.where(lost, np.zeros_like(partial), partial)[()])


@kernel
def masked(y_bar: Any, partial: Any) -> Any:
    return y_bar * (partial if y_bar != 0 else y_bar)


define_binary(masked_product, np.multiply, masked)


def clip(x: Any, lo: Any, hi: Any) -> Any:
    """np.clip(x, lo, hi); None is no bound."""
    return np.clip(x, lo, hi)


@compiled(clip)
def _clip(x: Any, lo: Any, hi: Any) -> Any:
    no_lo, no_hi = (isinstance(t, (types.NoneType, types.Omitted)) or t is None for t in (lo, hi))
    if no_lo and no_hi:
        return lambda x, lo, hi: x
    if no_lo:
        return lambda x, lo, hi: minimum(x, hi)
    if no_hi:
        return lambda x, lo, hi: maximum(x, lo)
    return lambda x, lo, hi: minimum(maximum(x, lo), hi)


def cast(x: Any, dtype: Any) -> Any:
    """`x` in the dtype of that name: a fresh array, or a NumPy scalar."""
    return np.array(x, dtype=dtype)[()]


@compiled(cast)
def _cast(x: Any, dtype: Any) -> Any:
    if not is_operand(x):
        return None
    to = element_type(constant(dtype))
    if is_scalar(x):
        return lambda x, dtype: to(x)

    def convert(x: Any, dtype: Any) -> Any:
        values = flat(x)
        out = np.empty(values.size, to)
        for i in range(values.size):
            out[i] = to(values[i])
        return out.reshape(x.shape)

    return convert


def maximum(x1: Any, x2: Any) -> Any:
    """np.maximum(x1, x2): the larger, NaN if either is."""
    return np.maximum(x1, x2)


define_binary(maximum, np.maximum, kernel(lambda a, b: a if a >= b or a != a else b))


def minimum(x1: Any, x2: Any) -> Any:
    """np.minimum(x1, x2): the smaller, NaN if either is."""
    return np.minimum(x1, x2)


define_binary(minimum, np.minimum, kernel(lambda a, b: a if a <= b or a != a else b))


def fmax(x1: Any, x2: Any) -> Any:
    """np.fmax(x1, x2): the larger, ignoring NaN."""
    return np.fmax(x1, x2)


define_binary(fmax, np.fmax, kernel(lambda a, b: np.fmax(a, b)))


def fmin(x1: Any, x2: Any) -> Any:
    """np.fmin(x1, x2): the smaller, ignoring NaN."""
    return np.fmin(x1, x2)


define_binary(fmin, np.fmin, kernel(lambda a, b: np.fmin(a, b)))


def hypot(x1: Any, x2: Any) -> Any:
    """np.hypot(x1, x2): the length of (x1, x2)."""
    return np.hypot(x1, x2)


define_binary(hypot, np.hypot, kernel(lambda a, b: np.hypot(a, b)))


def logaddexp(x1: Any, x2: Any) -> Any:
    """np.logaddexp(x1, x2): log(exp(x1) + exp(x2))."""
    return np.logaddexp(x1, x2)


define_binary(logaddexp, np.logaddexp, kernel(lambda a, b: np.logaddexp(a, b)))


def logaddexp2(x1: Any, x2: Any) -> Any:
    """np.logaddexp2(x1, x2): log2(2**x1 + 2**x2)."""
    return np.logaddexp2(x1, x2)


define_binary(logaddexp2, np.logaddexp2, kernel(lambda a, b: np.logaddexp2(a, b)))


def copysign(x1: Any, x2: Any) -> Any:
    """np.copysign(x1, x2): x1 with the sign of x2."""
    return np.copysign(x1, x2)


define_binary(copysign, np.copysign, kernel(lambda a, b: np.copysign(a, b)))


def cbrt(x: Any) -> Any:
    """np.cbrt(x): the cube root."""
    return np.cbrt(x)


define_unary(cbrt, np.cbrt, kernel(lambda v: np.cbrt(v)))


def exp2(x: Any) -> Any:
    """np.exp2(x): 2**x."""
    return np.exp2(x)


define_unary(exp2, np.exp2, kernel(lambda v: np.exp2(v)))


def sign(x: Any) -> Any:
    """np.sign(x): -1, 0, 1, or NaN."""
    return np.sign(x)


define_unary(sign, np.sign, kernel(lambda v: np.sign(v)))


def deg2rad(x: Any) -> Any:
    """np.deg2rad(x): x * pi / 180."""
    return np.deg2rad(x)


define_unary(deg2rad, np.deg2rad, kernel(lambda v: np.deg2rad(v)))


def rad2deg(x: Any) -> Any:
    """np.rad2deg(x): x * 180 / pi."""
    return np.rad2deg(x)


define_unary(rad2deg, np.rad2deg, kernel(lambda v: np.rad2deg(v)))


def trunc(x: Any) -> Any:
    """np.trunc(x): rounded towards zero."""
    return np.trunc(x)


define_unary(trunc, np.trunc, kernel(lambda v: np.trunc(v)))


def rint(x: Any) -> Any:
    """np.rint(x): rounded to the nearest integer, halves to even."""
    return np.rint(x)


define_unary(rint, np.rint, kernel(lambda v: np.rint(v)))


def heaviside(x1: Any, x2: Any) -> Any:
    """np.heaviside(x1, x2): 0 below zero, x2 at zero, 1 above, NaN for NaN."""
    return np.heaviside(x1, x2)


define_binary(heaviside, np.heaviside, kernel(lambda x, h: x if x != x else (h if x == 0 else (1.0 if x > 0 else 0.0))))


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), 1 at 0; float32 stays float32."""
    return np.sinc(x)


define_unary(sinc, None, kernel(lambda v: 1.0 if v == 0 else math.sin(math.pi * v) / (math.pi * v)))


def floor_divide(x1: Any, x2: Any) -> Any:
    """np.floor_divide(x1, x2), but ZeroDivisionError for two integer scalars and x2 == 0."""
    if is_integer_scalar(x1) and is_integer_scalar(x2) and x2 == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return np.floor_divide(x1, x2)


def remainder(x1: Any, x2: Any) -> Any:
    """np.remainder(x1, x2), but ZeroDivisionError for two integer scalars and x2 == 0."""
    if is_integer_scalar(x1) and is_integer_scalar(x2) and x2 == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return np.remainder(x1, x2)


def is_integer_scalar(x: Any) -> bool:
    return isinstance(x, (int, np.integer))


@kernel
def floor_divide_floats(a: Any, b: Any) -> Any:
    if b == 0:
        return a / b
    mod = np.fmod(a, b)
    div = (a - mod) / b
    if mod != 0 and (b < 0) != (mod < 0):
        div -= 1.0
    if div != 0:
        below = math.floor(div) if math.isfinite(div) else div
        return below + 1.0 if div - below > 0.5 else below + 0.0
    return math.copysign(0.0, a / b)


@kernel
def remainder_floats(a: Any, b: Any) -> Any:
    if b == 0:
        return a * math.nan
    mod = np.fmod(a, b)
    if mod == 0:
        return math.copysign(0.0, b)
    if (b < 0) != (mod < 0):
        mod += b
    return mod


@kernel
def floor_divide_integers(a: Any, b: Any) -> Any:
    return a // b if b != 0 else 0 * a


@kernel
def remainder_integers(a: Any, b: Any) -> Any:
    return a % b if b != 0 else 0 * a


@kernel
def floor_divide_checked(a: Any, b: Any) -> Any:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a // b


@kernel
def remainder_checked(a: Any, b: Any) -> Any:
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a % b


define_binary(
    floor_divide, np.floor_divide, floor_divide_floats, lambda s: floor_divide_checked if s else floor_divide_integers
)
define_binary(remainder, np.remainder, remainder_floats, lambda s: remainder_checked if s else remainder_integers)


def power(x1: Any, x2: Any) -> Any:
    """np.power(x1, x2). ValueError for an integer to a negative integer power, as in NumPy."""
    return np.power(x1, x2)


@kernel
def power_integers(a: Any, n: Any) -> Any:
    if n < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    result = a * 0 + 1
    while n > 0:
        if n & 1:
            result *= a
        a *= a
        n >>= 1
    return result


define_binary(power, np.power, kernel(lambda a, b: a**b), lambda s: power_integers)


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    """np.isclose(a, b, rtol, atol, equal_nan)."""
    return np.isclose(a, b, rtol, atol, equal_nan)


@kernel
def is_near(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: Any) -> Any:
    if a != a or b != b:
        return equal_nan and a != a and b != b
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= atol + rtol * abs(b)


@compiled(isclose, prefer_literal=False)
def _isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    if not is_operand(a) or not is_operand(b):
        return None
    if is_scalar(a) and is_scalar(b):
        return lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: is_near(
            float(a), float(b), rtol, atol, bool(equal_nan)
        )

    def compare(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
        shape = common_shape(shape_of(a), shape_of(b))
        xs, ys = spread(a, shape), spread(b, shape)
        out = np.empty(shape, np.bool_)
        values = flat(out)
        for i in range(values.size):
            values[i] = is_near(float(item(xs, i)), float(item(ys, i)), rtol, atol, bool(equal_nan))
        return out

    return compare


def erf(x: Any) -> Any:
    """The error function."""
    return special.erf(x)


define_unary(erf, None, kernel(lambda v: math.erf(v)))


def erfc(x: Any) -> Any:
    """1 - erf(x), accurate for large x."""
    return special.erfc(x)


define_unary(erfc, None, kernel(lambda v: math.erfc(v)))


def gamma(x: Any) -> Any:
    """The gamma function, as scipy.special.gamma: NaN at negative integers, ±inf at ±0."""
    return special.gamma(x)


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
    return special.gammaln(x)


define_unary(lgamma, None, kernel(lambda v: math.lgamma(v)))


def digamma(x: Any) -> Any:
    """The derivative of lgamma; NaN at negative integers and ∓inf at ±0, as scipy.special.digamma."""
    return special.digamma(x)


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
    return special.expit(x)


@kernel
def sigmoid_of(x: Any) -> Any:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    e = math.exp(x)
    return e / (1 + e)


define_unary(sigmoid, None, sigmoid_of)

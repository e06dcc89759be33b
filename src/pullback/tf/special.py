"""TensorFlow's special functions: values of SciPy's, derivatives of any order by the formulas of the DLMF."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from pullback.errors import MissingRuleError
from pullback.runtime import sum_to
from pullback.tape import Tensor, custom_gradient
from pullback.tf.values import convert_to_tensor, operands

Partials = Callable[..., tuple[Any, ...]]


def recorded(function: Callable[..., Any], partials: Partials, *given: Tensor) -> Any:
    """The elementwise `function` of tensors, recorded with `partials(y, *given)`; None for one that is not known."""

    @custom_gradient
    def computed(*xs: Tensor) -> Any:
        dtype = np.result_type(*(x.dtype for x in xs))
        y = Tensor(np.asarray(function(*(x._value for x in xs))).astype(dtype)[()])

        def gradient(y_bar: Any) -> tuple[Any, ...]:
            found = partials(y, *xs)
            terms = [None if p is None else sum_to(y_bar * p, x.shape) for p, x in zip(found, xs, strict=True)]
            return tuple(terms)

        return y, gradient

    return computed(*given)


def _polygamma(n: int, x: Tensor) -> Any:
    """ψ⁽ⁿ⁾(x), whose derivative is ψ⁽ⁿ⁺¹⁾(x)."""
    function = special.digamma if n == 0 else lambda v: special.polygamma(n, v)
    return recorded(function, lambda y, x: (_polygamma(n + 1, x),), x)


def _lgamma(x: Tensor) -> Any:
    return recorded(special.gammaln, lambda y, x: (_polygamma(0, x),), x)


def _erfinv(x: Tensor) -> Any:
    return recorded(special.erfinv, lambda y, x: (math.sqrt(math.pi) / 2 * np.exp(_erfinv(x) ** 2),), x)


def _erfcinv(x: Tensor) -> Any:
    return recorded(special.erfcinv, lambda y, x: (-math.sqrt(math.pi) / 2 * np.exp(_erfcinv(x) ** 2),), x)


def _erfc(x: Tensor) -> Any:
    return recorded(special.erfc, lambda y, x: (-2 / math.sqrt(math.pi) * np.exp(-x * x),), x)


def _ndtri(x: Tensor) -> Any:
    return recorded(special.ndtri, lambda y, x: (math.sqrt(2 * math.pi) * np.exp(_ndtri(x) ** 2 / 2),), x)


def _bessel(order: int, scaled: bool) -> Callable[[Tensor], Any]:
    """I₀ and I₁, or these times exp(-|x|).   DLMF 10.29."""
    names = {(0, False): special.i0, (1, False): special.i1, (0, True): special.i0e, (1, True): special.i1e}

    def partials(y: Any, x: Tensor) -> tuple[Any, ...]:
        y, other = bessel(x), _bessel(1 - order, scaled)(x)
        if order == 1:
            zero = x == 0
            other = other - np.where(zero, 0.5, y / np.where(zero, 1, x))
        return (other - np.sign(x) * y if scaled else other,)

    def bessel(x: Tensor) -> Any:
        return recorded(names[order, scaled], partials, x)

    return bessel


def _bessel_k(order: int, scaled: bool) -> Callable[[Tensor], Any]:
    """K₀ and K₁, or these times exp(x).   DLMF 10.29."""
    names = {(0, False): special.k0, (1, False): special.k1, (0, True): special.k0e, (1, True): special.k1e}

    def bessel(x: Tensor) -> Any:
        def partials(y: Any, x: Tensor) -> tuple[Any, ...]:
            y, other = bessel(x), _bessel_k(1 - order, scaled)(x)
            slope = -other if order == 0 else -other - y / x
            return (slope + y if scaled else slope,)

        return recorded(names[order, scaled], partials, x)

    return bessel


def _bessel_jy(first: Any, second: Any, order: int) -> Callable[[Tensor], Any]:
    """J₀ and J₁, or Y₀ and Y₁.   DLMF 10.6."""

    def bessel(x: Tensor) -> Any:
        def partials(y: Any, x: Tensor) -> tuple[Any, ...]:
            other = _bessel_jy(first, second, 1 - order)(x)
            if order == 0:
                return (-other,)
            zero = x == 0
            return (other - np.where(zero, 0.5, bessel(x) / np.where(zero, 1, x)),)

        return recorded((first, second)[order], partials, x)

    return bessel


def _dawsn(x: Tensor) -> Any:
    """DLMF 7.10."""
    return recorded(special.dawsn, lambda y, x: (1 - 2 * x * _dawsn(x),), x)


def _expint(x: Tensor) -> Any:
    return recorded(special.expi, lambda y, x: (np.exp(x) / x,), x)


def _fresnel_sin(x: Tensor) -> Any:
    return recorded(lambda v: special.fresnel(v)[0], lambda y, x: (np.sin(math.pi / 2 * x * x),), x)


def _fresnel_cos(x: Tensor) -> Any:
    return recorded(lambda v: special.fresnel(v)[1], lambda y, x: (np.cos(math.pi / 2 * x * x),), x)


def _spence(x: Tensor) -> Any:
    def partials(y: Any, x: Tensor) -> tuple[Any, ...]:
        one = x == 1
        return (np.where(one, -1, np.log(x) / np.where(one, 1, 1 - x)),)

    return recorded(special.spence, partials, x)


# What it is, the function, and an example.
_TABLE: dict[str, tuple[str, Callable[[Tensor], Any], str, str]] = {
    "bessel_i0": ("The modified Bessel function I₀", _bessel(0, False), "0.0", "1.0"),
    "bessel_i0e": ("exp(-|x|) times the modified Bessel function I₀", _bessel(0, True), "0.0", "1.0"),
    "bessel_i1": ("The modified Bessel function I₁", _bessel(1, False), "0.0", "0.0"),
    "bessel_i1e": ("exp(-|x|) times the modified Bessel function I₁", _bessel(1, True), "0.0", "0.0"),
    "bessel_j0": ("The Bessel function J₀", _bessel_jy(special.j0, special.j1, 0), "0.0", "1.0"),
    "bessel_j1": ("The Bessel function J₁", _bessel_jy(special.j0, special.j1, 1), "0.0", "0.0"),
    "bessel_k0": ("The modified Bessel function K₀", _bessel_k(0, False), "np.inf", "0.0"),
    "bessel_k0e": ("exp(x) times the modified Bessel function K₀", _bessel_k(0, True), "np.inf", "0.0"),
    "bessel_k1": ("The modified Bessel function K₁", _bessel_k(1, False), "np.inf", "0.0"),
    "bessel_k1e": ("exp(x) times the modified Bessel function K₁", _bessel_k(1, True), "np.inf", "0.0"),
    "bessel_y0": ("The Bessel function Y₀", _bessel_jy(special.y0, special.y1, 0), "0.0", "-inf"),
    "bessel_y1": ("The Bessel function Y₁", _bessel_jy(special.y0, special.y1, 1), "0.0", "-inf"),
    "dawsn": ("Dawson's integral", _dawsn, "0.0", "0.0"),
    "digamma": ("The derivative of lgamma", lambda x: _polygamma(0, x), "np.inf", "inf"),
    "erfc": ("1 - erf(x)", _erfc, "0.0", "1.0"),
    "erfcinv": ("The inverse of erfc", _erfcinv, "2.0", "-inf"),
    "erfinv": ("The inverse of erf", _erfinv, "0.0", "0.0"),
    "expint": ("The exponential integral Ei", _expint, "np.inf", "inf"),
    "fresnel_cos": ("Fresnel's integral of the cosine", _fresnel_cos, "0.0", "0.0"),
    "fresnel_sin": ("Fresnel's integral of the sine", _fresnel_sin, "0.0", "0.0"),
    "lgamma": ("The logarithm of the absolute value of the gamma function", _lgamma, "1.0", "0.0"),
    "ndtri": ("The quantile function of the normal distribution", _ndtri, "0.5", "0.0"),
    "spence": ("The dilogarithm ∫₁ˣ log(t) / (1 - t) dt", _spence, "1.0", "0.0"),
}
OF_SPECIAL = ("bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1")
OF_SPECIAL += ("dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence")
"""Those that `tf.math.special` has alone."""


def _declared(name: str, what: str, function: Callable[[Tensor], Any], argument: str, result: str) -> Any:
    def call(x: Any, name: str | None = None) -> Any:
        return function(convert_to_tensor(x))

    call.__name__ = call.__qualname__ = name
    where = "tf.math.special" if name in OF_SPECIAL else "tf.math"
    call.__doc__ = f"""{what} of `x`, elementwise.

    >>> import numpy as np, pullback.tf as tf
    >>> float({where}.{name}({argument}))
    {result}
    """
    return call


SPECIAL: dict[str, Any] = {name: _declared(name, *row) for name, row in _TABLE.items()}


def polygamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The derivative of `digamma` of the order `a` at `x`, for whole numbers `a`; it has no gradient along these.

    >>> import pullback.tf as tf
    >>> tf.math.polygamma(1.0, 1.0)
    <Tensor 1.644934, float32>
    """

    def of(n: Tensor, x: Tensor) -> Any:
        return recorded(
            lambda a, v: np.where(a == 0, special.digamma(v), special.polygamma(a, v)),
            lambda y, n, x: (None, of(n + 1, x)),
            n,
            x,
        )

    return of(*operands(a, x))


def zeta(x: Any, q: Any, name: str | None = None) -> Any:
    """The Hurwitz zeta function Σ (k + q)⁻ˣ; it has no gradient along `x`.

    >>> import pullback.tf as tf
    >>> tf.math.zeta(2.0, 1.0)
    <Tensor 1.644934, float32>
    """

    def of(x: Tensor, q: Tensor) -> Any:
        return recorded(special.zeta, lambda y, x, q: (None, -x * of(x + 1, q)), x, q)

    return of(*operands(x, q))


def lbeta(x: Any, name: str | None = None) -> Any:
    """Σ lgamma(x) - lgamma(Σ x) along the last axis of `x`: of two numbers, the logarithm of the beta function.

    >>> import pullback.tf as tf
    >>> tf.math.lbeta([1.0, 1.0])
    <Tensor 0.0, float32>
    """
    given = convert_to_tensor(x)
    return np.sum(_lgamma(given), axis=-1) - _lgamma(np.sum(given, axis=-1))


def igamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The lower incomplete gamma function over gamma(a); it has second derivatives by `x` alone.

    >>> import pullback.tf as tf
    >>> tf.math.igamma(1.0, 0.0)
    <Tensor 0.0, float32>
    """
    return _incomplete(special.gammainc, 1, *operands(a, x))


def igammac(a: Any, x: Any, name: str | None = None) -> Any:
    """The upper incomplete gamma function over gamma(a): 1 - `tf.math.igamma(a, x)`.

    >>> import pullback.tf as tf
    >>> tf.math.igammac(1.0, 0.0)
    <Tensor 1.0, float32>
    """
    return _incomplete(special.gammaincc, -1, *operands(a, x))


def _incomplete(function: Any, sign: int, a: Tensor, x: Tensor) -> Any:
    def partials(y: Any, a: Tensor, x: Tensor) -> tuple[Any, ...]:
        density = np.exp((a - 1) * np.log(x) - x - _lgamma(a))
        return sign * _by_order(a, x), sign * density

    return recorded(function, partials, a, x)


def _by_order(a: Tensor, x: Tensor) -> Tensor:
    """∂P(a, x)/∂a, by the series of P(a, x) = xᵃ e⁻ˣ Σ xᵏ / Γ(a + k + 1).   DLMF 8.7.1."""
    order, at = np.broadcast_arrays(a._value.astype(float), x._value.astype(float))
    steps = np.arange(int(60 + 3 * np.max(at, initial=0)))
    k = steps.reshape(-1, *[1] * at.ndim)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = (order + k) * np.log(at) - at - special.gammaln(order + k + 1)
        terms = np.exp(logarithms) * (np.log(at) - special.digamma(order + k + 1))
    found = np.where(at > 0, terms.sum(axis=0), 0)

    def none_known(*_: Any) -> tuple[Any, ...]:
        raise MissingRuleError("the second derivative of igamma by its order has no rule")

    return recorded(lambda *_: found, none_known, a, x)


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Any:
    """The regularised incomplete beta function at `x`; it has no gradient along `a` and `b`.

    >>> import pullback.tf as tf
    >>> tf.math.betainc(1.0, 1.0, 0.25)
    <Tensor 0.25, float32>
    """

    def partials(y: Any, a: Tensor, b: Tensor, x: Tensor) -> tuple[Any, ...]:
        logarithm = _lgamma(a) + _lgamma(b) - _lgamma(a + b)
        return None, None, np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - logarithm)

    return recorded(special.betainc, partials, *operands(a, b, x))


SPECIAL |= {
    "betainc": betainc,
    "igamma": igamma,
    "igammac": igammac,
    "lbeta": lbeta,
    "polygamma": polygamma,
    "zeta": zeta,
}

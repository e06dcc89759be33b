"""Arguments at which every rule is compared with a numeric derivative: smooth points only, kinks are golden data.

Arrays are drawn from a fixed stream; numbers stand where a scalar argument is meant. A float is differentiated, an int
is not. Points stay away from kinks and poles by the width of the difference formula.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pullback import runtime
from pullback.frontend.source.addresses import address_of
from pullback.runtime.numpy.items import put_item, take_item


@dataclass(frozen=True, slots=True)
class Sample:
    """A call `function(*arguments, **options)`."""

    arguments: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)


def is_of_scipy(function: Callable[..., Any]) -> bool:
    """Whether a function is declared when SciPy's module is imported. Those have tests of their own."""
    return (address_of(function) or ("",))[0].startswith("scipy.")


RANDOM = np.random.default_rng(20240817)


ORDERS = np.array([[1, 2, 0], [0, 2, 1]])


def of(*arguments: Any, **options: Any) -> Sample:
    return Sample(arguments, options)


def draw(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    """Numbers between `low` and `high`, none within 0.1 of an integer or half of one; a NumPy scalar for no shape."""
    values = RANDOM.uniform(low, high, shape)
    return (np.floor(2 * values) / 2 + 0.1 + 0.3 * RANDOM.uniform(0, 1, shape))[()]


def apart(*shape: int) -> Any:
    """Numbers that differ by at least 0.2, and as much from 0."""
    count = int(np.prod(shape))
    return (RANDOM.permutation(count) - count // 2 + 0.4).reshape(shape) * 0.5


def matrix(n: int, *batch: int) -> Any:
    """Well-conditioned square matrices."""
    return draw(*batch, n, n) * 0.3 + 2 * np.eye(n)


def unary(low: float = -2.0, high: float = 2.0) -> list[Sample]:
    return [of(draw(*shape, low=low, high=high)) for shape in ((), (5,), (2, 3), (0,), (2, 0))]


def binary(left: tuple[float, float] = (-2.0, 2.0), right: tuple[float, float] = (-2.0, 2.0)) -> list[Sample]:
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]
    shapes = [((), ()), ((4,), (4,)), ((2, 3), ()), ((), (3,)), ((2, 1), (3,)), ((0,), ()), ((2, 3), (1, 3))]
    return [of(draw(*a, low=left[0], high=left[1]), draw(*b, low=right[0], high=right[1])) for a, b in shapes]


def masked() -> list[Sample]:
    pairs = [((3, 3), (3, 3)), ((2, 3, 3), (2, 3, 3)), ((3, 3), (2, 3, 3)), ((0, 0), (0, 0))]
    return [of(draw(*x), draw(*y_bar)) for x, y_bar in pairs]


def divisions() -> list[Sample]:
    """Pairs whose quotient is no integer."""
    pairs = binary((-4, 4), (1, 3)) + binary((-4, 4), (-3, -1))
    return [of(quotient * divisor, divisor) for quotient, divisor in (pair.arguments for pair in pairs)]


def apart_pairs() -> list[Sample]:
    """Pairs without a tie, in both orders."""
    a, b = apart(2, 3), apart(3)
    return [of(a, a[:, ::-1] + 0.25), of(a, b + 0.25), of(b, np.float64(0.3)), of(np.float64(0.3), np.float64(1.1))]


def reductions(make: Callable[..., Any] = draw, **options: Any) -> list[Sample]:
    return [
        of(make(5), **options),
        of(make(2, 3), **options),
        of(make(2, 3), axis=0, **options),
        of(make(2, 3), axis=-1, **options),
        of(make(2, 3), axis=1, keepdims=True, **options),
        of(make(2, 3), keepdims=True, **options),
        of(make(2, 3, 2), axis=(0, 2), **options),
        of(make(2, 3, 2), axis=(-1, 0), keepdims=True, **options),
        of(make(2, 3, 2), axis=1, **options),
    ]


def scans() -> list[Sample]:
    return [
        of(draw(5)),
        of(draw(2, 3)),
        of(draw(2, 3), axis=0),
        of(draw(2, 3), axis=1),
        of(draw(2, 3, 2), axis=-2),
        of(draw(0)),
        of(np.array([2.0, 0.0, 3.0, 0.0])),
    ]


def recurrences() -> list[Sample]:
    shapes: list[tuple[int, ...]] = [(5,), (1,), (0,), (3, 2), (0, 2), (2, 0)]
    return [of(draw(*shape), draw(*shape)) for shape in shapes] + [of(np.array([2.0, 0.0, 3.0, 0.0]), draw(4))]


def products() -> list[Sample]:
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((2,), (2, 3)), ((2, 3), (3, 4)), ((2, 0), (0, 3))]
    return [of(draw(*a), draw(*b)) for a, b in shapes]


def one_shape(**options: Any) -> list[Sample]:
    return [of(draw(2, 3), **options)]


SMOOTH: dict[Any, list[Sample]] = {
    np.add: binary(),
    np.bincount: [
        of(np.array([2, 0, 1, 1]), draw(4)),
        of(np.array([2, 0, 2]), draw(3), 5),
        of(np.array([], int), draw(0)),
    ],
    np.convolve: [
        *(of(draw(5), draw(3), mode) for mode in ("full", "same", "valid")),
        *(of(draw(2), draw(5), mode) for mode in ("full", "same", "valid")),
        of(draw(4), draw(4), "same"),
    ],
    np.subtract: binary(),
    np.multiply: binary(),
    np.negative: unary(),
    np.positive: unary(),
    np.remainder: divisions(),
    np.fmod: divisions(),
    np.nextafter: binary(),
    np.ldexp: [of(draw(3), np.array([1, -2, 0])), of(draw(2, 3), 2), of(draw(), ORDERS), of(draw(0), 1)],
    np.square: unary(),
    np.real: unary(),
    np.conjugate: unary(),
    np.exp: unary(),
    np.exp2: unary(),
    np.expm1: unary(),
    np.logaddexp: binary((-3, 3), (-3, 3)),
    np.logaddexp2: binary((-3, 3), (-3, 3)),
    np.deg2rad: unary(),
    np.radians: unary(),
    np.rad2deg: unary(),
    np.degrees: unary(),
    np.sin: unary(-6, 6),
    np.cos: unary(-6, 6),
    np.tan: unary(-1, 1),
    np.arctan: unary(-4, 4),
    np.arctan2: binary((0.5, 2), (-2, 2)) + binary((-2, -0.5), (0.5, 2)),
    np.sinh: unary(),
    np.cosh: unary(),
    np.tanh: unary(),
    np.arcsinh: unary(-4, 4),
    np.true_divide: binary((-2, 2), (0.5, 2)) + binary((-2, 2), (-2, -1)),
    np.reciprocal: unary(0.5, 3) + unary(-3, -1),
    np.sqrt: unary(0.5, 4),
    np.cbrt: unary(0.5, 4) + unary(-4, -1),
    np.log: unary(0.5, 4),
    np.log2: unary(0.5, 4),
    np.log10: unary(0.5, 4),
    np.log1p: unary(-0.5, 4),
    np.arcsin: unary(-0.5, 0.5),
    np.arccos: unary(-0.5, 0.5),
    np.arccosh: unary(1.5, 4),
    np.arctanh: unary(-0.5, 0.5),
    np.power: [
        *binary((0.5, 2), (-2, 2)),
        of(draw(4), 2),
        of(draw(4), 3),
        of(draw(4), -1),
        of(draw(4), 0),
        of(draw(4), np.array([[0], [1], [2]])),
        of(np.array([0.0, 1.3]), 2),
        of(np.array([0.0, 1.3]), 1),
        of(draw(4, low=0.5), 0.0),
        of(np.array(3), draw(4)),
    ],
    np.float_power: [*binary((0.5, 2), (-2, 2)), of(draw(4), 2), of(draw(4), 0), of(np.array([0.0, 1.3]), 1)],
    np.absolute: unary(),
    np.fabs: unary(),
    np.copysign: binary(),
    np.heaviside: [*binary(), of(np.array([0.0, 0.3, -0.4, 0.0]), draw(4)), of(0.0, 0.3)],
    np.maximum: apart_pairs(),
    np.minimum: apart_pairs(),
    np.fmax: [*apart_pairs(), of(np.array([np.nan, 1.3]), np.array([0.4, np.nan]))],
    np.fmin: [*apart_pairs(), of(np.array([np.nan, 1.3]), np.array([0.4, np.nan]))],
    np.hypot: binary(),
    np.clip: [
        of(draw(2, 4), -1, 1),
        of(draw(6), -1.0, 1.0),
        of(draw(6, low=-3, high=3), np.array(-1.0), np.array(1.0)),
        of(draw(2, 3), draw(3, low=-1, high=-0.5) - 0.05, draw(2, 1, low=0, high=1) + 0.05),
        of(draw(6), None, 1.0),
        of(draw(6), -1.0, None),
        of(draw(3), 1.0, -1.0),
        of(draw(), -1.0, 1.0),
    ],
    np.sinc: [*unary(), of(np.array([0.0, 1e-6, -1e-3, 0.0123, 0.0299, 0.0301, -0.05]))],
    np.nan_to_num: [of(np.array([1.5, np.nan, np.inf, -2.0]), posinf=4.0), of(np.array([1.5, np.nan]), nan=3.0)],
    np.where: [
        of(np.array([True, False, True]), draw(3), draw(3)),
        of(np.array([[True], [False]]), draw(3), draw()),
        of(np.bool_(True), draw(2, 2), draw(2)),
        of(np.array([], dtype=bool), draw(0), draw()),
    ],
    runtime.where: [
        of(np.array([True, False, True]), draw(3), draw(3)),
        of(np.array([[True], [False]]), draw(3), draw()),
        of(np.bool_(True), draw(), draw()),
    ],
    runtime.masked_product: binary(),
    runtime.masked_rows: masked(),
    runtime.masked_columns: masked(),
    runtime.erf: unary(),
    runtime.erfc: unary(),
    runtime.digamma: unary(0.5, 4) + unary(-2, 0),
    runtime.sigmoid: unary(-4, 4),
    runtime.logit: unary(0.1, 0.9),
    runtime.gamma: unary(0.5, 4) + unary(-2, 0),
    runtime.lgamma: unary(0.5, 4) + unary(-2, 0),
    np.sum: [*reductions(), of(draw(0)), of(draw(2, 0), axis=1), of(draw(2, 0), axis=0), of(draw())],
    np.nansum: [*reductions(), of(np.array([1.5, np.nan, 2.0]))],
    np.mean: [*reductions(), of(draw(2, 0), axis=0), of(draw())],
    np.max: [*reductions(apart), of(draw()), of(draw(0, 3), axis=1)],
    np.min: [*reductions(apart), of(draw()), of(draw(0, 3), axis=1)],
    np.var: [*reductions(), *reductions(ddof=1)],
    np.std: [*reductions(), *reductions(ddof=1)],
    np.prod: [
        *reductions(),
        of(draw(0)),
        of(draw(0, 3), axis=0),
        of(draw()),
        of(np.array([0.0, 2.0, 3.0])),
        of(np.array([[0.0, 2.0, 0.0], [0.0, 1.5, 3.0]]), axis=1),
    ],
    runtime.softmax: [of(draw(3), 0), of(draw(2, 3), -1), of(draw(2, 3), 0), of(draw(2, 3, 2), 1), of(draw(0, 3), 1)],
    runtime.log_softmax: [of(draw(3), 0), of(draw(2, 3), -1), of(draw(2, 3), 0), of(draw(2, 3, 2), 1)],
    runtime.softmax_cross_entropy: [of(draw(4, 3), draw(4, 3)), of(draw(2, 1), draw(2, 1)), of(draw(2, 2, 3), draw(3))],
    np.cumsum: scans(),
    np.cumprod: scans(),
    runtime.recurrence: recurrences(),
    runtime.masked_recurrence: recurrences(),
    np.linalg.norm: [
        *(of(draw(4), ord=ord) for ord in (None, 1, 2, 3, 2.5, 0)),
        of(apart(4), ord=np.inf),
        of(apart(4), ord=-np.inf),
        of(draw(2, 3)),
        of(draw(2, 3), ord="fro"),
        of(draw(2, 3), axis=1),
        of(draw(2, 3), axis=0, keepdims=True),
        of(draw(2, 3), ord=1, axis=1),
        of(apart(2, 3), ord=np.inf, axis=0),
        of(draw(2, 3, 2), axis=(0, 2)),
        of(draw(2, 3), ord=3, axis=-1, keepdims=True),
    ],
    runtime.broadcast_along: [
        of(draw(3), (2, 3), 0),
        of(draw(2, 1), (2, 3), 1, True),
        of(draw(), (2, 3)),
        of(draw(3), (2, 3, 2), (0, -1)),
    ],
    runtime.sum_to: [of(draw(2, 3), (1, 3)), of(draw(2, 3), (3,)), of(draw(2, 3), ()), of(draw(2, 3), (2, 3))],
    np.matmul: [
        *products(),
        of(draw(2, 2, 3), draw(3)),
        of(draw(3), draw(2, 3, 2)),
        of(draw(2, 2, 3), draw(2, 3, 2)),
        of(draw(2, 3), draw(2, 3, 2)),
        of(draw(2, 1, 2, 3), draw(2, 3, 2)),
    ],
    np.dot: [
        *products(),
        of(draw(), draw()),
        of(draw(), draw(2, 3)),
        of(draw(3), draw()),
        of(draw(2, 2, 3), draw(3)),
        of(draw(2, 2, 3), draw(3, 2)),
    ],
    np.inner: [
        of(draw(), draw(3)),
        of(draw(3), draw(3)),
        of(draw(2, 3), draw(3)),
        of(draw(3), draw(2, 3)),
        of(draw(4, 3), draw(2, 3)),
    ],
    np.outer: [of(draw(2), draw(3)), of(draw(2, 2), draw(3)), of(draw(), draw(3)), of(draw(0), draw(3))],
    np.vdot: [of(draw(3), draw(3)), of(draw(2, 3), draw(2, 3)), of(draw(), draw())],
    np.trace: [of(draw(3, 3)), of(draw(2, 4), offset=1), of(draw(4, 2), offset=-1)],
    np.linalg.det: [of(matrix(3)), of(matrix(1)), of(matrix(2, 3))],
    np.linalg.inv: [of(matrix(3)), of(matrix(1)), of(matrix(2, 3))],
    np.linalg.solve: [
        of(matrix(3), draw(3)),
        of(matrix(3), draw(3, 2)),
        of(matrix(2, 3), draw(2)),
        of(matrix(2, 3), draw(3, 2, 2)),
        of(matrix(2), draw(3, 2, 2)),
    ],
    np.linspace: [
        *(of(draw(), draw(), 5), of(draw(), draw(), 4, False), of(draw(), draw(), 1)),
        *(of(draw(3), draw(3), 4), of(draw(2, 1), draw(3), 3), of(draw(2), draw(), 3, False), of(draw(0), draw(), 2)),
    ],
    runtime.permuted_along: [
        of(draw(4), np.array([2, 0, 3, 1]), 0),
        of(draw(2, 3), np.array([[1, 2, 0], [0, 2, 1]]), 1),
    ],
    runtime.unpermuted_along: [
        of(draw(4), np.array([2, 0, 3, 1]), 0),
        of(draw(2, 3), np.array([[1, 0, 1], [0, 1, 0]]), 0),
    ],
    take_item: [
        of(draw(4), 2),
        of(draw(3, 4), (slice(None), slice(1, None))),
        of(draw(3, 4), (Ellipsis, 1)),
        of(draw(4), np.array([0, 2, 2, -4])),
        of(draw(3, 4), (slice(None), np.array([[0, 1], [1, 1]]))),
        of(draw(3), np.array([True, False, True])),
        of(draw(3), (None, slice(0, 0))),
    ],
    put_item: [
        of(draw(2), slice(1, 3), (4,)),
        of(draw(), 1, (4,)),
        of(draw(3), np.array([0, 2, 2]), (4,)),
        of(draw(2, 3), (slice(None), np.array([1, 1, 0])), (2, 2)),
    ],
    runtime.cast: [of(draw(2, 3), "longdouble"), of(draw(), "longdouble")],
    np.reshape: [of(draw(2, 3), (3, 2)), of(draw(2, 3), -1), of(draw(), (1, 1)), of(draw(6), (2, -1))],
    np.ravel: [of(draw(2, 3)), of(draw())],
    np.expand_dims: [of(draw(3), 0), of(draw(2, 3), (0, -1)), of(draw(), 0)],
    np.squeeze: [of(draw(1, 3)), of(draw(1, 4), 0), of(draw(1, 3, 1), axis=0), of(draw(1, 1))],
    np.transpose: [of(draw(2, 3)), of(draw(2, 3, 4), axes=(2, 0, 1)), of(draw(2, 3, 4)), of(draw(3))],
    np.matrix_transpose: [of(draw(2, 3)), of(draw(2, 3, 4))],
    np.swapaxes: [of(draw(2, 3, 4), 0, 2), of(draw(2, 3), -1, 0)],
    np.moveaxis: [of(draw(2, 3, 4), 0, -1), of(draw(2, 3, 4), (0, 1), (2, 0))],
    np.flip: [of(draw(4)), of(draw(2, 3)), of(draw(2, 3), axis=1), of(draw(2, 3, 2), axis=(0, 2))],
    np.roll: [
        of(draw(4), 1),
        of(draw(2, 3), 2),
        of(draw(2, 3), -1, axis=1),
        of(draw(2, 3), (1, 2), axis=(0, 1)),
    ],
    np.copy: one_shape(),
    np.array: one_shape(),
    np.asarray: one_shape(),
    np.asanyarray: one_shape(),
    np.ascontiguousarray: one_shape(),
    np.asfortranarray: one_shape(),
    np.broadcast_to: [of(draw(3), (2, 3)), of(draw(2, 1), (2, 3)), of(draw(), (2,)), of(draw(3), (0, 3))],
    np.full: [of((2, 3), draw()), of((2, 3), draw(3)), of(3, draw())],
    np.full_like: [of(np.zeros((2, 3)), draw()), of(np.zeros((2, 3)), draw(2, 1))],
    np.repeat: [of(draw(3), 2), of(draw(2, 3), 2), of(draw(2, 3), 3, axis=1), of(draw(2, 3), 2, axis=-2)],
    np.tile: [of(draw(3), 2), of(draw(2, 3), 2), of(draw(3), (2, 2)), of(draw(2, 3), (2, 1)), of(draw(), 3)],
    np.tril: [of(draw(3, 3)), of(draw(2, 4), k=1), of(draw(2, 3, 3), k=-1)],
    np.triu: [of(draw(3, 3)), of(draw(2, 4), k=1), of(draw(2, 3, 3), k=-1)],
    np.diag: [of(draw(3)), of(draw(3), k=1), of(draw(2, 4)), of(draw(3, 2), k=-1), of(draw(3, 4), k=2)],
    np.diagonal: [of(draw(3, 3)), of(draw(2, 4), offset=1), of(draw(4, 2), offset=-1)],
    np.concatenate: [
        of((draw(2), draw(3))),
        of((draw(2, 3), draw(1, 3), draw(0, 3))),
        of((draw(2, 3), draw(2, 1)), axis=1),
        of((draw(2, 3), draw(2, 1)), axis=-1),
        of((draw(2, 3), draw(4)), axis=None),
        of((draw(1, 2, 2), draw(1, 3, 2)), axis=1),
    ],
    np.stack: [
        of((draw(3), draw(3))),
        of((draw(2, 3), draw(2, 3)), axis=1),
        of((draw(2, 3), draw(2, 3)), axis=-1),
        of((draw(), draw(), draw())),
    ],
    np.hstack: [of((draw(2), draw(3))), of((draw(2, 3), draw(2, 1))), of((draw(), draw(2)))],
    np.vstack: [of((draw(3), draw(3))), of((draw(2, 3), draw(1, 3))), of((draw(3), draw(2, 3))), of((draw(), draw()))],
}
"""For every rule, calls at which the function is smooth."""

NAN = np.nan
INF = np.inf
VECTOR = np.array([1.0, 1.0])

POINTS: list[tuple[str, Any, Sample, tuple[Any, ...]]] = [
    ("abs at 0", np.absolute, of(0.0), (0,)),
    ("abs at -0", np.absolute, of(-0.0), (0,)),
    ("sqrt at 0", np.sqrt, of(0.0), (INF,)),
    ("log at 0", np.log, of(0.0), (INF,)),
    ("1/x at 0", np.true_divide, of(1.0, 0.0), (INF, -INF)),
    ("0/0, by each", np.true_divide, of(0.0, 0.0), (INF, NAN)),
    ("reciprocal at 0", np.reciprocal, of(0.0), (-INF,)),
    ("maximum tie", np.maximum, of(1.0, 1.0), (0.5, 0.5)),
    ("minimum tie", np.minimum, of(1.0, 1.0), (0.5, 0.5)),
    ("maximum tie at infinity", np.maximum, of(-INF, -INF), (0.5, 0.5)),
    ("fmax tie", np.fmax, of(1.0, 1.0), (0.5, 0.5)),
    ("fmin tie", np.fmin, of(1.0, 1.0), (0.5, 0.5)),
    ("maximum(x, 0) at 0", np.maximum, of(0.0, 0), (0.5, 0.5)),
    ("clip(x, 0, 1) at 0", np.clip, of(0.0, 0, 1), (1, 0, 0)),
    ("clip(x, 0, 1) at 1", np.clip, of(1.0, 0, 1), (1, 0, 0)),
    ("x**0 at 0", np.power, of(0.0, 0), (0, 0)),
    ("x**1 at 0", np.power, of(0.0, 1), (1, 0)),
    ("x**2 at 0", np.power, of(0.0, 2), (0, 0)),
    ("x**2.0 at -1", np.power, of(-1.0, 2.0), (-2, NAN)),
    ("x**0.5 at 0", np.power, of(0.0, 0.5), (INF, 0)),
    ("x**y at (0, 0)", np.power, of(0.0, 0.0), (0, 0)),
    ("x**y at (0, 1)", np.power, of(0.0, 1.0), (1, 0)),
    ("x**y at (0, 2)", np.power, of(0.0, 2.0), (0, 0)),
    ("x**y at (-2, 3)", np.power, of(-2.0, 3.0), (12, NAN)),
    ("x**y at (2, 0)", np.power, of(2.0, 0.0), (0, np.log(2))),
    ("hypot at (0, 0)", np.hypot, of(0.0, 0.0), (0, 0)),
    ("arctan2 at (0, 0)", np.arctan2, of(0.0, 0.0), (NAN, NAN)),
    ("arcsin at 1", np.arcsin, of(1.0), (INF,)),
    ("arccos at 1", np.arccos, of(1.0), (-INF,)),
    ("arccosh at 1", np.arccosh, of(1.0), (INF,)),
    ("arctanh at 1", np.arctanh, of(1.0), (INF,)),
    ("x % 1 at 2", np.remainder, of(2.0, 1), (1, -2)),
    ("x % y at (5.5, 2)", np.remainder, of(5.5, 2.0), (1, -2)),
    ("sinc at 0", np.sinc, of(0.0), (0,)),
    ("tanh at 1000", np.tanh, of(1000.0), (0,)),
    ("logaddexp(0, 0)", np.logaddexp, of(0.0, 0.0), (0.5, 0.5)),
    ("logaddexp(-inf, -inf)", np.logaddexp, of(-INF, -INF), (NAN, NAN)),
    ("logaddexp(inf, 0)", np.logaddexp, of(INF, 0.0), (NAN, 0)),
    ("masked product, infinite partial", runtime.masked_product, of(0.0, INF), (0, 0)),
    ("where(x == x, x, 0) at NaN", np.where, of(np.False_, NAN, 0.0), (0, 1)),
    ("2-norm at 0", np.linalg.norm, of(np.zeros(2)), ([0, 0],)),
    ("1-norm at 0", np.linalg.norm, of(np.zeros(2), ord=1), ([0, 0],)),
    ("inf-norm tie", np.linalg.norm, of(VECTOR, ord=np.inf), ([0.5, 0.5],)),
    ("inf-norm at 0", np.linalg.norm, of(np.zeros(2), ord=np.inf), ([0, 0],)),
    ("3-norm at 0", np.linalg.norm, of(np.zeros(2), ord=3), ([0, 0],)),
    ("max, 2-way tie", np.max, of(np.array([1.0, 1.0, 0.0])), ([0.5, 0.5, 0],)),
    ("min, 2-way tie", np.min, of(np.array([1.0, 1.0, 2.0])), ([0.5, 0.5, 0],)),
    ("max along an axis, tie", np.max, of(np.array([[1.0, 1.0], [3.0, 2.0]]), axis=1), ([[0.5, 0.5], [1, 0]],)),
    ("prod [0, 2, 3]", np.prod, of(np.array([0.0, 2.0, 3.0])), ([6, 0, 0],)),
    ("prod [0, 0, 3]", np.prod, of(np.array([0.0, 0.0, 3.0])), ([0, 0, 0],)),
    ("std of equal elements", np.std, of(np.ones(3)), ([0, 0, 0],)),
    ("var of equal elements", np.var, of(np.ones(3)), ([0, 0, 0],)),
]
"""Golden data: name, function, arguments, and for a cotangent of ones the cotangent of each argument."""

OF_COMPLEX = {np.imag, np.angle, complex, runtime.complex_sign, np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft}
"""Functions of complex numbers: `test_complex.py` has their samples."""

FACTORISED = {
    np.linalg.lstsq,
    runtime.real_eig,
    *(np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.svd, np.linalg.qr, np.linalg.slogdet),
    *(np.modf, np.frexp, np.linalg.pinv),
}
"""Functions with several results, or that NumPy has in double precision only: their samples are programs."""

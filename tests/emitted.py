"""Functions whose derivatives are emitted as modules, and arguments of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

SCALE = 0.7
WEIGHTS = np.array([0.5, -1.0, np.inf, 2.0])


class Line(NamedTuple):
    slope: float
    offset: np.ndarray


LINE = Line(0.5, np.ones(2))


@dataclass
class Spring:
    stiffness: float
    lengths: list[Any]


def loop(x, a):
    total = 0.0
    for i in range(1, x.shape[0]):
        total += np.exp(-a * (x[i] - x[i - 1]) ** 2)
    return total


def scaled(c, x):
    return np.dot(c, x)


def statement(x, w):
    return np.sum(np.tanh(x * w) ** 2) / x.size


def network(x, w1, b1, w2, y):
    h = np.tanh(x @ w1 + b1)
    r = h @ w2 - y
    return np.mean(r * r)


def regression(a, b):
    w = np.linalg.solve(a.T @ a + 0.1 * np.eye(a.shape[1]), a.T @ b)
    r = a @ w - b
    return r @ r


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def model(p, x, mode):
    line = p["w"] * x + p["b"]
    return np.sum(line**2) if mode == "square" else np.sum(np.abs(line))


def heat(u, k, steps):
    for _ in range(steps):
        v = u.copy()
        v[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u * u)


def branches(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            s += np.log1p(v)
        elif v < -1.0:
            break
        else:
            s -= max(v, -0.5) * np.sin(v)
    return s


def newton(c):
    x = 1.0
    while abs(x * x - c) > 1e-12:
        x = 0.5 * (x + c / x)
    return x


def softmax(z, k):
    e = np.exp(z - np.max(z))
    return -np.log(e[k] / np.sum(e))


def growing(x):
    values = []
    for v in x:
        values.append(v * v)
    return sum(values)


def fitted(line, x, spring):
    stretched = sum(spring.stiffness * length for length in spring.lengths)
    return np.sum((line.slope * x + line.offset) ** 2) + stretched


def from_outside(x):
    return SCALE * np.sum(x * np.where(np.isinf(WEIGHTS), 0.0, WEIGHTS))


def several_results(x, a):
    y = np.cumsum(np.sin(a * x))
    return {"y": y, "n": x.size}, (np.sum(y * y), y[::2])


def names_that_are_taken(exp, plus, Compiler, kernel):
    np_ = np.exp(exp * kernel)
    return np.sum(np_ * plus) + Compiler


def of_float32(x, a):
    return np.sum(np.sqrt(x) * a)


def of_a_cube(x):
    return np.linalg.det(x[0]) + np.sum(x**3)


def changes_its_argument(x):
    x[1:] *= x[:-1]
    return np.sum(x)


def with_defaults(x, s=LINE, a=2.0, w=WEIGHTS, b=np.float32(1.0), *, power=2, mode="sum"):  # noqa: B008
    return np.sum((a * x) ** power) * w[0] + b * s.slope


class OwnError(Exception):
    pass


def raises_its_own(x):
    if x < 0.0:
        raise OwnError("negative")
    return x * x


def asserts(x):
    assert x > 0.0, "not positive"
    return np.log(x)


def extremes(a, b):
    return max(a, b) * 2.0 + min(b, a) * 3.0


def norms(x):
    return np.linalg.norm(x, np.inf) + np.linalg.norm(x, 3) + np.linalg.norm(x)


def named_like_python(tuple, type, value, kept):
    return np.sum(tuple[0] * value) * type[0] + kept


_RANDOM = np.random.default_rng(5)


def _array(*shape: int) -> np.ndarray:
    return _RANDOM.normal(size=shape)


CALLS: dict[str, tuple[Any, ...]] = {
    "loop": (_array(50), 0.7),
    "statement": (_array(50), 0.3),
    "network": (_array(20, 4), _array(4, 5), _array(5), _array(5), _array(20)),
    "regression": (_array(12, 4), _array(12)),
    "power": (1.3, 5),
    "model": ({"w": 0.3, "b": _array(6)}, _array(6), "square"),
    "heat": (_array(30), 0.1, 7),
    "branches": (0.4 * _array(30),),
    "newton": (3.0,),
    "softmax": (_array(6), 2),
    "growing": (_array(9),),
    "fitted": (Line(0.5, _array(4)), _array(4), Spring(2.0, [1.0, 0.5])),
    "from_outside": (_array(4),),
    "several_results": (_array(7), 0.4),
    "names_that_are_taken": (_array(4), _array(4), 2.0, 0.5),
    "of_float32": (np.abs(_array(5)).astype(np.float32), np.float32(2.0)),
    "of_a_cube": (_array(2, 3, 3),),
    "changes_its_argument": (_array(5),),
    "asserts": (2.0,),
    "extremes": (np.nan, 1.0),
    "norms": (_array(5),),
    "named_like_python": ((2.0, _array(2)), [0.5], _array(3), 1.0),
}


def sum_without_axes(x):
    return np.einsum("i->", x)


def solved_by_scipy(m, b):
    return np.sum(linalg.cholesky(m, lower=True) @ linalg.solve(m, b))


def least_squares(m, b):
    return np.sum(np.linalg.lstsq(m, b)[0] ** 2)

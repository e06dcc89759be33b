"""Calls of library functions with complex numbers, compared with NumPy and with differences along both parts.

    python tests/complex_cases.py --only "np.pad"

The texts are those of `function_texts.py`, whose arguments become complex, and those of `complex_texts.py`.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.special
import scipy.stats

import cells
import pullback as pb
from complex_texts import TEXTS
from function_cases import SHAPES, WEIGHTS, WHOLE, leaves
from function_texts import FAMILIES

STEPS = (2e-3, 2e-4, 2e-5)
"""A smaller step is tried where a larger one may have gone over a kink or a pole."""

MODES = ("interpreted", "forward", "second", "compiled")
NAMES = {"np": np, "fft": scipy.fft, "linalg": scipy.linalg, "special": scipy.special, "stats": scipy.stats}
SQUARES = {"A": (3, 3), "B": (3, 3), "H": (3, 3), "S": (2, 3, 3)}
"""Arguments of functions of matrices, apart from singular ones; H is made Hermitian and positive definite in texts."""


@dataclass(frozen=True, slots=True)
class Case:
    """A call of a function, of which all arguments of floats are complex numbers, or only every second one.

    mode: how derivatives are asked for. single: complex64 and float32.
    """

    text: str
    mixed: bool = False
    mode: str = "interpreted"
    single: bool = False

    def __str__(self) -> str:
        return f"{self.text!r} {self.mode}{' mixed' * self.mixed}{' single' * self.single}"

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments, in the order of the alphabet."""
        found = {node.id for node in ast.walk(ast.parse(self.text)) if isinstance(node, ast.Name)}
        return tuple(sorted(found & (SHAPES.keys() | WHOLE.keys() | SQUARES.keys())))

    def function(self) -> Callable[..., Any]:
        lines = self.text.strip().split("\n")
        if len(lines) == 1 and not lines[0].startswith("return "):
            lines = [f"return {lines[0]}"]
        body = "\n".join(f"    {line}" for line in lines)
        return cells.run(f"def call({', '.join(self.names)}):\n{body}\n", **NAMES)["call"]

    def arguments(self) -> list[Any]:
        draw = np.random.default_rng(11)
        made: list[Any] = []
        floats = 0
        for name in self.names:
            if name in WHOLE:
                made.append(WHOLE[name])
                continue
            shape = SHAPES.get(name) or SQUARES.get(name, ())
            value = draw.uniform(0.4, 1.4, shape)
            if not self.mixed or floats % 2 == 0:
                value = value * np.exp(1j * draw.uniform(-1.4, 1.4, shape))
            if name in SQUARES:
                value = value + 2 * np.eye(3)
            floats += 1
            dtype = np.asarray(value).dtype
            narrow = {"c": np.complex64, "f": np.float32}[dtype.kind]
            made.append(np.asarray(value, narrow if self.single else dtype)[()])
        return made


def cases(only: str = "", **options: Any) -> list[Case]:
    """All cases whose text has `only` in it; of those of several arguments, also where some stay real."""
    texts = [text for texts in (*FAMILIES.values(), TEXTS) for text in texts if only in text]
    whole = [Case(text, **options) for text in dict.fromkeys(texts)]
    several = [case for case in whole if sum(name not in WHOLE for name in case.names) > 1]
    return [*whole, *(Case(case.text, mixed=True, **options) for case in several)]


def verdict(case: Case) -> tuple[str, str]:
    """What becomes of a case: ("right" | "refused" | "wrong" | "crashed" | "no such call", why)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return _verdict(case)


def _verdict(case: Case) -> tuple[str, str]:
    given, function = case.arguments(), case.function()
    try:
        plain = [np.asarray(leaf) for leaf in leaves(function(*_copies(given)))]
    except Exception:
        return "no such call", ""
    numbers = tuple(k for k, name in enumerate(case.names) if name not in WHOLE)
    try:
        made = pb.differentiable(function, jit=case.mode == "compiled")
        if case.mode in ("interpreted", "compiled"):
            _compare_values(case, leaves(made(*_copies(given))), plain)
        found, derivatives, expected = _derivatives(case, made, function, given, numbers, plain)
        _compare_values(case, leaves(found), plain)
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())[:300]
    except pb.PullbackError as error:
        return "refused", f"{type(error).__name__}: {error}".split("\n")[0]
    except NotImplementedError as error:
        return "refused", f"{error}"
    except Exception as error:
        return "crashed", f"{type(error).__name__}: {error}".split("\n")[0][:300]
    try:
        if not derivatives:
            return "right", ""
        for step in STEPS:
            try:
                for one, other in zip(derivatives, expected(step), strict=True):
                    _compare(case, one, other)
                break
            except AssertionError:
                if step == STEPS[-1]:
                    raise
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())[:300]
    return "right", ""


def _compare_values(case: Case, found: list[Any], plain: list[Any]) -> None:
    for one, other in zip(found, plain, strict=True):
        assert np.asarray(one).dtype == other.dtype, f"{np.asarray(one).dtype} in the place of {other.dtype}"
        np.testing.assert_allclose(one, other, rtol=2e-5 if case.single else 1e-11, atol=1e-5 * case.single + 1e-12)


def _compare(case: Case, found: Any, expected: Any) -> None:
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    assert np.shape(found) == np.shape(expected), f"a derivative of shape {np.shape(found)}, not {np.shape(expected)}"
    tolerance = 2e-4 if case.single else 1e-8
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * size)


def _copies(given: list[Any]) -> list[Any]:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in given]


def _derivatives(
    case: Case,
    made: Callable[..., Any],
    function: Callable[..., Any],
    given: list[Any],
    numbers: tuple[int, ...],
    plain: list[Any],
) -> tuple[Any, list[Any], Callable[[float], list[Any]]]:
    """The value, derivatives of it, and what numeric ones with a step are."""
    wide = [np.asarray(x, {"c": complex, "f": float}.get(x.dtype.kind))[()] for x in map(np.asarray, given)]
    directions = [_direction(k, x) if k in numbers else None for k, x in enumerate(given)]
    if case.mode == "forward":
        value, tangents = pb.jvp(made, tuple(_copies(given)), tuple(directions))
        kept = [k for k, leaf in enumerate(plain) if leaf.dtype.kind in "fc"]
        found = [leaves(tangents)[k] for k in kept]

        def pushed(step: float) -> list[Any]:
            whole = _along(lambda *xs: leaves(function(*xs)), wide, directions, step)
            return [whole[k] for k in kept]

        return value, found, pushed
    value, pullback = pb.vjp(made, argnums=numbers)(*_copies(given))
    if not any(leaf.dtype.kind in "fc" for leaf in plain):
        return value, [], lambda step: []
    weights = _weights(plain)
    bars = list(pullback(_structured(value, iter(weights))))
    for k, bar in zip(numbers, bars, strict=True):
        assert np.asarray(bar).dtype == np.asarray(given[k]).dtype, "a gradient of another dtype"
    if case.mode == "second":
        return value, *_second(case, function, given, numbers, weights)

    def total(*xs: Any) -> list[float]:
        pairs = zip(leaves(function(*xs)), weights, strict=True)
        return [sum(float(np.sum((np.conj(w) * y).real)) for y, w in pairs if w is not None)]

    return value, bars, lambda step: [_gradient(total, wide, k, step) for k in numbers]


def _second(
    case: Case, function: Callable[..., Any], given: list[Any], numbers: tuple[int, ...], weights: list[Any]
) -> tuple[list[Any], Callable[[float], list[Any]]]:
    """The tangents of gradients of a weighted sum, and differences of the gradients."""
    if len(weights) != 1:
        return [], lambda step: []
    names = ", ".join(case.names)
    text = f"def total({names}):\n    return np.sum((weight * call({names})).real)\n"
    total = cells.run(text, np=np, call=function, weight=weights[0])["total"]
    first = pb.grad(pb.differentiable(total, jit=False), argnums=numbers)
    directions = [_direction(k, x) if k in numbers else None for k, x in enumerate(given)]
    pushed = pb.jvp(first, tuple(_copies(given)), tuple(directions))[1]
    return list(pushed), lambda step: _along(first, given, directions, step)


def _along(function: Callable[..., Any], given: list[Any], directions: list[Any], step: float) -> list[Any]:
    """The derivatives of all that a function returns, by central differences of eighth order."""

    def at(t: float) -> list[Any]:
        moved = (x if d is None else x + t * d for x, d in zip(_copies(given), directions, strict=True))
        return [np.asarray(y) for y in function(*moved)]

    pairs = [(float(w), at(n * step), at(-n * step)) for n, w in enumerate(WEIGHTS, 1)]
    return [
        sum(w * (plus[k] * 1.0 - minus[k] * 1.0) for w, plus, minus in pairs) / step for k in range(len(pairs[0][1]))
    ]


def _gradient(total: Callable[..., list[float]], given: list[Any], k: int, step: float) -> Any:
    """∂L/∂Re z + i ∂L/∂Im z by an argument, element by element."""
    x = np.asarray(given[k])
    made = np.zeros(x.shape, x.dtype)
    for place, unit in itertools.product(np.ndindex(x.shape), (1.0, 1j) if x.dtype.kind == "c" else (1.0,)):
        direction = np.zeros_like(x)
        direction[place] = unit
        directions = [direction[()] if j == k else None for j in range(len(given))]
        made[place] += unit * _along(total, given, directions, step)[0]
    return made


def _direction(k: int, x: Any) -> Any:
    angles = np.arange(1.0, 1.0 + np.size(x)).reshape(np.shape(x)) * (k + 1)
    made = np.exp(1j * angles) if np.iscomplexobj(x) else np.cos(angles)
    return np.asarray(made, np.asarray(x).dtype)[()]


def _weights(plain: list[Any]) -> list[Any]:
    """A weight for each element of each leaf of floats; None for other leaves."""
    draw, made = np.random.default_rng(7), []
    for leaf in plain:
        weight = draw.uniform(0.5, 1.5, leaf.shape) + (
            1j * draw.uniform(0.5, 1.5, leaf.shape) if leaf.dtype.kind == "c" else 0
        )
        made.append(np.asarray(weight, leaf.dtype)[()] if leaf.dtype.kind in "fc" else None)
    return made


def _structured(value: Any, weights: Iterator[Any]) -> Any:
    """Weights in the structure of a value."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_structured(item, weights) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(_structured(item, weights) for item in value)
    return next(weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--mode", default="interpreted", choices=MODES)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--show", default="wrong crashed", help="which verdicts are shown")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for case in cases(given.only, mode=given.mode, single=given.single):
        kind, why = verdict(case)
        counts[kind] += 1
        if kind in given.show.split():
            print(f"{kind}: {case}: {why}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()

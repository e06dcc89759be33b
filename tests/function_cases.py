"""Calls of library functions, each compared with NumPy and with numeric derivatives, in every layout, dtype and mode.

    python tests/function_campaign.py --count 2000 --jobs 2
    python tests/function_campaign.py --only "np.pad"

A case is a text: one expression, or the body of a function. The names in it are its arguments (`ARGUMENTS`), which a
seed draws anew. To add a function, add texts to a family, or a family: a dict of more names is all that it needs.

    >>> case = Case("np.sum(a * v[:4])")
    >>> case.names
    ('a', 'v')
"""

from __future__ import annotations

import ast
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cells
import pullback as pb
from function_forms import FORMS
from function_slopes import slope_of
from function_texts import FAMILIES, TYPE_BY_SIZE

EXTENDED = np.longdouble
STEPS = (2e-3, 2e-4, 2e-5)
"""A smaller step is tried where a larger one may have gone over a kink or a pole."""

WEIGHTS = tuple(EXTENDED(n) / EXTENDED(d) for n, d in ((4, 5), (-1, 5), (4, 105), (-1, 280)))
"""The central difference of order 8, for the points 1 to 4 steps away on either side."""

SHAPES: dict[str, tuple[int, ...]] = {
    "c": (),
    "d": (),
    "v": (5,),
    "w": (5,),
    "u": (3,),
    "p": (6,),
    "a": (3, 4),
    "b": (3, 4),
    "s": (3, 3),
    "r": (3, 3),
    "t": (2, 3, 4),
    "h": (2, 3, 4),
    "n": (6,),
    "e": (3, 4),
    "o": (),
    "q": (1,),
}
"""The floats. p: positive and growing; n, e: with NaN in places; o: an array without axes; the others from -2 to 2,
apart from one another."""

WHOLE: dict[str, Any] = {
    "i": np.array([2, 0, 1, 1]),
    "j": np.array([[0, 2, 1, 1], [1, 0, 2, 0]]),
    "m": np.array([True, False, True, True, False]),
    "l": np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]]),
}
"""Integers and truth values, which get no gradient."""

LAYOUTS = ("C", "F", "strided", "reversed", "empty", "resized")
"""resized: of other sizes than the case is written for, which fit one another or do not."""
DTYPES = ("float64", "float32")
MODES = ("interpreted", "compiled", "forward", "tape", "second")
"""second: the tangent of the gradient, interpreted."""


@dataclass(frozen=True, slots=True)
class Case:
    """A call of a function."""

    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments, in the order of the alphabet."""
        found = {node.id for node in ast.walk(ast.parse(self.text)) if isinstance(node, ast.Name)}
        return tuple(sorted(found & (SHAPES.keys() | WHOLE.keys())))

    def function(self) -> Callable[..., Any]:
        lines = self.text.strip().split("\n")
        if len(lines) == 1 and not lines[0].startswith("return "):
            lines = [f"return {lines[0]}"]
        body = "\n".join(f"    {line}" for line in lines)
        return cells.run(f"def call({', '.join(self.names)}):\n{body}\n", np=np)["call"]


@dataclass(frozen=True, slots=True)
class Trial:
    """A case with how its arguments are made, and how its derivative is asked for."""

    case: Case
    layout: str = "C"
    dtype: str = "float64"
    mode: str = "interpreted"
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.case.text!r} {self.layout} {self.dtype} {self.mode} {self.seed}"


def cases(only: str = "") -> list[Case]:
    """All cases whose text has `only` in it."""
    texts = [text for texts in (FAMILIES | FORMS).values() for text in texts if only in text]
    return [Case(text) for text in dict.fromkeys(texts)]


def every_trial(only: str, modes: Any, layouts: Any, dtypes: Any, seed: int) -> list[Trial]:
    product = itertools.product(cases(only), layouts, dtypes, modes)
    return [Trial(case, layout, dtype, mode, seed) for case, layout, dtype, mode in product]


def drawn_trials(trials: list[Trial], count: int, seed: int) -> list[Trial]:
    """So many of the trials, each with values of its own."""
    draw = np.random.default_rng(seed)
    return [replace(trials[draw.integers(len(trials))], seed=int(draw.integers(1000))) for _ in range(count)]


def arguments_of(trial: Trial) -> dict[str, Any]:
    """The arguments that a trial calls its function with."""
    draw = np.random.default_rng(trial.seed)
    return {name: _laid_out(name, _drawn(name, draw), trial) for name in trial.case.names}


def _drawn(name: str, draw: np.random.Generator) -> Any:
    if name in WHOLE:
        return WHOLE[name]
    shape = SHAPES[name]
    count = int(np.prod(shape))
    if not shape:
        return np.float64(draw.uniform(0.4, 0.9) + (0.8 if name == "d" else 0.0))
    values = (draw.permutation(count) - count / 2 + 0.3 + 0.3 * draw.uniform(size=count)) * 4 / (count + 1)
    values = values.reshape(shape)
    if name == "p":
        values = np.cumsum(0.3 + np.abs(values))
    if name in "ne":
        values[..., 1] = np.nan
    return values


def _laid_out(name: str, value: Any, trial: Trial) -> Any:
    if name in WHOLE:
        return value
    value = np.asarray(value, trial.dtype)
    if value.ndim == 0:
        return value if name == "o" else value[()]
    if trial.layout == "F":
        return np.asfortranarray(value)
    if trial.layout == "reversed":
        return value[::-1].copy()[::-1]
    if trial.layout == "strided":
        wide = np.zeros(tuple(2 * extent for extent in value.shape), value.dtype)
        wide[tuple(slice(None, None, 2) for _ in value.shape)] = value
        return wide[tuple(slice(None, None, 2) for _ in value.shape)]
    if trial.layout == "resized":
        return _resized(value, np.random.default_rng([trial.seed, ord(name)]).integers(6))
    return value[:0] if trial.layout == "empty" else value


def _resized(value: Any, way: int) -> Any:
    """One element of the first or last axis, axes in the other order, or more elements; or as it is."""
    ways = (value, value[:1], value[..., :1], value.T.copy(), np.concatenate((value, value[:2] + 0.01)), value[:-1])
    return ways[way].copy()


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers in nested tuples, lists and dicts."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        return list(itertools.chain.from_iterable(map(leaves, value)))
    return [value]


def verdict(trial: Trial) -> tuple[str, str]:
    """What becomes of a trial: ("right" | "refused" | "wrong" | "crashed" | "no such call", why)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return _verdict(trial)


def _verdict(trial: Trial) -> tuple[str, str]:
    leaves_the_tape = trial.mode == "tape" and "float(" in trial.case.text  # which says that a constant is meant
    if leaves_the_tape or (trial.layout == "empty" and trial.case.text in TYPE_BY_SIZE):
        return "no such call", ""
    given, function = arguments_of(trial), trial.case.function()
    try:
        plain = leaves(function(*_copies(given)))
    except Exception as error:
        return _of_an_error(trial, function, given, error)
    numbers = tuple(k for k, name in enumerate(given) if name in SHAPES)
    try:
        if trial.mode == "second":
            if len(plain) != 1 or not numbers or not _is_float(plain):
                return "no such call", ""
            function = slope_of(function, tuple(given), numbers, _weights(plain)[0])
            plain = leaves(function(*_copies(given)))
        found, gradients, tangents = _derivatives(trial, function, given, numbers, plain)
    except pb.PullbackError as error:
        return "refused", f"{type(error).__name__}: {error}".split("\n")[0]
    except Exception as error:
        if trial.layout == "resized" and isinstance(error, ValueError) and _is_explained(trial, str(error)):
            return "refused", f"{type(error).__name__}: {error}".split("\n")[0]
        if trial.mode == "tape" and ("Tensor" in str(error) or "with a sequence" in str(error)):
            return "refused", f"{type(error).__name__}: {error}".split("\n")[0]  # a method that tensors do not have
        return "crashed", f"{type(error).__name__}: {error}".split("\n")[0][:300]
    try:
        _compare_values(trial, leaves(found), plain)
        if trial.layout == "resized" and not all(np.all(np.isfinite(np.asarray(leaf, float))) for leaf in plain):
            return "right", ""  # a variance of one element, say
        for step in STEPS:
            try:
                if gradients is not None:
                    _compare_gradients(trial, function, given, numbers, gradients, step)
                if tangents is not None:
                    _compare_tangents(trial, function, given, numbers, leaves(tangents), plain, step)
                break
            except (AssertionError, ValueError):  # ValueError: steps to either side give results of different sizes
                if step == STEPS[-1]:
                    raise
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())[:300]
    except Exception as error:
        return "oracle", f"{type(error).__name__}: {error}".split("\n")[0][:300]
    return "right", ""


def _is_explained(trial: Trial, message: str) -> bool:
    """Whether a run of sizes that NumPy knows says what is not known here: axes of one element of np.einsum spread."""
    return "which only the run knows" in message or ("einsum" in trial.case.text and "operand" in message)


def _of_an_error(trial: Trial, function: Any, given: dict[str, Any], plain: Exception) -> tuple[str, str]:
    """What becomes of a call that NumPy does not know: it raises here as well, something of the same kind."""
    try:
        if trial.mode == "tape":
            function(*(pb.constant(x) for x in _copies(given)))
        else:
            pb.differentiable(function, jit=trial.mode == "compiled")(*_copies(given))
    except Exception:
        return "no such call", ""
    return "wrong", f"raises {type(plain).__name__} in NumPy: {plain}"[:300]


def _copies(given: dict[str, Any]) -> list[Any]:
    """The arguments with fresh memory, in the layouts that they have."""
    made = []
    for value in given.values():
        if isinstance(value, np.ndarray) and value.base is not None:
            base = value.base.copy(order="K")
            value = np.ndarray(value.shape, value.dtype, base, _offset(value), value.strides) if base.size else value
        elif isinstance(value, np.ndarray):
            value = value.copy(order="K")
        made.append(value)
    return made


def _offset(view: np.ndarray) -> int:
    return view.__array_interface__["data"][0] - view.base.__array_interface__["data"][0]


def _derivatives(
    trial: Trial, function: Callable[..., Any], given: dict[str, Any], numbers: tuple[int, ...], plain: list[Any]
) -> tuple[Any, Any, Any]:
    """The value, the gradients of a weighted sum of it, and the tangent along one direction; None for what is not."""
    arguments = _copies(given)
    if trial.mode in ("forward", "second"):
        made = function if trial.mode == "second" else pb.differentiable(function, jit=False)
        directions = [_direction(k, x) if k in numbers else None for k, x in enumerate(arguments)]
        value, tangent = pb.jvp(made, tuple(arguments), tuple(directions))
        return value, None, tangent
    if trial.mode == "tape":
        tensors = [pb.constant(x) if k in numbers else x for k, x in enumerate(arguments)]
        with pb.GradientTape() as tape:
            tape.watch([tensors[k] for k in numbers])
            value = function(*tensors)
            total = _total(leaves(value), plain)
        found = tape.gradient(total, [tensors[k] for k in numbers], unconnected_gradients="zero")
        return [getattr(x, "numpy", lambda x=x: x)() for x in leaves(value)], [g.numpy() for g in found], None
    made = pb.differentiable(function, jit=trial.mode == "compiled")
    value, pullback = pb.vjp(made, argnums=numbers)(*arguments)
    if not _is_float(plain):
        return value, None, None
    return value, pullback(_cotangent(value, iter(_weights(plain)))), None


def _is_float(plain: list[Any]) -> bool:
    return any(np.asarray(leaf).dtype.kind == "f" for leaf in plain)


def _cotangent(value: Any, weights: Iterator[Any]) -> Any:
    """Weights in the structure of a value."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_cotangent(item, weights) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(_cotangent(item, weights) for item in value)
    return next(weights)


def _weights(plain: list[Any]) -> list[Any]:
    """A weight for each element of each leaf of floats; 0 for those that are not finite, None for other leaves."""
    draw, made = np.random.default_rng(7), []
    for leaf in map(np.asarray, plain):
        weight = draw.uniform(0.5, 1.5, leaf.shape)
        made.append(np.where(np.isfinite(leaf), weight, 0).astype(leaf.dtype) if leaf.dtype.kind == "f" else None)
    return made


def _total(found: list[Any], plain: list[Any]) -> Any:
    """The weighted sum of all leaves of floats."""
    pairs = zip(found, _weights(plain), strict=True)
    return sum(np.sum(np.where(weight != 0, leaf * weight, 0)) for leaf, weight in pairs if weight is not None)


def _direction(k: int, x: Any) -> Any:
    return np.asarray(np.cos(np.arange(1.0, 1.0 + np.size(x)) * (k + 1))).reshape(np.shape(x)).astype(x.dtype)


def _compare_values(trial: Trial, found: list[Any], plain: list[Any]) -> None:
    assert len(found) == len(plain), f"{len(found)} results in the place of {len(plain)}"
    for one, other in zip(found, plain, strict=True):
        dtypes = np.asarray(one).dtype, np.asarray(other).dtype
        assert dtypes[0] == dtypes[1], f"the dtype is {dtypes[0]} in the place of {dtypes[1]}"
        assert np.shape(one) == np.shape(other), f"the shape is {np.shape(one)} in the place of {np.shape(other)}"
        single = "float32" in (trial.dtype, str(dtypes[0]))
        np.testing.assert_allclose(one, other, rtol=2e-5 if single else 1e-12, atol=2e-6 if single else 1e-13)


def _compare_gradients(
    trial: Trial,
    function: Callable[..., Any],
    given: dict[str, Any],
    numbers: tuple[int, ...],
    gradients: Any,
    step: float,
) -> None:
    names = list(given)
    plain = leaves(function(*_copies(given)))

    def total(value: list[Any]) -> Any:
        return _total(value, plain)

    for k, found in zip(numbers, gradients, strict=True):
        x = given[names[k]]
        expected = np.zeros(np.shape(x))
        for index in np.ndindex(expected.shape):
            if np.isfinite(x[index]):
                unit = np.zeros(expected.shape)
                unit[index] = 1.0
                expected[index] = _difference(
                    function, given, {names[k]: unit}, lambda value: _total(value, plain), step
                )
        assert np.asarray(found).dtype == trial.dtype, f"a gradient of {np.asarray(found).dtype}"
        _compare_derivatives(trial, found, expected)


def _difference(
    function: Callable[..., Any],
    given: dict[str, Any],
    directions: dict[str, Any],
    of: Callable[[list[Any]], Any],
    size: float,
) -> Any:
    """The derivative of a part of the value along directions: with 80 bits, or with 64 where NumPy knows no others."""
    try:
        return _difference_in(EXTENDED, function, given, directions, of, size)
    except TypeError:
        return _difference_in(np.float64, function, given, directions, of, size)


def _difference_in(
    precise: Any,
    function: Callable[..., Any],
    given: dict[str, Any],
    directions: dict[str, Any],
    of: Callable[[list[Any]], Any],
    size: float,
) -> Any:
    def at(step: Any) -> Any:
        moved = {name: x if name in WHOLE else np.array(x, precise) for name, x in given.items()}
        for name, direction in directions.items():
            moved[name] = np.asarray(moved[name] + step * direction)
        moved = {name: x if isinstance(given[name], np.ndarray) else x[()] for name, x in moved.items()}
        return of(leaves(function(*_copies(moved))))

    step = precise(size)
    return sum(precise(weight) * (at(n * step) - at(-n * step)) for n, weight in enumerate(WEIGHTS, 1)) / step


def _compare_derivatives(trial: Trial, found: Any, expected: Any) -> None:
    assert np.shape(found) == np.shape(expected), f"a derivative of shape {np.shape(found)}, not {np.shape(expected)}"
    single = trial.dtype == "float32"
    np.testing.assert_allclose(found, expected, rtol=1e-3 if single else 1e-10, atol=1e-4 if single else 1e-10)


def _compare_tangents(
    trial: Trial,
    function: Callable[..., Any],
    given: dict[str, Any],
    numbers: tuple[int, ...],
    tangents: list[Any],
    plain: list[Any],
    size: float,
) -> None:
    """Each leaf's tangent, along all arguments at once."""
    names = list(given)
    directions = {names[k]: _direction(k, given[names[k]]) for k in numbers}
    for place, (tangent, leaf) in enumerate(zip(tangents, plain, strict=True)):
        if np.asarray(leaf).dtype.kind != "f":
            assert tangent is None, "a tangent of what is no float"
            continue
        expected = _difference(function, given, directions, lambda value, place=place: np.asarray(value[place]), size)
        kept = np.isfinite(leaf) & np.isfinite(np.asarray(expected, float))
        _compare_derivatives(trial, np.where(kept, tangent, 0), np.where(kept, expected, 0).astype(float))

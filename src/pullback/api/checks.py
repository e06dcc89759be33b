"""`check_grads`: the derivative of a function compared with finite differences of the function itself."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.api.calls import Argnums
from pullback.api.derivatives import value_and_grad
from pullback.api.differentiable import engine_of
from pullback.api.view import float_arguments
from pullback.errors import TypingError
from pullback.frontend.source.star_parameters import names_for
from pullback.frontend.values.arguments import form_of, leaves_of, rebuild

DIRECTIONS = 4


def check_grads(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    argnums: Argnums = 0,
    *,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    seed: int = 0,
) -> None:
    """Compare the gradient of `function` at `arguments`, a tuple, with differences along a few random directions.

    argnums: which arguments to differentiate, as for `grad`. rtol, atol: how far the two slopes may be apart, relative
    to the larger and beside it. seed: of the directions.

    The value is compared with a plain call as well. Raises AssertionError that names the figures where they differ.
    Central differences have an error of their own: about 1e-9 of the value for float64, away from kinks.

    >>> import numpy as np, pullback as pb
    >>> pb.check_grads(lambda x: np.sum(np.sin(x)), (np.array([0.1, 0.2]),))
    """
    check = check_of(function, arguments, argnums, rtol=rtol, atol=atol, seed=seed)
    assert check.value_agrees, f"value {check.value!r} where a plain call gives {check.expected!r}"
    for row in check.rows:
        assert row.agrees, (
            f"the gradient of '{check.name}' gives the slope {row.slope!r} along a random direction of "
            f"'{row.argument}', differences give {row.numeric!r}"
        )


def check(function: Callable[..., Any], *arguments: Any, argnums: Argnums | None = None, seed: int = 0) -> Check:
    """The gradient of `function` beside differences along random directions: a table, as text.

    arguments: as in the call. argnums: which of them to differentiate (default: all that are made of floats). seed: of
    the directions. `passed` of the result tells whether all agree, as for `check_grads`.

    Raises TypingError and LanguageError as `value_and_grad` does.

    >>> import pullback as pb
    >>> table = pb.check(lambda a, b: a * b * b, 2.0, 5.0)
    >>> table.passed, len(str(table).splitlines())
    (True, 11)
    """
    if argnums is None:
        engine = engine_of(function)
        argnums = float_arguments(engine, engine.bind(arguments, {}))
        if not argnums:
            raise TypingError(
                f"'{engine.name}' has no argument to differentiate", None, "pass one that is made of floats"
            )
    return check_of(function, arguments, argnums, seed=seed)


@dataclass(frozen=True, slots=True)
class Row:
    """The slope of a function along one direction of one argument, by its gradient and by differences."""

    argument: str
    slope: float
    numeric: float
    agrees: bool


@dataclass(frozen=True, slots=True)
class Check:
    """A gradient compared with differences."""

    name: str
    value: Any
    expected: Any
    value_agrees: bool
    rows: tuple[Row, ...]

    @property
    def passed(self) -> bool:
        """Whether the value and all slopes agree."""
        return self.value_agrees and all(row.agrees for row in self.rows)

    def __str__(self) -> str:
        """A line for the value, one for each direction, and one that says whether all agree."""
        said = {True: "agree", False: "DIFFER"}
        width = max([len("argument"), *(len(row.argument) for row in self.rows)])
        lines = [f"{self.name}: value {self.value!r}, plain call {self.expected!r}: {said[self.value_agrees]}"]
        lines.append(f"{'argument':{width}}  {'gradient':>24}  {'differences':>24}")
        lines += [f"{r.argument:{width}}  {r.slope:24.16g}  {r.numeric:24.16g}  {said[r.agrees]}" for r in self.rows]
        return "\n".join([*lines, "passed" if self.passed else "FAILED"])


def check_of(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    argnums: Argnums,
    *,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    seed: int = 0,
) -> Check:
    """See `check_grads`; each argument is moved by itself."""
    engine = engine_of(function)
    plain, is_method = engine.function, engine.receiver is not None
    chosen = argnums if isinstance(argnums, tuple) else (argnums,)
    value, gradients = value_and_grad(function, argnums=tuple(chosen))(*copy.deepcopy(arguments))
    expected = plain(*copy.deepcopy(arguments))
    names = names_for(engine.signature, len(arguments) + is_method)[is_method:]
    positions = [names.index(n) if isinstance(n, str) else n % len(names) for n in chosen]
    generator = np.random.default_rng(seed)
    rows: list[Row] = []
    for gradient, position in zip(gradients, positions, strict=True):
        for _ in range(DIRECTIONS):
            direction = _direction(arguments[position], generator)
            slope, numeric = _inner(gradient, direction), _central(plain, arguments, position, direction)
            agrees = bool(np.isclose(slope, numeric, rtol=rtol, atol=atol))
            rows.append(Row(names[position], slope, numeric, agrees))
    alike = bool(np.allclose(value, expected, rtol=1e-10, atol=1e-12))
    return Check(engine.source.name, value, expected, alike, tuple(rows))


def _direction(value: Any, generator: np.random.Generator) -> Any:
    form = form_of(value)
    return rebuild(form, iter([_drawn(leaf, generator) for leaf in leaves_of(value, form)]))


def _drawn(leaf: Any, generator: np.random.Generator) -> Any:
    drawn = generator.standard_normal(np.shape(leaf))
    return (drawn + 1j * generator.standard_normal(np.shape(leaf)) if np.iscomplexobj(leaf) else drawn)[()]


def _inner(gradient: Any, direction: Any) -> float:
    form = form_of(direction)
    pairs = zip(leaves_of(gradient, form), leaves_of(direction, form), strict=True)
    return float(sum(np.sum(np.real(np.conj(g) * d)) for g, d in pairs))


def _moved(value: Any, direction: Any, step: float) -> Any:
    form = form_of(value)
    pairs = zip(leaves_of(value, form), leaves_of(direction, form), strict=True)
    return rebuild(form, iter([leaf + step * d for leaf, d in pairs]))


def _central(function: Callable[..., Any], arguments: tuple[Any, ...], position: int, direction: Any) -> float:
    """A central difference with one step of Richardson's extrapolation."""

    def slope(step: float) -> float:
        values = []
        for sign in (1.0, -1.0):
            moved = list(copy.deepcopy(arguments))
            moved[position] = _moved(moved[position], direction, sign * step)
            values.append(float(function(*moved)))
        return (values[0] - values[1]) / (2 * step)

    return (4 * slope(5e-5) - slope(1e-4)) / 3

"""Numbers and arrays of several dtypes, drawn at random: values, dtypes and gradients are NumPy's."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cells
import oracle
import pullback as pb
from random_statements import Expressions

DTYPES = ["float64", "float64", "float32", "float32", "int64", "int32", "int8", "uint8", "bool"]
NUMBERS = ["0.5", "2", "-1", "3.0", "True", "np.float32(1.5)", "np.int32(2)", "np.float64(0.25)"]


class Drawn(Expressions):
    """Draws a program over arrays `a`, `b`, `c`, a number `n`, and the names that it defines."""

    def program(self) -> str:
        lines = []
        for k in range(self.draw.randint(1, 3)):
            lines.append(f"y{k} = {self.expression(2)}")
            self.names.append(f"y{k}")
            if self.draw.random() < 0.3:
                lines.append(f"y{k} {self.draw.choice(['+=', '*=', '-='])} {self.expression(1)}")
            if self.draw.random() < 0.3:
                lines += [
                    f"z{k} = np.zeros(3, dtype=np.{self.draw.choice(['float32', 'float64', 'int64'])})",
                    "for i in range(3):",
                    f"    z{k}[i] = {self.expression(1, '[i]')}",
                ]
                self.names.append(f"z{k}")
        shown = [f"{name} * 1.0" if self.draw.random() < 0.2 else name for name in self.names[3:]]
        total = " + ".join(f"np.sum(np.sin({name} * 0.1))" for name in self.names[3:])
        body = "".join(f"    {line}\n" for line in lines)
        return f"def f(a, b, c, n):\n{body}    return {total} * 1.0, ({', '.join(shown)},)\n"

    def expression(self, depth: int, part: str = "") -> str:
        if depth == 0 or self.draw.random() < 0.15:
            name = self.draw.choice(self.names) + part
            return self.draw.choice([name, name, name, "n", self.draw.choice(NUMBERS)])
        x, y, z = (self.expression(depth - 1, part) for _ in range(3))
        dtype = self.draw.choice(["float32", "float64", "int64", "int32"])
        forms = {
            f"({x} {self.draw.choice('+-*')} {y})": 30,
            f"{x} / (1.5 + {y} * {y})": 6,
            f"{x} // 2": 3,
            f"{x} % 3": 3,
            f"{x} ** 2": 5,
            f"abs({x}) ** 1.5": 3,
            f"np.{self.draw.choice(['sin', 'exp', 'tanh', 'floor', 'sqrt'])}({x} * 0.1 + 1)": 10,
            f"np.where({x} > 1, {y}, {z})": 8,
            f"np.{self.draw.choice(['maximum', 'minimum', 'add', 'hypot', 'arctan2'])}({x}, {y})": 8,
            f"np.{self.draw.choice(['sum', 'mean', 'max', 'prod'])}({x})": 8,
            f"np.cumsum({x})": 3,
            f"(np.asarray({x}) * 1).astype(np.{dtype})": 5,
            f"np.{dtype}({self.draw.choice(['n', '2', '1.5'])})": 3,
            f"(({x}) > ({y}))": 3,
            f"np.square({x})": 3,
            f"np.clip({x}, -1, 2)": 3,
        }
        if part:
            forms |= {f"float({x})": 4, f"int({x})": 4, f"min({x}, {y})": 4, f"({x} if {y} > 1 else {z})": 4}
        return self.one_of(forms)


def drawn(seed: int) -> tuple[Callable[..., Any], list[Any], str] | None:
    """The program of a seed, its arguments and its text; None where it fails in NumPy, or is not finite."""
    draw = random.Random(f"dtypes/{seed}")
    text = Drawn(draw).program()
    numbers = np.random.default_rng(seed)
    arguments: list[Any] = [(numbers.normal(size=3) * 2.0 + 1.0).astype(draw.choice(DTYPES)) for _ in range(3)]
    arguments.append(draw.choice([2, 1.5, np.float32(0.75), np.int32(3), True]))
    function = cells.run(text, np=np)["f"]
    try:
        total, results = function(*oracle.copy_arguments(arguments))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    finite = all(np.all(np.isfinite(np.asarray(r, dtype=float))) for r in (total, *results))
    return (function, arguments, text) if finite else None


def active(arguments: list[Any]) -> tuple[int, ...]:
    return tuple(k for k, a in enumerate(arguments) if np.asarray(a).dtype.kind == "f")


def mismatch(function: Callable[..., Any], arguments: list[Any], rtol: float, options: dict[str, Any]) -> str:
    """What differs from NumPy; PullbackError where the program is refused."""
    total, shown = function(*oracle.copy_arguments(arguments))
    made, results = pb.differentiable(**options)(function)(*oracle.copy_arguments(arguments))
    for k, (result, exact) in enumerate(zip((made, *results), (total, *shown), strict=True)):
        if np.asarray(result).dtype != np.asarray(exact).dtype:
            return f"dtype of result {k}: {np.asarray(result).dtype}, not {np.asarray(exact).dtype}"
        if not np.allclose(result, exact, rtol=rtol, atol=rtol):
            return f"result {k}: {result}, not {exact}"
    return ""


def narrow(arguments: list[Any], text: str) -> bool:
    """Whether some of the program is computed with 32 bits or fewer."""
    few = ("float32", "int8", "uint8")
    return "float32" in text or any(np.asarray(a).dtype in few for a in arguments)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("block", range(4))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_dtypes_are_numpys(block: int) -> None:
    ran = 0
    for seed in range(block, 150, 4):
        program = drawn(seed)
        if program is None:
            continue
        function, arguments, text = program
        rtol = 2e-5 if narrow(arguments, text) else 1e-10
        for options in ({}, {"fuse": True}):
            try:
                wrong = mismatch(function, arguments, rtol, {"jit": False, **options})
            except pb.PullbackError:
                break
            ran += 1
            assert not wrong, f"seed {seed} {options}: {wrong}\n{text}{[np.asarray(a).dtype for a in arguments]}"
    assert ran > 45


@pytest.mark.parametrize("block", range(2))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradients_have_the_dtypes_of_their_arguments(block: int) -> None:
    ran = 0
    for seed in range(1000 + block, 1080, 2):
        program = drawn(seed)
        if program is None or not active(program[1]):
            continue
        function, arguments, text = program
        positions = active(arguments)
        made = pb.grad(pb.differentiable(jit=False)(function), argnums=positions, has_aux=True)
        try:
            gradients, _ = made(*oracle.copy_arguments(arguments))
        except pb.PullbackError:
            continue
        total = cells.run(text.replace(" * 1.0, (", " * 1.0 # ("), np=np)["f"]
        try:
            _, expected = oracle.gradient(total, arguments, positions)
        except oracle.LostDerivativeError:
            continue
        rtol = 1e-3 if narrow(arguments, text) else 1e-9
        for k, gradient, exact in zip(positions, gradients, expected, strict=True):
            ran += 1
            assert np.asarray(gradient).dtype == np.asarray(arguments[k]).dtype
            np.testing.assert_allclose(gradient, exact, rtol=rtol, atol=rtol, err_msg=f"seed {seed}\n{text}")
    assert ran > 30


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.arange(3), np.array([0.5, 1.5, 2.5], np.float32)),
        (np.arange(3), np.float32(0.5)),
        (np.array([0.5, 1.5, 2.5], np.float32), np.int64(3)),
        (np.array([1, 2, 3], np.uint8), np.array([1, 2, 3], np.uint64)),
    ],
)
def test_compiled_code_widens_as_numpy_does(a: Any, b: Any) -> None:
    def f(a, b):
        power = np.float_power(a, 2)
        return a * b, np.maximum(a, b), np.where(a > b, a, b), np.prod(a + b), power, np.float_power(2, 3)

    for result, exact in zip(pb.differentiable(f)(a, b), f(a, b), strict=True):
        assert np.asarray(result).dtype == np.asarray(exact).dtype
        np.testing.assert_array_equal(result, exact)


def test_an_exponent_of_two_widens_nothing() -> None:
    x = np.array([0.5, 1.5], np.float32)
    assert pb.differentiable(jit=False)(lambda x: np.ldexp(x, np.arange(2)))(x).dtype == np.float32


def test_bounds_beyond_the_range_of_an_integer_bound_nothing() -> None:
    """NumPy's clip knows that no uint8 is below -1; any other function refuses the number."""
    b = np.array([1, 200, 3], np.uint8)

    def f(b):
        return np.clip(b, -1, 300)

    def g(b):
        return b + 300

    np.testing.assert_array_equal(pb.differentiable(f)(b), b)
    with pytest.raises(OverflowError):
        g(b)

    def h(b):
        b[0] = -1
        return np.sum(b)

    with pytest.raises(pb.TypingError, match="the Python integer 300 is out of bounds for uint8"):
        pb.differentiable(g)(b)
    with pytest.raises(pb.TypingError, match="the Python integer -1 is out of bounds for uint8"):
        pb.differentiable(h)(b)

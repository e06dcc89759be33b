"""Array statements as loops, and stencils: random programs, interpreted as they are compiled, against the oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import oracle
import pullback as pb
from programs import inner_products
from test_final import function_of

SHAPES = ((4, 5), (3, 3), (2, 6), (5, 1), (1, 4), (2, 2), (0, 3))
MAPS = ("np.sin({a})", "np.tanh({a} * {b})", "{a} * {b}", "{a} - 0.5 * {b}", "{a} / (2.0 + {b} * {b})", "{a} ** 2")
PICKS = ("np.where({a} > 0.1, {a}, {b})", "np.maximum({a}, {b})", "np.abs({a}) + {s}", "{a} * {s}")
VIEWS = ("{a}[::-1]", "{a}[:, ::-1]", "({a}.T * 2.0).T", "{a}[:]")
PARTS = (("1:", ":-1"), ("1:-1", "2:"), ("1:-1", ":-2"), ("::2", "::2"), (":", ":"), ("2:", ":-2"))


class Writer:
    """A function of an array `x`, a row `r` and a column `c`, made of statements on arrays of the shape of `x`."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.arrays = ["x"]
        self.numbers = ["0.7"]
        self.lines = ["import numpy as np", "", "", "def f(x, r, c):"]

    def text(self) -> str:
        for _ in range(self.choose.randint(3, 9)):
            self.statement(1)
        total = " + ".join(f"np.sum({a} * {a})" for a in self.choose.sample(self.arrays, min(2, len(self.arrays))))
        return "\n".join([*self.lines, f"    return {total} + {self.choose.choice(self.numbers)}"]) + "\n"

    def add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def array(self) -> str:
        return self.choose.choice(self.arrays)

    def expression(self) -> str:
        form = self.choose.choice(MAPS + MAPS + PICKS)
        other = self.choose.choice((self.array(), self.array(), "r", "c", self.choose.choice(VIEWS).format(a="x")))
        return form.format(a=self.array(), b=other, s=self.choose.choice(self.numbers))

    def statement(self, depth: int) -> None:
        kinds = [self.new, self.new, self.new, self.number, self.along, self.part, self.augment, self.indices]
        self.choose.choice(kinds if depth > 1 else [*kinds, self.loop])(depth)

    def new(self, depth: int) -> None:
        name = f"a{len(self.arrays)}" if depth == 1 else self.array()
        self.add(depth, f"{name} = {self.expression()}")
        if depth == 1:
            self.arrays.append(name)

    def number(self, depth: int) -> None:
        self.add(depth, f"s{len(self.numbers)} = np.tanh(np.sum({self.expression()}) * 0.1)")
        if depth == 1:
            self.numbers.append(f"s{len(self.numbers)}")

    def along(self, depth: int) -> None:
        axis, array = self.choose.choice((0, 1)), self.array()
        reduced = f"np.sum({self.expression()}, axis={axis}, keepdims=True)"
        self.add(depth, f"{array} = {array} - 0.1 * {reduced}")

    def part(self, depth: int) -> None:
        to, source = self.choose.choice(PARTS)
        array, other = self.array(), self.array()
        to, source = (f"{to}, :", f"{source}, :") if self.choose.random() < 0.5 else (f":, {to}", f":, {source}")
        operator = self.choose.choice(("=", "=", "+=", "*="))
        copied = f"{array} = {array} * 1.0" if self.choose.random() < 0.5 else f"{array} = {array}.copy()"
        self.add(depth, copied)
        self.add(depth, f"{array}[{to}] {operator} np.sin({other}[{source}]) * {other}[{to}] * 0.5")

    def augment(self, depth: int) -> None:
        array = self.array()
        self.add(depth, f"{array} = {array}.copy()")
        self.add(depth, f"{array} {self.choose.choice(('+=', '-='))} 0.3 * {self.expression()}")

    def indices(self, depth: int) -> None:
        """Rows or columns that an array of indices names are taken, stored or added to; -1, 0 and 1 occur twice."""
        array, other = self.array(), self.array()
        n, named = self.choose.choice((("x.shape[0]", "{}[{}]"), ("x.shape[1]", "{}[:, {}]")))
        near = f"(np.arange({n}) * {self.choose.choice((1, 2, 3))} % 3 - 1) % {n}"
        self.add(depth, f"near = {near}")
        self.add(depth, f"{array} = {array} * 1.0")
        left, right = named.format(array, "near"), named.format(other, "near[::-1]")
        value = f"np.sin({right}) * 0.5"
        forms = [f"{array} = {array} * {right}", f"{left} = {value}", f"{left} += {value} * {array}"]
        if ":" not in named:
            forms.append(f"np.add.at({array}, near, {value})")
        self.add(depth, self.choose.choice(forms))

    def loop(self, depth: int) -> None:
        self.add(depth, f"for k in range({self.choose.choice((0, 1, 3))}):")
        for _ in range(self.choose.choice((1, 2, 3))):
            self.statement(depth + 1)


def stencil(seed: int) -> str:
    """A function that adds up products of neighbours in nests of loops."""
    choose = random.Random(seed)
    low, high = choose.choice((0, 1, 2)), choose.choice((0, 1, 2))
    columns = choose.choice(("range(2, m - 2)", "range(1, m - 1)", "range(min(i, m - 2))", "range(m - 3)"))
    lines = ["import numpy as np", "", "", "def f(x, r, c):", "    n, m = x.shape", "    y = np.zeros((n, m))"]
    lines += [f"    for t in range({choose.choice((1, 2))}):", f"        for i in range({low}, n - {high}):"]
    lines.append(f"            for j in {columns}:")
    for _ in range(choose.choice((1, 2))):
        terms = [f"{choose.choice(('0.5 * ', '', '-'))}{place(choose, low, high)}" for _ in range(choose.randint(2, 4))]
        if choose.random() < 0.4:
            terms.append(f"{place(choose, low, high)} * {place(choose, low, high)}")
        lines.append(f"                y[i, j] {choose.choice(('=', '+='))} np.sin({' + '.join(terms)}) * 0.7")
    lines += ["        x = np.tanh(y + x * r)", "    return np.sum(x * y) + np.sum(x * c)"]
    return "\n".join(lines) + "\n"


def place(choose: random.Random, low: int, high: int) -> str:
    row, column = choose.randint(-low, high), choose.choice((-2, -1, 0, 0, 1))
    return f"x[i{row:+d}, j{column:+d}]".replace("+0", "").replace("-0", "")


def check(text: str, shape: tuple[int, int], folder: Path, name: str) -> None:
    """Compare the value and the gradients of a program in both interpreted forms, unless it fails by itself."""
    generator = np.random.default_rng(len(text))
    arguments = tuple(generator.uniform(-1.2, 1.2, s) for s in (shape, shape[1:], (shape[0], 1)))
    f = function_of(text, folder, name)
    try:
        value, expected = oracle.gradient(f, tuple(a.copy() for a in arguments), (0, 1, 2))
    except (IndexError, ValueError):
        return
    for fuse in (True, False):
        function = pb.differentiable(jit=False, fuse=fuse)(f)
        got, gradients = pb.value_and_grad(function, (0, 1, 2))(*(a.copy() for a in arguments))
        np.testing.assert_allclose(got, value, rtol=1e-10, atol=1e-12, err_msg=text)
        for gradient, due in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(gradient, due, rtol=1e-9, atol=1e-11, err_msg=text)


@pytest.mark.drawn(1)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("start", range(0, 84, 7))
def test_array_statements_as_loops(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 7):
        check(Writer(seed).text(), SHAPES[seed % len(SHAPES)], tmp_path, f"arrays_{seed}")


@pytest.mark.drawn(1)
@pytest.mark.parametrize("start", range(0, 48, 4))
def test_neighbours_in_loops(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 4):
        check(stencil(seed), ((5, 7), (4, 6), (6, 5), (3, 4))[seed % 4], tmp_path, f"stencil_{seed}")


@pytest.mark.parametrize("identity", [lambda n: np.eye(n, dtype=np.float64), lambda n: np.identity(n), np.eye])
def test_sizes_of_an_identity_are_known(identity: Callable[[int], np.ndarray]) -> None:
    def regularised(s):
        return np.sum(np.linalg.inv(s @ s.T + identity(2)))

    s = np.array([[1.0, 0.2, 0.0], [0.0, 0.3, 1.0]])
    assert "sum_to" not in pb.inspect_source(regularised, s)
    expected = pb.grad(pb.differentiable(jit=False)(regularised))(s)
    np.testing.assert_allclose(pb.grad(regularised)(s), expected, rtol=1e-12)


BY_ELEMENTS = [
    inner_products.of_a_window,
    inner_products.autoregressive,
    inner_products.as_long_as_the_filter,
    inner_products.of_columns,
    inner_products.made_element_by_element,
]


@pytest.mark.parametrize("function", BY_ELEMENTS, ids=lambda f: f.__name__)
def test_products_of_parts_and_of_what_is_made_by_elements_are_loops(function: Callable[..., float]) -> None:
    matrix = [np.ones((3, 4))] if function is inner_products.of_columns else [np.ones(9)]
    lines = pb.inspect_source(pb.grad(function), *matrix, np.ones(9 if "made" in function.__name__ else 3)).splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    assert "matrix_product" not in text
    assert "[::-1]" not in text


def test_other_products_are_those_of_the_library() -> None:
    def of_products(a, x):
        y = a @ x
        return y @ (a @ y)

    assert "matrix_product" in pb.inspect_source(pb.grad(of_products), np.ones((9, 9)), np.ones(9))


def test_an_array_that_several_loops_read_is_kept_once() -> None:
    def descent(b, n):
        x = b * 1.0
        for _ in range(n):
            q = np.cumsum(x)
            step = 1 / (1 + np.sum(x * q))
            x = np.sin(x) - step * q
        return np.sum(x)

    text = pb.inspect_source(pb.grad(descent), np.ones(9), 2)
    names = [line.split(" = ")[0].strip() for line in text.splitlines() if "_saved = np.empty((trips, b" in line]
    assert [name for name in names if name.startswith("q_")] == ["q_saved"]


def test_a_part_that_is_added_to_is_not_only_read_by_loops():
    """The adjoint of y is the transpose of what the loop hands on, and then written."""

    def overwritten(x, y, m):
        p = y.T
        w = y[0].copy()
        v = x[0] * 0.5
        for _ in range(m):
            p = np.outer(v, v)
        return np.sum(p * p) + v @ w

    x, y = np.random.default_rng(0).uniform(0.2, 1.0, (2, 3, 3))
    for m in (0, 2):
        value, slopes = pb.value_and_grad(overwritten, argnums=(0, 1))(x, y, m)
        plain = pb.differentiable(optimisations=False, jit=False)(overwritten)
        expected, expected_slopes = pb.value_and_grad(plain, argnums=(0, 1))(x, y, m)
        assert value == pytest.approx(expected, rel=1e-13)
        for slope, expected_slope in zip(slopes, expected_slopes, strict=True):
            np.testing.assert_allclose(slope, expected_slope, rtol=1e-12)

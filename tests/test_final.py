"""Final elements: random nests that fill and overwrite arrays, and the systems of forms that decide about them."""

from __future__ import annotations

import importlib.util
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracle
import pullback as pb
from pullback.analysis.linear import is_impossible
from pullback.analysis.sizes import Form

SIZE = 7
X = np.random.default_rng(3).uniform(0.2, 1.2, SIZE)
LOOPS = (
    "range(n)",
    "range(1, n)",
    "range(n - 1)",
    "range({outer})",
    "range({outer}, n)",
    "range({outer} + 1, n)",
    "range(n - 1, 0, -1)",
    "range(0, n, 2)",
    "range({outer}, -1, -1)",
    "range(3)",
)
PLACES = (
    "{i}",
    "{j}",
    "{i} - 1",
    "{i} + 1",
    "{i} + {j}",
    "{i} - {j}",
    "2 * {i}",
    "2 * {i} + 1",
    "n - 1 - {i}",
    "0",
    "-1",
)


def random_nest(seed: int) -> str:
    """A function with one or two nests of loops that read and write `y`, of one or two dimensions."""
    choose = random.Random(seed)
    rank = choose.choice((1, 1, 2))
    lines = ["import numpy as np", "", "", "def f(x):", "    n = 4"]
    lines.append(f"    y = np.full({'8' if rank == 1 else '(8, 8)'}, 0.3)")
    for _ in range(choose.choice((1, 1, 2))):
        lines += nest(choose, rank, [], 1)
    lines.append("    return np.sum(y * y) * x[0]")
    return "\n".join(lines) + "\n"


def nest(choose: random.Random, rank: int, around: list[str], depth: int) -> list[str]:
    index = "ijk"[len(around)]
    outer = choose.choice(around) if around else "2"
    lines = ["    " * depth + f"for {index} in {choose.choice(LOOPS).format(outer=outer)}:"]
    indices = [*around, index]
    for _ in range(choose.choice((1, 2))):
        if len(indices) < 3 and choose.random() < 0.45:
            lines += nest(choose, rank, indices, depth + 1)
        else:
            lines.append("    " * (depth + 1) + assignment(choose, rank, indices))
    return lines


def assignment(choose: random.Random, rank: int, indices: list[str]) -> str:
    def element() -> str:
        places = [choose.choice(PLACES).format(i=choose.choice(indices), j=choose.choice(indices)) for _ in range(rank)]
        return f"y[{', '.join(places)}]"

    operator = choose.choice(("=", "=", "=", "+="))
    return f"{element()} {operator} np.sin({element()} * {element()}) * 0.5 + x[{choose.choice(indices)}]"


def function_of(text: str, folder: Path, name: str) -> Callable[..., Any]:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None, "the file is a module"
    assert specification.loader is not None, "the module has a loader"
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.f


def check_against_oracle(text: str, folder: Path, name: str) -> None:
    f = function_of(text, folder, name)
    value, gradient = pb.value_and_grad(pb.differentiable(jit=False)(f))(X.copy())
    expected_value, (expected,) = oracle.gradient(f, (X.copy(),), (0,))
    np.testing.assert_allclose(value, expected_value, rtol=1e-10, err_msg=text)
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12, err_msg=text)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("start", range(0, 400, 25))
def test_what_is_read_again_has_not_been_overwritten(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 25):
        check_against_oracle(random_nest(seed), tmp_path, f"nest_{seed}")


def random_steps(seed: int) -> str:
    """A function whose steps read neighbours in all of `y`, and keep it for that, before a random nest changes it."""
    choose = random.Random(seed)
    lines = ["import numpy as np", "", "", "def f(x):", "    n = 4", "    y = np.full(8, 0.3)", "    s = 0.0"]
    lines.append("    for t in range(2):")
    lines += ["        for m in range(1, 7):", "            s += y[m] * np.sin(y[m - 1] + y[m + 1])"]
    lines += nest(choose, 1, [], 2)
    lines.append("    return s * x[0] + np.sum(y * y)")
    return "\n".join(lines) + "\n"


@pytest.mark.drawn(1)
@pytest.mark.parametrize("start", range(0, 400, 25))
def test_what_an_iteration_was_handed_is_read_where_it_is_still_there(start: int, tmp_path: Path) -> None:
    for seed in range(start, start + 25):
        check_against_oracle(random_steps(seed), tmp_path, f"steps_{seed}")


def test_what_an_iteration_keeps_of_its_start_is_not_kept_by_elements(tmp_path: Path) -> None:
    text = (
        "import numpy as np\n\n\ndef f(x, steps):\n    y, z = x.copy(), x.copy()\n    for t in range(steps):\n"
        "        for i in range(1, x.shape[0] - 1):\n            z[i] = y[i] * (y[i - 1] + y[i + 1])\n"
        "        for i in range(x.shape[0]):\n            y[i] = 0.9 * y[i] * y[i] + z[i]\n    return np.sum(y)\n"
    )
    f = function_of(text, tmp_path, "in_place")
    kept = [line.split()[0] for line in pb.inspect_source(f, X, 2).splitlines() if "_saved = np.empty" in line]
    assert kept == ["y_saved"]
    f = function_of(text.replace("y[i] * y[i] +", "y[i] * y[i - 1] +"), tmp_path, "of_the_element_before")
    kept = [line.split()[0] for line in pb.inspect_source(f, X, 2).splitlines() if "_saved = np.empty" in line]
    assert len(kept) == 2


def test_elements_filled_once_are_not_kept(tmp_path: Path) -> None:
    text = (
        "import numpy as np\n\n\ndef f(x):\n    y = np.zeros(8)\n    for i in range(7):\n"
        "        y[i + 1] = np.sin(y[i] * x[i])\n    return y[7]\n"
    )
    f = function_of(text, tmp_path, "filled_once")
    assert "saved" not in pb.source(f, X)
    f = function_of(text.replace("y[i + 1]", "y[i - 1]"), tmp_path, "filled_from_the_end")
    assert "saved" in pb.source(f, X)


def test_systems_are_impossible_only_if_no_integers_solve_them() -> None:
    choose = random.Random(5)
    proofs = 0
    for _ in range(600):
        zero = [random_form(choose) for _ in range(choose.choice((0, 1, 2)))]
        bounds = [random_form(choose) for _ in range(choose.choice((1, 2, 3, 4)))]
        box = [Form(3, ((term, sign),)) for term in "abc" for sign in (1, -1)]
        proved = is_impossible(zero, [*bounds, *box])
        proofs += proved
        if proved:
            values = itertools.product(range(-3, 4), repeat=3)
            assert not any(holds(zero, bounds, dict(zip("abc", v, strict=True))) for v in values)
    assert 50 < proofs < 550


def random_form(choose: random.Random) -> Form:
    terms = tuple((term, c) for term in "abc" if (c := choose.choice((-2, -1, 0, 0, 1, 2))))
    return Form(choose.randint(-4, 4), terms)


def holds(zero: list[Form], bounds: list[Form], values: dict[str, int]) -> bool:
    def value(form: Form) -> int:
        return form.constant + sum(c * values[term] for term, c in form.terms)

    return all(value(form) == 0 for form in zero) and all(value(form) >= 0 for form in bounds)

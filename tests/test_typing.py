"""Type checkers know what our callables take and return: mypy accepts right calls, and names wrong ones by their lines.

The files below are checked as a user's, by `mypy --strict`. A comment names the error that is expected on its line.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pullback as pb

SOURCES = Path(__file__).parent.parent / "src"

HEAD = """
from typing import Any, assert_type

import numpy as np
import pullback as pb

x = np.ones(3)


def energy(w: float, x: np.ndarray, *, scale: float = 1.0) -> float:
    return float(np.sum(np.tanh(w * x))) * scale


@pb.differentiable
def product(w: float, n: int = 3) -> float:
    return w * n


@pb.differentiable(jit=False, cache=False)
def plain(w: float, n: int = 3) -> float:
    return w * n


class Model:
    @pb.differentiable
    def loss(self, w: float) -> float:
        return w * w

    @staticmethod
    @pb.differentiable
    def size(w: float) -> float:
        return abs(w)


"""

RIGHT = """
pb.grad(energy)(0.5, x)
pb.grad(energy)(0.5, x=x, scale=2.0)
pb.grad(energy, argnums=1)(0.5, x, out=np.empty(3))
pb.grad(product)(0.5, n=2)
pb.grad(Model().loss)(0.5)
pb.grad(lambda w: w * 2)(0.5)
assert_type(pb.value_and_grad(energy, (0, "x"))(0.5, x), tuple[float, Any])
assert_type(pb.value_and_grad(energy)(0.5, x, out=None), tuple[float, Any])
assert_type(pb.value_and_grad(plain)(0.5), tuple[float, Any])
value, pullback = pb.vjp(energy)(0.5, x, scale=2.0)
assert_type(value, float)
pullback(1.0)
assert_type(product(0.5), float)
assert_type(plain(0.5, n=2), float)
assert_type(pb.differentiable(energy)(0.5, x), float)
assert_type(pb.differentiable(fastmath=True)(energy)(0.5, x), float)
assert_type(product.__wrapped__(0.5), float)
assert_type(Model().loss(0.5), float)
assert_type(Model.loss(Model(), 0.5), float)
assert_type(Model.size(0.5), float)
pb.tf.constant(1.0)
"""

WRONG = """
pb.grad(energy)("0.5", x)  # call-overload
pb.grad(energy)(0.5)  # call-overload
pb.grad(energy)(0.5, x, 2.0)  # call-overload
pb.grad(energy)(0.5, x, scala=2.0)  # call-overload
pb.grad(product)("0.5")  # call-overload
pb.grad(Model().loss)("0.5")  # call-overload
pb.value_and_grad(energy)("0.5", x)  # call-overload
pb.value_and_grad(energy)(0.5)  # call-overload
pb.value_and_grad(energy)(0.5, x, scala=2.0)  # call-overload
pb.vjp(energy)("0.5", x)  # arg-type
pb.vjp(energy)(0.5)  # call-arg
pb.vjp(energy)(0.5, x, 2.0)  # call-arg
pb.vjp(energy)(0.5, x, scala=2.0)  # call-arg
product("0.5")  # arg-type
product()  # call-arg
product(0.5, 3, 4)  # call-arg
product(0.5, m=3)  # call-arg
plain("0.5")  # arg-type
plain(0.5, m=3)  # call-arg
pb.differentiable(energy)(0.5)  # call-arg
Model().loss("0.5")  # arg-type
Model().loss()  # call-arg
Model.size("0.5")  # arg-type
pb.differentiable(fastmaths=True)  # call-overload
pb.grad(energy, argnum=1)  # call-arg
pb.grad(3)  # arg-type
pb.gard  # attr-defined
"""

ERROR = re.compile(r"^(?P<file>\w+\.py):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$", re.MULTILINE)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What mypy says of both files."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("typing")
    for name, text in (("right.py", RIGHT), ("wrong.py", WRONG)):
        (folder / name).write_text(HEAD + text, encoding="utf-8")
    words = ["--strict", "--follow-imports=silent", "--config-file=", "--cache-dir", "cache", "right.py", "wrong.py"]
    environment = os.environ | {"MYPYPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.stdout


def errors_of(report: str, file: str) -> list[tuple[int, str]]:
    """(line, code) of each error in a file."""
    return [(int(found["line"]), found["code"]) for found in ERROR.finditer(report) if found["file"] == file]


def expected_in(text: str) -> list[tuple[int, str]]:
    """(line, code) of each error that a comment names."""
    lines = enumerate((HEAD + text).splitlines(), 1)
    return [(number, line.partition("  # ")[2]) for number, line in lines if "  # " in line]


def test_right_calls_are_accepted(report: str) -> None:
    assert not errors_of(report, "right.py"), report


def test_wrong_calls_are_named_by_their_lines(report: str) -> None:
    assert errors_of(report, "wrong.py") == expected_in(WRONG), report


def documented(x: float) -> float:
    """The square of a number."""
    return x * x


@pytest.mark.parametrize("make", [pb.differentiable, pb.grad, pb.value_and_grad, pb.vjp])
def test_what_is_made_of_a_function_leads_back_to_it(make: Callable[..., Any]) -> None:
    made = make(documented)
    assert (made.__wrapped__, made.__doc__) == (documented, "The square of a number.")
    made(2.0)  # the class of some is another one now
    assert (made.__wrapped__, made.__doc__) == (documented, "The square of a number.")


def test_a_derivative_is_not_taken_for_the_function_it_leads_back_to() -> None:
    assert pb.grad(pb.grad(documented))(3.0) == 2.0
    with pytest.raises(pb.TypingError, match="does not return a float number, but a tuple of 2"):
        pb.grad(pb.value_and_grad(documented))(3.0)
    with pytest.raises(pb.LanguageError, match="a pullback is returned"):
        pb.grad(pb.vjp(documented))(3.0)

"""Errors and structures at the edges of the public surface: what is said, and what a gradient is made of."""

import dataclasses
import os
import subprocess
import sys
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import pullback as pb
from programs.edges import Bounds, Pair

X = np.array([1.0, 2.0, 3.0])


def reason_of(function: Any, *arguments: Any) -> str:
    with pytest.raises(pb.PullbackError) as caught:
        pb.grad(function)(*arguments)
    problems = getattr(caught.value, "problems", [caught.value])
    return str(problems[0].reason)


def test_a_list_is_no_operand_of_pythons_operators():
    assert "is not defined for a list and a number" in reason_of(lambda a: np.sum([1.0] * a), 2.0)
    assert "is not defined for a list" in reason_of(lambda a: np.sum(-[a]), 2.0)


def test_an_attribute_that_arrays_do_not_have_is_named():
    assert reason_of(lambda x: np.sum(x.foo), X) == "an array has no attribute 'foo'"
    assert reason_of(lambda x: x.foo(), 2.0) == "a number has no attribute 'foo'"
    assert reason_of(lambda x: np.sum(x.mean), X) == "the method 'mean' cannot be passed here"


def test_the_leaf_that_is_no_float_is_named():
    assert "respect to 'p[\"q\"][1]', which is of dtype int64" in reason_of(
        lambda p: p["q"][0], {"q": (2.0, np.arange(3))}
    )
    assert "respect to 'n', which is of dtype int64" in reason_of(lambda n: n, 3)


def test_fields_that_a_record_does_not_have_are_named():
    assert reason_of(lambda p: p._replace(c=1.0).b, Pair(X, 2.0)) == "there is no field 'c'"
    assert reason_of(lambda a: dataclasses.replace(Bounds(a), c=1.0).low, 2.0) == "there is no field 'c'"


def scaled_by_its_class(x):
    return np.sum(x * 2.0 if np.isscalar(x) else x * 3.0)


def classes_of_results(x):
    total = np.sum(x)
    held = np.array(total)
    part = np.asarray(x[0])
    return sum(v * (k + 2.0 if np.isscalar(v) else 0.5) for k, v in enumerate((total, held, part, x[1])))


def lists_beside_arrays_and_numbers_of_numpy(x, a):
    total = np.sum([1.0, 2.0, 3.0] * x) + np.sum((a, 2.0, 3.0) / np.sum(x))
    return total + np.sum([a, 1.0] > x[:2]) + np.sum(x ** [1, 2, 3])


def a_list_is_no_number(x):
    same = [x] == 2.0 or (x,) == 2.0 or [x] == (x,)
    return x * (3.0 if same or [x] != x else 5.0)


CASES = [
    *((scaled_by_its_class, x) for x in (2.0, np.float64(2.0), np.array(2.0), X)),
    *((classes_of_results, x) for x in (X, X.astype(np.float32))),
    *((lists_beside_arrays_and_numbers_of_numpy, X, a) for a in (2.0, np.float64(0.5))),
    (a_list_is_no_number, 3.0),
]


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}({case[1]})")
def test_lists_and_classes_of_numbers_are_those_of_a_plain_call(case, jit):
    function, *arguments = case
    value, gradient = pb.value_and_grad(pb.differentiable(function, jit=jit))(*arguments)
    wanted = function(*arguments)
    assert value == wanted
    x, *others = arguments
    step = 2.0**-12
    for place in np.ndindex(np.shape(x)):
        moved = np.zeros_like(x)
        moved[place] = step
        moved = moved if isinstance(x, np.ndarray) else type(x)(step)
        after, before = (np.array(v) if isinstance(x, np.ndarray) else v for v in (x + moved, x - moved))
        slope = (function(after, *others) - function(before, *others)) / (2 * step)
        np.testing.assert_allclose(np.asarray(gradient)[place], slope, rtol=2e-3)


def loss(p):
    return np.sum(p["a"]) * p["b"] ** 2


def test_gradients_of_ordered_dicts_are_such():
    p = OrderedDict(b=2.0, a=X)
    _, pull = pb.vjp(loss)(p)
    for gradient in (pb.grad(loss)(p), pb.value_and_grad(loss)(p)[1], pull(1.0)):
        assert type(gradient) is OrderedDict
        assert list(gradient) == ["b", "a"]
        assert gradient["b"] == 24.0
    assert type(pb.grad(loss)(dict(p))) is dict


class Items(list):
    """A list with another name."""


def test_gradients_of_other_lists_are_such():
    gradient = pb.grad(lambda l: l[0] * l[1])(Items([2.0, 3.0]))
    assert type(gradient) is Items
    assert gradient == [3.0, 2.0]


@pytest.mark.parametrize("jit", [True, False])
def test_square_roots_of_arrays_are_numpys(jit):
    x = np.array([-0.0, 0.0, 2.0, np.nan, np.inf, -np.inf, -1.0])
    with np.errstate(all="ignore"):
        found, wanted = pb.differentiable(lambda x: x**0.5, jit=jit)(x), x**0.5
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found[:2]), np.signbit(wanted[:2]))


PROGRAM = """
import pullback as pb
def quotient(x, n):
    return x**n / (n - 3)
print(pb.grad(quotient)(2.0, 3), pb.differentiable(quotient)(2.0, 3))
try:
    pb.grad(quotient, nan="raise")(2.0, 3)
except pb.NotFinite as error:
    print(str(error).splitlines()[0])
try:
    pb.grad(lambda x, n: x * (5 // n))(2.0, 0)
except ZeroDivisionError as error:
    print("ZeroDivisionError")
"""


def test_without_numba_divisions_by_zero_are_numpys(tmp_path):
    """Python's own numbers raise an error there."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", str(tmp_path / "program.py")]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["inf inf", "the value of `x**n / (n - 3)` is inf", "ZeroDivisionError"]

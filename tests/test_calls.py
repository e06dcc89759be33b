"""Repeated calls take a shortcut, and give what the first call gave: for other arguments, and after changes outside."""

import gc
import os
import subprocess
import sys
import textwrap
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.api.calls import Calls
from pullback.api.derivatives import GradientFunction
from pullback.api.differentiable import Differentiable
from pullback.api.known import KnownCalls
from pullback.compilation.entrance import c_entry
from pullback.compilation.shortcut import never

pytestmark = pytest.mark.usefixtures("at_hand")

FACTOR = 2.0
WEIGHTS = np.array([1.0, 2.0])
TABLE = {"a": 2.0, "b": np.array([1.0, 1.0])}


def product(x, y):
    return x * y + np.sin(x)


def squares(x):
    return np.sum(x * x)


def scaled(x, a):
    return np.sum(a * x)


def by_factor(x):
    return np.sum(FACTOR * x * x)


def by_weights(x):
    return np.sum(WEIGHTS * x)


def by_table(x):
    return TABLE["a"] * np.sum(TABLE["b"] * x)


def helper(v):
    return v * v


def by_helper(x):
    return np.sum(helper(x))


def powered(v, exponent=2.0, *, factor=1.0):
    return factor * v**exponent


def by_helpers_default(x):
    return np.sum(powered(x))


def by_default(x, a=3.0, kind="sum"):
    return np.sum(x * a) if kind == "sum" else a


class Model:
    def __init__(self) -> None:
        self.scale, self.w = 2.0, np.array([1.0, 3.0])

    def energy(self, x):
        return self.scale * np.sum(self.w * x)


def same(a: Any, b: Any) -> bool:
    """Whether two results are of the same types and have the same elements."""
    if isinstance(a, tuple):
        return type(b) is tuple and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return type(b) is np.ndarray and a.dtype == b.dtype and a.shape == b.shape and a.tolist() == b.tolist()
    return type(a) is type(b) and a == b


@pytest.fixture(scope="module")
def at_hand() -> None:
    """What calls without Python need is there before the first call."""
    c_entry()


@pytest.fixture
def forbid(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on, the long way is an error."""

    def find(*arguments: Any) -> Any:
        raise AssertionError("this call went the long way")

    def patch() -> None:
        monkeypatch.setattr(Calls, "find", find)
        monkeypatch.setattr(KnownCalls, "called", find)

    return patch


ARRAY = np.array([1.0, 2.0])
SHORT = [
    (pb.grad(product), (2.0, 3.0)),
    (pb.grad(product, (0, 1)), (2.0, 3.0)),
    (pb.grad(product, (1,)), (2.0, 3.0)),
    (pb.value_and_grad(product), (2.0, 3.0)),
    (pb.value_and_grad(product, (1, 0)), (2.0, 3.0)),
    (pb.value_and_grad(product, (0,)), (np.float32(2.0), np.float32(3.0))),
    (pb.value_and_grad(product, ()), (2.0, 3.0)),
    (pb.grad(product), (np.float64(2.0), 3)),
    (pb.value_and_grad(squares), (ARRAY,)),
    (pb.value_and_grad(squares, (0,)), (ARRAY.astype(np.float32),)),
    (pb.value_and_grad(squares), (np.array(3.0),)),
    (pb.grad(scaled, (0, 1)), (ARRAY, 2.0)),
    (pb.grad(by_weights), (ARRAY,)),
    (pb.grad(by_table), (ARRAY,)),
    (pb.grad(by_helpers_default), (ARRAY,)),
    (pb.grad(by_default), (ARRAY,)),
    (pb.grad(by_default), (ARRAY, 5.0)),
    (pb.grad(Model().energy), (ARRAY,)),
    (pb.differentiable(product), (2.0, 3.0)),
    (pb.differentiable(product), (np.float32(2.0), np.float32(3.0))),
    (pb.differentiable(lambda x: 2.0 * x), (ARRAY,)),
    (pb.differentiable(lambda: FACTOR), ()),
]


@pytest.mark.parametrize(("function", "arguments"), SHORT)
def test_second_call_takes_the_shortcut(function: Any, arguments: Any, forbid: Callable[[], None]) -> None:
    first = function(*arguments)
    forbid()
    for _ in range(2):
        assert same(function(*arguments), first)


def test_second_call_with_out_takes_the_shortcut(forbid: Callable[[], None]) -> None:
    one, two = pb.grad(squares), pb.value_and_grad(scaled, (0, 1))
    out = np.empty(2)
    one(ARRAY, out=out)
    two(ARRAY, 2.0, out=(out, None))
    forbid()
    assert one(ARRAY, out=out) is out
    assert out.tolist() == [2.0, 4.0]
    assert same(two(ARRAY, 5.0, out=(out, None)), (15.0, (np.array([5.0, 5.0]), 3.0)))
    assert out.tolist() == [5.0, 5.0]


def test_long_way_is_noticed(forbid: Callable[[], None]) -> None:
    forbid()
    with pytest.raises(AssertionError, match="went the long way"):
        pb.grad(product)(2.0, 3.0)


# Other arguments after a shortcut was made


KINDS: list[Any] = [
    *(2.0, 3, True, np.float64(2.0), np.float32(2.0), np.int32(2), np.int8(2), np.bool_(True)),
    *(np.array(2.0), np.array([2.0, 3.0]), np.array([2.0, 3.0], np.float32), np.array([2, 3]), np.array([True, False])),
    *(np.ones((2, 2)), np.ones((2, 2), order="F"), np.arange(6.0)[::3], np.array([2.0, 3.0], ">f8"), np.empty(0)),
    *(np.broadcast_to(2.0, (2,)), np.ones((2, 2)).view(np.matrix), np.array([2.0 + 1j]), "text", None, 2**70),
]


def outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    """The result, or the type and message of the error."""
    try:
        return call(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


FIRST = [2.0, np.float32(2.0), np.array([2.0, 3.0]), np.array([2.0, 3.0], np.float32), np.array(2.0)]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("first", FIRST, ids=repr)
@pytest.mark.parametrize("make", [pb.grad, pb.differentiable])
def test_arguments_of_other_kinds_do_not_take_it(make: Any, first: Any) -> None:
    """Every kind of argument, right after a shortcut was made, gives what it gives without one."""

    @pb.differentiable
    def f(x, y):
        return np.sum(x * y) * 1.5

    short, long = make(f), pb.differentiable(f) if make is pb.differentiable else make(f)
    kind = Differentiable if make is pb.differentiable else GradientFunction
    for other in KINDS:
        for arguments in ((other, 2.0), (first, other)):
            short(first, 2.0)
            assert short._shortcut is not never
            long._shortcut = never
            got, expected = outcome(short, *arguments), outcome(kind.__call__, long, *arguments)
            assert same(got, expected), (arguments, got, expected)


@pytest.mark.parametrize("arguments", [(), (1.0,), (1.0, 2.0, 3.0)])
def test_other_numbers_of_arguments_are_refused(arguments: tuple[float, ...]) -> None:
    for function in (pb.grad(product), pb.differentiable(product)):
        function(1.0, 2.0)
        with pytest.raises(TypeError, match="argument"):
            function(*arguments)
        function(1.0, 2.0)


def test_defaults_and_kinds_take_turns():
    function = pb.grad(by_default)
    for _ in range(2):
        assert function(ARRAY).tolist() == [3.0, 3.0]
        assert function(ARRAY, 5.0).tolist() == [5.0, 5.0]
        assert function(ARRAY, 5.0, "mean").tolist() == [0.0, 0.0]
        assert function(np.ones((2, 1)), a=2.0).tolist() == [[2.0], [2.0]]
        assert function(1.0) == 3.0


def test_default_that_changes_is_read_on_each_call():
    table = [2.0]

    def f(x, factors=table):
        return np.sum(x * factors[0])

    function = pb.grad(f)
    for factor in (2.0, 5.0, 7.0):
        table[0] = factor
        assert function(ARRAY).tolist() == [factor, factor]


def test_number_that_is_needed_beforehand_is_looked_at_on_each_call():
    def f(x, axis):
        return np.sum(np.max(x, axis=axis) * np.array([1.0, 3.0]))

    function = pb.grad(f)
    x = np.array([[1.0, 2.0], [4.0, 3.0]])
    for _ in range(2):
        assert function(x, 0).tolist() == [[0.0, 0.0], [1.0, 3.0]]
        assert function(x, 1).tolist() == [[0.0, 1.0], [3.0, 0.0]]


# Changes outside after a shortcut was made


def test_numbers_functions_and_arrays_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    by_number, by_array, by_function = pb.grad(by_factor), pb.grad(by_weights), pb.grad(by_helper)
    for factor in (2.0, 5.0, 3, 2.0):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        for _ in range(2):
            assert by_number(ARRAY).tolist() == [2.0 * factor, 4.0 * factor]
    strided, single = np.arange(4.0)[::2], np.array([1.5, 2.5], np.float32)
    for weights in (WEIGHTS, np.array([5.0, 7.0]), strided, single, np.array([3, 4]), np.ones((3, 2)), 2.5, WEIGHTS):
        monkeypatch.setitem(globals(), "WEIGHTS", weights)
        for _ in range(2):
            assert by_array(ARRAY).tolist() == (np.sum(np.atleast_2d(weights), axis=0) * np.ones(2)).tolist()
    for function, expected in ((np.exp, np.exp(ARRAY)), (lambda v: v, np.ones(2)), (helper, 2.0 * ARRAY)):
        monkeypatch.setitem(globals(), "helper", function)
        for _ in range(2):
            np.testing.assert_allclose(by_function(ARRAY), expected)
    monkeypatch.delitem(globals(), "helper")
    with pytest.raises(TypeError, match="the name 'helper' is not defined"):
        by_function(ARRAY)


def test_element_of_a_captured_array_is_read_on_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.array([1.0, 2.0])
    monkeypatch.setitem(globals(), "WEIGHTS", weights)
    function = pb.grad(by_weights)
    for element in (1.0, 4.0, 9.0):
        weights[0] = element
        assert function(ARRAY).tolist() == [element, 2.0]


def test_containers_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(by_table)
    for a, b in ((2.0, ARRAY), (3.0, ARRAY), (3.0, np.ones(2, np.float32)), (3, np.ones(2)), (2.0, ARRAY)):
        monkeypatch.setitem(TABLE, "a", a)
        monkeypatch.setitem(TABLE, "b", b)
        for _ in range(2):
            assert function(ARRAY).tolist() == (a * b).tolist()
    monkeypatch.setitem(globals(), "TABLE", {"b": ARRAY, "a": 1.0})
    assert function(ARRAY).tolist() == [1.0, 2.0]


def test_defaults_of_a_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(by_helpers_default)
    for exponent, factor in ((2.0, 1.0), (3.0, 1.0), (3.0, 5.0), (2.0, 1.0)):
        monkeypatch.setattr(powered, "__defaults__", (exponent,))
        monkeypatch.setattr(powered, "__kwdefaults__", {"factor": factor})
        for _ in range(2):
            np.testing.assert_allclose(function(ARRAY), factor * exponent * ARRAY ** (exponent - 1.0))


def test_closures_and_attributes():
    factor = 2.0
    model = Model()

    def f(x):
        return np.sum(x * factor)

    by_closure, by_attribute = pb.grad(f), pb.grad(model.energy)
    for factor in (2.0, 3.0, 4):
        for _ in range(2):
            assert by_closure(ARRAY).tolist() == [factor, factor]
    for scale, w in ((2.0, ARRAY), (5.0, ARRAY), (5.0, np.ones(2)), (5, np.ones(4)[::2])):
        model.scale, model.w = scale, w
        for _ in range(2):
            assert by_attribute(ARRAY).tolist() == (scale * w).tolist()
    del f.__closure__[0].cell_contents
    with pytest.raises(TypeError, match="'factor' has no value yet"):
        by_closure(ARRAY)


# Results


def test_results_of_two_calls_share_nothing():
    function = pb.value_and_grad(scaled, (0, 1))
    first, second, third = (function(ARRAY, 2.0) for _ in range(3))
    assert not np.shares_memory(second[1][0], third[1][0])
    second[1][0][:] = 9.0
    assert same(first, third)


def test_argument_that_is_changed_is_changed_on_each_call():
    def f(x):
        x *= 2.0
        return np.sum(x * x)

    function, x = pb.grad(f), np.array([1.0, 2.0])
    for k in range(1, 4):
        assert function(x).tolist() == [4.0 * v * 2.0**k for v in (1.0, 2.0)]
        assert x.tolist() == [2.0**k, 2.0 * 2.0**k]


def test_arguments_and_results_are_not_kept():
    """A shortcut knows of what kinds the arguments were, and holds none of them."""
    function, out = pb.value_and_grad(scaled), np.empty(2)
    arguments = [np.array([1.0, 2.0]) for _ in range(2)]
    alive = [weakref.ref(a) for a in (*arguments, out, function(arguments[0], 2.0)[1])]
    function(arguments[1], 2.0, out=out)
    del arguments, out
    gc.collect()
    assert [reference() for reference in alive] == [None] * 4


def test_calls_with_numba_switched_off(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import numpy as np
            import pullback as pb

            def f(x, a):
                return a * np.sum(x * x)

            x, out = np.ones(2), np.empty(2)
            for _ in range(2):
                print(pb.differentiable(f)(x, 3.0), pb.grad(f, 1)(x, 3.0), pb.grad(f)(x, 3.0, out=out) is out, out)
            """
        )
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    printed = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
    assert printed.stdout.splitlines() == ["6.0 2.0 True [6. 6.]"] * 2

"""What stands outside may change in ways that no lookup shows: defaults, truth by methods, abstract classes."""

from __future__ import annotations

import abc
import linecache
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import pullback as pb

X = np.array([0.5, 1.0])


def test_a_default_that_is_part_of_the_code_is_looked_at_in_each_call() -> None:
    def function(x: Any, mode: str = "sum") -> Any:
        return np.sum(x * x) if mode == "sum" else np.mean(x * x)

    gradient = pb.grad(function)
    assert [gradient(X).tolist() for _ in range(3)] == [[1.0, 2.0]] * 3
    function.__defaults__ = ("mean",)
    assert gradient(X).tolist() == [0.5, 1.0]


def test_each_derivative_of_a_function_notices_new_defaults() -> None:
    def function(x: Any, factor: float = 3.0) -> Any:
        return np.sum(x * x * factor)

    value, gradient, second = pb.value_and_grad(function), pb.grad(function), pb.hessian(function)
    for factor in (3.0, 4.0, 5.0):
        function.__defaults__ = (factor,)
        for _ in range(3):
            assert value(X)[1].tolist() == gradient(X).tolist() == [factor, 2 * factor]
            assert second(X).tolist() == [[2 * factor, 0.0], [0.0, 2 * factor]]


def test_each_derivative_of_a_derivative_notices_new_code() -> None:
    def function(x: Any) -> Any:
        return x**3

    def other(x: Any) -> Any:
        return x**4

    first = pb.grad(function)
    second = pb.grad(first)
    assert (first(2.0), second(2.0)) == (12.0, 12.0)
    function.__code__ = other.__code__
    assert (first(2.0), second(2.0)) == (32.0, 48.0)


@pytest.mark.known_calls
@pytest.mark.parametrize("texts", [('mode="sum"', 'mode="mean"'), ('*, mode="sum"', "*, mode=None")])
def test_a_default_that_is_part_of_the_code_is_told_to_the_next_process(texts: Any, tmp_path: Path) -> None:
    program = """
import numpy as np
import pullback as pb
import model
x = np.array([0.5, 1.0])
print(pb.grad(model.f)(x).tolist(), pb.grad(model.f)(x).tolist())
"""
    printed = []
    for text in texts:
        (tmp_path / "model.py").write_text(
            f"import numpy as np\n\n\ndef f(x, {text}):\n"
            "    return np.sum(x * x) if mode == 'sum' else np.mean(x * x)\n"
        )
        environment = {"PULLBACK_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**_environment(), **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        printed.append(done.stdout.strip())
    assert printed == ["[1.0, 2.0] [1.0, 2.0]", "[0.5, 1.0] [0.5, 1.0]"]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


class Switch:
    def __init__(self, value: float) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return self.value > 2.5


class Box:
    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count


SWITCH, BOX, NAMES = Switch(2.0), Box(0), {"a"}


def test_the_truth_of_an_object_is_asked_in_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def outside(x: Any) -> Any:
        return np.sum(x) if SWITCH and not BOX else np.mean(x)

    def given(x: Any, switch: Any) -> Any:
        return np.sum(x) if switch else np.mean(x)

    of_outside, of_given = pb.grad(pb.differentiable(jit=False)(outside)), pb.grad(pb.differentiable(jit=False)(given))
    assert of_outside(X)[0] == of_given(X, SWITCH)[0] == 0.5
    monkeypatch.setattr(SWITCH, "value", 3.0)
    assert of_outside(X)[0] == of_given(X, SWITCH)[0] == 1.0
    monkeypatch.setattr(BOX, "count", 2)
    assert of_outside(X)[0] == 0.5
    monkeypatch.setattr(Switch, "__bool__", lambda self: False)
    assert of_given(X, SWITCH)[0] == 0.5
    monkeypatch.delattr(Switch, "__bool__")
    assert of_given(X, SWITCH)[0] == 1.0


def test_the_truth_of_what_may_change_is_refused() -> None:
    def function(x: Any) -> Any:
        return np.sum(x) if NAMES else np.mean(x)

    with pytest.raises(pb.LanguageError, match="whether an object of class 'set' from outside is empty may change"):
        pb.grad(function)(X)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> Any: ...

    def twice(self) -> Any:
        return 2.0 * self.area()


class Circle(Shape):
    def __init__(self, radius: Any) -> None:
        self.radius = radius

    def area(self) -> Any:
        return 3.0 * self.radius**2


class Square:
    pass


def test_abstract_classes_are_followed_and_may_take_in_others() -> None:
    def function(x: Any, shape: Any) -> Any:
        factor = 1.0 if isinstance(shape, Shape) else 5.0
        return Circle(x[0]).twice() * factor

    def abstract(x: Any) -> Any:
        return Shape().area() * x[0]  # type: ignore[abstract]

    gradient, square = pb.grad(pb.differentiable(jit=False)(function)), Square()
    assert gradient(X, square).tolist() == [30.0, 0.0]
    Shape.register(Square)
    assert gradient(X, square).tolist() == [6.0, 0.0]
    with pytest.raises(pb.TypingError, match="'Shape' is an abstract class"):
        pb.grad(abstract)(X)


def test_functions_without_a_module_are_read() -> None:
    text = "def twice(v):\n    return v * 2.0\n\n\ndef function(x):\n    return np.sum(twice(x))\n"
    linecache.cache["<a cell>"] = (len(text), None, text.splitlines(True), "<a cell>")
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, "<a cell>", "exec"), namespace)
    assert pb.grad(pb.differentiable(jit=False)(namespace["function"]))(X).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("axis", [1, np.int64(1), (0, 1), -1, (np.int64(-1),)], ids=repr)
def test_axes_that_are_arguments(axis: Any) -> None:
    def function(a: Any, axis: Any) -> Any:
        return np.sum(np.max(a, axis=axis) ** 2) + np.sum(np.sum(a, axis=axis, keepdims=True))

    a = np.arange(6.0).reshape(2, 3) + 0.3
    value, gradient = pb.value_and_grad(pb.differentiable(jit=False)(function))(a, axis)
    assert value == function(a, axis)
    largest = a == np.max(a, axis=axis, keepdims=True)
    np.testing.assert_allclose(gradient, 2.0 * a * largest + 1.0)


def test_a_dict_does_not_grow_in_a_loop() -> None:
    def function(x: Any, n: int) -> Any:
        moments: dict[str, Any] = {}
        for _ in range(n):
            if "x" not in moments:
                moments["x"] = x * 0.0
            moments["x"] = 0.9 * moments["x"] + x
        return np.sum(moments["x"])

    with pytest.raises(pb.LanguageError, match="the dict 'moments' takes or loses keys in this loop"):
        pb.grad(function)(X, 3)


def test_a_new_caller_gets_the_code_for_what_there_is_when_it_is_compiled() -> None:
    def twice(v: Any) -> Any:
        return 2.0 * v

    def thrice(v: Any) -> Any:
        return 3.0 * v

    def function(x: Any) -> Any:
        return helper(x[0]) + x[1]

    def plain(x: Any) -> Any:
        return x[0] + x[1]

    def other(x: Any) -> Any:
        return x[0] * x[1]

    helper, value, sums = twice, pb.differentiable(function), pb.differentiable(plain)

    def caller() -> Any:
        return numba.njit(lambda x: value(x) + pb.grad(value)(x)[0] + sums(x))

    first = caller()
    assert (first(X), caller()(X)) == (5.5, 5.5)
    helper = thrice
    assert (first(X), caller()(X)) == (5.5, 7.0)
    plain.__code__ = other.__code__
    assert (first(X), caller()(X)) == (5.5, 6.0)


class Weight:
    def __init__(self, mass: float) -> None:
        self.mass = mass


LIGHT, HEAVY = Weight(1.0), Weight(3.0)


def test_what_is_one_of_several_objects_is_looked_up_in_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: Any) -> Any:
        weight = LIGHT if x[0] > 1.0 else HEAVY
        return weight.mass * x[1]

    gradient = pb.grad(pb.differentiable(jit=False)(function))
    assert gradient(X).tolist() == [0.0, 3.0]
    monkeypatch.setattr(HEAVY, "mass", 5.0)
    assert gradient(X).tolist() == [0.0, 5.0]
    monkeypatch.setattr(LIGHT, "name", "light", raising=False)
    with pytest.raises(pb.LanguageError, match="is an object of class 'Weight' on one path that leads here"):
        gradient(X)


def test_what_is_one_of_several_objects_has_no_identity_and_stays() -> None:
    def identity(x: Any) -> Any:
        weight = LIGHT if x[0] > 1.0 else HEAVY
        return x[0] if weight is HEAVY else x[1]

    def assigned(x: Any) -> Any:
        weight = LIGHT if x[0] > 1.0 else HEAVY
        weight.mass = 2.0
        return weight.mass * x[0]

    with pytest.raises(pb.LanguageError, match="whether these are the same object is not known before the run"):
        pb.grad(identity)(X)
    with pytest.raises(pb.LanguageError, match="must not change objects from outside"):
        pb.grad(assigned)(X)

"""`items[k] op= x` changes an array or list where it is; a list or dict of the caller's gets no other items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oracle
import pullback as pb
from pullback.errors import LanguageError

X = np.array([1.0, 2.0, 3.0])


def under_two_names(x):
    items = [x, x]
    items[0] *= 2.0
    return np.sum(items[1] ** 2)


def in_a_dict(x):
    named = {"w": x}
    named["w"] += 1.0
    return np.sum(x**2)


def in_a_copy_of_a_dict(x):
    named = {"w": x, "n": 2.0}
    copied = dict(named)
    copied["w"] *= 2.0
    copied["n"] *= 3.0
    return np.sum(named["w"]) * named["n"] + copied["n"]


def list_in_a_list(x):
    items = [[x]]
    inner = items[0]
    items[0] += [3.0 * x]
    return np.sum(inner[0]) * 2.0 + np.sum(inner[1])


def repeated(x):
    items = [x]
    other = items
    items *= 2
    return np.sum(sum(other))


def repeated_into_another(x):
    items = [x]
    other = items * 2
    other[0] += 1.0
    return np.sum(other[1] * items[0])


def matrix_in_a_list(x):
    items = [np.outer(x, x), x]
    first = items[0]
    items[0] @= np.diag(x)
    return np.sum(first * x)


def momentum(x):
    state = {"w": x.copy(), "m": np.zeros(3)}
    for _ in range(4):
        state["m"] *= 0.9
        state["m"] += 0.2 * state["w"]
        state["w"] -= 0.1 * state["m"]
        if np.sum(state["w"]) < 5.0:
            state["w"] *= 0.5
    return np.sum(state["w"] ** 2)


def at_an_index_of_the_run(x):
    items = [x, 2.0 * x]
    for i in range(len(x) + 1):
        items[i % 2] *= 1.1
    return np.sum(items[0] * items[1])


SHARED = [
    under_two_names,
    in_a_dict,
    in_a_copy_of_a_dict,
    list_in_a_list,
    repeated,
    repeated_into_another,
    matrix_in_a_list,
    momentum,
    at_an_index_of_the_run,
]


@pytest.mark.drawn(7)
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("function", SHARED)
def test_items_are_changed_where_they_are(function: Callable[..., Any], jit: bool) -> None:
    plain, given = X.copy(), X.copy()
    expected = function(plain)
    value, gradient = pb.value_and_grad(pb.differentiable(jit=jit)(function))(given)
    _, (wanted,) = oracle.gradient(function, (X.copy(),), (0,))
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(given, plain)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-12)


@pytest.mark.parametrize("jit", [True, False])
def test_arrays_in_arguments_are_changed_where_they_are(jit: bool) -> None:
    def step(params, x):
        for name in ("w", "b"):
            params[name] -= 0.5 * params[name]
        params["rest"][0] *= x
        return np.sum(params["w"] * params["b"]) + np.sum(params["rest"][0])

    plain, given = ({"w": X.copy(), "b": 2.0 * X, "rest": [X.copy(), 1.0]} for _ in range(2))
    expected = step(plain, 3.0)
    value, gradient = pb.value_and_grad(pb.differentiable(jit=jit)(step))(given, 3.0)
    assert value == pytest.approx(expected, rel=1e-12)
    for one, other in zip((*given.values(), given["rest"][0]), (*plain.values(), plain["rest"][0]), strict=True):
        np.testing.assert_equal(one, other)
    np.testing.assert_allclose(gradient["w"], 0.5 * X, rtol=1e-12)


def test_an_item_of_a_list_that_changed_in_a_loop_is_not_changed_where_it_is() -> None:
    def scaled(x, n):
        items = [x * (i + 1.0) for i in range(n)]
        first = items[0]
        for i in range(n):
            items[i] *= 2.0
        return np.sum(first)

    with pytest.raises(LanguageError, match="assign another item"):
        pb.grad(scaled)(X, 3)


CHANGES = [
    'd["a"] = x',
    'd["c"] = x',
    'd["n"] += x[0]',
    'd.pop("a")',
    "d.update(a=x)",
    'del d["a"]',
    "d.clear()",
    'd.setdefault("c", x)',
    "k.append(x)",
    "k[0] = x",
    "k[1] += x[0]",
    "del k[0]",
    "k.insert(0, x)",
    "k.reverse()",
    "k.extend([x])",
    "k += [x]",
    "k *= 2",
    "k.pop()",
    "k.clear()",
]


@pytest.mark.parametrize("change", CHANGES)
def test_other_items_in_an_argument_are_refused(change: str) -> None:
    text = f"def f(x, d, k):\n    {change}\n    return np.sum(x)\n"
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    function = pb.differentiable(scope["f"], source=text)
    with pytest.raises(LanguageError, match="that the caller passes cannot be replaced, added or removed"):
        pb.grad(function)(X, {"a": X, "n": 1.0}, [X, 1.0])

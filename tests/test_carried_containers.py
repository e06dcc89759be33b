"""A list or dict of which a loop or a branch decides which one it is: what cannot be told is refused, never guessed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import LanguageError

X = np.array([0.5, -1.2, 2.0])


def changed_by_its_second_name(x, n):
    p = {"b": x[0]}
    q = p
    for _ in range(n):
        p = {"b": p["b"] * 2.0}
    q["b"] = x[1]
    return p["b"]


def changed_while_it_may_be_the_first(x, n):
    p = {"b": x[0]}
    q = p
    for _ in range(n):
        p["b"] = p["b"] * x[1]
        p = {"b": p["b"] + 1.0}
    return q["b"]


def changed_behind_the_loop(x, n):
    p = {"b": x[0]}
    q = p
    for _ in range(n):
        p = {"b": p["b"] * 2.0}
    p["b"] = x[1]
    return q["b"]


def one_of_two_after_each_iteration(x, n):
    a, b = [x[0]], [x[1]]
    for _ in range(n):
        a[0] = a[0] + 1.0
        b = [a[0] * 2.0]
        a = b
    return a[0] + b[0]


def a_list_in_a_dict_with_a_second_name(x, n):
    inner = [x[0], x[1]]
    p = {"l": inner}
    for _ in range(n):
        p["l"][0] = p["l"][0] * 2.0
        p = {"l": p["l"]}
    return inner[0]


def one_list_twice_in_another(x, n):
    inner = [x[0]]
    p = [inner, inner]
    for _ in range(n):
        p[0][0] = p[0][0] * 2.0
        p = [p[0], p[1]]
    return p[1][0]


def kept_in_a_list_and_changed(x, n):
    p, kept = {"w": x[0]}, [{"w": x[1]}, {"w": x[1]}]
    for _ in range(n):
        kept[0] = p
        p["w"] = p["w"] * 1.5
        kept[1] = p
    return kept[0]["w"]


def the_other_becomes_it(x, n):
    p, q = {"w": x[0]}, {"w": x[1]}
    for i in range(n):
        q["w"] = q["w"] + p["w"]
        if i == 0:
            p = q
    return p["w"] + q["w"]


def changed_behind_a_branch(x, n):
    p = {"w": x[0]}
    q = p
    if n > 1:
        p = {"w": x[1]}
    p["w"] = p["w"] * 3.0
    return q["w"]


def one_of_two_behind_a_branch(x, n):
    a, b = [x[0]], [x[1]]
    if n > 1:
        p = a
    else:
        p = b
    a[0] = x[2]
    return p[0]


def two_names_on_one_path(x, n):
    if n > 1:
        a = [x[0]]
        b = a
    else:
        a, b = [x[1]], [x[2]]
    a.append(x[0])
    return b[0]


def asked_whether_it_is_the_first(x, n):
    p = {"w": x[0]}
    q = p
    for _ in range(n):
        p = {"w": p["w"] * 2.0}
    return x[1] if p is q else x[2]


def keys_in_another_order(x, n):
    p = {"a": x[0], "b": x[1]}
    for _ in range(n):
        p = {"b": p["b"], "a": p["a"]}
    return p["a"]


def of_another_length_and_kind(x, n):
    p = [x[0]]
    for _ in range(n):
        p = [x, x[1]]
    return p[0]


REFUSED = [
    (changed_by_its_second_name, "'p' may be, or hold, the same as another one, which was changed"),
    (changed_while_it_may_be_the_first, "'p' may be one of several lists or dicts in this loop"),
    (changed_behind_the_loop, "'p' may be one of several lists or dicts in this loop"),
    (one_of_two_after_each_iteration, "'a' may be one of several lists or dicts in this loop"),
    (a_list_in_a_dict_with_a_second_name, "'p' may be one of several lists or dicts in this loop"),
    (one_list_twice_in_another, "'p' may be one of several lists or dicts in this loop"),
    (kept_in_a_list_and_changed, "which was changed|cannot be changed"),
    (the_other_becomes_it, "'p' may be, or hold, the same as 'q', which was changed"),
    (changed_behind_a_branch, "'p' may be one of several lists or dicts here"),
    (one_of_two_behind_a_branch, "'p' may be, or hold, the same as 'a', which was changed"),
    (two_names_on_one_path, "'a' may be one of several lists or dicts here"),
    (asked_whether_it_is_the_first, "whether these are the same list or dict is not known"),
    (
        keys_in_another_order,
        "'p' has other keys after an iteration than before this loop, or has them in another order",
    ),
    (of_another_length_and_kind, "'p' has 1 items before this loop, and 2 after an iteration"),
]


@pytest.mark.parametrize(("function", "reason"), REFUSED, ids=lambda f: getattr(f, "__name__", ""))
def test_which_list_or_dict_it_is_cannot_be_told(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises(LanguageError, match=reason) as caught:
        pb.grad(function)(X, 2)
    assert caught.value.problems[0].location.line > 0
    assert caught.value.problems[0].remedy


@pytest.mark.drawn(3)
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_dict_of_the_caller_that_is_bound_anew_stays_as_it_was(n: int, jit: bool) -> None:
    def descent(p, x, n):
        for _ in range(n):
            p = {k: v - 0.1 * x * v for k, v in p.items()}
            p["b"] = p["b"] + 1.0
        p["w"][0] = 2.0 * x[1]
        return np.sum(p["w"]) + np.sum(p["b"])

    def rebound(p, x, n):
        for _ in range(n):
            p["w"][0] = 3.0
            p = {k: v - 0.1 * x * v for k, v in p.items()}
        p["w"][1] = 2.0 * x[1]
        return np.sum(p["w"]) + np.sum(p["b"])

    with pytest.raises(LanguageError, match="that the caller passes cannot be replaced"):
        pb.grad(pb.differentiable(jit=jit)(lambda p, x: replaced_before(p, x)))({"w": X.copy(), "b": X.copy()}, X)
    for function in (descent, rebound):
        plain, given = ({"w": X.copy(), "b": X.copy()} for _ in range(2))
        expected = function(plain, X, n)
        value, _ = pb.value_and_grad(pb.differentiable(jit=jit)(function))(given, X, n)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_equal(given, plain)


def replaced_before(p, x):
    for _ in range(2):
        p["b"] = x
        p = {k: 2.0 * v for k, v in p.items()}
    return np.sum(p["w"])

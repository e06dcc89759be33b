"""Calls with dicts, lists and tuples: what is prepared for one kind of call serves that kind alone."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from pullback.api.calls import taken_apart


class Pair(NamedTuple):
    w: Any
    b: Any


def model(p: Any, x: Any, mode: Any = "plain") -> Any:
    w, b = (p["w"], p["b"]) if isinstance(p, dict) else (p[0], p[1])
    y = x * w + b if mode is not None else x * w - b
    return np.sum(y * y) if mode != "mean" else np.mean(y * y)


X = np.array([1.0, 2.0])
CALLS: list[tuple[Any, ...]] = [
    ({"w": np.array([1.0, 3.0]), "b": 0.5}, X),
    ({"b": np.array([1.0, 3.0]), "w": 0.5}, X),
    ({"w": 2.0, "b": np.float32(0.5)}, X),
    ({"w": 2, "b": 0.5}, X),
    ({"w": True, "b": 0.5}, X),
    (OrderedDict(w=2.0, b=0.5), X),
    ([np.array([1.0, 3.0]), 0.5], X),
    ((np.array([1.0, 3.0]), 0.5), X),
    (Pair(np.array([1.0, 3.0]), 0.5), X),
    ([np.array([[1.0], [3.0]]), 0.5], X),
    ([1.0, 0.5], X, "mean"),
    ([1.0, 0.5], X, None),
    ([1.0, 0.5], X, "other"),
    ([1.0, 0.5], 2.0),
    ([1.0, 0.5, {"more": [2.0, ()]}], X),
]


def test_kinds_of_calls_take_turns() -> None:
    value = pb.differentiable(jit=False)(model)
    of_x = pb.grad(value, 1)
    for _ in range(3):
        for call in CALLS:
            assert value(*call) == model(*call)
            x = call[1]
            steps = 1e-6 * (np.eye(2) if isinstance(x, np.ndarray) else np.ones(1))
            found = [(model(call[0], x + s, *call[2:]) - model(call[0], x - s, *call[2:])) / 2e-6 for s in steps]
            np.testing.assert_allclose(np.ravel(of_x(*call)), found, rtol=1e-6)


def test_a_call_that_is_known_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = pb.grad(model)
    first = gradient(*CALLS[0])
    monkeypatch.setattr("pullback.api.specialise.Engine.bind", None)
    again = gradient({"w": np.array([1.0, 3.0]), "b": 0.5}, X)
    assert again["b"] == first["b"]
    assert np.array_equal(again["w"], first["w"])


def test_defaults_behind_structures_are_looked_at() -> None:
    def function(p: Any, factor: float = 2.0) -> Any:
        return p["w"] * factor

    gradient = pb.grad(pb.differentiable(jit=False)(function))
    assert [gradient({"w": 1.0})["w"] for _ in range(2)] == [2.0, 2.0]
    function.__defaults__ = (3.0,)
    assert [gradient({"w": 1.0})["w"] for _ in range(2)] == [3.0, 3.0]


def test_numbers_that_are_part_of_the_code_are_looked_at() -> None:
    def function(p: Any) -> Any:
        return np.sum(np.sum(p["x"], axis=p["axis"]) ** 2) + p["x"][0, 0]

    gradient = pb.grad(pb.differentiable(jit=False)(lambda x, axis: function({"x": x, "axis": axis})))
    x = np.arange(6.0).reshape(2, 3)
    for _ in range(2):
        for axis in (0, 1):
            expected = 2.0 * np.broadcast_to(np.sum(x, axis=axis, keepdims=True), x.shape)
            np.testing.assert_allclose(gradient(x, axis) - expected, [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_what_is_not_plain_has_no_kind() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for argument in (OrderedDict(), Pair(1.0, 2.0), np.float16(1.0), 1j, {"x": object()}, endless):
        assert taken_apart((argument,)) == (None, [])

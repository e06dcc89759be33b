"""What is made of a function is found again as long as the function lives, and keeps neither it nor its owner alive."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.api import specialise

X = np.array([1.0, 2.0])
quiet = pb.differentiable(jit=False)


class Owner:
    """An object whose function leads back to it, and that keeps the gradient."""

    def __init__(self) -> None:
        self.weights = np.array([1.0, 2.0])
        self.rate = 2.0

        def helper(v):
            return self.rate * np.sum(self.weights * v)

        def loss(v):
            return helper(v) * len(v.shape)

        self.loss = loss
        self.gradient = pb.grad(loss)


def closure() -> Any:
    weights = np.array([1.0, 2.0])
    return lambda v: np.sum(weights * v)


def recursive() -> Any:
    def f(v, n=2):
        return np.sum(v) if n == 0 else 2.0 * f(v, n - 1)

    return f


def with_block_on_the_way_back() -> Any:
    def f(v):
        y = 2.0 * v
        with pb.insert_grad_of(y) as y_bar:
            y_bar = 0.5 * y_bar
        return np.sum(y)

    return f


MADE: dict[str, Callable[[], Any]] = {
    "a closure": closure,
    "a function that calls itself": recursive,
    "a function with a block on the way back": with_block_on_the_way_back,
    "a differentiable function": lambda: quiet(closure()),
    "an owner of its own gradient": Owner,
}


def run(made: Any) -> list[float]:
    """The gradient, by a function of its own and by the one that was made."""
    loss = getattr(made, "loss", made)
    _, pullback = pb.vjp(loss)(X)
    return [*pb.grad(loss)(X).tolist(), *pullback(1.0).tolist(), *pb.value_and_grad(loss)(X)[1].tolist()]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", MADE)
def test_what_is_gone_is_not_kept(name: str) -> None:
    made = MADE[name]()
    run(made)
    reference = weakref.ref(made)
    del made
    gc.collect()
    assert reference() is None


def test_tape_lets_go() -> None:
    def f(v):
        return np.sum(v * v * v)

    with pb.GradientTape() as outer, pb.GradientTape() as inner:
        v = pb.constant([1.0, 2.0])
        outer.watch(v)
        inner.watch(v)
        y = quiet(f)(v)
    first = inner.gradient(y, v)
    assert first is not None
    reference = weakref.ref(f)
    del f, outer, inner, y, first
    gc.collect()
    assert reference() is None


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", MADE)
def test_gradient_made_again_reads_nothing_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pb.grad(f)(x)` in a loop makes a gradient in each iteration."""
    made = MADE[name]()
    expected = run(made)

    def read(*arguments: Any) -> Any:
        raise AssertionError("the source was read again")

    monkeypatch.setattr(specialise, "build", read)
    gc.collect()
    assert run(made) == expected


def test_what_changes_between_two_gradients_is_seen() -> None:
    owner = Owner()
    first = pb.grad(owner.loss)(X)
    gc.collect()
    owner.rate, owner.weights = 3.0, np.array([5.0, 7.0])
    assert first.tolist() == [2.0, 4.0]
    assert pb.grad(owner.loss)(X).tolist() == [15.0, 21.0]


def test_object_that_is_made_anew_on_each_look_may_be_used() -> None:
    class Fresh:
        @property
        def inner(self):
            return Inner()

    class Inner:
        weights = np.array([1.0, 2.0])
        rate = 2.0

    fresh = Fresh()

    def f(v):
        return fresh.inner.rate * np.sum(fresh.inner.weights * v)

    gradient = pb.grad(quiet(f))
    for _ in range(3):
        assert gradient(X).tolist() == [2.0, 4.0]
        assert pb.grad(f)(X).tolist() == [2.0, 4.0]


def test_a_method_of_a_ufunc_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def scattered(parts, places):
        total = np.zeros(3)
        np.add.at(total, places, 2.0 * parts[0])
        return np.sum(total * total)

    gradient = pb.grad(quiet(scattered))
    first = gradient([np.ones(2)], np.array([0, 1]))
    gc.collect()
    monkeypatch.setattr("pullback.api.specialise.build", None)
    assert np.array_equal(gradient([np.ones(2)], np.array([0, 1]))[0], first[0])

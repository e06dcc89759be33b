"""Functions that assign variables from outside, compiled: the variables end as in a plain call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb

w, b = pb.Variable([1.0, 2.0], name="w"), pb.Variable(0.5, name="b")
single = pb.Variable(np.float32(2.0), name="single")
count = pb.Variable(3, trainable=False, name="count")
VARIABLES = (w, b, single, count)
parameters, by_name = [w, b], {"w": w}
X = np.array([0.3, 0.7])


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    values = [variable.numpy().copy() for variable in VARIABLES]
    yield
    for variable, value in zip(VARIABLES, values, strict=True):
        variable.assign(value)


def in_a_chain(x):
    w.assign(w * 2.0).assign_add(x)
    return np.sum(w)


def in_one_branch(x):
    if x[0] > 0:
        w.assign_sub(x)
    else:
        b.assign(7.0)
    return np.sum(w) * b


def in_a_loop(x):
    for k in range(3):
        if k == 1:
            continue
        b.assign_add(1.0 * k)
        w.assign(w * b)
    return np.sum(w * x)


def read_before_it_is_known_to_be_assigned(x):
    total = np.sum(x) * 0.0
    for _ in range(3):
        total = total + b
        b.assign_add(total)
    return total


def until_a_condition_holds(x):
    while b < 10.0:
        b.assign(b * 2)
    return b + x[0]


def under_another_name(x):
    v = w
    v.assign_sub(x)
    return np.sum(w) + np.sum(v)


def in_containers(x):
    parameters[0].assign_sub(x)
    return np.sum(w) + np.sum(by_name["w"])


def old_and_new(x):
    old, kept = w + 0.0, w.value()
    w.assign_sub(x)
    return np.sum(old * w) + np.sum(kept * w.read_value()) + b.value()


def integers(x):
    w.assign(np.array([1, 2]))
    b.assign(2)
    count.assign_add(2)
    return b * count + x[0]


def of_single_precision(x):
    single.assign(single * 1.5)
    single.assign_sub(np.float32(0.1))
    return single * 2


def behind_a_tape(x):
    with pb.GradientTape(persistent=True) as tape:
        y = np.sum(w * w * x)
        z = np.sum(np.exp(w)) * b
    w.assign_sub(tape.gradient(y, w))
    b.assign(1.5)
    w.assign_sub(tape.gradient(z, w))
    return np.sum(w) + tape.gradient(z, b)


def in_a_tape_that_asks_for_another(x):
    with pb.GradientTape() as tape:
        y = np.sum(w * x) * b
        b.assign_sub(1.0)
    return np.sum(tape.gradient(y, w))


def by_a_list_of_parameters(x):
    with pb.GradientTape() as tape:
        y = np.sum(w * w * x) * b
    for parameter, gradient in zip(parameters, tape.gradient(y, parameters), strict=True):
        parameter.assign_sub(0.1 * gradient)
    return y


def by_nested_tapes(x):
    for _ in range(2):
        with pb.GradientTape() as outer:
            with pb.GradientTape() as inner:
                y = np.sum(w**3 * x) * b
            g = inner.gradient(y, w)
            size = np.sum(g * g)
        by_w, by_b = outer.gradient(size, [w, b])
        w.assign_sub(1e-4 * by_w)
        b.assign_sub(1e-4 * by_b)
    return size


def by_a_helper(x):
    def subtract(variable, change):
        variable.assign_sub(change)

    subtract(w, x)
    subtract(b, 0.1)
    return np.sum(w) * b


FUNCTIONS = [value for value in vars().values() if getattr(value, "__module__", "") == __name__][1:]


def states() -> list[np.ndarray]:
    return [variable.numpy().copy() for variable in VARIABLES]


@pytest.mark.drawn(20)
@pytest.mark.parametrize("options", [{"jit": False}, {"jit": False, "fuse": True}, {}], ids=["plain", "loops", "jit"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_variables_end_as_in_a_plain_call(function: Callable[..., Any], options: dict[str, bool]) -> None:
    before = states()
    compiled = pb.differentiable(**options)(function)
    for x in (X, -X):
        plain = []
        for run in (function, compiled):
            for variable, value in zip(VARIABLES, before, strict=True):
                variable.assign(value)
            results = [run(x), run(x)]
            plain.append([*(r.numpy() if isinstance(r, pb.Tensor) else r for r in results), *states()])
        for expected, actual in zip(*plain, strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-6 if expected.dtype == np.float32 else 1e-12)
            assert np.asarray(actual).dtype == expected.dtype


def test_a_layer_is_called_and_trained() -> None:
    class Line(pb.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.slope, self.offset = pb.Variable(np.zeros(3), name="slope"), pb.Variable(0.0, name="offset")

        def __call__(self, x):
            return x @ self.slope + self.offset

    def train(model, x, y, steps):
        loss = 0.0
        for _ in range(steps):
            with pb.GradientTape() as tape:
                loss = np.mean((model(x) - y) ** 2)
            variables = model.trainable_variables
            for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
                variable.assign_sub(0.1 * gradient)
        return loss

    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 3))
    y = x @ np.array([1.0, -2.0, 0.5]) + 0.7
    eager, compiled = Line(), Line()
    expected = train(eager, x, y, 40)
    run = pb.differentiable(lambda x, y, steps: train(compiled, x, y, steps))
    for _ in range(2):  # the second call goes on where the first one stopped
        loss = run(x, y, 20)
    assert loss == pytest.approx(expected.numpy(), rel=1e-12)
    for one, other in zip(eager.variables, compiled.variables, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12)


def test_dense_layers_are_followed_once_they_are_built() -> None:
    hidden, last = pb.nn.Dense(4, activation="relu", seed=1), pb.nn.Dense(2, use_bias=False, seed=2)

    def network(x):
        with pb.GradientTape() as tape:
            y = np.sum(last(hidden(x)) ** 2)
        variables = hidden.trainable_variables + last.trainable_variables
        return y, tape.gradient(y, variables)

    x = np.random.default_rng(1).normal(size=(5, 3))
    with pytest.raises(pb.TypingError, match="None is not a number or an array"):
        pb.differentiable(network)(x)
    y, gradients = network(x)
    actual, found = pb.differentiable(network)(x)
    assert actual == pytest.approx(y.numpy(), rel=1e-12)
    for one, other in zip(gradients, found, strict=True):
        np.testing.assert_allclose(other, one.numpy(), rtol=1e-12)


@pytest.mark.parametrize("jit", [True, False])
def test_a_call_that_raises_has_assigned_what_a_plain_call_has(jit: bool) -> None:
    def checked(x):
        w.assign_sub(x)
        assert x[0] > 5.0, "small"
        w.assign_sub(x)
        return np.sum(w)

    with pytest.raises(AssertionError, match="small"):
        pb.differentiable(checked, jit=jit)(X)
    np.testing.assert_array_equal(w.numpy(), np.array([1.0, 2.0]) - X)


def loss_that_assigns(x):
    y = np.sum(w * w * x) * b
    w.assign_sub(x)
    return y


def test_derivatives_assign_as_calls_do() -> None:
    value, gradient = pb.value_and_grad(loss_that_assigns)(X)
    np.testing.assert_allclose(gradient, [0.5, 2.0])
    np.testing.assert_allclose(w.numpy(), [0.7, 1.3])
    w.assign([1.0, 2.0])
    again, pullback = pb.vjp(loss_that_assigns)(X)
    assert again == value
    np.testing.assert_allclose(pullback(1.0), gradient)
    np.testing.assert_allclose(w.numpy(), [0.7, 1.3])


def test_a_tape_around_a_call_that_assigns_is_refused() -> None:
    before = states()
    with pb.GradientTape(), pytest.raises(pb.TypingError, match="assigns the variable 'w', which a tape around it"):
        pb.differentiable(loss_that_assigns)(X)
    np.testing.assert_array_equal(before[0], w.numpy())


def whole_shape(x):
    w.assign(np.ones(x.shape[0] + 1))
    return np.sum(w)


def test_a_variable_keeps_its_shape() -> None:
    with pytest.raises(ValueError, match="the variable 'w' has another shape than the value"):
        pb.differentiable(whole_shape)(X)


def of_another_rank(x):
    b.assign(x)
    return np.sum(w)


def of_another_dtype(x):
    count.assign(count * 1.5)
    return np.sum(x)


def element(x):
    w[0] = 3.0
    return np.sum(w * x)


def argument(v, x):
    v.assign_sub(x)
    return np.sum(v)


def own_source(x):
    with pb.GradientTape() as tape:
        y = np.sum(w * x)
        w.assign_sub(x)
    return tape.gradient(y, w)


REFUSED = {
    of_another_rank: "the variable 'b' has 0 dimensions, the value 1",
    of_another_dtype: "float64 cannot be assigned to the variable 'count' of int64",
    element: "'w' comes from outside this function and cannot be written here",
    argument: "'assign_sub' is for variables from outside",
    own_source: "'w' is written in the block of its tape",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_with_a_place(function: Callable[..., Any]) -> None:
    before = states()
    arguments = (X.copy(), X) if function is argument else (X,)
    with pytest.raises(pb.PullbackError, match=REFUSED[function]) as caught:
        pb.differentiable(function)(*arguments)
    problems = getattr(caught.value, "problems", None)
    location = problems[0].location if problems else caught.value.location
    assert function.__code__.co_firstlineno < location.line <= function.__code__.co_firstlineno + 5
    for one, other in zip(before, states(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_text_writes_the_variable() -> None:
    def step(x):
        with pb.GradientTape() as tape:
            y = np.sum(np.tanh(w * x))
        w.assign_sub(tape.gradient(y, w))

    assert "w[:] = w - w_bar" in pb.source(step, X, argnums=())

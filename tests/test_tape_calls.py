"""Calls of differentiable functions on tensors: one record each, with variables from outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb

w = pb.Variable([1.0, 2.0], name="w")
b = pb.Variable(0.5, name="b")
frozen = pb.Variable(2.0, trainable=False)
table = np.array([1.0, 10.0])
weights = {"scale": pb.Variable(3.0)}


@pb.differentiable(jit=False)
def scaled(x: Any) -> Any:
    """Writes in place, and reads variables."""
    y = np.zeros(2)
    for i in range(2):
        y[i] = w[i] * x[i] ** 2 + b * frozen
    return y


@pb.differentiable(jit=False)
def total(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sin(x[i] * b) * w[0]
    return s


@pytest.fixture(autouse=True)
def values() -> None:
    w.assign([1.0, 2.0])
    b.assign(0.5)


def test_variables_from_outside_are_watched() -> None:
    x = pb.constant([3.0, 4.0])
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(scaled(x) ** 2)
    assert tape.watched_variables() == (w, b)
    found = [None if g is None else g.numpy().tolist() for g in tape.gradient(y, [x, w, b, frozen])]
    y0, y1 = 9.0 + 1.0, 32.0 + 1.0
    assert found == [[2 * y0 * 6, 2 * y1 * 16], [2 * y0 * 9, 2 * y1 * 16], (2 * y0 + 2 * y1) * 2.0, None]


def test_variables_are_read_at_each_call() -> None:
    x = np.array([1.0, 2.0])
    for value in (0.5, 2.0, -1.0):
        b.assign(value)
        assert total(x) == pytest.approx(np.sum(np.sin(x * value)))
        assert isinstance(total(x), float)
        with pb.GradientTape() as tape:
            y = total(x)
        assert tape.gradient(y, b).item() == pytest.approx(np.sum(x * np.cos(x * value)))


def test_variables_in_containers_and_objects() -> None:
    class Layer:
        def __init__(self) -> None:
            self.kernel = pb.Variable([[1.0, 2.0], [3.0, 4.0]])

        @pb.differentiable(jit=False)
        def forward(self, x: Any) -> Any:
            return np.tanh(x @ self.kernel) * weights["scale"]

    layer = Layer()
    x = np.array([0.1, 0.2])
    with pb.GradientTape(persistent=True) as tape:
        compiled = np.sum(layer.forward(x))
        plain = np.sum(np.tanh(x @ layer.kernel) * weights["scale"])
    sources = [layer.kernel, weights["scale"]]
    for a, e in zip(tape.gradient(compiled, sources), tape.gradient(plain, sources), strict=True):
        np.testing.assert_allclose(a.numpy(), e.numpy(), rtol=1e-14)


def test_calls_without_tensors_stay_plain() -> None:
    x = np.array([1.0, 2.0])

    @pb.differentiable(jit=False)
    def square(x: Any) -> Any:
        return np.sum(x * x)

    with pb.GradientTape():
        assert isinstance(square(x), float)
        assert isinstance(total(x), pb.Tensor)
    assert isinstance(square(pb.constant(x)), pb.Tensor)
    np.testing.assert_array_equal(pb.grad(square)(x), [2.0, 4.0])
    assert isinstance(pb.grad(square)(pb.constant(x)), pb.Tensor)


def test_arrays_are_taken_as_they_are_at_the_call() -> None:
    @pb.differentiable(jit=False)
    def product(x: Any, a: Any) -> Any:
        return x * a * table

    a, x = np.array([1.0, 2.0]), pb.Variable([1.0, 1.0])
    with pb.GradientTape() as tape:
        y = product(x, a)
    a[:] = np.nan
    kept = table.copy()
    table[:] = np.nan
    try:
        assert tape.gradient(y, x).numpy().tolist() == [1.0, 20.0]
    finally:
        table[:] = kept


def test_results_of_many_kinds() -> None:
    @pb.differentiable(jit=False)
    def several(p: Any, n: int) -> Any:
        return {"a": p["x"] * n, "n": n + 1}, (np.sum(p["x"]), p["x"] > 1.0)

    p = {"x": pb.Variable([1.0, 2.0])}
    with pb.GradientTape() as tape:
        made, (s, test) = several(p, 3)
        y = np.sum(made["a"]) + 10.0 * s
    assert made["n"].item() == 4
    assert test.numpy().tolist() == [False, True]
    assert tape.gradient(y, p)["x"].numpy().tolist() == [13.0, 13.0]


def second_by(run: Any, x: Any, direction: Any) -> list[np.ndarray]:
    """The gradient of a function, and the derivatives of its product with a direction by x and w."""
    with pb.GradientTape() as outer:
        outer.watch(x)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = run(x)
        first = inner.gradient(y, x)
    return [first.numpy(), *(h.numpy() for h in outer.gradient(first, [x, w], direction))]


def test_second_derivatives() -> None:
    x, direction = pb.constant([0.3, 0.4]), np.array([1.0, -2.0])
    called = second_by(total, x, direction)
    with pb.GradientTape() as outer:
        outer.watch(x)
        first = pb.grad(total)(x)
    by_function = [first.numpy(), *(h.numpy() for h in outer.gradient(first, [x, w], direction))]
    plain = second_by(total.__wrapped__, x, direction)
    for found in (called, by_function):
        for a, e in zip(found, plain, strict=True):
            np.testing.assert_allclose(a, e, rtol=1e-12, atol=1e-14)


@pb.differentiable(jit=False)
def cubes(x: Any) -> Any:
    return np.sum(x**3)


def test_call_with_a_part_of_a_tensor_runs_again() -> None:
    x = pb.constant([1.0, 2.0, 3.0])
    with pb.GradientTape() as outer:
        outer.watch(x)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = cubes(x[:2])
        first = inner.gradient(y, x)
    assert first.numpy().tolist() == [3.0, 12.0, 0.0]
    assert outer.gradient(first, x).numpy().tolist() == [6.0, 12.0, 0.0]


def test_call_runs_again_with_what_a_tensor_was() -> None:
    x = pb.Variable([1.0, 2.0])
    with pb.GradientTape() as outer:
        with pb.GradientTape() as inner:
            h = x * 2.0
            y = cubes(h)
            h += 100.0
        first = inner.gradient(y, x)
    assert first.numpy().tolist() == [24.0, 96.0]
    assert outer.gradient(first, x).numpy().tolist() == [48.0, 96.0]


def test_tangents_are_pushed_through_a_call() -> None:
    x = pb.constant([1.0, 2.0, 3.0])
    with pb.ForwardAccumulator(x, np.array([1.0, 0.0, -1.0])) as accumulator:
        y = cubes(x[:2] * x[1:])  # (x0 x1)³ + (x1 x2)³
    assert accumulator.jvp(y).item() == 3 * 2.0**2 * 2.0 - 3 * 6.0**2 * 2.0


def test_second_derivatives_of_writes() -> None:
    x, direction = pb.constant([0.3, 0.4]), np.array([1.0, -2.0])
    first, by_x, by_w = second_by(lambda x: np.sum(scaled(x) ** 2), x, direction)
    plain = second_by(lambda x: np.sum((w * x**2 + b * frozen) ** 2), x, direction)
    for found, expected in zip((first, by_x, by_w), plain, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_third_derivatives_of_writes() -> None:
    x = pb.Variable([0.3, 0.4])
    found = []
    for run in (lambda: np.sum(scaled(x) ** 3), lambda: np.sum((w * x**2 + b * frozen) ** 3)):
        with pb.GradientTape() as outer:
            with pb.GradientTape() as middle:
                with pb.GradientTape() as inner:
                    y = run()
                first = inner.gradient(y, x)
            second = middle.gradient(first, [x, w])
        found.append([d.numpy() for d in outer.gradient(second, [x, w, b])])
    for called, plain in zip(*found, strict=True):
        np.testing.assert_allclose(called, plain, rtol=1e-11, atol=1e-13)


def test_tape_for_a_second_derivative_is_entered_in_time() -> None:
    x = pb.constant([0.3, 0.4])
    with pb.GradientTape() as inner:
        inner.watch(x)
        y = total(x)
    with pb.GradientTape() as outer:
        outer.watch(x)
        with pytest.raises(pb.TypingError, match="enter the outer tape before"):
            inner.gradient(y, x)


def test_gradient_functions_take_structures_and_say_what_they_return() -> None:
    @pb.differentiable(jit=False)
    def loss(p: Any, x: Any) -> Any:
        return np.sum((p["a"] * x - p["b"]) ** 2), p["a"] * 2.0

    p = {"a": pb.Variable(2.0), "b": 1.0}
    x = np.array([1.0, 2.0])
    (value, aux), gradient = pb.value_and_grad(loss, has_aux=True)(p, x)
    assert (value.item(), aux.item()) == (10.0, 4.0)
    assert (gradient["a"].item(), gradient["b"].item()) == (14.0, -8.0)
    with pytest.raises(pb.TypingError, match="does not return a float number"):
        pb.grad(scaled)(pb.constant([1.0, 2.0]))


def test_argument_that_is_written_is_refused() -> None:
    @pb.differentiable(jit=False)
    def clear(x: Any) -> Any:
        y = np.sum(x * x)
        x[0] = 0.0
        return y

    x = pb.Variable([1.0, 2.0])
    with pb.GradientTape(), pytest.raises(pb.TypingError, match="writes into its argument 'x'"):
        clear(x)


def test_missing_rule_is_raised_when_the_gradient_is_asked_for() -> None:
    @pb.differentiable(jit=False)
    def sum_of_all_values(x: Any) -> Any:
        return np.sum(np.union1d(x, x))

    x = pb.Variable([3.0, 1.0, 2.0])
    with pb.GradientTape() as tape:
        y = sum_of_all_values(x)
    assert y.item() == np.sum(np.union1d(x.numpy(), x.numpy()))
    with pytest.raises(LookupError, match="union1d"):
        tape.gradient(y, x)


def test_compiled_call() -> None:
    """With Numba, as in `test_second_derivative_by_compiled_code`; the other tests here do without."""

    @pb.differentiable
    def recurrence(h: Any, x: Any) -> Any:
        for i in range(x.shape[0]):
            h = np.tanh(w[0] * h + b * x[i])
        return h

    x = np.linspace(0.0, 1.0, 50)
    h = pb.Variable(0.1)
    with pb.GradientTape() as tape:
        y = recurrence(h, x) * 2.0
    with pb.GradientTape() as plain:
        z = recurrence.__wrapped__(h, x) * 2.0
    assert y.item() == pytest.approx(z.item(), rel=1e-13)
    for a, e in zip(tape.gradient(y, [h, w, b]), plain.gradient(z, [h, w, b]), strict=True):
        np.testing.assert_allclose(a.numpy(), e.numpy(), rtol=1e-12, atol=1e-15)


def test_variables_that_only_some_branches_use() -> None:
    @pb.differentiable(jit=False)
    def branching(x: Any, n: int) -> Any:
        y = x * 1.0
        for i in range(n):
            if x[0] > 0.5:
                y = y * b
            elif i > 1:
                y = y * table
            else:
                y = y + w
        if n > 2:
            y = y * table + w * b
        return np.sum(y * table)

    x = np.array([1.0, 2.0])
    with pb.GradientTape(persistent=True) as tape:
        called, plain = branching(x, 3), branching.__wrapped__(x, 3)
    assert called.item() == plain.item()
    for a, e in zip(tape.gradient(called, [w, b]), tape.gradient(plain, [w, b]), strict=True):
        np.testing.assert_allclose(a.numpy(), e.numpy(), rtol=1e-14)


@pb.differentiable(jit=False)
def rosenbrock(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


def hessian_of(run: Any, x: Any, then: Any = lambda: None) -> np.ndarray:
    with pb.GradientTape() as outer:
        with pb.GradientTape() as inner:
            y = run(x)
        then()
        first = inner.gradient(y, x)
    return outer.jacobian(first, x).numpy()


def test_hessian_of_a_call() -> None:
    x = pb.Variable([1.2, 0.7, -0.3])
    expected = hessian_of(rosenbrock.__wrapped__, x)
    np.testing.assert_allclose(hessian_of(rosenbrock, x), expected, rtol=1e-12)
    changed = hessian_of(rosenbrock, x, lambda: x.assign([9.0, 9.0, 9.0]))
    np.testing.assert_allclose(changed, expected, rtol=1e-12)
    assert x.numpy().tolist() == [9.0, 9.0, 9.0]


def test_second_derivative_of_a_call_with_a_tape_in_it() -> None:
    @pb.differentiable(jit=False)
    def slope_squared(x: Any) -> Any:
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(np.sin(x) * x)
        return np.sum(tape.gradient(y, x) ** 2)

    x = pb.Variable([0.3, 0.8])
    np.testing.assert_allclose(
        hessian_of(slope_squared, x), hessian_of(slope_squared.__wrapped__, x), rtol=1e-12, atol=1e-14
    )


def test_second_derivative_by_compiled_code() -> None:
    called = pb.differentiable(scaled.__wrapped__)
    x, direction = pb.constant([0.3, 0.4]), np.array([1.0, -2.0])
    for one, other in zip(
        second_by(lambda x: np.sum(called(x) ** 2), x, direction),
        second_by(lambda x: np.sum(scaled(x) ** 2), x, direction),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


factor = 2.0


def test_number_from_outside_counts_as_it_was_at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    @pb.differentiable(jit=False)
    def scaled_cubes(x: Any) -> Any:
        return np.sum(factor * x**3)

    x = pb.Variable([1.0, 2.0])
    with pb.GradientTape() as outer:
        with pb.GradientTape() as inner:
            y = scaled_cubes(x)
        monkeypatch.setitem(globals(), "factor", 100.0)
        first = inner.gradient(y, x)
    assert first.numpy().tolist() == [6.0, 24.0]
    assert outer.gradient(first, x).numpy().tolist() == [12.0, 24.0]
    with pb.GradientTape() as tape:
        y = scaled_cubes(x)
    assert tape.gradient(y, x).numpy().tolist() == [300.0, 1200.0]


fixed = pb.constant([1.5, 2.5])


def test_tensor_from_outside_is_the_same_in_all_derivatives() -> None:
    @pb.differentiable(jit=False)
    def weighted_powers(x: Any) -> Any:
        return np.sum(x**4 * fixed)

    x = pb.constant([1.0, 2.0])
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = weighted_powers(x)
        first = tape.gradient(y, x)
        second = tape.gradient(first, x)
        third = tape.gradient(second, x)
    assert [g.numpy().tolist() for g in (first, second, third)] == [[6.0, 80.0], [18.0, 120.0], [36.0, 120.0]]
    with pb.GradientTape() as third_tape:
        third_tape.watch(x)
        with pb.GradientTape() as outer:
            outer.watch(x)
            with pb.GradientTape() as inner:
                inner.watch(x)
                y = weighted_powers(x)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
    assert third_tape.gradient(second, x).numpy().tolist() == [36.0, 120.0]


exchanged = pb.Variable([1.0, 2.0])


def test_variable_that_another_one_replaces_after_the_call_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    @pb.differentiable(jit=False)
    def weighted_cubes(x: Any) -> Any:
        return np.sum(exchanged * x**3)

    x = pb.Variable([1.0, 2.0])
    with pb.GradientTape():
        with pb.GradientTape() as inner:
            y = weighted_cubes(x)
        monkeypatch.setitem(globals(), "exchanged", pb.Variable([7.0, 7.0]))
        with pytest.raises(RuntimeError, match="the tensor 'exchanged' that 'weighted_cubes' uses was changed"):
            inner.gradient(y, x)

"""Small arrays in the frame of a function: what a call returns outlives it, whatever runs afterwards."""

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.emission import parts as emitted_parts


def matrix(x: Any) -> Any:
    y = np.zeros((2, 2))
    y[0, 0] = x
    y[1, 1] = 2 * x
    y[0, 1] = x * x
    return y


def views(x: Any) -> Any:
    y = matrix(x)
    return y.T, y[0], y[:, 1], y.reshape(4), y.ravel(), np.diag(y), np.swapaxes(y, 0, 1), y[None], np.real(y)


def parts(x: Any) -> Any:
    y = matrix(x)
    first, second = np.split(y, 2)
    return np.flip(y, 0), np.rot90(y), first, second, np.asarray(y), np.atleast_3d(y), np.broadcast_to(y, (3, 2, 2)), y


def chosen(x: Any) -> Any:
    y, z = matrix(x), np.zeros(2)
    z[0] = x
    w = z
    for k in range(2):
        if x > k:
            w = y[k]
    return w, z


def complex_and_integers(x: Any) -> Any:
    v = np.zeros(2, dtype=complex)
    k = np.zeros(2, dtype=np.int64)
    for i in range(2):
        z = np.array([x * (1 + 0.4j), i])
        v[i] = z[0] * z[0] + z[1]
        k[i] = 1 - i
    return np.abs(v[k]) ** 2


def single(x: Any) -> Any:
    total = np.zeros(2, np.float32)
    for i in range(3):
        pair = np.array([x, x * x])
        total += pair * i
    return total


def leaves(value: Any) -> list[np.ndarray]:
    return [np.asarray(item) for item in (value if isinstance(value, tuple) else (value,))]


FUNCTIONS = [views, parts, chosen, complex_and_integers]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_what_a_call_returns_stays(function: Any) -> None:
    ours = pb.differentiable(function)
    found, slopes = ours(0.7), pb.jacobian(ours)(0.7)
    ours(-3.1), pb.jacobian(ours)(5.5)  # which use the frame again
    for one, other in zip(leaves(found), leaves(function(0.7)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-15)
    step = 1e-6
    for one, high, low in zip(leaves(slopes), leaves(function(0.7 + step)), leaves(function(0.7 - step)), strict=True):
        np.testing.assert_allclose(one, (high - low) / (2 * step), atol=1e-8)


def test_single_precision() -> None:
    x = np.float32(0.7)
    found = pb.differentiable(single)(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, single(x))


def machine_text(function: Any, *arguments: Any) -> str:
    gradient = pb.value_and_grad(function)
    return str(gradient.prepare(gradient.engine.bind(arguments, {})).compiled().machine_text)


def turned(x: Any, n: int) -> Any:
    v = np.array([1.0, x])
    for i in range(n):
        v = np.array([[np.cos(i), -x], [x, np.cos(i)]]) @ v
    return v[0]


def test_arrays_of_iterations_are_in_the_frame() -> None:
    arrays = pb.OPTIMISATIONS - {"scalar_replacement_of_aggregates"}
    assert "local_empty((2, 2)" in machine_text(pb.differentiable(turned, optimisations=arrays), 0.3, 4)
    elsewhere = pb.differentiable(turned, optimisations=arrays - {"stack_allocation"})
    assert "local_" not in machine_text(elsewhere, 0.3, 4)


def many_arrays(x: Any) -> Any:
    a = np.zeros(2)
    a[0] = x
    b = np.zeros(2)
    b[0] = np.sin(a[0])
    b[1] = a[0] * x
    c = np.zeros(2)
    c[1] = b[0] * b[1]
    a[1] = c[1] + b[1]
    c[0] = a[1] * a[0]
    return np.sum(a * b * 0.5) + c[0] * c[1]


def test_parts_of_a_function_read_what_is_in_its_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitted_parts, "LONGEST", 0)
    monkeypatch.setattr(emitted_parts, "SIZE", 3)
    gradient = pb.value_and_grad(pb.differentiable(many_arrays, cache=False))
    made = gradient.prepare(gradient.engine.bind((0.3,), {})).compiled()
    text = made.emitted(made.machine_function)
    assert "many_arrays_value_and_grad_part2" in text
    own = text[text.index("def many_arrays_value_and_grad(") :]
    assert "local_zeros(" in own
    assert "local_zeros(" not in text.replace(own, "")
    value, slope = gradient(0.3)
    assert value == pytest.approx(many_arrays(0.3), rel=1e-14)
    assert slope == pytest.approx((many_arrays(0.3 + 1e-6) - many_arrays(0.3 - 1e-6)) / 2e-6, rel=1e-8)


def in_parallel(x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        pair = np.array([x[i] * w[0], np.sin(x[i]) * w[1]])
        total += pair[0] * pair[1]
    return total


def test_each_thread_has_a_frame() -> None:
    x, w = np.linspace(0.0, 3.0, 20_000), np.array([0.3, 0.7])
    value, gradient = pb.value_and_grad(pb.differentiable(in_parallel, parallel=True), argnums=1)(x, w)
    expected, plain = pb.value_and_grad(pb.differentiable(in_parallel, jit=False), argnums=1)(x, w)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, plain, rtol=1e-12)

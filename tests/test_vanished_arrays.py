"""Arrays that vanish: sizes below zero raise as in NumPy, and sizes that cannot be below zero leave nothing behind."""

import numpy as np
import pytest

import pullback as pb


def summed_at_once(x, n):
    y = np.empty(n - 5)
    for i in range(n - 5):
        y[i] = x[i] ** 2
    return np.sum(y) + x[0]


def summed_by_a_loop(x, n):
    y = np.zeros(n - 5)
    for i in range(n - 5):
        y[i] = x[i] ** 2
    s = x[0]
    for i in range(n - 5):
        s += y[i]
    return s


def of_a_shape(x, n):
    y = np.ones(x.shape[0] - 9)
    for i in range(x.shape[0] - 9):
        y[i] = x[i] ** 2
    s = x[0]
    for i in range(x.shape[0] - 9):
        s += y[i]
    return s


def filled(x, n):
    y = np.full(n - 5, 0.5)
    for i in range(n - 5):
        y[i] += x[i] ** 2
    s = x[0]
    for i in range(n - 5):
        s += y[i]
    return s


def changed_as_a_whole(x, n):
    y = np.zeros(n - 5)
    y += x[0]
    return np.sum(y) + x[0]


def stored_as_a_whole(x, n):
    y = np.zeros(n - 5)
    y[:] = x[: max(n - 5, 0)] ** 2
    return y.sum() + x[0]


def of_each_iteration(x, n):
    s = x[0]
    for k in range(3):
        y = np.empty(n - 3 - k)
        for i in range(n - 3 - k):
            y[i] = x[i] ** k
        for i in range(n - 3 - k):
            s += y[i]
    return s


def as_rows(x, n):
    y = np.zeros((n - 5, 3))
    for i in range(n - 5):
        for j in range(3):
            y[i, j] = x[i] * j
    s = x[0]
    for i in range(n - 5):
        for j in range(3):
            s += y[i, j]
    return s


def one_after_the_other(x, n):
    y = np.zeros(n - 5)
    for i in range(n - 5):
        y[i] = x[i] * 2
    z = np.zeros(n - 5)
    for i in range(n - 5):
        z[i] = y[i] ** 2
    s = x[0]
    for i in range(n - 5):
        s += z[i]
    return s


def in_a_branch(x, n):
    s = x[0]
    if x[1] > 0.0:
        y = np.zeros(n - 5)
        for i in range(n - 5):
            y[i] = x[i] ** 2
        for i in range(n - 5):
            s += y[i]
    return s


X = np.linspace(0.3, 0.9, 8)
PROGRAMS = [
    summed_at_once,
    summed_by_a_loop,
    of_a_shape,
    filled,
    changed_as_a_whole,
    stored_as_a_whole,
    of_each_iteration,
    as_rows,
    one_after_the_other,
    in_a_branch,
]
CALLS = {
    "value": lambda function: pb.differentiable(function)(X, 3),
    "gradient": lambda function: pb.grad(function)(X, 3),
    "both": lambda function: pb.value_and_grad(function)(X, 3),
    "pullback": lambda function: pb.vjp(function)(X, 3),
    "forward": lambda function: pb.jvp(function, (X, 3), (X, None)),
    "hessian": lambda function: pb.hessian(function)(X, 3),
    "text": lambda function: pb.grad(pb.differentiable(jit=False)(function))(X, 3),
}


@pytest.mark.drawn(24)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_a_size_below_zero_raises(function, call):
    with pytest.raises(ValueError, match="negative dimensions"):
        function(X, 3)
    with pytest.raises(ValueError, match="negative dimensions"):
        CALLS[call](function)


@pytest.mark.parametrize("n", [5, 6, 8])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_other_sizes_are_those_of_numpy(function, n):
    x = X if function is not of_a_shape else np.linspace(0.3, 0.9, n + 4)
    value, slopes = pb.value_and_grad(function)(x, n)
    assert value == pytest.approx(function(x, n), rel=1e-13)
    expected = pb.grad(pb.differentiable(optimisations=False, jit=False)(function))(x, n)
    np.testing.assert_allclose(slopes, expected, rtol=1e-12)


def sizes_of_arrays(x, w):
    s = 0.0
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[i] ** 2
    for i in range(x.shape[0]):
        s += y[i]
    n = len(x) + w.shape[1] + 1
    z = np.zeros(n)
    for i in range(n):
        z[i] = x[0] * i
    for i in range(n):
        s += z[i]
    v = np.zeros(x.size // 2)
    for i in range(x.size // 2):
        v[i] = x[i] * 3.0
    for i in range(x.size // 2):
        s += v[i]
    for k in range(x.shape[0]):
        u = np.empty(x.shape[0] - k)
        for i in range(x.shape[0] - k):
            u[i] = x[i] * k
        for i in range(x.shape[0] - k):
            s += u[i]
    t = np.empty(len(x[3:]))
    for i in range(len(x[3:])):
        t[i] = x[i] * 5.0
    for i in range(len(x[3:])):
        s += t[i]
    return s


def test_sizes_that_cannot_be_below_zero_leave_nothing_behind():
    w = np.ones((2, 3))
    text = pb.inspect_source(sizes_of_arrays, X, w, argnums=0)
    assert "np.zeros(" not in text.replace("x_bar = np.zeros(", "")
    assert "raise" not in text
    for n in (0, 2, 8):
        if n:
            assert pb.value_and_grad(sizes_of_arrays)(X[:n], w)[0] == pytest.approx(sizes_of_arrays(X[:n], w))


def test_one_check_stands_for_arrays_of_the_same_size():
    text = pb.inspect_source(one_after_the_other, X, 7, argnums=0)
    assert text.count("negative dimensions") == 1


def made_by_iterations(x, n, count):
    s = x[0]
    for k in range(count):
        y = np.empty(n - 5)
        z = np.empty((2, n - 5))
        for i in range(n - 5):
            y[i] = x[i] ** k
            z[k % 2, i] = y[i]
            if s > 100.0:
                y[i] = s
        for i in range(n - 5):
            s += np.sin(y[i]) * s + z[k % 2, i]
    return s


def test_a_loop_without_iterations_makes_no_array():
    given = X, 3, 0
    assert pb.differentiable(made_by_iterations)(*given) == X[0]
    assert pb.value_and_grad(made_by_iterations)(*given)[0] == X[0]
    assert pb.vjp(made_by_iterations)(*given)[0] == X[0]
    with pytest.raises(ValueError, match="negative dimensions"):
        pb.grad(made_by_iterations)(X, 3, 1)
    text = pb.inspect_source(made_by_iterations, *given, argnums=0)
    assert text.count("negative dimensions") == 1
    assert pb.value_and_grad(made_by_iterations)(X, 7, 2)[0] == pytest.approx(made_by_iterations(X, 7, 2), rel=1e-13)

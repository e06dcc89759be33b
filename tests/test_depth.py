"""Functions that call themselves without end, or deeper than the stack, end in an error and not in a crash."""

import sys
import threading

import numpy as np
import pytest

import pullback as pb


def deep(x, n):
    if n == 0:
        return x
    return deep(x * 1.5, n - 1) * 0.5


def even(x, n):
    return x if n == 0 else odd(x * 1.5, n - 1)


def odd(x, n):
    return -x if n == 0 else even(x * 0.5, n - 1)


def summed(x, start, end):
    if end - start == 1:
        return x[start]
    return summed(x, start, end - 1) + x[end - 1]


@pytest.mark.parametrize("function", [deep, even], ids=lambda f: f.__name__)
@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
def test_recursion_deeper_than_the_stack_is_an_error(function, jit):
    f = pb.differentiable(jit=jit)(function)
    gradient = pb.value_and_grad(f)
    plain = function(2.0, 100)
    for _ in range(3):
        for call in (f, gradient):
            with pytest.raises(RecursionError):
                call(2.0, 10_000_000)
        assert f(2.0, 100) == gradient(2.0, 100)[0] == pytest.approx(plain)


def test_recursion_over_an_array_deeper_than_the_stack_is_an_error():
    x = np.ones(1_000_000)
    with pytest.raises(RecursionError):
        pb.grad(summed)(x, 0, 1_000_000)
    np.testing.assert_array_equal(pb.grad(summed)(x[:5], 0, 5), np.ones(5))


def test_each_thread_has_a_stack_of_its_own():
    gradient = pb.value_and_grad(deep)
    found = []

    def run():
        try:
            gradient(2.0, 10_000_000)
        except RecursionError:
            found.append(gradient(2.0, 100)[0])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [gradient(2.0, 100)[0]] * 4


def test_a_function_that_never_returns_is_refused():
    def never(x):
        return 2 * never(x)

    def there(x):
        return back(x)

    def back(x):
        return there(x) + 1

    for function in (never, there):
        with pytest.raises(pb.LanguageError, match="never returns without calling itself"):
            pb.grad(function)(1.0)


TABLE = np.array([1.0, 2.0])


def looked_up(x, n):
    return x if n == 0 else looked_up(x * TABLE[0], n - 1)


@pytest.mark.parametrize(
    ("called", "reason"),
    [
        (lambda x, n: called_without_end(x, n), "never returns without calling itself"),
        (looked_up, "uses the array 'TABLE' from outside"),
    ],
    ids=["without end", "from outside"],
)
def test_what_one_reading_of_a_loop_refuses_the_other_reads_anew(called, reason):
    def function(x, n):
        total = x
        for _ in range(3):
            if n > 2:
                break
            total += called(x, 2)
        return total

    with pytest.raises(pb.LanguageError, match=reason):
        pb.grad(function)(1.0, 5)


def called_without_end(x, n):
    return called_without_end(x, n)


def test_a_step_has_the_derivative_of_what_it_is_at_zero():
    step = pb.grad(lambda x, h: np.heaviside(x, h) * 3, argnums=(0, 1))
    assert step(0.0, 0.5) == (0.0, 3.0)
    assert step(1.0, 0.5) == step(-1.0, 0.5) == (0.0, 0.0)


@pytest.fixture
def raised_limit():
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(150_000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.skipif(sys.platform != "linux", reason="stacks of other sizes are for Linux")
def test_recursion_is_as_deep_as_python_allows(raised_limit):
    def growing(x, n):
        return x if n == 0 else 1e-5 * x + growing(x * 1.00001, n - 1)

    gradient, x = pb.value_and_grad(growing), 2.0
    for n in (100_000, 3, 100_000):
        value, slope = gradient(x, n)
        assert value == pytest.approx(growing(x, n), rel=1e-12) == pytest.approx(slope * x, rel=1e-12)
    assert pb.differentiable(growing)(x, 100_000) == pytest.approx(growing(x, 100_000), rel=1e-12)
    assert pb.jvp(growing, (x, 100_000), (1.0, 0))[1] == pytest.approx(slope, rel=1e-12)
    with pytest.raises(RecursionError):
        gradient(x, 100_000_000)
    assert gradient(x, 3)[0] == pytest.approx(growing(x, 3))


@pytest.mark.skipif(sys.platform != "linux", reason="stacks of other sizes are for Linux")
def test_what_a_second_run_would_show_is_not_run_again(raised_limit):
    def counted(x, c, n):
        c[0] += 1.0
        return growing(x, n) * c[0]

    def growing(x, n):
        return x if n == 0 else 1e-5 * x + growing(x * 1.00001, n - 1)

    count = np.zeros(1)
    with pytest.raises(RecursionError):
        pb.differentiable(counted)(2.0, count, 100_000)
    assert count[0] == 1.0


@pytest.mark.skipif(sys.platform != "linux", reason="stacks of other sizes are for Linux")
def test_threads_that_recur_deeply_at_once(raised_limit):
    gradient, found = pb.value_and_grad(deep), []
    threads = [threading.Thread(target=lambda: found.append(gradient(2.0, 60_000)[0])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0.0] * 4 or len(set(found)) == 1

"""Python's integers do not wrap: compiled code gives what Python gives, or raises OverflowError with the line."""

import numpy as np
import pytest
from numba import njit

import pullback as pb

LIMIT = 10**20


def power(x, n):
    return x * 10**n


def factorial(x, n):
    p = 1
    for i in range(1, n + 1):
        p = p * i
    return x * p


def shifted(x, n):
    return x * (1 << n)


def square_of_a_whole_number(x, n):
    return x * int(x * 1e10) ** 2


def square(x, n):
    return x * (n * n)


def negative_power(x, n):
    return x * 10**-2


def large_power(x, n):
    return x * 10**20


def large_number(x, n):
    return x * 100000000000000000000


def divided_large_number(x, n):
    return x * (100000000000000000000 // 10**10)


def power_of_two(x, n):
    return x * 2**-n


def fibonacci(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return x * a


def sum_at_the_end(x, n):
    return x * (n + 9223372036854775807)


def negated(x, n):
    return x * -(-n - 9223372036854775807)


def absolute(x, n):
    return x * abs(n)


def huge_float(x, n):
    return x * (int(x * 1e300) + n)


def rounded(x, n):
    return x * (round(x * 1e25) - n)


def divided(x, n):
    return x * (n // -1)


def summed(x, n):
    return x * sum([n, n, n])


def changed_in_place(x, n):
    k = n
    k += n
    k *= n
    k **= 2
    return x * k


def generator(x, n):
    seed = n
    for _ in range(10):
        seed = (seed * 1103515245 + 12345) % 2147483648
    return x * seed


def of_numpy(x, n):
    k = np.int64(n)
    return x * float(k * k * k * k)


def condition(x, n):
    return x if n * n > 0 else -x


def collatz(x, n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return x * steps


def least(x, n):
    best = 10**20
    for k in range(n):
        if (x - k) ** 2 < best:
            best = (x - k) ** 2
    return best


def sentinel(x, n):
    best = LIMIT
    if x < best:
        best = x
    return best * n


def shifted_back(x, n):
    return x * (12345678901234567 >> n)


def binary_digits(x, n):
    count = 0
    while n:
        n &= n - 1
        count += 1
    return x * count


FITS = [
    (power, 3),
    (power, 20),
    (power, -2),
    (factorial, 5),
    (shifted, 3),
    (shifted, 62),
    (square, 7),
    (negative_power, 0),
    (large_power, 0),
    (large_number, 0),
    (divided_large_number, 0),
    (power_of_two, 2),
    (power_of_two, -2),
    (fibonacci, 20),
    (sum_at_the_end, 0),
    (changed_in_place, 3),
    (generator, 17),
    (of_numpy, 2**30),
    (collatz, 27),
    (least, 4),
    (sentinel, 3),
    (shifted_back, 70),
    (binary_digits, 255),
    (square, 2**31 + 1),
]
OVERFLOWS = [
    (factorial, 25),
    (shifted, 64),
    (square_of_a_whole_number, 1),
    (square, 2**63),
    (square, 2**40),
    (fibonacci, 100),
    (sum_at_the_end, 5),
    (negated, 5),
    (absolute, -(2**63)),
    (huge_float, 1),
    (rounded, 1),
    (divided, -(2**63)),
    (summed, 2**62),
    (changed_in_place, 2**20),
    (condition, 2**32),
]


def named(case):
    return f"{case[0].__name__}-{case[1]}"


@pytest.mark.parametrize("case", FITS + OVERFLOWS, ids=named)
def test_interpreted_integers_are_pythons(case):
    function, n = case
    with np.errstate(over="ignore"):
        plain = function(1.5, n)
    assert pb.value_and_grad(pb.differentiable(jit=False)(function))(1.5, n)[0] == plain


@pytest.mark.drawn(8)
@pytest.mark.parametrize("case", FITS, ids=named)
def test_compiled_integers_that_fit_are_pythons(case):
    function, n = case
    with np.errstate(over="ignore"):
        plain = function(1.5, n)
    assert pb.value_and_grad(function)(1.5, n)[0] == pytest.approx(plain, rel=1e-15)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("case", OVERFLOWS, ids=named)
def test_compiled_integers_that_do_not_fit_raise_an_error_with_the_line(case):
    function, n = case
    with pytest.raises(OverflowError) as caught:
        pb.value_and_grad(function)(1.5, n)
    first = function.__code__.co_firstlineno
    assert "the argument" in str(caught.value) or any(f"line {first + k})" in str(caught.value) for k in range(1, 6))


def test_compiled_callers_get_the_error():
    slope = pb.grad(square)

    @njit
    def caller(x, n):
        return slope(x, n)

    assert caller(1.5, 2**31) == 2.0**62
    with pytest.raises(OverflowError, match="64 bits"):
        caller(1.5, 2**40)


def test_indices_of_arguments_cost_no_check():
    def flattened(x, n, m):
        total = 0.0
        for i in range(n):
            for j in range(m):
                total += x[i * m + j] ** 2
        return total

    text = pb.inspect_source(flattened, np.ones(6), 2, 3, argnums=0)
    assert "checked" not in text
    assert "2147483648" in text
    np.testing.assert_array_equal(pb.grad(flattened)(np.ones(6), 2, 3), 2 * np.ones(6))


def test_counters_cost_no_check():
    def counted(x):
        positive = 0
        for k in range(x.shape[0]):
            if x[k] > 0:
                positive += 1
        return np.sum(x) * positive

    assert "checked" not in pb.inspect_source(counted, np.ones(6), argnums=0)
    assert pb.grad(counted)(np.ones(3))[0] == 3.0


def test_division_of_integers_by_zero_is_an_error_and_that_of_floats_is_not():
    def whole(x, n):
        return x * (5 // n)

    def remainder(x, n):
        return x * (5 % n)

    def fraction(x, n):
        return x * (5 / n)

    def by_a_literal(x, n):
        return x / 0.0

    for jit in (False, True):
        for function in (whole, remainder):
            with pytest.raises(ZeroDivisionError):
                pb.grad(pb.differentiable(jit=jit)(function))(1.5, 0)
        for function in (fraction, by_a_literal):
            assert pb.grad(pb.differentiable(jit=jit)(function))(1.5, 0) == np.inf


def test_a_large_integer_that_is_computed_with_as_one_is_refused_with_its_place():
    def large(x, n):
        return x * (n % LIMIT)

    assert pb.grad(pb.differentiable(jit=False)(large))(1.5, 7) == 7.0
    with pytest.raises(pb.TypingError, match="64 bits") as caught:
        pb.grad(large)(1.5, 7)
    assert "n % LIMIT" in str(caught.value)


def kept_in_runs(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while y < 3.0:
            s = 0.0
            for j in range(w.shape[0]):
                s += np.exp(-w[j] * y)
            y += s
        total += y * x[i]
    return total


def test_an_index_between_the_ends_of_a_check_is_not_checked_again():
    text = pb.inspect_source(kept_in_runs, np.ones(3), np.ones(2))
    assert "exp_saved[np.uint64(count + j)]" in text
    assert "checked_add(count, w.shape[0], " in text


def window(x, w, n):
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        if x[middle % x.shape[0]] > 1.0:
            high = middle
        else:
            low = middle
    total = 0.0
    for j in range(w.shape[0]):
        total += w[j] * x[low + j]
    return total


def test_a_window_that_lies_outside_raises_as_before():
    x, w = np.linspace(0.1, 0.9, 6), np.ones(3)
    assert pb.value_and_grad(window, argnums=(0, 1))(x, w, 3)[0] == pytest.approx(window(x, w, 3))
    for n in (6, 2**20, 2**40, 2**62):
        with pytest.raises(IndexError):
            pb.grad(window, argnums=(0, 1))(x, w, n)


def remainder(x, n):
    return x * (n % 1000)


def half(x, n):
    return x * (n // 2)


def one_less(x, n):
    return x * (n - 1)


@pytest.mark.parametrize("function", [remainder, half, one_less], ids=lambda f: f.__name__)
def test_compiled_code_refuses_integers_without_room_for_a_sign(function):
    gradient = pb.grad(function)
    assert gradient(1.0, 2**63 - 1) == pytest.approx(function(1.0, 2**63 - 1), rel=1e-15)
    for n in (2**63, 2**64 - 1, 10**20):
        for call in (gradient, pb.differentiable(function), lambda x, n: pb.vjp(function)(x, n)):
            with pytest.raises(OverflowError, match="the argument 'n' does not fit into 64 bits"):
                call(1.0, n)
        assert pb.grad(pb.differentiable(jit=False)(function))(1.0, n) == function(1.0, n)

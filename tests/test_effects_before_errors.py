"""What a call has written and printed before it raises is what a plain call has, and so is the exception."""

import contextlib
import io

import numpy as np
import pytest

import pullback as pb


def written_until_the_end(x, n):
    for i in range(n):
        x[i] = 2.0 * x[i]
    return x.sum()


def raised_before(x, n):
    for i in range(n):
        if x[i] > 3.0:
            raise ValueError(f"big {i}")
        x[i] = 2.0 * x[i]
    return x.sum()


def raised_behind_a_write(x, n):
    x[0] = 7.0
    s = 0.0
    for i in range(n):
        if x[i] > 3.5 and i > 0:
            raise ValueError(f"big {i}")
        s += x[i]
    return s


def printed_until_the_end(x, n):
    s = 0.0
    for i in range(n):
        print(i, end=" ")
        s += np.exp(-x[i])
    return s


def written_in_an_outer_loop(x, n):
    a = np.ones((3, 3))
    s = 0.0
    for i in range(3):
        x[i] = 0.0
        for j in range(n):
            s += a[i, j]
    return s


def written_by_a_helper(x, n):
    def add(v, k):
        v[k] += 1.0
        return v[k]

    s = 0.0
    for i in range(n):
        s += add(x, i)
    return s


def written_through_a_view(x, n):
    v = x[1:]
    for i in range(n):
        v[i] *= 2.0
    return x.sum()


def read_through_indices(x, n):
    k = np.array([0, 1, 2, 7])
    s = 0.0
    for i in range(n):
        x[i % 3] = 0.5
        for j in range(4):
            s += np.exp(-np.sqrt(x[k[j]])) * np.sin(x[k[j]])
    return s


def divided_by_zero_before(x, n):
    x[0] = 1.0
    s = 0.0
    for i in range(n):
        s += x[i] + 5 // (2 - i)
    return s


PROGRAMS = [
    written_until_the_end,
    raised_before,
    raised_behind_a_write,
    printed_until_the_end,
    written_in_an_outer_loop,
    written_by_a_helper,
    written_through_a_view,
    read_through_indices,
    divided_by_zero_before,
]

MODES = {
    "value": pb.differentiable,
    "gradient": pb.value_and_grad,
    "forward mode": lambda f: lambda x, n: pb.jvp(lambda v: f(v, n), (x,), (np.ones(3),)),
    "interpreted": lambda f: pb.grad(pb.differentiable(jit=False)(f)),
}


def outcome(function):
    x = np.array([1.0, 2.0, 4.0])
    with contextlib.redirect_stdout(io.StringIO()) as printed, pytest.raises(Exception) as error:  # noqa: PT011
        function(x, 5)
    return error.type, printed.getvalue(), x.tolist()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_effects_before_an_error_are_those_of_a_plain_call(program, mode):
    assert outcome(MODES[mode](program)) == outcome(program)


def added_up(x, n):
    s = 0.0
    for i in range(n):
        s += np.exp(x[i])
    return s


def added_up_behind_a_write(x, n):
    x[0] = 1.0
    s = 0.0
    for i in range(n):
        s += np.exp(x[i])
    return s


@pytest.mark.parametrize("program", [added_up, added_up_behind_a_write], ids=lambda f: f.__name__)
def test_checks_leave_loops_in_which_nothing_is_seen(program):
    text = pb.explain(program, np.ones(3), 3, argnums=0, passes=["bounds_checks"])
    assert "check_span(" in text
    assert "check_index(" not in text.split("for ")[-1]

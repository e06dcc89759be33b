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


def written_behind_a_branch(x, n):
    y = x * x
    if n < 0:
        x[0] = 9.0
    x[1] = 7.0
    if n > 2:
        raise ValueError("no")
    return np.sum(y) + x[0]


def a_copy_is_written_before(x, n):
    y = x * 1.0
    y[0] *= 2.0
    x[1] = 3.0
    x[n] = 3.0
    return np.sum(y)


def a_copy_is_written_in_the_same_loop(x, n):
    y = x * 1.0
    for i in range(n):
        y[i % 2] *= 2.0
        x[i] *= 3.0
    return np.sum(y)


def written_as_a_whole(x, n):
    y = x * 1.0
    x[:] = y * y
    return y[n]


def added_to_in_every_iteration(x, n):
    y = np.ones(3)
    for i in range(n):
        x[0] += 0.5
        y[i] = 2.0
    return np.sum(y) + x[0]


def added_to_before_sizes_differ(x, n):
    y = np.ones(n)
    for i in range(3):
        x[0] += 0.5
        y[i:] -= x[: 3 - i]
    return np.sum(y)


PROGRAMS += [written_behind_a_branch, a_copy_is_written_before, a_copy_is_written_in_the_same_loop]
PROGRAMS += [written_as_a_whole, added_to_in_every_iteration, added_to_before_sizes_differ]


def outcome(function, step=1):
    x = np.array([1.0, 8.0, 2.0, 8.0, 4.0, 8.0] if step > 1 else [1.0, 2.0, 4.0])
    with contextlib.redirect_stdout(io.StringIO()) as printed, pytest.raises(Exception) as error:  # noqa: PT011
        function(x[::step], 5)
    return error.type, printed.getvalue(), x.tolist()


@pytest.mark.drawn(14)
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


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [written_until_the_end, raised_before], ids=lambda f: f.__name__)
def test_effects_on_an_array_in_another_layout_are_those_of_a_plain_call(program, mode):
    assert outcome(MODES[mode](program), 2) == outcome(program, 2)


def written_on_one_path(x, n):
    y = x * x
    print("run")
    if n > 3:
        x[0] = 1.0
    return np.sum(y) + x[0]


def written_in_some_iterations(x, n):
    s = 0.0
    for i in range(3):
        s += x[i] ** 2
        if s < n:
            x[i] *= 2.0
    return s


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [written_on_one_path, written_in_some_iterations], ids=lambda f: f.__name__)
def test_a_read_only_argument_is_refused_where_it_is_written(program, mode, step, capsys):
    x = np.array([1.0, 2.0, 4.0, 8.0, 3.0, 0.0])[: 3 * step : step]
    expected = MODES[mode](program)(x.copy(), 0)
    x.flags.writeable = False
    np.testing.assert_equal(MODES[mode](program)(x, 0), expected)
    capsys.readouterr()
    with pytest.raises(ValueError, match="read-only"):
        program(x, 30)
    printed = capsys.readouterr()
    with pytest.raises(ValueError, match="read-only"):
        MODES[mode](program)(x, 30)
    assert capsys.readouterr() == printed

"""Arrays whose memory cannot be told apart before the run are refused where they are used, never guessed."""

import re

import numpy as np
import pytest

import pullback as pb


def rebound_by_some_rounds(m, n):
    row = m[0]
    for _ in range(n):
        if row[0] > 0.0:
            row = row * 0.5
        m[0, 1] += row[2]
    return np.sum(row)


def chosen_by_a_branch(x, y, a):
    z = x if a > 0.0 else y
    z[0] = a
    return np.sum(x * y)


def argument_among_swapped_buffers(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        v[1:] = u[:-1]
        u, v = v, u
    return np.sum(u)


def written_behind_a_choice(x, y, a):
    z = x if a > 0.0 else y
    x[0] = a
    return np.sum(z)


def another_array_after_some_rounds(x, n):
    out, w = x * 1.0, x * 2.0
    for _ in range(n):
        w = out
    out[0] = 5.0
    return np.sum(w)


def bound_in_the_loop_alone(x, n):
    out = x * 1.0
    for _ in range(n):
        w = out
    out[0] = 5.0
    return np.sum(w)


def another_array_in_the_next_round(x, n):
    out, w, t = x * 1.0, x * 2.0, 0.0
    for _ in range(n):
        out[0] += 1.0
        t += w[0]
        w = out
    return t


def bound_by_the_round_before(x, n):
    out, t = x * 1.0, 0.0
    for k in range(n):
        out[0] += 1.0
        if k > 0:
            t += w[0]  # noqa: F821  (bound by the round before)
        w = out  # noqa: F841
    return t


def another_array_in_an_inner_loop(x, n):
    out, w = x * 1.0, x * 2.0
    for _ in range(n):
        for _ in range(2):
            w = out
        out[0] = out[0] + w[1]
    return np.sum(w)


def view_written_after_its_loop(x, n):
    rows = np.zeros((n, 4))
    for k in range(n):
        row = rows[k]
        row[:] = x * k
    row[0] = 9.0
    return np.sum(rows)


def chosen_by_a_branch_in_a_branch(b, k):
    g = b * 2.0
    if k == 1:
        g = b[::-1] * b
    elif k != 1:
        g = b
    g[:2] = g[2:4]
    return np.sum(g) + np.sum(b)


CASES = [
    (chosen_by_a_branch_in_a_branch, (np.ones(5), 2), "is one of several arrays", "g[:2] = g[2:4]"),
    (another_array_after_some_rounds, (np.ones(4), 3), "'w' may or may not share", "np.sum(w)"),
    (bound_in_the_loop_alone, (np.ones(4), 3), "'w' may or may not share", "np.sum(w)"),
    (another_array_in_the_next_round, (np.ones(4), 3), "'w' may or may not share", "t += w[0]"),
    (bound_by_the_round_before, (np.ones(4), 3), "'w' may or may not share", "t += w[0]"),
    (another_array_in_an_inner_loop, (np.ones(4), 3), "'w' may or may not share", "for _ in range(n)"),
    (view_written_after_its_loop, (np.ones(4), 3), "'rows' may or may not share", "np.sum(rows)"),
    (rebound_by_some_rounds, (np.ones((2, 3)), 2), "may or may not share", "for _ in range(n)"),
    (chosen_by_a_branch, (np.ones(3), np.ones(3), 0.5), "is one of several arrays", "z[0] = a"),
    (argument_among_swapped_buffers, (np.ones(3), 2), "is bound anew in this loop", "v[1:] = u[:-1]"),
    (written_behind_a_choice, (np.ones(3), np.ones(3), 0.5), "may or may not share", "np.sum(z)"),
]


@pytest.mark.parametrize(("function", "arguments", "reason", "line"), CASES, ids=lambda v: getattr(v, "__name__", None))
def test_refused_at_the_line_with_a_remedy(function, arguments, reason, line):
    with pytest.raises(pb.LanguageError, match=re.escape(reason)) as caught:
        pb.grad(function)(*arguments)
    assert line in caught.value.text
    assert "copy" in str(caught.value)


@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
def test_the_remedy_helps(jit):
    @pb.differentiable(jit=jit)
    def shifted(u, n):
        u = u.copy()
        v = np.zeros_like(u)
        for _ in range(n):
            v[1:] = u[:-1]
            u, v = v, u
        return np.sum(u * u)

    u = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(pb.grad(shifted)(u, 2), [4.0, 0.0, 0.0])
    np.testing.assert_array_equal(u, [1.0, 2.0, 3.0])

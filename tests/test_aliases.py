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


CASES = [
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

"""Arrays whose memory cannot be told apart before the run are refused where they are used, never guessed."""

import re

import numpy as np
import pytest

import pullback as pb


def rebound_by_some_iterations(m, n):
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


def another_array_after_some_iterations(x, n):
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


def another_array_in_the_next_iteration(x, n):
    out, w, t = x * 1.0, x * 2.0, 0.0
    for _ in range(n):
        out[0] += 1.0
        t += w[0]
        w = out
    return t


def bound_by_the_iteration_before(x, n):
    out, t = x * 1.0, 0.0
    for k in range(n):
        out[0] += 1.0
        if k > 0:
            t += w[0]  # noqa: F821  (bound by the iteration before)
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


def bound_anew_by_a_branch_beside_its_own_name(x, a):
    y = x * 2.0
    z = y
    if a > 0:
        y = y * 3.0
    y[0] = 5.0
    return np.sum(z * y)


def bound_anew_by_a_branch_beside_a_part(x, a):
    y = x * 2.0
    part = y[1:]
    if a > 0:
        y = y * 3.0
    y[1] = 5.0
    return np.sum(part) + np.sum(y)


def bound_anew_by_a_branch_beside_a_list(x, a):
    y = x * 2.0
    both = [y]
    if a > 0:
        y = y * 3.0
    y[0] = 5.0
    return np.sum(both[0] * y)


def bound_anew_by_a_branch_beside_a_default(x, a):
    y = x * 2.0

    def inner(v=y):
        return np.sum(v * v)

    if a > 0:
        y = y * 3.0
    y[0] = 5.0
    return inner()


def kept_by_one_branch(x, a):
    y = x * 2.0
    if a > 0:
        z = y
        y = y * 4.0
    else:
        z = y * 3.0
    y[0] = 5.0
    return np.sum(y * z)


def gone_over_and_bound_anew(x):
    y, t = x * 2.0, 0.0
    for e in y:
        y[2] = 4.0
        t += e * e
        y = y * 1.0
    return t


def bound_anew_in_a_loop_beside_a_default(x):
    y = x * 2.0

    def inner(v=y):
        return np.sum(v * v)

    for _ in range(3):
        y[0] = 5.0
        y = y * 2.0
    return inner() + np.sum(y)


def gone_over_beside_another_and_bound_anew(x):
    y, z, t = x * 2.0, x * 3.0, 0.0
    for e, w in zip(y, z, strict=False):
        z[2] = 4.0
        t += e * w
        z = y * 1.0
    return t


def rows_gone_over_and_bound_anew(x):
    m, t = np.outer(x, x), 0.0
    for _, row in enumerate(m):
        m[2, 0] = 4.0
        t += np.sum(row * row)
        m = m * 1.0
    return t


def list_that_grows_while_gone_over(x):
    items, t = [x[0], x[1]], 0.0
    for e in items:
        t += e * e
        if len(items) < 4:
            items.append(e * 2.0)
    return t


def later_item_changed_while_gone_over(x):
    items, t = [x[0], x[1], x[2]], 0.0
    for i, e in enumerate(items):
        items[2] = e * i
        t += e
    return t


def first_item_changed_from_the_end(x):
    items, t = [x[0], x[1], x[2]], 0.0
    for e in reversed(items):
        items[0] = e * 2.0
        t += e
    return t


def later_entry_changed_while_gone_over(x):
    entries, t = {"a": x[0], "b": x[1]}, 0.0
    for _, e in entries.items():
        entries["b"] = e * 2.0
        t += e
    return t


def long_list_that_grows_while_gone_over(x):
    items, t = [], 0.0
    for i in range(x.shape[0]):
        items.append(x[i])
    for e in items:
        t += e * e
        if t < 2.0:
            items.append(e)
    return t


def chosen_and_written_in_a_loop_that_binds_anew(x, a):
    y, z = x * 2.0, x * 3.0
    chosen = z if a < 1.0 else y
    for _ in range(2):
        z[0] += x[1]
        z = z * 2.0
    return np.sum(chosen) + np.sum(z)


def chosen_and_read_in_the_next_iteration(x, a):
    y, z, t = x * 2.0, x * 3.0, 0.0
    chosen = z if a < 1.0 else y
    for _ in range(2):
        t += np.sum(chosen * chosen)
        z[0] += x[1]
    return t + np.sum(z)


def two_names_of_one_array_after_some_iterations(x, a):
    y, z = x * 2.0, x * 3.0
    for _ in range(2):
        if a < 1.0:
            y = z.copy()
            z = y
        else:
            y = y[::-1]
    z[-1] = 0.5
    return np.sum(y * z)


def reshaped_in_an_inner_loop(x):
    y, z = x * 2.0, x * 3.0
    for _ in range(2):
        z = z[:]
        for _ in range(2):
            y = np.ravel(z)
    z[0] += 1.0
    return np.sum(y * z)


CASES = [
    (chosen_by_a_branch_in_a_branch, (np.ones(5), 2), "is one of several arrays", "g[:2] = g[2:4]"),
    (another_array_after_some_iterations, (np.ones(4), 3), "'w' may or may not share", "np.sum(w)"),
    (bound_in_the_loop_alone, (np.ones(4), 3), "'w' may or may not share", "np.sum(w)"),
    (another_array_in_the_next_iteration, (np.ones(4), 3), "'w' may or may not share", "t += w[0]"),
    (bound_by_the_iteration_before, (np.ones(4), 3), "'w' may or may not share", "t += w[0]"),
    (another_array_in_an_inner_loop, (np.ones(4), 3), "'w' may or may not share", "for _ in range(n)"),
    (view_written_after_its_loop, (np.ones(4), 3), "'rows' may or may not share", "np.sum(rows)"),
    (rebound_by_some_iterations, (np.ones((2, 3)), 2), "may or may not share", "for _ in range(n)"),
    (chosen_by_a_branch, (np.ones(3), np.ones(3), 0.5), "is one of several arrays", "z[0] = a"),
    (argument_among_swapped_buffers, (np.ones(3), 2), "is bound anew in this loop", "v[1:] = u[:-1]"),
    (written_behind_a_choice, (np.ones(3), np.ones(3), 0.5), "may or may not share", "np.sum(z)"),
    (bound_anew_by_a_branch_beside_its_own_name, (np.ones(3), 1.0), "is one of several arrays", "y[0] = 5.0"),
    (bound_anew_by_a_branch_beside_a_part, (np.ones(3), 1.0), "is one of several arrays", "y[1] = 5.0"),
    (bound_anew_by_a_branch_beside_a_list, (np.ones(3), 1.0), "is one of several arrays", "y[0] = 5.0"),
    (bound_anew_by_a_branch_beside_a_default, (np.ones(3), 1.0), "is one of several arrays", "y[0] = 5.0"),
    (kept_by_one_branch, (np.ones(3), 1.0), "'z' may or may not share", "np.sum(y * z)"),
    (bound_anew_in_a_loop_beside_a_default, (np.ones(3),), "is bound anew in this loop", "y[0] = 5.0"),
    (chosen_and_written_in_a_loop_that_binds_anew, (np.ones(3), 0.5), "may or may not share", "np.sum(chosen)"),
    (chosen_and_read_in_the_next_iteration, (np.ones(3), 0.5), "may or may not share", "np.sum(chosen * chosen)"),
    (two_names_of_one_array_after_some_iterations, (np.ones(3), 0.5), "may be one of several arrays", "z[-1] = 0.5"),
    (reshaped_in_an_inner_loop, (np.ones(3),), "may be one of several arrays", "z[0] += 1.0"),
    (gone_over_and_bound_anew, (np.ones(3),), "is bound anew in this loop", "y[2] = 4.0"),
    (gone_over_beside_another_and_bound_anew, (np.ones(3),), "is bound anew in this loop", "z[2] = 4.0"),
    (rows_gone_over_and_bound_anew, (np.ones(3),), "is bound anew in this loop", "m[2, 0] = 4.0"),
    (list_that_grows_while_gone_over, (np.ones(3),), "'items' changes while", "for e in items"),
    (later_item_changed_while_gone_over, (np.ones(3),), "'items' changes while", "enumerate(items)"),
    (first_item_changed_from_the_end, (np.ones(3),), "'items' changes while", "reversed(items)"),
    (later_entry_changed_while_gone_over, (np.ones(3),), "changes while a loop goes over it", "entries.items()"),
    (long_list_that_grows_while_gone_over, (np.ones(3),), "'items' changes while", "for e in items"),
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

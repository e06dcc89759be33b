"""Lists of arrays whose length the run decides: the arrays in them are those that others may write.

NumPy sees a write to an array in all lists that hold it. In a list that is kept in a buffer it would not be seen.
"""

import numpy as np
import pytest

import pullback as pb

X = np.array([0.7, 0.3, 1.4, 1.1, 0.5, 0.9, 2.0])


def filled(x, a, n):
    held = []
    for i in range(n):
        held.append(a)
        held.append(x * i)
    return held


def begun_with_it(x, n):
    a = x.copy()
    held = [a]
    for i in range(n):
        held.append(x * i)
    a[0] = 5.0
    return np.sum(held[0])


def begun_with_it_and_written_by_iterations(x, n):
    a = x.copy()
    held = [a]
    s = 0.0
    for i in range(n):
        held.append(x * i)
        a[i] = 5.0 * x[i]
        s += np.sum(held[0])
    return s


def replaced_by_an_iteration(x, n):
    a = x.copy()
    held = [a, a * 2]
    s = 0.0
    for i in range(n):
        if i == 1:
            held = [x]
        else:
            a[i] = 5.0 * x[i]
        s += np.sum(held[0])
    return s


def of_other_lengths(x, n):
    a = x.copy()
    held = [a, a]
    for i in range(n - 3):
        held = [x * i]
    a[0] = 5.0 * x[1]
    return np.sum(held[0])


def appended_in_a_branch(x, n):
    a = x.copy()
    held = [a]
    if x[0] > 0:
        held.append(x * 2)
    a[0] = 3.0
    return np.sum(held[0])


def one_of_two_lists(x, n):
    a = x.copy()
    held, others = [a for _ in range(n)], [x for _ in range(n)]
    if x[0] > 0.2:
        a[0] = 5.0
        chosen = held
    else:
        chosen = others
    return np.sum(chosen[0])


def item_read_before(x, n):
    a = x.copy()
    held = filled(x, a, n)
    row = held[0]
    a[0] = 5.0
    return np.sum(row)


def copied(x, n):
    a = x.copy()
    others = filled(x, a, n).copy()
    a[0] = 5.0
    return np.sum(others[0])


def listed(x, n):
    a = x.copy()
    others = list(filled(x, a, n))
    a[0] = 5.0
    return np.sum(others[0])


def sliced(x, n):
    a = x.copy()
    others = filled(x, a, n)[:2]
    a[0] = 5.0
    return np.sum(others[0])


def taken(x, n):
    a = x.copy()
    held = filled(x, a, n)
    last = held.pop()
    row = held.pop()
    a[0] = 5.0
    return np.sum(row) + np.sum(last)


def in_a_dict(x, n):
    a = x.copy()
    entries = {"row": filled(x, a, n)[0]}
    a[0] += 5.0
    return np.sum(entries["row"])


def list_in_a_list(x, n):
    inner = [x[0], x[1]]
    held = [inner]
    for i in range(n):
        held.append([x[i], x[i]])
    inner[0] = 5.0 * x[2]
    return sum(held[0])


def list_that_an_iteration_changes(x, n):
    inner = [x[0], x[1]]
    held = [inner, inner]
    for i in range(n):
        if i == 5:
            held.append([x[i], x[i]])
        inner[1] = inner[0] * x[i]
    return sum(held[0])


def filtered(x, n):
    a = x.copy()
    others = [row for row in filled(x, a, n) if row[0] > 0.1]
    a[1] = 3.0 * x[0]
    return np.sum(others[0])


def appended_to_another(x, n):
    a = x.copy()
    others = []
    for row in filled(x, a, n):
        others.append(row)
    a[1] = 3.0 * x[0]
    return np.sum(others[0])


@pytest.mark.parametrize(
    "function",
    [
        begun_with_it,
        begun_with_it_and_written_by_iterations,
        replaced_by_an_iteration,
        of_other_lengths,
        appended_in_a_branch,
        one_of_two_lists,
        item_read_before,
        copied,
        listed,
        sliced,
        taken,
        in_a_dict,
        list_in_a_list,
        list_that_an_iteration_changes,
        filtered,
        appended_to_another,
    ],
)
def test_a_write_that_a_list_would_not_see_is_refused(function):
    with pytest.raises(pb.LanguageError, match=r"may or may not share the memory|may be, or hold, the same"):
        pb.grad(function)(X, 3)


def states_in_a_list(x, n):
    h = np.zeros(2)
    states = [h]
    for i in range(n):
        h = np.tanh(h + x[i])
        states.append(h)
        h = states[-1] * 2
    last = states[-1].copy()
    last[0] = 0.0
    return np.sum(np.stack(states)) + np.sum(last)


def copies_in_a_list(x, n):
    h = np.zeros(2)
    states = [h.copy()]
    for i in range(n):
        h += x[i]
        states.append(h.copy())
    return np.sum(np.stack(states)) + np.sum(h)


def rows_changed_before_they_are_held(x, n):
    held = []
    for i in range(n):
        row = x * i
        row[0] = 2.0
        held.append(row)
        row = row * 2
        row[1] = 3.0
    return np.sum(held[1]) + np.sum(row)


@pytest.mark.parametrize("function", [states_in_a_list, copies_in_a_list, rows_changed_before_they_are_held])
def test_writes_to_other_arrays_are_not(function):
    value, slope = pb.value_and_grad(function)(X, 3)
    assert value == pytest.approx(function(X, 3), rel=1e-13)
    pb.check_grads(lambda x: function(x, 3), (X,))
    assert slope.shape == X.shape

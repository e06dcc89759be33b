"""Lists of lists and tuples whose length is a matter of the run, and arrays that are in lists and are written."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import pullback as pb
from differences import check_by_vector

Pair = namedtuple("Pair", ["u", "v"])
X = np.array([0.5, 1.5, 0.7])


def products_of_all(x):
    return np.sum(np.array([[a * b for b in x] for a in x]) ** 3)


def pairs_as_rows(x):
    return np.sum(np.array([[a, a * a] for a in x]) ** 2)


def pairs_unpacked(x):
    pairs = [(a, a * a) for a in x]
    s = 0.0
    for p, q in pairs:
        s += p * q
    return s + pairs[1][0] * pairs[-1][1]


def rows_in_a_loop(x):
    l = []
    for i in range(x.shape[0]):
        l.append([x[i], 2 * x[i]])
    return np.sum(np.array(l) @ np.array([1.0, 2.0])) + l[0][1] ** 2 + len(l[0])


def tuples_in_a_loop(x):
    l = []
    for a in x:
        l.append((a, a**2))
    u, v = l[1]
    q = l[0] + l[1]
    return u * v + q[0] * q[3] + len(q)


def rows_of_some(x):
    l = [[x[0], x[1]]]
    for a in x:
        if a > 0.6:
            l.append([a, a * a])
    t = 0.0
    for r in l:
        for c in r:
            t += c**2
    return t


def three_deep(x):
    return np.sum(np.array([[[a * b * c for c in x] for b in x] for a in x]))


def named_tuples(x):
    l = [Pair(a, a * 2) for a in x]
    return sum([p.u * p.v for p in l])


def listed_zip(x):
    s = 0.0
    for v, w in list(zip(x, x[::-1], strict=False)):
        s += v * w * v
    for k, (v, w) in enumerate(list(zip(x, x**2, strict=False))):
        s += k * v * w
    return s


def rows_of_arrays(x):
    return np.sum(np.array([[np.sin(a) * x, x] for a in x]))


def row_by_row(x):
    rows = []
    for a in x:
        row = []
        for b in x:
            row.append(a * b)
        rows.append(row)
    return np.sum(np.array(rows) ** 2) + rows[1][2] * rows[0][0]


def row_that_grows_later(x):
    rows = []
    for a in x:
        row = []
        for b in x:
            row.append(a * b)
        rows.append(row)
        row.append(1.0)  # visible through rows
    return np.sum(np.array(rows))


def tuples_of_two_dtypes(x):
    l = [(i, x[i]) for i in range(x.shape[0])]
    s = 0.0
    for i, v in l:
        s += i * v
    return s


def largest_tuple(x):
    l = [(a, 1.0) for a in x]
    return max(l)[0]


def row_that_is_written(x):
    l = [[a, 1.0] for a in x]
    l[0][1] = x[2]
    return np.sum(np.array(l))


def tuple_for_a_list(x):
    l = [[a, 1.0] for a in x]
    l[0] = (x[1], x[2])
    return l[0][0]


def a_row_twice(x):
    l = [[a, 1.0] for a in x]
    r = l[0] * 2
    return r[2] + len(r)


def popped_row(x):
    l = [[a, 2.0] for a in x]
    m = l[0] + [x[1]]
    l.append([3.0, x[1]])
    z = l.pop()
    return m[2] * m[0] + z[1] + sum(l[1])


def one_row_again(x):
    row = [0.0, 0.0]
    rows = []
    for a in x:
        row[0] = a
        rows.append(row)
    return np.sum(np.array(rows))


def one_row_written_later(x):
    rows = []
    row = [x[0], x[1]]
    for _a in x:
        rows.append(row)
    row[0] = x[2] * x[2]
    return np.sum(np.array(rows))


def array_written_later(x):
    rows = []
    row = x * 1.0
    for _a in x:
        rows.append((row, row * 2))
    row[0] = x[2] * x[2]
    return np.sum(rows[0][0]) + np.sum(rows[1][1])


def the_same_array_again(x):
    rows = [(x, x * 2) for a in x]
    s = 0.0
    for u, v in rows:
        s += np.sum(u * v)
    return s


def one_of_two_tuples(x):
    l = []
    for a in x:
        if a > 0.6:
            l.append((a, a * a))
        else:
            l.append((a * 3, a))
    return l[-1][0] * l[0][1]


def no_rows(x):
    l = []
    for a in x[:0]:
        l.append((a, a * a))
    return np.sum(np.array(l)) + len(l) + x[0]


def from_the_last(x):
    l = [(0.0, 0.0)]
    for a in x:
        l.append((l[-1][0] + a, l[-1][1] * a + 1.0))
    return l[-1][0] * l[-1][1]


def a_number_of_each_kind(x):
    l = [(x[0], 1)]
    for a in x:
        l.append((a, 2))
    return l[-1][0]


def a_stack_of_tuples(x):
    stack = [(x[0], x[1])]
    s = 0.0
    while stack:
        u, v = stack.pop()
        s += u * v
        if s < 2.0:
            stack.append((u + 1.0, v))
    return s


def tuples_from_before(x):
    best = (0.0, 0.0)
    l = []
    for a in x:
        l.append(best)
        best = (a, best[0])
    return l[2][1] * 3 + l[2][0] ** 2


def rows_written_behind(x):
    D = np.array([[np.sum((a - b) ** 2) for b in x] for a in x])
    for i in range(3):
        for j in range(3):
            r = [D[i, j]]
            if i > 0:
                r.append(D[i - 1, j])
            D[i, j] = D[i, j] + min(r)
    return D[2, 2]


def an_array_written_in_few_iterations(x):
    y = x.copy()
    ys = []
    for _i in range(3):
        y -= 0.1 * y**2
        ys.append(y)
    return np.sum(np.array(ys) ** 2)


def a_slice_written_in_few_iterations(x):
    y = x.copy()
    ys = []
    for i in range(3):
        ys.append(y[:2])
        y[i] *= 2.0
    return np.sum(np.array(ys) ** 2)


def an_array_written_in_each_iteration(x):
    y = x.copy()
    ys = []
    for _i in range(x.shape[0]):
        y -= 0.1 * y**2
        ys.append(y)
    return np.sum(np.array(ys) ** 2)


def an_array_bound_anew(x):
    y = x.copy()
    ys = []
    for _i in range(3):
        y = y - 0.1 * y**2
        ys.append(y)
    return np.sum(np.array(ys) ** 2)


def copies(x):
    y = x.copy()
    ys = []
    for _i in range(3):
        y -= 0.1 * y**2
        ys.append(y.copy())
    return np.sum(np.array(ys) ** 2)


def an_array_of_a_list_written(x):
    y = x.copy()
    ys = [y]
    for _i in range(3):
        y -= 0.1 * y**2
    return np.sum(np.array(ys) ** 2)


def written_in_a_while_loop(x):
    y = x.copy()
    ys = [y.copy()]
    n = 3
    while n > 0:
        y[0] = y[1] * n
        ys.append(y)
        n -= 1
    return np.sum(np.array(ys) ** 2)


def a_slice_written_later(x):
    y = x.copy()
    ys = []
    for i in range(x.shape[0]):
        ys.append(y[:2])
        y[i] = 0.0
    return np.sum(np.array(ys) ** 2)


def numbers_of_an_array(x):
    y = x.copy()
    ys = []
    for i in range(3):
        y[i] = y[i - 1] ** 2
        ys.append(y[i])
    return np.sum(np.array(ys) ** 2)


RIGHT: list[Any] = [
    an_array_written_in_few_iterations,
    a_slice_written_in_few_iterations,
    products_of_all,
    pairs_as_rows,
    pairs_unpacked,
    rows_in_a_loop,
    tuples_in_a_loop,
    rows_of_some,
    three_deep,
    named_tuples,
    listed_zip,
    rows_of_arrays,
    row_by_row,
    a_row_twice,
    popped_row,
    the_same_array_again,
    one_of_two_tuples,
    no_rows,
    from_the_last,
    a_stack_of_tuples,
    tuples_from_before,
    rows_written_behind,
    an_array_bound_anew,
    copies,
    an_array_of_a_list_written,
    numbers_of_an_array,
]
REFUSED: list[Any] = [
    (row_that_grows_later, "may be, or hold, the same as 'row'"),
    (tuples_of_two_dtypes, "numbers of different dtypes"),
    (largest_tuple, "tuples are compared for order"),
    (row_that_is_written, "cannot be changed"),
    (tuple_for_a_list, "holds different things"),
    (one_row_again, "may be, or hold, the same as 'row'"),
    (one_row_written_later, "may be, or hold, the same as 'rows'"),
    (array_written_later, "may or may not share"),
    (a_number_of_each_kind, "different dtypes"),
    (an_array_written_in_each_iteration, "may or may not share"),
    (written_in_a_while_loop, "may or may not share"),
    (a_slice_written_later, "may or may not share"),
]


def check(function: Any, jit: bool) -> None:
    check_by_vector(function, X, jit, rtol=1e-14)


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_lists_of_rows_are_followed(function: Any) -> None:
    check(function, jit=False)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("function", [f for f in RIGHT if f is not rows_of_arrays], ids=lambda f: f.__name__)
def test_lists_of_rows_are_compiled(function: Any) -> None:
    check(function, jit=True)


@pytest.mark.parametrize(("function", "reason"), REFUSED, ids=lambda f: getattr(f, "__name__", ""))
def test_what_shares_memory_or_has_no_common_form_is_refused(function: Any, reason: str) -> None:
    with pytest.raises(pb.LanguageError, match=reason):
        pb.grad(pb.differentiable(function, jit=False))(X)


def test_second_derivatives_of_rows() -> None:
    function: Any = pb.differentiable(pairs_as_rows, jit=False)
    np.testing.assert_allclose(pb.hessian(function)(X), np.diag(2 + 12 * X**2))

"""Arrays whose memory cannot be told apart before the run are refused where they are used, never guessed."""

import re

import numpy as np
import pytest

import pullback as pb


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


def each_may_be_a_part_of_the_other(x, n):
    u, v = x * 2.0, x * 3.0
    for i in range(n):
        u[0] += v[1]
        if i % 2 == 0:
            v = v * 0.7
            u = v[::-1]
        else:
            u = u * 0.3
            v = u
    return np.sum(u * v)


def parts_of_parts(x, n):
    y = x * 2.0
    z = y
    for i in range(n):
        y[0] += i
        y = y[1:]
    return np.sum(y) + np.sum(z)


def ravelled_twice_in_a_branch(x, c):
    y = x * 0.5
    z = np.sin(x)
    if c > 0:
        z = z * x[0]
        y = y[::-1]
    else:
        z = np.ravel(y)
    elements = np.ravel(z)
    y *= y[1]
    return np.sum(elements)


def flipped_in_a_loop_and_bound_in_a_branch(x, c):
    y = x
    z = y
    for _ in range(2):
        z = z[::-1]
    if c < 1:
        z = y
    y[1] *= 0.58
    return np.sum(z)


TABLE = np.array([1.0, 2.0, 3.0, 4.0])


def table_in_one_branch(x, c):
    z = x * 2.0 if c > 0 else TABLE
    z[0] = 2.0
    return np.sum(x * z)


def table_after_an_iteration(x):
    z = x * 2.0
    for _ in range(3):
        z[0] = 2.0
        z = TABLE
    return np.sum(z * x)


def single_precision_in_one_branch(x, c):
    y = x
    if c > 0:
        y = x.astype(np.float32)
    y[0] = 3.0
    return np.sum(y * x)


def turned_array_in_c_order_written(x):
    y = np.ascontiguousarray(x.T)
    y[0, 1] = 5.0 * x[1, 1]
    return np.sum(x * x) + np.sum(y)


def turned_array_asked_for_in_c_order(x):
    y = np.asarray(x.T, order="C")
    x[0, 1] = 5.0 * x[1, 1]
    return np.sum(x * x) + np.sum(y)


def some_columns_in_c_order_written(x):
    z = x * 2.0
    y = np.ascontiguousarray(z[:, ::2])
    y[0, 0] = 9.0
    return np.sum(z * z) + np.sum(y)


def zeros_that_lie_as_a_turned_array(x):
    z = np.zeros_like(x.T)
    elements = np.ravel(z)
    elements[1] = x[0, 0]
    return np.sum(z) + x[1, 1]


def elements_as_they_lie(x):
    return x.ravel(order="K")[1] ** 2


def copied_elements_as_they_lie(x):
    return x.flatten(order="K")[1] ** 2


def diagonal_by_subscripts_written(x):
    z = x * 2.0
    d = np.einsum("ii->i", z)
    d[:] = 1.0
    return np.sum(z * z)


def diagonal_by_subscripts_read_behind_a_write(x):
    z = x * 2.0
    d = np.einsum("ii->i", z)
    z[0, 0] = 1.0
    return np.sum(d * d)


def windows_read_behind_a_write(x):
    z = x * 2.0
    windows = np.lib.stride_tricks.sliding_window_view(z, 2, axis=0)
    z[0, 0] = 1.0
    return np.sum(windows * windows)


def windows_written(x):
    windows = np.lib.stride_tricks.sliding_window_view(x, 2, axis=0, writeable=True)
    windows[0, 0] = 9.0
    return np.sum(x * x)


def imaginary_part_of_a_real_array_written(x):
    x.imag[...] = 2.0
    return np.sum(x * x)


def integers_or_floats_written(x, counts):
    for _ in range(x.shape[0]):
        counts[0] = 2
        counts = x
    return np.sum(counts)


def integers_read_as_floats_behind_a_write(x, counts):
    mixed = x * 2.0
    for _ in range(3):
        mixed = counts
    counts[1] += 1
    return np.sum(mixed)


M = np.array([[1.0, 2.0], [3.0, 4.0]])
CASES = [
    (diagonal_by_subscripts_written, (M,), "may or may not share", "d[:] = 1.0"),
    (diagonal_by_subscripts_read_behind_a_write, (M,), "may or may not share", "np.sum(d * d)"),
    (windows_read_behind_a_write, (M,), "may or may not share", "np.sum(windows"),
    (imaginary_part_of_a_real_array_written, (M,), "is read-only", "x.imag[...] = 2.0"),
    (turned_array_in_c_order_written, (M,), "may or may not share", "y[0, 1] = 5.0"),
    (turned_array_asked_for_in_c_order, (M,), "may or may not share", "np.sum(y)"),
    (some_columns_in_c_order_written, (M,), "may or may not share", "y[0, 0] = 9.0"),
    (zeros_that_lie_as_a_turned_array, (M,), "may or may not share", "elements[1] = x[0, 0]"),
    (flipped_in_a_loop_and_bound_in_a_branch, (np.ones(3), 1.5), "may or may not share", "np.sum(z)"),
    (ravelled_twice_in_a_branch, (np.ones(3), -0.5), "may or may not share", "np.sum(elements)"),
    (table_in_one_branch, (np.ones(4), 1.0), "'TABLE' comes from outside", "z[0] = 2.0"),
    (table_after_an_iteration, (np.ones(4),), "'TABLE' comes from outside", "z[0] = 2.0"),
    (single_precision_in_one_branch, (np.ones(4), 1.0), "'y' is an array of float32 or of float64 here", "y[0] = 3.0"),
    (each_may_be_a_part_of_the_other, (np.ones(4), 3), "may be one of several arrays in this loop", "u[0] += v[1]"),
    (parts_of_parts, (np.ones(4), 3), "may be one of several arrays in this loop", "y[0] += i"),
    (two_names_of_one_array_after_some_iterations, (np.ones(3), 0.5), "may be one of several arrays", "z[-1] = 0.5"),
    (integers_or_floats_written, (np.ones(3), np.arange(3)), "elements of several types in this loop", "counts[0] = 2"),
    (
        integers_read_as_floats_behind_a_write,
        (np.ones(3), np.arange(3)),
        "'mixed' may or may not share the memory of 'counts'",
        "np.sum(mixed)",
    ),
    (reshaped_in_an_inner_loop, (np.ones(3),), "may or may not share", "np.sum(y * z)"),
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


def test_windows_that_are_written_are_refused():
    with pytest.raises(pb.LanguageError, match="windows that are written"):
        pb.grad(windows_written)(M)


@pytest.mark.parametrize("function", [elements_as_they_lie, copied_elements_as_they_lie])
def test_the_order_of_elements_in_memory_is_refused(function):
    with pytest.raises(pb.LanguageError, match="order that depends on the layout"):
        pb.grad(function)(np.asfortranarray(M))


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


TABLE_OUTSIDE = np.arange(5.0)


def writes_beside_a_table(x):
    x[0] = x[1] * 10.0
    return np.sum(TABLE_OUTSIDE * x)


@pytest.mark.parametrize("jit", [False, True])
def test_argument_that_is_a_table_outside_is_refused_with_tangents_too(jit: bool) -> None:
    function = pb.differentiable(jit=jit)(writes_beside_a_table)
    for call in (
        lambda: function(TABLE_OUTSIDE),
        lambda: pb.jvp(function, (TABLE_OUTSIDE,), (np.ones(5),)),
        lambda: pb.hvp(function)(TABLE_OUTSIDE, np.ones(5)),
    ):
        with pytest.raises(pb.AliasError, match="'x' is written and shares memory with 'TABLE_OUTSIDE'"):
            call()

"""Indices: a compiled access outside of its array is an IndexError wherever a plain call has one, and only there."""

import re

import numpy as np
import pytest

import pullback as pb


def beside_the_first(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * w[i]
    return total


def from_the_end(x, w):
    total = 0.0
    for i in range(w.shape[0]):
        total += x[-i - 1] * w[i]
    return total


def neighbours(x, w):
    total = 0.0
    for i in range(1, x.shape[0]):
        total += x[i - 1] * x[i] * w[i]
    return total


def before_the_end(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        if i + 1 < x.shape[0]:
            total += x[i] * x[i + 1]
    return total + w[0]


def until_a_break(x, w):
    total = 0.0
    for i in range(100):
        if i >= w.shape[0]:
            break
        total += w[i] * x[0]
    return total


def through_indices(x, w):
    total = 0.0
    idx = np.array([0, 2, 1, 2])
    for i in range(idx.shape[0]):
        total += x[idx[i]] * w[0]
    return total


def triangle(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            total += x[i] * w[j]
    return total


def while_loop(x, w):
    total = 0.0
    i = 0
    while w[i] < 0.0:
        total += x[i] * w[i]
        i += 1
    return total + x[0]


def no_iterations(x, w):
    total = x[0]
    for _ in range(w.shape[0] - 3):
        total += x[17]
    return total


def rows_of_a_part(x, w):
    m = np.outer(x, w)
    part = m[1:]
    total = 0.0
    for i in range(w.shape[0]):
        total += part[0, i] * part[i, 0]
    return total


def two_together(x, w):
    total = 0.0
    for i in range(w.shape[0]):
        for j in range(x.shape[0] - i):
            total += x[i + j] * x[i - j - 1] * w[i]
    return total


def in_one_branch(x, w):
    total = w[0]
    for i in range(w.shape[0]):
        for j in range(x.shape[0]):
            k = i - j
            if k >= 0:
                total += x[k] ** 2
            if k < w.shape[0]:
                total += w[k]
    return total


def indices_in_every_iteration(x, w):
    total = 0.0
    near = np.array([3, 0, -2, 3, 1])
    for i in range(w.shape[0] - 1):
        for k in range(near.shape[0]):
            total += x[near[k]] * w[i]
    return total


def indices_that_change(x, w):
    total = 0.0
    near = np.array([0, 1, 0])
    for i in range(w.shape[0]):
        for k in range(near.shape[0]):
            total += x[near[k]] * w[i]
        near[i % 3] = i + 1
    return total


def indices_in_a_branch(x, w):
    total = 0.0
    near = np.array([[0, 1], [3, 2]])
    for i in range(w.shape[0]):
        if w[i] < 0.5:
            for k in range(2):
                total += x[near[k, 0]] * w[i]
        for k in range(i):
            total += x[near[0, k]] * w[i]
    return total


def rows_by_indices(x, w):
    total = w[0]
    p = np.outer(x, x)
    near = np.array([2, 0, 3])
    for i in range(w.shape[0]):
        for k in range(near.shape[0]):
            for j in range(p.shape[1] - 1):
                total += p[near[k], j] * w[i]
            if total > 9.0:
                break
    return total


FUNCTIONS = [
    indices_in_every_iteration,
    indices_that_change,
    indices_in_a_branch,
    rows_by_indices,
    beside_the_first,
    from_the_end,
    neighbours,
    before_the_end,
    until_a_break,
    through_indices,
    triangle,
    while_loop,
    no_iterations,
    rows_of_a_part,
    two_together,
    in_one_branch,
]
X = np.array([0.5, -1.2, 2.0, 0.3])
ARGUMENTS = {
    "equal": (X, np.array([-0.1, -0.3, 0.7, 0.2])),
    "shorter": (X, np.array([-0.1, 0.4, 0.7])),
    "much shorter": (X[:2], np.array([-0.1])),
    "longer": (X[:3], np.array([-0.1, -0.2, -0.3, -0.4, -0.5])),
    "empty": (np.zeros(0), np.zeros(0)),
}


@pytest.mark.drawn(24)
@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_an_index_error_comes_where_python_has_one(function, arguments):
    expected = None
    try:
        expected = function(*arguments)
    except IndexError:
        with pytest.raises(IndexError):
            pb.value_and_grad(function, argnums=(0, 1))(*arguments)
        with pytest.raises(IndexError):
            pb.differentiable(function)(*arguments)
    else:
        value, gradients = pb.value_and_grad(function, argnums=(0, 1))(*arguments)
        slow = pb.grad(pb.differentiable(jit=False)(function), argnums=(0, 1))(*arguments)
        assert value == pytest.approx(expected, rel=1e-12)
        for a, b in zip(gradients, slow, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def checks_of(function):
    text = pb.inspect_source(function, *ARGUMENTS["equal"])
    return re.findall(r"^ *(check_\w+\(.*\))$", text, re.MULTILINE)


def test_what_is_surely_inside_is_not_checked():
    assert checks_of(before_the_end) == ["check_index(0, w.shape[0])"]


def test_a_loop_is_checked_once_before_it_starts():
    assert checks_of(neighbours) == ["check_span(1, x_size_minus_one, w.shape[0], x_size_minus_one)"]


def test_an_index_from_an_array_is_checked_where_it_is_used():
    assert "check_index(idx_i, x.shape[0])" in checks_of(through_indices)


def test_indices_that_a_loop_does_not_change_are_checked_before_it():
    text = pb.inspect_source(indices_in_every_iteration, *ARGUMENTS["equal"])
    checks = [line for line in text.splitlines() if "check_elements(near" in line]
    assert len(checks) == 1
    assert checks[0].startswith("    check_elements(")


def test_the_user_may_do_without():
    unchecked = pb.differentiable(boundscheck=False)(neighbours)
    assert checks_of(unchecked) == []


def test_an_index_that_is_never_negative_is_unsigned():
    text = pb.inspect_source(two_together, *ARGUMENTS["equal"])
    sums = dict(re.findall(r"^ *(\w+) = (i [-+] j.*)$", text, re.MULTILINE))
    assert set(sums.values()) == {"i + j", "i - j - 1"}
    for name, term in sums.items():
        assert (f"[np.uint64({name})]" in text) == (term == "i + j") != (f"[{name}]" in text)


def test_an_index_that_is_negative_at_one_of_its_accesses_is_signed():
    assert "uint64" not in pb.inspect_source(in_one_branch, *ARGUMENTS["equal"])

"""Which arrays of a compiled function may share memory, and what LLVM is told of it."""

import numba
import numpy as np
import pytest

from pullback.runtime.codegen import alias_scopes
from pullback.runtime.codegen.compiler import Compiler


@pytest.fixture
def families(monkeypatch):
    """The families of the variables of a function that is compiled for some arguments."""
    found = {}
    pre_lower = alias_scopes.ScopingLower.pre_lower

    def noting(lower):
        pre_lower(lower)
        found[lower.func_ir.func_id.func_name] = lower._families

    monkeypatch.setattr(alias_scopes.ScopingLower, "pre_lower", noting)

    def of(function, *arguments):
        compiled = numba.njit(pipeline_class=Compiler)(function)
        expected = function(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments))
        np.testing.assert_array_equal(compiled(*arguments), expected)
        of.text = next(iter(compiled.inspect_llvm().values()))
        return found[function.__name__]

    return of


X = np.arange(6.0)


def made(x):
    y = np.empty(6)
    z = np.zeros_like(x)
    c = x.copy()
    for i in range(6):
        y[i] = x[i] + c[i]
        z[i] = y[i]
    return z


def test_arrays_that_are_made_are_apart(families):
    found = families(made, X)
    names = [found.of(name) for name in "xyzc"]
    assert names[0] is None
    assert len({*names}) == 4
    assert "!noalias" in families.text


def views(x):
    y = np.zeros((2, 6))
    row = y[1]
    turned = y.T
    flat = y.reshape(12)
    for i in range(6):
        row[i] = x[i]
        turned[i, 0] = row[i] + flat[6 + i]
    return y


def test_parts_and_views_are_in_the_family_of_the_whole(families):
    found = families(views, X)
    assert len({found.of(name) for name in ("y", "row", "turned", "flat")} - {None}) == 1


def swapped(x, steps):
    now, after = x.copy(), np.empty(6)
    for _ in range(steps):
        for i in range(6):
            after[i] = 2 * now[i] + now[i - 1]
        now, after = after, now
    return now


def test_buffers_that_are_swapped_are_one_family(families):
    found = families(swapped, X, 3)
    assert len({found.of(name) for name in found.parents if name.startswith(("now", "after"))} - {None}) == 1


def chosen(x, flag):
    y, z = np.zeros(6), np.ones(6)
    w = y if flag > 0 else z
    for i in range(6):
        w[i] = y[i] + z[i] + x[i]
    return w


@pytest.mark.parametrize("flag", [0, 1])
def test_what_a_branch_chooses_is_in_the_family_of_both(families, flag):
    found = families(chosen, X, flag)
    assert found.of("w") == found.of("y") == found.of("z") is not None


def contiguous(x):
    y = np.ascontiguousarray(x)
    z = np.zeros(6)
    for i in range(6):
        y[i] = x[i] + 1
        z[i] = x[i]
    return z


def test_what_a_function_returns_may_be_its_argument(families):
    assert families(contiguous, X.copy()).of("y") is None


def in_list(x):
    y, z = np.zeros(6), np.zeros(6)
    items = [y, y]
    w = items[1]
    for i in range(6):
        w[i] = x[i]
        z[i] = y[i]
    return z


def appended(x):
    y, z, v = np.zeros(6), np.zeros(6), np.zeros(6)
    items = [z]
    items.append(y)
    w = items[1]
    for i in range(6):
        w[i] = x[i]
        v[i] = y[i] + z[i]
    return v


@pytest.mark.parametrize("function", [in_list, appended])
def test_what_is_taken_from_a_list_is_in_the_family_of_its_items(families, function):
    found = families(function, X)
    assert found.of("y") == found.of("w")
    assert found.of("v" if function is appended else "z") not in (None, found.of("y"))


def in_tuple(x, k):
    y, z = np.zeros(6), np.zeros(6)
    pair = (y, z)
    w = pair[k]
    for i in range(6):
        w[i] = x[i]
        z[i] += y[i]
    return z


@pytest.mark.parametrize("k", [0, 1])
def test_what_is_taken_from_a_tuple_is_in_the_family_of_its_items(families, k):
    found = families(in_tuple, X, k)
    assert found.of("w") == found.of("y") == found.of("z") is not None


@numba.njit
def kept(x):
    return x


def of_another(x):
    y = np.zeros(6)
    w = kept(y)
    for i in range(6):
        w[i] = x[i] + y[i - 1]
    return y


def test_what_another_function_returns_may_be_anything(families):
    found = families(of_another, X)
    assert found.of("y") is found.of("w") is None


def places(x, k):
    """Elements of k are read by the same statements that write elements of y."""
    y = np.zeros(6)
    y[k] = x
    y[:3] = y[3:] + y[k][:3]
    return y


def test_statements_about_more_than_an_element_are_not_marked(families):
    families(places, X, np.array([5, 3, 1, 0, 2, 4]))


def test_arguments_are_apart_where_a_function_says_so(families):
    @alias_scopes.apart("y")
    def filled(x, y, z):
        row = y[1]
        for i in range(6):
            row[i] = x[i]
        return z

    found = families(filled, X, np.zeros((2, 6)), np.ones(6))
    assert found.of("y") == found.of("row") is not None
    assert found.of("x") is None
    assert found.of("z") is None

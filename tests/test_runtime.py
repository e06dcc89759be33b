"""The runtime helpers: compiled, as NumPy bodies, and plain NumPy agree in value, dtype and shape."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import special

from pullback.runtime import helpers as rt
from pullback.runtime.numpy.items import put_item

OPTIONS = {
    "error_model": "numpy",
    "boundscheck": True,
    "nogil": True,
    "fastmath": {"contract", "nsz", "arcp", "afn"},
}
# One warning would be Numba's NumbaPerformanceWarning about `@` on arrays that are not contiguous.
pytestmark = pytest.mark.filterwarnings("error")


def read_only(a: Any) -> Any:
    a = a.copy()
    a.flags.writeable = False
    return a


def strided(a: Any) -> Any:
    larger = np.zeros(tuple(2 * n for n in a.shape), a.dtype)
    view = larger[tuple(slice(None, None, 2) for _ in a.shape)]
    view[...] = a
    return view


LAYOUTS = {
    "c": np.copy,
    "fortran_float32": lambda a: np.asfortranarray(a.astype(np.float32)),
    "strided": strided,
    "read_only": read_only,
}


def same(wanted: Any, got: Any, label: Any = "") -> None:
    if isinstance(wanted, tuple):
        assert len(wanted) == len(got), label
        for k, (w, g) in enumerate(zip(wanted, got, strict=True)):
            same(w, g, (label, k))
        return
    assert np.shape(wanted) == np.shape(got), label
    if isinstance(wanted, np.ndarray) and isinstance(got, np.ndarray):
        assert wanted.dtype == got.dtype, label
    is_single = np.asarray(wanted).dtype == np.float32
    np.testing.assert_allclose(got, wanted, rtol=2e-6 if is_single else 1e-12, atol=1e-6 if is_single else 1e-13)


def agree(f: Any, *arguments: Any) -> None:
    """The compiled `f` and `f` as it is return the same or raise the same error."""
    with np.errstate(all="ignore"):
        try:
            wanted = f(*arguments)
        except (ArithmeticError, IndexError, ValueError) as error:
            with pytest.raises(type(error)):
                njit(**OPTIONS)(f)(*arguments)
            return
    same(wanted, njit(**OPTIONS)(f)(*arguments))


X = np.arange(6.0).reshape(2, 3) / 3 - 0.7
X3 = np.random.default_rng(0).normal(size=(2, 3, 4))


# Shapes


def sums_to_shapes(a):
    return (
        rt.sum_to(a, (3,)), rt.sum_to(a, (1, 3)), rt.sum_to(a, (2, 1)), rt.sum_to(a, ()), rt.sum_to(a, (1, 1)),
        rt.sum_to(a, (2, 3)), rt.sum_to(a, (1,)), rt.sum_to(2.5, ()),
    )  # fmt: skip


def broadcasts(a):
    return (
        rt.broadcast_along(a, (2, 3, 4), 2, False), rt.broadcast_along(a, (2, 4, 3), axis=1),
        rt.broadcast_along(a, (4, 2, 5, 3), (0, 2)), rt.broadcast_along(rt.expand_dims(a, 0), (4, 2, 3), 0, True),
        rt.broadcast_along(1.5, (2, 3)), rt.broadcast_along(a[0, 0], a.shape, None, False),
        rt.broadcast_to(a, (2, 2, 3)), rt.broadcast_to(1, (2,)), rt.full_like_shape(a[0, 0], a.shape),
    )  # fmt: skip


def reshapes(a):
    return (
        rt.reshape(a, (3, -1)), rt.reshape(a, 6), rt.reshape(a, -1), rt.ravel(a), rt.expand_dims(a, 1),
        rt.expand_dims(a, (0, -1)), rt.squeeze(rt.expand_dims(a, 1), 1),
        rt.squeeze(rt.expand_dims(a, (0, -1)), (0, -1)), rt.transpose(a), rt.transpose(a, (1, 0)),
        rt.swapaxes(a, 0, -1), rt.moveaxis(a, 0, 1), rt.mT(a), rt.mT(a[0]), rt.flip(a), rt.flip(a, 0),
        rt.flip(a, (0, 1)), rt.tile(a, 2), rt.tile(a, (2, 1, 3)), rt.tile(a[0], (2, 0)), rt.tile(a[0, 0], (2, 3)),
        rt.diagonal(a), rt.diagonal(a, 1), rt.diagonal(a, -2), rt.diagonal(a, 9),
        rt.vdot(a, a), rt.vdot(a.T, a[:, ::-1].T),
    )  # fmt: skip


def joins_and_parts(a):
    return (
        rt.concatenate((a, a.T.copy().T, a.astype(np.float64)), 0), rt.concatenate((a, a[:, :2]), -1),
        rt.stack((a, a.T.copy().T), -1), rt.stack((1.0, np.float32(2)), 0), rt.stack((2, 3, 4)),
        rt.slice_along(a, 1, 0, 2), rt.slice_along(a, 0, 1, 2), rt.take_along(a, 1, -1), rt.take_along(a[0], 0, 1),
        rt.tril(a), rt.triu(a, 1), rt.repeat(a, 2), rt.repeat(a, 3, 0), rt.repeat(a, 2, -1),
    )  # fmt: skip


@pytest.mark.drawn(3)
@pytest.mark.parametrize(
    ("f", "layout"),
    [
        (sums_to_shapes, "fortran_float32"),
        (sums_to_shapes, "strided"),
        (broadcasts, "fortran_float32"),
        (reshapes, "fortran_float32"),
        (reshapes, "strided"),
        (joins_and_parts, "fortran_float32"),
    ],
)
def test_shape_helpers_agree(f, layout):
    agree(f, LAYOUTS[layout](X))


def shapes_of_rank_three(a):
    return (
        rt.transpose(a, (1, 2, 0)), rt.mT(a), rt.moveaxis(a, (0, 1), (1, 2)), rt.sum_to(a, (3, 1)),
        rt.sum_to(a, (2, 1, 4)), rt.take_along(a, 1, 2), rt.slice_along(a, 2, 1, 3), rt.concatenate((a, a), 1),
        rt.stack((a, a), 2), rt.tril(a, -1), rt.flip(a, 1), rt.squeeze(a[:, :, :1], 2),
    )  # fmt: skip


def test_shape_helpers_agree_at_rank_three():
    agree(shapes_of_rank_three, LAYOUTS["c"](X3))


def test_read_only_arrays_are_accepted():
    agree(
        lambda a: (
            rt.sum_to(a, (3,)),
            rt.mT(a),
            rt.sum_over(a, 0),
            rt.matmul(a, rt.mT(a)),
            rt.sign(a),
            rt.gather(a, 1),
        ),
        read_only(X),
    )


def test_zero_dimensional_arrays_are_accepted():
    agree(lambda a: (rt.sum_to(a, ()), rt.reshape(a, (1,)), rt.broadcast_to(a, (2, 2)), rt.sum_over(a)), np.array(3.0))


@pytest.mark.parametrize(
    "f",
    [
        lambda a: rt.reshape(a, (4, 2)),
        lambda a: rt.sum_to(a, (2,)),
        lambda a: rt.squeeze(a, 0),
        lambda a: rt.take_along(a, 0, 5),
        lambda a: rt.concatenate((a, a[:, :2]), 0),
        lambda a: rt.matmul(a, a),
    ],
)
def test_wrong_shapes_raise_as_in_numpy(f):
    with pytest.raises((ValueError, IndexError)):
        f(X)
    agree(f, X)


# Reductions


def sums(a):
    return (
        rt.sum_over(a), rt.sum_over(a, 0), rt.sum_over(a, -1, True), rt.sum_over(a, (0, 2)),
        rt.sum_over(a, (0, 2), True), rt.sum_over(a, axis=(0, 1)), rt.sum_over(a, None, True), rt.mean_over(a, 1),
        rt.mean_over(a), rt.prod_over(a, 2), rt.max_over(a, 1), rt.max_over(a), rt.min_over(a, (0, 2)),
        rt.any_over(a, 0), rt.all_over(a), rt.all_over(a, -1, keepdims=True),
    )  # fmt: skip


def moments_and_scans(a):
    return (
        rt.var_over(a, 1), rt.std_over(a, None, 1), rt.var_over(a, (0, 2), 1, True),
        rt.std_over(a, axis=0, keepdims=True), rt.argmax_over(a), rt.argmin_over(a, 1), rt.argmax_over(a, -1),
        rt.cumsum_along(a, 1), rt.cumsum_along(a), rt.cumprod_along(a, -1),
    )  # fmt: skip


def with_nan(a):
    a = a.copy()
    a[0, 1, 2] = np.nan
    return a


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "a",
    [LAYOUTS["fortran_float32"](with_nan(X3)), np.arange(24, dtype=np.int32).reshape(2, 3, 4)],
    ids=["fortran_float32_with_nan", "int32"],
)
@pytest.mark.parametrize("f", [sums, moments_and_scans], ids=lambda f: f.__name__)
def test_reductions_agree(f, a):
    agree(f, a)


def test_reductions_of_bools_and_empty_arrays_agree():
    agree(lambda a: (rt.sum_over(a), rt.sum_over(a, 0), rt.max_over(a, 1), rt.mean_over(a, 0)), X3 > 0)
    agree(lambda a: (rt.sum_over(a), rt.sum_over(a, 0), rt.prod_over(a, 1), rt.any_over(a)), np.zeros((0, 3)))
    agree(lambda a: rt.max_over(a, 1), np.zeros((0, 3)))
    agree(lambda a: rt.max_over(a), np.zeros((0, 3)))


def test_reductions_are_plain_numpy_uncompiled():
    same(np.sum(X3, (0, 2), keepdims=True), rt.sum_over(X3, (0, 2), True))
    same(np.var(X3, 1, ddof=1), rt.var_over(X3, 1, 1))
    same(X3.sum(axis=(0, 2), keepdims=True)[0], rt.sum_to(X3, (3, 1)))
    same(np.broadcast_to(X3.sum(axis=1)[:, None, :], X3.shape), rt.broadcast_along(X3.sum(axis=1), X3.shape, 1))


# Linear algebra


def products(a, b):
    return (
        rt.matmul(a, b), rt.matmul(a[0], b), rt.matmul(a, b[:, 0]), rt.matmul(a[0], b[:, 0]), rt.dot(a, b),
        rt.outer(a, b), rt.inner(a, b.T), rt.inner(a, b[:, 0]), rt.dot(a, 2.0), rt.matmul(a, rt.mT(a)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (strided(X).astype(np.float32), strided(X.T).astype(np.float32)[:, ::2]),
        (np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)),
    ],
    ids=["float32", "int"],
)
def test_products_agree(a, b):
    agree(products, a, b)


def stacked_products(a, b):
    return (
        rt.matmul(a, b), rt.matmul(a[0], b), rt.matmul(a[0, 0], b), rt.matmul(a, b[0, :, 0]), rt.matmul(a[:1], b),
        rt.dot(a, b), rt.inner(a, rt.mT(b)),
    )  # fmt: skip


def test_stacked_products_agree():
    agree(stacked_products, X3, X3.transpose(0, 2, 1))


def test_products_of_mixed_dtypes_agree():
    agree(lambda a, b: (rt.matmul(a, b), rt.outer(a, b)), strided(X), X.T.astype(np.float32))


def test_products_over_nothing_are_zero():
    agree(lambda a, b: rt.matmul(a, b), np.zeros((2, 0)), np.zeros((0, 3)))
    agree(lambda a, b: rt.matmul(a, b), np.zeros((3, 2, 0)), np.zeros((0, 3)))


# Elementwise


def functions_of_one(a):
    return (
        rt.erf(a), rt.erfc(a), rt.gamma(a), rt.lgamma(a), rt.digamma(a), rt.sigmoid(a), rt.sinc(a), rt.cbrt(a),
        rt.exp2(a), rt.sign(a), rt.deg2rad(a), rt.rad2deg(a), rt.trunc(a), rt.rint(a), rt.cast(a, "float32"),
        rt.cast(a, "int64"), rt.cast(a, "bool"), rt.clip(a, 0, 1), rt.clip(a, None, 1), rt.clip(a, -1, None),
    )  # fmt: skip


def functions_of_two(a, b):
    return (
        rt.maximum(a, b), rt.minimum(a, b), rt.fmax(a, b), rt.fmin(a, b), rt.hypot(a, b), rt.logaddexp(a, b),
        rt.logaddexp2(a, b), rt.copysign(a, b), rt.heaviside(a, b), rt.floor_divide(a, b), rt.remainder(a, b),
        rt.power(a, b), rt.masked_product(a, b), rt.isclose(a, b), rt.where(a > b, a, b), rt.where(a > b, a, 0),
        rt.maximum(a, 0), rt.power(a, 2),
    )  # fmt: skip


P = np.array([[0.0, 1.5, -2.5], [3, -0.3, 6.5]])
Q = np.array([[2.0, -1.5, 0.0], [np.nan, np.inf, -7]])


@pytest.mark.parametrize("a", [strided(P.astype(np.float32)), 1.5], ids=["float32", "scalar"])
def test_functions_of_one_argument_agree(a):
    agree(functions_of_one, a)


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (P.astype(np.float32), np.asfortranarray(Q.astype(np.float32))),
        (P[:, :1], Q[0].astype(np.float32)),
        (2.5, -1.5),
    ],
    ids=["float32", "broadcast", "scalars"],
)
def test_functions_of_two_arguments_agree(a, b):
    agree(functions_of_two, a, b)


def functions_of_integers(a, b):
    return rt.floor_divide(a, b), rt.remainder(a, b), rt.maximum(a, b), rt.minimum(a, 2), rt.masked_product(a, b)


def test_functions_of_integers_agree():
    agree(functions_of_integers, np.array([7, -7, 5]), np.array([2, 3, -3]))
    agree(functions_of_integers, np.array([7, -7, 5]), np.array([0, 3, 0]))
    agree(functions_of_integers, 7, -2)
    agree(lambda a, b: rt.power(a, b), np.array([7, -7, 5]), np.array([2, 3, 0]))
    agree(lambda a: rt.power(a, -1), 2)


@pytest.mark.parametrize("f", [lambda a, b: rt.floor_divide(a, b), lambda a, b: rt.remainder(a, b)])
def test_integer_division_by_zero_raises(f):
    with pytest.raises(ZeroDivisionError):
        f(7, 0)
    with pytest.raises(ZeroDivisionError):
        njit(**OPTIONS)(f)(7, 0)


def test_division_and_remainder_have_numpys_signs():
    grid = np.array([-np.inf, -5.5, -2, -1, -0.0, 0.0, 0.3, 1, 3, 7.7, np.inf, np.nan])
    a, b = (x.copy() for x in np.meshgrid(grid, grid))
    quotient, rest = njit(lambda a, b: (rt.floor_divide(a, b), rt.remainder(a, b)))(a, b)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(quotient, np.floor_divide(a, b))
        np.testing.assert_array_equal(rest, np.remainder(a, b))
        number = ~np.isnan(rest)
        np.testing.assert_array_equal(np.signbit(rest)[number], np.signbit(np.remainder(a, b))[number])


def test_digamma_is_accurate():
    x = np.concatenate([np.linspace(0.01, 30, 3001), np.linspace(-6.45, -0.05, 640), [1e-8, 1e5, 1.4616]])
    x = x[np.abs(x - np.round(x)) + (x > 0) > 0.01]
    wanted = special.digamma(x)
    error = np.abs(njit(lambda x: rt.digamma(x))(x) - wanted)
    assert np.all(error <= 1e-14 * np.maximum(np.abs(wanted), 1))
    at_limits = njit(lambda x: rt.digamma(x))(np.array([0.0, -0.0, -1.0, np.inf, np.nan]))
    np.testing.assert_array_equal(at_limits, [-np.inf, np.inf, np.nan, np.inf, np.nan])


def test_masked_product_ignores_infinite_partials_where_the_cotangent_is_zero():
    agree(lambda a, b: rt.masked_product(a, b), np.array([0.0, 2.0, 0.0]), np.array([np.inf, 3.0, np.nan]))
    agree(lambda a, b: rt.masked_product(a, b), 0.0, np.array([np.inf, 3.0, np.nan]))


X_BAR = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, np.nan, 0.0]])


@pytest.mark.drawn(2)
@pytest.mark.parametrize("cotangent", [X_BAR, X_BAR.T, np.zeros((3, 0)), np.stack((X_BAR, 0 * X_BAR.T)), X_BAR > 0])
@pytest.mark.parametrize("columns", [2, 0])
def test_masked_rows_and_columns_leave_out_what_is_not_finite(cotangent: Any, columns: int) -> None:
    x = np.array([[np.inf, 3.0], [np.nan, 2.0], [-np.inf, 1.0]])[:, :columns]
    turned = cotangent.mT.copy()
    for a in (x, np.asfortranarray(x.astype(np.float32))):
        agree(lambda a, b: rt.masked_rows(a, b), a, cotangent)
        agree(lambda a, b: rt.masked_columns(a, b), a.T, turned)
    used = np.any(turned != 0, axis=-2)[..., None]
    wanted = np.where(used | np.isfinite(x), x, 0)
    same(wanted, rt.masked_rows(x, cotangent))
    same(wanted.mT, rt.masked_columns(x.T, turned))


def recurrences(a, b):
    return (
        rt.recurrence(a, b), rt.masked_recurrence(a, b), rt.recurrence(a[0], b[1]), rt.recurrence(a.T, b.T),
        rt.masked_recurrence(a[:, :0], b[:, :0]), rt.recurrence(a[:0], b[:0]), rt.recurrence(a[:1], b[:1]),
    )  # fmt: skip


@pytest.mark.parametrize("layout", ["fortran_float32", "strided", "read_only"])
def test_recurrences_agree(layout):
    agree(recurrences, LAYOUTS[layout](X), LAYOUTS[layout](1.5 - X))


def test_a_masked_recurrence_keeps_zeros_beside_infinite_coefficients():
    a, b = np.array([np.nan, np.inf, 2.0, np.nan]), np.array([1.0, 0.0, 0.0, 0.0])
    agree(lambda a, b: rt.masked_recurrence(a, b), a, b)
    np.testing.assert_array_equal(rt.masked_recurrence(a, b), b)
    np.testing.assert_array_equal(rt.recurrence(a, b)[:3], [np.nan] * 3)


def grids(a, n):
    return (
        rt.linspace(a[0], a[1], n), rt.linspace(a, 2, n, False), rt.linspace(0, a[:, :1], n), rt.linspace(a, a[0], n),
        rt.linspace(a[0], a[0], n), rt.linspace(a[:, :0], a[0, 0], n),
    )  # fmt: skip


@pytest.mark.parametrize("layout", ["fortran_float32", "strided"])
def test_grids_between_arrays_agree(layout):
    for n in (0, 1, 5):
        agree(grids, LAYOUTS[layout](X), n)


def test_grids_between_arrays_are_numpys_to_the_last_bit():
    a, b = X3[0, :, :1], X3[1]
    np.testing.assert_array_equal(njit(**OPTIONS)(lambda a, b: rt.linspace(a, b, 7))(a, b), np.linspace(a, b, 7))


def test_functions_of_ours_ask_their_arguments_first():
    class Named:
        def __array_function__(self, function, types, arguments, keywords):
            return function, arguments, keywords

    x = Named()
    masked = rt.masked_product, rt.masked_rows, rt.masked_columns, rt.masked_recurrence
    for function in (*masked, rt.recurrence, put_item):
        assert function(1.0, x) == (function, (1.0, x), {})
    np.testing.assert_array_equal(rt.masked_product(np.ones(2).view(np.recarray), 2.0), [2.0, 2.0])


# Counts and buffers


def test_iterations_of_loops_that_grow_or_shrink_are_counted():
    compiled = njit(lambda iterations, first, step: rt.counted(iterations, first, step))
    for iterations, first, step in itertools.product(range(6), range(-7, 8), range(-3, 4)):
        expected = sum(max(first + step * k, 0) for k in range(iterations))
        assert rt.counted(iterations, first, step) == expected
        assert compiled(iterations, first, step) == expected


def test_buffers_grow_and_keep_what_was_pushed():
    def fill(v):
        one = np.empty(0)
        for k in range(40):
            one = rt.push(one, k, v * k)
        many = rt.push_block(np.empty(3), 1, np.ones((8, 5)).T)
        return one[:40], many[1:41], rt.block_of(many, 1, (5, 8)), np.zeros(one.shape), np.zeros(many.shape)

    agree(fill, 2.0)


def kept(dtype, n):
    stack, k, x = rt.growing(dtype), 0, 1.0
    while k < n:
        rt.keep(stack, k, x)
        x = x * 1.1 % 7.0
        k += 1
    return rt.contents(stack, k)


@pytest.mark.drawn(10)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.bool_])
@pytest.mark.parametrize("n", [0, 1, 16, 17, 5000])
def test_stacks_keep_what_they_are_given(dtype, n):
    agree(kept, dtype, n)


def test_places_on_a_stack_may_be_left_out():
    def scattered(n):
        stack = rt.growing(np.float64)
        rt.keep(stack, 0, 1.0)
        rt.keep(stack, n, 2.0)
        rt.keep(stack, 3 * n, 3.0)
        values = rt.contents(stack, 3 * n + 1)
        return values[0], values[n], values[3 * n]

    for n in (1, 15, 16, 33, 1000):
        agree(scattered, n)


def test_the_memory_of_a_stack_is_freed():
    script = """
import numpy as np, numba
from numba.core.runtime import rtsys
from pullback.runtime import helpers as rt

@numba.njit
def fill(n):
    total = 0.0
    for repeat in range(3):
        stack = rt.growing(np.float64)
        for k in range(n):
            rt.keep(stack, k, 1.0)
        total += rt.contents(stack, n).sum()
    return rt.contents(stack, n)

values = fill(1000)
total = values.sum()
del values
stats = rtsys.get_allocation_stats()
print(total, stats.mi_alloc > 0, stats.mi_alloc - stats.mi_free, stats.alloc - stats.free)
"""
    environment = {**os.environ, "NUMBA_NRT_STATS": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["1000.0", "True", "0", "0"]


# Indexing


def all_accesses(x, value, *index):
    y_bar = x.copy()
    taken = rt.gather_and_clear(y_bar, index)
    y = rt.scatter(x.copy(), index, value)
    return rt.gather(x, index), taken, y_bar, y, rt.scatter_add(x.copy(), index, value)


def stores_of_scalars(x, *index):
    w = x.copy().T.copy().T
    return rt.scatter_add(w, index, 1.5).copy(), rt.scatter(w, index, 2)


Z = np.arange(24.0).reshape(2, 3, 4)
I1 = np.array([0, 1, -1, 1])
I2 = np.array([[0, 2], [2, -1]])
ALL = slice(None)


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    "index",
    [
        (I1,),
        (ALL, I2),
        (0, ALL, I1),
        (I1, ALL, I1),
        (I2[:, :1] % 2, I1[:2]),
        (Z % 3 == 0,),
        (ALL, Z[0] > 4),
        (ALL, np.array([True, False, True]), I1[:2]),
        (1, ALL, slice(None, None, -2)),
    ],
    ids=["rows", "inner", "apart", "split", "pair", "mask", "inner_mask", "mask_pair", "steps"],
)
def test_indexing_agrees(index):
    value = np.arange(1.0, 1 + np.size(Z[index])).reshape(np.shape(Z[index]))
    same(Z[index], rt.gather(Z, index))
    agree(all_accesses, Z, value, *index)


def test_scalars_are_stored_in_fortran_order_arrays():
    agree(stores_of_scalars, Z, slice(None), I1)


def test_values_are_broadcast_when_stored():
    agree(all_accesses, Z, np.arange(4.0), I1)


def test_indexing_accepts_ellipsis_new_axes_and_a_bare_array():
    def f(x, i):
        return (
            rt.gather(x, (..., i)), rt.gather(x, (None, i)), rt.gather(x, (i, None, ...)), rt.gather(x, i),
            rt.gather(x, (0, ..., i)),
        )  # fmt: skip

    agree(f, strided(Z), I1 % 2)


def test_last_of_repeated_stores_gets_the_cotangent():
    y_bar = np.array([1.0, 2.0, 3.0])
    index = np.array([1, 0, 1])
    same(np.array([0.0, 1.0, 2.0]), rt.gather_and_clear(y_bar, (index,)))
    same(np.array([0.0, 0.0, 3.0]), y_bar)


def test_indices_out_of_bounds_raise():
    agree(lambda x, i: rt.gather(x, i), Z, np.array([0, 2]))
    agree(lambda x, i: rt.scatter_add(x, i, 1.0), Z.copy(), np.array([0, -3]))
    agree(lambda x: rt.gather(x, (0, 3)), Z)
    agree(lambda x, m: rt.gather(x, (m,)), Z, np.ones(3, bool))


# Numba


def test_scalar_results_have_numpys_dtype():
    def check(f, a):
        compiled = njit(**OPTIONS)(f)
        compiled(a)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return str(compiled.nopython_signatures[0].return_type), str(f(a).dtype)

    single = X.astype(np.float32)
    for f in (
        lambda a: rt.sum_over(a),
        lambda a: rt.mean_over(a),
        lambda a: rt.std_over(a),
        lambda a: rt.max_over(a),
        lambda a: rt.sum_to(a, ()),
        lambda a: rt.sigmoid(a[0, 0]),
        lambda a: rt.where(a[0, 0] > 0, a[0, 0], 0),
        lambda a: rt.matmul(a[0], a[1]),
        lambda a: rt.gather(a, (0, 1)),
    ):
        assert check(f, single) == ("float32", "float32")


PROGRAM = """
import numpy as np
from numba import njit
from pullback.runtime import helpers as rt

@njit(cache=True, error_model="numpy", boundscheck=True, nogil=True)
def f(a, i):
    y = rt.sum_over(a, 0) + rt.gather(rt.ravel(rt.matmul(a, rt.mT(a))), (i,))
    return rt.sum_to(rt.maximum(rt.erf(y), rt.where(y > 0, y, 0)), ()) + rt.stack((1.0, rt.digamma(2.0)))[1]

value = f(np.ones((3, 3)), np.array([0, 1, 1]))
print(value, sum(f.stats.cache_hits.values()))
"""


def test_callers_are_cached_on_disk(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    runs = [subprocess.run([sys.executable, program], capture_output=True, text=True, check=True) for _ in range(2)]
    (first, hits), (second, later_hits) = (run.stdout.split() for run in runs)
    assert (first, hits, later_hits) == (second, "0", "1")
    assert not runs[0].stderr


def test_every_exported_name_is_documented():
    for name in rt.__all__:
        assert getattr(rt, name).__doc__, name

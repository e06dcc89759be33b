"""Products, inverses, determinants and solutions of matrices in compiled code agree with NumPy's at every size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from pullback.runtime import helpers as rt
from pullback.runtime.blas.matrices import blas_product_into
from pullback.runtime.blas.products_into import large_vector_product_into

SIZES = range(10)
LARGE = 70  # where BLAS and LAPACK serve
product = njit(lambda a, b: rt.matrix_product(a, b))
outer = njit(lambda a, b: rt.vector_outer(a, b))
inverse = njit(lambda a: rt.inverse_of(a))
determinant = njit(lambda a: rt.determinant_of(a))
solution = njit(lambda a, b: rt.solution_of(a, b))
mixed_solution = njit(lambda a, b: rt.solution_of_mixed(a, b))


def strided(a: Any) -> Any:
    larger = np.full(tuple(2 * n for n in a.shape), np.nan, a.dtype)
    view = larger[tuple(slice(None, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def fortran(a: Any) -> Any:
    return np.ascontiguousarray(a.T).T


LAYOUTS = {"C": np.ascontiguousarray, "F": fortran, "A": strided}
DTYPES = {np.float64: 1e-12, np.float32: 1e-5}


def close(got: Any, wanted: Any, dtype: Any, factor: float = 1.0) -> None:
    assert np.shape(got) == np.shape(wanted)
    if isinstance(got, np.ndarray):
        assert got.dtype == wanted.dtype
        assert got.flags.c_contiguous
    scale = np.max(np.abs(wanted), initial=1.0)
    np.testing.assert_allclose(got, wanted, rtol=factor * DTYPES[dtype], atol=factor * DTYPES[dtype] * scale)


def shapes() -> list[tuple[int, int, int]]:
    """Each pair of sizes occurs, and each size beside small ones."""
    pairs = [(m, n, (m + n) % 4) for m in SIZES for n in SIZES]
    return pairs + [(m, k, n) for m, n, k in pairs] + [(k, m, n) for m, n, k in pairs] + [(LARGE, LARGE + 1, LARGE + 2)]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_product_is_numpys_at_every_shape(left, right, dtype):
    random = np.random.default_rng(0)
    for m, k, n in shapes():
        a = LAYOUTS[left](random.normal(size=(m, k)).astype(dtype))
        b = LAYOUTS[right](random.normal(size=(k, n)).astype(dtype))
        with np.errstate(invalid="ignore"):  # OpenBLAS may set the flag for numbers beside those of a matrix
            close(product(a, b), a @ b, dtype)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_product_with_a_vector_is_numpys_at_every_shape(layout, dtype):
    random = np.random.default_rng(0)
    for m in (*SIZES, LARGE):
        for k in (*SIZES, LARGE + 1):
            a = LAYOUTS[layout](random.normal(size=(m, k)).astype(dtype))
            for vector in (np.copy, strided):
                x, y = (vector(random.normal(size=n).astype(dtype)) for n in (k, m))
                close(product(a, x), a @ x, dtype)
                close(product(y, a), y @ a, dtype)
                close(outer(x, y), np.outer(x, y), dtype)
                close(product(x, x), x @ x, dtype)


@pytest.mark.parametrize("n", [3, LARGE])
def test_product_keeps_nan_and_infinity(n):
    a, b = np.ones((n, n)), np.ones((n, n))
    a[0, 1], a[1, 0], b[0, 2] = np.nan, np.inf, -np.inf
    a[2, 0] = 0
    with np.errstate(invalid="ignore"):
        for left in LAYOUTS.values():
            for right in LAYOUTS.values():
                np.testing.assert_array_equal(product(left(a), right(b)), a @ b)
            np.testing.assert_array_equal(product(left(a), b[0]), a @ b[0])
            np.testing.assert_array_equal(product(b[0], left(a)), b[0] @ a)


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("a", "b"), [((2, 3), (2, 3)), ((2, 3), (2,)), ((2,), (3, 2)), ((2,), (3,)), ((0, 1), (0, 1))])
def test_shapes_that_do_not_fit_are_refused(a, b):
    for left in LAYOUTS.values():
        with pytest.raises(ValueError, match="matmul"):
            product(left(np.ones(a)), np.ones(b))
        with pytest.raises(ValueError, match="matmul"):
            product(np.ones(a), left(np.ones(b)))


ORDERS = [("C", np.float64), ("C", np.float32), ("F", np.float64), ("A", np.float64)]


def systems(layout, dtype):
    random = np.random.default_rng(1)
    for n in (*range(15), LARGE):
        yield LAYOUTS[layout](random.normal(size=(n, n)).astype(dtype) + n * np.eye(n, dtype=dtype)[::-1])


@pytest.mark.drawn(1)
@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize(("layout", "dtype"), ORDERS)
def test_systems_are_solved_as_by_numpy(layout, dtype, rank):
    random = np.random.default_rng(2)
    for a in systems(layout, dtype):
        n = a.shape[0]
        for shape in ((n, 0), (n, 1), (n, 2)) if rank == 2 else ((n,),):
            b = random.normal(size=shape).astype(dtype)
            close(solution(a, b), np.linalg.solve(a, b), dtype, 10)


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("layout", "dtype"), ORDERS)
def test_inverses_and_determinants_are_numpys(layout, dtype):
    for a in systems(layout, dtype):
        close(inverse(a), np.linalg.inv(a), dtype, 10)
        if a.shape[0] < LARGE:  # float32 would overflow
            close(determinant(a), np.linalg.det(a), dtype, 10)
    a = np.random.default_rng(2).normal(size=(LARGE, LARGE)).astype(dtype) / 5
    close(determinant(a), np.linalg.det(a), dtype, 1000)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize(
    ("left", "right"), [("complex128", "float64"), ("float32", "complex64"), ("float32", "float64")]
)
def test_solution_of_operands_of_different_dtypes_is_numpys(left, right, rank):
    random = np.random.default_rng(3)
    parts = random.normal(size=(2, 4, 4)), random.normal(size=(2, 4, 3))
    a, b = (real.astype(dtype) + imag.astype(dtype) for (real, imag), dtype in zip(parts, (left, right), strict=True))
    if left.startswith("complex"):
        a = a * np.exp(0.3j)
    columns = strided(b) if rank == 2 else b[:, 0]
    wanted = np.linalg.solve(a, columns)
    got = mixed_solution(fortran(a), columns)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=1e-4 if wanted.dtype == "complex64" else 1e-11)


def test_operands_stay_as_they_were():
    for n in (2, LARGE):
        a = np.random.default_rng(2).normal(size=(n, n))
        before = a.copy()
        inverse(a), determinant(a), solution(a, a), solution(a, a[0])
        np.testing.assert_array_equal(a, before)


@pytest.mark.parametrize("n", [1, 2, 5, LARGE])
def test_singular_and_oblong_matrices_are_refused(n):
    singular = np.arange(n * n, dtype=np.float64).reshape(n, n) * (np.arange(n) > 0)
    assert determinant(singular) == 0
    for call in (inverse, lambda a: solution(a, np.ones(n))):
        with pytest.raises(np.linalg.LinAlgError):
            call(singular)
        with pytest.raises(np.linalg.LinAlgError):
            call(np.ones((n, n + 1)))
    with pytest.raises(np.linalg.LinAlgError):
        determinant(np.ones((n, n + 1)))
    with pytest.raises(ValueError, match="rows"):
        solution(np.eye(n), np.ones(n + 1))


@pytest.mark.parametrize("n", [2, 3])
def test_nan_in_a_system_is_kept(n):
    a = np.eye(n)
    a[n - 2, n - 1] = np.nan
    with np.errstate(invalid="ignore"):
        assert np.isnan(determinant(a)) == np.isnan(np.linalg.det(a))
        np.testing.assert_array_equal(np.isnan(inverse(a)), np.isnan(np.linalg.inv(a)))


@pytest.mark.parametrize(
    "a", [[[0, 2], [3, 4]], [[1, 2], [-3, 4]], [[-5, 2], [3, 0]], [[0, 1], [-1, 0]], [[1, 1], [1, 1]]]
)
def test_two_rows_take_the_larger_pivot(a):
    a = np.array(a, np.float64)
    close(determinant(a), np.linalg.det(a), np.float64)
    if np.linalg.det(a) != 0:
        close(inverse(a), np.linalg.inv(a), np.float64)


inverting = njit(lambda out, a: rt.inverse_into(out, a))


@pytest.mark.drawn(1)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_inverse_is_written_into_an_array(layout, dtype):
    random = np.random.default_rng(3)
    for n in (*range(5), 13, LARGE):
        a = LAYOUTS[layout](random.normal(size=(n, n)).astype(dtype) + n * np.eye(n, dtype=dtype))
        out = np.full((n, n), np.nan, dtype)
        inverting(out, a)
        close(out, np.linalg.inv(a), dtype, 10)
        for write in (inverting, rt.inverse_into):
            with pytest.raises(ValueError, match="shape"):
                write(np.ones((n + 1, n), dtype), a)


filling = njit(lambda out, a, b, added: rt.product_into(out, a, b, added))
small_filling = njit(lambda out, a, b, added: rt.small_product_into(out, a, b, added))
called_filling = njit(lambda out, a, b, added: rt.called_product_into(out, a, b, added))
copying = njit(lambda out, a: rt.copy_alike(out, a))
adding = njit(lambda out, a: rt.add_alike(out, a))


@pytest.mark.drawn(2)
@pytest.mark.parametrize("fill", [filling, small_filling, called_filling], ids=["any", "small", "called"])
@pytest.mark.parametrize(
    ("left", "right", "dtype"),
    [("C", "F", np.float64), ("A", "C", np.float64), ("F", "A", np.float64), ("C", "C", np.float32)],
)
def test_product_written_into_an_array_is_numpys(left, right, dtype, fill):
    random = np.random.default_rng(0)
    for m, k, n in [(m, k, n) for m in (0, 1, 2, 4, 5) for k in (0, 1, 3, 4) for n in (0, 1, 4, 7)] + [(9, 8, 11)]:
        a, b = (random.normal(size=shape).astype(dtype) for shape in ((m, k), (k, n)))
        pairs = [(a, b), (a, b[:, 0] if n else b.sum(1)), (a[0] if m else a.sum(0), b)]
        for x, y in [*pairs, (a.sum(1), b.sum(0))]:
            x, y = LAYOUTS[left](x), LAYOUTS[right](y)
            wanted = np.outer(x, y) if x.ndim == y.ndim == 1 else x @ y
            out = LAYOUTS[left](np.full(wanted.shape, np.nan, dtype))
            fill(out, x, y, False)
            close(np.ascontiguousarray(out), wanted, dtype)
            fill(out, x, y, True)
            close(np.ascontiguousarray(out), wanted + wanted, dtype)


def columns(a: Any) -> Any:
    larger = np.full((*a.shape[:-1], a.shape[-1] + 3), np.nan, a.dtype)
    view = larger[..., 1:-2]
    view[...] = a
    return view


PARTS = {"C": np.ascontiguousarray, "columns": columns, "rows": lambda a: columns(np.ascontiguousarray(a.T)).T}
OTHERS = {"A": strided, "reversed": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1]}
by_blas = njit(lambda out, a, b, added: blas_product_into(out, a, b, added))
by_rows = njit(lambda out, a, b, added: large_vector_product_into(out, a, b, added))


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    ("left", "right", "dtype"),
    [*((left, right, np.float64) for left in PARTS for right in PARTS), ("rows", "columns", np.float32)],
)
def test_large_products_of_parts_of_arrays_are_numpys(left, right, dtype):
    random = np.random.default_rng(0)
    for m, k, n in [(12, 13, 14), (1, 40, 9), (40, 1, 9), (40, 9, 1), (1, 300, 1), (131, 150, 3), (2, 130, 140)]:
        a, b = (random.normal(size=shape).astype(dtype) for shape in ((m, k), (k, n)))
        for x, y in [(a, b), (a, b[:, 0].copy()), (a[0].copy(), b)]:
            wanted = x @ y
            for place in (left, *OTHERS):
                out = {**PARTS, **OTHERS}[place](random.normal(size=wanted.shape).astype(dtype))
                before = out.copy()
                filling(out, PARTS[left](x), PARTS[right](y), True)
                close(np.ascontiguousarray(out), before + wanted, dtype)
            out = PARTS[left](before)
            write = by_blas if x.ndim == y.ndim else by_rows
            assert write(out, PARTS[left](x), PARTS[right](y), False)
            close(np.ascontiguousarray(out), wanted, dtype)


@pytest.mark.parametrize("part", OTHERS)
def test_large_products_that_blas_does_not_take_are_numpys(part):
    random = np.random.default_rng(0)
    a, b = OTHERS[part](random.normal(size=(12, 13))), OTHERS[part](random.normal(size=(13, 14)))
    out = np.empty((12, 14))
    assert not by_blas(out, a, b, False)
    filling(out, a, b, False)
    close(out, a @ b, np.float64)


@pytest.mark.parametrize("fill", [filling, small_filling])
def test_product_is_not_written_into_an_array_of_another_shape(fill):
    for shapes in [((2, 2), (2, 3), (2, 2)), ((2, 2), (2, 3), (3, 3)), ((3,), (2, 3), (3,)), ((2,), (2,), (3, 2))]:
        with pytest.raises(ValueError, match=r"shape|dimensions"):
            fill(*map(np.ones, shapes), False)
    with pytest.raises(ValueError, match="another shape"):
        fill(np.ones((2, 2)), np.ones(2), np.ones(3), False)


def test_product_written_into_an_array_keeps_nan_and_infinity():
    a, b, out = np.ones((3, 3)), np.ones((3, 3)), np.full((3, 3), np.inf)
    a[0, 1], b[2, 2] = np.nan, np.inf
    filling(out, a, b, False)
    np.testing.assert_array_equal(out, a @ b)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_of_one_shape_are_copied_and_added(layout, dtype):
    for shape in [(0,), (5,), (2, 3), (0, 2), (2, 3, 4)]:
        a = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        out = np.zeros(shape, dtype)
        copying(out, LAYOUTS[layout](a))
        np.testing.assert_array_equal(out, a)
        if len(shape) < 3:
            adding(out, LAYOUTS[layout](a))
            np.testing.assert_array_equal(out, 2 * a)
    with pytest.raises(ValueError, match="another shape"):
        copying(np.zeros(3), np.zeros(1))
    with pytest.raises(ValueError, match="another shape"):
        adding(np.zeros((2, 3)), np.zeros((1, 3)))


@pytest.mark.drawn(3)
@pytest.mark.parametrize("right", PARTS)
@pytest.mark.parametrize("left", PARTS)
def test_narrow_products_are_multiplied_in_parts(left, right):
    random = np.random.default_rng(0)
    for m, k, n in [(2100, 70, 9), (70, 2100, 9), (9, 70, 2100), (1300, 1290, 1)]:
        a, b = (PARTS[part](random.normal(size=shape)) for part, shape in ((left, (m, k)), (right, (k, n))))
        wanted = a @ b
        close(product(a, b), wanted, np.float64, 10)
        for place in PARTS.values():
            out = place(np.full((m, n), 2.0))
            filling(out, a, b, True)
            close(np.ascontiguousarray(out), wanted + 2.0, np.float64, 10)
            filling(out, a, b, False)
            close(np.ascontiguousarray(out), wanted, np.float64, 10)

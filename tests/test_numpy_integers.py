"""NumPy's integers wrap around, shift and divide as in NumPy: compiled or not, alone and in arrays."""

import operator

import numpy as np
import pytest

import pullback as pb

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")


def derivative_of(function, jit=True):
    return pb.value_and_grad(pb.differentiable(jit=jit)(function))


def value_of(function, *arguments, jit=True):
    return derivative_of(function, jit)(*arguments)[0]


def agree(function, *arguments):
    """Both kinds of text give what NumPy gives."""
    agree_each(function, [arguments])


def agree_each(function, calls):
    with np.errstate(all="ignore"):
        for jit in (True, False):
            derivative = derivative_of(function, jit)
            for arguments in calls:
                np.testing.assert_array_equal(derivative(*arguments)[0], function(*arguments), str(jit))


def agree_pairwise(function, a, b):
    """Each pair by itself: large results would hide others in a sum."""
    agree_each(function, [(1.0, a[k : k + 1], b[k : k + 1]) for k in range(a.shape[0])])


def left(x, a, b):
    return x * (a[0] << b[0]) + 1e3 * x * np.sum(a << b)


def right(x, a, b):
    return x * (a[0] >> b[0]) + 1e3 * x * np.sum(a >> b)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_shifts_by_more_than_the_bits_leave_nothing_but_the_sign(dtype):
    bits = np.dtype(dtype).itemsize * 8
    counts = [0, 1, bits - 1, bits, bits + 1, min(2 * bits, 127)]
    counts += [-1, -bits] if dtype in SIGNED else []
    values = np.array([5, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    a, b = np.repeat(values, len(counts)), np.tile(np.array(counts).astype(dtype), 3)
    for function in (left, right):
        agree_pairwise(function, a, b)


def test_shifts_of_two_dtypes_are_in_the_common_one():
    a, b = np.array([5, -5, 100], "int32"), np.array([33, 40, 64])
    for function in (left, right):
        agree_pairwise(function, a, b)
        agree_pairwise(function, b, a)


def test_shifts_by_a_known_count_are_plain():
    def shifted(x, a):
        return x * (a[0] >> 3) + x * (a[1] << 7)

    agree(shifted, 1.0, np.array([100, -7]))
    assert "shift(" not in pb.inspect_source(shifted, 1.0, np.array([100, -7]))

    def beyond(x, a):
        return x * (a[0] << 8) + x * (a[1] >> 9)

    agree(beyond, 1.0, np.array([100, -7], "int8"))


MIXED = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "true_divide": operator.truediv,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "hypot": np.hypot,
    "arctan2": np.arctan2,
}


def compared(a, b):
    return (a < b) + 2.0 * (a == b) + 4.0 * (a <= b) + 8.0 * (a > b) + 16.0 * (a >= b) + 32.0 * (a != b)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", [*MIXED, "compared"])
@pytest.mark.parametrize("other", ["int64", "int8"])
def test_unsigned_integers_of_64_bits_meet_signed_ones_as_floats(name, other):
    operation = MIXED.get(name, compared)

    def elements(x, a, b):
        total = 0.0 * x
        for i in range(a.shape[0]):
            total += x * operation(a[i], b[i]) / (i + 1)
        return total

    def arrays(x, a, b):
        return x * np.sum(operation(a, b) / np.arange(1.0, 5.0))

    a = np.array([2**63 + 5, 7, 2**64 - 1, 9], np.uint64)
    b = np.array([-1, -1, 3, 9], other)
    agree_closely(elements, 1.0, a, b)
    agree_closely(elements, 1.0, b, a)
    agree_closely(arrays, 1.0, a, b)
    agree_closely(arrays, 1.0, b, a)


def agree_closely(function, *arguments):
    with np.errstate(all="ignore"):
        plain = function(*arguments)
        for jit in (True, False):
            np.testing.assert_allclose(value_of(function, *arguments, jit=jit), plain, rtol=1e-14)


def quotients(x, a, b):
    return x * (a[0] // b[0]) + 1e3 * x * np.sum((a // b) % 100)


def remainders(x, a, b):
    return x * (a[0] % b[0]) + 1e3 * x * np.sum(a % b)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_quotients_wrap_around_and_those_by_zero_are_zero(dtype):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    pairs = [(5, 0), (0, 0), (7, 2), (most, 3), (least, 3), (most, most), (least, most)]
    pairs += [(least, -1), (-7, -1), (-7, 2), (7, -2), (-7, 0), (least, least)] if dtype in SIGNED else []
    a, b = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    agree_pairwise(quotients, a, b)
    agree_pairwise(remainders, a, b)


def test_a_number_of_numpy_divides_and_is_divided_without_an_exception():
    def mixed(x, a, n):
        return x * (a[0] // n + 1) + x * (a[0] % n) + x * (n // a[1] + 1) + x * (n % a[1]) + x * (a[0] // 0 + 1)

    agree(mixed, 1.0, np.array([5, 0]), 0)
    agree(mixed, 1.0, np.array([5, 0], "uint8"), 0)

    def both(x, a):
        quotient, rest = divmod(a[0], a[1])
        return x * (quotient + 1) + x * rest

    agree(both, 1.0, np.array([5, 0]))


def test_numbers_of_python_raise_where_they_divide_by_zero():
    def python(x, a, n):
        return x * (int(a[0]) // n)

    for jit in (True, False):
        with pytest.raises(ZeroDivisionError):
            value_of(python, 1.0, np.array([5]), 0, jit=jit)


def with_signs_of_numpy(f):
    a, b = np.array([0.0, -0.0, 0.0, -0.0, 1.0]), np.array([-0.0, 0.0, 0.0, -0.0, np.nan])
    for dtype in ("float32", "float64"):
        agree(f, 1.0, a.astype(dtype), b.astype(dtype))


def test_the_sign_of_a_zero_is_plus_zero():
    def signs(x, a, b):
        total = x * np.sum(np.copysign(9.0, np.sign(a)))
        for i in range(a.shape[0]):
            total = 3 * total + x * np.copysign(1.0, np.sign(a[i]))
        return total

    with_signs_of_numpy(signs)


def test_the_second_of_two_equal_zeros_is_the_larger_and_the_smaller():
    def extremes(x, a, b):
        total = x * np.sum(np.copysign(7.0, np.maximum(a, b)) + np.copysign(9.0, np.minimum(a, 0.0)))
        for i in range(a.shape[0]):
            for v in (np.maximum(a[i], b[i]), np.minimum(a[i], b[i]), np.maximum(a[i], 0.0)):
                total = 3 * total + x * np.copysign(1.0, v)
        return total

    with_signs_of_numpy(extremes)


def test_a_zero_within_its_bounds_keeps_its_sign():
    def clipped(x, a, b):
        total = x * np.sum(np.copysign(7.0, np.clip(a, 0.0, 1.0)) + np.copysign(9.0, np.clip(b, None, 0.0)))
        for i in range(a.shape[0]):
            total = 3 * total + x * np.copysign(1.0, np.clip(a[i], 0.0, 1.0))
        return total

    with_signs_of_numpy(clipped)


def test_inverted_bools_of_python_are_integers():
    def of_comparison(x, flag):
        b = x > 1
        return x * ~b + (5 if ~b else 7) + 10 * x * ~flag

    for x in (0.5, 2.0):
        for flag in (True, False):
            agree(of_comparison, x, flag)


def test_arithmetic_of_two_bools_of_python_is_that_of_integers():
    def of_comparisons(x, flag):
        a, b = x > 1, x > 0
        return x * (a + b) + 3 * x * (a - b) + 5 * x * (a // b) + 7 * x * (a**b) - 9 * x * -a + 11 * x * (a % flag)

    for x in (0.5, 2.0):
        agree(of_comparisons, x, True)


def test_inverted_bools_of_numpy_are_bools():
    def of_elements(x, a):
        b = a[0] > 1
        return x * ~b + (5 if ~b else 7) + x * np.sum(a * ~(a > 1)) + x * np.invert(x > 1) + x * np.add(x > 1, x > 0)

    for first in (0.5, 2.0):
        agree(of_elements, 1.5, np.array([first, 1.0, 3.0]))


SMALL = {
    "bool": np.array([[True, True, False], [True, True, True], [False, False, False]]),
    "uint8": np.array([[200, 100, 7], [255, 255, 1], [128, 128, 250]], "uint8"),
    "int8": np.array([[127, 100, -7], [-128, -128, 1], [64, 64, 64]], "int8"),
    "int32": np.array([[2**31 - 1, 100, 7], [-(2**31), -1, 1], [2**30, 2**30, 2**30]], "int32"),
    "int64": np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
}


def weighted(values):
    """A sum in which each value counts otherwise."""
    return np.sum(values * np.array([1.0, 3.0, 9.0]))


SUMS = {
    "einsum_of_last": lambda x, m: x * weighted(np.einsum("...j->...", m)),
    "einsum_of_all": lambda x, m: x * np.einsum("ij->", m),
    "einsum_of_vector": lambda x, m: x * np.einsum("i->", m[0]),
    "einsum_of_diagonal": lambda x, m: x * np.einsum("ii->", m),
    "einsum_of_sum_and_product": lambda x, m: x * weighted(np.einsum("ij,kj->i", m, m)),
    "einsum_of_products": lambda x, m: x * np.sum(np.einsum("ij,kj->ik", m, m) * np.arange(9.0).reshape(3, 3)),
    "vecdot": lambda x, m: x * weighted(np.vecdot(m, m)),
    "vecdot_of_columns": lambda x, m: x * weighted(np.vecdot(m, m, axis=0)),
    "sum": lambda x, m: x * sum(m[0]) + 1000 * x * sum(m[1]),
    "sum_of_rows": lambda x, m: x * weighted(sum(m)),
    "sum_from_small": lambda x, m: x * sum(m[0], 1),
    "sum_from_numpy": lambda x, m: x * sum(m[0], np.int16(1)),
    "sum_from_float": lambda x, m: x * sum(m[0], 0.5),
    "sum_of_array": lambda x, m: x * weighted(sum(m, np.ones(3))),
    "sum_of_generator": lambda x, m: x * sum(v for v in m[0] if v > 2),
}


@pytest.mark.drawn(16)
@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("name", SUMS)
def test_sums_that_numpy_makes_in_the_dtype_of_their_items(name, dtype):
    agree(SUMS[name], 1.0, SMALL[dtype])

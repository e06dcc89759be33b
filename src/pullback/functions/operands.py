"""What operands helpers take: tests on the types of operands, and on numbers that are known before the run.

An operand has a `type` with a `dtype`, and a `value` where it is known; that of an array has an `ndim`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.constant_powers import is_written_out


def is_known(operand: Any) -> bool:
    """Whether an operand is a number that is known before the run."""
    return hasattr(operand, "value")


def rank_of(operand: Any) -> int:
    """The number of axes; 0 for a number."""
    return getattr(operand.type, "ndim", 0)


def is_array(operand: Any) -> bool:
    """Whether an operand is an array, be it one without axes."""
    return hasattr(operand.type, "ndim")


def is_float(operand: Any) -> bool:
    return bool(operand.type.dtype.startswith("float"))


def needs_division(x1: Any, x2: Any) -> bool:
    """Whether Numba divides otherwise than Python: but for a whole number by one that is known and above 0."""
    is_positive = is_known(x2) and isinstance(x2.value, int) and x2.value > 0
    return not (is_positive and all(x.type.dtype == "int64" and not is_array(x) for x in (x1, x2)))


def are_numbers_of_numpy(x1: Any, x2: Any) -> bool:
    """Whether two integers, or truth values, compute as NumPy's: one of them is no number of Python's own."""
    types = (x1.type, x2.type)
    are_numbers = (
        not is_array(x1) and not is_array(x2) and all(t.dtype.startswith(("int", "uint", "bool")) for t in types)
    )
    return are_numbers and not all(t.weak for t in types)


def needs_numpy_division(x1: Any, x2: Any) -> bool:
    """Whether two integers divide as NumPy's, and that otherwise than Python's do."""
    return needs_division(x1, x2) and are_numbers_of_numpy(x1, x2)


def needs_shift(x1: Any, x2: Any) -> bool:
    """Whether integers of NumPy are shifted, but for a count that is known and below the number of bits."""
    is_plain = is_known(x2) and not is_array(x1) and 0 <= x2.value < 8 * np.dtype(x1.type.dtype).itemsize
    return not is_plain and (is_array(x1) or is_array(x2) or are_numbers_of_numpy(x1, x2))


def needs_complex_division(x1: Any, x2: Any) -> bool:
    """Whether Numba divides otherwise than NumPy: complex numbers by 0, but for Python's own."""
    types = (x1.type, x2.type)
    is_complex = any(t.dtype.startswith("complex") for t in types) and not is_array(x1) and not is_array(x2)
    return is_complex and not all(getattr(t, "weak", False) for t in types)


def needs_power(x1: Any, x2: Any) -> bool:
    """Whether Numba's power is another one: but for floats of 64 bits, or such to an exponent that is known."""
    return not (x1.type.dtype == "float64" and (is_known(x2) or x2.type.dtype == "float64"))


def has_vector_power(x1: Any, x2: Any) -> bool:
    """Whether a power is one of the vector math library: for some exponents that are known, it is written out."""
    return needs_power(x1, x2) or not (is_known(x2) and is_written_out(x2.value))


def are_vectors_or_matrices(x1: Any, x2: Any) -> bool:
    """Whether both are arrays of one or two axes, of floats of one dtype."""
    return _are_floats(x1, x2) and all(rank_of(x) in (1, 2) for x in (x1, x2))


def are_vectors(x1: Any, x2: Any) -> bool:
    """Whether both are vectors of floats of one dtype."""
    return _are_floats(x1, x2) and rank_of(x1) == rank_of(x2) == 1


def are_matrix_and_right_sides(a: Any, b: Any) -> bool:
    """Whether a matrix stands before a vector or matrix, of floats of one dtype."""
    return are_vectors_or_matrices(a, b) and rank_of(a) == 2


def are_mixed_matrix_and_right_sides(a: Any, b: Any) -> bool:
    """Whether a matrix stands before a vector or matrix, of floats or complex numbers of different dtypes."""
    ranks, dtypes = (rank_of(a), rank_of(b)), {a.type.dtype, b.type.dtype}
    return ranks in ((2, 1), (2, 2)) and len(dtypes) == 2 and all(d.startswith(("float", "complex")) for d in dtypes)


def is_matrix(a: Any) -> bool:
    """Whether it is a matrix of floats."""
    return _are_floats(a) and rank_of(a) == 2


def _are_floats(*operands: Any) -> bool:
    return all(is_array(x) and is_float(x) and x.type.dtype == operands[0].type.dtype for x in operands)


def has_two_axes(x: Any) -> bool:
    """Whether an array is a matrix or a stack of matrices."""
    return rank_of(x) > 1


def is_matrix_at(x: Any, offset: Any) -> bool:
    """Whether an array is a matrix, whose diagonal at an offset is asked for."""
    return rank_of(x) == 2


def needs_norm(x: Any, order: Any, axis: Any, keepdims: Any) -> bool:
    """Whether Numba lacks this norm: but for those of a whole vector or matrix of floats.

    The norms of matrices that are singular values Numba has as well, and no helper. Of no elements, it has a least one.
    """
    along = (is_known(axis) and axis.value is not None) or isinstance(axis, tuple) or keepdims.value
    is_frobenius = order.value is None or order.value == "fro"
    of_matrix = isinstance(axis, tuple) or (not along and rank_of(x) > 1)
    if of_matrix and not is_frobenius:
        return False
    return along or rank_of(x) > 2 or not is_float(x) or order.value in ("fro", "-inf")

"""BLAS for products into arrays of any layout: one piece of machine code for each dtype, which looks at the strides.

A matrix is handed over as the address of its first element and two steps, counted in elements: to the next row, and to
the next column. BLAS takes it where one of the steps is 1 and the other as long as a row (or column) at least.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.linalg import check_blas_return, ensure_blas, get_blas_kind, make_constant_slot

from pullback.runtime.blas.vector_products import MOST, rows_times_vector, vector_times_rows
from pullback.runtime.codegen.compiled import kernel

IN_PLACE = 10**6
NARROW = 100
FEWEST = 16
NEAR = 16 * 1024
CHAR, SIZE, POINTER = ir.IntType(8), ir.IntType(64), ir.IntType(8).as_pointer()


@intrinsic
def gemm(
    context: Any, kind: Any, turns: Any, m: Any, n: Any, k: Any, a: Any, lda: Any, b: Any, ldb: Any, added: Any,
    c: Any, ldc: Any,
) -> Any:  # fmt: skip
    """BLAS's gemm, for matrices by columns. kind: a number of the dtype; turns: 1 transposes a, 2 b, 3 both."""
    ensure_blas()

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, turns, m, n, k, a, lda, b, ldb, added, c, ldc = arguments
        dtype = signature.args[0]
        left, right = (_letter(builder, builder.and_(turns, ir.Constant(SIZE, bit))) for bit in (1, 2))
        alpha, beta = _factors(context, builder, dtype, added)
        a, b, c = (builder.inttoptr(at, POINTER) for at in (a, b, c))
        operands = (_kind(dtype), left, right, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        _call(context, builder, "numba_xxgemm", operands)
        return context.get_dummy_value()

    whole = (kind, *[types.intp] * 8, types.boolean, types.intp, types.intp)
    return types.none(*whole), build


@intrinsic
def gemv(context: Any, kind: Any, turned: Any, m: Any, n: Any, a: Any, lda: Any, x: Any, added: Any, y: Any) -> Any:
    """BLAS's gemv, for a matrix by columns and vectors whose elements lie side by side."""
    ensure_blas()

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, turned, m, n, a, lda, x, added, y = arguments
        dtype = signature.args[0]
        alpha, beta = _factors(context, builder, dtype, added)
        a, x, y = (builder.inttoptr(at, POINTER) for at in (a, x, y))
        _call(
            context,
            builder,
            "numba_xxgemv",
            (_kind(dtype), _letter(builder, turned), m, n, alpha, a, lda, x, beta, y),
        )
        return context.get_dummy_value()

    whole = (kind, *[types.intp] * 6, types.boolean, types.intp)
    return types.none(*whole), build


def _letter(builder: Any, turned: Any) -> Any:
    is_turned = builder.icmp_signed("!=", turned, ir.Constant(SIZE, 0))
    return builder.select(is_turned, ir.Constant(CHAR, ord("t")), ir.Constant(CHAR, ord("n")))


def _kind(dtype: Any) -> Any:
    return ir.Constant(CHAR, ord(get_blas_kind(dtype)))


def _factors(context: Any, builder: Any, dtype: Any, added: Any) -> list[Any]:
    """Places of the factors of the product and of what it is added to."""
    one, zero = (make_constant_slot(context, builder, dtype, value) for value in (1.0, 0.0))
    is_added = builder.trunc(added, ir.IntType(1))
    return [builder.bitcast(slot, POINTER) for slot in (one, builder.select(is_added, one, zero))]


def _call(context: Any, builder: Any, function: str, operands: tuple[Any, ...]) -> None:
    kind = ir.FunctionType(ir.IntType(32), [operand.type for operand in operands])
    made = cgutils.get_or_insert_function(builder.module, kind, function)
    check_blas_return(context, builder, builder.call(made, operands))


@intrinsic
def itemsize_of(context: Any, zero: Any) -> Any:
    """The bytes of a number."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(zero)))

    return types.intp(zero), build


@kernel
def steps_of(rows, columns, row_step, column_step):
    """The steps of a matrix; where it has one row or one column, such as BLAS takes."""
    if columns == 1:
        return (1 if rows == 1 else row_step), 1
    if rows == 1:
        return (columns, 1) if column_step == 1 else (1, column_step)
    return row_step, column_step


@kernel
def leading(rows, columns, row_step, column_step):
    """The step from row to row of a matrix by rows, less than 0 for a step from column to column, 0 for neither."""
    if column_step == 1 and row_step >= columns:
        return row_step
    return -column_step if row_step == 1 and column_step >= rows else 0


@kernel
def multiply(zero, out, r, s, a, r1, s1, b, r2, s2, rows, inner, columns, added):
    """out = a b, or out += a b, for matrices with steps r and s; False, and nothing done, where BLAS cannot.

    zero: a number of the dtype.
    """
    r, s = steps_of(rows, columns, r, s)
    r1, s1 = steps_of(rows, inner, r1, s1)
    r2, s2 = steps_of(inner, columns, r2, s2)
    if s != 1:  # outᵀ = bᵀ aᵀ
        r, s, a, r1, s1, b, r2, s2, rows, columns = s, r, b, s2, r2, a, s1, r1, columns, rows
    ld, left, right = leading(rows, columns, r, s), leading(rows, inner, r1, s1), leading(inner, columns, r2, s2)
    if ld <= 0 or left == 0 or right == 0:
        return False
    turns = (right < 0) + 2 * (left < 0)
    left, right, item = abs(left), abs(right), itemsize_of(zero)
    step = block_of(rows, inner, columns)
    if step == 0:
        gemm(zero, turns, columns, rows, inner, b, right, a, left, added, out, ld)
    elif rows >= inner:
        for i in range(0, rows, step):
            part = min(step, rows - i)
            gemm(zero, turns, columns, part, inner, b, right, a + i * r1 * item, left, added, out + i * r * item, ld)
    else:
        for k in range(0, inner, step):
            part, more = min(step, inner - k), added or k > 0
            gemm(zero, turns, columns, rows, part, b + k * r2 * item, right, a + k * s1 * item, left, more, out, ld)
    return True


@kernel
def block_of(rows, inner, columns):
    """How many rows, or columns of the first factor, a product is to take at a time; 0 for all of them.

    OpenBLAS multiplies matrices in place if there are up to a million multiplications, and copies them first if there
    are more, which takes longer than the product if one of them has few columns. Columns are to stay in a near cache.
    """
    if columns > NARROW or rows * inner * columns <= IN_PLACE:
        return 0
    step = IN_PLACE // (min(rows, inner) * columns)
    if rows < inner:
        step = min(step, max(NEAR // rows, FEWEST))
    return step if step >= FEWEST else 0


@kernel
def multiply_vector(zero, size, rows, columns, length, out, step, a, r, s, x, x_step, added):
    """out = a x, or out += a x, for a matrix and a vector; False, and nothing done, where the sizes do not fit or BLAS
    does not take the arrays.

    The steps are counted in bytes. size, length: of `out` and `x`.
    """
    item = itemsize_of(zero)
    if size != rows or length != columns or step != item or x_step != item or (r | s) % item != 0:
        return False
    r, s = steps_of(rows, columns, r // item, s // item)
    ld = leading(rows, columns, r, s)
    if ld == 0:
        return False
    if rows * columns <= MOST:
        if ld > 0:
            rows_times_vector(zero, out, a, ld, x, rows, columns, added)
        else:
            vector_times_rows(zero, out, x, a, -ld, columns, rows, added)
    elif ld > 0:
        gemv(zero, 1, columns, rows, a, ld, x, added, out)
    else:
        gemv(zero, 0, rows, columns, a, -ld, x, added, out)
    return True

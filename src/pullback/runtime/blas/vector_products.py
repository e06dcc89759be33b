"""Products of a matrix and a vector, where a call of BLAS would take longer than the product.

The arrays are given by their addresses, as for BLAS: the numbers of a row lie side by side, and those of a vector.
Four rows are taken at a time, so that each number of the vector, or of the result, is loaded once for four products.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from pullback.runtime.codegen.callees import OPTIONS, callable_from_compiled

# Numbers of a matrix up to which these loops are at least as fast as BLAS.
MOST = 128 * 128
_ANY_ORDER = OPTIONS | {"fastmath": {"contract", "nsz", "reassoc"}, "forceinline": True}


@intrinsic
def numbers_at(context: Any, zero: Any, address: Any) -> Any:
    """The numbers from an address on, as an array of unknown size that owns nothing. zero: a number of their dtype."""
    result = types.Array(zero, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = make_array(result)(context, builder)
        size = context.get_constant(types.intp, 0)
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(zero)))
        data = builder.inttoptr(arguments[1], context.get_data_type(zero).as_pointer())
        nobody = cgutils.get_null_value(made.meminfo.type)
        populate_array(made, data=data, shape=[size], strides=[itemsize], itemsize=itemsize, meminfo=nobody)
        return made._getvalue()

    return result(zero, types.intp), build


def rows_times_vector(zero, out, a, step, x, rows, columns, added):
    """out = a x, or out += a x: a sum for each row. step: from a row to the next."""
    out, a, x = numbers_at(zero, out), numbers_at(zero, a), numbers_at(zero, x)
    whole = rows // 4 * 4
    for i in range(0, whole, 4):
        s0 = s1 = s2 = s3 = zero
        r0, r1, r2, r3 = i * step, (i + 1) * step, (i + 2) * step, (i + 3) * step
        for k in range(columns):
            s0 += a[r0 + k] * x[k]
            s1 += a[r1 + k] * x[k]
            s2 += a[r2 + k] * x[k]
            s3 += a[r3 + k] * x[k]
        if added:
            s0, s1, s2, s3 = out[i] + s0, out[i + 1] + s1, out[i + 2] + s2, out[i + 3] + s3
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
    for i in range(whole, rows):
        s0 = zero
        for k in range(columns):
            s0 += a[i * step + k] * x[k]
        out[i] = out[i] + s0 if added else s0


def vector_times_rows(zero, out, x, a, step, rows, columns, added):
    """out = x a, or out += x a: the rows times the numbers of the vector. step: from a row to the next."""
    out, a, x = numbers_at(zero, out), numbers_at(zero, a), numbers_at(zero, x)
    if not added:
        for j in range(columns):
            out[j] = zero
    whole = rows // 4 * 4
    for k in range(0, whole, 4):
        x0, x1, x2, x3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        r0, r1, r2, r3 = k * step, (k + 1) * step, (k + 2) * step, (k + 3) * step
        for j in range(columns):
            out[j] += x0 * a[r0 + j] + x1 * a[r1 + j] + x2 * a[r2 + j] + x3 * a[r3 + j]
    for k in range(whole, rows):
        for j in range(columns):
            out[j] += x[k] * a[k * step + j]


callable_from_compiled(rows_times_vector, lambda *arguments: rows_times_vector, _ANY_ORDER, False)
callable_from_compiled(vector_times_rows, lambda *arguments: vector_times_rows, _ANY_ORDER, False)

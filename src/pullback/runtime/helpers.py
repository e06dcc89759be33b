"""All helpers, under the names by which generated modules import them from `pullback.runtime`."""

from pullback.runtime.blas.products import matrix_product, vector_outer
from pullback.runtime.blas.products_into import called_product_into, product_into, small_product_into
from pullback.runtime.checks import check_apart, check_elements, check_index, check_out, check_span
from pullback.runtime.codegen.extrema import greater_of, lesser_of
from pullback.runtime.codegen.reassociation import plus
from pullback.runtime.codegen.selection import select
from pullback.runtime.detached import stop_gradient
from pullback.runtime.exact.decimals import round_decimal
from pullback.runtime.memory import new_arrays  # noqa: F401  found under the names of NumPy
from pullback.runtime.memory.buffers import block_of, push, push_block, push_row, reserve
from pullback.runtime.memory.checkpoints import brief_length, checkpoint_count, checkpoint_distance, checkpointed
from pullback.runtime.memory.copying import add_alike, copy_alike, copy_into
from pullback.runtime.memory.free import fits_in_memory
from pullback.runtime.memory.new_arrays import (
    column_empty,
    column_zeros,
    in_columns,
    in_rows,
    local_empty,
    local_zeros,
)
from pullback.runtime.memory.phases import deinterleaved, interleaved
from pullback.runtime.memory.stacks import contents, growing, keep
from pullback.runtime.not_finite import element_of, first_not_finite, is_finite, unexplained, unexplained_by_elements
from pullback.runtime.numpy.broadcasting import broadcast_along, broadcast_to, full_like_shape, repeat
from pullback.runtime.numpy.complex_numbers import complex_quotient, complex_sign
from pullback.runtime.numpy.convolution import convolution
from pullback.runtime.numpy.division import floor_divide, power, quotient_of_integers, remainder, remainder_of_integers
from pullback.runtime.numpy.eigenvalues import real_eig
from pullback.runtime.numpy.elementwise import (
    cast,
    cbrt,
    copysign,
    deg2rad,
    exp2,
    fmax,
    fmin,
    heaviside,
    hypot,
    isclose,
    logaddexp,
    logaddexp2,
    maximum,
    minimum,
    rad2deg,
    rint,
    sign,
    sinc,
    trunc,
)
from pullback.runtime.numpy.float_parts import frexp, modf
from pullback.runtime.numpy.fourier import fft_over, ifft_over, irfft_over, rfft_over
from pullback.runtime.numpy.indexing import gather, gather_and_clear, scatter, scatter_add
from pullback.runtime.numpy.joining import concatenate, stack
from pullback.runtime.numpy.linalg import dot, inner, matmul, outer, vdot
from pullback.runtime.numpy.linspace import linspace
from pullback.runtime.numpy.logsumexp import logsumexp_over
from pullback.runtime.numpy.norms import norm_over, rolled
from pullback.runtime.numpy.recurrences import masked_recurrence, recurrence
from pullback.runtime.numpy.reductions import (
    all_over,
    any_over,
    argmax_over,
    argmin_over,
    cumprod_along,
    cumsum_along,
    max_over,
    mean_over,
    min_over,
    nansum_over,
    prod_over,
    std_over,
    sum_over,
    var_over,
)
from pullback.runtime.numpy.selection import clip, masked_columns, masked_product, masked_rows, where
from pullback.runtime.numpy.shapes import (
    expand_dims,
    flip,
    moveaxis,
    mT,
    ravel,
    reshape,
    slice_along,
    squeeze,
    swapaxes,
    take_along,
    transpose,
)
from pullback.runtime.numpy.shifts import left_shift, right_shift
from pullback.runtime.numpy.softmax import log_softmax, softmax, softmax_cross_entropy
from pullback.runtime.numpy.sorting import argsort, argsort_along, permutation_of, permuted_along, unpermuted_along
from pullback.runtime.numpy.sparse import sparse_product, sparse_product_transposed, sparse_solution
from pullback.runtime.numpy.special import digamma, erf, erfc, gamma, lgamma, logit, sigmoid
from pullback.runtime.numpy.stacking import hstack, vstack
from pullback.runtime.numpy.summation import sum_to
from pullback.runtime.numpy.systems import (
    determinant_of,
    inverse_into,
    inverse_of,
    sign_and_logarithm,
    solution_of,
    solution_of_mixed,
)
from pullback.runtime.numpy.tiling import diagonal, tile
from pullback.runtime.numpy.triangles import tril, triu
from pullback.runtime.python import extremes  # noqa: F401  found under the names of builtins
from pullback.runtime.python.external import call_address, call_external
from pullback.runtime.python.integers import (
    checked_absolute,
    checked_add,
    checked_divide,
    checked_integer,
    checked_left_shift,
    checked_multiply,
    checked_negative,
    checked_power,
    checked_remainder,
    checked_right_shift,
    checked_subtract,
    power_of_integers,
)
from pullback.runtime.python.libraries import call_library
from pullback.runtime.python.messages import formatted, print_formatted, standard_stream
from pullback.runtime.python.recursion_depth import check_depth
from pullback.runtime.refusals import KeepsTooMuch, ResultNotFinite, SizesDiffer
from pullback.runtime.slice_ends import slice_end
from pullback.runtime.trip_counts import chunk_length, counted, folded, segment_length
from pullback.runtime.vectormath.powers import power_slope

__all__ = [
    "KeepsTooMuch",
    "ResultNotFinite",
    "SizesDiffer",
    "add_alike",
    "all_over",
    "any_over",
    "argmax_over",
    "argmin_over",
    "argsort",
    "argsort_along",
    "block_of",
    "brief_length",
    "broadcast_along",
    "broadcast_to",
    "call_address",
    "call_external",
    "call_library",
    "called_product_into",
    "cast",
    "cbrt",
    "check_apart",
    "check_depth",
    "check_elements",
    "check_index",
    "check_out",
    "check_span",
    "checked_absolute",
    "checked_add",
    "checked_divide",
    "checked_integer",
    "checked_left_shift",
    "checked_multiply",
    "checked_negative",
    "checked_power",
    "checked_remainder",
    "checked_right_shift",
    "checked_subtract",
    "checkpoint_count",
    "checkpoint_distance",
    "checkpointed",
    "chunk_length",
    "clip",
    "column_empty",
    "column_zeros",
    "complex_quotient",
    "complex_sign",
    "concatenate",
    "contents",
    "convolution",
    "copy_alike",
    "copy_into",
    "copysign",
    "counted",
    "cumprod_along",
    "cumsum_along",
    "deg2rad",
    "deinterleaved",
    "determinant_of",
    "diagonal",
    "digamma",
    "dot",
    "element_of",
    "erf",
    "erfc",
    "exp2",
    "expand_dims",
    "fft_over",
    "first_not_finite",
    "fits_in_memory",
    "flip",
    "floor_divide",
    "fmax",
    "fmin",
    "folded",
    "formatted",
    "frexp",
    "full_like_shape",
    "gamma",
    "gather",
    "gather_and_clear",
    "greater_of",
    "growing",
    "heaviside",
    "hstack",
    "hypot",
    "ifft_over",
    "in_columns",
    "in_rows",
    "inner",
    "interleaved",
    "inverse_into",
    "inverse_of",
    "irfft_over",
    "is_finite",
    "isclose",
    "keep",
    "left_shift",
    "lesser_of",
    "lgamma",
    "linspace",
    "local_empty",
    "local_zeros",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logit",
    "logsumexp_over",
    "mT",
    "masked_columns",
    "masked_product",
    "masked_recurrence",
    "masked_rows",
    "matmul",
    "matrix_product",
    "max_over",
    "maximum",
    "mean_over",
    "min_over",
    "minimum",
    "modf",
    "moveaxis",
    "nansum_over",
    "norm_over",
    "outer",
    "permutation_of",
    "permuted_along",
    "plus",
    "power",
    "power_of_integers",
    "power_slope",
    "print_formatted",
    "prod_over",
    "product_into",
    "push",
    "push_block",
    "push_row",
    "quotient_of_integers",
    "rad2deg",
    "ravel",
    "real_eig",
    "recurrence",
    "remainder",
    "remainder_of_integers",
    "repeat",
    "reserve",
    "reshape",
    "rfft_over",
    "right_shift",
    "rint",
    "rolled",
    "round_decimal",
    "scatter",
    "scatter_add",
    "segment_length",
    "select",
    "sigmoid",
    "sign",
    "sign_and_logarithm",
    "sinc",
    "slice_along",
    "slice_end",
    "small_product_into",
    "softmax",
    "softmax_cross_entropy",
    "solution_of",
    "solution_of_mixed",
    "sparse_product",
    "sparse_product_transposed",
    "sparse_solution",
    "squeeze",
    "stack",
    "standard_stream",
    "std_over",
    "stop_gradient",
    "sum_over",
    "sum_to",
    "swapaxes",
    "take_along",
    "tile",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "unexplained",
    "unexplained_by_elements",
    "unpermuted_along",
    "var_over",
    "vdot",
    "vector_outer",
    "vstack",
    "where",
]

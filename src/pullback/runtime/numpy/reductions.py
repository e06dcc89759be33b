"""Reductions and scans over any axes, with `keepdims`: NumPy bodies and Numba overloads of the same value and dtype.

Every reduction is one loop nest over (rows, count, columns): `count` is the size of the reduced axes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.errors import TypingError

from pullback.runtime.codegen.compiled import (
    axes_of,
    axis_of,
    compiled,
    constant,
    dtype_of,
    is_array,
    is_scalar,
    kernel,
)
from pullback.runtime.memory.strided import NEW_AXIS, flat, permuted, product, shaped
from pullback.runtime.numpy.reduction_loops import (
    all_middle,
    any_middle,
    argmax_middle,
    argmin_middle,
    cumprod_middle,
    cumsum_middle,
    max_middle,
    mean_middle,
    min_middle,
    nansum_middle,
    prod_middle,
    std_middle,
    var_middle,
)
from pullback.runtime.numpy.shapes import transposer
from pullback.runtime.numpy.summation import sum_middle


def sum_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.sum(a, axis, keepdims=keepdims)."""
    return np.sum(a, axis=axis, keepdims=keepdims)


def nansum_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.nansum(a, axis, keepdims=keepdims)."""
    return np.nansum(a, axis=axis, keepdims=keepdims)


def mean_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.mean(a, axis, keepdims=keepdims)."""
    return np.mean(a, axis=axis, keepdims=keepdims)


def prod_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.prod(a, axis, keepdims=keepdims)."""
    return np.prod(a, axis=axis, keepdims=keepdims)


def max_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.max(a, axis, keepdims=keepdims): NaN if one is met. ValueError if nothing is there to compare."""
    return np.max(a, axis=axis, keepdims=keepdims)


def min_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.min(a, axis, keepdims=keepdims): NaN if one is met. ValueError if nothing is there to compare."""
    return np.min(a, axis=axis, keepdims=keepdims)


def any_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.any(a, axis, keepdims=keepdims)."""
    return np.any(a, axis=axis, keepdims=keepdims)


def all_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.all(a, axis, keepdims=keepdims)."""
    return np.all(a, axis=axis, keepdims=keepdims)


def var_over(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """np.var(a, axis, ddof=ddof, keepdims=keepdims)."""
    return np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)


def std_over(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """np.std(a, axis, ddof=ddof, keepdims=keepdims)."""
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)


def argmax_over(a: Any, axis: Any = None) -> Any:
    """np.argmax(a, axis): the first of several; the first NaN if there is one. ValueError if nothing is there."""
    return np.argmax(a, axis=axis)


def argmin_over(a: Any, axis: Any = None) -> Any:
    """np.argmin(a, axis): the first of several; the first NaN if there is one. ValueError if nothing is there."""
    return np.argmin(a, axis=axis)


def cumsum_along(a: Any, axis: Any = None) -> Any:
    """np.cumsum(a, axis); of the flattened array for None."""
    return np.cumsum(a, axis=axis)


def cumprod_along(a: Any, axis: Any = None) -> Any:
    """np.cumprod(a, axis); of the flattened array for None."""
    return np.cumprod(a, axis=axis)


def parts_of(a: Any, axis: Any, keepdims: Any) -> tuple[Any, Any, Any]:
    """Kernels: a -> its elements in order, a -> (rows, count, columns), (result, a) -> shaped result."""
    ndim = a.ndim if is_array(a) else 0
    axes = axes_of(axis, ndim)
    if len(set(axes)) != len(axes):
        raise TypingError("duplicate value in 'axis'")
    return parts_for(ndim, axes, bool(constant(keepdims)))


@functools.cache
def parts_for(ndim: int, axes: tuple[int, ...], keep: bool) -> tuple[Any, Any, Any]:
    """The same for arrays with `ndim` axes; 0 for a number."""
    kept = tuple(i for i in range(ndim) if i not in axes)
    first = kernel(lambda out, a: out[0])
    if ndim == 0:
        return elements, kernel(lambda a: (1, 1, 1)), first
    if not kept and not keep:
        return flat, kernel(lambda a: (1, a.size, 1)), first
    is_together = not axes or axes == tuple(range(axes[0], axes[-1] + 1))
    order = tuple(range(ndim)) if is_together else kept + axes
    start = (axes[0] if axes else ndim) if is_together else len(kept)
    stop = start + len(axes)
    shape = tuple((NEW_AXIS if i in axes else i) for i in range(ndim)) if keep else kept

    def sizes(a: Any) -> Any:
        lengths = permuted(a.shape, order)
        return product(lengths, 0, start), product(lengths, start, stop), product(lengths, stop, ndim)

    together = transposer(order)
    in_order = flat if is_together else kernel(lambda a: flat(together(a)))
    return in_order, kernel(sizes), kernel(lambda out, a: shaped(out, permuted(a.shape, shape)))


def elements(a: Any) -> Any:
    """1-d array of the elements of an array or a scalar."""
    return np.ravel(a)


@compiled(elements, prefer_literal=False)
def _elements(a: Any) -> Any:
    return (lambda a: flat(a)) if is_array(a) else (lambda a: np.full(1, a))


def sum_dtype(a: Any) -> np.dtype[Any]:
    """dtype of a sum or product: small integers are widened."""
    return np.sum(np.empty(1, dtype_of(a))).dtype


def mean_dtype(a: Any) -> np.dtype[Any]:
    return np.mean(np.empty(1, dtype_of(a))).dtype


def own_dtype(a: Any) -> np.dtype[Any]:
    return dtype_of(a)


def define_reduction(function: Any, middle: Any, result: Callable[[Any], np.dtype[Any]]) -> None:
    """The overload of function(a, axis, keepdims)."""

    @compiled(function)
    def typed(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        if not (is_array(a) or is_scalar(a)):
            return None
        zero = result(a).type(0)
        in_order, sizes, shaped = parts_of(a, axis, keepdims)

        def reduce(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
            rows, count, columns = sizes(a)
            return shaped(middle(in_order(a), rows, count, columns, zero), a)

        return reduce


define_reduction(sum_over, sum_middle, sum_dtype)
define_reduction(nansum_over, nansum_middle, sum_dtype)
define_reduction(prod_over, prod_middle, sum_dtype)
define_reduction(mean_over, mean_middle, mean_dtype)
define_reduction(max_over, max_middle, own_dtype)
define_reduction(min_over, min_middle, own_dtype)
define_reduction(any_over, any_middle, lambda a: np.dtype(bool))
define_reduction(all_over, all_middle, lambda a: np.dtype(bool))


def define_variance(function: Any, middle: Any) -> None:
    """The overload of function(a, axis, ddof, keepdims)."""

    @compiled(function)
    def typed(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        if not (is_array(a) or is_scalar(a)):
            return None
        zero = mean_dtype(a).type(0).real
        in_order, sizes, shaped = parts_of(a, axis, keepdims)
        chosen = of_parts(middle) if dtype_of(a).kind == "c" else middle

        def reduce(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
            rows, count, columns = sizes(a)
            return shaped(chosen(in_order(a), rows, count, columns, zero, ddof), a)

        return reduce


@functools.cache
def of_parts(middle: Any) -> Any:
    """The variance or deviation of complex numbers: the variances of both parts add up."""

    def variance(x: Any, rows: int, count: int, columns: int, zero: Any, ddof: Any) -> Any:
        out = var_middle(x.real.copy(), rows, count, columns, zero, ddof)
        out += var_middle(x.imag.copy(), rows, count, columns, zero, ddof)
        return out

    sums = kernel(variance)
    if middle is var_middle:
        return sums
    return kernel(lambda x, rows, count, columns, zero, ddof: np.sqrt(sums(x, rows, count, columns, zero, ddof)))


define_variance(var_over, var_middle)
define_variance(std_over, std_middle)


def define_search(function: Any, middle: Any) -> None:
    """The overload of function(a, axis), whose result holds positions."""

    @compiled(function)
    def typed(a: Any, axis: Any = None) -> Any:
        if not (is_array(a) or is_scalar(a)):
            return None
        in_order, sizes, shaped = parts_of(a, axis, False)

        def search(a: Any, axis: Any = None) -> Any:
            rows, count, columns = sizes(a)
            return shaped(middle(in_order(a), rows, count, columns, 0), a)

        return search


define_search(argmax_over, argmax_middle)
define_search(argmin_over, argmin_middle)


def define_scan(function: Any, middle: Any) -> None:
    """The overload of function(a, axis), whose result has the shape of `a`, or one axis for None."""

    @compiled(function)
    def typed(a: Any, axis: Any = None) -> Any:
        if not (is_array(a) or is_scalar(a)):
            return None
        zero = sum_dtype(a).type(0)
        if constant(axis) is None:

            def scan_all(a: Any, axis: Any = None) -> Any:
                x = elements(a)
                return middle(x, 1, x.size, 1, zero)

            return scan_all
        ndim, position = a.ndim, axis_of(axis, a.ndim)

        def scan(a: Any, axis: Any = None) -> Any:
            rows, columns = product(a.shape, 0, position), product(a.shape, position + 1, ndim)
            return shaped(middle(flat(a), rows, a.shape[position], columns, zero), a.shape)

        return scan


define_scan(cumsum_along, cumsum_middle)
define_scan(cumprod_along, cumprod_middle)

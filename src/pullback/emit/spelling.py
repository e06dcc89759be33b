"""How each operation is written: as NumPy code to read, and as what Numba compiles to the same values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

import pullback.runtime.vectormath as vm
from pullback import runtime
from pullback.frontend.calls.apply import labels_of, parameter_names
from pullback.frontend.calls.exact_libraries import ALIKE, FLOAT_POWER, POWER_TO, is_of_math
from pullback.frontend.source.addresses import address_of
from pullback.ir.nodes import Constant, Let, Operand, Value, is_scalar
from pullback.ir.types import Array, is_float, is_wide

PARALLEL_RANGE = "prange"
"""What Numba calls a range whose iterations may run at the same time."""

BINARY: dict[Any, type] = {
    np.add: gast.Add,
    np.subtract: gast.Sub,
    np.multiply: gast.Mult,
    np.true_divide: gast.Div,
    np.floor_divide: gast.FloorDiv,
    np.remainder: gast.Mod,
    np.power: gast.Pow,
    np.matmul: gast.MatMult,
    np.bitwise_and: gast.BitAnd,
    np.bitwise_or: gast.BitOr,
    np.bitwise_xor: gast.BitXor,
    np.left_shift: gast.LShift,
    np.right_shift: gast.RShift,
}
COMPARISONS: dict[Any, type] = {
    np.less: gast.Lt,
    np.less_equal: gast.LtE,
    np.greater: gast.Gt,
    np.greater_equal: gast.GtE,
    np.equal: gast.Eq,
    np.not_equal: gast.NotEq,
}
UNARY: dict[Any, type] = {np.negative: gast.USub, np.invert: gast.Invert}

_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: runtime.sum_over,
    np.mean: runtime.mean_over,
    np.prod: runtime.prod_over,
    np.max: runtime.max_over,
    np.min: runtime.min_over,
    np.any: runtime.any_over,
    np.all: runtime.all_over,
}
_SPREADS: dict[Any, Callable[..., Any]] = {np.var: runtime.var_over, np.std: runtime.std_over}
_ALONG: dict[Any, Callable[..., Any]] = {
    np.argmax: runtime.argmax_over,
    np.argmin: runtime.argmin_over,
    np.cumsum: runtime.cumsum_along,
    np.cumprod: runtime.cumprod_along,
}
_SAME: dict[Any, Callable[..., Any]] = {
    np.where: runtime.where,
    np.matmul: runtime.matmul,
    np.dot: runtime.dot,
    np.outer: runtime.outer,
    np.inner: runtime.inner,
    np.reshape: runtime.reshape,
    np.ravel: runtime.ravel,
    np.transpose: runtime.transpose,
    np.swapaxes: runtime.swapaxes,
    np.moveaxis: runtime.moveaxis,
    np.expand_dims: runtime.expand_dims,
    np.squeeze: runtime.squeeze,
    np.concatenate: runtime.concatenate,
    np.stack: runtime.stack,
    np.broadcast_to: runtime.broadcast_to,
    np.flip: runtime.flip,
    np.repeat: runtime.repeat,
    np.tril: runtime.tril,
    np.triu: runtime.triu,
    np.clip: runtime.clip,
    np.fmax: runtime.fmax,
    np.fmin: runtime.fmin,
    np.maximum: runtime.maximum,
    np.minimum: runtime.minimum,
    np.sinc: runtime.sinc,
    np.logaddexp: runtime.logaddexp,
    np.logaddexp2: runtime.logaddexp2,
    np.sign: runtime.sign,
    np.cbrt: runtime.cbrt,
    np.hypot: runtime.hypot,
    np.copysign: runtime.copysign,
    np.heaviside: runtime.heaviside,
    np.exp2: runtime.exp2,
    np.deg2rad: runtime.deg2rad,
    np.rad2deg: runtime.rad2deg,
    np.radians: runtime.deg2rad,
    np.degrees: runtime.rad2deg,
    np.rint: runtime.rint,
    np.trunc: runtime.trunc,
    np.linspace: runtime.linspace,
}
"""What Numba lacks or computes in another dtype, and the helper that does the same."""

_SEVERAL: dict[Any, Callable[..., Any]] = {np.modf: runtime.modf, np.frexp: runtime.frexp}
"""Helpers for functions with several results that Numba lacks."""

_MATRICES: dict[Any, Callable[..., Any]] = {
    np.matmul: runtime.matrix_product,
    np.dot: runtime.matrix_product,
    np.outer: runtime.vector_outer,
    np.linalg.inv: runtime.inverse_of,
    np.linalg.det: runtime.determinant_of,
    np.linalg.solve: runtime.solution_of,
}
"""Helpers for vectors and matrices of one float type."""


_VECTOR: dict[Any, Callable[..., Any]] = {
    **{getattr(np, text): getattr(vm, text) for text in vm.__all__ if text != "sqrt" and hasattr(np, text)},
    runtime.erf: vm.erf,
    runtime.erfc: vm.erfc,
}
"""Functions of floats that the vector math library computes; Numba's own square root is one instruction."""


_LOOPS: dict[Any, str] = {
    getattr(np, text, None) or getattr(runtime, text): f"ufuncs.{text}"
    for text in (
        "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh "
        "arctanh cbrt hypot logaddexp logaddexp2 power sinc degrees radians deg2rad rad2deg "
        "erf erfc gamma lgamma digamma sigmoid"
    ).split()
}
"""Functions that NumPy and SciPy compute in loops of their own, which `pullback.runtime.exact.ufuncs` calls."""


_TAKEN: dict[Any, set[str]] = {
    **{function: {"a", "axis", "keepdims"} for function in _REDUCTIONS},
    **{function: {"a", "axis", "ddof", "keepdims"} for function in _SPREADS},
    **{function: {"a", "axis"} for function in _ALONG},
    np.roll: {"a", "shift", "axis"},
    np.linalg.norm: {"x", "ord", "axis", "keepdims"},
    np.concatenate: {"arrays", "axis"},
    np.stack: {"arrays", "axis"},
    np.tril: {"m", "k"},
    np.triu: {"m", "k"},
}
"""What the helpers for functions of several parameters take; a call that says more is left to Numba."""


def name(text: str) -> Any:
    return gast.Name(text, gast.Load(), None, None)


def attribute(value: Any, attr: str) -> Any:
    return gast.Attribute(value, attr, gast.Load())


def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
    return gast.Call(function, list(arguments), [gast.keyword(k, v) for k, v in keywords.items()])


def constant(value: Any) -> Any:
    return gast.Constant(value, None)


def tuple_(items: list[Any]) -> Any:
    return gast.Tuple(items, gast.Load())


def target_named(text: str) -> Any:
    """A variable that is assigned."""
    return gast.Name(text, gast.Store(), None, None)


def negated(condition: Any) -> Any:
    """`not condition`, with the opposite operator where that is plain."""
    if isinstance(condition, gast.UnaryOp) and isinstance(condition.op, gast.Not):
        return condition.operand
    match condition:
        case gast.Compare(left=left, ops=[gast.Eq()], comparators=right):
            return gast.Compare(left, [gast.NotEq()], right)
        case gast.Compare(left=left, ops=[gast.NotEq()], comparators=right):
            return gast.Compare(left, [gast.Eq()], right)
    return gast.UnaryOp(gast.Not(), condition)


def public_name(function: Any) -> tuple[str, Any]:
    """The public module of a function, and how the function is written there: `np.linalg.inv`, `scipy.special.j0`."""
    address = address_of(function)
    assert address is not None, f"{function!r} has no public name"
    module, own = address
    first, *others = module.split(".")
    owner = name("np" if first == "numpy" else first)
    for part in (*others, own):
        owner = attribute(owner, part)
    return module, owner


def number(value: Any, dtype: str) -> Any:
    """A number as source text."""
    if isinstance(value, float) and not math.isfinite(value):
        text = attribute(name("np"), "nan" if math.isnan(value) else "inf")
        return text if not value < 0 else gast.UnaryOp(gast.USub(), text)
    return constant(value)


def widening_numbers(statement: Let) -> tuple[bool, ...]:
    """Which operands are numbers that make an elementwise function compute with more bits than the others have."""
    operands = statement.operands
    elementwise = isinstance(statement.function, np.ufunc) or statement.function is np.where
    others = [o.type for o in operands if isinstance(o, Value) and not (is_scalar(o) and is_wide(o.type.dtype))]
    if not elementwise or not others or any(is_wide(type_.dtype) for type_ in others):
        return (False,) * len(operands)
    if statement.value.type.dtype == "bool":
        return tuple(is_scalar(o) and is_wide(o.type.dtype) and not o.type.weak for o in operands)
    return tuple(is_scalar(o) and is_wide(o.type.dtype) and is_wide(statement.value.type.dtype) for o in operands)


def typed_number(operand: Constant) -> Any:
    """A number of a dtype that is not Python's own."""
    assert operand.type is not None, "a number has a type"
    plain = number(operand.value, operand.type.dtype)
    if operand.type.dtype in ("float64", "int64", "bool"):
        return plain
    return call(attribute(name("np"), operand.type.dtype), plain)


def vector_for(function: Any, operands: tuple[Operand, ...]) -> Any:
    """The function of the vector math library that stands for a function of floats; None where there is none."""
    found = _VECTOR.get(function)
    if found is None or (function is np.power and isinstance(operands[1], Constant) and _is_plain_power(operands)):
        return None
    return found if all(operand.type.dtype in ("float32", "float64") for operand in operands) else None


def library_for(statement: Let, compiled: bool, exact: bool) -> str:
    """The function that stands for what the user called, where its library matters: `libm.exp`, `ufuncs.exp`; or "".

    In text that is not compiled, functions of `math` give Python's numbers, and have no exceptions.
    """
    by = statement.by
    if not compiled and is_of_math(by):
        return by
    if not exact or not is_float(statement.value.type) or by in ALIKE:
        return ""
    if compiled:
        return by or _LOOPS.get(statement.function, "")
    # `x ** y` is the C library's for numbers, which elements of arrays may have become.
    is_apart = by == FLOAT_POWER or (by == POWER_TO and all(map(is_scalar, statement.operands)))
    return by if is_apart else ""


def runtime_for(function: Any, operands: tuple[Operand, ...], keywords: tuple[str, ...]) -> Any:
    """The helper that stands for a function in compiled code, with its operands in order; None where Numba has it."""
    given = _bound(function, operands, keywords)
    if not given.keys() <= _TAKEN.get(function, given.keys()):
        return None
    if function in _REDUCTIONS:
        return _REDUCTIONS[function], [given["a"], given.get("axis", Constant(None)), given.get("keepdims", _FALSE)]
    if function in _SPREADS:
        axis, ddof = given.get("axis", Constant(None)), given.get("ddof", Constant(0))
        return _SPREADS[function], [given["a"], axis, ddof, given.get("keepdims", _FALSE)]
    if function in _ALONG:
        return _ALONG[function], [given["a"], given.get("axis", Constant(None))]
    if function is np.roll:
        return runtime.rolled, [given["a"], given["shift"], given.get("axis", Constant(None))]
    if function is np.linalg.norm and not _is_norm_of_numba(given):
        order, axis = given.get("ord", Constant(None)), given.get("axis", Constant(None))
        if isinstance(order.value, float):  # Numba knows whole numbers and strings while it compiles
            order = Constant(repr(order.value))
        return runtime.norm_over, [given["x"], order, axis, given.get("keepdims", _FALSE)]
    if function in (np.floor_divide, np.remainder):
        if _is_plain_division(operands):
            return None
        return getattr(runtime, function.__name__), list(operands)
    if function is np.power and not _is_plain_power(operands):
        return runtime.power, list(operands)
    if function in _MATRICES and _are_matrices(function, operands):
        return _MATRICES[function], list(operands)
    if function in _SAME:
        helper = _SAME[function]
        if function in (np.concatenate, np.stack):
            return helper, [operands[0], given.get("axis", Constant(0))]
        if function in (np.tril, np.triu):
            return helper, [operands[0], given.get("k", Constant(0))]
        ordered = _by_position(function, given) if keywords else list(operands)
        return None if ordered is None else (helper, ordered)
    return None


def helper_for_several(function: Any) -> Any:
    """The helper that stands for a function with several results in compiled code; None where Numba has it."""
    return _SEVERAL.get(function)


def _by_position(function: Any, given: dict[str, Operand]) -> list[Operand] | None:
    """The operands in the order of the parameters; None where there are others between or besides them."""
    names = parameter_names(function)[: len(given)]
    return [given[name] for name in names] if given.keys() == set(names) else None


def _is_norm_of_numba(given: dict[str, Operand]) -> bool:
    """Whether Numba has this norm: of a whole vector or matrix of floats. Those of matrices in parts it lacks too."""
    type_, order = given["x"].type, given.get("ord", Constant(None)).value
    along = given.get("axis", Constant(None)) != Constant(None) or given.get("keepdims", _FALSE) != _FALSE
    frobenius = order is None or order == "fro"
    of_matrix = isinstance(given.get("axis"), tuple) or (not along and type_.ndim > 1)
    if of_matrix and not frobenius:
        return True
    return not along and type_.ndim <= 2 and is_float(type_) and order != "fro"


def _is_plain_division(operands: tuple[Operand, ...]) -> bool:
    """Whether Numba divides as Python does: a whole number by one that is known and above 0."""
    by = operands[1]
    known = isinstance(by, Constant) and isinstance(by.value, int) and by.value > 0
    return known and all(is_scalar(operand) and operand.type.dtype == "int64" for operand in operands)


_FALSE = Constant(False)


def _bound(function: Any, operands: tuple[Operand, ...], keywords: tuple[str, ...]) -> dict[str, Operand]:
    return dict(zip(labels_of(function, len(operands), keywords), operands, strict=True))


def _are_matrices(function: Any, operands: tuple[Operand, ...]) -> bool:
    """Whether the helpers of `_MATRICES` take these operands."""
    kinds = [operand.type for operand in operands]
    if not all(isinstance(t, Array) and is_float(t) and t.dtype == kinds[0].dtype for t in kinds):
        return False
    ranks = [t.ndim for t in kinds]
    if function is np.outer:
        return ranks == [1, 1]
    return all(rank in (1, 2) for rank in ranks) and (function in (np.matmul, np.dot) or ranks[0] == 2)


def _is_plain_power(operands: tuple[Operand, ...]) -> bool:
    """Whether `a ** b` means the same to Numba: floats of one dtype, or a small integer exponent of float64."""
    base, exponent = (operand.type.dtype for operand in operands)
    if base == "float64" and isinstance(operands[1], Constant):
        return True
    return bool(base == exponent == "float64")

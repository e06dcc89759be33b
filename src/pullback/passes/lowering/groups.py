"""Groups: which array statements of a block run in one nest of loops.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.lowering import lower
>>> def normalised(x, w):
...     t = x * w
...     u = np.exp(t)
...     s = np.sum(u)
...     return u / s
>>> function = lower(normal_form(normalised, np.ones(3), np.ones(3)))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def normalised(x, w):
    if x.shape[0] != w.shape[0]:
        raise SizesDiffer()
    u = np.empty(w.shape, dtype=np.float64)
    s = 0.0
    for i in range(w.shape[0]):
        t = x[i] * w[i]
        u2 = np.exp(t)
        u[i] = u2
        s += u2
    quotients = np.empty(w.shape, dtype=np.float64)
    for i in range(w.shape[0]):
        quotients[i] = u[i] / s
    return quotients

A statement joins the group before it if both go over the same elements and it needs no sum of the group. The division
needs `s`, so it is in another group.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from pullback import runtime
from pullback.analysis.shape_rules import reduced_axes
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Shape
from pullback.analysis.slice_sizes import ndim_of
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.infer import infer
from pullback.ir.nodes import Constant, Index, Let, Operand, Permute, Slice, Statement, Step, Value
from pullback.ir.types import Array, Scalar, is_float, is_integer
from pullback.passes.lowering.views import can_index

_OF_INTEGERS = {np.add, np.subtract, np.multiply, np.negative, np.absolute, np.square, primitives.cast, np.where}
_OF_INTEGERS |= {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, runtime.where}
_OF_INTEGERS |= {np.logical_and, np.logical_or, np.logical_not, np.isnan, np.isfinite, np.isinf, np.true_divide}

EXTREMA: dict[Callable[..., Any], tuple[Callable[..., Any], float]] = {
    np.max: (runtime.greater_of, -math.inf),
    np.min: (runtime.lesser_of, math.inf),
}
"""For each extremum the function that takes an element in, and what it starts from."""

MOST_LOOPS = 8
"""Arrays with more axes stay array statements: nests of so many loops take minutes to compile."""


@dataclass(slots=True)
class Group:
    """Statements over the elements of one space."""

    space: Shape
    members: list[Let] = field(default_factory=list)

    @property
    def maps(self) -> set[Value]:
        """The arrays whose elements the group computes one by one."""
        return {s.value for s in self.members if is_map(s) or is_gather(s)}

    @property
    def may_raise(self) -> bool:
        """Whether an index may be out of bounds."""
        return any(is_gather(s) or is_scatter(s) for s in self.members)

    @property
    def made(self) -> set[Value]:
        return {s.value for s in self.members}


def is_map(statement: Statement) -> TypeGuard[Let]:
    """Whether each element of the result is a function of one element of each operand."""
    if not isinstance(statement, Let) or not _is_array(statement.value):
        return False
    function, operands = statement.function, statement.operands
    if statement.keywords or not (is_elementwise(function) or function is primitives.cast):
        return False
    if not all(isinstance(o, Value | Constant) for o in operands):
        return False
    if any(isinstance(o.type, Array) and not o.type.ndim for o in operands if o.type is not None):
        return False
    of_floats = all(is_float(o.type) for o in operands if isinstance(o.type, Array))
    if not of_floats and function not in _OF_INTEGERS and not converts_integers(statement):
        return False
    return _element_type(statement) == Scalar(statement.value.type.dtype)


def converts_integers(statement: Let) -> bool:
    """Whether a function of floats alone is applied to arrays of integers, whose elements it converts."""
    arrays = [o.type for o in statement.operands if isinstance(o.type, Array)]
    are_numbers = all(type_.dtype in ("float64", "int64", "int32") for type_ in arrays)
    return statement.function not in _OF_INTEGERS and statement.value.type.dtype == "float64" and are_numbers


def is_gather(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement takes floats from an array at the places that arrays of integers, side by side, name."""
    if not isinstance(statement, Let) or statement.function is not primitives.load or not _is_array(statement.value):
        return False
    return is_float(statement.value.type) and bool(index_arrays(statement.operands[1])[1])


def is_scatter(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement replaces, or adds to, the elements of an array at such places."""
    return is_store(statement) and bool(index_arrays(statement.operands[1])[1])


def index_arrays(path: tuple[Step, ...]) -> tuple[int, tuple[Value, ...]]:
    """The arrays of integers, side by side, that name the places of a part of an array, and the first one's axis.

    No arrays where a part is given by anything else.
    """
    items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
    arrays = tuple(item for item in items if isinstance(item, Value) and _is_array(item))
    first = next((k for k, item in enumerate(items) if item in arrays), 0)
    others = (*items[:first], *items[first + len(arrays) :])
    are_indices = all(is_integer(array.type) and ndim_of(array) == ndim_of(arrays[0]) for array in arrays)
    is_whole = all(item == Slice(None, None, None) for item in others)
    return (first, arrays) if are_indices and is_whole else (0, ())


def element_function(statement: Let) -> Callable[..., Any]:
    """The function of numbers that a map applies to elements."""
    return runtime.where if statement.function is np.where else statement.function


def _element_type(statement: Let) -> object:
    """The type of an element of a map; None where the function has none for numbers."""
    elements = tuple(
        Value("", Scalar(o.type.dtype)) if isinstance(o, Value) and isinstance(o.type, Array) else o
        for o in statement.operands
    )
    try:
        return infer(element_function(statement), elements)
    except TypeError:
        return None


def is_sum(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement is a sum of an array over axes that are known."""
    if not isinstance(statement, Let) or statement.function is not np.sum or not _is_array(statement.operands[0]):
        return False
    return reduced_axes(statement, statement.operands[0].type.ndim) is not None


def is_inner_product(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement is the product of two vectors of floats of one type."""
    if not isinstance(statement, Let) or statement.function not in _PRODUCTS or len(statement.operands) != 2:
        return False
    types = [operand.type for operand in statement.operands]
    are_vectors = all(isinstance(type_, Array) and type_.ndim == 1 and is_float(type_) for type_ in types)
    return are_vectors and types[0].dtype == types[1].dtype and not statement.keywords


_PRODUCTS = {np.matmul, np.dot, np.inner, np.vdot}


def is_extremum(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement is the maximum or minimum of an array of floats over axes that are known."""
    if not isinstance(statement, Let) or statement.function not in EXTREMA or not _is_array(statement.operands[0]):
        return False
    array = statement.operands[0].type
    return is_float(array) and bool((reduced_axes(statement, array.ndim) or [()])[0])


def is_store(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement replaces a part of an array, given by slices, by another array, or adds that to it."""
    if not isinstance(statement, Let) or statement.function not in (primitives.store, primitives.add_at):
        return False
    array, value = statement.operands[0], statement.operands[2]
    return _is_array(value) and value.type.dtype == array.type.dtype


def is_view(statement: Statement, shapes: Shapes) -> TypeGuard[Let]:
    """Whether a statement takes a part of an array whose elements can be addressed."""
    if not isinstance(statement, Let) or not _is_array(statement.value):
        return False
    found = view_of(statement)
    return found is not None and can_index(*found, shapes)


def view_of(statement: Let) -> tuple[Value, tuple[Step, ...]] | None:
    """The array and the path of a statement that takes a part of it."""
    if statement.function is primitives.load:
        return statement.operands[0], statement.operands[1]
    if statement.function is np.transpose and len(statement.operands) == 2:
        return statement.operands[0], (Permute(tuple(axis.value for axis in statement.operands[1])),)
    return None


def _is_array(operand: Operand) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Array) and 0 < operand.type.ndim <= MOST_LOOPS

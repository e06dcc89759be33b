"""What functions that ask for the parts or the sign of complex numbers mean.

Whether numbers are complex is known before the run. Of real ones, the imaginary part is 0.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from pullback import runtime
from pullback.frontend.calls.apply import apply, apply_operator, computed
from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.values.bindings import ArrayRef, Binding, Static
from pullback.frontend.values.context import Context
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant
from pullback.ir.types import COMPLEX, Array, Scalar, is_complex

COMPLEX_NUMBERS = Meanings()


def type_of_binding(context: Context, binding: Binding, node: Any) -> Any:
    """The type of a number or array; None for anything else."""
    if isinstance(binding, ArrayRef):
        return context.version(binding.cell, node).type
    return getattr(binding, "type", None)


def holds_complex(context: Context, binding: Binding, node: Any) -> bool:
    """Whether a number or array is complex."""
    type_ = type_of_binding(context, binding, node)
    return type_ is not None and is_complex(type_)


def imaginary_part(context: Context, binding: Binding, node: Any) -> Binding:
    """`x.imag`: zeros for what is real."""
    if holds_complex(context, binding, node):
        return apply(context, np.imag, (binding,), {}, node)
    operand = context.operand(binding, node)
    if isinstance(operand.type, Array):
        with context.builder.at(context.location(node)):
            shape = context.builder.dims(operand)
        zeros = context.bind(computed(context, np.zeros, (shape, Constant(operand.type.dtype)), ("dtype",), node))
        assert isinstance(zeros, ArrayRef), "an array has a cell"
        zeros.cell.outside = "the imaginary part of a real array is read-only"
        return zeros
    return Constant(0.0 if operand.type.dtype.startswith("float") else 0, operand.type)


@COMPLEX_NUMBERS.of(np.imag)
def _imag(context: Context, node: Any, val: Binding) -> Binding:
    return imaginary_part(context, val, node)


@COMPLEX_NUMBERS.of(np.iscomplexobj)
def _iscomplexobj(context: Context, node: Any, x: Binding) -> Binding:
    return constant(is_complex(context.operand(x, node).type))


@COMPLEX_NUMBERS.of(np.isrealobj)
def _isrealobj(context: Context, node: Any, x: Binding) -> Binding:
    return constant(not is_complex(context.operand(x, node).type))


@COMPLEX_NUMBERS.of(np.sign)
def _sign(context: Context, node: Any, x: Binding, /) -> Binding:
    """z / |z| of complex numbers, which is no constant."""
    return apply(context, runtime.complex_sign if holds_complex(context, x, node) else np.sign, (x,), {}, node)


@COMPLEX_NUMBERS.of(builtins.complex)
def _complex(context: Context, node: Any, real: Binding | None = None, imag: Binding | None = None) -> Binding:
    """A number of Python's; of two numbers, the first and the second times i."""
    if real is None and imag is None:
        return constant(0j)
    if isinstance(real, Static) and isinstance(real.value, str):
        return constant(complex(real.value))
    parts = [constant(0.0) if part is None else context.scalar(part, node) for part in (real, imag)]
    if all(isinstance(p, Constant) and isinstance(p.type, Scalar) and p.type.weak for p in parts):
        return constant(complex(*(p.value for p in parts)))
    if imag is None:
        return _as_complex(context, parts[0], node)
    if any(part.type is not None and is_complex(part.type) for part in parts):
        product = apply_operator(context, np.multiply, (parts[1], constant(1j)), node)
        return _as_complex(context, apply_operator(context, np.add, (parts[0], product), node), node)
    with context.builder.at(context.location(node)):
        return context.builder.let(builtins.complex, *parts, type_=COMPLEX)


def _as_complex(context: Context, operand: Any, node: Any) -> Binding:
    with context.builder.at(context.location(node)):
        return context.builder.cast(operand, "complex128*")

"""Cotangents as the backward sweep has them become those that callers are given, and the other way round.

In a sweep, the cotangent c of a complex z stands for the change Re(c dz) of the loss: all that is differentiable in the
complex sense has the rule that it has for real numbers. What a caller is given is its conjugate, ∂L/∂Re z + i ∂L/∂Im z,
the direction in which the loss grows fastest. Cotangents of real numbers are the same.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import joint, prepared
>>> def f(z):
...     return (z * z).real
>>> print(show(joint(prepared(normal_form(f, 1j)), (0,), with_results=False)))
f_grad(z: complex128*):
    t.0: complex128* = multiply(2, z)
    t.1: complex128* = conjugate(t.0)
    return t.1
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pullback.errors import Location
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Constant, Operand, Statement, Value
from pullback.ir.types import is_complex


def conjugated(block: Block, location: Location) -> Block:
    """A backward block with the conjugates of what it yields."""
    statements, yields = conjugates(block.yields, location)
    return Block((*block.statements, *statements), yields) if statements else block


def conjugates(operands: Iterable[Operand], location: Location) -> tuple[list[Statement], tuple[Operand, ...]]:
    """The conjugates of operands, and the statements that make them: none for real ones."""
    builder = Builder()
    builder.location = location
    return builder.statements, tuple(_conjugate(builder, operand) for operand in operands)


def _conjugate(builder: Builder, operand: Operand) -> Operand:
    if operand.type is None or not is_complex(operand.type):
        return operand
    if isinstance(operand, Constant):
        return Constant(np.conjugate(complex(operand.value)).item(), operand.type)
    if getattr(operand.type, "ndim", -1) == 0:  # of an array without axes, a ufunc makes a number
        made = builder.let(np.reshape, builder.let(np.conjugate, builder.let(np.reshape, operand, (constant(1),))), ())
    else:
        made = builder.let(np.conjugate, operand, type_=operand.type)
    return made.called(operand.name, operand.of) if isinstance(operand, Value) and operand.of else made

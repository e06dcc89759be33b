"""Calls of functions with rules of their own: whole ones at first, then forward statements and a linear map.

y = Ruled(x)        →       y.1 = …                     the statements that the rule has for the value
                            y = LinearMap(y.1, x, …)    the value itself; its derivative is linear in what is given

A function that is not differentiated where it is called gets its own statements instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pullback.ir.nodes import Call, Function, Operand, Value


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What a rule says of a call, in terms of its parameters.

    forward: to the results. sources: the parameters by which a derivative is taken. linear: from `inputs`, which are
    cotangents of the float results or, where the rule `pushes`, tangents of the sources, and from values of `forward`,
    to cotangents of the sources (or None), or to tangents of the float results.
    """

    forward: Function
    linear: Function
    inputs: tuple[Value, ...]
    sources: tuple[Value, ...]
    pushes: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """The function of a Call with a rule of its own.

    parameters: stand for the operands of the call in `primal`, which computes its results, and in the rule, which
    `derivative` reads.
    """

    parameters: tuple[Value, ...]
    primal: Function
    derivative: Callable[[], Rule]

    @property
    def __name__(self) -> str:
        return self.primal.name

    def __call__(self, *operands: Any) -> Any:
        raise AssertionError("a call of a function with a rule is made of statements")


@dataclass(frozen=True, slots=True, eq=False)
class LinearMap:
    """The function of a Call whose results are `ys`; its operands are (ys, xs, values that the derivative reads).

    pull: from cotangents of the float results, xs and those values to cotangents of xs. push: from tangents of xs, ys
    and those values to tangents of the float results. Each is the transpose of the other.
    """

    name: str
    pull: Callable[[], Function]
    push: Callable[[], Function]

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, ys: Any, xs: Any, read: Any) -> Any:
        return ys


def read_by_derivative(call: Call) -> tuple[Operand, ...]:
    """The operands by which the results of a call may have derivatives."""
    operands: tuple[Operand, ...] = call.operands[1] if isinstance(call.function, LinearMap) else call.operands
    return operands

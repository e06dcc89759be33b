"""Array expressions become functions of loops: one for arrays that lie alike, others for those that are broadcast.

    y = a * b + 1    →    def expression(x0, x1):
                              shape = common_shape(x0.shape, x1.shape)
                              out = empty(shape, element)
                              if x0.shape == shape and x1.shape == shape: for i in range(out.size): ...
                              ...

Numba's own loops ask at each element of each operand whether its axes are of length 1, and LLVM makes a copy of the
loop for each combination of answers: 64 for three matrices.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import ir
from numba.core.lowering import Lower

from pullback.runtime.codegen.borrowed_arguments import call_with_borrowed

PARTS: dict[str, Callable[..., Any]] = {}
"""What such functions call: `common_shape`, `broadcast_strides`, `empty`, `shaped`, `load_at`."""
_SYMBOLS: dict[Any, str] = {
    **{operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//"},
    **{operator.mod: "%", operator.pow: "**", operator.and_: "&", operator.or_: "|", operator.xor: "^"},
    **{operator.eq: "==", operator.ne: "!=", operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">="},
    **{operator.neg: "-", operator.pos: "+", operator.invert: "~", operator.lshift: "<<", operator.rshift: ">>"},
}
_IN_PLACE: dict[Any, str] = {operator.iadd: "+", operator.isub: "-", operator.imul: "*", operator.itruediv: "/"}


class ArrayExpressionLower(Lower):
    """Numba's translation to LLVM, with such functions."""

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if expr.op == "arrayexpr" and isinstance(expr.ty, types.Array) and expr.ty.layout in "CA" and expr.ty.ndim:
            # Any layout: that of a variable which is a transposed array elsewhere.
            made_type = expr.ty.copy(layout="C")
            formula = _Formula(self)
            text = formula.text(expr.expr)
            made = formula.function(text, made_type, in_place=False)
            if made is not None:
                value = call_with_borrowed(self, made, formula.variables)
                return self.context.cast(self.builder, value, made_type, resty)
        return super().lower_expr(resty, expr)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        out, value = self.typeof(expr.lhs.name), types.unliteral(self.typeof(expr.rhs.name))
        if op in _IN_PLACE and isinstance(out, types.Array) and out.ndim and _fits(value, out):
            formula = _Formula(self)
            first, second = formula.text(expr.lhs), formula.text(expr.rhs)
            made = formula.function(f"{first} {_IN_PLACE[op]} {second}", out, in_place=True)
            if made is not None:
                call_with_borrowed(self, made, formula.variables)
                value = self.loadvar(expr.lhs.name)
                self.incref(out, value)
                return self.context.cast(self.builder, value, out, resty)
        return super().lower_binop(resty, expr, op)


def _fits(value: Any, out: Any) -> bool:
    """Whether a value may be put into an array of this type, element by element."""
    element = value.dtype if isinstance(value, types.Array) else value
    fits = element == out.dtype or (isinstance(out.dtype, types.Float) and isinstance(element, types.Number))
    return fits and not isinstance(element, types.Complex) and getattr(value, "ndim", 0) <= out.ndim


class _Formula:
    """An expression as text in terms of elements e0, e1, … of its arrays and of its numbers x0, x1, …"""

    def __init__(self, lower: Any) -> None:
        self.lower = lower
        self.variables: list[Any] = []
        self.outside: dict[str, Any] = {}

    def text(self, part: Any) -> str:
        match part:
            case ir.Var():
                known = [v.name for v in self.variables]
                if part.name not in known:
                    self.variables.append(part)
                    known.append(part.name)
                k = known.index(part.name)
                return f"e{k}" if self.array(k) else f"x{k}"
            case ir.Const():
                return self.named("c", part.value)
        op, operands = part
        texts = [self.text(operand) for operand in operands]
        if op in _SYMBOLS:
            return f"({_SYMBOLS[op]}{texts[0]})" if len(texts) == 1 else f"({texts[0]} {_SYMBOLS[op]} {texts[1]})"
        return f"{self.named('f', op)}({', '.join(texts)})"

    def named(self, stem: str, value: Any) -> str:
        if type(value) in (int, float):
            return repr(value) if value == value and abs(value) != float("inf") else f"float('{value}')"
        name = f"{stem}{len(self.outside)}"
        self.outside[name] = value
        return name

    def array(self, k: int) -> Any:
        """The type of a variable that is an array, else None."""
        type_ = self.lower.typeof(self.variables[k].name)
        return type_ if isinstance(type_, types.Array) else None

    def function(self, text: str, result: Any, in_place: bool) -> Any:
        """The function for operands of these types; None for operands that are neither arrays nor numbers."""
        operands = [types.unliteral(self.lower.typeof(v.name)) for v in self.variables]
        elements = [t.dtype if isinstance(t, types.Array) else t for t in operands]
        arrays = tuple((k, t.ndim, t.layout) for k, t in enumerate(operands) if isinstance(t, types.Array))
        real = all(isinstance(t, types.Float | types.Integer | types.Boolean) for t in (*elements, result.dtype))
        if not real or not all(ndim for _, ndim, _ in arrays):
            return None
        sizes = tuple(self.lower.context.get_abi_sizeof(self.lower.context.get_data_type(t)) for t in elements)
        lines = _Loops(text, len(operands), arrays, result.ndim, sizes, in_place, result.layout).lines()
        return _defined("\n".join(lines), result.dtype, tuple(self.outside.items()))


@functools.cache
def _defined(text: str, element: Any, outside: tuple[tuple[str, Any], ...]) -> Any:
    names = {**PARTS, "element": element, **dict(outside)}
    exec(compile(text, "<array expression>", "exec"), names)
    return names["expression"]


class _Loops:
    """Writes the function."""

    def __init__(
        self,
        formula: str,
        count: int,
        arrays: tuple[tuple[int, int, str], ...],
        axes: int,
        sizes: tuple[int, ...],
        in_place: bool,
        layout: str,
    ) -> None:
        self.formula, self.count, self.arrays, self.axes, self.sizes = formula, count, arrays, axes, sizes
        self.in_place, self.layout = in_place, layout
        self.done = "        return" if in_place else "        return out"

    def lines(self) -> list[str]:
        shapes = [f"x{k}.shape" for k, _, _ in self.arrays]
        if self.in_place:
            start = ["    out = x0", "    shape = out.shape"]
        else:
            common = functools.reduce(lambda a, b: f"common_shape({a}, {b})", shapes)
            start = [f"    shape = {common}", "    out = empty(shape, element)"]
        strides = [f"    s{k} = broadcast_strides(x{k}.shape, x{k}.strides, shape)" for k, _, _ in self.arrays]
        parameters = ", ".join(f"x{k}" for k in range(self.count))
        body = [*start, *self.alike(), *strides]
        for unit in self.patterns():
            body += self.by_rows(unit)
        last = [] if self.in_place else ["    return out"]
        return [f"def expression({parameters}):", *body, *self.by_element(), *last]

    def alike(self) -> list[str]:
        """The loop over arrays of one shape, all of them C-contiguous."""
        if self.layout != "C" or any(ndim != self.axes or layout != "C" for _, ndim, layout in self.arrays):
            return []
        flat = [f"        v{k} = shaped(x{k}, (x{k}.size,))" for k, _, _ in self.arrays]
        loads = [f"            e{k} = v{k}[i]" for k, _, _ in self.arrays]
        return [
            "    if " + " and ".join(f"x{k}.shape == shape" for k, _, _ in self.arrays) + ":",
            *["        flat = shaped(out, (out.size,))", *flat, "        for i in range(flat.size):"],
            *[*loads, f"            flat[i] = {self.formula}", self.done],
        ]

    def patterns(self) -> list[tuple[bool, ...]]:
        """Which of the arrays have elements side by side in the last axis, and which the same one."""
        count = len(self.arrays)
        if self.axes == 1:
            return []
        together = (True,) * count
        return [p for p in itertools.product((True, False), repeat=2) if any(p)] if count == 2 else [together]

    def by_rows(self, unit: tuple[bool, ...]) -> list[str]:
        last = self.axes - 1
        steps = [(k, self.sizes[k] if one else 0) for (k, _, _), one in zip(self.arrays, unit, strict=True)]
        lines = ["    if " + " and ".join(f"s{k}[{last}] == {step}" for k, step in steps) + ":"]
        lines += self.outer_loops("        ", last)
        inside = "        " + "    " * last
        lines += [f"{inside}b{k} = {self.offset(k, last)}" for k, _ in steps]
        lines += [f"{inside}e{k} = load_at(x{k}, b{k})" for k, step in steps if not step]
        lines.append(f"{inside}for i{last} in range(shape[{last}]):")
        lines += [f"{inside}    e{k} = load_at(x{k}, b{k} + i{last} * {step})" for k, step in steps if step]
        return [*lines, f"{inside}    {self.stored()}", self.done]

    def by_element(self) -> list[str]:
        inside = "    " + "    " * self.axes
        loads = [f"{inside}e{k} = load_at(x{k}, {self.offset(k, self.axes)})" for k, _, _ in self.arrays]
        return [*self.outer_loops("    ", self.axes), *loads, f"{inside}{self.stored()}"]

    def outer_loops(self, indent: str, count: int) -> list[str]:
        return [f"{indent}{'    ' * axis}for i{axis} in range(shape[{axis}]):" for axis in range(count)]

    def offset(self, k: int, count: int) -> str:
        return " + ".join(f"i{axis} * s{k}[{axis}]" for axis in range(count)) or "0"

    def stored(self) -> str:
        indices = ", ".join(f"i{axis}" for axis in range(self.axes))
        return f"out[{indices}] = {self.formula}"

"""Single statements as gast: assignments, writes to arrays, calls, and what is checked, printed or raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from pullback import runtime
from pullback.analysis.aliases import shares_memory
from pullback.analysis.equal_sizes import EqualSizes
from pullback.emission.expressions import Expressions
from pullback.emission.messages import printed, raised
from pullback.emission.spelling import call, constant, name, negated, target_named, tuple_
from pullback.ir import primitives
from pullback.ir.infer import is_advanced, type_of_part
from pullback.ir.nodes import Call, Constant, Effect, Index, Let, Operand, Value, is_scalar, values_in
from pullback.ir.paths import is_whole
from pullback.ir.types import Array, Scalar

_IN_PLACE = {gast.Add, gast.Sub, gast.Mult, gast.Div, gast.FloorDiv, gast.Mod, gast.Pow}


class SingleStatements:
    """Writes the statements without blocks. equal_sizes: the arrays of which the sizes are known to agree."""

    def __init__(self, expressions: Expressions, names: dict[Value, str], equal_sizes: EqualSizes) -> None:
        self.expressions, self.names, self.equal_sizes = expressions, names, equal_sizes

    def let(self, statement: Let) -> list[Any]:
        if statement.function in (primitives.store, primitives.add_at):
            return self.write(statement)
        if statement.function is runtime.keep:
            return [
                gast.Expr(self.expressions.helper(runtime.keep, [*map(self.expressions.operand, statement.operands)]))
            ]
        if statement.function is primitives.product_into:
            return [self.checked(self.product(statement.value), statement.operands)]
        if statement.function is primitives.inverse_into:
            return [self.checked(runtime.inverse_into, statement.operands)]
        if statement.function is primitives.shaped_like:
            return [self.checked(runtime.check_out, statement.operands)]
        text = self.names[statement.value]
        if statement.function is primitives.accumulate and isinstance(statement.value.type, Array):
            return [self.accumulate(statement, text)]
        value = self.expressions.let(statement)
        if isinstance(value, gast.Name) and value.id == text:
            return []
        return [assigned(text, value, isinstance(statement.value.type, Scalar))]

    def product(self, value: Value) -> Any:
        """The helper that writes a product into an array."""
        if value in self.equal_sizes.small:
            return runtime.small_product_into
        return runtime.called_product_into if value in self.equal_sizes.called else runtime.product_into

    def accumulate(self, statement: Let, text: str) -> Any:
        old, new = statement.operands
        addend = self.expressions.operand(new)
        if statement.value in self.equal_sizes.additions and self.names.get(old) == text:
            return gast.Expr(self.expressions.helper(runtime.add_alike, [name(text), addend]))
        total = gast.BinOp(self.expressions.operand(old), gast.Add(), addend)
        if not isinstance(old, Value) or self.names.get(old) != text:
            return assigned(text, total)
        if self.meets(old, new):
            return gast.Expr(self.expressions.helper(runtime.copy_into, [name(text), total]))
        return gast.AugAssign(target_named(text), gast.Add(), addend)

    def meets(self, array: Value, operand: Operand) -> bool:
        """Whether an expression may read the memory that it is added to; Numba, unlike NumPy, writes while it reads."""
        if not self.expressions.compiled or not isinstance(operand, Value) or not isinstance(operand.type, Array):
            return False
        inlined = self.expressions.inlined.get(operand)
        if inlined is None or shares_memory(inlined):
            return self.equal_sizes.arrays.may_share(array, operand)
        return any(self.meets(array, value) for value in values_in(inlined.operands))

    def write(self, statement: Let) -> list[Any]:
        """`array[i] = value`, `array[i] += value`."""
        array, path, value = statement.operands
        written = self.expressions.operand(array)
        adds = statement.function is primitives.add_at
        if is_advanced(path):
            before, index = self.expressions.index_tuple(path)
            if adds or self.expressions.compiled:
                helper = runtime.scatter_add if adds else runtime.scatter
                base, stored = self.expressions.part(written, before), self.expressions.operand(value)
                if self.meets(array, value):
                    stored = call(gast.Attribute(stored, "copy", gast.Load()))
                return [gast.Expr(self.expressions.helper(helper, [base, index, stored]))]
        path = path if isinstance(path[-1], Index) else (*path, Index((Constant(Ellipsis),)))
        target = self.expressions.part(written, path, array.type.ndim > 0)
        target.ctx = gast.Store()
        if adds and not self.meets(array, value):
            return [gast.AugAssign(target, gast.Add(), self.addend(array, path, value))]
        if adds:
            part = self.expressions.part(written, path, array.type.ndim > 0)
            total = gast.BinOp(part, gast.Add(), self.expressions.operand(value))
            return [gast.Assign([target], total, None)]
        return [self.stored(statement, target)]

    def addend(self, array: Value, path: Any, value: Operand) -> Any:
        """What is added to a part; a number for one element: Numba reads x[..., 0] of a vector as a number."""
        expression = self.expressions.operand(value)
        if not self.expressions.compiled or value.type != Array(value.type.dtype, 0):
            return expression
        part = type_of_part(array.type, path) if array.type.ndim > 0 else None
        is_one = not isinstance(part, Array) or part.ndim == 0
        return gast.Subscript(expression, tuple_([]), gast.Load()) if is_one else expression

    def stored(self, statement: Let, target: Any) -> Any:
        """`x[i] = x[i] + v` is written `x[i] += v`, as the user most likely did."""
        array, path, value = statement.operands
        outer = self.expressions.inlined.get(value) if isinstance(value, Value) else None
        inner = None
        if outer is not None and outer.operands and isinstance(outer.operands[0], Value):
            inner = self.expressions.inlined.get(outer.operands[0])
        expression = self.expressions.operand(value)
        same = inner is not None and inner.function is primitives.load and inner.operands == (array, path)
        added = same and isinstance(expression, gast.BinOp) and type(expression.op) in _IN_PLACE
        if added and not any(self.meets(array, operand) for operand in outer.operands[1:]):
            return gast.AugAssign(target, expression.op, expression.right)
        if self.expressions.compiled and isinstance(value.type, Array) and _is_row(array, path):
            row = self.expressions.operand(array)
            row = row if is_whole(path) else self.expressions.part(row, path)
            helper = runtime.copy_alike if statement.value in self.equal_sizes.copies else runtime.copy_into
            return gast.Expr(self.expressions.helper(helper, [row, expression]))
        return gast.Assign([target], expression, None)

    def effect(self, statement: Effect) -> list[Any]:
        match statement.function:
            case primitives.print_ | primitives.print_to:
                return [gast.Expr(printed(self.expressions, statement))]
            case primitives.breakpoint_:
                return [gast.Expr(call(name("breakpoint")))]
            case primitives.write_back:
                array, value = (self.expressions.operand(operand) for operand in statement.operands)
                if self.expressions.compiled:
                    return [gast.Expr(self.expressions.helper(runtime.copy_into, [array, value]))]
                target = gast.Subscript(array, constant(Ellipsis), gast.Store())
                return [gast.Assign([target], value, None)]
            case runtime.check_index | runtime.check_span | runtime.check_elements | runtime.check_apart as helper:
                return [self.checked(helper, statement.operands)]
            case primitives.evaluated:
                value = self.expressions.operand(statement.operands[0])
                return [] if isinstance(value, gast.Name) else [gast.Expr(value)]
            case primitives.raise_:
                kind, *parts = statement.operands
                return raised(self.expressions, kind.value, tuple(parts))
        condition, kind, *parts = statement.operands
        refused = negated(self.expressions.operand(condition))
        return [gast.If(refused, raised(self.expressions, kind.value, tuple(parts)), [])]

    def checked(self, helper: Callable[..., Any], operands: tuple[Operand, ...]) -> Any:
        return gast.Expr(self.expressions.helper(helper, [*map(self.expressions.operand, operands)]))

    def call(self, statement: Call) -> Any:
        if isinstance(statement.function, str):
            made = call(name(statement.function), *map(self.expressions.operand, statement.operands))
        else:
            made = self.expressions.of_helper(statement) or self.expressions.called(statement)
        if not statement.results:
            return gast.Expr(made)
        targets = [target_named(self.names[result]) for result in statement.results]
        target = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
        return gast.Assign([target], made, None)


def assigned(text: str, value: Any, is_number: bool = False) -> Any:
    """`text = value`; for numbers `text += …` where the value starts with the variable itself.

    For an array `+=` would write into memory that others may hold.
    """
    if is_number and isinstance(value, gast.BinOp) and type(value.op) in _IN_PLACE:
        left = value.left
        if isinstance(left, gast.Name) and left.id == text:
            return gast.AugAssign(target_named(text), value.op, value.right)
    return gast.Assign([target_named(text)], value, None)


def _is_row(array: Value, path: Any) -> bool:
    """Whether a path gives numbers for the first axes of an array, and leaves others; or is all of it."""
    items = getattr(path[0], "items", ()) if len(path) == 1 else ()
    rank = getattr(array.type, "ndim", 0)
    return rank > 0 and (is_whole(path) or (all(map(is_scalar, items)) and 0 < len(items) < rank))

"""Statements as gast: blocks become Python blocks, what loops and branches yield becomes assignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from pullback import runtime
from pullback.analysis.aliases import shares_memory
from pullback.analysis.dependence import find_roles
from pullback.analysis.equal_sizes import EqualSizes
from pullback.emit.expressions import Expressions
from pullback.emit.printer import comment, contracted
from pullback.emit.spelling import PARALLEL_RANGE, call, constant, name, tuple_
from pullback.errors import Location
from pullback.ir import primitives
from pullback.ir.builder import constant as number
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Call,
    Constant,
    Effect,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_scalar,
    is_undefined,
    values_in,
)
from pullback.ir.paths import is_whole
from pullback.ir.types import FLOAT, Array, Scalar

_IN_PLACE = {gast.Add, gast.Sub, gast.Mult, gast.Div, gast.FloorDiv, gast.Mod, gast.Pow}


class Statements:
    """Writes blocks; a comment with the user's line stands above each group of statements that come from it."""

    def __init__(
        self,
        expressions: Expressions,
        names: dict[Value, str],
        copied: frozenset[Value],
        comments: bool,
        alike: EqualSizes,
        contracts: bool = False,
    ) -> None:
        self.expressions, self.names, self.copied, self.comments = expressions, names, copied, comments
        self.alike, self.contracts = alike, contracts
        self.said: tuple[str, int] | None = None

    def block(self, block: Block, pending: list[tuple[str, Any, Operand]] | None = None) -> list[Any]:
        """The statements of a block, then the assignments of what it yields; `pass` where there is nothing."""
        written = self.plain(block)
        written += self.assignments(pending or [])
        return written or [gast.Pass()]

    def plain(self, block: Block) -> list[Any]:
        return [line for statement in block.statements for line in self.statement(statement)]

    def statement(self, statement: Statement) -> list[Any]:
        if isinstance(statement, Let) and statement.value in self.expressions.inlined:
            return []
        before = self.remark(statement.location)
        match statement:
            case Let():
                lines = self.let(statement)
            case Effect():
                lines = self.effect(statement)
            case If():
                lines = self.branches(statement)
            case For():
                lines = self.count(statement)
            case While():
                lines = self.repeat(statement)
            case Call():
                lines = [self.call(statement)]
        if self.contracts and isinstance(statement, Let) and statement.location.is_adjoint:
            lines = [part for line in lines for part in ([contracted(), line] if _has_arithmetic(line) else [line])]
        return before + lines if lines else []

    def remark(self, location: Location) -> list[Any]:
        """A comment with the place and text of a line, where it is not the line that was named last."""
        if not self.comments or not location.line or (location.file, location.line) == self.said:
            return []
        self.said = (location.file, location.line)
        file = location.file.rsplit("/", 1)[-1]
        return [comment(f"{file}:{location.line}: {location.text.strip()}")]

    # Single statements

    def let(self, statement: Let) -> list[Any]:
        if statement.function in (primitives.store, primitives.add_at):
            return self.write(statement)
        if statement.function is runtime.keep:
            return [
                gast.Expr(self.expressions.helper(runtime.keep, [*map(self.expressions.operand, statement.operands)]))
            ]
        if statement.function is primitives.product_into:
            small = statement.value in self.alike.small
            return [self.checked(runtime.small_product_into if small else runtime.product_into, statement.operands)]
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

    def accumulate(self, statement: Let, text: str) -> Any:
        old, new = statement.operands
        addend = self.expressions.operand(new)
        if statement.value in self.alike.sums and self.names.get(old) == text:
            return gast.Expr(self.expressions.helper(runtime.add_alike, [name(text), addend]))
        total = gast.BinOp(self.expressions.operand(old), gast.Add(), addend)
        if not isinstance(old, Value) or self.names.get(old) != text:
            return assigned(text, total)
        if self.meets(old, new):
            return gast.Expr(self.expressions.helper(runtime.copy_into, [name(text), total]))
        return gast.AugAssign(_target(text), gast.Add(), addend)

    def meets(self, array: Value, operand: Operand) -> bool:
        """Whether an expression may read the memory that it is added to; Numba, unlike NumPy, writes while it reads."""
        if not self.expressions.compiled or not isinstance(operand, Value) or not isinstance(operand.type, Array):
            return False
        inlined = self.expressions.inlined.get(operand)
        if inlined is None or shares_memory(inlined):
            return self.alike.may_share(array, operand)
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
            return [gast.AugAssign(target, gast.Add(), self.expressions.operand(value))]
        if adds:
            total = gast.BinOp(self.expressions.part(written, path, True), gast.Add(), self.expressions.operand(value))
            return [gast.Assign([target], total, None)]
        return [self.stored(statement, target)]

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
            helper = runtime.copy_alike if statement.value in self.alike.copies else runtime.copy_into
            return gast.Expr(self.expressions.helper(helper, [row, expression]))
        return gast.Assign([target], expression, None)

    def effect(self, statement: Effect) -> list[Any]:
        match statement.function:
            case primitives.print_:
                return [gast.Expr(call(name("print"), *self.message(statement.operands)))]
            case primitives.write_back:
                array, value = (self.expressions.operand(operand) for operand in statement.operands)
                target = gast.Subscript(array, constant(Ellipsis), gast.Store())
                return [gast.Assign([target], value, None)]
            case runtime.check_index | runtime.check_span | runtime.check_apart as helper:
                return [self.checked(helper, statement.operands)]
            case primitives.evaluated:
                value = self.expressions.operand(statement.operands[0])
                return [] if isinstance(value, gast.Name) else [gast.Expr(value)]
            case primitives.raise_:
                kind, *parts = statement.operands
                return [gast.Raise(call(self.expressions.kind(kind.value), *self.message(tuple(parts))), None)]
        condition, kind, *parts = statement.operands
        refused = _negated(self.expressions.operand(condition))
        error = call(self.expressions.kind(kind.value), *self.message(tuple(parts)))
        return [gast.If(refused, [gast.Raise(error, None)], [])]

    def checked(self, helper: Callable[..., Any], operands: tuple[Operand, ...]) -> Any:
        return gast.Expr(self.expressions.helper(helper, [*map(self.expressions.operand, operands)]))

    def message(self, parts: tuple[Operand, ...]) -> list[Any]:
        """What is printed or said; the pieces of an f-string as one, in code that people run."""
        written = []
        for part in parts:
            if not isinstance(part, tuple):
                written.append(self.expressions.operand(part))
            elif self.expressions.compiled:
                written += [self.piece(piece) for piece in part]
            else:
                written.append(gast.JoinedStr([self.formatted(piece) for piece in part]))
        return written

    def piece(self, piece: Any) -> Any:
        return self.expressions.operand(piece[0] if isinstance(piece, tuple) else piece)

    def formatted(self, piece: Any) -> Any:
        if not isinstance(piece, tuple):
            return constant(str(piece.value))
        operand, spec, conversion = piece
        form = gast.JoinedStr([constant(spec.value)]) if spec.value else None
        written = self.expressions.operand(operand)
        if conversion.value == ord("r") and getattr(operand, "type", None) == FLOAT:
            written = call(name("float"), written)  # that of NumPy's is another text
        return gast.FormattedValue(written, conversion.value, form)

    def call(self, statement: Call) -> Any:
        arguments = [self.expressions.operand(operand) for operand in statement.operands]
        targets = [_target(self.names[result]) for result in statement.results]
        target = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
        return gast.Assign([target], call(name(statement.function), *arguments), None)

    # Branches and loops

    def branches(self, statement: If) -> list[Any]:
        sides = []
        said = self.said
        for block in (statement.then, statement.orelse):
            self.said = said
            pairs = zip(statement.results, block.yields, strict=True)
            pending = [(self.names[r], r, y) for r, y in pairs if not is_undefined(y) or r in self.copied]
            sides.append(self.plain(block) + self.assignments(pending))
        condition = self.expressions.operand(statement.condition)
        then, orelse = sides
        if not then and not orelse:
            return []
        if not then:
            return [gast.If(_negated(condition), orelse, [])]
        return [gast.If(condition, then, orelse)]

    def assignments(self, pending: list[tuple[str, Any, Operand]]) -> list[Any]:
        """Several assignments that happen at once; written one by one where none reads what another wrote."""
        needed = [(text, y) for text, _, y in pending if not self.is_name(y, text)]
        ordered: list[tuple[str, Operand]] = []
        while needed:
            free = [
                (text, y)
                for text, y in needed
                if not any(text in self.names_in(other) for t, other in needed if t != text)
            ]
            if not free:
                targets = gast.Tuple([_target(text) for text, _ in needed], gast.Store())
                values = tuple_([self.expressions.operand(y) for _, y in needed])
                return [*(self.assigned(t, y) for t, y in ordered),
                        gast.Assign([targets], values, None)]  # fmt: skip
            ordered += free
            needed = [pair for pair in needed if pair not in free]
        return [self.assigned(text, y) for text, y in ordered]

    def assigned(self, text: str, operand: Operand) -> Any:
        return assigned(text, self.expressions.operand(operand), isinstance(operand.type, Scalar))

    def is_name(self, operand: Operand, text: str) -> bool:
        return isinstance(operand, Value) and self.names.get(operand) == text

    def names_in(self, operand: Operand) -> set[str]:
        found: set[str] = set()
        for value in values_in(operand):
            if value in self.expressions.inlined:
                found |= self.names_in(self.expressions.inlined[value].operands)
            else:
                found.add(self.names[value])
        return found

    def initial(self, statement: For | While) -> list[Any]:
        return self.assignments([(self.names[c.parameter], c.parameter, c.initial) for c in statement.carried])

    def iteration(self, statement: For | While) -> list[Any]:
        """The body of a loop, and what it hands to the next iteration."""
        pairs = zip(statement.carried, statement.body.yields, strict=False)
        pending = [(self.names[c.parameter], c.parameter, y) for c, y in pairs]
        said = self.said
        written = self.plain(statement.body)
        flag = statement.body.yields[-1] if statement.exits else None
        lines = written
        if flag is not None and not self.flag_survives(flag, pending):
            lines = [*written, assigned("stop", self.expressions.operand(flag)), *self.assignments(pending)]
            lines.append(gast.If(name("stop"), [gast.Break()], []))
        else:
            lines = written + self.assignments(pending)
            if flag is not None:
                lines.append(gast.If(self.flag_after(flag, pending), [gast.Break()], []))
        self.said = said
        return lines or [gast.Pass()]

    def flag_survives(self, flag: Operand, pending: list[tuple[str, Any, Operand]]) -> bool:
        """Whether the flag can be tested after the assignments of the iteration."""
        written = {text for text, _, y in pending if not self.is_name(y, text)}
        return not (self.names_in(flag) & written) or any(y is flag for _, _, y in pending)

    def flag_after(self, flag: Operand, pending: list[tuple[str, Any, Operand]]) -> Any:
        for text, _, y in pending:
            if y is flag:
                return name(text)
        return self.expressions.operand(flag)

    def count(self, statement: For) -> list[Any]:
        iterable = self.range(statement)
        target = _target(self.names[statement.index])
        before, contracts = self.initial(statement), self.contracts
        self.contracts = contracts and not _is_map(statement)
        made = gast.For(target, iterable, self.iteration(statement), [], None)
        self.contracts = contracts
        return [*before, made]

    def range(self, statement: For) -> Any:
        start, stop, step = statement.start, statement.stop, statement.step
        if statement.reverse:
            return self.reversed_range(start, stop, step)
        parts = [stop] if start == number(0) and step == number(1) else [start, stop, step]
        if len(parts) == 3 and step == number(1):
            parts = parts[:2]
        kind = PARALLEL_RANGE if statement.parallel else "range"
        return call(name(kind), *(self.expressions.operand(part) for part in parts))

    def reversed_range(self, start: Operand, stop: Operand, step: Operand) -> Any:
        """The same numbers in reverse order: from the last one, start + (n - 1) * step, back to the first."""
        first, last = self.expressions.operand(start), self.expressions.operand(stop)
        if step == number(1):
            return call(name("range"), _minus(last, 1), _minus(first, 1), constant(-1))
        if step == number(-1):
            return call(name("range"), _minus(last, -1), _minus(first, -1))
        by = self.expressions.operand(step)
        iterations = gast.UnaryOp(gast.USub(), gast.BinOp(gast.BinOp(first, gast.Sub(), last), gast.FloorDiv(), by))
        offset = gast.BinOp(gast.BinOp(iterations, gast.Sub(), constant(1)), gast.Mult(), by)
        begin = offset if start == number(0) else gast.BinOp(first, gast.Add(), offset)
        return call(name("range"), begin, gast.BinOp(first, gast.Sub(), by), gast.UnaryOp(gast.USub(), by))

    def repeat(self, statement: While) -> list[Any]:
        before = self.initial(statement)
        tests = self.plain(statement.condition)
        condition = self.expressions.operand(statement.condition.yields[0])
        if not tests:
            return [*before, gast.While(condition, self.iteration(statement), [])]
        leave = gast.If(_negated(condition), [gast.Break()], [])
        return [*before, gast.While(constant(True), [*tests, leave, *self.iteration(statement)], [])]


def assigned(text: str, value: Any, is_number: bool = False) -> Any:
    """`text = value`; for numbers `text += …` where the value starts with the variable itself.

    For an array `+=` would write into memory that others may hold.
    """
    if is_number and isinstance(value, gast.BinOp) and type(value.op) in _IN_PLACE:
        left = value.left
        if isinstance(left, gast.Name) and left.id == text:
            return gast.AugAssign(_target(text), value.op, value.right)
    return gast.Assign([_target(text)], value, None)


def _target(text: str) -> Any:
    return gast.Name(text, gast.Store(), None, None)


def _is_row(array: Value, path: Any) -> bool:
    """Whether a path gives numbers for the first axes of an array, and leaves others; or is all of it."""
    items = getattr(path[0], "items", ()) if len(path) == 1 else ()
    rank = getattr(array.type, "ndim", 0)
    return rank > 0 and (is_whole(path) or (all(map(is_scalar, items)) and 0 < len(items) < rank))


def _negated(condition: Any) -> Any:
    if isinstance(condition, gast.UnaryOp) and isinstance(condition.op, gast.Not):
        return condition.operand
    match condition:
        case gast.Compare(left=left, ops=[gast.Eq()], comparators=right):
            return gast.Compare(left, [gast.NotEq()], right)
        case gast.Compare(left=left, ops=[gast.NotEq()], comparators=right):
            return gast.Compare(left, [gast.Eq()], right)
    return gast.UnaryOp(gast.Not(), condition)


def _minus(value: Any, k: int) -> Any:
    if isinstance(value, gast.Constant):
        return constant(value.value - k)
    return gast.BinOp(value, gast.Sub(), constant(k)) if k > 0 else gast.BinOp(value, gast.Add(), constant(-k))


def _is_map(loop: For) -> bool:
    """Whether iterations write elements of their own: they give the same bits however they are run, at once or not."""
    roles = None if loop.parallel else find_roles(loop)
    return loop.parallel or (roles is not None and not roles.sums)


def _has_arithmetic(line: Any) -> bool:
    """Whether a statement adds or multiplies something."""
    kinds = (gast.Add, gast.Sub, gast.Mult)
    helper = runtime.plus.__name__
    return any(isinstance(n, kinds) or (isinstance(n, gast.Name) and n.id == helper) for n in gast.walk(line))

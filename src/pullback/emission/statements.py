"""Statements as gast: blocks become Python blocks, what loops and branches yield becomes assignments."""

from __future__ import annotations

from typing import Any

import gast

from pullback import runtime
from pullback.analysis.dependence import find_data_sharing
from pullback.analysis.equal_sizes import EqualSizes
from pullback.emission.expressions import Expressions
from pullback.emission.printer import comment, contracted
from pullback.emission.single_statements import SingleStatements, assigned
from pullback.emission.spelling import PARALLEL_RANGE, call, constant, name, negated, target_named, tuple_
from pullback.errors import Location
from pullback.ir.builder import constant as number
from pullback.ir.nodes import (
    Block,
    Call,
    Effect,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_undefined,
    values_in,
)
from pullback.ir.types import Scalar


class Statements:
    """Writes blocks; a comment with the user's line stands above each group of statements that come from it."""

    def __init__(
        self,
        expressions: Expressions,
        names: dict[Value, str],
        copied: frozenset[Value],
        comments: bool,
        equal_sizes: EqualSizes,
        contracts: bool = False,
    ) -> None:
        self.expressions, self.names, self.copied, self.comments = expressions, names, copied, comments
        self.single, self.contracts = SingleStatements(expressions, names, equal_sizes), contracts
        self.said: tuple[str, int] | None = None

    def plain(self, block: Block) -> list[Any]:
        return [line for statement in block.statements for line in self.statement(statement)]

    def statement(self, statement: Statement) -> list[Any]:
        if isinstance(statement, Let) and statement.value in self.expressions.inlined:
            return []
        before = self.remark(statement.location)
        match statement:
            case Let():
                lines = self.single.let(statement)
            case Effect():
                lines = self.single.effect(statement)
            case If():
                lines = self.branches(statement)
            case For():
                lines = self.count(statement)
            case While():
                lines = self.repeat(statement)
            case Call():
                lines = [self.single.call(statement)]
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

    def branches(self, statement: If) -> list[Any]:
        sides = []
        said = self.said
        for block in (statement.then, statement.orelse):
            self.said = said
            pairs = zip(statement.results, block.yields, strict=True)
            pending = [(self.names[r], y) for r, y in pairs if not is_undefined(y) or r in self.copied]
            sides.append(self.plain(block) + self.assignments(pending))
        condition = self.expressions.operand(statement.condition)
        then, orelse = sides
        if not then and not orelse:
            return []
        if not then:
            return [gast.If(negated(condition), orelse, [])]
        return [gast.If(condition, then, orelse)]

    def assignments(self, pending: list[tuple[str, Operand]]) -> list[Any]:
        """Several assignments that happen at once; written one by one where none reads what another wrote."""
        needed = [(text, y) for text, y in pending if not self.is_name(y, text)]
        ordered: list[tuple[str, Operand]] = []
        while needed:
            free = [
                (text, y)
                for text, y in needed
                if not any(text in self.names_in(other) for t, other in needed if t != text)
            ]
            if not free:
                targets = gast.Tuple([target_named(text) for text, _ in needed], gast.Store())
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
        return self.assignments([(self.names[c.parameter], c.initial) for c in statement.carried])

    def iteration(self, statement: For | While) -> list[Any]:
        """The body of a loop, and what it hands to the next iteration."""
        pairs = zip(statement.carried, statement.body.yields, strict=False)
        pending = [(self.names[c.parameter], y) for c, y in pairs]
        said = self.said
        lines = self.plain(statement.body)
        flag = statement.body.yields[-1] if statement.exits else None
        if flag is None:
            lines += self.assignments(pending)
        elif self.flag_survives(flag, pending):
            lines += self.assignments(pending)
            lines.append(gast.If(self.flag_after(flag, pending), [gast.Break()], []))
        else:
            lines += [assigned("stop", self.expressions.operand(flag)), *self.assignments(pending)]
            lines.append(gast.If(name("stop"), [gast.Break()], []))
        self.said = said
        return lines or [gast.Pass()]

    def flag_survives(self, flag: Operand, pending: list[tuple[str, Operand]]) -> bool:
        """Whether the flag can be tested after the assignments of the iteration."""
        written = {text for text, y in pending if not self.is_name(y, text)}
        return not (self.names_in(flag) & written) or any(y is flag for _, y in pending)

    def flag_after(self, flag: Operand, pending: list[tuple[str, Operand]]) -> Any:
        for text, y in pending:
            if y is flag:
                return name(text)
        return self.expressions.operand(flag)

    def count(self, statement: For) -> list[Any]:
        iterable = self.range(statement)
        target = target_named(self.names[statement.index])
        before, contracts = self.initial(statement), self.contracts
        self.contracts = contracts and not _is_map(statement)
        body = self.iteration(statement)
        if statement.catches_errors:
            body = [gast.Try(body, [gast.ExceptHandler(name("Exception"), None, [gast.Pass()])], [], [])]
        made = gast.For(target, iterable, body, [], None)
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
        leave = gast.If(negated(condition), [gast.Break()], [])
        return [*before, gast.While(constant(True), [*tests, leave, *self.iteration(statement)], [])]


def _minus(value: Any, k: int) -> Any:
    if isinstance(value, gast.Constant):
        return constant(value.value - k)
    return gast.BinOp(value, gast.Sub(), constant(k)) if k > 0 else gast.BinOp(value, gast.Add(), constant(-k))


def _is_map(loop: For) -> bool:
    """Whether iterations write elements of their own: they give the same bits however they are run, at once or not."""
    sharing = None if loop.parallel else find_data_sharing(loop)
    return loop.parallel or (sharing is not None and not sharing.reductions)


def _has_arithmetic(line: Any) -> bool:
    """Whether a statement adds or multiplies something."""
    kinds = (gast.Add, gast.Sub, gast.Mult)
    helper = runtime.plus.__name__
    return any(isinstance(n, kinds) or (isinstance(n, gast.Name) and n.id == helper) for n in gast.walk(line))

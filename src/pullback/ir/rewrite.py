"""Rewriting: the same block or statement with operands in other terms, or with other blocks inside."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
    Constant,
    Effect,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    map_values,
)

Part = TypeVar("Part", Block, Let, Effect, If, For, While, Statement)


def substituted(part: Part, terms: Mapping[Value, Operand]) -> Part:
    """A block or statement that reads `terms[value]` wherever it read a value of `terms`.

    >>> from pullback.ir.builder import constant
    >>> from pullback.ir.types import INT
    >>> n, m = Value("n", INT), Value("m", INT)
    >>> substituted(Block((), (n,)), {n: m}).yields
    (m: int64*,)
    """
    made: Any = _block(part, terms) if isinstance(part, Block) else _statement(part, terms)
    return made


def renamed(operand: Operand, terms: Mapping[Value, Operand]) -> Any:
    """An operand in other terms."""
    return map_values(operand, lambda value: terms.get(value, value))


def with_blocks(statement: Statement, change: Callable[[Block], Block]) -> Statement:
    """A statement with each of its own blocks changed; one without blocks as it is."""
    match statement:
        case If():
            return replace(statement, then=change(statement.then), orelse=change(statement.orelse))
        case For():
            return replace(statement, body=change(statement.body))
        case While():
            return replace(statement, condition=change(statement.condition), body=change(statement.body))
    return statement


def without_made(block: Block, values: Container[Value]) -> Block:
    """A block, and the blocks in it, without the statements that make some values."""
    kept = (s for s in block.statements if not (isinstance(s, Let) and s.value in values))
    return Block(tuple(with_blocks(s, lambda inner: without_made(inner, values)) for s in kept), block.yields)


def without(block: Block, terms: Mapping[Value, Operand]) -> Block:
    """A block without the statements that make the values of `terms`, which reads those terms in place of them.

    A term may be another value of `terms`.
    """

    def last(operand: Operand) -> Operand:
        return last(terms[operand]) if isinstance(operand, Value) and operand in terms else operand

    return substituted(without_made(block, terms), {value: last(value) for value in terms})


def with_number(statement: Let, number: Operand) -> Let:
    """The statement as a copy of an integer that is what it computes; simplification removes it."""
    return replace(statement, function=primitives.cast, operands=(number, Constant("int64*")), keywords=())


def like(value: Value) -> Value:
    """A new value of the same name and type."""
    return Value(value.name, value.type, value.of)


def copied(part: Part, terms: dict[Value, Operand], made: Callable[[Value], Value] = like) -> Part:
    """A block or statement in other terms, with values of its own for those it defines; `terms` takes them in.

    made: gives the value of its own for one that it defines.
    """
    return _Copier(terms, made).part(part)


class _Copier:
    def __init__(self, terms: dict[Value, Operand], made: Callable[[Value], Value]) -> None:
        self.terms, self.made = terms, made

    def part(self, part: Any) -> Any:
        return self.block(part) if isinstance(part, Block) else self.statement(part)

    def renamed(self, operand: Operand) -> Any:
        return renamed(operand, self.terms)

    def define(self, value: Value) -> Value:
        made = self.terms[value] = self.made(value)
        return made

    def block(self, block: Block) -> Block:
        return Block(tuple(map(self.statement, block.statements)), self.renamed(block.yields))

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Let():
                operands = self.renamed(statement.operands)
                return replace(statement, value=self.define(statement.value), operands=operands)
            case Effect():
                return replace(statement, operands=self.renamed(statement.operands))
            case For() | While():
                initials = [self.renamed(c.initial) for c in statement.carried]
                pairs = zip(statement.carried, initials, strict=True)
                carried = tuple(Carried(self.define(c.parameter), initial, c.private) for c, initial in pairs)
                statement = replace(statement, carried=carried)
        if isinstance(statement, For):
            bounds = (statement.start, statement.stop, statement.step, statement.checkpoints)
            start, stop, step, most = self.renamed(bounds)
            index = self.define(statement.index)
            statement = replace(statement, index=index, start=start, stop=stop, step=step, checkpoints=most)
        if isinstance(statement, If):
            statement = replace(statement, condition=self.renamed(statement.condition))
        if isinstance(statement, Call):
            statement = replace(statement, operands=self.renamed(statement.operands))
        whole: Any = with_blocks(statement, self.block)
        return replace(whole, results=tuple(map(self.define, whole.results)))


def _block(block: Block, terms: Mapping[Value, Operand]) -> Block:
    return Block(tuple(_statement(s, terms) for s in block.statements), renamed(block.yields, terms))


def _statement(statement: Statement, terms: Mapping[Value, Operand]) -> Statement:
    match statement:
        case If():
            condition = renamed(statement.condition, terms)
            then, orelse = _block(statement.then, terms), _block(statement.orelse, terms)
            return replace(statement, condition=condition, then=then, orelse=orelse)
        case For():
            bounds = (statement.start, statement.stop, statement.step, statement.checkpoints)
            start, stop, step, most = renamed(bounds, terms)
            made = replace(statement, start=start, stop=stop, step=step, checkpoints=most)
            return replace(made, carried=_carried(statement, terms), body=_block(statement.body, terms))
        case While():
            condition = _block(statement.condition, terms)
            return replace(
                statement, condition=condition, carried=_carried(statement, terms), body=_block(statement.body, terms)
            )
    return replace(statement, operands=renamed(statement.operands, terms))


def _carried(statement: For | While, terms: Mapping[Value, Operand]) -> tuple[Carried, ...]:
    return tuple(Carried(c.parameter, renamed(c.initial, terms), c.private) for c in statement.carried)

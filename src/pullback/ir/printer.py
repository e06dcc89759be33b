"""The normal form as text: the same text for the same function on every run."""

from __future__ import annotations

from typing import Any

from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Call,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Permute,
    Reshape,
    Slice,
    Statement,
    Value,
    While,
)


def show(function: Function) -> str:
    """The text of a function, one statement a line; values are numbered in order of definition."""
    return Printer().function(function)


def values_by_name(function: Function) -> dict[str, Value]:
    """The values of a function by the names that they have in its text, in the order in which it defines them."""
    printer = Printer()
    printer.function(function)
    return {name: value for value, name in printer.names.items()}


class Printer:
    """Texts of functions in which a value has the same name in all."""

    def __init__(self) -> None:
        self.names: dict[Value, str] = {}
        self.taken: dict[str, int] = {}

    def function(self, function: Function) -> str:
        parameters = ", ".join(f"{self.define(p)}: {p.type}" for p in function.parameters)
        head = f"{function.name}({parameters}):"
        text = "\n".join([head, *self.block(function.body, 1, "return")])
        return "\n\n".join([text, *(show(callee) for callee in function.callees)])

    def define(self, value: Value) -> str:
        if value in self.names:
            return self.names[value]
        stem = value.name or "t"
        number = self.taken.get(stem, 0)
        self.taken[stem] = number + 1
        self.names[value] = stem if not number and value.name else f"{stem}.{number}"
        return self.names[value]

    def block(self, block: Block, depth: int, ends: str = "yield") -> list[str]:
        lines = [line for statement in block.statements for line in self.statement(statement, depth)]
        return [*lines, "    " * depth + f"{ends} {self.operands(block.yields)}".rstrip()]

    def statement(self, statement: Statement, depth: int) -> list[str]:
        pad = "    " * depth
        match statement:
            case Let():
                text = self.call(statement.function, statement.operands, statement.keywords)
                return [f"{pad}{self.define(statement.value)}: {statement.value.type} = {text}"]
            case Effect():
                return [f"{pad}{self.call(statement.function, statement.operands)}"]
            case Call():
                if isinstance(statement.function, str):
                    text = f"call {statement.function}({self.operands(statement.operands)})"
                else:
                    text = self.call(statement.function, statement.operands, statement.keywords)
                return [f"{pad}{self.results(statement.results)} = {text}"]
            case If():
                head = f"if {self.operand(statement.condition)}:"
                then = self.block(statement.then, depth + 1)
                orelse = self.block(statement.orelse, depth + 1)
                results = self.results(statement.results)
                return [f"{pad}{results} = {head}" if results else pad + head, *then, pad + "else:", *orelse]
            case For():
                bounds = self.operands((statement.start, statement.stop, statement.step))
                kind = "prange" if statement.parallel else "range"
                return self.loop(statement, f"for {self.define(statement.index)} in {kind}({bounds})", depth)
            case While():
                return self.loop(statement, "while", depth)

    def loop(self, statement: For | While, head: str, depth: int) -> list[str]:
        pad = "    " * depth
        carried = ", ".join(self.carried(carried) for carried in statement.carried)
        order = " reversed" if isinstance(statement, For) and statement.reverse else ""
        exits = " until" if statement.exits else ""
        lines = []
        if isinstance(statement, While):
            lines = [*self.block(statement.condition, depth + 1, "test"), pad + "do:"]
        lines += self.block(statement.body, depth + 1)
        results = self.results(statement.results)
        head = f"{head}{order} with ({carried}){exits}:"
        return [f"{pad}{results} = {head}" if results else pad + head, *lines]

    def carried(self, carried: Carried) -> str:
        initial = self.operand(carried.initial)
        return f"{self.define(carried.parameter)}: {carried.parameter.type} = {initial}"

    def results(self, results: tuple[Value, ...]) -> str:
        return ", ".join(self.define(result) for result in results)

    def call(self, function: Any, operands: tuple[Operand, ...], keywords: tuple[str, ...] = ()) -> str:
        texts = [self.operand(operand) for operand in operands]
        split = len(texts) - len(keywords)
        texts[split:] = [f"{keyword}={text}" for keyword, text in zip(keywords, texts[split:], strict=True)]
        return f"{function.__name__}({', '.join(texts)})"

    def operands(self, operands: tuple[Operand, ...]) -> str:
        return ", ".join(self.operand(operand) for operand in operands)

    def operand(self, operand: Operand) -> str:
        match operand:
            case Value():
                return self.names.get(operand, f"?{operand.name}")
            case Constant(value=value):
                if value is UNDEFINED:
                    return "undefined"
                return value.__name__ if isinstance(value, type) else repr(value) if value is not Ellipsis else "..."
            case tuple():
                return f"({self.operands(operand)})"
            case Slice():
                return ":".join("" if p is None else self.operand(p) for p in _parts(operand))
            case Index():
                return f"[{self.operands(operand.items)}]"
            case Permute():
                return f"permute{operand.axes}"
            case Reshape():
                return f"reshape({self.operands(operand.shape)})"
        return "-" if operand is None else repr(operand)


def _parts(part: Slice) -> tuple[Operand | None, ...]:
    return (part.start, part.stop) if part.step is None else (part.start, part.stop, part.step)

"""What is printed, and the arguments of what is raised, as gast: f-strings for people; for Numba, calls of Python.

    print(f"{x:.3f}", i, end="")    →    print_formatted("stdout(float64, int64*)", "{:.3f} {}", x, i)
    raise ValueError(f"bad {i}")    →    raise ValueError(formatted("(int64*)", "bad {}", i))

Numba's own `print` and exceptions know of no formats, and write NumPy's numbers as Python's.
"""

from __future__ import annotations

from typing import Any

import gast

from pullback import runtime
from pullback.emission.expressions import Expressions, dtype_
from pullback.emission.spelling import call, constant, name
from pullback.ir import primitives
from pullback.ir.nodes import Constant, Effect, Operand
from pullback.ir.types import Array, Scalar

_STRING = ord("s")  # as in f"{x!s}": that of a number of 32 bits is shorter than f"{x}"
_PYTHON = {"bool": "bool", "int64": "int", "float64": "float", "complex128": "complex"}


def printed(writer: Expressions, statement: Effect) -> Any:
    """The call that prints."""
    last, stream, flushes, parts = "\n", "stdout", False, statement.operands
    if statement.function is primitives.print_to:
        last, stream, flushes = (operand.value for operand in parts[:3])
        parts = parts[3:]
    if writer.compiled:
        message = _Message()
        form = " ".join(map(message.form, parts)) + _escaped(last)
        signature = f"{stream}{' flush' * flushes}({message.types})"
        return writer.helper(runtime.print_formatted, [constant(signature), constant(form), *message.written(writer)])
    settings: dict[str, Any] = {"end": constant(last)} if last != "\n" else {}
    if stream != "stdout":
        settings["file"] = writer.helper(runtime.standard_stream, [constant(stream)])
    if flushes:
        settings["flush"] = constant(True)
    return call(name("print"), *(_part(writer, part) for part in parts), **settings)


def raised(writer: Expressions, kind: type, parts: tuple[Operand, ...]) -> list[Any]:
    """The statements that raise an exception with these arguments."""
    is_ours = getattr(runtime, kind.__name__, None) is kind
    if not writer.compiled or is_ours or all(_is_text(part) for part in parts):
        items = [writer.operand(part) if is_ours else _argument(writer, part) for part in parts]
        return [gast.Raise(call(writer.kind(kind), *items), None)]
    return [gast.Raise(call(writer.kind(kind), *(_compiled_argument(writer, part) for part in parts)), None)]


def _compiled_argument(writer: Expressions, part: Operand) -> Any:
    """An argument of an exception that Numba raises: a number as it is, all else as a text that Python makes."""
    if _is_text(part):
        return constant(str(part.value))
    operand = part[0] if isinstance(part, tuple) and _is_piece(part) else part
    if not isinstance(operand, tuple) and isinstance(operand.type, Scalar):
        return writer.operand(operand)
    message = _Message()
    form = message.form(part)
    return writer.helper(runtime.formatted, [constant(f"({message.types})"), constant(form), *message.written(writer)])


class _Message:
    """The values in a text, in their order."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def form(self, part: Any) -> str:
        """The text of a part, with places for its values."""
        if isinstance(part, tuple) and not _is_piece(part):
            return "".join(map(self.form, part))
        if _is_text(part):
            return _escaped(part.value)
        if not isinstance(part, tuple):
            part = (part, Constant(""), Constant(_STRING), Constant(str(part.type)))
        operand, specification, conversion, type_ = part
        self.values.append((operand, type_.value))
        how = f"!{chr(conversion.value)}" if conversion.value != -1 else ""
        return f"{{{how}{':' if specification.value else ''}{specification.value}}}"

    @property
    def types(self) -> str:
        return ", ".join(type_ for _, type_ in self.values)

    def written(self, writer: Expressions) -> list[Any]:
        return [writer.operand(operand) for operand, _ in self.values]


def _is_piece(part: tuple[Any, ...]) -> bool:
    """Whether this is a value with its format, and no row of pieces."""
    return len(part) == 4 and isinstance(part[2], Constant) and type(part[2].value) is int


def _is_text(part: Any) -> bool:
    return isinstance(part, Constant) and part.type is None


def _escaped(text: Any) -> str:
    return str(text).replace("{", "{{").replace("}", "}}")


def _part(writer: Expressions, part: Operand) -> Any:
    """A part of a message as people write it."""
    if not isinstance(part, tuple):
        return writer.operand(part)
    return gast.JoinedStr([_formatted(writer, piece) for piece in part])


def _argument(writer: Expressions, part: Operand) -> Any:
    if isinstance(part, tuple) and _is_piece(part):
        return _of_own_type(writer, part[0], part[3].value)
    return _part(writer, part)


def _formatted(writer: Expressions, piece: Any) -> Any:
    if not isinstance(piece, tuple):
        return constant(str(piece.value))
    operand, specification, conversion, type_ = piece
    form = gast.JoinedStr([constant(specification.value)]) if specification.value else None
    is_seen = conversion.value == ord("r")
    written = _of_own_type(writer, operand, type_.value) if is_seen else writer.operand(operand)
    return gast.FormattedValue(written, conversion.value, form)


def _of_own_type(writer: Expressions, operand: Any, type_: str) -> Any:
    """A number as Python's or NumPy's, where that is seen: the text computes with either."""
    written = writer.operand(operand)
    if isinstance(operand.type, Array):
        return written
    return call(name(_PYTHON[type_[:-1]]) if type_.endswith("*") else dtype_(type_), written)

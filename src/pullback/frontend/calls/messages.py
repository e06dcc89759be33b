"""What is printed, and the arguments of exceptions, as operands: texts, and numbers and arrays with their formats."""

from __future__ import annotations

from typing import Any

from pullback.frontend.calls.texts import known_piece
from pullback.frontend.values.bindings import Binding, ListRef, Static, Text, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.ir.nodes import Constant, Operand, is_scalar

REPR, ITSELF = ord("r"), 0
"""Conversions of a piece: `repr` of it, and the value itself, as an argument of an exception."""


def message_parts(context: Context, bindings: tuple[Binding, ...], node: Any) -> tuple[Operand, ...]:
    """What is printed: strings as they are, numbers and arrays as operands."""
    parts: list[Operand] = []
    for binding in bindings:
        match binding:
            case Text():
                parts.append(tuple(piece for part in binding.parts for piece in _pieces(context, part, node)))
            case Static(value=value):
                text = value if isinstance(value, str) else _known_text(context, value, node)
                parts.append(_words(context, text, node))
            case TupleValue() | ListRef():
                parts.append(tuple(_listed(context, binding, node)))
            case _:
                parts.append(context.operand(binding, node))
    return tuple(parts)


def argument_parts(
    context: Context, kind: type[BaseException], bindings: tuple[Binding, ...], node: Any
) -> tuple[Operand, ...]:
    """The arguments of an exception: numbers have the types that they have in Python; other things are texts.

    So these stand alone, in an exception that shows what it is given as it is.
    """
    is_alone = len(bindings) == 1 and kind.__str__ is BaseException.__str__
    for binding in bindings:
        is_text = isinstance(binding, Static) and isinstance(binding.value, str)
        if not is_alone and not is_text and isinstance(binding, Static | TupleValue | ListRef):
            context.refuse(node, f"{described(binding)} is given to an exception", "write one message")
    parts = message_parts(context, bindings, node)
    return tuple(_piece(part, "", ITSELF) if _is_number(part) else part for part in parts)


def _is_number(part: Operand) -> bool:
    """Whether this is a number, which is none of Python's that are known."""
    return is_scalar(part) and not (isinstance(part, Constant) and getattr(part.type, "weak", True))


def _piece(operand: Operand, specification: str, conversion: int) -> Operand:
    """A value with its format, and its type as it is here: passes may put Python's number for NumPy's."""
    type_ = getattr(operand, "type", None)
    return operand, Constant(specification), Constant(conversion), Constant(str(type_))


def _words(context: Context, text: str, node: Any) -> Operand:
    """A text in a message; halves of letters are refused, which crash compiled code."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        context.refuse(node, "a message contains a lone surrogate, which is no letter", "write the letter itself")
    return Constant(text)


def _known_text(context: Context, value: Any, node: Any) -> str:
    """The text of an object that is known before the run."""
    text = repr(value)
    if " at 0x" in text:
        context.refuse(node, f"a message contains {described(Static(value))}, whose text tells where it is", "name it")
    return str(value)


def _pieces(context: Context, part: Any, node: Any) -> list[Operand]:
    """The pieces of a part of an f-string: texts, and values with formats; several for a tuple or list."""
    if isinstance(part, str):
        return [_words(context, part, node)]
    binding, specification, conversion = part
    if isinstance(binding, Text | TupleValue | ListRef | Static):
        if specification or (isinstance(binding, Text) and conversion == REPR):
            context.refuse(node, f"{described(binding)} is formatted in a message", "write it without a format")
        (whole,) = message_parts(context, (binding,), node)
        return list(whole) if isinstance(whole, tuple) else [whole]
    if "{" in specification or "}" in specification:
        context.refuse(node, "a format with a brace in it cannot be followed", "fill with another letter")
    (operand,) = message_parts(context, (binding,), node)
    return [_piece(operand, specification, conversion)]


def _listed(context: Context, binding: TupleValue | ListRef, node: Any) -> list[Operand]:
    """The pieces of a tuple or list as Python writes it: `(1, 'a')`, `[x, y]`, `Point(x=1, y=2)`."""
    items = context.items(binding, node)
    kind = binding.kind if isinstance(binding, TupleValue) else None
    if kind is not None:
        context.refuse(node, f"{described(binding)} stands in a message", "write its parts")
    first, last = ("[", "]") if isinstance(binding, ListRef) else ("(", ",)" if len(items) == 1 else ")")
    pieces: list[Operand] = [Constant(first)]
    for k, item in enumerate(items):
        pieces += [Constant(", ")] if k else []
        if isinstance(item, Static):
            _words(context, str(item.value), node)
            _known_text(context, item.value, node)
            pieces.append(Constant(repr(item.value)))
        elif isinstance(item, Text):
            context.refuse(node, "a text made at run time stands in a tuple or list of a message", "write it apart")
        else:
            known = known_piece((item, "", REPR))
            pieces += [Constant(known)] if known is not None else _pieces(context, (item, "", REPR), node)
    return [*pieces, Constant(last)]

"""Texts: methods and formats of strings, computed where all is known, else put together when the program runs."""

from __future__ import annotations

import re
import string
from typing import Any

from pullback.frontend.calls.iteration import known_items
from pullback.frontend.values.bindings import Binding, DictRef, Static, Text, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_binding, known_value
from pullback.ir.nodes import Constant
from pullback.ir.types import Scalar, is_integer

METHODS = {
    *("capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "index", "isalnum", "isalpha"),
    *("isdigit", "isidentifier", "islower", "isnumeric", "isspace", "istitle", "isupper", "ljust", "lower", "lstrip"),
    *("partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit"),
    *("rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper", "zfill"),
}
"""Methods of strings that take known arguments, and give known results."""

_PLACE = re.compile(r"%(?:(%)|([-+ 0]*)(\d*)(?:\.(\d+))?([srdifeEgGx]))")


def text_method(
    context: Context, text: str, name: str, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """`text.name(*arguments)`."""
    if name == "format":
        return formatted(context, text, arguments, keywords, node)
    if name == "join" and len(arguments) == 1:
        return _joined(context, text, arguments[0], node)
    known = known_value(TupleValue(arguments))
    if known is None or keywords or name not in METHODS:
        context.refuse(node, f"the method '{name}' of a string cannot be followed here", "do it before the call")
    try:
        return known_binding(getattr(text, name)(*known[0]))
    except (TypeError, ValueError) as error:
        context.mistyped(node, f"{type(error).__name__}: {error}")


def _joined(context: Context, text: str, parts: Binding, node: Any) -> Binding:
    items = known_items(context, parts, node)
    if items is None or not all(isinstance(item, Text | Static) for item in items):
        context.refuse(node, "'join' takes strings whose number is known before the run", "print them one by one")
    pieces: list[Any] = []
    for item in items:
        pieces += [*([text] if pieces else []), *(item.parts if isinstance(item, Text) else (item.value,))]
    return text_of(pieces)


def formatted(
    context: Context, text: str, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """`text.format(*arguments, **keywords)`."""
    pieces: list[Any] = []
    free = iter(range(len(arguments)))
    for before, field, specification, conversion in string.Formatter().parse(text):
        pieces.append(before)
        if field is None:
            continue
        key = next(free, len(arguments)) if field == "" else int(field) if field.isdigit() else field
        found = keywords.get(key) if isinstance(key, str) else dict(enumerate(arguments)).get(key)
        if found is None or "{" in (specification or ""):
            context.refuse(node, f"'{{{field}}}' in a format cannot be followed", "write an f-string")
        pieces.append((found, specification or "", ord(conversion) if conversion else -1))
    return text_of(pieces)


def filled(context: Context, text: str, values: Binding, node: Any) -> Binding:
    """`text % values`."""
    if isinstance(values, DictRef):
        context.refuse(node, "a format with '%' is filled from a dict", "write an f-string")
    left = list(values.items if isinstance(values, TupleValue) and values.is_sequence else (values,))
    pieces: list[Any] = []
    end = 0
    for place in _PLACE.finditer(text):
        pieces.append(text[end : place.start()])
        end = place.end()
        percent, flags, width, digits, kind = place.groups()
        if percent:
            pieces.append("%")
            continue
        if not left:
            context.mistyped(node, "not enough arguments for format string")
        value = left.pop(0)
        if kind in "dix" and (digits is not None or not _is_integer(value)):
            reason = f"'{place.group()}' is not followed for a number that is no integer, and not with digits"
            context.refuse(node, reason, "convert it with int(...), or write an f-string")
        pieces.append((value, *_specification(flags, width, digits, kind)))
    if left:
        context.mistyped(node, "not all arguments converted during string formatting")
    if "%" in text[end:] or any(isinstance(piece, str) and "%" in piece and piece != "%" for piece in pieces):
        context.refuse(node, "this format with '%' cannot be followed", "write an f-string")
    return text_of([*pieces, text[end:]])


def _is_integer(value: Binding) -> bool:
    type_ = getattr(value, "type", None)
    return isinstance(type_, Scalar) and (type_.dtype == "bool" or is_integer(type_))


def _specification(flags: str, width: str, digits: str | None, kind: str) -> tuple[str, int]:
    """The same in the language of f-strings: what stands behind the colon, and the conversion."""
    is_text = kind in "sr"
    side = "<" if "-" in flags else ">" if width else ""
    zero = "0" if "0" in flags and not is_text and side != "<" else ""
    sign = "" if is_text else "+" if "+" in flags else " " if " " in flags else ""
    precision = f".{digits}" if digits is not None else ""
    written = f"{'' if zero else side}{sign}{zero}{width}{precision}{'' if is_text else kind.replace('i', 'd')}"
    return written, ord(kind) if is_text else -1


def text_of(pieces: list[Any]) -> Binding:
    """A string of pieces: known where all of them are."""
    written = [known_piece(piece) for piece in pieces]
    if None not in written:
        return Static("".join(part for part in written if part is not None))
    parts = (piece if text is None else text for text, piece in zip(written, pieces, strict=True))
    return Text(tuple(part for part in parts if part != ""))


def known_piece(piece: Any) -> str | None:
    """The text of a piece, if it is known before the run."""
    if isinstance(piece, str):
        return piece
    binding, specification, conversion = piece
    is_known = isinstance(binding, Static) or (isinstance(binding, Constant) and getattr(binding.type, "weak", True))
    if not is_known:
        return None
    value = binding.value
    match conversion:
        case 114:  # r
            value = repr(value)
        case 115:  # s
            value = str(value)
    try:
        return format(value, specification)
    except (TypeError, ValueError):
        return None  # it is raised when the program runs

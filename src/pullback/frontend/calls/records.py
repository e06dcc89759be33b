"""Records with other fields: `_replace` and `_asdict` of namedtuples, and `dataclasses.replace`."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.calls.objects import fields_of
from pullback.frontend.calls.parameters import new_dict
from pullback.frontend.values.bindings import Binding, TupleValue
from pullback.frontend.values.context import Context

RECORDS = Meanings()
METHODS_OF_NAMEDTUPLES = ("_replace", "_asdict")


def is_method_of_namedtuple(record: TupleValue, name: str) -> bool:
    """Whether this is a method that every namedtuple has, and its class has no other."""
    method = getattr(record.kind, name, None) if name in METHODS_OF_NAMEDTUPLES else None
    return getattr(getattr(method, "__code__", None), "co_filename", "") == collections.__file__


def call_of_namedtuple(
    context: Context,
    record: TupleValue,
    name: str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`record._replace(field=value)` or `record._asdict()`."""
    if arguments or (keywords and name == "_asdict"):
        context.mistyped(node, f"{name}() takes {'fields by their names' if name == '_replace' else 'no arguments'}")
    if name == "_asdict":
        return new_dict(context, dict(zip(record.fields, record.items, strict=True)))
    return _with(context, record, keywords, node)


@RECORDS.of(dataclasses.replace)
def _replace(context: Context, node: Any, obj: Binding, /, **changes: Binding) -> Binding:
    if not isinstance(obj, TupleValue) or fields_of(obj.kind) is None or hasattr(obj.kind, "_fields"):
        reason = "dataclasses.replace is followed for dataclasses that are their fields alone"
        context.refuse(node, reason, "call its class")
    return _with(context, obj, changes, node)


def _with(context: Context, record: TupleValue, changes: dict[str, Binding], node: Any) -> Binding:
    unknown = [name for name in changes if name not in record.fields]
    if unknown:
        context.mistyped(node, f"there is no field '{unknown[0]}'", f"the fields are {', '.join(record.fields)}")
    pairs = zip(record.fields, record.items, strict=True)
    return TupleValue(tuple(changes.get(name, item) for name, item in pairs), record.kind, record.fields)

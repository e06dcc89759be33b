"""Bindings, and what cells hold, with other numbers: behind a branch, where those are results of it, say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pullback.frontend.values.bindings import (
    Alias,
    ArrayRef,
    Bound,
    Derived,
    Local,
    MaybeUnset,
    Method,
    OneTime,
    PointsTo,
    Stack,
    TupleValue,
)
from pullback.ir.nodes import Value, map_values


def mapped(binding: Any, change: Callable[[Value], Any]) -> Any:
    """A binding with its numbers exchanged; the same object where they stay."""
    match binding:
        case Value():
            return change(binding)
        case ArrayRef(path=(_, *_)):
            path = map_values(binding.path, change)
            return binding if path == binding.path else ArrayRef(binding.cell, path)
        case TupleValue():
            items = tuple(mapped(item, change) for item in binding.items)
            return binding if _are_same(items, binding.items) else TupleValue(items, binding.kind, binding.fields)
        case MaybeUnset():
            return replace(binding, binding=mapped(binding.binding, change), flag=change(binding.flag))
        case OneTime():
            return replace(binding, over=mapped(binding.over, change))
        case Method() | Bound():
            return replace(binding, receiver=mapped(binding.receiver, change))
        case Derived():
            return replace(binding, function=mapped(binding.function, change))
        case Local():
            return _mapped_defaults(binding, change)
        case (key, item):
            made = mapped(item, change)
            return binding if made is item else (key, made)
    return binding


def _mapped_defaults(local: Local, change: Callable[[Value], Any]) -> Local:
    defaults = tuple(mapped(default, change) for default in local.defaults)
    keyword_defaults = tuple(mapped(default, change) for default in local.keyword_defaults)
    same = _are_same(defaults + keyword_defaults, local.defaults + local.keyword_defaults)
    return local if same else replace(local, defaults=defaults, keyword_defaults=keyword_defaults)


def mapped_content(content: Any, change: Callable[[Value], Any]) -> Any:
    """What a cell holds, with its values exchanged; the same object where they stay."""
    if isinstance(content, Value):
        return change(content)
    if isinstance(content, Stack):
        buffer, length = change(content.buffer), change(content.length)
        same = _are_same((buffer, length), (content.buffer, content.length))
        return content if same else Stack(buffer, length, content.form)
    items = tuple(mapped(item, change) for item in content)
    return content if _are_same(items, content) else items


def mapped_points_to(points_to: PointsTo, change: Callable[[Value], Any]) -> PointsTo:
    """Whose memory a cell is, with other values."""
    aliases = tuple(Alias(map_values(a.holds, change), mapped(a.ref, change)) for a in points_to.aliases)
    return PointsTo(aliases, map_values(points_to.own, change), points_to.moved)


def _are_same(items: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return all(item is other for item, other in zip(items, others, strict=True))

"""What a list or dict holds: a tuple of items, or of pairs of a key and a value."""

from __future__ import annotations

from typing import Any


def keys_in(content: Any) -> list[Any]:
    """The keys of a dict; None for each item of a list."""
    return [item[0] if isinstance(item, tuple) else None for item in content]


def values_in_content(content: Any) -> list[Any]:
    """The items of a list, or the values of a dict."""
    return [item[1] if isinstance(item, tuple) else item for item in content]


def with_values(content: Any, values: list[Any]) -> Any:
    """The content of a list or dict with other items or values."""
    pairs = zip(content, values, strict=True)
    return tuple((item[0], value) if isinstance(item, tuple) else value for item, value in pairs)

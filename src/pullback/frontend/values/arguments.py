"""Arguments: nested structures of numbers and arrays are taken apart at the boundary, and put together again.

A Form describes a structure: a leaf with its type, something known before the run, or a container of Forms.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pullback.functions import record_in_place_of
from pullback.functions.objects import fields_of, is_static, part_of
from pullback.ir.types import Type, type_of


@dataclasses.dataclass(frozen=True, slots=True)
class Leaf:
    """A number or array that is passed at run time."""

    type: Type


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Known:
    """An object that is part of the specialisation: None, a string, a function, a class, another object."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[type, Any]:
        plain = self.value is None or isinstance(self.value, str | int | float | complex | bool)
        return (type(self.value), repr(self.value) if plain else id(self.value))


@dataclasses.dataclass(frozen=True, slots=True)
class Sequence_:
    """A tuple, list, namedtuple or dataclass; `names` are the fields of the last two."""

    kind: type
    items: tuple[Form, ...]
    names: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Mapping_:
    """A dict, or an OrderedDict: `kind` is what is made of it anew."""

    keys: tuple[Any, ...]
    items: tuple[Form, ...]
    kind: type = dict


Form = Leaf | Known | Sequence_ | Mapping_


def form_of(value: Any) -> Form:
    """The Form of an argument.

    >>> form_of({"w": 1.0, "mode": "fast"}).keys
    ('w', 'mode')
    """
    type_ = type_of(value)
    if type_ is not None:
        return Leaf(type_)
    if isinstance(value, dict):
        kind = OrderedDict if isinstance(value, OrderedDict) else dict
        return Mapping_(tuple(value), tuple(form_of(item) for item in value.values()), kind)
    if isinstance(value, tuple | list):
        return Sequence_(type(value), tuple(form_of(item) for item in value), getattr(value, "_fields", ()))
    record = record_in_place_of(type(value))
    if record is not None:
        names = fields_of(record)
        parts = ((name, part_of(record, value, name)) for name in names)
        return Sequence_(record, tuple(Known(v) if is_static(record, n) else form_of(v) for n, v in parts), names)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(field.name for field in dataclasses.fields(value))
        return Sequence_(type(value), tuple(form_of(getattr(value, name)) for name in names), names)
    return Known(value)


def leaves_of(value: Any, form: Form) -> Iterator[Any]:
    """The numbers and arrays of a value, in the order of its Form."""
    match form:
        case Leaf():
            yield value
        case Mapping_():
            for key, item in zip(form.keys, form.items, strict=True):
                yield from leaves_of(value[key], item)
        case Sequence_():
            for item_value, item in zip(items_of(value, form), form.items, strict=True):
                yield from leaves_of(item_value, item)


def leaves_in(bound: Mapping[str, Any], forms: Mapping[str, Form]) -> list[Any]:
    """The numbers and arrays of a call's arguments, in the order of their Forms."""
    return [leaf for name, form in forms.items() for leaf in leaves_of(bound[name], form)]


def items_of(value: Any, form: Sequence_) -> Sequence[Any]:
    """The items of a tuple, list or record."""
    return value if isinstance(value, tuple | list) else [part_of(form.kind, value, name) for name in form.names]


def leaf_count(form: Form) -> int:
    """How many numbers and arrays a Form has."""
    match form:
        case Leaf():
            return 1
        case Known():
            return 0
    return sum(map(leaf_count, form.items))


def leaf_types(form: Form) -> list[Type]:
    match form:
        case Leaf():
            return [form.type]
        case Known():
            return []
    return [type_ for item in form.items for type_ in leaf_types(item)]


def holders_of(form: Form, holder: type = object) -> Iterator[type]:
    """For each number and array of a Form the class of what it is an item or attribute of.

    >>> list(holders_of(form_of([1.0, {"w": 2.0}])))
    [<class 'list'>, <class 'dict'>]
    """
    match form:
        case Leaf():
            yield holder
        case Mapping_() | Sequence_():
            for item in form.items:
                yield from holders_of(item, form.kind)


def leaf_places(form: Form, name: str) -> Iterator[str]:
    """How each number and array of an argument is written.

    >>> list(leaf_places(form_of({"w": 1.0, "sizes": [2, 3]}), "p"))
    ['p["w"]', 'p["sizes"][0]', 'p["sizes"][1]']
    """
    match form:
        case Leaf():
            yield name
        case Mapping_():
            for key, item in zip(form.keys, form.items, strict=True):
                text = f'"{key}"' if isinstance(key, str) else repr(key)
                yield from leaf_places(item, f"{name}[{text}]")
        case Sequence_():
            for k, item in enumerate(form.items):
                yield from leaf_places(item, f"{name}.{form.names[k]}" if form.names else f"{name}[{k}]")


def rebuild(form: Form, leaves: Iterator[Any], other: Callable[[Any], Any] = lambda value: value) -> Any:
    """The structure of a Form filled with new leaves; what was known beforehand passes through `other`."""
    match form:
        case Leaf():
            return next(leaves)
        case Known():
            return other(form.value)
        case Mapping_():
            return form.kind((k, rebuild(item, leaves, other)) for k, item in zip(form.keys, form.items, strict=True))
    items = [rebuild(item, leaves, other) for item in form.items]
    plain = issubclass(form.kind, tuple | list) and not hasattr(form.kind, "_fields")
    return form.kind(items) if plain else form.kind(*items)

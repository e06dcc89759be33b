"""Objects from outside of which the run chooses one: records of their attributes, if they are of one class of the user.

hit = None
for sphere in SPHERES:                         `hit` is a record of what the spheres are made of
    if distance(ray, sphere) < nearest:
        nearest, hit = ..., sphere
"""

from __future__ import annotations

import enum
from typing import Any

import gast

from pullback.frontend.source.outside import Dependency, Shape, comes_from
from pullback.frontend.values.bindings import Binding, Static, TupleValue
from pullback.frontend.values.context import Context


def are_of_one_class(a: Binding, b: Binding) -> bool:
    """Whether two bindings are records of one class, or objects from outside that can be read as such."""
    kind = _kind_of(a)
    return kind is not None and kind is _kind_of(b) and (isinstance(a, Static) or isinstance(b, Static))


def _kind_of(binding: Binding) -> type | None:
    """The class of a record, or of an object from outside that is no more than its attributes."""
    if isinstance(binding, TupleValue):
        return binding.kind
    if not isinstance(binding, Static) or not hasattr(binding.value, "__dict__"):
        return None
    kind = type(binding.value)
    is_plain = type.__getattribute__(kind, "__getattribute__") is object.__getattribute__ and type(kind) is type
    is_of_user = not comes_from(kind, "numba", "scipy", "pullback")
    return kind if is_plain and is_of_user and not issubclass(kind, enum.Enum | tuple | list | dict) else None


def as_record(context: Context, binding: Binding, node: Any) -> TupleValue:
    """A record, or an object from outside as one."""
    if isinstance(binding, TupleValue):
        return binding
    assert isinstance(binding, Static), "what is no record is an object from outside"
    attributes = vars(binding.value)
    context.depend(Dependency(binding.value, "__dict__", Shape.of(attributes)))
    key = (context.frame.number, "<object>")
    context.state.names[key] = binding
    name = gast.Name("<object>", gast.Load(), None, None)
    items = tuple(
        context.evaluate(gast.copy_location(gast.Attribute(name, attribute, gast.Load()), node))
        for attribute in attributes
    )
    del context.state.names[key]
    return TupleValue(items, type(binding.value), tuple(attributes))

"""What a function uses from outside: it is looked up again on each call; arrays and numbers become hidden arguments."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from pullback.frontend.source.externals import External
from pullback.frontend.source.outside import ABSENT, LIBRARIES, Dependency, Place, Shape, place_key
from pullback.frontend.source.passed import elements_in, is_tensor
from pullback.frontend.tapes.blocks import know_variable
from pullback.frontend.values.bindings import ArrayRef, Binding, Cell, DictRef, ListRef, Static, TupleValue
from pullback.frontend.values.captures import Capture
from pullback.frontend.values.context import Context
from pullback.functions import record_in_place_of
from pullback.functions.generators import FromOutside
from pullback.functions.objects import fields_of, is_static
from pullback.ir.classes import as_number, obstacle
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import INT, Array, type_of, within
from pullback.runtime.python.generators import States, Stream, stream_of


def lookup_outside(context: Context, function: Callable[..., Any] | None, name: str, node: Any) -> Binding:
    """What a free name stands for: closure first, then the module, then the builtins."""
    assert function is not None, "a function read from source has a Python function behind it"
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if name in cells:
        try:
            return binding_of(context, cells[name].cell_contents, cells[name], name, node)
        except ValueError:
            context.mistyped(node, f"'{name}' has no value yet in the enclosing function")
    if name in function.__globals__:
        return binding_of(context, function.__globals__[name], function.__globals__, name, node)
    known = vars(builtins)
    if name in known:
        context.depend(Dependency(function.__globals__, name, ABSENT), Dependency(known, name, known[name]))
        return Static(known[name])
    context.mistyped(node, f"the name '{name}' is not defined")


def binding_of(context: Context, value: Any, namespace: Any, name: Any, node: Any) -> Binding:
    """A Python object from outside as a binding; the namespace and name say where to look it up again."""
    if is_tensor(value):
        context.depend(Dependency(namespace, name, value))
        return _capture(context, value, namespace, name)
    refuse_obstacle(context, value, namespace, name, node)
    if isinstance(value, np.ndarray):
        context.depend(Dependency(namespace, name, type_of(value)))
        return _capture(context, value, namespace, name)
    if isinstance(value, list | tuple | dict):
        return _container(context, value, namespace, name, node)
    if _varies(context, value, namespace, name):
        context.depend(Dependency(namespace, name, type_of(value)))
        return _capture(context, value, namespace, name)
    if not _is_library(namespace):
        context.depend(Dependency(namespace, name, value))
    record = record_in_place_of(type(value))
    if record is not None:
        return _object(context, value, record, node)
    return constant_of(context, value, name, node)


def refuse_obstacle(context: Context, value: Any, namespace: Any, name: Any, node: Any) -> None:
    """Refuse an object whose operations are not NumPy's, with its place."""
    found = obstacle(value)
    if found is not None:
        path = _path_of(namespace, name)
        context.mistyped(node, f"'{path}' {found.reason}", found.remedy.format(path))


def _varies(context: Context, value: Any, namespace: Any, name: Any) -> bool:
    """Whether an object is a number that is passed on each call, so that code serves all of its values.

    A bool switches something on or off, and constants of mathematics stay what they are.
    """
    type_ = type_of(value)
    if context.fixed is None or type_ is None or type_.dtype == "bool" or place_key(namespace, name) in context.fixed:
        return False
    is_plain = type(value) in (int, float) or isinstance(value, np.generic)
    if not is_plain or (isinstance(value, int) and within(value, "int64") != value):
        return False
    is_known = any(value is known for known in _KNOWN) or _is_library(namespace)
    return not is_known and not (isinstance(namespace, Place) and len(namespace.get()) > MOST_NUMBERS)


_KNOWN = (math.pi, math.e, math.tau, math.inf, math.nan, np.pi, np.e, np.inf, np.nan, np.euler_gamma)
MOST_NUMBERS = 20
"""In a longer list, tuple or dict, numbers are constants."""


def constant_of(context: Context, value: Any, name: Any, node: Any) -> Binding:
    """An object that is fixed into the code: a number, or whatever else is known before the run."""
    type_ = type_of(value)
    if type_ is not None:
        return Constant(value.item() if isinstance(value, np.generic) else as_number(value), type_)
    return Static(value)


def _is_library(namespace: Any) -> bool:
    """Whether a namespace is a module that nobody changes: what stands in it is not looked up again."""
    return isinstance(namespace, ModuleType) and namespace.__name__.partition(".")[0] in LIBRARIES


def _path_of(namespace: Any, name: Any) -> str:
    """The text that means what stands at a place: `weights`, or `params['b']` in a container."""
    if not isinstance(namespace, Place):
        return str(name)
    return f"{_path_of(namespace.namespace, namespace.name)}[{name!r}]"


def _container(context: Context, value: Any, namespace: Any, name: Any, node: Any) -> Binding:
    """A container from outside, with places inside it looked up again on each call."""
    context.depend(Dependency(namespace, name, Shape.of(value)))
    place = Place(namespace, name)
    cell = Cell(name, constant=f"'{name}' comes from outside this function and cannot be changed here")
    if isinstance(value, dict):
        entries = tuple((key, binding_of(context, item, place, key, node)) for key, item in value.items())
        context.state.cells[cell] = entries
        return DictRef(cell)
    items = tuple(binding_of(context, item, place, k, node) for k, item in enumerate(value))
    if isinstance(value, list):
        context.state.cells[cell] = items
        return ListRef(cell)
    kind = type(value) if hasattr(value, "_fields") else None
    return TupleValue(items, kind, getattr(value, "_fields", ()))


def _object(context: Context, value: Any, record: type, node: Any) -> Binding:
    """An object that is followed as a record; what is in its fields is looked up again on each call."""
    if issubclass(record, FromOutside):
        return generator_outside(context, value)
    items: list[Binding] = []
    for field in fields_of(record):
        part = getattr(value, field)
        if is_static(record, field):
            context.depend(Dependency(value, field, part))
            items.append(constant_of(context, part, field, node))
        else:
            items.append(binding_of(context, part, value, field, node))
    return TupleValue(tuple(items), record, fields_of(record))


def generator_outside(context: Context, generator: Any) -> TupleValue:
    """A random generator from outside, by its number."""
    record = record_in_place_of(type(generator))
    assert record is not None, "generators have records"
    return TupleValue((number_of(context, stream_of(generator)),), record, fields_of(record))


def _identity(value: Any, namespace: Any, name: Any) -> Any:
    """What tells one captured object from another.

    For tensors the object: it may stand at several places, each of which is looked up again. For arrays the place, even
    where one array stands at two: either may be changed later.
    """
    return id(value) if is_tensor(value) else place_key(namespace, name)


def _capture(context: Context, value: Any, namespace: Any, name: Any) -> Binding:
    key = _identity(value, namespace, name)
    if key not in context.captures:
        context.captures[key] = _captured(context, value, namespace, name)
        capture, binding = context.captures[key]
        if hasattr(value, "assign"):
            cell = binding.cell if isinstance(binding, ArrayRef) else None
            know_variable(context, capture.parameter, cell, bool(value.trainable))
    capture, binding = context.captures[key]
    present = context.watching.shown(capture.parameter)
    if not isinstance(binding, ArrayRef):
        return present
    context.state.cells.setdefault(binding.cell, present)
    return binding


def number_of(context: Context, external: External | Stream | States) -> Value:
    """What an external function or a random generator is called by, a hidden argument: another one in each process."""
    if external not in context.captures:
        parameter = Value(external.__name__, INT)
        context.captures[external] = Capture(external, "number", parameter), parameter
    capture, _ = context.captures[external]
    return context.watching.shown(capture.parameter)


def _captured(context: Context, value: Any, namespace: Any, name: Any) -> tuple[Capture, Binding]:
    changes = id(value) in context.watching.assigned
    elements = elements_in(value)
    type_ = type_of(np.asarray(elements) if changes else elements)
    assert type_ is not None, "a captured array has a type"
    parameter = Value(_label(value, namespace, name), type_)
    capture = Capture(namespace, name, parameter, changes)
    if not isinstance(type_, Array):
        return capture, parameter
    reason = f"'{name}' comes from outside this function and cannot be written here"
    return capture, ArrayRef(Cell(parameter.name, constant=reason))


def _label(value: Any, namespace: Any, name: Any) -> str:
    """What a captured object is called in the generated text: an item of a list by its own name or those around it."""
    own = str(getattr(value, "name", ""))
    if isinstance(name, str) or not isinstance(namespace, Place):
        return str(name)
    if own.isidentifier() and own != type(value).__name__:
        return own
    return f"{_label(None, namespace.namespace, namespace.name)}_{name}"

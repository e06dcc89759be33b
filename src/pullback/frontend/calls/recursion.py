"""Recursion: a function that calls itself becomes a Function of its own, and its calls become Call statements.

All other calls are read in place. The type of the result is found by reading the body until it settles: at first a
recursive call has no result, so that the branches without one decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from pullback.frontend.source.externals import External
from pullback.frontend.values.arguments import Form, Leaf, leaf_types
from pullback.frontend.values.bindings import ArrayRef, Binding, Cell, Static
from pullback.frontend.values.context import Context, Pending
from pullback.frontend.values.stacks import cast_to
from pullback.ir.nodes import Block, Call, Constant, Function, Operand, Value
from pullback.ir.types import Array, Scalar, Type

MOST_READINGS = 6


class Recursion(Exception):
    """Raised where a function that is being read in place turns out to call itself."""

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function.__name__)
        self.function = function


@dataclass(slots=True)
class Callee:
    """A recursive function for arguments of certain types; `form` is None until its result is known."""

    name: str
    form: Form | None = None
    function: Function | None = None


Reader = Callable[[Context, dict[str, Binding]], tuple[list[Operand], Form]]
Rebuild = Callable[[Context, Form, list[Value]], Binding]


def key_of(context: Context, function: FunctionType, bound: dict[str, Binding], node: Any) -> tuple[Any, ...]:
    """What tells one specialisation of a recursive function from another."""
    return (function, tuple(_kind(context, name, binding, node) for name, binding in bound.items()))


def _kind(context: Context, name: str, binding: Binding, node: Any) -> Any:
    match binding:
        case Static(value=value):
            return (type(value), id(value))
        case ArrayRef():
            return _plain(context.read(binding, node).type)
        case Value() | Constant() if binding.type is not None:
            return _plain(binding.type)
    context.refuse(node, f"'{name}' is a structure, and the function calls itself", "pass numbers and arrays")


def _plain(type_: Type) -> Type:
    """Weak and strong numbers of Python's dtypes are one: a recursive call may turn one into the other."""
    if isinstance(type_, Scalar) and type_.dtype in ("float64", "int64", "bool", "complex128"):
        return Scalar(type_.dtype, weak=True)
    return type_


def call_recursive(
    context: Context, key: tuple[Any, ...], bound: dict[str, Binding], read: Reader, rebuild: Rebuild, node: Any
) -> Binding:
    """A call of a function that calls itself."""
    if key not in context.callees:
        context.callees[key] = Callee(_name_of(key[0].__name__, context))
        try:
            _read_callee(context, key, bound, read, node)
        except Exception:
            del context.callees[key]  # what reads the call in another way, reads it anew
            raise
    callee: Callee = context.callees[key]
    if callee.form is None:
        raise Pending((0, callee.name))
    operands = [context.operand(b, node) for b in bound.values() if not isinstance(b, Static)]
    types = [_plain(operand.type) for operand in operands]
    with context.builder.at(context.location(node)):
        given = tuple(cast_to(context, operand, type_) for operand, type_ in zip(operands, types, strict=True))
        results = tuple(Value("", type_) for type_ in leaf_types(callee.form))
        context.builder.add(Call(callee.name, given, results, context.location(node)))
    return rebuild(context, callee.form, list(results))


def _name_of(name: str, context: Context) -> str:
    """A name for one specialisation of a function, which is not that of another one's derivative."""
    if name.endswith(("_with_partials", "_pullback")):
        name += "_itself"
    taken = sum(callee.name.startswith(name) for callee in context.callees.values())
    return name + (f"_{taken + 1}" if taken else "")


def _read_callee(context: Context, key: tuple[Any, ...], bound: dict[str, Binding], read: Reader, node: Any) -> None:
    callee: Callee = context.callees[key]
    for _ in range(MOST_READINGS):
        inner = context.inner()
        parameters: list[Value] = []
        with inner.builder.block() as statements:
            given = {
                name: _parameter(inner, name, b, k, parameters)
                for (name, b), k in zip(bound.items(), key[1], strict=True)
            }
            try:
                leaves, form = read(inner, given)
            except Pending as pending:
                if pending.key != (0, callee.name):
                    raise
                reason = f"'{callee.name}' never returns without calling itself"
                context.refuse(node, reason, "return something before the call, in a branch")
            types = leaf_types(form)
            if callee.form is not None:
                types = [_plain(type_) for type_ in leaf_types(callee.form)]
            leaves = [cast_to(inner, leaf, _plain(type_)) for leaf, type_ in zip(leaves, types, strict=True)]
        _check(context, inner, node)
        settled = callee.form is not None and leaf_types(callee.form) == [_plain(t) for t in leaf_types(form)]
        callee.form = _plain_form(form)
        location = inner.location(node)
        callee.function = Function(
            callee.name, tuple(parameters), Block(tuple(statements), tuple(leaves)), (), location
        )
        context.dependencies |= inner.dependencies
        if settled:
            return
    context.refuse(node, f"the result of '{callee.name}' has no type that settles", "return the same type everywhere")


def _plain_form(form: Form) -> Form:
    if isinstance(form, Leaf):
        return Leaf(_plain(form.type))
    items = getattr(form, "items", None)
    if items is None:
        return form
    return type(form)(**{**{f: getattr(form, f) for f in form.__slots__}, "items": tuple(map(_plain_form, items))})


def _parameter(context: Context, name: str, binding: Binding, kind: Any, parameters: list[Value]) -> Binding:
    if isinstance(binding, Static):
        return binding
    value = Value(name, kind)
    parameters.append(value)
    if not isinstance(kind, Array):
        return value
    cell = Cell(name, constant=f"'{name}' is written by a function that calls itself")
    context.state.cells[cell] = value
    return ArrayRef(cell)


def _check(context: Context, inner: Context, node: Any) -> None:
    """Refuse what a function that calls itself uses from outside: its calls pass the arguments alone."""
    if inner.captures:
        capture = next(iter(inner.captures.values()))[0]
        if isinstance(capture.namespace, External):
            reason = f"a function that calls itself calls '{capture.parameter.name}', which is not read"
            context.refuse(node, reason, "write a loop")
        reason = f"a function that calls itself uses the array '{capture.name}' from outside"
        context.refuse(node, reason, "pass it along")

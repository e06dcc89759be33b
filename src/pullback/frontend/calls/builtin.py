"""What Python's builtin functions mean."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from pullback import runtime
from pullback.frontend.calls.apply import apply, apply_operator
from pullback.frontend.calls.indexing import type_of_ref
from pullback.frontend.calls.iteration import iterate, trip_count
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Bound,
    DictRef,
    ListRef,
    Local,
    Method,
    Range,
    Stack,
    Static,
    Text,
    TupleValue,
)
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import BOOL, FLOAT, INT, Array, Scalar

BUILTIN = Meanings()


@BUILTIN.of(builtins.len)
def _len(context: Context, node: Any, obj: Binding, /) -> Binding:
    match obj:
        case TupleValue():
            return constant(len(obj.items))
        case ListRef() | DictRef():
            content = context.version(obj.cell, node)
            length: Binding = constant(len(content)) if isinstance(content, tuple) else content.length
            return length
        case ArrayRef():
            return context.let(node, primitives.dim, context.read(obj, node), constant(0))
        case Range():
            return trip_count(context, obj, node)
        case Static(value=str() as text):
            return constant(len(text))
    context.mistyped(node, "this has no length")


@BUILTIN.of(builtins.callable)
def _callable(context: Context, node: Any, obj: Binding, /) -> Binding:
    return constant(callable(obj.value) if isinstance(obj, Static) else isinstance(obj, Local | Method | Bound))


@BUILTIN.of(builtins.tuple)
def _tuple(context: Context, node: Any, iterable: Binding | None = None, /) -> Binding:
    return TupleValue(context.items(iterable, node) if iterable is not None else ())


@BUILTIN.of(builtins.list)
def _list(context: Context, node: Any, iterable: Binding | None = None, /) -> Binding:
    if iterable is None:
        return context.new_list(())
    source = iterate(context, iterable, node)
    if isinstance(source, tuple):
        return context.new_list(source)
    context.refuse(node, "a list is made of something whose length is a matter of the run", "use the array itself")


@BUILTIN.of(builtins.dict)
def _dict(context: Context, node: Any, mapping: Binding | None = None, /, **named: Binding) -> Binding:
    entries: dict[Any, Binding] = {}
    if mapping is not None:
        if not isinstance(mapping, DictRef):
            context.refuse(node, "dict(...) of this cannot be followed", "write a dict literal")
        entries = dict(context.version(mapping.cell, node))
    ref = context.new_list(())
    context.state.cells[ref.cell] = tuple({**entries, **named}.items())
    return DictRef(ref.cell)


@BUILTIN.of(builtins.isinstance)
def _isinstance(context: Context, node: Any, binding: Binding, kinds: Binding, /) -> Binding:
    several: tuple[Any, ...] = kinds.items if isinstance(kinds, TupleValue) else (kinds,)
    asked = [k.value for k in several]
    kind: Any = {ArrayRef: np.ndarray, ListRef: list, DictRef: dict}.get(type(binding))
    if isinstance(binding, TupleValue):
        kind = binding.kind or tuple
    elif isinstance(binding, Static):
        kind = type(binding.value)
    elif isinstance(binding, Value | Constant) and binding.type is not None:
        weak = {"float64": float, "int64": int, "bool": bool}
        kind = weak[binding.type.dtype] if getattr(binding.type, "weak", False) else np.dtype(binding.type.dtype).type
    return constant(kind is not None and any(issubclass(kind, k) for k in asked))


def _conversion(python: type[float] | type[int] | type[bool], dtype: str, type_: Scalar) -> Meaning:
    def convert(context: Context, node: Any, x: Binding | None = None, /) -> Binding:
        if x is None:
            return constant(python())
        if isinstance(x, Static) and isinstance(x.value, str):
            return constant(python(x.value))
        operand = context.scalar(x, node)
        if operand.type == type_:
            return operand
        if isinstance(operand, Constant) and isinstance(operand.type, Scalar) and operand.type.weak:
            return constant(python(operand.value))
        with context.builder.at(context.location(node)):
            return context.builder.cast(operand, dtype + "*")

    return convert


BUILTIN[builtins.float] = _conversion(float, "float64", FLOAT)
BUILTIN[builtins.int] = _conversion(int, "int64", INT)
BUILTIN[builtins.bool] = _conversion(bool, "bool", BOOL)


def _first_best(compare: Any, reduction: Any) -> Meaning:
    """Python's max and min: the first of equal ones, so that a tie goes to it alone."""

    def extremum(context: Context, node: Any, first: Binding, /, *others: Binding) -> Binding:
        items = (first, *others)
        if not others:
            if isinstance(first, ListRef) and isinstance(context.version(first.cell, node), Stack):
                first = context.bind(context.array_of(first, node))
            if isinstance(first, ArrayRef):
                if type_of_ref(context, first, node).ndim > 1:
                    context.mistyped(node, "rows have no order", f"use np.{reduction.__name__} with an axis")
                return apply(context, reduction, (first,), {}, node)
            items = context.items(first, node)
        best = items[0]
        for item in items[1:]:
            best = _better(context, compare, best, item, node)
        return best

    return extremum


def _better(context: Context, compare: Any, best: Binding, item: Binding, node: Any) -> Binding:
    a, b = context.scalar(best, node), context.scalar(item, node)
    is_better = apply_operator(context, compare, (b, a), node)
    if isinstance(is_better, Constant):
        return b if is_better.value else a
    return choose(context, context.scalar(is_better, node), lambda: b, lambda: a, node)


BUILTIN[builtins.max] = _first_best(np.greater, np.max)
BUILTIN[builtins.min] = _first_best(np.less, np.min)


@BUILTIN.of(builtins.sum)
def _sum(context: Context, node: Any, iterable: Binding, start: Binding | None = None) -> Binding:
    if isinstance(iterable, ArrayRef):
        total = apply(context, np.sum, (iterable,), {"axis": constant(0)}, node)
        return total if start is None else apply_operator(context, np.add, (start, total), node)
    if isinstance(iterable, ListRef) and isinstance(context.version(iterable.cell, node), Stack):
        total = _sum_of_stack(context, iterable, node)
        return total if start is None else apply_operator(context, np.add, (start, total), node)
    total = start if start is not None else constant(0)
    for item in context.items(iterable, node):
        total = apply_operator(context, np.add, (total, item), node)
    return total


def _sum_of_stack(context: Context, ref: ListRef, node: Any) -> Binding:
    """The sum of a list whose length the run decides; that of arrays must have one, which gives the sum its shape."""
    items = context.array_of(ref, node)
    assert isinstance(items.type, Array), "a list becomes an array"
    if items.type.ndim == 1:
        return apply(context, np.sum, (context.bind(items),), {}, node)
    with context.builder.at(context.location(node)):
        some = context.builder.let(np.greater, context.version(ref.cell, node).length, constant(0))
        message = Constant("the sum of a list without arrays has no shape")
        context.builder.effect(primitives.check, some, Constant(ValueError), message)
    return apply(context, np.sum, (context.bind(items),), {"axis": constant(0)}, node)


@BUILTIN.of(builtins.round)
def _round(context: Context, node: Any, number: Binding, ndigits: Binding | None = None) -> Binding:
    if ndigits is not None and getattr(number, "type", None) == FLOAT:
        return apply(context, runtime.round_decimal, (number, ndigits), {}, node)
    if ndigits is not None:
        return apply(context, np.round, (number, ndigits), {}, node)
    rounded = apply(context, np.round, (number,), {}, node)
    with context.builder.at(context.location(node)):
        return context.builder.cast(context.scalar(rounded, node), "int64*")


@BUILTIN.of(builtins.divmod)
def _divmod(context: Context, node: Any, x: Binding, y: Binding, /) -> Binding:
    return TupleValue(tuple(apply_operator(context, f, (x, y), node) for f in (np.floor_divide, np.remainder)))


@BUILTIN.of(builtins.print)
def _print(context: Context, node: Any, *values: Binding) -> Binding:
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.print_, *message_parts(context, values, node))
    return Static(None)


@BUILTIN.of(builtins.breakpoint)
def _breakpoint(context: Context, node: Any) -> Binding:
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.breakpoint_)
    return Static(None)


def message_parts(context: Context, bindings: tuple[Binding, ...], node: Any) -> tuple[Operand, ...]:
    """What is printed or said in a message: strings as they are, numbers and arrays as operands."""
    parts: list[Operand] = []
    for binding in bindings:
        if isinstance(binding, Text):
            parts.append(tuple(_piece(context, part, node) for part in binding.parts))
        elif isinstance(binding, Static):
            parts.append(_words(context, binding.value if isinstance(binding.value, str) else str(binding.value), node))
        elif isinstance(binding, TupleValue | ListRef):
            parts.append(message_parts(context, context.items(binding, node), node))
        else:
            parts.append(context.operand(binding, node))
    return tuple(parts)


def _words(context: Context, text: str, node: Any) -> Operand:
    """A text in a message; halves of letters are refused, which crash compiled code."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        context.refuse(node, "a message contains a lone surrogate, which is no letter", "write the letter itself")
    return Constant(text)


def _piece(context: Context, part: Any, node: Any) -> Operand:
    """A piece of an f-string: text, or (operand, format, conversion)."""
    if isinstance(part, str):
        return _words(context, part, node)
    binding, spec, conversion = part
    (operand,) = message_parts(context, (binding,), node)
    return (operand, Constant(spec), Constant(conversion))

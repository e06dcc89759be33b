"""What Python's builtin functions mean."""

from __future__ import annotations

import builtins
import sys
import warnings
from typing import Any

import numpy as np

from pullback import runtime
from pullback.frontend.calls.apply import apply, apply_operator
from pullback.frontend.calls.indexing import slice_of
from pullback.frontend.calls.iteration import trip_count
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.calls.texts import text_of
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    ListRef,
    Range,
    Static,
    Text,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Operand
from pullback.ir.types import BOOL, COMPLEX, FLOAT, INT, Scalar, is_complex

BUILTIN = Meanings()


@BUILTIN.of(builtins.slice)
def _slice(context: Context, node: Any, *bounds: Binding) -> Binding:
    none = Static(None)
    match bounds:
        case (stop,):
            return slice_of((none, stop, none))
        case (start, stop):
            return slice_of((start, stop, none))
        case (start, stop, step):
            return slice_of((start, stop, step))
    context.mistyped(node, "slice() takes one to three bounds")


@BUILTIN.of(builtins.len)
def _len(context: Context, node: Any, obj: Binding, /) -> Binding:
    obj = context.settled(obj, node)
    match obj:
        case TupleValue() if obj.is_sequence:
            return constant(len(context.items(obj, node)))
        case ListRef() | DictRef():
            content = context.version(obj.cell, node)
            length: Binding = constant(len(content)) if isinstance(content, tuple) else content.length
            return length
        case ArrayRef():
            return context.let(node, primitives.dim, context.read(obj, node), constant(0))
        case Range():
            return trip_count(context, obj, node)
        case Static(value=str() | frozenset() as text):
            return constant(len(text))
    context.check_plain(obj, node)
    context.mistyped(node, f"{described(obj)} has no length")


def _converted(context: Context, python: type[float] | type[int] | type[bool], value: Any, node: Any) -> Binding:
    try:
        return constant(python(value))
    except TypeError as error:
        context.mistyped(node, str(error))


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
            return _converted(context, python, operand.value, node)
        if operand.type is not None and is_complex(operand.type) and python is not bool:
            context.mistyped(node, f"{python.__name__}() takes no complex number", "take its real part, as in z.real")
        with context.builder.at(context.location(node)):
            return context.builder.cast(operand, dtype + "*")

    return convert


BUILTIN[builtins.float] = _conversion(float, "float64", FLOAT)
BUILTIN[builtins.int] = _conversion(int, "int64", INT)
BUILTIN[builtins.bool] = _conversion(bool, "bool", BOOL)


@BUILTIN.of(builtins.round)
def _round(context: Context, node: Any, number: Binding, ndigits: Binding | None = None) -> Binding:
    if getattr(number, "type", None) == COMPLEX:
        context.mistyped(node, "type complex doesn't define __round__ method", "round its parts")
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


@BUILTIN.of(builtins.str)
def _str(context: Context, node: Any, value: Binding | None = None, /) -> Binding:
    return text_of([(value, "", ord("s"))]) if value is not None else Static("")


@BUILTIN.of(builtins.repr)
def _repr(context: Context, node: Any, value: Binding, /) -> Binding:
    return text_of([(value, "", ord("r"))])


@BUILTIN.of(builtins.format)
def _format(context: Context, node: Any, value: Binding, specification: Binding | None = None, /) -> Binding:
    if specification is not None and not isinstance(specification, Static):
        context.refuse(node, "how a value is formatted must be known before the run", "write the width itself")
    return text_of([(value, "" if specification is None else specification.value, -1)])


@BUILTIN.of(warnings.warn)
def _warn(
    context: Context, node: Any, message: Binding, category: Binding | None = None, **settings: Binding
) -> Binding:
    """A warning is given when the function is called without a derivative: it has no value, and is left out here."""
    return Static(None)


@BUILTIN.of(warnings.simplefilter, warnings.filterwarnings)
def _filter_warnings(context: Context, node: Any, *settings: Binding, **named: Binding) -> Binding:
    return Static(None)


@BUILTIN.of(builtins.print)
def _print(
    context: Context,
    node: Any,
    *values: Binding,
    sep: Binding | None = None,
    end: Binding | None = None,
    file: Binding | None = None,
    flush: Binding | None = None,
) -> Binding:
    """Each call prints a line, to the standard output: what ends it, and another file, is left to Python's own."""
    for setting in (sep, end, file, flush):
        if setting is not None and not isinstance(setting, Static | Constant):
            context.refuse(node, "how print(...) writes must be known before the run", "write it as a string")
    if file is not None and file.value not in (sys.stdout, sys.stderr):
        context.refuse(node, "print(...) writes to a file", "do it after the call, with the values")
    if sep is not None and sep.value != " ":
        between = (str(sep.value),)
        pieces = [part for value in values for part in (*between, (value, "", -1))][1:]
        values = (Text(tuple(pieces)),)
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
            parts.append(tuple(piece for part in binding.parts for piece in _pieces(context, part, node)))
        elif isinstance(binding, Static):
            parts.append(_words(context, binding.value if isinstance(binding.value, str) else str(binding.value), node))
        elif isinstance(binding, TupleValue | ListRef):
            parts.append(tuple(_listed(context, binding, node)))
        else:
            parts.append(context.operand(binding, node))
    return tuple(parts)


def _words(context: Context, text: str, node: Any) -> Operand:
    """A text in a message; halves of letters are refused, which crash compiled code."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        context.refuse(node, "a message contains a lone surrogate, which is no letter", "write the letter itself")
    return Constant(text)


def _pieces(context: Context, part: Any, node: Any) -> list[Operand]:
    """The pieces of a part of an f-string: texts, and (operand, format, conversion); several for a tuple or list."""
    if isinstance(part, str):
        return [_words(context, part, node)]
    binding, spec, conversion = part
    if isinstance(binding, TupleValue | ListRef):
        return _listed(context, binding, node)
    (operand,) = message_parts(context, (binding,), node)
    return [(operand, Constant(spec), Constant(conversion))]


def _listed(context: Context, binding: TupleValue | ListRef, node: Any) -> list[Operand]:
    """The pieces of a tuple or list as Python writes it: `(1, 'a')`, `[x, y]`."""
    items = context.items(binding, node)
    first, last = ("[", "]") if isinstance(binding, ListRef) else ("(", ",)" if len(items) == 1 else ")")
    pieces: list[Operand] = [Constant(first)]
    for k, item in enumerate(items):
        pieces += [Constant(", ")] if k else []
        if isinstance(item, Static):
            _words(context, str(item.value), node)
            pieces.append(Constant(repr(item.value)))
        elif isinstance(item, Text):
            context.refuse(node, "a text made at run time stands in a tuple or list of a message", "write it apart")
        else:
            pieces += _pieces(context, (item, "", ord("r")), node)
    return [*pieces, Constant(last)]

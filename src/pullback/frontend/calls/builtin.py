"""What Python's builtin functions mean."""

from __future__ import annotations

import builtins
import sys
import warnings
from typing import Any

import gast
import numpy as np

from pullback import runtime
from pullback.frontend.calls.apply import apply, apply_operator
from pullback.frontend.calls.indexing import slice_of, type_of_ref
from pullback.frontend.calls.iteration import trip_count
from pullback.frontend.calls.list_operands import check_operands
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.calls.messages import message_parts
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
        case ArrayRef() if type_of_ref(context, obj, node).ndim == 0:
            context.mistyped(node, "len() of an array without axes")
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
    check_operands(context, builtins.round, (number,), node)
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
    between, last = (_known_setting(context, node, *setting) for setting in (("sep", sep, " "), ("end", end, "\n")))
    stream = _stream(context, node, file)
    if flush is not None and not isinstance(flush, Static | Constant):
        context.refuse(node, "whether print(...) flushes must be known before the run", "write True or False")
    flushes = flush is not None and bool(flush.value)
    if between != " ":
        pieces = [part for value in values for part in (between, (value, "", ord("s")))][1:]
        parts: tuple[Operand, ...] = message_parts(context, (text_of(pieces),), node)
    else:
        parts = message_parts(context, values, node)
    with context.builder.at(context.location(node)):
        if (last, stream, flushes) == ("\n", "stdout", False):
            context.builder.effect(primitives.print_, *parts)
        else:
            context.builder.effect(primitives.print_to, Constant(last), Constant(stream), Constant(flushes), *parts)
    return Static(None)


def _known_setting(context: Context, node: Any, name: str, setting: Binding | None, default: str) -> str:
    """`sep` or `end`: a string that is known before the run, or None for what is usual."""
    if setting is None or setting == Static(None):
        return default
    if isinstance(setting, Text) or not isinstance(setting, Static | Constant):
        context.refuse(node, f"'{name}' of print(...) must be known before the run", "write it as a string")
    if not isinstance(setting.value, str):
        context.mistyped(node, f"{name} must be None or a string, not {type(setting.value).__name__}")
    return str(setting.value)


def _stream(context: Context, node: Any, file: Binding | None) -> str:
    """The name of the stream of `sys` that is written to: what it stands for may be another when the program runs."""
    if file is None or file == Static(None):
        return "stdout"
    written = next((keyword.value for keyword in node.keywords if keyword.arg == "file"), None)
    attr = written.attr if isinstance(written, gast.Attribute) else ""
    if attr in ("stdout", "stderr") and context.evaluate(written.value) == Static(sys):
        return str(attr)
    context.refuse(node, "print(...) writes to a file", "do it after the call, with the values")


@BUILTIN.of(builtins.breakpoint)
def _breakpoint(context: Context, node: Any) -> Binding:
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.breakpoint_)
    return Static(None)

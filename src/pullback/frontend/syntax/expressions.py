"""Expressions: each syntax node becomes a binding; what computes becomes statements of the open block."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls import calls, indexing
from pullback.frontend.calls.apply import apply
from pullback.frontend.calls.index_objects import indexed, is_index_object
from pullback.frontend.syntax.attributes import attribute
from pullback.frontend.syntax.comprehensions import comprehension
from pullback.frontend.syntax.operator_table import OPERATORS
from pullback.frontend.syntax.operators import binary, compared, negated, truth, unary
from pullback.frontend.tapes.captured import lookup_outside
from pullback.frontend.values.bindings import Binding, Local, Static, Text, TupleValue
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context, Pending
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import Array


def evaluate(context: Context, node: Any) -> Binding:
    """What an expression stands for."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        context.refuse(node, f"'{type(node).__name__}' expressions cannot be differentiated")
    binding: Binding = handler(context, node)
    return binding


def _constant(context: Context, node: Any) -> Binding:
    return constant(node.value) if isinstance(node.value, bool | int | float) else Static(node.value)


def _name(context: Context, node: Any) -> Binding:
    return look_up(context, node.id, node)


def look_up(context: Context, name: str, node: Any) -> Binding:
    """What a name stands for: in this function, in those around it, in its module, among the builtins."""
    frame = context.frame
    while frame is not None:
        key = (frame.number, name)
        if key in context.state.names:
            return context.settled(context.state.names[key], node, name)
        if name in frame.locals:
            if key in context.pending:
                raise Pending(key)
            context.refuse(
                node, f"'{name}' has no value here", f"assign '{name}' before this line, on every path that leads here"
            )
        if frame.parent is None:
            return lookup_outside(context, frame.function, name, node)
        frame = frame.parent
    raise AssertionError("a frame without a parent looks its names up outside")


def _binary(context: Context, node: Any) -> Binding:
    left, right = evaluate(context, node.left), evaluate(context, node.right)
    return binary(context, OPERATORS[type(node.op)], left, right, node)


def _unary(context: Context, node: Any) -> Binding:
    operand = evaluate(context, node.operand)
    if isinstance(node.op, gast.Not):
        return negated(context, operand, node)
    return unary(context, OPERATORS[type(node.op)], operand, node)


def _boolean(context: Context, node: Any) -> Binding:
    return _boolean_of(context, node, list(node.values))


def _boolean_of(context: Context, node: Any, values: list[Any]) -> Binding:
    """`a and b` evaluates b only where a is true; `or` where it is false."""
    first = evaluate(context, values[0])
    if len(values) == 1:
        return first
    condition = truth(context, first, values[0])
    keep_first = isinstance(node.op, gast.Or)

    def rest() -> Binding:
        return _boolean_of(context, node, values[1:])

    if isinstance(condition, Constant):
        return first if bool(condition.value) == keep_first else rest()

    def this() -> Binding:
        return first if not isinstance(first, Value) or first is not condition else constant(keep_first)

    return choose(context, condition, this if keep_first else rest, rest if keep_first else this, node)


def _compare(context: Context, node: Any) -> Binding:
    return _compare_from(
        context, node, evaluate(context, node.left), list(zip(node.ops, node.comparators, strict=True))
    )


def _compare_from(context: Context, node: Any, left: Binding, pairs: list[tuple[Any, Any]]) -> Binding:
    (op, comparator), *further = pairs
    right = evaluate(context, comparator)
    first = compared(context, op, left, right, node)
    if not further:
        return first
    condition = truth(context, first, node)
    if isinstance(condition, Constant):
        return _compare_from(context, node, right, further) if condition.value else first
    return choose(
        context, condition, lambda: _compare_from(context, node, right, further), lambda: constant(False), node
    )


def _conditional(context: Context, node: Any) -> Binding:
    condition = truth(context, evaluate(context, node.test), node.test)
    if isinstance(condition, Constant):
        return evaluate(context, node.body if condition.value else node.orelse)
    return choose(
        context, condition, lambda: evaluate(context, node.body), lambda: evaluate(context, node.orelse), node
    )


def _tuple(context: Context, node: Any) -> Binding:
    return TupleValue(tuple(evaluate(context, element) for element in node.elts))


def _list(context: Context, node: Any) -> Binding:
    return context.new_list(tuple(evaluate(context, element) for element in node.elts))


def _dict(context: Context, node: Any) -> Binding:
    entries: dict[Any, Binding] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            context.refuse(node, "a dict is unpacked into another", "write the keys out")
        entries[key_of(context, evaluate(context, key_node), key_node)] = evaluate(context, value_node)
    return calls.new_dict(context, entries)


def key_of(context: Context, binding: Binding, node: Any) -> Any:
    """A dict key, which must be known before the run."""
    if isinstance(binding, Static | Constant):
        return binding.value
    context.refuse(node, "a dict key must be known before the run", "use a string or an int literal")


def _attribute(context: Context, node: Any) -> Binding:
    receiver = evaluate(context, node.value)
    return attribute(context, receiver, node.attr, node)


def _subscript(context: Context, node: Any) -> Binding:
    receiver = evaluate(context, node.value)
    if is_index_object(receiver):
        return indexed(context, receiver.value, node.slice, node)
    return indexing.subscript(context, receiver, node.slice, node)


def _call(context: Context, node: Any) -> Binding:
    function = evaluate(context, node.func)
    if isinstance(function, Static) and function.value in _OF_GENERATORS and len(node.args) == 1:
        argument = node.args[0]
        if isinstance(argument, gast.GeneratorExp):
            listed = comprehension(context, argument)
            if function.value in (builtins.any, builtins.all):
                return _test_of_all(context, np.any if function.value is builtins.any else np.all, listed, node)
            return calls.call(context, function, (listed,), {}, node)
    arguments = tuple(binding for argument in node.args for binding in _arguments(context, argument))
    keywords = {keyword.arg: evaluate(context, keyword.value) for keyword in node.keywords}
    return calls.call(context, function, arguments, keywords, node)


def _arguments(context: Context, node: Any) -> tuple[Binding, ...]:
    """An argument, or the items of one with a star."""
    if isinstance(node, gast.Starred):
        return context.items(evaluate(context, node.value), node)
    return (evaluate(context, node),)


def _test_of_all(context: Context, test: Any, listed: Binding, node: Any) -> Binding:
    """any(...) or all(...) of what is not an array."""
    operand = context.operand(listed, node)
    if isinstance(operand.type, Array) and operand.type.ndim > 1:
        context.mistyped(
            node, "the truth value of an array is ambiguous", "ask np.any(...) or np.all(...) of each item"
        )
    return apply(context, test, (context.bind(operand),), {}, node)


_OF_GENERATORS: tuple[Any, ...] = (builtins.sum, builtins.max, builtins.min, builtins.any, builtins.all)


def _lambda(context: Context, node: Any) -> Binding:
    return local_function(context, node)


def local_function(context: Context, node: Any) -> Local:
    """A nested function, with its defaults as they are now."""
    defaults = tuple(evaluate(context, default) for default in node.args.defaults)
    keyword_defaults = tuple(default and evaluate(context, default) for default in node.args.kw_defaults)
    return Local(context.frame.source, node, context.frame.number, defaults, keyword_defaults)


def _joined(context: Context, node: Any) -> Binding:
    parts: list[Any] = []
    for value in node.values:
        if isinstance(value, gast.Constant):
            parts.append(value.value)
        else:
            parts.append((evaluate(context, value.value), _specification(context, value), value.conversion))
    return Text(tuple(parts))


def _specification(context: Context, value: Any) -> str:
    """What stands behind the colon; what it computes must be known before the run."""
    written = []
    for part in value.format_spec.values if value.format_spec else ():
        known = Static(part.value) if isinstance(part, gast.Constant) else evaluate(context, part.value)
        if not isinstance(known, Static | Constant):
            context.refuse(value, "how a value is formatted must be known before the run", "write the width itself")
        written.append(str(known.value))
    return "".join(written)


_HANDLERS: dict[type, Callable[[Context, Any], Binding]] = {
    gast.Constant: _constant,
    gast.Name: _name,
    gast.BinOp: _binary,
    gast.UnaryOp: _unary,
    gast.BoolOp: _boolean,
    gast.Compare: _compare,
    gast.IfExp: _conditional,
    gast.Tuple: _tuple,
    gast.List: _list,
    gast.Dict: _dict,
    gast.Attribute: _attribute,
    gast.Subscript: _subscript,
    gast.Call: _call,
    gast.ListComp: comprehension,
    gast.Lambda: _lambda,
    gast.JoinedStr: _joined,
}

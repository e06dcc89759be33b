"""Expressions: each syntax node becomes a binding; what computes becomes statements of the open block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from pullback.frontend.calls import calls
from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.index_objects import indexed, is_index_object
from pullback.frontend.calls.objects import by_method
from pullback.frontend.calls.parameters import new_dict
from pullback.frontend.calls.texts import known_piece, text_of
from pullback.frontend.syntax.attributes import attribute, attribute_named
from pullback.frontend.syntax.comparisons import compared
from pullback.frontend.syntax.comprehensions import comprehension, dict_comprehension, set_comprehension
from pullback.frontend.syntax.items import read_item
from pullback.frontend.syntax.operator_table import OPERATORS
from pullback.frontend.syntax.operators import binary, condition_of, negated, truth
from pullback.frontend.syntax.spreading import (
    entries_of,
    key_of,
    list_display,
    spread,
    spread_arguments,
    spread_keywords,
)
from pullback.frontend.tapes.captured import lookup_outside
from pullback.frontend.values.bindings import Binding, Local, Static, TupleValue
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context, Pending
from pullback.frontend.values.known import known_value
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Value


def evaluate(context: Context, node: Any) -> Binding:
    """What an expression stands for."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        context.refuse(node, f"'{type(node).__name__}' expressions cannot be differentiated")
    binding: Binding = handler(context, node)
    return binding


def settled(context: Context, node: Any) -> Binding:
    """What an expression stands for, where None will not do."""
    return context.settled(evaluate(context, node), node)


def _constant(context: Context, node: Any) -> Binding:
    return constant(node.value) if isinstance(node.value, bool | int | float | complex) else Static(node.value)


def _name(context: Context, node: Any) -> Binding:
    return look_up(context, node.id, node)


def look_up(context: Context, name: str, node: Any) -> Binding:
    """What a name stands for: in this function, in those around it, in its module, among the builtins."""
    frame = context.frame
    while frame is not None:
        key = (frame.number, name)
        if key in context.state.names:
            return context.settled_unless_none(context.state.names[key], node, name)
        if name in frame.locals:
            unset = Pending(key, node)
            if key in context.pending:
                raise unset
            context.refuse(node, *unset.problem)
        if frame.parent is None:
            return lookup_outside(context, frame.function, name, node)
        frame = frame.parent
    raise AssertionError("a frame without a parent looks its names up outside")


def _binary(context: Context, node: Any) -> Binding:
    left, right = settled(context, node.left), settled(context, node.right)
    return binary(context, OPERATORS[type(node.op)], left, right, node)


def _unary(context: Context, node: Any) -> Binding:
    operand = settled(context, node.operand)
    if isinstance(node.op, gast.Not):
        return negated(context, operand, node)
    function = OPERATORS[type(node.op)]
    result = by_method(context, function, (operand,), node)
    return apply_operator(context, function, (operand,), node) if result is None else result


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
    condition = condition_of(context, node.test)
    if isinstance(condition, Constant):
        return evaluate(context, node.body if condition.value else node.orelse)
    return choose(
        context, condition, lambda: evaluate(context, node.body), lambda: evaluate(context, node.orelse), node
    )


def _tuple(context: Context, node: Any) -> Binding:
    return TupleValue(spread(context, node.elts))


def _dict(context: Context, node: Any) -> Binding:
    entries: dict[Any, Binding] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            entries |= entries_of(context, evaluate(context, value_node), value_node)
        else:
            entries[key_of(context, evaluate(context, key_node), key_node)] = evaluate(context, value_node)
    return new_dict(context, entries)


def _attribute(context: Context, node: Any) -> Binding:
    receiver = settled(context, node.value)
    return attribute(context, receiver, node.attr, node)


def _subscript(context: Context, node: Any) -> Binding:
    receiver = settled(context, node.value)
    if is_index_object(receiver):
        return indexed(context, receiver.value, node.slice, node)
    return read_item(context, receiver, node.slice, node)


def _call(context: Context, node: Any) -> Binding:
    function = settled(context, node.func)
    arguments = spread_arguments(context, function, node)
    keywords = spread_keywords(context, node)
    if function == Static(getattr) or function == Static(hasattr):
        return attribute_named(context, function.value, arguments, keywords, node)
    return calls.call(context, function, arguments, keywords, node)


def _named(context: Context, node: Any) -> Binding:
    """`name := value`."""
    value = evaluate(context, node.value)
    context.state.names[context.frame.key_of(node.target.id)] = context.named(value, node.target.id)
    return value


def _set(context: Context, node: Any) -> Binding:
    """A set of values that are known before the run, or of others that are only looked for in it."""
    items = TupleValue(spread(context, node.elts))
    known = known_value(items)
    return items if known is None else Static(frozenset(known[0]))


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
            parts.append(_piece(context, value))
    return text_of(parts)


def _piece(context: Context, value: Any) -> tuple[Binding, str, int]:
    """What stands in braces: the value, how it is formatted, and the conversion before that."""
    return evaluate(context, value.value), _specification(context, value), value.conversion


def _specification(context: Context, value: Any) -> str:
    """What stands behind the colon; what it computes must be known before the run."""
    written = []
    for part in value.format_spec.values if value.format_spec else ():
        known = part.value if isinstance(part, gast.Constant) else known_piece(_piece(context, part))
        if known is None:
            context.refuse(value, "how a value is formatted must be known before the run", "write the width itself")
        written.append(known)
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
    gast.List: list_display,
    gast.Dict: _dict,
    gast.Attribute: _attribute,
    gast.Subscript: _subscript,
    gast.Call: _call,
    gast.Set: _set,
    gast.NamedExpr: _named,
    gast.ListComp: comprehension,
    gast.GeneratorExp: comprehension,
    gast.SetComp: set_comprehension,
    gast.DictComp: dict_comprehension,
    gast.Lambda: _lambda,
    gast.JoinedStr: _joined,
}

"""Expressions: each syntax node becomes a binding; what computes becomes statements of the open block."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any, TypeGuard

import gast
import numpy as np

from pullback.frontend.calls import calls, indexing
from pullback.frontend.calls.apply import apply, apply_operator, needs_static
from pullback.frontend.calls.spelling import OPERATORS
from pullback.frontend.tapes.captured import binding_of, lookup_outside
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    ListRef,
    Local,
    Method,
    Static,
    TapeRef,
    Text,
    TupleValue,
)
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context, Pending
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Permute, Value
from pullback.ir.types import Array, Scalar, is_float


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


def binary(context: Context, function: Callable[..., Any], left: Binding, right: Binding, node: Any) -> Binding:
    """An operator on two bindings: numbers and arrays compute, tuples, lists and strings join."""
    if isinstance(left, TupleValue) and isinstance(right, TupleValue) and function is np.add:
        return TupleValue(left.items + right.items)
    if isinstance(left, ListRef) and isinstance(right, ListRef) and function is np.add:
        return context.new_list(context.items(left, node) + context.items(right, node))
    if function is np.multiply:
        for listed, count in ((left, right), (right, left)):
            if isinstance(listed, ListRef | TupleValue) and is_count(count):
                return _repeated(context, listed, count, node)
    if isinstance(left, Static | Text) or isinstance(right, Static | Text):
        return _join_texts(context, function, left, right, node)
    return apply_operator(context, function, (left, right), node)


def _repeated(context: Context, listed: ListRef | TupleValue, count: Value | Constant, node: Any) -> Binding:
    """A list or tuple several times over."""
    if isinstance(count, Value):
        needs_static(context, count, "how often a list or tuple is repeated", node)
    items = context.items(listed, node) * int(count.value)
    return TupleValue(items) if isinstance(listed, TupleValue) else context.new_list(items)


def is_count(binding: Binding) -> TypeGuard[Value | Constant]:
    """Whether a binding is a single number of integers or bools."""
    type_ = binding.type if isinstance(binding, Value | Constant) else None
    return isinstance(type_, Scalar) and not is_float(type_)


def _join_texts(context: Context, function: Any, left: Binding, right: Binding, node: Any) -> Binding:
    parts = [_text_parts(binding) for binding in (left, right)]
    if function is np.add and all(part is not None for part in parts):
        return Text((*(parts[0] or ()), *(parts[1] or ())))
    return apply_operator(context, function, (left, right), node)


def _text_parts(binding: Binding) -> tuple[Any, ...] | None:
    if isinstance(binding, Text):
        return binding.parts
    return (binding.value,) if isinstance(binding, Static) and isinstance(binding.value, str) else None


def _unary(context: Context, node: Any) -> Binding:
    operand = evaluate(context, node.operand)
    if isinstance(node.op, gast.Not):
        return negated(context, operand, node)
    return apply_operator(context, OPERATORS[type(node.op)], (operand,), node)


def negated(context: Context, binding: Binding, node: Any) -> Binding:
    """`not binding`."""
    condition = truth(context, binding, node)
    if isinstance(condition, Constant):
        return constant(not condition.value)
    return context.let(node, np.logical_not, condition)


def truth(context: Context, binding: Binding, node: Any) -> Value | Constant:
    """A binding as a condition: known before the run where it can be."""
    match binding:
        case Static(value=value):
            return constant(bool(value))
        case TupleValue():
            return constant(bool(binding.items))
        case ListRef() | DictRef():
            content = context.version(binding.cell, node)
            if isinstance(content, tuple):
                return constant(bool(content))
            return context.let(node, np.not_equal, content.length, constant(0))
        case ArrayRef():
            value = context.operand(binding, node)
            if isinstance(value.type, Array):
                context.mistyped(
                    node, "the truth value of an array is ambiguous", "use np.any(...) or np.all(...), or an element"
                )
            return truth(context, value, node)
        case Constant(value=value):
            return constant(bool(value))
        case Value():
            if binding.type.dtype == "bool":
                return binding
            return context.let(node, np.not_equal, binding, constant(0))
    context.mistyped(node, "this has no truth value that can be followed")


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


def compared(context: Context, op: Any, left: Binding, right: Binding, node: Any) -> Binding:
    """One comparison; identity and membership must be known before the run."""
    match op:
        case gast.Is() | gast.IsNot():
            same = _known_identity(context, left, right, node)
            return constant(same == isinstance(op, gast.Is))
        case gast.In() | gast.NotIn():
            found = _membership(context, left, right, node)
            return found if isinstance(op, gast.In) else negated(context, found, node)
    if isinstance(left, Static) and isinstance(right, Static):
        python = {gast.Eq: operator.eq, gast.NotEq: operator.ne}.get(type(op))
        if python is not None:
            return constant(bool(python(left.value, right.value)))
    if (isinstance(left, Static) or isinstance(right, Static)) and isinstance(op, gast.Eq | gast.NotEq):
        return constant(isinstance(op, gast.NotEq))
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return _compare_tuples(context, op, left, right, node)
    return apply_operator(context, OPERATORS[type(op)], (left, right), node)


def _compare_tuples(context: Context, op: Any, left: TupleValue, right: TupleValue, node: Any) -> Binding:
    if not isinstance(op, gast.Eq | gast.NotEq):
        context.refuse(node, "tuples are compared for order", "compare their items")
    equal: Binding = constant(len(left.items) == len(right.items))
    if len(left.items) == len(right.items):
        for a, b in zip(left.items, right.items, strict=True):
            both = (equal, compared(context, gast.Eq(), a, b, node))
            equal = apply_operator(context, np.logical_and, both, node)
    return equal if isinstance(op, gast.Eq) else negated(context, equal, node)


def _known_identity(context: Context, left: Binding, right: Binding, node: Any) -> bool:
    if isinstance(left, Static) and isinstance(right, Static):
        return left.value is right.value
    if isinstance(left, Constant) and isinstance(right, Constant):
        return type(left.value) is type(right.value) and left.value == right.value
    if isinstance(left, Static) or isinstance(right, Static):
        return False
    if isinstance(left, ArrayRef) and isinstance(right, ArrayRef) and not context.state.linked.get(left.cell):
        return left == right
    context.refuse(node, "whether these are the same object is not known before the run", "compare with ==")


def _membership(context: Context, left: Binding, right: Binding, node: Any) -> Binding:
    if isinstance(right, DictRef):
        keys = [key for key, _ in context.version(right.cell, node)]
        if isinstance(left, Static):
            return constant(left.value in keys)
    if isinstance(left, Static) and isinstance(right, Static) and isinstance(right.value, str):
        return constant(left.value in right.value)
    found: Binding = constant(False)
    for item in context.items(right, node):
        equal = compared(context, gast.Eq(), left, item, node)
        if isinstance(equal, Constant) and isinstance(found, Constant):
            found = constant(bool(equal.value or found.value))
        else:
            found = apply_operator(context, np.logical_or, (found, equal), node)
    return found


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


def attribute(context: Context, receiver: Binding, name: str, node: Any) -> Binding:
    """`receiver.name`."""
    match receiver:
        case ArrayRef():
            return _array_attribute(context, receiver, name, node)
        case Value() | Constant():
            return _number_attribute(context, receiver, name, node)
        case ListRef() | DictRef() | TapeRef():
            return Method(receiver, name)
        case TupleValue() if name in receiver.fields:
            return receiver.items[receiver.fields.index(name)]
        case TupleValue() if receiver.kind is not None and hasattr(receiver.kind, name):
            return calls.method_of_record(context, receiver, name, node)
        case TupleValue():
            return Method(receiver, name)
        case Static(value=value):
            return _static_attribute(context, value, name, node)
    context.refuse(node, f"the attribute '{name}' cannot be followed here")


def _static_attribute(context: Context, owner: Any, name: str, node: Any) -> Binding:
    try:
        found = getattr(owner, name)
    except AttributeError as error:
        context.mistyped(node, str(error))
    return binding_of(context, found, owner, name, node)


def _array_attribute(context: Context, ref: ArrayRef, name: str, node: Any) -> Binding:
    version = context.version(ref.cell, node)
    if name == "T":
        ndim = indexing.type_of_ref(context, ref, node).ndim
        return ArrayRef(ref.cell, (*ref.path, Permute(tuple(reversed(range(ndim))))))
    if name == "mT":
        ndim = indexing.type_of_ref(context, ref, node).ndim
        axes = (*range(ndim - 2), ndim - 1, ndim - 2)
        return ArrayRef(ref.cell, (*ref.path, Permute(axes)))
    if name in ("shape", "size", "ndim"):
        return indexing.shape_attribute(context, context.read(ref, node), name, node)
    if name == "dtype":
        return Static(np.dtype(version.type.dtype))
    if name == "real":
        return ref
    if name == "flat":
        context.refuse(node, "'.flat' cannot be followed", "use .ravel() or np.reshape(x, -1)")
    return Method(ref, name)


def _number_attribute(context: Context, number: Value | Constant, name: str, node: Any) -> Binding:
    match name:
        case "shape":
            return TupleValue(())
        case "ndim":
            return constant(0)
        case "size":
            return constant(1)
        case "T" | "real":
            return number
        case "dtype":
            assert number.type is not None, "a number has a type"
            return Static(np.dtype(number.type.dtype))
    return Method(number, name)


def _subscript(context: Context, node: Any) -> Binding:
    receiver = evaluate(context, node.value)
    return indexing.subscript(context, receiver, node.slice, node)


def _call(context: Context, node: Any) -> Binding:
    function = evaluate(context, node.func)
    if isinstance(function, Static) and function.value in _OF_GENERATORS and len(node.args) == 1:
        argument = node.args[0]
        if isinstance(argument, gast.GeneratorExp):
            listed = calls.comprehension(context, argument)
            return apply(context, _OF_GENERATORS[function.value], (listed,), {}, node)
    arguments = tuple(evaluate(context, argument) for argument in node.args)
    keywords = {keyword.arg: evaluate(context, keyword.value) for keyword in node.keywords}
    return calls.call(context, function, arguments, keywords, node)


_OF_GENERATORS: dict[Any, Any] = {
    builtins.sum: np.sum,
    builtins.max: builtins.max,
    builtins.min: builtins.min,
    builtins.any: np.any,
    builtins.all: np.all,
}


def _comprehension(context: Context, node: Any) -> Binding:
    return calls.comprehension(context, node)


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
    gast.ListComp: _comprehension,
    gast.Lambda: _lambda,
    gast.JoinedStr: _joined,
}

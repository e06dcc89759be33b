"""Functions that mean something to the reader itself: builtins, views, creation of arrays, casts."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.frontend.apply import apply, apply_operator, computed, name_of, static_operand
from pullback.frontend.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    Iteration,
    ListRef,
    Range,
    Snapshot,
    Stack,
    Static,
    Text,
    TupleValue,
)
from pullback.frontend.branches import choose
from pullback.frontend.context import Context, list_item
from pullback.frontend.indexing import read_part, shape_attribute, type_of_ref
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Operand, Permute, Reshape, Slice, Value
from pullback.ir.types import BOOL, FLOAT, INT, Scalar

Special = Callable[[Context, tuple[Binding, ...], dict[str, Binding], Any], Binding]
SPECIAL: dict[Any, Special] = {}


def special(*functions: Any) -> Callable[[Special], Special]:
    """Mark the meaning of functions."""

    def note(meaning: Special) -> Special:
        SPECIAL.update(dict.fromkeys(functions, meaning))
        return meaning

    return note


def _given(arguments: tuple[Binding, ...], keywords: dict[str, Binding], *names: str) -> list[Binding | None]:
    """Arguments by name, None where they are not given."""
    bound = dict(zip(names, arguments, strict=False)) | keywords
    return [bound.get(name) for name in names]


TAKES: dict[Any, tuple[str, ...]] = {
    **dict.fromkeys((np.asarray, np.ascontiguousarray, np.asanyarray), ("a", "dtype")),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like), ("a", "dtype")),
    **dict.fromkeys((np.zeros, np.ones, np.empty), ("shape", "dtype")),
    **dict.fromkeys((np.copy, np.ravel, np.shape, np.ndim, np.size), ("a",)),
    **dict.fromkeys((np.expand_dims, np.squeeze), ("a", "axis")),
    np.array: ("object", "dtype"),
    np.transpose: ("a", "axes"),
    np.swapaxes: ("a", "axis1", "axis2"),
    np.moveaxis: ("a", "source", "destination"),
    np.flip: ("m", "axis"),
    np.reshape: ("a", "shape"),
    np.full: ("shape", "fill_value", "dtype"),
    np.full_like: ("a", "fill_value"),
    np.broadcast_to: ("array", "shape"),
}
"""The parameters of NumPy's functions that are followed here; the others may have their usual values only."""

_USUAL = {"copy": (True,), "order": ("C", "K"), "subok": (True, False)}


def call_special(
    context: Context,
    function: Any,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A call of a function in SPECIAL, with the arguments in their places."""
    names = TAKES.get(function)
    if names is None:
        return SPECIAL[function](context, arguments, keywords, node)
    if len(arguments) > len(names):
        listed = " and ".join(f"'{name}'" for name in names)
        context.refuse(node, f"{name_of(function)} is followed with {listed} only", "leave the other arguments out")
    keywords = {k: v for k, v in keywords.items() if getattr(v, "value", v) not in _USUAL.get(k, ())}
    for name in keywords.keys() - set(names):
        context.refuse(node, f"'{name}' of {name_of(function)} is not supported", "leave it out")
    placed = [*arguments]
    for name in names[len(arguments) :]:
        if name not in keywords:
            break
        placed.append(keywords.pop(name))
    return SPECIAL[function](context, tuple(placed), keywords, node)


# Builtins


@special(builtins.len)
def _len(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    (binding,) = arguments
    match binding:
        case TupleValue():
            return constant(len(binding.items))
        case ListRef() | DictRef():
            content = context.version(binding.cell, node)
            length: Binding = constant(len(content)) if isinstance(content, tuple) else content.length
            return length
        case ArrayRef():
            return context.let(node, primitives.dim, context.read(binding, node), constant(0))
        case Range():
            return trip_count(context, binding, node)
        case Static(value=str() as text):
            return constant(len(text))
    context.mistyped(node, "this has no length")


@special(builtins.range)
def _range(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    parts = [context.scalar(argument, node) for argument in arguments]
    for part in parts:
        if not part.type.dtype.startswith(("int", "uint")):
            context.mistyped(node, f"range takes integers, not {part.type.dtype}", "convert it with int(...)")
    if len(parts) == 1:
        return Range(constant(0), parts[0], constant(1))
    return Range(parts[0], parts[1], parts[2] if len(parts) == 3 else constant(1))


def trip_count(context: Context, range_: Range, node: Any) -> Operand:
    """How often a loop over a range runs: max(0, ceil((stop - start) / step))."""
    start, stop, step = range_.start, range_.stop, range_.step
    length = apply_operator(context, np.subtract, (stop, start), node)
    if step != constant(1):
        negative = apply_operator(context, np.negative, (length,), node)
        rounded = apply_operator(context, np.floor_divide, (negative, step), node)
        length = apply_operator(context, np.negative, (rounded,), node)
    if isinstance(length, Constant):
        return constant(max(0, length.value))
    return context.let(node, builtins_max, constant(0), context.scalar(length, node))


def iterate(context: Context, binding: Binding, node: Any) -> Iteration | tuple[Binding, ...] | Range:
    """What a `for` runs over: known items, a range, or a count with the item of each round."""
    match binding:
        case TupleValue():
            return binding.items
        case ListRef():
            content = context.version(binding.cell, node)
            if isinstance(content, tuple):
                return content
            return Iteration(content.length, lambda k: _stack_item(context, binding, k, node), (binding,))
        case DictRef():
            return tuple(
                constant(key) if isinstance(key, int) else Static(key) for key, _ in context.version(binding.cell, node)
            )
        case Range() | Iteration():
            return binding
        case ArrayRef():
            if type_of_ref(context, binding, node).ndim == 0:
                context.mistyped(node, "iteration over a 0-d array")
            count = context.let(node, primitives.dim, context.read(binding, node), constant(0))
            return Iteration(count, lambda k: read_part(context, binding, Index((k,)), node), (binding,))
    context.mistyped(node, "this cannot be iterated over")


def snapshots(context: Context, binding: Binding, node: Any) -> tuple[Snapshot, ...]:
    """What a loop over this follows, as it is now."""
    if isinstance(binding, TupleValue):
        return binding.over
    if isinstance(binding, ListRef):
        content = context.version(binding.cell, node)
        return (Snapshot(binding.cell, content),) if isinstance(content, tuple) else ()
    return ()


def _stack_item(context: Context, binding: ListRef, k: Operand, node: Any) -> Binding:
    content = context.version(binding.cell, node)
    buffer = content.buffer if isinstance(content, Stack) else context.array_of(binding, node)
    return list_item(context, context.let(node, primitives.load, buffer, (Index((k,)),)))


def as_iteration(context: Context, binding: Binding, node: Any) -> Iteration | tuple[Binding, ...]:
    """The same with ranges as counts."""
    source = iterate(context, binding, node)
    if not isinstance(source, Range):
        return source

    def item(k: Operand) -> Binding:
        offset = apply_operator(context, np.multiply, (k, source.step), node) if source.step != constant(1) else k
        if source.start == constant(0):
            return offset
        return apply_operator(context, np.add, (source.start, offset), node)

    return Iteration(trip_count(context, source, node), item)


@special(builtins.enumerate)
def _enumerate(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    iterable, start = _given(arguments, keywords, "iterable", "start")
    assert iterable is not None, "enumerate has an argument"
    first = context.scalar(start, node) if start is not None else constant(0)
    source = as_iteration(context, iterable, node)

    def number(k: Operand) -> Binding:
        return k if first == constant(0) else apply_operator(context, np.add, (first, k), node)

    if isinstance(source, tuple):
        numbered = tuple(TupleValue((number(constant(k)), item)) for k, item in enumerate(source))
        return TupleValue(numbered, over=snapshots(context, iterable, node))
    return Iteration(source.count, lambda k: TupleValue((number(k), source.item(k))), source.over)


@special(builtins.zip)
def _zip(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    sources = [as_iteration(context, argument, node) for argument in arguments]
    if all(isinstance(source, tuple) for source in sources):
        over = tuple(snapshot for argument in arguments for snapshot in snapshots(context, argument, node))
        return TupleValue(tuple(TupleValue(items) for items in zip(*sources, strict=False)), over=over)
    counts = [constant(len(s)) if isinstance(s, tuple) else s.count for s in sources]
    count = counts[0]
    for other in counts[1:]:
        count = other if count is other else context.let(node, builtins_min, count, other)
    for source in sources:
        if isinstance(source, tuple):
            context.refuse(node, "a tuple or list of known length is zipped with an array", "make it an array")
    iterations = [source for source in sources if isinstance(source, Iteration)]
    followed = tuple(reference for source in iterations for reference in source.over)
    return Iteration(count, lambda k: TupleValue(tuple(s.item(k) for s in iterations)), followed)


@special(builtins.reversed)
def _reversed(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source = as_iteration(context, arguments[0], node)
    if isinstance(source, tuple):
        over = tuple(replace(snapshot, from_end=True) for snapshot in snapshots(context, arguments[0], node))
        return TupleValue(tuple(reversed(source)), over=over)

    def item(k: Operand) -> Binding:
        last = apply_operator(context, np.subtract, (source.count, constant(1)), node)
        return source.item(context.scalar(apply_operator(context, np.subtract, (last, k), node), node))

    return Iteration(source.count, item, source.over)


def _tuple(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    return TupleValue(context.items(arguments[0], node) if arguments else ())


def _list(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    if not arguments:
        return context.new_list(())
    source = iterate(context, arguments[0], node)
    if isinstance(source, tuple):
        return context.new_list(source)
    context.refuse(node, "a list is made of something whose length is a matter of the run", "use the array itself")


SPECIAL[builtins.tuple], SPECIAL[builtins.list] = _tuple, _list


@special(builtins.dict)
def _dict(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    entries: dict[Any, Binding] = {}
    if arguments:
        if not isinstance(arguments[0], DictRef):
            context.refuse(node, "dict(...) of this cannot be followed", "write a dict literal")
        entries = dict(context.version(arguments[0].cell, node))
    ref = context.new_list(())
    context.state.cells[ref.cell] = tuple({**entries, **keywords}.items())
    return DictRef(ref.cell)


@special(builtins.isinstance)
def _isinstance(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    binding, kinds = arguments
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


def _conversion(dtype: str, type_: Scalar) -> Special:
    def convert(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
        if not arguments:
            return constant({"float64": 0.0, "int64": 0, "bool": False}[dtype])
        if isinstance(arguments[0], Static) and isinstance(arguments[0].value, str):
            return constant(float(arguments[0].value) if dtype == "float64" else int(arguments[0].value))
        operand = context.scalar(arguments[0], node)
        if operand.type == type_:
            return operand
        if isinstance(operand, Constant) and isinstance(operand.type, Scalar) and operand.type.weak:
            return constant({"float64": float, "int64": int, "bool": bool}[dtype](operand.value))
        with context.builder.at(context.location(node)):
            return context.builder.cast(operand, dtype + "*")

    return convert


SPECIAL[builtins.float] = _conversion("float64", FLOAT)
SPECIAL[builtins.int] = _conversion("int64", INT)
SPECIAL[builtins.bool] = _conversion("bool", BOOL)


def _first_best(compare: Any, reduction: Any) -> Special:
    """Python's max and min: the first of equal ones, so that a tie goes to it alone."""

    def extremum(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
        if keywords:
            context.refuse(node, "max and min take no keywords here")
        items = arguments
        if len(arguments) == 1:
            if isinstance(arguments[0], ArrayRef):
                return apply(context, reduction, arguments, {}, node)
            if isinstance(arguments[0], ListRef) and isinstance(context.version(arguments[0].cell, node), Stack):
                return apply(context, reduction, (context.bind(context.array_of(arguments[0], node)),), {}, node)
            items = context.items(arguments[0], node)
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


SPECIAL[builtins.max] = _first_best(np.greater, np.max)
SPECIAL[builtins.min] = _first_best(np.less, np.min)
builtins_max, builtins_min = builtins.max, builtins.min


@special(builtins.sum)
def _sum(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    iterable, start = _given(arguments, keywords, "iterable", "start")
    assert iterable is not None, "sum has an argument"
    if isinstance(iterable, ArrayRef):
        total = apply(context, np.sum, (iterable,), {"axis": constant(0)}, node)
        return total if start is None else apply_operator(context, np.add, (start, total), node)
    if isinstance(iterable, ListRef) and isinstance(context.version(iterable.cell, node), Stack):
        total = apply(context, np.sum, (context.bind(context.array_of(iterable, node)),), {}, node)
        return total if start is None else apply_operator(context, np.add, (start, total), node)
    total = start if start is not None else constant(0)
    for item in context.items(iterable, node):
        total = apply_operator(context, np.add, (total, item), node)
    return total


@special(np.add.at)
def _add_at(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    """`np.add.at(x, index, value)`: repeated indices add up."""
    ref, index, value = arguments
    if not isinstance(ref, ArrayRef):
        context.mistyped(node, "np.add.at writes to an array")
    items = index.items if isinstance(index, TupleValue) else (index,)
    path = Index(tuple(context.operand(item, node) for item in items))
    context.store(ref, (path,), context.operand(value, node), node, primitives.add_at)
    return Static(None)


@special(builtins.round)
def _round(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    rounded = apply(context, np.round, arguments, keywords, node)
    if len(arguments) + len(keywords) > 1:
        return rounded
    with context.builder.at(context.location(node)):
        return context.builder.cast(context.scalar(rounded, node), "int64*")


@special(builtins.divmod)
def _divmod(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    return TupleValue(tuple(apply_operator(context, f, arguments, node) for f in (np.floor_divide, np.remainder)))


@special(builtins.print)
def _print(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.print_, *message_parts(context, arguments, node))
    return Static(None)


def message_parts(context: Context, bindings: tuple[Binding, ...], node: Any) -> tuple[Operand, ...]:
    """What is printed or said in a message: strings as they are, numbers and arrays as operands."""
    parts: list[Operand] = []
    for binding in bindings:
        if isinstance(binding, Text):
            parts.append(tuple(_piece(context, part, node) for part in binding.parts))
        elif isinstance(binding, Static):
            parts.append(Constant(binding.value if isinstance(binding.value, str) else str(binding.value)))
        elif isinstance(binding, TupleValue | ListRef):
            parts.append(message_parts(context, context.items(binding, node), node))
        else:
            parts.append(context.operand(binding, node))
    return tuple(parts)


def _piece(context: Context, part: Any, node: Any) -> Operand:
    """A piece of an f-string: text, or (operand, format)."""
    if isinstance(part, str):
        return Constant(part)
    binding, spec, _ = part
    (operand,) = message_parts(context, (binding,), node)
    return (operand, Constant(spec))


# Arrays: views


def _as_array(context: Context, binding: Binding, node: Any) -> ArrayRef:
    ref = binding if isinstance(binding, ArrayRef) else context.bind(_array(context, binding, node))
    assert isinstance(ref, ArrayRef), "an array is bound to a cell"
    return ref


def _array(context: Context, binding: Binding, node: Any) -> Value:
    operand = context.operand(binding, node)
    if isinstance(operand.type, Scalar):
        return context.let(node, np.reshape, operand, ())
    assert isinstance(operand, Value), "an array is a value"
    return operand


@special(np.asarray, np.ascontiguousarray, np.asanyarray)
def _asarray(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, dtype = _given(arguments, keywords, "a", "dtype")
    assert source is not None, "asarray has an argument"
    array = _as_array(context, source, node)
    if dtype is None or type_of_ref(context, array, node).dtype == dtype_name(dtype, context, node):
        return array
    return as_type(context, array, dtype, node)


@special(np.array, np.copy)
def _copy(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, dtype = _given(arguments, keywords, "object", "dtype")
    assert source is not None, "array has an argument"
    if isinstance(source, ArrayRef):
        if dtype is not None:
            return as_type(context, source, dtype, node)
        return context.bind(context.let(node, primitives.copy, context.read(source, node)))
    made = _as_array(context, source, node)
    return made if dtype is None else as_type(context, made, dtype, node)


def dtype_name(dtype: Binding, context: Context, node: Any) -> str:
    """The name of a dtype given as a string, a type or a dtype."""
    if not isinstance(dtype, Static):
        context.mistyped(node, "the dtype must be known before the run")
    try:
        return str(np.dtype(dtype.value).name)
    except TypeError as error:
        context.mistyped(node, str(error))


def as_type(context: Context, binding: Binding, dtype: Binding, node: Any) -> Binding:
    """`x.astype(dtype)`: a fresh array or number."""
    operand = context.operand(binding, node)
    with context.builder.at(context.location(node)):
        return context.bind(context.builder.cast(operand, dtype_name(dtype, context, node)))


@special(np.transpose)
def _transpose(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, axes = _given(arguments, keywords, "a", "axes")
    assert source is not None, "transpose has an argument"
    ref = _as_array(context, source, node)
    ndim = type_of_ref(context, ref, node).ndim
    if axes is None or axes == Static(None):
        order = tuple(reversed(range(ndim)))
    else:
        order = _axes(context, axes, "axes", ndim, node)
        if len(order) != ndim:
            context.mistyped(node, f"'axes' names {len(order)} axes of an array of {ndim} dimensions")
    return _permuted(ref, order)


def _permuted(ref: Any, order: tuple[int, ...]) -> ArrayRef:
    return ArrayRef(ref.cell, (*ref.path, Permute(order)))


def _axes(context: Context, binding: Binding, label: str, rank: int, node: Any) -> tuple[int, ...]:
    """Axes of an array of this many, counted from the first one."""
    operand = static_operand(context, binding, label, node)
    axes = tuple(o.value for o in operand) if isinstance(operand, tuple) else (operand.value,)
    for k in axes:
        if not isinstance(k, int) or not -rank <= k < rank:
            context.mistyped(node, f"axis {k} is out of bounds for an array of {rank} dimensions")
    if len({k % rank for k in axes}) < len(axes):
        context.mistyped(node, f"'{label}' names an axis twice")
    return tuple(k % rank for k in axes)


@special(np.swapaxes)
def _swapaxes(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, first, second = _given(arguments, keywords, "a", "axis1", "axis2")
    assert source is not None and first is not None and second is not None, "swapaxes has three arguments"
    ref = _as_array(context, source, node)
    order = list(range(type_of_ref(context, ref, node).ndim))
    rank = len(order)
    (i,), (j,) = _axes(context, first, "axis1", rank, node), _axes(context, second, "axis2", rank, node)
    order[i], order[j] = order[j], order[i]
    return _permuted(ref, tuple(order))


@special(np.moveaxis)
def _moveaxis(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, start, end = _given(arguments, keywords, "a", "source", "destination")
    assert source is not None and start is not None and end is not None, "moveaxis has three arguments"
    ref = _as_array(context, source, node)
    shape = tuple(range(type_of_ref(context, ref, node).ndim))
    rank = len(shape)
    starts, ends = _axes(context, start, "source", rank, node), _axes(context, end, "destination", rank, node)
    if len(starts) != len(ends):
        context.mistyped(node, "'source' and 'destination' name different numbers of axes")
    order = np.moveaxis(np.zeros(shape), starts, ends).shape
    return _permuted(ref, tuple(order))


@special(np.expand_dims)
def _expand_dims(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, axis = _given(arguments, keywords, "a", "axis")
    assert source is not None and axis is not None, "expand_dims has two arguments"
    ref = _as_array(context, source, node)
    given = static_operand(context, axis, "axis", node)
    rank = type_of_ref(context, ref, node).ndim + (len(given) if isinstance(given, tuple) else 1)
    new = _axes(context, axis, "axis", rank, node)
    items = tuple(Constant(None) if k in new else Slice(None, None, None) for k in range(rank))
    return read_part(context, ref, Index(items), node)


@special(np.squeeze)
def _squeeze(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, axis = _given(arguments, keywords, "a", "axis")
    assert source is not None, "squeeze has an argument"
    ref = _as_array(context, source, node)
    if axis is None or axis == Static(None):
        context.refuse(node, "squeeze without an axis depends on sizes that only the run knows", "name the axis")
    rank = type_of_ref(context, ref, node).ndim
    dropped = _axes(context, axis, "axis", rank, node)
    value = context.read(ref, node)
    for k in sorted(dropped):
        extent = context.let(node, primitives.dim, value, constant(k))
        one = context.let(node, np.equal, extent, constant(1))
        message = "cannot select an axis to squeeze out which has size not equal to one"
        context.builder.effect(primitives.check, one, Constant(ValueError), Constant(message))
    items = tuple(constant(0) if k in dropped else Slice(None, None, None) for k in range(rank))
    return read_part(context, ref, Index(items), node)


@special(np.flip)
def _flip(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, axis = _given(arguments, keywords, "m", "axis")
    assert source is not None, "flip has an argument"
    ref = _as_array(context, source, node)
    rank = type_of_ref(context, ref, node).ndim
    flipped = range(rank) if axis is None or axis == Static(None) else _axes(context, axis, "axis", rank, node)
    items = tuple(Slice(None, None, constant(-1) if k in flipped else None) for k in range(rank))
    return read_part(context, ref, Index(items), node)


def _at_least(ndim: int) -> Special:
    def atleast(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
        if len(arguments) != 1:
            context.refuse(node, f"atleast_{ndim}d of several arrays is not followed", "call it for one at a time")
        ref = _as_array(context, arguments[0], node)
        rank = type_of_ref(context, ref, node).ndim
        new, keep = Constant(None), Slice(None, None, None)
        items: tuple[Any, ...] = (*[new] * (ndim - rank), *[keep] * rank)
        if ndim == 3 and rank in (1, 2):
            items = (new, keep, new) if rank == 1 else (keep, keep, new)
        return ref if rank >= ndim else read_part(context, ref, Index(items), node)

    return atleast


SPECIAL[np.atleast_1d], SPECIAL[np.atleast_2d], SPECIAL[np.atleast_3d] = _at_least(1), _at_least(2), _at_least(3)


@special(np.reshape)
def _reshape(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, shape = _given(arguments, keywords, "a", "shape")
    assert source is not None and shape is not None, "reshape has two arguments"
    if isinstance(shape, TupleValue | ListRef):
        sizes = tuple(context.scalar(item, node) for item in context.items(shape, node))
    else:
        sizes = (context.scalar(shape, node),)
    return reshaped(context, source, sizes, node)


def reshaped(context: Context, source: Binding, sizes: tuple[Operand, ...], node: Any) -> Binding:
    """A view of fresh memory; of memory whose layout is not known, an array that must not be written."""
    if isinstance(source, ArrayRef) and type_of_ref(context, source, node).ndim > 0:
        if all(isinstance(step, Reshape) for step in source.path) and is_contiguous(context, source, node):
            return ArrayRef(source.cell, (Reshape(sizes),))
        value = context.let(node, np.reshape, context.read(source, node), sizes)
        ref = context.bind(value)
        if isinstance(ref, ArrayRef):
            ref.cell.outside = "this reshaped array may or may not share memory with the array it comes from"
            context.state.descend(ref.cell, source.cell)
        return ref
    return context.bind(context.let(node, np.reshape, context.operand(source, node), sizes))


def is_contiguous(context: Context, ref: ArrayRef, node: Any) -> bool:
    """Whether a reshaped array surely shares the memory: NumPy copies where the elements are not in C order."""
    cell = ref.cell
    if cell.outside or cell in context.state.arguments:
        return False
    return cell.contiguous or context.version(cell, node).type.ndim == 1


def in_c_order(binding: Binding) -> Binding:
    """The array, known to be in C order."""
    if isinstance(binding, ArrayRef):
        binding.cell.contiguous = True
    return binding


@special(np.ravel)
def _ravel(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    return reshaped(context, arguments[0], (constant(-1),), node)


# Arrays: creation


def _filled_like(create: Any) -> Special:
    def like(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
        source, dtype = _given(arguments, keywords, "a", "dtype")
        assert source is not None, "zeros_like has an argument"
        operand = context.operand(source, node)
        name = dtype_name(dtype, context, node) if dtype is not None else operand.type.dtype
        with context.builder.at(context.location(node)):
            shape = context.builder.dims(operand)
        return in_c_order(context.bind(computed(context, create, (shape, Constant(name)), ("dtype",), node)))

    return like


SPECIAL[np.zeros_like], SPECIAL[np.ones_like] = _filled_like(np.zeros), _filled_like(np.ones)
SPECIAL[np.empty_like] = _filled_like(np.empty)


@special(np.full)
def _full(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    shape, fill, dtype = _given(arguments, keywords, "shape", "fill_value", "dtype")
    assert shape is not None and fill is not None, "full has a shape and a value"
    value = context.operand(fill, node)
    if dtype is not None:
        with context.builder.at(context.location(node)):
            value = context.builder.cast(value, dtype_name(dtype, context, node))
    sizes = shape_operand(context, shape, node)
    return context.bind(computed(context, np.full, (sizes, value), (), node))


@special(np.full_like)
def _full_like(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, fill = arguments[:2]
    operand, value = context.operand(source, node), context.operand(fill, node)
    with context.builder.at(context.location(node)):
        if value.type.dtype != operand.type.dtype:
            value = context.builder.cast(value, operand.type.dtype)
        shape = context.builder.dims(operand)
    return context.bind(computed(context, np.full, (shape, value), (), node))


def shape_operand(context: Context, shape: Binding, node: Any) -> Operand:
    """A shape given as an int or a sequence of ints."""
    if isinstance(shape, TupleValue | ListRef):
        return tuple(context.scalar(item, node) for item in context.items(shape, node))
    return (context.scalar(shape, node),)


def _created(create: Any) -> Special:
    def made(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
        shape, dtype = _given(arguments, keywords, "shape", "dtype")
        assert shape is not None, "zeros has a shape"
        sizes = shape_operand(context, shape, node)
        if dtype is None:
            return in_c_order(context.bind(computed(context, create, (sizes,), (), node)))
        name = Constant(dtype_name(dtype, context, node))
        return in_c_order(context.bind(computed(context, create, (sizes, name), ("dtype",), node)))

    return made


SPECIAL[np.zeros], SPECIAL[np.ones], SPECIAL[np.empty] = _created(np.zeros), _created(np.ones), _created(np.empty)


@special(np.broadcast_to)
def _broadcast_to(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
    source, shape = arguments[:2]
    sizes = shape_operand(context, shape, node)
    ref = context.bind(computed(context, np.broadcast_to, (context.operand(source, node), sizes), (), node))
    assert isinstance(ref, ArrayRef), "broadcast_to gives an array"
    ref.cell.outside = "an array from broadcast_to is read-only"
    if isinstance(source, ArrayRef):
        context.state.descend(ref.cell, source.cell)
    return ref


def _shape_of(name: str) -> Special:
    def ask(context: Context, arguments: Any, keywords: Any, node: Any) -> Binding:
        operand = context.operand(arguments[0], node)
        if isinstance(operand.type, Scalar):
            answers: dict[str, Binding] = {"shape": TupleValue(()), "ndim": constant(0), "size": constant(1)}
            return answers[name]
        return shape_attribute(context, operand, name, node)

    return ask


SPECIAL[np.shape], SPECIAL[np.ndim], SPECIAL[np.size] = _shape_of("shape"), _shape_of("ndim"), _shape_of("size")

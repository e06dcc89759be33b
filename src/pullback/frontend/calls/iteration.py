"""What a loop goes over: known items, a range, or a count with the item of each iteration."""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import Any, NoReturn

import numba
import numpy as np

from pullback import runtime
from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.calling_back import called
from pullback.frontend.calls.indexing import read_part, type_of_ref
from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.calls.objects import method_of
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    DictRef,
    Iteration,
    ListRef,
    ObjectRef,
    OneTime,
    Range,
    Snapshot,
    Stack,
    Static,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.frontend.values.item_forms import form_of_content, list_item
from pullback.frontend.values.known import known_binding
from pullback.frontend.values.one_time import one_time, opened
from pullback.functions.progress import OVER, ProgressBar
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Operand, Value

ITERATION = Meanings()
_FALSE = constant(False)


@ITERATION.of(builtins.range, numba.prange)
def _range(
    context: Context, node: Any, first: Binding, second: Binding | None = None, step: Binding | None = None, /
) -> Binding:
    given = [binding for binding in (first, second, step) if binding is not None]
    parts = [context.scalar(binding, node) for binding in given]
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
    return context.let(node, max, constant(0), context.scalar(length, node))


def iterate(context: Context, binding: Binding, node: Any) -> Iteration | tuple[Binding, ...] | Range:
    """What a `for` runs over: known items, a range, or a count with the item of each iteration."""
    binding = opened(context, iterable_of(context, binding, node), node)
    match binding:
        case TupleValue() if binding.is_sequence:
            check_followed(context, binding.over, 0, node)
            return context.items(binding, node)
        case ListRef():
            content = context.version(binding.cell, node)
            if isinstance(content, tuple):
                return content
            return Iteration(content.length, lambda k: _stack_item(context, binding, k, node), (binding,))
        case DictRef():
            return tuple(known_binding(key) for key, _ in context.version(binding.cell, node))
        case Static(value=str() | frozenset() as value):
            return tuple(map(known_binding, _in_order(context, value, node)))
        case Range() | Iteration():
            return binding
        case ArrayRef():
            if type_of_ref(context, binding, node).ndim == 0:
                context.mistyped(node, "iteration over a 0-d array")
            count = context.let(node, primitives.dim, context.read(binding, node), constant(0))
            return Iteration(count, lambda k: read_part(context, binding, Index((k,)), node), (binding,))
    context.check_plain(binding, node)
    context.mistyped(node, f"{described(binding)} cannot be iterated over")


def iterable_of(context: Context, binding: Binding, node: Any) -> Binding:
    """What `__iter__` of an object gives, and what a progress bar goes over; anything else as it is."""
    binding = inside_bar(context, context.settled(binding, node), node)
    method = method_of(context, binding, "__iter__")
    if method is None:
        return binding
    found = context.settled(called(context, method, (), node), node)
    if method_of(context, found, "__next__") is not None:
        reason = f"{described(found)} is an iterator by methods of its own, which keep where it is"
        context.refuse(node, reason, "let '__iter__' return iter(...) of a list, an array or a range")
    if not isinstance(found, OneTime):
        context.mistyped(node, f"iter() returned no iterator, but {described(found)}", "return iter(...) of it")
    return found


def inside_bar(context: Context, binding: Binding, node: Any) -> Binding:
    """What a progress bar goes over; anything else as it is."""
    while isinstance(binding, ObjectRef) and binding.kind is ProgressBar:
        binding = context.settled(context.state.names[binding.number, OVER], node)
    return binding


def _in_order(context: Context, value: str | frozenset[Any], node: Any) -> list[Any]:
    """The letters of a text, or the items of a set, whose order is only sure where they are numbers."""
    if isinstance(value, frozenset) and not all(isinstance(item, int | float) for item in value) and len(value) > 1:
        context.refuse(node, "the order of a set is another in each process", "use sorted(...), or a tuple")
    return list(value)


def known_items(context: Context, binding: Binding, node: Any) -> tuple[Binding, ...] | None:
    """The items of what a loop can go over; None where their number is a matter of the run."""
    source = as_iteration(context, binding, node)
    if isinstance(source, tuple):
        return source
    if not isinstance(source.count, Constant):
        return None
    return tuple(source.item(constant(k)) for k in range(source.count.value))


def snapshots(context: Context, binding: Binding, node: Any) -> tuple[Snapshot, ...]:
    """What a loop over this follows, as it is now."""
    binding = inside_bar(context, binding, node)
    if isinstance(binding, OneTime) and isinstance(binding.over, Iteration):
        return tuple(Snapshot(cell, content) for cell, content in binding.seen if isinstance(content, tuple))
    if isinstance(binding, OneTime):
        binding = binding.over
    if isinstance(binding, TupleValue):
        return binding.over
    if isinstance(binding, ListRef):
        content = context.version(binding.cell, node)
        return (Snapshot(binding.cell, content),) if isinstance(content, tuple) else ()
    return ()


def check_followed(context: Context, over: tuple[Snapshot, ...], iterations: int, node: Any) -> None:
    """Refuse the change of a list or dict whose items the iterations after the first ones take from it as it was."""
    for snapshot in over:
        if not snapshot.holds(context.state.cells.get(snapshot.cell), iterations):
            refuse_change(context, snapshot.cell, node)


def refuse_change(context: Context, cell: Cell, node: Any) -> NoReturn:
    """Refuse the change of what a loop goes over."""
    name = f"'{cell.name}'" if cell.name else "what this loop goes over"
    context.refuse(node, f"{name} changes while a loop goes over it", "go over a copy, as in list(...)")


def _stack_item(context: Context, binding: ListRef, k: Operand, node: Any) -> Binding:
    content = context.version(binding.cell, node)
    buffer = content.buffer if isinstance(content, Stack) else context.array_of(binding, node)
    form = form_of_content(content, context.state)
    return list_item(context, context.let(node, primitives.load, buffer, (Index((k,)),)), form, binding.cell, node)


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

    return Iteration(trip_count(context, source, node), item, checkpoints=source.checkpoints)


@ITERATION.of(builtins.enumerate)
def _enumerate(context: Context, node: Any, iterable: Binding, start: Binding | None = None) -> Binding:
    first = context.scalar(start, node) if start is not None else constant(0)
    source = as_iteration(context, iterable, node)

    def number(k: Operand) -> Binding:
        return k if first == constant(0) else apply_operator(context, np.add, (first, k), node)

    if isinstance(source, tuple):
        numbered = tuple(TupleValue((number(constant(k)), item)) for k, item in enumerate(source))
        return one_time(context, TupleValue(numbered, over=snapshots(context, iterable, node)), iterable)
    return one_time(context, replace(source, item=lambda k: TupleValue((number(k), source.item(k)))), iterable)


@ITERATION.of(builtins.zip)
def _zip(context: Context, node: Any, *iterables: Binding, strict: Binding = _FALSE) -> Binding:
    sources = [as_iteration(context, iterable, node) for iterable in iterables]
    counts = [constant(len(s)) if isinstance(s, tuple) else s.count for s in sources]
    if strict != _FALSE:
        _check_lengths(context, node, counts, strict)
    if all(isinstance(source, tuple) for source in sources):
        over = tuple(snapshot for iterable in iterables for snapshot in snapshots(context, iterable, node))
        pairs = tuple(TupleValue(items) for items in zip(*sources, strict=False))
        return one_time(context, TupleValue(pairs, over=over), *iterables)
    if any(_stands_apart(context, source, node) for source in sources):
        return one_time(context, _zipped_apart(context, sources, counts, node), *iterables)
    count = counts[0]
    for other in counts[1:]:
        count = other if count is other else context.let(node, min, count, other)
    iterations = [s if isinstance(s, Iteration) else _by_index(context, s, node) for s in sources]
    followed = tuple(reference for source in iterations for reference in source.over)
    most = next((s.checkpoints for s in iterations if s.checkpoints is not None), None)
    zipped = Iteration(count, lambda k: TupleValue(tuple(s.item(k) for s in iterations)), followed, most)
    return one_time(context, zipped, *iterables)


def _by_index(context: Context, items: tuple[Binding, ...], node: Any) -> Iteration:
    """So many numbers, or arrays, of one type, by a number that only the run knows."""
    array = context.array_of(TupleValue(items), node)
    weak = getattr(context.operand(items[0], node).type, "weak", False)

    def item(k: Operand) -> Binding:
        with context.builder.at(context.location(node)):
            value = context.builder.load(array, (Index((k,)),))
            return context.bind(context.builder.cast(value, f"{value.type.dtype}*") if weak else value)

    return Iteration(constant(len(items)), item)


def _stands_apart(context: Context, source: Iteration | tuple[Binding, ...], node: Any) -> bool:
    """Whether items are other things than numbers, or arrays, of one type."""
    if isinstance(source, Iteration):
        return source.apart
    if not all(isinstance(item, Value | Constant | ArrayRef) for item in source):
        return True
    return len({context.operand(item, node).type for item in source}) != 1


def _zipped_apart(
    context: Context, sources: list[Iteration | tuple[Binding, ...]], counts: list[Operand], node: Any
) -> Iteration:
    """Pairs of which one part is known before the run, and of several kinds: each iteration is read by itself."""
    known = [count.value for count in counts if isinstance(count, Constant)]
    for count in counts:
        if not isinstance(count, Constant):
            enough = context.let(node, np.greater_equal, count, constant(min(known)))
            message = Constant("zip() is given fewer items in an array than in a list or tuple of several kinds")
            with context.builder.at(context.location(node)):
                context.builder.effect(primitives.check, enough, Constant(ValueError), message)

    def item(k: Operand) -> Binding:
        assert isinstance(k, Constant), "the iterations are read one by one"
        return TupleValue(tuple(s[k.value] if isinstance(s, tuple) else s.item(k) for s in sources))

    followed = tuple(reference for source in sources if isinstance(source, Iteration) for reference in source.over)
    return Iteration(constant(min(known)), item, followed, apart=True)


def _check_lengths(context: Context, node: Any, counts: list[Operand], strict: Binding) -> None:
    """ValueError, as zip(..., strict=True) has it, though before the loop and not at its end."""
    if strict != constant(True):
        context.refuse(node, "'strict' of zip must be known before the run", "write True or False")
    for k, count in enumerate(counts[1:]):
        same = context.let(node, np.equal, counts[0], count)
        message = Constant(f"zip() argument {k + 2} has another length than argument 1")
        context.builder.effect(primitives.check, same, Constant(ValueError), message)


@ITERATION.of(builtins.iter)
def _iter(context: Context, node: Any, iterable: Binding, /) -> Binding:
    if isinstance(iterable, OneTime):
        return iterable
    source = as_iteration(context, iterable, node)
    if isinstance(source, tuple):
        return one_time(context, TupleValue(source, over=snapshots(context, iterable, node)), iterable)
    return one_time(context, source, iterable)


@ITERATION.of(builtins.reversed)
def _reversed(context: Context, node: Any, sequence: Binding, /) -> Binding:
    if isinstance(sequence, OneTime):
        context.mistyped(node, "an iterator has no end to begin from", "make a list of it first")
    source = as_iteration(context, sequence, node)
    if isinstance(source, tuple):
        over = tuple(replace(snapshot, from_end=True) for snapshot in snapshots(context, sequence, node))
        return one_time(context, TupleValue(tuple(reversed(source)), over=over), sequence)

    def item(k: Operand) -> Binding:
        last = apply_operator(context, np.subtract, (source.count, constant(1)), node)
        return source.item(context.scalar(apply_operator(context, np.subtract, (last, k), node), node))

    return one_time(context, replace(source, item=item), sequence)


@ITERATION.of(runtime.checkpointed)
def _checkpointed(context: Context, node: Any, iterable: Binding, memory: Binding | None = None) -> Binding:
    given, is_iterator = iterable, isinstance(iterable, OneTime)
    iterable = opened(context, iterable, node)
    source = iterate(context, iterable, node)
    if isinstance(source, tuple):
        return one_time(context, iterable, given) if is_iterator else iterable
    most: Operand = Constant(None)
    if memory is not None and getattr(memory, "value", memory) is not None:
        most = context.scalar(memory, node)
        if not most.type.dtype.startswith(("int", "uint")):
            context.mistyped(
                node, f"memory= is a number of bytes, an integer, not {most.type.dtype}", "convert it with int(...)"
            )
    stored = replace(source, checkpoints=most)
    return one_time(context, stored, given) if is_iterator else stored

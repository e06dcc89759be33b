"""What Python's builtin functions of several items mean: `list`, `sum`, `sorted`, `map` and their like.

Items whose number is known before the run are taken one by one; else there is a loop. `map` and `filter` call the
function at once, or in the loop that goes over what they return.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls import indexing
from pullback.frontend.calls.apply import apply, apply_operator
from pullback.frontend.calls.by_key import best_of, in_order, keyed
from pullback.frontend.calls.calling_back import called, called_text, name_of, with_names
from pullback.frontend.calls.indexing import type_of_ref
from pullback.frontend.calls.iteration import as_iteration, known_items, snapshots
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.calls.parameters import new_dict
from pullback.frontend.syntax.operators import binary, truth
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    DictRef,
    Iteration,
    ListRef,
    Stack,
    Static,
    TupleValue,
)
from pullback.frontend.values.branches import choose
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_binding, known_value
from pullback.frontend.values.one_time import one_time, opened
from pullback.functions.by_key import added_up
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.infer import infer
from pullback.ir.nodes import Constant, Index, Operand, Value
from pullback.ir.types import BOOL, INT, Array, Scalar, is_float

SEQUENCES = Meanings()


def listed(context: Context, iterable: Binding, node: Any) -> ListRef:
    """A new list of all items, by a loop where only the run knows how many there are."""
    iterable = opened(context, iterable, node)
    if isinstance(iterable, ListRef) and isinstance(context.version(iterable.cell, node), Stack):
        return context.copied_list(iterable, context.version(iterable.cell, node))
    items = known_items(context, iterable, node)
    if items is not None:
        return context.new_list(items)
    if isinstance(iterable, ArrayRef):
        if type_of_ref(context, iterable, node).ndim > 1:
            context.refuse(node, "a list of the rows of an array is made", "use the array itself")
        array = context.read(iterable, node)
        buffer = context.let(node, np.concatenate, (array,))  # and no copy, whose cotangent would have its size
        length = context.let(node, primitives.dim, array, constant(0))
        made = context.new_list(())
        context.state.cells[made.cell] = Stack(buffer, length)
        return made
    item, source = "<item>", "<iterable>"
    generator = gast.comprehension(name_of(item, node, gast.Store()), name_of(source, node), [], 0)
    loop = gast.copy_location(gast.ListComp(name_of(item, node), [generator]), node)
    looped = with_names(context, {source: iterable}, loop)
    assert isinstance(looped, ListRef), "a comprehension makes a list"
    return looped


def items_or_array(context: Context, iterable: Binding, node: Any) -> tuple[Binding, ...] | ArrayRef:
    """The items; an array of them where only the run knows how many there are."""
    iterable = opened(context, iterable, node)
    if isinstance(iterable, ArrayRef):
        return iterable
    if not isinstance(iterable, ListRef):
        items = known_items(context, iterable, node)
        if items is not None:
            return items
        iterable = listed(context, iterable, node)
    content = context.version(iterable.cell, node)
    if isinstance(content, tuple):
        return content
    if content.form is not None:
        context.refuse(node, "the items of a list of lists or tuples are used together", "make an array of it first")
    array = context.bind(context.array_of(iterable, node))
    assert isinstance(array, ArrayRef), "an array has a cell"
    return array


@SEQUENCES.of(builtins.tuple)
def _tuple(context: Context, node: Any, iterable: Binding | None = None, /) -> Binding:
    items = () if iterable is None else known_items(context, iterable, node)
    if items is None:
        context.refuse(node, "a tuple is made of something whose length is a matter of the run", "use an array")
    return TupleValue(items)


@SEQUENCES.of(builtins.list)
def _list(context: Context, node: Any, iterable: Binding | None = None, /) -> Binding:
    return context.new_list(()) if iterable is None else listed(context, iterable, node)


@SEQUENCES.of(builtins.set, builtins.frozenset)
def _set(context: Context, node: Any, iterable: Binding | None = None, /) -> Binding:
    items = () if iterable is None else known_items(context, iterable, node)
    values = None if items is None else known_value(TupleValue(items))
    if values is None:
        context.refuse(node, "a set is made of values that only the run knows", "use np.unique, or a list")
    return Static(frozenset(values[0]))


@SEQUENCES.of(builtins.dict)
def _dict(context: Context, node: Any, mapping: Binding | None = None, /, **named: Binding) -> Binding:
    return new_dict(context, {**({} if mapping is None else entries_in(context, mapping, node)), **named})


def entries_in(context: Context, mapping: Binding, node: Any) -> dict[Any, Binding]:
    """The entries of a dict, or of pairs of a key and a value."""
    if isinstance(mapping, DictRef):
        return dict(context.version(mapping.cell, node))
    entries: dict[Any, Binding] = {}
    for pair in known_items(context, mapping, node) or ():
        items = known_items(context, pair, node) or ()
        key = known_value(items[0]) if len(items) == 2 else None
        if key is None:
            context.refuse(node, "a dict is made of what is no pair of a known key and a value", "write a dict literal")
        entries[key[0]] = items[1]
    return entries


@SEQUENCES.of(builtins.sum)
def _sum(context: Context, node: Any, iterable: Binding, start: Binding | None = None) -> Binding:
    iterable = opened(context, iterable, node)
    if start is not None and _has_form(context, iterable):
        return called_text(context, added_up, (iterable, start), node)
    items = items_or_array(context, iterable, node)
    if isinstance(items, ArrayRef):
        if not isinstance(iterable, ArrayRef) and type_of_ref(context, items, node).ndim > 1:
            _check_some(context, items, node)
        first = start if start is not None else constant(0)
        total = _wrapped(context, apply(context, np.sum, (items,), {"axis": constant(0)}, node), items, first, node)
        return total if start is None else apply_operator(context, np.add, (start, total), node)
    total = start if start is not None else constant(0)
    for item in items:
        total = binary(context, np.add, total, item, node)
    return total


def _wrapped(context: Context, total: Binding, items: ArrayRef, start: Binding, node: Any) -> Binding:
    """NumPy's sum of an array in the dtype in which Python adds its items to the start, one by one."""
    type_ = type_of_ref(context, items, node)
    item = Array(type_.dtype, type_.ndim - 1) if type_.ndim > 1 else Scalar(type_.dtype)
    dtype = infer(np.add, (context.operand(start, node), Value("", item))).dtype
    operand = context.operand(total, node)
    if dtype == operand.type.dtype or dtype.startswith(("float", "complex")):
        return total
    with context.builder.at(context.location(node)):
        return context.bind(context.builder.cast(operand, dtype))


def _check_some(context: Context, items: ArrayRef, node: Any) -> None:
    """The arrays of a list whose length the run decides: there must be one, which gives the sum its shape."""
    rows = context.read(items, node)
    with context.builder.at(context.location(node)):
        length = context.builder.let(primitives.dim, rows, constant(0))
        some = context.builder.let(np.greater, length, constant(0))
        message = Constant("the sum of a list without arrays has no shape")
        context.builder.effect(primitives.check, some, Constant(ValueError), message)


def _quantifier(reduction: Callable[..., Any], decides: bool) -> Meaning:
    """`any` or `all`: decides is the truth value of an item that settles it."""

    def quantify(context: Context, node: Any, iterable: Binding, /) -> Binding:
        items = items_or_array(context, iterable, node)
        if not isinstance(items, ArrayRef):
            return _quantified(context, items, decides, node)
        if type_of_ref(context, items, node).ndim > 1:
            context.mistyped(node, "the truth value of an array is ambiguous", "use np.any(...) or np.all(...)")
        found = context.scalar(apply(context, reduction, (items,), {}, node), node)
        with context.builder.at(context.location(node)):
            return found if found.type == BOOL else context.builder.cast(found, "bool*")

    return quantify


def _quantified(context: Context, items: tuple[Binding, ...], decides: bool, node: Any) -> Binding:
    if not items:
        return constant(not decides)
    first, *others = items
    condition = truth(context, first, node)
    rest = tuple(others)
    if isinstance(condition, Constant):
        settled = bool(condition.value) == decides
        return constant(decides) if settled else _quantified(context, rest, decides, node)
    if not rest:
        with context.builder.at(context.location(node)):
            return condition if condition.type == BOOL else context.builder.cast(condition, "bool*")

    def known() -> Binding:
        return constant(decides)

    def further() -> Binding:
        return _quantified(context, rest, decides, node)

    return choose(context, condition, known if decides else further, further if decides else known, node)


SEQUENCES[builtins.any] = _quantifier(np.any, True)
SEQUENCES[builtins.all] = _quantifier(np.all, False)


def _first_best(compare: Any, reduction: Any) -> Meaning:
    """Python's max and min: the first of equal ones, so that a tie goes to it alone."""

    def extremum(
        context: Context,
        node: Any,
        first: Binding,
        /,
        *others: Binding,
        key: Binding | None = None,
        default: Binding | None = None,
    ) -> Binding:
        given = opened(context, first, node)
        has_form = key is not None or default is not None or _has_form(context, given)
        if not others and has_form and not _is_known(context, given, node):
            return best_of(context, given, key, default, compare is np.greater, node)
        items = (first, *others) if others else items_or_array(context, given, node)
        if isinstance(items, ArrayRef):
            if type_of_ref(context, items, node).ndim > 1:
                context.mistyped(node, "rows have no order", f"use np.{reduction.__name__} with an axis")
            return apply(context, reduction, (items,), {}, node)
        if not items and default is not None:
            return default
        if not items:
            context.mistyped(node, "max() or min() of nothing")
        keys = [item if key is None else called(context, key, (item,), node) for item in items]
        best, largest = items[0], keys[0]
        for item, value in zip(items[1:], keys[1:], strict=True):
            best, largest = _better(context, compare, (best, largest), (item, value), node)
        return best

    return extremum


def _is_known(context: Context, iterable: Binding, node: Any) -> bool:
    """Whether the number of items is known before the run."""
    return not isinstance(iterable, ArrayRef) and known_items(context, iterable, node) is not None


def _has_form(context: Context, iterable: Binding) -> bool:
    """Whether this is a list of lists, tuples or objects."""
    content = context.state.cells.get(iterable.cell) if isinstance(iterable, ListRef) else None
    return isinstance(content, Stack) and content.form is not None


_OF_INTEGERS: dict[Any, Any] = {np.greater: max, np.less: min}
"""Of equal integers it does not matter which is the first."""


def _better(
    context: Context, compare: Any, best: tuple[Binding, Binding], other: tuple[Binding, Binding], node: Any
) -> tuple[Binding, Binding]:
    """Of two items with their keys, the one that comes first."""
    known = known_value(TupleValue((other[1], best[1])))
    if known is not None and any(isinstance(value, str | tuple) for value in known[0]):
        value, largest = known[0]
        return other if (value > largest if compare is np.greater else value < largest) else best
    a, b = context.scalar(best[1], node), context.scalar(other[1], node)
    is_better = apply_operator(context, compare, (b, a), node)
    if isinstance(is_better, Constant):
        return other if is_better.value else best
    if best[0] is best[1] and other[0] is other[1]:
        if a.type == b.type == INT:
            number = context.let(node, _OF_INTEGERS[compare], *((b, a) if isinstance(a, Constant) else (a, b)))
            return number, number
        chosen = choose(context, context.scalar(is_better, node), lambda: b, lambda: a, node)
        return chosen, chosen
    pairs = TupleValue(other), TupleValue(best)
    chosen = choose(context, context.scalar(is_better, node), lambda: pairs[0], lambda: pairs[1], node)
    first, second = context.items(chosen, node)
    return first, second


SEQUENCES[builtins.max] = _first_best(np.greater, np.max)
SEQUENCES[builtins.min] = _first_best(np.less, np.min)


@SEQUENCES.of(builtins.map)
def _map(context: Context, node: Any, function: Binding, /, *iterables: Binding) -> Binding:
    sequences = [opened(context, iterable, node) for iterable in iterables]
    sources = [as_iteration(context, iterable, node) for iterable in sequences]
    known = [known_items(context, iterable, node) for iterable in sequences]
    if all(items is not None for items in known):
        rows = list(zip(*(items for items in known if items is not None), strict=False))

        def result(k: Operand) -> Binding:
            assert isinstance(k, Constant), "the iterations are read one by one"
            return called(context, function, rows[k.value], node)

        return one_time(context, Iteration(constant(len(rows)), result, apart=True), *iterables)
    if len(sources) > 1 or not isinstance(sources[0], Iteration):
        context.refuse(node, "'map' goes over several arrays", "write map(f, x), or a loop over zip(...)")
    source = sources[0]
    made = replace(source, item=lambda k: called(context, function, (source.item(k),), node))
    return one_time(context, made, *iterables)


@SEQUENCES.of(builtins.filter)
def _filter(context: Context, node: Any, function: Binding, iterable: Binding, /) -> Binding:
    kept: list[Binding] = []
    given, iterable = iterable, opened(context, iterable, node)
    for item in known_items(context, iterable, node) or _unknown_filter(context, iterable, node):
        asked = item if function == Static(None) else called(context, function, (item,), node)
        condition = truth(context, asked, node)
        if not isinstance(condition, Constant):
            _unknown_filter(context, None, node)
        elif condition.value:
            kept.append(item)
    return one_time(context, TupleValue(tuple(kept), over=snapshots(context, given, node)), given)


def _unknown_filter(context: Context, iterable: Binding | None, node: Any) -> tuple[Binding, ...]:
    if iterable is not None and known_items(context, iterable, node) == ():
        return ()
    context.refuse(node, "which items 'filter' keeps is not known before the run", "write a comprehension with an 'if'")


@SEQUENCES.of(builtins.sorted)
def _sorted(
    context: Context,
    node: Any,
    iterable: Binding,
    /,
    *,
    key: Binding | None = None,
    reverse: Binding | None = None,
) -> Binding:
    if isinstance(iterable, Static) and isinstance(iterable.value, frozenset):
        iterable = known_binding(tuple(iterable.value))
    backwards = reverse is not None and truth(context, reverse, node) == constant(True)
    iterable = opened(context, iterable, node)
    if key is not None and not _is_known(context, iterable, node):
        whole = listed(context, iterable, node)
        return in_order(context, whole, keyed(context, whole, key, node), backwards, node)
    items = items_or_array(context, iterable, node)
    if isinstance(items, ArrayRef):
        if type_of_ref(context, items, node).ndim != 1:
            context.refuse(node, "'sorted' of rows that only the run knows takes a key", "use np.argsort")
        return listed(context, _sorted_array(context, items, backwards, node), node)
    return context.new_list(sorted_items(context, items, key, backwards, node))


def sorted_items(
    context: Context, items: tuple[Binding, ...], key: Binding | None, backwards: bool, node: Any
) -> tuple[Binding, ...]:
    """So many items in order: as their keys are, which are known, or as numbers that the run knows."""
    keys = [item if key is None else called(context, key, (item,), node) for item in items]
    known = [known_value(binding) for binding in keys]
    if None not in known:
        try:
            order = sorted(range(len(items)), key=[k[0] for k in known if k].__getitem__, reverse=backwards)
        except TypeError as error:
            context.mistyped(node, str(error))
        return tuple(items[k] for k in order)
    if key is not None and all(isinstance(value, Value | Constant) for value in keys):
        array = context.bind(context.array_of(TupleValue(tuple(keys)), node))
        return context.items(in_order(context, context.new_list(items), array, backwards, node), node)
    if key is not None or not all(isinstance(item, Value | Constant) for item in items):
        context.refuse(node, "the order of what is sorted is not known before the run", "use np.argsort")
    types = [item.type for item in items if isinstance(item, Value | Constant) and isinstance(item.type, Scalar)]
    if len({t.dtype for t in types if is_float(t)}) > 1:
        context.refuse(node, "which dtype an item has once they are sorted is not known before the run", "cast them")
    array = context.bind(context.array_of(TupleValue(items), node))
    ordered = context.operand(_sorted_array(context, array, backwards, node), node)
    weak = all(t.weak for t in types)
    with context.builder.at(context.location(node)):
        numbers = [context.builder.load(ordered, (Index((constant(k),)),)) for k in range(len(items))]
        return tuple(context.builder.cast(n, f"{n.type.dtype}*") if weak else n for n in numbers)


def _sorted_array(context: Context, array: Binding, backwards: bool, node: Any) -> Binding:
    order = context.operand(apply(context, np.argsort, (array,), {}, node), node)
    assert isinstance(array, ArrayRef), "what is sorted is an array"
    ordered = indexing.read_part(context, array, Index((order,)), node)
    return apply(context, np.flip, (ordered,), {}, node) if backwards else ordered

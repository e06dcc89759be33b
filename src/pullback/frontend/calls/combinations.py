"""What `itertools`, `functools.reduce` and NumPy's loops over places mean.

Sequences whose items are known before the run are taken apart; ranges and arrays are gone over in one loop.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls import indexing
from pullback.frontend.calls.apply import apply_operator
from pullback.frontend.calls.calling_back import called, name_of, with_names
from pullback.frontend.calls.iteration import as_iteration, known_items
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Iteration,
    ListRef,
    Range,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_value
from pullback.frontend.values.one_time import one_time, opened
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Operand

COMBINATIONS = Meanings()


_LAZY = (itertools.chain, itertools.pairwise, itertools.islice)
"""Those that take items from what they go over when they are asked for the next one."""


def _of_known(function: Callable[..., Any]) -> Meaning:
    """A function of `itertools` that takes sequences apart, whatever their items are."""

    def combine(context: Context, node: Any, *given: Binding, **settings: Binding) -> Binding:
        arguments: list[Any] = []
        for binding in given:
            items = binding.value if isinstance(binding, Constant) else known_items(context, binding, node)
            if items is None:
                reason = f"'{function.__name__}' is given something whose length is a matter of the run"
                context.refuse(node, reason, "write nested loops")
            arguments.append(items)
        named = {name: known_value(binding) for name, binding in settings.items()}
        if None in named.values():
            context.refuse(node, f"a setting of '{function.__name__}' is not known before the run")
        made = function(*arguments, **{name: value[0] for name, value in named.items() if value})
        items = tuple(TupleValue(item) if isinstance(item, tuple) else item for item in made)
        return one_time(context, TupleValue(items), *(given if function in _LAZY else ()))

    return combine


for _function in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
    COMBINATIONS[_function] = _of_known(_function)
COMBINATIONS[itertools.chain] = _of_known(itertools.chain)
COMBINATIONS[itertools.pairwise] = _of_known(itertools.pairwise)
COMBINATIONS[itertools.islice] = _of_known(itertools.islice)


@COMBINATIONS.of(itertools.product)
def _product(context: Context, node: Any, *iterables: Binding, repeat: Binding | None = None) -> Binding:
    if repeat is not None:
        times = known_value(repeat)
        if times is None:
            context.refuse(node, "how often 'product' repeats must be known before the run", "write the number")
        iterables = tuple(opened(context, iterable, node) for iterable in iterables) * times[0]
    iterables = tuple(opened(context, iterable, node) for iterable in iterables)
    known = [known_items(context, iterable, node) for iterable in iterables]
    if None not in known:
        rows = itertools.product(*(items for items in known if items is not None))
        return one_time(context, TupleValue(tuple(TupleValue(row) for row in rows)))
    sources = [as_iteration(context, iterable, node) for iterable in iterables]
    if not all(isinstance(source, Iteration) for source in sources):
        context.refuse(node, "a tuple or list is combined with a range or an array", "write nested loops")
    return one_time(context, nested(context, [source for source in sources if isinstance(source, Iteration)], node))


@COMBINATIONS.of(np.ndindex)
def _ndindex(context: Context, node: Any, *shape: Binding) -> Binding:
    return one_time(context, _places(context, node, shape))


def _places(context: Context, node: Any, shape: tuple[Binding, ...]) -> Iteration:
    if len(shape) == 1 and isinstance(shape[0], TupleValue | ListRef):
        shape = context.items(shape[0], node)
    ranges = [Range(constant(0), context.scalar(size, node), constant(1)) for size in shape]
    return nested(context, [_counted(context, range_, node) for range_ in ranges], node)


@COMBINATIONS.of(np.ndenumerate)
def _ndenumerate(context: Context, node: Any, arr: Binding) -> Binding:
    if not isinstance(arr, ArrayRef):
        context.mistyped(node, "np.ndenumerate goes over an array")
    places = _places(context, node, indexing.shape_attribute(context, context.read(arr, node), "shape", node).items)

    def item(k: Operand) -> Binding:
        place = places.item(k)
        assert isinstance(place, TupleValue), "a place is a tuple"
        indices = tuple(context.scalar(index, node) for index in place.items)
        return TupleValue((place, indexing.read_part(context, arr, Index(indices), node)))

    return one_time(context, replace(places, item=item, over=(arr,)))


def _counted(context: Context, range_: Range, node: Any) -> Iteration:
    source = as_iteration(context, range_, node)
    assert isinstance(source, Iteration), "a range has a count"
    return source


@COMBINATIONS.of(functools.reduce)
def _reduce(
    context: Context, node: Any, function: Binding, iterable: Binding, initial: Binding | None = None, /
) -> Binding:
    iterable = opened(context, iterable, node)
    items = known_items(context, iterable, node)
    if items is None and initial is not None:
        return _folded(context, function, iterable, initial, node)
    if items is None:
        reason = "'reduce' goes over something whose length is a matter of the run, and has no initial value"
        context.refuse(node, reason, "give it one")
    if initial is None and not items:
        context.mistyped(node, "reduce() of empty iterable with no initial value")
    total, *others = items if initial is None else (initial, *items)
    for item in others:
        total = called(context, function, (total, item), node)
    return total


def _folded(context: Context, function: Binding, iterable: Binding, initial: Binding, node: Any) -> Binding:
    """`reduce` as a loop."""
    total, item = "<total>", "<item>"
    call = gast.Call(name_of("<function>", node), [name_of(total, node), name_of(item, node)], [])
    step = gast.Assign([name_of(total, node, gast.Store())], gast.copy_location(call, node))
    loop = gast.For(name_of(item, node, gast.Store()), name_of("<items>", node), [gast.copy_location(step, node)], [])
    given = {"<function>": function, "<items>": iterable, total: initial}
    return with_names(context, given, name_of(total, node), gast.copy_location(loop, node))


def nested(context: Context, sources: list[Iteration], node: Any) -> Iteration:
    """One loop for several that stand in one another, the last innermost."""
    count: Operand = constant(1)
    for source in sources:
        count = context.scalar(apply_operator(context, np.multiply, (count, source.count), node), node)

    def item(k: Operand) -> Binding:
        items: list[Binding] = []
        for source in reversed(sources):
            place = apply_operator(context, np.remainder, (k, source.count), node)
            items.append(source.item(context.scalar(place, node)))
            k = context.scalar(apply_operator(context, np.floor_divide, (k, source.count), node), node)
        return TupleValue(tuple(reversed(items)))

    return Iteration(count, item, tuple(reference for source in sources for reference in source.over))

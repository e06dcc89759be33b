"""NumPy's objects that mean something by their index: np.r_, np.c_, np.s_, np.index_exp, np.mgrid and np.ogrid.

np.r_[1:4, x, 0.0]    →    np.concatenate of np.arange(1, 4), x and an array of 0
np.s_[1:, ::2]        →    the tuple of slices
np.mgrid[0:3, 0:4]    →    np.stack of two arrays
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.calls import call_static
from pullback.frontend.calls.indexing import slice_of
from pullback.frontend.values.bindings import Binding, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.functions.index_objects import columns_beside, grid_of, in_a_row, open_grid_of
from pullback.ir.builder import constant

OBJECTS = (np.r_, np.c_, np.s_, np.index_exp, np.mgrid, np.ogrid)


def is_index_object(binding: Binding) -> bool:
    """Whether this is one of the objects."""
    return isinstance(binding, Static) and any(binding.value is found for found in OBJECTS)


def indexed(context: Context, found: Any, slice_node: Any, node: Any) -> Binding:
    """What an object means with an index."""
    elements = slice_node.elts if isinstance(slice_node, gast.Tuple) else [slice_node]
    if found is np.s_ or found is np.index_exp:
        items = tuple(_as_it_is(context, element) for element in elements)
        return TupleValue(items) if found is np.index_exp or isinstance(slice_node, gast.Tuple) else items[0]
    if found is np.mgrid or found is np.ogrid:
        vectors = tuple(_vector(context, element, node) for element in elements)
        if not isinstance(slice_node, gast.Tuple):
            return vectors[0]
        return call_static(context, grid_of if found is np.mgrid else open_grid_of, vectors, {}, node)
    items = tuple(_vector(context, e, node) if isinstance(e, gast.Slice) else context.evaluate(e) for e in elements)
    return call_static(context, in_a_row if found is np.r_ else columns_beside, items, {}, node)


def _as_it_is(context: Context, element: Any) -> Binding:
    """A slice as an object that is known before the run, or another item of an index."""
    if not isinstance(element, gast.Slice):
        return context.evaluate(element)
    return slice_of(tuple(_bound(context, part) for part in (element.lower, element.upper, element.step)))


def _bound(context: Context, node: Any) -> Binding:
    return Static(None) if node is None else context.evaluate(node)


def _vector(context: Context, element: Any, node: Any) -> Binding:
    """The numbers of a slice: `start:stop:step`, or so many of them for an imaginary step."""
    if not isinstance(element, gast.Slice) or element.upper is None:
        context.refuse(node, "this item of the index has no end", "write start:stop")
    start = constant(0) if element.lower is None else context.evaluate(element.lower)
    stop = context.evaluate(element.upper)
    step = constant(1) if element.step is None else context.evaluate(element.step)
    value = getattr(step, "value", None)
    if isinstance(value, complex):
        return call_static(context, np.linspace, (start, stop, constant(int(abs(value)))), {}, node)
    return call_static(context, np.arange, (start, stop, step), {}, node)

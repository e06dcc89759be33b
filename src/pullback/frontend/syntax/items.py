"""`receiver[index]`, read and written: by methods that the class of an object has in Python code, or as of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.calls.calling_back import called
from pullback.frontend.calls.index_objects import indexed
from pullback.frontend.calls.indexing import subscript
from pullback.frontend.calls.item_writing import write
from pullback.frontend.calls.objects import method_of
from pullback.frontend.values.bindings import Binding
from pullback.frontend.values.context import Context


def read_item(context: Context, receiver: Binding, slice_node: Any, node: Any) -> Binding:
    """`receiver[slice]`."""
    method = method_of(context, receiver, "__getitem__")
    if method is None:
        return subscript(context, receiver, slice_node, node)
    return called(context, method, (indexed(context, np.s_, slice_node, node),), node)


def write_item(context: Context, receiver: Binding, slice_node: Any, value: Binding, node: Any) -> None:
    """`receiver[slice] = value`."""
    method = method_of(context, receiver, "__setitem__")
    if method is None:
        write(context, receiver, slice_node, value, node)
        return
    called(context, method, (indexed(context, np.s_, slice_node, node), value), node)

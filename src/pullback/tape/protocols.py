"""What becomes of calls that Python and NumPy pass to a tensor: `Tensor` asks here, and `functions` says it.

    tensor.py → protocols.py ← functions.py → tensor.py

A tensor is needed to compute with tensors, and how to compute with tensors to be one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Handlers:
    """What computes the calls that a tensor is given."""

    __slots__ = ("as_dtype", "call", "call_ufunc", "item")

    call: Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
    """`function(*arguments, **keywords)` for a function of NumPy."""

    call_ufunc: Callable[[Any, str, tuple[Any, ...], dict[str, Any]], Any]
    """A ufunc, or one of its methods by name, with inputs and keywords."""

    item: Callable[[Any, Any], Any]
    """`x[index]`."""

    as_dtype: Callable[[Any, Any], Any]
    """The elements of a tensor in another dtype."""


HANDLERS = Handlers()

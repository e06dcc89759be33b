"""What is passed for arrays, numbers, tensors and variables that a function uses from outside, on each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pullback.frontend.source.outside import look_up_again

if TYPE_CHECKING:
    from pullback.frontend.values.captures import Capture

ELEMENTS = "__pullback_elements__"
"""The property of a tensor or variable that gives its numbers as NumPy has them."""


def captured_value(capture: Capture) -> Any:
    """What is passed for a capture on a call; a copy, an array in any case, of what the function assigns."""
    return passed_for(look_up_again(capture.namespace, capture.name), capture.changes)


def passed_for(value: Any, changes: bool) -> Any:
    """What is passed for an object outside."""
    elements = elements_in(value)
    return np.array(elements) if changes else elements


def give_back(capture: Capture, elements: np.ndarray) -> None:
    """Let a variable take what a call has assigned to it."""
    look_up_again(capture.namespace, capture.name).assign(elements)


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor or variable, whose elements are looked up anew on each call."""
    return hasattr(type(value), ELEMENTS)


def elements_in(value: Any) -> Any:
    """The numbers of a tensor or variable, and any other value itself."""
    return getattr(value, ELEMENTS) if is_tensor(value) else value

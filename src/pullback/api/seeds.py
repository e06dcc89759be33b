"""What the user gives beside a value: a tangent or cotangent with its structure becomes one number or array a leaf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pullback.api.calling import describe_form, strong
from pullback.errors import ShapeError, TypingError
from pullback.frontend.values.arguments import Form, Mapping_, leaf_types, leaves_of
from pullback.ir.classes import obstacle
from pullback.ir.types import Scalar, Type, is_complex, is_float


def seeds_of(given: Any, form: Form, values: Iterable[Any], what: str, of: str) -> list[Any]:
    """The leaves of a tangent or cotangent, in the shapes and dtypes of the float leaves of a value.

    form, values: those of the value, and its leaves. what, of: what is given, and what the value is, as errors say it.

    Raises TypingError for another structure, ShapeError for another shape; a number serves for all elements of an
    array.
    """
    try:
        if isinstance(form, Mapping_) and set(given) != set(form.keys):
            raise KeyError(f"the keys are {', '.join(map(repr, form.keys))}")
        leaves = list(leaves_of(given, form))
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        message = f"the {what} does not have the structure of the {of}, {describe_form(form)}"
        raise TypingError(message, None, str(error)) from None
    rows = zip(leaves, values, leaf_types(form), strict=True)
    return [_fitted(leaf, value, type_, what, of) for leaf, value, type_ in rows if is_float(type_)]


def _fitted(leaf: Any, value: Any, type_: Type, what: str, of: str) -> Any:
    found = obstacle(leaf)
    if found is not None:
        raise TypingError(f"the {what} {found.reason}", None, found.remedy.format("it"))
    if leaf is None or np.asarray(leaf).dtype.kind not in "fiubc":
        raise TypingError(f"a {what} must be made of numbers, not {type(leaf).__name__}")
    if np.ndim(leaf) and np.shape(leaf) != np.shape(value):
        raise ShapeError(f"the {what} has shape {np.shape(leaf)}, the {of} {np.shape(value)}")
    if np.iscomplexobj(leaf) and not is_complex(type_):
        raise TypingError(f"the {what} is complex, and the {of} is real", None, "pass its real part")
    array = np.broadcast_to(np.asarray(leaf, type_.dtype), np.shape(value))
    if isinstance(type_, Scalar):
        return strong(array, type_)
    return np.array(array).reshape(np.shape(value))

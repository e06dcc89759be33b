"""np.full_like with `shape=` or `dtype=`: the text stands in the place of such a call."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes


def has_shape_or_dtype(ranks):
    """Whether a call names the shape or the dtype of the result."""
    return "shape" in ranks or "dtype" in ranks


@composes(np.full_like, text_when=has_shape_or_dtype)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    """An array like another one, filled with numbers."""
    filled = np.full(np.shape(a) if shape is None else shape, fill_value)
    return filled.astype(a.dtype if dtype is None else dtype)

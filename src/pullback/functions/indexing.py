"""Reading and writing parts by an index of any kind, and conversion to another dtype, where these are functions."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import known, linear
from pullback.runtime import cast
from pullback.runtime.numpy.items import put_item, take_item


@linear(take_item)
def take_item_vjp(a, index, *, y_bar):
    return put_item(y_bar, index, np.shape(a))


@linear(put_item)
def put_item_vjp(y, index, shape, *, y_bar):
    return y_bar[index]


@linear(cast)
def cast_vjp(x, dtype, *, y_bar):
    """The transform converts a cotangent to the dtype of its argument."""
    return y_bar


known(
    take_item,
    put_item,
    cast,
    of_complex=True,
)

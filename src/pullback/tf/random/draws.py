"""Draws from a generator of NumPy's, with gradients along what scales and moves them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from pullback.tape import Tensor
from pullback.tf.values import convert_to_tensor, extents


def _floating(dtype: Any) -> np.dtype[Any]:
    found = np.dtype(dtype)
    if found.kind != "f":
        raise ValueError(f"random numbers of this kind are floating, not {found}")
    return found


def _scaled(z: np.ndarray, mean: Any, stddev: Any, dtype: np.dtype[Any]) -> Tensor:
    return Tensor(z.astype(dtype)[()]) * convert_to_tensor(stddev, dtype) + convert_to_tensor(mean, dtype)


def normal_from(rng: np.random.Generator, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """Normally distributed numbers."""
    return _scaled(np.asarray(rng.standard_normal(extents(shape))), mean, stddev, _floating(dtype))


def truncated_normal_from(rng: np.random.Generator, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """Normally distributed numbers at most two standard deviations away, by the quantile function."""
    low, high = special.ndtr(-2.0), special.ndtr(2.0)
    z = special.ndtri(low + (high - low) * rng.random(extents(shape)))
    return _scaled(np.asarray(z), mean, stddev, _floating(dtype))


def uniform_from(rng: np.random.Generator, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    """Evenly distributed numbers; whole ones for integers, which need an upper bound."""
    found = np.dtype(dtype)
    if found.kind in "iu":
        if maxval is None:
            raise ValueError("random integers need a maxval")
        low, high = convert_to_tensor(minval)._value, convert_to_tensor(maxval)._value
        return Tensor(np.asarray(rng.integers(low, high, extents(shape))).astype(found)[()])
    low, high = (convert_to_tensor(one, found) for one in (minval, 1.0 if maxval is None else maxval))
    z = np.minimum(np.asarray(rng.random(extents(shape))).astype(found), np.nextafter(found.type(1), found.type(0)))
    return Tensor(z[()]) * (high - low) + low

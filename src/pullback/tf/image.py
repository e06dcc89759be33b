"""`tf.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import operands


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Each channel's distances from its mean times the factor. images: (…, height, width, channels)."""
    x, factor = operands(images, contrast_factor)
    mean = np.mean(x, axis=(-3, -2), keepdims=True)
    return (x - mean) * factor + mean

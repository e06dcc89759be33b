"""`tf.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import operands


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Each channel's distances from its mean times `contrast_factor`. images: (…, height, width, channels).

    >>> import pullback.tf as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0)[0, :, 0]
    <View [0. 4.], float32>
    """
    x, factor = operands(images, contrast_factor)
    mean = np.mean(x, axis=(-3, -2), keepdims=True)
    return (x - mean) * factor + mean

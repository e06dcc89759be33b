"""Images in another size: products with a matrix of weights along each axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.image.geometry import images_of, pad_to_bounding_box
from pullback.tf.values import extents


class ResizeMethod:
    """The names of the methods of `tf.image.resize`.

    >>> import pullback.tf as tf
    >>> tf.image.ResizeMethod.BILINEAR
    'bilinear'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _lanczos(radius: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: np.where(np.abs(t) < radius, np.sinc(t) * np.sinc(t / radius), 0)


def _mitchell(t: np.ndarray) -> np.ndarray:
    """Mitchell and Netravali (1988), Reconstruction filters in computer graphics, with B = C = 1/3."""
    t = np.abs(t)
    near = (7 * t**3 - 12 * t**2 + 16 / 3) / 6
    far = (-7 / 3 * t**3 + 12 * t**2 - 20 * t + 32 / 3) / 6
    return np.where(t < 1, near, np.where(t < 2, far, 0))


_KERNELS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bilinear": lambda t: np.maximum(1 - np.abs(t), 0),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": lambda t: np.where(np.abs(t) < 1.5, np.exp(-2 * t * t), 0),
    "mitchellcubic": _mitchell,
}


def _weights(method: str, count: int, wanted: int, antialias: bool) -> np.ndarray:
    """The weights of `count` elements in each of the `wanted` ones that take their place."""
    ratio = count / wanted
    centres = (np.arange(wanted)[:, None] + 0.5) * ratio
    width = max(ratio, 1) if antialias else 1
    weights = _KERNELS[method]((np.arange(count) + 0.5 - centres) / width)
    return weights / np.sum(weights, axis=1, keepdims=True)


def _nearest(count: int, wanted: int) -> np.ndarray:
    """The position of the element nearest to each of the wanted ones, counted in float32."""
    ratio = np.float32(count) / np.float32(wanted)
    places = np.floor((np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * ratio)
    return np.minimum(places.astype(int), count - 1)


def resize(
    images: Any,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """`images` in another `size`, (height, width), as float32.

    method: 'bilinear', 'lanczos3', 'lanczos5', 'gaussian', 'mitchellcubic', or 'nearest', which keeps the dtype.
    preserve_aspect_ratio: the largest size of the same shape in `size`. antialias: where images become smaller, each
    element is a mean over all that it stands for.

    >>> import pullback.tf as tf
    >>> tf.image.resize([[[1.0], [3.0]]], [1, 4])[0, :, 0]
    <View [1.  1.5 2.5 3. ], float32>
    """
    x, wanted = images_of(images), extents(size)
    if len(wanted) != 2 or min(wanted) < 1:
        raise ValueError(f"a size is (height, width), not {size!r}")
    if method != "nearest" and method not in _KERNELS:
        raise ValueError(f"there is no method {method!r}: there are 'nearest' and {', '.join(map(repr, _KERNELS))}")
    counts = x.shape[-3:-1]
    if preserve_aspect_ratio:
        ratio = min(np.float32(m) / np.float32(n) for m, n in zip(wanted, counts, strict=True))
        wanted = tuple(int(np.rint(ratio * np.float32(n))) for n in counts)
    if wanted == counts:
        return x if method == "nearest" else x.astype(np.float32)
    if method == "nearest":
        rows, columns = (_nearest(n, m) for n, m in zip(counts, wanted, strict=True))
        return x[..., rows[:, None], columns, :]
    down, across = (_weights(method, n, m, antialias).astype(np.float32) for n, m in zip(counts, wanted, strict=True))
    return np.einsum("ab,...bcd,ec->...aed", down, x.astype(np.float32), across, optimize=True)


def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = "bilinear", antialias: bool = False
) -> Tensor:
    """`image` in the largest size of the same shape that fits, in the middle of zeros.

    target_height, target_width: the size of the result. `method` and `antialias` are those of `tf.image.resize`.

    >>> import pullback.tf as tf
    >>> tf.image.resize_with_pad([[[1.0]]], 1, 3)[0, :, 0]
    <View [0. 1. 0.], float32>
    """
    x, (height, width) = images_of(image), extents([target_height, target_width])
    ratio = max(x.shape[-3] / height, x.shape[-2] / width)
    size = int(np.floor(x.shape[-3] / ratio)), int(np.floor(x.shape[-2] / ratio))
    top, left = int((height - x.shape[-3] / ratio) / 2), int((width - x.shape[-2] / ratio) / 2)
    return pad_to_bounding_box(resize(x, size, method, antialias=antialias), top, left, height, width)

"""`tf.signal` for real numbers: frames of signals, cosine transforms and windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from pullback.runtime.numpy.items import put_item
from pullback.tape import Tensor
from pullback.tf.values import axes as along
from pullback.tf.values import convert_to_tensor, floats, number

__all__ = [
    "dct",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifftshift",
    "kaiser_window",
    "overlap_and_add",
    "vorbis_window",
]


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Parts of `signal` of `frame_length` elements along an `axis`, each `frame_step` after the one before.

    pad_end: as many frames as start in the signal, filled by `pad_value`; else those that lie in it.

    >>> import pullback.tf as tf
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2)
    <Tensor [[1 2 3]
     [3 4 5]], int32>
    """
    x, length, step = convert_to_tensor(signal), int(number(frame_length)), int(number(frame_step))
    if length < 1 or step < 1 or not x.ndim:
        raise ValueError(f"frames of {length} elements at distances of {step} do not fit the shape {x.shape}")
    place = range(x.ndim)[axis]
    count = x.shape[place]
    frames = -(-count // step) if pad_end else max(0, 1 + (count - length) // step)
    positions = np.arange(frames)[:, None] * step + np.arange(length)
    if pad_end:
        margins = [(0, 0)] * x.ndim
        margins[place] = (0, max(0, (frames - 1) * step + length - count))
        x = np.pad(x, margins, constant_values=number(pad_value))
    return x[(*[slice(None)] * place, positions)]


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The sum of the frames of `signal`, (…, frames, elements), each put `frame_step` after the one before.

    >>> import pullback.tf as tf
    >>> tf.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 2)
    <Tensor [ 1  2 13 20 30], int32>
    """
    x, step = convert_to_tensor(signal), int(number(frame_step))
    if x.ndim < 2 or step < 1:
        raise ValueError(f"frames at distances of {step} are not of the shape {x.shape}")
    frames, length = x.shape[-2:]
    positions = np.arange(frames)[:, None] * step + np.arange(length)
    size = (frames - 1) * step + length if frames else 0
    alone = put_item(x, (..., np.arange(frames)[:, None], positions), (*x.shape[:-1], size))
    return np.sum(alone, axis=-2, dtype=x.dtype)


def dct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The discrete cosine transform of a `type` from 1 to 4 along the last axis of `input`.

    n: how many elements count, with zeros behind them if there are fewer. axis: -1. norm: 'ortho' for an orthogonal
    transform, which type 1 does not have. See scipy.fft.dct.

    >>> import pullback.tf as tf
    >>> tf.signal.dct([1.0, 1.0])
    <Tensor [4. 0.], float32>
    """
    (x,) = floats(input)
    if axis != -1 or type not in (1, 2, 3, 4) or norm not in (None, "ortho") or (type == 1 and norm):
        raise ValueError(f"there is no cosine transform of type {type!r} along {axis!r} with the norm {norm!r}")
    count = x.shape[-1] if n is None else int(number(n))
    if count < (2 if type == 1 else 1):
        raise ValueError(f"a cosine transform of type {type} takes more than {count} elements")
    if count > x.shape[-1]:
        x = np.pad(x, [*[(0, 0)] * (x.ndim - 1), (0, count - x.shape[-1])])
    matrix = scipy.fft.dct(np.eye(count), type, norm=norm, axis=-1).astype(x.dtype)
    return x[..., :count] @ matrix


def idct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `tf.signal.dct` of a `type`; without the norm 'ortho', times 2 n (2 (n - 1) for type 1).

    `input`, `axis` and `norm` are those that it has. n: None.

    >>> import numpy as np, pullback.tf as tf
    >>> np.round(tf.signal.idct(tf.signal.dct([1.0, 3.0], norm="ortho"), norm="ortho"), 3)
    <Tensor [1. 3.], float32>
    """
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm)


def _raised_cosine(length: Any, periodic: bool, dtype: Any, share: float) -> Tensor:
    count = int(number(length))
    if count == 1:
        return Tensor(np.ones(1, np.dtype(dtype)))
    times = count if periodic and count % 2 == 0 else count - 1
    return Tensor((share - (1 - share) * np.cos(2 * np.pi * np.arange(count) / times)).astype(np.dtype(dtype)))


def hann_window(window_length: Any, periodic: bool = True, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """The Hann window of `window_length` elements of a `dtype`: (1 - cos t) / 2.

    periodic: t goes from 0 to before 2π, else to 2π; the latter always for an odd length.

    >>> import pullback.tf as tf
    >>> tf.signal.hann_window(4)
    <Tensor [0.  0.5 1.  0.5], float32>
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5)


def hamming_window(
    window_length: Any, periodic: bool = True, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """The Hamming window of `window_length` elements of a `dtype`: 0.54 - 0.46 cos t.

    periodic: t goes from 0 to before 2π, else to 2π; the latter always for an odd length.

    >>> import pullback.tf as tf
    >>> tf.signal.hamming_window(2)
    <Tensor [0.08 1.  ], float32>
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """The Kaiser window of `window_length` elements of a `dtype`, of the shape `beta`, which gets a gradient.

    See np.kaiser.

    >>> import pullback.tf as tf
    >>> tf.signal.kaiser_window(3, beta=0.0)
    <Tensor [1. 1. 1.], float32>
    """
    count = int(number(window_length))
    if count == 1:
        return Tensor(np.ones(1, np.dtype(dtype)))
    shape = convert_to_tensor(beta, getattr(beta, "dtype", np.float64)).astype(np.float64)
    half = (count - 1) / 2
    height = np.sqrt(1 - ((np.arange(count) - half) / half) ** 2)
    return (np.i0(shape * height) / np.i0(shape)).astype(np.dtype(dtype))


def vorbis_window(window_length: Any, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """The window sin(π/2 sin² t) of Vorbis of `window_length` elements of a `dtype`, with t between 0 and π.

    >>> import pullback.tf as tf
    >>> tf.signal.vorbis_window(1)
    <Tensor [1.], float32>
    """
    count = int(number(window_length))
    inner = np.sin(np.pi * (np.arange(count) + 0.5) / max(count, 1))
    return Tensor(np.sin(np.pi / 2 * inner * inner).astype(np.dtype(dtype)))


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """`x` with the halves along `axes`, all by default, exchanged.

    >>> import pullback.tf as tf
    >>> tf.signal.fftshift([0, 1, 2, 3, 4])
    <Tensor [3 4 0 1 2], int32>
    """
    return _shifted(x, axes, lambda n: n // 2)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The reverse of `tf.signal.fftshift` of `x` along `axes`.

    >>> import pullback.tf as tf
    >>> tf.signal.ifftshift([3, 4, 0, 1, 2])
    <Tensor [0 1 2 3 4], int32>
    """
    return _shifted(x, axes, lambda n: -(n // 2))


def _shifted(x: Any, axes: Any, distance: Any) -> Tensor:
    given = convert_to_tensor(x)
    over = tuple(range(given.ndim)) if axes is None else tuple(int(k) for k in np.atleast_1d(along(axes)))
    return np.roll(given, tuple(distance(given.shape[k]) for k in over), over)

"""Layers of pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras.layers.base import Layer
from pullback.tf.nn.pooling import pool
from pullback.tf.nn.windows import for_each_axis
from pullback.tf.values import bare

_OF_WINDOWS = """pool_size: the size of the windows. strides: how far they move, that size by default. padding: 'valid'
    or 'same'. data_format: 'channels_last' or 'channels_first'. keywords: those of `tf.keras.layers.Layer`."""
_OF_WHOLE = """data_format: 'channels_last' or 'channels_first'. keepdims: the axes stay, with length one. keywords:
    those of `tf.keras.layers.Layer`."""


class _Pooling(Layer):
    rank: int
    kind: str

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.pool_size = for_each_axis(pool_size, self.rank)
        self.strides = self.pool_size if strides is None else for_each_axis(strides, self.rank)
        self.padding, self.last = padding.upper(), data_format != "channels_first"

    def call(self, inputs: Any) -> Any:
        """The maximum or mean of each window."""
        form = "NWC" if self.last else "NCW"
        return pool(inputs, self.pool_size, self.kind, self.strides, self.padding, form)


class _Global(Layer):
    rank: int
    kind: str

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.keepdims, self.last = keepdims, data_format != "channels_first"

    def call(self, inputs: Any) -> Any:
        """The maximum or mean of each channel."""
        over = tuple(np.arange(1 if self.last else 2, self.rank + (1 if self.last else 2)).tolist())
        reduce: Any = np.max if self.kind == "MAX" else np.mean
        return reduce(inputs, axis=over, keepdims=self.keepdims)


class _GlobalMean1D(_Global):
    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The mean of each channel over the times that count."""
        if mask is None:
            return super().call(inputs)
        time, none = 1 if self.last else 2, inputs.dtype.type(0)
        shown = bare(mask).astype(bool)[:, :, None] if self.last else bare(mask).astype(bool)[:, None, :]
        total = np.sum(np.where(shown, inputs, none), axis=time, keepdims=self.keepdims)
        return total / np.sum(shown.astype(inputs.dtype), axis=time, keepdims=self.keepdims)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """None: there are no times any more."""


def _class(kind: str, rank: int, whole: bool) -> Any:
    word = "Max" if kind == "MAX" else "Average"
    name = f"{'Global' if whole else ''}{word}Pooling{rank}D"
    settings = _OF_WHOLE if whole else _OF_WINDOWS
    axes = ("one axis", "two axes", "three axes")
    of = "of each channel" if whole else "of each window"
    doc = f"""The {"maximum" if kind == "MAX" else "mean"} {of} along {axes[rank - 1]}.

    {settings}

    >>> import pullback.tf as tf
    >>> tf.keras.layers.{name}()(tf.ones({[1, *[4] * rank, 3]})).shape
    {(1, 3) if whole else (1, *[2] * rank, 3)}
    """
    base = _Pooling if not whole else _GlobalMean1D if (kind, rank) == ("AVG", 1) else _Global
    return type(name, (base,), {"rank": rank, "kind": kind, "__doc__": doc, "__module__": __name__})


MaxPooling1D, MaxPooling2D, MaxPooling3D = (_class("MAX", rank, False) for rank in (1, 2, 3))
AveragePooling1D, AveragePooling2D, AveragePooling3D = (_class("AVG", rank, False) for rank in (1, 2, 3))
GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D = (_class("MAX", rank, True) for rank in (1, 2, 3))
GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D = (_class("AVG", r, True) for r in (1, 2, 3))
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D
GlobalAvgPool1D, GlobalAvgPool2D = GlobalAveragePooling1D, GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D

"""Names by which programs of TensorFlow's ask for devices and scopes: here there is one device and no graph."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import convert_to_tensor


def executing_eagerly() -> bool:
    """True: operations run when they are called.

    >>> import pullback.tf as tf
    >>> tf.executing_eagerly()
    True
    """
    return True


@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A block without an effect, for any `device_name`.

    >>> import pullback.tf as tf
    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant(1.0)
    """
    yield


@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """A block without an effect, which knows its `name`.

    >>> import pullback.tf as tf
    >>> with tf.name_scope("layer") as scope:
    ...     print(scope)
    layer/
    """
    yield f"{name}/"


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """A block without an effect: `control_inputs` have been computed.

    >>> import pullback.tf as tf
    >>> with tf.control_dependencies([tf.constant(1.0)]):
    ...     x = tf.constant(2.0)
    """
    yield


@contextmanager
def init_scope() -> Iterator[None]:
    """A block without an effect.

    >>> import pullback.tf as tf
    >>> with tf.init_scope():
    ...     x = tf.Variable(2.0)
    """
    yield


def group(*inputs: Any, **kwargs: Any) -> None:
    """Nothing: the `inputs` have been computed. `kwargs` have no effect.

    >>> import pullback.tf as tf
    >>> tf.group(tf.constant(1.0))
    """


def grouped(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The list of `tensors`: all have been computed. `control_inputs` have no effect.

    >>> import pullback.tf as tf
    >>> tf.tuple([tf.constant(1.0), None])
    [<Tensor 1.0, float32>, None]
    """
    return [None if one is None else convert_to_tensor(one) for one in tensors]


grouped.__name__ = grouped.__qualname__ = "tuple"


def no_op(name: str | None = None) -> None:
    """Nothing.

    >>> import pullback.tf as tf
    >>> tf.no_op()
    """


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor or a variable.

    >>> import pullback.tf as tf
    >>> tf.is_tensor(tf.constant(1.0)), tf.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, Tensor)


def is_symbolic_tensor(tensor: Any) -> bool:
    """False for each `tensor`: all have elements.

    >>> import pullback.tf as tf
    >>> tf.is_symbolic_tensor(tf.constant(1.0))
    False
    """
    return False


def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970.

    >>> import pullback.tf as tf
    >>> tf.timestamp().dtype
    dtype('float64')
    """
    return Tensor(np.float64(time.time()))


def print_tensors(
    *inputs: Any, output_stream: Any = None, summarize: int = 3, sep: str = " ", end: str = "\n", name: Any = None
) -> None:
    """Write `inputs` to `output_stream` (the error stream by default), with `sep` between and `end` behind them.

    Of each axis of a tensor, `summarize` elements at both ends are shown, and all for -1.

    >>> import sys, pullback.tf as tf
    >>> tf.print("x:", tf.constant([1.0, 2.0]), output_stream=sys.stdout)
    x: [1 2]
    """
    stream = sys.stderr if output_stream is None else output_stream
    stream = stream.removeprefix("file://") if isinstance(stream, str) else stream
    text = sep.join(_shown(one, summarize) for one in inputs) + end
    if isinstance(stream, str):
        with open(stream, "a", encoding="utf-8") as file:
            file.write(text)
    else:
        stream.write(text)


def _shown(one: Any, summarize: int) -> str:
    if isinstance(one, Tensor | np.ndarray):
        elements = convert_to_tensor(one)._value
        threshold = sys.maxsize if summarize < 0 else 2 * summarize
        edge = max(summarize, 1) if summarize >= 0 else 3
        number = {"float_kind": lambda v: f"{v:.9g}"}
        return np.array2string(np.asarray(elements), threshold=threshold, edgeitems=edge, formatter=number)
    if isinstance(one, list | tuple):
        inner = ", ".join(_shown(item, summarize) for item in one)
        return f"[{inner}]" if isinstance(one, list) else f"({inner})"
    return str(one)


print_tensors.__name__ = print_tensors.__qualname__ = "print"


def as_dtype(type_value: Any) -> np.dtype[Any]:
    """The dtype of this name, or of NumPy's class `type_value`.

    >>> import pullback.tf as tf
    >>> tf.as_dtype("float32") == tf.float32
    True
    """
    return np.dtype(type_value)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The elements of `value` in another `dtype`, the nearest bound of it for those beyond.

    >>> import pullback.tf as tf
    >>> tf.saturate_cast([300.0, -1.0], tf.uint8)
    <Tensor [255   0], uint8>
    """
    given, wanted = convert_to_tensor(value), np.dtype(dtype)
    if wanted.kind not in "iu":
        return given.astype(wanted)
    bounds = np.iinfo(wanted)
    return np.clip(given, bounds.min, bounds.max).astype(wanted)

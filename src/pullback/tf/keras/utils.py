"""`tf.keras.utils`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.data import Dataset
from pullback.tf.keras.backend import clear_session
from pullback.tf.seeds import generator, set_seed
from pullback.tf.values import bare


def to_categorical(x: Any, num_classes: int | None = None) -> np.ndarray:
    """A row for each of the classes `x`: 1 at its place among `num_classes` (one more than the largest by default).

    >>> import pullback.tf as tf
    >>> tf.keras.utils.to_categorical([2, 0])
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    classes = bare(x).astype(int)
    if classes.ndim > 1 and classes.shape[-1] == 1:
        classes = classes[..., 0]
    return np.eye(int(classes.max(initial=-1)) + 1 if num_classes is None else num_classes)[classes]


def set_random_seed(seed: int) -> None:
    """Start the generators of Python, of NumPy and of random operations anew with this `seed`.

    >>> import pullback.tf as tf
    >>> tf.keras.utils.set_random_seed(0)
    """
    random.seed(seed)
    np.random.seed(seed)
    set_seed(seed)


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """`x` over its norms of an `order` along an `axis`, a tensor of a tensor; norms of 0 count as 1.

    >>> import pullback.tf as tf
    >>> tf.keras.utils.normalize([[3.0, 4.0]]).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    given = x if isinstance(x, Tensor) else bare(x)
    length = np.linalg.norm(given, order, axis, keepdims=True)
    return given / np.where(length == 0, 1, length)


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """The `sequences`, lists of several lengths, as rows of one array of a `dtype`.

    maxlen: the length of rows, by default that of the longest. padding: 'pre' or 'post', where `value` stands beside
    shorter ones. truncating: 'pre' or 'post', where longer ones are cut.

    >>> import pullback.tf as tf
    >>> tf.keras.utils.pad_sequences([[1], [2, 3]])
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    if any(not hasattr(one, "__len__") for one in sequences):
        raise ValueError("the sequences are lists of numbers")
    length = max((len(one) for one in sequences), default=0) if maxlen is None else maxlen
    row = next((np.asarray(one).shape[1:] for one in sequences if len(one)), ())
    found = np.full((len(sequences), length, *row), value, dtype)
    for k, one in enumerate(sequences):
        kept = (one[-length:] if truncating == "pre" else one[:length]) if length else one[:0]
        if len(kept):
            start = length - len(kept) if padding == "pre" else 0
            found[k, start : start + len(kept)] = np.asarray(kept, dtype)
    return found


def split_dataset(
    dataset: Any,
    left_size: float | None = None,
    right_size: float | None = None,
    shuffle: bool = False,
    seed: int | None = None,
) -> tuple[Dataset, Dataset]:
    """Two datasets of the elements of one `dataset`, or of the rows of an array or of a list or tuple of such.

    left_size, right_size: how many elements the two have, or shares as floats; one may be left out. shuffle: the
    elements are in a random order before, that of a `seed`.

    >>> import pullback.tf as tf
    >>> left, right = tf.keras.utils.split_dataset(tf.data.Dataset.range(5), left_size=3)
    >>> len(left), len(right)
    (3, 2)
    """
    if left_size is None and right_size is None:
        raise ValueError("one of left_size and right_size is needed")
    data = dataset if isinstance(dataset, Dataset) else Dataset.from_tensor_slices(dataset)
    whole = list(data)
    if shuffle:
        whole = [whole[k] for k in generator(seed).permutation(len(whole)).tolist()]
    left, right = (_count(size, len(whole)) for size in (left_size, right_size))
    left = len(whole) - right if left is None else left
    right = len(whole) - left if right is None else right
    if not (0 < left <= len(whole) and 0 < right <= len(whole) and left + right <= len(whole)):
        raise ValueError(f"{len(whole)} elements cannot be split into {left} and {right}")
    parts = whole[:left], whole[len(whole) - right :]
    return Dataset(parts[0].__iter__, left), Dataset(parts[1].__iter__, right)


def _count(size: Any, whole: int) -> Any:
    return round(size * whole) if isinstance(size, float) else size


__all__ = ["clear_session", "normalize", "pad_sequences", "set_random_seed", "split_dataset", "to_categorical"]

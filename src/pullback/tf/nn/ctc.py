"""The loss of connectionist temporal classification. Graves et al. (2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.nn.activations import log_softmax
from pullback.tf.values import bare, convert_to_tensor, floats

_NEVER = -1e30
"""The logarithm of the probability 0: finite, so that differences of two are."""


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """-log of the probability that `logits` give to all ways to say `labels`, one number for each row.

    labels: (n, most labels) integers. logits: (times, n, classes), or (n, times, classes) where `logits_time_major` is
    False. label_length, logit_length: how many labels and times of each row count. blank_index: the class that says
    nothing, 0 by default; negative ones count from the last. Infinite where the labels need more times. `unique` has no
    effect.

    >>> import pullback.tf as tf
    >>> tf.nn.ctc_loss([[1]], tf.zeros([2, 1, 2]), [1], [2])
    <Tensor [0.2876821], float32>
    """
    (x,), wanted = floats(logits), bare(labels)
    if x.ndim != 3 or wanted.ndim != 2:
        raise ValueError(f"logits of three axes and labels of two are wanted, not {x.shape} and {wanted.shape}")
    logarithms = log_softmax(x if logits_time_major else np.swapaxes(x, 0, 1))
    rows, classes = logarithms.shape[1:]
    counts, lengths = bare(label_length), bare(logit_length)
    if wanted.shape[0] != rows or counts.shape != (rows,) or lengths.shape != (rows,):
        raise ValueError(f"labels of shape {wanted.shape} and their lengths do not fit {rows} rows of logits")
    blank = (blank_index or 0) % classes
    said = np.full((rows, 2 * wanted.shape[1] + 1), blank)
    said[:, 1::2] = np.where(np.arange(wanted.shape[1]) < counts[:, None], wanted, blank)
    if said.min(initial=0) < 0 or said.max(initial=0) >= classes:
        raise ValueError(f"labels from {said.min()} to {said.max()} for {classes} classes")
    if np.any((wanted == blank) & (np.arange(wanted.shape[1]) < counts[:, None])):
        raise ValueError(f"a label is the class {blank}, which says nothing")
    of_said = logarithms[:, np.arange(rows)[:, None], said]
    likely = _log_probability(of_said, said != blank, said, lengths)
    ends = np.stack([2 * counts, np.maximum(2 * counts - 1, 0)])
    last, before = likely[np.arange(rows), ends[0]], likely[np.arange(rows), ends[1]]
    found = np.where(counts > 0, np.logaddexp(last, before), last)
    again = (wanted[:, 1:] == wanted[:, :-1]) & (np.arange(1, wanted.shape[1]) < counts[:, None])
    return np.where(lengths >= np.maximum(counts + np.sum(again, axis=1), 1), -found, x.dtype.type(np.inf))


def _log_probability(of_said: Any, is_label: np.ndarray, said: np.ndarray, lengths: np.ndarray) -> Any:
    """The logarithm of the probability to be at each place of what is said when a row's time ends."""
    skips = is_label.copy()
    skips[:, :2] = False
    skips[:, 2:] &= said[:, 2:] != said[:, :-2]

    def shifted(a: Any, by: int) -> Any:
        return np.pad(a, [(0, 0), (by, 0)], constant_values=_NEVER)[:, : a.shape[1]]

    now = np.where(np.arange(said.shape[1]) < 2, of_said[0], _NEVER)
    for time in range(1, of_said.shape[0]):
        from_two = np.where(skips, shifted(now, 2), _NEVER)
        after = np.logaddexp(np.logaddexp(now, shifted(now, 1)), from_two) + of_said[time]
        now = np.where((time < lengths)[:, None], after, now)
    return now


def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(values, positions): for each row of `labels`, (n, m), its different numbers in the order of their first places.

    Rows with fewer are filled by 0; values[row, positions] is the row.

    >>> import pullback.tf as tf
    >>> tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    (<Tensor [[3 4 0 0]], int64>, <Tensor [[0 1 1 0]], int32>)
    """
    given = bare(labels)
    values, positions = np.zeros(given.shape, np.int64), np.zeros(given.shape, np.int32)
    for row, numbers in enumerate(given):
        order: dict[int, int] = {}
        positions[row] = [order.setdefault(k, len(order)) for k in numbers.tolist()]
        values[row, : len(order)] = list(order)
    return Tensor(values), Tensor(positions)


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(labels, lengths): of each row of `labels`, (n, m), the numbers that differ from the one before, and their count.

    seq_length: how many numbers of each row count.

    >>> import pullback.tf as tf
    >>> tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3])
    (<Tensor [[1 2 1]
     [3 0 0]], int32>, <Tensor [3 1], int32>)
    """
    given, lengths = convert_to_tensor(labels)._value, bare(seq_length)
    new = np.ones(given.shape, bool)
    new[:, 1:] = given[:, 1:] != given[:, :-1]
    new &= np.arange(given.shape[1]) < lengths[:, None]
    counts = np.sum(new, axis=1, dtype=lengths.dtype)
    found = np.zeros((given.shape[0], int(counts.max(initial=0))), given.dtype)
    found[np.arange(found.shape[1]) < counts[:, None]] = given[new]
    return Tensor(found), Tensor(counts)

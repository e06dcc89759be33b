"""Losses of many classes, of which some are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.nn.losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from pullback.tf.nn.normalization import embedding_lookup
from pullback.tf.seeds import generator
from pullback.tf.values import bare, floats

_NEVER = -1e30
"""The logit of what has the probability 0."""


def _drawn(labels: np.ndarray, count: int, classes: int, seed: int | None) -> tuple[np.ndarray, ...]:
    """Different classes k, drawn with chances log((k + 2) / (k + 1)) / log(classes + 1); how often labels are expected.

    And how often those that are drawn.
    """
    if count > classes:
        raise ValueError(f"there are no {count} different classes among {classes}")
    random, tries = generator(seed), 0
    found: dict[int, None] = {}
    while len(found) < count:
        found[min(int(np.exp(random.random() * np.log(classes + 1))) - 1, classes - 1)] = None
        tries += 1

    def expected(k: np.ndarray) -> np.ndarray:
        chance = np.log((k + 2) / (k + 1)) / np.log(classes + 1)
        return -np.expm1(tries * np.log1p(-chance))

    drawn = np.array(list(found), np.int64)
    return drawn, expected(labels), expected(drawn)


def _logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, sampled: Any, remove_hits: bool
) -> tuple[Tensor, np.ndarray]:
    """The logits of the labels' classes and of those that were drawn, and their probabilities."""
    wanted = bare(labels)
    drawn, of_labels, of_drawn = (bare(one) for one in sampled)
    (x,) = floats(inputs)
    if wanted.ndim != 2 or wanted.shape[0] != x.shape[0]:
        raise ValueError(f"labels of shape {wanted.shape} do not fit inputs of shape {x.shape}")
    of_true = np.sum(embedding_lookup(weights, wanted) * x[:, None, :], axis=-1) + embedding_lookup(biases, wanted)
    of_sampled = x @ embedding_lookup(weights, drawn).mT + embedding_lookup(biases, drawn)
    if remove_hits:
        hit = np.any(wanted[:, :, None] == drawn, axis=1)
        of_sampled = of_sampled + np.where(hit, _NEVER, 0).astype(x.dtype)
    of_true = of_true - np.log(of_labels).astype(x.dtype)
    of_sampled = of_sampled - np.log(of_drawn).astype(x.dtype)
    share = np.full(wanted.shape, 1 / wanted.shape[1]), np.zeros(of_sampled.shape)
    return np.concatenate([of_true, of_sampled], axis=1), np.concatenate(share, axis=1).astype(x.dtype)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of softmax over the classes `labels` and some others, one number for each row.

    weights, biases: (classes, m) and (classes). labels: (n, num_true) classes. inputs: (n, m). num_sampled: how many of
    the `num_classes` are drawn, by `seed`, low ones more often. sampled_values: those that were drawn before, and how
    often the labels and they are expected. remove_accidental_hits: labels that are drawn do not count twice.
    `num_true` is the number of labels in a row. Jean et al. (2015).

    >>> import pullback.tf as tf
    >>> drawn = [1], [[1.0]], [1.0]
    >>> tf.nn.sampled_softmax_loss(tf.ones([2, 1]), tf.zeros([2]), [[0]], [[1.0]], 1, 2, sampled_values=drawn)
    <Tensor [0.6931472], float32>
    """
    sampled = _drawn(bare(labels), num_sampled, num_classes, seed) if sampled_values is None else sampled_values
    logits, wanted = _logits(weights, biases, labels, inputs, sampled, remove_accidental_hits)
    return softmax_cross_entropy_with_logits(wanted, logits)


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """The sum of the cross entropies of sigmoid of the classes `labels` and of some others, one number for each row.

    `weights`, `biases`, `inputs`, `num_sampled`, `num_classes`, `num_true`, `sampled_values` and
    `remove_accidental_hits` are those of `tf.nn.sampled_softmax_loss`. Gutmann and Hyvärinen (2010).

    >>> import pullback.tf as tf
    >>> drawn = [1], [[1.0]], [1.0]
    >>> tf.nn.nce_loss(tf.zeros([2, 1]), tf.zeros([2]), [[0]], [[1.0]], 1, 2, sampled_values=drawn)
    <Tensor [1.3862944], float32>
    """
    sampled = _drawn(bare(labels), num_sampled, num_classes, None) if sampled_values is None else sampled_values
    logits, wanted = _logits(weights, biases, labels, inputs, sampled, remove_accidental_hits)
    return np.sum(sigmoid_cross_entropy_with_logits(wanted, logits), axis=1)

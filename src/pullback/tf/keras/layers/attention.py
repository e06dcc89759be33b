"""Layers of attention, and the products of tensors that they are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf import nn
from pullback.tf.keras import activations
from pullback.tf.keras.layers.base import Layer
from pullback.tf.keras.masks import Noted, mask_of, with_masks
from pullback.tf.linalg import einsum
from pullback.tf.values import bare


class EinsumDense(Layer):
    """activation(einsum(equation, x, kernel) + bias).

    equation: of the inputs and the kernel, such as 'abc,cd->abd', with or without '...'. output_shape: that of a row of
    the outputs, or a number; None for extents that the inputs say. activation: a name or a function. bias_axes: the
    letters of the outputs along which there is a bias, by default none. kernel_initializer, bias_initializer,
    kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint: see `add_weight`. keywords: those of
    `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 4), bias_axes="d")(tf.ones([2, 5, 3])).shape
    (2, 5, 4)
    """

    keeps_mask = True

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.equation, self.bias_axes = equation.replace(" ", ""), bias_axes
        self.output_row = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation = activations.get(activation)
        self.of_kernel = kernel_initializer, kernel_regularizer, kernel_constraint
        self.of_bias = bias_initializer, bias_regularizer, bias_constraint

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of this shape."""
        given, after = self.equation.split("->")
        before, of_kernel = given.split(",")
        known = _extents(after, (None, *self.output_row)) | _extents(before, tuple(input_shape))
        start, regularizer, constraint = self.of_kernel
        shape = [known[letter] for letter in of_kernel]
        self.kernel = self.add_weight(shape, start, name="kernel", regularizer=regularizer, constraint=constraint)
        self.bias: Any = None
        if self.bias_axes:
            letters = after.replace("...", "")
            first = min(letters.index(letter) for letter in self.bias_axes)
            shape = [known[letter] if letter in self.bias_axes else 1 for letter in letters[first:]]
            shape += [1] * len(self.output_row[len(letters) :]) if after.endswith("...") else []
            start, regularizer, constraint = self.of_bias
            self.bias = self.add_weight(shape, start, name="bias", regularizer=regularizer, constraint=constraint)

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        y = einsum(self.equation, inputs, self.kernel)
        return self.activation(y if self.bias is None else y + self.bias)


def _extents(letters: str, shape: tuple[Any, ...]) -> dict[str, int]:
    """The extents of the axes that have letters, of which '...' stands for several at the start or at the end."""
    if letters.startswith("..."):
        pairs = zip(letters[:2:-1], shape[::-1], strict=False)
    else:
        pairs = zip(letters.removesuffix("..."), shape, strict=False)
    return {letter: int(n) for letter, n in pairs if n is not None}


class MultiHeadAttention(Layer):
    """Attention of several heads: queries find values by their keys. Vaswani et al. (2017).

    num_heads: how many heads. key_dim, value_dim: the lengths of keys and of values in a head, by default the same.
    dropout: the share of weights that is 0 while a model is trained. use_bias: False for projections without.
    output_shape: the length of the outputs, by default that of the queries. kernel_initializer, bias_initializer,
    kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint: see `add_weight`. seed: see
    `tf.random.set_seed`. keywords: those of `tf.keras.layers.Layer`. Queries, values and keys have three axes.

    >>> import pullback.tf as tf
    >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    >>> layer(tf.ones([2, 3, 8]), tf.ones([2, 5, 8])).shape
    (2, 3, 8)
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        seed: int | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim or key_dim
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self.length = output_shape if output_shape is None or isinstance(output_shape, int) else output_shape[0]
        self.settings = {
            "kernel_initializer": kernel_initializer,
            "bias_initializer": bias_initializer,
            "kernel_regularizer": kernel_regularizer,
            "bias_regularizer": bias_regularizer,
            "kernel_constraint": kernel_constraint,
            "bias_constraint": bias_constraint,
        }

    def build_for(self, *inputs: Any) -> None:
        """Make the projections for the lengths of queries, values and keys."""
        query, value, *rest = (one for one in inputs if isinstance(one, Tensor))
        key = rest[0] if rest else value
        if any(one.ndim != 3 for one in (query, value, key)):
            raise NotImplementedError("attention is for queries, values and keys of three axes")
        self.query_dense = self._projection(query, self.key_dim, "query")
        self.key_dense = self._projection(key, self.key_dim, "key")
        self.value_dense = self._projection(value, self.value_dim, "value")
        length = self.length or query.shape[-1]
        bias = "d" if self.use_bias else None
        self.output_dense = EinsumDense(
            "abnh,nhd->abd", (None, length), bias_axes=bias, name="attention_output", dtype=self.dtype, **self.settings
        )
        self.output_dense.build((None, None, self.num_heads, self.value_dim))
        self.output_dense.built = self.built = True

    def _projection(self, x: Any, length: int, name: str) -> EinsumDense:
        shape, bias = (None, self.num_heads, length), "nh" if self.use_bias else None
        made = EinsumDense("abc,cnh->abnh", shape, bias_axes=bias, name=name, dtype=self.dtype, **self.settings)
        made.build(x.shape)
        made.built = True
        return made

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """The outputs, with the weights (batch, heads, queries, values) if `return_attention_scores`."""
        key, carried = value if key is None else key, mask_of(query)
        shown = _shown(query, value, (carried, value_mask, key_mask, attention_mask), use_causal_mask)
        for one in (query, value, key):  # as Keras has it: they go on without a mask
            if isinstance(one, Noted):
                one._mask = None
        q, k, v = self.query_dense(query), self.key_dense(key), self.value_dense(value)
        scores = einsum("asnh,atnh->anst", q * q.dtype.type(1 / math.sqrt(self.key_dim)), k)
        if shown is not None:
            scores = np.where(shown[:, None], scores, scores.dtype.type(np.finfo(scores.dtype).min / 2))
        weights = nn.softmax(scores)
        if shown is not None and (return_attention_scores or self.dropout):
            weights = np.where(shown[:, None], weights, weights.dtype.type(0))  # 0 where a query sees nothing
        kept = nn.dropout(weights, self.dropout, seed=self.seed) if training and self.dropout else weights
        found = self.output_dense(einsum("anst,atnh->asnh", kept, v))
        found = found if carried is None else with_masks(found, carried)
        return (found, weights) if return_attention_scores else found


def _shown(query: Any, value: Any, masks: tuple[Any, ...], causal: bool) -> Any:
    """What queries see of values: an array of truth values (batch, queries, values), or None for everything."""
    of_query, of_value, of_key, given = (None if one is None else bare(one).astype(bool) for one in masks)
    parts = [None if of_query is None else of_query[:, :, None], given]
    parts += [None if one is None else one[:, None, :] for one in (of_value, of_key)]
    if causal:
        parts.append(np.tri(query.shape[1], value.shape[1], dtype=bool)[None])
    found = None
    for one in parts:
        found = one if found is None else found if one is None else found & one
    return found


class Attention(Layer):
    """Means of values, weighted by the softmax of products of queries and keys: a call takes [query, value, key].

    The key is the value where it is left out. use_scale: products are multiplied by a weight. score_mode: 'dot', or
    'concat' for a weight times the sum of tanh(query + key). dropout: the share of weights that is 0 while a model is
    trained. seed: see `tf.random.set_seed`. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Attention()([tf.ones([2, 3, 4]), tf.ones([2, 5, 4])]).shape
    (2, 3, 4)
    """

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        if score_mode not in ("dot", "concat"):
            raise ValueError(f"the scores are 'dot' or 'concat', not {score_mode!r}")
        self.use_scale, self.score_mode, self.dropout, self.seed = use_scale, score_mode, dropout, seed
        self.scale: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the weights."""
        if self.use_scale:
            self.scale = self.add_weight((), "ones", name="scale")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight((), "ones", name="concat_score_weight")

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the queries."""
        return None if mask is None else mask[0]

    def scores(self, query: Any, key: Any) -> Any:
        """How well each key fits each query."""
        if self.score_mode == "dot":
            found = query @ np.swapaxes(key, -2, -1)
            return found if self.scale is None else found * self.scale
        both = query[:, :, None] + key[:, None]
        return self.concat_score_weight * np.sum(np.tanh(both if self.scale is None else self.scale * both), axis=-1)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool | None = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """The means for all queries, with the weights if `return_attention_scores`."""
        query, value, key = inputs if len(inputs) > 2 else (*inputs, inputs[1])
        of_query, of_value = (None, None) if mask is None else mask[:2]
        scores = self.scores(query, key)
        shown = _shown(query, value, (None, of_value, None, None), use_causal_mask)
        if shown is not None:
            scores = np.where(shown, scores, scores - scores.dtype.type(1e9))
        weights = nn.softmax(scores)
        if training and self.dropout:
            weights = nn.dropout(weights, self.dropout, seed=self.seed)
        found = weights @ value
        if of_query is not None:
            found = np.where(bare(of_query).astype(bool)[..., None], found, found.dtype.type(0))
        return (found, weights) if return_attention_scores else found


class AdditiveAttention(Attention):
    """Attention whose scores are sums of scale tanh(query + key). Bahdanau et al. (2015).

    use_scale: False for a scale of ones. dropout: the share of weights that is 0 while a model is trained. keywords:
    those of `tf.keras.layers.Layer`, and `seed`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.AdditiveAttention()([tf.ones([2, 3, 4]), tf.ones([2, 5, 4])]).shape
    (2, 3, 4)
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **keywords: Any) -> None:
        super().__init__(use_scale, dropout=dropout, **keywords)

    def build(self, input_shape: Any) -> None:
        """Make the scale, as long as the last axis."""
        if self.use_scale:
            self.scale = self.add_weight((int(input_shape[0][-1]),), "glorot_uniform", name="scale")

    def scores(self, query: Any, key: Any) -> Any:
        """How well each key fits each query."""
        both = np.tanh(query[:, :, None] + key[:, None])
        return np.sum(both if self.scale is None else self.scale * both, axis=-1)

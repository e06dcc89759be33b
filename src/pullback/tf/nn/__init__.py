"""`tf.nn`: functions for neural networks. At a kink they have the derivatives that TensorFlow gives them."""

from pullback.tf.elementwise import ELEMENTWISE as _ELEMENTWISE
from pullback.tf.linalg import l2_normalize
from pullback.tf.nn.activations import (
    crelu,
    dropout,
    elu,
    gelu,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    softplus,
    softsign,
)
from pullback.tf.nn.convolution import convolution
from pullback.tf.nn.convolutions import (
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    depthwise_conv2d,
    separable_conv2d,
)
from pullback.tf.nn.losses import (
    l2_loss,
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from pullback.tf.nn.normalization import (
    batch_normalization,
    bias_add,
    embedding_lookup,
    local_response_normalization,
    moments,
    weighted_moments,
)
from pullback.tf.nn.pooling import POOLING as _POOLING
from pullback.tf.nn.pooling import max_pool_with_argmax, pool
from pullback.tf.reductions import zero_fraction
from pullback.tf.shapes import space_to_batch
from pullback.tf.sorting import in_top_k, top_k

globals().update(_POOLING)
sigmoid, tanh = _ELEMENTWISE["sigmoid"], _ELEMENTWISE["tanh"]
swish, lrn = silu, local_response_normalization

__all__ = [
    *_POOLING,
    "batch_normalization",
    "bias_add",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_sigmoid",
    "log_softmax",
    "lrn",
    "max_pool_with_argmax",
    "moments",
    "pool",
    "relu",
    "relu6",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]

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
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    separable_conv2d,
)
from pullback.tf.nn.ctc import collapse_repeated, ctc_loss, ctc_unique_labels
from pullback.tf.nn.isotonic import isotonic_regression
from pullback.tf.nn.losses import (
    compute_average_loss,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from pullback.tf.nn.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    bias_add,
    embedding_lookup,
    local_response_normalization,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from pullback.tf.nn.pooling import POOLING as _POOLING
from pullback.tf.nn.pooling import max_pool_with_argmax, pool
from pullback.tf.nn.rearranging import depth_to_space, dilation2d, erosion2d, space_to_depth
from pullback.tf.nn.sampled import nce_loss, sampled_softmax_loss
from pullback.tf.reductions import zero_fraction
from pullback.tf.shapes import space_to_batch
from pullback.tf.sorting import in_top_k, top_k

globals().update(_POOLING)
sigmoid, tanh = _ELEMENTWISE["sigmoid"], _ELEMENTWISE["tanh"]
swish, lrn = silu, local_response_normalization

__all__ = [
    *_POOLING,
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_loss",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "erosion2d",
    "gelu",
    "in_top_k",
    "isotonic_regression",
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
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "sampled_softmax_loss",
    "scale_regularization_loss",
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
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]

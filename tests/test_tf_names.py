"""The names of TensorFlow's that programs may use: all are there, and say what they are."""

from __future__ import annotations

from functools import reduce

import pytest

import pullback.tf as tf

NAMES = """
add_n argsort boolean_mask case cast clip_by_global_norm clip_by_norm clip_by_value concat cond constant
convert_to_tensor cumsum custom_gradient einsum expand_dims eye fill foldl foldr function gather gather_nd identity
linspace map_fn meshgrid norm one_hot ones ones_like pad print range rank repeat reshape reverse roll scan scatter_nd
searchsorted sequence_mask shape size slice sort split squeeze stack stop_gradient strided_slice switch_case
tensor_scatter_nd_add tensor_scatter_nd_update tensordot tile transpose unique unstack vectorized_map where while_loop
zeros zeros_like GradientTape Module Tensor TensorArray TensorShape TensorSpec Variable UnconnectedGradients
autodiff.ForwardAccumulator bitwise.invert config.list_physical_devices data.Dataset debugging.assert_near
initializers.GlorotUniform keras.Input keras.Model keras.Sequential keras.layers.BatchNormalization keras.layers.Conv2D
keras.layers.Conv2DTranspose keras.layers.Dense keras.layers.Dropout keras.layers.Embedding keras.layers.Flatten
keras.layers.GRU keras.layers.GlobalAveragePooling2D keras.layers.LSTM keras.layers.Layer
keras.layers.LayerNormalization keras.layers.MaxPooling2D keras.layers.Reshape keras.layers.SimpleRNN
keras.losses.BinaryCrossentropy keras.losses.CategoricalCrossentropy keras.losses.Huber keras.losses.KLDivergence
keras.losses.MeanSquaredError keras.losses.SparseCategoricalCrossentropy keras.metrics.AUC keras.metrics.Accuracy
keras.metrics.BinaryAccuracy keras.metrics.Mean keras.metrics.SparseCategoricalAccuracy keras.metrics.Sum
keras.optimizers.Adadelta keras.optimizers.Adagrad keras.optimizers.Adam keras.optimizers.AdamW keras.optimizers.Adamax
keras.optimizers.Ftrl keras.optimizers.Nadam keras.optimizers.RMSprop keras.optimizers.SGD
keras.optimizers.schedules.CosineDecay keras.optimizers.schedules.ExponentialDecay linalg.band_part linalg.cholesky
linalg.det linalg.expm linalg.inv linalg.lstsq linalg.pinv linalg.set_diag linalg.solve linalg.sqrtm linalg.svd
linalg.triangular_solve image.flip_left_right image.psnr image.resize image.rgb_to_grayscale image.sobel_edges
image.ssim image.total_variation math.betainc math.cumulative_logsumexp math.digamma math.igamma math.lgamma
math.log_sigmoid math.polygamma math.reduce_logsumexp math.segment_sum math.top_k math.unsorted_segment_sum math.xlogy
math.special.bessel_j0 nest.flatten nest.map_structure nn.avg_pool2d nn.conv2d nn.conv2d_transpose nn.depthwise_conv2d
nn.dropout nn.embedding_lookup nn.gelu nn.max_pool2d nn.moments nn.softmax_cross_entropy_with_logits random.Generator
bitcast dtypes.cast errors.OpError math.approx_max_k math.sobol_sample shape_n test.compute_gradient tuple version
random.categorical random.normal random.set_seed random.shuffle random.stateless_uniform random.uniform
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_a_name_is_there_and_says_what_it_is(name: str) -> None:
    value = reduce(getattr, name.split("."), tf)
    assert value.__doc__

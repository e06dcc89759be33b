"""Calls of TensorFlow's functions: for each name what is computed from arrays of float64, which get gradients.

A row is (name, function, arrays). Values are chosen where the function is smooth. `NAMES` are those that are public.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

import pullback.tf as tf

RNG = np.random.default_rng(7)
V, W = np.array([0.3, 0.8, 0.55]), np.array([1.4, 0.6, 2.2])
P = np.array([1.3, 2.7, 0.6])
M = RNG.permutation(np.arange(12) * 0.31 - 1.53).reshape(3, 4)
S = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
ROWS = RNG.normal(size=(5, 2))
IMAGE = RNG.permutation(240).reshape(2, 5, 6, 4) / 100 - 1.2
SIGNAL = RNG.permutation(56).reshape(2, 7, 4) / 25 - 1.1
CUBE = RNG.permutation(128).reshape(1, 4, 4, 4, 2) / 50 - 1.3
SHARES = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
LOGITS = RNG.normal(size=(2, 3))

Row = tuple[str, Callable[..., Any], tuple[np.ndarray, ...]]


def rows(prefix: str, space: Any, names: str, *arrays: np.ndarray) -> list[Row]:
    """A row for each of several functions of the same arrays."""
    return [(f"{prefix}.{name}", getattr(space, name), arrays) for name in names.split()]


def beside(prefix: str, space: Any, names: Iterable[str], array: np.ndarray, *settings: Any) -> list[Row]:
    """A row for each of several functions of one array and the same settings."""
    return [(f"{prefix}.{name}", partial(called, getattr(space, name), settings), (array,)) for name in names]


def called(function: Callable[..., Any], settings: tuple[Any, ...], x: Any) -> Any:
    """The function of an array and its settings."""
    return function(x, *settings)


UNARY = "abs asinh atan conj cos cosh digamma erf erfc exp expm1 imag lgamma log log1p negative real reciprocal"
UNARY += " reciprocal_no_nan rsqrt sigmoid sin sinh sqrt square tan tanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e"
UNIT = "acos asin atanh erfinv erfcinv ndtri"
BINARY = (
    "add atan2 divide divide_no_nan maximum minimum multiply multiply_no_nan pow realdiv squared_difference subtract"
)
BINARY += " truediv xdivy xlog1py xlogy floormod mod truncatemod"
REDUCED = "reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum"
REDUCED += " reduce_variance"

MATH: list[Row] = [
    ("math.bincount", lambda w: tf.math.bincount([0, 2, 2], w), (P,)),
    ("math.bincount of rows", lambda w: tf.math.bincount([[0, 3], [2, 2]], w, maxlength=3, axis=-1), (M[:2, :2],)),
    ("math.confusion_matrix", lambda w: tf.math.confusion_matrix([0, 1, 1], [1, 0, 0], 3, w, tf.float64), (P,)),
    *rows("math", tf.math, UNARY, P),
    *rows("math", tf.math, UNIT, V),
    *rows("math", tf.math, BINARY.replace("", ""), P, W),
    *rows("math", tf.math, REDUCED, M),
    *rows("math", tf.math, "log_sigmoid log_softmax softmax softplus softsign l2_normalize lbeta", np.abs(M)),
    *rows("math.special", tf.math.special, " ".join(tf.math.special.__all__), P),
    ("math.acosh", tf.math.acosh, (P + 1,)),
    ("math.accumulate_n", lambda x, y: tf.math.accumulate_n([x, y, x]), (V, W)),
    ("math.add_n", lambda x, y: tf.math.add_n([x, y]), (V, W)),
    ("math.betainc", lambda x: tf.math.betainc(W, P, x), (V,)),
    ("math.igamma", tf.math.igamma, (P, W)),
    ("math.igammac", tf.math.igammac, (P, W)),
    ("math.nextafter", lambda x: tf.math.nextafter(x, W), (V,)),
    ("math.polygamma", lambda x: tf.math.polygamma(np.array([0.0, 1.0, 2.0]), x), (P,)),
    ("math.polyval", lambda x, a, b: tf.math.polyval([a, b, a], x), (V, P, W)),
    ("math.scalar_mul", tf.math.scalar_mul, (np.array(1.5), V)),
    ("math.zeta", lambda x: tf.math.zeta(P + 1, x), (W,)),
    ("math.cumsum", lambda x: tf.math.cumsum(x, axis=1, exclusive=True), (M,)),
    ("math.cumprod", lambda x: tf.math.cumprod(x, reverse=True), (M,)),
    ("math.cumulative_logsumexp", lambda x: tf.math.cumulative_logsumexp(x, axis=1, reverse=True), (M,)),
    ("math.cumulative_logsumexp exclusive", lambda x: tf.math.cumulative_logsumexp(x, exclusive=True)[1:], (M,)),
    ("math.top_k", lambda x: tf.math.top_k(x, 2).values, (M,)),
    ("math.approx_max_k", lambda x: tf.math.approx_max_k(x, 2).values, (M,)),
    ("math.approx_min_k", lambda x: tf.math.approx_min_k(x, 2, reduction_dimension=0).values, (M,)),
    *beside("math", tf.math, [n for n in tf.math.__all__ if n.startswith("segment_")], ROWS, [0, 0, 1, 3, 3]),
    *beside("math", tf.math, [n for n in tf.math.__all__ if n.startswith("unsorted_")], ROWS, [2, 0, -1, 2, 1], 3),
]

LINALG: list[Row] = [
    *rows("linalg", tf.linalg, "det expm inv matrix_transpose trace diag_part tensor_diag_part pinv", S),
    ("linalg.band_part", lambda x: tf.linalg.band_part(x, 1, 0), (S,)),
    ("linalg.cholesky", lambda x: tf.linalg.cholesky(x @ tf.transpose(x)), (S,)),
    ("linalg.cholesky_solve", lambda a, b: tf.linalg.cholesky_solve(tf.linalg.band_part(a, -1, 0), b), (S, M)),
    ("linalg.banded_triangular_solve", tf.linalg.banded_triangular_solve, (M[:, :3] + 4, S)),
    ("linalg.banded_triangular_solve upper", partial(tf.linalg.banded_triangular_solve, lower=False), (S + 1, S)),
    ("linalg.eigh_tridiagonal", tf.linalg.eigh_tridiagonal, (V, W[:2])),
    ("linalg.lu_matrix_inverse", lambda x: tf.linalg.lu_matrix_inverse(x, [2, 0, 1]), (S,)),
    ("linalg.lu_reconstruct", lambda x: tf.linalg.lu_reconstruct(x, [2, 0, 1]), (S,)),
    ("linalg.lu_solve", lambda x, b: tf.linalg.lu_solve(x, [2, 0, 1], b), (S, M)),
    ("linalg.tridiagonal_matmul", tf.linalg.tridiagonal_matmul, (S, M)),
    ("linalg.tridiagonal_matmul of matrices", partial(tf.linalg.tridiagonal_matmul, diagonals_format="matrix"), (S, M)),
    ("linalg.cross", tf.linalg.cross, (V, W)),
    ("linalg.diag", lambda x: tf.linalg.diag(x, k=(-1, 1)), (np.arange(9.0).reshape(3, 3),)),
    ("linalg.diag k", lambda x: tf.linalg.diag(x, k=1, num_rows=4, num_cols=6, padding_value=2.0), (V,)),
    ("linalg.diag_part k", lambda x: tf.linalg.diag_part(x, k=(-1, 2), padding_value=9.0), (M,)),
    ("linalg.eigvalsh", lambda x: tf.linalg.eigvalsh(x + tf.transpose(x)), (S,)),
    ("linalg.eigh", lambda x: tf.linalg.eigh(x + tf.transpose(x))[1] ** 2, (S,)),
    ("linalg.einsum", lambda a, b: tf.einsum("ij,jk->k", a, b), (S, M)),
    ("linalg.global_norm", lambda a, b: tf.linalg.global_norm([a, None, b]), (S, M)),
    ("linalg.l2_normalize", lambda x: tf.linalg.l2_normalize(x, axis=1), (M,)),
    ("linalg.logdet", lambda x: tf.linalg.logdet(x @ tf.transpose(x)), (S,)),
    ("linalg.lstsq", lambda a, b: tf.linalg.lstsq(a, b, l2_regularizer=0.1), (M, S)),
    ("linalg.lstsq tall", lambda a, b: tf.linalg.lstsq(a, b, fast=False), (M.T, M.T)),
    ("linalg.matmul", lambda a, b: tf.matmul(a, b, transpose_a=True), (S, M)),
    ("linalg.matvec", tf.linalg.matvec, (S, V)),
    ("linalg.norm", lambda x: tf.norm(x, ord=3, axis=1), (M,)),
    ("linalg.norm spectral", lambda x: tf.norm(x, ord=2, axis=(0, 1)), (M,)),
    ("linalg.norm of columns", lambda x: tf.norm(x, ord=1, axis=(0, 1), keepdims=True), (M,)),
    ("linalg.norm of rows", lambda x: tf.norm(x, ord=np.inf, axis=[-2, -1]), (M,)),
    ("linalg.normalize", lambda x: tf.linalg.normalize(x, axis=0)[0], (M,)),
    ("linalg.qr", lambda x: tf.linalg.qr(x)[1] ** 2, (S,)),
    ("linalg.set_diag", tf.linalg.set_diag, (M, V)),
    ("linalg.slogdet", lambda x: tf.linalg.slogdet(x)[1], (S,)),
    ("linalg.solve", lambda a, b: tf.linalg.solve(a, b, adjoint=True), (S, M)),
    ("linalg.sqrtm", lambda x: tf.linalg.sqrtm(x @ tf.transpose(x)), (S,)),
    ("linalg.svd", lambda x: tf.linalg.svd(x, compute_uv=False), (M,)),
    ("linalg.tensor_diag", tf.linalg.tensor_diag, (M,)),
    ("linalg.tensordot", lambda a, b: tf.tensordot(a, b, [[0], [0]]), (S, M)),
    ("linalg.triangular_solve", lambda a, b: tf.linalg.triangular_solve(a, b, lower=False), (S, M)),
    ("linalg.tridiagonal_solve", tf.linalg.tridiagonal_solve, (np.array([V, P + 3, W]), M)),
]

TAKE = [[2, 0], [1, 1]]
ROOT: list[Row] = [
    ("batch_to_space", lambda x: tf.batch_to_space(x, [2, 2], [[1, 0], [0, 1]]), (RNG.normal(size=(4, 2, 3, 1)),)),
    ("boolean_mask", lambda x: tf.boolean_mask(x, [True, False, True, True], axis=1), (M,)),
    ("broadcast_to", lambda x: tf.broadcast_to(x, [2, 3]), (V,)),
    ("case", lambda x: tf.case([(tf.reduce_sum(x) > 0, lambda: x * x)], default=lambda: x), (V,)),
    ("cast", lambda x: tf.cast(x, tf.float64) * 2.0, (V,)),
    ("clip_by_global_norm", lambda x, y: tf.stack(tf.clip_by_global_norm([x, y], 1.5)[0]), (V, W)),
    ("clip_by_norm", lambda x: tf.clip_by_norm(x, 0.5, axes=[1]), (M,)),
    ("clip_by_value", lambda x: tf.clip_by_value(x, -0.5, 0.7), (M,)),
    ("compat.v1.clip_by_average_norm", lambda x: tf.compat.v1.clip_by_average_norm(x, 0.1), (V,)),
    ("concat", lambda x, y: tf.concat([x, y], 0), (V, W)),
    ("cond", lambda x: tf.cond(x[0] > 9.0, lambda: x, lambda: x**3), (V,)),
    ("dynamic_partition", lambda x: tf.dynamic_partition(x, [0, 1, 0], 2)[0], (M,)),
    ("dynamic_stitch", lambda x, y: tf.dynamic_stitch([[0, 2, 1], [3, 0, 4]], [x, y]), (V, W)),
    ("ensure_shape", lambda x: tf.ensure_shape(x, [None]), (V,)),
    ("expand_dims", lambda x: tf.expand_dims(x, 1), (V,)),
    ("fill", lambda x: tf.fill([2, 3], x), (np.array(1.5),)),
    ("foldl", lambda x: tf.foldl(lambda a, b: a * b + b, x), (V,)),
    ("foldr", lambda x: tf.foldr(lambda a, b: a * b + b, x, initializer=np.float64(1.0)), (V,)),
    ("gather", lambda x: tf.gather(x, TAKE, axis=1), (M,)),
    ("gather batch", lambda x: tf.gather(x, [[0, 1], [3, 3], [2, 0]], batch_dims=1), (M,)),
    ("gather_nd", lambda x: tf.gather_nd(x, TAKE), (M,)),
    ("gather_nd batch", lambda x: tf.gather_nd(x, [[0], [3], [3]], batch_dims=1), (M,)),
    ("identity", tf.identity, (V,)),
    ("identity_n", lambda x: tf.identity_n([x, x])[0], (V,)),
    ("linspace", lambda a, b: tf.linspace(a, b, 5), (np.array(1.0), np.array(2.0))),
    ("map_fn", lambda x: tf.map_fn(lambda r: tf.reduce_sum(r) * r, x), (M,)),
    ("meshgrid", lambda x, y: tf.meshgrid(x, y)[0] * tf.meshgrid(x, y, indexing="xy")[1], (V, P[:2])),
    ("numpy_function", lambda x: x * tf.numpy_function(np.sum, [W], tf.float64), (V,)),
    ("pad", lambda x: tf.pad(x, [[1, 2], [0, 1]], "SYMMETRIC"), (M,)),
    ("pad reflect", lambda x: tf.pad(x, [[1, 2], [0, 1]], "REFLECT"), (M,)),
    ("py_function", lambda x: tf.py_function(lambda t: t * t, [x], tf.float64), (V,)),
    ("repeat", lambda x: tf.repeat(x, [1, 0, 3], axis=0), (M,)),
    ("reshape", lambda x: tf.reshape(x, [2, -1]), (M,)),
    ("reverse", lambda x: tf.reverse(x, [0, 1]), (M,)),
    ("reverse_sequence", lambda x: tf.reverse_sequence(x, [1, 4, 2], seq_axis=1), (M,)),
    ("roll", lambda x: tf.roll(x, [1, 2], [0, 1]), (M,)),
    ("saturate_cast", lambda x: tf.saturate_cast(x, tf.float64), (V,)),
    ("scan", lambda x: tf.scan(lambda a, b: a * b, x, reverse=True), (M,)),
    ("scatter_nd", lambda x: tf.scatter_nd([[1], [0], [1]], x, [3, 4]), (M,)),
    ("slice", lambda x: tf.slice(x, [1, 0], [-1, 2]), (M,)),
    ("sort", lambda x: tf.sort(x, axis=0, direction="DESCENDING"), (M,)),
    ("space_to_batch", lambda x: tf.space_to_batch(x, [2, 3], [[1, 0], [0, 0]]), (IMAGE,)),
    ("split", lambda x: tf.split(x, [1, -1], axis=1)[1], (M,)),
    ("squeeze", lambda x: tf.squeeze(x[None]), (M,)),
    ("stack", lambda x, y: tf.stack([x, y], axis=1), (V, W)),
    ("strided_slice", lambda x: tf.strided_slice(x, [2, 0], [0, 4], [-1, 3], end_mask=1), (M,)),
    ("switch_case", lambda x: tf.switch_case(1, [lambda: x, lambda: x * x]), (V,)),
    ("tensor_scatter_nd_add", lambda t, x: tf.tensor_scatter_nd_add(t, [[1], [0], [1]], x), (M, M + 1)),
    ("tensor_scatter_nd_max", lambda t, x: tf.tensor_scatter_nd_max(t, [[1], [0], [1]], x), (M, M[::-1] + 0.1)),
    ("tensor_scatter_nd_min", lambda t, x: tf.tensor_scatter_nd_min(t, [[1], [0], [1]], x), (M, M[::-1] + 0.1)),
    ("tensor_scatter_nd_sub", lambda t, x: tf.tensor_scatter_nd_sub(t, [[1], [0], [1]], x), (M, M + 1)),
    ("tensor_scatter_nd_update", lambda t, x: tf.tensor_scatter_nd_update(t, [[1], [0], [1]], x), (M, M + 1)),
    ("tile", lambda x: tf.tile(x, [2, 1]), (M,)),
    ("transpose", lambda x: tf.transpose(x, [1, 0]), (M,)),
    ("unique", lambda x: tf.unique(x)[0], (V,)),
    ("unstack", lambda x: tf.unstack(x, axis=1)[2], (M,)),
    ("vectorized_map", lambda x: tf.vectorized_map(tf.reduce_prod, x), (M,)),
    ("where", lambda x, y: tf.where(M > 0, x, y), (M, M + 2)),
    (
        "while_loop",
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (tf.constant(0), x))[1],
        (V,),
    ),
    ("TensorArray", lambda x: tf.TensorArray(tf.float64, 3).unstack(x).write(1, x[0] * x[2]).stack(), (M,)),
]

KERNEL = RNG.normal(size=(2, 3, 4, 3))
DRAWN = np.array([2, 0]), np.array([[0.7], [0.9]]), np.array([0.5, 0.8])
CLASSES = RNG.normal(size=(3, 4)), RNG.normal(size=3), RNG.normal(size=(2, 4))
NN: list[Row] = [
    *rows(
        "nn",
        tf.nn,
        "crelu elu gelu leaky_relu log_softmax relu relu6 selu silu swish softmax softplus softsign tanh",
        M,
    ),
    *rows("nn", tf.nn, "l2_loss l2_normalize", M),
    ("nn.gelu approximate", lambda x: tf.nn.gelu(x, approximate=True), (M,)),
    ("nn.batch_normalization", lambda x, m, v: tf.nn.batch_normalization(x, m, v, V[0], P[0], 1e-3), (V, W, P)),
    ("nn.bias_add", lambda x, b: tf.nn.bias_add(x, b, "NCHW"), (IMAGE, RNG.normal(size=5))),
    ("nn.conv1d", lambda x, w: tf.nn.conv1d(x, w, 2, "SAME"), (SIGNAL, RNG.normal(size=(3, 4, 2)))),
    (
        "nn.conv1d grouped",
        lambda x, w: tf.nn.conv1d(x, w, 1, "VALID", dilations=2),
        (SIGNAL, RNG.normal(size=(3, 2, 6))),
    ),
    (
        "nn.conv1d_transpose",
        lambda x, w: tf.nn.conv1d_transpose(x, w, [2, 14, 2], 2),
        (SIGNAL, RNG.normal(size=(3, 2, 4))),
    ),
    ("nn.conv2d", lambda x, w: tf.nn.conv2d(x, w, [1, 2, 1, 1], "SAME"), (IMAGE, KERNEL)),
    ("nn.conv2d first", lambda x, w: tf.nn.conv2d(x, w, 1, "VALID", "NCHW"), (IMAGE, RNG.normal(size=(2, 2, 5, 2)))),
    (
        "nn.conv2d margins",
        lambda x, w: tf.nn.conv2d(x, w, 2, [[0, 0], [1, 2], [0, 1], [0, 0]], dilations=[2, 1]),
        (IMAGE, KERNEL),
    ),
    (
        "nn.conv2d_transpose",
        lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 10, 12, 3], 2),
        (IMAGE, RNG.normal(size=(3, 2, 3, 4))),
    ),
    ("nn.conv3d", lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"), (CUBE, RNG.normal(size=(2, 2, 2, 2, 1)))),
    (
        "nn.conv3d_transpose",
        lambda x, w: tf.nn.conv3d_transpose(x, w, [1, 5, 5, 5, 1], 1, "VALID"),
        (CUBE, RNG.normal(size=(2, 2, 2, 1, 2))),
    ),
    ("nn.conv_transpose", lambda x, w: tf.nn.conv_transpose(x, w, [2, 7, 2], 1), (SIGNAL, RNG.normal(size=(3, 2, 4)))),
    ("nn.convolution", lambda x, w: tf.nn.convolution(x, w, dilations=[2, 1]), (IMAGE, KERNEL)),
    (
        "nn.depthwise_conv2d",
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
        (IMAGE, RNG.normal(size=(2, 3, 4, 2))),
    ),
    (
        "nn.separable_conv2d",
        lambda x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 2, 2, 1], "VALID"),
        (IMAGE, RNG.normal(size=(2, 3, 4, 2)), RNG.normal(size=(1, 1, 8, 2))),
    ),
    *beside("nn", tf.nn, ["avg_pool", "max_pool"], IMAGE, 2, 2, "SAME"),
    *beside("nn", tf.nn, ["avg_pool1d", "max_pool1d"], SIGNAL, 3, 2, "SAME"),
    *beside("nn", tf.nn, ["avg_pool2d", "max_pool2d"], IMAGE, 3, 1, "VALID"),
    *beside("nn", tf.nn, ["avg_pool3d", "max_pool3d"], CUBE, 2, 2, "VALID"),
    ("nn.pool", lambda x: tf.nn.pool(x, [2], "AVG", dilations=[2]), (SIGNAL,)),
    ("nn.max_pool_with_argmax", lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[0], (IMAGE,)),
    ("nn.embedding_lookup", lambda x: tf.nn.embedding_lookup(x, TAKE, max_norm=1.0), (M,)),
    ("nn.local_response_normalization", lambda x: tf.nn.local_response_normalization(x, 1, 1.0, 0.5, 0.75), (IMAGE,)),
    ("nn.log_poisson_loss", lambda x: tf.nn.log_poisson_loss(P, x, compute_full_loss=True), (V,)),
    ("nn.moments", lambda x: tf.nn.moments(x, [0])[1], (M,)),
    ("nn.sigmoid", tf.nn.sigmoid, (M,)),
    ("nn.sigmoid_cross_entropy_with_logits", tf.nn.sigmoid_cross_entropy_with_logits, (SHARES, LOGITS)),
    ("nn.softmax_cross_entropy_with_logits", tf.nn.softmax_cross_entropy_with_logits, (SHARES, LOGITS)),
    (
        "nn.sparse_softmax_cross_entropy_with_logits",
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x),
        (LOGITS,),
    ),
    (
        "nn.weighted_cross_entropy_with_logits",
        tf.nn.weighted_cross_entropy_with_logits,
        (SHARES, LOGITS, np.array(2.0)),
    ),
    ("nn.atrous_conv2d", lambda x, w: tf.nn.atrous_conv2d(x, w, 2, "SAME"), (IMAGE, KERNEL)),
    (
        "nn.atrous_conv2d_transpose",
        lambda x, w: tf.nn.atrous_conv2d_transpose(x, w, [2, 7, 10, 3], 2, "VALID"),
        (IMAGE, RNG.normal(size=(2, 3, 3, 4))),
    ),
    (
        "nn.batch_norm_with_global_normalization",
        lambda x, m, v: tf.nn.batch_norm_with_global_normalization(x, m, v, V[0], P[0], 1e-3, True),
        (V, W, P),
    ),
    ("nn.compute_average_loss", lambda x, w: tf.nn.compute_average_loss(x, w, 5), (V, W)),
    (
        "nn.ctc_loss",
        lambda x: tf.nn.ctc_loss([[1, 2, 2], [3, 1, 0]], x, [3, 2], [7, 5], logits_time_major=False),
        (SIGNAL,),
    ),
    ("nn.depth_to_space", lambda x: tf.nn.depth_to_space(x, 2), (IMAGE,)),
    (
        "nn.depthwise_conv2d_backprop_filter",
        lambda x, y: tf.nn.depthwise_conv2d_backprop_filter(x, [2, 3, 4, 2], y, [1, 2, 2, 1], "SAME"),
        (IMAGE, RNG.normal(size=(2, 3, 3, 8))),
    ),
    (
        "nn.depthwise_conv2d_backprop_input",
        lambda w, y: tf.nn.depthwise_conv2d_backprop_input([2, 5, 6, 4], w, y, [1, 2, 2, 1], "SAME"),
        (RNG.normal(size=(2, 3, 4, 2)), RNG.normal(size=(2, 3, 3, 8))),
    ),
    (
        "nn.dilation2d",
        lambda x, w: tf.nn.dilation2d(x, w, [1, 2, 1, 1], "SAME", "NHWC", [1, 1, 2, 1]),
        (10 * IMAGE, RNG.permutation(16).reshape(2, 2, 4) / 160),
    ),
    (
        "nn.erosion2d",
        lambda x, w: tf.nn.erosion2d(x, w, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1]),
        (10 * IMAGE, RNG.permutation(16).reshape(2, 2, 4) / 160),
    ),
    ("nn.isotonic_regression", lambda x: tf.nn.isotonic_regression(x, axis=0).output, (M,)),
    ("nn.nce_loss", lambda w, b, x: tf.nn.nce_loss(w, b, [[1], [0]], x, 2, 3, sampled_values=DRAWN), CLASSES),
    ("nn.normalize_moments", lambda x, y: tf.stack(tf.nn.normalize_moments(3.0, x, y, 0.5)), (V, W)),
    (
        "nn.sampled_softmax_loss",
        lambda w, b, x: tf.nn.sampled_softmax_loss(w, b, [[1], [0]], x, 2, 3, sampled_values=DRAWN),
        CLASSES,
    ),
    ("nn.scale_regularization_loss", tf.nn.scale_regularization_loss, (M,)),
    ("nn.space_to_depth", lambda x: tf.nn.space_to_depth(x, 2), (IMAGE[:, :4],)),
    ("nn.sufficient_statistics", lambda x: tf.nn.sufficient_statistics(x, [0], shift=0.5)[2], (M,)),
    ("nn.weighted_moments", lambda x, w: tf.nn.weighted_moments(x, [1], w)[1], (M, np.abs(M))),
]

ACTIVATIONS = " ".join(name for name in tf.keras.activations.__all__ if name != "get")
LOSSES = (
    "binary_crossentropy binary_focal_crossentropy categorical_crossentropy categorical_hinge cosine_similarity hinge"
)
LOSSES += " huber kl_divergence log_cosh mean_absolute_error mean_absolute_percentage_error mean_squared_error"
LOSSES += " mean_squared_logarithmic_error poisson squared_hinge"
KERAS: list[Row] = [
    ("keras.utils.normalize", tf.keras.utils.normalize, (M,)),
    *rows("keras.activations", tf.keras.activations, ACTIVATIONS, M),
    *rows("keras.losses", tf.keras.losses, LOSSES, SHARES + 0.05, SHARES[::-1] * 0.9),
    (
        "keras.losses.binary_crossentropy",
        lambda x: tf.keras.losses.binary_crossentropy(SHARES, x, True, 0.1),
        (LOGITS,),
    ),
    (
        "keras.losses.categorical_crossentropy",
        lambda x: tf.keras.losses.categorical_crossentropy(SHARES, x, True),
        (LOGITS,),
    ),
    (
        "keras.losses.sparse_categorical_crossentropy",
        lambda x: tf.keras.losses.sparse_categorical_crossentropy([2, 0], x, ignore_class=0),
        (SHARES,),
    ),
]

RGB = IMAGE[..., :3] - IMAGE.min() + 0.2
IMAGES: list[Row] = [
    *rows("image", tf.image, "flip_left_right flip_up_down rot90 transpose sobel_edges total_variation", IMAGE),
    *rows("image", tf.image, "rgb_to_grayscale rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb", RGB),
    ("image.adjust_brightness", lambda x: tf.image.adjust_brightness(x, 0.5), (IMAGE,)),
    ("image.adjust_contrast", lambda x: tf.image.adjust_contrast(x, 1.5), (IMAGE,)),
    ("image.adjust_gamma", lambda x: tf.image.adjust_gamma(x, 1.5, 2.0), (RGB,)),
    ("image.central_crop", lambda x: tf.image.central_crop(x, 0.5), (IMAGE,)),
    ("image.crop_to_bounding_box", lambda x: tf.image.crop_to_bounding_box(x, 1, 2, 3, 2), (IMAGE,)),
    (
        "image.extract_patches",
        lambda x: tf.image.extract_patches(x, [1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1], "SAME"),
        (IMAGE,),
    ),
    ("image.grayscale_to_rgb", tf.image.grayscale_to_rgb, (IMAGE[..., :1],)),
    ("image.image_gradients", lambda x: tf.stack(tf.image.image_gradients(x)), (IMAGE,)),
    ("image.pad_to_bounding_box", lambda x: tf.image.pad_to_bounding_box(x, 1, 2, 7, 9), (IMAGE,)),
    ("image.resize", lambda x: tf.image.resize(x, [7, 3], "nearest"), (IMAGE,)),
    ("image.resize_with_crop_or_pad", lambda x: tf.image.resize_with_crop_or_pad(x, 3, 9), (IMAGE,)),
]

SOUND = RNG.normal(size=(2, 9))
SIGNALS: list[Row] = [
    *[(f"signal.dct {t}", partial(tf.signal.dct, type=t), (SOUND,)) for t in (1, 2, 3, 4)],
    ("signal.dct of some", lambda x: tf.signal.dct(x, n=12, norm="ortho"), (SOUND,)),
    ("signal.fftshift", tf.signal.fftshift, (SOUND,)),
    ("signal.frame", lambda x: tf.signal.frame(x, 4, 3), (SOUND,)),
    ("signal.frame padded", lambda x: tf.signal.frame(x, 2, 1, pad_end=True, axis=0), (SOUND,)),
    ("signal.idct", lambda x: tf.signal.idct(x, norm="ortho"), (SOUND,)),
    ("signal.ifftshift", lambda x: tf.signal.ifftshift(x, axes=[1]), (SOUND,)),
    ("signal.kaiser_window", lambda beta: tf.signal.kaiser_window(4, beta, tf.float64), (np.array(2.5),)),
    ("signal.overlap_and_add", lambda x: tf.signal.overlap_and_add(x, 2), (IMAGE[0],)),
]

ROWS_OF_ALL = [*MATH, *LINALG, *ROOT, *NN, *KERAS, *IMAGES, *SIGNALS]

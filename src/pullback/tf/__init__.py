"""TensorFlow's names for the tape and for operations on tensors, over NumPy arrays.

Python's floats become float32 and its integers int32, and the derivatives at ties and kinks are TensorFlow's. Arrays of
NumPy keep their dtype, dtypes that differ are promoted as NumPy does, and NumPy's own functions are recorded too.
The parameter `name`, which TensorFlow gives to operations, is taken and has no effect; that of a variable is kept.

>>> import pullback.tf as tf
>>> x = tf.Variable(3.0)
>>> with tf.GradientTape() as tape:
...     y = x ** 2
>>> tape.gradient(y, x).numpy()
np.float32(6.0)
"""

import numpy as _np

from pullback.nn import Module
from pullback.tape import (
    GradientTape,
    Tensor,
    UnconnectedGradients,
    custom_gradient,
    recompute_grad,
    stop_gradient,
)
from pullback.tf import (
    autodiff,
    bitwise,
    compat,
    config,
    data,
    debugging,
    errors,
    image,
    initializers,
    keras,
    linalg,
    math,
    nest,
    nn,
    random,
)
from pullback.tf.clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from pullback.tf.control import (
    case,
    cond,
    foldl,
    foldr,
    grad_pass_through,
    map_fn,
    numpy_function,
    py_function,
    scan,
    switch_case,
    vectorized_map,
    while_loop,
)
from pullback.tf.creation import (
    eye,
    fill,
    identity_n,
    linspace,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    range,
    sequence_mask,
    zeros,
    zeros_like,
)
from pullback.tf.debugging import ASSERTIONS as _ASSERTIONS
from pullback.tf.debugging import Assert, assert_rank
from pullback.tf.elementwise import ELEMENTWISE as _ELEMENTWISE
from pullback.tf.environment import (
    as_dtype,
    control_dependencies,
    device,
    executing_eagerly,
    group,
    init_scope,
    is_tensor,
    name_scope,
    no_op,
    saturate_cast,
    timestamp,
)
from pullback.tf.environment import print_tensors as print
from pullback.tf.function import function
from pullback.tf.linalg import einsum, matmul, norm, tensordot
from pullback.tf.operation import RegisterGradient, gradient_override_map
from pullback.tf.reductions import REDUCTIONS as _REDUCTIONS
from pullback.tf.reductions import argmax, argmin, cumsum
from pullback.tf.scattering import (
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from pullback.tf.selection import (
    boolean_mask,
    dynamic_partition,
    dynamic_stitch,
    gather,
    gather_nd,
    get_static_value,
    slice,
    strided_slice,
    unravel_index,
    where,
)
from pullback.tf.shapes import (
    batch_to_space,
    broadcast_to,
    cast,
    concat,
    ensure_shape,
    expand_dims,
    identity,
    pad,
    rank,
    repeat,
    reshape,
    reverse,
    reverse_sequence,
    roll,
    shape,
    size,
    space_to_batch,
    split,
    squeeze,
    stack,
    tile,
    transpose,
    unstack,
)
from pullback.tf.sorting import (
    argsort,
    histogram_fixed_width,
    histogram_fixed_width_bins,
    searchsorted,
    sort,
    unique,
    unique_with_counts,
)
from pullback.tf.tensor_array import TensorArray
from pullback.tf.types import (
    IndexedSlices,
    TensorShape,
    TensorSpec,
    broadcast_dynamic_shape,
    broadcast_static_shape,
)
from pullback.tf.values import Variable, constant, convert_to_tensor

DType = _np.dtype
float16, float32, float64 = _np.dtype("float16"), _np.dtype("float32"), _np.dtype("float64")
int8, int16, int32, int64 = _np.dtype("int8"), _np.dtype("int16"), _np.dtype("int32"), _np.dtype("int64")
uint8, uint16, uint32, uint64 = _np.dtype("uint8"), _np.dtype("uint16"), _np.dtype("uint32"), _np.dtype("uint64")
bool, half, double = _np.dtype("bool"), float16, float64
complex64, complex128 = _np.dtype("complex64"), _np.dtype("complex128")
newaxis = None

_ROOT = _ELEMENTWISE | _REDUCTIONS | _ASSERTIONS
globals().update(_ROOT)

zeros_initializer, ones_initializer = initializers.Zeros, initializers.Ones
constant_initializer = initializers.Constant
random_normal_initializer = initializers.random_normal_initializer
random_uniform_initializer = initializers.random_uniform_initializer
losses, metrics, optimizers = keras.losses, keras.metrics, keras.optimizers
batch_to_space_nd, space_to_batch_nd = batch_to_space, space_to_batch

__all__ = [
    *_ROOT,
    "Assert",
    "DType",
    "GradientTape",
    "IndexedSlices",
    "Module",
    "RegisterGradient",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "TensorSpec",
    "UnconnectedGradients",
    "Variable",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "assert_rank",
    "autodiff",
    "batch_to_space",
    "batch_to_space_nd",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "compat",
    "complex128",
    "complex64",
    "concat",
    "cond",
    "config",
    "constant",
    "constant_initializer",
    "control_dependencies",
    "convert_to_tensor",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "device",
    "double",
    "dynamic_partition",
    "dynamic_stitch",
    "einsum",
    "ensure_shape",
    "errors",
    "executing_eagerly",
    "expand_dims",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_static_value",
    "grad_pass_through",
    "gradient_override_map",
    "group",
    "half",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "image",
    "init_scope",
    "initializers",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_tensor",
    "keras",
    "linalg",
    "linspace",
    "losses",
    "map_fn",
    "math",
    "matmul",
    "meshgrid",
    "metrics",
    "name_scope",
    "nest",
    "newaxis",
    "nn",
    "no_op",
    "norm",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "optimizers",
    "pad",
    "print",
    "py_function",
    "random",
    "random_normal_initializer",
    "random_uniform_initializer",
    "range",
    "rank",
    "recompute_grad",
    "repeat",
    "reshape",
    "reverse",
    "reverse_sequence",
    "roll",
    "saturate_cast",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "split",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "switch_case",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "tile",
    "timestamp",
    "transpose",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "vectorized_map",
    "where",
    "while_loop",
    "zeros",
    "zeros_initializer",
    "zeros_like",
]

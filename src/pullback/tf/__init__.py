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
from pullback.tf import autodiff, compat, image, keras, linalg, math, nn
from pullback.tf.elementwise import ELEMENTWISE as _ELEMENTWISE
from pullback.tf.function import function
from pullback.tf.linalg import einsum, matmul, norm, tensordot
from pullback.tf.operation import RegisterGradient, gradient_override_map
from pullback.tf.reductions import REDUCTIONS as _REDUCTIONS
from pullback.tf.reductions import argmax, argmin, cumsum, unique
from pullback.tf.shapes import (
    boolean_mask,
    broadcast_to,
    cast,
    clip_by_norm,
    concat,
    expand_dims,
    eye,
    fill,
    gather,
    gather_nd,
    identity,
    linspace,
    one_hot,
    ones,
    ones_like,
    pad,
    range,
    rank,
    reshape,
    reverse,
    roll,
    shape,
    size,
    split,
    squeeze,
    stack,
    tile,
    transpose,
    unstack,
    zeros,
    zeros_like,
)
from pullback.tf.values import Variable, constant, convert_to_tensor

float32, float64 = _np.dtype("float32"), _np.dtype("float64")
int32, int64, uint8, bool = _np.dtype("int32"), _np.dtype("int64"), _np.dtype("uint8"), _np.dtype("bool")
newaxis = None

globals().update(_ELEMENTWISE | _REDUCTIONS)

__all__ = [
    *_ELEMENTWISE,
    *_REDUCTIONS,
    "GradientTape",
    "Module",
    "RegisterGradient",
    "Tensor",
    "UnconnectedGradients",
    "Variable",
    "argmax",
    "argmin",
    "autodiff",
    "bool",
    "boolean_mask",
    "broadcast_to",
    "cast",
    "clip_by_norm",
    "compat",
    "concat",
    "constant",
    "convert_to_tensor",
    "cumsum",
    "custom_gradient",
    "einsum",
    "expand_dims",
    "eye",
    "fill",
    "float32",
    "float64",
    "function",
    "gather",
    "gather_nd",
    "gradient_override_map",
    "identity",
    "image",
    "int32",
    "int64",
    "keras",
    "linalg",
    "linspace",
    "math",
    "matmul",
    "newaxis",
    "nn",
    "norm",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "range",
    "rank",
    "recompute_grad",
    "reshape",
    "reverse",
    "roll",
    "shape",
    "size",
    "split",
    "squeeze",
    "stack",
    "stop_gradient",
    "tensordot",
    "tile",
    "transpose",
    "uint8",
    "unique",
    "unstack",
    "zeros",
    "zeros_like",
]

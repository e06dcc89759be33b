"""`tf.dtypes`: the dtypes of tensors, which are NumPy's, and what changes them."""

import numpy as _np

from pullback.tf.environment import as_dtype, saturate_cast
from pullback.tf.shapes import cast

DType = _np.dtype
float16, float32, float64 = _np.dtype("float16"), _np.dtype("float32"), _np.dtype("float64")
int8, int16, int32, int64 = _np.dtype("int8"), _np.dtype("int16"), _np.dtype("int32"), _np.dtype("int64")
uint8, uint16, uint32, uint64 = _np.dtype("uint8"), _np.dtype("uint16"), _np.dtype("uint32"), _np.dtype("uint64")
bool, half, double = _np.dtype("bool"), float16, float64
complex64, complex128 = _np.dtype("complex64"), _np.dtype("complex128")

__all__ = [
    "DType",
    "as_dtype",
    "bool",
    "cast",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "saturate_cast",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

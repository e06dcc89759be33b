"""Functions whose derivative is 0 wherever it exists: tests, rounding, positions, and arrays of fixed numbers."""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.declare import constant

constant(np.floor, np.ceil, np.rint, np.trunc, np.fix, np.round, np.floor_divide, np.sign, np.spacing)
constant(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
constant(np.isclose, np.allclose, np.array_equal, np.isin)
constant(np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.signbit, np.iscomplexobj, np.isrealobj)
constant(np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.all, np.any)
constant(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift)
constant(np.argmax, np.argmin, np.argsort, np.nanargmax, np.nanargmin, np.nonzero, np.flatnonzero, np.argwhere)
constant(np.searchsorted, np.count_nonzero, np.digitize)
constant(np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri)
constant(np.zeros_like, np.ones_like, np.empty_like)
constant(np.shape, np.size, np.ndim, np.imag)
constant(runtime.stop_gradient, runtime.round_decimal, runtime.argsort_along)

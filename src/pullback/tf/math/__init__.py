"""`tf.math`: elementwise and special functions, reductions, scans and segments."""

from pullback.tf.elementwise import ELEMENTWISE as _ELEMENTWISE
from pullback.tf.linalg import l2_normalize
from pullback.tf.math import special
from pullback.tf.nn import log_sigmoid, log_softmax, softmax, softplus, softsign
from pullback.tf.reductions import REDUCTIONS as _REDUCTIONS
from pullback.tf.reductions import (
    argmax,
    argmin,
    count_nonzero,
    cumprod,
    cumsum,
    cumulative_logsumexp,
    is_non_decreasing,
    is_strictly_increasing,
    polyval,
    zero_fraction,
)
from pullback.tf.sampling import sobol_sample
from pullback.tf.segment_reductions import SEGMENTS as _SEGMENTS
from pullback.tf.sorting import (
    approx_max_k,
    approx_min_k,
    bincount,
    confusion_matrix,
    in_top_k,
    invert_permutation,
    top_k,
)
from pullback.tf.special import OF_SPECIAL as _OF_SPECIAL
from pullback.tf.special import SPECIAL as _SPECIAL

_ALONE = {name: value for name, value in _SPECIAL.items() if name not in _OF_SPECIAL}
globals().update(_ELEMENTWISE | _REDUCTIONS | _SEGMENTS | _ALONE)
accumulate_n = _ELEMENTWISE["add_n"]

__all__ = [
    *_ALONE,
    *_ELEMENTWISE,
    *_REDUCTIONS,
    *_SEGMENTS,
    "accumulate_n",
    "approx_max_k",
    "approx_min_k",
    "argmax",
    "argmin",
    "bincount",
    "confusion_matrix",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "in_top_k",
    "invert_permutation",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "log_sigmoid",
    "log_softmax",
    "polyval",
    "sobol_sample",
    "softmax",
    "softplus",
    "softsign",
    "special",
    "top_k",
    "zero_fraction",
]

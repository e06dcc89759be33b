"""`tf.math`: the elementwise functions, reductions and scans."""

from pullback.tf.elementwise import ELEMENTWISE
from pullback.tf.nn import log_sigmoid, log_softmax, softmax, softplus, softsign
from pullback.tf.reductions import REDUCTIONS, argmax, argmin, cumprod, cumsum

globals().update(ELEMENTWISE | REDUCTIONS)

__all__ = [
    *ELEMENTWISE,
    *REDUCTIONS,
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_sigmoid",
    "log_softmax",
    "softmax",
    "softplus",
    "softsign",
]

"""Special functions, under the names they have in `runtime`.

Formulas: Abramowitz and Stegun (1964), 6.3.1, 6.4.10 and 7.1.19.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from pullback import runtime
from pullback.functions.declare import composes, partials

partials(
    runtime.erf,
    lambda x: 1.1283791670955126 * np.exp(-x * x),  # 2 / √π
    spellings=(math.erf,),
    in_scipy="erf",
    vector=True,
    loop=True,
)
partials(
    runtime.erfc,
    lambda x: -1.1283791670955126 * np.exp(-x * x),
    spellings=(math.erfc,),
    in_scipy="erfc",
    vector=True,
    loop=True,
)
partials(
    runtime.gamma,
    lambda x, *, y: y * runtime.digamma(x),
    spellings=(math.gamma,),
    in_scipy="gamma",
    loop=True,
)
partials(
    runtime.lgamma,
    lambda x: runtime.digamma(x),
    spellings=(math.lgamma,),
    in_scipy="gammaln",
    loop=True,
)
partials(runtime.digamma, lambda x: scipy.special.zeta(2.0, x), in_scipy="psi", loop=True)
partials(runtime.sigmoid, lambda x, *, y: y * (1 - y), in_scipy="expit", vector=True, loop=True)
partials(
    runtime.logit,
    lambda x: 1 / (x * (1 - x)),
    in_scipy="logit",
)


@composes(np.i0)
def i0(x):
    """The modified Bessel function of order 0."""
    return scipy.special.i0(x)

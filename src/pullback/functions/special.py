"""Special functions, under the names they have in `runtime`.

Formulas: Abramowitz and Stegun (1964), 6.3.1 and 7.1.19.
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.declare import partials

partials(
    {
        runtime.erf: lambda x: 1.1283791670955126 * np.exp(-x * x),  # 2 / √π
        runtime.erfc: lambda x: -1.1283791670955126 * np.exp(-x * x),
        runtime.gamma: lambda x, *, y: y * runtime.digamma(x),
        runtime.lgamma: lambda x: runtime.digamma(x),
        runtime.sigmoid: lambda x, *, y: y * (1 - y),
        # Of the product of a cotangent and a local derivative, for second derivatives. Only where 0 meets infinity or
        # NaN is something left out: a cotangent may be 0 at one point and not beside it.
        runtime.masked_product: lambda x1, x2: (runtime.where((x1 != 0) | np.isfinite(x2), x2, 0), x1),
    }
)

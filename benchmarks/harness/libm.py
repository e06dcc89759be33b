"""exp, log, tanh and the normal distribution without branches, so that LLVM vectorises the loops they stand in.

Benchmark grade: some units in the last place, and no care at the edges. `exp` saturates outside ±708, `log` is for
normal positive numbers.
"""

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

# Reassociation would undo the argument reductions, so that only contraction to fused multiply-adds is allowed here.
branch_free = numba.njit(error_model="numpy", fastmath={"contract"}, forceinline=True)

ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²: adding it leaves the nearest integer in the low bits
ROUNDER_BITS = 0x4338000000000000
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
SQRT_HALF = 0.7071067811865476
SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
INV_SQRT_TWO_PI = 0.3989422804014327


@intrinsic
def bits_of(typing_context, x):
    """The 64 bits of a float, as an integer."""
    return types.int64(types.float64), lambda context, builder, signature, values: builder.bitcast(
        values[0], ir.IntType(64)
    )


@intrinsic
def float_of(typing_context, bits):
    """The float that has these 64 bits."""
    return types.float64(types.int64), lambda context, builder, signature, values: builder.bitcast(
        values[0], ir.DoubleType()
    )


@intrinsic
def select(typing_context, condition, x, y):
    """`x if condition else y`, where LLVM may not move the computation of a side into a branch."""
    number = types.float64
    return number(types.boolean, number, number), lambda context, builder, signature, values: builder.select(*values)


@branch_free
def exp(x):
    """eˣ = 2ᵏ eʳ with |r| ≤ ln 2 / 2, where eʳ is its Taylor polynomial of degree 12."""
    shifted = min(max(x, -708.0), 709.0) * 1.4426950408889634 + ROUNDER
    k = shifted - ROUNDER
    r = min(max(x, -708.0), 709.0) - k * LN2_HIGH - k * LN2_LOW
    p = r * (1 / 479001600) + 1 / 39916800
    p = p * r + 1 / 3628800
    p = p * r + 1 / 362880
    p = p * r + 1 / 40320
    p = p * r + 1 / 5040
    p = p * r + 1 / 720
    p = p * r + 1 / 120
    p = p * r + 1 / 24
    p = p * r + 1 / 6
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return float_of(bits_of(p) + (bits_of(shifted) << np.int64(52)))


@branch_free
def log(x):
    """ln x = k ln 2 + ln m with m in [√½, √2), where ln m = 2 artanh((m - 1) / (m + 1)) by fdlibm's polynomial."""
    bits = bits_of(x)
    exponent = (bits - np.int64(SQRT_HALF_BITS)) >> np.int64(52)
    m = float_of(bits - (exponent << np.int64(52)))
    k = float_of(np.int64(ROUNDER_BITS) + exponent) - ROUNDER  # AVX2 has no conversion of 64-bit integers
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    p = z * 1.479819860511658591e-01 + 1.531383769920937332e-01
    p = p * z + 1.818357216161805012e-01
    p = p * z + 2.222219843214978396e-01
    p = p * z + 2.857142874366239149e-01
    p = p * z + 3.999999999940941908e-01
    p = p * z + 6.666666666666735130e-01
    half = 0.5 * f * f
    return k * LN2_HIGH + (f - (half - (s * (half + p * z) + k * LN2_LOW)))


@branch_free
def tanh(x):
    """tanh x, by e⁻²ˣ where |x| is large and by Cephes' rational function where it is small."""
    a = abs(x)
    e = exp(-2.0 * a)
    large = (1.0 - e) / (1.0 + e)
    z = x * x
    p = (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3
    q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3
    return select(a < 0.625, x + x * z * (p / q), select(x > 0, large, -large))


@branch_free
def normal(x):
    """(Φ(x), φ(x)): the distribution function of the standard normal, and its density. One exponential serves both."""
    y = x * SQRT_HALF
    a = min(abs(y), 7.9)
    e = exp(-y * y)
    tail = 0.5 * e * erfc_scaled(a)
    z = y * y
    central = 0.5 + 0.5 * y * erf_ratio(min(z, 1.0))
    return select(z < 1.0, central, select(x > 0, 1.0 - tail, tail)), INV_SQRT_TWO_PI * e


@branch_free
def erf_ratio(z):
    """erf(y) / y for z = y² ≤ 1: Cephes' rational function."""
    p = 9.60497373987051638749e0 * z + 9.00260197203842689217e1
    p = p * z + 2.23200534594684319226e3
    p = p * z + 7.00332514112805075473e3
    p = p * z + 5.55923013010394962768e4
    q = z + 3.35617141647503099647e1
    q = q * z + 5.21357949780152679795e2
    q = q * z + 4.59432382970980127987e3
    q = q * z + 2.26290000613890934246e4
    q = q * z + 4.92673942608635921086e4
    return p / q


@branch_free
def erfc_scaled(y):
    """exp(y²) erfc(y) for 1 ≤ y < 8: Cephes' rational function."""
    p = 2.46196981473530512524e-10 * y + 5.64189564831068821977e-1
    p = p * y + 7.46321056442269912687e0
    p = p * y + 4.86371970985681366614e1
    p = p * y + 1.96520832956077098242e2
    p = p * y + 5.26445194995477358631e2
    p = p * y + 9.34528527171957607540e2
    p = p * y + 1.02755188689515710272e3
    p = p * y + 5.57535335369399327526e2
    q = y + 1.32281951154744992508e1
    q = q * y + 8.67072140885989742329e1
    q = q * y + 3.54937778887819891062e2
    q = q * y + 9.75708501743205489753e2
    q = q * y + 1.82390916687909736289e3
    q = q * y + 2.24633760818710981792e3
    q = q * y + 1.65666309194161350182e3
    q = q * y + 5.57535340817727675546e2
    return p / q

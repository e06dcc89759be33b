"""Payne and Hanek's reduction of huge arguments by pi/2."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.vectormath.bits import fma, kernel, to_bits

HALF_PI, HALF_PI_MID = 1.5707963267948966, 6.123233995736766e-17

# 2/pi in words of 32 bits, after two words of zeros: its first 1216 bits are enough for arguments up to 2^1024.
TWO_OVER_PI_WORDS = np.array(
    [
        0,
        0,
        0xA2F9836E,
        0x4E441529,
        0xFC2757D1,
        0xF534DDC0,
        0xDB629599,
        0x3C439041,
        0xFE5163AB,
        0xDEBBC561,
        0xB7246E3A,
        0x424DD2E0,
        0x6492EEA,
        0x9D1921C,
        0xFE1DEB1C,
        0xB129A73E,
        0xE88235F5,
        0x2EBB4484,
        0xE99C7026,
        0xB45F7E41,
        0x3991D639,
        0x835339F4,
        0x9C845F8B,
        0xBDF9283B,
        0x1FF897FF,
        0xDE05980F,
        0xEF2F118B,
        0x5A0A6D1F,
        0x6D367ECF,
        0x27CB09B7,
        0x4F463F66,
        0x9E5FEA2D,
        0x7527BAC7,
        0xEBE5F17B,
        0x3D0739F7,
        0x8A5292EA,
        0x6BFB5FB1,
        0x1F8D5D08,
        0x56033046,
        0xFC7B6BAB,
    ],
    dtype=np.uint64,
)
WORD = 0xFFFFFFFF


@kernel
def window(start: Any, words: Any) -> Any:
    """32 bits of 2/pi, beginning `words` words after bit `start` of the table."""
    index, shift = (start >> np.int64(5)) + words, np.uint64(start & np.int64(31))
    pair = (TWO_OVER_PI_WORDS[index] << np.uint64(32)) | TWO_OVER_PI_WORDS[index + 1]
    return (pair >> (np.uint64(32) - shift)) & np.uint64(WORD)


@kernel
def multiply(mantissa: Any, start: Any, flip: Any) -> Any:
    """(top, total, rest) of the lowest 192 bits of mantissa times the 192 bits of 2/pi from `start`.

    The product has two bits before the point. `top` is its first word; total + rest is what follows the point, with
    every bit inverted if `flip` is all ones: 1 minus it, but for 2^-190.
    """
    low, high = mantissa & np.uint64(WORD), mantissa >> np.uint64(32)
    carry, above, top = np.uint64(0), np.uint64(0), np.uint64(0)
    total, rest = 0.0, 0.0
    weight = 2.0**-190
    for k in range(5, -1, -1):
        word = window(start, k)
        product = low * word
        top = (product & np.uint64(WORD)) + (above & np.uint64(WORD)) + carry
        carry = (product >> np.uint64(32)) + (above >> np.uint64(32)) + (top >> np.uint64(32))
        above = high * word
        top &= np.uint64(WORD)
        after_point = np.uint64(WORD if k > 0 else WORD >> 2)
        value = np.float64((top ^ flip) & after_point) * weight
        larger = value + total
        rest += total - (larger - value)
        total = larger
        weight *= 2.0**32
    return top, total, rest


@kernel
def reduce_huge(x: Any) -> Any:
    """(q, r) with x = q pi/2 + r and |r| <= pi/4 for |x| >= 2^50; r is NaN at infinities.

    Payne and Hanek (1983), Radian reduction for trigonometric functions: bits of 2/pi that make multiples of 4
    are left out, and the next 192 bits multiply the integer mantissa exactly. As |x - q pi/2| > 2^-62 for every
    float64 (Muller, Elementary Functions, 11.3.2), r has more than 70 correct bits before it is rounded.
    """
    bits = to_bits(x)
    exponent = (bits >> np.int64(52)) & np.int64(0x7FF)
    mantissa = np.uint64((bits & np.int64((1 << 52) - 1)) | np.int64(1 << 52))
    # x = mantissa 2^(exponent - 1075), and the bit of 2/pi that then weighs 2 is the first to matter modulo 4.
    start = min(exponent, np.int64(2046)) - np.int64(1075 - 62)
    top, total, rest = multiply(mantissa, start, np.uint64(0))
    q = np.int64(top >> np.uint64(30))
    sign = 1.0
    if total >= 0.5:
        q, sign = q + np.int64(1), -1.0
        top, total, rest = multiply(mantissa, start, np.uint64(WORD))
    if x < 0.0:
        q, sign = -q, -sign
    r = total * HALF_PI
    low = fma(total, HALF_PI, -r) + (total * HALF_PI_MID + rest * HALF_PI)
    return q, sign * (r + low) + 0.0 * x

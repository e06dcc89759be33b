"""Bessel functions and their like by argument, not by order: of `scipy.special`.   DLMF chapters 9 to 11."""

from __future__ import annotations

import numpy as np
from scipy import special

from pullback.functions.declare import composes, partials, vjp

BY_ORDER = {"unknown": (0,)}
"""No derivative is known by the first argument, the order."""

# DLMF 10.6.2 and 10.29.3.
partials(special.j0, lambda x: -special.j1(x))
partials(special.y0, lambda x: -special.y1(x))
partials(special.i0, lambda x: special.i1(x))
partials(special.k0, lambda x: -special.k1(x))
partials(special.i0e, lambda x, *, y: special.i1e(x) - np.sign(x) * y)
partials(special.k0e, lambda x, *, y: y - special.k1e(x))

# DLMF 10.6.1 and 10.29.1.
partials(special.j1, lambda x: (special.j0(x) - special.jv(2, x)) / 2)
partials(special.y1, lambda x: (special.y0(x) - special.yv(2, x)) / 2)
partials(special.i1, lambda x: (special.i0(x) + special.iv(2, x)) / 2)
partials(special.k1, lambda x: -(special.k0(x) + special.kv(2, x)) / 2)
partials(special.i1e, lambda x, *, y: (special.i0e(x) + special.ive(2, x)) / 2 - np.sign(x) * y)
partials(special.k1e, lambda x, *, y: y - (special.k0e(x) + special.kve(2, x)) / 2)

partials(special.jv, lambda v, z: (None, (special.jv(v - 1, z) - special.jv(v + 1, z)) / 2), **BY_ORDER)
partials(special.jve, lambda v, z: (None, (special.jve(v - 1, z) - special.jve(v + 1, z)) / 2), **BY_ORDER)
partials(special.yv, lambda v, z: (None, (special.yv(v - 1, z) - special.yv(v + 1, z)) / 2), **BY_ORDER)
partials(special.yve, lambda v, z: (None, (special.yve(v - 1, z) - special.yve(v + 1, z)) / 2), **BY_ORDER)
partials(special.yn, lambda n, x: (None, (special.yn(n - 1, x) - special.yn(n + 1, x)) / 2), **BY_ORDER)
partials(special.iv, lambda v, z: (None, (special.iv(v - 1, z) + special.iv(v + 1, z)) / 2), **BY_ORDER)
partials(special.kv, lambda v, z: (None, -(special.kv(v - 1, z) + special.kv(v + 1, z)) / 2), **BY_ORDER)
partials(special.kn, lambda n, x: (None, -(special.kv(n - 1, x) + special.kn(n + 1, x)) / 2), **BY_ORDER)
partials(
    special.ive,
    lambda v, z, *, y: (None, (special.ive(v - 1, z) + special.ive(v + 1, z)) / 2 - np.sign(z) * y),
    **BY_ORDER,
)
partials(
    special.kve,
    lambda v, z, *, y: (None, y - (special.kve(v - 1, z) + special.kve(v + 1, z)) / 2),
    **BY_ORDER,
)


# Spherical ones: DLMF 10.51.2 and 10.51.5. What stands before them is 0 where the order would be negative.
def spherical_jn_by_z(n, z):
    of_lower = n * special.spherical_jn(np.maximum(n - 1, 0), z)
    return None, (of_lower - (n + 1) * special.spherical_jn(n + 1, z)) / (2 * n + 1)


def spherical_yn_by_z(n, z):
    of_lower = n * special.spherical_yn(np.maximum(n - 1, 0), z)
    return None, (of_lower - (n + 1) * special.spherical_yn(n + 1, z)) / (2 * n + 1)


def spherical_in_by_z(n, z):
    of_lower = n * special.spherical_in(np.maximum(n - 1, 0), z)
    return None, (of_lower + (n + 1) * special.spherical_in(n + 1, z)) / (2 * n + 1)


def spherical_kn_by_z(n, z):
    of_lower = n * special.spherical_kn(np.maximum(n - 1, 0), z)
    return None, -(of_lower + (n + 1) * special.spherical_kn(n + 1, z)) / (2 * n + 1)


SPHERICAL = {"is_elementwise": True, "has_order": True, "unknown": (0,)}
partials(special.spherical_jn, spherical_jn_by_z, **SPHERICAL)
partials(special.spherical_yn, spherical_yn_by_z, **SPHERICAL)
partials(special.spherical_in, spherical_in_by_z, **SPHERICAL)
partials(special.spherical_kn, spherical_kn_by_z, **SPHERICAL)


@composes(special.spherical_jn)
def spherical_jn(n, z, derivative=False):
    return spherical_jn_by_z(n, z)[1] if derivative else special.spherical_jn(n, z)


@composes(special.spherical_yn)
def spherical_yn(n, z, derivative=False):
    return spherical_yn_by_z(n, z)[1] if derivative else special.spherical_yn(n, z)


@composes(special.spherical_in)
def spherical_in(n, z, derivative=False):
    return spherical_in_by_z(n, z)[1] if derivative else special.spherical_in(n, z)


@composes(special.spherical_kn)
def spherical_kn(n, z, derivative=False):
    return spherical_kn_by_z(n, z)[1] if derivative else special.spherical_kn(n, z)


# Struve's: DLMF 11.4.27 and 11.4.28 with what 11.4.23 and 11.4.25 say.
def struve_by_x(v, x):
    beside = (0.5 * x) ** v * (special.rgamma(v + 1.5) / 1.7724538509055159)  # √π
    return None, (special.struve(v - 1, x) - special.struve(v + 1, x) + beside) / 2


def modstruve_by_x(v, x):
    beside = (0.5 * x) ** v * (special.rgamma(v + 1.5) / 1.7724538509055159)
    return None, (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + beside) / 2


partials(special.struve, struve_by_x, **BY_ORDER)
partials(special.modstruve, modstruve_by_x, **BY_ORDER)


@vjp(special.airy)
def airy(z, *, y, y_bar):
    """Ai and Bi with their derivatives: w'' = z w.   DLMF 9.2.1."""
    ai, aip, bi, bip = y
    ai_bar, aip_bar, bi_bar, bip_bar = y_bar
    z_bar = 0 * z
    if ai_bar is not None:
        z_bar = z_bar + ai_bar * aip
    if aip_bar is not None:
        z_bar = z_bar + aip_bar * (z * ai)
    if bi_bar is not None:
        z_bar = z_bar + bi_bar * bip
    if bip_bar is not None:
        z_bar = z_bar + bip_bar * (z * bi)
    return z_bar

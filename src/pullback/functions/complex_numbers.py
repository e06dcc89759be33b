"""Parts of complex numbers become their partial derivatives: of y by z, or, where y is real, p with dy = Re(p dz).

A cotangent z̄ of ours stands for Re(z̄ dz). So all that is differentiable in the complex sense has the rule that it has
for real numbers, without conjugates. What a caller is given, and gives, are the conjugates of cotangents.
"""

from __future__ import annotations

import builtins

import numpy as np

from pullback import runtime
from pullback.functions.declare import known, linear, partials, vjp


def conjugated(x):
    """The conjugate of complex numbers, and real numbers as they are: what the rules of functions of |x|² mention."""
    return np.conjugate(x) if np.iscomplexobj(x) else x


def real_part(x):
    """The real part of complex numbers, and real numbers as they are."""
    return np.real(x) if np.iscomplexobj(x) else x


partials(np.real, lambda val: 1, is_view=True, is_elementwise=True)
partials(np.imag, lambda val: -1j if np.iscomplexobj(val) else 0, is_view=True, is_elementwise=True)


def angle_partials(z, deg=False):
    """-i / z, since the angle is the imaginary part of log z; 0 at 0, and for real numbers, whose angle has steps."""
    if not np.iscomplexobj(z):
        return None, None
    return (-57.29577951308232j if deg else -1j) / (z + (z == 0)) * (z != 0), None


partials(np.angle, angle_partials, is_elementwise=True)


@linear(np.conjugate, is_method=True)
def conjugate(x, *, y_bar):
    """Linear by real numbers alone."""
    return np.conjugate(y_bar) if np.iscomplexobj(x) else y_bar


@linear(builtins.complex, linear_in=(0, 1), is_elementwise=True)
def complex_(real, imag, *, y_bar):
    """Each part gets the real part of what it is multiplied by."""
    return y_bar, y_bar * 1j


@vjp(runtime.complex_sign)
def complex_sign(x, *, y, y_bar):
    """From y = z / r and dr = Re(ȳ dz):  z̄ = (c - Re(c y) ȳ) / r for a cotangent c; 0 at 0."""
    size = np.abs(x)
    return (y_bar - np.real(y_bar * y) * np.conjugate(y)) * ((size != 0) / (size + (size == 0)))


known(
    np.real,
    np.imag,
    np.angle,
    np.conjugate,
    builtins.complex,
    runtime.complex_sign,
    of_complex=True,
)

"""`tf.math.special`: functions of Bessel, Dawson, Fresnel and others."""

from pullback.tf.special import OF_SPECIAL as _OF_SPECIAL
from pullback.tf.special import SPECIAL as _SPECIAL

_NAMES = [*_OF_SPECIAL, "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"]
globals().update({name: _SPECIAL[name] for name in _NAMES})

__all__ = [*_NAMES]

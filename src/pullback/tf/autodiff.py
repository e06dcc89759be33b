"""`tf.autodiff`."""

from pullback.tape import ForwardAccumulator, GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]

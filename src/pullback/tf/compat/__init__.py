"""`tf.compat`: names of earlier versions."""

from pullback.tf.compat import v1

__all__ = ["v1"]

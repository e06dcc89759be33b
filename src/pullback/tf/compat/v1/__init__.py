"""`tf.compat.v1`."""

from pullback.tf.compat.v1 import train

__all__ = ["train"]

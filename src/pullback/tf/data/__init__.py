"""`tf.data`."""

from pullback.tf.data.dataset import Dataset

AUTOTUNE = -1

__all__ = ["AUTOTUNE", "Dataset"]

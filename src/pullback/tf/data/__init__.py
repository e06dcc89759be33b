"""`tf.data`."""

from pullback.tf.data.dataset import Dataset
from pullback.tf.data.elements import INFINITE as INFINITE_CARDINALITY
from pullback.tf.data.elements import UNKNOWN as UNKNOWN_CARDINALITY

AUTOTUNE = -1

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]

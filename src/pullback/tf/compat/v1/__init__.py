"""`tf.compat.v1`."""

from pullback.tf.clipping import clip_by_average_norm
from pullback.tf.compat.v1 import train
from pullback.tf.seeds import set_seed as set_random_seed

__all__ = ["clip_by_average_norm", "set_random_seed", "train"]

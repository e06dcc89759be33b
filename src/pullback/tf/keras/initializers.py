"""`tf.keras.initializers`."""

from pullback.tf.initializers import *  # noqa: F403
from pullback.tf.initializers import __all__ as __all__

"""`tf.random.experimental`."""

from pullback.tf.random.generators import Generator, get_global_generator, set_global_generator

__all__ = ["Generator", "get_global_generator", "set_global_generator"]

"""`tf.keras.optimizers`."""

from pullback.nn import SGD, Adam

__all__ = ["SGD", "Adam"]

"""`tf.keras`: a layer and two optimizers."""

from pullback.tf.keras import layers, optimizers

__all__ = ["layers", "optimizers"]

"""`tf.keras`: layers, models, losses, metrics and optimizers, as far as a loop with a tape needs them."""

from pullback.tf.keras import (
    activations,
    backend,
    constraints,
    initializers,
    layers,
    losses,
    metrics,
    models,
    optimizers,
    regularizers,
    utils,
)
from pullback.tf.keras.initializers import Initializer
from pullback.tf.keras.layers import Input, Layer
from pullback.tf.keras.losses import Loss
from pullback.tf.keras.metrics import Metric
from pullback.tf.keras.models import Model, Sequential
from pullback.tf.keras.optimizers import Optimizer

__all__ = [
    "Initializer",
    "Input",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Optimizer",
    "Sequential",
    "activations",
    "backend",
    "constraints",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "optimizers",
    "regularizers",
    "utils",
]

"""Small neural networks over the tape: modules, a layer, activations, losses and optimizers."""

from pullback.nn import monitor
from pullback.nn.functions import (
    linear,
    log_softmax,
    mean_squared_error,
    relu,
    sigmoid,
    sigmoid_cross_entropy,
    softmax,
    softmax_cross_entropy,
    softplus,
    tanh,
)
from pullback.nn.layers import Dense
from pullback.nn.module import Module
from pullback.nn.optimizers import SGD, Adam, Optimizer

__all__ = [
    "SGD",
    "Adam",
    "Dense",
    "Module",
    "Optimizer",
    "linear",
    "log_softmax",
    "mean_squared_error",
    "monitor",
    "relu",
    "sigmoid",
    "sigmoid_cross_entropy",
    "softmax",
    "softmax_cross_entropy",
    "softplus",
    "tanh",
]

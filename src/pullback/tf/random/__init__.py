"""`tf.random`: numbers drawn by NumPy's generators. They are others than TensorFlow's, of the same distributions."""

from pullback.tf.random import experimental
from pullback.tf.random.generators import Generator, get_global_generator, set_global_generator
from pullback.tf.random.operations import (
    categorical,
    gamma,
    normal,
    poisson,
    shuffle,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
)
from pullback.tf.seeds import set_seed

__all__ = [
    "Generator",
    "categorical",
    "experimental",
    "gamma",
    "get_global_generator",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]

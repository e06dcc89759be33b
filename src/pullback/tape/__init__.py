"""Derivatives of what was just computed: tensors, the tapes that record operations on them, and the backward sweep."""

from pullback.tape import calls as _calls  # noqa: F401  sees calls of differentiable functions
from pullback.tape.custom import custom_gradient, stop_gradient
from pullback.tape.forward import ForwardAccumulator
from pullback.tape.gradient_tape import GradientTape
from pullback.tape.recomputing import recompute_grad
from pullback.tape.requests import UnconnectedGradients
from pullback.tape.tensor import Tensor
from pullback.tape.variable import Variable, constant

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "Tensor",
    "UnconnectedGradients",
    "Variable",
    "constant",
    "custom_gradient",
    "recompute_grad",
    "stop_gradient",
]

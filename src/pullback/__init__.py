"""Readable, compiled gradients for the NumPy code you already have."""

from pullback import nn
from pullback.api import inside_njit as _inside_njit  # noqa: F401  registers our callables with Numba
from pullback.api.checks import check_grads
from pullback.api.derivatives import grad, value_and_grad, vjp
from pullback.api.differentiable import differentiable
from pullback.api.explain import explain, residual_bytes
from pullback.api.view import inspect_source, source
from pullback.errors import (
    AliasError,
    LanguageError,
    MissingRuleError,
    PullbackError,
    ShapeError,
    TypingError,
)
from pullback.frontend.tapes.inserted import insert_grad_of
from pullback.passes.pipeline import OPTIMISATIONS
from pullback.tape import (
    ForwardAccumulator,
    GradientTape,
    Tensor,
    UnconnectedGradients,
    Variable,
    constant,
    custom_gradient,
    recompute_grad,
    stop_gradient,
)

__version__ = "0.1.0"

__all__ = [
    "OPTIMISATIONS",
    "AliasError",
    "ForwardAccumulator",
    "GradientTape",
    "LanguageError",
    "MissingRuleError",
    "PullbackError",
    "ShapeError",
    "Tensor",
    "TypingError",
    "UnconnectedGradients",
    "Variable",
    "check_grads",
    "constant",
    "custom_gradient",
    "differentiable",
    "explain",
    "grad",
    "insert_grad_of",
    "inspect_source",
    "nn",
    "recompute_grad",
    "residual_bytes",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

"""Readable, compiled gradients for the NumPy code you already have."""

from pullback.analysis import ANALYSES
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
from pullback.frontend.inserted import insert_grad_of

__version__ = "0.1.0"

__all__ = [
    "ANALYSES",
    "AliasError",
    "LanguageError",
    "MissingRuleError",
    "PullbackError",
    "ShapeError",
    "TypingError",
    "check_grads",
    "differentiable",
    "explain",
    "grad",
    "insert_grad_of",
    "inspect_source",
    "residual_bytes",
    "source",
    "value_and_grad",
    "vjp",
]

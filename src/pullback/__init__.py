"""Readable, compiled gradients for the NumPy code you already have."""

import sys
from typing import TYPE_CHECKING, Any

from pullback import nn
from pullback.api import inside_njit as _inside_njit  # noqa: F401  registers our callables with Numba
from pullback.api.checks import check_grads
from pullback.api.derivatives import grad, value_and_grad
from pullback.api.differentiable import differentiable
from pullback.api.explain import explain, residual_bytes
from pullback.api.view import inspect_source, source
from pullback.api.vjp import vjp
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
    "tf",
    "value_and_grad",
    "vjp",
]


def __dir__() -> list[str]:
    """What users call, without the folders that it is made in."""
    return __all__


if TYPE_CHECKING:
    from pullback import tf
else:

    def __getattr__(name: str) -> Any:
        """`pullback.tf`, imported when it is first used."""
        if name != "tf":
            module = sys.modules[__name__]
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name, obj=module)
        import pullback.tf as tf

        return tf

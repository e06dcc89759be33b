"""Readable, compiled gradients for the NumPy code you already have."""

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pullback import nn, tf
    from pullback.api.checks import check, check_grads
    from pullback.api.compiling import compile, precompile
    from pullback.api.custom_rules import checkpoint, constant_function, custom_jvp, custom_vjp, implicit
    from pullback.api.derivatives import grad, value_and_grad
    from pullback.api.differentiable import differentiable
    from pullback.api.doctor import doctor
    from pullback.api.emitting import emit
    from pullback.api.explain import explain, residual_bytes
    from pullback.api.external import external
    from pullback.api.jacobians import elementwise_grad, hessian, hvp, jacfwd, jacobian, jacrev, laplacian, vhp
    from pullback.api.jvp import jvp
    from pullback.api.view import inspect_source, source
    from pullback.api.vjp import vjp
    from pullback.errors import (
        AliasError,
        LanguageError,
        MissingRuleError,
        NotFinite,
        PullbackError,
        ShapeError,
        TypingError,
    )
    from pullback.frontend.tapes.inserted import insert_grad_of
    from pullback.passes.pipeline import OPTIMISATIONS
    from pullback.runtime.memory.checkpoints import checkpointed
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
    "NotFinite",
    "PullbackError",
    "ShapeError",
    "Tensor",
    "TypingError",
    "UnconnectedGradients",
    "Variable",
    "check",
    "check_grads",
    "checkpoint",
    "checkpointed",
    "compile",
    "constant",
    "constant_function",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "differentiable",
    "doctor",
    "elementwise_grad",
    "emit",
    "explain",
    "external",
    "grad",
    "hessian",
    "hvp",
    "implicit",
    "insert_grad_of",
    "inspect_source",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "laplacian",
    "nn",
    "precompile",
    "recompute_grad",
    "residual_bytes",
    "source",
    "stop_gradient",
    "tf",
    "value_and_grad",
    "vhp",
    "vjp",
]

_HOMES = {
    "api.checks": ("check", "check_grads"),
    "api.compiling": ("compile", "precompile"),
    "api.derivatives": ("grad", "value_and_grad"),
    "api.differentiable": ("differentiable",),
    "api.custom_rules": ("checkpoint", "constant_function", "custom_jvp", "custom_vjp", "implicit"),
    "api.doctor": ("doctor",),
    "api.emitting": ("emit",),
    "api.explain": ("explain", "residual_bytes"),
    "api.external": ("external",),
    "api.jacobians": (
        "elementwise_grad",
        "hessian",
        "hvp",
        "jacfwd",
        "jacobian",
        "jacrev",
        "laplacian",
        "vhp",
    ),
    "api.jvp": ("jvp",),
    "api.view": ("inspect_source", "source"),
    "api.vjp": ("vjp",),
    "errors": (
        "AliasError",
        "LanguageError",
        "MissingRuleError",
        "NotFinite",
        "PullbackError",
        "ShapeError",
        "TypingError",
    ),
    "frontend.tapes.inserted": ("insert_grad_of",),
    "passes.pipeline": ("OPTIMISATIONS",),
    "runtime.memory.checkpoints": ("checkpointed",),
    "tape": (
        "ForwardAccumulator",
        "GradientTape",
        "Tensor",
        "UnconnectedGradients",
        "Variable",
        "constant",
        "custom_gradient",
        "recompute_grad",
        "stop_gradient",
    ),
}
"""Where the names are defined: a module is imported when a name of it is first used."""


def __dir__() -> list[str]:
    """What users call, without the folders that it is made in."""
    return __all__


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """What users call, imported when it is first used, by one thread at a time."""
        home = next((home for home, names in _HOMES.items() if name in names), None)
        if home is None and name not in ("nn", "tf"):
            module = sys.modules[__name__]
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name, obj=module)
        from pullback.compilation.turns import importing

        with importing():
            found = importlib.import_module(f"{__name__}.{home or name}")
        globals()[name] = found = getattr(found, name) if home else found
        return found

"""A derivative as a callable: it is called like a function, differentiated like one, and called in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pullback.api.differentiable import behind, check_nan, engine_of, known_calls_of
from pullback.api.once import once
from pullback.api.pickled import reduced
from pullback.api.primal_calls import PrimalCallable
from pullback.compilation.turns import importing
from pullback.frontend.source.derivations import MARK, Derivation

if TYPE_CHECKING:
    from pullback.api.specialise import Engine


class Derivative(PrimalCallable):
    """What `jacobian`, `hessian`, `hvp` and their like return."""

    __pullback_derivative__ = True

    def __init__(self, function: Callable[..., Any], derivation: Derivation) -> None:
        super().__init__()
        check_nan(derivation.nan)
        plain = behind(function)
        self.__wrapped__ = function
        setattr(self, MARK, derivation)
        self._known = known_calls_of(self, plain, "primal", derivation.nan)
        self.__name__ = f"{plain.__code__.co_name}_{derivation.kind}"
        self.__doc__ = plain.__doc__

    @once
    def as_function(self) -> Engine:
        """All that is known of the derivative as a function."""
        with importing():
            from pullback.api.derivative_engine import DerivativeEngine

        return DerivativeEngine(self, engine_of(self.__wrapped__).with_nan(getattr(self, MARK).nan))

    @property
    def engine(self) -> Engine:
        return self.as_function

    @property
    def __signature__(self) -> Any:
        return self.engine.signature

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(Derivative, self.__wrapped__, getattr(self, MARK))

    def __repr__(self) -> str:
        return f"<{self.__name__}, argnums={getattr(self, MARK).argnums!r}>"

    def _repr_html_(self) -> str:
        from pullback.api.readable import html_of

        return html_of(self.engine, "primal")

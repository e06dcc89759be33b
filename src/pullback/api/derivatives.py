"""`grad` and `value_and_grad`: from a function to functions that compute its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeVar, overload

from pullback.api.calls import Argnums, Asked
from pullback.api.derivations import makes
from pullback.api.differentiable import Differentiable, behind, check_nan, engine_of, known_calls_of
from pullback.api.once import once
from pullback.api.pickled import reduced
from pullback.api.primal_calls import PreparedCallable
from pullback.compilation.progress import started
from pullback.compilation.shortcut import MISS, Shortcut, never
from pullback.compilation.turns import importing
from pullback.frontend.source.derivations import Derivation
from pullback.frontend.source.plain_functions import signature_of

if TYPE_CHECKING:
    from pullback.api.prepared_gradient import PreparedGradient
    from pullback.api.specialise import Engine

P = ParamSpec("P")
R = TypeVar("R")


@makes("grad")
def grad(
    function: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, nan: Literal["raise"] | None = None
) -> GradientFunction[P, Any]:
    """A function that returns the gradient of `function`, whose result is a float number.

    argnums: which arguments to differentiate, an int, a name, or a tuple of them (default: the first).
    The gradient has the structure, shape and dtype of its argument, and is fresh memory; for a tuple of argnums it is
    a tuple. With `has_aux` the function returns `(value, aux)`, and the result is `(gradient, aux)`.

    nan: 'raise' where a gradient or value that is not finite is an error, `NotFinite`, which names the first number
    that is not (default: it is returned).

    Calls from Python take one keyword more: `out`, an array that the gradient is written into and that is returned. It
    has the shape and dtype of the argument and shares memory with no argument. Where the gradient is a tuple, dict, …,
    `out` is the like with arrays in it; None stands for what is made afresh, and for numbers.

    Raises TypingError (a TypeError) where the result is not a float number or the argument is not made of floats,
    LanguageError (a SyntaxError) where the source cannot be differentiated. For `out`: TypingError for another
    structure or dtype and for memory that is read-only, ShapeError and AliasError (both are ValueErrors).

    >>> import numpy as np, pullback as pb
    >>> def energy(x):
    ...     return np.sum(x ** 2)
    >>> pb.grad(energy)(np.array([1.0, 2.0]))
    array([2., 4.])
    >>> gradient = np.empty(2)
    >>> pb.grad(energy)(np.array([3.0, 5.0]), out=gradient) is gradient
    True
    >>> gradient
    array([ 6., 10.])
    """
    return GradientFunction(function, argnums, has_aux, with_value=False, nan=nan)


@makes("value_and_grad")
def value_and_grad(
    function: Callable[P, R], argnums: Argnums = 0, has_aux: bool = False, nan: Literal["raise"] | None = None
) -> GradientFunction[P, tuple[R, Any]]:
    """A function that returns `(value, gradient)`, computed together.

    function, argnums, nan and errors: as for `grad`. With `has_aux` the result is `((value, aux), gradient)`.

    >>> import pullback as pb
    >>> def product(a, b):
    ...     return a * b
    >>> pb.value_and_grad(product, argnums=(0, 1))(2.0, 5.0)
    (10.0, (5.0, 2.0))

    `out` takes memory for the gradient alone.

    >>> import numpy as np
    >>> gradient = np.empty(2)
    >>> value, (dx, da) = pb.value_and_grad(lambda x, a: a * np.sum(x), (0, 1))(np.ones(2), 3.0, out=(gradient, None))
    >>> value, gradient, dx is gradient, da
    (6.0, array([3., 3.]), True, 2.0)
    """
    return GradientFunction(function, argnums, has_aux, with_value=True, nan=nan)


class GradientFunction(PreparedCallable, Generic[P, R]):
    """What `grad` and `value_and_grad` return: callable from Python, and from code compiled by Numba.

    It takes the arguments P of the function, and `out`, and returns an R.
    """

    __pullback_derivative__ = True

    def __init__(
        self,
        function: Callable[P, Any],
        argnums: Argnums,
        has_aux: bool,
        with_value: bool,
        nan: Literal["raise"] | None = None,
    ) -> None:
        super().__init__()
        check_nan(nan)
        plain = behind(function)
        self.__wrapped__, self.argnums, self.has_aux, self.with_value = function, argnums, has_aux, with_value
        self.nan = nan
        self.asked = asked = Asked(argnums, has_aux, with_value)
        self._known = known_calls_of(function, plain, f"{asked}", nan)
        self._shortcut_out: Shortcut = never
        if isinstance(function, Differentiable):
            function.derivatives.add(self)
        self.__name__ = f"{plain.__code__.co_name}_{'value_and_grad' if with_value else 'grad'}"
        self.__doc__ = plain.__doc__
        self.__signature__ = signature_of(plain)
        kind = "value_and_grad" if with_value else "grad"
        self.__pullback_derivation__ = Derivation(kind, argnums, has_aux, nan=nan)

    @once
    def as_function(self) -> Engine:
        """All that is known of the gradient as a function that is differentiated itself."""
        with importing():
            from pullback.api.derivative_engine import DerivativeEngine

        return DerivativeEngine(self, self.engine)

    @once
    def engine(self) -> Engine:
        """All that is known of the function."""
        return engine_of(self.__wrapped__).with_nan(self.nan)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(GradientFunction, self.__wrapped__, self.argnums, self.has_aux, self.with_value, self.nan)

    def __repr__(self) -> str:
        return f"<{self.__name__}, argnums={self.argnums!r}>"

    def _repr_html_(self) -> str:
        from pullback.api.readable import html_of

        self.read_known()
        return html_of(self.engine, "value_and_grad" if self.with_value or self.has_aux else "grad")

    def read_known(self) -> None:
        """Generate what has been called as machine code alone, to be read."""
        for arguments in self._known.samples() if self._known is not None else ():
            self._calls.find(self.engine, arguments, {})[0].code()

    @overload
    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R: ...
    @overload
    def __call__(self, *arguments: Any, out: Any, **keywords: Any) -> R: ...
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if not keywords:
            result = self._shortcut(arguments)
            return self.long_way(arguments, keywords) if result is MISS else result
        out = None if "out" in self.__signature__.parameters else keywords.pop("out", None)
        if out is None:
            return self.long_way(arguments, keywords)
        result = MISS if keywords else self._shortcut_out(arguments, out)
        if result is not MISS:
            return result
        with started():
            return self._call_into(arguments, keywords, out)

    def _call_into(self, arguments: tuple[Any, ...], keywords: dict[str, Any], out: Any) -> Any:
        """The long way for a call with arrays for the gradients, which also prepares the short one."""
        prepared, leaves, simple = self._calls.find(self.engine, arguments, keywords)
        with importing():
            from pullback.api.out import outs_of

        out = tuple(out) if self.asked.several and isinstance(out, list) else out
        result = prepared.called(leaves, outs_of(out, prepared.wanted, self.asked.several))
        self._shortcut_out = prepared.shortcut_into(arguments, out) if simple else self._shortcut_out
        return result

    def prepare(self, bound: dict[str, Any]) -> PreparedGradient:
        """The compiled derivative for these arguments."""
        with importing():
            from pullback.api.prepared_gradient import PreparedGradient

        return PreparedGradient.of(self, self.engine, self.asked, bound)

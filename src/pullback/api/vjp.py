"""`vjp`: from a function to one that also returns its pullback, which takes cotangents to those of the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from numba.extending import typeof_impl

from pullback.api.calling import call_forward, strong
from pullback.api.calls import Argnums
from pullback.api.derivations import makes
from pullback.api.derivative_engine import DerivativeEngine
from pullback.api.differentiable import check_nan, engine_of, type_of_callable
from pullback.api.labelled import Unlabelled, labelled_like
from pullback.api.once import once
from pullback.api.pickled import reduced
from pullback.api.readable import html_of
from pullback.api.seeds import seeds_of
from pullback.api.specialise import Engine, build_for, chosen_names, names_of, wrt_leaves
from pullback.compilation.functions import Compiled
from pullback.compilation.options import Options
from pullback.compilation.turns import importing
from pullback.frontend.source.derivations import Derivation
from pullback.frontend.values.arguments import Form, leaf_types, leaves_in, rebuild
from pullback.ir.nodes import Function

P = ParamSpec("P")
R = TypeVar("R")


@makes("vjp")
def vjp(function: Callable[P, R], argnums: Argnums = 0, nan: Literal["raise"] | None = None) -> ForwardFunction[P, R]:
    """A function that returns `(value, pullback)`: the result, and a function that takes a cotangent of its structure.

    `pullback(cotangent)` gives the cotangents of the arguments `argnums`, as `grad` gives gradients; it may be called
    any number of times. Integer and boolean results take no cotangent (None in a structure); a number serves as the
    cotangent of all elements of an array.

    nan: 'raise' where a value or cotangent that is not finite is an error, `NotFinite`, which names the first number
    that is not; of the pullback, too.

    Raises TypingError and LanguageError as `grad` does, for results of any kind. `pullback` raises ShapeError for a
    cotangent of another shape, TypingError for one of another structure.

    >>> import numpy as np, pullback as pb
    >>> value, pullback = pb.vjp(lambda x: x ** 2)(np.array([1.0, 3.0]))
    >>> pullback(np.array([1.0, 10.0]))
    array([ 2., 60.])
    """
    return ForwardFunction(function, argnums, nan)


class ForwardFunction(Generic[P, R]):
    """What `vjp` returns."""

    __pullback_derivative__ = True

    def __init__(self, function: Callable[P, R], argnums: Argnums, nan: Literal["raise"] | None = None) -> None:
        check_nan(nan)
        self.__wrapped__, self.argnums, self.nan = function, argnums, nan
        self.engine = engine = engine_of(function).with_nan(nan)
        self.__name__, self.__doc__ = f"{engine.name}_vjp", engine.source.function.__doc__
        self.__signature__ = engine.signature
        self.__pullback_derivation__ = Derivation("vjp", argnums, nan=nan)

    @once
    def as_function(self) -> Engine:
        """All that is known of it as a function that is differentiated itself."""
        return DerivativeEngine(self, self.engine)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(ForwardFunction, self.__wrapped__, self.argnums, self.nan)

    def __repr__(self) -> str:
        return f"<{self.__name__}, argnums={self.argnums!r}>"

    def _repr_html_(self) -> str:
        return html_of(self.engine, "split")

    def body_in_njit(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The body that Numba compiles for a call with arguments of these Numba types."""
        with importing():
            from pullback.api.vjp_in_njit import body_of

        return body_of(self, arguments)

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> tuple[R, Pulled]:
        bound = self.engine.bind(arguments, keywords)
        forms, built = build_for(self.engine, bound)
        numbers, wanted = wrt_leaves(self.engine, forms, self.argnums)
        leaves = leaves_in(bound, forms)
        pair, results = call_forward(built.code.derivative("split", numbers), built, leaves)
        types = leaf_types(built.result)
        values, residuals = results[: len(types)], results[len(types) :]
        value = rebuild(built.result, iter([strong(v, t) for v, t in zip(values, types, strict=True)]))
        pulled = Pulled(pair.backward, built.result, values, residuals, wanted, isinstance(self.argnums, tuple))
        if isinstance(bound, Unlabelled):
            names = chosen_names(names_of(self.engine, forms), self.argnums)
            pulled.labels = tuple(bound.given[name] for name in names)
        return value, pulled


@typeof_impl.register(ForwardFunction)  # type: ignore[untyped-decorator]
def _type_of_forward_function(value: Any, context: Any) -> Any:
    return type_of_callable(value, context)


class Pulled:
    """The backward function with the residuals of one forward call."""

    def __init__(
        self,
        backward: Compiled,
        result: Form,
        values: tuple[Any, ...],
        residuals: tuple[Any, ...],
        wanted: tuple[Form, ...],
        several: bool,
    ) -> None:
        self.backward, self.result, self.values, self.residuals = backward, result, values, residuals
        self.wanted, self.several = wanted, several
        self.labels: tuple[Any, ...] | None = None
        """The arguments that have labels, and those beside them; None where there are none."""
        self.types = [type_ for form in wanted for type_ in leaf_types(form)]

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.result, self.values, self.residuals, self.wanted, self.several)
        traced = None if self.backward.traced is None else self.backward.traced().function
        return unpickled, (self.backward.function, self.backward.options, traced, *given)

    def __call__(self, cotangent: Any) -> Any:
        seeds = seeds_of(cotangent, self.result, self.values, "cotangent", "result")
        result = self.backward.served(*self.residuals, *seeds)
        results = result if len(self.types) != 1 else (result,)
        leaves = iter([strong(g, t) for g, t in zip(results, self.types, strict=True)])
        parts = [rebuild(form, leaves, lambda value: None) for form in self.wanted]
        parts = parts if self.labels is None else [*map(labelled_like, self.labels, parts)]
        return tuple(parts) if self.several else parts[0]


def unpickled(function: Function, options: Options, traced: Function | None, *given: Any) -> Pulled:
    """The pullback with this backward function, which is compiled anew; `traced` looks at all its values."""
    locate = None if traced is None else lambda: Compiled(traced, options)
    return Pulled(Compiled(function, options, traced=locate), *given)

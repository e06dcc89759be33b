"""`vjp`: from a function to one that also returns its pullback, which takes cotangents to those of the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from pullback.api.calling import call_forward, describe_form, strong
from pullback.api.calls import Argnums
from pullback.api.differentiable import engine_of
from pullback.api.pickled import reduced
from pullback.api.readable import html_of
from pullback.api.specialise import build_for, wrt_leaves
from pullback.compilation.functions import Compiled
from pullback.compilation.options import Options
from pullback.errors import ShapeError, TypingError
from pullback.frontend.values.arguments import Form, Mapping_, leaf_types, leaves_in, leaves_of, rebuild
from pullback.ir.classes import obstacle
from pullback.ir.nodes import Function
from pullback.ir.types import Scalar, Type, is_float

P = ParamSpec("P")
R = TypeVar("R")


def vjp(function: Callable[P, R], argnums: Argnums = 0) -> ForwardFunction[P, R]:
    """A function that returns `(value, pullback)`: the result, and a function that takes a cotangent of its structure.

    `pullback(cotangent)` gives the cotangents of the arguments `argnums`, as `grad` gives gradients; it may be called
    any number of times. Integer and boolean results take no cotangent (None in a structure); a number serves as the
    cotangent of all elements of an array.

    Raises TypingError and LanguageError as `grad` does, for results of any kind. `pullback` raises ShapeError for a
    cotangent of another shape, TypingError for one of another structure.

    >>> import numpy as np, pullback as pb
    >>> value, pullback = pb.vjp(lambda x: x ** 2)(np.array([1.0, 3.0]))
    >>> pullback(np.array([1.0, 10.0]))
    array([ 2., 60.])
    """
    return ForwardFunction(function, argnums)


class ForwardFunction(Generic[P, R]):
    """What `vjp` returns."""

    __pullback_derivative__ = True

    def __init__(self, function: Callable[P, R], argnums: Argnums) -> None:
        self.__wrapped__, self.argnums = function, argnums
        self.engine = engine = engine_of(function)
        self.__name__, self.__doc__ = f"{engine.name}_vjp", engine.source.function.__doc__
        self.__signature__ = engine.signature

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(ForwardFunction, self.__wrapped__, self.argnums)

    def __repr__(self) -> str:
        return f"<{self.__name__}, argnums={self.argnums!r}>"

    def _repr_html_(self) -> str:
        return html_of(self.engine, "split")

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> tuple[R, Pulled]:
        bound = self.engine.bind(arguments, keywords)
        forms, built = build_for(self.engine, bound)
        numbers, wanted = wrt_leaves(self.engine, forms, self.argnums)
        leaves = leaves_in(bound, forms)
        pair, results = call_forward(built.code.derivative("split", numbers), built, leaves)
        types = leaf_types(built.result)
        values, residuals = results[: len(types)], results[len(types) :]
        value = rebuild(built.result, iter([strong(v, t) for v, t in zip(values, types, strict=True)]))
        return value, Pulled(pair.backward, built.result, values, residuals, wanted, isinstance(self.argnums, tuple))


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
        self.types = [type_ for form in wanted for type_ in leaf_types(form)]

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.result, self.values, self.residuals, self.wanted, self.several)
        return unpickled, (self.backward.function, self.backward.options, *given)

    def __call__(self, cotangent: Any) -> Any:
        seeds = [
            _fitted(leaf, value, type_)
            for leaf, value, type_ in self._leaves(cotangent, self.result)
            if is_float(type_)
        ]
        result = self.backward.call(*self.residuals, *seeds)
        results = result if len(self.types) != 1 else (result,)
        leaves = iter([strong(g, t) for g, t in zip(results, self.types, strict=True)])
        parts = [rebuild(form, leaves, lambda value: None) for form in self.wanted]
        return tuple(parts) if self.several else parts[0]

    def _leaves(self, cotangent: Any, form: Form) -> list[tuple[Any, Any, Type]]:
        try:
            if isinstance(form, Mapping_) and set(cotangent) != set(form.keys):
                raise KeyError(f"the keys are {', '.join(map(repr, form.keys))}")
            given = list(leaves_of(cotangent, form))
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise TypingError(
                f"the cotangent does not have the structure of the result, {describe_form(form)}", None, str(error)
            ) from None
        return list(zip(given, self.values, leaf_types(form), strict=True))


def unpickled(function: Function, options: Options, *given: Any) -> Pulled:
    """The pullback with this backward function, which is compiled anew."""
    return Pulled(Compiled(function, options), *given)


def _fitted(cotangent: Any, value: Any, type_: Type) -> Any:
    """A cotangent in the shape and dtype of its result. Raises ShapeError (a ValueError) for another shape."""
    found = obstacle(cotangent)
    if found is not None:
        raise TypingError(f"the cotangent {found.reason}", None, found.remedy.format("it"))
    if cotangent is None or np.asarray(cotangent).dtype.kind not in "fiub":
        raise TypingError(f"a cotangent must be made of numbers, not {type(cotangent).__name__}")
    if np.ndim(cotangent) and np.shape(cotangent) != np.shape(value):
        raise ShapeError(f"the cotangent has shape {np.shape(cotangent)}, the result {np.shape(value)}")
    array = np.broadcast_to(np.asarray(cotangent, type_.dtype), np.shape(value))
    if isinstance(type_, Scalar):
        return float(array) if type_.dtype == "float64" else np.dtype(type_.dtype).type(array)
    return np.array(array).reshape(np.shape(value))

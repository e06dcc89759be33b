"""`grad`, `value_and_grad` and `vjp`: from a function to functions that compute its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.api.calling import Kinds, call_entry, in_order, is_plain, is_simple, kinds_of, strong
from pullback.api.differentiable import engine_of
from pullback.api.specialise import (
    Argnums,
    Engine,
    SplitPair,
    build_for,
    wrt_leaves,
)
from pullback.compile.functions import Compiled
from pullback.errors import ShapeError, TypingError
from pullback.frontend.arguments import (
    Form,
    Known,
    Leaf,
    Mapping_,
    Sequence_,
    leaf_count,
    leaf_types,
    leaves_of,
    rebuild,
)
from pullback.frontend.build import Built
from pullback.ir.types import Array, Scalar, Type, is_float


def grad(function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> GradientFunction:
    """A function that returns the gradient of `function`, whose result is a float number.

    argnums: which arguments to differentiate, an int, a name, or a tuple of them (default: the first).
    The gradient has the structure, shape and dtype of its argument, and is fresh memory; for a tuple of argnums it is
    a tuple. With `has_aux` the function returns `(value, aux)`, and the result is `(gradient, aux)`.

    Raises TypingError (a TypeError) where the result is not a float number or the argument is not made of floats,
    LanguageError (a SyntaxError) where the source cannot be differentiated.

    >>> import numpy as np, pullback as pb
    >>> def energy(x):
    ...     return np.sum(x ** 2)
    >>> pb.grad(energy)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return GradientFunction(engine_of(function), argnums, has_aux, with_value=False)


def value_and_grad(function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> GradientFunction:
    """A function that returns `(value, gradient)`, computed together; see `grad`.

    With `has_aux` the result is `((value, aux), gradient)`.

    >>> import pullback as pb
    >>> def product(a, b):
    ...     return a * b
    >>> pb.value_and_grad(product, argnums=(0, 1))(2.0, 5.0)
    (10.0, (5.0, 2.0))
    """
    return GradientFunction(engine_of(function), argnums, has_aux, with_value=True)


class GradientFunction:
    """What `grad` and `value_and_grad` return: callable from Python, and from code compiled by Numba."""

    def __init__(self, engine: Engine, argnums: Argnums, has_aux: bool, with_value: bool) -> None:
        self.engine, self.argnums, self.has_aux, self.with_value = engine, argnums, has_aux, with_value
        self._fast: dict[Kinds, _Fast] = {}
        self.__name__ = f"{engine.source.name}_{'value_and_grad' if with_value else 'grad'}"
        self.__doc__ = engine.source.function.__doc__

    def __repr__(self) -> str:
        return f"<{self.__name__}, argnums={self.argnums!r}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if not keywords:
            kinds = kinds_of(arguments)
            fast = self._fast.get(kinds)
            if fast is not None and fast.holds():
                return fast(arguments)
            return self._slow(arguments, keywords, kinds)
        return self._slow(arguments, keywords, None)

    def _slow(self, arguments: tuple[Any, ...], keywords: dict[str, Any], kinds: Kinds | None) -> Any:
        bound = self.engine.bind(arguments, keywords)
        prepared = self.prepare(bound)
        simple = kinds is not None and all(is_simple(a) for a in arguments)
        if simple and len(arguments) == len(bound) and not prepared.has_known:
            assert kinds is not None, "a simple call has kinds"
            self._fast[kinds] = _Fast(prepared)
        return prepared.run(bound)

    def prepare(self, bound: dict[str, Any]) -> Prepared:
        """The compiled derivative for these arguments."""
        forms, built = build_for(self.engine, bound)
        numbers, wanted = wrt_leaves(self.engine, forms, self.argnums)
        self.check_result(built)
        kind = "value_and_grad" if self.with_value or self.has_aux else "grad"
        compiled = self.engine.derivative(forms, kind, numbers)
        return Prepared(self, forms, built, compiled, wanted)

    def check_result(self, built: Built) -> None:
        form = built.result
        if self.has_aux and isinstance(form, Sequence_) and len(form.items) == 2:
            form = form.items[0]
        if isinstance(form, Leaf) and isinstance(form.type, Scalar) and is_float(form.type):
            return
        if isinstance(form, Leaf) and isinstance(form.type, Array) and form.type.ndim == 0 and is_float(form.type):
            return
        source = self.engine.source
        raise TypingError(
            f"'{source.name}' does not return a float number, but {describe_form(form)}",
            source.location(source.tree),
            "return a number, as np.sum does, or use pb.vjp with a cotangent for the result",
        )


def describe_form(form: Form) -> str:
    """A result in words."""
    match form:
        case Leaf(type=Array() as type_):
            return f"an array of {type_.dtype} with {type_.ndim} dimensions"
        case Leaf(type=type_):
            return f"a number of dtype {type_.dtype}"
        case Known(value=None):
            return "None"
        case Known():
            return f"a {type(form.value).__name__}"
        case Sequence_():
            return f"a {form.kind.__name__} of {len(form.items)}"
    return "a dict"


class Prepared:
    """One kind of call of a derivative: how to take the arguments apart, and how to put the results together."""

    def __init__(
        self,
        owner: GradientFunction,
        forms: dict[str, Form],
        built: Built,
        compiled: Compiled,
        wanted: tuple[Form, ...],
    ) -> None:
        self.owner, self.forms, self.built, self.compiled, self.wanted = owner, forms, built, compiled, wanted
        self.has_known = any(leaf_count(form) != 1 or not isinstance(form, Leaf) for form in forms.values())
        self.result_leaves = leaf_count(built.result)
        self.gradient_types = [type_ for form in wanted for type_ in leaf_types(form)]
        self.value_types = leaf_types(built.result)

    def run(self, bound: dict[str, Any]) -> Any:
        return self.called([leaf for name, form in self.forms.items() for leaf in leaves_of(bound[name], form)])

    def called(self, leaves: list[Any]) -> Any:
        """The call with the leaves of the arguments."""
        return self.shaped(call_entry(self.compiled, self.built, leaves))

    def shaped(self, results: tuple[Any, ...]) -> Any:
        """The results in the structure that the user expects."""
        owner = self.owner
        with_value = owner.with_value or owner.has_aux
        split = self.result_leaves if with_value else 0
        gradients = [strong(g, t) for g, t in zip(results[split:], self.gradient_types, strict=True)]
        gradient = self.gradient(iter(gradients))
        if not with_value:
            return gradient
        values = iter([strong(v, t) for v, t in zip(results[:split], self.value_types, strict=True)])
        value = rebuild(self.built.result, values)
        if not owner.with_value:
            return gradient, value[1]
        return value, gradient

    def gradient(self, leaves: Iterator[Any]) -> Any:
        parts = [rebuild(form, leaves, lambda value: None) for form in self.wanted]
        return tuple(parts) if isinstance(self.owner.argnums, tuple) else parts[0]


class _Fast:
    """A call whose arguments are numbers and arrays, without anything that need not be done each time."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        built, compiled = prepared.built, prepared.compiled
        self.entry = compiled.entry
        self.holds = built.holds
        strong = [t for t in (*prepared.gradient_types, *prepared.value_types) if not is_plain(t)]
        plain_result = isinstance(built.result, Leaf) and not prepared.owner.has_aux
        self.simple = not strong and plain_result and not built.captures and not compiled.function.mutated
        self.several = isinstance(prepared.owner.argnums, tuple)
        self.with_value = prepared.owner.with_value

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        if not self.simple:
            return self.prepared.called(list(arguments))
        try:
            result = self.entry(*in_order(arguments))
        except Exception as error:
            result = self.prepared.compiled.recover(error, arguments)
        if not self.several:
            return result
        if self.with_value:
            return result[0], result[1:]
        return result if type(result) is tuple else (result,)


def vjp(function: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that returns `(value, pullback)`: the result, and a function that takes a cotangent of its structure.

    `pullback(cotangent)` gives the cotangents of the arguments `argnums`, as `grad` gives gradients; it may be called
    any number of times. Integer and boolean results take no cotangent (None in a structure).

    >>> import numpy as np, pullback as pb
    >>> value, pullback = pb.vjp(lambda x: x ** 2)(np.array([1.0, 3.0]))
    >>> pullback(np.array([1.0, 10.0]))
    array([ 2., 60.])
    """
    engine = engine_of(function)

    def forward(*arguments: Any, **keywords: Any) -> tuple[Any, Callable[[Any], Any]]:
        bound = engine.bind(arguments, keywords)
        forms, built = build_for(engine, bound)
        numbers, wanted = wrt_leaves(engine, forms, argnums)
        pair: SplitPair = engine.derivative(forms, "split", numbers)
        leaves = [leaf for name, form in forms.items() for leaf in leaves_of(bound[name], form)]
        results = call_entry(pair.forward, built, leaves)
        count = leaf_count(built.result)
        types = leaf_types(built.result)
        value = rebuild(built.result, iter([strong(v, t) for v, t in zip(results[:count], types, strict=True)]))
        return value, _Pullback(pair, built, results[:count], results[count:], wanted, isinstance(argnums, tuple))

    return forward


class _Pullback:
    """The backward function with the residuals of one forward call."""

    def __init__(
        self,
        pair: SplitPair,
        built: Built,
        values: tuple[Any, ...],
        residuals: tuple[Any, ...],
        wanted: tuple[Form, ...],
        several: bool,
    ) -> None:
        self.pair, self.built, self.values, self.residuals = pair, built, values, residuals
        self.wanted, self.several = wanted, several
        self.types = [type_ for form in wanted for type_ in leaf_types(form)]

    def __call__(self, cotangent: Any) -> Any:
        seeds = [
            _fitted(leaf, value, type_)
            for leaf, value, type_ in self._leaves(cotangent, self.built.result)
            if is_float(type_)
        ]
        compiled = self.pair.backward
        result = compiled.entry(*self.residuals, *seeds)
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


def _fitted(cotangent: Any, value: Any, type_: Type) -> Any:
    """A cotangent in the shape and dtype of its result. Raises ShapeError (a ValueError) for another shape."""
    if cotangent is None or np.asarray(cotangent).dtype.kind not in "fiub":
        raise TypingError(f"a cotangent must be made of numbers, not {type(cotangent).__name__}")
    if np.ndim(cotangent) and np.shape(cotangent) != np.shape(value):
        raise ShapeError(f"the cotangent has shape {np.shape(cotangent)}, the result {np.shape(value)}")
    array = np.broadcast_to(np.asarray(cotangent, type_.dtype), np.shape(value))
    if isinstance(type_, Scalar):
        return float(array) if type_.dtype == "float64" else np.dtype(type_.dtype).type(array)
    return np.array(array).reshape(np.shape(value))

"""`grad` and `value_and_grad`: from a function to functions that compute its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from pullback.api.calling import (
    Calls,
    Prepared,
    call_entry,
    check_is_number,
    converted,
    strong,
)
from pullback.api.differentiable import engine_of
from pullback.api.out import check_apart, check_out, outs_of
from pullback.api.readable import html_of
from pullback.api.recording import recorded_call
from pullback.api.specialise import (
    Argnums,
    build_for,
    wrt_leaves,
)
from pullback.compile.c_entry import Entrance
from pullback.compile.functions import Compiled
from pullback.compile.shortcut import MISS, Shortcut, Writer, listed, never
from pullback.errors import PullbackError
from pullback.frontend.build import Built
from pullback.frontend.tapes.captured import captured_value
from pullback.frontend.values.arguments import (
    Form,
    Leaf,
    Sequence_,
    leaf_types,
    rebuild,
)

P = ParamSpec("P")
R = TypeVar("R")


def grad(function: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False) -> GradientFunction[P, Any]:
    """A function that returns the gradient of `function`, whose result is a float number.

    argnums: which arguments to differentiate, an int, a name, or a tuple of them (default: the first).
    The gradient has the structure, shape and dtype of its argument, and is fresh memory; for a tuple of argnums it is
    a tuple. With `has_aux` the function returns `(value, aux)`, and the result is `(gradient, aux)`.

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
    return GradientFunction(function, argnums, has_aux, with_value=False)


def value_and_grad(
    function: Callable[P, R], argnums: Argnums = 0, has_aux: bool = False
) -> GradientFunction[P, tuple[R, Any]]:
    """A function that returns `(value, gradient)`, computed together.

    function, argnums and errors: as for `grad`. With `has_aux` the result is `((value, aux), gradient)`.

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
    return GradientFunction(function, argnums, has_aux, with_value=True)


class GradientFunction(Entrance, Generic[P, R]):
    """What `grad` and `value_and_grad` return: callable from Python, and from code compiled by Numba.

    It takes the arguments P of the function, and `out`, and returns an R.
    """

    __pullback_derivative__ = True

    def __init__(self, function: Callable[P, Any], argnums: Argnums, has_aux: bool, with_value: bool) -> None:
        self.__wrapped__, self.argnums, self.has_aux, self.with_value = function, argnums, has_aux, with_value
        self.engine = engine = engine_of(function)
        self.several = isinstance(argnums, tuple)
        self._calls = Calls(self.prepare)
        self._shortcut: Shortcut = never
        self._shortcut_out: Shortcut = never
        self.__name__ = f"{engine.source.name}_{'value_and_grad' if with_value else 'grad'}"
        self.__doc__ = engine.source.function.__doc__
        self.__signature__ = engine.signature

    def __reduce__(self) -> tuple[Any, ...]:
        return GradientFunction, (self.__wrapped__, self.argnums, self.has_aux, self.with_value)

    def __repr__(self) -> str:
        return f"<{self.__name__}, argnums={self.argnums!r}>"

    def _repr_html_(self) -> str:
        return html_of(self.engine, "value_and_grad" if self.with_value or self.has_aux else "grad")

    @overload
    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R: ...
    @overload
    def __call__(self, *arguments: Any, out: Any, **keywords: Any) -> R: ...
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if not keywords:
            result = self._shortcut(arguments)
            return self._call(arguments, keywords, None) if result is MISS else result
        out = None if "out" in self.engine.signature.parameters else keywords.pop("out", None)
        if out is not None and not keywords:
            result = self._shortcut_out(arguments, out)
            if result is not MISS:
                return result
        return self._call(arguments, keywords, out)

    def _call(self, arguments: tuple[Any, ...], keywords: dict[str, Any], out: Any) -> Any:
        """The long way, which also prepares the short one."""
        if out is None:
            recorded = recorded_call(self, arguments, keywords)
            if recorded is not MISS:
                return recorded
        prepared, leaves, simple = self._calls.find(self.engine, arguments, keywords)
        if out is None:
            if not simple:
                return prepared.called(leaves)
            result, self._shortcut = prepared.called_simply(arguments, leaves)
            return result
        out = tuple(out) if self.several and isinstance(out, list) else out
        result = prepared.called(leaves, outs_of(out, prepared.wanted, self.several))
        self._shortcut_out = prepared.shortcut_into(arguments, out) if simple else self._shortcut_out
        return result

    def prepare(self, bound: dict[str, Any]) -> PreparedGradient:
        """The compiled derivative for these arguments."""
        forms, built = build_for(self.engine, bound)
        numbers, wanted = wrt_leaves(self.engine, forms, self.argnums)
        self.check_result(built)
        return PreparedGradient(self, forms, built, numbers, wanted)

    def check_result(self, built: Built) -> None:
        form = built.result
        if self.has_aux and isinstance(form, Sequence_) and len(form.items) == 2:
            form = form.items[0]
        check_is_number(self.engine, form)


class PreparedGradient(Prepared):
    """One kind of call of a derivative: what is compiled for it, and how to put the results together."""

    def __init__(
        self,
        owner: GradientFunction[..., Any],
        forms: dict[str, Form],
        built: Built,
        numbers: tuple[int, ...],
        wanted: tuple[Form, ...],
    ) -> None:
        super().__init__(owner, owner.engine, forms, built)
        self.owner, self.numbers, self.wanted = owner, numbers, wanted
        self.with_value = owner.with_value or owner.has_aux
        self.types = leaf_types(built.result) if self.with_value else []
        self.types += [type_ for form in wanted for type_ in leaf_types(form)]
        self.made: dict[tuple[int, ...], Compiled] = {}
        self.shortcuts: dict[tuple[int, ...], Shortcut] = {}

    def compiled(self, into: tuple[int, ...] = ()) -> Compiled:
        """The derivative that writes these of its gradients into arrays of the caller's."""
        if into not in self.made:
            kind = "value_and_grad" if self.with_value else "grad"
            tuple_from = None if into else self.tuple_from
            self.made[into] = self.built.code.derivative(kind, self.numbers, into, tuple_from=tuple_from)
        return self.made[into]

    @property
    def plain(self) -> bool:
        """Whether value and gradients are a number or array each."""
        return isinstance(self.built.result, Leaf) and not self.owner.has_aux and len(self.numbers) == len(self.wanted)

    @property
    def tuple_from(self) -> int | None:
        """Where the tuple of the gradients begins in what compiled code returns, if it is not all of that."""
        first = len(self.types) - len(self.numbers)
        inner = self.plain and self.owner.several and (first if len(self.numbers) > 1 else self.numbers)
        return first if inner else None

    def called(self, leaves: list[Any], outs: list[Any] | None = None) -> Any:
        """The call with the leaves of the arguments; `outs` are the arrays for gradients, None where there is none."""
        if outs is None:
            results = call_entry(self.compiled(), self.built, leaves)
            return self.shaped([strong(r, t) for r, t in zip(results, self.types, strict=True)])
        into = tuple(k for k, out in enumerate(outs) if out is not None)
        self.check_outs(leaves, outs)
        made = iter(call_entry(self.compiled(into), self.built, leaves, [outs[k] for k in into]))
        lent = [None] * (len(self.types) - len(outs)) + outs
        return self.shaped(
            [strong(next(made), t) if out is None else out for out, t in zip(lent, self.types, strict=True)]
        )

    def check_outs(self, leaves: list[Any], outs: list[Any]) -> None:
        """TypingError, ShapeError or AliasError for an array that cannot take its gradient."""
        lent = [(number, out) for number, out in zip(self.numbers, outs, strict=True) if out is not None]
        parameters = self.built.function.parameters
        for number, out in lent:
            check_out(out, parameters[number], leaves[number])
        if lent:
            captured = [captured_value(capture) for capture in self.built.captures]
            names = [parameter.name for parameter in parameters]
            arrays = list(zip([*leaves, *captured], names, strict=True))
            check_apart([(out, names[number]) for number, out in lent], arrays)

    def shaped(self, results: list[Any]) -> Any:
        """The results in the structure that the user expects."""
        leaves = iter(results)
        value: Any = rebuild(self.built.result, leaves) if self.with_value else None
        parts = [rebuild(form, leaves, lambda value: None) for form in self.wanted]
        gradient = tuple(parts) if self.owner.several else parts[0]
        if not self.with_value:
            return gradient
        return (value, gradient) if self.owner.with_value else (gradient, value[1])

    def write(self, arguments: tuple[Any, ...]) -> Shortcut:
        """The short way for calls like this one."""
        if not self.is_plainly_served(arguments):
            return never
        if self.plain and self.numbers:
            self.open(self.compiled(), arguments, self.types)
        return self.write_shortcut(arguments, None, ())

    def is_plainly_served(self, arguments: tuple[Any, ...], into: tuple[int, ...] = ()) -> bool:
        """Whether a call may keep what it needs; one that runs loops in segments takes the long way."""
        memory = self.compiled(into).memory
        captured = [captured_value(capture) for capture in self.built.captures]
        return memory is None or memory.fits(*arguments, *self.rest, *captured)

    def shortcut_into(self, arguments: tuple[Any, ...], out: Any) -> Shortcut:
        """The short way for calls with arrays for the gradients like these."""
        parts = out if self.owner.several else (out,)
        into = tuple(k for k, part in enumerate(parts) if part is not None)
        if not self.is_plainly_served(arguments, into):
            return never
        if into not in self.shortcuts:
            self.shortcuts[into] = self.write_shortcut(arguments, out, into)
        return self.shortcuts[into]

    def write_shortcut(self, arguments: tuple[Any, ...], out: Any, into: tuple[int, ...]) -> Shortcut:
        compiled = self.compiled(into)
        plain = isinstance(self.built.result, Leaf) and not self.owner.has_aux
        if not plain or not compiled.has_gate or self.built.uses_tensors:
            return never
        writer = Writer(compiled, self.built, self.dependencies, arguments, self.rest)
        parts = writer.into(out, into) if out is not None else []
        made = (f"r{k}" for k in range(len(compiled.function.results)))
        first = len(self.types) - len(self.numbers)
        results = [
            parts[k - first] if k - first in into else converted(next(made), t) for k, t in enumerate(self.types)
        ]
        returned = listed(results[first:]) if self.owner.several else results[first]
        if self.with_value:
            returned = f"{results[0]}, {returned}"
        leaves = len(arguments) + len(self.rest)

        def explain(error: Exception, given: tuple[Any, ...]) -> Exception:
            outs = dict(zip(into, given[len(given) - len(into) :], strict=True))
            try:
                self.check_outs(list(given[:leaves]), [outs.get(k) for k in range(len(self.numbers))])
            except PullbackError as refused:
                return refused
            return compiled.explain(error, given)

        return writer.written(returned, explain)

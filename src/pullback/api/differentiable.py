"""`differentiable`: the decorator, and the object that stands in for the function."""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, overload

from numba import cloudpickle, types
from numba.extending import typeof_impl

from pullback.api.known import KnownCalls
from pullback.api.pickled import named, reduced
from pullback.api.primal_calls import PrimalCallable
from pullback.compilation.entrance import Entrance
from pullback.compilation.options import Options
from pullback.compilation.turns import MAKING, importing
from pullback.frontend.source.derivations import Derivation, derivation_of, innermost
from pullback.frontend.source.plain_functions import plain_function, primal_of

if TYPE_CHECKING:
    from pullback.api.specialise import Engine

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

_ENGINES: weakref.WeakKeyDictionary[Callable[..., Any], Engine] = weakref.WeakKeyDictionary()
"""The engines of plain functions, each as long as its function lives."""


@overload
def differentiable(function: Callable[P, R], /) -> Differentiable[P, R]: ...
@overload
def differentiable(
    *,
    jit: bool = ...,
    fastmath: bool | Iterable[str] | None = ...,
    boundscheck: bool = ...,
    cache: bool = ...,
    math: Literal["vector", "libm"] = ...,
    optimisations: bool | Iterable[str] = ...,
    fuse: bool | None = ...,
    max_residual_bytes: int | None = ...,
    parallel: bool = ...,
    nan: Literal["raise"] | None = ...,
    signatures: Iterable[Any] = ...,
    source: str | None = ...,
) -> Callable[[Callable[P, R]], Differentiable[P, R]]: ...
def differentiable(
    function: Callable[..., Any] | None = None,
    /,
    *,
    jit: bool = True,
    fastmath: bool | Iterable[str] | None = None,
    boundscheck: bool = True,
    cache: bool = True,
    math: Literal["vector", "libm"] = "vector",
    optimisations: bool | Iterable[str] = True,
    fuse: bool | None = None,
    max_residual_bytes: int | None = None,
    parallel: bool = False,
    nan: Literal["raise"] | None = None,
    signatures: Iterable[Any] = (),
    source: str | None = None,
) -> Any:
    """Make a NumPy function differentiable; it can still be called, and then runs compiled.

    function: a Python function, method, lambda or `@njit` function; its source is read on the first call.
    jit: compile with Numba; False runs the generated NumPy code as it reads, for a debugger.
    fastmath: LLVM's flags for all operations, as Numba takes them. False: no operation is reordered or contracted. By
        default only sums may be added up in another order, and only products of the backward sweep be contracted.
    boundscheck: an index out of range is an IndexError; False trusts the indices.
    cache: keep machine code on disk for the next process. That of helpers of the package is kept in any case.
    math: exp, sin and their like from the vector math library (within 2 ulp), or from the C library. With "libm" and
        `fastmath=False`, values are those of plain Python and NumPy bit for bit: `np.exp` goes through NumPy's own
        loop, `math.exp` and `**` of numbers to the C library. Sums and products of matrices by NumPy are apart, and
        its functions of arrays that lie backwards in memory, which it computes by other loops.
    optimisations: the names of those to use, of `pb.OPTIMISATIONS` (True: all); False keeps every intermediate value
    and
        differentiates everything, for comparison.
    fuse: array statements run as loops over elements, one for all that go over the same elements (default: where
        compiled).
    max_residual_bytes: above so many bytes kept by a call of a derivative (default: a quarter of the memory that is
        free), loops run in segments: the backward sweep runs each segment once more, and keeps what that one needs.
        Loops that keep an amount that is not known before (`while`, `break`) always do, if a number is given.
    parallel: compiled loops whose iterations are independent run on all cores where they have enough to do. Sums over
        iterations are then added up in another order, which is the same for any number of cores; with `fastmath=False`,
        loops of the user's with such sums stay as they are. If an iteration raises, later ones may have begun.
    nan: 'raise' where a value or a derivative that is not finite is an error, `NotFinite`, which names the first number
        that is not: file, line, variable, and the iterations of the loops around.
    signatures: types of arguments, as Numba writes them (`"float64[:], float64"`), for which the function is compiled
        at once, and so is `grad` of it, with respect to the first argument, where that can be.
    source: the text of a function that was made by `exec`.

    >>> import numpy as np, pullback as pb
    >>> @pb.differentiable
    ... def energy(w, x):
    ...     return np.sum(np.tanh(w * x))
    >>> round(energy(0.5, np.array([1.0, 2.0])), 6)
    1.223711
    """
    flags = fastmath if fastmath is None or isinstance(fastmath, bool) else frozenset(fastmath)
    if math not in ("vector", "libm"):
        raise ValueError(f"math is 'vector' or 'libm', not {math!r}")
    if max_residual_bytes is not None and operator.index(max_residual_bytes) < 0:
        raise ValueError(f"max_residual_bytes is a number of bytes, not {max_residual_bytes}")
    check_nan(nan)
    chosen = None if optimisations is True else known_optimisations(optimisations or ())
    options = Options(jit, flags, boundscheck, cache, math, chosen, fuse, max_residual_bytes, parallel, nan)

    given = tuple(signatures)

    def decorate(function: Callable[P, R]) -> Differentiable[P, R]:
        if isinstance(function, Differentiable):
            function = function.__wrapped__
        made = Differentiable(function, options, source)
        for signature in given:
            compile_for(made, signature)
        return made

    return decorate if function is None else decorate(function)


class Differentiable(PrimalCallable, Generic[P, R]):
    """A function that can be differentiated. Calling it runs the compiled primal."""

    def __init__(self, function: Callable[P, R], options: Options, text: str | None = None) -> None:
        super().__init__()
        self.options = options
        self._text = text
        self._engine: Engine | None = None
        self.derivatives: weakref.WeakSet[Any] = weakref.WeakSet()
        functools.update_wrapper(self, function)
        self.__pullback_primal__ = plain = primal_of(function)
        self._known = None if plain is None else KnownCalls.of(function, plain, options, "primal")

    __wrapped__: Callable[P, R]
    __qualname__: str

    @property
    def engine(self) -> Engine:
        with importing():
            from pullback.api.specialise import Engine
        with MAKING:
            if self._engine is None:
                self._engine = Engine(self.__wrapped__, self.options, self._text)
            return self._engine

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By name where a module has it under its name; Python's main module is another one in other processes."""
        if named(self.__module__, self.__qualname__) is not self:
            return reduced(Differentiable, self.__wrapped__, self.options, self._text)
        if self.__module__ != "__main__":
            return self.__qualname__
        given = cloudpickle.dumps(self.__wrapped__)
        return of_main, (self.__qualname__, given, self.options, self._text)

    def __repr__(self) -> str:
        return f"<differentiable {self.__wrapped__.__name__}>"

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Differentiable[P, R]: ...
    @overload
    def __get__(
        self: Differentiable[Concatenate[S, Q], R], instance: S, owner: type | None = None
    ) -> Callable[Q, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    if TYPE_CHECKING:

        def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R: ...

    def _repr_html_(self) -> str:
        from pullback.api.readable import html_of

        for derivative in self.derivatives:
            derivative.read_known()
        return html_of(self.engine, "split", "grad", "value_and_grad")


@typeof_impl.register(Entrance)  # type: ignore[untyped-decorator]
def type_of_callable(value: Any, context: Any) -> Any:
    """The Numba type of one of our callables: that of a dispatcher made for it."""
    with importing():
        from pullback.api.inside_njit import dispatcher_of

    return types.Dispatcher(dispatcher_of(value))


def compile_for(function: Differentiable[..., Any], signature: Any) -> None:
    """Compile a function, and `grad` of it, for arguments of these types."""
    with importing():
        from pullback.api.signatures import compile_signature

    compile_signature(function.engine, signature)


def of_main(name: str, given: bytes, options: Options, text: str | None) -> Differentiable[..., Any]:
    """The function of this name in the main module if it is the one that was pickled, else one made anew."""
    found, function = named("__main__", name), cloudpickle.loads(given)
    if isinstance(found, Differentiable) and found.__pullback_primal__.__code__ == primal_of(function).__code__:
        return found
    return Differentiable(function, options, text)


def engine_of(function: Callable[..., Any]) -> Engine:
    """The engine of a differentiable function or derivative, or of a plain one, which lives as long as the function."""
    if isinstance(function, Differentiable):
        return function.engine
    if isinstance(derivation_of(function), Derivation):
        engine: Engine = function.as_function  # type: ignore[attr-defined]
        return engine
    with importing():
        from pullback.api.specialise import Engine

    if not isinstance(function, FunctionType):  # bound methods come and go
        return Engine(*wrapped_in(function))
    with MAKING:
        if function not in _ENGINES:
            _ENGINES[function] = Engine(function, Options(), weak=True)
        return _ENGINES[function]


def known_optimisations(names: Iterable[str]) -> frozenset[str]:
    """Names of optimisations. Raises ValueError for others."""
    from pullback.passes.pipeline import OPTIMISATIONS

    chosen = frozenset(names)
    if chosen - OPTIMISATIONS:
        unknown = ", ".join(sorted(map(repr, chosen - OPTIMISATIONS)))
        raise ValueError(f"there is no optimisation {unknown}: see pb.OPTIMISATIONS")
    return chosen


def check_nan(nan: Any) -> None:
    """ValueError for what `nan=` is not."""
    if nan not in (None, "raise"):
        raise ValueError(f"nan={nan!r}: it is 'raise' or None")


def behind(function: Callable[..., Any]) -> FunctionType:
    """The Python function that is differentiated in the end. Raises TypingError where there is none."""
    return plain_function(wrapped_in(innermost(function))[0])


def wrapped_in(function: Callable[..., Any]) -> tuple[Callable[..., Any], Options]:
    """The function that a differentiable one was made of, and its options; a plain one with those by default."""
    if isinstance(function, Differentiable):
        return function.__wrapped__, function.options
    if isinstance(function, MethodType) and isinstance(function.__func__, Differentiable):
        return MethodType(function.__func__.__wrapped__, function.__self__), function.__func__.options
    return function, Options()


def known_calls_of(
    function: Callable[..., Any], plain: FunctionType, wanted: str, nan: str | None = None
) -> KnownCalls | None:
    """What other processes may know of calls of a derivative."""
    own, options = wrapped_in(innermost(function))
    while isinstance(derivation_of(function), Derivation):
        wanted, function = f"{wanted} of {derivation_of(function)}", function.__wrapped__  # type: ignore[attr-defined]
    return KnownCalls.of(own, plain, replace(options, nan=nan or options.nan), wanted)

"""Functions with a gradient of the user's own, functions that run again for their gradient, and constants."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pullback import runtime
from pullback.errors import ShapeError, TypingError
from pullback.frontend.source.user_rules import RULE, UserRule
from pullback.functions import also_spelled
from pullback.functions.declare import constant as constant_functions
from pullback.tape.gradient_tape import GradientTape
from pullback.tape.nest import flatten, rebuilt
from pullback.tape.pullbacks import Pullback, Wanted
from pullback.tape.record import tensors_in
from pullback.tape.recorders import enter, leave, only, tell
from pullback.tape.tensor import Tensor, apply, as_recorded, holds_tensor
from pullback.tape.variable import Variable, constant


def stop_gradient(x: Any) -> Tensor:
    """The elements of x, as a constant: no gradient flows through, neither on a tape nor in a differentiated function.

    >>> import pullback as pb
    >>> x = pb.Variable(3.0)
    >>> with pb.GradientTape() as tape:
    ...     y = x * stop_gradient(x * x)
    >>> tape.gradient(y, x)
    <Tensor 9.0, float64>
    """
    return apply(stop_gradient, lambda elements: elements, x if isinstance(x, Tensor) else constant(x))


constant_functions(stop_gradient)
also_spelled(runtime.stop_gradient, stop_gradient)


def custom_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a gradient of your own, for tensors, and for calls in differentiable functions.

    `function` returns `(value, gradient)`. `gradient` takes a cotangent for each tensor of the value (in dicts in the
    order of the sorted keys), zeros for those that were not used, and returns one for each positional argument, in its
    shape: None for one without. If `function` reads variables that are not among its arguments, `gradient` takes
    `variables=` as well, a list of them, and returns `(cotangents, cotangents of the variables)`. Higher derivatives
    differentiate `gradient` itself.

    Raises TypingError (a TypeError) at the call where variables are read and `gradient` does not take them, and for
    tensors in keywords; ValueError, when the derivative is taken, for cotangents of another number or shape.

    >>> import numpy as np, pullback as pb
    >>> @pb.custom_gradient
    ... def clipped(x):
    ...     return x, lambda x_bar: np.clip(x_bar, -1, 1)
    >>> x = pb.Variable(2.0)
    >>> with pb.GradientTape() as tape:
    ...     y = 100 * clipped(x)
    >>> tape.gradient(y, x)
    <Tensor 1.0, float64>
    """

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if any(holds_tensor(value) for value in keywords.values()):
            raise TypingError("a tensor in a keyword argument would get no gradient", None, "pass it by position")
        readers = Readers(arguments)
        enter(readers)
        try:
            value, gradient = function(*arguments, **keywords)
        finally:
            leave(readers)
        takes_variables = _takes_variables(gradient)
        if readers.variables and not takes_variables:
            names = ", ".join(f"'{v.name}'" for v in readers.variables)
            raise TypingError(
                f"'{function.__name__}' reads the variables {names}, and its gradient function does not take them",
                None,
                "let it take `variables=None` and return (cotangents, cotangents of the variables)",
            )
        return recorded_results(function.__name__, flatten(arguments), readers.variables, value, gradient)

    setattr(call, RULE, UserRule(function, "gradient"))
    return call


def _takes_variables(gradient: Callable[..., Any]) -> bool:
    parameters = inspect.signature(gradient).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def recorded_results(
    name: str, arguments: list[Any], variables: list[Variable], value: Any, gradient: Callable[..., Any]
) -> Any:
    """The value in new tensors, recorded as made from the arguments and variables with this gradient function."""
    found = [one if isinstance(one, Tensor) else Tensor(np.asarray(one)[()]) for one in flatten(value)]
    results = tuple(Tensor(one._value) for one in found)
    operation = Custom(name, tuple(arguments), tuple(variables), gradient)
    tell(operation, (*arguments, *variables), results)
    return rebuilt(value, list(results))


class Readers:
    """A recorder that notes which trainable variables are read, besides those among the arguments."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.known = {x._key for x in flatten(arguments) if isinstance(x, Tensor)}
        self.variables: list[Variable] = []

    persistent = False

    def record(self, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
        for _, tensor in tensors_in(arguments):
            if isinstance(tensor, Variable) and tensor.trainable and tensor._key not in self.known:
                self.known.add(tensor._key)
                self.variables.append(tensor)

    def is_connected(self, tensor: Tensor) -> bool:
        return False

    def note_escape(self, tensor: Tensor, how: str) -> None:
        pass


class Custom:
    """An operation whose pullback is a function of the user's."""

    def __init__(
        self,
        name: str,
        arguments: tuple[Any, ...],
        variables: tuple[Variable, ...],
        gradient: Callable[..., Any],
    ) -> None:
        self.__name__ = name
        self.shapes = [np.shape(x) for x in (*arguments, *variables)]
        self.arguments, self.variables = len(arguments), list(variables)
        self.gradient = gradient

    def pullback(self, wanted: Wanted) -> Pullback:
        """What is recorded: the gradient function, called with tensors."""

        def run(y_bar: Any) -> tuple[Any, ...]:
            given = y_bar if isinstance(y_bar, tuple) else (y_bar,)
            on_tensors = isinstance(given[0], Tensor)
            cotangents = self.cotangents(tuple(one if on_tensors else Tensor(one) for one in given))
            chosen = [cotangents[k] for k in wanted]
            return tuple(_as(one, on_tensors) for one in chosen)

        return Pullback(self, wanted, run, run, (), False)

    def cotangents(self, given: tuple[Tensor, ...]) -> list[Any]:
        """One for each argument and variable. ValueError where they are too few, too many or of another shape."""
        if self.variables:
            of_arguments, of_variables = self.gradient(*given, variables=self.variables)
            found = [*flatten(of_arguments), *flatten(of_variables)]
        else:
            found = flatten(self.gradient(*given))
        if len(found) != len(self.shapes):
            raise ValueError(
                f"the gradient of '{self.__name__}' returned {len(found)} cotangents for {self.arguments} arguments "
                f"and {len(self.variables)} variables"
            )
        for one, shape in zip(found, self.shapes, strict=True):
            if one is not None and np.shape(one) != shape:
                raise ShapeError(
                    f"the gradient of '{self.__name__}' returned a cotangent of shape {np.shape(one)} for {shape}"
                )
        return found


def _as(cotangent: Any, on_tensors: bool) -> Any:
    """A cotangent as a tensor, or as an array."""
    if cotangent is None:
        return None
    if isinstance(cotangent, Tensor):
        return cotangent if on_tensors else cotangent._value
    array = np.asarray(cotangent)[()]
    return Tensor(array) if on_tensors else array


def recompute_grad(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, keeping nothing for its gradient but its arguments: it runs once more when that is taken.

    It runs with the values that its variables had at the call.

    >>> import numpy as np, pullback as pb
    >>> x = pb.Variable(2.0)
    >>> with pb.GradientTape() as tape:
    ...     y = pb.recompute_grad(lambda x: np.exp(x) * x)(x)
    >>> np.round(tape.gradient(y, x), 4)
    <Tensor 22.1672, float64>
    """

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        readers = Readers(arguments)
        with only((readers,)):
            value = function(*arguments, **keywords)
        repeated = rebuilt(arguments, [as_given(one) for one in flatten(arguments)])
        given = [one for one in flatten(repeated) if isinstance(one, Tensor)]
        variables = readers.variables
        held = Held([x for x in (*given, *variables) if isinstance(x, Variable)])

        def gradient(*cotangents: Tensor, variables: Any = ()) -> Any:
            with held, GradientTape() as tape:
                tape.watch([*given, *variables])
                again = function(*repeated, **keywords)
            found = tape.gradient(flatten(again), [*given, *variables], list(cotangents))
            return found[: len(given)], found[len(given) :]

        def of_arguments(*cotangents: Tensor) -> Any:
            return gradient(*cotangents)[0]

        chosen = gradient if variables else of_arguments
        return recorded_results(function.__name__, list(given), variables, value, chosen)

    return call


def as_given(argument: Any) -> Any:
    """An argument for a function that runs again: a tensor as it is now, a variable itself, whose values are held."""
    return argument if isinstance(argument, Variable) or not isinstance(argument, Tensor) else as_recorded(argument)


class Held:
    """For a block, variables have the values that they had when this was made."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self.values = [(variable, variable._value) for variable in variables]

    def __enter__(self) -> None:
        self.now = [(variable, variable._value) for variable, _ in self.values]
        self._set(self.values)

    def __exit__(self, *_: object) -> None:
        self._set(self.now)

    def _set(self, values: list[tuple[Variable, Any]]) -> None:
        for variable, value in values:
            variable._value = value

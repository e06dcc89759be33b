"""Functions with a gradient of the user's own, and constants."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback import runtime
from pullback.errors import ShapeError, TypingError
from pullback.frontend.source.user_rules import RULE, UserRule
from pullback.functions import also_spelled
from pullback.functions.declare import constant as constant_functions
from pullback.tape.nest import flatten, rebuilt
from pullback.tape.pullbacks import Pullback, Wanted
from pullback.tape.readers import Readers
from pullback.tape.recorders import enter, leave, tell
from pullback.tape.tensor import Tensor, apply
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

    name = name_of_callable(function)

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if any(isinstance(one, Tensor) for one in flatten(keywords)):
            raise TypingError("a tensor in a keyword argument would get no gradient", None, "pass it by position")
        readers = Readers(flatten(arguments))
        enter(readers)
        try:
            value, gradient = function(*arguments, **keywords)
        finally:
            leave(readers)
        takes_variables = _takes_variables(gradient)
        if readers.variables and not takes_variables:
            read = ", ".join(f"'{v.name}'" for v in readers.variables)
            raise TypingError(
                f"'{name}' reads the variables {read}, and its gradient function does not take them",
                None,
                "let it take `variables=None` and return (cotangents, cotangents of the variables)",
            )
        return recorded_results(name, flatten(arguments), readers.variables, value, gradient)

    setattr(call, RULE, UserRule(function, "gradient"))
    return call


def _takes_variables(gradient: Callable[..., Any]) -> bool:
    parameters = inspect.signature(gradient).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def name_of_callable(function: Callable[..., Any]) -> str:
    """Its name; that of what a partial call calls; that of the class of any other object."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def recorded_results(
    name: str, arguments: list[Any], variables: list[Variable], value: Any, gradient: Callable[..., Any]
) -> Any:
    """The value in new tensors, recorded as made from the arguments and variables with this gradient function."""
    found = [one if isinstance(one, Tensor) else Tensor(np.array(one)[()]) for one in flatten(value)]
    results = tuple(Tensor(one._value) for one in found)
    operation = Custom(name, tuple(arguments), tuple(variables), gradient)
    tell(operation, (*arguments, *variables), results)
    return rebuilt(value, list(results))


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
    array = np.array(cotangent)[()]
    return Tensor(array) if on_tensors else array

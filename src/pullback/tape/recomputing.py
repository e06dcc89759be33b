"""`recompute_grad`: a function that runs again for its gradient, in place of keeping what it computed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape.custom import name_of_callable, recorded_results
from pullback.tape.gradient_tape import GradientTape
from pullback.tape.nest import flatten, rebuilt
from pullback.tape.readers import Held, Readers, as_given
from pullback.tape.recorders import active, only
from pullback.tape.requests import UnconnectedGradients
from pullback.tape.tensor import Tensor


def recompute_grad(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, keeping nothing for its gradient but its arguments: it runs once more when that is taken.

    It runs with the values that its variables had at the call, which keep those that they have now, and with the
    elements that arrays had. Tensors that it uses from outside count as arguments. Arguments that its value does not
    depend on have a gradient of zeros.

    >>> import numpy as np, pullback as pb
    >>> x = pb.Variable(2.0)
    >>> with pb.GradientTape() as tape:
    ...     y = pb.recompute_grad(lambda x: np.exp(x) * x)(x)
    >>> np.round(tape.gradient(y, x), 4)
    <Tensor 22.1672, float64>
    """

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        given = flatten((arguments, keywords))
        kept = [_kept(one) for one in given]
        readers = Readers(given, active())
        with only((readers,)):
            value = function(*arguments, **keywords)
        again = Again(function, rebuilt((arguments, keywords), kept), readers)
        chosen = again.gradient if again.variables else again.gradient_by_tensors
        return recorded_results(name_of_callable(function), again.tensors, again.variables, value, chosen)

    return call


class Again:
    """A call that runs again.

    given: its arguments by position and by keyword. readers: what it has read.
    """

    def __init__(self, function: Callable[..., Any], given: tuple[Any, Any], readers: Readers) -> None:
        self.function, self.given = function, given
        self.tensors = [x for x in (*flatten(given), *readers.tensors) if _can_be_source(x)]
        self.variables = [x for x in readers.variables if _can_be_source(x)]
        self.held = Held(readers.values.values())

    def gradient(self, *cotangents: Tensor, variables: Any = ()) -> tuple[list[Any], list[Any]]:
        """The cotangents of the tensors, and those of the variables."""
        sources = [*self.tensors, *self.variables]
        with self.held, GradientTape() as tape:
            tape.watch(sources)
            arguments, keywords = self.given
            results = flatten(self.function(*arguments, **keywords))
        pairs = [(y, y_bar) for y, y_bar in zip(results, cotangents, strict=True) if isinstance(y, Tensor)]
        found = tape.gradient([y for y, _ in pairs], sources, [y_bar for _, y_bar in pairs], UnconnectedGradients.ZERO)
        return found[: len(self.tensors)], found[len(self.tensors) :]

    def gradient_by_tensors(self, *cotangents: Tensor) -> list[Any]:
        """The cotangents of the tensors, where no variables are read."""
        return self.gradient(*cotangents)[0]


def _can_be_source(x: Any) -> bool:
    return isinstance(x, Tensor) and x.dtype.kind not in "biu"


def _kept(argument: Any) -> Any:
    """An argument that nobody changes."""
    return argument.copy() if isinstance(argument, np.ndarray) else as_given(argument)

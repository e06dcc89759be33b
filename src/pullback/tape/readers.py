"""What a function reads besides its arguments: `Readers` notes it while the function runs, `Held` brings it back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pullback.tape.record import tensors_in
from pullback.tape.recorders import Recorder
from pullback.tape.tensor import Tensor, as_recorded
from pullback.tape.variable import Variable


class Readers:
    """A recorder that notes what is read besides the arguments of a function.

    arguments: these. outside: recorders that do not see what the function computes; in place of a `Readers` among them
        stand those outside of that.
    variables: trainable ones that the function has a gradient by. tensors: others that a recorder outside follows.
    values: by number, each variable that is read or changed, arguments included, and what it was before.
    """

    persistent = False

    def __init__(self, arguments: Iterable[Any], outside: Iterable[Recorder] = ()) -> None:
        self.known = {x._key for x in arguments if isinstance(x, Tensor)}
        self.outside: list[Recorder] = [one for r in outside for one in (r.outside if isinstance(r, Readers) else (r,))]
        self.variables: list[Variable] = []
        self.tensors: list[Tensor] = []
        self.values: dict[int, tuple[Variable, Any]] = {}

    def record(self, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
        """Note the arguments of a call."""
        for _, tensor in tensors_in(arguments):
            self.note_reading(tensor, followed=True)

    def note_reading(self, tensor: Tensor, followed: bool) -> None:
        """Note a tensor."""
        if isinstance(tensor, Variable):
            self.values.setdefault(tensor._key, (tensor, tensor._value))
        if not followed or tensor._key in self.known:
            return
        if isinstance(tensor, Variable) and tensor.trainable:
            self.variables.append(tensor)
        elif any(recorder.is_connected(tensor) for recorder in self.outside):
            self.tensors.append(tensor)
        else:
            return
        self.known.add(tensor._key)

    def is_connected(self, tensor: Tensor) -> bool:
        """It follows nothing."""
        return False

    def note_escape(self, tensor: Tensor, how: str) -> None:
        """Nothing: a tensor that escapes is read."""


def as_given(argument: Any) -> Any:
    """An argument for a function that runs again: a tensor as it is now, a variable itself, whose values are held."""
    return argument if isinstance(argument, Variable) or not isinstance(argument, Tensor) else as_recorded(argument)


class Held:
    """For a block, variables have these values."""

    def __init__(self, values: Iterable[tuple[Variable, Any]]) -> None:
        self.values = list(values)

    def __enter__(self) -> None:
        self.now = [(variable, variable._value) for variable, _ in self.values]
        self._set(self.values)

    def __exit__(self, *_: object) -> None:
        self._set(self.now)

    def _set(self, values: list[tuple[Variable, Any]]) -> None:
        for variable, value in values:
            variable._value = value

"""`GradientTape`: what is computed while it records, and the derivatives of that by what it watches."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np

from pullback.errors import ShapeError, TypingError
from pullback.functions import is_constant
from pullback.tape import recorders
from pullback.tape.disconnections import Disconnections
from pullback.tape.explain import explain
from pullback.tape.followed import new_key
from pullback.tape.nest import flatten, rebuilt
from pullback.tape.not_finite import Notes
from pullback.tape.record import Record, is_beyond, recorded, recorded_beyond, tensors_in
from pullback.tape.requests import (
    UnconnectedGradients,
    as_tensor,
    checked,
    result_of,
    seed_of,
    stacked_rows,
    unit_rows,
    unit_seeds,
    warn_of_integers,
    weights_of,
    zeros_of,
    zeros_wanted,
)
from pullback.tape.sweep import SELECT, Path, Records, find_path, pull_back
from pullback.tape.tensor import Tensor
from pullback.tape.variable import Variable


class GradientTape:
    """Records operations on tensors and NumPy's functions of them, and differentiates what it recorded.

    persistent: derivatives may be asked for any number of times, also while it records (which is then recorded as
        well). Otherwise once, and what was recorded is let go.
    watch_accessed_variables: trainable variables are watched when they are read.
    nan: 'raise' where a target or derivative that is not finite is an error, `NotFinite`, when the derivative is asked
        for: it names the first number that is not.

    A tape records what its own thread or task computes inside of its `with` block; it may be entered again to go on.
    What nothing watched flows into is not recorded, and of the rest only what derivatives need is kept.

    >>> import numpy as np, pullback as pb
    >>> w = pb.Variable([1.0, 2.0])
    >>> with pb.GradientTape() as tape:
    ...     loss = np.sum(np.tanh(w) ** 2)
    >>> np.round(tape.gradient(loss, w), 6)
    <Tensor [0.6397   0.136219], float64>
    """

    __pullback_tape__ = True
    """In a function that is differentiated, the tape is part of the text: see `frontend/tapes/blocks.py`."""

    records: dict[int, Record | None] | None = None
    """By the numbers of the tensors; None for those that are watched. None as a whole: not entered, or used up."""

    def __init__(
        self,
        persistent: bool = False,
        watch_accessed_variables: bool = True,
        nan: Literal["raise"] | None = None,
    ) -> None:
        if nan not in (None, "raise"):
            raise ValueError(f"nan={nan!r}: it is 'raise' or None")
        self.nan = nan
        self.persistent = bool(persistent)
        self.watches_variables = bool(watch_accessed_variables)
        self.recording = False
        self.last_key = 0
        self._forget()
        self.records = None

    # Recording

    def __enter__(self) -> GradientTape:
        if self.recording:
            raise ValueError("the tape is recording already: it cannot be entered within itself")
        if self.records is None:
            if self.last_key:  # used before
                self._forget()
            self.records = {}
        self._resume()
        return self

    def __exit__(self, *_: object) -> None:
        if self.recording:
            self._pause()

    def _forget(self) -> None:
        """Begin with nothing recorded or watched."""
        self.records = {}
        self.past: dict[int, Record | None] = {}
        self.variables: dict[int, Variable] = {}
        self.watched_at: dict[int, int] = {}
        self.disconnections = Disconnections()
        self.notes = None if self.nan is None else Notes()

    def _resume(self) -> None:
        recorders.enter(self)
        self.recording = True

    def _pause(self) -> None:
        recorders.leave(self)
        self.recording = False
        self.last_key = new_key()

    def watch(self, tensor: Any) -> None:
        """Follow a tensor or variable, or those in nested lists, tuples and dicts, from now on.

        Raises RuntimeError before the tape was entered and after it was used up, TypingError (a TypeError) for
        anything else than tensors. Integers are followed too, and have no gradient: that warns.
        """
        if self.records is None:
            raise RuntimeError("the tape is not recording: call watch inside of its 'with' block")
        for one in flatten(tensor):
            if not isinstance(one, Tensor):
                raise TypingError(
                    f"a {type(one).__name__} cannot be watched",
                    None,
                    "make it a tensor by pb.constant, or a pb.Variable, and use that",
                )
            if one.dtype.kind != "f":
                warnings.warn(f"a tensor of {one.dtype} is watched, which has no gradient", stacklevel=2)
            self._follow(one)

    def _follow(self, tensor: Tensor) -> None:
        assert self.records is not None, "only a tape that has been entered follows tensors"
        if tensor._key not in self.records:
            self.records[tensor._key] = None
            self.watched_at[tensor._key] = new_key()
        if isinstance(tensor, Variable):
            self.variables[tensor._key] = tensor

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables that it follows, in the order in which they were made."""
        return tuple(self.variables[key] for key in sorted(self.variables))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """What is computed in this block is constant for this tape.

        Raises RuntimeError if the tape was never entered, and ValueError if it is not recording.
        """
        if self.records is None and not self.last_key:
            raise RuntimeError("the tape was never entered: there is no recording to stop")
        if not self.recording:
            raise ValueError("the tape is not recording")
        self._pause()
        try:
            yield
        finally:
            if self.records is not None:
                self._resume()

    def reset(self) -> None:
        """Forget what was recorded and what is watched. Raises ValueError if the tape is not recording."""
        if not self.recording:
            raise ValueError("the tape is not recording: there is nothing to reset")
        self._forget()

    # What recorders are asked

    def record(self, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
        """Keep what the derivative of this call needs, if something that is followed flows into it."""
        records = self.records
        if records is None:  # a task goes on with a tape that has been used up
            return
        found = []
        for place, tensor in tensors_in(arguments):
            if tensor._key in records:
                found.append((place, tensor))
            elif tensor._watch and self.watches_variables:
                self._follow(tensor)
                found.append((place, tensor))
        if not found:
            return
        if self.notes is not None:
            self.notes.note(function, arguments, result)
        if isinstance(result, tuple):
            self._record_several(function, arguments, result, found)
        elif result._value.dtype.kind == "f" and not is_constant(function):
            records[result._key] = recorded(function, arguments, result, found)
        elif is_beyond(function, result, found):
            records[result._key] = recorded_beyond(function, found, result)
        else:
            self.disconnections.add_operation(function, [x for _, x in found], result)

    def _record_several(
        self, function: Any, arguments: tuple[Any, ...], results: tuple[Tensor, ...], found: list[tuple[Any, Tensor]]
    ) -> None:
        assert self.records is not None, "a tape that records has been entered"
        together = results[0]._key - 1
        self.records[together] = recorded(function, arguments, results, found)
        for k, one in enumerate(results):
            if one._value.dtype.kind not in "biu":
                self.records[one._key] = (SELECT, k, together)

    def is_connected(self, tensor: Tensor) -> bool:
        """Whether it follows what is computed from this tensor."""
        if self.records is None:
            return False
        return tensor._key in self.records or bool(tensor._watch and self.watches_variables)

    def note_escape(self, tensor: Tensor, how: str) -> None:
        """Remember that a tensor escaped, as a plain number or array, for `explain`."""
        if self.is_connected(tensor):
            self._follow(tensor)
            self.disconnections.add_escape(tensor, how)

    def note_reading(self, tensor: Tensor, followed: bool) -> None:
        """Nothing is remembered of it: what has a gradient is recorded."""

    # Derivatives

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of all elements of all targets, in the structure of the sources.

        target: a tensor, or nested lists, tuples and dicts of them. sources: the like, watched or computed from what
        is; each gradient has the shape and dtype of its source.
        output_gradients: weights of the targets' elements, in the shapes of the targets: a vector-Jacobian product.
        unconnected_gradients: None (the default, 'none') or zeros ('zero') for sources that no target depends on;
        `explain` says why one is None.

        Raises RuntimeError where the tape was never entered, or was used and is not persistent; TypingError (a
        TypeError) for targets and sources that are not tensors; MissingRuleError (a NotImplementedError and a
        LookupError) where the path goes through a function without a derivative.
        """
        zero = zeros_wanted(unconnected_gradients)
        records = self._open()
        targets, wanted = checked(flatten(target), "target"), checked(flatten(sources), "source")
        warn_of_integers(wanted)
        weights = weights_of(target, targets, output_gradients)
        self._stop_if_once()
        on_tensors = bool(recorders.active())
        seeds = [
            (y._key, seed_of(y, weight, on_tensors))
            for y, weight in zip(targets, weights, strict=True)
            if y.dtype.kind == "f"
        ]
        path = self._path(targets, wanted)
        found = self._pulled(records, path, targets, seeds, wanted, on_tensors)
        self._close_if_once(len(found) == len(path.sources))
        return rebuilt(sources, [result_of(found.get(x._key), x, zero) for x in wanted])

    def jacobian(
        self,
        target: Tensor,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each element of one target, in the structure of the sources.

        Each has the shape of the target followed by that of the source. The last two arguments change nothing. Raises
        as `gradient` does.
        """
        zero = zeros_wanted(unconnected_gradients)
        records = self._open()
        (y,), wanted = checked([target], "target"), checked(flatten(sources), "source")
        self._stop_if_once()
        path = self._path([y], wanted)
        on_tensors = bool(recorders.active())
        seeds = unit_seeds(y, on_tensors)
        rows = [self._pulled(records, path, [y], [(y._key, seed)], wanted, on_tensors) for seed in seeds]
        self._close_if_once(path.sources <= path.members)
        results = [stacked_rows([row.get(x._key) for row in rows], x, y.shape, path, zero) for x in wanted]
        return rebuilt(sources, results)

    def batch_jacobian(
        self,
        target: Tensor,
        source: Tensor,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each row of the target by the same row of the source, where no row depends on others.

        target: (n, …), source: (n, …); the result is (n, rest of the target, rest of the source), zeros where they
        are not connected. The last three arguments change nothing. Raises ShapeError (a ValueError) where the numbers
        of rows differ or there are none, and as `gradient` does.
        """
        zeros_wanted(unconnected_gradients)
        records = self._open()
        (y,), (x,) = checked([target], "target"), checked([source], "source")
        if not (y.ndim > 1 and x.ndim > 1 and y.shape[0] == x.shape[0]):
            raise ShapeError(f"a target of shape {y.shape} and a source of shape {x.shape} are not rows side by side")
        self._stop_if_once()
        path = self._path([y], [x])
        on_tensors = bool(recorders.active())
        columns = []
        for seed in unit_rows(y, on_tensors):
            column = self._pulled(records, path, [y], [(y._key, seed)], [x], on_tensors).get(x._key)
            columns.append(np.zeros(x.shape, x.dtype) if column is None else column)
        self._close_if_once()
        if not columns:
            return zeros_of((*y.shape, *x.shape[1:]), x)
        return as_tensor(np.reshape(np.stack(columns, axis=1), (*y.shape, *x.shape[1:])))

    def explain(self, target: Tensor, source: Tensor) -> str:
        """Why the gradient of a target by a source is None: a sentence, and the line that disconnected the source.

        It may be asked before the gradient is taken, and after it was None.

        >>> import pullback as pb
        >>> x = pb.Variable(2.5, name="x")
        >>> with pb.GradientTape() as tape:
        ...     y = 2 * x.numpy() * pb.Variable(1.0)
        >>> print(tape.gradient(y, x))
        None
        >>> print(tape.explain(y, x).splitlines()[0])
        numpy() took the elements out of the tape: what is computed from them is constant.
        """
        (y,), (x,) = checked([target], "target"), checked([source], "source")
        return explain(self, self.past if self.records is None else self.records, y, x)

    def _open(self) -> dict[int, Record | None]:
        if self.records is None:
            reason = "was used once already and is not persistent" if self.last_key else "was never entered"
            remedy = "make it with persistent=True" if self.last_key else "compute the target in its 'with' block"
            raise RuntimeError(f"the tape {reason}: {remedy}")
        return self.records

    def _pulled(
        self,
        records: Records,
        path: Path,
        targets: list[Tensor],
        seeds: list[tuple[int, Any]],
        sources: list[Tensor],
        on_tensors: bool,
    ) -> dict[int, Any]:
        """The cotangents of the sources. NotFinite where they or the targets are not, if that is an error."""
        found = pull_back(records, path, seeds, on_tensors, self.notes)
        if self.notes is not None:
            self.notes.check(path.members, targets, sources, [seed for _, seed in seeds], found)
        return found

    def _stop_if_once(self) -> None:
        if not self.persistent and self.recording:
            self._pause()

    def _close_if_once(self, all_found: bool = True) -> None:
        """Let go of what was recorded; where a gradient is None it is kept for `explain`, until the tape goes."""
        if not self.persistent:
            self.past, self.records = {} if all_found else self.records or {}, None

    def _path(self, targets: list[Tensor], sources: list[Tensor]) -> Path:
        assert self.records is not None, "the tape was opened"
        return find_path(self.records, [y._key for y in targets], frozenset([x._key for x in sources]))

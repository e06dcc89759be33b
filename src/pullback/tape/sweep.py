"""The backward sweep over a tape's records: from the cotangents of targets to those of sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from pullback import runtime
from pullback.errors import MissingRuleError, PullbackError
from pullback.frontend.source.addresses import name_of
from pullback.functions import rule_of
from pullback.runtime.numpy.items import add_item, has_arrays, take_item
from pullback.tape.functions import as_dtype
from pullback.tape.pullbacks import Pullback
from pullback.tape.record import Record
from pullback.tape.tensor import Tensor, Withdrawn, as_recorded, elements_of

SELECT = Pullback(None, (0,), None, None, (), False)
"""Marks the record of one of several results: `(SELECT, position, key of all results together)`."""

Records = Mapping[int, Record | None]


class Looking(Protocol):
    """What is shown the adjoints that the record of a tensor gives its inputs; None for one that is not needed."""

    def look(self, key: int, inputs: Iterable[int], x_bars: Iterable[Any]) -> None: ...


class Path(NamedTuple):
    """What lies between targets and sources: the numbers of the tensors, the latest first, and of the sources."""

    keys: list[int]
    members: set[int]
    sources: frozenset[int]


def inputs_of(record: Record) -> tuple[int, ...]:
    """The numbers of the tensors that a record pulls back to."""
    return record[2 : record[0].end]


def find_path(records: Records, targets: Iterable[int], sources: frozenset[int]) -> Path:
    """The tensors that some target is computed from and that are computed from some source, both included."""
    inputs: dict[int, tuple[int, ...]] = {}
    waiting = list(targets)
    while waiting:
        key = waiting.pop()
        if key not in inputs:
            record = records.get(key)
            inputs[key] = () if record is None else inputs_of(record)
            waiting += inputs[key]
    members: set[int] = set()
    for key in sorted(inputs):
        if key in sources or not members.isdisjoint(inputs[key]):
            members.add(key)
    return Path(sorted(members, reverse=True), members, sources)


def pull_back(
    records: Records,
    path: Path,
    seeds: Iterable[tuple[int, Any]],
    on_tensors: bool,
    notes: Looking | None = None,
) -> dict[int, Any]:
    """The cotangents of the sources that are reached. `on_tensors`: computed with tensors, so that others record it.

    notes: is shown what each record gives.
    """
    sweep = Sweep(path.members, notes)
    for key, seed in seeds:
        if key in path.members:
            sweep.add(key, seed)
    found: dict[int, Any] = {}
    for key in path.keys:
        y_bar = sweep.cotangents.pop(key, None)
        if y_bar is None:
            continue
        if key in path.sources:
            found[key] = y_bar
        record = records.get(key)
        if record is None:
            continue
        if sweep.behind or chooses(record):
            sweep.spread(key, record)
        if record[0] is SELECT:
            sweep.cotangents.setdefault(record[2], {})[record[1]] = y_bar
        elif record[0].function is take_item and not on_tensors:
            sweep.add_at(record[2], y_bar, record[-1], *record[1][0])
        else:
            sweep.run(key, record, y_bar, on_tensors)
    return found


class Sweep:
    """The cotangents so far. `owned` are those in memory that nothing else refers to."""

    def __init__(self, members: set[int], notes: Looking | None = None) -> None:
        self.members, self.notes = members, notes
        self.cotangents: dict[int, Any] = {}
        self.owned: set[int] = set()
        self.behind: set[int] = set()

    def run(self, key: int, record: Record, y_bar: Any, on_tensors: bool) -> None:
        """Pull the cotangent of one result back to its inputs."""
        pullback, fits = record[0], record[1]
        inputs = record[2 : pullback.end]
        kept = record[pullback.end :]
        if type(y_bar) is dict:
            *kept, zeros = kept
            y_bar = tuple([y_bar.get(k, Tensor(zero) if on_tensors else zero) for k, zero in enumerate(zeros)])
        if not on_tensors:
            kept = [k._value if type(k) is Tensor else kept_elements(k) for k in kept]
        else:
            kept = [as_recorded(k) if isinstance(k, Withdrawn) else k for k in kept]
        run = pullback.run_behind if key in self.behind else pullback.run
        members = self.members
        x_bars = self.checked(run, y_bar, kept, pullback)
        x_bars = [x_bar if x in members else None for x, x_bar in zip(inputs, x_bars, strict=True)]
        if fits is not None:
            x_bars = [x if x is None else fitted(x, *fit) for x, fit in zip(x_bars, fits, strict=True)]
        if self.notes is not None:
            self.notes.look(key, inputs, x_bars)
        for x, x_bar in zip(inputs, x_bars, strict=True):
            if x_bar is not None:
                self.add(x, x_bar)

    def checked(self, run: Any, y_bar: Any, kept: Any, pullback: Pullback) -> Any:
        """What a pullback returns. MissingRuleError where the rule cannot do with arguments that NumPy could."""
        try:
            return run(y_bar, *kept)
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            if isinstance(error, PullbackError | np.linalg.LinAlgError) or rule_of(pullback.function) is None:
                raise
            raise MissingRuleError(
                f"the derivative of {name_of(pullback.function)} does not know such arguments",
                None,
                "write the function with pb.custom_gradient, or call it in another way",
            ) from error

    def spread(self, key: int, record: Record) -> None:
        """Behind a choice, however far, a cotangent of exactly 0 stays 0."""
        if record[0] is SELECT:
            if key in self.behind:
                self.behind.add(record[2])
        elif key in self.behind or chooses(record):
            self.behind.update(inputs_of(record))

    def add(self, key: int, x_bar: Any) -> None:
        """Add to the cotangent of a tensor."""
        old = self.cotangents.get(key)
        if old is None:
            self.cotangents[key] = x_bar
        elif key in self.owned and x_bar.dtype is old.dtype:
            old += x_bar
        else:
            total = self.cotangents[key] = old + x_bar
            if type(total) is np.ndarray:
                self.owned.add(key)

    def add_at(self, key: int, y_bar: Any, index: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        """Add to some elements of the cotangent of a tensor, in place where it is ours."""
        if key not in self.members:
            return
        if key not in self.owned:
            total = self.cotangents.get(key)
            self.cotangents[key] = np.zeros(shape, dtype) if total is None else np.array(total)
            self.owned.add(key)
        add_item(self.cotangents[key], index, y_bar)


def chooses(record: Record) -> bool:
    """Whether a result takes some elements of its inputs and leaves others."""
    pullback = record[0]
    return pullback.chooses or (pullback.function is take_item and has_arrays(record[-1]))


def kept_elements(kept: Any) -> Any:
    """What a record keeps, with elements in the place of tensors."""
    if isinstance(kept, Tensor):
        return elements_of(kept)
    return tuple([kept_elements(part) for part in kept]) if type(kept) is tuple else kept


def fitted(x_bar: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A cotangent in the shape and dtype of its tensor: what broadcasting repeated is summed."""
    if x_bar.shape != shape:
        x_bar = runtime.sum_to(x_bar, shape)
    if x_bar.dtype is not dtype and x_bar.dtype != dtype:
        x_bar = x_bar.real if x_bar.dtype.kind == "c" and dtype.kind != "c" else x_bar
        x_bar = as_dtype(x_bar, dtype) if isinstance(x_bar, Tensor) else x_bar.astype(dtype)
    return x_bar

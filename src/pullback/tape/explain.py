"""Why a gradient is None: the sentence that names the cause, and the line that disconnected the source."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Protocol

from pullback.errors import describe_at
from pullback.tape.disconnections import Disconnection, Disconnections
from pullback.tape.record import Record
from pullback.tape.sweep import Records, find_path, inputs_of
from pullback.tape.tensor import Tensor
from pullback.tape.variable import Variable


class Tape(Protocol):
    """What is asked of a tape here; see `GradientTape`."""

    records: dict[int, Record | None] | None
    disconnections: Disconnections
    watched_at: dict[int, int]
    watches_variables: bool
    recording: bool
    last_key: int


def explain(tape: Tape, records: Records, target: Tensor, source: Tensor) -> str:
    """The cause of a gradient that is None, or that there is none."""
    for name, one in (("target", target), ("source", source)):
        if one.dtype.kind != "f":
            return f"The {name} is made of {one.dtype}, which has no derivative: use floats, as in x.astype(float)."
    if target._key == source._key or source._key in find_path(records, [target._key], frozenset([source._key])).members:
        return "The target depends on the source: the gradient is not None."
    if source._key not in records:
        return _of_unknown_source(tape, source)
    followed = find_followed(records, source._key)
    elsewhere = _of_foreign_target(tape, records, target)
    if elsewhere is not None:
        return elsewhere
    disconnection = find_disconnection(tape.disconnections, followed)
    if disconnection is not None:
        return describe_disconnection(disconnection)
    if tape.watched_at.get(source._key, 0) > target._key:
        return "The source was watched after the target was computed: call tape.watch before its first use."
    if target._key not in records:
        return "The target is not computed from anything that the tape watches, as far as it has seen."
    return "The target is not computed from the source."


def find_followed(records: Records, source: int) -> set[int]:
    """The numbers of the tensors that are computed from a source, and its own."""
    followed = {source}
    for key in sorted(records):
        record = records[key]
        if record is not None and not followed.isdisjoint(inputs_of(record)):
            followed.add(key)
    return followed


def find_disconnection(disconnections: Iterable[Disconnection], followed: set[int]) -> Disconnection | None:
    """The last of those of something computed from the source, a comparison only if there is no other."""
    found = [one for one in disconnections if not followed.isdisjoint(one.inputs)]
    weightier = [one for one in found if not one.is_test]
    return (weightier or found)[-1] if found else None


def describe_disconnection(disconnection: Disconnection) -> str:
    """What happened there, and to what it leads."""
    if disconnection.result is None:
        reason = f"{disconnection.what} took the elements out of the tape: what is computed from them is constant."
    else:
        reason = f"{disconnection.what} has no derivative: what is computed from its result is constant."
    return describe_at(disconnection.site, reason)


def _of_unknown_source(tape: Tape, source: Tensor) -> str:
    """Why a source is none that the tape follows."""
    others = [other for other in _other_tapes(tape) if source._key in (other.records or ())]
    if isinstance(source, Variable):
        name = source.name
        if not source.trainable:
            return f"The variable '{name}' is not trainable, so the tape does not watch it: call tape.watch on it."
        if not tape.watches_variables:
            return f"The tape watches what it is told to, and not the variable '{name}': call tape.watch on it."
        return f"The variable '{name}' was not read while the tape recorded."
    if others:
        return "The source belongs to another tape: call tape.watch on it here too, before its first use."
    return (
        "The source is a tensor that the tape does not watch: call tape.watch on it before its first use, or make it "
        "a pb.Variable. If the name stood for a variable before, as in x = x + 1, it stands for a new tensor now: "
        "change the variable itself, as in x.assign_add(1)."
    )


def _of_foreign_target(tape: Tape, records: Records, target: Tensor) -> str | None:
    """That a target was computed where the tape did not see it; None if that is not so."""
    if target._key in records:
        return None
    if any(target._key in (other.records or ()) for other in _other_tapes(tape)):
        return "The target was recorded by another tape."
    if not tape.recording and target._key > tape.last_key:
        return "The target was computed after the tape was left: compute it inside of the 'with' block."
    return None


def _other_tapes(tape: Tape) -> list[Tape]:
    return [other for other in gc.get_objects() if type(other) is type(tape) and other is not tape]

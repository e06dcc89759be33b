"""`with pb.GradientTape() as tape:` in a function: gradients become statements before it runs.

with pb.GradientTape() as tape:        w.1 = watched(w)
    tape.watch(w)                      t = multiply(w.1, x)
    loss = np.sum((w * x) ** 2)   →    …
dw = tape.gradient(loss, w)            dw = gradient(w.1, (loss,))

What a tape follows is a value of its own, so that what was computed before, or stays outside, does not count. In the
block the names stand for that value, afterwards for the old one again. What has no gradient is known here: None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gast

from pullback.errors import Location
from pullback.frontend.values.bindings import Binding, Cell, Static, TapeRef
from pullback.frontend.values.context import Context
from pullback.frontend.values.exchanged import mapped, mapped_content, mapped_points_to
from pullback.functions import is_constant
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, Let, Operand, Statement, Value
from pullback.ir.reach import reached

TAPE = "__pullback_tape__"
"""The attribute that marks the class whose objects are tapes."""


@dataclass(eq=False, slots=True)
class Tape:
    """A tape of the text. Its block's statements are appended to `statements`, after the first `start` of them.

    sources: by memory or original number what stands for it while it is followed, or why it has no gradient.
    renamed: what stood there before. depth: how many loops are around the tape.
    """

    persistent: bool
    watches_variables: bool
    statements: list[Statement]
    start: int
    depth: int
    location: Location
    nan: str | None = None
    recording: bool = True
    sources: dict[Any, Value | str] = field(default_factory=dict)
    renamed: dict[Value, Operand] = field(default_factory=dict)
    recorded: frozenset[Value] = frozenset()


def is_tape(binding: Binding) -> bool:
    return isinstance(binding, Static) and isinstance(binding.value, type) and hasattr(binding.value, TAPE)


def record(context: Context, node: Any) -> None:
    """A with-statement whose contexts are tapes."""
    if not node.items:
        context.execute(node.body)
        return
    item = node.items[0]
    rest = gast.copy_location(gast.With(node.items[1:], node.body, None), node)
    tape = _opened(context, item.context_expr)
    context.state.names[(context.frame.number, item.optional_vars.id)] = TapeRef(tape)
    with _recording(context, tape, node):
        record(context, rest)


def _opened(context: Context, call: Any) -> Tape:
    given = [context.evaluate(argument) for argument in call.args]
    options = dict(zip(("persistent", "watch_accessed_variables", "nan"), given, strict=False))
    options.update({keyword.arg: context.evaluate(keyword.value) for keyword in call.keywords})
    known: dict[str, Any] = {"persistent": False, "watch_accessed_variables": True, "nan": None}
    for name, binding in options.items():
        if name not in known or len(given) > len(known):
            context.mistyped(call, f"GradientTape has no argument '{name}'", f"its arguments are {', '.join(known)}")
        if name == "nan" and isinstance(binding, Constant | Static):
            known[name] = binding.value
        elif not isinstance(binding, Constant):
            context.refuse(call, f"'{name}' is not known before the run", "write True or False")
        else:
            known[name] = bool(binding.value)
    statements = context.builder.statements
    return Tape(
        known["persistent"],
        known["watch_accessed_variables"],
        statements,
        len(statements),
        context.depth,
        context.location(call),
        known["nan"],
    )


@contextmanager
def _recording(context: Context, tape: Tape, node: Any) -> Iterator[None]:
    context.watching.tapes.append(tape)
    try:
        if tape.watches_variables:
            for parameter in context.watching.variables:
                _follow_variable(context, tape, parameter)
        yield
        if tape.recording:
            stop(context, tape)
    finally:
        context.watching.tapes.remove(tape)
        _leave_variables(context, tape)


def stop(context: Context, tape: Tape) -> None:
    """The tape follows nothing any more: names stand again for what they stood for before."""
    tape.recorded = frozenset(recorded(tape))
    tape.recording = False
    for key, source in tape.sources.items():
        version = context.state.cells.get(key, source) if isinstance(key, Cell) else source
        if source not in context.watching.history(version):
            tape.sources[key] = f"'{key.name}' is written in the block of its tape"
    rename(context, tape.renamed)
    _leave_variables(context, tape)


def _leave_variables(context: Context, tape: Tape) -> None:
    for parameter, value in context.watching.present.items():
        context.watching.present[parameter] = tape.renamed.get(value, value)


def rename(context: Context, terms: Mapping[Value, Any]) -> None:
    """Let every name and every array stand for other values."""
    state = context.state

    def change(value: Any) -> Any:
        while value in terms:
            value = terms[value]
        return value

    state.names = {key: mapped(binding, change) for key, binding in state.names.items()}
    state.cells = {cell: mapped_content(content, change) for cell, content in state.cells.items()}
    state.points_to = {cell: mapped_points_to(points_to, change) for cell, points_to in state.points_to.items()}


def recorded(tape: Tape) -> Set[Value]:
    """What the tape follows, and what was computed of it in its block."""
    if not tape.recording:
        return tape.recorded
    followed = [source for source in tape.sources.values() if isinstance(source, Value)]
    return reached(Block(tuple(tape.statements)), followed, is_constant)


# Watching


def _followed(context: Context, tape: Tape, key: Any, old: Operand, location: Location) -> Let:
    """The statement that makes the value which stands for another one while the tape follows it."""
    new = Value(getattr(old, "name", ""), old.type)
    tape.sources[key] = new
    tape.renamed[new] = old
    context.watching.originals[new] = old
    return Let(new, primitives.watched, (old, constant(context.watching.number())), (), location)


def know_variable(context: Context, parameter: Value, cell: Cell | None, trainable: bool) -> None:
    """A variable is read for the first time: the tapes that record follow it, if trainable, from their beginning on."""
    context.watching.variables[parameter] = cell
    if trainable:
        context.watching.trainable.add(parameter)
    for tape in context.watching.tapes:
        if tape.recording and tape.watches_variables:
            _follow_variable(context, tape, parameter)


def _follow_variable(context: Context, tape: Tape, parameter: Value) -> None:
    cell = context.watching.variables[parameter]
    key = parameter if cell is None else cell
    if key in tape.sources or parameter not in context.watching.trainable:
        return
    present = context.state.cells.get(cell) if cell is not None else None
    made = _followed(context, tape, key, present or context.watching.shown(parameter), tape.location)
    tape.statements.insert(tape.start, made)
    for other in context.watching.tapes[context.watching.tapes.index(tape) :]:
        other.start += other.statements is tape.statements
    _show_variable(context, parameter, made.value)


def _show_variable(context: Context, parameter: Value, value: Value) -> None:
    """Let a variable stand for a value, in what was read of it and in what will be."""
    context.watching.present[parameter] = value
    cell = context.watching.variables[parameter]
    if cell in context.state.cells:
        context.state.cells[cell] = value


def follow(context: Context, tape: Tape, key: Any, old: Operand, node: Any) -> Value:
    """The value that stands for `old` from here on, while the tape follows it."""
    made = _followed(context, tape, key, old, context.location(node))
    context.builder.add(made)
    for parameter, cell in context.watching.variables.items():
        if key in (parameter, cell):
            _show_variable(context, parameter, made.value)
    return made.value

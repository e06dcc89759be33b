"""Which loops over known items are read one iteration after the other.

Of those over a known range, the ones whose variable is the index of a list, and short ones that cannot be read as
loops, since each iteration makes another function, takes another axis, or leaves an array of another rank:

for i in range(2):                          params[0] = params[0] - rate * steps[0]
    params[i] = params[i] - rate * steps[i]     params[1] = params[1] - rate * steps[1]

Of those over known numbers, all but the ones that would make many copies of the loops in them: a nest of loops over
(-1, 0, 1) in three directions around a `while` stays a nest, as over range(-1, 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gast

from pullback.errors import PullbackError
from pullback.frontend.values.bindings import Binding, Conflict, ListRef, Range, Stack, TupleValue
from pullback.frontend.values.context import Context, StaticNeeded
from pullback.frontend.values.described import described
from pullback.frontend.values.state import State
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, For, Statement, While, walk
from pullback.ir.types import INT

MOST_ITERATIONS = 16

MOST_STATEMENTS = 300
"""So many statements a loop that fills a list becomes at most."""

MOST_LOOPS = 8
"""So many copies of loops the iterations of a loop over known numbers make at most, those around it included."""


def few_indices(node: Any, source: Range) -> tuple[Binding, ...] | None:
    """The values of the loop's variable, if they are known and few; None for any other loop."""
    bounds = (source.start, source.stop, source.step)
    numbers = [bound.value for bound in bounds if isinstance(bound, Constant)]
    if not isinstance(node.target, gast.Name) or source.checkpoints is not None or len(numbers) < 3:
        return None
    indices = range(*numbers)
    return tuple(map(constant, indices)) if len(indices) <= MOST_ITERATIONS else None


def needs_numbers(context: Context, node: Any) -> bool:
    """Whether it is seen in the text of a loop that each iteration must know its own number."""
    parts = [part for statement in node.body for part in gast.walk(statement) if isinstance(part, gast.Subscript)]
    return any(_needs_number(context, part, node.target.id) for part in parts)


def _needs_number(context: Context, part: Any, name: str) -> bool:
    """Whether `part` is an item of a list of known length that is written, or one of a list of different things."""
    mentioned = any(isinstance(inner, gast.Name) and inner.id == name for inner in gast.walk(part.slice))
    if not mentioned or not isinstance(part.value, gast.Name):
        return False
    binding = context.state.names.get(context.frame.key_around(part.value.id, context.state.names))
    content: Any = binding.items if isinstance(binding, TupleValue) else None
    if isinstance(binding, ListRef):
        content = context.state.cells.get(binding.cell)
    if not isinstance(content, tuple):
        return False
    kinds = {described(item, context.state) for item in content}
    return len(kinds) > 1 or (isinstance(part.ctx, gast.Store) and isinstance(binding, ListRef))


def read_as_range(
    context: Context, node: Any, items: tuple[Binding, ...], first: Callable[[], None], read: Callable[[Range], None]
) -> bool:
    """Read a loop over known numbers as one over their range, if its iterations make too many copies of loops.

    first: reads the first iteration. read: reads the loop over a range. Returns whether it did; if not, nothing has
    been read: there are few loops in it, it needs to know its numbers, or one over a range would not hand on a value.
    """
    numbers = _range_of(items)
    if numbers is None:
        return False
    with _undone(context), context.builder.block() as statements:
        first()
    loops = sum(isinstance(s, For | While) for s in walk(Block(tuple(statements), ())))
    if context.copies * len(items) * loops <= MOST_LOOPS:
        return False
    conflicts = _conflicts(context)

    def whole() -> None:
        read(numbers)
        for key in _conflicts(context) - conflicts:
            context.settled(context.state.names[key], node)

    context.copies *= len(items)
    try:
        return refusal(context, whole) is None
    finally:
        context.copies //= len(items)


def read_one_way(context: Context, few: int, counted: Callable[[], None], unrolled: Callable[[], None]) -> None:
    """Read a loop of few iterations over a range as a loop, or iteration by iteration.

    The second where the first is refused, or puts arrays into a list, which may be of different shapes; not there if
    that made many copies. The error is that of the first.
    """
    before, made = context.state, len(context.builder.statements)
    refused = refusal(context, counted)
    if refused is None and not _fills_with_arrays(before, context.state):
        return
    after, statements = context.state, context.builder.statements[made:]
    if refused is None and _is_long(statements, few):
        return
    context.state = before
    del context.builder.statements[made:]
    again = refusal(context, unrolled)
    if refused is not None and again is not None:
        raise refused
    if refused is None and (again is not None or _fills_with_arrays(before, context.state)):
        context.state = after
        context.builder.statements[made:] = statements


def refusal(context: Context, read: Callable[[], None]) -> PullbackError | StaticNeeded | None:
    """Read, and return the error that refuses it, if there is one: then nothing has been read."""
    before, context.state = context.state, context.state.copy()
    try:
        with context.builder.block() as statements:
            read()
    except (PullbackError, StaticNeeded) as error:
        context.state = before
        return error
    context.builder.statements.extend(statements)
    return None


def _fills_with_arrays(before: State, after: State) -> bool:
    """Whether a list of known length has become one whose length is a matter of the run, of arrays."""
    known = (cell for cell, content in before.cells.items() if isinstance(content, tuple))
    return any(isinstance(after.cells.get(cell), Stack) and after.cells[cell].buffer.type.ndim > 1 for cell in known)


def _is_long(statements: list[Statement], few: int) -> bool:
    """Whether so many copies of the body of a loop, the last one of some statements, are too much."""
    inside = list(walk(Block(tuple(statements), ())))
    loops = sum(isinstance(s, For | While) for s in inside) - 1
    return few * loops > MOST_LOOPS or few * len(inside) > MOST_STATEMENTS


def _range_of(items: tuple[Binding, ...]) -> Range | None:
    """The range that has these items."""
    numbers = [item.value for item in items if isinstance(item, Constant) and item.type == INT]
    if len(numbers) < len(items) or len(items) < 2:
        return None
    first, step = numbers[0], numbers[1] - numbers[0]
    stop = first + step * len(items)
    if not step or numbers != list(range(first, stop, step)):
        return None
    return Range(constant(first), constant(stop), constant(step))


@contextmanager
def _undone(context: Context) -> Iterator[None]:
    """What is read inside leaves the state as it was."""
    state, context.state = context.state, context.state.copy()
    try:
        yield
    finally:
        context.state = state


def _conflicts(context: Context) -> set[Any]:
    return {key for key, binding in context.state.names.items() if isinstance(binding, Conflict)}

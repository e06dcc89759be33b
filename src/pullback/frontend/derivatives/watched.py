"""Arguments by which a derivative is taken: their numbers and arrays are marked before the function is read with them.

What is marked is a value of its own, so that what the function takes from elsewhere does not count, even where it is
the same array. An array that the function writes is written back when it has been read.
"""

from __future__ import annotations

from typing import Any

from pullback.frontend.derivatives.structures import mapped
from pullback.frontend.values.bindings import ArrayRef, Binding, Cell
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Let, Value
from pullback.ir.types import is_float


class Watched:
    """The marked arguments of one call. `marks` are in the order in which they were made."""

    def __init__(self, context: Context, node: Any) -> None:
        self.context, self.node = context, node
        self.marks: list[Value] = []
        self.lent: list[tuple[ArrayRef, Cell, Value]] = []
        self.containers: list[tuple[Cell, Any, str]] = []

    def argument(self, binding: Binding, name: str, others: bool = False) -> Binding:
        """What stands for an argument in the call. TypingError where it is not made of floats, unless `others`."""
        count = len(self.marks)

        def note(cell: Cell, content: Any) -> None:
            self.containers.append((cell, content, name))

        def keep(binding: Binding) -> Binding:
            return binding

        made = mapped(self.context, binding, lambda leaf: self.leaf(leaf, name, others), self.node, note, keep)
        if len(self.marks) == count and not others:
            self.context.mistyped(self.node, f"a derivative cannot be taken by '{name}', which has no numbers")
        return made

    def leaf(self, binding: Any, name: str, others: bool) -> Binding:
        context, node = self.context, self.node
        operand = context.read(binding, node) if isinstance(binding, ArrayRef) else binding
        if not is_float(operand.type):
            if others:
                return binding
            reason = f"a derivative cannot be taken by '{name}', which is of dtype {operand.type.dtype}"
            context.mistyped(node, reason, "pass a float, as in 2.0 or x.astype(float)")
        mark = Value(getattr(operand, "name", "") or name, operand.type)
        context.builder.add(
            Let(mark, primitives.watched, (operand, constant(context.watching.number())), (), context.location(node))
        )
        self.marks.append(mark)
        if not isinstance(binding, ArrayRef):
            return mark
        cell = Cell(mark.name)
        context.state.cells[cell] = mark
        context.state.descend(cell, binding.cell)
        self.lent.append((binding, cell, mark))
        return ArrayRef(cell)

    def leave(self) -> None:
        """End of the call: arrays that it has written are written back."""
        context, state = self.context, self.context.state
        for cell, content, name in self.containers:
            if state.cells.get(cell, content) != content:
                reason = f"the function changes what '{name}' holds, by which a derivative of it is taken"
                context.refuse(self.node, reason, "let it work on a copy")
        for ref, cell, mark in self.lent:
            present = state.cells.get(cell, mark)
            if present is not mark:
                state.stale.pop(ref.cell, None)
                context.store(ref, (), present, self.node)

    def mark_of(self, leaf: Any) -> Value:
        """The mark of a number or array among the arguments."""
        if not isinstance(leaf, ArrayRef):
            assert isinstance(leaf, Value), "numbers among the arguments are marked"
            return leaf
        return next(mark for _, cell, mark in self.lent if cell is leaf.cell)

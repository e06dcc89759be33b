"""Arrays of which only the run knows whose memory they are: one of several, chosen by branches and iterations.

A name that a branch binds to another array has a cell of its own whose aliases say, each under a condition, which
memory that is. As long as nobody writes, the name is one value, chosen where the branches meet. A write goes to the
array that the condition names; what may be that array is made anew before it is read:

>>> import numpy as np, pullback as pb
>>> def written(x, c):
...     y = x * 2.0
...     z = y if c else x * 3.0
...     z[0] = 0.0
...     return np.sum(y)
>>> pb.grad(written)(np.ones(3), True), pb.grad(written)(np.ones(3), False)
(array([0., 2., 2.]), array([2., 2., 2.]))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pullback.frontend.values.bindings import ArrayRef, Cell, PointsTo, joined
from pullback.frontend.values.branches import branch
from pullback.frontend.values.choosing import either
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.nodes import Operand, Step, Value


class PointsToContext(Context):
    """A reader that follows each access to the memory that it reaches in the run."""

    def version(self, cell: Cell, node: Any) -> Any:
        points_to = self.state.points_to.get(cell)
        if points_to is None or not points_to.moved:
            return super().version(cell, node)
        value = self._chosen(cell, points_to, (), node)
        self.state.cells[cell] = value
        self.state.points_to[cell] = replace(points_to, moved=False)
        return value

    def read(self, ref: ArrayRef, node: Any) -> Value:
        points_to = self.state.points_to.get(ref.cell)
        if points_to is None or not points_to.moved or not ref.path:
            return super().read(ref, node)
        return self._chosen(ref.cell, points_to, ref.path, node)

    def _chosen(self, cell: Cell, points_to: PointsTo, path: tuple[Step, ...], node: Any, k: int = 0) -> Value:
        """The part that a path names, read from the memory that the cell is."""
        self.check_fresh(cell, node)
        if k == len(points_to.aliases):
            return self.along(points_to.own, path, node)
        alias = points_to.aliases[k]
        seen = ArrayRef(alias.ref.cell, joined(alias.ref.path, path))
        if k == len(points_to.aliases) - 1 and points_to.own is None:
            return self.read(seen, node)
        return either(
            self,
            alias.holds,
            lambda: self.read(seen, node),
            lambda: self._chosen(cell, points_to, path, node, k + 1),
            cell.name,
            node,
        )

    def store(
        self,
        ref: ArrayRef,
        path: tuple[Step, ...],
        value: Operand,
        node: Any,
        function: Callable[..., Any] = primitives.store,
    ) -> None:
        self.check_writable(ref.cell, node)
        if ref.cell in self.state.points_to:
            self._store_in(ref, path, value, node, function)
            self.state.points_to[ref.cell] = replace(self.state.points_to[ref.cell], moved=True)
        else:
            self.overwrite(ref, path, value, node, function)
        self.state.moved(ref.cell)

    def _store_in(
        self, ref: ArrayRef, path: tuple[Step, ...], value: Operand, node: Any, function: Callable[..., Any], k: int = 0
    ) -> None:
        """Write to the memory that the cell is, from its alias number k on."""
        points_to = self.state.points_to[ref.cell]
        if k == len(points_to.aliases):
            self._store_in_own(ref, path, value, node, function)
            return
        alias = points_to.aliases[k]
        seen = ArrayRef(alias.ref.cell, joined(alias.ref.path, ref.path))
        if k == len(points_to.aliases) - 1 and points_to.own is None:
            self.store(seen, path, value, node, function)
            return
        branch(
            self,
            alias.holds,
            lambda: self.store(seen, path, value, node, function),
            lambda: self._store_in(ref, path, value, node, function, k + 1),
            node,
        )

    def _store_in_own(
        self, ref: ArrayRef, path: tuple[Step, ...], value: Operand, node: Any, function: Callable[..., Any]
    ) -> None:
        cell, state = ref.cell, self.state
        state.cells[cell], points_to = state.points_to[cell].own, state.points_to.pop(cell)
        self.overwrite(ref, path, value, node, function)
        state.points_to[cell] = replace(points_to, own=state.cells[cell], moved=True)

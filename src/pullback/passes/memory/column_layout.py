"""Column layout: an array of few columns, down which an innermost loop goes again and again, is held column by column.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def pull(points):
...     force = np.zeros((points.shape[0], 2))
...     for i in range(points.shape[0]):
...         for j in range(i):
...             dx, dy = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1]
...             force[j, 0] += dx / (dx * dx + dy * dy)
...             force[j, 1] += dy / (dx * dx + dy * dy)
...     return force
>>> function = prepared(normal_form(pull, np.ones((4, 2))))
>>> text = emit_module([hold_by_columns(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def pull(points):
    force = column_zeros((points.shape[0], 2), np.float64)
    for i in range(points.shape[0]):
        for j in range(i):
            dx = points[i, 0] - points[j, 0]
            dy = points[i, 1] - points[j, 1]
            force_sum = dx * dx + dy * dy
            force[j, 0] += dx / force_sum
            force[j, 1] += dy / force_sum
    force = in_rows(force)
    return force

Neighbouring iterations then access neighbouring elements, of which a machine loads eight at a time; in rows, they are
two or three places apart (data layout transformation, from an array of structures to a structure of arrays). That is
done with arrays that the function makes and accesses by elements alone, and with a copy of an argument that it reads,
if its rows are known to be short (here they are not).
It pays where a loop around makes the inner one run often, and where no element is found by an index from an array: of
those that are, the neighbours in the row are on the same line of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import find_aliases
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import is_guard
from pullback.analysis.straight_loops import is_straight
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    lets_in,
    made_in_iterations,
    operands_of,
    values_in,
)
from pullback.ir.rewrite import like, with_blocks
from pullback.ir.types import Array
from pullback.passes.loops.stencil import offset_of

MOST_COLUMNS = 4
_BY_COLUMNS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.zeros: runtime.column_zeros,
    np.empty: runtime.column_empty,
}


def hold_by_columns(function: Function) -> Function:
    """The same function with such arrays in the other layout."""
    if function.callees or function.mutated:
        return function
    uses = _Uses(function)
    accesses = uses.of_likes()
    matrices = {root for root, found in accesses.items() if uses.has_few_columns(root) and pays(found, uses)}
    copies = {p: like(p) for p in function.parameters if p in matrices}
    made = {root for root in matrices - copies.keys() if uses.is_own(root)}
    if not copies and not made:
        return function
    return _Layout(uses, copies, made).of(function)


@dataclass(frozen=True, slots=True)
class _Access:
    """An access to an element of a matrix. loops: those around it, from the outermost."""

    statement: Let
    loops: tuple[For | While, ...]


class _Uses:
    """How a function uses its arrays, each known by the root of its versions.

    accesses: to elements. makers: the statements that make a version otherwise than by a write. likes: the array whose
    layout one that is made has. escaping: the arrays that are read otherwise.
    """

    def __init__(self, function: Function) -> None:
        self.root = find_aliases(function).root
        self.shapes = Shapes(function)
        self.lets = lets_in(function.body)
        self.accesses: dict[Value, list[_Access]] = {}
        self.makers: dict[Value, list[Let]] = {}
        self.likes: dict[Value, Value] = {}
        self.escaping: set[Value] = set()
        self.survey(function.body, ())

    def survey(self, block: Block, loops: tuple[For | While, ...]) -> None:
        for statement in block.statements:
            if isinstance(statement, Let):
                self.let(statement, loops)
            elif not blocks_of(statement):
                self.escaping.update(map(self.root, _arrays(operands_of(statement))))
            inside = (*loops, statement) if isinstance(statement, For | While) else loops
            for inner in blocks_of(statement):
                self.survey(inner, inside)

    def let(self, statement: Let, loops: tuple[For | While, ...]) -> None:
        if statement.function in primitives.ACCESSES and _is_element(statement):
            self.accesses.setdefault(self.root(statement.operands[0]), []).append(_Access(statement, loops))
        elif statement.function is primitives.zeros_like:
            made, original = self.root(statement.value), self.root(statement.operands[0])
            self.likes[made] = original
            self.makers.setdefault(made, []).append(statement)
        elif statement.function is primitives.accumulate:
            pass  # whole arrays are added in any layout
        elif statement.function is primitives.store:
            self.escaping.update(map(self.root, _arrays(statement.operands[:2])))
        elif statement.function is not primitives.dim:
            self.escaping.update(map(self.root, _arrays(statement.operands)))
            if isinstance(statement.value.type, Array):
                self.makers.setdefault(self.root(statement.value), []).append(statement)

    def has_few_columns(self, root: Value) -> bool:
        sizes = self.shapes.of(root)
        return len(sizes) == 2 and isinstance(sizes[1], int) and 1 < sizes[1] <= MOST_COLUMNS

    def of_likes(self) -> dict[Value, list[_Access]]:
        """The accesses to each array, and to those that are made in its layout."""
        found = {root: list(accesses) for root, accesses in self.accesses.items()}
        for made, original in self.likes.items():
            found.setdefault(original, []).extend(found.pop(made, []))
        return found

    def is_own(self, root: Value) -> bool:
        """Whether the function makes an array, in one place, and those like it, and accesses elements of them alone."""
        makers = self.makers.get(root, [])
        likes = [made for made, original in self.likes.items() if original is root]
        alone = self.escaping.isdisjoint((root, *likes)) and all(len(self.makers[made]) == 1 for made in likes)
        return len(makers) == 1 and makers[0].function in _BY_COLUMNS and alone


def pays(accesses: list[_Access], uses: _Uses) -> bool:
    """Whether an innermost loop in another one goes down the columns of an array, and none finds its elements."""
    goes_down = False
    for access in accesses:
        row = access.statement.operands[1][0].items[0]
        counting = [k for k, loop in enumerate(access.loops) if _counts(loop, row, uses)]
        innermost = access.loops[-1] if access.loops else None
        if counting and counting[-1] == len(access.loops) - 1 > 0:
            goes_down |= isinstance(innermost, For) and is_straight(innermost)
        elif not counting and any(row in made_in_iterations(loop) for loop in access.loops):
            return False
    return goes_down


def _counts(loop: For | While, row: Operand, uses: _Uses) -> bool:
    """Whether a row is the index of a loop, or a constant number before or after it."""
    return isinstance(loop, For) and offset_of(row, loop.index, uses.lets) is not None


class _Layout:
    """copies: those of parameters. made: the roots of arrays that the function makes."""

    def __init__(self, uses: _Uses, copies: dict[Value, Value], made: set[Value]) -> None:
        self.uses, self.copies, self.made = uses, copies, made

    def of(self, function: Function) -> Function:
        body = self.block(function.body)
        first = max((k + 1 for k, statement in enumerate(body.statements) if is_guard(statement)), default=0)
        taken = [Let(copy, runtime.in_columns, (parameter,)) for parameter, copy in self.copies.items()]
        returned = [value for value in _arrays(body.yields) if self.uses.root(value) in self.made]
        results = {value: like(value) for value in returned}
        given = [Let(result, runtime.in_rows, (value,)) for value, result in results.items()]
        yields = tuple(results.get(y, y) if isinstance(y, Value) else y for y in body.yields)
        statements = (*body.statements[:first], *taken, *body.statements[first:], *given)
        return replace(function, body=Block(statements, yields))

    def block(self, block: Block) -> Block:
        return Block(tuple(map(self.statement, block.statements)), block.yields)

    def statement(self, statement: Statement) -> Statement:
        if not isinstance(statement, Let):
            return with_blocks(statement, self.block)
        if statement.function in _BY_COLUMNS and self.uses.root(statement.value) in self.made:
            return replace(statement, function=_BY_COLUMNS[statement.function])
        if statement.function is primitives.load and _is_element(statement) and statement.operands[0] in self.copies:
            return replace(statement, operands=(self.copies[statement.operands[0]], *statement.operands[1:]))
        return statement


def _is_element(access: Let) -> bool:
    """Whether an access is to one element of a matrix, in a column whose number is a constant."""
    path = access.operands[1]
    items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
    return len(items) == 2 and isinstance(items[0], Value) and _is_column(items[1])


def _is_column(item: Any) -> bool:
    return isinstance(item, Constant) and isinstance(item.value, int)


def _arrays(operands: Operand | tuple[Operand, ...]) -> Iterator[Value]:
    return (value for value in values_in(operands) if isinstance(value.type, Array))

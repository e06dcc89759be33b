"""Arrays that a function makes, fills and hands on: which statement made one, and who else may see its memory.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(x):
...     y = np.empty(x.shape[0])
...     z = np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         y[i] = x[i]
...         z[i] = x[i]
...     return y[0], z
>>> function = normal_form(f, np.ones(3))
>>> arrays, values = MadeArrays(function), values_by_name(function)
>>> arrays.owner(values["y.3"]).name
'y'
>>> [arrays.maker(values[name], function.body) is None for name in ("y.3", "z.3")]
[False, True]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from pullback.analysis.aliases import consumes, find_aliases, root_of
from pullback.analysis.shapes import CREATING
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    While,
    results_of,
    values_in,
    walk,
)
from pullback.ir.types import Array

_ALLOCATING = CREATING | {primitives.zeros_like, primitives.copy}


class MadeArrays:
    """What a function makes, and the writes to it; `moved` are the arrays that are in the memory of others since."""

    def __init__(self, function: Function) -> None:
        self.aliases = find_aliases(function)
        self.results = {self.aliases.root(value) for value in function.results if isinstance(value, Value)}
        self.made = {value: statement for statement in walk(function.body) for value in results_of(statement)}
        self.carried_in_place = dict(_carried_in_place(function.body, self.made))
        self.writes = [s for s in walk(function.body) if isinstance(s, Let) and consumes(s)]
        self.moved: set[Value] = set()

    def let(self, operand: Operand, *functions: Callable[..., Any]) -> Let | None:
        """The statement that makes a value, if that calls one of these functions."""
        made = self.made.get(operand) if isinstance(operand, Value) else None
        return made if isinstance(made, Let) and made.function in functions else None

    def maker(self, array: Operand, block: Block) -> Let | None:
        """The statement of a block that makes the array that became this one.

        None where a result of the function may share its memory, or where it has been moved already.
        """
        owner = self.owner(array) if isinstance(array, Value) else None
        made = None if owner is None else self.let(owner, np.empty)
        if made is None or made.value not in (s.value for s in block.statements if isinstance(s, Let)):
            return None
        return made if self.aliases.root(made.value) not in self.results and made.value not in self.moved else None

    def owner(self, array: Value) -> Value | None:
        """The array that became this one by writes in place, in loops and branches too."""
        root = root_of(array, self.made)
        while root in self.carried_in_place:
            root = root_of(self.carried_in_place[root], self.made)
        return root

    def may_share(self, a: Value, b: Value) -> bool:
        """Whether two arrays may be of one piece of memory."""
        of_one_class = self.aliases.root(a) is self.aliases.root(b)
        return of_one_class and not (self.is_made_after(a, b) or self.is_made_after(b, a))

    def is_made_after(self, a: Value, b: Value) -> bool:
        """Whether an array is in memory that is allocated when that of another one is there already."""
        owner = self.owner(a)
        made = self.made.get(owner) if owner is not None else None
        return (
            isinstance(made, Let)
            and made.function in _ALLOCATING
            and self.aliases.is_older(self.owner(b) or b, made.value)
        )

    def writes_to(self, array: Value) -> Iterator[Value]:
        """The versions that writes make of what may share memory with an array."""
        root = self.aliases.root(array)
        return (write.value for write in self.writes if self.aliases.root(write.value) is root)

    def outlives(self, array: Value, around: tuple[For | While, ...]) -> bool:
        """Whether an iteration of a loop around may hand on the memory of an array."""
        handed_on = (v for loop in around for v in values_in((*loop.body.yields, *(c.initial for c in loop.carried))))
        return self.aliases.root(array) in map(self.aliases.root, handed_on)


def sizes_of(maker: Let) -> tuple[Operand, ...]:
    """The sizes of an array that a statement makes."""
    sizes = maker.operands[0]
    return sizes if isinstance(sizes, tuple) else (sizes,)


def between(block: Block, first: Value, last: Value) -> Block:
    """The statements of a block from what makes one value to before what makes another one."""
    values = [s.value if isinstance(s, Let) else None for s in block.statements]
    return Block(block.statements[values.index(first) : values.index(last)])


def _carried_in_place(body: Block, made: Mapping[Value, Statement]) -> Iterator[tuple[Value, Operand]]:
    """The arrays that loops carry and write in place, with what they start from."""
    for loop in walk(body):
        if isinstance(loop, For | While):
            for carried, after in zip(loop.carried, loop.body.yields, strict=False):
                if isinstance(carried.parameter.type, Array) and root_of(after, made) is carried.parameter:
                    yield carried.parameter, carried.initial

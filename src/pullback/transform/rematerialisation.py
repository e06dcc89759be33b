r"""Rematerialisation: what is cheap to compute of other residuals is not handed over, but computed again.

>>> import numpy as np, pullback as pb
>>> def f(a, x):
...     return np.sum((a.T @ (a @ x)) ** 2)
>>> text = pb.source(f, np.ones((2, 2)), np.ones(2), argnums=1)
>>> print(*(line for line in text.splitlines() if "def f_backward" in line or "x_bar =" in line), sep="\n")
def f_backward(a, product, y_bar):
    x_bar = 2.0 * y_bar * product @ a.T @ a

`a.T` is a view of `a`, which is handed over as it is. So is an argument in place of a multiple of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from pullback.functions import is_elementwise
from pullback.ir.nodes import Block, Function, Let, Operand, Value, values_in
from pullback.ir.rewrite import copied, substituted
from pullback.ir.types import Array
from pullback.transform.min_cut import CHEAP


def rematerialise(pulled: Function, forward: Function, residuals: tuple[Value, ...]) -> Function:
    """A backward function that computes at its entry what follows from its other residuals by cheap operations."""
    lets = [s for s in forward.body.statements if isinstance(s, Let)]
    wanted = set(residuals)
    known = wanted | {array for s in lets if s.value in wanted for array in _replacing(s, forward)}
    again = [s for s in lets if s.value in wanted and s.function in CHEAP and known.issuperset(values_in(s.operands))]
    if not again:
        return pulled
    terms: dict[Value, Operand] = {}
    entry = [copied(statement, terms) for statement in again]
    body = substituted(pulled.body, terms)
    return replace(pulled, body=Block((*entry, *body.statements), body.yields))


def _replacing(statement: Let, forward: Function) -> Iterable[Value]:
    """An array that takes as much memory as what is computed of it: of one that is transposed, or an argument."""
    arrays = [value for value in values_in(statement.operands) if isinstance(value.type, Array)]
    if statement.function is np.transpose:
        return arrays
    is_same = len(arrays) == 1 and arrays[0].type == statement.value.type and is_elementwise(statement.function)
    alone = is_same and set(values_in(statement.operands)) == set(arrays)
    return arrays if alone and statement.function in CHEAP and arrays[0] in forward.parameters else ()

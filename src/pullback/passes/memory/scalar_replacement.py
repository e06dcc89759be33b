"""Scalar replacement: an element that every iteration of a loop adds to is summed in a variable, and written once.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def sums_of_products(x, w):
...     y = np.zeros(2)
...     for i in range(2):
...         for j in range(w.shape[0]):
...             y[i] += x[j] * w[j]
...     return y
>>> function = prepared(normal_form(sums_of_products, np.ones(3), np.ones(3)))
>>> text = emit_module([replace_elements_by_scalars(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def sums_of_products(x, w):
    y = np.zeros((2,))
    for i in range(2):
        total = 0.0
        for j in range(w.shape[0]):
            total += x[j] * w[j]
        if 0 < w.shape[0]:
            y[i] += total
    return y

A sum in a variable can be vectorised; one in memory cannot, because the memory may be that of `x` or `w`. It is legal
where the iterations do nothing with the array but add to elements, some of which have an index that is the same for all
of them. A loop without iterations writes nothing: its index may be outside. Where the caller sees what the array has
when an iteration raises, that is legal only if none does, which is known when accesses have been checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from pullback.analysis.aliases import consumes
from pullback.analysis.observable import find_effects
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    If,
    Let,
    Statement,
    Value,
    While,
    is_scalar,
    made_in_iterations,
    read_in,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import BOOL, Array, Scalar, is_float

IsSeen = Callable[[For, Value], bool]
"""Whether the caller sees what an array has where an iteration of a loop raises."""


def replace_elements_by_scalars(function: Function, checked: bool = False) -> Function:
    """The same function with such elements summed in variables.

    checked: whether all that raises in a loop stands there as a statement of its own.
    """
    callees = tuple(replace_elements_by_scalars(callee, checked) for callee in function.callees)
    effects = cache(lambda: find_effects(function))

    def may_raise(statement: Statement) -> bool:
        if not isinstance(statement, Let):
            return isinstance(statement, Effect | Call | While)
        makes_arrays = not consumes(statement) and isinstance(statement.value.type, Array)
        whole = any(isinstance(value.type, Array) for value in values_in(statement.operands[1:]))
        return makes_arrays or whole or (not consumes(statement) and effects().is_seen(statement))

    def is_seen(loop: For, array: Value) -> bool:
        if not function.mutated or not effects().is_of_caller(array):
            return False
        return not checked or any(map(may_raise, walk(loop.body)))

    return replace(function, body=_block(function.body, is_seen), callees=callees)


def _block(block: Block, is_seen: IsSeen) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, lambda inner: _block(inner, is_seen))
        statements += _with_scalars(changed, is_seen) if isinstance(changed, For) else [changed]
    return Block(tuple(statements), block.yields)


def _with_scalars(loop: For, is_seen: IsSeen) -> list[Statement]:
    """The loop with its sums in variables, then what writes them."""
    after: list[Statement] = []
    if loop.step == constant(1) and not loop.exits:
        for k in reversed(range(len(loop.carried))):
            steps = _steps(loop, k)
            if steps and not is_seen(loop, loop.carried[k].parameter):
                loop, writes = _replaced(loop, k, steps)
                after = [*writes, *after]
    return [loop, *after]


def _steps(loop: For, k: int) -> list[Let]:
    """Additions to a carried array that have one place each, where iterations only add to its elements."""
    version: Value = loop.carried[k].parameter
    if not isinstance(version.type, Array) or not isinstance(loop.carried[k].initial, Value):
        return []
    changing = made_in_iterations(loop)
    uses = Counter(read_in(loop.body))
    steps: list[Let] = []
    for statement in loop.body.statements:
        if isinstance(statement, Let) and statement.operands and statement.operands[0] is version:
            _, path, addend = statement.operands if statement.function is primitives.add_at else (None, None, None)
            if path is None or uses[version] != 1:
                return []
            fixed = not is_advanced(path) and not changing & set(values_in(path))
            if fixed and isinstance(addend.type, Scalar) and _is_element(version, path):
                steps.append(statement)
            version = statement.value
    return steps if loop.body.yields[k] is version and uses[version] == 1 else []


def _is_element(array: Value, path: tuple[object, ...]) -> bool:
    """Whether a path is one index of a number for each axis."""
    items = getattr(path[0], "items", ()) if len(path) == 1 else ()
    return all(map(is_scalar, items)) and len(items) == getattr(array.type, "ndim", -1)


def _replaced(loop: For, k: int, steps: list[Let]) -> tuple[For, list[Statement]]:
    """The loop that sums in variables, and the statements that add the sums to the array behind it.

    The loop carries the array only if it adds to other elements too.
    """
    result, parameter = loop.results[k], loop.carried[k].parameter
    sums = [Value("total", Scalar(result.type.dtype)) for _ in steps]
    after = [Value("total", total.type) for total in sums]
    made = {
        step.value: Let(new, np.add, (total, step.operands[2]), location=step.location)
        for step, total, new in zip(steps, sums, after, strict=True)
    }
    body = _with_sums(loop.body, made)
    alone = body.yields[k] is parameter
    kept = [j for j in range(len(loop.carried)) if j != k or not alone]
    before = loop.carried[k].initial if alone else Value(result.name, result.type)
    results = [before if j == k else loop.results[j] for j in kept]
    totals = [Value("total", total.type) for total in sums]
    new_loop = replace(
        loop,
        carried=(
            *(loop.carried[j] for j in kept),
            *(Carried(total, Constant(0.0 if is_float(total.type) else 0, total.type)) for total in sums),
        ),
        body=Block(body.statements, (*(body.yields[j] for j in kept), *after)),
        results=(*results, *totals),
    )
    return new_loop, _written(loop, before, result, list(zip(steps, totals, strict=True)))


def _with_sums(body: Block, made: Mapping[Value, Let]) -> Block:
    """A loop's body with other statements in place of additions to an array, which stays as it was before them."""
    earlier: dict[Value, Any] = {}
    statements: list[Statement] = []
    for statement in body.statements:
        if isinstance(statement, Let) and statement.value in made:
            array = statement.operands[0]
            earlier[statement.value] = earlier.get(array, array)
            statements.append(made[statement.value])
        else:
            statements.append(statement)
    return substituted(Block(tuple(statements), body.yields), earlier)


def _written(loop: For, array: Value, result: Value, sums: list[tuple[Let, Value]]) -> list[Statement]:
    """The sums added to the array, if the loop had iterations: without any, an index may be outside."""
    has_iterations = Value("", BOOL)
    statements: list[Statement] = []
    version = array
    for step, total in sums:
        added = Value(result.name, result.type)
        statements.append(Let(added, primitives.add_at, (version, step.operands[1], total), location=step.location))
        version = added
    condition = Let(has_iterations, np.less, (loop.start, loop.stop), location=loop.location)
    then, orelse = Block(tuple(statements), (version,)), Block((), (array,))
    return [condition, If(has_iterations, then, orelse, (result,), loop.location)]

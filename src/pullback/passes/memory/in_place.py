"""In-place updates of carried arrays: the array that an iteration hands to the next is written over the one that it was
handed, not made anew.

>>> import pullback as pb
>>> def relaxed(a, x, n):
...     for _ in range(n):
...         x = a @ np.sin(x)
...     return x[0]
>>> given = np.ones((9, 9)), np.ones(9), 3
>>> print(pb.explain(relaxed, *given, argnums=1, passes=["in_place"]))
buffers: in_place, an array that an iteration hands to the next is written over the one that it was handed
  ...
           t.15: float64[:] = product_into(t.14, x_bar.2, a, False)
  -        x_bar.3: float64[:] = empty((t.4), dtype='float64')
  -        x_bar.6 = for i.1 in range(0, t.4, 1) with (x_bar.4: float64[:] = x_bar.3):
  +        x_bar.6 = for i.1 in range(0, t.4, 1) with (x_bar.4: float64[:] = x_bar.2):
               t.16: float64 = load(x.4, ([i.1]))

That is possible where both have one shape, and where the old array is not read any more once the new one is written, or
where each iteration of a nest reads only the element that it writes. A product that reads the old array itself is
copied over it at the end of the iteration:

>>> def power(a, x, n):
...     for _ in range(n):
...         x = a @ x
...     return x[0]
>>> print(pb.explain(power, *given, argnums=1, passes=["in_place"]))
buffers: in_place, an array that an iteration hands to the next is written over the one that it was handed
  ...
           x_bar.3: float64[:] = matmul(x_bar.2, a)
  -        yield x_bar.3
  +        x_bar.5: float64[:] = store(x_bar.2, ([...]), x_bar.3)
  +        yield x_bar.5
       return t.6, x_bar.4
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np

from pullback.analysis.aliases import consumes, root_of, shares_memory
from pullback.analysis.kept_rows import made_in_rows
from pullback.analysis.must_write import rank_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Carried,
    For,
    Function,
    If,
    Index,
    Let,
    Statement,
    Step,
    Value,
    While,
    read_by,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import Array
from pullback.passes.memory.allocation_hoisting import last_version
from pullback.passes.memory.destination_passing import WHOLE
from pullback.passes.memory.products import is_product, with_destination


def write_in_place(function: Function) -> Function:
    """The same function with arrays that its loops hand on in the memory of those before, where shapes are equal."""
    return replace(function, body=_InPlace(function).block(function.body))


class _InPlace:
    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.made_in_rows = made_in_rows(function)

    def block(self, block: Block) -> Block:
        changed = (with_blocks(statement, self.block) for statement in block.statements)
        return replace(block, statements=tuple(self.loop(s) if isinstance(s, For | While) else s for s in changed))

    def loop(self, loop: For | While) -> For | While:
        for k, carried in enumerate(loop.carried):
            if self.keeps_shape(loop, k):
                loop = replace(loop, body=_overwriting(loop.body, carried, k, self.made_in_rows))
        return loop

    def keeps_shape(self, loop: For | While, k: int) -> bool:
        """Whether an array and the one after it have one shape and type, and the latter is handed on nowhere else."""
        old, new = loop.carried[k].parameter, loop.body.yields[k]
        if type(old.type) is not Array or not old.type.ndim or not isinstance(new, Value) or old.type != new.type:
            return False
        alone = sum(value is new for value in values_in(loop.body.yields)) == 1
        return alone and self.shapes.of(old) == self.shapes.of(new)


def _overwriting(body: Block, carried: Carried, k: int, made_in_rows: Set[Value]) -> Block:
    """The body of a loop with the k-th array that it yields in the memory of the one before, if it can be."""
    new = body.yields[k]
    shared = _sharing({carried.parameter}, body)
    if shared & set(values_in(body.yields)):
        return body
    definitions: dict[Value, Statement] = {r: s for s in walk(body) for r in results_of(s)}
    old = last_version(carried.parameter, body)
    root = root_of(new, definitions)
    made = definitions.get(root) if root is not None else None
    if old is None or not isinstance(made, Let) or made not in body.statements or made.value in made_in_rows:
        return body
    free = _is_free(shared, made, body)
    if made.function is np.empty:
        changed = body if free else _going_along({carried.parameter, old}, shared, made, body)
        return _without(made, old, changed) if changed is not None else body
    if made.value is not new or not is_product(made):
        return body
    if free:
        return _with(made, with_destination(made, old), body)
    stored = Value(new.name, new.type)
    last = Let(stored, primitives.store, (old, WHOLE, new), location=made.location)
    return Block((*body.statements, last), (*body.yields[:k], stored, *body.yields[k + 1 :]))


def _sharing(found: set[Value], block: Block) -> set[Value]:
    """Some arrays, and the values of a block that may share memory with them."""
    for statement in block.statements:
        match statement:
            case Let() if statement.operands[0] in found and (consumes(statement) or shares_memory(statement)):
                found = found | {statement.value}
            case If():
                found = _sharing(_sharing(found, statement.then), statement.orelse)
                sides = zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True)
                found |= {result for result, *handed in sides if found.intersection(handed)}
            case For() | While():
                found = _sharing_in_iterations(found, statement)
    return found


def _sharing_in_iterations(found: set[Value], loop: For | While) -> set[Value]:
    count = len(loop.carried)
    handed = list(zip(loop.carried, loop.body.yields[:count], loop.results, strict=True))
    found = found | {carried.parameter for carried, _, _ in handed if carried.initial in found}
    while True:
        found = _sharing(found, loop.body)
        more = {carried.parameter for carried, new, _ in handed if new in found} - found
        if not more:
            return found | {result for carried, _, result in handed if carried.parameter in found}
        found |= more


def _is_free(shared: set[Value], made: Let, body: Block) -> bool:
    """Whether an array is not read any more from where another one is written for the first time."""
    readings = [set(read_by(statement)) for statement in body.statements]
    first = body.statements.index(made)
    if made.function is np.empty:
        first = next((k for k, read in enumerate(readings) if made.value in read), len(readings))
    return not any(read & shared for read in readings[first:])


def _going_along(versions: set[Value], shared: set[Value], made: Let, body: Block) -> Block | None:
    """The body, if the nest that writes the new array is the last to read the old one, an element before it is written.

    The nest then reads the elements of the new array that are yet to be written. versions: those of the old array
    itself, among the values that share its memory.
    """
    readings = [set(read_by(statement)) for statement in body.statements]
    first = next((k for k, read in enumerate(readings) if made.value in read), len(readings))
    if first == len(readings) or any(read & shared for read in readings[first + 1 :]):
        return None
    nest = body.statements[first]
    changed = _by_iteration(nest, made.value, versions, shared, ()) if isinstance(nest, For) else None
    return None if changed is None else _with(nest, changed, body)


def _by_iteration(
    loop: For, new: Value, versions: set[Value], shared: set[Value], around: tuple[Value, ...]
) -> For | None:
    """A loop each of whose iterations stores an element of its own, after it has read no other one of the old array."""
    indices = (*around, loop.index)
    k = next((k for k, carried in enumerate(loop.carried) if carried.initial is new), None)
    if k is None or loop.exits or list(read_by(loop)).count(new) != 1:
        return None
    version, after = loop.carried[k].parameter, loop.body.yields[k]
    readers = [s for s in loop.body.statements if shared.intersection(read_by(s))]
    match next((s for s in loop.body.statements if version in read_by(s)), None):
        case For() as inner if after in inner.results and all(s is inner for s in readers):
            changed = _by_iteration(inner, version, versions, shared, indices)
            return None if changed is None else replace(loop, body=_with(inner, changed, loop.body))
        case Let(function=primitives.store, operands=(_, (Index(items),) as path, _)) as store if store.value is after:
            before = loop.body.statements[: loop.body.statements.index(store)]
            is_own = set(indices) <= set(items) and len(items) == rank_of(version)
            if is_own and all(s in before and _loads(s, versions, path) for s in readers):
                return replace(loop, body=substituted(loop.body, dict.fromkeys(versions, version)))
    return None


def _loads(statement: Statement, versions: set[Value], path: tuple[Step, ...]) -> bool:
    """Whether a statement reads one element of some arrays."""
    match statement:
        case Let(function=primitives.load, operands=(array, place)):
            return array in versions and place == path
    return False


def _without(made: Let, old: Value, body: Block) -> Block:
    """The body with an array that it is handed in place of an empty one that it makes."""
    kept = tuple(statement for statement in body.statements if statement is not made)
    return substituted(Block(kept, body.yields), {made.value: old})


def _with(made: Statement, changed: Statement, body: Block) -> Block:
    """The body with another statement in place of one."""
    return Block(tuple(changed if statement is made else statement for statement in body.statements), body.yields)

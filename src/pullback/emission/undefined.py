"""Variables without a value on some path that are copied all the same: those get a placeholder there.

A flag guards every use of such a variable, but not the copy that hands it to a loop or out of a branch, nor what the
backward sweep asks of it to make an adjoint of the same shape, nor what an iteration keeps of it for a second
derivative:

if a > 0:                     if a > 0:
    y = 1.0                       y = 1.0
z = y                     →   else:
for i in range(n): …              y = 0.0
                              z = y
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.nodes import (
    For,
    Function,
    If,
    Let,
    Operand,
    Value,
    While,
    is_undefined,
    values_in,
    walk,
)

_UNGUARDED = (primitives.copy, primitives.dim, primitives.zeros_like)
_KEEPING = (primitives.store, runtime.keep)


def copied_values(function: Function, names: dict[Value, str]) -> frozenset[Value]:
    """The values that are copied, under another name too, kept, measured or returned, and those they come from."""
    sources: dict[Value, list[Value]] = {}
    copied: list[Value] = [*values_in(function.body.yields)]
    lets = [statement for statement in walk(function.body) if isinstance(statement, Let)]
    copied += [s.operands[0] for s in lets if s.function in _UNGUARDED]
    copied += [value for s in lets if s.function in _KEEPING for value in values_in(s.operands[-1])]
    for target, operand in _handed_over(function):
        if not isinstance(operand, Value):
            continue
        sources.setdefault(target, []).append(operand)
        if names.get(target) != names.get(operand):
            copied.append(operand)
    found: set[Value] = set()
    while copied:
        value = copied.pop()
        if value not in found:
            found.add(value)
            copied += sources.get(value, [])
    return frozenset(found)


def undefined_values(function: Function) -> frozenset[Value]:
    """The results of branches that some path leaves without a value, but not stacks, which have no placeholder."""
    found: set[Value] = set()
    for statement in walk(function.body):
        if isinstance(statement, If):
            sides = zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True)
            found.update(result for result, *yields in sides if any(map(is_undefined, yields)))
    return frozenset(found - _stacks(function))


def _stacks(function: Function) -> set[Value]:
    """The stacks of a function, under all names."""
    stacks: set[Value] = set()
    count = -1
    while count != len(stacks):
        count = len(stacks)
        stacks |= {s.value for s in walk(function.body) if isinstance(s, Let) and _is_stack(s, stacks)}
        stacks |= {target for target, operand in _handed_over(function) if operand in stacks}
    return stacks


def _is_stack(statement: Let, stacks: set[Value]) -> bool:
    if statement.function is runtime.growing:
        return True
    return statement.function is runtime.keep and statement.operands[0] in stacks


def _handed_over(function: Function) -> Iterator[tuple[Value, Operand]]:
    """What goes into a loop, to its next iteration, out of a branch or through a cast: the target and what it gets."""
    for statement in walk(function.body):
        match statement:
            case Let() if statement.function is primitives.cast:
                yield statement.value, statement.operands[0]
            case If():
                yield from zip(statement.results, statement.then.yields, strict=True)
                yield from zip(statement.results, statement.orelse.yields, strict=True)
            case For() | While():
                for k, carried in enumerate(statement.carried):
                    yield carried.parameter, carried.initial
                    yield carried.parameter, statement.body.yields[k]
                    yield statement.results[k], carried.parameter

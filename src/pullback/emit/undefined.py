"""Variables without a value on some path that are copied all the same: those get a placeholder there.

A flag guards every use of such a variable, but not the copy that hands it to a loop or out of a branch:

if a > 0:                     if a > 0:
    y = 1.0                       y = 1.0
z = y                     →   else:
for i in range(n): …              y = 0.0
                              z = y
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.ir import primitives
from pullback.ir.nodes import For, Function, If, Let, Operand, Value, While, walk


def copied_values(function: Function, names: dict[Value, str]) -> frozenset[Value]:
    """The values that are copied under another name, and those they come from."""
    sources: dict[Value, list[Value]] = {}
    copied: list[Value] = []
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


def _handed_over(function: Function) -> Iterator[tuple[Value, Operand]]:
    """What goes into a loop, round a loop, out of a branch, and through a cast: the target and what it gets."""
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

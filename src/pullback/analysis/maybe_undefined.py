"""Values that some path leaves undefined, as a variable is that only one side of a branch sets.

>>> from pullback.frontend.build import normal_form
>>> def f(x):
...     if x > 0:
...         y = x * x
...     if x > 1:
...         return y
...     return 0.0
>>> sorted(value.name for value in maybe_undefined(normal_form(f, 1.0).body))
['result', 'y']
"""

from __future__ import annotations

from pullback.ir.nodes import Block, For, If, Operand, Value, While, is_undefined, walk


def maybe_undefined(block: Block) -> set[Value]:
    """The results of branches and loops, and what loops carry, that may have no value."""
    found: set[Value] = set()

    def add(value: Value, *sources: Operand) -> None:
        if any(is_undefined(source) or source in found for source in sources):
            found.add(value)

    count = -1
    while count != len(found):
        count = len(found)
        for statement in walk(block):
            match statement:
                case If():
                    for k, result in enumerate(statement.results):
                        add(result, statement.then.yields[k], statement.orelse.yields[k])
                case For() | While():
                    for k, carried in enumerate(statement.carried):
                        add(carried.parameter, carried.initial, statement.body.yields[k])
                        add(statement.results[k], carried.parameter)
    return found

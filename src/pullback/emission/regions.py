"""Parallel loops become functions that are called where they stood: Numba is given each of them alone.

for chunk in prange(n):             def program_loop1(n, x, y):
    y[chunk] = f(x[chunk])     →        for chunk in prange(n):
                                            y[chunk] = f(x[chunk])

                                    program_loop1(n, x, y)

Such a loop writes into arrays and assigns nothing that is read after it.
"""

from __future__ import annotations

from typing import Any

import gast

from pullback.emission.parts import Flow
from pullback.emission.spelling import PARALLEL_RANGE, call, name


def is_parallel_loop(node: Any) -> bool:
    match node:
        case gast.For(iter=gast.Call(func=gast.Name(id=text))):
            return bool(text == PARALLEL_RANGE)
    return False


def take_out_loops(tree: Any) -> list[Any]:
    """Take the parallel loops out of a function, which calls them; returns them as functions."""
    mover = _Mover(tree)
    mover.visit(tree)
    return mover.loops


class _Mover(gast.NodeTransformer):
    def __init__(self, tree: Any) -> None:
        self.name = tree.name
        self.variables = [parameter.id for parameter in tree.args.args]
        self.variables += [n.id for n in gast.walk(tree) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)]
        self.loops: list[Any] = []

    def visit_For(self, node: Any) -> Any:
        if not is_parallel_loop(node):
            return self.generic_visit(node)
        flow = Flow(frozenset(self.variables))
        flow.statement(node)
        taken = [variable for variable in dict.fromkeys(self.variables) if variable in flow.reads]
        text = f"{self.name}_loop{len(self.loops) + 1}"
        while text in self.variables:
            text += "_"
        parameters = [gast.Name(variable, gast.Param(), None, None) for variable in taken]
        arguments = gast.arguments(parameters, [], None, [], [], None, [])
        self.loops.append(gast.FunctionDef(text, arguments, [node], [], None, None, []))
        return gast.Expr(call(name(text), *map(name, taken)))

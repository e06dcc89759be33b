"""Parallel loops become functions that are called where they stood: Numba is given each of them alone.

                                    def program_loop1_chunk(chunk, x, y):
                                        y[chunk] = f(x[chunk])

for chunk in prange(n):             def program_loop1(n, x, y):
    y[chunk] = f(x[chunk])     →        for chunk in prange(n):
                                            program_loop1_chunk(chunk, x, y)

                                    program_loop1(n, x, y)

Such a loop writes into arrays and assigns nothing that is read after it. An iteration is a function as well, so that
LLVM is told of its arrays as of those of other parts. Where iterations may raise,

for chunk in prange(n):
    try:
        y[chunk] = f(x[chunk])
    except Exception:
        pass

that function is called with its errors caught.
"""

from __future__ import annotations

from typing import Any

import gast

from pullback.emission.parts import Flow
from pullback.emission.spelling import PARALLEL_RANGE, call, name

CATCHING_ERRORS = "catching_errors"
LINKED_IN = "linked_in"


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
        self.count = 0

    def visit_For(self, node: Any) -> Any:
        if not is_parallel_loop(node):
            return self.generic_visit(node)
        self.count += 1
        text = f"{self.name}_loop{self.count}"
        match node.body:
            case [gast.Try(body=body)]:
                decorator = CATCHING_ERRORS
            case body:
                decorator = LINKED_IN
        node.body = [gast.Expr(self.taken_out(f"{text}_chunk", body))]
        self.loops[-1].decorator_list = [name(decorator)]
        return gast.Expr(self.taken_out(text, [node]))

    def taken_out(self, text: str, statements: list[Any]) -> Any:
        """Statements as a function; returns the call of it."""
        flow = Flow(frozenset(self.variables))
        flow.block(statements)
        taken = [variable for variable in dict.fromkeys(self.variables) if variable in flow.reads]
        while text in self.variables:
            text += "_"
        parameters = [gast.Name(variable, gast.Param(), None, None) for variable in taken]
        arguments = gast.arguments(parameters, [], None, [], [], None, [])
        self.loops.append(gast.FunctionDef(text, arguments, statements, [], None, None, []))
        return call(name(text), *map(name, taken))

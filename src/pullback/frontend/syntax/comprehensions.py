"""List comprehensions: a loop that appends to a list."""

from __future__ import annotations

from typing import Any

import gast

from pullback.frontend.source.names import assigned_names
from pullback.frontend.values.bindings import Binding
from pullback.frontend.values.context import Context


def comprehension(context: Context, node: Any) -> Binding:
    """`[element for target in iterable if test]` as a loop that appends to a list."""
    generator = node.generators[0]
    name = "<list>"
    target = gast.Name(name, gast.Load(), None, None)
    append = gast.Call(gast.Attribute(target, "append", gast.Load()), [node.elt], [])
    statement: Any = gast.Expr(append)
    for test in generator.ifs:
        statement = gast.If(test, [statement], [])
    loop = gast.For(generator.target, generator.iter, [statement], [], None)
    for made in gast.walk(loop):
        if not hasattr(made, "lineno"):
            gast.copy_location(made, node)
    key = (context.frame.number, name)
    outer = context.state.names.get(key)
    hidden = {k: v for k, v in context.state.names.items() if k[1] in assigned_names([loop]) and k[0] == key[0]}
    context.state.names[key] = context.new_list(())
    context.execute([loop])
    listed = context.state.names.pop(key)
    for inner in assigned_names([loop]):
        context.state.names.pop((key[0], inner), None)
    context.state.names.update(hidden)
    if outer is not None:
        context.state.names[key] = outer
    return listed

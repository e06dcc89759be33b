"""Comprehensions: a loop that appends to a list; of dicts and sets, one item after the other.

[f(a) for a in x]               →       for a in x: list.append(f(a))
{k: f(k) for k in ("a", "b")}   →       {"a": f("a"), "b": f("b")}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from pullback.frontend.calls.calling_back import name_of
from pullback.frontend.calls.iteration import known_items
from pullback.frontend.calls.parameters import new_dict
from pullback.frontend.source.names import assigned_names
from pullback.frontend.syntax.operators import condition_of
from pullback.frontend.values.bindings import Binding, Range, Static
from pullback.frontend.values.closures import forget
from pullback.frontend.values.context import Context
from pullback.frontend.values.frames import Frame
from pullback.frontend.values.known import known_value
from pullback.ir.nodes import Constant


def comprehension(context: Context, node: Any) -> Binding:
    """`[element for target in iterable if test]` as a loop that appends to a list."""
    if _is_short(context, node):
        items: list[Binding] = []
        with _Scope(context, node) as scope:
            _each(context, scope.generators, lambda: items.append(context.evaluate(node.elt)))
            scope.made = context.new_list(tuple(items))
        return scope.made
    with _Scope(context, node) as scope:
        loop = _loop_of(node, scope.generators)
        scope.frame.body.append(loop)
        key = (context.frame.number, LIST)
        outer = context.state.names.get(key)
        context.state.names[key] = context.new_list(())
        context.execute([loop])
        scope.made = context.state.names.pop(key)
        if outer is not None:
            context.state.names[key] = outer
    return scope.made


LIST = "<list>"
MOST_ITEMS = 8
"""A list over a range of so many numbers is made item by item, so that its length is known."""


def _is_short(context: Context, node: Any) -> bool:
    """Whether a list is made over short ranges of known numbers alone."""
    count = 1
    for generator in node.generators:
        call = generator.iter
        if generator.ifs or not isinstance(call, gast.Call) or getattr(call.func, "id", "") != "range":
            return False
        if len(node.generators) > 1 and not all(isinstance(argument, gast.Constant) for argument in call.args):
            return False
        over = context.evaluate(call)
        items = known_items(context, over, call) if isinstance(over, Range) else None
        if items is None:
            return False
        count *= len(items)
    return count <= MOST_ITEMS


def _loop_of(node: Any, generators: list[Any]) -> Any:
    """The statement that appends all items."""
    target = gast.Name(LIST, gast.Load(), None, None)
    statement: Any = gast.Expr(gast.Call(gast.Attribute(target, "append", gast.Load()), [node.elt], []))
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            statement = gast.If(test, [statement], [])
        statement = gast.For(generator.target, generator.iter, [statement], [], None)
    for made in gast.walk(statement):
        if not hasattr(made, "lineno"):
            gast.copy_location(made, node)
    return statement


def dict_comprehension(context: Context, node: Any) -> Binding:
    """`{key: value for target in iterable}`, over what is known before the run."""
    entries: dict[Any, Binding] = {}

    def add() -> None:
        key, value = context.evaluate(node.key), context.evaluate(node.value)
        entries[_known(context, key, node.key, "a dict key")] = value

    with _Scope(context, node) as scope:
        _each(context, scope.generators, add)
        scope.made = new_dict(context, entries)
    return scope.made


def set_comprehension(context: Context, node: Any) -> Binding:
    """`{element for target in iterable}`, over what is known before the run."""
    found: set[Any] = set()
    with _Scope(context, node) as scope:
        _each(
            context,
            scope.generators,
            lambda: found.add(_known(context, context.evaluate(node.elt), node.elt, "an item of a set")),
        )
    return Static(frozenset(found))


def _known(context: Context, binding: Binding, node: Any, what: str) -> Any:
    known = known_value(binding)
    if known is None:
        context.refuse(node, f"{what} must be known before the run", "use a string or an int literal")
    return known[0]


def _each(context: Context, generators: list[Any], act: Callable[[], None]) -> None:
    """Act for one item after the other."""
    if not generators:
        act()
        return
    generator, *inner = generators
    items = known_items(context, context.evaluate(generator.iter), generator.iter)
    if items is None:
        reason = "the items that this goes over are not known before the run"
        context.refuse(generator.iter, reason, "write a list comprehension, or a loop that fills an array")
    for item in items:
        _bind(context, generator.target, item)
        tests = [condition_of(context, test) for test in generator.ifs]
        if not all(isinstance(test, Constant) for test in tests):
            context.refuse(generator.iter, "which items are taken is not known before the run", "write a loop")
        if all(test.value for test in tests if isinstance(test, Constant)):
            _each(context, inner, act)


def _bind(context: Context, target: Any, item: Binding) -> None:
    source = "<item>"
    key = (context.frame.number, source)
    context.state.names[key] = item
    value = gast.copy_location(gast.Name(source, gast.Load(), None, None), target)
    context.execute([gast.copy_location(gast.Assign([target], value, None), target)])
    context.state.names.pop(key, None)


class _Scope:
    """The names of a comprehension, in a frame of their own, as those of a function; `:=` binds names around it.

    generators: those of the node; what the first one goes over is read before, where it mentions a name of the inside.
    made: what the comprehension makes; if functions in it read its names, those stay.
    """

    def __init__(self, context: Context, node: Any) -> None:
        self.context, self.generators = context, node.generators
        targets = [gast.Assign([generator.target], generator.iter, None) for generator in node.generators]
        outside = frozenset(walrus_names(node))
        names = assigned_names(targets) - outside
        context.frame_count += 1
        around = context.frame
        body = [gast.Nonlocal(sorted(outside))] if outside else []
        self.frame = Frame(context.frame_count, around.source, node, body, names, around, around.function)
        self.frame.of_structure = around.of_structure
        self.made: Binding = Static(None)
        first = node.generators[0]
        if names & names_read(first.iter):
            context.state.names[self.frame.number, SOURCE] = context.evaluate(first.iter)
            source = name_of(SOURCE, first.iter)
            self.generators = [
                gast.comprehension(first.target, source, first.ifs, first.is_async),
                *node.generators[1:],
            ]

    def __enter__(self) -> _Scope:
        self.context.frames.append(self.frame)
        return self

    def __exit__(self, *error: object) -> None:
        self.context.frames.pop()
        if error[0] is None:
            forget(self.context, self.frame, self.made, defines=True)


SOURCE = "<source>"
"""What the first generator goes over, where that was read before."""


def names_read(expression: Any) -> frozenset[str]:
    """The names in an expression."""
    return frozenset(part.id for part in gast.walk(expression) if isinstance(part, gast.Name))


def walrus_names(node: Any) -> list[str]:
    """The names that assignments within an expression bind."""
    return [part.target.id for part in gast.walk(node) if isinstance(part, gast.NamedExpr)]

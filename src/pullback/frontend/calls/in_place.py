"""Calls of Python functions: their text is read here as if it stood in the caller's, in a frame of its own."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

import gast

from pullback.frontend.calls.apply import parameter_names
from pullback.frontend.calls.calling_back import text_of_ours
from pullback.frontend.calls.compositions import check_complex, check_known
from pullback.frontend.calls.keywords import checked_keywords
from pullback.frontend.calls.objects import default_of
from pullback.frontend.calls.parameters import bind_arguments
from pullback.frontend.calls.recursion import Recursion, call_recursive, key_of
from pullback.frontend.source.desugar import RESULT, desugar
from pullback.frontend.source.finding import Source, find_source
from pullback.frontend.source.language import check_language
from pullback.frontend.source.names import assigned_names
from pullback.frontend.source.outside import Place, parts_of
from pullback.frontend.values.bindings import Binding, DictRef, ListRef, Local, ObjectRef, Static, TupleValue
from pullback.frontend.values.closures import forget, frame_of
from pullback.frontend.values.context import Context
from pullback.frontend.values.frames import Frame
from pullback.frontend.values.results import binding_from, result_of

OURS = "pullback.functions"
"""Where functions are declared by texts that need no check of their language."""

MOST_FRAMES = 60


def call_composed(
    context: Context,
    function: Any,
    text: Any,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A call of a function that is declared by a text, whose statements have the place of the call, and no names."""
    keywords = checked_keywords(context, function, parameter_names(function), arguments, keywords, node)
    check_known(context, function, text, keywords, node)
    check_complex(context, function, (*arguments, *keywords.values()), node)
    with text_of_ours(context, node):
        return call_python(context, text, arguments, keywords, node)


def call_bound(
    context: Context, plain: FunctionType, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """A call of a method of a record; those of ours have the place of the call."""
    if (plain.__module__ or "").startswith(OURS):
        return call_composed(context, plain, plain, arguments, keywords, node)
    return call_python(context, plain, arguments, keywords, node)


def call_python(
    context: Context, function: FunctionType, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """A call of another Python function, read here as if its text stood in the caller's."""
    source = checked_source(function)
    bound = bound_arguments(context, function, arguments, keywords, node)
    if any(key[0] is function for key in context.callees):
        return call_itself(context, source, bound, function, node)
    state, made = context.state.copy(), len(context.builder.statements)
    try:
        return run(context, source, source.tree, bound, None, function, node)
    except Recursion as found:
        if found.function is not function:
            raise
        context.state = state
        del context.builder.statements[made:]
        return call_itself(context, source, bound, function, node)


def bound_arguments(
    context: Context, function: FunctionType, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> dict[str, Binding]:
    """The arguments of a call of a Python function by the names of its parameters, defaults included."""
    source = checked_source(function)
    context.depend(*parts_of(function))
    defaults = tuple(
        default_of(context, value, Place(function, "__defaults__"), k, node)
        for k, value in enumerate(function.__defaults__ or ())
    )
    keyword_defaults = {
        name: default_of(context, value, Place(function, "__kwdefaults__"), name, node)
        for name, value in (function.__kwdefaults__ or {}).items()
    }
    return bind_arguments(context, source.tree.args, arguments, keywords, defaults, keyword_defaults, node, source.name)


def call_itself(
    context: Context, source: Source, bound: dict[str, Binding], function: FunctionType, node: Any
) -> Binding:
    """A call of a function that calls itself, as a statement."""
    key = key_of(context, function, bound, node)

    def read(inner: Context, given: dict[str, Binding]) -> tuple[list[Any], Any]:
        return result_of(inner, run(inner, source, source.tree, given, None, function, source.tree), source.tree)

    return call_recursive(context, key, bound, read, binding_from, node)


def checked_source(function: FunctionType) -> Source:
    if (function.__module__ or "").startswith(OURS):
        return own_source(function)
    source = find_source(function)
    check_language(source)
    return source


@functools.cache
def own_source(function: FunctionType) -> Source:
    """That of a function of ours, whose text does not change while the process runs."""
    return find_source(function)


def call_local(
    context: Context, local: Local, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """A call of a nested function or lambda; it sees the present values of the names around it."""
    names = [argument.id for argument in local.node.args.kwonlyargs]
    keyword_defaults = {n: d for n, d in zip(names, local.keyword_defaults, strict=True) if d is not None}
    name = getattr(local.node, "name", "<lambda>")
    bound = bind_arguments(context, local.node.args, arguments, keywords, local.defaults, keyword_defaults, node, name)
    parent = frame_of(context, local)
    if parent is None:
        context.refuse(node, f"'{name}' is called after the function that defines it has returned")
    return run(context, local.source, local.node, bound, parent, None, node)


def run(
    context: Context,
    source: Source,
    function_node: Any,
    bound: dict[str, Binding],
    parent: Frame | None,
    function: FunctionType | None,
    node: Any,
) -> Binding:
    """Read a function's body in a frame of its own and return what it returns."""
    of_structure = any(isinstance(b, TupleValue | ListRef | DictRef | ObjectRef | Local) for b in bound.values())
    around = [frame for frame in context.frames if function is not None and frame.function is function]
    if function is not None and not of_structure and not all(frame.of_structure for frame in around):
        raise Recursion(function)
    name = getattr(function_node, "name", "a lambda")
    if any(frame.node is function_node for frame in context.frames):
        context.refuse(node, f"'{name}' calls itself", "write a loop")
    if len(context.frames) > MOST_FRAMES:
        reason = f"'{name}' is the last of more than {MOST_FRAMES} functions that call one another"
        context.refuse(node, reason, "make one function of several")
    body = body_of(function_node)
    context.frame_count += 1
    frame = Frame(
        context.frame_count, source, function_node, body, assigned_names(body) | frozenset(bound), parent, function
    )
    frame.locals -= frame.outer_names
    frame.of_structure = of_structure
    context.frames.append(frame)
    result: Binding = Static(None)
    try:
        for name, value in bound.items():
            context.state.names[(frame.number, name)] = value
        context.execute(body)
        result = context.state.names.get((frame.number, RESULT), Static(None))
        if context.at_return is not None and context.at_return[0] is function:
            context.at_return[1](result)
        return context.settled_unless_none(result, node) if not context.state.dead else Static(None)
    finally:
        context.frames.pop()
        forget(context, frame, result)


def body_of(function_node: Any) -> list[Any]:
    """The desugared statements of a function; a lambda returns its expression."""
    if isinstance(function_node, gast.Lambda):
        statement = gast.copy_location(gast.Return(function_node.body), function_node.body)
        return desugar([statement])
    return desugar(function_node.body)

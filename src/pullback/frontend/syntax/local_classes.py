"""Classes that a function defines: they are made as Python makes them, of the code that the function runs.

    class State:                      State: a class whose methods are read as those of other classes
        rate = 0.5
        def __init__(self, x): …

A class may hold values that are written in it, and methods that use no local variable of the function.
"""

from __future__ import annotations

import dataclasses
import inspect
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import gast
import numpy as np

from pullback.frontend.values.bindings import Static
from pullback.frontend.values.context import Context
from pullback.ir.nodes import Constant

_REMEDY = "define the class outside of the function"


def define_class(context: Context, node: Any) -> None:
    """`class Name: …` as a name for the class."""
    if node.keywords:
        context.refuse(node, f"the class '{node.name}' has a metaclass, or keywords", _REMEDY)
    bases = tuple(_known(context, base, node) for base in node.bases)
    if not all(type(base) is type for base in bases):
        context.refuse(node, f"the class '{node.name}' is derived from what is no plain class", _REMEDY)
    code = _code_of(context, node)
    key = (context.frame.number, code)
    if key not in context.classes:
        context.classes[key] = _decorated(context, _made(context, node, code, bases), node)
    context.state.names[(context.frame.number, node.name)] = Static(context.classes[key])


def _code_of(context: Context, node: Any) -> CodeType:
    """The code of the class's body."""
    lines = {node.lineno, *(decorator.lineno for decorator in node.decorator_list)}
    left = [context.frame.source.function.__code__]
    while left:
        code = left.pop()
        if code.co_name == node.name and code.co_firstlineno in lines and not code.co_flags & inspect.CO_OPTIMIZED:
            return code
        left += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    context.refuse(node, f"the code of the class '{node.name}' cannot be found", _REMEDY)


def _made(context: Context, node: Any, code: CodeType, bases: tuple[type, ...]) -> type:
    for statement in node.body:
        for part in gast.walk(_values_in(context, statement, node)):
            if isinstance(part, gast.Name):
                _known(context, part, node)
    cells = tuple(CellType(_local(context, name, node)) for name in code.co_freevars)
    space: dict[str, Any] = {}
    try:
        exec(code, context.frame.source.function.__globals__, space, closure=cells or None)
    except Exception as error:
        context.refuse(node, f"the class '{node.name}' cannot be made before the run: {error}", _REMEDY)
    return type(node.name, bases, space)


def _local(context: Context, name: str, node: Any) -> Any:
    """The module, class or builtin function that a local variable stands for, which a class or its methods use."""
    binding = context.evaluate(gast.copy_location(gast.Name(name, gast.Load(), None, None), node))
    if not isinstance(binding, Static) or not isinstance(binding.value, ModuleType | type | FunctionType | np.ufunc):
        reason = f"the class '{node.name}' uses the local variable '{name}' of the function"
        context.refuse(node, reason, "let its methods take it as an argument, or hold it as an attribute")
    return binding.value


def _values_in(context: Context, statement: Any, node: Any) -> Any:
    """The value that a statement of a class gives a name; an empty one for a method. LanguageError for others."""
    match statement:
        case gast.FunctionDef(decorator_list=decorators):
            return gast.Tuple(list(decorators), gast.Load()) if not _are_plain(decorators) else gast.Pass()
        case gast.Expr(value=gast.Constant()) | gast.Pass() | gast.AnnAssign(value=None):
            return gast.Pass()
        case gast.Assign(value=value) | gast.AnnAssign(value=value) if _is_written(value):
            return value
    context.refuse(statement, f"the class '{node.name}' holds what is no method and no value written in it", _REMEDY)


def _are_plain(decorators: list[Any]) -> bool:
    """Whether a method is decorated as a part of a property alone, whose name is the class's own."""
    return all(isinstance(one, gast.Attribute) and one.attr in ("setter", "getter") for one in decorators)


def _is_written(value: Any) -> bool:
    """Whether a value consists of constants, and of calls of what is known by name, as in `field(default=0.0)`."""
    parts = (gast.Constant, gast.Tuple, gast.List, gast.Dict, gast.UnaryOp, gast.unaryop, gast.Call, gast.keyword)
    return all(isinstance(one, (*parts, gast.Name, gast.expr_context)) for one in gast.walk(value))


def _known(context: Context, expression: Any, node: Any) -> Any:
    binding = context.evaluate(expression)
    if not isinstance(binding, Static):
        reason = f"the class '{node.name}' uses a value that is known in the run alone"
        context.refuse(expression, reason, "write the value itself, or set it in '__init__'")
    return binding.value


def _decorated(context: Context, made: type, node: Any) -> type:
    """The class that `dataclass` makes of one; other decorators are refused."""
    for decorator in reversed(node.decorator_list):
        is_call = isinstance(decorator, gast.Call)
        function = _known(context, decorator.func if is_call else decorator, node)
        settings = list(decorator.keywords) if is_call else []
        values = [context.evaluate(keyword.value) for keyword in settings]
        if function is not dataclasses.dataclass or not all(isinstance(v, Static | Constant) for v in values):
            context.refuse(decorator, f"the class '{node.name}' has a decorator that cannot be followed", _REMEDY)
        named = {keyword.arg: value.value for keyword, value in zip(settings, values, strict=True)}
        made = dataclasses.dataclass(made, **named)
    return made

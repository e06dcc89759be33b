"""What a rule's body needs of each of its arguments: nothing, its shape and dtype alone, or its elements.

def broadcast_to(array, shape, *, y_bar):
    return runtime.sum_to(y_bar, np.shape(array))      →      array: SHAPE, shape: NOTHING
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from pullback.frontend.source.finding import find_source

SHAPE_ATTRIBUTES = {"shape", "ndim", "dtype", "size"}
SHAPE_FUNCTIONS = {np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, len}


class Need(enum.IntEnum):
    """How much of an argument is needed; the larger includes the smaller."""

    NOTHING = 0
    SHAPE = 1
    ELEMENTS = 2


def need_of(tree: ast.AST, name: str, names: dict[str, Any]) -> Need:
    """How much of the variable `name` a function's tree needs; `names` is what its free names stand for.

    A variable of a loop over the argument counts as the argument, and so does a parameter that it is passed to.
    """
    aliases = find_aliases(tree, name)
    needs = Need.NOTHING
    harmless = {id(node) for node in _harmless(tree, names)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in aliases and isinstance(node.ctx, ast.Load):
            needs = max(needs, Need.SHAPE if id(node) in harmless else Need.ELEMENTS)
    passed = _needs_of_callees(tree, aliases, names)
    return max([needs, *passed])


def find_aliases(tree: ast.AST, name: str) -> set[str]:
    """The variable and those that loops over it assign."""
    aliases = {name}
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and _iterated(node.iter) in aliases:
            target = node.target.elts[-1] if isinstance(node.target, ast.Tuple) else node.target
            if isinstance(target, ast.Name):
                aliases.add(target.id)
    return aliases


def _iterated(node: ast.expr) -> str | None:
    """The variable that a loop goes over, directly or through `enumerate`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate":
        node = node.args[0]
    return node.id if isinstance(node, ast.Name) else None


def _harmless(tree: ast.AST, names: dict[str, Any]) -> Iterable[ast.AST]:
    """The occurrences that need the shape or dtype only, or are counted where they lead."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=attribute) if attribute in SHAPE_ATTRIBUTES:
                yield value
            case ast.For() | ast.comprehension():
                yield node.iter
                yield from node.iter.args if isinstance(node.iter, ast.Call) else ()
            case ast.Call() if meant(node.func, names) in SHAPE_FUNCTIONS:
                yield from node.args
            case ast.Call() if is_python(meant(node.func, names)):
                yield from node.args


def _needs_of_callees(tree: ast.AST, aliases: set[str], names: dict[str, Any]) -> Iterable[Need]:
    """What the functions need that the variable is passed to."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = meant(node.func, names)
        if function is None or not is_python(function):
            continue
        inner = tree_of(function)
        parameters = [*inner.args.posonlyargs, *inner.args.args]
        for parameter, argument in zip(parameters, node.args, strict=False):
            if isinstance(argument, ast.Name) and argument.id in aliases:
                yield need_of(inner, parameter.arg, function.__globals__)


def meant(node: ast.expr, names: dict[str, Any]) -> Any:
    """The object that `f` or `module.f` stands for; None where it is none of the free names."""
    match node:
        case ast.Name(id=name):
            return names.get(name, len if name == "len" else None)
        case ast.Attribute(value=ast.Name(id=module), attr=attribute):
            return getattr(names.get(module), attribute, None)
    return None


def is_python(function: Any) -> bool:
    """Whether a function stands in the files of the rules, so that its text says what it needs."""
    return (getattr(function, "__module__", None) or "").startswith("pullback.functions")


def tree_of(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda:
    """The syntax tree of a function of the rules, which nobody may change."""
    tree: ast.FunctionDef | ast.Lambda = gast.gast_to_ast(find_source(function).tree)
    return tree

"""A rule becomes a pullback: a function of the cotangent and of what it needs, for those arguments that are wanted.

    np.true_divide: lambda x1, x2, *, y: (1 / x2, -y / x2)          the rule
    def true_divide(y_bar, x2):                                     its pullback for the first argument
        return (y_bar * (1 / x2),)

What the text of the pullback does not need is not kept: not the other argument, and not the result.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from pullback.functions import Rule, record_of
from pullback.ir.syntax import PARSING
from pullback.runtime import masked_product
from pullback.tape.operand_needs import Need, need_of, tree_of

Wanted = tuple[Any, ...]
"""Numbers of arguments; (number, position) for one in a tuple of arrays."""

RESULT = -1
"""Stands for the number of the result, where those of arguments stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Pullback:
    """How the cotangent of a result becomes those of the arguments that are wanted.

    wanted: the arguments that get cotangents.
    run: takes the cotangent and what is kept, and returns a tuple of cotangents; None for none.
    run_behind: the same behind a choice, as `np.where` is one, where a cotangent of exactly 0 stays 0.
    keeps: (number of an argument or RESULT, how much of it) for each that `run` takes.
    elementwise: the cotangents have the shape of the result, and those of arguments that broadcast are to be summed.
    end: where the inputs end in a record.
    chooses: whether a result takes some elements of its inputs and leaves others; of items it depends on the index.
    """

    function: Callable[..., Any]
    wanted: Wanted
    run: Callable[..., tuple[Any, ...]]
    run_behind: Callable[..., tuple[Any, ...]]
    keeps: tuple[tuple[int, Need], ...]
    elementwise: bool
    end: int = field(init=False)
    chooses: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", 2 + len(self.wanted))
        object.__setattr__(self, "chooses", record_of(self.function).chosen is not None)


def pullback_of(rule: Rule, wanted: Wanted) -> Pullback:
    """The pullback of a function with a rule for the arguments `wanted`."""
    elementwise = rule.kind == "partials"
    run, names = specialised(rule, wanted, times_cotangent=elementwise)
    parameters = [*positional(rule.body), "y"]
    keeps = tuple((RESULT if name == "y" else parameters.index(name), need) for name, need in names)
    return Pullback(rule.function, wanted, run, _behind_choice(rule, wanted, run, names), keeps, elementwise)


def _behind_choice(
    rule: Rule, wanted: Wanted, run: Callable[..., tuple[Any, ...]], names: list[tuple[str, Need]]
) -> Callable[..., tuple[Any, ...]]:
    """What stands for `run` behind a choice; it takes the same."""
    if rule.kind == "partials":
        return _with_masked_products(specialised(rule, wanted, times_cotangent=False)[0])
    if rule.behind is None:
        return run
    behind, needed = specialised(replace(rule, body=rule.behind), wanted, times_cotangent=False)
    places = [[name for name, _ in names].index(name) for name, _ in needed]

    def run_behind(y_bar: Any, *kept: Any) -> tuple[Any, ...]:
        return behind(y_bar, *[kept[k] for k in places])

    return run_behind


def _with_masked_products(partials: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    def run_behind(y_bar: Any, *kept: Any) -> tuple[Any, ...]:
        return tuple(_product_behind(y_bar, p) for p in partials(y_bar, *kept))

    return run_behind


def _product_behind(y_bar: Any, partial_: Any) -> Any:
    if partial_ is None or (type(partial_) in (int, float) and math.isfinite(partial_)):
        return None if partial_ is None else y_bar * partial_
    return masked_product(y_bar, partial_)


@cache
def positional(body: Callable[..., Any]) -> tuple[str, ...]:
    """The function's own arguments, which stand before the star."""
    return tuple(p.name for p in inspect.signature(body).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD)


# The text of a pullback


def specialised(rule: Rule, wanted: Wanted, times_cotangent: bool) -> tuple[Callable[..., Any], list[tuple[str, Need]]]:
    """The body of a rule for some of its arguments, as a function of `y_bar` and of the names it needs.

    It returns a tuple with an item for each that is wanted. `times_cotangent`: of products with `y_bar`.
    """
    tree, names = as_function(tree_of(rule.body)), rule.body.__globals__
    finish = partial(_chosen, wanted)
    if rule.kind == "partials" and not any(isinstance(r.value, ast.Tuple) for r in returns_of(tree)):
        for statement in returns_of(tree):
            statement.value = _tuple([statement.value or ast.Constant(None)], statement)
    if all(isinstance(r.value, ast.Tuple) for r in returns_of(tree)) and all(isinstance(k, int) for k in wanted):
        finish = _as_it_is
        for statement in returns_of(tree):
            elements = [statement.value.elts[k] for k in wanted]
            statement.value = _tuple([product(e) for e in elements] if times_cotangent else elements, statement)
        drop_unused(tree)
    used = [(name, need_of(tree, name, names)) for name in (*positional(rule.body), "y")]
    used = [(name, need) for name, need in used if need]
    tree.args = ast.arguments([], [ast.arg(name) for name in ("y_bar", *(n for n, _ in used))], None, [], [], None, [])
    return finish(compiled(tree, rule.body)), used


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _chosen(wanted: Wanted, function: Callable[..., Any]) -> Callable[..., Any]:
    """The items that are wanted of what a function returns for all arguments."""

    def choose(*arguments: Any) -> tuple[Any, ...]:
        value = function(*arguments)
        every = value if isinstance(value, tuple) else (value,)
        return tuple(every[k] if isinstance(k, int) else every[k[0]] and every[k[0]][k[1]] for k in wanted)

    return choose


def as_function(tree: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef:
    """A lambda as the function that returns the same."""
    if isinstance(tree, ast.FunctionDef):
        return tree
    body = ast.copy_location(ast.Return(tree.body), tree)
    return ast.copy_location(ast.FunctionDef("pullback", tree.args, [body], [], None, None), tree)


def returns_of(tree: ast.FunctionDef) -> list[ast.Return]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Return)]


def _tuple(elements: list[ast.expr], statement: ast.Return) -> ast.Tuple:
    return ast.copy_location(ast.Tuple(elements, ast.Load()), statement)


def product(partial_: ast.expr) -> ast.expr:
    """`y_bar` times a partial derivative."""
    y_bar = ast.copy_location(ast.Name("y_bar", ast.Load()), partial_)
    match partial_:
        case ast.Constant(value=None):
            return partial_
        case ast.Constant(value=1):
            return y_bar
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return ast.copy_location(ast.UnaryOp(ast.USub(), y_bar), partial_)
    return ast.copy_location(ast.BinOp(y_bar, ast.Mult(), partial_), partial_)


def drop_unused(tree: ast.FunctionDef) -> None:
    """Remove assignments to names that nobody reads."""
    while True:
        read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        kept = [s for s in tree.body if not _is_assignment_to_none_of(s, read)]
        if len(kept) == len(tree.body):
            return
        tree.body = kept


def _is_assignment_to_none_of(statement: ast.stmt, read: set[str]) -> bool:
    if not isinstance(statement, ast.Assign):
        return False
    written = [n for target in statement.targets for n in ast.walk(target)]
    return all(isinstance(n, ast.Name | ast.Tuple | ast.expr_context) for n in written) and not any(
        n.id in read for n in written if isinstance(n, ast.Name)
    )


def compiled(tree: ast.FunctionDef, body: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a tree defines, among the names of the body it was made from."""
    module = ast.fix_missing_locations(ast.Module([tree], []))
    made: dict[str, Any] = {}
    with PARSING:
        code = compile(module, body.__code__.co_filename, "exec")
    exec(code, body.__globals__, made)
    function: Callable[..., Any] = made[tree.name]
    return function

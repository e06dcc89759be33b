"""The language check: everything in a function that cannot be differentiated is reported at once.

    10  def total(x):            LanguageError at line 11: 'global' is not supported: …
    11      global s       →                      line 12: a set is not supported: …
    12      s = {x}                               line 13: 'del' is not supported: …
    13      del x

Only the form is looked at here, never types. A form that stands in neither list below is refused too, so that new
syntax of Python is never skipped in silence.
"""

from __future__ import annotations

import builtins
import dataclasses
import re
from collections.abc import Iterator, Set
from typing import Any

import gast

from pullback.errors import LanguageError, Location, Problem
from pullback.frontend.source.desugar import is_passive
from pullback.frontend.source.finding import Source
from pullback.frontend.source.patterns import is_followed


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """Why a form is refused and what to write instead."""

    reason: str
    remedy: str


Refused = Iterator[tuple[gast.AST, Refusal]]

ACCEPTED = (
    *(gast.FunctionDef, gast.Lambda, gast.arguments, gast.Name, gast.Return, gast.Expr, gast.Pass),
    *(gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Attribute, gast.Subscript, gast.Slice),
    *(gast.If, gast.For, gast.While, gast.Break, gast.Continue, gast.Assert, gast.Raise),
    *(gast.BinOp, gast.UnaryOp, gast.BoolOp, gast.Compare, gast.IfExp, gast.Call, gast.keyword),
    *(gast.Constant, gast.Tuple, gast.List, gast.Dict, gast.Starred, gast.JoinedStr, gast.FormattedValue),
    *(gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.comprehension),
    *(
        gast.ClassDef,
        gast.Set,
        gast.NamedExpr,
        gast.Try,
        gast.Match,
        gast.Delete,
        gast.Import,
        gast.ImportFrom,
        gast.Global,
        gast.Nonlocal,
    ),
    *(gast.expr_context, gast.operator, gast.unaryop, gast.boolop, gast.cmpop),
    # Parts of refused statements: what stands in them is checked as well.
    *(gast.withitem, gast.match_case),
)

COMPOUND = (
    *(gast.Try, gast.TryStar, gast.With, gast.AsyncWith, gast.AsyncFor, gast.AsyncFunctionDef),
    *(gast.ClassDef, gast.Match),
)

# Annotations are ignored; decorators and patterns are refused as a whole; no handler is ever entered.
UNCHECKED_FIELDS = ("annotation", "returns", "type_params", "decorator_list", "pattern", "names", "handlers")

TRY = Refusal(
    "'try' cannot be differentiated: the backward pass cannot replay an exception",
    "test the condition before the call, or move the block into a function marked constant",
)
WITH = Refusal(
    "'with' cannot be differentiated: the backward pass cannot enter and leave the context again",
    "remove it, or enter the context around the call; a tape is made here, as in 'with pb.GradientTape() as tape:'",
)
LEAVING_WITH = Refusal(
    "a 'with' block cannot be left by a jump: what it does must be known before the run",
    "set a variable in the block, and test it behind the block",
)
ASYNC = Refusal(
    "'async' and 'await' cannot be differentiated: the backward pass cannot wait a second time",
    "write a plain function, and await what it needs before the call",
)
YIELD = Refusal(
    "'yield' cannot be differentiated: the body of a generator runs piece by piece, whenever its reader asks",
    "return an array",
)
REFUSED = {
    gast.TryStar: TRY,
    gast.With: WITH,
    gast.AsyncWith: ASYNC,
    gast.AsyncFor: ASYNC,
    gast.AsyncFunctionDef: ASYNC,
    gast.Await: ASYNC,
    gast.Yield: YIELD,
    gast.YieldFrom: YIELD,
    gast.TypeAlias: Refusal("a type alias is not supported in a function", "define the alias at module level"),
}

NESTED_DECORATOR = Refusal(
    "a nested function with a decorator is not supported: the decorator may exchange it for another",
    "remove the decorator, or define the function at module level",
)
ATTRIBUTE_TARGET = Refusal(
    "'{name}' cannot be assigned: a differentiated function must not change objects",
    "use a local variable, and return the new value",
)
BYTES = Refusal("bytes are not supported: they cannot take part in compiled arithmetic", "use a string or a tuple")
RAISE_FROM = Refusal(
    "'raise' with 'from' is not supported: compiled code does not chain exceptions", "raise the exception alone"
)
BARE_RAISE = Refusal(
    "'raise' without an exception is not supported: there is none to raise again", "name the exception to raise"
)
GENERATOR = Refusal(
    "a generator expression is supported only where its items are taken at once, as in sum(...), list(...) or any(...)",
    "use a list comprehension or a loop",
)
GLOBAL = Refusal(
    "'{name}' is written, and is global: a value written to a global variable is not a result of the function",
    "pass the value as an argument and return it",
)
OUTER = Refusal(
    "'nonlocal' of a variable outside of the differentiated function is not supported: it is no result of the function",
    "pass the value as an argument and return it; to read an outer variable needs no declaration",
)
PATTERN = Refusal(
    "this pattern is not supported: it takes an object apart whose parts are not known from the source",
    "write 'if' and 'elif' with comparisons",
)
DELETED_ATTRIBUTE = Refusal(
    "'{name}' cannot be deleted: a differentiated function must not change objects", "use a local variable"
)
JUMP_FROM_FINALLY = Refusal("'finally' cannot be left by a jump", "set a variable, and test it behind the block")
JUMP_FROM_TESTED_LOOP = Refusal(
    "a 'while' with ':=' in its condition cannot have a jump in its 'else'", "assign the variable in the body"
)

CONSUMERS = frozenset("sum max min any all list tuple sorted set frozenset dict enumerate zip map filter".split())
"""Builtins that take the items of their arguments at once, or in the loop over what they return."""

RUNS_TEXT = Refusal("'{name}' is not supported: it runs code that cannot be seen in the source", "write the code out")
SHOWS_VARIABLES = Refusal(
    "'{name}' is not supported: the compiled function does not have the same variables", "pass the values by name"
)
CHANGES_OBJECT = Refusal(
    "'{name}' is not supported: a differentiated function must not change objects", ATTRIBUTE_TARGET.remedy
)
TALKS_OUTSIDE = Refusal(
    "'{name}' is not supported: compiled code cannot read or write files", "do it before the call, and pass the values"
)
REFUSED_CALLS = {
    **dict.fromkeys(("exec", "eval", "compile", "__import__"), RUNS_TEXT),
    **dict.fromkeys(("locals", "globals", "vars", "dir"), SHOWS_VARIABLES),
    **dict.fromkeys(("setattr", "delattr"), CHANGES_OBJECT),
    **dict.fromkeys(("open", "input"), TALKS_OUTSIDE),
}


def check_language(source: Source) -> None:
    """Nothing if every form in the function is supported; else a LanguageError that carries all problems in order."""
    surroundings = Surroundings.of(source)
    problems = [
        Problem(location_of(place, source), refusal.reason, refusal.remedy)
        for node in nodes_to_check(source.tree)
        for place, refusal in refusals_of(node, surroundings)
    ]
    if problems:
        raise LanguageError(sorted(problems, key=lambda problem: (problem.location.line, problem.location.column)))


@dataclasses.dataclass(frozen=True, slots=True)
class Surroundings:
    """What decides about a form besides itself: the builtins that keep their meaning, and who reads a generator."""

    function: gast.AST
    own_names: frozenset[str]
    reduced: frozenset[int]
    bound: frozenset[str]
    free: frozenset[str]

    @staticmethod
    def of(source: Source) -> Surroundings:
        nodes = list(nodes_to_check(source.tree))
        bound = names_bound(nodes)
        own_names = bound | source.function.__globals__.keys() | set(source.function.__code__.co_freevars)
        calls = [node for node in nodes if takes_items(node, own_names)]
        consumed = [argument for call in calls for argument in call.args]
        consumed += [node.value for node in nodes if isinstance(node, gast.Starred) or is_unpacked(node)]
        free = frozenset(source.function.__code__.co_freevars)
        return Surroundings(source.tree, frozenset(own_names), frozenset(map(id, consumed)), frozenset(bound), free)


def names_bound(nodes: list[gast.AST]) -> set[str]:
    """The names that parameters, assignments and definitions within the function give a meaning of their own."""
    names = {node.id for node in nodes if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)}
    return names | {node.name for node in nodes if isinstance(node, gast.FunctionDef | gast.ClassDef)}


def builtin_called(node: gast.AST, own_names: Set[str]) -> str:
    """The name of the builtin that `node` calls; empty if it is no such call."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id not in own_names:
        return str(node.func.id) if hasattr(builtins, node.func.id) else ""
    return ""


def takes_items(node: gast.AST, own_names: Set[str]) -> bool:
    """Whether a call takes the items of its arguments at once."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        return node.func.attr in ("join", "extend", "update")
    return builtin_called(node, own_names) in CONSUMERS


def is_unpacked(node: gast.AST) -> bool:
    """Whether an assignment takes a value apart."""
    return isinstance(node, gast.Assign) and any(isinstance(t, gast.Tuple | gast.List) for t in node.targets)


def nodes_to_check(node: gast.AST) -> Iterator[gast.AST]:
    """The node and all within it, but neither annotations nor a class: its methods are checked when they are read."""
    yield node
    if isinstance(node, gast.ClassDef | gast.TypeAlias):
        return
    for field, value in gast.iter_fields(node):
        if field not in UNCHECKED_FIELDS:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, gast.AST):
                    yield from nodes_to_check(child)


def location_of(place: gast.AST, source: Source) -> Location:
    """The place of a node; of a statement with a body, its first word."""
    location = source.location(place)
    word = re.match(r"\w+", location.text[location.column :])
    if isinstance(place, COMPOUND) and word:
        return dataclasses.replace(location, end_column=location.column + word.end())
    return location


def refusals_of(node: gast.AST, surroundings: Surroundings) -> Refused:
    """The problems of one node, without those of the nodes within it: the place of each, reason and remedy."""
    match node:
        case gast.FunctionDef(decorator_list=[decorator, *_]) if node is not surroundings.function:
            yield decorator, NESTED_DECORATOR
        case gast.Call():
            yield from refused_call(node, surroundings)
        case gast.Constant(value=bytes()):
            yield node, BYTES
        case gast.Raise(exc=None):
            yield node, BARE_RAISE
        case gast.Raise(cause=gast.AST() as cause) if not isinstance(cause, gast.Constant):
            yield node, RAISE_FROM
        case gast.ListComp() | gast.GeneratorExp() | gast.SetComp() | gast.DictComp():
            yield from refused_comprehension(node, surroundings)
        case gast.With() if is_own(node):
            yield from ((jump, LEAVING_WITH) for jump in jumps_out(node.body))
        case gast.With() if is_passive(node):
            return
        case gast.Try():
            yield from ((jump, JUMP_FROM_FINALLY) for jump in jumps_out(node.finalbody))
        case gast.While() if any(isinstance(part, gast.NamedExpr) for part in gast.walk(node.test)):
            yield from ((jump, JUMP_FROM_TESTED_LOOP) for jump in jumps_out(node.orelse))
        case gast.match_case() if not is_followed(node.pattern):
            yield node.pattern, PATTERN
        case gast.Nonlocal() if not surroundings.free.isdisjoint(node.names):
            yield node, OUTER
        case gast.Global():
            yield from ((node, named(GLOBAL, name)) for name in node.names if name in surroundings.bound)
        case gast.Attribute(ctx=gast.Del()):
            yield node, named(DELETED_ATTRIBUTE, gast.unparse(node).strip())
        case _ if type(node) in REFUSED:
            yield node, REFUSED[type(node)]
        case _ if not isinstance(node, ACCEPTED):
            yield node, Refusal(f"'{type(node).__name__}' is not supported", "write it in other words")


def is_own(node: gast.With) -> bool:
    """Whether a with-statement is one of ours, however the name is spelt: `with pb.GradientTape() as tape:`."""
    names = {_called_name(item.context_expr) for item in node.items}
    bound = all(isinstance(item.optional_vars, gast.Name) for item in node.items)
    return bound and (names == {"GradientTape"} or (names == {"insert_grad_of"} and len(node.items) == 1))


def _called_name(call: gast.AST) -> str:
    function = getattr(call, "func", None)
    return str(getattr(function, "attr", getattr(function, "id", "")))


def jumps_out(body: list[gast.AST], in_loop: bool = False) -> Iterator[gast.AST]:
    """The statements that leave a block: `return`, and `break` and `continue` of a loop around it."""
    for statement in body:
        match statement:
            case gast.Return():
                yield statement
            case gast.Break() | gast.Continue() if not in_loop:
                yield statement
            case gast.For() | gast.While():
                yield from jumps_out(statement.body, True)
                yield from jumps_out(statement.orelse, in_loop)
            case gast.If():
                yield from jumps_out([*statement.body, *statement.orelse], in_loop)
            case gast.With():
                yield from jumps_out(statement.body, in_loop)
            case gast.Try():
                yield from jumps_out([*statement.body, *statement.orelse, *statement.finalbody], in_loop)
            case gast.Match():
                yield from jumps_out([inner for case in statement.cases for inner in case.body], in_loop)


def refused_call(node: gast.Call, surroundings: Surroundings) -> Refused:
    """Builtins that no derivative can follow."""
    name = builtin_called(node, surroundings.own_names)
    if name in REFUSED_CALLS:
        yield node.func, named(REFUSED_CALLS[name], name)


def refused_comprehension(node: Any, surroundings: Surroundings) -> Refused:
    """`async for` in a comprehension, and generators that are kept."""
    if isinstance(node, gast.GeneratorExp) and id(node) not in surroundings.reduced:
        yield node, GENERATOR
    elif any(generator.is_async for generator in node.generators):
        yield node, ASYNC


def named(refusal: Refusal, name: str) -> Refusal:
    """The refusal, with the name that the user gave."""
    return Refusal(refusal.reason.format(name=name), refusal.remedy)

"""The functions of a text that may be the one that is looked for, compiled to be compared with its code."""

from __future__ import annotations

import ast
import copy
import functools
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from types import CodeType
from typing import Any

from pullback.frontend.source.code_objects import (
    columns,
    contents,
    fingerprint,
    flags_of,
    is_rewritten_by_pytest,
    nested_codes,
    operators,
    parameters,
)
from pullback.ir.syntax import compile_tree, parse

PythonFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# No file has as many lines.
MARKED_LINE = 2**30


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function node of a text, within the statement at the text's top level that holds it.

    `lambda_number` counts the lambdas of the text; None where name and first line suffice to find the code.
    """

    node: PythonFunction
    statement: ast.stmt
    text: str
    lambda_number: int | None = None

    @property
    def first_line(self) -> int:
        """The first line as code objects count: that of the first decorator where there is one."""
        decorators = [] if isinstance(self.node, ast.Lambda) else self.node.decorator_list
        return min([self.node.lineno, *(decorator.lineno for decorator in decorators)])


def parsed(text: str) -> ast.Module:
    """The tree of a text. Indented text is taken as it stands: its lines, columns and strings do not change."""
    with unwarned():
        if text.lstrip("\n")[:1].isspace():
            return ast.increment_lineno(parse("if True:\n" + text), -1)
        return parse(text)


@contextmanager
def unwarned() -> Iterator[None]:
    """Python warned of doubtful syntax when it imported the file; once is enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@functools.lru_cache(maxsize=32)
def functions_in(text: str) -> tuple[Candidate, ...]:
    """The functions of a text, in any class or function. The nodes are shared: nobody may change them."""
    module = parsed(text)
    lambdas = lambdas_of(module)
    lambdas_on = Counter(node.lineno for node in lambdas)
    numbers = {id(node): number for number, node in enumerate(lambdas) if lambdas_on[node.lineno] > 1}
    return tuple(
        Candidate(node, statement, text, numbers.get(id(node)))
        for statement in module.body
        for node in ast.walk(statement)
        if isinstance(node, PythonFunction)
    )


def lambdas_of(module: ast.Module) -> list[ast.Lambda]:
    """The lambdas of a module, in the same order each time the text is parsed."""
    return [node for node in ast.walk(module) if isinstance(node, ast.Lambda)]


def candidates_named(name: str, lines: tuple[str, ...]) -> list[Candidate]:
    """The functions that have this name in their source; all lambdas are called the same."""
    candidates = functions_in("\n".join(lines) + "\n")
    return [candidate for candidate in candidates if getattr(candidate.node, "name", "<lambda>") == name]


# Comparing a node with the code that runs


def compiles_to(candidate: Candidate, code: CodeType) -> bool:
    """Is the candidate's code the same as `code`, places aside?"""
    return any(fingerprint(compiled) == fingerprint(code) for compiled in compiled_codes(candidate, code))


def resembles(candidate: Candidate, code: CodeType) -> bool:
    """Has `code` the candidate's parameters, all its names and constants, and its operators?

    Tools that add code keep these; pytest adds operators where it replaces assertions.
    """
    may_add = is_rewritten_by_pytest(code)
    return any(
        parameters(compiled) == parameters(code)
        and contents(compiled) <= contents(code)
        and (operators(compiled) <= operators(code) if may_add else operators(compiled) == operators(code))
        for compiled in compiled_codes(candidate, code)
    )


def same_columns(candidate: Candidate, code: CodeType) -> bool:
    """Do the instructions stand at the same columns? Always true where Python is told not to record them."""
    return any(columns(compiled) == columns(code) for compiled in compiled_codes(candidate, code))


def compiled_codes(candidate: Candidate, code: CodeType) -> Iterator[CodeType]:
    """What the candidate compiles to: with its file, as its statement alone, and as a closure.

    A file is compiled whole, a notebook's cell one statement after the other, and Python compiles `np.sin(x)`
    differently where it sees the import of np. Text given by the user may lack the function around a closure.
    """
    flags, number = flags_of(code), candidate.lambda_number
    yield from compiled_at(candidate, code, compiled_text(candidate.text, flags, number))
    yield from compiled_at(candidate, code, compiled_module([marked_alone(candidate)], flags))
    if code.co_freevars:
        closure = enclosed(marked_alone(candidate), code.co_freevars)
        yield from compiled_at(candidate, code, compiled_module([closure], flags))


def compiled_at(candidate: Candidate, code: CodeType, compiled: tuple[CodeType, ...]) -> Iterator[CodeType]:
    """Among the compiled code objects, the candidate's: the first, for lambdas within a lambda come after it."""
    line = candidate.first_line if candidate.lambda_number is None else MARKED_LINE
    return islice((c for c in compiled if c.co_name == code.co_name and c.co_firstlineno == line), 1)


@functools.lru_cache(maxsize=32)
def compiled_text(text: str, flags: int, marked_lambda: int | None = None) -> tuple[CodeType, ...]:
    """The code objects of a whole text, of whose lambdas one may be marked."""
    module = parsed(text)
    if marked_lambda is not None:
        mark(lambdas_of(module)[marked_lambda])
    return compiled_module(module.body, flags)


def marked_alone(candidate: Candidate) -> ast.stmt:
    """A copy of the candidate's statement, in which the candidate is marked if it needs to be."""
    copies: dict[int, Any] = {}
    statement = copy.deepcopy(candidate.statement, copies)
    if candidate.lambda_number is not None:
        mark(copies[id(candidate.node)])
    return statement


def mark(node: ast.Lambda) -> None:
    """Move a lambda to a line of its own, where its code is found: code objects tell their first line only.

    Its body moves with it, because Python compiles an expression differently when it stands on another line than its
    `lambda`. The defaults stay: they are computed by the code around it.
    """
    distance = MARKED_LINE - node.lineno
    ast.increment_lineno(node.body, distance)
    node.lineno, node.end_lineno = MARKED_LINE, (node.end_lineno or node.lineno) + distance


def compiled_module(statements: list[ast.stmt], flags: int) -> tuple[CodeType, ...]:
    """The code objects within the statements, at any depth; none if they do not compile."""
    try:
        with unwarned():
            compiled = compile_tree(ast.Module(statements, []), flags)
    except SyntaxError:
        return ()
    return tuple(nested_codes(compiled))


def enclosed(statement: ast.stmt, names: tuple[str, ...]) -> ast.stmt:
    """The statement within a function that owns `names`: text given alone then compiles to the same closure."""
    outer = parse(f"def outer({', '.join(names)}): pass").body[0]
    assert isinstance(outer, ast.FunctionDef), "the text is a function definition"
    outer.body = [statement]
    return outer


def holds_assert(node: PythonFunction) -> bool:
    return any(isinstance(inner, ast.Assert) for inner in ast.walk(node))

"""Finding a function's source: a function object becomes a Source, a gast tree with true places.

The file's text is parsed whole, the node is looked up by name and first line, and it is accepted only if it
compiles to the code that the function runs. So a name defined twice, two lambdas on one line and a file edited
since its import never yield another function's text.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from types import CodeType, FunctionType, MethodType
from typing import Any

import gast
import numpy as np

from pullback.errors import Location, TypingError
from pullback.frontend.source.nesting import limited_nesting
from pullback.ir.syntax import compile_tree, parse

PythonFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# No file has as many lines.
MARKED_LINE = 2**30
FUTURE_FLAGS: int = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


@dataclass(frozen=True, slots=True)
class Source:
    """A function and its syntax tree. Lines of the nodes count from 1 and columns from 0, in characters of `file`.

    `tree` is without decorators; `lines` are all lines of the file, without their ends.
    """

    function: FunctionType
    tree: gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda
    file: str
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """The function's name as in its source: `<lambda>` for a lambda."""
        return self.function.__code__.co_name

    def text(self, line: int) -> str:
        """The text of a line of the file, empty where there is none."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def location(self, node: gast.AST) -> Location:
        """The place of `node`; of a node on several lines, its part on the first. Without a place: the function's."""
        place = node if hasattr(node, "lineno") else self.tree
        text = self.text(place.lineno)
        end = place.end_col_offset if place.end_lineno == place.lineno else len(text.rstrip())
        return Location(self.file, place.lineno, place.col_offset, end, text, self.name)


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


def find_source(function: Callable[..., Any], source: str | None = None) -> Source:
    """The Source of a Python function, bound method, lambda or Numba dispatcher.

    `source` is the text that defines it, for functions made by `exec`. Raises TypingError where there is no Python
    source, or where it is not the text of this function. What the language check refuses is found all the same.
    """
    plain = plain_function(function)
    if source is None:
        file, lines = plain.__code__.co_filename, lines_of_file(plain)
        node = node_in_file(plain.__code__, file, lines)
    else:
        file, lines = f"<source of {plain.__name__}>", tuple(source.split("\n"))
        node = node_in_given_text(plain.__code__, file, lines)
    with limited_nesting(node, lambda deep: Source(plain, deep, file, lines).location(deep)):
        return Source(plain, as_gast(node, lines), file, lines)


# Which function is meant


def plain_function(function: Callable[..., Any]) -> FunctionType:
    """The Python function behind a method or Numba dispatcher. Raises TypingError for everything else."""
    if isinstance(function, MethodType | staticmethod | classmethod):
        return plain_function(function.__func__)
    dispatched = getattr(function, "py_func", None)
    if isinstance(dispatched, FunctionType) and not isinstance(function, FunctionType):
        return plain_function(dispatched)
    reason, remedy = objection(function)
    if reason:
        raise TypingError(reason, None, remedy)
    assert isinstance(function, FunctionType), "everything but a Python function has an objection"
    return function


def objection(function: object) -> tuple[str, str]:
    """Reason and remedy for an object that cannot be differentiated; two empty strings for a Python function."""
    name = getattr(function, "__name__", None) or type(function).__name__
    wrapped = getattr(function, "__wrapped__", None)
    if isinstance(function, np.ufunc | type(np.sum)):
        return (
            f"'{name}' is a function of NumPy: it has no Python source to transform",
            f"differentiate a function that calls {name}",
        )
    if isinstance(function, functools.partial):
        inner = getattr(function.func, "__name__", repr(function.func))
        return (
            f"a functools.partial of '{inner}' has no source of its own",
            f"write a lambda or a function that calls {inner} with the bound arguments",
        )
    if isinstance(function, type):
        return f"'{name}' is a class: only functions can be differentiated", "write a function that uses the class"
    if wrapped is not None:
        return wrapper_objection(function, name, wrapped)
    if isinstance(function, FunctionType):
        return "", ""
    if any(isinstance(vars(kind).get("__call__"), FunctionType) for kind in type(function).__mro__):
        return f"an object of class '{type(function).__name__}' is not a function", "pass its method: obj.__call__"
    if callable(function):
        return (
            f"'{name}' is written in C: it has no Python source",
            f"differentiate a Python function that calls {name}",
        )
    return f"an object of class '{type(function).__name__}' cannot be called", "pass a function"


def wrapper_objection(function: object, name: str, wrapped: object) -> tuple[str, str]:
    """Why a functools.wraps wrapper is refused: its source would be the wrapper's, its name the wrapped function's."""
    code = getattr(function, "__code__", None)
    wrapper = f"'{code.co_name}' ({code.co_filename}:{code.co_firstlineno})" if code else type(function).__name__
    inner = getattr(wrapped, "__name__", repr(wrapped))
    return (
        f"'{name}' is wrapped by {wrapper}: differentiating the inner function would drop what the wrapper does",
        f"pass the inner function, {inner}.__wrapped__, or apply the decorator to the result",
    )


# The text


def lines_of_file(function: FunctionType) -> tuple[str, ...]:
    """All lines of the file, notebook cell or REPL input that defines `function`, as they are now."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__) or lines_known_to_inspect(function)
    if not lines:
        raise TypingError(
            f"the source of '{function.__name__}' cannot be found: it was made by exec, or typed at a prompt",
            Location(file, function.__code__.co_firstlineno, function=function.__name__),
            "define it in a file or a notebook, or pass its text as source=",
        )
    return tuple(line.rstrip("\n") for line in lines)


def lines_known_to_inspect(function: FunctionType) -> list[str]:
    """What `inspect` finds beyond linecache: from 3.13 on, the input of the interactive prompt."""
    try:
        return inspect.findsource(function)[0]
    except (OSError, IndexError, TypeError):
        return []


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


# The node


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


def node_in_file(code: CodeType, file: str, lines: tuple[str, ...]) -> PythonFunction:
    """The node of the file that compiles to `code`: on its line, or moved by edits elsewhere in the file."""
    try:
        candidates = candidates_named(code.co_name, lines)
    except (SyntaxError, ValueError):
        raise changed_file(code, file) from None
    matching = matching_candidates([c for c in candidates if c.first_line == code.co_firstlineno], code)
    if not matching and candidates:
        # An edit elsewhere moved it: only the very same code will do, and of several the nearest is meant.
        line = nearest_line(code, candidates[0].text)
        matching = [c for c in candidates if c.first_line == line and compiles_to(c, code)]
    if not matching:
        raise changed_file(code, file)
    return the_only(matching, code, file)


def nearest_line(code: CodeType, text: str) -> int:
    """The first line, nearest to that of `code`, of a function in `text` with the same code; 0 if there is none."""
    same = [compiled for compiled in compiled_text(text, flags_of(code)) if fingerprint(compiled) == fingerprint(code)]
    return min((c.co_firstlineno for c in same), key=lambda line: abs(line - code.co_firstlineno), default=0)


def node_in_given_text(code: CodeType, file: str, lines: tuple[str, ...]) -> PythonFunction:
    """The node of a text given by the user that defines `code`; a part of the text given to exec will do."""
    name = code.co_name
    remedy = "pass the text that was given to exec"
    try:
        candidates = candidates_named(name, lines)
    except SyntaxError as error:
        place = Location(file, error.lineno or 1, text=error.text or "", function=name)
        raise TypingError(f"the text given as source= is not valid Python: {error.msg}", place, remedy) from None
    if not candidates:
        place = Location(file, 1, text=lines[0], function=name)
        raise TypingError(f"the text given as source= does not define '{name}'", place, remedy)
    matching = matching_candidates(candidates, code) or [c for c in candidates if resembles(c, code)]
    if not matching:
        line = candidates[0].first_line
        place = Location(file, line, text=lines[line - 1], function=name)
        raise TypingError(f"the text given as source= defines another '{name}'", place, remedy)
    return the_only(matching, code, file)


def matching_candidates(candidates: Sequence[Candidate], code: CodeType) -> list[Candidate]:
    """Those that compile to `code`; of several, those whose columns agree too."""
    matching = [candidate for candidate in candidates if compiles_to(candidate, code)]
    if len(matching) > 1:
        matching = [candidate for candidate in matching if same_columns(candidate, code)] or matching
    if not matching:
        # pytest rewrites `assert` when it imports a test, so the code holds more than the text.
        matching = [c for c in candidates if holds_assert(c.node) and resembles(c, code)]
    return matching


def the_only(matching: list[Candidate], code: CodeType, file: str) -> PythonFunction:
    """The one node that matches, or the first of several that read the same."""
    if len({ast.dump(candidate.node) for candidate in matching}) > 1:
        raise TypingError(
            f"several functions on line {code.co_firstlineno} could be this '{code.co_name}'",
            Location(file, code.co_firstlineno, function=code.co_name),
            "put each on a line of its own",
        )
    return matching[0].node


def changed_file(code: CodeType, file: str) -> TypingError:
    """The error for a file that no longer holds the function."""
    return TypingError(
        f"the source file no longer holds this '{code.co_name}': it was changed after the import",
        Location(file, code.co_firstlineno, function=code.co_name),
        "reload the module, or start Python again",
    )


# Comparing a node with the code that runs


def compiles_to(candidate: Candidate, code: CodeType) -> bool:
    """Is the candidate's code the same as `code`, places aside?"""
    return any(fingerprint(compiled) == fingerprint(code) for compiled in compiled_codes(candidate, code))


def resembles(candidate: Candidate, code: CodeType) -> bool:
    """Has `code` the candidate's parameters, and all its names and constants? Tools that add code keep these."""
    return any(
        parameters(compiled) == parameters(code) and contents(compiled) <= contents(code)
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


def flags_of(code: CodeType) -> int:
    """The flags to compile with: the `from __future__` in force, and `await` at top level as in notebooks."""
    return (code.co_flags & FUTURE_FLAGS) | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def enclosed(statement: ast.stmt, names: tuple[str, ...]) -> ast.stmt:
    """The statement within a function that owns `names`: text given alone then compiles to the same closure."""
    outer = parse(f"def outer({', '.join(names)}): pass").body[0]
    assert isinstance(outer, ast.FunctionDef), "the text is a function definition"
    outer.body = [statement]
    return outer


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """The code objects within `code`, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from nested_codes(constant)


def parameters(code: CodeType) -> tuple[int, int, tuple[str, ...]]:
    """What a code object says of the signature."""
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_argcount, code.co_posonlyargcount, code.co_varnames[:count]


def contents(code: CodeType) -> set[object]:
    """The names and constants of a code object and those within it."""
    held: set[object] = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    for constant in code.co_consts:
        held |= contents(constant) if isinstance(constant, CodeType) else {constant_key(constant)}
    return held


def fingerprint(code: CodeType) -> tuple[object, ...]:
    """All that decides what a code object does, without its places."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    constants = tuple(fingerprint(c) if isinstance(c, CodeType) else constant_key(c) for c in code.co_consts)
    return code.co_name, code.co_code, parameters(code), names, constants


def constant_key(constant: object) -> object:
    """A key that tells 1 from 1.0 and True, and 0.0 from -0.0."""
    if isinstance(constant, frozenset):
        return frozenset(constant_key(item) for item in constant)
    return type(constant), repr(constant)


def columns(code: CodeType) -> list[tuple[int | None, int | None]]:
    """The columns at which the instructions start and end."""
    return [(column, end) for _, _, column, end in code.co_positions()]


def holds_assert(node: PythonFunction) -> bool:
    return any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


# The tree


def as_gast(node: PythonFunction, lines: tuple[str, ...]) -> gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda:
    """A gast copy of `node`, without decorators, whose columns count characters (Python counts UTF-8 bytes)."""
    tree = gast.ast_to_gast(node)
    # Python 3.11 misplaces what stands in an f-string, beyond the last line at worst.
    text = dict(enumerate(lines, start=1))
    if not isinstance(node, ast.Lambda):
        tree.decorator_list = []
    for inner in gast.walk(tree):
        if getattr(inner, "lineno", None) is not None:
            inner.col_offset = characters(text.get(inner.lineno, ""), inner.col_offset)
            inner.end_col_offset = characters(text.get(inner.end_lineno, ""), inner.end_col_offset)
    return tree


def characters(text: str, byte_count: int) -> int:
    """How many characters the first bytes of `text` make."""
    return byte_count if text.isascii() else len(text.encode()[:byte_count].decode(errors="ignore"))

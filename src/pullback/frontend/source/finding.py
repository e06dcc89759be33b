"""Finding a function's source: a function object becomes a Source, a gast tree with true places.

The file's text is parsed whole, the node is looked up by name and first line, and it is accepted only if it
compiles to the code that the function runs. So a name defined twice, two lambdas on one line and a file edited
since its import never yield another function's text.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import gast

from pullback.errors import Location, TypingError
from pullback.frontend.source.candidates import (
    Candidate,
    PythonFunction,
    candidates_named,
    compiled_text,
    compiles_to,
    holds_assert,
    resembles,
    same_columns,
)
from pullback.frontend.source.code_objects import fingerprint, flags_of, is_rewritten_by_pytest
from pullback.frontend.source.nesting import limited_nesting
from pullback.frontend.source.plain_functions import plain_function


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


# The text


def lines_of_file(function: FunctionType) -> tuple[str, ...]:
    """All lines of the file, notebook cell or REPL input that defines `function`, as they are now."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__) or lines_known_to_inspect(function)
    if not lines and os.path.isfile(file):
        # Empty now, or not to be decoded.
        raise changed_file(function.__code__, file)
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


# The node


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
    if not matching and is_rewritten_by_pytest(code):
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

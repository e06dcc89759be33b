"""Where a problem is, and the errors that say so: place, what, why, and what to do instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a user's file. Lines count from 1, columns from 0; `text` is the whole source line.

    is_adjoint: what stands for the place is a statement of the backward sweep.
    """

    file: str = "<unknown>"
    line: int = 0
    column: int = 0
    end_column: int = 0
    text: str = ""
    function: str = ""
    is_adjoint: bool = False

    def on_the_way_back(self) -> Location:
        """The same place, for what the backward sweep does there."""
        return self if self.is_adjoint else replace(self, is_adjoint=True)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that cannot be accepted: where, what and why, and the remedy."""

    location: Location
    reason: str
    remedy: str = ""


class PullbackError(Exception):
    """The parent of every error that this library raises on its own account."""


class CacheWarning(UserWarning):
    """Compiled code is not kept on disk, for a reason that the user may want to know."""


class LanguageError(PullbackError, SyntaxError):
    """The source uses something that cannot be differentiated. Python prints file, line and caret by itself.

    `problems` lists everything found in the function, in the order of the source.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0].location
        details = (first.file, first.line, first.column + 1, first.text, first.line, first.end_column + 1)
        super().__init__(describe(self.problems), details)


class _Located(PullbackError):
    """An error with a place, printed as Python prints a syntax error."""

    def __init__(self, reason: str, location: Location | None = None, remedy: str = "") -> None:
        self.reason, self.location, self.remedy = reason, location, remedy
        super().__init__(describe_at(location, reason, remedy))


class MissingRuleError(_Located, NotImplementedError, LookupError):
    """A derivative is asked for along a function that has no rule."""


class TypingError(_Located, TypeError):
    """A value has a type that the operation, or differentiation, does not allow."""


class ShapeError(_Located, ValueError):
    """Shapes that do not fit together."""


class AliasError(_Located, ValueError):
    """Two arrays share memory where one of them is written."""


def describe(problems: Sequence[Problem]) -> str:
    """The message of a LanguageError: the first problem, then the further ones with their own places."""
    first, *further = problems
    lines = [first.reason]
    if first.remedy:
        lines.append(f"  Instead: {first.remedy}")
    for problem in further:
        lines.append(describe_at(problem.location, problem.reason, problem.remedy))
    return "\n".join(lines)


def describe_at(location: Location | None, reason: str, remedy: str = "") -> str:
    """File, line, the user's own text with a caret, the reason, and the remedy."""
    lines = [reason]
    if remedy:
        lines.append(f"  Instead: {remedy}")
    if location is not None and location.line:
        lines.append(f'  File "{location.file}", line {location.line}')
        stripped = location.text.strip()
        if stripped:
            indent = len(location.text) - len(location.text.lstrip())
            width = max(1, location.end_column - location.column)
            lines.append(f"    {stripped}")
            lines.append("    " + " " * max(0, location.column - indent) + "^" * min(width, max(1, len(stripped))))
    return "\n".join(lines)

"""Where a problem is, and the errors that say so: place, what, why, and what to do instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a user's file. Lines count from 1, columns from 0; `text` is the whole source line.

    is_adjoint: what stands for the place is a statement of the backward sweep. is_tangent: it is one of tangents.
    """

    file: str = "<unknown>"
    line: int = 0
    column: int = 0
    end_column: int = 0
    text: str = ""
    function: str = ""
    is_adjoint: bool = False
    is_tangent: bool = False

    def on_the_way_back(self) -> Location:
        """The same place, for what the backward sweep does there."""
        return self if self.is_adjoint else replace(self, is_adjoint=True)

    def along_tangents(self) -> Location:
        """The same place, for what tangents are computed of there."""
        return self if self.is_tangent else replace(self, is_tangent=True)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that cannot be accepted: where, what and why, and the remedy."""

    location: Location
    reason: str
    remedy: str = ""


class PullbackError(Exception):
    """The parent of every error that this library raises on its own account.

    >>> import pullback as pb
    >>> issubclass(pb.LanguageError, pb.PullbackError) and issubclass(pb.ShapeError, pb.PullbackError)
    True
    """


class CacheWarning(UserWarning):
    """Compiled code is not kept on disk, for a reason that the user may want to know."""


class LanguageError(PullbackError, SyntaxError):
    """The source uses something that cannot be differentiated. Python prints file, line and caret by itself.

    `problems` lists everything found in the function, in the order of the source, each with its location, reason and
    remedy.

    >>> import pullback as pb
    >>> def opened(x):
    ...     with open("x.txt") as file:
    ...         return x
    >>> try:
    ...     pb.grad(opened)(1.0)
    ... except pb.LanguageError as error:
    ...     print(error.problems[0].location.line, error.problems[0].reason)
    2 'with' cannot be differentiated: the backward pass cannot enter and leave the context again
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
    """A derivative is asked for along a function that has no rule.

    reason: what is wrong. location: the place in the user's source, where it is known. remedy: what to write instead.

    >>> import numpy as np, pullback as pb
    >>> try:
    ...     pb.grad(lambda x: np.union1d(x, x)[0])(np.ones(3))
    ... except pb.MissingRuleError as error:
    ...     print(error.reason)
    np.union1d has no derivative rule
    """


class TypingError(_Located, TypeError):
    """A value has a type that the operation, or differentiation, does not allow.

    reason: what is wrong. location: the place in the user's source, where it is known. remedy: what to write instead.

    >>> import pullback as pb
    >>> try:
    ...     pb.grad(lambda x: x * x)(1)
    ... except pb.TypingError as error:
    ...     print(error.remedy)
    pass a float, as in 2.0 or x.astype(float), or leave it out of argnums
    """


class ShapeError(_Located, ValueError):
    """Shapes that do not fit together.

    reason: what is wrong. location: the place in the user's source, where it is known. remedy: what to write instead.

    >>> import numpy as np, pullback as pb
    >>> layer = pb.nn.Dense(3)
    >>> layer.build(2)
    >>> try:
    ...     layer(np.ones((5, 4)))
    ... except pb.ShapeError as error:
    ...     print(error.reason)
    the layer takes rows of 2 numbers, not of shape (5, 4)
    """


class AliasError(_Located, ValueError):
    """Two arrays share memory where one of them is written.

    reason: what is wrong. location: the place in the user's source, where it is known. remedy: what to write instead.

    >>> import numpy as np, pullback as pb
    >>> def shifted(x, y):
    ...     x[0] = y[1]
    ...     return np.sum(x * y)
    >>> given = np.ones(3)
    >>> try:
    ...     pb.grad(shifted)(given, given[::-1])
    ... except pb.AliasError as error:
    ...     print(error.reason)
    the argument 'x' is written and shares memory with 'y'
    """


class NotFinite(_Located, FloatingPointError):
    """With `nan="raise"`: a value or derivative is not finite, and this is the first number that is not.

    quantity: 'value', 'adjoint', 'tangent' and the like, or 'argument'. variable: the user's name for it, or the text
    of the expression. value: NaN or an infinity. index: its place in an array, () for a number.
    iterations: the loops around, from outside, each as `(name, number)`: the loop's variable and what it was, or
    'line 12' and how many iterations were before. location, reason, remedy: as of other errors.

    Machine code makes it of the parts of the location (file, line, column, end_column, text), the names of the loops
    with commas between them, how many axes the array has (-n for an index of n numbers), and numbers: those of the
    iterations, then of the element and the shape, or the index, and the value.

    >>> import numpy as np, pullback as pb
    >>> def entropy(p):
    ...     total = 0.0
    ...     for i in range(len(p)):
    ...         total -= p[i] * np.log(p[i])
    ...     return total
    >>> try:
    ...     pb.grad(entropy, nan="raise")(np.array([0.5, 0.5, 0.0]))
    ... except pb.NotFinite as error:
    ...     print(error.quantity, error.variable, error.value, error.iterations, error.location.line)
    value np.log(p[i]) -inf (('i', 2),) 4
    """

    def __init__(
        self,
        quantity: str,
        variable: str,
        file: str = "",
        line: int = 0,
        column: int = 0,
        end_column: int = 0,
        text: str = "",
        loops: str = "",
        axes: int = 0,
        *numbers: float,
    ) -> None:
        plain = [float(number) if isinstance(number, float) else int(number) for number in numbers]
        self.given = (quantity, variable, file, line, column, end_column, text, loops, axes, *plain)
        self.quantity, self.variable = quantity, variable
        names = loops.split(",") if loops else []
        *rest, value = numbers or (float("nan"),)
        whole = [int(number) for number in rest]
        self.iterations = tuple(zip(names, whole, strict=False))
        place = whole[len(names) :]
        self.index = tuple(place) if axes <= 0 else _index_of(place[0], place[1:])
        self.value = float(value)
        super().__init__(self._said(), Location(file, line, column, end_column, text), _FINITE.get(quantity, _DEFAULT))

    def _said(self) -> str:
        """Which number it is, what it is, and in which iterations."""
        name = f"`{self.variable}`" if self.variable else "the result"
        at = f"[{', '.join(map(str, self.index))}]" if self.index else ""
        loops = [
            f"{name} = {number}" if not name.startswith("line ") else f"{number} of the loop in {name}"
            for name, number in self.iterations
        ]
        around = f", in iteration {', '.join(loops)}" if loops else ""
        element = f"element {at} of " if at else ""
        return f"{element}the {self.quantity} of {name} is {self.value}{around}".replace("argument of", "argument")

    def __reduce__(self) -> tuple[type[NotFinite], tuple[object, ...]]:
        return NotFinite, self.given


_FINITE = {
    "value": "keep the operands where the value is finite: behind np.where too, as np.log(np.where(x > 0, x, 1.0))",
    "argument": "leave out or replace what is not finite before the call",
    "given cotangent": "leave out or replace what is not finite before the call",
    "given tangent": "leave out or replace what is not finite before the call",
}
_DEFAULT = (
    "keep away from the points where the derivative is not finite, as np.sqrt(x + 1e-12), or say it by pb.custom_vjp"
)


def _index_of(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of an element that is counted along the last axis first."""
    index: list[int] = []
    for size in reversed(shape):
        number, place = divmod(number, size)
        index.insert(0, place)
    return tuple(index)


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

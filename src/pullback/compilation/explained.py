"""The error that the user should see for one that generated code has raised: with a place and a remedy."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numba.core.errors import NumbaError

from pullback.compilation.as_python import computing_as_numpy, without_prints
from pullback.compilation.blame import find_uncompilable
from pullback.compilation.options import Options
from pullback.errors import NotFinite, PullbackError, TypingError
from pullback.ir.nodes import Function
from pullback.runtime.refusals import ResultNotFinite

_PLACE = re.compile(r"^\s*# (?P<place>.+?:\d+): (?P<text>.*)")


class CompileError(PullbackError):
    """Numba could not compile what was generated; the interpreted form still runs."""


class Generated(Protocol):
    """What is asked of a generated function here; see `Compiled`."""

    name: str
    function: Function
    options: Options
    loaded: Callable[..., Any] | None

    @property
    def text(self) -> str: ...
    @property
    def interpreted(self) -> Callable[..., Any]: ...
    @property
    def replayed(self) -> Generated: ...
    @property
    def mutated(self) -> tuple[int, ...]: ...
    @property
    def calls_outside(self) -> bool: ...
    def too_wide(self, arguments: Sequence[Any]) -> OverflowError | None: ...


def explained(compiled: Generated, error: Exception, arguments: tuple[Any, ...]) -> Exception:
    """The error that the user should see for one raised by the entry of a generated function."""
    if isinstance(error, NotFinite | ResultNotFinite):
        return error
    if isinstance(error, OverflowError | NumbaError) and (wide := compiled.too_wide(arguments)):
        return wide
    if isinstance(error, NumbaError):
        return find_uncompilable(compiled.function) or _not_compiled(compiled, error)
    if compiled.options.jit and not compiled.mutated and not compiled.calls_outside:
        again = _raised_again(compiled, arguments)
        if again is None and isinstance(error, TypeError | ValueError | NotImplementedError):
            reason = f"compiled code cannot do what '{compiled.name}' asks of a function of NumPy: {error}"
            return TypingError(reason, compiled.function.location, "use pb.differentiable(jit=False)")
        error = error if again is None else again
    place = _place_of(compiled, error)
    if place:
        error.add_note(f"  at {place}")
    return error


def _not_compiled(compiled: Generated, error: NumbaError) -> CompileError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = lines[1] if len(lines) > 1 else str(error)
    message = f"the code generated for '{compiled.name}' could not be compiled: {reason}"
    return CompileError(message + "\n  Instead: use pb.differentiable(jit=False), and report this function")


def _raised_again(compiled: Generated, arguments: tuple[Any, ...]) -> Exception | None:
    """The error of a run as Python, on copies of the arguments: the same one, with a line; None if there is none."""
    try:
        again = computing_as_numpy(without_prints(compiled.interpreted))
        again(*(np.array(a) if isinstance(a, np.ndarray) else a for a in arguments))
    except Exception as repeated:
        return repeated
    return None


def _place_of(compiled: Generated, error: Exception) -> str:
    """The user's line that the generated line of an error comes from."""
    interpreted = compiled.replayed.loaded
    if interpreted is None:
        return ""
    code = interpreted.__code__
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == code.co_filename]
    if not lines or lines[-1] is None:
        return ""
    place, text = comment_before(compiled.replayed.text.splitlines(), lines[-1])
    return f"{place}: {text}" if place else ""


def comment_before(lines: list[str], line: int) -> tuple[str, str]:
    """The user's place "file:line" and its text that generated code names last up to a line; empty if it names none."""
    found = (_PLACE.search(text) for text in reversed(lines[:line]))
    return next(((match["place"], match["text"]) for match in found if match), ("", ""))

"""The commands of `python -m pullback`: words become a call, and its answer lines of text.

A command is a function that adds a parser of its own, whose default `run` takes the parsed words and returns the
process's exit code: 0 where all is well, 1 where something that was asked about is not, 2 for words that mean nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pullback.api.checks import check
from pullback.api.doctor import doctor
from pullback.api.emitting import emit
from pullback.api.explain import explain
from pullback.api.targets import arguments_for, function_named
from pullback.api.view import inspect_source, source
from pullback.compilation.cache import room
from pullback.compilation.cache.folder import location, opened
from pullback.errors import PullbackError, TypingError

UNITS = ("bytes", "kB", "MB", "GB")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in these words, by default those after `python -m pullback`; the exit code."""
    parser = argparse.ArgumentParser("python -m pullback", description="Readable, compiled gradients for NumPy code.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    chosen = parser.parse_args(words)
    try:
        code: int = chosen.run(chosen)
    except PullbackError as error:
        print(f"python -m pullback: {error}", file=sys.stderr)
        return WRONG_WORDS
    return code


def add_cache(commands: Any) -> None:
    """`cache`: what is kept on disk."""
    does = "show or clear the compiled code that is kept on disk"
    parser = _parser(commands, "cache", does, "python -m pullback cache clear")
    parser.add_argument("what", nargs="?", choices=["info", "clear"], default="info", help="info, or clear")
    parser.set_defaults(run=lambda chosen: clear_cache() if chosen.what == "clear" else show_cache())


def add_show(commands: Any) -> None:
    """`show`: the generated text."""
    example = "python -m pullback show wave.model:energy --signature 'float64[:], float64'"
    parser = _of_function(commands, "show", "print the forward and the backward function, to read", example)
    parser.add_argument("--compiled", action="store_true", help="the text that Numba compiles, with loops")
    parser.set_defaults(run=show)


def add_explain(commands: Any) -> None:
    """`explain`: what a gradient keeps, and how its loops run."""
    example = "python -m pullback explain wave.model:energy --arguments 'np.ones(100), 0.5'"
    parser = _of_function(commands, "explain", "print what the gradient keeps, and how its loops run", example)
    parser.add_argument("--passes", action="store_true", help="also what each pass changes")
    parser.set_defaults(run=show_explanation)


def add_check(commands: Any) -> None:
    """`check`: the gradient beside differences."""
    example = "python -m pullback check wave.model:energy --signature 'float64[:], float64'"
    does = "compare the gradient with differences; exit code 1 where they differ"
    _of_function(commands, "check", does, example).set_defaults(run=show_check)


def add_emit(commands: Any) -> None:
    """`emit`: the gradient as a module of its own."""
    example = "python -m pullback emit wave.model:energy --signature 'float64[:], float64' -o gradient.py"
    does = "write the gradient as a module that needs NumPy and Numba only"
    parser = _of_function(commands, "emit", does, example)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: print it)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 where FILE is out of date")
    parser.set_defaults(run=write_module)


def add_doctor(commands: Any) -> None:
    """`doctor`: what a gradient depends on here."""
    does = "print versions, threads, BLAS and cache, and try a gradient; exit code 1 where that is not right"
    _parser(commands, "doctor", does, "python -m pullback doctor").set_defaults(run=lambda chosen: show_doctor())


def _of_function(commands: Any, name: str, does: str, example: str) -> argparse.ArgumentParser:
    """The parser of a command for a function and arguments of it."""
    parser = _parser(commands, name, does, example)
    parser.add_argument("target", metavar="MODULE:FUNCTION", help="package.module:function, or file.py:function")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--signature", metavar="TYPES", help="types of arguments as Numba writes them")
    given.add_argument("--arguments", metavar="TEXT", help="arguments in Python, with the names of the module and np")
    parser.add_argument("--argnums", metavar="NAMES", help="what to differentiate: x,w or 0 (default: all floats)")
    return parser


def _parser(commands: Any, name: str, does: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=does,
        description=f"{does[0].upper()}{does[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


COMMANDS = (add_show, add_explain, add_check, add_emit, add_doctor, add_cache)
WRONG_WORDS = 2


def _asked(chosen: argparse.Namespace) -> tuple[Any, tuple[Any, ...], Any]:
    """The function, the arguments and the argnums that a command names."""
    function = function_named(chosen.target)
    return function, arguments_for(function, chosen.signature, chosen.arguments), _argnums(chosen)


def _argnums(chosen: argparse.Namespace) -> Any:
    words = [word.strip() for word in (chosen.argnums or "").split(",") if word.strip()]
    return tuple(int(w) if w.lstrip("-").isdigit() else w for w in words) or None


def show(chosen: argparse.Namespace) -> int:
    """Print the generated functions."""
    function, arguments, argnums = _asked(chosen)
    print((inspect_source if chosen.compiled else source)(function, *arguments, argnums=argnums))
    return 0


def show_explanation(chosen: argparse.Namespace) -> int:
    """Print what `explain` says."""
    function, arguments, argnums = _asked(chosen)
    print(explain(function, *arguments, argnums=argnums, passes=chosen.passes))
    return 0


def show_check(chosen: argparse.Namespace) -> int:
    """Print the table of `check`; exit code 1 where gradient and differences differ."""
    function, arguments, argnums = _asked(chosen)
    try:
        made = check(function, *arguments, argnums=argnums)
    except PullbackError:
        raise
    except Exception as error:  # the function's own
        said = ", ".join([f"{type(error).__name__}: {error}", *map(str.strip, getattr(error, "__notes__", ()))])
        raise TypingError(f"the function raised {said}", None, "give arguments that suit it: --arguments") from None
    print(made)
    return not made.passed


def write_module(chosen: argparse.Namespace) -> int:
    """Write or print what `emit` gives; with `--check`, exit code 1 where the file holds something else."""
    if chosen.check and chosen.output is None:
        raise TypingError("--check compares a file", None, "name it: -o gradient.py")
    function = function_named(chosen.target)
    if chosen.signature is not None:
        text = emit(function, signature=chosen.signature, argnums=_argnums(chosen))
    else:
        text = emit(function, *arguments_for(function, None, chosen.arguments), argnums=_argnums(chosen))
    if chosen.output is None:
        print(text, end="")
        return 0
    path = Path(chosen.output)
    try:
        if chosen.check:
            is_current = path.exists() and path.read_text(encoding="utf-8") == text
            print(f"{path} is {'up to date' if is_current else 'out of date: write it again, without --check'}")
            return not is_current
        path.write_text(text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TypingError(
            f"{path} cannot be {'read' if chosen.check else 'written'}: {error}", None, "name another one"
        ) from None
    return 0


def show_doctor() -> int:
    """Print the report of `doctor`; exit code 1 where a small gradient is not right."""
    report = doctor()
    print(report)
    return not report.splitlines()[-1].split(maxsplit=1)[1].startswith("right")


def show_cache() -> int:
    """Print where the cache is, and how much is in it."""
    with opened() as folder:
        files = [] if folder is None else list(room.files(folder))
    path = str(location() or "none: the user has no home, and PULLBACK_CACHE_DIR is not set")
    print(f"folder     {path.encode(errors='backslashreplace').decode()}")
    print(f"functions  {sum(file.name.endswith('.code') for file in files)}")
    print(f"size       {in_units(sum(file.size for file in files))} of {in_units(room.most_bytes())}")
    if files:
        print(f"last used  {day(min(file.used for file in files))} to {day(max(file.used for file in files))}")
    return 0


def clear_cache() -> int:
    """Remove everything in the cache, and print how much that was. Exit code 1 where something is left."""
    with opened() as folder:
        gone = [] if folder is None else room.clear(folder)
        left = [] if folder is None else list(room.files(folder))
    print(f"removed {len(gone)} files, {in_units(sum(file.size for file in gone))}")
    if left:
        print(f"{len(left)} files could not be removed")
    return bool(left)


def in_units(count: int) -> str:
    """A number of bytes to read.

    >>> in_units(999), in_units(1_230_000), in_units(10**9)
    ('999 bytes', '1.2 MB', '1.0 GB')
    """
    size, unit = float(count), 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit else f"{count} bytes"


def day(seconds: float) -> str:
    """The day of a moment, as in 2026-01-31."""
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d}"

"""Problems timed beside JAX in one process, in double precision and compiled: the first call, and those after it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from harness.report import as_text

try:
    import jax

    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is computed: ours, JAX's (made only if it is installed), and the arguments of both."""

    ours: Callable[..., Any]
    theirs: Callable[[], Callable[..., Any]]
    arguments: tuple[Any, ...]


def first_and_next(function: Callable[[], Any], rounds: int) -> tuple[Any, float, float]:
    """The result, the seconds of the first call, and the least of those after it."""
    begin = time.perf_counter()
    result = function()
    first = time.perf_counter() - begin
    least, calls = float("inf"), 1
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        spent = (time.perf_counter() - begin) / calls
        least, calls = min(least, spent), max(1, min(1000, int(0.1 / spent)))
    return result, first, least


def table(problems: Mapping[str, Problem], rounds: int) -> str:
    """A row for each problem; JAX's columns are empty where it is not installed."""
    rows = [["", "first, ours", "first, JAX", "next, ours", "next, JAX", "JAX / ours", "difference"]]
    for name, problem in problems.items():
        result, first, later = first_and_next(lambda p=problem: p.ours(*p.arguments), rounds)
        row = [name, f"{first:.2f} s", "", f"{later * 1e6:.1f} µs"]
        if jax is not None:
            made = problem.theirs()
            their, their_first, their_later = first_and_next(
                lambda p=problem, made=made: _as_arrays(made(*p.arguments)), rounds
            )
            row[2] = f"{their_first:.2f} s"
            row += [f"{their_later * 1e6:.1f} µs", f"{their_later / later:.2f}"]
            pairs = zip(_as_arrays(result), their, strict=True)
            row.append(f"{max(np.max(np.abs(a - b)) / np.max(np.abs(b)) for a, b in pairs):.1e}")
        rows.append(row + [""] * (len(rows[0]) - len(row)))
    return as_text(rows)


def _as_arrays(result: Any) -> list[np.ndarray]:
    """The arrays of a result, when they are computed."""
    if isinstance(result, list | tuple):
        return [array for part in result for array in _as_arrays(part)]
    return [result.toarray() if sparse.issparse(result) else np.asarray(result)]


def arguments_of(doc: str | None, problems: Mapping[str, Problem]) -> tuple[dict[str, Problem], int]:
    """The problems that the command line chooses, and how many rounds there are."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="after the first call; the fastest counts (5)")
    parser.add_argument("--only", help="names of problems, between commas")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else list(problems)
    return {name: problems[name] for name in chosen}, options.rounds

"""Timing of contestants that take turns, so that what disturbs the machine disturbs all of them."""

import timeit
from collections.abc import Callable, Mapping
from typing import Any


def measured(runs: Mapping[str, Callable[[], Any]], repeats: int, budget: float) -> dict[str, float]:
    """The least time of each in µs, of several repeats; `budget` is the seconds that each has."""
    once = {name: min(timeit.repeat(run, number=1, repeat=2)) for name, run in runs.items()}
    counts = {name: max(1, int(budget / repeats / max(seconds, 1e-7))) for name, seconds in once.items()}
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(repeats):
        for name, run in runs.items():
            best[name] = min(best[name], timeit.timeit(run, number=counts[name]) / counts[name])
    return {name: 1e6 * seconds for name, seconds in best.items()}

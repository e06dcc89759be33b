"""Counts of rounds: how often the body of an inner loop runs whose length grows or shrinks from round to round."""

from __future__ import annotations

from typing import Any

from pullback.runtime.compiled import compiled


def counted(rounds: int, first: int, step: int) -> int:
    """The sum of max(first + step * k, 0) for the k below `rounds`; never negative.

    >>> counted(4, 3, -1), counted(4, -1, 1)
    (6, 3)
    """
    if step < 0:  # those that count come first
        rounds = min(rounds, first // -step + 1) if first > 0 else 0
    elif first < 0:  # those that count come last
        skipped = -(first // step) if step else rounds
        rounds, first = rounds - skipped, first + step * skipped
    rounds = max(rounds, 0)
    return rounds * first + step * (rounds * (rounds - 1) // 2)


@compiled(counted, prefer_literal=False)
def _counted(rounds: Any, first: Any, step: Any) -> Any:
    def count(rounds: Any, first: Any, step: Any) -> Any:
        if step < 0:
            rounds = min(rounds, first // -step + 1) if first > 0 else 0
        elif first < 0:
            skipped = -(first // step) if step else rounds
            rounds, first = rounds - skipped, first + step * skipped
        rounds = max(rounds, 0)
        return rounds * first + step * (rounds * (rounds - 1) // 2)

    return count

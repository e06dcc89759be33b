"""Counts of rounds: of inner loops whose length grows or shrinks from round to round, of segments, and of chunks."""

from __future__ import annotations

import math
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


MOST_CHUNKS = 64


def chunk_length(rounds: int) -> int:
    """How many rounds of a parallel loop make a chunk: as many as give at most 64 chunks on every machine, at least 1.

    >>> chunk_length(640), chunk_length(641), chunk_length(0)
    (10, 11, 1)
    """
    return max(1, -(-rounds // MOST_CHUNKS))


@compiled(chunk_length, prefer_literal=False)
def _chunk_length(rounds: Any) -> Any:
    def length(rounds: Any) -> Any:
        return max(1, -(-rounds // MOST_CHUNKS))

    return length


def segment_length(rounds: int) -> int:
    """How many of a loop's rounds make a segment, so that there are about as many segments: ⌈√rounds⌉, at least 1.

    >>> segment_length(100), segment_length(101), segment_length(0)
    (10, 11, 1)
    """
    return max(1, math.ceil(math.sqrt(rounds)))


@compiled(segment_length, prefer_literal=False)
def _segment_length(rounds: Any) -> Any:
    def length(rounds: Any) -> Any:
        return max(1, math.ceil(math.sqrt(rounds)))

    return length

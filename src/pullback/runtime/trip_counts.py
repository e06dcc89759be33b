"""Trip counts: of inner loops whose length grows or shrinks in each iteration, of segments, and of chunks."""

from __future__ import annotations

import math
from typing import Any

from pullback.runtime.codegen.compiled import compiled


def counted(iterations: int, first: int, step: int) -> int:
    """The sum of max(first + step * k, 0) for the k below `iterations`; never negative.

    >>> counted(4, 3, -1), counted(4, -1, 1)
    (6, 3)
    """
    if step < 0:  # those that count come first
        iterations = min(iterations, first // -step + 1) if first > 0 else 0
    elif first < 0:  # those that count come last
        skipped = -(first // step) if step else iterations
        iterations, first = iterations - skipped, first + step * skipped
    iterations = max(iterations, 0)
    return iterations * first + step * (iterations * (iterations - 1) // 2)


@compiled(counted, prefer_literal=False)
def _counted(iterations: Any, first: Any, step: Any) -> Any:
    def count(iterations: Any, first: Any, step: Any) -> Any:
        if step < 0:
            iterations = min(iterations, first // -step + 1) if first > 0 else 0
        elif first < 0:
            skipped = -(first // step) if step else iterations
            iterations, first = iterations - skipped, first + step * skipped
        iterations = max(iterations, 0)
        return iterations * first + step * (iterations * (iterations - 1) // 2)

    return count


MOST_CHUNKS = 64


def chunk_length(iterations: int, most: int = MOST_CHUNKS) -> int:
    """How many iterations of a parallel loop make a chunk: as many as give at most so many chunks, at least 1.

    >>> chunk_length(640), chunk_length(641), chunk_length(0), chunk_length(640, 5)
    (10, 11, 1, 128)
    """
    return max(1, -(-iterations // most))


@compiled(chunk_length, prefer_literal=False)
def _chunk_length(iterations: Any, most: Any = MOST_CHUNKS) -> Any:
    def length(iterations: Any, most: Any = MOST_CHUNKS) -> Any:
        return max(1, -(-iterations // most))

    return length


def folded(chunk: int, chunks: int) -> int:
    """Which chunk comes at a place, where they come from both ends in turn: pairs of long and short ones.

    >>> [folded(chunk, 5) for chunk in range(5)]
    [0, 4, 1, 3, 2]
    """
    return chunks - 1 - chunk // 2 if chunk % 2 else chunk // 2


@compiled(folded, prefer_literal=False)
def _folded(chunk: Any, chunks: Any) -> Any:
    def place(chunk: Any, chunks: Any) -> Any:
        return chunks - 1 - chunk // 2 if chunk % 2 else chunk // 2

    return place


def segment_length(iterations: int) -> int:
    """How many of a loop's n iterations make a segment, so that there are about as many segments: ⌈√n⌉, at least 1.

    >>> segment_length(100), segment_length(101), segment_length(0)
    (10, 11, 1)
    """
    return max(1, math.ceil(math.sqrt(iterations)))


@compiled(segment_length, prefer_literal=False)
def _segment_length(iterations: Any) -> Any:
    def length(iterations: Any) -> Any:
        return max(1, math.ceil(math.sqrt(iterations)))

    return length

"""Checkpoints of a loop in a given memory: how many there are, and where they stand.

The schedule is binomial: s checkpoints and r repetitions of each iteration serve (s + r)! / (s! r!) of them. Griewank &
Walther (2000), Algorithm 799: revolve, ACM Transactions on Mathematical Software 26 (1).
"""

from __future__ import annotations

from typing import Any

from pullback.runtime.codegen.compiled import compiled, kernel

BRIEF = 64
LITTLE = 4096


def checkpointed(iterable: Any, memory: int | None = None) -> Any:
    """`iterable` itself; in a differentiable function, a loop over it keeps little for its derivative.

    The loop runs in segments: kept is what each of them starts with, its checkpoint, and the backward sweep runs a
    segment's iterations again before it goes back through them. Without `memory`, n iterations make about √n segments,
    and run twice. With `memory`, checkpoints stand where a binomial schedule puts them, so that a loop of any length
    keeps no more: s of them serve (s + r)! / (s! r!) iterations which run r times more. The values are the same.

    iterable: what a loop can go over.
    memory: how many bytes the checkpoints may take, at least one of them is there; beside them, a few iterations keep
        what their derivatives need. For loops without `break` and `return`, which carry numbers and arrays that keep
        their shapes.

    Raises LanguageError for `memory` and a loop with `break` or `return`, or one that calls a function that prints;
    ShapeError for `memory` and a loop that carries lists or arrays which change their shapes.

    >>> import numpy as np, pullback as pb
    >>> def settled(x, n):
    ...     for _ in pb.checkpointed(range(n), memory=1000):
    ...         x = np.cos(x)
    ...     return x
    >>> slope = pb.grad(settled)(0.5, 100_000)
    >>> abs(slope) < 1e-100
    True
    """
    return iterable


@compiled(checkpointed, prefer_literal=False)
def _checkpointed(iterable: Any, memory: Any = None) -> Any:
    return lambda iterable, memory=None: iterable


@kernel
def brief_length(each: int) -> int:
    """How many iterations stand between two checkpoints of `each` bytes at least: so many as keep little themselves.

    >>> brief_length(8), brief_length(512), brief_length(10**6)
    (64, 8, 1)
    """
    return max(1, min(BRIEF, LITTLE // max(each, 1)))


@kernel
def checkpoint_count(most: int, each: int, steps: int) -> int:
    """How many checkpoints of `each` bytes there are in so much memory: no more than steps, at least one.

    >>> checkpoint_count(1000, 8, 10**6), checkpoint_count(1000, 8, 7), checkpoint_count(1, 8, 7)
    (125, 7, 1)
    """
    return max(1, min(most // max(each, 1), steps))


@kernel
def checkpoint_distance(steps: int, free: int) -> int:
    """How far from a checkpoint the next one stands, for so many steps until the end and so many checkpoints for them.

    The first of the checkpoints is the one that is there; with no other one, the next is at the end.

    >>> checkpoint_distance(10, 3), checkpoint_distance(10, 10), checkpoint_distance(10, 1)
    (4, 1, 10)
    """
    if free == 1 or steps == 1:
        return steps
    before, reach, repeated = 0, 1, 0
    while reach < steps:
        repeated += 1
        before, reach = reach, reach * (free + repeated) // repeated
    shorter = before * free // (free + repeated - 1)
    return max(1, min(before, steps - shorter))

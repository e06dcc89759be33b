"""The entries of the list of passes that serve vectors (`pipeline.py`).

>>> [entry.does for entry in ENTRIES if entry.name == "loop_skewing"]
['the iterations of an antidiagonal run side by side, where each waits for the one before it and the one above']
"""

from __future__ import annotations

from pullback.analysis.activity import all_floats
from pullback.ir.nodes import Function
from pullback.passes.entries import Pass, Settings, plain
from pullback.passes.loops.argument_selection import select_arguments
from pullback.passes.loops.array_privatisation import privatise_arrays
from pullback.passes.vector.loop_skewing import skew_loops
from pullback.passes.vector.outer_vectorisation import vectorise_outer_loops
from pullback.passes.vector.recurrence_distribution import distribute_recurrences
from pullback.passes.vector.strip_distribution import distribute_strips


def _vectorised(function: Function, settings: Settings) -> Function:
    """The function with loops side by side; their arrays are privatised, and their numbers selected, for that alone."""
    private = privatise_arrays(function) if settings.has("array_privatisation") else function
    if settings.has("argument_selection"):
        private = select_arguments(private, all_floats(private))
    strips = vectorise_outer_loops(private)
    return function if strips.body == private.body else strips


ENTRIES = (
    Pass(
        "outer_vectorisation",
        "independent iterations of a loop around loops run side by side, 64 at a time",
        _vectorised,
        needs=("dead_code",),
        option="outer_vectorisation",
        reorders=True,
        then=("simplification", "loop_invariants", "simplification", "dead_code"),
    ),
    Pass(
        "loop_skewing",
        "the iterations of an antidiagonal run side by side, where each waits for the one before it and the one above",
        lambda function, settings: skew_loops(function, settings.in_order),
        needs=("bounds_checks", "overflow_checks"),
        option="loop_skewing",
    ),
    Pass(
        "recurrence_distribution",
        "what of an iteration does not wait for the one before it is in loops of its own, 64 iterations at a time",
        lambda function, settings: distribute_recurrences(function, settings.in_order),
        needs=("bounds_checks", "overflow_checks"),
        option="recurrence_distribution",
    ),
    Pass(
        "strip_distribution",
        "a loop that finds its elements by indices of the run loads, computes and stores 64 iterations at a time",
        plain(distribute_strips),
        needs=("bounds_checks",),
        option="strip_distribution",
    ),
)

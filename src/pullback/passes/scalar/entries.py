"""The entries of the list of passes that are over single statements (`pipeline.py`).

>>> [entry.does for entry in ENTRIES if entry.name == "code_sinking"]
['what only one side of a branch reads is computed there']
"""

from __future__ import annotations

from pullback.passes.entries import Pass, plain
from pullback.passes.scalar.branch_fusion import fuse_branches
from pullback.passes.scalar.code_sinking import sink_into_branches
from pullback.passes.scalar.induction_variables import substitute_induction_variables
from pullback.passes.scalar.merged_counters import merge_induction_variables
from pullback.passes.scalar.overflow_checks import assume_small, check_integers
from pullback.passes.scalar.preserved_exceptions import leave_checks
from pullback.passes.scalar.reassociation import reassociate
from pullback.passes.scalar.shared_quotients import share_quotients
from pullback.passes.scalar.simplify import simplify
from pullback.passes.scalar.vanished_arrays import without_dead
from pullback.passes.scalar.whole_numbers import keep_as_floats

ENTRIES = (
    Pass(
        "preserved_exceptions",
        "a statement that nobody reads, and that may raise, leaves a check of that behind",
        plain(leave_checks),
    ),
    Pass(
        "simplification",
        "algebraic identities, constant folding, common subexpressions",
        plain(simplify),
        option="any",
        tidies=True,
    ),
    Pass(
        "dead_code",
        "what nobody reads is removed",
        plain(without_dead),
        tidies=True,
    ),
    Pass(
        "induction_variables",
        "a carried integer is computed from the number of the iteration",
        plain(substitute_induction_variables),
        needs=("simplification", "loop_invariants"),
        option="induction_variables",
    ),
    Pass(
        "code_sinking",
        "what only one side of a branch reads is computed there",
        plain(sink_into_branches),
        needs=("dead_code",),
        option="code_sinking",
    ),
    Pass(
        "branch_fusion",
        "branches in a row that have the same condition become one",
        plain(fuse_branches),
        needs=("dead_code",),
        option="any",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "reassociation",
        "the constant factors of a product of the backward sweep become one",
        plain(reassociate),
        needs=("dead_code",),
        option="any",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "merged_counters",
        "carried integers that count the same become one, or the index of the loop",
        plain(merge_induction_variables),
        needs=("simplification",),
        option="induction_variables",
        then=("dead_code",),
    ),
    Pass(
        "small_integers",
        "arguments and sizes are assumed not to exceed 2**31; other calls go to the general form",
        plain(assume_small),
    ),
    Pass(
        "whole_numbers",
        "an integer that is made of a float, and read by arithmetic of floats alone, stays a float",
        plain(keep_as_floats),
        needs=("bounds_checks",),
        option="whole_numbers",
    ),
    Pass(
        "overflow_checks",
        "arithmetic of integers that is not proved to fit into 64 bits is checked",
        plain(check_integers),
    ),
    Pass(
        "shared_quotients",
        "the adjoints of both operands of a division come from one quotient",
        plain(share_quotients),
        option="shared_quotients",
        then=("dead_code",),
    ),
)

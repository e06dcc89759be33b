"""The entries of the list of passes that are over loops (`pipeline.py`).

>>> [entry.does for entry in ENTRIES if entry.name == "loop_fusion"]
['a nest that goes over the rows of what the nest before has made becomes a part of that']
"""

from __future__ import annotations

from pullback.passes.entries import Pass, plain
from pullback.passes.loops.argument_search import search_arguments
from pullback.passes.loops.array_contraction import contract_arrays
from pullback.passes.loops.bounds_checks import check_bounds
from pullback.passes.loops.complete_unrolling import unroll_completely
from pullback.passes.loops.height_reduction import reduce_heights
from pullback.passes.loops.if_conversion import convert_branches, convert_likely_branches
from pullback.passes.loops.invariant_loads import hoist_invariant_loads
from pullback.passes.loops.invariant_nests import hoist_invariant_nests
from pullback.passes.loops.likely_branches import keep_always
from pullback.passes.loops.load_scheduling import schedule_loads
from pullback.passes.loops.loop_distribution import distribute_loops
from pullback.passes.loops.loop_fusion import fuse_loops
from pullback.passes.loops.loop_invariants import hoist_all_invariants, hoist_invariants
from pullback.passes.loops.loop_peeling import peel_loops
from pullback.passes.loops.loop_reversal import reverse_loops
from pullback.passes.loops.parallel import run_in_parallel
from pullback.passes.loops.rolled_reads import read_rolls_in_place, split_index_sets
from pullback.passes.loops.scatter_to_gather import scatter_to_gather
from pullback.passes.loops.slice_induction import substitute_slices
from pullback.passes.loops.speculation import load_before_branches
from pullback.passes.loops.store_sinking import sink_stores
from pullback.passes.loops.unroll_and_jam import unroll_and_jam

ENTRIES = (
    Pass(
        "loop_invariants",
        "arithmetic that is the same in every iteration moves before the loop",
        plain(hoist_invariants),
        needs=("simplification",),
        option="loop_invariants",
        tidies=True,
    ),
    Pass(
        "slice_induction",
        "an array that iterations cut at its ends is a part of the array before the loop",
        lambda function, settings: substitute_slices(function) if settings.lowers else function,
        option="slice_induction",
        then=("simplification", "loop_invariants"),
    ),
    Pass(
        "invariant_loads",
        "an element that is the same in every iteration is read before the loop",
        plain(hoist_invariant_loads),
        needs=("loop_invariants",),
        option="loop_invariants",
    ),
    Pass(
        "invariant_nests",
        "what is the same in every iteration is computed before the loop, loops and what they fill included",
        plain(hoist_invariant_nests),
        needs=("dead_code",),
        option="invariant_nests",
        then=("simplification", "loop_invariants", "simplification", "dead_code"),
    ),
    Pass(
        "loop_fusion",
        "a nest that goes over the rows of what the nest before has made becomes a part of that",
        plain(fuse_loops),
        needs=("dead_code",),
        option="loop_fusion",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "loop_distribution",
        "what an iteration computes after its inner loops becomes a loop of its own, where it can be vectorised",
        plain(distribute_loops),
        needs=("dead_code",),
        option="loop_distribution",
        reorders=True,
        then=("simplification", "loop_invariants", "simplification", "dead_code"),
    ),
    Pass(
        "loop_peeling",
        "the first and last iterations, in which a condition on the index is another one, stand by themselves",
        plain(peel_loops),
        needs=("dead_code",),
        option="loop_peeling",
        then=("simplification", "loop_invariants", "simplification", "dead_code"),
    ),
    Pass(
        "complete_unrolling",
        "the few iterations of a short innermost loop stand one after the other",
        plain(unroll_completely),
        needs=("dead_code",),
        option="complete_unrolling",
        then=("simplification", "invariant_loads", "simplification", "dead_code"),
    ),
    Pass(
        "store_sinking",
        "what both sides of a branch store into one element is stored behind the branch",
        plain(sink_stores),
        needs=("dead_code",),
        option="store_sinking",
        then=("dead_code",),
    ),
    Pass(
        "speculation",
        "elements that branches of a loop read are read before the branches, where they are inside the array anyway",
        plain(load_before_branches),
        needs=("dead_code",),
        option="speculation",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "array_contraction",
        "an array of which each iteration of a loop makes and reads its own row becomes that row",
        plain(contract_arrays),
        needs=("loop_fusion",),
        option="array_contraction",
        then=("dead_code",),
    ),
    Pass(
        "loop_reversal",
        "a loop that runs backwards runs forwards where the order of its iterations does not matter",
        plain(reverse_loops),
        needs=("dead_stores",),
        option="loop_reversal",
    ),
    Pass(
        "rolled_reads",
        "rolled arrays that loops read are read where they are",
        plain(read_rolls_in_place),
        needs=("dead_code",),
        option="rolled_reads",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "index_set_splitting",
        "iterations that read around the ends of an axis are peeled",
        plain(split_index_sets),
        needs=("dead_code",),
        option="rolled_reads",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "invariant_statements",
        "arithmetic that is the same in every iteration moves before the loop, that of indices too",
        plain(hoist_all_invariants),
        needs=("copy_insertion",),
        option="loop_invariants",
    ),
    Pass(
        "unroll_and_jam",
        "the few iterations of a short loop around a nest run together",
        plain(unroll_and_jam),
        needs=("invariant_statements",),
        option="unroll_and_jam",
        reorders=True,
    ),
    Pass(
        "scatter_to_gather",
        "the adjoint of a stencil is added to each element once",
        lambda function, settings: scatter_to_gather(function, settings.parallel),
        needs=("invariant_statements",),
        option="scatter_to_gather",
        reorders=True,
        then=("dead_code",),
    ),
    Pass(
        "bounds_checks",
        "accesses that are not proved to be inside are checked, before the loop where that can be done",
        lambda function, settings: check_bounds(function, settings.parallel) if settings.checked else function,
    ),
    Pass(
        "argument_search",
        "a loop that finds the largest number and its place finds the number first, and then its place",
        plain(search_arguments),
        needs=("bounds_checks",),
        option="argument_search",
    ),
    Pass(
        "parallel",
        "loops whose iterations are independent run in chunks, by several threads",
        lambda function, settings: run_in_parallel(function, settings.in_order) if settings.parallel else function,
        needs=("bounds_checks", "overflow_checks"),
    ),
    Pass(
        "likely_branches",
        "what the side of a branch keeps that is taken where two floats differ is kept in every iteration",
        plain(keep_always),
        needs=("bounds_checks",),
        option="if_conversion",
        then=("dead_code",),
    ),
    Pass(
        "likely_conversion",
        "branches that ask whether two floats are equal compute both sides, and select",
        plain(convert_likely_branches),
        needs=("bounds_checks",),
        option="if_conversion",
        then=("dead_code",),
    ),
    Pass(
        "height_reduction",
        "an adjoint that each iteration hands to the next waits for one product and one sum",
        plain(reduce_heights),
        needs=("dead_code",),
        option="height_reduction",
        reorders=True,
        then=("simplification", "dead_code"),
    ),
    Pass(
        "if_conversion",
        "a branch of an iteration that only chooses between numbers computes both, and selects",
        plain(convert_branches),
        needs=("bounds_checks",),
        option="if_conversion",
        then=("dead_code",),
    ),
    Pass(
        "load_scheduling",
        "iterations with branches read their elements first, so that LLVM can do several of them at once",
        plain(schedule_loads),
        option="load_scheduling",
    ),
)

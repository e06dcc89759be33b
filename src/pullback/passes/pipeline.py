"""The list of all passes, and the sequences in which they run (`running.py`).

A function is prepared, differentiated, finished, arranged for the machine, and checked. Each of these stages is a
sequence of names of the list:

stage                 for
-----                 ---
exceptions            all functions that the user wrote
lowering              all, where array statements become loops
preparation           all
sizes                 gradient, forward and backward, where array statements stay
vectorisation         all, where array statements become loops
differentiation       gradient, forward and backward: `pullback.transform`, whose steps cannot run alone
segments              gradient, forward and backward, where loops run in segments
finish                gradient, forward and backward
extrema               value, where array statements become loops
lowered adjoint       gradient, where array statements become loops
initialisation        gradient, forward and backward
buffers               value and gradient, where array statements become loops
allocation            all but the value with array statements
assumptions           value and gradient, where array statements become loops
copies                all
arrangement           all, as machines run them
checks, text          all, as machines run them

>>> STAGES["checks"]
('bounds_checks', 'scalar_replacement_of_arguments', 'whole_numbers', 'overflow_checks', 'argument_search', 'parallel')
>>> stages_of("loop_invariants")
['lowering', 'preparation', 'segments', 'buffers']
>>> NAMED["parallel"].needs
('bounds_checks', 'overflow_checks')
"""

from __future__ import annotations

from pullback.analysis.activity import all_floats
from pullback.ir.nodes import Function
from pullback.passes.aggregates.replacement import replace_aggregates
from pullback.passes.entries import Pass, Settings, plain
from pullback.passes.loops.argument_search import search_arguments
from pullback.passes.loops.argument_selection import select_arguments
from pullback.passes.loops.array_contraction import contract_arrays
from pullback.passes.loops.array_privatisation import privatise_arrays
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
from pullback.passes.lowering import lower
from pullback.passes.lowering.constant_sizes import with_constant_sizes
from pullback.passes.lowering.equal_sizes import assume_equal_sizes
from pullback.passes.lowering.tall_products import expand_tall_products
from pullback.passes.memory.accumulator_coalescing import coalesce_accumulators
from pullback.passes.memory.accumulators_of_parts import add_up_in_parts
from pullback.passes.memory.allocation_hoisting import hoist_allocations
from pullback.passes.memory.block_coalescing import coalesce_blocks
from pullback.passes.memory.cleared_buffers import clear_buffers
from pullback.passes.memory.column_layout import hold_by_columns
from pullback.passes.memory.copy_elision import elide_copies
from pullback.passes.memory.copy_insertion import insert_copies
from pullback.passes.memory.dead_stores import remove_dead_stores
from pullback.passes.memory.deinterleaving import deinterleave
from pullback.passes.memory.equal_arrays import share_equal_arrays
from pullback.passes.memory.in_place import write_in_place
from pullback.passes.memory.largest_buffers import allocate_largest
from pullback.passes.memory.list_preallocation import preallocate_lists
from pullback.passes.memory.loop_load_elimination import eliminate_loads
from pullback.passes.memory.products import write_copies, write_products
from pullback.passes.memory.rank_k_updates import update_by_matrices
from pullback.passes.memory.rolls import write_rolls
from pullback.passes.memory.row_coalescing import coalesce_rows
from pullback.passes.memory.scalar_replacement import replace_elements_by_scalars
from pullback.passes.memory.small_products import write_out_products
from pullback.passes.memory.stack_allocation import allocate_on_stack
from pullback.passes.memory.strip_mining import run_in_strips
from pullback.passes.memory.zero_initialisation import skip_zero_initialisation
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


PASSES = (
    Pass(
        "constant_sizes",
        "lengths of short rows that loops read are those of the first call; other calls go to another form",
        lambda function, settings: with_constant_sizes(function, settings.sizes),
        option="constant_sizes",
    ),
    Pass(
        "tall_products",
        "products of matrices with a few columns, or rows, are arithmetic of these",
        plain(expand_tall_products),
        needs=("constant_sizes", "simplification", "dead_code"),
        option="tall_products",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "scalar_replacement_of_aggregates",
        "the elements of small arrays that iterations make are numbers of their own",
        plain(replace_aggregates),
        needs=("constant_sizes", "simplification", "dead_code"),
        option="scalar_replacement_of_aggregates",
        reorders=True,
    ),
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
        "loop_invariants",
        "arithmetic that is the same in every iteration moves before the loop",
        plain(hoist_invariants),
        needs=("simplification",),
        option="loop_invariants",
        tidies=True,
    ),
    Pass(
        "dead_code",
        "what nobody reads is removed",
        plain(without_dead),
        tidies=True,
    ),
    Pass(
        "list_preallocation",
        "a list that each iteration of a loop appends to is an array made before the loop",
        plain(preallocate_lists),
        needs=("dead_code",),
        option="list_preallocation",
    ),
    Pass(
        "lowering",
        "array statements become loops over their elements",
        plain(lower),
        needs=("dead_code",),
        option="lowering",
    ),
    Pass(
        "lowered_extrema",
        "array statements become loops over their elements, maxima and minima too",
        lambda function, settings: lower(function, "in rows" if settings.parallel else "all"),
        needs=("dead_code",),
        option="lowering",
        then=("simplification", "dead_code", "loop_fusion"),
    ),
    Pass(
        "slice_induction",
        "an array that iterations cut at its ends is a part of the array before the loop",
        lambda function, settings: substitute_slices(function) if settings.lowers else function,
        option="slice_induction",
        then=("simplification", "loop_invariants"),
    ),
    Pass(
        "induction_variables",
        "a carried integer is computed from the number of the iteration",
        plain(substitute_induction_variables),
        needs=("simplification", "loop_invariants"),
        option="induction_variables",
    ),
    Pass(
        "invariant_loads",
        "an element that is the same in every iteration is read before the loop",
        plain(hoist_invariant_loads),
        needs=("loop_invariants",),
        option="loop_invariants",
    ),
    Pass(
        "code_sinking",
        "what only one side of a branch reads is computed there",
        plain(sink_into_branches),
        needs=("dead_code",),
        option="code_sinking",
    ),
    Pass(
        "equal_sizes",
        "sizes of arguments are assumed to agree where arrays meet; other calls go to the general form",
        plain(assume_equal_sizes),
        needs=("dead_code",),
        option="equal_sizes",
        then=("simplification",),
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
        "outer_vectorisation",
        "independent iterations of a loop around loops run side by side, 64 at a time",
        _vectorised,
        needs=("dead_code",),
        option="outer_vectorisation",
        reorders=True,
        then=("simplification", "loop_invariants", "simplification", "dead_code"),
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
        "argument_selection",
        "a loop that selects one of its numbers keeps the iteration that had it, not the conditions",
        option="argument_selection",
    ),
    Pass(
        "array_privatisation",
        "an array that every iteration overwrites before it reads it is made in the iteration",
        option="array_privatisation",
    ),
    Pass(
        "activity",
        "only what depends on an input and influences an output is differentiated",
        option="activity",
    ),
    Pass(
        "branching_rules",
        "the derivative of a power is a quotient of it where that is accurate",
        needs=("activity",),
        option="branching_rules",
    ),
    Pass(
        "preaccumulation",
        "partial derivatives that share an exponential with the value are computed along with it",
        needs=("activity",),
        option="preaccumulation",
    ),
    Pass(
        "common_subexpressions",
        "the backward sweep reads what the forward sweep has computed",
        needs=("activity",),
        option="common_subexpressions",
    ),
    Pass(
        "one_sweep",
        "a loop that only accumulates is differentiated iteration by iteration",
        needs=("activity",),
        option="one_sweep",
    ),
    Pass(
        "residuals",
        "of what the backward sweep needs, a minimum cut is kept, and the rest read or computed again",
        needs=("one_sweep",),
        option="residuals",
    ),
    Pass(
        "save_on_kill",
        "arrays that nests write in place are restored element by element in the backward sweep",
        needs=("residuals",),
        option="save_on_kill",
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
        "array_contraction",
        "an array of which each iteration of a loop makes and reads its own row becomes that row",
        plain(contract_arrays),
        needs=("loop_fusion",),
        option="array_contraction",
        then=("dead_code",),
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
        "dead_stores",
        "adjoints of elements that nobody reads again are not set to 0",
        plain(remove_dead_stores),
        needs=("simplification",),
        option="dead_stores",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "loop_reversal",
        "a loop that runs backwards runs forwards where the order of its iterations does not matter",
        plain(reverse_loops),
        needs=("dead_stores",),
        option="loop_reversal",
    ),
    Pass(
        "accumulator_coalescing",
        "what is added up from zeros, then to another adjoint, starts from that",
        lambda function, settings: add_up_in_parts(coalesce_accumulators(function)),
        option="accumulator_coalescing",
        reorders=True,
    ),
    Pass(
        "zero_initialisation",
        "zeros are not written where the first addition to each element can be a store",
        lambda function, settings: skip_zero_initialisation(function),
        needs=("loop_reversal",),
        option="zero_initialisation",
    ),
    Pass(
        "equal_arrays",
        "arrays that loops fill with the same elements are one array",
        plain(share_equal_arrays),
        needs=("dead_code",),
        option="equal_arrays",
        then=("dead_code",),
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
        "rolls",
        "arrays that iterations roll by one place are copied, or added to others, by loops",
        plain(write_rolls),
        needs=("dead_code",),
        option="allocation_hoisting",
    ),
    Pass(
        "products",
        "products, inverses and copies that iterations make are written into buffers, or added in place",
        plain(write_products),
        option="allocation_hoisting",
    ),
    Pass(
        "in_place",
        "an array that an iteration hands to the next is written over the one that it was handed",
        plain(write_in_place),
        needs=("products",),
        option="allocation_hoisting",
        then=("products",),
    ),
    Pass(
        "rank_k_updates",
        "outer products that iterations add to a matrix are collected, and added as one product",
        lambda function, settings: update_by_matrices(function, settings.parallel),
        needs=("products",),
        option="rank_k_updates",
        reorders=True,
    ),
    Pass(
        "allocation_hoisting",
        "an array that every iteration makes with the same size is made before the loop",
        plain(hoist_allocations),
        option="allocation_hoisting",
    ),
    Pass(
        "small_integers",
        "arguments and sizes are assumed not to exceed 2**31; other calls go to the general form",
        plain(assume_small),
    ),
    Pass(
        "copy_insertion",
        "an array is copied where it is written although its old elements are read later",
        plain(insert_copies),
    ),
    Pass(
        "copies",
        "copies that iterations make are written into buffers",
        plain(write_copies),
        needs=("copy_insertion",),
        option="allocation_hoisting",
    ),
    Pass(
        "tail_initialisation",
        "zeros are written only behind the elements that a loop stores",
        lambda function, settings: skip_zero_initialisation(function, tails=True),
        option="zero_initialisation",
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
        "copy_elision",
        "an array that an iteration copies is changed where it is, if its old elements are not needed",
        plain(elide_copies),
        needs=("copy_insertion",),
        option="copy_elision",
    ),
    Pass(
        "scalar_replacement",
        "an element that every iteration adds to is summed in a variable",
        plain(replace_elements_by_scalars),
        needs=("scatter_to_gather",),
        option="scalar_replacement",
        reorders=True,
    ),
    Pass(
        "bounds_checks",
        "accesses that are not proved to be inside are checked, before the loop where that can be done",
        lambda function, settings: check_bounds(function, settings.parallel) if settings.checked else function,
    ),
    Pass(
        "scalar_replacement_of_arguments",
        "an element of an argument that every iteration adds to is summed in a variable, where none of them raises",
        lambda function, settings: replace_elements_by_scalars(function, checked=True),
        needs=("bounds_checks",),
        option="scalar_replacement",
        reorders=True,
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
        "loop_skewing",
        "the iterations of an antidiagonal run side by side, where each waits for the one before it and the one above",
        lambda function, settings: skew_loops(function, settings.in_order),
        needs=("bounds_checks", "overflow_checks"),
        option="loop_skewing",
    ),
    Pass(
        "loop_load_elimination",
        "an element that an iteration before stored is handed on in a variable",
        plain(eliminate_loads),
        needs=("bounds_checks",),
        option="loop_load_elimination",
        then=("simplification", "dead_code"),
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
    Pass(
        "block_coalescing",
        "an array that is kept for the backward sweep is made where it is kept",
        plain(coalesce_blocks),
        needs=("bounds_checks",),
        option="block_coalescing",
    ),
    Pass(
        "strip_mining",
        "a loop whose residuals grow runs in strips of iterations, with room for all of a strip before it",
        plain(run_in_strips),
        needs=("bounds_checks",),
        option="strip_mining",
    ),
    Pass(
        "column_layout",
        "an array of few columns, down which inner loops go again and again, is held column by column",
        plain(hold_by_columns),
        needs=("bounds_checks",),
        option="column_layout",
    ),
    Pass(
        "deinterleaving",
        "an array of which inner loops access every second element, again and again, is held in phases",
        plain(deinterleave),
        needs=("bounds_checks",),
        option="deinterleaving",
        then=("dead_code",),
    ),
    Pass(
        "largest_buffers",
        "an array that every iteration makes in another size is made before the loop, in the largest",
        plain(allocate_largest),
        needs=("bounds_checks",),
        option="allocation_hoisting",
        then=("simplification", "dead_code"),
    ),
    Pass(
        "small_products",
        "products of a few elements, whose sizes are known, are loops of constant lengths",
        plain(write_out_products),
        needs=("bounds_checks",),
        option="allocation_hoisting",
        then=("dead_code",),
    ),
    Pass(
        "stack_allocation",
        "a small array that does not outlive the call is on the stack",
        plain(allocate_on_stack),
        needs=("bounds_checks",),
        option="stack_allocation",
    ),
    Pass(
        "cleared_buffers",
        "zeros that every iteration makes are made before the loop, and cleared in each iteration",
        plain(clear_buffers),
        needs=("stack_allocation",),
        option="allocation_hoisting",
        then=("dead_code",),
    ),
    Pass(
        "shared_quotients",
        "the adjoints of both operands of a division come from one quotient",
        plain(share_quotients),
        option="shared_quotients",
        then=("dead_code",),
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
    Pass(
        "row_coalescing",
        "an array that is kept as a row of a larger one is made in this row",
        plain(coalesce_rows),
        needs=("bounds_checks",),
        option="block_coalescing",
        then=("dead_code",),
    ),
)
NAMED = {entry.name: entry for entry in PASSES}

STAGES: dict[str, tuple[str, ...]] = {
    "exceptions": ("preserved_exceptions",),
    "lowering": (
        "constant_sizes",
        "simplification",
        "loop_invariants",
        "dead_code",
        "tall_products",
        "list_preallocation",
        "scalar_replacement_of_aggregates",
        "simplification",
        "loop_invariants",
        "dead_code",
        "lowering",
    ),
    "preparation": (
        "slice_induction",
        "simplification",
        "loop_invariants",
        "induction_variables",
        "invariant_loads",
        "simplification",
        "dead_code",
        "code_sinking",
    ),
    "sizes": ("equal_sizes",),
    "vectorisation": (
        "invariant_nests",
        "loop_fusion",
        "outer_vectorisation",
        "loop_distribution",
        "loop_peeling",
        "complete_unrolling",
        "store_sinking",
        "speculation",
    ),
    "differentiation": (
        "argument_selection",
        "array_privatisation",
        "activity",
        "branching_rules",
        "preaccumulation",
        "common_subexpressions",
        "one_sweep",
        "residuals",
        "save_on_kill",
    ),
    "segments": ("loop_invariants",),
    "finish": (
        "dead_code",
        "simplification",
        "dead_code",
        "branch_fusion",
        "reassociation",
        "merged_counters",
        "dead_stores",
        "loop_reversal",
    ),
    "extrema": ("lowered_extrema",),
    "lowered adjoint": (
        "lowered_extrema",
        "simplification",
        "dead_code",
        "loop_fusion",
        "array_contraction",
        "dead_stores",
        "shared_quotients",
        "accumulator_coalescing",
    ),
    "initialisation": ("zero_initialisation",),
    "buffers": (
        "equal_arrays",
        "rolled_reads",
        "rolls",
        "products",
        "simplification",
        "dead_code",
        "loop_invariants",
        "in_place",
        "index_set_splitting",
        "rank_k_updates",
    ),
    "allocation": ("allocation_hoisting",),
    "assumptions": ("small_integers",),
    "copies": ("copy_insertion",),
    "arrangement": (
        "copies",
        "allocation_hoisting",
        "tail_initialisation",
        "invariant_statements",
        "unroll_and_jam",
        "scatter_to_gather",
        "copy_elision",
        "scalar_replacement",
    ),
    "checks": (
        "bounds_checks",
        "scalar_replacement_of_arguments",
        "whole_numbers",
        "overflow_checks",
        "argument_search",
        "parallel",
    ),
    "text": (
        "loop_skewing",
        "loop_load_elimination",
        "height_reduction",
        "likely_branches",
        "likely_conversion",
        "recurrence_distribution",
        "strip_distribution",
        "block_coalescing",
        "strip_mining",
        "column_layout",
        "deinterleaving",
        "largest_buffers",
        "small_products",
        "stack_allocation",
        "cleared_buffers",
        "if_conversion",
        "load_scheduling",
        "row_coalescing",
    ),
}
OPTIMISATIONS = frozenset(entry.option for entry in PASSES) - {"", "any"}
"""The names of the optimisations, for `differentiable(optimisations=...)`; each can be left out."""

REORDERING = frozenset(entry.option for entry in PASSES if entry.reorders)
"""Those that may add up in another order."""

ALL = Settings(OPTIMISATIONS)


def stages_of(name: str) -> list[str]:
    """The stages in which a pass runs."""
    return [stage for stage, names in STAGES.items() if name in names]

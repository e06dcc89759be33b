"""The entries of the list of passes that are over arrays (`pipeline.py`).

>>> [entry.does for entry in ENTRIES if entry.name == "in_place"]
['an array that an iteration hands to the next is written over the one that it was handed']
"""

from __future__ import annotations

from pullback.passes.entries import Pass, plain
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

ENTRIES = (
    Pass(
        "list_preallocation",
        "a list that each iteration of a loop appends to is an array made before the loop",
        plain(preallocate_lists),
        needs=("dead_code",),
        option="list_preallocation",
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
        "scalar_replacement_of_arguments",
        "an element of an argument that every iteration adds to is summed in a variable, where none of them raises",
        lambda function, settings: replace_elements_by_scalars(function, checked=True),
        needs=("bounds_checks",),
        option="scalar_replacement",
        reorders=True,
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
        "row_coalescing",
        "an array that is kept as a row of a larger one is made in this row",
        plain(coalesce_rows),
        needs=("bounds_checks",),
        option="block_coalescing",
        then=("dead_code",),
    ),
)

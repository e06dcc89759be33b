"""The passes that a Function goes through around its differentiation, in their order."""

from __future__ import annotations

from collections.abc import Set

from pullback.ir.nodes import Function
from pullback.passes.loops.loop_invariants import hoist_invariants
from pullback.passes.loops.loop_reversal import reverse_loops
from pullback.passes.lowering import lower
from pullback.passes.memory.allocation_hoisting import hoist_allocations
from pullback.passes.memory.dead_stores import remove_dead_stores
from pullback.passes.memory.in_place import write_in_place
from pullback.passes.memory.products import write_products
from pullback.passes.memory.zero_initialisation import skip_zero_initialisation
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.merged_counters import merge_induction_variables
from pullback.passes.scalar.simplify import simplify


def tidied(function: Function, optimisations: Set[str]) -> Function:
    return remove_dead(simplify(hoisted(simplify(function), optimisations)))


def hoisted(function: Function, optimisations: Set[str]) -> Function:
    return hoist_invariants(function) if "loop_invariants" in optimisations else function


def finished(function: Function, optimisations: Set[str], lowered: bool = False) -> Function:
    """The derivative without what nobody reads; a second iteration removes what the first one laid bare."""
    function = remove_dead(function)
    if not optimisations:
        return function
    function = remove_dead(simplify(function))
    if "induction_variables" in optimisations:
        function = remove_dead(merge_induction_variables(function))
    if "dead_stores" in optimisations:
        function = remove_dead(simplify(remove_dead_stores(function)))
    if "loop_reversal" in optimisations:
        function = reverse_loops(function)
    if lowered and "lowering" in optimisations:
        function = remove_dead(simplify(lower(function)))
    if "zero_initialisation" in optimisations:
        function = skip_zero_initialisation(function)
    if "allocation_hoisting" not in optimisations:
        return function
    return hoist_allocations(buffered(function, optimisations) if lowered else function)


def buffered(function: Function, optimisations: Set[str]) -> Function:
    """The function with the products and arrays of its iterations in memory that other iterations have used."""
    return write_in_place(hoisted(simplify(write_products(function)), optimisations))

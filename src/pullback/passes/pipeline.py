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

from pullback.passes.aggregates import entries as aggregates
from pullback.passes.entries import Pass, Settings
from pullback.passes.loops import entries as loops
from pullback.passes.lowering import entries as lowering
from pullback.passes.memory import entries as memory
from pullback.passes.scalar import entries as scalar
from pullback.passes.vector import entries as vector

DIFFERENTIATION = (
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
)
"""The steps of `pullback.transform`."""

PASSES = (
    *lowering.ENTRIES,
    *aggregates.ENTRIES,
    *scalar.ENTRIES,
    *loops.ENTRIES,
    *vector.ENTRIES,
    *DIFFERENTIATION,
    *memory.ENTRIES,
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

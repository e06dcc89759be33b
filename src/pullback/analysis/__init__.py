"""Facts about a Function: frozen results, passed along, never stored on its nodes."""

OPTIMISATIONS = frozenset(
    {
        "outer_vectorisation",  # iterations that run chains of steps run side by side
        "activity",  # only what lies between an input and a result is differentiated
        "dead_stores",  # adjoints that nobody reads again are not set to 0
        "induction_variables",  # integers that iterations count are computed from the iteration
        "zero_initialisation",  # adjoints are stored first, then added to
        "scatter_to_gather",  # the adjoint of a stencil is added up row by row
        "loop_invariants",  # what is the same in every iteration moves before the loop
        "unroll_and_jam",  # the few iterations of a short loop around a nest run together
        "allocation_hoisting",  # buffers are made before the loop
        "lowering",  # array statements become loops
        "one_sweep",  # loops that only accumulate are swept once
        "loop_reversal",  # backward iterations run forwards where their order does not matter
        "argument_selection",  # a loop that picks a number remembers the iteration
        "scalar_replacement",  # sums in elements of arrays are added up in a variable
        "residuals",  # of what the backward sweep needs, the least is kept
        "array_privatisation",  # arrays overwritten in every iteration are made in the iteration
        "common_subexpressions",  # the backward sweep reads what the forward sweep has computed
        "optimisation_barriers",  # compilers do not see how iterations move downwards through arrays
    }
)
"""The names of the optimisations, for `differentiable(optimisations=...)`; each can be left out."""

REORDERING = frozenset({"outer_vectorisation", "scatter_to_gather", "unroll_and_jam", "scalar_replacement"})
"""Those that may add up in another order."""

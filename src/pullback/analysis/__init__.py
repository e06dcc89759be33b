"""Facts about a Function: frozen results, passed along, never stored on its nodes."""

ANALYSES = frozenset(
    {
        "abreast",  # rounds that run chains of steps run side by side
        "activity",  # only what lies between an input and a result is differentiated
        "clears",  # adjoints that nobody reads again are not set to 0
        "counters",  # integers that rounds count are computed from the round
        "fresh",  # adjoints are stored first, then added to
        "gather",  # the adjoint of a stencil is added up row by row
        "hoist",  # what is the same in every round moves before the loop
        "jam",  # the few rounds of a short loop around a nest run together
        "lift",  # buffers are made before the loop
        "lower",  # array statements become loops
        "one_sweep",  # loops that only accumulate are swept once
        "order",  # backward rounds run forwards where their order does not matter
        "picks",  # a loop that picks a number remembers the round
        "registers",  # sums in elements of arrays are added up in a variable
        "residuals",  # of what the backward sweep needs, the least is kept
        "scratch",  # arrays overwritten in every round are made in the round
        "share",  # the backward sweep reads what the forward sweep has computed
        "veils",  # compilers do not see how rounds move downwards through arrays
    }
)
"""The names of the analyses, for `differentiable(analyses=...)`; each can be left out."""

REORDERING = frozenset({"abreast", "gather", "jam", "registers"})
"""Those that may add up in another order."""

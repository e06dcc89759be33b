"""The entries of the list of passes that bring array statements to loops (`pipeline.py`).

>>> [entry.does for entry in ENTRIES if entry.name == "lowering"]
['array statements become loops over their elements']
"""

from __future__ import annotations

from pullback.passes.entries import Pass, plain
from pullback.passes.lowering import lower
from pullback.passes.lowering.constant_sizes import with_constant_sizes
from pullback.passes.lowering.equal_sizes import assume_equal_sizes
from pullback.passes.lowering.tall_products import expand_tall_products

ENTRIES = (
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
        "equal_sizes",
        "sizes of arguments are assumed to agree where arrays meet; other calls go to the general form",
        plain(assume_equal_sizes),
        needs=("dead_code",),
        option="equal_sizes",
        then=("simplification",),
    ),
)

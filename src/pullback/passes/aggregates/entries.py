"""The entry of scalar replacement in the list of passes (`pipeline.py`).

>>> [entry.does for entry in ENTRIES if entry.name == "scalar_replacement_of_aggregates"]
['the elements of small arrays that iterations make are numbers of their own']
"""

from __future__ import annotations

from pullback.passes.aggregates.replacement import replace_aggregates
from pullback.passes.entries import Pass, plain

ENTRIES = (
    Pass(
        "scalar_replacement_of_aggregates",
        "the elements of small arrays that iterations make are numbers of their own",
        plain(replace_aggregates),
        needs=("constant_sizes", "simplification", "dead_code"),
        option="scalar_replacement_of_aggregates",
        reorders=True,
    ),
)

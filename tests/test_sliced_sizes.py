"""Arrays as long as slices of others: all that is done with them stands in loops."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as pb
from collect import programs


@pytest.mark.parametrize("program", programs("sliced_sizes"), ids=lambda program: program.name)
def test_sums_and_parts_are_loops(program: Any) -> None:
    """A sum over axes that were broadcast is there only for sizes that nobody knows."""
    text = pb.inspect_source(program.function, *program.samples[0].fresh())
    assert "for i in range" in text
    assert "sum_to" not in text

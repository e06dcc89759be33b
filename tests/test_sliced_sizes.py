"""Arrays as long as slices of others: all that is done with them stands in loops."""

from __future__ import annotations

import itertools
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from collect import programs
from pullback.analysis.sizes import Form
from pullback.frontend.build import normal_form
from pullback.passes.lowering.stride_lengths import with_lengths


@pytest.mark.parametrize("program", programs("sliced_sizes"), ids=lambda program: program.name)
def test_sums_and_parts_are_loops(program: Any) -> None:
    """A sum over axes that were broadcast is there only for sizes that nobody knows."""
    text = pb.inspect_source(program.function, *program.samples[0].fresh())
    assert "for i in range" in text
    assert "sum_to" not in text


ENDS = ("", "0", "1", "4", "-1", "-3", "n", "2 * n", "n - 2", "-n")


@pytest.mark.parametrize("step", [2, 3])
@pytest.mark.parametrize("start", ENDS)
def test_slices_with_steps_are_as_long_as_ranges(start: str, step: int, tmp_path: Path) -> None:
    """Where what is assumed holds, for all ends, lengths and numbers."""
    for number, stop in enumerate(ENDS):
        function = written(f"np.sum(np.sin(x[{start}:{stop}:{step}]))", tmp_path / f"written{number}.py")
        _, sizes, _ = with_lengths(normal_form(function, np.ones(9), 2))
        known = {value: key for key, value in sizes.slices.quotients.known.items()}
        lengths = [size for size in sizes.slices.found.values() if size in known]
        for length, n in itertools.product(range(9), range(-2, 6)) if lengths else ():
            if all(value_of(form, length, n) >= 0 for form in sizes.not_negative):
                form, by = known[lengths[0]]
                ends = (eval(end, {"n": n}) if end else None for end in (start, stop))
                assert value_of(form, length, n) // by == len(range(length)[slice(*ends, step)])


def value_of(form: Form, length: int, n: int) -> int:
    return form.constant + sum(c * (length if isinstance(term, tuple) else n) for term, c in form.terms)


def written(expression: str, path: Path) -> Any:
    """A function of `x` and `n` that returns an expression."""
    path.write_text(f"import numpy as np\n\n\ndef f(x, n):\n    return {expression}\n")
    return runpy.run_path(str(path))["f"]

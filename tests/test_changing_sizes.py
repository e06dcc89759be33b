"""Buffers of changing sizes, and adjoints of parts of rows: where they are made, and that results are the same."""

import numpy as np
import pytest

import pullback as pb
from collect import programs
from programs import changing_sizes as sizes

X = sizes.X
WITHOUT = pb.OPTIMISATIONS - {"allocation_hoisting", "accumulator_coalescing", "block_coalescing"}


def lines_of(function, *arguments):
    return pb.inspect_source(function, *arguments, argnums=()).splitlines()


@pytest.mark.parametrize(
    ("function", "arguments", "outside"),
    [
        (sizes.falling, (X, 7), True),
        (sizes.rising_in_a_nest, (X, 4), True),
        (sizes.counted_from_the_end, (X, 4), False),
        (sizes.read_as_a_whole, (X, 4), False),
        (sizes.the_last_is_kept, (X, 5), False),
        (sizes.left_before_it_is_large, (X, 100), False),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_buffers_are_made_in_the_largest_size(function, arguments, outside):
    lines = lines_of(function, *arguments)
    print(*lines, sep="\n")
    depths = [len(line) - len(line.lstrip()) for line in lines if "= np.empty(" in line and "#" not in line]
    assert (max(depths) == 4) == outside


@pytest.mark.parametrize(
    ("function", "arguments", "joined"),
    [
        (sizes.cut_at_both_ends, (X, 3), True),
        (sizes.tree, (X, 6), True),
        (sizes.windows_cut_off_by_the_ends, (X,), False),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_adjoints_of_parts_are_added_up_in_the_row(function, arguments, joined):
    text = pb.inspect_source(function, *arguments, argnums=0)
    print(text)
    assert (not any("] += " in line and "_bar[" in line and ":" in line for line in text.splitlines())) == joined


@pytest.mark.drawn(2)
@pytest.mark.parametrize("found", programs("changing_sizes"), ids=lambda found: found.name)
def test_gradients_are_the_same(found):
    for sample in found.samples:
        args = sample.fresh()
        gradients = [
            pb.grad(pb.differentiable(optimisations=o, cache=False)(found.function))(*sample.fresh())
            for o in (pb.OPTIMISATIONS, WITHOUT)
        ]
        np.testing.assert_allclose(*gradients, rtol=1e-5 if args[0].dtype == np.float32 else 1e-12, atol=1e-14)

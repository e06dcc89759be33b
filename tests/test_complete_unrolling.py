"""Short loops in other loops are unrolled in what is compiled, others stay, and what people read has all of them."""

from dataclasses import replace

import numpy as np
import pytest

import pullback as pb
from programs import unrolled_loops
from programs.unrolled_loops import M, X
from pullback.frontend.build import normal_form
from pullback.ir import primitives
from pullback.ir.nodes import For, lets_in
from pullback.passes.pipeline import ALL
from pullback.passes.running import run
from pullback.transform.derivative import prepared

UNROLLED = [
    (unrolled_loops.perimeters, M),
    (unrolled_loops.in_one_another, M),
    (unrolled_loops.iterations_that_choose, X),
    (unrolled_loops.while_loop_around_it, X, 3),
]


def ranges(text: str) -> list[str]:
    """The ranges of the loops whose number of iterations stands in the text."""
    found = [line.partition(" in range(")[2] for line in text.splitlines() if line.lstrip().startswith("for ")]
    return [part for part in found if all(c.isdigit() or c in " ,-" for c in part.rstrip("):"))]


@pytest.mark.parametrize(("function", "arguments"), [(function, rest) for function, *rest in UNROLLED])
def test_short_loops_are_unrolled_where_machines_run_them(function, arguments):
    assert ranges(pb.source(function, *arguments))
    assert not ranges(pb.inspect_source(function, *arguments))


def test_loops_with_much_in_them_stay():
    def polynomials(x):
        total = 0.0
        for t in range(x.shape[0]):
            y = x[t]
            for _ in range(4):
                y = y * 0.5 + np.sin(y) * np.cos(y) + np.tanh(y) * x[t] - np.exp(-y) * 0.25 + y * y / (1.0 + y * y)
                y = y * 0.5 + np.sin(y) * np.cos(y) + np.tanh(y) * x[t] - np.exp(-y) * 0.25 + y * y / (1.0 + y * y)
            total += y
        return total

    assert "range(4)" in pb.inspect_source(polynomials, X)


def test_loops_that_write_arrays_stay():
    arrays = pb.differentiable(optimisations=pb.OPTIMISATIONS - {"scalar_replacement_of_aggregates"})
    assert "range(3)" in pb.inspect_source(arrays(unrolled_loops.array_that_iterations_write), X)


def test_a_loop_that_no_other_is_around_stays():
    def cube(x):
        y = 1.0
        for _ in range(3):
            y *= x
        return y

    assert "range(3)" in pb.inspect_source(cube, 2.0)


def test_elements_that_an_unrolled_loop_reads_are_read_before_the_loop_around_it():
    def along(x, centres):
        direction, total = np.zeros(3), 0.0
        for i in range(x.shape[0]):
            for c in range(3):
                direction[c] = x[i] * (c + 1)
            for s in range(centres.shape[0]):
                on = 0.0
                for c in range(3):
                    on += direction[c] * centres[s, c]
                total += np.sin(on)
        return total

    settings = replace(ALL, lowered=True, optimisations=pb.OPTIMISATIONS - {"outer_vectorisation"})
    function = prepared(normal_form(along, X, M[:, :3]))
    function = run(function, settings, "lowering", "preparation", "vectorisation")
    (outer,) = (s for s in function.body.statements if isinstance(s, For))
    inner = next(s for s in reversed(outer.body.statements) if isinstance(s, For))
    read = [s.operands[0].name for s in lets_in(inner.body).values() if s.function is primitives.load]
    assert read == ["centres"] * 3

"""Arrays that are made where they are kept: second derivatives keep some of them twice, and nothing may be lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oracle
import pullback as pb
from test_programs import PROGRAMS, case_id

CUT = [program for program in PROGRAMS if program.module == "cut_arrays"]


@pytest.mark.drawn(6)
@pytest.mark.usefixtures("numba_off")
@pytest.mark.parametrize("program", CUT, ids=case_id)
def test_second_derivatives_by_each_nesting(program: Any) -> None:
    sample = program.samples[0]
    rng = np.random.default_rng(3)
    directions = tuple(rng.standard_normal(np.shape(sample.args[k])) for k in sample.wrt)
    _, expected = oracle.hvp(program.function, sample.fresh(), directions, sample.wrt)
    twice = pb.vjp(pb.grad(program.function, sample.wrt), sample.wrt)(*sample.fresh())[1](directions)
    given = sample.fresh()
    last = max(sample.wrt) + 1
    along = pb.hvp(program.function, sample.wrt)(*given[:last], directions, *given[last:])
    for found in (twice, along):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_what_an_iteration_hands_on_is_pushed_once_before_the_loop() -> None:
    (program,) = [each for each in CUT if each.function.__name__ == "kept_twice"]
    text = pb.inspect_source(program.function, *program.samples[0].fresh())
    assert [line for line in text.splitlines() if "push_block(" in line] == [
        "    c_saved2 = push_block(c_saved2, 0, c)"
    ]


@pb.checkpoint
def step(w: Any, x: Any) -> Any:
    y = np.tanh(w @ x)
    return y * y + x


def test_tangents_of_what_checkpoints_keep_are_made_where_they_are_kept() -> None:
    w = np.array([[0.4, -0.3, 0.2], [0.1, 0.5, -0.6], [-0.2, 0.3, 0.7]])

    def steps(x: Any, advance: Any) -> Any:
        for _ in range(4):
            x = advance(w, x)
        return np.sum(x)

    def plainly(w: Any, x: Any) -> Any:
        y = np.tanh(w @ x)
        return y * y + x

    x = np.array([0.3, -0.2, 0.9])
    found = pb.hessian(lambda x: steps(x, step))(x)
    np.testing.assert_allclose(found, pb.hessian(lambda x: steps(x, plainly))(x), rtol=1e-10)


@pytest.mark.parametrize("name", ["more_steps_than_rows", "more_steps_than_rows_of_what_is_handed_on"])
def test_no_row_is_written_before_its_index_is_checked(name: str) -> None:
    (program,) = (p for p in PROGRAMS if p.module == "kept_rows" and p.name == name)
    sample = program.samples[0]
    text = pb.inspect_source(program.function, *sample.fresh(), argnums=sample.wrt)
    assert "v = path[" not in text
    assert text.index("check_index(t, b.shape[0])") < text.index("copy_alike(path[t]")

"""The list of passes: what each needs has run before it, in every sequence of stages that is run."""

import re
from functools import cache

import numpy as np
import pytest

import pullback as pb
from pullback.passes import pipeline, running
from pullback.passes.pipeline import NAMED, PASSES, STAGES


def weighted_rows(a, x, w):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = np.sin(x[i]) * 0.5
    return np.sum(a @ y * w)


GIVEN = np.ones((3, 3)), np.ones(3), np.ones(3)
OTHER_SIZES = np.ones((3, 3)), np.ones(3), np.ones(1)


def settled(x, n):
    for _ in range(n):
        x = np.cos(x)
    return x


def forward_and_backward(**options):
    value, pullback = pb.vjp(pb.differentiable(weighted_rows, **options))(*GIVEN)
    return pullback(value)


RUNS = {
    "value": lambda: pb.differentiable(weighted_rows)(*GIVEN),
    "value of the general form": lambda: pb.differentiable(weighted_rows)(*OTHER_SIZES),
    "value in parallel": lambda: pb.differentiable(weighted_rows, parallel=True)(*GIVEN),
    "value as text": lambda: pb.differentiable(weighted_rows, jit=False)(*GIVEN),
    "gradient": lambda: pb.grad(pb.differentiable(weighted_rows))(*GIVEN),
    "gradient of the general form": lambda: pb.grad(pb.differentiable(weighted_rows))(*OTHER_SIZES),
    "gradient in segments": lambda: pb.grad(pb.differentiable(settled, max_residual_bytes=800))(0.5, 1000),
    "gradient as text": lambda: pb.source(pb.differentiable(weighted_rows), *GIVEN),
    "forward and backward": forward_and_backward,
    "forward and backward as text": lambda: forward_and_backward(jit=False),
    "loops explained": lambda: pb.explain(pb.differentiable(weighted_rows), *GIVEN),
    "passes explained": lambda: pb.explain(pb.differentiable(weighted_rows), *GIVEN, passes=True),
}


@pytest.fixture
def chains():
    """For each run the sequences of stages that functions went through, each from its normal form on.

    They are recorded in the first test that asks, since only within a test no call is served by the cache alone.
    """
    return all_chains()


@cache
def all_chains():
    return {name: recorded(run) for name, run in RUNS.items()}


def recorded(run):
    stages = []
    run_stage = running._run

    def recording(function, settings, stage, names, tidy):
        if names is STAGES[stage]:
            stages.append(stage)
        return run_stage(function, settings, stage, names, tidy)

    def differentiated(stage, name, before, after):
        if name == "both_sweeps":
            stages.append(stage)

    with pytest.MonkeyPatch.context() as patch, running.watched(differentiated):
        patch.setattr(running, "_run", recording)
        run()
    starts = [k for k, stage in enumerate(stages) if stage == "exceptions"]
    return [tuple(stages[a:b]) for a, b in zip(starts, [*starts[1:], len(stages)], strict=True)]


def missing(stages, listed):
    """What passes of these stages need and no stage before has: pairs of names."""
    ran, found = set(), []
    for name in (name for stage in stages for name in listed[stage]):
        found += [(name, needed) for needed in NAMED[name].needs if needed not in ran]
        ran.add(name)
    return found


def test_what_passes_need_has_run_before_them(chains):
    for name, sequences in chains.items():
        assert sequences, name
        for stages in sequences:
            assert missing(stages, STAGES) == [], (name, stages)


def test_every_stage_is_run(chains):
    assert {stage for sequences in chains.values() for stages in sequences for stage in stages} == set(STAGES)


@pytest.mark.parametrize("needed", sorted({needed for entry in PASSES for needed in entry.needs}))
def test_a_pass_that_is_needed_and_left_out_is_missed(chains, needed):
    without = {stage: tuple(name for name in names if name != needed) for stage, names in STAGES.items()}
    assert any(missing(stages, without) for sequences in chains.values() for stages in sequences)


def test_every_pass_stands_in_a_stage_and_every_name_of_a_stage_is_a_pass():
    assert {name for names in STAGES.values() for name in names} == {entry.name for entry in PASSES}
    assert len(NAMED) == len(PASSES)


def test_what_passes_need_and_what_tidies_up_after_them_are_passes():
    assert {name for entry in PASSES for name in (*entry.needs, *entry.then)} <= set(NAMED)


def test_the_table_of_the_docstring_names_the_stages_in_their_order():
    table = pipeline.__doc__.split("-----", 1)[1].split("\n\n", 1)[0]
    first = [re.split(r"  +", line)[0] for line in table.splitlines()[1:]]
    assert [stage for cell in first for stage in cell.split(", ")] == list(STAGES)

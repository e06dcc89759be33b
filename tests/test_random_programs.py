"""Random programs of a fixed size and seed: none may be accepted and wrong. `campaign.py` runs as many as one likes."""

from __future__ import annotations

import pytest

import campaign
import random_aliases
import random_nests
import random_programs
import random_recurrences

INTERPRETED = range(1000, 1170)
NESTS = range(4000, 4200)
ALIASES = range(5000, 5400)
LISTS = range(8000, 8060)
COMPILED = range(2000, 2040)
TEXTS = range(7000, 7060)
BLOCKS = 10
EDGES = range(6000, 6400)
GOOD = {"right", "refused"}


def test_a_list_that_is_made_before_a_loop_beside_an_array_of_a_size_from_zero():
    assert campaign.examine(981056).verdict == "right"


@pytest.mark.drawn(1)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_are_right_or_refused(block: int) -> None:
    seeds = INTERPRETED[block::BLOCKS]
    outcomes = {seed: campaign.examine(seed, compiled=False) for seed in seeds}
    bad = {seed: outcome for seed, outcome in outcomes.items() if outcome.verdict not in GOOD}
    assert not bad, bad
    accepted = sum(outcome.verdict == "right" for outcome in outcomes.values())
    assert accepted >= 0.75 * len(seeds), f"only {accepted} of {len(seeds)} programs are accepted"


@pytest.mark.drawn(1)
@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize(
    ("kind", "seeds", "share"), [("nests", NESTS, 0.75), ("aliases", ALIASES, 0.3), ("lists", LISTS, 0.8)]
)
def test_programs_of_one_kind_are_right_or_refused(kind: str, seeds: range, share: float, block: int) -> None:
    outcomes = {seed: campaign.examine(seed, kind=kind) for seed in seeds[block::BLOCKS]}
    bad = {seed: outcome for seed, outcome in outcomes.items() if outcome.verdict not in GOOD}
    assert not bad, bad
    assert sum(outcome.verdict == "right" for outcome in outcomes.values()) >= share * len(outcomes)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_programs_at_the_edges_are_right_or_refused(block: int) -> None:
    outcomes = {seed: campaign.examine(seed, kind="edges") for seed in EDGES[block::BLOCKS]}
    bad = {seed: outcome for seed, outcome in outcomes.items() if outcome.verdict not in GOOD}
    assert not bad, bad
    assert sum(outcome.verdict == "right" for outcome in outcomes.values()) >= 0.7 * len(outcomes)


@pytest.mark.drawn(2)
@pytest.mark.usefixtures("numba_off")
@pytest.mark.parametrize("block", range(20))
def test_texts_for_numba_are_right_as_they_are(block: int) -> None:
    outcomes = {seed: campaign.examine(seed, compiled=True) for seed in TEXTS[block::20]}
    bad = {seed: outcome for seed, outcome in outcomes.items() if outcome.verdict not in GOOD}
    assert not bad, bad


@pytest.mark.drawn(1)
@pytest.mark.parametrize("seed", range(6400, 6440))
def test_compiled_programs_at_the_edges_are_right_or_refused(seed: int) -> None:
    outcome = campaign.examine(seed, compiled=True, kind="edges")
    assert outcome.verdict in GOOD, outcome


@pytest.mark.drawn(1)
@pytest.mark.parametrize("seed", COMPILED)
def test_compiled_random_programs_are_right_or_refused(seed: int) -> None:
    outcome = campaign.examine(seed, compiled=True)
    assert outcome.verdict in GOOD, outcome


@pytest.mark.drawn(12)
@pytest.mark.parametrize("seed", range(61000, 61120))
def test_second_derivatives_of_recurrences_are_right(seed: int) -> None:
    outcome = campaign.examine_second(seed, kind="recurrences")
    assert outcome.verdict == "right", outcome


@pytest.mark.drawn(1)
@pytest.mark.parametrize("seed", range(61200, 61240))
def test_compiled_second_derivatives_of_recurrences_are_right(seed: int) -> None:
    outcome = campaign.examine_second(seed, kind="recurrences", compiled=True)
    assert outcome.verdict == "right", outcome


def test_the_generator_gives_the_same_program_again() -> None:
    assert random_programs.generate(7).source == random_programs.generate(7).source
    assert random_nests.generate(7).source == random_nests.generate(7).source
    assert random_recurrences.generate(7).source == random_recurrences.generate(7).source
    assert random_aliases.generate(7).source == random_aliases.generate(7).source

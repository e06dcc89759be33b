"""Library functions in every layout, dtype and mode: a part of what `function_campaign.py` tries."""

from __future__ import annotations

import pytest

from function_cases import DTYPES, Case, Trial, cases, every_trial, verdict
from function_forms import REFUSED as REFUSED_FORMS
from function_texts import REFUSED

MODES = ("interpreted", "forward", "tape", "second")
INTERPRETED = every_trial("", MODES, ("C", "F", "strided", "reversed", "empty"), DTYPES, 1)
COMPILED = every_trial("", ("compiled",), ("C", "strided"), DTYPES, 2)
SIZES = [
    trial
    for seed in (1, 2)
    for trial in every_trial("", ("interpreted",), ("resized",), ("float64",), seed)
    if "pinv" not in trial.case.text  # most resized matrices have nearly dependent rows
]


@pytest.mark.drawn(48)
@pytest.mark.parametrize("trial", INTERPRETED, ids=str)
def test_a_function_is_numpys_and_its_derivative_is_right(trial: Trial) -> None:
    kind, why = verdict(trial)
    assert kind in ("right", "refused", "no such call"), why


@pytest.mark.drawn(3)
@pytest.mark.parametrize("trial", COMPILED, ids=str)
def test_a_compiled_function_is_numpys_and_its_derivative_is_right(trial: Trial) -> None:
    kind, why = verdict(trial)
    assert kind in ("right", "refused", "no such call"), why


@pytest.mark.drawn(29)
@pytest.mark.parametrize("trial", SIZES, ids=str)
def test_sizes_that_fit_or_do_not_are_met_as_by_numpy(trial: Trial) -> None:
    kind, why = verdict(trial)
    assert kind in ("right", "refused", "no such call"), why


@pytest.mark.drawn(32)
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.text)
def test_a_function_works_unless_it_is_listed_as_refused(case: Case) -> None:
    kind, why = verdict(Trial(case))
    assert kind == ("refused" if case.text in REFUSED | REFUSED_FORMS else "right"), why

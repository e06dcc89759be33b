"""Library functions in every layout, dtype and mode: a part of what `function_campaign.py` tries."""

from __future__ import annotations

import pytest

from function_cases import DTYPES, Case, Trial, cases, every_trial, verdict
from function_texts import REFUSED

MODES = ("interpreted", "forward", "tape", "second")
INTERPRETED = every_trial("", MODES, ("C", "F", "strided", "reversed", "empty"), DTYPES, 1)
COMPILED = every_trial("", ("compiled",), ("C", "strided"), DTYPES, 2)


@pytest.mark.drawn(250)
@pytest.mark.parametrize("trial", INTERPRETED, ids=str)
def test_a_function_is_numpys_and_its_derivative_is_right(trial: Trial) -> None:
    kind, why = verdict(trial)
    assert kind in ("right", "refused", "no such call"), why


@pytest.mark.drawn(3)
@pytest.mark.parametrize("trial", COMPILED, ids=str)
def test_a_compiled_function_is_numpys_and_its_derivative_is_right(trial: Trial) -> None:
    kind, why = verdict(trial)
    assert kind in ("right", "refused", "no such call"), why


@pytest.mark.drawn(120)
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.text)
def test_a_function_works_unless_it_is_listed_as_refused(case: Case) -> None:
    kind, why = verdict(Trial(case))
    assert kind == ("refused" if case.text in REFUSED else "right"), why

"""Programs as people publish them give the values and derivatives of plain Python, without a change to them."""

import pytest

import real_checks
import real_programs

PROGRAMS = real_programs.corpus()
REFUSED = real_checks.refused_programs()


def test_the_corpus_is_as_large_as_it_should_be():
    folders = [name.partition(".")[0] for name in PROGRAMS]
    assert folders.count("kernels") >= 60
    assert folders.count("science") >= 40
    assert folders.count("learning") >= 40


def test_the_list_of_refused_programs_names_programs():
    assert set(REFUSED) <= set(PROGRAMS)


@pytest.mark.drawn(8)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_right_without_a_change(name):
    outcome = real_checks.examine(PROGRAMS[name], compiled=False)
    if name in REFUSED:
        assert outcome.verdict == "refused", f"remove it from real/refused.txt: {outcome}"
    else:
        assert outcome.verdict == "right", outcome


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in REFUSED])
def test_a_compiled_program_is_right_without_a_change(name):
    outcome = real_checks.examine(PROGRAMS[name], compiled=True)
    assert outcome.verdict == "right", outcome

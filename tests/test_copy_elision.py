"""Which copies of states in time are left out, and which adjoints start from others instead of zeros."""

import re

import numpy as np
import pytest

import pullback as pb
from programs import time_steps as programs

STATE, FACES = programs.U, programs.V
ELIDED = [
    (programs.of_a_copy, (STATE, FACES, 3), {"after", "now_bar"}),
    (programs.of_an_argument, (STATE, FACES, 3), {"after", "now_bar"}),
    (programs.all_states_are_kept, (STATE, FACES, 3), {"after"}),
    (programs.part_of_the_state_is_held, (STATE, FACES, 3), {"after"}),
    (programs.written_back_to_the_argument, (STATE.copy(), FACES, 3), {"after"}),
    (programs.by_a_function, (STATE, FACES, 3), {"after"}),
    (programs.two_states_exchanged, (STATE, programs.W, 3), {"after"}),
    (programs.the_state_before_is_read_after_the_step, (STATE, FACES, 4), set()),
    (programs.steps_that_do_not_replace_the_state, (STATE, FACES, 4), set()),
    (programs.best_state_so_far, (STATE, FACES, 4), set()),
    (programs.left_early, (STATE, FACES, 9), set()),
    (programs.part_of_the_state_before_is_held, (STATE, FACES, 3), set()),
    (programs.two_half_steps, (STATE, FACES, 3), set()),
    (programs.three_states_in_turn, (STATE, programs.W, 4), set()),
    (programs.on_a_grid, (programs.M, 3), set()),
    (programs.row_by_row, (programs.M, 3), set()),
]
COALESCED = [
    (programs.of_a_copy, (STATE, FACES, 3), {"now_bar"}),
    (programs.best_state_so_far, (STATE, FACES, 4), {"now_bar"}),
    (programs.two_half_steps, (STATE, FACES, 3), {"after_bar"}),
    (programs.two_states_exchanged, (STATE, programs.W, 3), {"a_bar"}),
    (programs.steps_that_do_not_replace_the_state, (STATE, FACES, 4), set()),
    (programs.three_states_in_turn, (STATE, programs.W, 4), set()),
    (programs.every_other_element_is_zero, (STATE, programs.W, 3), set()),
]


def made_no_more(name, function, arguments):
    """The arrays that are no longer made where the pass of this name has run."""
    changes = pb.explain(function, *arguments, argnums=(0,), passes=[name])
    return set(re.findall(r"^  - *(\w+)[.\d]*: \S+ = (?:empty|copy|zeros_like)\(", changes, re.MULTILINE))


@pytest.mark.parametrize(("function", "arguments", "elided"), ELIDED, ids=lambda f: getattr(f, "__name__", ""))
def test_a_state_is_changed_where_it_is_if_nobody_reads_it_again(function, arguments, elided):
    assert made_no_more("copy_elision", function, arguments) == elided


@pytest.mark.parametrize(("function", "arguments", "coalesced"), COALESCED, ids=lambda f: getattr(f, "__name__", ""))
def test_an_adjoint_starts_from_the_one_that_it_is_added_to(function, arguments, coalesced):
    assert made_no_more("accumulator_coalescing", function, arguments) == coalesced


def test_an_argument_is_copied_once():
    text = pb.inspect_source(programs.of_an_argument, STATE, FACES, 3)
    code = [line for line in text.splitlines() if "#" not in line]
    assert sum("copy" in line and "import" not in line and "now_saved" not in line for line in code) == 1
    assert not any("after" in line for line in code)


@pytest.mark.parametrize("function", [programs.of_an_argument, programs.by_a_function], ids=lambda f: f.__name__)
def test_arguments_are_left_as_they_are(function):
    u, v = STATE.copy(), FACES.copy()
    for _ in range(2):
        pb.value_and_grad(function, argnums=(0, 1))(u, v, 3)
    assert u.tolist() == STATE.tolist()
    assert v.tolist() == FACES.tolist()


def test_results_of_two_calls_are_memory_of_their_own():
    f = pb.differentiable(programs.returned_as_it_is)
    first, _ = f(STATE, FACES, 3)
    before = first.copy()
    second, _ = f(STATE, FACES, 2)
    assert first.tolist() == before.tolist()
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, STATE)


def test_what_is_raised_between_two_steps_leaves_an_argument_as_it_was():
    def raising(u, w, n):
        now = u
        for _ in range(n):
            after = now.copy()
            after[0] = w * now[-1] + now[0]
            now = after
            if now[0] > 3:
                raise ValueError("too large")
        u[:] = now
        return now[0]

    u = np.array([1.0, 2.0, 1.0])
    with pytest.raises(ValueError, match="too large"):
        pb.value_and_grad(raising, argnums=1)(u, 1.0, 5)
    assert u.tolist() == [1.0, 2.0, 1.0]

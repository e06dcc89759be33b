"""The reason that `explain` gives, and the line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb


def recorded(compute: Any, *sources: Any, **options: Any) -> tuple[pb.GradientTape, Any]:
    """A tape that is left, and what was computed on it."""
    with pb.GradientTape(**options) as tape:
        tape.watch([x for x in sources if not isinstance(x, pb.Variable)])
        y = compute()
    return tape, y


def reason(compute: Any, source: Any, **options: Any) -> str:
    tape, y = recorded(compute, source, **options)
    assert tape.gradient(y, source) is None
    return tape.explain(y, source)


def test_integers_on_the_path() -> None:
    x = pb.constant(3.7)
    text = reason(lambda: x.astype(np.int32).astype(np.float64) * 2.0, x)
    assert text.startswith("the cast to int32 has no derivative: what is computed from its result is constant.")
    assert "test_tape_explain.py" in text
    assert "text = reason(lambda: x.astype(np.int32)" in text


def test_function_that_is_constant_between_jumps() -> None:
    x = pb.Variable(3.7)
    assert reason(lambda: np.floor(x) * 2.0, x).startswith("np.floor has no derivative")


def test_numbers_that_left() -> None:
    x = pb.Variable([1.0, 2.0])
    other = pb.Variable(2.0)
    for leave, name in (
        (lambda: other * x.numpy()[0], "numpy()"),
        (lambda: other * float(x[0]), "float()"),
        (lambda: other * x[1].item(), "item()"),
    ):
        assert reason(leave, x).startswith(f"{name} took the elements out of the tape")


def test_stop_gradient_is_named() -> None:
    x = pb.Variable(3.7)
    assert reason(lambda: pb.stop_gradient(x * x), x).startswith("stop_gradient has no derivative")


def test_state_of_a_variable() -> None:
    x, state = pb.Variable(3.0, name="x"), pb.Variable(0.0, name="state")

    def compute() -> Any:
        state.assign(x * 2.0)
        return state * state

    assert reason(compute, x).startswith("the assignment to the variable 'state' took")


def test_variable_that_was_not_read() -> None:
    x, y = pb.Variable(3.0, name="x"), pb.Variable(3.0)
    assert reason(lambda: y * y, x) == "The variable 'x' was not read while the tape recorded."


def test_variables_that_are_not_watched() -> None:
    x, frozen = pb.Variable(3.0, name="x"), pb.Variable(3.0, name="frozen", trainable=False)
    tape, y = recorded(lambda: frozen * 2.0)
    assert tape.gradient(y, frozen) is None
    assert tape.explain(y, frozen).startswith("The variable 'frozen' is not trainable")
    tape, y = recorded(lambda: x * 2.0, watch_accessed_variables=False)
    assert tape.gradient(y, x) is None
    assert tape.explain(y, x).startswith("The tape watches what it is told to, and not the variable 'x'")


def test_name_that_was_bound_anew() -> None:
    x = pb.Variable(3.0)
    x = x + 1.0
    tape, y = recorded(lambda: x * x)
    assert tape.gradient(y, x) is None
    assert "as in x = x + 1, it stands for a new tensor now" in tape.explain(y, x)


def test_late_watch() -> None:
    x = pb.constant(3.0)
    with pb.GradientTape() as tape:
        y = x * x
        tape.watch(x)
    assert tape.gradient(y, x) is None
    assert tape.explain(y, x).startswith("The source was watched after the target was computed")


def test_target_computed_elsewhere() -> None:
    x = pb.Variable(3.0)
    tape, y = recorded(lambda: x * x, persistent=True)
    z = y * 2.0
    assert tape.gradient(z, x) is None
    assert "was computed after the tape was left" in tape.explain(z, x)
    other, z = recorded(lambda: x * x * x, persistent=True)
    assert tape.explain(z, x) == "The target was recorded by another tape."
    assert other.explain(y, x) == "The target was recorded by another tape."


def test_source_of_another_tape() -> None:
    x = pb.constant(3.0)
    other, _ = recorded(lambda: x * x, x, persistent=True)
    tape, y = recorded(lambda: x * x)
    assert tape.gradient(y, x) is None
    assert tape.explain(y, x).startswith("The source belongs to another tape")
    assert other.explain(y, x).startswith("The target was")


def test_jacobian_that_is_none_is_explained() -> None:
    x = pb.Variable([3.7, 1.2])
    tape, y = recorded(lambda: np.floor(x) * pb.Variable(2.0))
    assert tape.jacobian(y, x) is None
    assert tape.explain(y, x).startswith("np.floor has no derivative")


def test_comparison_is_not_blamed_where_something_else_is() -> None:
    x = pb.Variable(3.5)

    def compute() -> Any:
        y = np.rint(x)
        while y < 10.0 and x > 0.0:
            y = y * 2.0
        return y * pb.Variable(1.0)

    assert reason(compute, x).startswith("np.rint has no derivative")


def test_connected_and_integer_ends() -> None:
    x, n = pb.Variable(3.0), pb.constant([1, 2])
    tape, y = recorded(lambda: x * x, persistent=True)
    assert tape.explain(y, x) == "The target depends on the source: the gradient is not None."
    assert tape.explain(y, n).startswith("The source is made of int64")
    assert tape.explain(n, x).startswith("The target is made of int64")
    unused = pb.Variable(1.0)
    tape, y = recorded(lambda: (unused * 2.0, x * x)[1], persistent=True)
    assert tape.explain(y, unused) == "The target is not computed from the source."
    with pytest.raises(pb.TypingError):
        tape.explain(3.0, x)

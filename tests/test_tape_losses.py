"""No function drops a tensor: whatever is called with tensors, in whatever nesting, is right or refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
import tape_calls


@pytest.mark.drawn(2)
@pytest.mark.parametrize("block", range(6))
@pytest.mark.filterwarnings("ignore")  # NumPy's, about values and about ways to call it
def test_no_function_of_numpy_drops_a_tensor(block: int) -> None:
    verdicts = {}
    with np.errstate(all="ignore"):
        for number, (name, function) in enumerate(tape_calls.functions()):
            if number % 6 == block:
                calls = list(tape_calls.calls_of(name, function))
                verdicts |= {call: tape_calls.verdict(call) for call in calls[:: 1 + len(calls) // 20]}
    wrong = {call: verdict for call, verdict in verdicts.items() if verdict not in (None, "right", "refused")}
    assert not wrong
    assert sum(verdict is not None for verdict in verdicts.values()) > 250


@pytest.mark.parametrize("call", tape_calls.methods())
@pytest.mark.filterwarnings("ignore")
def test_no_other_call_drops_a_tensor(call: str) -> None:
    assert tape_calls.verdict(call) in (None, "right", "refused")


SEQUENCES: list[Callable[[Any], Any]] = [
    lambda x: np.column_stack([x, x * x]),
    lambda x: np.dstack([x, x * x]),
    lambda x: np.block([[x], [x * x]]),
    lambda x: np.select([x > 0.5, x <= 0.5], [x * x, 3 * x]),
    lambda x: np.select([x > 0.5], [x * x], 7.0),
    lambda x: np.choose(np.array([0, 1, 0]), [x, x * x]),
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 2),
    lambda x: np.histogramdd([x, x], 2)[1][0],
    lambda x: np.meshgrid(x, x)[0],
    lambda x: np.real(np.fft.fft(x)),
    lambda x: np.abs(np.fft.rfft(x)) ** 2,
    lambda x: np.fft.irfft(np.fft.rfft(x) * 2),
    lambda x: np.abs(x * 1j),
    lambda x: np.real(np.linalg.eig(np.outer(x, x))[0]),
    lambda x: np.angle(x + 1j),
    lambda x: np.sign(x.astype(complex)).real,
    lambda x: np.percentile(x, [50.0, x[0] * 100]),
]


@pytest.mark.parametrize("k", range(len(SEQUENCES)))
def test_a_function_of_several_tensors_is_right_or_raises_and_is_never_none(k: int) -> None:
    x, direction = pb.Variable([0.3, 0.6, 0.9]), np.array([1.0, -0.5, 0.25])
    with pb.GradientTape() as tape:
        y = SEQUENCES[k](x)
    assert np.allclose(y.numpy(), SEQUENCES[k](x.numpy()), rtol=1e-12)
    step = 1e-5 * direction
    expected = (SEQUENCES[k](x.numpy() + step) - SEQUENCES[k](x.numpy() - step)) / 2e-5
    try:
        assert np.dot(tape.gradient(y, x).numpy(), direction) == pytest.approx(np.sum(expected), abs=1e-8)
        with pb.ForwardAccumulator(x, direction) as accumulator:
            z = SEQUENCES[k](x)
        assert np.allclose(accumulator.jvp(z).numpy(), expected, atol=1e-8)
    except pb.MissingRuleError:
        with pytest.raises(pb.MissingRuleError), pb.ForwardAccumulator(x, direction):
            SEQUENCES[k](x)


def test_a_complex_target_is_refused() -> None:
    x = pb.Variable([1.0, 2.0])
    with pb.GradientTape() as tape:
        y = np.fft.fft(x)
    with pytest.raises(pb.TypingError, match="target of complex128 has no derivative"):
        tape.gradient(y, x)


def test_a_number_does_not_leave_in_a_loop_that_python_has_made_fast() -> None:
    s = pb.Variable(1.0)
    with pb.GradientTape():
        for _ in range(100):
            with pytest.raises(pb.TypingError, match=r"math\.sin\(\) would take"):
                math.sin(s)


def test_a_number_does_not_leave_through_a_function_without_a_name() -> None:
    x, functions = pb.Variable([1.0, 2.0]), {"sine": math.sin}
    with pb.GradientTape():
        with pytest.raises(pb.TypingError, match="would take a tensor's number out of the tape"):
            functions["sine"](x[0])
        with pytest.raises(pb.TypingError, match="would take a tensor's number out of the tape"):
            for _ in map(math.sin, x):
                pass
        with pytest.raises(pb.TypingError, match="would take a tensor's number out of the tape"):
            exec("import math\nmath.cos(x[0])", {"x": x})
        assert (float(x[0]), int(x[1]), f"{x[0]:.1f}", "%.1f" % x[0]) == (1.0, 2, "1.0", "1.0")  # noqa: UP031


@pytest.mark.parametrize(
    "call",
    [
        lambda x, a: np.sum(a, 0, None, x),
        lambda x, a: np.add(a, a, out=x),
        lambda x, a: np.dot(a, np.ones((3, 3)), x),
        lambda x, a: np.median(x, overwrite_input=True),
        lambda x, a: np.nan_to_num(x, copy=False),
        lambda x, a: np.add.at(x, 0, 1.0),
        lambda x, a: np.copyto(dst=x, src=a),
        lambda x, a: np.cumsum(a, 0, None, x),
    ],
)
def test_a_tensor_is_never_written_into(call: Callable[[Any, Any], Any]) -> None:
    x = pb.constant([3.0, 1.0, 2.0])
    with pytest.raises(pb.TypingError, match="cannot write into a tensor"):
        call(x, np.ones(3))
    assert x.numpy().tolist() == [3.0, 1.0, 2.0]


def test_a_result_is_not_written_into_an_array_by_position() -> None:
    x, out = pb.Variable([3.0, 1.0]), np.zeros(2)
    with pb.GradientTape():
        for call in (lambda: np.cumsum(x, 0, None, out), lambda: np.dot(x, np.eye(2), out)):
            with pytest.raises(pb.TypingError, match="cannot be written into an array"):
                call()
    assert out.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.clip(x, [0.2, 0.7, 0.4], 1.5),
        lambda x: np.stack(np.outer(x, x)),
        lambda x: np.concatenate(np.outer(x, x)),
        lambda x: np.hstack([x, [1.0, x[0]]]),
        lambda x: np.outer(x, [x[0], 2.0]),
        lambda x: np.array_split(x, 2)[1],
        lambda x: np.take(x, [True, False]),
    ],
)
def test_nested_lists_are_differentiated(f: Callable[[Any], Any]) -> None:
    x = pb.constant([0.3, 0.6, 0.9])
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.sin(f(x)))
    at, gradient = x.numpy(), tape.gradient(y, x).numpy()
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        difference = np.sum(np.sin(f(at + step))) - np.sum(np.sin(f(at - step)))
        np.testing.assert_allclose(gradient[k], difference / 2e-6, rtol=1e-6, atol=1e-8)

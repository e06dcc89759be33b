"""Every program under a tape: run by Python on tensors, its derivatives are the oracle's, or it is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import collect
import oracle
import pullback as pb
from test_programs import rtol_of

PROGRAMS = [program for program in collect.programs() if program.samples[0].cotangent is None]
NAMED = set((Path(__file__).parent / "refused_on_tapes.txt").read_text(encoding="utf-8").split())
"""Those that write into arrays, or whose numbers leave the tape: each of these is refused."""

REFUSED = [program for program in PROGRAMS if program.id in NAMED]
FOLLOWED = [program for program in PROGRAMS if program.id not in NAMED]

REFUSALS = ("cannot be assigned", "out of the tape", "into an array", "changed in place", "not a float")
"""What is refused: writing into arrays, and numbers that leave the tape unseen."""


def on_tape(value: Any) -> Any:
    """An argument with constants in the place of its floats."""
    if isinstance(value, float | np.floating | np.ndarray) and np.asarray(value).dtype.kind == "f":
        return pb.constant(value)
    if isinstance(value, list | tuple):
        items = [on_tape(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: on_tape(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **{name: on_tape(item) for name, item in vars(value).items()})
    return value


def leaves(value: Any) -> Iterator[Any]:
    """What stands in nested containers, without None, in the order in which it stands."""
    if isinstance(value, list | tuple):
        items = list(value)
    elif isinstance(value, dict):
        items = list(value.values())
    elif dataclasses.is_dataclass(value):
        items = list(vars(value).values())
    else:
        items = []
        yield from () if value is None else (value,)
    for item in items:
        yield from leaves(item)


def arguments_on_tape(sample: Any) -> tuple[list[Any], list[Any]]:
    """The arguments of a call, and the tensors in those that are differentiated."""
    args, sources = list(sample.fresh()), []
    for k in sample.wrt:
        args[k] = on_tape(args[k])
        sources += [leaf for leaf in leaves(args[k]) if isinstance(leaf, pb.Tensor)]
    return args, sources


def is_refusal(error: Exception) -> bool:
    """Whether an error is one of ours; NumPy puts one of its own around it where an element is stored."""
    cause = error.__cause__ if isinstance(error, ValueError) and error.__cause__ else error
    return isinstance(cause, pb.TypingError) and any(text in str(cause) for text in REFUSALS)


def assert_same(actual: Any, expected: Any, rtol: float) -> None:
    pairs = list(zip(actual, leaves(expected), strict=True))
    for a, e in pairs:
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0))) if np.all(np.isfinite(e)) else 1.0
        assert np.shape(a.numpy()) == np.shape(e)
        np.testing.assert_allclose(a.numpy(), e, rtol=rtol, atol=rtol * 1e-2 * scale)


def test_the_list_of_what_is_refused_names_programs() -> None:
    assert len(REFUSED) == len(NAMED)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.id)
def test_refused(program: Any) -> None:
    with pytest.raises((pb.TypingError, ValueError)) as caught:
        gradient_on_tape(program, *arguments_on_tape(program.samples[0]))
    assert is_refusal(caught.value)


def gradient_on_tape(program: Any, args: list[Any], sources: list[Any]) -> Any:
    with pb.GradientTape() as tape:
        tape.watch(sources)
        y = program.function(*args)
    return tape.gradient(y, sources, unconnected_gradients="zero")


@pytest.mark.drawn(74)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.id)
def test_gradient(program: Any) -> None:
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)

    gradients = gradient_on_tape(program, args, sources)
    _, expected = oracle.gradient(program.function, sample.fresh(), sample.wrt)
    assert_same(gradients, expected, rtol_of(sample.fresh()))


def directions(sources: list[Any]) -> list[Any]:
    rng = np.random.default_rng(7)
    return [pb.constant(np.asarray(rng.normal(size=x.shape)), x.dtype) for x in sources]


@pytest.mark.drawn(100)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", FOLLOWED[1::3], ids=lambda program: program.id)
def test_forward(program: Any) -> None:
    """The tangent that is pushed forward is the product of the gradient with the direction."""
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)
    along = directions(sources)

    with pb.ForwardAccumulator(sources, along) as accumulator:
        y = program.function(*args)
    tangent = accumulator.jvp(y, "zero")
    _, expected = oracle.gradient(program.function, sample.fresh(), sample.wrt)
    total = sum(float(np.sum(e * x_dot.numpy())) for e, x_dot in zip(leaves(expected), along, strict=True))
    size = sum(float(np.sum(np.abs(e * x_dot.numpy()))) for e, x_dot in zip(leaves(expected), along, strict=True))
    np.testing.assert_allclose(tangent.numpy(), total, rtol=rtol_of(sample.fresh()), atol=1e-12 + rtol_of(args) * size)


@pytest.mark.drawn(29)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", FOLLOWED, ids=lambda program: program.id)
def test_second_order(program: Any) -> None:
    """The gradient of the gradient along a direction: a tape within a tape, and forward over a tape, agree."""
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)
    along = directions(sources)

    with pb.GradientTape() as outer, pb.ForwardAccumulator(sources, along) as accumulator:
        outer.watch(sources)
        with pb.GradientTape() as inner:
            inner.watch(sources)
            y = program.function(*args)
        gradients = inner.gradient(y, sources, unconnected_gradients="zero")
    pushed = accumulator.jvp(gradients, "zero")
    pulled = outer.gradient(gradients, sources, along, "zero")
    rtol = max(1e-9, rtol_of(sample.fresh()))
    assert_same(pushed, [h.numpy() for h in pulled], rtol)


@pytest.mark.drawn(27)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", collect.programs(), ids=lambda program: program.id)
def test_call(program: Any) -> None:
    """A call of the differentiable function, in-place writes included, between other operations on the tape."""
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)
    function = pb.differentiable(jit=False)(program.function)
    written = any(np.any(a is not b) for a, b in zip(args, sample.args, strict=True)) and writes(function, sample)
    with pb.GradientTape() as tape:
        tape.watch(sources)
        if written:
            with pytest.raises(pb.TypingError, match="writes into its argument"):
                function(*args)
            return
        y = function(*args)
        floats = [leaf * 2.0 for leaf in leaves(y) if isinstance(leaf, pb.Tensor) and leaf.dtype.kind == "f"]
    weights = None if sample.cotangent is None else [0.5 * np.asarray(c) for c in leaves(sample.cotangent)]
    gradients = tape.gradient(floats, sources, weights, "zero")
    cotangent = 2.0 if sample.cotangent is None else sample.cotangent
    _, expected = oracle.vjp(program.function, sample.fresh(), cotangent, sample.wrt)
    assert_same(gradients, expected, rtol_of(sample.fresh()))


PLAIN = [p for p in PROGRAMS if all(isinstance(p.samples[0].args[k], float | np.ndarray) for k in p.samples[0].wrt)]


@pytest.mark.drawn(5)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PLAIN, ids=lambda program: program.id)
def test_second_order_of_a_call(program: Any) -> None:
    """Backwards over backwards, and forwards over it: through writes into arrays as well."""
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)
    function = pb.differentiable(jit=False)(program.function)
    if writes(function, sample):
        pytest.skip("writes into its argument")
    along = directions(sources)
    with pb.GradientTape() as outer, pb.ForwardAccumulator(sources, along) as accumulator:
        outer.watch(sources)
        with pb.GradientTape() as inner:
            inner.watch(sources)
            y = function(*args) * 2.0
        gradients = inner.gradient(y, sources, unconnected_gradients="zero")
    found = outer.gradient(gradients, sources, along, "zero")
    vectors = [a.numpy() if np.ndim(a) else a.item() for a in along]
    _, expected = oracle.hvp(program.function, sample.fresh(), vectors, sample.wrt)
    rtol = 1e-4 if rtol_of(sample.fresh()) > 1e-10 else 1e-9
    assert_same(found, [2.0 * np.asarray(e) for e in expected], rtol)
    assert_same(accumulator.jvp(gradients, "zero"), [h.numpy() for h in found], rtol)


def writes(function: Any, sample: Any) -> bool:
    """Whether a function changes an argument of a plain call."""
    given = sample.fresh()
    function(*given)
    before = [np.asarray(leaf) for leaf in leaves(list(sample.fresh()))]
    after = [np.asarray(leaf) for leaf in leaves(list(given))]
    pairs = zip(before, after, strict=True)
    return not all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)

"""Every program under a tape: run by Python on tensors, its derivatives are the oracle's, or it is refused."""

from __future__ import annotations

import dataclasses
import inspect
import re
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

REFUSALS = ("cannot be assigned", "out of the tape", "into an array", "changed in place", "not a float")
"""What is refused: writing into arrays, and numbers that leave the tape unseen."""

MAY_BE_REFUSED = re.compile(
    r"\] *[-+*/@]?= |[-+*/@%]= |\.at\(|math\.|np\.(array|asarray|add|\w+\(\[)|return [01]\.|\.fill"
)
"""What the text of a program holds that is refused: stores, conversions, a constant result."""


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


def run_or_skip(program: Any, run: Any) -> Any:
    """What a program computes on the tape, unless it may be refused and is."""
    try:
        return run()
    except (pb.TypingError, ValueError) as error:
        text = Path(inspect.getfile(program.function)).read_text() if wrapped_in_others(program) else ""
        lists = program.name in ("test_anf_list", "test_deep_anf_list")  # given to functions that make arrays of them
        if not is_refusal(error) or (
            not lists and not MAY_BE_REFUSED.search(inspect.getsource(program.function) + text)
        ):
            raise
        pytest.skip("refused")


def wrapped_in_others(program: Any) -> bool:
    """Whether a program calls functions of its own file."""
    module = inspect.getmodule(program.function)
    own = {name for name, value in vars(module).items() if inspect.isfunction(value)} if module else set()
    return bool(own & set(program.function.__code__.co_names)) or bool(program.function.__code__.co_freevars)


def assert_same(actual: Any, expected: Any, rtol: float) -> None:
    pairs = list(zip(actual, leaves(expected), strict=True))
    for a, e in pairs:
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0))) if np.all(np.isfinite(e)) else 1.0
        assert np.shape(a.numpy()) == np.shape(e)
        np.testing.assert_allclose(a.numpy(), e, rtol=rtol, atol=rtol * 1e-2 * scale)


@pytest.mark.drawn(400)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_gradient(program: Any) -> None:
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)

    def run() -> Any:
        with pb.GradientTape() as tape:
            tape.watch(sources)
            y = program.function(*args)
        return tape.gradient(y, sources, unconnected_gradients="zero")

    gradients = run_or_skip(program, run)
    _, expected = oracle.gradient(program.function, sample.fresh(), sample.wrt)
    assert_same(gradients, expected, rtol_of(sample.fresh()))


def directions(sources: list[Any]) -> list[Any]:
    rng = np.random.default_rng(7)
    return [pb.constant(np.asarray(rng.normal(size=x.shape)), x.dtype) for x in sources]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS[1::3], ids=lambda program: program.id)
def test_forward(program: Any) -> None:
    """The tangent that is pushed forward is the product of the gradient with the direction."""
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)
    along = directions(sources)

    def run() -> Any:
        with pb.ForwardAccumulator(sources, along) as accumulator:
            y = program.function(*args)
        return accumulator.jvp(y, "zero") if isinstance(y, pb.Tensor) else pytest.skip("constant")

    tangent = run_or_skip(program, run)
    _, expected = oracle.gradient(program.function, sample.fresh(), sample.wrt)
    total = sum(float(np.sum(e * x_dot.numpy())) for e, x_dot in zip(leaves(expected), along, strict=True))
    size = sum(float(np.sum(np.abs(e * x_dot.numpy()))) for e, x_dot in zip(leaves(expected), along, strict=True))
    np.testing.assert_allclose(tangent.numpy(), total, rtol=rtol_of(sample.fresh()), atol=1e-12 + rtol_of(args) * size)


@pytest.mark.drawn(150)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_second_order(program: Any) -> None:
    """The gradient of the gradient along a direction: a tape within a tape, and forward over a tape, agree."""
    sample = program.samples[0]
    args, sources = arguments_on_tape(sample)
    along = directions(sources)

    def run() -> Any:
        with pb.GradientTape() as outer, pb.ForwardAccumulator(sources, along) as accumulator:
            outer.watch(sources)
            with pb.GradientTape() as inner:
                inner.watch(sources)
                y = program.function(*args)
            gradients = inner.gradient(y, sources, unconnected_gradients="zero")
        pushed = accumulator.jvp(gradients, "zero")
        return pushed, outer.gradient(gradients, sources, along, "zero")

    pushed, pulled = run_or_skip(program, run)
    rtol = max(1e-9, rtol_of(sample.fresh()))
    assert_same(pushed, [h.numpy() for h in pulled], rtol)


@pytest.mark.drawn(250)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", collect.programs(), ids=lambda program: program.id)
def test_call(program: Any) -> None:
    """A call of the differentiable function, in-place writes included, between other operations on the tape."""
    if program.id in collect.REFUSED:
        pytest.skip("refused")
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


FOLLOWED = [program for program in PROGRAMS if program.id not in collect.REFUSED]
PLAIN = [p for p in FOLLOWED if all(isinstance(p.samples[0].args[k], float | np.ndarray) for k in p.samples[0].wrt)]


@pytest.mark.drawn(25)
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

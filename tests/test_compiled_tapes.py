"""Tapes inside of functions, resolved before they run: as on tensors, as `value_and_grad`, and as the oracle has it."""

from __future__ import annotations

import copy
import linecache
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import collect
import oracle
import pullback as pb
import random_nests
import random_programs
import tape_functions
from pullback.frontend.values.arguments import form_of, leaves_of
from test_language import markers_of
from test_programs import assert_close, rtol_of

FUNCTIONS = [
    (function, k)
    for function in vars(tape_functions).values()
    if getattr(function, "__module__", "") == "tape_functions"
    for k in range(len(collect.samples_of(function)))
]
PROGRAMS = [program for program in collect.programs() if program.id != "gaps.result_and_its_view"]
SCALAR = [program for program in PROGRAMS if program.samples[0].cotangent is None]
PLAIN = [p for p in SCALAR if all(isinstance(p.samples[0].args[k], float | np.ndarray) for k in p.samples[0].wrt)]


def name_of(value: Any) -> str:
    return getattr(value, "__name__", None) or getattr(value, "id", None) or str(value)


# Beside tensors


def on_tape(value: Any) -> Any:
    return pb.constant(value) if isinstance(value, float | np.ndarray) else value


def numbers(value: Any) -> Iterator[Any]:
    """What a function returned, flat, without tensors."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from numbers(item)
    else:
        yield value.numpy() if isinstance(value, pb.Tensor) else value


def check_function(function: Callable[..., Any], k: int, **options: Any) -> None:
    args = collect.samples_of(function)[k].args
    expected = list(numbers(function(*map(on_tape, args))))
    given = copy.deepcopy(args)
    actual = list(numbers(pb.differentiable(**options)(function)(*given)))
    for a, e in zip(actual, expected, strict=True):
        assert np.shape(a) == np.shape(e)
        np.testing.assert_allclose(a, e, rtol=1e-10, atol=1e-12)
    assert all(map(np.array_equal, given, args))


@pytest.mark.drawn(50)
@pytest.mark.parametrize("optimisations", [True, False], ids=["on", "off"])
@pytest.mark.parametrize(("function", "k"), FUNCTIONS, ids=name_of)
def test_interpreted_as_on_tensors(function: Any, k: int, optimisations: bool) -> None:
    check_function(function, k, jit=False, optimisations=optimisations)


@pytest.mark.drawn(25)
@pytest.mark.parametrize(("function", "k"), FUNCTIONS, ids=name_of)
def test_loops_as_on_tensors(function: Any, k: int) -> None:
    check_function(function, k, jit=False, fuse=True)


@pytest.mark.drawn(4)
@pytest.mark.parametrize(("function", "k"), FUNCTIONS[::3], ids=name_of)
def test_compiled_as_on_tensors(function: Any, k: int) -> None:
    check_function(function, k)


# Beside value_and_grad and vjp


def written(name: str, text: str, **names: Any) -> Callable[..., Any]:
    """A function that is defined by this text, in which some names have a meaning."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"pb": pb, "np": np, **names}
    exec(compile(text, file, "exec"), space)
    return space["made"]


def names_of(program: Any) -> tuple[list[str], list[str]]:
    """Names of the arguments of the first sample, and what the program gets: copies of those that samples write."""
    names = [f"a{k}" for k in range(len(program.samples[0].args))]
    written = [False] * len(names)
    for sample in program.samples:
        _, after = oracle.run(program.function, sample.fresh())
        for k, v, w in zip(range(len(names)), sample.args, after, strict=False):
            written[k] |= isinstance(v, np.ndarray) and v.tobytes() != w.tobytes()
    return names, [f"{name}.copy()" if copied else name for name, copied in zip(names, written, strict=True)]


def taped(program: Any) -> Callable[..., Any]:
    """The program in the block of a tape."""
    sample = program.samples[0]
    args, given = names_of(program)
    sources = "".join(f"{args[k]}, " for k in sample.wrt)
    text = f"""def made({", ".join(args)}, seed=None):
    with pb.GradientTape() as tape:
        tape.watch(({sources}))
        y = program({", ".join(given)})
    return y, tape.gradient(y, ({sources}), seed, pb.UnconnectedGradients.ZERO)
"""
    return written(f"taped {program.id}", text, program=program.function)


def both_ways(program: Any, jit: bool) -> tuple[list[Any], list[Any]]:
    """Value and gradient by a tape inside, and as the function itself has them."""
    sample = program.samples[0]
    function, inside = pb.differentiable(jit=jit)(program.function), pb.differentiable(jit=jit)(taped(program))
    if sample.cotangent is None:
        value, gradients = pb.value_and_grad(function, argnums=sample.wrt)(*sample.fresh())
        result = inside(*sample.fresh())
    else:
        value, pullback = pb.vjp(function, argnums=sample.wrt)(*sample.fresh())
        gradients = pullback(copy.deepcopy(sample.cotangent))
        result = inside(*sample.fresh(), copy.deepcopy(sample.cotangent))
    expected = (value, gradients)
    form = form_of(expected)
    return list(leaves_of(result, form)), list(leaves_of(expected, form))


@pytest.mark.drawn(10)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_equal_to_the_gradient_bit_for_bit(program: Any) -> None:
    for actual, expected in zip(*both_ways(program, jit=False), strict=True):
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.drawn(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_equal_to_the_compiled_gradient(program: Any) -> None:
    """But for the last bits: where arrays lie in memory decides in which order machine code adds."""
    for actual, expected in zip(*both_ways(program, jit=True), strict=True):
        scale = float(np.max(np.abs(expected), initial=1e-300))
        rtol = 1e-6 if np.asarray(expected).dtype == np.float32 else 1e-14
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * scale)


# Second derivatives


def nested(program: Any) -> Callable[..., Any]:
    """The Hessian of the program times a vector, by a tape in the block of another one."""
    sample = program.samples[0]
    args, given = names_of(program)
    sources = "".join(f"{args[k]}, " for k in sample.wrt)
    gradients = "".join(f"g{k}, " for k in sample.wrt)
    product = " + ".join(f"np.sum(g{k} * v{k})" for k in sample.wrt)
    text = f"""def made({", ".join([*args, *(f"v{k}" for k in sample.wrt)])}):
    with pb.GradientTape() as outer:
        outer.watch(({sources}))
        with pb.GradientTape() as inner:
            inner.watch(({sources}))
            y = program({", ".join(given)})
        ({gradients}) = inner.gradient(y, ({sources}), unconnected_gradients="zero")
        product = {product}
    return outer.gradient(product, ({sources}), unconnected_gradients="zero")
"""
    return written(f"nested {program.id}", text, program=program.function)


def direction(like: Any, rng: np.random.Generator) -> Any:
    if isinstance(like, np.ndarray):
        return rng.normal(size=like.shape).astype(like.dtype)
    return float(rng.normal())


def check_second(program: Any, **options: Any) -> None:
    sample = program.samples[0]
    rng = np.random.default_rng(5)
    vector = tuple(direction(sample.args[k], rng) for k in sample.wrt)
    _, expected = oracle.hvp(program.function, sample.fresh(), vector, sample.wrt)
    actual = pb.differentiable(**options)(nested(program))(*sample.fresh(), *copy.deepcopy(vector))
    single = rtol_of(sample.fresh()) > 1e-10
    assert_close(actual, expected, 1e-4 if single else 1e-9, "second derivative")


@pytest.mark.drawn(14)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PLAIN, ids=name_of)
def test_second_derivative(program: Any) -> None:
    check_second(program, jit=False)


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PLAIN, ids=name_of)
def test_compiled_second_derivative(program: Any) -> None:
    check_second(program)


@pytest.mark.drawn(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(74000, 74008))
def test_random_nests_of_loops_to_second_order(seed: int) -> None:
    drawn = random_nests.generate(seed)
    function = random_programs.load(drawn)
    try:
        sample = collect.Sample(drawn.arguments, drawn.wrt)
        program = collect.Program(f"nest {seed}", function, (sample,), "random_nests")
        for actual, expected in zip(*both_ways(program, jit=False), strict=True):
            np.testing.assert_array_equal(actual, expected)
        check_second(program, jit=False)
        check_second(program, jit=False, fuse=True)
    finally:
        random_programs.unload(function)


# Variables and tensors from outside

w, b = pb.Variable([1.0, 2.0], name="w"), pb.Variable(0.5, name="b")
fixed, plain = pb.Variable(2.0, trainable=False), pb.constant([3.0, 4.0])


def by_variables(x):
    with pb.GradientTape() as tape:
        y = np.sum(np.tanh(w * x + b) * plain) * fixed
    gradients = tape.gradient(y, [w, b, plain, fixed])
    return gradients[:2], gradients[2] is None, gradients[3] is None


def used_before_the_block(x):
    z = np.sum(w * w) * b
    with pb.GradientTape() as tape:
        y = np.sum(w * x) * z * b
    return tape.gradient(y, [w, b])


def read_first_in_a_branch(x):
    with pb.GradientTape() as tape:
        y = np.sum(w * x) * b if x[0] > 0 else b * b
        y = y + np.sum(w) * b
    return tape.gradient(y, [w, b])


def second_by_variables(x):
    with pb.GradientTape() as outer:
        with pb.GradientTape() as inner:
            y = np.sum(np.sin(w * x) * b**3)
        (g,) = inner.gradient(y, [w])
        size = 3.0 * b * np.sum(g * g)
    return g, outer.gradient(size, [w, b])


def watched_by_request(x):
    with pb.GradientTape(watch_accessed_variables=False) as tape:
        early = b * b
        tape.watch(b)
        y = np.sum(w * x) * b + early
    g = tape.gradient(y, [w, b])
    return g[0] is None, g[1]


def in_iterations(x):
    total = 0.0
    for k in range(3):
        with pb.GradientTape() as tape:
            y = 0.0
            for j in range(2):
                y = y + np.sum(w * x) * b * j
        total = total + tape.gradient(y, b) * k
    return total


OUTSIDE = [
    by_variables,
    used_before_the_block,
    read_first_in_a_branch,
    second_by_variables,
    watched_by_request,
    in_iterations,
]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("function", OUTSIDE, ids=name_of)
def test_variables_are_watched_and_read_anew(function: Any, jit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = pb.differentiable(jit=jit)(function)
    for values in ([1.0, 2.0], [-0.3, 0.8]):
        monkeypatch.setattr(w, "_value", np.array(values))
        for x in (np.array([0.3, 0.7]), np.array([-0.3, 0.7])):
            for actual, expected in zip(numbers(inside(x)), numbers(function(x)), strict=True):
                np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-14)


# What a tape in a function means where tensors do not go the same way


def last_of(function: Callable[..., Any], *args: Any) -> Any:
    results = [pb.differentiable(jit=jit)(function)(*copy.deepcopy(args)) for jit in (False, True)]
    for one, other in zip(numbers(results[0]), numbers(results[1]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    return results[1]


def test_an_array_is_a_source_by_what_it_held_in_the_block() -> None:
    def both(x):
        y = x.copy()
        with pb.GradientTape(persistent=True) as tape:
            tape.watch(y)
            s = np.sum(y**3)
            t = np.sum(np.exp(y))
        for _ in range(3):
            y -= 0.1 * tape.gradient(s, y)
        return y, tape.gradient(t, y)

    x = np.array([1.0, -2.0, 0.5])
    y, g = last_of(both, x)
    np.testing.assert_allclose(y, x - 0.9 * x**2, rtol=1e-14)
    np.testing.assert_allclose(g, np.exp(x), rtol=1e-14)


def test_numbers_known_before_the_run_are_watched() -> None:
    def root(n):
        x, twin = 1.5, 1.5
        for _ in range(n):
            with pb.GradientTape() as tape:
                tape.watch(x)
                y = x**3 - x - 1.0 + 0.0 * twin
            x = x - y / tape.gradient(y, x)
        return x

    assert last_of(root, 8) == pytest.approx(1.3247179572447460, rel=1e-15)


def test_arrays_that_the_block_fills() -> None:
    def filled(w, n):
        with pb.GradientTape() as tape:
            tape.watch(w)
            h = np.zeros(n)
            h[0] = 1.0
            for i in range(1, n):
                h[i] = np.tanh(w[0] * h[i - 1] + w[1])
            loss = np.sum(h * h)
        return tape.gradient(loss, [w, h])

    def iterations(w, n):
        h = 1.0
        total = 1.0
        for _ in range(1, n):
            h = np.tanh(w[0] * h + w[1])
            total += h * h
        return total

    weights = np.array([0.7, -0.2])
    by_w, by_h = last_of(filled, weights, 6)
    np.testing.assert_allclose(by_w, pb.grad(iterations)(weights, 6), rtol=1e-13)
    assert by_h.shape == (6,)
    assert by_h[-1] == pytest.approx(2 * np.sqrt(iterations(weights, 6) - iterations(weights, 5)) * np.sign(by_h[-1]))


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(0),
        np.array(2.0),
        np.float32(1.5),
        np.ones((3, 4), np.float32)[:, ::2],
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
    ids=["empty", "0-d", "float32", "strided", "Fortran"],
)
def test_arrays_of_all_kinds(x: Any) -> None:
    def square(x):
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
        return tape.gradient(y, x)

    g = last_of(square, x)
    np.testing.assert_array_equal(g, 2 * x)
    assert np.asarray(g).dtype == x.dtype


def test_nested_parameters() -> None:
    def step(layers, scale, x):
        with pb.GradientTape() as tape:
            tape.watch((layers, scale))
            h = x
            for layer in layers:
                h = np.tanh(h * layer["w"] + layer["b"])
            loss = np.sum(h) * scale["last"]
        gradients, by_scale = tape.gradient(loss, (layers, scale))
        return [layer["w"] - 0.1 * g["w"] for layer, g in zip(layers, gradients, strict=True)], by_scale["last"]

    def loss(layers, scale, x):
        h = x
        for layer in layers:
            h = np.tanh(h * layer["w"] + layer["b"])
        return np.sum(h) * scale["last"]

    rng = np.random.default_rng(1)
    layers = [{"w": rng.normal(size=3), "b": rng.normal(size=3)} for _ in range(2)]
    args = (layers, {"last": 1.5}, rng.normal(size=3))
    new, by_scale = last_of(step, *args)
    expected = pb.grad(loss, argnums=(0, 1))(*args)
    for layer, made, g in zip(layers, new, expected[0], strict=True):
        np.testing.assert_allclose(made, layer["w"] - 0.1 * g["w"], rtol=1e-14)
    assert by_scale == pytest.approx(expected[1]["last"], rel=1e-14)


def test_effects_of_the_block_come_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    def spoken(x):
        with pb.GradientTape() as tape:
            tape.watch(x)
            for i in range(2):
                print("round", i)
            assert x[0] < 5.0, "too large"
            y = np.sum(x * x)
        print("block")
        return tape.gradient(y, x)

    pb.differentiable(spoken)(np.ones(2))
    assert capsys.readouterr().out == "round 0\nround 1\nblock\n"
    with pytest.raises(AssertionError, match="too large"):
        pb.differentiable(spoken)(np.full(2, 6.0))


def test_cotangents_of_another_shape_are_refused_in_the_run() -> None:
    def weighted(x, v):
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x, output_gradients=v)

    with pytest.raises(ValueError, match="another shape than its target"):
        pb.differentiable(weighted)(np.ones(3), np.ones(2))


# What cannot be resolved

refusals = collect.load(Path(__file__).parent / "refusals" / "tapes.py")
REFUSED = [f for f in vars(refusals).values() if getattr(f, "__module__", "") == refusals.__name__]


@pytest.mark.parametrize("function", REFUSED, ids=name_of)
def test_refused_at_its_marker(function: Any) -> None:
    (marker,) = markers_of(function)
    with pytest.raises(pb.PullbackError) as caught:
        pb.differentiable(function)(np.array([1.0, -2.0, 0.5]))
    assert marker.words in str(caught.value)
    problems = getattr(caught.value, "problems", None)
    location = problems[0].location if problems else caught.value.location
    assert location.line == marker.line
    if marker.code:
        assert location.text[location.column : location.end_column] == marker.code


def test_equal_numbers_that_are_known_beforehand_are_not_confused() -> None:
    def both():
        a, b = 2.0, 2.0
        with pb.GradientTape() as outer:
            outer.watch(a)
            outer.watch(b)
            with pb.GradientTape() as inner:
                inner.watch(a)
                inner.watch(b)
                y = a * a * a * b
            by_a, by_b = inner.gradient(y, [a, b])
        return by_a, by_b, outer.gradient(by_a, b)

    assert last_of(both) == (24.0, 8.0, 12.0)


def test_equal_values_are_sources_of_their_own() -> None:
    def watched(x):
        a, b = x * 2.0, x * 2.0
        with pb.GradientTape() as tape:
            tape.watch((a, b))
            y = np.sum(a * a * b)
        return tape.gradient(y, (a, b))

    def intermediate(x):
        with pb.GradientTape() as tape:
            tape.watch(x)
            a, b = x * 2.0, x * 2.0
            y = np.sum(a * a * b)
        return tape.gradient(y, (a, b))

    x = np.array([1.0, -2.0])
    for function in (watched, intermediate):
        by_a, by_b = last_of(function, x)
        np.testing.assert_array_equal(by_a, 8 * x * x)
        np.testing.assert_array_equal(by_b, 4 * x * x)


def repeated(x, n):
    if n == 0:
        return x
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
    return repeated(0.3 * tape.gradient(y, x), n - 1)


def shrinking(x, n):
    if n == 0:
        return np.sin(x)
    return shrinking(x * 0.9, n - 1) * x


def around_recursion(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = shrinking(x, 3) + repeated(x, 2)
    return tape.gradient(y, x)


def test_tapes_in_recursive_functions_and_around_them() -> None:
    def closed(x, n):
        for _ in range(n):
            x = 0.9 * x * x
        return x

    def unrolled(x):
        return np.sin(x * 0.9**3) * x**3 * 0.9**3 + closed(x, 2)

    assert last_of(repeated, 1.1, 3) == pytest.approx(closed(1.1, 3), rel=1e-14)
    assert pb.grad(repeated)(1.1, 3) == pytest.approx(pb.grad(closed)(1.1, 3), rel=1e-12)
    assert last_of(around_recursion, 1.1) == pytest.approx(pb.grad(unrolled)(1.1), rel=1e-12)

"""Every program, in every mode: the value equals the plain call, the gradient equals the dual-number oracle."""

from __future__ import annotations

import copy
import zlib
from typing import Any

import numpy as np
import pytest

import collect
import oracle
import pullback as pb
from pullback.compilation.memory import Memory
from pullback.frontend.values.arguments import form_of, leaves_of

PROGRAMS = collect.programs()
tangent_insert = collect.load(collect.FOLDER / "tangent_insert.py")
OVERLAPS = [program for program in PROGRAMS if program.module == "overlaps"]


COMPILED = [(program, mode) for program in PROGRAMS for mode in ("on", "off")]
ALWAYS_COMPILED = [(program, "on") for program in PROGRAMS if program.module in ("overlaps", "recursion")]
ALWAYS_COMPILED += [(program, "whole") for program in OVERLAPS]


def rtol_of(value: Any) -> float:
    """1e-10, and what float32 allows where the arguments are float32."""
    dtypes = {np.asarray(leaf).dtype for leaf in leaves_of(value, form_of(value))}
    return 5e-6 if np.dtype("float32") in dtypes else 1e-10


def assert_close(actual: Any, expected: Any, rtol: float, what: str) -> None:
    form = form_of(expected)
    for a, e in zip(leaves_of(actual, form), leaves_of(expected, form), strict=True):
        assert np.shape(a) == np.shape(e), f"{what}: shape {np.shape(a)} where {np.shape(e)} is due"
        scale = max(1.0, float(np.max(np.abs(e), initial=0.0))) if np.all(np.isfinite(e)) else 1.0
        np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * 1e-2 * scale, err_msg=what)


def check_program(program: Any, **options: Any) -> None:
    """Compare the samples in one mode: value with a plain call, gradient with the oracle, arguments afterwards."""
    function = pb.differentiable(**options)(program.function)
    for sample in program.samples:
        check_derivative(program, sample, function)
        if not options.get("jit", True):
            check_alone(program, sample, function)


def check_derivative(program: Any, sample: Any, function: Any) -> None:
    plain, after_plain = oracle.run(program.function, sample.fresh())
    given = sample.fresh()
    rtol = rtol_of(given)
    scalar = sample.cotangent is None and np.ndim(plain) == 0 and not isinstance(plain, tuple | list | dict)
    if scalar:
        value, gradients = pb.value_and_grad(function, argnums=sample.wrt)(*given)
        _, expected = oracle.gradient(program.function, sample.fresh(), sample.wrt)
    else:
        value, pullback = pb.vjp(function, argnums=sample.wrt)(*given)
        gradients = pullback(copy.deepcopy(sample.cotangent))
        _, expected = oracle.vjp(program.function, sample.fresh(), sample.cotangent, sample.wrt)
    assert_close(value, plain, rtol, "value")
    assert_close(gradients, expected, rtol, "gradient")
    assert_close(given, after_plain, rtol, "arguments afterwards")


def check_alone(program: Any, sample: Any, function: Any) -> None:
    """Compare a call of the function itself, not differentiated, with a plain one."""
    plain, after_plain = oracle.run(program.function, sample.fresh())
    given = sample.fresh()
    rtol = rtol_of(given)
    value = function(*given)
    assert_close(value, plain, rtol, "value on its own")
    assert_close(given, after_plain, rtol, "arguments afterwards")


MODES: dict[str, dict[str, Any]] = {"on": {}, "off": {"optimisations": False}, "loops": {"fuse": True}}
WHOLE: dict[str, dict[str, Any]] = {**MODES, "whole": {"fuse": False}}
NAMES = sorted(pb.OPTIMISATIONS)

IN_MODES = [(program, mode) for mode in MODES for program in PROGRAMS]
STRIPS = [
    program
    for program in PROGRAMS
    if program.module in ("outer_vectorisation", "independent_chains", "preallocated_arrays")
]


def case_id(value: Any) -> str:
    return str(value) if isinstance(value, int | str) else value.id


@pytest.mark.drawn(50)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("program", "mode"), IN_MODES, ids=case_id)
def test_interpreted(program: Any, mode: str) -> None:
    check_program(program, jit=False, **MODES[mode])


@pytest.mark.drawn(30)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=case_id)
def test_without_one_analysis(program: Any) -> None:
    """Each program leaves out another one."""
    left_out = NAMES[zlib.crc32(program.id.encode()) % len(NAMES)]
    check_program(program, jit=False, fuse=True, optimisations=pb.OPTIMISATIONS - {left_out})


@pytest.mark.drawn(36)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.samples[0].cotangent is None], ids=case_id)
def test_pullback(program: Any) -> None:
    """The two functions of `vjp` give what one function gives."""
    sample = program.samples[0]
    _, pullback = pb.vjp(pb.differentiable(jit=False)(program.function), argnums=sample.wrt)(*sample.fresh())
    _, expected = oracle.gradient(program.function, sample.fresh(), sample.wrt)
    assert_close(pullback(1.0), expected, rtol_of(sample.fresh()), "gradient")


@pytest.mark.drawn(20)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("program", "mode"), IN_MODES, ids=case_id)
def test_segmented(program: Any, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All loops that can run in segments do, also those that keep more in this way."""
    monkeypatch.setattr(Memory, "served", lambda memory, plain, arguments: memory.make(frozenset(memory.numbers)))
    check_program(program, jit=False, **MODES[mode])


@pytest.mark.drawn(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", STRIPS, ids=case_id)
def test_side_by_side(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strips of two iterations, so that programs with few iterations have them, and iterations that are left."""
    monkeypatch.setattr("pullback.passes.vector.outer_vectorisation.WIDTH", 2)
    check_program(program, jit=False, fuse=True)


@pytest.mark.drawn(6)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("program", "mode"), COMPILED, ids=case_id)
def test_compiled(program: Any, mode: str) -> None:
    check_program(program, jit=True, **MODES[mode])


@pytest.mark.drawn(4)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("program", "mode"), ALWAYS_COMPILED, ids=case_id)
def test_memory_and_calls_compiled(program: Any, mode: str) -> None:
    """Programs whose arrays overlap, and those that call themselves."""
    check_program(program, jit=True, **WHOLE[mode])


@pytest.mark.drawn(5)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=case_id)
def test_compiled_alone(program: Any) -> None:
    function = pb.differentiable(program.function)
    for sample in program.samples:
        check_alone(program, sample, function)


@pytest.mark.drawn(12)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("optimisations", [True, False], ids=["on", "off"])
@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize(("program", "args", "error"), collect.failing_programs())
def test_failing(program: Any, args: tuple[Any, ...], error: type[Exception], jit: bool, optimisations: bool) -> None:
    """What fails as a plain call fails with its gradient, in the same way."""
    function = pb.differentiable(jit=jit, optimisations=optimisations)(program.function)
    with pytest.raises(error):
        pb.value_and_grad(function)(*copy.deepcopy(args))


@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize(("a", "expected"), tangent_insert.EXPECTED)
def test_inserted_gradient(a: float, expected: float, jit: bool) -> None:
    function = pb.differentiable(jit=jit)(tangent_insert.inlining_contextmanager)
    value, gradient = pb.value_and_grad(function)(a)
    assert value == pytest.approx(a**3, rel=1e-12)
    assert gradient == pytest.approx(expected, rel=1e-12)

"""The benchmark problems at a small size, the kernels, and the programs that measure."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import collect
import oracle
import pullback as pb

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from harness.kernels import kernels  # noqa: E402
from harness.measure import Measurement  # noqa: E402
from harness.passes import same  # noqa: E402
from harness.problems import OWN, find_problems, load  # noqa: E402
from harness.report import as_markdown, as_text, remarks, table  # noqa: E402
from passes import WRITTEN_FOR  # noqa: E402

SMALL = 0.01
STEP = 1e-6
TIME_LIMIT = 120.0  # s

SHARED = BENCHMARKS.parent.parent / "shared" / "bench" / "problems"

PROBLEMS = [pytest.param(path, id=path.stem) for path in find_problems([OWN], [])]
# None where they are not at hand. The images of conv2d have a fixed size and take minutes without a compiler.
FURTHER = [pytest.param(path, id=path.stem) for path in find_problems([SHARED], []) if path.stem != "conv2d"]
KERNELS = [pytest.param(kernel, id=kernel.id) for kernel in kernels()]


def slope(function, arguments, number, direction):
    """The derivative along `direction`, by central differences."""
    sides = []
    for step in (STEP, -STEP):
        moved = list(arguments)
        moved[number] = arguments[number] + step * direction
        sides.append(function(*moved))
    return (sides[0] - sides[1]) / (2 * STEP)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("path", PROBLEMS)
def test_hand_written_adjoint_agrees_with_differences_and_with_ours(path):
    problem = load(path)
    arguments = problem.make(SMALL)
    value, *gradients = problem.hand(*arguments)
    assert value == pytest.approx(problem.primal(*arguments), rel=1e-10)

    random = np.random.default_rng(0)
    for number, gradient in zip(problem.WRT, gradients, strict=True):
        size = np.max(np.abs(arguments[number]))
        direction = np.abs(arguments[number]) * random.standard_normal(np.shape(arguments[number])) + 0.01 * size
        along = np.sum(gradient * direction)
        scale = np.sum(np.abs(gradient * direction)) + 1e-3 * abs(value)
        assert slope(problem.primal, arguments, number, direction) == pytest.approx(along, abs=1e-6 * scale)

    interpreted = pb.differentiable(jit=False)(problem.primal)
    ours = pb.value_and_grad(interpreted, argnums=problem.WRT)(*arguments)
    assert ours[0] == pytest.approx(value, rel=1e-9)
    for mine, gradient in zip(ours[1], gradients, strict=True):
        np.testing.assert_allclose(mine, gradient, rtol=1e-9, atol=1e-9 * np.max(np.abs(gradient)))


@pytest.mark.drawn(4)
@pytest.mark.parametrize("path", PROBLEMS)
def test_second_hand_written_adjoint_agrees_with_the_first(path):
    problem = load(path)
    if not hasattr(problem, "in_order"):
        pytest.skip("there is one only")
    arguments = problem.make(SMALL)
    for mine, other in zip(problem.in_order(*arguments), problem.hand(*arguments), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-10 * np.max(np.abs(other)))


@pytest.mark.drawn(2)
@pytest.mark.parametrize("path", PROBLEMS + FURTHER)
def test_without_analyses_the_gradient_is_the_same(path):
    """Without all of them, and without each."""
    problem = load(path)
    arguments = problem.make(SMALL)
    value, expected = pb.value_and_grad(pb.differentiable(jit=False)(problem.primal), argnums=problem.WRT)(*arguments)
    for optimisations in (frozenset(), *(pb.OPTIMISATIONS - {name} for name in sorted(pb.OPTIMISATIONS))):
        other = pb.differentiable(jit=False, fuse=True, optimisations=optimisations)(problem.primal)
        found, gradients = pb.value_and_grad(other, argnums=problem.WRT)(*arguments)
        assert found == pytest.approx(value, rel=1e-12)
        for mine, gradient in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(mine, gradient, rtol=1e-10, atol=1e-10 * np.max(np.abs(gradient)))


@pytest.mark.parametrize("path", PROBLEMS)
def test_arguments_are_the_same_on_every_call(path):
    problem = load(path)
    for first, second in zip(problem.make(SMALL), problem.make(SMALL), strict=True):
        np.testing.assert_array_equal(first, second)


def run(*command):
    """What a program of the benchmarks prints."""
    finished = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=BENCHMARKS.parent,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_runner_prints_its_table_and_writes_its_files(tmp_path):
    files = {name: tmp_path / f"out.{name}" for name in ("json", "markdown", "picture")}
    options = [part for name, file in files.items() for part in (f"--{name}", file)]
    options[-1] = files["picture"] = tmp_path / "out.png"
    printed = run(
        BENCHMARKS / "run.py", "--only", "friction", "--peers", "none", "--scale", SMALL, "--repeats", 1, "--budget",
        0.01, *options,
    )  # fmt: skip
    headings, row, mean, *remarks = printed.splitlines()
    assert headings.split()[:4] == ["problem", "primal", "hand", "ours"]
    assert row.startswith("friction")
    assert mean.startswith("geometric mean")
    assert not remarks
    assert "| friction |" in files["markdown"].read_text()
    assert '"wrong": false' in files["json"].read_text()
    assert files["picture"].read_bytes().startswith(b"\x89PNG")


def test_growth_prints_an_exponent():
    printed = run(BENCHMARKS / "growth.py", "--only", "trip count", "--largest", 1000)
    assert printed.splitlines()[0].split() == ["trip", "count", "first", "call", "time", "memory"]
    assert printed.splitlines()[-2].startswith("exponent")


def test_first_calls_are_told_by_stage():
    printed = run(BENCHMARKS / "first_call.py", "--only", "convolution").splitlines()
    headings, row, mean, largest = (line.split() for line in printed if line)
    assert headings[:4] == ["problem", "hand", "ours", "ours/hand"]
    assert row[0] == "convolution"
    assert float(mean[-1]) == float(largest[-1]) > 0


def test_costs_of_calls_are_differences_of_two_times():
    headings, *rows = run(BENCHMARKS / "calls.py", "--calls", 10, "--repeats", 2).splitlines()
    assert headings.split() == ["µs", "a", "call", "njit", "ours", "difference"]
    assert len(rows) == 8
    for row in rows:
        hand, ours, difference = map(float, row.split()[-3:])
        assert difference == pytest.approx(ours - hand, abs=0.011)


def test_costs_of_gradients_are_quotients_of_two_times():
    _, row = run(BENCHMARKS / "function_costs.py", "--only", "clip", "--repeats", 1).splitlines()
    name, primal, gradient, quotient = row.split()
    assert name == "clip"
    assert float(quotient) == pytest.approx(float(gradient) / float(primal), abs=0.02)


def test_wrong_and_failed_peers_are_named_and_stay_out_of_the_mean():
    good, double = Measurement(time=1e-3, first=1.0, error=0.0), Measurement(time=2e-3, first=1.0, error=0.0)
    wrong = Measurement(time=1e-6, first=1.0, error=0.5, wrong=True)
    failed = Measurement(failure="ValueError: no")
    results = {
        "first": {"hand": good, "primal": good, "ours": double, "jax": wrong},
        "second": {"hand": good, "primal": failed, "ours": double, "jax": double},
        "third": {"hand": good, "primal": good, "ours": failed},
    }
    rows = table(results)
    ours, jax = rows[0].index("ours/hand"), rows[0].index("jax/hand")
    assert [row[ours] for row in rows[1:]] == ["2", "2", "failed", "2 (2)"]
    assert [row[jax] for row in rows[1:]] == ["WRONG", "2", "", "2 (1)"]
    assert remarks(results) == [
        "first, jax: wrong by 5.0e-01",
        "second, primal: ValueError: no",
        "third, ours: ValueError: no",
    ]
    assert len(as_text(rows).splitlines()) == 5
    assert len(as_markdown(rows).splitlines()) == 6


def test_tape_is_measured_beside_what_is_installed():
    command = [
        sys.executable,
        str(BENCHMARKS / "tape.py"),
        "--repeats",
        "1",
        "--budget",
        "0.001",
        "--only",
        "square,chain",
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert run.returncode == 0, run.stderr
    ours = [line for line in run.stdout.splitlines() if "pullback" in line]
    assert [line.split()[-1] for line in ours] == ["1.00", "1.00"]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("kernel", KERNELS)
def test_gradient_of_a_kernel_is_the_tangent_of_the_oracle_along_a_direction(kernel):
    """Not differences: many kernels have kinks close to where they are called."""
    arguments, random = kernel.make(), np.random.default_rng(1)
    directions = [random.standard_normal(np.shape(arguments[k]))[()] for k in kernel.wrt]
    value, gradients = pb.value_and_grad(kernel.function, argnums=kernel.wrt)(*arguments)
    expected, tangent = oracle.jvp(kernel.function, kernel.make(), directions, kernel.wrt)
    assert value == pytest.approx(expected, rel=1e-10)
    parts = [np.sum(gradient * direction) for gradient, direction in zip(gradients, directions, strict=True)]
    scale = sum(np.sum(np.abs(g * d)) for g, d in zip(gradients, directions, strict=True))
    assert sum(parts) == pytest.approx(tangent, abs=1e-10 * scale)


def test_texts_that_differ_in_names_and_comments_are_the_same():
    text = "def f(x):\n    # f.py:2: twice\n    y = 2 * x\n    return y + x\n"
    assert same(text, text.replace("y", "t1").replace("twice", "double"))
    assert not same(text, text.replace("y + x", "x + y"))
    assert not same(text, text.replace("y + x", "y + z"))


def test_files_that_were_written_for_passes_exist():
    assert set(WRITTEN_FOR) <= pb.OPTIMISATIONS
    assert {module for modules in WRITTEN_FOR.values() for module in modules} <= {
        p.stem for p in collect.module_paths(None)
    }


def test_passes_are_counted_without_compiling():
    passes = "lowering", "residuals", "scalar_replacement"
    headings, *rows = run(BENCHMARKS / "passes.py", "--text", "--kinds", "examples", "--only", *passes).splitlines()
    assert headings.split()[0] == "pass"
    counts = {row.split()[0]: int(row.split()[3]) for row in rows[: len(passes)]}
    assert counts.keys() == set(passes)
    assert max(counts.values()) > 0

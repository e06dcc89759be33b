"""Each example runs with --quick, as a user would run it, in an empty folder; a warning of arithmetic is an error."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
TIME_LIMIT = 300.0  # s, compilation included


def run_example(name: str, folder: Path) -> str:
    """What the example prints."""
    finished = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(EXAMPLES / name), "--quick"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def read_figure(pattern: str, text: str) -> float:
    """The number that `pattern` captures in what an example printed."""
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in:\n{text}"
    return float(found[1])


def test_digits_learns_and_saves_its_picture(tmp_path):
    printed = run_example("digits.py", tmp_path)
    assert read_figure(r"held-out digits right: +([\d.]+) %", printed) > 90
    assert "def loss" in printed
    assert (tmp_path / "digits.png").read_bytes().startswith(b"\x89PNG")


def test_lorenz_fit_recovers_the_parameters(tmp_path):
    printed = run_example("lorenz_fit.py", tmp_path)
    for name, true in {"sigma": 10, "rho": 28, "beta": 8 / 3}.items():
        assert read_figure(rf"{name} .*recovered +([\d.]+)", printed) == pytest.approx(true, rel=0.05)


def test_read_the_backward_shows_six_functions(tmp_path):
    printed = run_example("read_the_backward.py", tmp_path)
    names = re.findall(r"^# (\w+): ", printed, re.MULTILINE)
    assert len(names) == 6
    for name in names:
        assert f"def {name}" in printed


def test_tensorflow_guide_says_why_gradients_are_none(tmp_path):
    printed = run_example("tensorflow_guide.py", tmp_path)
    assert re.search(r"through np.mean +\[\[0.5, 1.0\], \[1.5, 2.0\]\]", printed)
    assert "the assignment to the variable 'state' took the elements out of the tape" in printed
    assert "the cast to int32 has no derivative" in printed


def test_diagnosis_tells_dead_units_from_saturated_ones(tmp_path):
    printed = run_example("diagnose_training.py", tmp_path)
    healthy, dead, saturated = re.split(r"^(?:dead|saturated): ", printed, flags=re.MULTILINE)
    assert read_figure(r"exactly 0 in (\d+) %", healthy) < 20
    assert read_figure(r"exactly 0 in (\d+) %", dead) > 50
    assert read_figure(r"exactly 0 in (\d+) %", saturated) == 0
    assert read_figure(r"saturated: (\d+) % first", saturated) > 60
    assert len(list(tmp_path.glob("diagnosis_*.png"))) == 3


def test_sigmoid_is_drawn(tmp_path):
    printed = run_example("sigmoid.py", tmp_path)
    assert read_figure(r"largest slope: ([\d.]+)", printed) == 0.25
    assert (tmp_path / "sigmoid.png").exists()


def test_the_compiled_training_loop_ends_at_the_same_weights(tmp_path):
    printed = run_example("training_loop.py", tmp_path)
    assert read_figure(r"weights differ by (\S+) at most", printed) < 1e-10
    assert read_figure(r"compiled is (\d+) times as fast", printed) >= 3
    assert read_figure(r"held-out digits right: ([\d.]+) %", printed) > 85


def test_no_example_is_left_out():
    tested = set(re.findall(r'run_example\("(\w+\.py)"', Path(__file__).read_text(encoding="utf-8")))
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested


def test_scipy_solvers_find_what_they_look_for(tmp_path):
    printed = run_example("scipy_solvers.py", tmp_path)
    assert read_figure(r"elastic chain: lowest mass at (-[\d.]+)", printed) == pytest.approx(-3.1834, abs=1e-3)
    assert read_figure(r"links off by ([\de.-]+)", printed) < 1e-5
    assert read_figure(r"decay: rates ([\d.]+)", printed) == pytest.approx(0.8, abs=1e-4)
    assert read_figure(r"reaction: ([\d.]+) left", printed) == pytest.approx(0.7158, abs=1e-3)


def test_compiled_methods_find_the_maximum_and_draw_around_it(tmp_path):
    printed = run_example("compiled_methods.py", tmp_path)
    assert read_figure(r"gradient ([\de.-]+)", printed) < 1e-10
    assert read_figure(r"accepted (\d+)%", printed) > 80


def test_implicit_solvers_lead_to_what_is_known(tmp_path):
    printed = run_example("implicit_solvers.py", tmp_path)
    assert "eccentricity   0.350000" in printed
    assert abs(read_figure(r"the derivative there is (\S+)", printed)) < 1e-5
    assert "best penalty" in printed

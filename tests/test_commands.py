"""The commands of `python -m pullback`, and the functions of the same names."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.api.checks import Check, Row
from pullback.api.commands import COMMANDS, main

MODEL = '''
"""A model."""
import numpy as np
import pullback as pb

SCALE = 2.0


def energy(x, k):
    total = 0.0
    for i in range(1, x.shape[0]):
        total += k * (x[i] - x[i - 1]) ** 2
    return total * SCALE


def rows(a, axis):
    return np.sum(np.sum(a, axis=axis))


@pb.differentiable(fastmath=False)
def decorated(x):
    return np.sum(np.exp(x))


class Oscillator:
    @staticmethod
    def force(x):
        return x * x


def kinked(x):
    return max(x, 0.0)


def nothing():
    return 2.0


def third(x):
    return x[2]


sourceless = eval("lambda x: x * x")
built_in = len
number = 3
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package, in which commands are run."""
    (tmp_path / "wave").mkdir()
    (tmp_path / "wave" / "__init__.py").write_text("")
    (tmp_path / "wave" / "model.py").write_text(MODEL)
    (tmp_path / "wave" / "broken.py").write_text("import numpy as np\nnp.nothing_like_it\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.split(".")[0] in ("wave", "model")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


ENERGY = "wave.model:energy"


def test_show_prints_the_backward_function(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", ENERGY, "--signature", "float64[:], float64"]) == 0
    text = capsys.readouterr().out
    assert "def energy_forward(x, k, SCALE):" in text
    assert "def energy_backward(" in text
    compile(text, "shown", "exec")
    assert main(["show", ENERGY, "--signature", "float64[:], float64", "--compiled", "--argnums", "k"]) == 0
    assert "k_bar" in capsys.readouterr().out


def test_show_of_a_file_and_of_a_method(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "wave/model.py:energy", "--arguments", "np.ones(3), SCALE"]) == 0
    assert "def energy_backward(" in capsys.readouterr().out
    assert main(["show", "wave.model:Oscillator.force", "--signature", "float64"]) == 0
    assert "def force_backward(" in capsys.readouterr().out


def test_explain_prints_the_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", ENERGY, "--signature", "float64[:], float64"]) == 0
    plain = capsys.readouterr().out
    assert "model.py:11: for i in range(1, x.shape[0]):" in plain
    assert main(["explain", ENERGY, "--signature", "float64[:], float64", "--passes"]) == 0
    assert len(capsys.readouterr().out) > len(plain)


def test_check_tells_by_its_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", ENERGY, "--signature", "float64[:], float64"]) == 0
    assert capsys.readouterr().out.endswith("agree\npassed\n")
    assert main(["check", "wave.model:decorated", "--arguments", "np.zeros(2)"]) == 0
    capsys.readouterr()
    assert main(["check", "wave.model:kinked", "--arguments", "0.0"]) == 1
    said = capsys.readouterr().out
    assert said.endswith("DIFFER\nFAILED\n")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["show", "wave.nowhere:f"], "the module 'wave.nowhere' cannot be imported"),
        (["show", "nowhere.py:f"], "there is no file 'nowhere.py'"),
        (["show", "wave.broken:f"], "cannot be imported: AttributeError"),
        (["show", "wave.model"], "write it as package.module:function"),
        (
            ["show", "wave.model:energi"],
            "its functions are Oscillator, decorated, energy, kinked, nothing, rows, sourceless, third\n",
        ),
        (["show", "wave.model:sourceless", "--signature", "float64"], "source"),
        (["show", "wave.model:built_in", "--signature", "float64"], "len"),
        (["show", "wave.model:number", "--signature", "float64"], "'int' cannot be called"),
        (["show", ENERGY], "'energy' takes x, k"),
        (["show", ENERGY, "--signature", "float64[:]"], "has 1 types, and 'energy' has 2 parameters"),
        (["show", ENERGY, "--signature", "float64[:], flat"], "is no signature"),
        (["show", ENERGY, "--signature", "float64, float64"], "index 0 is out of range"),
        (["show", ENERGY, "--arguments", "np.ones(3"], "cannot be evaluated: SyntaxError"),
        (["show", ENERGY, "--arguments", "nowhere"], "cannot be evaluated: NameError"),
        (["show", ENERGY, "--signature", "float64[:], float64", "--argnums", "z"], "'z'"),
        (["check", "wave.model:third", "--arguments", "np.ones(2)"], "the function raised IndexError"),
        (["check", "wave.model:nothing"], "'nothing' has no argument to differentiate"),
    ],
)
def test_words_that_mean_nothing_are_told(
    words: list[str], reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("python -m pullback: ")
    assert reason in captured.err
    assert "Traceback" not in captured.err
    assert not captured.out


def test_number_that_decides_what_is_generated_is_made_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "wave.model:rows", "--arguments", "np.ones((2, 3)), 0"]) == 0
    assert "def rows_backward" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["dance"], ["show"], ["show", ENERGY, "--signature", "a", "--arguments", "b"]])
def test_words_that_are_no_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage: python -m pullback" in capsys.readouterr().err


@pytest.mark.parametrize("command", [add.__name__.removeprefix("add_") for add in COMMANDS])
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: python -m pullback {command}" in said
    assert "example:" in said


def test_doctor_reports_and_tries(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_SPELLED", "so")
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    assert names[:2] == ["python", "pullback"]
    assert {"numpy", "numba", "llvmlite", "processor", "threads", "blas", "cache"} <= set(names)
    assert any(line.endswith("NUMBA_SPELLED=so") for line in lines)
    assert lines[-1].split()[:2] == ["gradient", "right,"]


def test_doctor_finds_what_is_wrong(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pullback.api.doctor.grad", lambda f: lambda x: x)
    assert main(["doctor"]) == 1
    assert "WRONG" in capsys.readouterr().out.splitlines()[-1]

    def raises(f: object) -> object:
        raise OSError("no compiler")

    monkeypatch.setattr("pullback.api.doctor.grad", raises)
    assert main(["doctor"]) == 1
    assert "FAILED: OSError: no compiler" in capsys.readouterr().out.splitlines()[-1]


def test_commands_are_run_by_the_interpreter(folder: Path) -> None:
    command = [sys.executable, "-m", "pullback", "check", ENERGY, "--signature", "float64[:], float64"]
    environment = {**os.environ, "PULLBACK_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "passed"


def test_table_has_a_row_for_each_direction() -> None:
    table = pb.check(lambda a, n, p: a * p["w"] ** n, 2.0, 3, {"w": 1.5})
    assert table.passed
    assert [row.argument for row in table.rows] == ["a"] * 4 + ["p"] * 4
    assert all(row.agrees for row in table.rows)


def test_table_tells_what_differs() -> None:
    rows = Row("x", 1.0, 1.0, True), Row("long_name", 1.0, 2.0, False)
    table = Check("f", 1.0, 1.0, True, rows)
    assert not table.passed
    assert [line.split()[-1] for line in str(table).splitlines()[2:]] == ["agree", "DIFFER", "FAILED"]
    assert not Check("f", 1.0, 3.0, False, rows[:1]).passed


def test_arguments_of_a_check_stay_as_they_are() -> None:
    def changes(x: np.ndarray) -> float:
        x *= 2.0
        return np.sum(x * x)

    x = np.ones(3)
    assert pb.check(changes, x).passed
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_check_of_a_method() -> None:
    class Spring:
        k = 3.0

        def energy(self, x: float) -> float:
            return self.k * x * x

    assert pb.check(Spring().energy, 2.0).passed

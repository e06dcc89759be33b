"""What is compiled before the first call, and what is said about it while somebody waits."""

import os
import pty
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import pullback as pb
from pullback.api.compiling import chosen
from pullback.compilation import progress


def energy(x: Any, k: float) -> Any:
    total = 0.0
    for i in range(1, x.shape[0]):
        total += k * (x[i] - x[i - 1]) ** 2
    return total


def overloads(callable_: Any) -> int:
    """How many versions of machine code a callable has."""
    return sum(len(made.dispatcher.overloads) for made in callable_.engine.made.values())


X = np.array([0.0, 1.0, 3.0])


def test_compiled_gradient_is_found_by_the_call() -> None:
    gradient = pb.compile(energy, X, 0.5, argnums=0)
    assert overloads(gradient) == 1
    np.testing.assert_allclose(gradient(X, 0.5), [-1.0, -1.0, 2.0])
    assert overloads(gradient) == 1


@pytest.mark.parametrize("options", [{}, {"math": "libm", "fastmath": False}, {"boundscheck": False}])
def test_compiled_function_is_found_by_the_call(options: dict[str, Any]) -> None:
    function = pb.compile(pb.differentiable(**options)(energy), X, k=0.5)
    assert overloads(function) == 1
    assert function(X, 0.5) == 2.5
    assert overloads(function) == 1


def test_nothing_is_run_when_it_is_compiled(capfd: pytest.CaptureFixture[str]) -> None:
    def changes(x: Any) -> Any:
        x[0] = 5.0
        print("ran")
        return np.sum(x * x)

    x = np.zeros(3)
    gradient = pb.compile(pb.value_and_grad(changes), x)
    assert x.tolist() == [0.0, 0.0, 0.0]
    assert not capfd.readouterr().out
    gradient(x)
    assert capfd.readouterr().out == "ran\n"


def test_compiled_gradient_takes_views() -> None:
    gradient = pb.compile(energy, X[::2], 0.5, argnums=0)
    np.testing.assert_allclose(gradient(X[::2], 0.5), [-3.0, 3.0])


def test_callable_that_cannot_be_compiled_before_is_refused() -> None:
    with pytest.raises(pb.TypingError, match="compiled when it is called"):
        chosen(pb.vjp(energy), None)


def test_errors_are_those_of_the_call() -> None:
    with pytest.raises(pb.TypingError, match="argument number 7"):
        pb.compile(energy, X, 0.5, argnums=7)
    with pytest.raises(TypeError, match="missing"):
        pb.compile(energy, X)
    with pytest.raises(pb.PullbackError):
        pb.compile(lambda x: x.foo(), 2.0)


def test_interpreted_functions_have_nothing_to_compile() -> None:
    function = pb.compile(pb.differentiable(jit=False)(energy), X, 0.5)
    assert function(X, 0.5) == 2.5


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import pullback as pb
{body}
"""


def run(body: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """A process of its own, with an empty cache at first."""
    (folder / "models.py").write_text(MODELS)
    (folder / "script.py").write_text(SCRIPT.format(folder=str(folder), body=textwrap.dedent(body)))
    environment = {**os.environ, "PULLBACK_CACHE_DIR": str(folder / "cache"), **variables}
    command = [sys.executable, str(folder / "script.py")]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)


MODELS = """
import numpy as np
import pullback as pb

def first(x):
    return np.sum(np.sin(x))

def second(x, n):
    for i in range(n):
        x = x * x
    return np.sum(x)

def third(x):
    return x.foo()
"""


def test_several_are_compiled_side_by_side(tmp_path: Path) -> None:
    body = """
        import models
        calls = [(pb.grad(models.first), np.ones(3)), (models.second, np.ones(2), 3), [pb.grad(models.second), 2.0, 3]]
        made = pb.precompile(calls, jobs=2)
        assert len(made) == 3
        kinds = [m.dispatcher.stats.cache_hits for c in made for m in c.engine.made.values()]
        print([sum(k.values()) for k in kinds], made[0](np.zeros(2)), made[1](np.full(2, 2.0), 3), made[2](1.0, 3))
    """
    done = run(body, tmp_path)
    assert done.stdout == "[1, 1, 1] [1. 1.] 512.0 8.0\n", done.stderr


def test_the_first_that_cannot_be_compiled_is_told(tmp_path: Path) -> None:
    body = """
        import models
        try:
            pb.precompile([(models.first, 1.0), (models.third, 1.0), (models.second, "x", 1)], jobs=2)
        except pb.PullbackError as error:
            print("foo" in str(error))
    """
    done = run(body, tmp_path)
    assert done.stdout == "True\n", done.stderr


def test_what_has_been_compiled_before_is_known_to_the_next_process(tmp_path: Path) -> None:
    body = """
        import models
        gradient = pb.{made}
        print(gradient(np.zeros(2)).tolist(), any(m.startswith("pullback.transform") for m in sys.modules))
    """
    texts = "compile(models.first, np.ones(3), argnums=0)", "grad(models.first)"
    before, after = (run(body.format(made=text), tmp_path) for text in texts)
    assert (before.stdout, after.stdout) == ("[1.0, 1.0] True\n", "[1.0, 1.0] False\n"), before.stderr + after.stderr


def test_nothing_at_all_is_nothing() -> None:
    assert pb.precompile([]) == []


def test_signatures_are_compiled_when_a_function_is_decorated() -> None:
    made = pb.differentiable(signatures=["float64[:], float64", "(float32[:], float64)"])(energy)

    assert overloads(made) == 4
    assert made(X, 0.5) == 2.5
    np.testing.assert_allclose(pb.grad(made)(X, 0.5), [-1.0, -1.0, 2.0])
    assert overloads(made) == 4


def test_signatures_are_those_of_numba() -> None:
    vector = numba.float64[:]
    for signature in ((vector, numba.float64), numba.float64(vector, numba.float64), "float64(float64[:], float64)"):
        assert overloads(pb.differentiable(signatures=[signature])(energy)) == 2
    assert overloads(pb.differentiable(signatures=["float64[::1], float64"])(energy)) == 2


@pytest.mark.parametrize(
    ("signature", "reason"),
    [
        ("float64[:]", "has 1 types, and 'energy' has 2 parameters"),
        ("float64[:], flat", "is no signature"),
        ("float64[:", "is no signature"),
        (3, "is no signature"),
        ("float64[:], unicode_type", "unicode_type cannot be passed"),
        ("float64, float64", "index 0 is out of range"),
    ],
)
def test_signatures_that_do_not_fit_are_refused(signature: Any, reason: str) -> None:
    with pytest.raises(pb.PullbackError, match=re.escape(reason)):
        pb.differentiable(signatures=[signature])(energy)


def test_number_that_decides_what_is_compiled_needs_an_argument() -> None:
    def powers(x: Any, axis: int) -> Any:
        return np.sum(np.sum(x, axis=axis))

    with pytest.raises(pb.TypingError, match="'axis' decides what is compiled"):
        pb.differentiable(signatures=["float64[:, :], int64"])(powers)


WAITING = """
    from pullback.compilation import progress
    progress.PATIENCE = {patience}
    import models
    {call}
"""


def at_a_terminal(body: str, folder: Path, **variables: str) -> str:
    """What a process writes to a terminal as stderr."""
    (folder / "models.py").write_text(MODELS)
    (folder / "script.py").write_text(SCRIPT.format(folder=str(folder), body=textwrap.dedent(body)))
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PULLBACK_CACHE_DIR": str(folder / "cache"), **variables}
    command = [sys.executable, str(folder / "script.py")]
    with subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL, env=environment) as process:
        os.close(theirs)
        written = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:
                break
            if not more:
                break
            written += more
    os.close(ours)
    assert process.returncode == 0, written
    return written.decode()


CALL = "pb.grad(models.first)(np.ones(3))"


def test_long_compilation_is_told_at_a_terminal(tmp_path: Path) -> None:
    said = at_a_terminal(WAITING.format(patience=0.0, call=CALL), tmp_path)
    assert said.startswith("pullback: compiling first_grad (")
    assert "models.py:5) ... " in said
    assert said.endswith(" s\r\n")
    assert at_a_terminal(WAITING.format(patience=0.0, call=CALL), tmp_path) == ""


def test_short_compilation_is_not_told(tmp_path: Path) -> None:
    assert at_a_terminal(WAITING.format(patience=60.0, call=CALL), tmp_path) == ""


def test_progress_can_be_silenced(tmp_path: Path) -> None:
    assert at_a_terminal(WAITING.format(patience=0.0, call=CALL), tmp_path, PULLBACK_PROGRESS="0") == ""


def test_progress_is_not_written_into_files(tmp_path: Path) -> None:
    done = run(WAITING.format(patience=0.0, call=CALL), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_bar_tells_how_many_are_compiled(tmp_path: Path) -> None:
    call = "pb.precompile([(models.first, 1.0), (models.second, 1.0, 2)], jobs=2)"
    said = at_a_terminal(WAITING.format(patience=0.0, call=call), tmp_path)
    assert "[##########..........] 1 of 2 compiled" in said
    assert re.search(r"\[#{20}\] 2 of 2 compiled, \d+ s\r\n", said)
    assert "compiling" not in said.partition("2 of 2")[0]


def test_stderr_may_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def isatty(self) -> bool:
            raise ValueError("I/O operation on closed file")

    monkeypatch.setattr(sys, "stderr", Closed())
    assert not progress.is_watched()
    monkeypatch.setattr(sys, "stderr", None)
    assert not progress.is_watched()

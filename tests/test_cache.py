"""Generated code on disk: the next process finds it, whatever could change the answer makes it anew."""

import json
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

MODULE = """
import numpy as np
import pullback as pb

FACTOR = 2.0
WEIGHTS = np.array([1.0, 2.0])


def helper(v):
    return v * v


def f(x):
    return FACTOR * np.sum(helper(x) * WEIGHTS)
"""

SCRIPT = """
import json, sys
sys.path.insert(0, {folder!r})
import numpy as np, pullback as pb
import written
function = pb.differentiable({options})(written.f)
gradient = pb.grad(function)(np.array([1.0, 2.0]))
(made,) = function.engine.made.values()
stats = made.dispatcher.stats if made.options.jit else None
print(json.dumps({{
    "gradient": gradient.tolist(),
    "file": (made.dispatcher.py_func if stats else made.interpreted).__code__.co_filename,
    "hits": sum(stats.cache_hits.values()) if stats else 0,
    "misses": sum(stats.cache_misses.values()) if stats else 0,
}}))
"""

LOOP = """
    s, t, u = 0.0, 1.0, 0.0
    for v in x:
        s, t, u = s + v * t, t * v, s
    return s + u
"""


class Project:
    """A module of a user's, a cache directory, and processes that use both."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder / "project", folder / "cache"
        self.folder.mkdir()
        self.write()

    def write(self, *changes: tuple[str, str]) -> None:
        """Write the module, with changes to its text."""
        text = MODULE
        for old, new in changes:
            assert old in text, f"{old!r} is not in the module"
            text = text.replace(old, new)
        (self.folder / "written.py").write_text(text)

    def start(self, options: str = "", seed: str = "random", **variables: str) -> subprocess.Popen[str]:
        """A process that reads and generates: what tells of calls is gone. See `test_known_calls.py` for that."""
        for told in self.cache.rglob("*.call"):
            told.unlink()
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PULLBACK_CACHE_DIR": str(self.cache),
            "PYTHONHASHSEED": seed,
            "PYTHONDONTWRITEBYTECODE": "1",
            **variables,
        }
        code = SCRIPT.format(folder=str(self.folder), options=options)
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )

    def run(self, options: str = "", **variables: str) -> dict[str, Any]:
        """What a process of its own says of its first gradient."""
        return finish(self.start(options, **variables))

    def files(self, ending: str) -> dict[str, int]:
        """The cached files of a kind, and when each was written."""
        return {str(path): path.stat().st_mtime_ns for path in self.cache.rglob(f"*{ending}")}


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return json.loads(output)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_second_process_finds_module_and_machine_code(project: Project) -> None:
    first = project.run()
    assert first["gradient"] == [4.0, 16.0]
    assert (first["hits"], first["misses"]) == (0, 1)
    modules, machine_code = project.files(".py"), project.files(".code")
    assert first["file"] in modules
    assert machine_code
    second = project.run()
    assert second["gradient"] == first["gradient"]
    assert (second["hits"], second["misses"]) == (1, 0)
    assert second["file"] == first["file"]
    assert project.files(".py") == modules
    assert project.files(".code") == machine_code


def test_nothing_half_written_is_left(project: Project) -> None:
    project.run("jit=False")
    assert project.files(".tmp") == {}
    assert len(project.files(".py")) == 1


def test_cache_directory_is_for_the_user_alone(project: Project) -> None:
    project.run("jit=False")
    assert stat.S_IMODE(project.cache.stat().st_mode) == 0o700


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("return v * v", "return v * v * v"), [6.0, 48.0]),
        (("FACTOR = 2.0", "FACTOR = 5.0"), [10.0, 40.0]),
        (("[1.0, 2.0]", "[10.0, 1.0]"), [40.0, 8.0]),
        (("return FACTOR * np.sum", "return -FACTOR * np.sum"), [-4.0, -16.0]),
        (("FACTOR = 2.0", "FACTOR = np.float32(2.0)"), [4.0, 16.0]),
    ],
    ids=["callee", "number", "array", "function", "dtype"],
)
def test_an_edit_gives_a_fresh_result(project: Project, change: tuple[str, str], expected: list[float]) -> None:
    assert project.run("jit=False")["gradient"] == [4.0, 16.0]
    project.write(change)
    assert project.run("jit=False")["gradient"] == expected
    project.write()
    assert project.run("jit=False")["gradient"] == [4.0, 16.0]


def test_an_edit_gives_fresh_machine_code(project: Project) -> None:
    first = project.run()
    project.write(("return v * v", "return v * v * v"))
    second = project.run()
    assert second["gradient"] == [6.0, 48.0]
    assert second["file"] != first["file"]
    assert second["hits"] == 0


def test_array_that_changes_keeps_its_machine_code(project: Project) -> None:
    """Arrays from outside are arguments of the machine code, as numbers are."""
    first = project.run()
    project.write(("[1.0, 2.0]", "[10.0, 1.0]"))
    second = project.run()
    assert second["gradient"] == [40.0, 8.0]
    assert (second["file"], second["hits"]) == (first["file"], 1)


def test_another_option_gives_another_module(project: Project) -> None:
    files = {project.run(options)["file"] for options in ("", "boundscheck=False", "fastmath=False", "jit=False")}
    assert len(files) == 4


def test_module_that_was_spoilt_is_written_anew(project: Project) -> None:
    first = project.run("jit=False")
    Path(first["file"]).write_text("raise RuntimeError('spoilt')\n")
    second = project.run("jit=False")
    assert second == first
    assert "spoilt" not in Path(first["file"]).read_text()


def test_cache_that_cannot_be_written_falls_back(project: Project) -> None:
    """A file stands where the directory should be: root may write everywhere else."""
    project.cache.write_text("in the way")
    result = project.run()
    assert result["gradient"] == [4.0, 16.0]
    assert not result["file"].startswith(str(project.cache))
    assert project.cache.read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to read-only directories")
def test_read_only_cache_falls_back(project: Project) -> None:
    project.cache.mkdir(mode=0o500)
    result = project.run("jit=False")
    assert result["gradient"] == [4.0, 16.0]
    assert not result["file"].startswith(str(project.cache))


def test_home_that_cannot_be_written_falls_back(project: Project, tmp_path: Path) -> None:
    blocked = tmp_path / "home"
    blocked.write_text("not a directory")
    result = project.run("jit=False", PULLBACK_CACHE_DIR="", XDG_CACHE_HOME=str(blocked))
    assert result["gradient"] == [4.0, 16.0]
    assert not result["file"].startswith(str(blocked))


def test_without_a_variable_the_cache_is_in_the_users_cache_directory(project: Project, tmp_path: Path) -> None:
    result = project.run("jit=False", PULLBACK_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert result["file"].startswith(str(tmp_path / "xdg" / "pullback"))


def test_cache_false_keeps_no_machine_code(project: Project) -> None:
    for _ in range(2):
        result = project.run("cache=False")
        assert (result["gradient"], result["hits"]) == ([4.0, 16.0], 0)
    assert project.files(".code") == {}


@pytest.mark.parametrize("options", ["", "jit=False"], ids=["compiled", "interpreted"])
def test_processes_that_start_at_once_agree(project: Project, options: str) -> None:
    running = [project.start(options) for _ in range(3)]
    results = [finish(process) for process in running]
    assert [result["gradient"] for result in results] == [[4.0, 16.0]] * 3
    assert len({result["file"] for result in results}) == 1
    assert project.files(".tmp") == {}


def test_hash_seed_does_not_spoil_the_cache(project: Project) -> None:
    """The order of names in a set must not reach the text: it would be a new module for each process."""
    project.write(("    return FACTOR * np.sum(helper(x) * WEIGHTS)", LOOP))
    files = {finish(project.start("jit=False", seed))["file"] for seed in ("1", "2", "3", "4")}
    assert len(files) == 1


def test_module_text_is_that_of_the_generated_function(project: Project) -> None:
    text = Path(project.run("jit=False")["file"]).read_text()
    assert text.startswith("import numpy as np\n")
    assert "def f_grad(x, FACTOR, WEIGHTS):" in text
    assert textwrap.dedent(text) == text

"""What `import pullback` brings: the names that users call, and TensorFlow's when they are first asked for."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pullback as pb

ROOT = Path(__file__).parent.parent


def run(program: str) -> str:
    """What a program prints in a Python of its own."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_dir_has_what_users_call_and_nothing_else() -> None:
    assert dir(pb) == sorted(pb.__all__)
    assert {"grad", "GradientTape", "nn", "tf"} <= set(dir(pb))
    assert all(hasattr(pb, name) for name in dir(pb))


def test_names_of_tensorflow_are_imported_when_they_are_first_used() -> None:
    program = """
import sys
import pullback as pb
print("pullback.tf" in sys.modules, "tf" in dir(pb), "pullback.tf" in sys.modules)
print(pb.tf.constant([1.0, 2.0]).numpy(), "pullback.tf" in sys.modules, pb.tf is sys.modules["pullback.tf"])
"""
    assert run(program).splitlines() == ["False True False", "[1. 2.] True True"]


@pytest.mark.parametrize("statement", ["from pullback import tf", "import pullback.tf as tf", "from pullback import *"])
def test_names_of_tensorflow_are_imported_by_each_statement(statement: str) -> None:
    assert run(f"{statement}\nprint(tf.constant(2).numpy())").strip() == "2"


def test_star_import_brings_the_names_of_users_and_no_other() -> None:
    program = """
known = set(globals()) | {"known"}
from pullback import *
import pullback
assert set(globals()) - known - {"pullback"} == set(pullback.__all__), set(globals())
"""
    run(program)


def test_name_that_is_not_there_is_an_error_with_the_closest_one() -> None:
    with pytest.raises(AttributeError, match="module 'pullback' has no attribute 'gard'") as raised:
        pb.gard  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("gard", pb)


def test_package_says_that_it_is_typed() -> None:
    assert (Path(pb.__file__).parent / "py.typed").is_file()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "py.typed" in settings["tool"]["setuptools"]["package-data"]["pullback"]


def test_readme_has_no_link_that_a_package_index_breaks() -> None:
    """The index knows no file of the project."""
    targets = re.findall(r"\]\(([^)]*)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []


def test_files_that_readme_names_are_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:docs|examples|benchmarks)/[\w./]*|[A-Z]+\.md)`", text)
    assert len(named) >= 6
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("document", ["README.md", "CHANGELOG.md"])
def test_each_example_is_listed(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert {path.name for path in (ROOT / "examples").glob("*.py")} <= set(
        re.findall(r"`(?:examples/)?(\w+\.py)`", text)
    )


def test_source_distribution_is_the_repository() -> None:
    """What stands beside the package is named in MANIFEST.in."""
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").split()
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert folders - {"src", "build", "dist"} <= set(manifest)
    assert {"Makefile", "CHANGELOG.md", "CONTRIBUTING.md"} <= set(manifest)

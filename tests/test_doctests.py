"""Every example in a docstring, in README.md and in docs/ prints what it says."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "src" / "pullback").rglob("*.py")
)
SHOWN = [name for name in MODULES if re.match(r"pullback\.(analysis|passes|transform)\.", name)]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(test: doctest.DocTest) -> None:
    """Run one doctest; fail with what doctest reports."""
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append)
    if report:
        pytest.fail("".join(report), pytrace=False)


def keep_fenced(text: str) -> str:
    """The Python blocks of a Markdown text, each on its own lines; all others are empty."""
    kept = [""] * (text.count("\n") + 1)
    for block in FENCED.finditer(text):
        first = text.count("\n", 0, block.start(1))
        lines = block[1].splitlines()
        kept[first : first + len(lines)] = lines
    return "\n".join(kept)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_of(name):
    for test in doctest.DocTestFinder(exclude_empty=True).find(import_module(name)):
        run(test)


@pytest.mark.parametrize("name", [name for name in SHOWN if not hasattr(import_module(name), "__path__")])
def test_a_pass_or_analysis_shows_what_it_does(name):
    assert any(test.examples for test in doctest.DocTestFinder().find(import_module(name)))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_document(path):
    text = keep_fenced(path.read_text(encoding="utf-8"))
    run(doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, path.name, str(path), 0))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_document_names_no_file_of_a_machine(path):
    assert 'File "/' not in path.read_text(encoding="utf-8")


def test_only_fenced_python_is_run_and_on_its_own_line():
    text = "Text\n\n```python\n>>> 1 + 1\n2\n```\n\n```sh\n>>> not Python\n```\n"
    assert keep_fenced(text) == "\n\n\n>>> 1 + 1\n2\n\n\n\n\n\n"


def test_a_wrong_output_fails():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    with pytest.raises(pytest.fail.Exception, match="Expected"):
        run(test)

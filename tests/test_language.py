"""The language check: what is refused, where, why, and what to write instead; and what is not refused."""

import importlib.util
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import cells
import pullback as pb
from pullback.errors import LanguageError, Problem
from pullback.frontend.source.finding import find_source
from pullback.frontend.source.language import check_language

FOLDER = Path(__file__).parent / "refusals"


class Marker(NamedTuple):
    """What `# refused: words, at `code`` says of its line."""

    line: int
    words: str
    code: str


def load(stem: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"refusals_{stem}", FOLDER / f"{stem}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, value in vars(module).items():
        if hasattr(value, "__code__") or isinstance(value, staticmethod):
            yield name, value


def markers_of(function: Any) -> list[Marker]:
    source = find_source(function)
    markers = []
    for number in range(source.tree.lineno, source.tree.end_lineno + 1):
        for comment in source.text(number).split("  # refused: ")[1:2]:
            for part in comment.split("; "):
                words, _, code = part.partition(", at `")
                markers.append(Marker(number, words, code.removesuffix("`")))
    return markers


REFUSED = {name: f for stem in ("statements", "expressions", "functions") for name, f in functions_of(load(stem))}
ACCEPTED = dict(functions_of(load("accepted")))


def refusal_of(function: Any) -> LanguageError:
    with pytest.raises(LanguageError) as caught:
        check_language(find_source(function))
    return caught.value


def underlined(problem: Problem) -> str:
    return problem.location.text[problem.location.column : problem.location.end_column]


def test_enough_snippets_are_refused_and_accepted():
    assert len(REFUSED) >= 40
    assert len(ACCEPTED) >= 40
    assert all(markers_of(function) for function in REFUSED.values())


@pytest.mark.parametrize("name", REFUSED)
def test_refused_at_its_marker(name):
    error = refusal_of(REFUSED[name])
    markers = markers_of(REFUSED[name])
    assert [problem.location.line for problem in error.problems] == [marker.line for marker in markers]
    for problem, marker in zip(error.problems, markers, strict=True):
        assert marker.words in problem.reason
        assert problem.remedy
        if marker.code:
            assert underlined(problem) == marker.code


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_is_told_as_python_tells_a_syntax_error(name):
    error = refusal_of(REFUSED[name])
    first = error.problems[0].location
    assert (error.filename, error.lineno, error.offset) == (first.file, first.line, first.column + 1)
    assert error.text == Path(first.file).read_text().split("\n")[first.line - 1]
    assert first.file == REFUSED[name].__code__.co_filename
    assert error.__cause__ is None
    assert error.__context__ is None


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name):
    check_language(find_source(ACCEPTED[name]))


def test_five_problems_are_reported_at_once_and_in_order():
    error = refusal_of(REFUSED["five_problems"])
    assert [underlined(problem) for problem in error.problems] == [
        "global counter",
        "try",
        'b"a"',
        'b"b"',
        "y.real",
    ]
    assert all(problem.reason in str(error) for problem in error.problems)


PRINTED = {
    "global_write": """
    global counter  # refused: 'counter' is written, and is global, at `global counter`
    ^^^^^^^^^^^^^^
pullback.errors.LanguageError: 'counter' is written, and is global: a value written to a global variable is not a \
result of the function
  Instead: pass the value as an argument and return it
""",
    "generator_in_np_sum": """
    return np.sum(a * a for a in x)  # refused: a generator expression is supported only, at `(a * a for a in x)`
                 ^^^^^^^^^^^^^^^^^^
pullback.errors.LanguageError: a generator expression is supported only where its items are taken at once, as in \
sum(...), list(...) or any(...)
  Instead: use a list comprehension or a loop
""",
    "calls_eval": """
    return eval("x * x")  # refused: 'eval' is not supported: it runs code, at `eval`
           ^^^^
pullback.errors.LanguageError: 'eval' is not supported: it runs code that cannot be seen in the source
  Instead: write the code out
""",
    "after_other_letters": """
    θ = "é"; ψ = b"e"  # refused: bytes are not supported, at `b"e"`
                 ^^^^
pullback.errors.LanguageError: bytes are not supported: they cannot take part in compiled arithmetic
  Instead: use a string or a tuple
""",
    "generator": """
    yield a * a  # refused: 'yield' cannot be differentiated, at `yield a * a`
    ^^^^^^^^^^^
pullback.errors.LanguageError: 'yield' cannot be differentiated: the body of a generator runs piece by piece, whenever \
its reader asks
  Instead: return an array
""",
    "coroutine": """
    async def coroutine(x):  # refused: 'async' and 'await' cannot be differentiated, at `async`
    ^^^^^
pullback.errors.LanguageError: 'async' and 'await' cannot be differentiated: the backward pass cannot wait a second time
  Instead: write a plain function, and await what it needs before the call
""",
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed_text(name):
    error = refusal_of(REFUSED[name])
    place, rest = "".join(traceback.format_exception_only(error)).split("\n", 1)
    assert place == f'  File "{error.filename}", line {error.lineno}'
    assert rest == PRINTED[name].lstrip("\n")


def test_further_problems_are_printed_with_their_places():
    error = refusal_of(REFUSED["two_problems_on_a_line"])
    path, line = error.filename, error.lineno
    assert str(error.msg).splitlines() == [
        "bytes are not supported: they cannot take part in compiled arithmetic",
        "  Instead: use a string or a tuple",
        "bytes are not supported: they cannot take part in compiled arithmetic",
        "  Instead: use a string or a tuple",
        f'  File "{path}", line {line}',
        f"    {error.text.strip()}",
        "                   ^^^^^",
    ]


def refusal_of_text(text: str) -> LanguageError:
    return refusal_of(cells.run(text)["f"])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the statement `type` is new in Python 3.12")
def test_type_alias_is_refused():
    error = refusal_of_text("def f(x):\n    type Vector = list[float]\n    return x\n")
    assert "type alias" in error.problems[0].reason
    assert underlined(error.problems[0]) == "type Vector = list[float]"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are new in Python 3.12")
def test_type_parameters_are_ignored():
    check_language(find_source(cells.run("def f[T: (bytes, set)](x: T) -> T:\n    return x\n")["f"]))


def test_unknown_syntax_is_refused_by_its_name(monkeypatch):
    from pullback.frontend.source import language

    without_if = tuple(kind for kind in language.ACCEPTED if kind.__name__ != "If")
    monkeypatch.setattr(language, "ACCEPTED", without_if)
    error = refusal_of(ACCEPTED["raising"])
    assert error.problems[0].reason == "'If' is not supported"
    assert re.match("if x < 0", underlined(error.problems[0]))


def test_a_module_global_hides_the_builtin_of_its_name():
    assert "open" in refusal_of_text("def f(x):\n    return open(x)\n").problems[0].reason
    text = "def open(x):\n    return x * x\ndef f(x, b=set()):\n    return open(x) * b'a'\n"
    assert [problem.reason.split(":")[0] for problem in refusal_of_text(text).problems] == ["bytes are not supported"]


def test_a_dict_has_the_same_keys_on_both_paths():
    def keys(x):
        entries = {}
        if x > 0:
            entries["a"] = x
        else:
            entries["b"] = x
        return entries["a"]

    with pytest.raises(pb.LanguageError, match="the dict 'entries' has other keys on one path"):
        pb.grad(keys)(2.0)


@pytest.mark.parametrize("around", [False, True], ids=["loop", "nest"])
def test_a_variable_that_every_iteration_reads_first_is_refused(around):
    def products(x, n):
        total = 0.0
        for i in range(n):
            last = x[i] * last  # noqa: F821
            total += last
        return total

    def nested(x, n):
        total = 0.0
        for _ in range(n):
            for i in range(n):
                last = min(x[i], last)  # noqa: F821
                total += last
        return total

    with pytest.raises(pb.LanguageError, match="'last' has no value here") as caught:
        pb.grad(nested if around else products)(np.ones(3), 2)
    assert "x[i]" in caught.value.text


def test_a_variable_that_an_iteration_before_sets_is_read_in_a_loop_inside():
    def function(x, n):
        total = 0.0
        for t in range(n):
            if t > 0:
                for i in range(n):
                    total += last * x[i]  # noqa: F821
            last = x[t] * 2.0  # noqa: F841
        return total

    x = np.array([0.5, 0.7, 1.1])
    value, gradient = pb.value_and_grad(function)(x, 3)
    assert value == pytest.approx(function(x, 3), rel=1e-14)
    np.testing.assert_allclose(gradient, [7.0, 7.0, 2.4], rtol=1e-14)

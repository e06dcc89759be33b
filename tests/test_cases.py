"""Golden texts: what each stage makes of a function, kept in `tests/cases/*.txt`, one file a stage.

    [case power_rule]
    # args: x=float, n=int
    def f(x, n):
        return x**n
    [out]
    f(x: float64*, n: int64*):
        ...

The types are written as NumPy code would: `float` and `int` are Python's numbers, `float64` and `float64[:, :]` are
NumPy's; tuples, lists, dicts and None hold them. The last function of a case is the one that is read; what stands
before it is its module. `# wrt: x` names the arguments to differentiate (default: all floats).
`pytest tests/test_cases.py --update-cases` writes the texts anew. Read the diff before you keep it.
"""

import difflib
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest

import cells
from pullback.compilation.functions import Compiled
from pullback.compilation.options import Options
from pullback.emission.module import emit_module
from pullback.emission.names import Forward
from pullback.errors import PullbackError
from pullback.frontend.build import Built, build
from pullback.frontend.source.desugar import desugar
from pullback.frontend.source.finding import find_source
from pullback.frontend.values.arguments import Form, Known, Leaf, Mapping_, Sequence_, leaf_types
from pullback.frontend.values.context import StaticNeeded
from pullback.ir.checker import check
from pullback.ir.nodes import Function
from pullback.ir.printer import show
from pullback.ir.types import BOOL, FLOAT, INT, Array, Scalar, is_float
from pullback.passes.memory.copy_insertion import insert_copies
from pullback.passes.pipeline import ALL
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.simplify import simplify
from pullback.transform.derivative import Pair, joint, prepared, split

FOLDER = Path(__file__).parent / "cases"
_PARTS = re.compile(r"^\[case (\w+)\]\n(.*?)^\[out\]\n(.*?)(?=^\[case |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Case:
    """A function's source, and the text that a stage makes of it."""

    stage: str
    name: str
    source: str
    expected: str

    @property
    def id(self) -> str:
        return f"{self.stage}.{self.name}"

    def function(self) -> Callable[..., Any]:
        """The last function of the source, from a file `name.py` that stands only in the line cache."""
        namespace = cells.run(self.source, f"{self.name}.py", np=np, __name__=self.name)
        functions = [v for v in namespace.values() if getattr(v, "__module__", None) == self.name]
        return functions[-1]

    def note(self, word: str) -> str:
        """What a comment `# word: ...` of the source says, empty where there is none."""
        found = re.search(rf"^# {word}: (.*)$", self.source, re.MULTILINE)
        return found[1] if found else ""

    def build(self) -> Built:
        return build(find_source(self.function()), forms_of(self.note("args")))

    def wrt(self, built: Built) -> tuple[int, ...]:
        """The parameters to differentiate: the leaves of the arguments named by `# wrt`, or all floats."""
        forms = forms_of(self.note("args"))
        names = self.note("wrt").split(", ") if self.note("wrt") else list(forms)
        owners = [name for name, form in forms.items() for _ in leaf_types(form)]
        parameters = built.function.parameters
        return tuple(k for k, owner in enumerate(owners) if owner in names and is_float(parameters[k].type))


class _Dtype:
    """`float64` is a number of NumPy's, `float64[:, :]` an array."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, axes: Any) -> Leaf:
        return Leaf(Array(self.name, len(axes) if isinstance(axes, tuple) else 1 if axes is not ... else 0))


def forms_of(text: str) -> dict[str, Form]:
    """The Forms of the arguments, from the comment that gives their types."""
    names = {name: _Dtype(name) for name in ("float64", "float32", "int64", "int32", "bool_")}
    return {key: form_of_spelling(value) for key, value in eval(f"dict({text})", names).items()}


def form_of_spelling(spelling: Any) -> Form:
    match spelling:
        case Leaf():
            return spelling
        case _Dtype():
            return Leaf(Scalar(spelling.name.rstrip("_")))
        case dict():
            return Mapping_(tuple(spelling), tuple(map(form_of_spelling, spelling.values())))
        case tuple() | list():
            return Sequence_(type(spelling), tuple(map(form_of_spelling, spelling)))
    return Leaf({float: FLOAT, int: INT, bool: BOOL}[spelling]) if isinstance(spelling, type) else Known(spelling)


# Stages: a case becomes text


def desugared(case: Case) -> str:
    tree = find_source(case.function()).tree
    return "\n".join(gast.unparse(gast.fix_missing_locations(s)) for s in desugar(tree.body))


def normal_form(case: Case) -> str:
    return show(check(case.build().function))


def simplified(case: Case) -> str:
    return show(check(remove_dead(simplify(case.build().function))))


def gradient(case: Case) -> Function:
    built = case.build()
    return check(joint(prepared(built.function), case.wrt(built), with_results=True))


def pair(case: Case) -> Pair:
    built = case.build()
    return split(prepared(built.function), case.wrt(built))


def owned(case: Case) -> str:
    return show(check(insert_copies(prepared(case.build().function)), linear=True))


def numpy_level(case: Case) -> str:
    return emit_module([insert_copies(gradient(case))], compiled=False)


def loop_level(case: Case) -> str:
    built = case.build()
    function = joint(prepared(built.function, replace(ALL, lowered=True)), case.wrt(built), with_results=True)
    return Compiled(check(function), Options()).machine_text


def forward_and_backward(case: Case) -> str:
    both = pair(case)
    forward, backward = insert_copies(both.forward), insert_copies(both.backward)
    return emit_module([forward, backward], compiled=False, forward=Forward(forward, len(both.residuals)))


def refusal(case: Case) -> str:
    with pytest.raises((PullbackError, StaticNeeded)) as caught:
        pair(case)
    error = caught.value.error if isinstance(caught.value, StaticNeeded) else caught.value
    return "".join(traceback.format_exception_only(error))


STAGES: dict[str, Callable[[Case], str]] = {
    "desugar": desugared,
    "normal_form": normal_form,
    "simplify": simplified,
    "reverse": lambda case: show(gradient(case)),
    "ownership": owned,
    "numpy_level": numpy_level,
    "loop_level": loop_level,
    "split": forward_and_backward,
    "errors": refusal,
}


# The files


def cases_of(stage: str) -> list[Case]:
    text = (FOLDER / f"{stage}.txt").read_text(encoding="utf-8")
    return [Case(stage, name, source, expected.rstrip()) for name, source, expected in _PARTS.findall(text)]


def rewrite(case: Case, actual: str) -> None:
    """Put the text into the file, in place of what was expected."""
    path = FOLDER / f"{case.stage}.txt"

    def renewed(found: re.Match[str]) -> str:
        return f"[case {case.name}]\n{case.source}[out]\n{actual}\n\n" if found[1] == case.name else found[0]

    path.write_text(_PARTS.sub(renewed, path.read_text(encoding="utf-8")).rstrip() + "\n", encoding="utf-8")


CASES = [case for stage in STAGES for case in cases_of(stage)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case, request: pytest.FixtureRequest) -> None:
    actual = STAGES[case.stage](case).rstrip()
    if request.config.getoption("--update-cases"):
        assert not hasattr(request.config, "workerinput"), "the cases are updated by one process: leave out -n"
        rewrite(case, actual)
    elif actual != case.expected:
        lines = difflib.unified_diff(case.expected.split("\n"), actual.split("\n"), "expected", "actual", lineterm="")
        pytest.fail("\n".join([f"{case.id} (--update-cases accepts the new text)", *lines]), pytrace=False)


def test_every_case_of_the_files_is_read():
    for path in FOLDER.glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"^\[case (.*)\]$", text, re.MULTILINE)
        assert [case.name for case in CASES if case.stage == path.stem] == names
        assert len(set(names)) == len(names)
        assert text.count("[out]\n") == len(names)


def test_there_are_enough_cases():
    assert len(CASES) >= 44

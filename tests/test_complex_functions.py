"""Every function with complex numbers: it is NumPy's and its derivative is right, or it is refused.

A function that is declared to be right for complex numbers is in a case that is; any other refuses them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.special
import scipy.stats  # noqa: F401

import cells
import pullback as pb
from complex_cases import NAMES, Case, cases, verdict
from pullback.errors import MissingRuleError
from pullback.functions import METHODS, RECORDS, canonical, load_scipy
from pullback.functions.writing import IN_PLACE
from pullback.ir.nodes import Let, Value
from pullback.ir.types import Array
from pullback.transform.inlining import rule_for

load_scipy()
KNOWN = [function for function, record in RECORDS.items() if record.rule or record.text]
OF_COMPLEX = [f for f in KNOWN if RECORDS[f].of_complex and not str(f.__module__).startswith("pullback.")]
OF_REAL = [f for f in KNOWN if not RECORDS[f].of_complex]


def name_of(function: Any) -> str:
    return str(getattr(function, "__qualname__", getattr(function, "__name__", function)))


def functions_in(case: Case) -> Iterator[Any]:
    """The functions that a case calls."""
    operators = {record.operator: function for function, record in RECORDS.items()}
    for node in ast.walk(ast.parse(case.text.replace("return ", ""))):
        if isinstance(node, ast.BinOp | ast.UnaryOp):
            yield operators.get(type(node.op).__name__)
        elif isinstance(node, ast.Name) and node.id == "complex":
            yield complex
        elif isinstance(node, ast.Attribute):
            try:
                yield canonical(eval(ast.unparse(node), dict(NAMES)))
            except (NameError, AttributeError):
                yield METHODS.get(node.attr, IN_PLACE.get(node.attr))


@cache
def cases_by_function() -> dict[Any, list[Case]]:
    found: dict[Any, list[Case]] = {}
    for case in sorted(cases(), key=lambda case: len(case.text)):
        for function in functions_in(case):
            if function.__hash__ is not None:
                found.setdefault(function, []).append(case)
    return found


@pytest.mark.drawn(24)
@pytest.mark.parametrize("function", OF_COMPLEX, ids=name_of)
def test_a_function_declared_to_be_right_for_complex_numbers_is(function: Callable[..., Any]) -> None:
    kinds = []
    for case in cases_by_function().get(function, []):
        kinds.append(verdict(case))
        if kinds[-1][0] == "right":
            return
    pytest.fail(f"no case shows it: {kinds}")


@pytest.mark.parametrize("function", [f for f in OF_REAL if RECORDS[f].rule is not None], ids=name_of)
def test_any_other_rule_refuses_complex_numbers(function: Callable[..., Any]) -> None:
    z = Array("complex128", 1)
    with pytest.raises(MissingRuleError, match="real numbers alone"):
        rule_for(Let(Value("y", z), function, (Value("z", z),)))


@pytest.mark.drawn(49)
@pytest.mark.parametrize("function", [f for f in OF_REAL if RECORDS[f].rule is None], ids=name_of)
def test_any_other_text_refuses_complex_numbers(function: Callable[..., Any]) -> None:
    call = cells.run("def call(z):\n    return function(z)\n", function=function)["call"]
    with pytest.raises(pb.PullbackError):
        pb.differentiable(call, jit=False)(np.array([1.0 + 2.0j, 3.0 - 1.0j]))


TRIALS = [case for mode in ("interpreted", "forward", "second") for case in cases(mode=mode)] + cases(single=True)


@pytest.mark.drawn(29)
@pytest.mark.parametrize("case", TRIALS, ids=str)
def test_a_call_with_complex_numbers_is_right_or_refused(case: Case) -> None:
    kind, why = verdict(case)
    assert kind in ("right", "refused", "no such call"), why


@pytest.mark.drawn(2)
@pytest.mark.parametrize("case", cases(mode="compiled"), ids=str)
def test_a_compiled_call_with_complex_numbers_is_right_or_refused(case: Case) -> None:
    kind, why = verdict(case)
    assert kind in ("right", "refused", "no such call"), why

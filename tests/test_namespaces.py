"""Every public function, where nothing flows through it, gives what a plain call gives, or is refused with a place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import pullback as pb
from pullback.compilation.explained import CompileError

SPACES = {
    "np": np,
    "np.linalg": np.linalg,
    "np.fft": np.fft,
    "scipy.special": scipy.special,
    "math": math,
}
VECTOR, MATRIX, WHOLE = np.array([0.5, 0.25, 2.0]), np.array([[2.0, 0.5], [0.25, 3.0]]), np.array([1, 2, 3])
FORMS = ("0.5", "3", "0.5, 0.25", "5, 3", "A", "A, A", "M", "M, M", "I", "I, I", "0.5, 0.25, 0.75", "5, 2, 0.5")
FORMS += ("A, A, A", "A, I", "I, A", "M, A[:2]", "3, 0.5, 0.25, 0.5", "2, 3", "M, 2", "A, 2", "")
"""Arguments that some function takes."""

WRITE_OR_SET = (
    "save",
    "load",
    "empty",
    "show",
    "print",
    "info",
    "test",
    "from",
    "gen",
    "mem",
    "set",
    "get",
    "seed",
    "open",
)
"""How functions are named that read and write files, print, change a state, or leave elements without a value."""


def names() -> dict[str, Any]:
    """What the texts of calls mention; some functions write into their arguments."""
    return {"np": np, "scipy": scipy, "math": math, "A": VECTOR.copy(), "M": MATRIX.copy(), "I": WHOLE.copy()}


def public_functions() -> list[tuple[str, Callable[..., Any]]]:
    return [
        (f"{space}.{name}", getattr(module, name))
        for space, module in SPACES.items()
        for name in sorted(dir(module))
        if not name.startswith(("_", *WRITE_OR_SET))
        and callable(getattr(module, name))
        and not isinstance(getattr(module, name), type)
    ]


def plain_calls(name: str, wanted: int = 2) -> list[tuple[str, Any]]:
    """The text of calls that Python makes without an error, and their values."""
    found: list[tuple[str, Any]] = []
    for form in FORMS:
        text = f"{name}({form})"
        try:
            value = eval(text, names())
        except Exception:
            continue
        if value is not None and not isinstance(value, str | range) and len(found) < wanted:
            found.append((text, value))
    return found


def is_number_or_array(value: Any) -> bool:
    return isinstance(value, int | float | np.generic | np.ndarray) and np.asarray(value).dtype.kind in "fiub"


def check_call(text: str, value: Any, **options: Any) -> None:
    """The gradient is the value of the call, which is a factor; what is no number or array may be refused."""
    numeric = is_number_or_array(value)
    line = f"np.sum(x) * float(np.sum({text}))" if numeric else f"np.sum(x) if {text} is None else np.sum(x)"
    source = f"def factor(x):\n    return {line}\n"
    made = names()
    exec(source, made)
    try:
        given = pb.grad(pb.differentiable(source=source, **options)(made["factor"]))(np.ones(2))
    except pb.PullbackError as error:
        if isinstance(error, CompileError) or not _has_place(error):
            pytest.fail(f"{text}: refused without a place: {error}")
        return
    expected = np.full(2, float(np.sum(value)) if numeric else 1.0)
    np.testing.assert_allclose(given, expected, rtol=1e-12, err_msg=text)


def _has_place(error: Exception) -> bool:
    """Whether an error, or what is noted beside it, names the line."""
    texts = str(error), *getattr(error, "__notes__", ())
    return any("line 2" in text or ">:2:" in text for text in texts)


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", range(12))
def test_every_function_gives_its_value_or_is_refused(block: int) -> None:
    np.random.seed(0)
    tried = 0
    for name, _ in list(public_functions())[block::12]:
        for text, value in plain_calls(name):
            check_call(text, value, jit=False)
            tried += 1
    assert tried > 20


COMPILED = ("np.fft.fftfreq(4)", "np.median(A)", "np.percentile(A, 50)", "scipy.special.j0(0.5)", "math.comb(5, 3)")
COMPILED += ("np.logical_and(0.5, 0.25)", "np.logical_or(5, 3)", "np.linalg.pinv(M)")


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", COMPILED)
def test_compiled_call_gives_its_value_or_is_refused(text: str) -> None:
    check_call(text, eval(text, names()))


@pytest.mark.drawn(5)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, _ in public_functions()])
def test_every_compiled_call_gives_its_value_or_is_refused(name: str) -> None:
    for text, value in plain_calls(name, wanted=1):
        check_call(text, value)


def test_numbers_that_are_drawn_before_are_arguments() -> None:
    noise = np.random.default_rng(1).normal(size=2)
    assert pb.grad(lambda x, n: np.sum(x * n))(np.ones(2), noise).tolist() == noise.tolist()


def test_a_function_without_a_public_name_is_refused() -> None:
    def f(x):
        return np.sum(x) * float(np.sum(np.polynomial.polynomial.polyvander(VECTOR, 2)))

    with pytest.raises(pb.LanguageError, match="no public name"):
        pb.grad(f)(np.ones(2))


def test_messages_name_functions_by_their_module() -> None:
    with pytest.raises(pb.MissingRuleError, match=r"scipy\.special\.kolmogi has no derivative rule"):
        pb.grad(lambda x: np.sum(scipy.special.kolmogi(x)))(np.ones(2))
    with pytest.raises(pb.MissingRuleError, match=r"np\.union1d has no derivative rule"):
        pb.grad(lambda x: np.sum(np.union1d(x, x)))(np.ones(2))

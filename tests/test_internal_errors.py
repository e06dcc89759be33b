"""What once ended in an internal error works, or is refused with a true sentence."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import pullback as pb

CUBE, LENGTHS = np.arange(1.0, 5.0), np.array([1.0, 2.0, 4.0])


def printed(x: Any) -> Any:
    print(f"{x!r:>{10}}|{3!s:<{4}}|{x:.{2}f}")
    return x * x


def test_nested_formats_and_conversions_are_those_of_a_plain_call(capsys: pytest.CaptureFixture[str]) -> None:
    printed(0.25)
    plain = capsys.readouterr().out
    assert pb.grad(pb.differentiable(jit=False)(printed))(0.25) == 0.5
    assert capsys.readouterr().out == plain


def test_a_format_that_only_the_run_knows_is_refused() -> None:
    def f(x: Any) -> Any:
        print(f"{x:{x}}")
        return x

    with pytest.raises(pb.LanguageError, match="formatted must be known before the run"):
        pb.grad(f)(0.5)


def square(x: Any) -> Any:
    return np.sum(x * x)


@pytest.mark.parametrize("make", [pb.grad, pb.value_and_grad])
def test_source_of_a_gradient_is_what_a_call_runs(make: Any) -> None:
    function = make(square)
    for text in (pb.source(function, CUBE), pb.inspect_source(function, CUBE)):
        names: dict[str, Any] = {}
        exec(text, names)
        result = names[function.__name__](CUBE)
        gradient = result if make is pb.grad else result[1]
        assert gradient.tolist() == (2 * CUBE).tolist()


def test_inspected_text_imports_what_it_raises() -> None:
    def product(x: Any, y: Any) -> Any:
        return np.sum(x * y * y)

    text = pb.inspect_source(product, CUBE, CUBE)
    assert "SizesDiffer" in text
    names: dict[str, Any] = {}
    exec(text, names)
    assert names["product_value_and_grad"](CUBE, CUBE)[0] == np.sum(CUBE**3)


@pytest.mark.parametrize("jit", [True, False])
def test_functions_that_take_no_array_of_one_element_are_asked_with_more(jit: bool) -> None:
    def f(x: Any) -> Any:
        return np.sum(x) * np.sum(np.cross(LENGTHS, x[:3] > 0.0))

    def g(x: Any) -> Any:
        return np.sum(x) * np.sum(np.gradient(LENGTHS))

    assert pb.grad(pb.differentiable(jit=False)(g))(CUBE).tolist() == [float(np.sum(np.gradient(LENGTHS)))] * 4
    expected = float(np.sum(np.cross(LENGTHS, CUBE[:3] > 0.0)))
    try:
        assert pb.grad(pb.differentiable(jit=jit)(f))(CUBE).tolist() == [expected] * 4
    except pb.LanguageError as error:
        if not jit or "Numba cannot compile this call of np.cross" not in str(error):
            raise


def test_an_error_tells_of_the_sizes_that_the_program_has() -> None:
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 4"):
        pb.grad(pb.differentiable(jit=False)(lambda x: np.sum(np.take(x, [0, 9]))))(CUBE)
    slope = pb.grad(pb.differentiable(jit=False)(lambda x: np.sum(x) * np.sum(np.gradient(1.0 * (x[:1] > 0)))))
    with pytest.raises(ValueError, match="too small to calculate"):
        slope(CUBE)
    with pytest.raises(pb.TypingError, match="boolean subtract"):
        pb.grad(lambda x: np.sum(x) * np.sum(np.gradient(x > 0)))(CUBE)


def test_rows_of_different_lengths_are_refused_with_the_place() -> None:
    with pytest.raises(pb.TypingError, match=r"inhomogeneous|same shape") as caught:
        pb.grad(lambda x: np.sum(np.array([[x[0], 1.0], [2.0]])))(CUBE)
    assert __file__ in str(caught.value)


def test_arguments_in_structures_are_named_as_they_are_written() -> None:
    def f(*args: Any) -> Any:
        args[0]["a"][0] = 3.0 * args[1].b[0]
        return np.sum(args[0]["a"] * args[1].b)

    Pair = namedtuple("Pair", "b")
    x = np.array([1.0, 2.0])
    with pytest.raises(pb.AliasError, match=r"""'args\[0\]\["a"\]' is written and shares memory with 'args\[1\].b'"""):
        pb.grad(f)({"a": x}, Pair(x))


def test_a_method_that_cannot_be_followed_has_a_remedy_that_exists() -> None:
    w = pb.Variable([1.0, 2.0])

    def f(x: Any) -> Any:
        return np.sum(w.numpy() * x)

    with pytest.raises(pb.LanguageError, match=r"stop_gradient\(x\)"):
        pb.grad(f)(np.ones(2))

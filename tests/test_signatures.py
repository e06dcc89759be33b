"""The parameters of a function are those of its code, whatever its attributes say."""

import inspect
from typing import Any

import numpy as np
import pytest

import pullback as pb

MAKERS = [pb.differentiable, pb.grad, pb.value_and_grad, pb.vjp]
Parameter = inspect.Parameter


def other_names(a, b=3.0, *, c=4.0):
    return a * b * c


def more(x, y, z):
    return x + y + z


def fewer(x):
    return x


def documented(x, a=2.0):
    return a * np.sum(x * x)


SIGNATURES: dict[str, Any] = {
    "other names": inspect.signature(other_names),
    "more parameters": inspect.signature(more),
    "fewer parameters": inspect.signature(fewer),
    "other defaults": inspect.Signature(
        [Parameter("x", Parameter.POSITIONAL_OR_KEYWORD), Parameter("a", Parameter.POSITIONAL_OR_KEYWORD, default=9.0)]
    ),
    "no signature at all": "(x)",
}


@pytest.mark.parametrize("name", SIGNATURES)
@pytest.mark.parametrize("make", MAKERS)
def test_signature_attribute_does_not_count(make: Any, name: str) -> None:
    def f(x, a=2.0):
        return a * np.sum(x * x)

    quiet = pb.differentiable(jit=False)
    f.__signature__ = SIGNATURES[name]
    x = np.array([1.0, 2.0])
    made, expected = make(quiet(f)), make(quiet(documented))
    for arguments, keywords in (((x,), {}), ((x, 5.0), {}), ((x,), {"a": 7.0}), ((), {"a": 7.0, "x": x})):
        got, due = made(*arguments, **keywords), expected(*arguments, **keywords)
        got, due = ((r[0], r[1](1.0)) if make is pb.vjp else r for r in (got, due))
        np.testing.assert_equal(got, due)


def test_signature_of_a_helper_does_not_count() -> None:
    def helper(v, a=2.0):
        return a * v

    helper.__signature__ = inspect.signature(other_names)

    def f(x):
        return np.sum(helper(x) * helper(x, a=3.0))

    assert pb.grad(pb.differentiable(jit=False)(f))(np.ones(2)).tolist() == [12.0, 12.0]


def test_argnums_are_names_of_the_code() -> None:
    def f(x, a):
        return a * x

    f.__signature__ = inspect.Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in ("a", "x")])
    assert pb.grad(pb.differentiable(jit=False)(f), "x")(2.0, 3.0) == 3.0


def test_gradient_shows_annotations() -> None:
    def f(x: float, a: "float" = 2.0) -> float:
        return a * x

    assert str(inspect.signature(pb.grad(f))) == str(inspect.signature(f))

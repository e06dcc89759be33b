"""What users call: arguments in and gradients out, what is read anew, what is refused, and what stays untouched."""

import copy
import functools
import gc
import linecache
import os
import re
import subprocess
import sys
import textwrap
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from scipy import linalg

import cells
import pullback as pb
from pullback.api import checks

plain = functools.partial(pb.differentiable, jit=False)
MODES = pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])


def gradient(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The gradient by generated code that is not compiled: quick for one call."""
    return pb.grad(plain()(function), **options)(*arguments)


def value_and_gradient(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    return pb.value_and_grad(plain()(function), **options)(*arguments)


def defined(text: str, name: str = "f", **names: Any) -> Any:
    """A function of a text that stands in the line cache, as a notebook's cell does."""
    return cells.run(textwrap.dedent(text), np=np, pb=pb, **names)[name]


# Which arguments


def mixed(a, b, c=2.0):
    return a * b + a * c


CHOICES = [
    (0, 8.0),
    (1, 3.0),
    (2, 3.0),
    (-1, 3.0),
    (-3, 8.0),
    ("a", 8.0),
    ("b", 3.0),
    ((0,), (8.0,)),
    ((0, 1), (8.0, 3.0)),
    ((1, 0), (3.0, 8.0)),
    ((2, "a", -2), (3.0, 8.0, 3.0)),
    (("b",), (3.0,)),
    ((), ()),
]
COMPILED_CHOICES = [(argnums, expected) for argnums, expected in CHOICES if argnums in (-1, (1, 0), (0,))]


@pytest.mark.parametrize(
    ("argnums", "expected", "jit"), [*((*c, False) for c in CHOICES), *((*c, True) for c in COMPILED_CHOICES)]
)
def test_argnums_choose_arguments_and_their_structure(argnums: Any, expected: Any, jit: bool) -> None:
    function = pb.differentiable(jit=jit)(mixed)
    for _ in range(2):  # the second call takes the short way
        assert pb.grad(function, argnums)(3.0, 5.0, 3.0) == expected
        assert pb.value_and_grad(function, argnums)(3.0, 5.0, 3.0) == (24.0, expected)


def test_the_same_argument_twice_gives_its_gradient_twice():
    first, second = gradient(lambda x: np.sum(x * x), np.array([1.0, 2.0]), argnums=(0, 0))
    assert first.tolist() == second.tolist() == [2.0, 4.0]
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize(
    ("argnums", "message"),
    [(3, "argument number 3 does not exist"), (-4, "-4 does not exist"), ("z", "there is no argument 'z'")],
)
def test_an_argument_that_is_not_there_is_a_typing_error(argnums: Any, message: str) -> None:
    with pytest.raises(pb.TypingError, match=message):
        gradient(mixed, 1.0, 2.0, argnums=argnums)


def test_an_unknown_name_is_answered_with_the_names_that_there_are():
    with pytest.raises(TypeError, match="the arguments are a, b, c"):
        gradient(mixed, 1.0, 2.0, argnums="z")


def test_defaults_and_keywords_bind_as_in_a_call():
    function = plain()(mixed)
    assert pb.grad(function)(3.0, 5.0) == 7.0
    assert pb.grad(function)(3.0, b=5.0) == 7.0
    assert pb.grad(function)(b=5.0, a=3.0) == 7.0
    assert pb.grad(function, ("c", "b"))(3.0, c=4.0, b=5.0) == (3.0, 3.0)
    assert pb.grad(function, "c")(3.0, 5.0) == 3.0


def test_keyword_only_argument_is_differentiated_by_name():
    def f(x, *, scale=2.0):
        return x * scale

    assert gradient(f, 3.0, argnums=("x", "scale")) == (2.0, 3.0)


@pytest.mark.parametrize(("arguments", "keywords"), [((), {}), ((1.0, 2.0, 3.0, 4.0), {}), ((1.0, 2.0), {"d": 1.0})])
def test_a_call_that_does_not_bind_raises_what_a_plain_call_would(arguments: Any, keywords: Any) -> None:
    with pytest.raises(TypeError) as expected:
        mixed(*arguments, **keywords)
    with pytest.raises(TypeError) as caught:
        pb.grad(plain()(mixed))(*arguments, **keywords)
    ours = str(caught.value)
    assert re.search("argument", str(expected.value))
    assert re.search("missing a required argument|too many positional|unexpected keyword", ours)


# Structured arguments


class Point(NamedTuple):
    x: float
    y: np.ndarray


@dataclass
class Layer:
    w: np.ndarray
    b: float


def test_dict_argument_gives_a_dict():
    def f(p, x):
        return np.dot(p["w"], x) * p["scale"]

    got = gradient(f, {"w": np.array([1.0, 2.0]), "scale": 3.0}, np.array([5.0, 7.0]))
    assert list(got) == ["w", "scale"]
    assert got["w"].tolist() == [15.0, 21.0]
    assert got["scale"] == 19.0


def test_order_of_a_dicts_keys_is_the_callers():
    def f(p):
        return p["a"] * 2.0 + p["b"] * 3.0

    function = pb.grad(plain()(f))
    assert list(function({"a": 1.0, "b": 1.0}).items()) == [("a", 2.0), ("b", 3.0)]
    assert list(function({"b": 1.0, "a": 1.0}).items()) == [("b", 3.0), ("a", 2.0)]


def test_list_and_tuple_arguments_give_their_own_kind():
    def f(weights, pair):
        total = 0.0
        for w in weights:
            total += np.sum(w * w)
        return total * pair[0] + pair[1]

    weights, pair = [np.array([1.0]), np.array([2.0, 3.0])], (2.0, 5.0)
    by_list, by_tuple = gradient(f, weights, pair, argnums=(0, 1))
    assert type(by_list) is list
    assert [g.tolist() for g in by_list] == [[4.0], [8.0, 12.0]]
    assert by_tuple == (14.0, 1.0)


def test_namedtuple_argument_gives_a_namedtuple():
    def f(p):
        return p.x * np.sum(p.y)

    got = gradient(f, Point(2.0, np.array([1.0, 4.0])))
    assert type(got) is Point
    assert got.x == 5.0
    assert got.y.tolist() == [2.0, 2.0]


def test_dataclass_argument_gives_a_dataclass():
    def f(layer, x):
        return np.sum(np.maximum(layer.w @ x + layer.b, 0.0))

    got = gradient(f, Layer(np.eye(2), 1.0), np.array([1.0, 2.0]))
    assert type(got) is Layer
    assert got.w.tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert got.b == 2.0


def test_nested_structures_keep_what_is_not_a_number():
    def f(p):
        h = p["layers"][0].w * p["layers"][1].b
        if p["activation"] == "tanh":
            h = np.tanh(h)
        return np.sum(h)

    layers = (Layer(np.array([0.5, 1.0]), 2.0), Layer(np.array([1.0]), 0.25))
    got = gradient(f, {"layers": layers, "activation": "tanh", "extra": None})
    assert list(got) == ["layers", "activation", "extra"]
    assert got["activation"] is None
    assert got["extra"] is None
    inner = 1.0 - np.tanh(np.array([0.125, 0.25])) ** 2
    np.testing.assert_allclose(got["layers"][0].w, inner * 0.25)
    np.testing.assert_allclose(got["layers"][1].b, np.sum(inner * np.array([0.5, 1.0])))
    assert got["layers"][0].b == 0.0
    assert got["layers"][1].w.tolist() == [0.0]


def test_string_argument_is_part_of_the_specialisation():
    def f(x, mode):
        return x * x if mode == "square" else 3.0 * x

    function = pb.grad(plain()(f))
    assert function(5.0, "square") == 10.0
    assert function(5.0, "linear") == 3.0
    assert function(5.0, "square") == 10.0


def test_function_argument_is_part_of_the_specialisation():
    def f(x, g):
        return g(x) * x

    function = pb.grad(plain()(f))
    assert function(2.0, lambda v: v * v) == 12.0
    assert function(2.0, np.negative) == -4.0


def test_axis_given_as_an_argument_is_known_beforehand():
    def f(x, axis):
        return np.sum(np.max(x, axis=axis))

    function = pb.grad(plain()(f))
    x = np.array([[1.0, 4.0], [3.0, 2.0]])
    assert function(x, 0).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert function(x, 1).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    x[0, 0] = 9.0
    assert function(x, 0).tolist() == [[1.0, 1.0], [0.0, 0.0]]


# Results


def with_aux(x, n):
    y = x * x
    return np.sum(y) * n, {"y": y, "n": n}


def test_has_aux_returns_the_rest_beside_the_gradient():
    x = np.array([1.0, 2.0])
    got, aux = gradient(with_aux, x, 3, has_aux=True)
    assert got.tolist() == [6.0, 12.0]
    assert aux["y"].tolist() == [1.0, 4.0]
    assert aux["n"] == 3
    (value, aux), got = value_and_gradient(with_aux, x, 3, has_aux=True)
    assert (value, aux["n"], got.tolist()) == (15.0, 3, [6.0, 12.0])


def test_has_aux_asks_for_a_pair():
    with pytest.raises(TypeError):
        gradient(lambda x: x * x, 2.0, has_aux=True)
    with pytest.raises(TypeError):
        gradient(lambda x: (x, x, x), 2.0, has_aux=True)


def test_aux_may_hold_what_is_not_a_number():
    (value, aux), got = value_and_gradient(lambda x: (x * x, (None, "text")), 3.0, has_aux=True)
    assert (value, aux, got) == (9.0, (None, "text"), 6.0)


@MODES
def test_gradient_is_fresh_memory(jit: bool) -> None:
    """Linear and trivial functions tempt to return an argument, or one array twice."""

    def f(x, y, z):
        return np.dot(x, y) + np.sum(z)

    x, y, z = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])
    function = pb.grad(pb.differentiable(jit=jit)(f), (0, 1, 2))
    first, second = function(x, y, z), function(x, y, z)
    arrays = [x, y, z, *first, *second]
    for k, a in enumerate(arrays):
        assert not any(np.shares_memory(a, b) for b in arrays[:k])
        assert a.flags.writeable
    for a in first:
        a += 1.0
    assert [g.tolist() for g in second] == [[3.0, 4.0], [1.0, 2.0], [1.0, 1.0]]


def test_value_that_is_an_argument_is_a_copy_of_it():
    x = np.array([1.0, 2.0])
    value, _ = pb.vjp(plain()(lambda x: x))(x)
    assert not np.shares_memory(value, x)
    value[0] = 9.0
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("shape", "jit"), [((), False), ((3,), False), ((2, 3), False), ((2, 3), True)])
def test_gradient_has_dtype_and_shape_of_its_argument(jit: bool, dtype: Any, shape: tuple[int, ...]) -> None:
    x = np.linspace(0.5, 1.5, int(np.prod(shape))).astype(dtype).reshape(shape)
    value, got = pb.value_and_grad(pb.differentiable(jit=jit)(lambda x: np.sum(np.sin(x) * 2.0)))(x)
    assert isinstance(got, np.ndarray)
    assert (got.dtype, got.shape) == (dtype, shape)
    assert np.asarray(value).dtype == dtype
    np.testing.assert_allclose(got, 2.0 * np.cos(x), rtol=1e-6)


@pytest.mark.parametrize("number", [1.5, np.float64(1.5), np.float32(1.5)])
def test_gradient_of_a_number_is_a_number_of_its_kind(number: Any) -> None:
    got = gradient(lambda x: x * x, number)
    assert got == 3.0
    assert np.asarray(got).dtype == np.asarray(number).dtype
    assert np.ndim(got) == 0
    assert isinstance(got, type(number) if isinstance(number, np.float32) else float)


def test_float32_and_float64_arguments_keep_their_own_dtypes():
    a, b = np.ones(2, np.float32), np.full(2, 2.0)
    by_a, by_b = gradient(lambda a, b: np.sum(a * b), a, b, argnums=(0, 1))
    assert (by_a.dtype, by_b.dtype) == (np.float32, np.float64)
    assert by_a.tolist() == [2.0, 2.0]


def test_argument_that_has_no_influence_has_zeros():
    by_x, by_y = gradient(lambda x, y: np.sum(y), np.ones((2, 2)), np.ones(3), argnums=(0, 1))
    assert by_x.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert by_y.tolist() == [1.0, 1.0, 1.0]


def test_zero_dimensional_array_is_a_scalar_result():
    assert gradient(lambda x: np.array(x[0] * 3.0), np.array([2.0, 1.0])).tolist() == [3.0, 0.0]


# Results and arguments that have no gradient


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x * x, "an array of float64 with 1 dimensions"),
        (lambda x: int(x[0]), "a number of dtype int64"),
        (lambda x: x[0] > 0.0, "a number of dtype bool"),
        (lambda x: (x[0], x[1]), "a tuple of 2"),
        (lambda x: [x[0]], "a list of 1"),
        (lambda x: {"a": x[0]}, "a dict"),
        (lambda x: None, "None"),
        (lambda x: "text", "a str"),
    ],
)
def test_result_that_is_not_a_float_number_is_named(function: Any, words: str) -> None:
    with pytest.raises(pb.TypingError) as caught:
        gradient(function, np.array([1.0, 2.0]))
    assert isinstance(caught.value, TypeError)
    text = str(caught.value)
    assert f"does not return a float number, but {words}" in text
    assert "pb.vjp" in text
    assert os.path.basename(__file__) in text


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (3, "of dtype int64"),
        (True, "of dtype bool"),
        (np.arange(3), "of dtype int64"),
        (np.array([True]), "of dtype bool"),
        (np.int32(3), "of dtype int32"),
        ("text", "has no numbers"),
        (None, "has no numbers"),
        ({"a": 1.0, "b": 2}, "of dtype int64"),
    ],
    ids=str,
)
def test_argument_that_is_not_float_is_named(argument: Any, words: str) -> None:
    def f(x, count):
        return x * 2.0

    with pytest.raises(TypeError) as caught:
        gradient(f, 1.0, argument, argnums="count")
    place = """count["b"]""" if isinstance(argument, dict) else "count"
    assert f"'f' cannot be differentiated with respect to '{place}'" in str(caught.value)
    assert words in str(caught.value)
    assert ("an argument that is not differentiated" if place != "count" else "argnums") in str(caught.value)


def test_complex_result_has_no_gradient():
    with pytest.raises(TypeError, match="returns complex numbers"):
        gradient(lambda x: np.sum(x), np.array([1.0 + 2.0j]))


def test_object_array_is_a_type_error():
    with pytest.raises(TypeError):
        gradient(lambda x: np.sum(x), np.array([1.0, "a"], object))


# What is captured


SCALE = 2.0
WEIGHTS = np.array([1.0, 2.0])
TABLE = {"a": 2.0, "b": np.array([1.0, 1.0])}


def scaled(x):
    return np.sum(SCALE * x)


def weighted(x):
    return np.sum(WEIGHTS * x)


def tabled(x):
    return TABLE["a"] * np.sum(TABLE["b"] * x)


def helper(v):
    return v * v


def calls_helper(x):
    return np.sum(helper(x))


@MODES
def test_captured_number_is_read_on_each_call(jit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(scaled))
    x = np.ones(2)
    assert function(x).tolist() == [2.0, 2.0]
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert function(x).tolist() == [5.0, 5.0]


def test_captured_number_may_become_an_int_and_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(plain()(scaled))
    x = np.ones(2)
    assert function(x).tolist() == [2.0, 2.0]
    monkeypatch.setitem(globals(), "SCALE", 7)
    assert function(x).tolist() == [7.0, 7.0]
    monkeypatch.setitem(globals(), "SCALE", np.array([1.0, 4.0]))
    assert function(x).tolist() == [1.0, 4.0]
    monkeypatch.undo()
    assert function(x).tolist() == [2.0, 2.0]


@MODES
def test_captured_array_is_read_on_each_call(jit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(weighted))
    x = np.ones(2)
    array = np.array([1.0, 2.0])
    monkeypatch.setitem(globals(), "WEIGHTS", array)
    assert function(x).tolist() == [1.0, 2.0]
    array[0] = 8.0
    assert function(x).tolist() == [8.0, 2.0]
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([3.0, 4.0]))
    assert function(x).tolist() == [3.0, 4.0]


def test_captured_array_may_take_another_rank_and_dtype(monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(plain()(weighted))
    x = np.ones(2)
    assert function(x).tolist() == [1.0, 2.0]
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([[3.0, 4.0], [1.0, 1.0]]))
    assert function(x).tolist() == [4.0, 5.0]
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([3, 5]))
    assert function(x).tolist() == [3.0, 5.0]


def test_captured_container_is_read_on_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(plain()(tabled))
    x = np.ones(2)
    assert function(x).tolist() == [2.0, 2.0]
    monkeypatch.setitem(TABLE, "a", 3.0)
    assert function(x).tolist() == [3.0, 3.0]
    monkeypatch.setitem(TABLE, "b", np.array([1.0, 5.0]))
    assert function(x).tolist() == [3.0, 15.0]


def test_one_array_in_two_places_may_become_two_arrays():
    first, second = {"w": WEIGHTS}, {"w": WEIGHTS}

    def f(x):
        return np.sum(first["w"] * x) + np.sum(second["w"] * x)

    function = pb.grad(plain()(f))
    assert function(np.ones(2)).tolist() == [2.0, 4.0]
    second["w"] = np.array([10.0, 20.0])
    assert function(np.ones(2)).tolist() == [11.0, 22.0]


def test_closure_is_read_on_each_call():
    factor = 2.0

    def f(x):
        return x * factor

    function = pb.grad(plain()(f))
    assert function(1.0) == 2.0
    factor = 4.0
    assert function(1.0) == 4.0


@MODES
def test_redefined_helper_is_read_anew(jit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(calls_helper))
    x = np.array([1.0, 2.0])
    assert function(x).tolist() == [2.0, 4.0]

    def cube(v):
        return v * v * v

    monkeypatch.setitem(globals(), "helper", cube)
    assert function(x).tolist() == [3.0, 12.0]
    monkeypatch.undo()
    assert function(x).tolist() == [2.0, 4.0]


def test_helper_of_a_helper_that_is_redefined_is_read_anew():
    f = defined(
        """
        def inner(x):
            return x * x
        def outer(x):
            return inner(x) * 2.0
        def f(x):
            return outer(x)
        """
    )
    function = pb.grad(plain()(f))
    assert function(3.0) == 12.0
    f.__globals__["inner"] = lambda x: x * 5.0
    assert function(3.0) == 10.0


def test_captured_numbers_of_a_pullback_are_those_of_its_forward_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the call and the pullback nothing that happens outside may change the answer."""
    x = np.ones(2)
    weights = np.array([1.0, 2.0])
    monkeypatch.setitem(globals(), "WEIGHTS", weights)
    _, pullback = pb.vjp(plain()(weighted))(x)
    weights[0] = 100.0
    assert pullback(1.0).tolist() == [1.0, 2.0]


# What can be differentiated


class Model:
    def __init__(self, scale: float, w: np.ndarray) -> None:
        self.scale, self.w = scale, w

    def energy(self, x):
        return self.scale * np.sum(self.w * x * x)

    @pb.differentiable(jit=False)
    def decorated(self, x):
        return self.scale * np.sum(x * x)

    @staticmethod
    def still(x):
        return np.sum(x * 3.0)


def test_bound_method_counts_arguments_without_self():
    model = Model(2.0, np.array([1.0, 3.0]))
    x = np.array([1.0, 1.0])
    assert gradient(model.energy, x).tolist() == [4.0, 12.0]
    assert gradient(model.energy, x, argnums="x").tolist() == [4.0, 12.0]


def test_attribute_of_self_is_read_on_each_call():
    model = Model(2.0, np.array([1.0, 3.0]))
    function = pb.grad(plain()(model.energy))
    x = np.array([1.0, 1.0])
    assert function(x).tolist() == [4.0, 12.0]
    model.scale = 1.0
    assert function(x).tolist() == [2.0, 6.0]
    model.w[1] = 5.0
    assert function(x).tolist() == [2.0, 10.0]
    model.w = np.array([1.0, 1.0])
    assert function(x).tolist() == [2.0, 2.0]


def test_decorated_method_and_static_method():
    model, other = Model(2.0, np.ones(2)), Model(5.0, np.ones(2))
    x = np.array([1.0, 2.0])
    assert model.decorated(x) == 10.0
    assert pb.grad(model.decorated)(x).tolist() == [4.0, 8.0]
    assert pb.grad(other.decorated)(x).tolist() == [10.0, 20.0]
    assert gradient(Model.still, x).tolist() == [3.0, 3.0]


def test_two_lambdas_on_one_line_are_told_apart():
    first, second = (lambda x: x * x, lambda x: x * x * x)
    assert gradient(first, 3.0) == 6.0
    assert gradient(second, 3.0) == 27.0


def test_nested_function_and_its_default():
    def outer(x):
        def inner(v, k=2.0):
            return v * k * x

        return inner(x) + inner(x, 3.0)

    assert gradient(outer, 2.0) == 20.0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (functools.partial(mixed, 1.0), "a functools.partial of 'mixed' has no source"),
        (abs, "abs"),
        (np.sin, "'sin' is a function of NumPy"),
        (np.sum, "'sum' is a function of NumPy"),
        (Model, "'Model' is a class"),
        (3.0, "float"),
    ],
    ids=["partial", "builtin", "ufunc", "numpy", "class", "number"],
)
@pytest.mark.parametrize("make", [pb.grad, pb.value_and_grad, pb.vjp, lambda f: pb.grad(pb.differentiable(f))])
def test_what_has_no_source_is_refused(function: Any, words: str, make: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        make(function)


def test_a_function_made_by_exec_takes_its_text():
    text = "def f(x):\n    return x * x * x\n"
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    assert pb.grad(pb.differentiable(jit=False, source=text)(namespace["f"]))(2.0) == 12.0
    with pytest.raises(TypeError):
        pb.grad(namespace["f"])(2.0)


def test_decorator_keeps_name_and_docstring():
    @pb.differentiable
    def energy(x):
        """The energy."""
        return x * x

    assert (energy.__name__, energy.__doc__) == ("energy", "The energy.")
    assert repr(energy) == "<differentiable energy>"
    assert repr(pb.grad(energy)) == "<energy_grad, argnums=0>"
    assert pb.grad(energy).__name__ == "energy_grad"


def test_differentiable_twice_is_differentiable_once():
    once = pb.differentiable(jit=False)(mixed)
    twice = pb.differentiable(jit=False)(once)
    assert twice.__wrapped__ is mixed
    assert pb.grad(twice)(3.0, 5.0) == 7.0


@MODES
def test_calling_a_differentiable_function_gives_the_plain_value(jit: bool) -> None:
    function = pb.differentiable(jit=jit)(with_aux)
    value, aux = function(np.array([1.0, 2.0]), 3)
    assert value == 15.0
    assert aux["y"].tolist() == [1.0, 4.0]
    assert aux["n"] == 3


def test_functions_that_are_gone_are_not_kept():
    """A gradient taken inside a loop must not fill the memory."""
    alive = []
    for k in range(5):
        f = defined(f"def f(x):\n    return x * {k}.0\n")
        pb.grad(f)
        alive.append(weakref.ref(f))
    del f
    gc.collect()
    assert sum(reference() is not None for reference in alive) <= 1


# Arguments stay as they are, or change as in a plain call


def uses_many_ways(x, y):
    z = x.copy()
    z[0] = y[1]
    z += x
    v = z[1:]
    v *= y[1:]
    return np.sum(z * x)


@MODES
def test_arguments_are_not_changed(jit: bool) -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    pb.value_and_grad(pb.differentiable(jit=jit)(uses_many_ways), (0, 1))(x, y)
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert y.tolist() == [4.0, 5.0, 6.0]


def changes(x, y):
    x[1:] *= y[0]
    x += 1.0
    return np.sum(x * x)


@MODES
def test_changed_argument_ends_as_after_a_plain_call(jit: bool) -> None:
    start, y = np.array([1.0, 2.0, 3.0]), np.array([4.0])
    expected = start.copy()
    value = changes(expected, y)
    function = pb.differentiable(jit=jit)(changes)
    for call in (function, pb.grad(function), pb.value_and_grad(function, (0, 1)), pb.vjp(function)):
        x = start.copy()
        call(x, y)
        assert x.tolist() == expected.tolist()
    x = start.copy()
    assert pb.value_and_grad(function)(x, y)[0] == value
    assert pb.grad(function)(start.copy(), y).tolist() == [4.0, 72.0, 104.0]


@pytest.mark.parametrize("layout", ["strided", "fortran", "big-endian", "transposed"])
def test_changed_argument_of_any_layout_ends_as_after_a_plain_call(layout: str) -> None:
    def f(x):
        x[1] = x[0] * 2.0
        return np.sum(x)

    expected, x = arranged(layout), arranged(layout)
    f(expected)
    got = gradient(f, x)
    assert x.tolist() == expected.tolist()
    assert got.tolist() == [[3.0] * x.shape[1], [0.0] * x.shape[1], *[[1.0] * x.shape[1]] * (x.shape[0] - 2)]


def arranged(layout: str) -> np.ndarray:
    """Three rows and two columns, or so, in another order of memory."""
    match layout:
        case "strided":
            return np.arange(24.0).reshape(6, 4)[::2, ::2]
        case "fortran":
            return np.asfortranarray(np.arange(6.0).reshape(3, 2))
        case "big-endian":
            return np.arange(6.0).reshape(3, 2).astype(">f8")
        case "reversed":
            return np.arange(6.0).reshape(3, 2)[::-1]
        case "read-only":
            array = np.arange(6.0).reshape(3, 2)
            array.flags.writeable = False
            return array
        case "broadcast":
            return np.broadcast_to(np.arange(2.0), (3, 2))
        case "unaligned":
            return np.frombuffer(b"\0" + np.arange(6.0).tobytes(), np.float64, 6, 1).reshape(3, 2)
    return np.arange(6.0).reshape(2, 3).T


LAYOUTS = ["strided", "fortran", "big-endian", "transposed", "reversed", "read-only", "broadcast", "unaligned"]


@MODES
def test_arguments_of_every_layout(jit: bool) -> None:
    function = pb.value_and_grad(pb.differentiable(jit=jit)(lambda x: np.sum(x * x * x)))
    for layout in LAYOUTS:
        x = arranged(layout)
        before = x.copy()
        for _ in range(2):
            value, got = function(x)
            assert value == np.sum(x**3), layout
            assert got.shape == x.shape
            assert got.dtype == np.float64
            assert got.flags.c_contiguous
            assert got.tolist() == (3.0 * x**2).tolist(), layout
        assert x.tolist() == before.tolist()


def test_read_only_argument_that_is_changed_raises_as_a_plain_call_would():
    def f(x):
        x[0] = 1.0
        return np.sum(x)

    x = np.ones(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        f(x)
    with pytest.raises(ValueError, match="read-only"):
        gradient(f, x)


def test_zero_dimensional_and_empty_arguments():
    got = gradient(lambda x: x[()] * 3.0, np.array(2.0))
    assert (type(got), got.shape, float(got)) == (np.ndarray, (), 3.0)
    got = gradient(lambda x: np.sum(x * x), np.empty((0, 3)))
    assert got.shape == (0, 3)
    got = gradient(lambda x, y: np.sum(x) + y, np.empty(0), 2.0, argnums=(0, 1))
    assert (got[0].shape, got[1]) == ((0,), 1.0)


@MODES
def test_loop_over_an_empty_argument(jit: bool) -> None:
    def f(x):
        total = 1.0
        for v in x:
            total *= np.sin(v)
        return total

    function = pb.value_and_grad(pb.differentiable(jit=jit)(f))
    value, got = function(np.empty(0))
    assert (value, got.shape) == (1.0, (0,))
    value, got = function(np.array([0.5]))
    np.testing.assert_allclose(got, np.cos([0.5]))


def test_overlap_of_a_changed_argument_is_an_alias_error():
    def f(x, y):
        x[0] = y[1]
        return np.sum(x * y)

    whole = np.arange(4.0)
    for x, y in ((whole, whole), (whole[:3], whole[1:])):
        with pytest.raises(pb.AliasError, match="'x' is written and shares memory with 'y'") as caught:
            gradient(f, x, y)
        assert isinstance(caught.value, ValueError)
    assert whole.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert gradient(f, whole[:2], whole[2:]).tolist() == [0.0, 3.0]


def test_interleaved_arguments_do_not_overlap():
    """`a[::2]` and `a[1::2]` lie in one stretch of memory and have no element in common."""

    def f(x, y):
        x[0] = y[1]
        return np.sum(x * y)

    whole = np.arange(4.0)
    assert gradient(f, whole[::2], whole[1::2]).tolist() == [0.0, 3.0]
    assert whole.tolist() == [3.0, 1.0, 2.0, 3.0]


def test_overlap_of_arguments_that_are_only_read_is_fine():
    x = np.array([1.0, 2.0, 3.0])
    first, second = gradient(lambda a, b: np.sum(a * b), x, x, argnums=(0, 1))
    assert first.tolist() == second.tolist() == x.tolist()
    assert not np.shares_memory(first, second)


def test_overlap_with_a_captured_array_is_an_alias_error():
    table = np.arange(3.0)

    def f(x):
        x[0] = 1.0
        return np.sum(x * table)

    with pytest.raises(pb.AliasError, match=r"'x'.*'table'"):
        gradient(f, table)


# Exceptions


def out_of_bounds(x, k):
    y = x * 2.0
    return y[k] * 3.0


LINE = out_of_bounds.__code__.co_firstlineno + 2


@MODES
@pytest.mark.parametrize("index", [3, 17, -4])
def test_index_out_of_bounds_names_the_users_line(jit: bool, index: int) -> None:
    function = pb.differentiable(jit=jit)(out_of_bounds)
    x = np.ones(3)
    for call in (pb.grad(function), pb.value_and_grad(function), pb.vjp(function), function):
        for _ in range(2):
            with pytest.raises(IndexError) as caught:
                call(x, index)
            notes = "\n".join(caught.value.__notes__)
            assert f"test_api.py:{LINE}: return y[k] * 3.0" in notes
            assert len(caught.value.__notes__) == 1


@MODES
def test_out_of_bounds_in_a_loop_names_the_users_line(jit: bool) -> None:
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += x[i] * x[i + 1]
        return total

    function = pb.grad(pb.differentiable(jit=jit)(f))
    assert function(np.ones(3), 2).tolist() == [1.0, 2.0, 1.0]
    with pytest.raises(IndexError) as caught:
        function(np.ones(3), 3)
    line = f.__code__.co_firstlineno + 3
    assert f"test_api.py:{line}: total += x[i] * x[i + 1]" in "\n".join(caught.value.__notes__)


def raises(x, n):
    if n < 0:
        raise ValueError("n must not be negative")
    assert n < 10, "too many"
    return x / n


class Refused(ValueError):
    """An exception of the user's own."""


def raises_its_own(x, n):
    if n == 0:
        raise Refused("zero")
    return x / n


@MODES
@pytest.mark.parametrize(
    ("f", "n", "kind", "message"),
    [
        (raises, -1, ValueError, "n must not be negative"),
        (raises, 11, AssertionError, "too many"),
        (raises_its_own, 0, Refused, "zero"),
    ],
)
def test_exceptions_of_the_user_surface_unchanged(jit: bool, f: Any, n: int, kind: type, message: str) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(f))
    assert function(4.0, 2) == 0.5
    with pytest.raises(kind) as caught:
        function(4.0, n)
    assert type(caught.value) is kind
    assert caught.value.args == (message,)


def test_linear_algebra_errors_are_those_of_numpy():
    function = pb.grad(plain()(lambda a, b: np.sum(np.linalg.solve(a, b))))
    with pytest.raises(np.linalg.LinAlgError):
        function(np.zeros((2, 2)), np.ones(2))


@MODES
def test_shapes_that_do_not_fit_raise_as_numpy_does(jit: bool) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(lambda a, b: np.sum(a * b)), (0, 1))
    with pytest.raises(ValueError, match=r"broadcast|shape"):
        function(np.ones(3), np.ones(4))


def test_refusal_at_build_time_names_file_and_line():
    def f(x):
        try:
            return x * x
        except ValueError:
            return x

    with pytest.raises(pb.LanguageError) as caught:
        pb.grad(f)(1.0)
    assert isinstance(caught.value, SyntaxError)
    assert caught.value.filename == __file__
    assert caught.value.lineno == f.__code__.co_firstlineno + 3
    assert "'except' may be entered, as line" in "".join(traceback.format_exception_only(caught.value))


def test_a_refused_call_can_be_repeated_and_does_not_spoil_others():
    def f(x, mode):
        if mode == "bad":
            return np.sum(np.union1d(x, x))
        return np.sum(x * x)

    function = pb.grad(plain()(f))
    for _ in range(2):
        with pytest.raises(pb.MissingRuleError, match=r"np.union1d has no derivative rule"):
            function(np.ones(2), "bad")
        assert function(np.ones(2), "good").tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("function", "x", "reason"),
    [
        (lambda x: np.sum(np.linalg.qr(x, mode="raw")[0]), np.eye(2), "np.linalg.qr is not known for its raw mode"),
        (lambda x: np.sum(linalg.qr(x, pivoting=True)[0]), np.eye(2), "scipy.linalg.qr is known for two factors"),
        (lambda x: np.sum(linalg.lu(x, permute_l=True)[0]), np.eye(2), "scipy.linalg.lu is known for its three"),
    ],
)
def test_a_rule_that_does_not_know_a_case_says_so_with_the_place(function, x, reason):
    with pytest.raises(pb.MissingRuleError, match=reason) as caught:
        pb.grad(function)(x)
    assert __file__ in str(caught.value)


# vjp


def several(x, n):
    return {"square": x * x, "parts": (np.sum(x), n + 1), "flag": x[0] > 0.0}


@MODES
def test_vjp_takes_a_cotangent_of_the_results_structure(jit: bool) -> None:
    x = np.array([1.0, 2.0])
    value, pullback = pb.vjp(pb.differentiable(jit=jit)(several))(x, 3)
    assert value["square"].tolist() == [1.0, 4.0]
    assert value["parts"] == (3.0, 4)
    assert value["flag"] is np.True_ or value["flag"] is True
    cotangent = {"square": np.array([1.0, 10.0]), "parts": (100.0, None), "flag": None}
    assert pullback(cotangent).tolist() == [102.0, 140.0]
    assert pullback(cotangent).tolist() == [102.0, 140.0]
    cotangent["square"] = np.zeros(2)
    assert pullback(cotangent).tolist() == [100.0, 100.0]


@MODES
def test_a_number_of_32_bits_that_a_pullback_keeps_has_32_bits(jit: bool) -> None:
    x = np.arange(4, dtype=np.float32)
    _, pullback = pb.vjp(pb.differentiable(lambda x: np.std(x), jit=jit))(x)
    assert pullback(1.0).dtype == np.float32
    _, pullback = pb.vjp(pb.differentiable(lambda c, x: np.dot(c, x), jit=jit), argnums=1)(x[1], x)
    assert pullback(x).dtype == np.float32


def test_repeated_pullbacks_share_nothing():
    value, pullback = pb.vjp(plain()(lambda x, y: x * y), (0, 1))(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    seed = np.ones(2)
    first = pullback(seed)
    for array in (*first, value, seed):
        array += 100.0
    assert [g.tolist() for g in pullback(np.ones(2))] == [[3.0, 4.0], [1.0, 2.0]]


def test_pullback_remembers_arguments_as_they_were():
    x = np.array([1.0, 2.0])
    value, pullback = pb.vjp(plain()(lambda x: x * x))(x)
    x[:] = 50.0
    value[:] = 70.0
    assert pullback(np.ones(2)).tolist() == [2.0, 4.0]


def test_pullback_of_an_in_place_sweep_may_be_called_twice():
    def f(x):
        y = x.copy()
        for i in range(1, len(y)):
            y[i] = y[i] * y[i - 1]
        return y

    _, pullback = pb.vjp(plain()(f))(np.array([2.0, 3.0, 4.0]))
    seed = np.array([1.0, 1.0, 1.0])
    first, second = pullback(seed), pullback(seed)
    assert first.tolist() == second.tolist() == [16.0, 10.0, 6.0]
    assert seed.tolist() == [1.0, 1.0, 1.0]


def test_vjp_of_a_scalar_and_of_an_array():
    _, pullback = pb.vjp(plain()(lambda x: np.sum(x * x)))(np.array([1.0, 2.0]))
    assert pullback(1.0).tolist() == [2.0, 4.0]
    assert pullback(np.float32(2.0)).tolist() == [4.0, 8.0]
    assert pullback(3).tolist() == [6.0, 12.0]
    _, pullback = pb.vjp(plain()(lambda x: np.outer(x, x)))(np.array([1.0, 2.0]))
    assert pullback(np.eye(2)).tolist() == [2.0, 4.0]


def test_cotangent_of_any_layout_and_dtype():
    _, pullback = pb.vjp(plain()(lambda x: x * 2.0))(np.ones((2, 2)))
    seed = np.array([[1.0, 2.0], [3.0, 4.0]])
    for given in (np.asfortranarray(seed), seed.astype(">f8"), seed.astype(np.float32), seed.astype(int)):
        assert pullback(given).tolist() == [[2.0, 4.0], [6.0, 8.0]]


@pytest.mark.parametrize(
    "cotangent",
    [
        1.0,
        (1.0, 2.0),
        {"square": np.ones(2)},
        {"square": np.ones(2), "parts": (1.0,), "flag": None},
        {"square": np.ones(2), "parts": (1.0, None, None), "flag": None},
        {"square": np.ones(2), "parts": (1.0, None), "flag": None, "more": 1.0},
        {"square": None, "parts": (1.0, None), "flag": None},
        {"square": "text", "parts": (1.0, None), "flag": None},
        None,
    ],
    ids=str,
)
def test_cotangent_of_another_structure_is_a_type_error(cotangent: Any) -> None:
    _, pullback = pb.vjp(plain()(several))(np.ones(2), 3)
    with pytest.raises(TypeError, match="cotangent"):
        pullback(cotangent)


@pytest.mark.parametrize("shape", [(3,), (1,), (2, 2), (0,)])
def test_cotangent_of_another_shape_is_a_shape_error(shape: tuple[int, ...]) -> None:
    _, pullback = pb.vjp(plain()(lambda x: x * x))(np.ones(2))
    with pytest.raises(pb.ShapeError, match=re.escape(f"the cotangent has shape {shape}, the result (2,)")):
        pullback(np.ones(shape))


def test_vjp_of_a_function_without_float_results_gives_zeros():
    _, pullback = pb.vjp(plain()(lambda x: (len(x), x > 0.0)))(np.ones(2))
    assert pullback((None, None)).tolist() == [0.0, 0.0]


# check_grads


def test_check_grads_passes_on_right_gradients():
    def f(p, x):
        return np.sum(np.tanh(p["w"] @ x)) * p["b"]

    generator = np.random.default_rng(1)
    p = {"w": generator.standard_normal((3, 2)), "b": 0.7}
    pb.check_grads(plain()(f), (p, np.array([0.3, -0.2])), argnums=(0, 1))
    pb.check_grads(plain()(mixed), (3.0, 5.0), argnums="b")


def test_check_grads_on_a_function_that_changes_its_argument():
    x = np.array([1.0, 2.0, 3.0])
    pb.check_grads(plain()(changes), (x, np.array([4.0])), argnums=(0, 1))
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_check_grads_takes_negative_argnums():
    pb.check_grads(plain()(mixed), (3.0, 5.0, 2.0), argnums=-1)


def test_check_grads_fails_where_the_gradient_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    function = plain()(mixed)
    right = checks.value_and_grad

    def wrong(*arguments: Any, **keywords: Any) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            value, gradients = right(*arguments, **keywords)(*given)
            return value, tuple(g * 1.001 for g in gradients)

        return call

    monkeypatch.setattr(checks, "value_and_grad", wrong)
    with pytest.raises(AssertionError, match="the gradient of 'mixed' gives the slope"):
        pb.check_grads(function, (3.0, 5.0))


def test_check_grads_fails_where_the_plain_function_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    function, another = plain()(mixed), plain()(lambda a, b, c=2.0: a * b)
    monkeypatch.setattr(checks, "engine_of", lambda _: another.engine)
    with pytest.raises(AssertionError, match="where a plain call gives"):
        pb.check_grads(function, (3.0, 5.0))


def test_check_grads_sees_a_gradient_that_stops():
    def f(x):
        return float(int(x)) * x  # int stops the derivative; the differences are taken between two steps

    pb.check_grads(plain()(f), (2.5,))

    def g(x):
        y = np.zeros(1, int)
        y[0] = int(1e9 * x)
        return y[0] * 1e-9 + 0.0 * x

    with pytest.raises(AssertionError, match="differences give"):
        pb.check_grads(plain()(g), (2.5,))


# Threads


@MODES
def test_eight_threads_that_call_first_at_once_get_one_answer(jit: bool) -> None:
    def f(x, n):
        y = x.copy()
        for i in range(n):
            y[i] = np.sin(y[i]) * y[i - 1]
        return np.sum(y)

    x = np.linspace(0.1, 0.9, 6)
    expected = gradient(f, x, 6)
    function = pb.grad(pb.differentiable(jit=jit)(f))
    barrier = threading.Barrier(8)
    answers: list[Any] = []

    def run() -> None:
        try:
            barrier.wait()
            answers.extend(function(x, 6) for _ in range(5))
        except BaseException as error:
            answers.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    assert len(answers) == 40
    for answer in answers:
        np.testing.assert_allclose(answer, expected, rtol=1e-12)


def test_threads_with_different_arguments_do_not_mix():
    def f(x, mode):
        return np.sum(x * x) if mode == "square" else np.sum(x * 3.0)

    function = pb.grad(plain()(f))
    wrong: list[Any] = []

    def run(mode: str, dtype: Any) -> None:
        try:
            for _ in range(20):
                got = function(np.ones(3, dtype), mode)
                if got.tolist() != [2.0 if mode == "square" else 3.0] * 3 or got.dtype != dtype:
                    wrong.append((mode, dtype, got))
        except BaseException as error:
            wrong.append(error)

    kinds = [(mode, dtype) for mode in ("square", "triple") for dtype in (np.float64, np.float32)] * 2
    threads = [threading.Thread(target=run, args=kind) for kind in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Reading what was generated


def shown(x, n):
    y = x * n
    z = np.sin(y)
    for _ in range(n):
        z = z * y
        y = y + x
    return np.sum(z)


def test_source_shows_both_functions_with_the_users_lines():
    text = pb.source(plain()(shown), np.ones(2), 3)
    assert "def shown_forward(x, n):" in text
    assert "def shown_backward(" in text
    line = shown.__code__.co_firstlineno
    assert f"# test_api.py:{line + 2}: z = np.sin(y)" in text
    compile(text, "<generated>", "exec")


def test_source_takes_argnums():
    text = pb.source(plain()(mixed), 1.0, 2.0, argnums="b")
    assert "b_bar" in text
    assert "a_bar" not in text


def test_inspect_source_is_the_compiled_text():
    text = pb.inspect_source(plain()(shown), np.ones(2), 3)
    assert "def shown_value_and_grad(x, n):" in text
    compile(text, "<generated>", "exec")


def test_source_is_the_same_in_every_process():
    """Sets of names have another order in each process; what is generated must not show it."""
    code = (
        "import test_api, numpy as np, pullback as pb\n"
        "f = pb.differentiable(jit=False)(test_api.shown)\n"
        "print(pb.source(f, np.ones(2), 3)); print(pb.inspect_source(f, np.ones(2), 3))"
    )
    running = []
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        running.append(subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE))
    texts = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(texts) == 1


def test_html_shows_the_function_beside_its_backward_function():
    def f(x):
        return np.sum(x * x) if x[0] < 1.0 else np.sum(x)

    function = plain()(f)
    assert "call pb.grad, pb.value_and_grad or pb.vjp first" in function._repr_html_()
    gradient, pullback = pb.grad(function), pb.vjp(function)
    gradient(np.ones(2))
    for page in (function._repr_html_(), gradient._repr_html_()):
        assert page.startswith("<table>")
        assert page.count("<pre>") == page.count("</pre>") == 2
        assert re.sub("<[^>]*>", "", page).count("if x[0] &lt; 1.0 else") == 2
        assert '<span style="color:#00f">return</span>' in page
        assert "f_grad" in page
    assert "first" in pullback._repr_html_()
    pullback(np.ones(2))
    assert "f_backward" in function._repr_html_()
    assert "f_backward" in pullback._repr_html_()
    assert "f_backward" not in gradient._repr_html_()


def test_html_of_a_lambda_and_of_a_method():
    class Model:
        def loss(self, x):
            return x * x

    loss = pb.grad(Model().loss)
    assert '<span style="color:#795e26">loss</span>' in loss._repr_html_()
    gradient = pb.grad(lambda x: x * x)
    assert "lambda" in gradient._repr_html_()


def test_breakpoint_stops_in_the_generated_code(monkeypatch):
    def f(x):
        for _ in range(2):
            x = x * x
            breakpoint()
        return x * 3.0

    frames = []

    def stop():
        frame = sys._getframe(1)
        frames.append((frame.f_code.co_filename, frame.f_lineno, dict(frame.f_locals)))

    monkeypatch.setattr(sys, "breakpointhook", stop)
    interpreted = plain()(f)
    for call in (interpreted, pb.grad(interpreted), pb.value_and_grad(interpreted), pb.vjp(interpreted)):
        frames.clear()
        call(2.0)
        assert [values["x"] for *_, values in frames] == [4.0, 16.0]
        file, line, _ = frames[0]
        assert "breakpoint()" in linecache.getline(file, line) + linecache.getline(file, line - 1)


def test_breakpoint_is_refused_in_compiled_code():
    def f(x):
        breakpoint()
        return x * 3.0

    with pytest.raises(pb.LanguageError, match=r"cannot stop in compiled code\n  Instead: .*jit=False") as caught:
        pb.grad(f)(2.0)
    assert caught.value.text.strip() == "breakpoint()"


def test_a_function_redefined_in_a_notebook_is_read_anew():
    """Each run of a cell makes a new function in the same `__main__`; old ones keep what they were."""
    namespace: dict[str, Any] = {"np": np, "__name__": "__main__"}

    def run_cell(number: int, text: str) -> None:
        file = f"/tmp/ipykernel_1/{number}.py"
        cells.remember(text, file)
        exec(compile(text, file, "exec"), namespace)

    run_cell(1, "def g(x):\n    return x * x\n")
    run_cell(2, "def f(x):\n    return g(x) * 2.0\n")
    first = pb.grad(plain()(namespace["f"]))
    assert first(3.0) == 12.0
    run_cell(3, "def g(x):\n    return x * x * x\n")
    assert first(3.0) == 54.0
    old = namespace["f"]
    run_cell(4, "def f(x):\n    return g(x) * 3.0\n")
    assert pb.grad(plain()(namespace["f"]))(3.0) == 81.0
    assert pb.grad(plain()(old))(3.0) == 54.0


def test_a_cell_run_again_under_the_same_name_is_read_anew():
    file = "<ipython-input-1>"
    for power, expected in ((2, 6.0), (3, 27.0)):
        function = cells.run(f"def f(x):\n    return x ** {power}\n", file)["f"]
        assert pb.grad(plain()(function))(3.0) == expected


# Nothing is left behind


def test_arguments_survive_a_failed_call():
    def f(x, k):
        x[0] = 5.0
        return x[k]

    expected, x = np.ones(3), np.ones(3)
    with pytest.raises(IndexError):
        f(expected, 7)
    with pytest.raises(IndexError):
        gradient(f, x, 7)
    assert x.tolist() == expected.tolist()


@pytest.fixture(autouse=True)
def arguments_of_the_module_are_unchanged() -> Iterator[None]:
    before = copy.deepcopy((SCALE, WEIGHTS.tolist(), {k: np.array(v).tolist() for k, v in TABLE.items()}))
    yield
    assert before == (SCALE, WEIGHTS.tolist(), {k: np.array(v).tolist() for k, v in TABLE.items()})


def test_array_statements_inside_compiled_code_take_arrays_of_any_sizes():
    """A function that is compiled for arrays of equal sizes is called with others from @njit code."""
    gradient = pb.grad(lambda x, y: np.sum(np.sin(x) * y))

    @numba.njit
    def both(x, y):
        return gradient(x, y), gradient(x, y[:1].copy())

    x, y = np.linspace(0.0, 1.0, 5), np.linspace(1.0, 2.0, 5)
    same, spread = both(x, y)
    np.testing.assert_allclose(same, np.cos(x) * y, rtol=1e-12)
    np.testing.assert_allclose(spread, np.cos(x) * y[0], rtol=1e-12)


def test_an_analysis_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"no optimisation 'magic': see pb\.OPTIMISATIONS"):
        pb.differentiable(np.sin, optimisations=pb.OPTIMISATIONS | {"magic"})


def test_one_analysis_is_left_out():
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += np.exp(x[i])
        return s

    swept_twice = pb.differentiable(total, jit=False, optimisations=pb.OPTIMISATIONS - {"one_sweep"})
    text = pb.inspect_source(swept_twice, np.ones(2))
    assert len(re.findall("(?m)^    for i in range", text)) == 2
    assert pb.grad(swept_twice)(np.array([0.0, 1.0])).tolist() == [1.0, np.exp(1.0)]


def test_in_compiled_code_a_changed_argument_shares_memory_with_no_other():
    def swapped(x, y):
        x[0] = y[1]
        return np.sum(x * y)

    gradients, gradient, value = pb.value_and_grad(swapped, (0, 1)), pb.grad(swapped), pb.differentiable(swapped)

    @numba.njit
    def calls(x, y):
        return gradients(x.copy(), y), gradient(x.copy(), y), value(x, y)

    @numba.njit
    def gradients_of(x, y):
        return gradients(x, y)

    rows = np.arange(6.0).reshape(2, 3)
    wanted, wanted_parts = gradients(rows[0].copy(), rows[1].copy())
    (number, parts), first, plain = calls(rows[0], rows[1])
    assert number == plain == wanted
    for one, other in zip((*parts, first), (*wanted_parts, wanted_parts[0]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    for a, b in ((rows[0], rows[0]), (rows[0], rows[0, ::-1]), (rows[0, :2], rows[0, 1:])):
        with pytest.raises(ValueError, match="is written shares memory with another one"):
            gradients_of(a, b)


@pytest.mark.parametrize("derivative", [pb.grad, pb.value_and_grad])
@pytest.mark.parametrize("result", [lambda x: x * x, lambda x: (x * x, x, x)])
def test_with_aux_a_function_returns_a_pair(derivative, result):
    with pytest.raises(pb.TypingError, match=r"with has_aux the function returns \(value, aux\)"):
        derivative(result, has_aux=True)(2.0)


@pytest.mark.parametrize("derivative", [pb.grad, pb.value_and_grad, pb.vjp, pb.jacobian])
@pytest.mark.parametrize("argnums", [["a", "b"], None, (0, (1, 2)), slice(0, 1), 1.0])
def test_argnums_of_a_wrong_kind_are_an_error_that_says_what_is_allowed(derivative, argnums):
    with pytest.raises(pb.TypingError, match="there is no argument") as raised:
        derivative(lambda a, b: a * b, argnums=argnums)(2.0, 3.0)
    assert "a number, a name, or a tuple of them; the arguments are a, b" in str(raised.value)

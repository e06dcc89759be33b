"""Arrays, numbers and objects whose operations are not NumPy's are refused by name, wherever they come in."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb

ROW = np.array([1.0, 2.0, 3.0])


class Plain(np.ndarray):
    pass


class Overriding(np.ndarray):
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        return 5.0


class Reflected(np.ndarray):
    def __rmul__(self, other: Any) -> Any:
        return 5.0


class Summed(np.ndarray):
    def sum(self, *arguments: Any, **keywords: Any) -> Any:
        return 5.0


class Loud(float):
    def __mul__(self, other: Any) -> Any:
        return 7.0


class Quiet(float):
    pass


class Permission(enum.IntFlag):
    READ = 1


class Count(enum.IntEnum):
    TWO = 2


def foreign(module: str, name: str = "Array", shape: tuple[int, ...] = (3,)) -> Any:
    """An object as another package's arrays are."""
    names = {"__module__": module, "__array__": lambda self, dtype=None, copy=None: np.ones(shape), "shape": shape}
    return type(name, (), names)()


QUIET = Quiet(2.0)
REFUSED: dict[str, tuple[Any, str, str]] = {
    "matrix": (ROW.view(np.matrix), "numpy.matrix", r"np.asarray(\1)"),
    "masked": (np.ma.array(ROW, mask=[0, 1, 0]), "MaskedArray", r"np.asarray(\1)"),
    "masked constant": (np.ma.masked, "MaskedConstant", r"np.asarray(\1)"),
    "records": (ROW.view(np.recarray), "recarray", r"np.asarray(\1)"),
    "__array_ufunc__": (ROW.view(Overriding), "Overriding", r"np.asarray(\1)"),
    "operator": (ROW.view(Reflected), "Reflected", r"np.asarray(\1)"),
    "method": (ROW.view(Summed), "Summed", r"np.asarray(\1)"),
    "float": (Loud(2.0), "Loud", r"float(\1)"),
    "flag": (Permission.READ, "Permission", r"int(\1)"),
    "fraction": (fractions.Fraction(1, 2), "Fraction", r"float(\1)"),
    "decimal": (decimal.Decimal(2), "Decimal", r"float(\1)"),
    "torch": (foreign("torch", "Tensor"), "torch.Tensor", r"\1.detach().cpu().numpy()"),
    "jax": (foreign("jaxlib._jax", "ArrayImpl"), "ArrayImpl", r"np.asarray(\1)"),
    "tensorflow": (foreign("tensorflow.python.ops", "EagerTensor"), "EagerTensor", r"\1.numpy()"),
    "cupy": (foreign("cupy", "ndarray"), "cupy.ndarray", r"cupy.asnumpy(\1)"),
    "pandas": (foreign("pandas.core.series", "Series"), "Series", r"\1.to_numpy()"),
    "xarray": (foreign("xarray.core.dataarray", "DataArray"), "DataArray", r"\1.to_numpy()"),
    "unknown": (foreign("somewhere"), "somewhere.Array", r"np.asarray(\1)"),
}
NUMBERS: dict[str, tuple[Any, str, str]] = {
    "long complex": (np.clongdouble(1), str(np.dtype(np.clongdouble)), r"\1.astype(np.complex128)"),
    "longdouble": (np.longdouble(1), str(np.dtype(np.longdouble)), r"\1.astype(np.float64)"),
    "longdouble array": (ROW.astype(np.longdouble), "array of", r"\1.astype(np.float64)"),
    "float16": (np.float16(1), "number of float16", r"\1.astype(np.float64)"),
    "float16 array": (ROW.astype(np.float16), "array of float16", r"\1.astype(np.float64)"),
    "objects": (ROW.astype(object), "array of object", "real numbers"),
    "texts": (np.array(["a", "b"]), "array of <U1", "real numbers"),
    "dates": (np.array(["2020"], "M8[Y]"), "array of datetime64", "real numbers"),
    "date": (np.datetime64(datetime.date(2020, 1, 1)), "datetime64", "real numbers"),
    "structures": (np.zeros(3, [("a", float)]), "array of", "real numbers"),
    "axes": (np.ones((1,) * 33), "33 axes", r"\1.reshape"),
    "most axes": (np.ones((1,) * 64), "64 axes", r"\1.reshape"),
}
EVERY = REFUSED | NUMBERS


def total(x):
    return np.sum(np.abs(x))


def weighted(params, x):
    return np.sum(params["b"] * x)


class Pair(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Record:
    weight: Any


def check(call: Callable[[], Any], path: str, what: str, remedy: str) -> None:
    with pytest.raises(pb.TypingError) as raised:
        call()
    message = str(raised.value)
    assert f"'{path}'" in message or path == ""
    assert what in message
    assert remedy.replace(r"\1", path or "it") in message


@pytest.mark.parametrize("kind", EVERY)
def test_an_argument_is_refused_by_its_path_and_class(kind: str) -> None:
    value, what, remedy = EVERY[kind]
    for make in (pb.differentiable, pb.differentiable(jit=False), pb.grad, pb.value_and_grad):
        check(lambda make=make: make(total)(value), "x", what, remedy)
    check(lambda: pb.vjp(total)(value), "x", what, remedy)
    check(lambda: pb.grad(weighted, 1)({"a": 1.0, "b": value}, ROW), "params['b']", what, remedy)
    check(lambda: pb.grad(lambda p: p[0] * 2.0)([1.0, [value]]), "p[1][0]", what, remedy)
    check(lambda: pb.grad(lambda p: p.x * 2.0)(Pair(1.0, value)), "p.y", what, remedy)
    check(lambda: pb.grad(lambda p: p.weight * 2.0)(Record(value)), "p.weight", what, remedy)


@pytest.mark.parametrize("kind", EVERY)
def test_what_is_used_from_outside_is_refused_by_its_path_and_class(kind: str) -> None:
    value, what, remedy = EVERY[kind]
    table = {"a": (1.0, value)}
    check(lambda: pb.grad(lambda x: np.sum(x * value))(ROW), "value", what, remedy)
    if not isinstance(value, foreign("x").__class__):
        check(
            lambda: pb.grad(lambda x: np.sum(x * table["a"][1]))(ROW),
            "table['a'][1]",
            what,
            remedy,
        )


WEIGHTS: Any = ROW


def by_weights(x):
    return np.sum(WEIGHTS * x)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("kind", ["matrix", "masked", "__array_ufunc__", "operator", "torch", "float16 array"])
def test_a_class_does_not_slip_through_after_calls_with_arrays(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, what, remedy = EVERY[kind]
    for make in (pb.grad, pb.value_and_grad, pb.differentiable):
        function, outside = make(total), make(by_weights)
        for _ in range(3):
            function(ROW), function(ROW[None]), outside(ROW)
        check(lambda function=function: function(value), "x", what, remedy)
        monkeypatch.setitem(globals(), "WEIGHTS", value)
        for _ in range(2):
            check(lambda outside=outside: outside(ROW), "WEIGHTS", what, remedy)
        monkeypatch.setitem(globals(), "WEIGHTS", ROW)
        outside(ROW)


@pytest.mark.parametrize("kind", REFUSED)
def test_a_tape_refuses_a_class_by_name(kind: str) -> None:
    value, what, remedy = REFUSED[kind]
    x = pb.Variable(ROW)
    check(lambda: pb.constant(value), "value", what, remedy)
    check(lambda: pb.Variable([value]), "value[0]", what, remedy)
    check(lambda: x.assign(value), "value", what, remedy)
    with pb.GradientTape(persistent=True) as tape:
        for call in (
            lambda: x * value,
            lambda: x - value,
            lambda: np.concatenate([x, value]),
            lambda: np.where(x, x, value),
        ):
            check(call, "", what, remedy)
        y = x * 2.0
        with pytest.raises(pb.TypingError, match=type(value).__name__):
            tape.watch(value)
    check(lambda: tape.gradient(y, x, output_gradients=value), "", what, remedy)


@pytest.mark.parametrize("kind", ["matrix", "masked", "torch", "longdouble"])
def test_a_cotangent_is_refused_by_its_class(kind: str) -> None:
    value, what, remedy = EVERY[kind]
    _, pullback = pb.vjp(lambda x: x * x)(ROW)
    check(lambda: pullback(value), "", what, remedy)


@pytest.mark.parametrize("jit", [False, True])
def test_harmless_classes_are_arrays_and_numbers(jit: bool, tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "row", dtype=float, mode="w+", shape=3)
    mapped[:] = ROW
    gradient = pb.grad(pb.differentiable(jit=jit)(total))
    for x in (ROW, ROW.view(Plain), mapped, ROW[::-1].view(Plain)):
        assert gradient(x).tolist() == [1.0, 1.0, 1.0]
        with pb.GradientTape() as tape:
            w = pb.Variable(x)
            y = np.sum(w * x)
        assert tape.gradient(y, w).numpy().tolist() == x.tolist()
    assert gradient(Quiet(2.0)) == 1.0
    assert pb.grad(pb.differentiable(jit=jit)(lambda x, n: x * n))(2.0, Count.TWO) == 2.0
    assert pb.grad(pb.differentiable(jit=jit)(lambda x: x * Count.TWO * QUIET))(2.0) == 4.0
    assert pb.grad(pb.differentiable(jit=jit)(lambda x, n: x[n] ** n))(ROW, Count.TWO).tolist() == [0.0, 0.0, 6.0]


@pytest.mark.parametrize("axes", [9, 10])
def test_arrays_of_many_axes_are_compiled(axes: int) -> None:
    x = np.full((1,) * (axes - 1) + (2,), 3.0)
    assert pb.grad(lambda x: np.sum(x * x))(x).ravel().tolist() == [6.0, 6.0]


def test_arrays_of_many_axes_are_differentiated_by_tapes_and_as_text() -> None:
    x = np.full((1,) * 31 + (2,), 3.0)
    assert pb.grad(pb.differentiable(jit=False)(total))(x).shape == x.shape
    w = pb.Variable(np.full((1,) * 63 + (2,), 3.0))
    with pb.GradientTape() as tape:
        y = np.sum(w * w)
    assert tape.gradient(y, w).numpy().ravel().tolist() == [6.0, 6.0]


@dataclasses.dataclass
class Dual:
    value: Any
    slope: Any

    def __add__(self, other: Any) -> Any:
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Any) -> Any:
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __rmul__(self, number: Any) -> Any:
        return Dual(number * self.value, number * self.slope)

    def __neg__(self) -> Any:
        return Dual(-self.value, -self.slope)

    @property
    def norm(self) -> Any:
        return np.hypot(self.value, self.slope)


@pytest.mark.parametrize("jit", [False, True])
def test_operators_and_properties_of_a_dataclass_are_its_methods(jit: bool) -> None:
    def slope(x: Any, y: Any) -> Any:
        a, b = Dual(x, 1.0), Dual(y, 0.0)
        return (a * b + 3.0 * a + (-b)).slope + (a + b).norm

    gradient = pb.grad(pb.differentiable(jit=jit)(slope), argnums=(0, 1))(0.7, 0.3)
    expected = 1.0 / np.hypot(1.0, 1.0)
    np.testing.assert_allclose(gradient, (expected, 1.0 + expected), 1e-14)


def test_methods_of_a_parent_are_those_that_it_has_now() -> None:
    class Parent:
        def loss(self, x: Any) -> Any:
            return x**2

    class Child(Parent):
        def loss(self, x: Any) -> Any:
            return 3 * super().loss(x)

    gradient = pb.grad(pb.differentiable(Child().loss, jit=False))
    assert gradient(2.0) == 12.0
    Parent.loss = lambda self, x: x**3  # type: ignore[method-assign]
    assert gradient(2.0) == 36.0


def test_super_outside_of_a_method() -> None:
    @pb.differentiable(jit=False)
    def function(x: Any) -> Any:
        return super().loss(x)  # type: ignore[misc]

    with pytest.raises(pb.LanguageError, match="'super' is called outside of a method"):
        pb.grad(function)(2.0)


@dataclasses.dataclass
class Counter:
    count: float
    last: float = 0.0


@dataclasses.dataclass(frozen=True)
class Fixed:
    count: float


def counted(counter: Any) -> Any:
    counter.count = counter.count * 2.0
    return counter.count


def test_attributes_of_arguments_are_not_assigned() -> None:
    for given in (Counter(1.0), Fixed(1.0)):
        with pytest.raises(pb.LanguageError, match=r"'counter.count' cannot be assigned: .* objects from outside"):
            pb.grad(pb.differentiable(counted, jit=False))(given)


def test_one_class_as_an_argument_and_made_inside() -> None:
    @pb.differentiable(jit=False)
    def function(given: Any, x: Any) -> Any:
        made = Counter(x)
        made.last = given.count * x
        return counted(made) * made.last

    gradient = pb.grad(function, argnums=(0, 1))(Counter(3.0), 0.5)
    assert gradient == (Counter(0.5, 0.0), 6.0)

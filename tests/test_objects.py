"""Objects: what the function makes is followed (`tests/programs/objects.py`), what is outside of it stays as it is."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import pullback as pb

MODEL = SimpleNamespace(weight=1.0, steps=1, b=0.0, i=0)
MODELS = [MODEL]


def assigned(x):
    MODEL.weight = x  # MODEL.weight
    return MODEL.weight


def augmented(x):
    MODEL.steps += 1  # MODEL.steps
    return x


def in_a_tuple(x):
    a, MODEL.b = x, x  # MODEL.b
    return a


def as_loop_variable(x):
    for MODEL.i in range(3):  # MODEL.i
        x = x * 2
    return x


def annotated(x):
    MODEL.weight: float = x  # MODEL.weight
    return x


def shape_assigned(x):
    y = np.ones(4) * x
    y.shape = (2, 2)  # y.shape
    return y[0, 0]


class Counted:
    made = 0

    def __init__(self):
        Counted.made += 1  # Counted.made


def attribute_of_a_class(x):
    Counted()
    return x


@pytest.mark.parametrize(
    "function", [assigned, augmented, in_a_tuple, as_loop_variable, annotated, shape_assigned, attribute_of_a_class]
)
def test_objects_from_outside_stay_as_they_are(function):
    with pytest.raises(
        pb.LanguageError, match="cannot be assigned: a differentiated function must not change"
    ) as caught:
        pb.grad(function)(2.0)
    place = caught.value.problems[0].location
    line, written = place.text.split("  # ")
    assert line[place.column : place.end_column] == written


class Doubling:
    def __init__(self, a):
        self.a = a

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2 * value)


class Answering:
    def __init__(self, a):
        self.a = a

    def __getattr__(self, name):
        return 1.0


class Meta(type):
    def __call__(cls, a):
        return a


class Made(metaclass=Meta):
    def __init__(self, a):
        self.a = a


class New:
    def __new__(cls, a):
        return object.__new__(cls)


@dataclass
class WithArguments:
    a: float
    scale: InitVar[float] = 2.0

    def __post_init__(self, scale):
        self.a = self.a * scale


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (Doubling, "'Doubling' has a '__setattr__' of its own"),
        (Answering, "'Answering' has a '__getattr__' of its own"),
        (Made, "the class of 'Made' is 'Meta'"),
        (New, "'New' has a '__new__' of its own"),
        (SimpleNamespace, "'SimpleNamespace' has a '__new__' of its own"),
        (WithArguments, "'WithArguments' takes arguments that are no fields"),
    ],
)
def test_classes_that_do_more_than_python_shows_are_refused(kind, reason):
    def made(x):
        return kind(x).a

    with pytest.raises(pb.LanguageError, match=reason):
        pb.grad(made)(2.0)


class Plain:
    def __init__(self, a):
        self.a = a

    def __len__(self):
        return 3

    def __rmul__(self, other):
        return Plain(other * self.a)


@dataclass(frozen=True)
class Fixed:
    a: float

    def __post_init__(self):
        self.a = 1.0


class Derived(Plain):
    pass


def is_one_of_two(x):
    made = Plain(x[0]) if x[1] > 0 else Derived(x[1])
    return made.a


def is_returned(x):
    return Plain(x[0])


def numbers_of_numpy_take_it_for_an_array(x):
    return (x[0] * Plain(x[1])).a


def is_not_there(x):
    return Plain(x[0]).b


def is_no_number(x):
    return np.sin(Plain(x[0]))


def is_frozen(x):
    return Fixed(x[0]).a


def takes_no_such_argument(x):
    return Plain(x[0], x[1]).a


def is_compared(x):
    return x[0] if Plain(x[0]) < Plain(x[0]) else x[1]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (is_one_of_two, "on one path"),
        (is_returned, "an object of class 'Plain' is returned"),
        (numbers_of_numpy_take_it_for_an_array, "NumPy takes an object of 'Plain' for an array here"),
        (is_not_there, "'Plain' object has no attribute 'b'"),
        (is_no_number, "an object of class 'Plain' cannot be passed here"),
        (is_frozen, "cannot assign to field 'a'"),
        (takes_no_such_argument, "positional"),
        (is_compared, "'<' is not supported between"),
    ],
)
def test_what_cannot_be_followed_of_an_object_is_refused(function, reason):
    with pytest.raises(pb.PullbackError, match=reason):
        pb.grad(function)(np.array([0.5, -1.2]))


def test_a_method_that_changes_between_calls_is_read_anew():
    class Scaled:
        def __init__(self, x):
            self.x = x

        def value(self):
            return self.x * 2.0

    def f(x):
        return Scaled(x).value()

    slope = pb.grad(f)
    assert slope(3.0) == 2.0
    Scaled.value = lambda self: self.x * 5.0
    assert slope(3.0) == 5.0
    Scaled.__init__ = lambda self, x: setattr(self, "x", x)
    with pytest.raises(pb.LanguageError, match="setattr"):
        slope(3.0)

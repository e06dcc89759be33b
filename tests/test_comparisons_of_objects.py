"""Comparisons of objects, made inside or outside: what Python says, by the methods of their classes or by identity."""

from __future__ import annotations

import decimal
import enum
import fractions
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb


class Equal:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.value == other.value

    def __lt__(self, other: Any) -> Any:
        return self.value < other.value

    __hash__ = None  # type: ignore[assignment]


class Derived(Equal):
    def __eq__(self, other: object) -> bool:
        return True

    def __gt__(self, other: Any) -> Any:
        return False


class Plain:
    def __init__(self, value: Any) -> None:
        self.value = value


class Undecided(Plain):
    def __eq__(self, other: object) -> Any:
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Sized(Plain):
    def __len__(self) -> int:
        return 2

    def __call__(self, x: Any) -> Any:
        return x * self.value

    def __eq__(self, other: Any) -> bool:
        return len(self) == len(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Fields:
    value: float


@dataclass
class OtherFields:
    value: float


@dataclass
class FirstField:
    value: float
    rest: float

    def __eq__(self, other: Any) -> Any:
        return self.value == other.value


@dataclass
class Changing:
    value: float

    def change(self, value: float) -> None:
        self.value = value


@dataclass(eq=False)
class Identity:
    value: float


Point = namedtuple("Point", "value")


class Alike(namedtuple("Alike", "value")):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


NAMES = {
    "outside": Equal(2.0), "plain": Plain(2.0), "undecided": Undecided(2.0), "fields": Fields(2.0), "sized": Sized(2.0),
    **{kind.__name__: kind for kind in (Equal, Derived, Plain, Undecided, Sized, Fields, OtherFields, FirstField)},
    **{kind.__name__: kind for kind in (Changing, Identity, Point, Alike)},
}  # fmt: skip
CONDITIONS = """
Equal(2.0) == Equal(2.0)       Equal(2.0) == Equal(x)        Equal(2.0) != Equal(2.0)       Equal(2.0) == outside
outside == Equal(2.0)          Equal(x) == outside           outside != Equal(2.0)          outside == outside
outside == Equal(3.0)          Equal(2.0) == 2.0             2.0 == Equal(2.0)              Equal(2.0) == None
Equal(2.0) == 'a'              Equal(2.0) != None            Equal(1.0) < outside           Equal(1.0) < Equal(x)
Equal(1.0) > Equal(0.0)        Equal(1.0) == Derived(3.0)    Equal(1.0) < Derived(3.0)      Derived(1.0) != Equal(x)
Plain(2.0) == Plain(2.0)       Plain(2.0) == plain           plain == plain                 Plain(2.0) != Plain(2.0)
Plain(2.0) == None             Plain(1.0) == 1.0             Undecided(1) == Undecided(1)   Undecided(1) != Undecided(1)
undecided == undecided         undecided != undecided        Undecided(1.0) == undecided    Sized(x) == sized
Fields(2.0) == Fields(2.0)     Fields(x) == Fields(2.0)      Fields(2.0) == OtherFields(2.0)
Fields(2.0) == (2.0,)          (2.0,) == Fields(2.0)         Fields(2.0) == fields          fields == Fields(2.0)
Fields(2.0) != fields          Fields(2.0) != OtherFields(2.0)                              Identity(1.0) == Fields(1.0)
FirstField(1.0, 2.0) == FirstField(1.0, x)                   FirstField(1.0, 2.0) != FirstField(1.0, 3.0)
Changing(1.0) == Changing(1.0)  Changing(1.0) != Changing(x)  Point(1.0) == (1.0,)          Point(1.0) == Point(1.0)
Alike(1.0) == Alike(2.0)       Alike(1.0) == (5.0,)          Equal(2.0) in [Equal(2.0), 1.0]
outside in [Equal(2.0)]        Equal(2.0) in (outside,)      [Equal(2.0)] == [outside]
(Equal(2.0), 1.0) == (outside, 1.0)                          [1.0] == [Equal(1.0)]          None in [Equal(1.0)]
[Plain(1.0)] == [Plain(1.0)]   Plain(1.0) in [plain]         plain in [plain]               [Fields(2.0)] == [fields]
3.0 in [Equal(3.0)]            sized == sized                sized != Sized(x)
"""


def conditions() -> list[str]:
    lines = CONDITIONS.strip().splitlines()
    return [part.strip() for line in lines for part in line.split("  ") if part.strip()]


def deciding(condition: str, names: dict[str, Any]) -> tuple[Any, Any]:
    """A function whose result tells whether a condition on these names holds, and the same as we read it."""
    text = f"def compared(x):\n    return x * 2.0 if {condition} else x * 3.0\n"
    space = dict(names)
    exec(text, space)
    return space["compared"], pb.differentiable(space["compared"], jit=False, source=text)


@pytest.mark.parametrize("condition", conditions())
def test_comparison_is_that_of_python(condition: str) -> None:
    plain, read = deciding(condition, NAMES)
    assert read(1.5) == plain(1.5)


def test_objects_outside_are_compared_as_they_are_now() -> None:
    first, second = Equal(1.0), Equal(2.0)

    @pb.differentiable(jit=False)
    def function(x: Any) -> Any:
        return x * 2.0 if first == second else x * 3.0

    assert function(1.0) == 3.0
    second.value = 1.0
    assert function(1.0) == 2.0


def test_comparisons_of_users_are_not_run_while_a_function_is_read() -> None:
    class Strange:
        def __call__(self, x: Any) -> Any:
            return x * x

        def __eq__(self, other: object) -> bool:
            raise AssertionError("nobody compares it")

        __hash__ = None  # type: ignore[assignment]

    strange = Strange()
    assert pb.grad(pb.differentiable(lambda x: strange(x) * 3.0, jit=False))(0.5) == 3.0


@pytest.mark.parametrize("condition", ["Fields(1.0) < Fields(2.0)", "Plain(1.0) < Plain(2.0)", "Fields(x) < 1.0"])
def test_what_has_no_order_is_refused(condition: str) -> None:
    _, read = deciding(condition, NAMES)
    with pytest.raises(pb.TypingError, match="'<' is not supported between"):
        read(1.5)


class Half(float):
    pass


class Kind(enum.IntEnum):
    ONE = 1


NUMBERS = {
    "half": Half(0.5),
    "Kind": Kind,
    "fraction": fractions.Fraction(1, 2),
    "decimal": decimal.Decimal("0.5"),
    "np": np,
}


@pytest.mark.parametrize(
    "condition", ["x == half", "2 * x == Kind.ONE", "x != half", "x == None", "x == 'a'", "x != np"]
)
def test_numbers_are_compared_with_what_is_outside(condition: str) -> None:
    plain, read = deciding(condition, NUMBERS)
    assert read(0.5) == plain(0.5)


@pytest.mark.parametrize(
    "condition", ["x == fraction", "x != decimal", "x in (fraction, 7.0)", "np.array([x]) == None"]
)
def test_what_would_not_be_pythons_answer_is_refused(condition: str) -> None:
    _, read = deciding(condition, NUMBERS)
    with pytest.raises((pb.TypingError, pb.LanguageError), match=r"no number that NumPy computes|element by element"):
        read(0.5)


def test_a_number_that_an_iteration_sets_is_compared_with_none() -> None:
    @pb.differentiable(jit=False)
    def function(x: Any, n: int) -> Any:
        y = None
        for _ in range(n):
            if y == None:  # noqa: E711
                y = x
            else:
                y = y * x
        return y

    assert pb.grad(function)(0.5, 3) == 0.75

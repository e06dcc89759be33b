"""Iterators are gone over once. A second loop finds what the first one left, so it is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

NUMBERS = np.array([0.5, 1.5, 2.5])


def two_loops(x: Any, n: int) -> Any:
    pairs = zip(x, x * 2, strict=False)
    total = 0.0
    for a, b in pairs:
        total += a * b
    for a, _ in pairs:
        total += 100 * a
    return total


def a_loop_that_stops(x: Any, n: int) -> Any:
    numbered = enumerate(x)
    total = 0.0
    for i, v in numbered:
        total += i * v
        if i == 1:
            break
    for _, v in numbered:
        total += 100 * v
    return total


def two_sums(x: Any, n: int) -> Any:
    squares = map(np.sin, x)
    return sum(squares) + sum(squares)


def a_list_and_a_loop(x: Any, n: int) -> Any:
    backwards = reversed([x[0], x[1]])
    return len(list(backwards)) + sum(backwards)


def a_test_and_a_loop(x: Any, n: int) -> Any:
    pairs = zip((x[0], x[1]), (1.0, 2.0), strict=True)
    total = x[0] if (x[1], 2.0) in pairs else x[2]
    for a, _ in pairs:
        total += a
    return total


def in_an_outer_loop(x: Any, n: int) -> Any:
    places = itertools.product(range(n), range(n))
    total = 0.0
    for _ in range(n):
        for i, j in places:
            total += x[i] * x[j]
    return total


def in_another_loop(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(1, n + 1):
        total += x[0]
        places = np.ndindex(k, k)
    for _ in range(n):
        for i, j in places:
            total += x[i] * x[j]
    return total


def in_a_loop_and_behind_it(x: Any, n: int) -> Any:
    values = iter(x)
    total = 0.0
    for _ in range(1):
        for v in values:
            total += v
    for v in values:
        total += v
    return total


def on_one_path_and_behind_it(x: Any, n: int) -> Any:
    kept = filter(lambda v: v is not None, [x[0], x[1]])
    total = 0.0
    if x[0] > 0:
        for v in kept:
            total += v
    for v in kept:
        total += v
    return total


def by_two_names(x: Any, n: int) -> Any:
    pairs = zip(x, x * 2, strict=True)
    held = {"pairs": pairs}
    total = sum([a * b for a, b in pairs])
    return total + sum([a * b for a, b in held["pairs"]])


def zipped_with_itself(x: Any, n: int) -> Any:
    values = iter([x[0], x[1], x[2], 3.0])
    return sum([a * b for a, b in zip(values, values, strict=True)])


def in_a_function(x: Any, n: int) -> Any:
    def total(pairs: Any) -> Any:
        return sum([a * b for a, b in pairs])

    pairs = np.ndenumerate(x)
    return sum([v for _, v in pairs]) + total(pairs)


REFUSED = [
    two_loops, a_loop_that_stops, two_sums, a_list_and_a_loop, a_test_and_a_loop, in_an_outer_loop,
    in_a_loop_and_behind_it, on_one_path_and_behind_it, by_two_names, zipped_with_itself, in_a_function,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_a_second_time_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(pb.LanguageError, match="gone over a second time"):
        pb.differentiable(jit=False)(function)(NUMBERS, 3)


def test_an_iterator_is_not_handed_on_by_a_loop() -> None:
    with pytest.raises(pb.LanguageError, match="'places' is an iterator that an iteration of a loop has made"):
        pb.differentiable(jit=False)(in_another_loop)(NUMBERS, 3)


def test_an_iterator_is_no_sequence() -> None:
    def indexed(x: Any) -> Any:
        return zip(x, x)[0]  # type: ignore[index]  # noqa: B905

    def counted(x: Any) -> Any:
        return len(enumerate(x)) * x[0]  # type: ignore[arg-type]

    def backwards(x: Any) -> Any:
        return sum([k * v for k, v in reversed(enumerate(x))])  # type: ignore[call-overload]

    for function in (indexed, counted, backwards):
        with pytest.raises(TypeError):
            function(NUMBERS)
        with pytest.raises((pb.TypingError, pb.LanguageError)):
            pb.differentiable(jit=False)(function)(NUMBERS)


class Stepping:
    def __init__(self) -> None:
        self.place = 0

    def __iter__(self) -> Stepping:
        return self

    def __next__(self) -> int:
        self.place += 1
        if self.place > 3:
            raise StopIteration
        return self.place


class Held:
    def __init__(self, values: Any) -> None:
        self.values = values

    def __iter__(self) -> Any:
        return self.values


def test_iterators_of_users_and_no_iterators_are_refused() -> None:
    def steps(x: Any) -> Any:
        return sum([x[0] * k for k in Stepping()])

    def held(x: Any) -> Any:
        return sum([x[0] * k for k in Held([1, 2])])

    with pytest.raises(pb.LanguageError, match="is an iterator by methods of its own"):
        pb.differentiable(jit=False)(steps)(NUMBERS)
    with pytest.raises(pb.TypingError, match=r"iter\(\) returned no iterator, but a list"):
        pb.differentiable(jit=False)(held)(NUMBERS)


def zip_of_a_list_that_grows(x: Any) -> Any:
    values = list(x)
    pairs = zip(values, values, strict=True)
    values.append(10.0 * x[0])
    return sum([a * b for a, b in pairs])


def iter_of_a_list_that_shrinks(x: Any) -> Any:
    values = list(x)
    rest = iter(values)
    values.pop()
    return sum(rest)


def map_over_known_items_that_change(x: Any) -> Any:
    values = [x[0], x[1]]
    squares = map(lambda v: v * v, values)  # noqa: C417
    values.append(x[2])
    return sum(squares)


def map_in_a_loop_that_changes_items(x: Any) -> Any:
    values, total = [x[0], x[1], x[2]], 0.0
    for square in map(lambda v: v * v, values):  # noqa: C417
        values[2] = 5.0
        total += square
    return total


def values_of_a_dict_that_changes(x: Any) -> Any:
    entries = {"a": x[0], "b": x[1]}
    values = entries.values()
    entries["a"] = x[2]
    return sum(values)


@pytest.mark.parametrize(
    "function",
    [
        zip_of_a_list_that_grows,
        iter_of_a_list_that_shrinks,
        map_over_known_items_that_change,
        map_in_a_loop_that_changes_items,
        values_of_a_dict_that_changes,
    ],
    ids=lambda function: function.__name__,
)
def test_what_an_iterator_goes_over_stays(function: Callable[..., Any]) -> None:
    with pytest.raises(pb.LanguageError, match=r"changes (between|while)"):
        pb.differentiable(jit=False)(function)(NUMBERS)


def test_map_calls_its_function_as_items_are_asked_for() -> None:
    def function(x: Any) -> Any:
        seen: list[Any] = []

        def noted(v: Any) -> Any:
            seen.append(v)
            return v

        for v in map(noted, [x[0], x[1], x[2]]):
            if v > 1.0:
                break
        return len(seen) * v

    assert pb.differentiable(jit=False)(function)(NUMBERS) == function(NUMBERS) == 3.0

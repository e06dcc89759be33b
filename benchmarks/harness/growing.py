"""Programs of any size, and what the gradient of one costs: seconds to compile and to run, and memory.

Two kinds: the data grow (a loop's trip count, an array's size), or the source grows (statements, loop nests).
"""

import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.worker import best_time, import_what_is_shared, timed

BUDGET = 0.3  # s for the repetitions of a call


def recurrence(x, a, n):
    for _ in range(n):
        x = x + 0.01 * np.sin(a * x)
    return x


def chain(x):
    y = np.tanh(x)
    z = y * y + 0.5 * x
    w = np.exp(-z)
    v = w * np.sin(z) + y
    return np.sum(v * v)


def statements(count: int) -> str:
    """A function of `count` statements, each of which uses the one before it and one from far above."""
    lines = [f"    x{k} = np.sin(x{k - 1}) + 0.5 * x{k // 2}" for k in range(1, count + 1)]
    return "\n".join(["def program(x0):", *lines, f"    return x{count}", ""])


def loop_nests(count: int) -> str:
    """A function of `count` nests of two loops, which turn one 8 × 8 array into the next."""
    lines = ["def program(a0):"]
    for k in range(1, count + 1):
        lines += [f"    a{k} = np.empty((8, 8))", "    for i in range(8):", "        for j in range(8):"]
        lines += [f"            a{k}[i, j] = np.sin(a{k - 1}[j, i]) + 0.5 * a{k // 2}[i, j]"]
    return "\n".join([*lines, f"    return np.sum(a{count})", ""])


def from_text(text: str) -> Callable[..., Any]:
    """The gradient of the function `program` in the text."""
    import pullback as pb

    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    return pb.value_and_grad(pb.differentiable(scope["program"], source=text))


def from_function(function: Callable[..., Any]) -> Callable[..., Any]:
    import pullback as pb

    return pb.value_and_grad(function)


@dataclass(frozen=True, slots=True)
class Series:
    """One way to grow: the sizes, the gradient of a size, and its arguments.

    by_data: the arguments grow, and the gradient is the same for all sizes; otherwise it is the source that grows.
    """

    sizes: tuple[int, ...]
    gradient: Callable[[int], Callable[..., Any]]
    arguments: Callable[[int], tuple[Any, ...]]
    by_data: bool


SERIES = {
    "trip count": Series(
        sizes=tuple(10**k for k in range(2, 8)),
        gradient=lambda size: from_function(recurrence),
        arguments=lambda size: (0.5, 1.1, size),
        by_data=True,
    ),
    "array size": Series(
        sizes=tuple(10**k for k in range(1, 8)),
        gradient=lambda size: from_function(chain),
        arguments=lambda size: (np.linspace(-1.0, 1.0, size),),
        by_data=True,
    ),
    "statements": Series(
        sizes=(10, 30, 100, 300, 1000),
        gradient=lambda size: from_text(statements(size)),
        arguments=lambda size: (0.5,),
        by_data=False,
    ),
    "loop nests": Series(
        sizes=(10, 20, 50, 100),
        gradient=lambda size: from_text(loop_nests(size)),
        arguments=lambda size: (np.linspace(0.0, 1.0, 64).reshape(8, 8),),
        by_data=False,
    ),
}


@dataclass(frozen=True, slots=True)
class Point:
    """What one size cost: seconds of the first call, which compiles, seconds of a later one, and bytes.

    memory: what the calls needed, without compilation where the data grow, and with it where the source grows.
    """

    size: int
    compile: float
    time: float
    memory: int


def measure_point(name: str, size: int) -> Point:
    """To be called in a process of its own: the operating system tells the highest use of memory only.

    The first call is made with small data, so that its time is that of compilation.
    """
    import_what_is_shared()
    series = SERIES[name]
    gradient, small, arguments = series.gradient(size), series.arguments(10), series.arguments(size)
    before = highest_memory()
    first = timed(lambda: gradient(*small))
    if series.by_data:
        before = highest_memory()
    once = timed(lambda: gradient(*arguments))
    return Point(size, first, best_time(lambda: gradient(*arguments), BUDGET, once), highest_memory() - before)


def highest_memory() -> int:
    """The bytes that this process had in memory at most."""
    highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kilobytes, except on macOS
    return highest if sys.platform == "darwin" else highest * 1024

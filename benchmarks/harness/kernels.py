"""A folder of modules becomes a list of kernels: functions that return a float, with arguments to call them with.

Each kernel stands below a decorator that says how its arguments are made and which of them are differentiated:

    @kernel(lambda random: (random.standard_normal(100), 0.5), wrt=(0,))
    def damped(x, rate):
        return np.sum(np.exp(-rate * x))
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from harness.problems import BENCHMARKS, load

OWN = BENCHMARKS / "kernels"
SEED = 0
Function = TypeVar("Function", bound=Callable[..., Any])
Make = Callable[[np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function to differentiate with respect to the arguments numbered `wrt`. id: its module and its name."""

    id: str
    function: Callable[..., Any]
    maker: Make
    wrt: tuple[int, ...]

    def make(self) -> tuple[Any, ...]:
        """The arguments, the same ones on every call."""
        return self.maker(np.random.default_rng(SEED))


KERNELS: dict[str, Kernel] = {}


def kernel(maker: Make, wrt: tuple[int, ...]) -> Callable[[Function], Function]:
    """Make the function below a kernel, and return the function itself."""

    def register(function: Function) -> Function:
        name = f"{Path(function.__code__.co_filename).stem}.{function.__name__}"
        KERNELS[name] = Kernel(name, function, maker, wrt)
        return function

    return register


def kernels() -> list[Kernel]:
    """All kernels, in the order of their files and lines."""
    for path in sorted(OWN.glob("*.py")):
        load(path)
    return list(KERNELS.values())

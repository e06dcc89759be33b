"""Programs as people publish them, in tests/real: each a function with arguments that the decorator `real` gives it.

Nothing in them is adapted to what the library accepts. A result may be a number, an array, or a tuple of them.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "real"


@dataclass(frozen=True)
class Real:
    """A function, its arguments, the positions of those that it is differentiated by, and of symmetric matrices."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    wrt: tuple[int, ...]
    symmetric: tuple[int, ...]


Function = Callable[..., Any]


def real(
    *arguments: Any, wrt: tuple[int, ...] = (0,), symmetric: tuple[int, ...] = ()
) -> Callable[[Function], Function]:
    """Decorator: the function is a program of the corpus, called with `arguments`.

    wrt: none for programs of integers, whose value alone is compared.
    symmetric: positions of matrices that only change to symmetric ones, as those of which an algorithm reads a half.
    """

    def register(function: Function) -> Function:
        inner = getattr(function, "py_func", function)
        name = f"{inner.__module__.removeprefix('real.')}.{inner.__name__}"
        _found.append(Real(name, function, arguments, wrt, symmetric))
        return function

    return register


def draw(seed: int, *shape: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Numbers between `low` and `high`, the same in every run."""
    return np.random.default_rng(seed).uniform(low, high, shape)


_found: list[Real] = []


@cache
def corpus() -> dict[str, Real]:
    """All programs of tests/real by their names: folder, file and function."""
    for path in sorted(FOLDER.glob("*/*.py")):
        importlib.import_module(".".join(("real", *path.relative_to(FOLDER).with_suffix("").parts)))
    programs = {each.name: each for each in _found}
    assert len(programs) == len(_found), "two programs have the same name"
    return programs

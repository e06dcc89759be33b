"""The programs of the tests, examples, benchmarks and kernels become one list, to count what a pass changes."""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.kernels import kernels
from harness.problems import BENCHMARKS, OWN, find_problems, load

ROOT = BENCHMARKS.parent


@dataclass(frozen=True, slots=True)
class Program:
    """A function to differentiate with respect to the arguments numbered `wrt`; `make()` gives fresh arguments."""

    id: str
    kind: str
    function: Callable[..., Any]
    make: Callable[[], tuple[Any, ...]]
    wrt: tuple[int, ...]


def programs(kinds: Iterable[str]) -> list[Program]:
    """All programs of these kinds, of which KINDS has the names."""
    return [program for kind in kinds for program in KINDS[kind](kind)]


def find_program(name: str, kind: str) -> Program:
    return next(program for program in KINDS[kind](kind) if program.id == name)


def tests(kind: str) -> Iterator[Program]:
    """The programs of `tests/programs`, each with the first of its samples."""
    for program in imported("tests", "collect").programs():
        sample = program.samples[0]
        yield Program(program.id, kind, program.function, sample.fresh, sample.wrt)


def examples(kind: str) -> Iterator[Program]:
    """The functions that the examples differentiate without a tape."""
    for function, (_, arguments) in imported("examples", "read_the_backward").SHOWN.items():
        yield Program(f"read_the_backward.{function.__name__}", kind, function, lambda a=arguments: a, (0,))
    random = np.random.default_rng(0)
    lorenz, digits = imported("examples", "lorenz_fit"), imported("examples", "digits")
    state, observed = np.concatenate([lorenz.TRUE]), lorenz.observe(random, 60, 0.01, 5, 0.2)
    yield Program("lorenz_fit.misfit", kind, lorenz.misfit, lambda: (state, observed, 0.01, 5), (0,))
    network, x, targets = digits.initial_params(random, 64, 64), random.random((64, 64)), np.eye(64, 10)
    yield Program("digits.loss", kind, digits.loss, lambda: (network, x, targets), (0,))


def benchmarks(kind: str) -> Iterator[Program]:
    """The problems that `run.py` times."""
    for path in find_problems([OWN], []):
        problem = load(path)
        yield Program(path.stem, kind, problem.primal, problem.make, problem.WRT)


def all_kernels(kind: str) -> Iterator[Program]:
    """The functions in `kernels/`."""
    for kernel in kernels():
        yield Program(kernel.id, kind, kernel.function, kernel.make, kernel.wrt)


KINDS: dict[str, Callable[[str], Iterator[Program]]] = {
    "tests": tests,
    "examples": examples,
    "benchmarks": benchmarks,
    "kernels": all_kernels,
}


def imported(folder: str, module: str) -> Any:
    """A module that stands in a folder of the project."""
    if str(ROOT / folder) not in sys.path:
        sys.path.append(str(ROOT / folder))
    return importlib.import_module(module)

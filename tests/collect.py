"""Programs with sample inputs: the modules of `tests/programs` become a list of `Program`.

>>> @program(2.0, 3)
... @program(-1.5, 1)
... def power_of(a, n):
...     return a**n
>>> samples_of(power_of)
(Sample(args=(2.0, 3), wrt=(0,), cotangent=None), Sample(args=(-1.5, 1), wrt=(0,), cotangent=None))
"""

import copy
import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import oracle
import pullback as pb

__all__ = ["Program", "Sample", "failing", "program", "programs", "samples_of", "with_and_without"]

FOLDER = Path(__file__).parent / "programs"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])
SAMPLES: dict[Callable[..., Any], list["Sample"]] = {}
NAMES: dict[Callable[..., Any], str] = {}
FAILING: dict[Callable[..., Any], list[tuple[tuple[Any, ...], type[Exception]]]] = {}


@dataclass(frozen=True)
class Sample:
    """Arguments of one call. wrt: positions to differentiate. cotangent: given where the value is not a scalar."""

    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    cotangent: Any = None

    def fresh(self) -> tuple[Any, ...]:
        """Copies of the arguments that a program may overwrite."""
        return oracle.copy_arguments(self.args)


@dataclass(frozen=True)
class Program:
    """A function to be differentiated. module: the name of its file in `tests/programs`, without `.py`."""

    name: str
    function: Callable[..., Any]
    samples: tuple[Sample, ...]
    module: str

    @property
    def id(self) -> str:
        return f"{self.module}.{self.name}"


def program(
    *args: Any, wrt: tuple[int, ...] | None = None, cotangent: Any = None, name: str | None = None
) -> Callable[[Decorated], Decorated]:
    """Attach a sample to the function below and return the function itself. Stacked, the topmost is the first sample.

    wrt: positions to differentiate; by default those of every argument that holds a float.
    """
    positions = wrt if wrt is not None else oracle.as_positions(args, None)

    def attach(function: Decorated) -> Decorated:
        SAMPLES.setdefault(function, []).insert(0, Sample(args, positions, cotangent))
        if name is not None:
            NAMES[function] = name
        return function

    return attach


def failing(*args: Any, error: type[Exception]) -> Callable[[Decorated], Decorated]:
    """Attach arguments with which the function, and each of its derivatives, raises `error`."""

    def attach(function: Decorated) -> Decorated:
        FAILING.setdefault(function, []).insert(0, (args, error))
        return function

    return attach


def samples_of(function: Callable[..., Any]) -> tuple[Sample, ...]:
    return tuple(SAMPLES.get(function, ()))


def programs(module: str | None = None) -> list[Program]:
    """All programs, or those of one module, in the order of their files and lines."""
    found = []
    for path in module_paths(module):
        for function in functions_of(load(path)):
            if function in SAMPLES:
                name = NAMES.get(function, function.__name__)
                found.append(Program(name, function, samples_of(function), path.stem))
    return found


def failing_programs(module: str | None = None) -> list[tuple[Program, tuple[Any, ...], type[Exception]]]:
    """Programs that raise, with the arguments and the error."""
    found = []
    for path in module_paths(module):
        for function in functions_of(load(path)):
            for args, error in FAILING.get(function, []):
                found.append((Program(function.__name__, function, (), path.stem), copy.deepcopy(args), error))
    return found


def module_paths(module: str | None) -> list[Path]:
    """Files of the folder. One that sets `COLLECT = False` (it needs the library) is left out."""
    paths = [path for path in sorted(FOLDER.glob("*.py")) if path.stem != "__init__"]
    wanted = [path for path in paths if module is None or path.stem == module]
    return [path for path in wanted if "\nCOLLECT = False\n" not in path.read_text(encoding="utf-8")]


def load(path: Path) -> ModuleType:
    """The module of a file, imported once."""
    name = f"programs.{path.stem}"
    if name not in sys.modules:
        specification = importlib.util.spec_from_file_location(name, path)
        assert specification is not None, f"{path} is not a module"
        assert specification.loader is not None, f"{path} has no loader"
        module = importlib.util.module_from_spec(specification)
        sys.modules[name] = module
        specification.loader.exec_module(module)
    return sys.modules[name]


def functions_of(module: ModuleType) -> Iterator[Callable[..., Any]]:
    """Functions in the order of their definition; a module may hold one under two names."""
    seen = set()
    for value in vars(module).values():
        if callable(value) and getattr(value, "__module__", None) == module.__name__ and value not in seen:
            seen.add(value)
            yield value


def with_and_without(found: Program, option: str) -> Iterator[list[tuple[Any, Any]]]:
    """For each sample the value and the gradients, with all optimisations and with all but one."""
    functions = [
        pb.differentiable(optimisations=o)(found.function) for o in (pb.OPTIMISATIONS, pb.OPTIMISATIONS - {option})
    ]
    for sample in found.samples:
        yield [pb.value_and_grad(function, argnums=sample.wrt)(*sample.fresh()) for function in functions]

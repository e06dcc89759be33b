"""Each public function and class says what it does: its parameters by name, and an example that runs."""

from __future__ import annotations

import doctest
import enum
import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import pullback as pb
from test_doctests import run

SPACES = {
    "pb": pb,
    "pb.nn": pb.nn,
    "pb.nn.monitor": pb.nn.monitor,
    "tf": pb.tf,
    "tf.autodiff": pb.tf.autodiff,
    "tf.bitwise": pb.tf.bitwise,
    "tf.compat.v1": pb.tf.compat.v1,
    "tf.compat.v1.train": pb.tf.compat.v1.train,
    "tf.config": pb.tf.config,
    "tf.config.experimental": pb.tf.config.experimental,
    "tf.data": pb.tf.data,
    "tf.debugging": pb.tf.debugging,
    "tf.image": pb.tf.image,
    "tf.initializers": pb.tf.initializers,
    "tf.keras": pb.tf.keras,
    "tf.keras.activations": pb.tf.keras.activations,
    "tf.keras.backend": pb.tf.keras.backend,
    "tf.keras.layers": pb.tf.keras.layers,
    "tf.keras.losses": pb.tf.keras.losses,
    "tf.keras.metrics": pb.tf.keras.metrics,
    "tf.keras.models": pb.tf.keras.models,
    "tf.keras.optimizers": pb.tf.keras.optimizers,
    "tf.keras.optimizers.schedules": pb.tf.keras.optimizers.schedules,
    "tf.keras.regularizers": pb.tf.keras.regularizers,
    "tf.keras.utils": pb.tf.keras.utils,
    "tf.linalg": pb.tf.linalg,
    "tf.math": pb.tf.math,
    "tf.math.special": pb.tf.math.special,
    "tf.nest": pb.tf.nest,
    "tf.nn": pb.tf.nn,
    "tf.random": pb.tf.random,
    "tf.random.experimental": pb.tf.random.experimental,
    "tf.signal": pb.tf.signal,
}


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module: those that it lists, or those of what it defines."""
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return getattr(module, "__all__", [name for name in defined if not name.startswith("_")])


def public() -> Iterator[tuple[str, Any]]:
    """Each public function and class once, under the first of its names."""
    seen = set()
    for space, module in SPACES.items():
        for name in sorted(names_of(module)):
            value = getattr(module, name)
            if (inspect.isroutine(value) or inspect.isclass(value)) and value not in seen:
                seen.add(value)
                yield f"{space}.{name}", value


PUBLIC = dict(public())


def parameters_of(name: str, value: Any) -> list[str]:
    """The parameters that a docstring has to name. The docstring of `pullback.tf` says what `name` is."""
    if inspect.isclass(value):
        if issubclass(value, enum.Enum) or getattr(value, "_is_protocol", False):
            return []
        value = value.__init__
    given = inspect.signature(value).parameters if inspect.isfunction(value) else {}
    left_out = {"self", "name"} if name.startswith("tf.") else {"self"}
    return [parameter for parameter in given if parameter not in left_out and not parameter.startswith("_")]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_docstring_names_each_parameter_and_has_an_example(name: str) -> None:
    value = PUBLIC[name]
    prose, *examples = re.split(r"^>>> ", value.__doc__ and inspect.cleandoc(value.__doc__), flags=re.MULTILINE)
    assert not [p for p in parameters_of(name, value) if not re.search(rf"\b{p}\b", prose)]
    assert examples


@pytest.mark.parametrize("name", PUBLIC)
def test_an_example_of_a_function_behind_a_decorator_runs(name: str) -> None:
    """Those are not found by `test_docstrings_of` in test_doctests.py."""
    value = PUBLIC[name]
    module = sys.modules[value.__module__]
    finder = doctest.DocTestFinder()
    if f"{module.__name__}.{value.__qualname__}" not in {test.name for test in finder.find(module)}:
        for test in finder.find(value, name, module=False):
            run(test)

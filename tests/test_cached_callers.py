"""Functions of a user's with `@njit(cache=True)` that call ours: the next process finds them, if they still fit."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LOSSES = """
import numpy as np

FACTOR = 3.0


class Refused(Exception):
    pass


def helper(x):
    return x * x


def loss(x):
    if x[0] > 1e9:
        raise Refused("too much")
    return FACTOR * np.sum(helper(x))
"""

GRADIENTS = """
import pullback as pb
from losses import loss

gradient = pb.grad(loss)
both = pb.value_and_grad(loss, (0,))
plain = pb.differentiable(loss)
"""

STEPS = """
import numpy as np
from numba import njit, prange
import gradients as made
from gradients import gradient, both, plain


@njit(cache=True)
def step(x):
    return x - 0.1 * gradient(x)


@njit(cache=True)
def through_module(x):
    return made.gradient(x)


@njit(cache=True)
def total(x):
    value, (x_bar,) = both(x)
    return value + np.sum(x_bar)


@njit(cache=True)
def value(x):
    return plain(x)


@njit(cache=True)
def nested(x):
    return step(x) + total(x)


@njit(cache=True)
def applied(function, x):
    return function(x)


def closed(function):
    @njit(cache=True)
    def inner(x):
        return function(x)

    return inner
"""

SCRIPT = """
import json, sys, warnings
warnings.simplefilter("error")
sys.path.insert(0, {folder!r})
import numpy as np
import steps, losses
from gradients import gradient
x = np.array([1.0, 2.0])
calls = {{
    "step": (steps.step, x),
    "through_module": (steps.through_module, x),
    "total": (steps.total, x),
    "value": (steps.value, x),
    "nested": (steps.nested, x),
    "applied": (steps.applied, gradient, x),
    "closed": (steps.closed(gradient), x),
}}
told = {{}}
for name, (function, *arguments) in calls.items():
    result = function(*arguments)
    told[name] = (np.asarray(result).tolist(), sum(function.stats.cache_hits.values()))
try:
    steps.value(np.array([2e9]))
except losses.Refused as error:
    told["raised"] = (str(error), 1)
print(json.dumps(told))
"""


class Project:
    """Modules of a user's, and processes that use them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = {"losses.py": LOSSES, "gradients.py": GRADIENTS, "steps.py": STEPS}
        for name, text in self.files.items():
            (folder / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        assert old in self.files[name]
        (self.folder / name).write_text(self.files[name].replace(old, new))

    def run(self) -> dict[str, Any]:
        """The result of each call, and how often Numba found the function in its files."""
        variables = {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PULLBACK_CACHE_DIR": str(self.folder / "cache"),
            "NUMBA_CACHE_DIR": str(self.folder / "numba"),
        }
        command = [sys.executable, "-c", SCRIPT.format(folder=str(self.folder))]
        run = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stderr
        told: dict[str, Any] = json.loads(run.stdout)
        return told

    def kept(self) -> int:
        """The number of files that Numba has written."""
        return len(list((self.folder / "numba").rglob("*.nb*")))


def values(factor: float, power: int = 2) -> dict[str, Any]:
    """What the calls return for a loss of factor * sum(x ** power), by the formulas."""
    x, total = (1.0, 2.0), factor * (1.0 + 2.0**power)
    gradient = [factor * power * v ** (power - 1) for v in x]
    stepped = [v - 0.1 * g for v, g in zip(x, gradient, strict=True)]
    both = total + sum(gradient)
    return {
        "step": stepped,
        "through_module": gradient,
        "total": both,
        "value": total,
        "nested": [v + both for v in stepped],
        "applied": gradient,
        "closed": gradient,
        "raised": "too much",
    }


def check(told: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, result in expected.items():
        assert told[name][0] == pytest.approx(result), name


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that one process has run."""
    project = Project(tmp_path_factory.mktemp("project"))
    check(project.run(), values(3.0))
    return project


def test_second_process_finds_callers_and_stale_ones_are_compiled_anew(filled: Project) -> None:
    """One test, since each process takes seconds: what is found, and two edits in another file than the callers'."""
    files = filled.kept()
    told = filled.run()
    check(told, values(3.0))
    assert all(hits for _, hits in told.values())
    assert filled.kept() == files
    filled.edit("losses.py", "FACTOR = 3.0", "FACTOR = 5.0")
    told = filled.run()
    check(told, values(5.0))
    assert not any(hits for name, (_, hits) in told.items() if name != "raised")
    assert filled.kept() == files
    filled.edit("losses.py", "return x * x", "return x * x * x")
    check(filled.run(), values(3.0, 3))


def test_another_gradient_under_the_same_name_is_compiled_anew(filled: Project) -> None:
    filled.edit("losses.py", "FACTOR", "FACTOR")
    check(filled.run(), values(3.0))
    filled.edit("gradients.py", "gradient = pb.grad(loss)", "gradient = pb.grad(lambda x: (7.0 * x * x).sum())")
    told = filled.run()
    assert told["through_module"][0] == pytest.approx([14.0, 28.0])
    assert told["applied"][0] == pytest.approx([14.0, 28.0])
    assert told["total"] == [values(3.0)["total"], 1]

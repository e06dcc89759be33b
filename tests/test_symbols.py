"""Machine code from disk, beside what is compiled in this process: the functions of one are not those of the other.

Numba numbers the functions that it compiles, from one in each process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """
import json, sys
import numpy as np
import numba
import pullback as pb


def greatest(x):
    return np.sum(np.max(x, axis=1) ** 2)


def least(x):
    return np.sum(np.min(x, axis=1) ** 2)


def summed(x):
    return np.sum(np.sum(x, axis=0) ** 2)


def multiplied(x):
    return np.sum(np.prod(x, axis=0) ** 2)


def squared(x):
    return np.sum(np.sum(x * x + 1.0, axis=1) ** 2)


def cubed(x):
    return np.sum(np.sum(x * x * x - 2.0, axis=1) ** 2)


def taken(x):
    return np.sum(x[np.array([0, 1, 1]), :] ** 2)


def put(x):
    y = np.zeros((3, 4))
    y[np.array([0, 1, 1]), :] += x
    return np.sum(y**2)


def summed_along(x):
    return np.sum(np.cumsum(x, axis=1) ** 2)


def multiplied_along(x):
    return np.sum(np.cumprod(x, axis=1) ** 2)


greatest_gradient, least_gradient = pb.grad(greatest), pb.grad(least)


@numba.njit(cache=True)
def of_greatest(x):
    return greatest_gradient(x)


@numba.njit(cache=True)
def of_least(x):
    return least_gradient(x)


x = np.arange(1.0, 13.0).reshape(3, 4)
for name in sys.argv[1:]:
    if name.startswith("of_"):
        assert np.array_equal(globals()[name](x), pb.grad(pb.differentiable(jit=False)(globals()[name[3:]]))(x)), name
        continue
    value, gradient = pb.value_and_grad(globals()[name])(x)
    assert value == globals()[name](x), (name, value, globals()[name](x))
    expected = pb.grad(pb.differentiable(jit=False)(globals()[name]))(x)
    assert np.array_equal(gradient, expected), (name, gradient, expected)
print(json.dumps("right"))
"""


def run(folder: Path, *names: str) -> Any:
    """What a process says that takes these gradients, one after the other."""
    script = folder / "script.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PULLBACK_CACHE_DIR": str(folder / "cache")}
    process = subprocess.run(
        [sys.executable, script, *names], env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


PAIRS = [
    ("greatest", "least"),
    ("summed", "multiplied"),
    ("squared", "cubed"),
    ("taken", "put"),
    ("summed_along", "multiplied_along"),
    ("of_greatest", "of_least"),
    ("of_greatest", "least"),
]


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("kept", "compiled"), PAIRS)
def test_kept_helpers_stand_beside_compiled_ones(tmp_path: Path, kept: str, compiled: str) -> None:
    assert run(tmp_path, kept) == "right"
    for path in (tmp_path / "cache").iterdir():
        if path.suffix != ".helper":
            path.unlink()
    assert run(tmp_path, compiled, kept) == "right"


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("kept", "compiled"), [*PAIRS, *(pair[::-1] for pair in PAIRS)])
def test_what_is_compiled_does_not_run_what_was_kept(tmp_path: Path, kept: str, compiled: str) -> None:
    assert run(tmp_path, kept) == "right"
    assert run(tmp_path, kept, compiled) == "right"

"""Helpers are compiled once on a machine: the next process finds them, each for itself and no other."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit, typeof, types

import pullback as pb
from pullback.runtime.codegen import callees
from pullback.runtime.codegen.identities import _code_words, identity_of
from pullback.runtime.memory.strided import collect, product

SCRIPT = """
import json
import numpy as np
import pullback as pb
from pullback.runtime.codegen import callees

made = []
compiled = callees._compiled


def counted(function, *others):
    made.append(function.__qualname__)
    return compiled(function, *others)


callees._compiled = counted


def loss(x, w):
    y = np.maximum({factor} * x @ w, 0.0)
    shifted = y - np.max(y, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(shifted), axis=1))) + np.sum(x[np.array([0, 1, 1])] @ w)


x, w = np.arange(6.0).reshape(3, 2), np.arange(8.0).reshape(2, 4) - 3.0
gradient = pb.grad(loss)(x, w)
expected = pb.grad(pb.differentiable(jit=False)(loss))(x, w)
assert np.allclose(gradient, expected, rtol=1e-13, atol=1e-13)
print(json.dumps({{"compiled": made, "gradient": gradient.tolist()}}))
"""


def run(folder: Path, factor: float) -> Any:
    """What was compiled for the gradient of a loss that no process has seen, and the gradient."""
    script = folder / "script.py"
    script.write_text(SCRIPT.format(factor=factor))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PULLBACK_CACHE_DIR": str(folder / "cache")}
    process = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """The folder in which a process compiled all helpers, and what it told."""
    folder = tmp_path_factory.mktemp("first")
    return folder, run(folder, 0.5)


@pytest.fixture
def told(first: tuple[Path, Any], tmp_path: Path) -> Any:
    """What that process told; a copy of its cache is in the folder of the test."""
    folder, told = first
    shutil.copytree(folder / "cache", tmp_path / "cache")
    return told


def test_next_process_compiles_no_helper_again(tmp_path: Path, told: Any) -> None:
    for path in (tmp_path / "cache").iterdir():
        if path.suffix != ".helper":
            path.unlink()
    second = run(tmp_path, 0.5)
    assert len(told["compiled"]) > 20
    assert len(second["compiled"]) <= 2, second["compiled"]
    assert second["gradient"] == told["gradient"]


def test_damaged_helpers_are_compiled_again(tmp_path: Path, told: Any) -> None:
    """Every other file is emptied, and of the others the last byte is changed."""
    for k, path in enumerate((tmp_path / "cache").glob("*.helper")):
        path.write_bytes(path.read_bytes()[:-1] + b"!" if k % 2 else b"")
    again = run(tmp_path, 0.25)
    assert sorted(again["compiled"]) == sorted(told["compiled"])
    assert len(run(tmp_path, 0.125)["compiled"]) <= 2


def test_helpers_have_different_identities_where_anything_differs() -> None:
    array = types.Array(types.float64, 1, "C")
    asked = [
        (collect, (array, array), ""),
        (product, (array, array), ""),
        (collect, (array, array), "fastmath"),
        (collect, (array,), ""),
        (collect, (array, types.Array(types.float64, 1, "A")), ""),
        (collect, (array, types.Array(types.float64, 1, "C", readonly=True)), ""),
        (collect, (array, types.Array(types.float64, 1, "C", aligned=False)), ""),
        (collect, (array, types.Array(types.float32, 1, "C")), ""),
        (collect, (array, types.literal(1)), ""),
        (collect, (array, types.literal(2)), ""),
        (collect, (array, types.literal(True)), ""),
        (collect, (array, types.Omitted(1)), ""),
        (collect, (array, types.Omitted(1.0)), ""),
        (collect, (array, types.UniTuple(types.int64, 1)), ""),
        (collect, (array, types.Tuple((types.int64, types.int32))), ""),
    ]
    identities = [identity_of(*each) for each in asked]
    assert None not in identities
    assert len(set(identities)) == len(asked)
    assert identities == [identity_of(*each) for each in asked]


def no_name(text: str, **names: Any) -> Callable[..., Any]:
    """A function that was made while running, in a module of the package's."""
    space = {"__name__": collect.__module__, **names}
    exec(text, space)
    return space["made"]


@njit
def of_numba(x: float) -> float:
    return x


@pytest.mark.parametrize(
    "function",
    [lambda x: x, no_name("def made(x): return x"), of_numba],
    ids=["a user's", "made while running", "a dispatcher"],
)
def test_functions_from_elsewhere_have_none(function: Any) -> None:
    assert identity_of(function, (types.int64,), "") is None


def test_types_that_stand_for_functions_have_none() -> None:
    record = types.Array(typeof(np.zeros(1, dtype=[("a", float)])).dtype, 1, "C")
    for t in (typeof(of_numba), types.pyobject, record):
        assert identity_of(collect, (t,), "") is None


def losses() -> list[Callable[..., Any]]:
    return [
        lambda x: np.sum(np.max(x, axis=0) * np.min(x, axis=1)),
        lambda x: np.sum(np.cumsum(x, axis=0) * np.where(x > 1.0, x, -x)),
        lambda x: np.prod(np.linalg.norm(x, axis=1)) + np.sum(np.tanh(x @ x.T)),
        lambda x: np.sum(np.concatenate((x, 2.0 * x), axis=1)[np.array([0, 2])] ** 2),
        lambda x: np.std(x) + np.var(x, axis=1).sum(),
    ]


def test_one_identity_is_one_helper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has one identity in this process is made of one code, with equal things in the closure."""
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path))
    for loss in losses():
        pb.grad(loss)(np.arange(9.0).reshape(3, 3) ** 1.5 / 7.0)
    seen: dict[Any, Any] = {}
    for (function, arguments, options, optimised), callee in callees._MADE.items():
        identity = callee.library.identity
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        if identity is not None:
            now = arguments, options, optimised, _code_words(function.__code__), tuple(map(plain, cells))
            assert seen.setdefault(identity, now) == now
    assert len(seen) > 50


def plain(value: Any) -> Any:
    return _code_words(value.__code__) if hasattr(value, "__code__") else value

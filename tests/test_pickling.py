"""Differentiable functions and all that is made of them go to other processes and into files, by name or by value."""

import copy
import functools
import multiprocessing
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cloudpickle
import dask
import joblib
import numpy as np
import pytest

import pullback as pb

X = np.array([1.0, 2.0, 3.0])
RATE = 3.0


def energy(x, a=2.0):
    return a * np.sum(x * x * x)


@pb.differentiable(jit=False)
def decorated(x):
    return RATE * np.sum(x * x)


@pb.differentiable(jit=False)
def recursive(x, n=3):
    return np.sum(x) if n == 0 else 2.0 * recursive(x, n - 1)


def rows(x):
    y = np.outer(x, x)
    for i in range(x.shape[0]):
        y[i] *= y[i, 0]
    return y, {"sum": np.sum(y), "mode": "rows"}


class Model:
    scale = 2.0

    def energy(self, x):
        return self.scale * np.sum(x * x)

    @pb.differentiable(jit=False)
    def decorated(self, x):
        return self.scale * np.sum(x * x)


plain = pb.differentiable(jit=False)(energy)

CALLABLES: dict[str, Callable[..., Any]] = {
    "decorated function": decorated,
    "decorated recursive function": recursive,
    "differentiable function beside the plain one": plain,
    "gradient of a decorated function": pb.grad(decorated),
    "gradient of a function": pb.grad(plain, "x"),
    "value and gradient": pb.value_and_grad(plain, (0, 1)),
    "compiled gradient": pb.grad(energy),
    "decorated method": Model.decorated,
    "gradient of a method": pb.grad(Model().decorated),
    "vjp": pb.vjp(plain),
}
GIVEN: dict[str, tuple[Any, ...]] = {"value and gradient": (X, 5.0), "decorated method": (Model(), X)}

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda made: pickle.loads(pickle.dumps(made)),
    "the oldest pickle of Python 3": lambda made: pickle.loads(pickle.dumps(made, 3)),
    "cloudpickle": lambda made: cloudpickle.loads(cloudpickle.dumps(made)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def numbers(result: Any) -> list[Any]:
    """The numbers in a result of whatever structure; of a pullback, what it gives for 1.0."""
    if isinstance(result, tuple):
        return [number for part in result for number in numbers(part)]
    return np.ravel(result(1.0) if callable(result) else result).tolist()


def outcome(name: str, made: Callable[..., Any]) -> list[Any]:
    return numbers(made(*GIVEN.get(name, (X,))))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("called", [False, True], ids=["new", "called"])
@pytest.mark.parametrize("name", CALLABLES)
def test_twin_gives_the_same(name: str, called: bool, way: str) -> None:
    made = CALLABLES[name]
    expected = outcome(name, made) if called else None
    twin = WAYS[way](made)
    assert outcome(name, twin) == (expected or outcome(name, made))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", [decorated, Model.decorated], ids=repr)
def test_decorated_function_comes_back_as_itself(function: Any, way: str) -> None:
    assert WAYS[way](function) is function


@pytest.mark.parametrize("name", CALLABLES)
def test_pickle_is_small_after_calls(name: str) -> None:
    made = CALLABLES[name]
    outcome(name, made)
    assert len(pickle.dumps(made)) < 1500


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("way", ["pickle", "cloudpickle", "deepcopy"])
def test_pullback_keeps_its_call(jit: bool, way: str) -> None:
    (y, _), pullback = pb.vjp(pb.differentiable(jit=jit)(rows))(X)
    cotangent = (y, {"sum": 2.0, "mode": None})
    twin = WAYS[way](pullback)
    assert twin(cotangent).tolist() == pullback(cotangent).tolist()
    assert WAYS[way](twin)(cotangent).tolist() == pullback(cotangent).tolist()


def test_lambdas_and_nested_functions_go_by_cloudpickle() -> None:
    factor = 3.0

    def nested(x):
        return factor * np.sum(x * x)

    quiet = pb.differentiable(jit=False)
    for made in (pb.grad(quiet(lambda x: np.sum(x * x))), pb.grad(quiet(nested)), quiet(nested), pb.vjp(nested)):
        assert numbers(WAYS["cloudpickle"](made)(X)) == numbers(made(X))


def test_function_is_left_as_it_was() -> None:
    def f(x):
        return x * x

    before = dict(vars(f))
    for make in (pb.grad, pb.value_and_grad, pb.vjp, pb.differentiable):
        make(f)(2.0)
        assert vars(f) == before == {}


def test_wrapper_that_copies_attributes_is_another_function() -> None:
    """functools.wraps copies what a function carries; nothing of ours may be among that."""

    def f(x):
        return x * x

    pb.grad(f)(2.0)

    def g(x):
        return 5.0 * x

    functools.update_wrapper(g, f)
    del g.__wrapped__
    assert pb.grad(g)(2.0) == 5.0


def test_spawned_process() -> None:
    given = [CALLABLES[name] for name in CALLABLES if name not in GIVEN and name != "vjp"]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        results = [pool.apply_async(made, (X,)) for made in given]
        assert [numbers(r.get(120)) for r in results] == [numbers(made(X)) for made in given]


def test_joblib() -> None:
    gradient, factor = pb.grad(lambda x, a: a * np.sum(x * x)), 4.0
    results = joblib.Parallel(n_jobs=2)(joblib.delayed(f)(X, factor) for f in (gradient, pb.grad(plain)))
    assert [numbers(r) for r in results] == [numbers(gradient(X, factor)), numbers(pb.grad(plain)(X, factor))]


def test_what_a_function_uses_keeps_its_text_too() -> None:
    def doubled(x):
        return 2.0 * x

    def inner(x):
        return doubled(x) * (lambda y: y)(x)

    made = pb.grad(pb.differentiable(jit=False)(lambda x: np.sum(inner(x) + RATE)))
    assert WAYS["cloudpickle"](made)(X).tolist() == made(X).tolist()
    (found,) = joblib.Parallel(n_jobs=2)(joblib.delayed(f)(X) for f in (made,))
    assert found.tolist() == made(X).tolist()


def test_dask() -> None:
    made = [pb.grad(lambda x: np.sum(x * x)), pb.grad(decorated), decorated]
    tasks = [dask.delayed(f)(X) for f in made]
    results = dask.compute(*tasks, scheduler="processes", num_workers=1)
    assert [numbers(r) for r in results] == [numbers(f(X)) for f in made]


def test_functions_of_the_main_module(tmp_path: Path) -> None:
    """They come back as themselves there, and go by value where another module is the main one."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import pickle
            import joblib
            import numpy as np
            import pullback as pb

            factor = 3.0

            @pb.differentiable(jit=False)
            def f(x):
                return factor * np.sum(x * x)

            if __name__ == "__main__":
                print(pickle.loads(pickle.dumps(f)) is f)
                made = [f, pb.grad(f), pb.value_and_grad(f)]
                print(joblib.Parallel(n_jobs=2)(joblib.delayed(g)(np.ones(1)) for g in made))
            """
        ),
        encoding="utf-8",
    )
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert printed.stdout.splitlines() == ["True", "[3.0, array([6.]), (3.0, array([6.]))]"]

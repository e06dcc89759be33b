"""Emitted modules need NumPy and Numba alone, and compute the same bits."""

import copy
import importlib
import importlib.util
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import collect
import emitted
import pullback as pb
from pullback.api.commands import main
from pullback.emission.standalone import standalone_module
from pullback.frontend.values.arguments import form_of, leaves_of
from pullback.runtime import helpers, vectormath
from test_programs import assert_close


def floats_of(name: str) -> tuple[int, ...]:
    """The numbers of the arguments that are made of floats."""
    return tuple(k for k, a in enumerate(emitted.CALLS[name]) if not isinstance(a, int | str))


def loaded(text: str, folder: Path, name: str) -> ModuleType:
    """The module of a text, which nobody else finds."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_same(found: Any, expected: Any) -> None:
    """The same structure, classes and bits."""
    form = form_of(expected)
    assert form_of(found) == form
    for a, b in zip(leaves_of(found, form), leaves_of(expected, form), strict=True):
        assert type(a) is type(b)
        np.testing.assert_array_equal(a, b, strict=isinstance(b, np.ndarray))


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", emitted.CALLS)
def test_the_same_bits(name: str, tmp_path: Path) -> None:
    function, arguments = getattr(emitted, name), emitted.CALLS[name]
    argnums = floats_of(name)
    asked: Any = argnums if len(argnums) > 1 else argnums[0]
    module = loaded(pb.emit(function, *arguments), tmp_path, f"{name}_gradient")

    def fresh() -> Any:
        return copy.deepcopy(arguments)

    if name == "several_results":
        assert not hasattr(module, "value_and_grad")
        value, residuals = module.forward(*fresh())
        expected, pullback = pb.vjp(function, argnums=asked)(*fresh())
        cotangent = ({"y": np.ones(7), "n": None}, (0.5, 2.0))
        assert_same(value, expected)
        assert_same(module.backward(residuals, cotangent), pullback(cotangent))
        return
    assert_same(module.value_and_grad(*fresh()), pb.value_and_grad(function, asked)(*fresh()))
    value, residuals = module.forward(*fresh())
    expected, pullback = pb.vjp(function, asked)(*fresh())
    assert_same(value, expected)
    assert_same(module.backward(residuals, 1.5), pullback(1.5))


ALONE = """
import json, pickle, sys
sys.modules["pullback"] = None
sys.path.insert(0, {folder!r})
import {name}_gradient as module
with open({arguments!r}, "rb") as file:
    arguments = pickle.load(file)
value, gradient = module.value_and_grad(*arguments)
print(json.dumps([float(value).hex(), [n for n in sys.modules if n.startswith(("pullback.", "scipy"))]]))
"""


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", ["loop", "network", "regression", "power", "model"])
def test_as_a_step_of_a_build(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command writes a module, which runs where this package is not, and says when it is out of date."""
    source = Path(emitted.__file__).read_text()
    (tmp_path / "shapes.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "shapes", raising=False)
    words = ["emit", f"shapes:{name}", "--arguments", f"*CALLS[{name!r}]", "-o", f"{name}_gradient.py"]
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    path = tmp_path / "arguments"
    path.write_bytes(pickle.dumps(emitted.CALLS[name]))
    script = ALONE.format(folder=str(tmp_path), name=name, arguments=str(path))
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ})
    assert done.returncode == 0, done.stderr
    value, imported = json.loads(done.stdout)
    floats = floats_of(name)
    assert value == float(pb.value_and_grad(getattr(emitted, name), floats)(*emitted.CALLS[name])[0]).hex()
    assert not [n for n in imported if n.startswith("pullback.")]
    (tmp_path / "shapes.py").write_text(
        source.replace("0.1 * np.eye", "0.2 * np.eye")
        .replace("x * power", "2 * power")
        .replace("(x[i] - x[i - 1])", "(x[i] - 2 * x[i - 1])")
        .replace("h @ w2 - y", "h @ w2 + y")
        .replace("line**2", "line**4")
    )
    monkeypatch.delitem(sys.modules, "shapes")
    assert main([*words, "--check"]) == 1


def test_check_of_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.py").write_text("def f(x):\n    return x * x\n")
    words = ["emit", f"{tmp_path / 'one.py'}:f", "--signature", "float64"]
    path = tmp_path / "made.py"
    assert main([*words, "-o", str(path), "--check"]) == 1
    assert "out of date" in capsys.readouterr().out
    assert not path.exists()
    assert main([*words, "--check"]) == 2
    assert "name it: -o gradient.py" in capsys.readouterr().err
    assert main([*words, "-o", str(tmp_path / "nowhere" / "made.py")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert main(words) == 0
    assert "def f_backward(" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ((np.ones(3), 2), TypeError, "'a' must be a number of float64, not int"),
        ((np.ones((3, 3)), 2.0), TypeError, "'x' must be an array of float64 with 1 axes"),
        ((np.ones(3, np.float32), 2.0), TypeError, "not ndarray of float32"),
        (([1.0, 2.0], 2.0), TypeError, "not list"),
        ((np.ones(3),), TypeError, "missing"),
    ],
)
def test_other_arguments_are_refused(arguments: Any, error: Any, reason: str, tmp_path: Path) -> None:
    module = loaded(pb.emit(emitted.loop, *emitted.CALLS["loop"]), tmp_path, "loop_gradient")
    for function in (module.value_and_grad, module.forward):
        with pytest.raises(error, match=reason):
            function(*arguments)


def test_other_structures_are_refused(tmp_path: Path) -> None:
    module = loaded(pb.emit(emitted.model, *emitted.CALLS["model"]), tmp_path, "model_gradient")
    p, x, _ = emitted.CALLS["model"]
    with pytest.raises(ValueError, match="made for mode = 'square'"):
        module.value_and_grad(p, x, "absolute")
    with pytest.raises(ValueError, match="with the keys"):
        module.value_and_grad({**p, "c": 1.0}, x, "square")
    module = loaded(pb.emit(emitted.fitted, *emitted.CALLS["fitted"]), tmp_path, "fitted_gradient")
    line, x, spring = emitted.CALLS["fitted"]
    with pytest.raises(ValueError, match=r"'spring\.lengths' must have 2 items"):
        module.value_and_grad(line, x, emitted.Spring(2.0, [1.0]))
    with pytest.raises(TypeError, match="'line' must be a Line, not a tuple"):
        module.value_and_grad((line.slope, line.offset), x, spring)


def test_parameters_are_those_of_the_function(tmp_path: Path) -> None:
    text = pb.emit(emitted.with_defaults, np.ones(2), power=3, argnums=("x", "a"))
    weights = "np.array([0.5, -1.0, np.inf, 2.0], np.float64)"
    assert f"(x, s, a=2.0, w={weights}, b=np.float32(1.0), *, power=2, mode='sum'):" in text
    module = loaded(text, tmp_path, "defaults_gradient")
    expected = pb.value_and_grad(emitted.with_defaults, ("x", "a"))(np.ones(2), power=3)
    assert_same(module.value_and_grad(np.ones(2), emitted.LINE, power=3), expected)
    text = pb.emit(emitted.loop, *emitted.CALLS["loop"])
    assert "def value_and_grad(x, a):" in text


def test_other_sizes_are_refused(tmp_path: Path) -> None:
    """NumPy would broadcast them; the module was made for equal sizes."""
    module = loaded(pb.emit(emitted.model, *emitted.CALLS["model"]), tmp_path, "model_gradient")
    p, _, mode = emitted.CALLS["model"]
    for function in (module.value_and_grad, module.forward):
        with pytest.raises(Exception, match="the sizes of arguments differ"):
            function(p, np.ones(1), mode)
    single = loaded(pb.emit(emitted.model, p, np.ones(1), mode), tmp_path, "single_gradient")
    assert_same(
        single.value_and_grad(p, np.ones(1), mode), pb.value_and_grad(emitted.model, (0, 1))(p, np.ones(1), mode)
    )


def test_a_number_of_32_bits_is_kept_with_32_bits(tmp_path: Path) -> None:
    c, x = np.float32(0.5), np.ones(3, np.float32)
    module = loaded(pb.emit(emitted.scaled, c, x), tmp_path, "scaled_gradient")
    value, residuals = module.forward(c, x)
    assert [np.asarray(g).dtype for g in (value, *module.backward(residuals, x))] == [np.float32] * 3


def test_cotangents_must_fit(tmp_path: Path) -> None:
    module = loaded(pb.emit(emitted.several_results, np.ones(3), 0.5), tmp_path, "several_gradient")
    _, residuals = module.forward(np.ones(3), 0.5)
    with pytest.raises(ValueError, match="broadcast"):
        module.backward(residuals, ({"y": np.ones(4), "n": None}, (0.5, 2.0)))


def test_a_result_without_axes_takes_a_number_as_its_cotangent(tmp_path: Path) -> None:
    x = np.array([1.0, 2.0])
    module = loaded(pb.emit(emitted.sum_without_axes, x), tmp_path, "without_axes_gradient")
    _, residuals = module.forward(x)
    np.testing.assert_array_equal(module.backward(residuals, 1.5), [1.5, 1.5])


@pytest.mark.parametrize("function", [emitted.solved_by_scipy, emitted.least_squares])
def test_functions_of_libraries_are_called(function: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    m, b = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([0.5, 2.0])
    name = f"{function.__name__}_gradient"
    (tmp_path / f"{name}.py").write_text(pb.emit(function, m, b))
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module(name)
    assert_same(module.value_and_grad(m, b), pb.value_and_grad(function, (0, 1))(m, b))


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        (emitted.Line, (1.0, np.ones(2)), ""),
        (lambda f, x: f(x), (np.sin, 2.0), "'f' is an object"),
        (lambda n: 2.0 * n, (3,), "no argument to differentiate"),
        (pb.differentiable(math="libm", fastmath=False)(emitted.loop), (np.ones(3), 1.0), "NumPy's own loops"),
        (pb.vjp(emitted.loop), (np.ones(3), 1.0), ""),
        (emitted.raises_its_own, (2.0,), "raises OwnError, which stands in no module"),
    ],
)
def test_what_stands_in_no_module_is_refused(function: Any, arguments: Any, reason: str) -> None:
    with pytest.raises(pb.PullbackError, match=reason or None):
        pb.emit(function, *arguments)


def test_methods_and_large_arrays_are_refused() -> None:
    class Model:
        k = 2.0

        def energy(self, x: float) -> float:
            return self.k * x * x

    with pytest.raises(pb.TypingError, match="is a method"):
        pb.emit(Model().energy, 2.0)
    table = np.ones(2000)
    with pytest.raises(pb.TypingError, match="has 2000 elements"):
        pb.emit(lambda x: np.sum(x * table), np.ones(2000))


def test_text_is_the_same_in_each_process(tmp_path: Path) -> None:
    script = (
        "import sys, emitted, pullback as pb\nsys.stdout.write(pb.emit(emitted.softmax, *emitted.CALLS['softmax']))"
    )
    texts = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
        )
        texts.add(done.stdout)
    assert len(texts) == 1


def test_gradients_and_decorated_functions_are_emitted() -> None:
    arguments = emitted.CALLS["statement"]
    plain = pb.emit(emitted.statement, *arguments, argnums="w")
    assert plain == pb.emit(pb.differentiable(parallel=True)(emitted.statement), *arguments, argnums="w")
    assert "x_bar" not in plain
    assert plain != pb.emit(pb.differentiable(math="libm")(emitted.statement), *arguments, argnums="w")


SCALARS = [p for p in collect.programs() if p.samples[0].cotangent is None]


@pytest.mark.drawn(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", SCALARS, ids=lambda program: program.id)
def test_programs_are_emitted_or_refused(program: Any, tmp_path: Path) -> None:
    sample = program.samples[0]
    function = pb.differentiable(fastmath=False)(program.function)
    asked: Any = sample.wrt if len(sample.wrt) > 1 else sample.wrt[0]
    try:
        text = pb.emit(function, *sample.fresh(), argnums=asked)
    except pb.TypingError as error:
        if not re.search("stands in no module|from outside has", str(error)):
            raise
        return
    module = loaded(text, tmp_path, "program_gradient")
    found, expected = module.value_and_grad(*sample.fresh()), pb.value_and_grad(function, asked)(*sample.fresh())
    if program.module in ("products_in_loops", "local_arrays"):  # LLVM may fuse other products there
        assert_close(found, expected, 1e-14, "emitted")
    else:
        assert_same(found, expected)


HELPERS = [f"from pullback.runtime import {name}" for name in helpers.__all__ if name != "vectormath"]
HELPERS += [f"import pullback.runtime.vectormath as vm\n{name} = None" for name in vectormath.__all__]


@pytest.mark.parametrize("line", HELPERS, ids=lambda line: line.split()[-3] if "vm" in line else line.split()[-1])
def test_every_helper_can_stand_in_a_module(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = line.split()[-1]
    if "vm" in line:
        line, name = line.partition("\n")[0], f"vm.{line.split()[-3]}"
    text = standalone_module('"""Alone."""', "", [f"{line}\n\n\ndef called():\n    return {name}\n"], "nogil=True")
    assert "pullback.runtime" not in re.sub('""".*?"""', "", text, flags=re.S)
    monkeypatch.setitem(sys.modules, "alone", ModuleType("alone"))
    names = vars(sys.modules["alone"])
    exec(text, names)
    helper = names["called"].py_func()
    assert callable(helper)
    assert helper.__module__ in ("alone", "numpy", "builtins")

"""`parallel=True`: the same results as in a row, bit for bit but for the order of sums over iterations."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import pullback as pb
from pullback.compilation import functions
from pullback.compilation.options import Options
from pullback.emission.names import name_classes
from pullback.frontend.values.arguments import form_of, leaves_of
from pullback.ir.builder import constant
from pullback.ir.checker import check
from pullback.ir.nodes import Block, Carried, For, Function, Value
from pullback.ir.printer import show
from pullback.ir.types import INT
from pullback.passes.loops import cost, parallel
from pullback.runtime.codegen.linking import _catching
from test_programs import PROGRAMS, case_id, check_program

RNG = np.random.default_rng(0)
SIZES = [0, 1, 5, 64, 65, 1000]  # of arrays: none, one, fewer than chunks, as many, one more, many in each


@pytest.fixture(autouse=True)
def every_region(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops run in parallel however little they do."""
    monkeypatch.setattr(cost, "LEAST_WORK", 0)
    monkeypatch.setattr(parallel, "WORK_OF_ELEMENT", 0)


def leaves(value: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in leaves_of(value, form_of(value))]


def assert_same(actual: Any, expected: Any, rtol: float = 0.0) -> None:
    for a, e in zip(leaves(actual), leaves(expected), strict=True):
        assert a.shape == e.shape
        assert a.dtype == e.dtype
        if rtol:
            np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * np.max(np.abs(e), initial=0.0))
        else:
            assert a.tobytes() == e.tobytes()


def regions(function: Callable[..., Any], *arguments: Any, kind: str = "value_and_grad") -> int:
    """How many parallel loops the machine text of a call has."""
    made = pb.differentiable(parallel=True)(function)
    if kind == "primal":
        made(*arguments)
    elif kind == "vjp":
        pb.vjp(made)(*arguments)
    else:
        pb.value_and_grad(made)
        return pb.inspect_source(made, *arguments).count("in prange(")
    found = list(made.engine.made.values())
    texts = [c.machine_text for made in found for c in ([made.forward, made.backward] if kind == "vjp" else [made])]
    return sum(text.count("in prange(") for text in texts)


# Programs


def mapped(x, y):
    for i in range(x.shape[0]):
        y[i] = np.exp(x[i]) * x[i]
    return y


def mapped_rows(x, w):
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = np.tanh(x[i, j] * w[j])
    return y


def array_statement(x):
    return np.sin(x) * np.exp(-x * x)


def loss(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.log(1.0 + np.exp(x[i] * w))
    return s


def loss_of_rows(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        d = 0.0
        for j in range(x.shape[1]):
            d += x[i, j] * w[j]
        s += d * d
    return s


def buffer_of_each_row(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        t = np.empty(x.shape[1])
        for j in range(x.shape[1]):
            t[j] = np.sin(x[i, j]) * w[i]
        for j in range(x.shape[1]):
            s += t[j] * t[x.shape[1] - 1 - j]
    return s


def every_third(x, w):
    s = 0.0
    for i in range(1, x.shape[0], 3):
        s += np.sin(x[i]) * w
    return s


def gathered(x, a):
    y = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        y[i] = a * x[i - 1] + x[i] * x[i] + x[i + 1]
    s = 0.0
    for i in range(x.shape[0]):
        s += y[i] * y[i]
    return s


def branches(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            s += np.sqrt(x[i])
        elif x[i] > 0.2:
            s -= x[i] * w * w
    return s


def newton_in_iterations(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        r = 1.0 + x[i]
        while abs(r * r - x[i] - 1.0) > 1e-9:
            r = 0.5 * (r + (x[i] + 1.0) / r)
        y[i] = r
    return y


SUMS = [
    (loss, lambda n, dtype: (RNG.normal(size=n).astype(dtype), dtype(0.7))),
    (loss_of_rows, lambda n, dtype: (RNG.normal(size=(n, 4)).astype(dtype), RNG.normal(size=4).astype(dtype))),
    (buffer_of_each_row, lambda n, dtype: (RNG.normal(size=(n, 4)).astype(dtype), RNG.normal(size=n).astype(dtype))),
    (every_third, lambda n, dtype: (RNG.normal(size=n).astype(dtype), dtype(0.7))),
    (gathered, lambda n, dtype: (RNG.normal(size=n).astype(dtype), dtype(0.7))),
    (branches, lambda n, dtype: (RNG.random(size=n).astype(dtype), dtype(0.7))),
]
MAPS = [
    (mapped, lambda n: (RNG.normal(size=n), np.zeros(n)), 2),
    (mapped_rows, lambda n: (RNG.normal(size=(n, 5)), RNG.normal(size=5)), 1),
    (array_statement, lambda n: (RNG.normal(size=n),), 2),
    (newton_in_iterations, lambda n: (RNG.random(size=n),), 0),  # its iterations keep lists of numbers
]


def name_of(value: Any) -> str:
    return getattr(value, "__name__", "")


@pytest.mark.drawn(2)
@pytest.mark.parametrize(("function", "arguments", "loops"), MAPS, ids=name_of)
def test_maps_are_equal_bit_for_bit(function, arguments, loops):
    divided = pb.differentiable(parallel=True)(function)
    assert regions(function, *arguments(3), kind="vjp") >= loops
    assert regions(function, *arguments(3), kind="primal") >= 1
    for n in SIZES:
        given = arguments(n)
        results = []
        for one in (divided, pb.differentiable(function)):
            own = [np.array(a) for a in given]
            value, pullback = pb.vjp(one)(*own)
            results.append((value, pullback(np.cos(value)), one(*own), *own))
        assert_same(*results)


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    ("function", "arguments", "dtype"),
    [*((*one, np.float64) for one in SUMS), *((*one, np.float32) for one in SUMS[:2])],
    ids=name_of,
)
def test_sums_are_equal_but_for_their_order(function, arguments, dtype):
    rtol = 1e-12 if dtype is np.float64 else 1e-5
    divided = pb.differentiable(parallel=True)(function)
    assert regions(function, *arguments(9, dtype)) >= 1
    for n in SIZES:
        given = arguments(n, dtype)
        expected = pb.value_and_grad(function, argnums=(0, 1))(*given)
        assert_same(pb.value_and_grad(divided, argnums=(0, 1))(*given), expected, rtol)
        assert_same(divided(*given), pb.differentiable(function)(*given), rtol)


def test_a_sum_does_not_depend_on_the_number_of_threads():
    x = RNG.normal(size=1003)
    derivative = pb.value_and_grad(pb.differentiable(parallel=True)(loss), argnums=(0, 1))
    most = numba.get_num_threads()
    results = []
    try:
        for threads in range(1, most + 1):
            numba.set_num_threads(threads)
            results.append(derivative(x, 0.3))
    finally:
        numba.set_num_threads(most)
    for result in results[1:]:
        assert_same(result, results[0])


def test_two_hundred_runs_are_the_same():
    x, w = RNG.normal(size=(257, 9)), RNG.normal(size=257)
    derivative = pb.value_and_grad(pb.differentiable(parallel=True)(buffer_of_each_row), argnums=(0, 1))
    first = derivative(x, w)
    assert_same(first, pb.value_and_grad(buffer_of_each_row, argnums=(0, 1))(x, w), 1e-12)
    for _ in range(200):
        assert_same(derivative(x, w), first)


def test_arrays_of_any_layout():
    x, w = RNG.normal(size=(70, 9)), RNG.normal(size=9)
    derivative = pb.value_and_grad(pb.differentiable(parallel=True)(loss_of_rows), argnums=(0, 1))
    expected = pb.value_and_grad(loss_of_rows, argnums=(0, 1))(x, w)
    spread = np.zeros((140, 27))
    spread[::2, ::3] = x
    for given in (np.asfortranarray(x), spread[::2, ::3], np.ascontiguousarray(x[::-1])[::-1]):
        assert_same(derivative(given, w), expected, 1e-12)


def test_gradients_written_into_the_arrays_of_a_caller():
    x = RNG.normal(size=130)
    expected = pb.grad(loss)(x, 0.3)
    out = np.full(130, 1e30)
    derivative = pb.grad(pb.differentiable(parallel=True)(loss))
    for _ in range(3):
        assert derivative(x, 0.3, out=out) is out
        assert_same(out, expected)


def test_calls_from_compiled_code():
    derivative = pb.grad(pb.differentiable(parallel=True)(loss))

    @numba.njit
    def descend(x, iterations):
        for _ in range(iterations):
            x = x - 0.1 * derivative(x, 0.3)
        return x

    x = RNG.normal(size=130)
    expected = x
    for _ in range(5):
        expected = expected - 0.1 * pb.grad(loss)(expected, 0.3)
    assert_same(descend(x, 5), expected, 1e-12)


def test_calls_from_parallel_loops_of_a_caller():
    derivative = pb.grad(pb.differentiable(parallel=True)(loss))

    @numba.njit(parallel=True)
    def gradients(x, w):
        out = np.empty(x.shape)
        for i in numba.prange(x.shape[0]):
            out[i] = derivative(x[i], w)
        return out

    x = RNG.normal(size=(20, 130))
    expected = np.array([pb.grad(loss)(row, 0.3) for row in x])
    for _ in range(5):
        assert_same(gradients(x, 0.3), expected, 1e-12)


def test_calls_from_several_threads():
    derivative = pb.grad(pb.differentiable(parallel=True)(buffer_of_each_row))
    x, w = RNG.normal(size=(257, 9)), RNG.normal(size=257)
    first = derivative(x, w)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: derivative(x, w), range(100)):
            assert_same(result, first)


def test_buffers_of_a_plain_call():
    """The loop over strips of iterations."""
    assert regions(buffer_of_each_row, RNG.normal(size=(9, 4)), RNG.normal(size=9), kind="primal") == 1


# What stays as it is


def chain(x, w):
    y = x.copy()
    for i in range(1, x.shape[0]):
        y[i] = w * y[i - 1] * x[i]
    return y[-1]


def carried_number(x, w):
    s = 1.0
    for i in range(x.shape[0]):
        s = s * w + x[i]
    return s


def neighbours_written(x, w):
    y = x.copy()
    for i in range(x.shape[0] - 1):
        y[i] = w * y[i + 1]
    return y[0] * y[1]


def left_early(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 10.0:
            break
        s += x[i] * w
    return s


def buffer_with_a_past(x, w):
    t = np.zeros(3)
    s = 0.0
    for i in range(x.shape[0]):
        s += t[i % 3] * x[i]
        t[(i + 1) % 3] = x[i] * w
    return s


def overlapping_writes(x, w):
    y = np.zeros(x.shape[0] + 1)
    for i in range(x.shape[0]):
        y[i] = x[i] * w
        y[i + 1] = x[i] * x[i]
    return y[0] + y[1]


def read_from_the_end(x, w):
    y = x.copy()
    for i in range(2):
        y[i - 1] = w * y[i]
    return y[0] + y[1]


X = np.array([1.0, 0.5, -0.25, 2.0, 0.1])
IN_A_ROW = [
    (chain, (X, 0.5)),
    (carried_number, (X, 0.5)),
    (neighbours_written, (X, 0.5)),
    (left_early, (X, 0.5)),
    (buffer_with_a_past, (X, 0.5)),
    (overlapping_writes, (X, 0.5)),
    (read_from_the_end, (X, 0.5)),
]


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("function", "arguments"), IN_A_ROW, ids=name_of)
def test_iterations_that_depend_on_one_another_run_in_a_row(function, arguments):
    assert regions(function, *arguments, kind="primal") == 0
    divided = pb.differentiable(parallel=True)(function)
    expected = pb.value_and_grad(function)(*arguments)
    assert_same(pb.value_and_grad(divided)(*arguments), expected, 1e-12)


# Any order


class Backwards:
    """What stands for `prange` here: the iterations from the last to the first, and a count of loops with several."""

    def __init__(self) -> None:
        self.loops = 0

    def __call__(self, iterations: int) -> Iterator[int]:
        self.loops += iterations > 1
        return reversed(range(iterations))


def run_as_text(monkeypatch: pytest.MonkeyPatch, order: Backwards) -> None:
    """Make calls run the machine text as plain Python, with the iterations of parallel loops in another order."""
    made: dict[int, Any] = {}

    def entry(compiled: Any) -> Any:
        if id(compiled) not in made:
            lines = compiled.machine_text.splitlines()
            dropped = (
                "from numba",
                "from pullback.runtime.codegen.linking",
                "@linked",
                "@in_parallel",
                "@apart",
                "@njit",
            )
            lines = [line for line in lines if not line.startswith(dropped)]
            names = name_classes([compiled.function]) | {"prange": order, "catching_errors": _catching}
            exec("\n".join(lines), names)
            made[id(compiled)] = compiled, names[compiled.name]
        return made[id(compiled)][1]

    monkeypatch.setattr(functions.Compiled, "entry", property(entry))
    monkeypatch.setattr(functions.Compiled, "has_gate", False)


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=case_id)
def test_iterations_give_the_same_in_any_order(program, monkeypatch):
    run_as_text(monkeypatch, Backwards())
    check_program(program, parallel=True)


def test_the_order_of_dependent_iterations_would_show(monkeypatch):
    """The test above can fail: a chain that is taken for independent gives something else."""
    monkeypatch.setattr("pullback.analysis.shared_loops.own_axes_of", lambda loop, k, made: {0: ()})
    order = Backwards()
    run_as_text(monkeypatch, order)
    value = pb.differentiable(parallel=True)(chain)(X, 0.5)
    assert order.loops
    assert value != chain(X, 0.5)


# What stands around it


def test_small_loops_run_in_a_row(monkeypatch):
    monkeypatch.undo()
    text = pb.inspect_source(pb.differentiable(parallel=True)(loss_of_rows), RNG.normal(size=(9, 4)), np.ones(4))
    assert re.search(rf"is_long = .* >= {cost.LEAST_WORK}", text)


def test_without_the_option_nothing_changes():
    for function, arguments in SUMS:
        text = pb.inspect_source(pb.differentiable()(function), *arguments(9, np.float64))
        assert "prange" not in text
        assert pb.inspect_source(pb.differentiable(parallel=False)(function), *arguments(9, np.float64)) == text


def test_interpreted_code_is_as_without_the_option():
    x = RNG.normal(size=9)
    derivative = pb.value_and_grad(pb.differentiable(parallel=True, jit=False)(loss))
    assert_same(derivative(x, 0.3), pb.value_and_grad(pb.differentiable(jit=False)(loss))(x, 0.3))


def test_the_option_is_part_of_the_key():
    assert Options(parallel=True).key() != Options().key()


def test_explain_says_which_loops_run_in_parallel():
    x = RNG.normal(size=9)
    assert "; in parallel where" in pb.explain(pb.differentiable(parallel=True)(loss), x, 0.3)
    assert "in parallel" not in pb.explain(loss, x, 0.3)
    assert "in parallel" not in pb.explain(pb.differentiable(parallel=True)(chain), X, 0.5)


def test_the_checker_knows_what_a_parallel_loop_may_carry():
    number = Value("s", INT)
    for carried, parallel_, fits in (((), True, True), ((Carried(Value("t", INT), number),), True, False)):
        body = Block((), tuple(c.parameter for c in carried))
        results = tuple(Value("t", INT) for _ in carried)
        loop = For(Value("i", INT), constant(0), number, constant(1), carried, body, results, parallel=parallel_)
        function = Function("f", (number,), Block((loop,), ()))
        if fits:
            assert "in prange(0, s, 1)" in show(check(function))
        else:
            with pytest.raises(AssertionError, match="parallel loop"):
                check(function)


SCRIPT = """
import json, sys
sys.path.insert(0, {folder!r})
import numpy as np, numba, pullback as pb
from pullback.api.known import KnownCalls
from pullback.passes.loops import cost, parallel
KnownCalls.find = lambda self, kinds, arguments: None
cost.LEAST_WORK = 0
import losses
derivative = pb.grad(pb.differentiable(parallel=True)(losses.f))
gradient = derivative(np.arange(200.0))
(made,) = derivative.engine.made.values()
stats = made.dispatcher.stats
print(json.dumps([gradient.tolist(), sum(stats.cache_hits.values()), made.machine_text.count("in prange")]))
"""


def test_machine_code_of_parallel_loops_is_found_by_the_next_process(tmp_path: Path):
    lines = "import numpy as np\ndef f(x):\n    s = 0.0\n    for i in range(x.shape[0]):\n"
    (tmp_path / "losses.py").write_text(lines + "        s += np.sin(x[i]) ** 2\n    return s\n")
    environment = os.environ | {"PULLBACK_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", SCRIPT.format(folder=str(tmp_path))]
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    (first, hits, loops), (second, more, _) = (json.loads(run.stdout.splitlines()[-1]) for run in runs)
    assert (hits, more, loops) == (0, 1, 1)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, np.sin(2 * np.arange(200.0)), rtol=1e-9, atol=1e-12)

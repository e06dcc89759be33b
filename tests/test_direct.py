"""Calls that run without Python give what the long way gives, and all other calls take the long way."""

import copy
import cProfile
import gc
import inspect
import pickle
import pstats
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, MethodWrapperType
from typing import Any

import numpy as np
import pytest
from numba import njit

import pullback as pb
from pullback.api import known, prepared
from pullback.runtime.codegen import objects
from test_calls import at_hand, outcome, same  # noqa: F401

pytestmark = pytest.mark.usefixtures("at_hand")

FACTORS = [2.0]
WEIGHTS = np.ones(3)
PACKAGE = str(Path(pb.__file__).parent)
ARRAY = np.array([1.0, 2.0, 3.0])


def product(x, y):
    """x y + sin x"""
    return x * y + np.sin(x)


def squares(x):
    return np.sum(x * x)


def scaled(x, a):
    return np.sum(a * x)


def chain(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += (x[i + 1] - x[i] ** 2) ** 2
    return total


def helper(v):
    return v * v


def third(x):
    return 2.0 * x[2]


@njit
def size_of(items):
    return objects.size(items)


@njit
def item_of(items, k):
    return objects.item(items, k)


@njit
def class_of(made):
    return objects.class_of(made)


@njit
def dtype_of(array):
    return objects.dtype_of(array)


@pytest.mark.parametrize("items", [(), (1,), ("a", 2.5, None), tuple(range(1000))])
def test_compiled_code_finds_the_items_of_a_tuple(items: tuple[Any, ...]) -> None:
    assert size_of(id(items)) == len(items)
    assert [item_of(id(items), k) for k in range(len(items))] == list(map(id, items))
    assert class_of(id(items)) == id(tuple)
    assert all(class_of(id(item)) == id(type(item)) for item in (*items, ARRAY, np.float64(1.0), pb))


@pytest.mark.parametrize("array", [ARRAY, np.ones((2, 3), np.float32).T, np.empty(0, ">i2"), np.array(True)])
def test_compiled_code_finds_the_dtype_of_an_array(array: Any) -> None:
    assert dtype_of(id(array)) == id(array.dtype)


def frames_of_ours(call: Callable[..., Any], *arguments: Any) -> list[str]:
    """The functions of the package that run in Python during a call."""
    seen: list[str] = []

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            seen.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        call(*arguments)
    finally:
        sys.setprofile(None)
    return seen


def by_the_long_way(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """The call with the method in Python that stands behind the dispatcher."""
    kind = next(k for k in type(function).__mro__ if isinstance(vars(k).get("__call__"), FunctionType))
    return kind.__call__(function, *arguments, **keywords)


def is_direct(function: Any) -> bool:
    return isinstance(function.__call__, MethodWrapperType)


DIRECT = [
    (pb.grad(product), (2.0, 3.0)),
    (pb.grad(product, (0, 1)), (2.0, 3.0)),
    (pb.grad(product, (1,)), (2.0, 3.0)),
    (pb.value_and_grad(product), (2.0, 3.0)),
    (pb.value_and_grad(product, (1, 0)), (2.0, 3.0)),
    (pb.value_and_grad(product, (0,)), (np.float64(2.0), 3.0)),
    (pb.grad(product), (2.0, 3)),
    (pb.grad(product), (2.0, True)),
    (pb.value_and_grad(squares), (ARRAY,)),
    (pb.grad(squares), (ARRAY.astype(np.float32),)),
    (pb.value_and_grad(squares, (0,)), (np.ones((2, 3)),)),
    (pb.grad(scaled, (0, 1)), (ARRAY, 2.0)),
    (pb.value_and_grad(scaled, (0, 1)), (ARRAY, 2.0)),
    (pb.value_and_grad(chain), (ARRAY,)),
    (pb.differentiable(product), (2.0, 3.0)),
    (pb.differentiable(lambda x: 2.0 * x), (ARRAY,)),
    (pb.differentiable(lambda x, n: n + 1), (ARRAY, 3)),
    (pb.differentiable(lambda x: x > 1.0), (2.0,)),
    (pb.grad(lambda x: np.sum(helper(x))), (ARRAY,)),
    (pb.grad(lambda x: abs(helper(x)) * len((x, x))), (2.0,)),
]


@pytest.mark.parametrize(("function", "arguments"), DIRECT)
def test_second_call_runs_without_python(function: Any, arguments: Any) -> None:
    first = function(*arguments)
    assert not frames_of_ours(function, *arguments)
    assert same(function(*arguments), first)
    assert same(by_the_long_way(function, *arguments), first)


def test_second_call_of_a_new_process_compiles_what_needs_no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (prepared, known):
        monkeypatch.setattr(module, "entry_is_at_hand", lambda: False)
    for function in (pb.grad(product), pb.differentiable(product)):
        first = function(2.0, 3.0)
        assert not is_direct(function)
        assert same(function(2.0, 3.0), first)
        assert is_direct(function)
        assert same(function(2.0, 3.0), first)
        assert not frames_of_ours(function, 2.0, 3.0)


class Model:
    scale = 2.0

    def energy(self, x):
        return self.scale * np.sum(x)


def changed(x):
    x *= 2.0
    return np.sum(x)


def told(x):
    print("told", x)
    return third(x)


IN_PYTHON = [
    (pb.grad(lambda x: np.sum(FACTORS[0] * x)), (ARRAY,)),
    (pb.grad(lambda x: np.sum(ARRAY * x)), (ARRAY,)),
    (pb.grad(lambda x, a=2.0: np.sum(a * x)), (ARRAY,)),
    (pb.grad(lambda p: np.sum(p["x"])), ({"x": ARRAY},)),
    (pb.grad(lambda x: (np.sum(x), x), has_aux=True), (ARRAY,)),
    (pb.grad(Model().energy), (ARRAY,)),
    (pb.grad(changed), (np.ones(3),)),
    (pb.grad(told), (ARRAY,)),
    (pb.grad(squares), (np.float32(2.0),)),
    (pb.grad(squares), (np.array(2.0),)),
    (pb.value_and_grad(squares, ()), (ARRAY,)),
    (pb.grad(pb.differentiable(jit=False)(squares)), (ARRAY,)),
    (pb.differentiable(lambda x: np.float32(x)), (2.0,)),
    (pb.differentiable(lambda x: np.sum(x)), (np.array([1, 2]),)),
    (pb.differentiable(lambda x: (x, x)), (2.0,)),
]


@pytest.mark.parametrize(("function", "arguments"), IN_PYTHON)
def test_what_has_to_be_looked_at_on_each_call_stays_in_python(function: Any, arguments: Any) -> None:
    for _ in range(2):
        function(*arguments)
    assert not is_direct(function)
    assert frames_of_ours(function, *arguments)


def test_helper_that_is_defined_anew_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_helper(x, y):
        return np.sum(helper(x)) * y if isinstance(x, np.ndarray) else x * y

    function = pb.grad(by_helper)
    assert function(2.0, 3.0) == 3.0
    assert is_direct(function)
    for power in (1, 2, 3):
        monkeypatch.setitem(globals(), "helper", [lambda v: v, lambda v: v * v, lambda v: v * v * v][power - 1])
        for _ in range(2):
            assert function(ARRAY, 1.0).tolist() == (power * ARRAY ** (power - 1)).tolist()
            assert function(2.0, 3.0) == 3.0


# Arguments of other kinds


NUMBERS: list[Any] = [
    2.0,
    np.float64(2.0),
    np.float32(2.0),
    2,
    True,
    np.int64(2),
    np.bool_(True),
    2**70,
    1j,
    "2.0",
    None,
]


class Real(float):
    pass


@pytest.mark.parametrize("first", [2.0, np.float64(2.0)], ids=repr)
def test_numbers_of_many_classes_take_turns(first: Any) -> None:
    functions = [pb.value_and_grad(product, (0, 1)), pb.grad(product), pb.differentiable(product)]
    for function in functions:
        function(first, first)
        assert is_direct(function)
        for other in (*NUMBERS, Real(2.0)):
            for arguments in ((other, 3.0), (3.0, other), (first, first)):
                expected = outcome(by_the_long_way, function, *arguments)
                assert same(outcome(function, *arguments), expected), (arguments, expected)


def byte_shifted(x: np.ndarray) -> np.ndarray:
    """The same elements at an odd address."""
    shifted = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    shifted[...] = x
    return shifted


class Labelled(np.ndarray):
    """An array that carries a word along."""

    def __array_finalize__(self, source: Any) -> None:
        self.label = getattr(source, "label", "none")


TABLE = np.arange(12.0).reshape(3, 4)
ARRAYS: list[Any] = [
    *(TABLE, TABLE.T, np.asfortranarray(TABLE), TABLE[::2, ::-1], byte_shifted(TABLE), TABLE.astype(">f8")),
    *(np.broadcast_to(TABLE[0], (3, 4)), TABLE.view(Labelled), np.ma.masked_less(TABLE, 3.0), TABLE.view(np.matrix)),
    *(np.ones((0, 4)), TABLE.astype(np.float32), TABLE.astype(int), TABLE.astype(np.longdouble), TABLE > 3.0),
    *(TABLE[0], np.array(3.0), TABLE[None], np.ones((1,) * 6), byte_shifted(np.ones((1,) * 6)), TABLE.tolist()),
]


def weighted(x):
    return np.sum(WEIGHTS * x)


@pytest.mark.parametrize("x", [TABLE, np.ones((1,) * 6), np.array(3.0)], ids=["table", "six axes", "no axes"])
def test_bytes_in_the_other_order_are_noticed_after_an_odd_address(x: np.ndarray, monkeypatch: Any) -> None:
    """Numba's dispatcher remembers one type for both."""
    gradient, by_weights = pb.grad(squares), pb.grad(weighted)
    monkeypatch.setitem(globals(), "WEIGHTS", x)
    out = np.empty_like(x)
    gradient(x), by_weights(x), gradient(x, out=out)
    for other in (byte_shifted(x), x.astype(">f8")):
        monkeypatch.setitem(globals(), "WEIGHTS", other)
        for _ in range(2):
            assert same(gradient(other), np.asarray(2.0 * x))
            assert same(by_weights(x), x)
            out = np.empty_like(other)
            assert gradient(x, out=out).tolist() == (2.0 * x).tolist()


def test_arrays_of_many_kinds_take_turns() -> None:
    for function in (pb.value_and_grad(squares), pb.differentiable(lambda x: 2.0 * x)):
        function(TABLE)
        assert is_direct(function)
        for _ in range(2):
            for other in ARRAYS:
                expected = outcome(by_the_long_way, function, other)
                assert same(outcome(function, other), expected), (other, expected)
                assert same(function(TABLE), by_the_long_way(function, TABLE))


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        *(((), {}), ((1.0,), {}), ((1.0, 2.0, 3.0), {}), ((1.0,) * 30, {}), ((1.0, 2.0), {"z": 3.0})),
        *(((1.0,), {"z": 3.0}), ((1.0, 2.0), {"y": 3.0}), ((1.0,), {"y": 2.0}), ((), {"y": 2.0, "x": 1.0})),
        *(((1.0, 2.0), {"out": None}), ((1.0, 2.0), {"out": (1.0, 2.0)}), (([],), {}), ((object(), 1.0), {})),
    ],
)
def test_other_numbers_of_arguments_and_keywords(arguments: Any, keywords: Any) -> None:
    for make in (lambda f: pb.grad(f, (0, 1)), pb.differentiable):
        function = make(product)
        expected = outcome(lambda f=function: f(*arguments, **keywords))
        function(1.0, 2.0)
        assert is_direct(function)
        assert same(outcome(lambda f=function: f(*arguments, **keywords)), expected)
        assert same(function(1.0, 2.0), by_the_long_way(function, 1.0, 2.0))


def test_gradients_are_written_where_out_says() -> None:
    function, out = pb.value_and_grad(scaled, (0, 1)), np.empty(3)
    function(ARRAY, 2.0)
    assert is_direct(function)
    for a in (2.0, 5.0):
        assert function(ARRAY, a, out=(out, None))[1][0] is out
        assert out.tolist() == [a, a, a]
        assert function(ARRAY, a)[1][0] is not out


# Errors


def guarded(x):
    if x[0] < 0.0:
        raise ValueError("negative")
    return np.sum(x) // x[0]


@pytest.mark.parametrize(
    ("function", "bad", "error", "message"),
    [
        (pb.grad(third), (ARRAY[:2],), IndexError, "out of bounds"),
        (pb.grad(guarded), (-ARRAY,), ValueError, "negative"),
        (pb.grad(lambda x, y: np.sum(x * y)), (ARRAY, ARRAY[:2]), ValueError, "could not be broadcast"),
        (pb.grad(lambda x: np.sum(np.linalg.inv(x))), (np.zeros((3, 3)),), np.linalg.LinAlgError, "ingular"),
    ],
)
def test_errors_have_message_and_place(function: Any, bad: Any, error: type[Exception], message: str) -> None:
    good = tuple(np.eye(3) if x.ndim == 2 else ARRAY for x in bad)
    expected = function(*good)
    assert is_direct(function)
    for _ in range(2):
        with pytest.raises(error, match=message) as raised:
            function(*bad)
        assert "test_direct.py" in raised.value.__notes__[0]
        assert same(function(*good), expected)


def test_arrays_of_other_sizes_than_assumed() -> None:
    function = pb.grad(lambda x, y: np.sum(x * y))
    function(ARRAY, ARRAY)
    assert is_direct(function)
    for _ in range(2):
        assert function(ARRAY, np.array([5.0])).tolist() == [5.0, 5.0, 5.0]
        assert function(np.array([5.0]), ARRAY).tolist() == [6.0]
        assert function(ARRAY, ARRAY).tolist() == ARRAY.tolist()


# What stands around a call


def test_attributes_stay_as_they_were() -> None:
    for make in (pb.grad, pb.differentiable):
        before, after = make(product), make(product)
        after(1.0, 2.0)
        assert is_direct(after)
        assert not is_direct(before)
        for read in (repr, inspect.signature, inspect.getdoc, callable):
            assert read(after) == read(before)
        assert (after.__name__, type(after).__name__) == (before.__name__, type(before).__name__)
        assert isinstance(after, type(before))


def test_the_gradient_of_a_gradient_is_that_of_one_that_was_not_called() -> None:
    before, after = pb.grad(product), pb.grad(product)
    after(1.0, 2.0)
    assert is_direct(after)
    for argnums in (0, 1):
        assert pb.grad(after, argnums)(1.0, 2.0) == pb.grad(before, argnums)(1.0, 2.0)


def test_copies_and_pickles() -> None:
    gradient, function = pb.grad(product), pb.differentiable(product)
    gradient(1.0, 2.0), function(1.0, 2.0)
    for original in (gradient, function):
        for twin in (copy.copy(original), copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
            assert twin is not original
            for _ in range(2):
                assert same(twin(1.0, 2.0), original(1.0, 2.0))


def test_calls_from_compiled_code() -> None:
    gradient, function = pb.grad(squares), pb.differentiable(squares)
    gradient(ARRAY), function(ARRAY)
    assert is_direct(gradient)
    assert is_direct(function)

    @njit
    def outer(x):
        return function(x) + np.sum(gradient(x))

    @njit
    def applied(f, x):
        return f(x)

    assert outer(ARRAY) == 14.0 + 12.0
    assert applied(function, ARRAY) == 14.0
    assert function(ARRAY) == 14.0


def test_callables_references_and_arguments_are_let_go() -> None:
    function = pb.grad(product)
    function(1.0, 2.0)
    alive = weakref.ref(function)
    del function
    gc.collect()
    assert alive() is None
    by_index, x = pb.differentiable(third), np.ones(3)
    by_index(x)
    # Numba counts up the references of np.ndarray for each array that it returns, and of an array where it raises.
    counted = (x, np.ndarray, by_index._long_way)
    before = [sys.getrefcount(o) for o in counted]
    for _ in range(100):
        by_index(x)
        outcome(by_index, x, x)
        by_index(x=x)
    gc.collect()
    grown = [sys.getrefcount(o) - count for o, count in zip(counted, before, strict=True)]
    assert max(grown) < 10


def test_profilers_see_the_generated_function() -> None:
    function = pb.grad(product)
    function(1.0, 2.0)
    profile = cProfile.Profile()
    with profile:
        for _ in range(7):
            function(1.0, 2.0)
    calls = {name: count for (_, _, name), (_, count, *_) in pstats.Stats(profile).stats.items()}
    assert calls["product_grad"] == 7


def test_threads_that_make_the_first_call_together() -> None:
    start, results = threading.Barrier(4), []
    function = pb.value_and_grad(scaled, (0, 1))
    kinds = (ARRAY, ARRAY.astype(np.float32), np.ones((2, 2)), np.ones((2, 2), order="F"))

    def work(k: int) -> None:
        start.wait()
        for n in range(400):
            x = kinds[(k + n) % 4]
            results.append(same(function(x, 2.0)[1], (np.full_like(x, 2.0, order="C"), float(np.sum(x)))))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert is_direct(function)
    assert results == [True] * 1600
    assert not frames_of_ours(function, ARRAY, 2.0)

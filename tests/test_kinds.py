"""Arrays of all kinds, interpreted, compiled and on tapes: as the plain call has it, or refused by a sentence."""

from __future__ import annotations

import fractions
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import oracle
import pullback as pb

rng = np.random.default_rng(7)
VALUES = rng.uniform(0.2, 1.2, 24)


def row(step: int = 1, dtype: Any = float) -> np.ndarray:
    """Five elements of a longer array, that many places apart."""
    return VALUES.copy().astype(dtype)[::step][:5]


def table(dtype: Any = float) -> np.ndarray:
    return VALUES[:12].astype(dtype).reshape(4, 3)


def unaligned(x: np.ndarray) -> np.ndarray:
    """The same elements at odd addresses."""
    memory = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    memory[...] = x
    return memory


def read_only(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


def mapped(x: np.ndarray) -> np.ndarray:
    """The same elements in a file."""
    with tempfile.TemporaryFile() as file:
        found = np.memmap(file, x.dtype, "w+", shape=x.shape)
    found[...] = x
    return found


class Plain(np.ndarray):
    pass


class Reflected(np.ndarray):
    def __mul__(self, other: Any) -> Any:
        return 5.0


class Foreign:
    __module__ = "torch"
    shape = (5,)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return row()


KINDS: dict[str, Callable[[], Any]] = {
    "row": row,
    "every second": lambda: row(2),
    "backwards": lambda: row(-1),
    "every second backwards": lambda: row(-2),
    "unaligned": lambda: unaligned(row()),
    "unaligned backwards": lambda: unaligned(row())[::-1],
    "the other byte order": lambda: row(dtype=">f8"),
    "the other byte order, every second": lambda: row(2, ">f8"),
    "read-only": lambda: read_only(row()),
    "read-only backwards": lambda: read_only(row(-1)),
    "broadcast": lambda: np.broadcast_to(np.array(0.7), (5,)),
    "no elements": lambda: np.zeros(0),
    "one element": lambda: row()[:1],
    "mapped": lambda: mapped(row()),
    "subclass": lambda: row().view(Plain),
    "subclass backwards": lambda: row(-1).view(Plain),
    "field": lambda: np.rec.fromarrays([row(), row()], names="a,b").view(np.ndarray)["a"],
    "from a buffer": lambda: np.frombuffer(row().tobytes()),
    "from a bytearray": lambda: np.frombuffer(bytearray(row().tobytes())),
    "windows": lambda: np.lib.stride_tricks.as_strided(row(), (4,), (4,))[::2],
    "float32": lambda: row(dtype=np.float32),
    "integers": lambda: np.arange(5),
    "truth values": lambda: np.arange(5) % 2 == 0,
    "bytes": lambda: np.arange(5, dtype=np.uint8),
    "table": table,
    "Fortran": lambda: np.asfortranarray(table()),
    "transposed": lambda: table().T,
    "part of a table": lambda: VALUES.copy().reshape(4, 6)[::2, 1:4],
    "table backwards": lambda: table()[::-1, ::-1],
    "rows broadcast": lambda: np.broadcast_to(row()[:3], (4, 3)),
    "columns broadcast": lambda: np.broadcast_to(row()[:4, None], (4, 3)),
    "overlapping windows": lambda: np.lib.stride_tricks.as_strided(VALUES.copy(), (4, 3), (8, 8)),
    "sliding windows": lambda: np.lib.stride_tricks.sliding_window_view(VALUES[:6].copy(), 3),
    "no columns": lambda: np.zeros((4, 0)),
    "diagonal": lambda: table()[:3].diagonal(),
    "real parts": lambda: (table() + 1j).real,
    "no axes": lambda: np.array(0.7),
    "number of NumPy": lambda: np.float64(0.7),
    "float16": lambda: row(dtype=np.float16),
    "longdouble": lambda: row(dtype=np.longdouble),
    "long complex": lambda: row(dtype=np.clongdouble),
    "objects": lambda: row().astype(object),
    "fractions": lambda: np.array([fractions.Fraction(1, 3)] * 5),
    "dates": lambda: np.arange(5).astype("M8[D]"),
    "matrix": lambda: np.matrix(table()),
    "masked": lambda: np.ma.array(row(), mask=[0, 1, 0, 0, 0]),
    "operator": lambda: row().view(Reflected),
    "another package": Foreign,
}
REFUSED = {"float16", "longdouble", "long complex", "objects", "fractions", "dates", "matrix", "masked", "operator"}
REFUSED |= {"another package"}


def reduced(x):
    return np.sum(np.sin(x) * x)


def looped(x):
    s = 0.0
    for i in range(x.shape[0]):
        s = 0.5 * s + np.sum(x[i] * x[i])
    return s


def multiplied(x):
    return np.sum(np.tanh(x @ x.T))


def written(x):
    x[0] = 2.0 * x[-1]
    x[1:] += x[:-1]
    return x * 1.0


FUNCTIONS = [reduced, looped, multiplied]
COMPILED = {f: (pb.differentiable(f), pb.value_and_grad(f)) for f in (*FUNCTIONS, written)}
INTERPRETED = {
    f: (pb.differentiable(jit=False)(f), pb.value_and_grad(pb.differentiable(jit=False)(f)))
    for f in (*FUNCTIONS, written)
}


def by_tape(function: Callable[..., Any]) -> tuple[Any, Any]:
    def plainly(x: Any) -> Any:
        return function(pb.constant(x)).numpy()

    def value_and_grad(x: Any) -> Any:
        w = pb.constant(x)
        with pb.GradientTape() as tape:
            tape.watch(w)
            y = function(w)
        if not isinstance(y, pb.Tensor):  # of no iterations
            return y, np.zeros(w.shape)
        return y.numpy(), tape.gradient(y, w).numpy()

    return lambda x: value_and_grad(x)[0] if np.asarray(x).dtype.kind == "f" else plainly(x), value_and_grad


TAPE = {f: by_tape(f) for f in FUNCTIONS}


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or the classes of NumPy's or Python's error."""
    try:
        return call()
    except Exception as error:
        return error


def alike(error: Exception, plain: Any) -> bool:
    """Whether an error is that of the plain call, or says in a sentence of ours what is not taken."""
    named = isinstance(error, pb.PullbackError)
    return named or (isinstance(plain, Exception) and isinstance(error, type(plain) | ValueError))


TAKEN = [kind for kind in KINDS if kind not in REFUSED]
OF_OTHER_TYPES = {"float32", "integers", "truth values", "bytes", "no axes", "number of NumPy"}
MODES = {"interpreted": INTERPRETED, "compiled": COMPILED, "tape": TAPE}


def cases() -> list[Any]:
    """All kinds in all modes; other types of numbers are compiled for the first function alone."""
    return [
        pytest.param(kind, modes, function, id=f"{kind}-{mode}-{function.__name__}")
        for kind in TAKEN
        for mode, modes in MODES.items()
        for function in FUNCTIONS
        if mode != "compiled" or function is reduced or kind not in OF_OTHER_TYPES
    ]


@pytest.mark.drawn(110)
@pytest.mark.parametrize(("kind", "modes", "function"), cases())
@pytest.mark.filterwarnings("ignore:a (source|tensor) of")
def test_a_kind_of_array_gives_the_plain_value_and_the_gradient(kind: str, modes: Any, function: Any) -> None:
    plain = outcome(lambda: function(KINDS[kind]()))
    primal, value_and_grad = modes[function]
    value = outcome(lambda: primal(KINDS[kind]()))
    if isinstance(plain, Exception) or isinstance(value, Exception):
        assert isinstance(value, Exception)
        assert alike(value, plain), value
        return
    np.testing.assert_allclose(value, plain, rtol=1e-5 if np.asarray(plain).dtype == np.float32 else 1e-12)
    assert np.asarray(value).dtype == np.asarray(plain).dtype
    x = KINDS[kind]()
    found = outcome(lambda: value_and_grad(x))
    if x.dtype.kind != "f":
        assert isinstance(found, AttributeError if modes is TAPE else pb.TypingError)
        return
    assert not isinstance(found, Exception), found
    _, expected = oracle.gradient(function, (np.array(x, x.dtype.newbyteorder("=")),), 0)
    np.testing.assert_allclose(found[1], expected, rtol=1e-4 if x.dtype == np.float32 else 1e-10)
    assert np.shape(found[1]) == x.shape
    assert np.array_equal(x, KINDS[kind]())


@pytest.mark.parametrize("modes", [INTERPRETED, COMPILED], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("kind", [kind for kind in TAKEN if kind not in OF_OTHER_TYPES])
def test_a_kind_of_array_is_written_as_by_the_plain_call(kind: str, modes: Any) -> None:
    x, y = KINDS[kind](), KINDS[kind]()
    plain, value = outcome(lambda: written(x)), outcome(lambda: modes[written][0](y))
    if isinstance(value, Exception):
        assert alike(value, plain), (value, plain)
        return
    assert not isinstance(plain, Exception), plain
    np.testing.assert_allclose(value, plain, rtol=1e-6)
    np.testing.assert_allclose(y, x, rtol=1e-6)


@pytest.mark.parametrize("modes", [INTERPRETED, COMPILED, TAPE], ids=["interpreted", "compiled", "tape"])
@pytest.mark.parametrize("kind", sorted(REFUSED))
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_kind_of_value_is_refused_by_a_sentence(kind: str, modes: Any) -> None:
    x = KINDS[kind]()
    if modes is TAPE and kind in ("float16", "longdouble"):
        assert modes[reduced][1](x)[1].dtype == x.dtype
        return
    for call in modes[reduced]:
        with pytest.raises(pb.TypingError, match=r"argument 'x' |'value' |real numbers"):
            call(x)


def test_overlapping_elements_are_not_written() -> None:
    for f in (COMPILED, INTERPRETED):
        with pytest.raises(pb.AliasError, match="'x' is written and has elements that share memory"):
            f[written][0](KINDS["overlapping windows"]())


class Doubled(list):
    def __getitem__(self, k: Any) -> Any:
        return 2 * list.__getitem__(self, k)


class Longer(tuple):
    def __len__(self) -> int:
        return 7


class Fewer(dict):
    def values(self) -> Any:
        return [1.0]


class Named(list):
    title = "named"

    def shown(self) -> str:
        return self.title


class Pair(NamedTuple):
    first: float
    second: float

    def __add__(self, other: Any) -> Any:
        return Pair(self.first + other.first, self.second + other.second)


@pytest.mark.parametrize("value", [Doubled([1.0]), Longer((1.0,)), Fewer(a=1.0)])
def test_a_container_with_operations_of_its_own_is_refused(value: Any) -> None:
    def outside(x: Any) -> Any:
        return x * len(value)

    with pytest.raises(pb.TypingError, match=r"whose operations are not those of a (list|tuple|dict)"):
        pb.differentiable(outside, jit=False)(0.5)
    with pytest.raises(pb.TypingError, match=r"'c' is of class .*, whose operations are not those of a"):
        pb.differentiable(lambda x, c: x * len(c), jit=False)(0.5, value)


def test_a_container_with_other_methods_is_one_of_its_base() -> None:
    function = pb.differentiable(lambda x, c: x * sum(c) * len(c), jit=False)
    assert function(0.5, Named([1.0, 2.0])) == 3.0
    assert pb.differentiable(lambda p: (p + p).first * p[1], jit=False)(Pair(1.0, 3.0)) == 6.0

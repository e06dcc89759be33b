"""`out=`: a gradient that is written into the caller's array equals the one in fresh memory, on every call."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.values.arguments import form_of, leaves_of, rebuild
from pullback.ir import primitives
from pullback.ir.checker import check
from pullback.ir.nodes import Let, walk
from pullback.passes.memory.copy_insertion import insert_copies
from pullback.passes.memory.destination_passing import pass_destinations
from test_programs import PROGRAMS, assert_close, case_id

MODES = pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
BEFORE = 1e30  # in the lent memory before a call: whatever is added to it instead of written is lost


def lent(gradient: Any) -> Any:
    """Arrays for a gradient like this one; None for its numbers."""
    form = form_of(gradient)
    leaves = [np.full_like(g, BEFORE) if isinstance(g, np.ndarray) else None for g in leaves_of(gradient, form)]
    return rebuild(form, iter(leaves))


def arrays_of(gradient: Any) -> list[np.ndarray]:
    return [leaf for leaf in leaves_of(gradient, form_of(gradient)) if isinstance(leaf, np.ndarray)]


def check_out(
    function: Any, fresh: Callable[[], tuple[Any, ...]], argnums: Any = 0, makers: Any = (pb.grad, pb.value_and_grad)
) -> None:
    """Derivatives with lent memory, three times over, against the same with fresh memory."""
    for make in makers:
        derivative = make(function, argnums)
        expected = derivative(*fresh())
        gradient = expected[1] if make is pb.value_and_grad else expected
        out = lent(gradient)
        for _ in range(3):
            arguments, changed = fresh(), fresh()
            got = derivative(*arguments, out=out)
            assert_close(got, expected, 1e-13, make.__name__)
            got_gradient = got[1] if make is pb.value_and_grad else got
            assert all(a is b for a, b in zip(arrays_of(got_gradient), arrays_of(out), strict=True))
            derivative(*changed)
            assert_close(arguments, changed, 0.0, "arguments afterwards")


SCALAR = [program for program in PROGRAMS if all(sample.cotangent is None for sample in program.samples)]


@pytest.mark.drawn(8)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", SCALAR, ids=case_id)
def test_programs(program: Any) -> None:
    function = pb.differentiable(jit=False)(program.function)
    for sample in program.samples:
        check_out(function, sample.fresh, sample.wrt)


@pytest.mark.drawn(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("make", [pb.grad, pb.value_and_grad], ids=lambda make: make.__name__)
@pytest.mark.parametrize("program", SCALAR, ids=case_id)
def test_compiled_programs(program: Any, make: Any) -> None:
    sample = program.samples[0]
    check_out(program.function, sample.fresh, sample.wrt, [make])


# Where the gradient is made


def sums(x, a):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(a * x[i])
    return total


def sweeps(x, a):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] = np.tanh(a * y[i - 1]) if y[i] > 0.0 else 0.0
    return y[-1]


def whole(x, a):
    return a * np.sum(x * x)


def linear(x, a):
    return a * np.sum(x)


def without_influence(x, a):
    return a * x.shape[0]


def chosen(x, a):
    if a > 1.0:
        return np.sum(x * x)
    return np.sum(np.exp(x)) * x[0]


def changes(x, a):
    x[1:] *= a
    x += 1.0
    return np.sum(x * x * x)


def of_two(x, y):
    return np.dot(x, y) + np.sum(x)


IN_PLACE = [sums, sweeps, whole, linear, without_influence, changes]


def gradient_with_out(function: Any, *arguments: Any) -> Any:
    """The normal form of the gradient that is written into the memory of the caller's, before the copies."""
    engine = pb.differentiable(jit=False)(function).engine
    forms = {name: form_of(a) for name, a in zip(engine.signature.parameters, arguments, strict=True)}
    joint = engine.build(forms).code.derivative("grad", (0,)).function
    return pass_destinations(joint, {0: joint.parameters[0]})


@pytest.mark.parametrize("function", IN_PLACE)
def test_gradient_is_made_in_the_lent_memory(function: Any) -> None:
    """Nothing of its size is made for the gradient alone, and it is not copied at the end."""
    made = insert_copies(check(gradient_with_out(function, np.array([0.3, -0.4, 0.5]), 0.7)))
    check(made, linear=True)
    assert [p.name for p in made.parameters] == ["x", "a", "x_bar"]
    assert made.results == ()
    versions = [s for s in walk(made.body) if isinstance(s, Let) and s.value.name == "x_bar"]
    assert versions[0].function is primitives.shaped_like
    assert all(s.function in primitives.CONSUMING for s in versions)


CALLED = [(f, dtype, False) for f in (*IN_PLACE, chosen) for dtype in (np.float64, np.float32)]
CALLED += [(f, np.float64, True) for f in (*IN_PLACE, chosen)] + [(whole, np.float32, True)]


@pytest.mark.drawn(7)
@pytest.mark.parametrize(("function", "dtype", "jit"), CALLED)
def test_gradient_of_an_array(function: Any, dtype: Any, jit: bool) -> None:
    check_out(pb.differentiable(jit=jit)(function), lambda: (np.array([0.3, 0.4, 0.5], dtype), 0.7))


@MODES
def test_arrays_of_every_rank(jit: bool) -> None:
    def f(x):
        return np.sum(x * x) + np.sum(np.sin(x))

    function = pb.differentiable(jit=jit)(f)
    for x in (np.array(0.5), np.empty(0), np.ones((2, 0)), np.arange(6.0).reshape(2, 3)):
        check_out(function, lambda x=x: (x,))


# Several arrays, numbers, structures


@MODES
def test_list_of_arrays_is_as_good_as_a_tuple(jit: bool) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(of_two), (0, 1))
    x, y, out = np.array([1.0, 2.0]), np.array([3.0, 4.0]), [np.empty(2), None]
    for _ in range(2):
        gradients = function(x, y, out=out)
        assert type(gradients) is tuple
        assert gradients[0] is out[0]
        assert [g.tolist() for g in gradients] == [[4.0, 5.0], [1.0, 2.0]]


@pytest.mark.drawn(4)
@MODES
@pytest.mark.parametrize("argnums", [(0, 1), (1, 0), (1,), ("y", "x")])
def test_tuple_of_argnums(argnums: Any, jit: bool) -> None:
    check_out(pb.differentiable(jit=jit)(of_two), lambda: (np.array([1.0, 2.0]), np.array([3.0, 4.0])), argnums)


@MODES
def test_none_makes_a_new_array_each_time(jit: bool) -> None:
    function = pb.value_and_grad(pb.differentiable(jit=jit)(of_two), (0, 1))
    x, y, out = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.empty(2)
    made = []
    for _ in range(2):
        for given, k in (((out, None), 0), ((None, out), 1), ((None, None), 2)):
            value, gradients = function(x, y, out=given)
            assert value == 14.0
            assert [g.tolist() for g in gradients] == [[4.0, 5.0], [1.0, 2.0]]
            assert [g is out for g in gradients] == [k == 0, k == 1]
            made += [g for g in gradients if g is not out]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(made) for b in [*made[:k], out])
    assert function(x, y, out=None)[1][0].tolist() == [4.0, 5.0]


@MODES
def test_one_argument_twice_is_written_twice(jit: bool) -> None:
    check_out(pb.differentiable(jit=jit)(sums), lambda: (np.array([0.3, 0.4]), 0.7), (0, 0, 1))


class Point(NamedTuple):
    a: float
    b: np.ndarray


@dataclass
class Layer:
    w: np.ndarray
    name: str


@MODES
def test_structures(jit: bool) -> None:
    def f(p, q):
        total = np.sum(p["point"].b * q[0]) * p["point"].a
        return total + np.sum(p["layer"].w * p["layer"].w) + np.sum(q[1])

    point, layer = Point(2.0, np.array([1.0, 2.0])), Layer(np.array([3.0]), "first")
    function = pb.differentiable(jit=jit)(f)
    check_out(function, lambda: ({"point": point, "layer": layer}, [np.array([5.0, 6.0]), np.ones(1)]), (0, 1))

    b = np.empty(2)
    arguments = {"point": point, "layer": layer}, [np.array([5.0, 6.0]), np.ones(1)]
    got = pb.grad(function)(*arguments, out={"point": Point(None, b), "layer": None})
    assert got["point"].b is b
    assert b.tolist() == [10.0, 12.0]
    assert got["point"].a == 17.0
    assert got["layer"].w.tolist() == [6.0]


@MODES
def test_has_aux(jit: bool) -> None:
    def f(x):
        y = 2.0 * x
        return np.sum(y), y

    function = pb.differentiable(jit=jit)(f)
    out = np.empty(2)
    for _ in range(2):
        gradient, aux = pb.grad(function, has_aux=True)(np.array([1.0, 5.0]), out=out)
        assert gradient is out
        assert (out.tolist(), aux.tolist()) == ([2.0, 2.0], [2.0, 10.0])
        assert not np.shares_memory(out, aux)


def test_captured_array_and_keyword() -> None:
    weights = np.array([1.0, 3.0])

    def f(x, scale=1.0):
        return scale * np.sum(weights * x)

    function, out = pb.grad(pb.differentiable(jit=False)(f)), np.empty(2)
    assert function(np.ones(2), scale=2.0, out=out) is out
    assert out.tolist() == [2.0, 6.0]
    with pytest.raises(pb.AliasError, match="out for 'x' shares memory with 'weights'"):
        function(np.ones(2), out=weights)


def test_parameter_of_that_name_is_an_argument():
    def f(x, out):
        return np.sum(x) * out

    assert pb.grad(pb.differentiable(jit=False)(f))(np.ones(2), out=3.0).tolist() == [3.0, 3.0]


# What memory may be lent


def layouts(shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    size = int(np.prod(shape))
    return {
        "strided": np.full((shape[0] * 2, shape[1]), BEFORE)[::2],
        "fortran": np.full(shape, BEFORE, order="F"),
        "big-endian": np.full(shape, BEFORE, ">f8"),
        "unaligned": np.frombuffer(bytearray(size * 8 + 1), np.float64, size, 1).reshape(shape),
        "subclass": np.full(shape, BEFORE).view(np.recarray),
    }


@MODES
def test_memory_of_every_layout(jit: bool) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(whole))
    x = np.arange(6.0).reshape(3, 2)
    for layout, out in layouts(x.shape).items():
        for _ in range(2):
            assert function(x, 0.5, out=out) is out
            assert out.tolist() == x.tolist(), layout


@MODES
def test_argument_of_another_layout(jit: bool) -> None:
    function, out = pb.grad(pb.differentiable(jit=jit)(whole)), np.empty((2, 2))
    square = np.arange(16.0).reshape(4, 4)
    for x in (square[:2, :2], square[::2, ::2], square.T[:2, 2:], square[:2, :2].copy()):
        for _ in range(2):
            assert function(x, 0.5, out=out).tolist() == x.tolist()


READ_ONLY = np.ones(3)
READ_ONLY.flags.writeable = False
REFUSED = [
    (np.ones(4), pb.ShapeError, "out for 'x' must be an array of float64 with shape (3,), not with shape (4,)"),
    (np.ones((3, 1)), pb.ShapeError, "not with shape (3, 1)"),
    (np.ones(()), pb.ShapeError, "not with shape ()"),
    (np.ones(3, np.float32), pb.TypingError, "must be an array of float64 with shape (3,), not of float32"),
    (np.ones(3, int), pb.TypingError, "not of int64"),
    ([0.0, 0.0, 0.0], pb.TypingError, "must be an array of float64 with shape (3,), not a list"),
    (1.0, pb.TypingError, "not a float"),
    ((np.ones(3),), pb.TypingError, "not a tuple"),
    (READ_ONLY, pb.TypingError, "out for 'x' is read-only"),
]


@MODES
def test_other_memory_is_refused(jit: bool) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(whole))
    x = np.ones(3)
    for _ in range(2):
        for out, error, message in REFUSED:
            with pytest.raises(error, match=re.escape(message)):
                function(x, 2.0, out=out)
        assert function(x, 2.0, out=np.empty(3)).tolist() == [4.0, 4.0, 4.0]


def test_other_structure_is_refused():
    def f(p, a):
        return np.sum(p["w"][0] * a) if p["kind"] == "sum" else a

    function = pb.grad(pb.differentiable(jit=False)(f), (0, 1))
    arguments = {"w": (np.ones(2),), "kind": "sum"}, 3.0
    x = np.empty(2)
    for out, message in [
        (x, "out must be a tuple of 2, one for each of argnums"),
        ((x,), "out must be a tuple of 2"),
        ((None, x), "out for 'a' must be None, because the gradient is a number"),
        (({"w": (x,)}, None), "out must have the keys of its argument, 'w', 'kind'"),
        (({"w": [x], "kind": None}, None), "out must be a tuple of 1, as its argument is"),
        (({"w": (x, x), "kind": None}, None), "out must be a tuple of 1, as its argument is"),
        (({"w": (x,), "kind": x}, None), "out has a part that is no number or array"),
    ]:
        with pytest.raises(pb.TypingError, match=re.escape(message)):
            function(*arguments, out=out)


@MODES
def test_memory_that_is_read_or_lent_twice_is_refused(jit: bool) -> None:
    function = pb.grad(pb.differentiable(jit=jit)(of_two), (0, 1))
    memory, x, y = np.arange(8.0), np.ones(3), np.ones(3)
    cases = [
        ((x, y), (x, None), "out for 'x' shares memory with 'x'"),
        ((x, y), (None, x), "out for 'y' shares memory with 'x'"),
        ((memory[:3], y), (memory[2:5], None), "out for 'x' shares memory with 'x'"),
        ((x, y), (memory[:3], memory[2:5]), "out for 'y' shares memory with out for 'x'"),
        ((memory[::3], y), (memory[3:6], None), "out for 'x' shares memory with 'x'"),
    ]
    function(x, y, out=(np.empty(3), np.empty(3)))
    for _ in range(2):
        for arguments, out, message in cases:
            with pytest.raises(pb.AliasError, match=message):
                function(*arguments, out=out)
    assert memory.tolist() == np.arange(8.0).tolist()
    gradients = function(memory[:3], y, out=(memory[3:6], None))
    assert memory.tolist() == [0.0, 1.0, 2.0, 2.0, 2.0, 2.0, 6.0, 7.0]
    assert gradients[1].tolist() == [0.0, 1.0, 2.0]


@MODES
def test_error_of_the_program_names_the_users_line(jit: bool) -> None:
    def f(x, k):
        return x[k] * 3.0

    function, out = pb.grad(pb.differentiable(jit=jit)(f)), np.empty(3)
    for _ in range(2):
        assert function(np.ones(3), 1, out=out).tolist() == [0.0, 3.0, 0.0]
        with pytest.raises(IndexError) as caught:
            function(np.ones(3), 3, out=out)
        assert "return x[k] * 3.0" in "\n".join(caught.value.__notes__)

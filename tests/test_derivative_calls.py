"""Derivatives of other functions inside of differentiable ones, in compiled code, and under tapes."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import optimize, sparse

import cells
import pullback as pb
from pullback.api.sparsity import detected

X = np.array([0.3, 1.2, -0.7])
V = np.array([1.0, 2.0, 3.0])
MODES = pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])


def scaled_in_place(y):
    y *= 2.0
    return np.sum(y**2)


def writes_the_argument(x):
    y = x.copy()
    g = pb.grad(scaled_in_place)(y)
    return np.sum(g * y)


def closure_of_the_same_array(x):
    def inner(y):
        return np.sum(y * x)

    return np.sum(pb.grad(inner)(x) ** 2)


def by_the_same_array_twice(x):
    a, b = pb.grad(lambda p, q: np.sum(p * q**2), (0, 1))(x, x)
    return np.sum(a) + np.sum(b * x)


def value_and_tangent_are_fresh(x):
    y, t = pb.jvp(lambda z: z, (x,), (V,))
    t[0] = 100.0 * x[1]
    y[0] = 7.0
    return np.sum(y * t + x)


def descent(x):
    for i in range(4):
        if x[0] > 0.0:
            x = x - 0.1 * pb.grad(lambda z: np.sum(np.sin(z) * z))(x)
        else:
            x = x * (1.5 + i)
    return np.sum(x)


def descent_by_hand(x):
    for i in range(4):
        if x[0] > 0.0:
            x = x - 0.1 * (np.cos(x) * x + np.sin(x))
        else:
            x = x * (1.5 + i)
    return np.sum(x)


def no_iterations(x):
    for _ in range(0):
        x = pb.elementwise_grad(lambda z: z**3)(x)
    return np.sum(x)


def pulled_back_in_a_loop(x):
    y, pullback = pb.vjp(lambda z: z**2)(x)
    total = 0.0
    for k in range(3):
        e = np.zeros(3)
        e[k] = 1.0
        total += np.sum(pullback(e)) * y[k]
    return total


def newton(x):
    for _ in range(3):
        j = pb.jacobian(lambda z: np.array([z[0] ** 2 + z[1] - 3.0, z[0] * z[2], z[2] + z[1] ** 3]))(x)
        x = x - 0.1 * np.linalg.solve(j, np.array([x[0] ** 2 + x[1] - 3.0, x[0] * x[2], x[2] + x[1] ** 3]))
    return np.sum(x)


def newton_by_hand(x):
    for _ in range(3):
        j = np.array([[2.0 * x[0], 1.0, 0.0], [x[2], 0.0, x[0]], [0.0, 3.0 * x[1] ** 2, 1.0]])
        x = x - 0.1 * np.linalg.solve(j, np.array([x[0] ** 2 + x[1] - 3.0, x[0] * x[2], x[2] + x[1] ** 3]))
    return np.sum(x)


def tape_around_a_gradient(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(pb.grad(lambda z: np.sum(z**3))(x))
    return np.sum(tape.gradient(y, x) * x)


def gradient_around_a_tape(x):
    def inner(z):
        with pb.GradientTape() as tape:
            tape.watch(z)
            s = np.sum(z**3)
        return np.sum(tape.gradient(s, z))

    return np.sum(pb.grad(inner)(x) * x)


def of_a_dict(x):
    made = pb.grad(lambda p: np.sum(p["w"] ** 2) * p["b"])({"w": x, "b": x[0]})
    return np.sum(made["w"]) * made["b"]


def hessian_in_a_function(x):
    return np.sum(pb.hessian(lambda z: np.sum(z**3) * z[1])(x))


def laplacian_of_two(x):
    return pb.laplacian(lambda a, b: np.sum(a**3) * b**2, (0, 1))(x, x[2])


def a_number_for_all_elements(x):
    return np.sum(pb.jvp(lambda a, b: a**2 * b, (x, x), (1.0, None))[1] * V)


def with_aux(x):
    g, (a, b) = pb.grad(lambda z: (np.sum(z**2), (z[0], z * 2.0)), has_aux=True)(x)
    return np.sum(g) + a * b[1]


def a_function_of_numpy(x):
    return pb.grad(np.sin)(x[0]) + pb.jacfwd(np.exp)(x[1])


def mixed_second_derivatives(x):
    def inner(a, b):
        return np.sum(np.sin(a) * b**2)

    return np.sum(pb.jacobian(pb.grad(inner, 0), 1)(x, x * 2.0))


SAME = [
    (writes_the_argument, lambda x: np.sum(16.0 * x**2)),
    (closure_of_the_same_array, lambda x: np.sum(x**2)),
    (by_the_same_array_twice, lambda x: np.sum(x**2) + np.sum(2.0 * x**3)),
    (value_and_tangent_are_fresh, lambda x: 700.0 * x[1] + 2.0 * x[1] + 3.0 * x[2] + np.sum(x)),
    (descent, descent_by_hand),
    (no_iterations, lambda x: np.sum(x)),
    (pulled_back_in_a_loop, lambda x: np.sum(2.0 * x**3)),
    (newton, newton_by_hand),
    (tape_around_a_gradient, lambda x: np.sum(6.0 * x**2)),
    (gradient_around_a_tape, lambda x: np.sum(6.0 * x**2)),
    (of_a_dict, lambda x: 2.0 * np.sum(x) * x[0] * np.sum(x**2)),
    (hessian_in_a_function, lambda x: np.sum(6.0 * x) * x[1] + 6.0 * np.sum(x**2)),
    (laplacian_of_two, lambda x: 6.0 * np.sum(x) * x[2] ** 2 + 2.0 * np.sum(x**3)),
    (a_number_for_all_elements, lambda x: np.sum(2.0 * x**2 * V)),
    (with_aux, lambda x: np.sum(2.0 * x) + 2.0 * x[0] * x[1]),
    (a_function_of_numpy, lambda x: np.cos(x[0]) + np.exp(x[1])),
    (mixed_second_derivatives, lambda x: np.sum(np.cos(x) * 4.0 * x)),
]


@pytest.mark.drawn(4)
@MODES
@pytest.mark.parametrize(("program", "by_hand"), SAME, ids=[program.__name__ for program, _ in SAME])
def test_a_program_with_derivatives_is_the_one_without_them(program: Any, by_hand: Any, jit: bool) -> None:
    program, by_hand = (pb.differentiable(jit=jit)(f) for f in (program, by_hand))
    np.testing.assert_allclose(program(X.copy()), by_hand(X), rtol=1e-12)
    np.testing.assert_allclose(pb.grad(program)(X.copy()), pb.grad(by_hand)(X), rtol=1e-10, atol=1e-12)
    found, expected = (pb.jvp(f, (X.copy(),), (V,))[1] for f in (program, by_hand))
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    if not jit:
        np.testing.assert_allclose(pb.hessian(program)(X.copy()), pb.hessian(by_hand)(X), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("pb.grad(lambda a: a**2)(x)", "does not return a float number"),
        ("pb.grad(lambda a: a)(3)", "of dtype int64"),
        ("pb.grad(np.sin, 3)(x)", "there is no argument 3"),
        ("pb.grad(lambda a, b=1.0: a * b, 'b')(2.0)", "'b', by which a derivative is taken, is not given"),
        ("pb.jvp(lambda a: a**2, (x,), (np.eye(2),))", "has 2 dimensions"),
        ("pb.jvp(lambda a: a**2, (x, x), (x,))", "2 arguments and 1 tangents"),
        ("pb.jvp(lambda a: (a, a), (x,), ((x, x),))", "cannot be|broadcast|structure|dimensions"),
        ("pb.hvp(lambda a: np.sum(a))(x)", "the direction is missing"),
        ("pb.grad(lambda a: a, k)(x[0])", "not known before the run"),
        ("pb.vjp(lambda a: a)(x)[1](x, x)", "takes one argument"),
        ("pb.grad(lambda a: (a, a, a), has_aux=True)(x[0])", "with has_aux"),
        ("pb.grad(lambda a: a)(x[0], x)", "2 arguments are given"),
        ("pb.grad()(x)", "missing a required argument"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_place(line: str, reason: str) -> None:
    program = cells.run(f"def program(x, k):\n    y = 2.0 * x\n    return {line}\n", pb=pb, np=np)["program"]
    with pytest.raises(pb.PullbackError, match=reason) as caught:
        pb.differentiable(jit=False)(program)(X, 2)
    error = caught.value
    assert (error.lineno if isinstance(error, pb.LanguageError) else error.location.line) == 3


def test_an_array_that_is_written_and_read_elsewhere_is_refused() -> None:
    def program(x):
        z = x.copy()

        def inner(y):
            y[0] = 5.0
            return np.sum(y * z)

        return np.sum(pb.grad(inner)(z))

    with pytest.raises(pb.LanguageError, match="may or may not share"):
        pb.differentiable(program)(X)


@MODES
def test_shapes_of_a_tangent_are_checked(jit: bool) -> None:
    @pb.differentiable(jit=jit)
    def program(x, v):
        return pb.jvp(lambda a: a**2, (x,), (v,))[1]

    with pytest.raises(ValueError, match="another shape"):
        program(X, np.ones(2))


# Arguments and results of derivatives from Python


@MODES
def test_arrays_of_all_kinds(jit: bool) -> None:
    make = pb.differentiable(jit=jit)
    square, cubes = make(lambda x: x**2), make(lambda x: np.sum(x**3))
    empty = np.zeros(0)
    assert pb.jacfwd(square)(empty).shape == pb.hessian(cubes)(empty).shape == (0, 0)
    assert pb.jacrev(square)(empty).shape == (0, 0)
    assert pb.laplacian(cubes)(empty) == 0.0
    single = X.astype(np.float32)
    for made in (pb.jacfwd(square)(single), pb.jacrev(square)(single), pb.hessian(cubes)(single)):
        assert made.dtype == np.float32
    strided = np.arange(12.0).reshape(3, 4)[:, 1]
    np.testing.assert_allclose(pb.jacobian(square)(strided), np.diag(2.0 * strided))
    matrix = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    found = pb.hessian(make(lambda m: np.sum(m[0] * m[1])))(matrix)
    assert found.shape == (2, 3, 2, 3)
    assert found[0, 1, 1, 1] == found[1, 2, 0, 2] == 1.0
    assert np.sum(found) == 6.0
    zero_d = np.array(0.5)
    assert pb.jacobian(square)(zero_d).shape == ()
    assert pb.jacobian(make(lambda a: a * X))(zero_d).shape == (3,)
    assert pb.laplacian(make(lambda a: np.sum(a**3 * X)))(zero_d) == pytest.approx(3.0 * np.sum(X))


@MODES
def test_structures(jit: bool) -> None:
    make = pb.differentiable(jit=jit)
    given = {"w": X, "b": 2.0}
    made = pb.jacobian(make(lambda p: {"s": np.sum(p["w"] ** 2) * p["b"], "t": (p["w"] * p["b"], 3)}))(given)
    np.testing.assert_allclose(made["s"]["w"], 4.0 * X)
    np.testing.assert_allclose(made["s"]["b"], np.sum(X**2))
    np.testing.assert_allclose(made["t"][0]["w"], 2.0 * np.eye(3))
    np.testing.assert_allclose(made["t"][0]["b"], X)
    assert made["t"][1] is None
    hessian = pb.hessian(make(lambda p: np.sum(p["w"] ** 2) * p["b"] ** 2))(given)
    np.testing.assert_allclose(hessian["w"]["w"], 8.0 * np.eye(3))
    np.testing.assert_allclose(hessian["w"]["b"], 8.0 * X)
    np.testing.assert_allclose(hessian["b"]["b"], 2.0 * np.sum(X**2))
    jacobian, aux = pb.jacobian(make(lambda x: (x**2, np.sum(x))), has_aux=True)(X)
    np.testing.assert_allclose(jacobian, np.diag(2.0 * X))
    assert aux == pytest.approx(np.sum(X))


@MODES
def test_names_of_the_users(jit: bool) -> None:
    @pb.differentiable(jit=jit)
    def program(x_bar, np_, x_dot, unit, jacobian):
        return x_bar * np_ + x_dot * unit * jacobian

    made = pb.jacobian(program, ("x_bar", 2))(X, 2.0, V, 1.0, 3.0)
    np.testing.assert_allclose(made, (2.0 * np.eye(3), 3.0 * np.eye(3)))


@MODES
def test_what_is_outside_may_change(jit: bool) -> None:
    names = cells.run("def cube(t):\n    return scale * t**3\n", scale=2.0)
    second = pb.grad(pb.grad(pb.differentiable(jit=jit)(names["cube"])))
    assert second(1.0) == 12.0
    names["scale"] = 3.0
    assert second(1.0) == 18.0
    cubed, squared = pb.differentiable(lambda t: t**3), pb.differentiable(lambda t: t**2)
    assert pb.grad(pb.grad(cubed))(2.0), pb.grad(pb.grad(squared))(2.0) == (12.0, 2.0)


class Spring:
    def __init__(self, stiffness: float) -> None:
        self.stiffness = stiffness

    def energy(self, x):
        return np.sum(self.stiffness * x**3)


def test_methods() -> None:
    spring = Spring(2.0)
    np.testing.assert_allclose(pb.hessian(spring.energy)(X), np.diag(12.0 * X))
    np.testing.assert_allclose(pb.hvp(spring.energy)(X, V), 12.0 * X * V)
    spring.stiffness = 3.0
    np.testing.assert_allclose(pb.hessian(spring.energy)(X), np.diag(18.0 * X))


def power(t, n):
    return 1.0 if n == 0 else t * power(t, n - 1)


@MODES
def test_recursion(jit: bool) -> None:
    function = pb.differentiable(jit=jit)(power)
    assert pb.grad(pb.grad(function))(1.5, 4) == pytest.approx(12.0 * 1.5**2)
    assert pb.grad(pb.grad(pb.grad(function)))(1.5, 4) == pytest.approx(24.0 * 1.5)
    assert pb.hvp(function)(1.5, 2.0, 4) == pb.vhp(function)(1.5, 2.0, 4) == pytest.approx(24.0 * 1.5**2)


@MODES
def test_what_is_printed_or_raised_happens_once(jit: bool, capsys: pytest.CaptureFixture[str]) -> None:
    @pb.differentiable(jit=jit)
    def program(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] ** 2
            print("adding", i)
            if s > 1e6:
                raise ValueError("too large")
        return s * x

    pb.jacfwd(program)(X)
    assert capsys.readouterr().out.split("\n") == ["adding 0", "adding 1", "adding 2", ""]
    with pytest.raises(ValueError, match="too large"):
        pb.jacfwd(program)(X * 1e4)


def cubes(x, scale=2.0):
    return scale * np.sum(x**3)


def test_signatures_and_pickles() -> None:
    assert str(inspect.signature(pb.hvp(cubes))) == "(x, v, scale=2.0)"
    assert str(inspect.signature(pb.hessian(cubes))) == "(x, scale=2.0)"
    for made, given in ((pb.hvp(cubes), (X, V)), (pb.hessian(cubes), (X,)), (pb.grad(pb.laplacian(cubes)), (X,))):
        again = pickle.loads(pickle.dumps(made))
        np.testing.assert_array_equal(again(*given), made(*given))
    np.testing.assert_allclose(pb.hvp(cubes)(X, V, 3.0), 18.0 * X * V)
    np.testing.assert_allclose(pb.hvp(cubes)(X, V, scale=3.0), 18.0 * X * V)
    with pytest.raises(TypeError, match="missing a required argument: 'v'"):
        pb.hvp(cubes)(X)
    assert pb.compile(pb.hessian(cubes), X)(X).shape == (3, 3)
    assert pb.source(pb.hessian(cubes), X).splitlines()[3] == "def cubes_hessian(x, scale):"


# Tapes around


@MODES
def test_tapes_follow_derivatives(jit: bool) -> None:
    function = pb.differentiable(jit=jit)(lambda z: np.sin(z) * np.sum(z))
    total = pb.differentiable(jit=jit)(lambda z: np.sum(pb.jacobian(lambda z: np.sin(z) * np.sum(z))(z)))
    for made in (pb.jacobian(function), pb.jacfwd(function), pb.jacrev(function)):
        x = pb.Variable(X)
        with pb.GradientTape() as tape:
            y = np.sum(made(x))
        np.testing.assert_allclose(np.asarray(tape.gradient(y, x)), pb.grad(total)(X), rtol=1e-12)


# Compiled code


@pb.differentiable
def energy(x):
    return np.sum(x**4) - x[0] * x[1]


@njit
def sines(x):
    return np.sum(np.sin(x))


@njit
def newton_in_compiled_code(x, count):
    for _ in range(count):
        x = x - np.linalg.solve(pb.hessian(energy)(x), pb.grad(energy)(x))
    return x


@njit
def many_derivatives(x, v):
    value, tangent = pb.jvp(sines, (x,), (v,))
    jacobian = pb.jacobian(pb.grad(energy))(x)
    several = pb.grad(sines, argnums=(0,))(x)
    return value, tangent, pb.hvp(energy)(x, v), jacobian, pb.value_and_grad(sines)(x), several, pb.laplacian(energy)(x)


@njit
def gradient_of_any(function, x):
    return pb.grad(function)(x)


energy_hessian = pb.hessian(energy)


@njit
def by_a_global(x):
    return energy_hessian(x)


def test_derivatives_in_compiled_code() -> None:
    x, v = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    found = newton_in_compiled_code(x, 20)
    np.testing.assert_allclose(pb.grad(energy)(found), 0.0, atol=1e-12)
    hessian = np.array([[12.0, -1.0], [-1.0, 48.0]])
    value, tangent, product, jacobian, (again, gradient), several, laplacian = many_derivatives(x, v)
    assert value == again == pytest.approx(np.sum(np.sin(x)))
    assert tangent == pytest.approx(np.cos(x) @ v)
    np.testing.assert_allclose(product, hessian @ v)
    np.testing.assert_allclose(jacobian, hessian)
    np.testing.assert_allclose(gradient, np.cos(x))
    np.testing.assert_allclose(several[0], np.cos(x))
    assert laplacian == 60.0
    np.testing.assert_allclose(gradient_of_any(sines, x), np.cos(x))
    np.testing.assert_allclose(gradient_of_any(energy, x), [2.0, 31.0])
    np.testing.assert_allclose(by_a_global(x), hessian)


def test_what_compiled_code_cannot_ask_for() -> None:
    @njit
    def by_a_number(x, k):
        return pb.grad(sines, k)(x)

    with pytest.raises(Exception, match="must be a constant in compiled code"):
        by_a_number(X, 0)


# Sparse derivatives


def tridiagonal(x):
    r = (3.0 - 2.0 * x) * x + 1.0
    r[1:] -= x[:-1]
    r[:-1] -= 2.0 * x[1:]
    return r


def tridiagonal_by_loops(x):
    r = np.empty_like(x)
    for i in range(x.shape[0]):
        s = (3.0 - 2.0 * x[i]) * x[i] + 1.0
        if i > 0:
            s -= x[i - 1]
        if i < x.shape[0] - 1:
            s -= 2.0 * x[i + 1]
        r[i] = s
    return r


def band(size: int) -> Any:
    return sparse.diags_array([np.ones(size - 1), np.ones(size), np.ones(size - 1)], offsets=[-1, 0, 1])


@pytest.mark.drawn(3)
@MODES
@pytest.mark.parametrize("program", [tridiagonal, tridiagonal_by_loops])
def test_sparse_jacobians_are_the_dense_ones(program: Any, jit: bool) -> None:
    function = pb.differentiable(jit=jit)(program)
    made = pb.jacobian(function, sparsity=band(12))
    assert made.colouring.colours.max() == 2
    for x in (np.linspace(-1.0, 1.0, 12), np.linspace(0.0, 1.0, 24)[::2]):
        np.testing.assert_allclose(made(x).toarray(), pb.jacfwd(function)(x), rtol=1e-12)
    assert made(x).dtype == np.float64
    assert made(x.astype(np.float32)).dtype == np.float32
    assert made(x=x).nnz == 34


@pytest.mark.drawn(3)
@pytest.mark.parametrize("seed", range(6))
def test_sparse_jacobians_of_random_patterns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = sparse.random_array((9, 14), density=0.2, rng=rng).toarray()

    def program(a, x):
        return np.sin(a @ x) * a[:, 0]

    def by_elements(a, x):
        r = np.zeros(a.shape[0])
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                if a[i, j] != 0.0:
                    r[i] += a[i, j] * x[j] ** 2
        return r

    x = rng.standard_normal(14)
    for function in (program, by_elements):
        found = pb.jacobian(function, "x", sparsity=weights)(weights, x)
        np.testing.assert_allclose(found.toarray(), pb.jacobian(function, "x")(weights, x), rtol=1e-12, atol=1e-14)


def test_sparse_hessians() -> None:
    def valley(x, a):
        return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    x = np.linspace(-1.0, 1.0, 8)
    made = pb.hessian(valley, sparsity=band(8))
    np.testing.assert_allclose(made(x, 100.0).toarray(), pb.hessian(valley)(x, 100.0), rtol=1e-12, atol=1e-12)
    again = pickle.loads(pickle.dumps(pb.hessian(cubes, sparsity=np.eye(3))))
    np.testing.assert_allclose(again(X).toarray(), np.diag(12.0 * X))


@pytest.mark.drawn(3)
@MODES
@pytest.mark.parametrize("size", [0, 1, 7, 64, 65, 150])
def test_detected_sparsities(size: int, jit: bool) -> None:
    def wide(x):
        r = tridiagonal(x) * np.sum(x[:3])
        return r[: x.shape[0] // 2]

    x = np.linspace(-1.0, 1.0, size)
    for program in (tridiagonal, tridiagonal_by_loops, wide):
        function = pb.differentiable(jit=jit)(program)
        made = pb.jacobian(function, sparsity="detect")
        assert "not yet detected" in repr(made)
        found = made(x)
        np.testing.assert_allclose(found.toarray(), pb.jacfwd(function)(x), rtol=1e-12, atol=1e-14)
        assert found.nnz == np.count_nonzero(pb.jacfwd(function)(x))
        np.testing.assert_allclose(made(x + 0.5).toarray(), pb.jacfwd(function)(x + 0.5), rtol=1e-12, atol=1e-14)


def test_a_band_is_detected_by_few_tangents() -> None:
    columns = band(10_000)
    taken = []

    def along(seeds):
        taken.append(seeds.shape[1])
        return columns @ seeds

    assert (detected(along, 10_000) != columns.astype(bool)).nnz == 0
    assert sum(taken) < 150


def test_a_sparsity_that_changes_is_detected_again() -> None:
    def kinked(x, w):
        r = x.copy()
        for i in range(1, x.shape[0]):
            if x[i] > 0.0:
                r[i] = r[i] + w * x[i - 1] ** 2
        return r[: x.shape[0] - int(w)]

    made = pb.jacobian(kinked, sparsity="detect")
    for x, w in ((np.zeros(5), 2.0), (-np.ones(5), 2.0), (np.ones(5), 2.0), (np.ones(5), 1.0), (np.ones(8), 1.0)):
        np.testing.assert_allclose(made(x, w).toarray(), pb.jacobian(kinked)(x, w), rtol=1e-12)
    again = pickle.loads(pickle.dumps(pb.hessian(cubes, sparsity="detect")))
    np.testing.assert_allclose(again(X).toarray(), np.diag(12.0 * X))


def test_what_cannot_be_detected() -> None:
    with pytest.raises(ValueError, match="where the derivative is not finite"):
        pb.jacobian(lambda x: np.sqrt(x), sparsity="detect")(np.zeros(3))
    with pytest.raises(ValueError, match="it is a pattern or 'detect'"):
        pb.jacobian(tridiagonal, sparsity="guess")


def test_what_a_sparsity_must_be() -> None:
    x = np.linspace(-1.0, 1.0, 6)
    with pytest.raises(ValueError, match="elements in row 0 that are not 0 and not in the sparsity"):
        pb.jacobian(tridiagonal, sparsity=np.eye(6))(x)
    with pytest.raises(pb.ShapeError, match="has 5 columns, the argument 6 elements"):
        pb.jacobian(tridiagonal, sparsity=np.eye(5))(x)
    with pytest.raises(pb.ShapeError, match="has 7 rows, the result 6 elements"):
        pb.jacobian(tridiagonal, sparsity=np.ones((7, 6)))(x)
    with pytest.raises(pb.TypingError, match="by one argument"):
        pb.jacobian(tridiagonal, (0,), sparsity=np.eye(6))
    with pytest.raises(pb.TypingError, match="that of a vector by a vector"):
        pb.jacobian(lambda x: np.sum(x), sparsity=np.ones((1, 6)))(x)
    with pytest.raises(pb.TypingError, match="has_aux"):
        pb.jacobian(tridiagonal, has_aux=True, sparsity=np.eye(6))
    empty = pb.jacobian(lambda x: x**2, sparsity=np.zeros((0, 0)))(np.zeros(0))
    assert empty.shape == (0, 0)


def test_scipy_takes_them() -> None:
    start = np.zeros(40)
    found = optimize.least_squares(tridiagonal, start, jac=pb.jacobian(tridiagonal, sparsity=band(40)))
    assert found.cost < 1e-16
    assert optimize.root(pb.differentiable(tridiagonal), start - 1.0, jac=pb.jacobian(tridiagonal)).success


# Pullbacks in compiled code


@pb.differentiable
def stretched(x, y):
    return np.sin(x) * y


@pb.differentiable
def settled(x, n):
    while n > 0:
        x = np.sin(x)
        n -= 1
    return x


def two_results(a, b):
    return a * b, 3, np.sum(np.sin(b)) * a


pulled_twice = pb.vjp(two_results, (0, 1))


@njit
def squared(x):
    return x * x


def test_pullbacks_in_compiled_code() -> None:
    @njit
    def by_a_call(x, y):
        value, pullback = pb.vjp(stretched)(x, y)
        x[:] = 0.0
        return value, pullback(value), pullback(np.ones(3)[::1]), pullback(2)

    @njit
    def by_a_global(a, b):
        value, pullback = pulled_twice(a, b)
        return value, pullback((np.ones(b.shape[0]), 0, 2))

    @njit
    def in_a_loop(x):
        total = 0.0
        for _ in range(3):
            x, pullback = pb.vjp(squared)(x)
            total += pullback(1.0)
        return total

    @njit
    def one_in_a_tuple(x):
        return pb.vjp(settled, (0,))(x, 5)[1](x)

    x = np.array([1.0, 2.0, 3.0])
    value, pullback = pb.vjp(stretched)(x, 2.0)
    found = by_a_call(x.copy(), 2.0)
    for ours, expected in zip(found, (value, pullback(value), pullback(1.0), pullback(2.0)), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12)
    (product, three, total), (by_a, by_b) = by_a_global(2.0, x)
    np.testing.assert_allclose(product, 2.0 * x)
    assert (three, total) == (3, pytest.approx(2.0 * np.sum(np.sin(x))))
    expected = pulled_twice(2.0, x)[1]((np.ones(3), None, 2.0))
    np.testing.assert_allclose(by_a, expected[0], rtol=1e-12)
    np.testing.assert_allclose(by_b, expected[1], rtol=1e-12)
    assert in_a_loop(1.5) == pytest.approx(2 * (1.5 + 1.5**2 + 1.5**4))
    (gradient,) = one_in_a_tuple(x)
    np.testing.assert_allclose(gradient, pb.vjp(settled)(x, 5)[1](x), rtol=1e-12)
    single = by_a_call(x.astype(np.float32), np.float32(2.0))
    assert single[1].dtype == np.float32


def test_what_pullbacks_in_compiled_code_cannot_take() -> None:
    @njit
    def longer(x):
        return pb.vjp(settled)(x, 2)[1](np.ones(x.shape[0] + 1))

    @njit
    def wider(x):
        return pb.vjp(settled)(x, 2)[1](np.ones((2, 2)))

    @njit
    def two(x):
        return pb.vjp(settled)(x, 2)[1](x, x)

    @njit
    def checked(x):
        return pb.vjp(settled, nan="raise")(x, 2)[1](x)

    @njit
    def returned(x):
        return pb.vjp(settled)(x, 2)

    with pytest.raises(ValueError, match="another shape than the result"):
        longer(np.ones(2))
    with pytest.raises(Exception, match="has 2 axes, the result 1"):
        wider(np.ones(2))
    with pytest.raises(Exception, match="has no nan= in compiled code"):
        checked(np.ones(2))
    with pytest.raises(Exception, match="takes one argument"):
        two(np.ones(2))
    value, pullback = returned(np.ones(2))
    np.testing.assert_allclose(value, settled(np.ones(2), 2))
    with pytest.raises(pb.TypingError, match="belongs to compiled code"):
        pullback(value)

"""Nests over tables run in wavefronts where their dependences allow it, and give the same, bit for bit."""

import types

import numpy as np
import pytest

import pullback as pb
from programs import tables
from programs.tables import GRID, LONG, A, B

WITHOUT = pb.OPTIMISATIONS - {"loop_skewing"}
RANDOM = np.random.default_rng(4)
SCORES = RANDOM.normal(size=(3, 4))
SKEWED = [
    (tables.soft_warping, A, B, 0.6),
    (tables.soft_warping, A.astype(np.float32), B.astype(np.float32), np.float32(0.6)),
    (tables.soft_local_alignment, A, B, 0.7),
    (tables.affine_gaps, A, B, 0.8),
    (tables.gauss_seidel, GRID, 0.3),
    (tables.gauss_seidel, np.asfortranarray(GRID), 0.3),
    (tables.gauss_seidel, GRID[::-1, ::2], 0.3),
    (tables.downwards, A, B),
    (tables.up_and_down, A, B),
    (tables.carried_left, A, B),
    (tables.planes, A, B),
    (tables.substitutions, A, B, np.arange(9) % 3, np.arange(11) % 4, SCORES),
]


def edit_distance(x, y):
    """A recurrence so cheap that rows are as fast."""
    d = np.zeros((x.shape[0] + 1, y.shape[0] + 1))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            d[i + 1, j + 1] = abs(x[i] - y[j]) + min(d[i, j], d[i + 1, j], d[i, j + 1])
    return d[-1, -1]


def chain_from_row_to_row(x, y):
    """A number goes from the end of a row to the start of the next one."""
    r = np.zeros((x.shape[0] + 1, y.shape[0] + 1))
    last = 0.5
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            last = np.exp(-last * last) + r[i, j + 1] * x[i] * y[j]
            r[i + 1, j + 1] = last
    return np.sum(r)


def overtaken(x, y):
    """Reads a row that a later iteration of the same antidiagonal overwrites: the old elements are due."""
    r = np.ones((x.shape[0] + 2, y.shape[0] + 2))
    for i in range(1, x.shape[0]):
        for j in range(1, y.shape[0]):
            r[i, j] = np.exp(-(r[i, j - 1] ** 2)) * np.cos(r[i + 1, j - 1] + x[i]) + np.exp(-(r[i + 1, j] ** 2) * y[j])
    return np.sum(r)


def overtaken_too_early(x, y):
    """Reads an element that is overwritten by an antidiagonal before its own."""
    r = np.ones((x.shape[0] + 2, y.shape[0] + 2))
    for i in range(1, x.shape[0]):
        for j in range(2, y.shape[0]):
            r[i, j] = np.exp(-(r[i, j - 1] ** 2)) * np.cos(r[i + 1, j - 2] + x[i]) * y[j]
    return np.sum(r)


def counted_from_the_end(x, y):
    """The first row reads the last one, which is yet to be written: its index counts from the end."""
    r = np.ones((x.shape[0], y.shape[0] + 1))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            r[i, j + 1] = np.exp(-(r[i - 1, j + 1] ** 2) - x[i] * x[i]) + np.exp(-(r[i, j] ** 2) * y[j])
    return np.sum(r)


def beside_an_unknown_row(x, y, rows):
    """Nobody knows which row is read."""
    r = np.ones((x.shape[0] + 1, y.shape[0] + 2))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            r[i + 1, j + 1] = np.exp(-(r[rows[i], j + 2] ** 2) - x[i] ** 2) + np.exp(-(r[i + 1, j] ** 2) * y[j])
    return np.sum(r)


def read_by_the_next_row(x, y):
    """What stands behind the inner loop is read by the inner loop of the next row."""
    r = np.ones((x.shape[0] + 1, y.shape[0] + 1))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            r[i + 1, j + 1] = np.exp(-(r[i, j] ** 2) * x[i]) + np.exp(-(r[i + 1, j] ** 2) * y[j])
        r[i + 1, 3] = np.sin(r[i + 1, y.shape[0]])
    return np.sum(r)


def same_memory(x, y):
    """The table is read under two names."""
    r = np.ones((x.shape[0] + 1, y.shape[0] + 1))
    shifted = r[:, 1:]
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            r[i + 1, j + 1] = np.exp(-(shifted[i, j] ** 2) - x[i] ** 2) + np.exp(-(r[i + 1, j] ** 2) * y[j])
    return np.sum(r)


WHERE_THEY_ARE = [
    (tables.reads_ahead, GRID),
    (tables.triangle, A),
    (edit_distance, A, B),
    (chain_from_row_to_row, A, B),
    (overtaken_too_early, A, B),
    (beside_an_unknown_row, A, B, np.arange(9) // 2),
    (read_by_the_next_row, A, B),
    (same_memory, A, B),
]


def cases(listed):
    return [
        pytest.param(function, arguments, id=f"{function.__name__}{k}")
        for k, (function, *arguments) in enumerate(listed)
    ]


def places_of_floats(arguments):
    return tuple(k for k, argument in enumerate(arguments) if np.asarray(argument).dtype.kind == "f")


def machine_text(function, arguments, **options):
    """The text of the gradient that Numba compiles, in one piece."""
    gradient = pb.value_and_grad(pb.differentiable(function, **options), argnums=places_of_floats(arguments))
    compiled = gradient.prepare(gradient.engine.bind(tuple(arguments), {})).compiled()
    return compiled.emitted(compiled.machine_function, divided=False)


def is_skewed(text):
    """Whether a text has strips of rows and their wavefronts, and asks whether there are rows enough."""
    return ">= 8" in text and "for strip in range(" in text and "for wave in range(" in text


def run_by_python(text, arguments):
    """What the machine text gives without a compiler that contracts products and sums."""
    names = {}
    exec(compile(text, "machine text", "exec"), names)
    functions = [v for v in names.values() if isinstance(v, types.FunctionType) and v.__module__ is None]
    copies = [np.copy(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments]
    with np.errstate(all="ignore"):
        value, gradients = functions[-1](*copies)
    return [value, *gradients] if isinstance(gradients, tuple) else [value, gradients]


def assert_same_bits(function, arguments):
    texts = [machine_text(function, arguments, fastmath=False, optimisations=o) for o in (pb.OPTIMISATIONS, WITHOUT)]
    for one, other in zip(*(run_by_python(text, arguments) for text in texts), strict=True):
        np.testing.assert_array_equal(one, other)
    return texts[0]


@pytest.mark.drawn(4)
@pytest.mark.parametrize(("function", "arguments"), cases(SKEWED))
def test_nests_are_skewed(function, arguments):
    assert is_skewed(machine_text(function, arguments))
    assert not is_skewed(machine_text(function, arguments, optimisations=WITHOUT))


@pytest.mark.parametrize(("function", "arguments"), cases(WHERE_THEY_ARE))
def test_other_nests_stay_as_they_are(function, arguments):
    assert not is_skewed(machine_text(function, arguments))


@pytest.mark.drawn(4)
@pytest.mark.parametrize(("function", "arguments"), cases(SKEWED))
def test_wavefronts_give_the_same_bits(function, arguments):
    assert is_skewed(assert_same_bits(function, arguments))


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    ("rows", "columns"), [(0, 9), (9, 0), (1, 20), (20, 1), (8, 8), (63, 9), (64, 64), (65, 9), (130, 10)]
)
def test_tables_of_all_sizes_give_the_same_bits(rows, columns):
    x, y = RANDOM.normal(size=rows), RANDOM.normal(size=columns)
    for function in (tables.soft_local_alignment, tables.carried_left):
        arguments = (x, y, 0.7)[: function.__code__.co_argcount]
        assert_same_bits(function, arguments)


@pytest.mark.parametrize("function", [overtaken, counted_from_the_end])
def test_an_element_that_a_later_row_overwrites_is_read_before(function):
    assert is_skewed(assert_same_bits(function, (LONG, B)))


def test_sums_of_all_elements_keep_their_order_without_fastmath():
    def smoothness(x, y, gamma):
        r, total = np.ones((x.shape[0] + 1, y.shape[0] + 1)), 0.0
        for i in range(x.shape[0]):
            for j in range(y.shape[0]):
                r[i + 1, j + 1] = np.log(np.exp(gamma * r[i, j + 1] - x[i]) + np.exp(r[i + 1, j] * y[j]))
                total += r[i + 1, j + 1]
        return total

    arguments = LONG, B, 0.3
    assert is_skewed(machine_text(smoothness, arguments))
    assert not is_skewed(machine_text(smoothness, arguments, fastmath=False))
    on, off = (pb.differentiable(smoothness, optimisations=o) for o in (pb.OPTIMISATIONS, WITHOUT))
    for one, other in zip(*(pb.grad(f, argnums=(0, 1, 2))(*arguments) for f in (on, off)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)


def test_a_letter_without_a_score_raises():
    first, second = np.arange(70) % 3, np.arange(11) % 4
    first[66] = 5
    with pytest.raises(IndexError):
        pb.grad(tables.substitutions)(LONG, B, first, second, SCORES)


ALL_KINDS = {
    "value": (lambda f, x, y: f(x, y, 0.5), 1e-13, 0.0),
    "tangent": (lambda f, x, y: pb.jvp(f, (x, y, 0.5), (y[:1] * x, y, 1.0))[1], 1e-11, 0.0),
    "second": (lambda f, x, y: pb.hvp(f)(x, np.cos(x), y, 0.5), 1e-9, 1e-11),
}


@pytest.mark.drawn(3)
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_derivatives_of_all_kinds_are_those_of_rows(kind, parallel):
    x, y = RANDOM.normal(size=20), RANDOM.normal(size=17)
    on, off = (
        pb.differentiable(tables.soft_warping, optimisations=o, parallel=parallel) for o in (pb.OPTIMISATIONS, WITHOUT)
    )
    derive, rtol, atol = ALL_KINDS[kind]
    np.testing.assert_allclose(derive(on, x, y), derive(off, x, y), rtol=rtol, atol=atol)


def test_an_element_is_not_read_before_its_index_is_checked():
    def weighted(x, y, kinds, weights):
        r = np.ones((x.shape[0] + 1, y.shape[0] + 1))
        for i in range(x.shape[0]):
            scale = np.exp(-(weights[kinds[i]] ** 2))
            for j in range(y.shape[0]):
                r[i + 1, j + 1] = np.log(np.exp(r[i, j + 1] * scale) + np.exp(r[i + 1, j] * y[j] - x[i]))
        return r[-1, -1]

    kinds, weights = np.arange(70) % 2, np.array([0.3, 0.6])
    text = assert_same_bits(weighted, (LONG, B, kinds, weights))
    assert is_skewed(text)
    code = "\n".join(line for line in text.splitlines() if "#" not in line)
    assert code.index("check_index(") < code.index("weights[")
    kinds[68] = 10**9
    with pytest.raises(IndexError):
        pb.grad(weighted)(LONG, B, kinds, weights)

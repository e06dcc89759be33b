"""What may raise is not dead: every form of a derivative makes the checks that the plain call makes."""

import numpy as np
import pytest
from numba import njit

import pullback as pb

TWO, THREE = np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])


# Each of these raises when it is called with arrays of two and of three elements.


def dot_beside_a_sum(x, y):
    return np.dot(x, y) + np.sum(x * x)


def inner_beside_a_sum(x, y):
    return np.inner(x, y) + np.sum(x * x)


def operator_of_vectors(x, y):
    return x @ y + np.sum(x * x)


def sum_of_a_product(x, y):
    return np.sum(np.outer(x, x) @ y) + np.sum(x * x)


def vector_times_matrix(x, y):
    return np.sum(x @ np.outer(y, y))


def unread_product(x, y):
    z = x @ y
    return np.sum(x * x)


def unread_sum(x, y):
    z = x + y
    return np.sum(x * x)


def unread_comparison(x, y):
    z = x < y
    return np.sum(x * x)


def unread_where(x, y):
    z = np.where(x > 0, x, y)
    return np.sum(x * x)


def unread_change_in_place(x, y):
    z = x.copy()
    z += y
    return np.sum(x * x)


def unread_element(x, y):
    z = x[2]
    return np.sum(x * x)


def unread_row(x, y):
    z = np.outer(x, y)[2]
    return np.sum(x * x)


def unread_index_array(x, y):
    z = x[np.array([0, 2])]
    return np.sum(x * x)


def unread_mask(x, y):
    z = x[y > 0]
    return np.sum(x * x)


def written_outside(x, y):
    z = np.zeros(2)
    z[2] = x[0]
    return np.sum(x * x)


def written_slice(x, y):
    z = np.zeros(2)
    z[:] = y
    return np.sum(x * x)


def written_row(x, y):
    z = np.zeros((4, 2))
    for i in range(4):
        z[i] = y
    return np.sum(x * x)


def unread_reshape(x, y):
    z = y.reshape(2, 2)
    return np.sum(x * x)


def unread_concatenation(x, y):
    z = np.concatenate((np.outer(x, x), np.outer(y, y)))
    return np.sum(x * x)


def unread_stack(x, y):
    z = np.stack((x, y))
    return np.sum(x * x)


def unread_largest(x, y):
    z = np.max(y[3:])
    return np.sum(x * x)


def largest_of_nothing(x, y):
    return np.sum(x * x) + np.max(y[3:])


def unread_solution(x, y):
    z = np.linalg.solve(np.zeros((2, 2)), x)
    return np.sum(x * x)


def unread_inverse(x, y):
    z = np.linalg.inv(0.0 * np.outer(x, x))
    return np.sum(x * x)


def unread_determinant(x, y):
    z = np.linalg.det(np.outer(x, y))
    return np.sum(x * x)


def unread_broadcast(x, y):
    z = np.broadcast_to(y, (2,))
    return np.sum(x * x)


def negative_size(x, y):
    z = np.zeros(int(-x[0]))
    return np.sum(x * x)


def unread_call(x, y):
    def product(a, b):
        return a @ b

    product(x, y)
    return np.sum(x * x)


def in_a_branch(x, y):
    if x[0] > 0:
        z = x @ y
    return np.sum(x * x)


def in_a_loop(x, y):
    for i in range(2):
        z = np.dot(x, y)
    return np.sum(x * x)


def element_in_a_loop(x, y):
    for i in range(3):
        z = x[i]
    return np.sum(x * x)


def sum_that_no_gradient_needs(x, y):
    s = 0.0
    for i in range(4):
        s += y[i]
    return s + np.sum(x * x)


def step_of_zero(x, y):
    for i in range(0, 3, int(x[0] - 1)):
        z = i
    return np.sum(x * x)


def unpacked_too_much(x, y):
    a, b = y
    return np.sum(x * x)


def trajectory_that_nobody_reads(x, y):
    path = np.zeros((3, 2))
    h = x
    for t in range(4):
        h = np.tanh(h)
        path[t] = h
    return np.sum(h)


PROGRAMS = [value for value in list(globals().values()) if getattr(value, "__module__", "") == __name__]

FORMS = {
    "value": lambda f: f(TWO, THREE),
    "gradient by the first": lambda f: pb.grad(f)(TWO, THREE),
    "gradient by the second": lambda f: pb.grad(f, argnums=1)(TWO, THREE),
    "value and gradient": lambda f: pb.value_and_grad(f)(TWO, THREE),
    "vjp": lambda f: pb.vjp(f)(TWO, THREE)[1](1.0),
}


def error_of(call, *arguments):
    with pytest.raises((ValueError, IndexError, np.linalg.LinAlgError)) as caught:
        call(*arguments)
    return caught.type


@pytest.mark.drawn(60)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_every_form_raises_what_the_plain_call_raises(program, form):
    plain = error_of(program, TWO, THREE)
    assert error_of(FORMS[form], pb.differentiable(jit=False)(program)) is plain
    assert error_of(FORMS[form], pb.differentiable(jit=False, optimisations=False)(program)) is plain


COMPILED = [
    dot_beside_a_sum,
    inner_beside_a_sum,
    sum_of_a_product,
    unread_product,
    unread_sum,
    written_slice,
    unread_solution,
    sum_that_no_gradient_needs,
    trajectory_that_nobody_reads,
]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("program", COMPILED, ids=lambda f: f.__name__)
def test_compiled_gradients_raise_what_the_plain_call_raises(program):
    plain = error_of(program, TWO, THREE)
    assert error_of(pb.value_and_grad(program), TWO, THREE) is plain
    assert error_of(pb.grad(program, argnums=1), TWO, THREE) is plain


def test_a_gradient_called_by_compiled_code_reads_no_memory_beyond_the_end():
    slope = pb.grad(dot_beside_a_sum)

    @njit
    def caller(x, y):
        return slope(x, y)

    with pytest.raises(ValueError, match="sizes"):
        caller(TWO, THREE)
    np.testing.assert_array_equal(caller(TWO, TWO), 3 * TWO)


def test_a_tape_in_a_function_keeps_the_checks_of_values_that_no_gradient_needs():
    def step(x, y):
        with pb.GradientTape() as tape:
            tape.watch(x)
            loss = np.dot(x, y) + np.sum(x * x)
        return np.sum(tape.gradient(loss, x))

    with pytest.raises(ValueError, match="sizes"):
        pb.differentiable(jit=False)(step)(TWO, THREE)


def test_what_is_proved_not_to_raise_leaves_nothing_behind():
    def settled(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i]
        return total

    text = pb.inspect_source(pb.differentiable(jit=False)(settled), THREE, argnums=0)
    gradient = text[text.index("def ") :]
    assert "check" not in gradient
    assert "raise" not in gradient


def test_a_check_says_which_line_it_is_from():
    with pytest.raises(ValueError, match="sizes") as caught:
        pb.grad(dot_beside_a_sum)(TWO, THREE)
    assert "np.dot(x, y)" in "".join(caught.value.__notes__)


def test_what_is_printed_before_an_error_is_printed_once(capsys):
    def talking(x, n):
        print("once")
        return x[n] * 2.0

    with pytest.raises(IndexError) as caught:
        pb.grad(talking)(TWO, 5)
    assert capsys.readouterr().out == "once\n"
    assert "x[n] * 2.0" in "".join(caught.value.__notes__)


def test_a_function_that_calls_itself_prints_once_before_an_error(capsys):
    def deeper(x, n):
        print(n)
        if n > 5:
            return 1.0
        return x[n] * deeper(x, n + 1)

    with pytest.raises(IndexError):
        pb.grad(deeper)(TWO, 0)
    assert capsys.readouterr().out == "0\n1\n2\n"


@pytest.mark.parametrize("jit", [False, True])
def test_the_least_of_no_elements_is_no_norm(jit):
    def least(x):
        return np.linalg.norm(x, -np.inf)

    derivative = pb.value_and_grad(pb.differentiable(jit=jit)(least))
    with pytest.raises(ValueError, match="zero-size array"):
        derivative(np.zeros(0))
    assert pb.jvp(lambda x: np.linalg.norm(x, np.inf), (np.zeros(0),), (np.zeros(0),)) == (0.0, 0.0)


@pytest.mark.parametrize("order", [-1, -2, -np.inf])
@pytest.mark.parametrize("jit", [False, True])
def test_the_least_norm_of_a_matrix_without_elements_raises(order, jit):
    @pb.differentiable(jit=jit)
    def least(x):
        return np.linalg.norm(x, order)

    with pytest.raises(ValueError, match="reduction operation minimum which has no identity"):
        pb.grad(least)(np.zeros((0, 0)))


@pytest.mark.parametrize("order", [2, "nuc", np.inf, 1])
def test_norms_of_empty_matrices_do_not_move(order):
    @pb.differentiable(jit=False)
    def size(x):
        return np.linalg.norm(x, order)

    x = np.zeros((0, 3))
    assert pb.jvp(size, (x,), (x,)) == (0.0, 0.0)
    assert pb.grad(size)(x).shape == (0, 3)


@pytest.mark.parametrize("jit", [False, True])
def test_tuples_and_lists_in_messages_are_written_as_python_writes_them(jit):
    def asserts(x):
        assert x < 1.0, ("t", x, (1,), [x, 2])
        return x * x

    def raises(x):
        if x > 1.0:
            raise ValueError(("a", (1, x)))
        return x * x

    for function in (asserts, raises):
        with pytest.raises((AssertionError, ValueError)) as due:
            function(2.0)
        with pytest.raises(type(due.value)) as raised:
            pb.grad(pb.differentiable(jit=jit)(function))(2.0)
        assert str(due.value).startswith(str(raised.value))  # pytest adds to it

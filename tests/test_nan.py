"""With `nan="raise"`, the first number that is not finite is named: the same one in every mode, never for nothing."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import collect
import pullback as pb
from pullback.frontend.values.arguments import form_of, leaves_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

MODES = (True, False)
as_text = pytest.mark.usefixtures("numba_off")
"""What is named depends on the text: Numba, which compiles it in the other tests, adds nothing."""


def raised(call: Callable[[], Any]) -> pb.NotFinite:
    with pytest.raises(pb.NotFinite) as found:
        call()
    return found.value


def in_both_modes(function: Any, *arguments: Any, **options: Any) -> pb.NotFinite:
    """The error of the gradient by the first argument, which is the same compiled and not."""
    errors = []
    for jit in MODES:
        gradient = pb.grad(pb.differentiable(jit=jit, **options)(function), nan="raise")
        errors.append(raised(lambda gradient=gradient: gradient(*copy.deepcopy(arguments))))
    assert repr(errors[0].given) == repr(errors[1].given)
    assert str(errors[0]) == str(errors[1])
    return errors[0]


def line_of(function: Any, text: str) -> int:
    """The line of the file in which a function has this text."""
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def check(error: pb.NotFinite, function: Any, text: str, quantity: str, variable: str, *iterations: Any) -> None:
    """Compare what an error says."""
    assert error.location is not None
    said = (error.location.file, error.location.line, error.quantity, error.variable, error.iterations)
    assert said == (__file__, line_of(function, text), quantity, variable, iterations)
    assert f'File "{__file__}", line {error.location.line}' in str(error)
    assert "  Instead: " in str(error)


# Values


def logarithms(x, n):
    total = 0.0
    for i in range(n):
        y = np.log(x[i])
        total += y
    return total


def test_value_is_named_by_file_line_variable_and_iteration():
    error = in_both_modes(logarithms, np.array([1.0, 2.0, 0.0, 0.0]), 4)
    check(error, logarithms, "np.log", "value", "y", ("i", 2))
    assert error.value == -np.inf
    assert error.index == ()
    assert str(error).splitlines()[0] == "the value of `y` is -inf, in iteration i = 2"
    assert str(error).splitlines()[-1].strip() == "^" * len("np.log(x[i])")


def test_error_is_a_floating_point_error_and_one_of_ours():
    error = raised(lambda: pb.grad(logarithms, nan="raise")(np.zeros(1), 1))
    assert isinstance(error, FloatingPointError)
    assert isinstance(error, pb.PullbackError)


def test_error_pickles():
    error = raised(lambda: pb.grad(logarithms, nan="raise")(np.zeros(1), 1))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.location == error.location


def zero_by_zero(x):
    return 1.0 + x[0] / x[1]


@as_text
def test_expression_without_a_name_is_named_by_its_text():
    check(in_both_modes(zero_by_zero, np.zeros(2)), zero_by_zero, "x[0] / x[1]", "value", "x[0] / x[1]")


def nested(x):
    total = 0.0
    for i in range(3, -1, -1):
        for j in range(6, 0, -3):
            total += 1.0 / (x[i] - j)
    return total


@as_text
def test_iterations_are_told_by_the_values_of_the_variables():
    error = in_both_modes(nested, np.array([1.0, 2.0, 3.0, 7.0]))
    check(error, nested, "1.0 /", "value", "1.0 / (x[i] - j)", ("i", 2), ("j", 3))


def squared(x):
    k = 0
    while k < 10:
        x = x * x
        k += 1
    return x


@as_text
def test_iterations_of_while_are_counted():
    error = in_both_modes(squared, 10.0)
    check(error, squared, "x * x", "value", "x", (f"line {line_of(squared, 'while')}", 8))
    assert "in iteration 8 of the loop in line" in str(error)


def of_elements(x):
    total = 0.0
    for v in x[::-1]:
        total += 1.0 / v
    return total


@as_text
def test_iterations_over_elements_are_counted():
    error = in_both_modes(of_elements, np.array([0.0, 1.0, 2.0]))
    check(error, of_elements, "1.0 /", "value", "1.0 / v", (f"line {line_of(of_elements, 'for')}", 2))


def enumerated(x):
    total = 0.0
    for place, v in enumerate(x):  # noqa: B007
        total += 1.0 / v
    return total


def elements_called_k(x):
    total = 0.0
    for k in x:
        total += 1.0 / k
    return total


@as_text
def test_elements_are_not_taken_for_the_numbers_of_iterations():
    error = in_both_modes(elements_called_k, np.array([1.0, 0.0]))
    check(error, elements_called_k, "1.0 /", "value", "1.0 / k", (f"line {line_of(elements_called_k, 'for')}", 1))


@as_text
def test_iterations_of_enumerate_have_its_variable():
    check(in_both_modes(enumerated, np.array([1.0, 0.0])), enumerated, "1.0 /", "value", "1.0 / v", ("place", 1))


def helped(v):
    return np.log(v) * 2.0


def calls_a_helper(x):
    total = 0.0
    for i in range(len(x)):
        total += helped(x[i] - 1.0)
    return total


@as_text
def test_place_is_in_the_function_that_is_called():
    check(in_both_modes(calls_a_helper, np.array([3.0, 1.0])), helped, "np.log", "value", "np.log(v)", ("i", 1))


def recursive(x, n):
    return 1.0 / x if n == 0 else 2.0 * recursive(x - 1.0, n - 1)


def test_place_is_in_a_recursive_function():
    check(in_both_modes(recursive, 3.0, 3), recursive, "1.0 / x", "value", "1.0 / x")


def branches(x):
    if x > 0.0:
        y = np.sqrt(x)
    else:
        y = np.sqrt(x - 1.0)
    return 2.0 * y


@as_text
def test_branch_that_was_taken_is_told():
    check(in_both_modes(branches, -1.0), branches, "x - 1.0", "value", "y")


def statements(x):
    y = 2.0 * x
    y[1:] = np.log(y[:-1])
    z = y @ y
    return z


def test_element_of_an_array_statement_is_told():
    error = in_both_modes(statements, np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])[:, 1])
    check(error, statements, "np.log", "value", "np.log(y[:-1])")
    assert error.index == (1,)


def matrix_elements(x):
    y = np.exp(x)
    return np.sum(y)


@as_text
def test_index_has_a_number_for_each_axis():
    error = in_both_modes(matrix_elements, np.array([[0.0, 1.0], [1000.0, 0.0]]))
    assert error.index == (1, 0)
    assert str(error).startswith("element [1, 0] of the value of `y` is inf")


@as_text
def test_single_precision_overflows_earlier():
    in_both_modes(matrix_elements, np.array([1.0, 100.0], np.float32))


def inverse(x):
    a = np.array([[1.0, 2.0], [3.0, 4.0]]) * x
    return np.sum(np.linalg.inv(a)) / (x - 1.0)


def test_division_behind_linear_algebra():
    check(in_both_modes(inverse, 1.0), inverse, "np.linalg.inv", "value", "np.sum(np.linalg.inv(a)) / (x - 1.0)")


def power_of(x, n):
    return x**n / (n - 3)


def test_integers_may_be_the_reason():
    check(in_both_modes(power_of, 2.0, 3), power_of, "x**n", "value", "x**n / (n - 3)")


def mean(x):
    return np.mean(x)


@as_text
def test_mean_of_no_elements_is_nan():
    check(in_both_modes(mean, np.array([])), mean, "np.mean", "value", "np.mean(x)")


@as_text
def test_arrays_without_axes_have_no_index():
    error = in_both_modes(lambda x: np.log(x)[()] * 1.0, np.array(0.0))
    assert error.index == ()


def value_alone(x, c):
    return x + np.log(c)


@as_text
def test_value_counts_where_only_the_gradient_is_returned():
    check(in_both_modes(value_alone, 1.0, 0.0), value_alone, "np.log", "value", "np.log(c)")


# Adjoints, tangents, cotangents


def roots(x):
    return np.sum(np.sqrt(x))


@as_text
def test_adjoint_is_told_where_the_value_is_finite():
    error = in_both_modes(roots, np.array([1.0, 0.0]))
    check(error, roots, "np.sqrt", "adjoint", "x")
    assert (error.value, error.index) == (np.inf, (1,))


def roots_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        y = np.sqrt(x[i])
        total += y * y * y
    return total


def test_adjoint_is_told_with_its_iteration():
    error = in_both_modes(roots_in_a_loop, np.array([1.0, 0.0, 2.0, 0.0]))
    check(error, roots_in_a_loop, "np.sqrt", "adjoint", "x[i]", ("i", 3))  # the sweep runs backwards


def settled(x, n):
    total = 0.0
    for i in range(n):  # noqa: B007
        x = np.cos(x)
        total += np.sqrt(np.abs(x - x)) * x
    return total


def test_adjoint_in_a_loop_that_runs_in_segments():
    error = in_both_modes(settled, 3.0, 30, max_residual_bytes=64)
    check(error, settled, "np.sqrt", "adjoint", "np.abs(x - x)", ("i", 29))


def settled_by_elements(x, weights):
    total = 0.0
    for w in weights:
        x = np.cos(w * x)
        total += np.sqrt(np.abs(x - x)) * x
    return total


@as_text
def test_elements_are_counted_in_a_loop_that_runs_in_segments():
    error = in_both_modes(settled_by_elements, 3.0, np.ones(30), max_residual_bytes=64)
    line = line_of(settled_by_elements, "for")
    check(error, settled_by_elements, "np.sqrt", "adjoint", "np.abs(x - x)", (f"line {line}", 29))


def decreasing(x, n):
    for i in range(n):
        x = np.sin(x) + np.sqrt(x - i)
    return x


def test_value_in_a_loop_that_runs_in_segments():
    error = in_both_modes(decreasing, 3.0, 50, max_residual_bytes=64)
    check(error, decreasing, "np.sqrt", "value", "np.sqrt(x - i)", ("i", 2))


@pytest.mark.parametrize("jit", MODES)
def test_tangent_is_told(jit):
    function = pb.differentiable(jit=jit)(roots_in_a_loop)
    error = raised(lambda: pb.jvp(function, (np.array([1.0, 0.0]),), (np.ones(2),), nan="raise"))
    check(error, roots_in_a_loop, "np.sqrt", "tangent", "y", ("i", 1))


@pytest.mark.parametrize("jit", MODES)
def test_value_comes_before_its_tangent(jit):
    function = pb.differentiable(jit=jit)(logarithms)
    error = raised(lambda: pb.jvp(function, (np.array([1.0, 0.0]), 2), (np.ones(2), None), nan="raise"))
    check(error, logarithms, "np.log", "value", "y", ("i", 1))


@pytest.mark.parametrize("jit", MODES)
def test_given_tangent_is_told(jit):
    function = pb.differentiable(jit=jit)(roots)
    error = raised(lambda: pb.jvp(function, (np.ones(2),), (np.array([1.0, np.nan]),), nan="raise"))
    assert (error.quantity, error.variable, error.index) == ("given tangent", "x", (1,))


@pytest.mark.parametrize("jit", MODES)
def test_pullback_tells_adjoints_and_given_cotangents(jit):
    function = pb.differentiable(jit=jit)(lambda x: np.sqrt(x))
    value, pullback = pb.vjp(function, nan="raise")(np.array([1.0, 0.0]))
    assert value.tolist() == [1.0, 0.0]
    error = raised(lambda: pullback(np.ones(2)))
    assert (error.quantity, error.variable, error.index) == ("adjoint", "x", (1,))
    assert raised(lambda: pickle.loads(pickle.dumps(pullback))(np.ones(2))).quantity == "adjoint"
    value, pullback = pb.vjp(function, nan="raise")(np.array([1.0, 4.0]))
    assert pullback(np.ones(2)).tolist() == [0.5, 0.25]
    assert raised(lambda: pullback(np.array([1.0, np.nan]))).quantity == "given cotangent"


@pytest.mark.parametrize("jit", MODES)
def test_forward_function_of_a_pullback_tells_values(jit):
    function = pb.differentiable(jit=jit)(lambda x: np.log(x))
    error = raised(lambda: pb.vjp(function, nan="raise")(np.array([1.0, 0.0])))
    assert (error.quantity, error.variable, error.index) == ("value", "np.log(x)", (1,))


MAKERS = (pb.jacobian, pb.jacfwd, pb.jacrev, pb.hessian, pb.elementwise_grad)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("jit", MODES)
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_jacobians_tell_values(make, jit):
    function = pb.differentiable(jit=jit)(lambda x: np.log(x) * x)
    error = raised(lambda: make(function, nan="raise")(np.array([1.0, 0.0])))
    assert (error.quantity, error.variable, error.index) == ("value", "np.log(x)", (1,))
    assert np.all(np.isfinite(make(function, nan="raise")(np.array([1.0, 2.0]))))


@pytest.mark.drawn(4)
@pytest.mark.parametrize("jit", MODES)
@pytest.mark.parametrize("make", [pb.hessian, pb.laplacian, pb.hvp, pb.vhp], ids=lambda make: make.__name__)
def test_second_derivatives_tell_tangents(make, jit):
    function = pb.differentiable(jit=jit)(lambda x: np.sum(np.sqrt(x) * x))
    directions = [np.ones(2)] if make in (pb.hvp, pb.vhp) else []
    error = raised(lambda: make(function, nan="raise")(np.array([1.0, 0.0]), *directions))
    assert error.quantity == "tangent"


def test_derivatives_of_derivatives_look_as_well():
    power = pb.differentiable(jit=False)(lambda x: x**1.5)
    calls = (
        lambda: pb.grad(pb.grad(power), nan="raise")(0.0),
        lambda: pb.grad(pb.grad(power, nan="raise"))(0.0),
        lambda: pb.jvp(pb.grad(power), (0.0,), (1.0,), nan="raise"),
        lambda: pb.jacobian(power, sparsity=np.eye(1), nan="raise")(np.array([-1.0])),
    )
    assert all(isinstance(raised(call), pb.NotFinite) for call in calls)


# What is no error


def nearest(x):
    best = np.inf
    for i in range(len(x)):
        best = min(best, x[i])
    return best


def attention(x):
    scores = np.where(np.arange(3) < 2, x, -np.inf)
    weights = np.exp(scores - np.max(scores))
    return np.sum(weights / np.sum(weights) * np.arange(3))


def behind_where(x):
    return np.sum(np.where(x > 0, np.log(x) * x, 0.0))


def weighted(x, w):
    return np.sum(x * np.nan_to_num(w))


FINE = [
    (nearest, np.array([3.0, 1.0])),
    (nearest, np.array([])),
    (attention, np.array([1.0, 2.0, 3.0])),
    (behind_where, np.array([1.0, 0.0, -1.0])),
    (weighted, np.ones(2), np.array([1.0, np.nan])),
    (lambda x: np.sum(x * x), np.array([])),
    (lambda x: np.linalg.norm(x), np.zeros(3)),
]


@pytest.mark.drawn(5)
@pytest.mark.parametrize("jit", MODES)
@pytest.mark.parametrize("case", FINE, ids=lambda case: case[0].__name__)
def test_no_alarm(case, jit):
    function, *arguments = case
    function = pb.differentiable(jit=jit)(function)
    value, gradient = pb.value_and_grad(function, nan="raise")(*arguments)
    plain, expected = pb.value_and_grad(function)(*arguments)
    assert value == plain
    assert np.array_equal(gradient, expected)


def masked_row(x):
    scores = np.where(np.arange(3) < 0, x, -np.inf)
    return np.sum(np.exp(scores - np.max(scores)))


@as_text
def test_nan_that_is_made_of_infinite_constants_is_an_error():
    check(in_both_modes(masked_row, np.ones(3)), masked_row, "np.exp", "value", "scores - np.max(scores)")


def masked_and_more(x):
    a = np.where(x > 0, np.log(x) * x, 0.0)
    return np.sum(a) + np.sum(1.0 / (x - 1.0))


@as_text
def test_what_where_leaves_out_is_not_blamed():
    error = in_both_modes(masked_and_more, np.array([1.0, 0.0]))
    check(error, masked_and_more, "1.0 /", "value", "1.0 / (x - 1.0)")


def not_masked(x):
    return np.sum(np.where(x > -1, np.log(x), 0.0))


@as_text
def test_what_where_takes_is_blamed():
    error = in_both_modes(not_masked, np.array([1.0, 0.0, -2.0]))
    check(error, not_masked, "np.where", "value", "np.where(x > -1, np.log(x), 0.0)")
    assert error.index == (1,)


def weighted_plainly(x, w):
    return np.sum(x * w)


@as_text
def test_argument_is_blamed_where_it_reaches_the_results():
    error = in_both_modes(weighted_plainly, np.ones(2), np.array([1.0, np.nan]))
    check(error, weighted_plainly, "def ", "argument", "w")
    assert str(error).startswith("element [1] of the argument `w` is nan")


@as_text
def test_constant_that_is_computed_with_is_an_error():
    error = in_both_modes(lambda x: x * np.inf, 1.0)
    assert (error.quantity, error.variable) == ("adjoint", "x")


# Effects


def prints(x):
    print("once")
    return np.log(x)


@pytest.mark.parametrize("jit", MODES)
def test_prints_are_not_repeated(jit, capfd):
    gradient = pb.grad(pb.differentiable(jit=jit)(prints), nan="raise")
    for _ in range(3):
        raised(lambda: gradient(0.0))
        assert capfd.readouterr().out == "once\n"


def divided(x):
    x[0] = x[0] / x[1]
    x[1] = 1.0
    return np.sum(x)


@pytest.mark.parametrize("jit", [True, False])
def test_arguments_of_other_sizes_are_changed_once(jit):
    @pb.differentiable(nan="raise", jit=jit)
    def f(x, w):
        x *= w
        return np.sum(np.log(x) * w)

    for w in (np.array([1.0, 3.0]), np.array([3.0])):
        x = np.array([1.0, -2.0])
        with np.errstate(invalid="ignore"), pytest.raises(pb.NotFinite, match=r"element \[1\] of the value of `np.log"):
            pb.value_and_grad(f)(x, w)
        np.testing.assert_array_equal(x, np.array([1.0, -2.0]) * w)


@pytest.mark.parametrize("jit", MODES)
def test_arguments_that_are_changed_are_as_they_were_for_the_second_run(jit):
    gradient = pb.grad(pb.differentiable(jit=jit)(divided), nan="raise")
    error = raised(lambda: gradient(np.array([1.0, 0.0])))
    check(error, divided, "x[0] / x[1]", "value", "x[0] / x[1]")
    x = np.array([4.0, 2.0])
    assert gradient(x).tolist() == [0.5, -1.0]
    assert x.tolist() == [2.0, 1.0]


def aliases(x):
    y = x
    y[1] = np.log(x[0])
    return np.sum(x)


@as_text
def test_arrays_with_two_names():
    check(in_both_modes(aliases, np.array([0.0, 2.0])), aliases, "np.log", "value", "np.log(x[0])")


def test_parallel_loops():
    x = np.ones(100_000)
    x[77_777] = 0.0
    error = in_both_modes(logarithms, x, len(x), parallel=True)
    check(error, logarithms, "np.log", "value", "y", ("i", 77_777))


OPTIONS = ({"fastmath": True}, {"optimisations": False}, {"fuse": False}, {"math": "libm", "fastmath": False})


@pytest.mark.drawn(2)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(options):
    check(in_both_modes(logarithms, np.array([1.0, 0.0]), 2, **options), logarithms, "np.log", "value", "y", ("i", 1))


def test_out():
    out = np.empty(2)
    gradient = pb.grad(roots, nan="raise")
    for _ in range(3):
        assert raised(lambda: gradient(np.array([1.0, 0.0]), out=out)).quantity == "adjoint"
    assert gradient(np.array([1.0, 4.0]), out=out) is out
    assert out.tolist() == [0.5, 0.25]


def test_aux_counts():
    error = raised(lambda: pb.grad(lambda x: (x * x, np.log(x - x)), has_aux=True, nan="raise")(1.0))
    assert error.variable == "np.log(x-x)".replace("-", " - ")


# Rules of users


def test_rule_that_returns_nan_is_named():
    error = raised(lambda: pb.grad(lambda x: 3.0 * doubled(x), nan="raise")(2.0))
    check(error, doubled_back, "return", "adjoint", "x")
    error = raised(lambda: pb.grad(lambda x: 3.0 * doubled(x), nan="raise")(1.0))
    check(error, doubled_back, "z = ", "value", "z")


@pb.custom_vjp
def doubled(x):
    return 2.0 * x


def doubled_back(x, y_bar):
    z = y_bar / (x - 1.0)
    return (z * np.nan,)


doubled.defvjp(lambda x: (2.0 * x, x), doubled_back)


@pb.checkpoint
def layer(x):
    return 2.0 * np.sqrt(x)


def test_function_that_is_run_again():
    error = raised(lambda: pb.grad(lambda x: layer(x) * 3.0, nan="raise")(0.0))
    assert (error.quantity, error.variable) == ("adjoint", "x")


# Ways of calling


def test_every_way_of_calling_raises():
    gradient = pb.grad(roots, nan="raise")
    both = pb.value_and_grad(roots, (0,), nan="raise")
    for _ in range(4):  # the first calls go other ways than the later ones
        assert gradient(np.array([1.0, 4.0])).tolist() == [0.5, 0.25]
        assert both(np.array([1.0, 4.0]))[0] == 3.0
        assert raised(lambda: gradient(np.array([1.0, 0.0]))).index == (1,)
        assert raised(lambda: both(np.array([0.0, 0.0]))).index == (0,)
        assert pb.grad(roots)(np.array([1.0, 0.0]))[1] == np.inf


def test_differentiable_looks_at_values_and_derivatives():
    function = pb.differentiable(nan="raise")(logarithms)
    assert raised(lambda: function(np.zeros(1), 1)).quantity == "value"
    assert raised(lambda: pb.grad(function)(np.zeros(1), 1)).quantity == "value"
    assert function(np.ones(1), 1) == 0.0


class Model:
    @pb.differentiable
    def root(self, x):
        return np.sqrt(x)


def test_methods():
    assert raised(lambda: pb.grad(Model().root, nan="raise")(0.0)).quantity == "adjoint"


def test_what_is_pickled_looks():
    gradient = pickle.loads(pickle.dumps(pb.grad(roots, nan="raise")))
    assert raised(lambda: gradient(np.zeros(1))).quantity == "adjoint"


@pytest.mark.parametrize(
    "make", [pb.grad, pb.vjp, pb.jacobian, pb.differentiable, pb.GradientTape], ids=lambda f: f.__name__
)
def test_other_settings_are_refused(make):
    with pytest.raises(ValueError, match="nan='ignore': it is 'raise' or None"):
        make(nan="ignore") if make in (pb.differentiable, pb.GradientTape) else make(roots, nan="ignore")


def test_source_shows_the_checks():
    text = pb.source(logarithms, np.ones(2), 2, nan="raise")
    assert "raise NotFinite('value', 'y', " in text
    assert "is_finite" not in pb.source(logarithms, np.ones(2), 2)


def test_emitted_module_does_not_look():
    assert "NotFinite" not in pb.emit(pb.differentiable(nan="raise")(roots), np.ones(2))


@pytest.mark.known_calls
def test_calls_that_other_processes_know_raise(tmp_path):
    program = tmp_path / "known.py"
    program.write_text(
        "import numpy as np, pullback as pb\n"
        "def f(x):\n    return np.sum(np.sqrt(x))\n"
        "g, h = pb.grad(f, nan='raise'), pb.grad(f)\n"
        "print(g(np.ones(1)), h(np.zeros(1)))\n"
        "try:\n    g(np.zeros(1))\n"
        "except pb.NotFinite as error:\n    print(str(error).splitlines()[0])\n"
    )
    outputs = {subprocess.run([sys.executable, str(program)], capture_output=True, text=True).stdout for _ in range(2)}
    assert outputs == {"[0.5] [inf]\nelement [0] of the adjoint of `x` is inf\n"}


weight = pb.Variable([1.0, 4.0])


@pb.differentiable(nan="raise")
def trained(x):
    with pb.GradientTape() as tape:
        loss = np.sum(np.sqrt(weight) * x)
    weight.assign_sub(tape.gradient(loss, weight))
    return loss


def test_variables_are_assigned_once_or_not_at_all():
    assert trained(np.ones(2)) == 3.0
    assert weight.numpy().tolist() == [0.5, 3.75]
    weight.assign([1.0, 0.0])
    assert trained(np.ones(2)) == 1.0  # the value is finite, and the gradient is not returned
    assert weight.numpy().tolist() == [0.5, -np.inf]
    assert raised(lambda: trained(np.ones(2))).variable == "np.sqrt(weight)"
    assert weight.numpy().tolist() == [0.5, -np.inf]


def constant_in_the_value(x):
    x[0] = x[0] + 1.0
    return np.where(x > 5.0, np.inf, x)


@pytest.mark.parametrize("jit", MODES)
def test_infinite_constant_in_the_value_of_a_pullback(jit):
    x = np.array([1.0, 9.0])
    value, pullback = pb.vjp(pb.differentiable(jit=jit)(constant_in_the_value), nan="raise")(x)
    assert (value.tolist(), x.tolist()) == ([2.0, np.inf], [2.0, 9.0])
    assert pullback(np.ones(2)).tolist() == [1.0, 0.0]


# In functions and in compiled code


@pb.differentiable
def slope(x):
    slopes = pb.grad(roots_in_a_loop, nan="raise")(x)
    return 1.0 if slopes[1] > 0.0 else 2.0


def test_derivative_in_a_function_looks_there():
    assert slope(np.array([1.0, 2.0])) == 1.0
    check(raised(lambda: slope(np.array([1.0, 0.0]))), roots_in_a_loop, "np.sqrt", "adjoint", "x[i]", ("i", 1))


compiled_roots = pb.differentiable(roots_in_a_loop)
looking = pb.grad(compiled_roots, nan="raise")
changing = pb.differentiable(nan="raise")(divided)


def test_compiled_code_raises_the_same_error():
    @numba.njit
    def made_outside(x):
        return looking(x)

    @numba.njit
    def made_inside(x):
        return pb.value_and_grad(compiled_roots, nan="raise")(x)[1]

    @numba.njit
    def in_a_function(x):
        return slope(x)

    expected = raised(lambda: looking(np.array([1.0, 0.0])))
    for function in (made_outside, made_inside, in_a_function):
        assert np.all(np.isfinite(function(np.array([1.0, 2.0]))))
        assert str(raised(lambda function=function: function(np.array([1.0, 0.0])))) == str(expected)


def test_tangents_and_jacobians_in_compiled_code():
    @numba.njit
    def pushed(x):
        return pb.jvp(compiled_roots, (x,), (x,), nan="raise")[1]

    @numba.njit
    def matrix(x):
        return pb.jacobian(compiled_roots, nan="raise")(x)

    for function in (pushed, matrix):
        assert np.all(np.isfinite(function(np.array([1.0, 2.0]))))
        assert raised(lambda function=function: function(np.array([1.0, 0.0]))).iterations == (("i", 1),)


def test_compiled_code_changes_arguments_once():
    @numba.njit
    def call(x):
        return changing(x)

    x = np.array([4.0, 2.0])
    assert (call(x), x.tolist()) == (3.0, [2.0, 1.0])
    check(raised(lambda: call(np.array([1.0, 0.0]))), divided, "x[0] / x[1]", "value", "x[0] / x[1]")


def test_compiled_code_can_catch_the_error():
    @numba.njit
    def guarded(x):
        try:
            made = looking(x)[0]
        except Exception:
            made = -1.0
        return made

    assert guarded(np.array([1.0, 0.0])) == -1.0
    assert guarded(np.array([1.0, 1.0])) == 1.5


# Tapes


def gradient_on_tape(function, w, **options):
    with pb.GradientTape(nan="raise", **options) as tape:
        y = function(w)
    return tape.gradient(y, w)


def taped_logarithm(w):
    return np.sum(np.log(w))


def taped_root(w):
    y = np.sqrt(w)
    return np.sum(y)


def test_tape_names_the_expression():
    w = pb.Variable([1.0, 0.0], name="w")
    error = raised(lambda: gradient_on_tape(taped_logarithm, w))
    check(error, taped_logarithm, "np.log", "value", "np.log(w)")
    assert error.index == (1,)
    assert str(error).splitlines()[-1].strip() == "^" * len("np.log(w)")


def test_tape_names_the_operation_that_gives_an_adjoint():
    error = raised(lambda: gradient_on_tape(taped_root, pb.Variable([1.0, 0.0], name="w")))
    check(error, taped_root, "np.sqrt", "adjoint", "w")


def test_tape_names_a_variable_that_is_not_finite():
    error = raised(lambda: gradient_on_tape(lambda w: np.sum(w * w), pb.Variable([1.0, np.nan], name="w")))
    assert (error.quantity, error.variable, error.index) == ("argument", "w", (1,))


def test_tape_does_not_look_at_what_where_leaves_out():
    w = pb.Variable([1.0, 0.0])
    assert gradient_on_tape(lambda w: np.sum(np.where(w > 0, np.log(w), 0.0)), w).numpy().tolist() == [1.0, 0.0]


def test_tape_tells_given_cotangents_and_rows_of_jacobians():
    w = pb.Variable([1.0, 0.0])
    with pb.GradientTape(persistent=True, nan="raise") as tape:
        y, z = w * w, np.sqrt(w)
    assert raised(lambda: tape.gradient(y, w, output_gradients=[1.0, np.inf])).quantity == "given cotangent"
    assert tape.gradient(y, w).numpy().tolist() == [2.0, 0.0]
    assert raised(lambda: tape.jacobian(z, w)).quantity == "adjoint"


def test_tape_in_a_tape():
    w = pb.Variable(2.0)
    with pb.GradientTape() as outer:
        with pb.GradientTape(nan="raise") as inner:
            y = w**3
        slope_of = inner.gradient(y, w)
    assert outer.gradient(slope_of, w).item() == 12.0


def test_call_of_a_differentiable_function_on_a_tape():
    error = raised(lambda: gradient_on_tape(compiled_roots, pb.Variable([1.0, 0.0])))
    check(error, roots_in_a_loop, "np.sqrt", "adjoint", "x[i]", ("i", 1))
    looks = pb.differentiable(nan="raise")(roots_in_a_loop)
    w = pb.Variable([1.0, 0.0])
    with pb.GradientTape(), pytest.raises(pb.NotFinite):
        looks(w)


@pytest.mark.parametrize("jit", MODES)
def test_tape_in_a_function(jit):
    @pb.differentiable(jit=jit)
    def taped(x):
        with pb.GradientTape(nan="raise") as tape:
            tape.watch(x)
            y = roots_in_a_loop(x)
        return tape.gradient(y, x)

    assert taped(np.array([1.0, 1.0])).tolist() == [1.5, 1.5]
    check(raised(lambda: taped(np.array([1.0, 0.0]))), roots_in_a_loop, "np.sqrt", "adjoint", "x[i]", ("i", 1))


# Every program


PROGRAMS = [(program, jit) for jit in MODES for program in collect.programs()]


def outcome(program: Any, sample: Any, jit: bool, nan: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Value and gradient, and the arguments afterwards."""
    function = pb.differentiable(jit=jit, fastmath=False)(program.function)  # sums have one order then
    given = sample.fresh()
    if sample.cotangent is None:
        made = pb.value_and_grad(function, sample.wrt, nan=nan)(*given)
    else:
        value, pullback = pb.vjp(function, sample.wrt, nan=nan)(*given)
        made = value, pullback(copy.deepcopy(sample.cotangent))
    return [[np.asarray(leaf) for leaf in leaves_of(part, form_of(part))] for part in (made, tuple(given))]


def is_finite(leaf: np.ndarray) -> bool:
    return leaf.dtype.kind != "f" or bool(np.all(np.isfinite(leaf)))


@pytest.mark.drawn(6)
@pytest.mark.parametrize(("program", "jit"), PROGRAMS, ids=lambda part: getattr(part, "name", str(part)))
def test_finite_results_are_the_same_to_the_bit(program, jit):
    for sample in program.samples:
        made, after = outcome(program, sample, jit, None)
        if not all(map(is_finite, made)):
            raised(lambda sample=sample: outcome(program, sample, jit, "raise"))
            continue
        again, after_again = outcome(program, sample, jit, "raise")
        for one, other in zip((*made, *after), (*again, *after_again), strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def test_iterations_of_loops_in_segments_are_numbered_as_the_user_counts_them():
    def in_given_memory(x, n):
        total = 0.0
        for i in pb.checkpointed(range(n), memory=64):
            total = total + np.log(x - i * 0.1)
        return total

    def until(x, n):
        i, total = 0, 0.0
        while i < n:
            total = total * 0.5 + np.sqrt(x - i * 0.1)
            i += 1
        return total

    for jit in (False, True):
        less = pb.differentiable(jit=jit, max_residual_bytes=0)
        assert raised(lambda less=less: pb.grad(less(in_given_memory), nan="raise")(1.0, 20)).iterations == (("i", 10),)
        (iteration,) = raised(lambda less=less: pb.grad(less(until), nan="raise")(1.0, 20)).iterations
        assert iteration[1] == 11

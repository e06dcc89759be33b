"""NaN and infinity where `np.where`, a mask or an index array did not choose: nothing flows back through them."""

import math

import numpy as np

from collect import program

NAN, INF = math.nan, math.inf


@program(np.array([1.5, NAN, -2.0]))
def square_where_not_nan(x):
    return np.sum(np.where(np.isnan(x), 0, x * x))


@program(np.array([0.0, 0.5, 2.0]))
def entropy(x):
    return np.sum(np.where(x > 0, np.log(x) * x, 0))


@program(np.array([0.0, 0.5, 2.0]))
def entropy_by_iterations(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.where(x[i] > 0, np.log(x[i]) * x[i], 0.0)
    return total


@program(np.array([0.0, 0.5, 2.0]))
def entropy_by_iterations_in_an_array(x):
    """What stands behind `where` goes through an array that iterations fill."""
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = np.log(x[i]) * x[i]
    return np.sum(np.where(x > 0, y, 0.0))


@program(np.array([0.0, 0.5, 2.0]), np.array([INF, 2.0, 3.0]))
def difference_of_infinities(x, a):
    y = a * x - a
    return np.sum(np.where(x > 0.1, y * y, x))


@program(np.array([1.0, 800.0, -3.0]))
def guarded_logistic(x):
    """exp overflows where it is not taken."""
    e = np.exp(x)
    return np.sum(np.where(x < 100, e / (1 + e), 1.0))


@program(np.array([[1.0, NAN], [INF, 2.0]]), np.array([3.0, 4.0]))
def weighted_rows(a, w):
    """A vector that is broadcast, and a sum of a part."""
    scaled = (a * w) * a
    return np.sum(np.where(np.isfinite(a), scaled, 0)[:, 1]) + np.sum(np.where(np.isfinite(a), scaled, 0))


@program(np.array([[1.0, 2.0], [INF, 2.0], [NAN, 1.0]]), np.array([3.0, 4.0]))
def finite_sums_of_rows(a, w):
    """Sums, a transposition, a reshaped array and a cast stand between the products and `where`."""
    s = np.sum(a * a * w, axis=1)
    s = np.reshape(np.reshape(s, (3, 1)).T, 3).astype(np.float64)
    return np.sum(np.where(np.isfinite(s), s * s, 0))


@program(np.array([[1.0, 2.0, 0.5], [INF, 2.0, 1.0], [NAN, 1.0, 1.0]]))
def finite_reductions_of_rows(a):
    total = 0.0
    s = np.prod(a, axis=1)
    total += np.sum(np.where(np.isfinite(s), s * s, 0))
    s = np.mean(a * a, axis=1)
    total += np.sum(np.where(np.isfinite(s), s * s, 0))
    s = np.var(a, axis=1)
    total += np.sum(np.where(np.isfinite(s), s * s, 0))
    s = np.std(a, axis=1, keepdims=True)
    total += np.sum(np.where(np.isfinite(s), s * s, 0))
    return total


@program(np.array([[1.0, 2.0, 0.5], [INF, 2.0, 1.0], [NAN, 1.0, 1.0]]))
def finite_norms_of_rows(a):
    s = np.sqrt(np.sum(a * a, axis=1))
    return np.sum(np.where(np.isfinite(s), s * s * s, 0))


@program(np.array([0.0, 0.5, 2.0]))
def overwritten_by_mask(x):
    y = np.log(x) * x
    y[x <= 0] = 0.0
    return np.sum(y * y)


@program(np.array([0.0, 0.5, 2.0]))
def read_by_mask(x):
    y = np.log(x) * x
    return np.sum(y[x > 0] ** 2)


@program(np.array([0.0, 0.5, 2.0]))
def read_by_indices(x):
    y = np.log(x) * x
    return np.sum(y[np.array([1, 2, 1])])


@program(np.array([0.0, 0.5, 2.0]))
def nested_choices(x):
    inner = np.where(x > 1, x * np.sqrt(x - 1), 0)
    return np.sum(np.where(x > 0, np.log(x) * inner, x))


@program(np.array([0.0, 0.5, 2.0]))
def replaced_by_number(x):
    return np.sum(np.nan_to_num(x * np.log(x)) * x)


@program(np.array([0.0, 0.5, 2.0]), 3)
def repeatedly(x, n):
    """The chain behind `where` goes through what a loop carries."""
    y = np.log(x)
    for _ in range(n):
        y = y * x + 0.5 * np.sin(y)
    return np.sum(np.where(x > 0, y, 0))


@program(np.array([0.0, 0.5, 2.0]), 2)
def chosen_in_each_iteration(x, n):
    y = x.copy()
    for _ in range(n):
        y = np.where(x > 0, y * np.log(x), 1.0) * x
    return np.sum(y)


@program(np.array([0.0, 0.5, 2.0]), 2.0)
def through_a_branch(x, a):
    y = np.log(x)
    if a > 1.0:
        y = a * y * x
    else:
        y = y - a
    return np.sum(np.where(x > 0, y, a))


@program(np.array([0.0, 0.5, 2.0]), 3.0)
def through_a_call(x, a):
    return np.sum(np.where(x > 0, _scaled_logarithm(x, a), 0))


def _scaled_logarithm(x, a):
    return (a * np.log(x)) * x


@program(np.float64(0.0))
@program(np.float64(0.5))
def number_behind_where(x):
    return float(np.where(x > 0, x * np.log(x), 0.0)) * 1.0 + x


@program(np.array([0.0, 0.5, 2.0], dtype=np.float32))
def entropy_in_single_precision(x):
    return np.sum(np.where(x > 0, np.log(x) * x, np.float32(0)))


@program(np.array([3.0, 0.0, NAN]), np.array([2.0, 0.0, 1.0]))
def functions_of_two(x, y):
    z = np.remainder(x, y) + np.arctan2(x, y) + np.hypot(x, y) * np.logaddexp(x, y) + np.power(x, y) / y
    return np.sum(np.where(x > 1, z * x, y))


@program(np.array([[1.0, 2.0], [3.0, 4.0], [NAN, 1.0]]), np.array([0.5, 0.25]))
def exponential_of_products(a, x):
    """A row of missing data."""
    s = a @ x
    return np.sum(np.where(np.isnan(s), 0, np.exp(s)))


@program(np.array([[1.0, 2.0], [3.0, 4.0], [NAN, 1.0]]), np.array([[0.5, 1.5], [0.25, 1.0]]))
def rows_of_a_product(a, b):
    s = a @ b
    return np.sum(np.where(np.isnan(s), 0, s * s))


@program(np.array([0.0, INF, 2.0]))
def other_elementwise_functions(x):
    y = np.sin(x) * np.cos(x) + np.tanh(x) * np.arctan(x) + np.sinh(x) / np.cosh(x) + np.square(x) * np.expm1(x)
    return np.sum(np.where(np.isfinite(x), y * x, 0))


@program(np.array([1.0, NAN, 3.0]))
def moving_sums(x):
    """cumsum, diff and roll: what is NaN stays in its places."""
    good = np.isfinite(x)
    y = np.where(good, x * x, 0)
    return np.sum(np.cumsum(y) * np.roll(y, 1)) + np.sum(np.diff(y) ** 2)


@program(np.array([1.0, NAN, 3.0]), np.array([2.0, NAN, INF]))
def built_from_parts(x, y):
    """concatenate, stack and clip."""
    z = np.concatenate((x * x, x * y))
    w = np.stack((x * y, np.clip(x * x, 0.0, 5.0)))
    return np.sum(np.where(np.isfinite(z), z, 0)) + np.sum(np.where(np.isfinite(w), w * w, 0))


@program(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, -1.0], [2.0, 0.3]]), np.zeros((2, 2)))
def product_with_weights_of_zero(a, b, w):
    """The cotangent of the product is 0 here, and not beside it: its derivative is not lost."""
    return np.sum(np.where(b != 2.0, a @ b, 0.0) * w)


@program(np.array([[1.0, 2.0], [3.0, 4.0], [INF, 1.0]]), np.array([[0.5, NAN], [2.0, 0.3]]), np.array([0.0, 2.0, 0.0]))
def rows_with_weights_of_zero(a, b, w):
    s = a @ b
    return np.sum(np.where(np.isfinite(s), s, 0.0) * w[:, None])


@program(
    np.array([[[1.0, 2.0], [3.0, 4.0]], [[0.5, NAN], [1.0, 2.0]]]), np.array([[2.0, 1.0], [1.0, 0.3]]), np.zeros(2)
)
def stack_with_weights_of_zero(a, b, w):
    s = a @ b
    return np.sum(np.where(np.isfinite(s), s, 0.0) * w)


@program(np.array([[1.0, 2.0, 4.0], [3.0, 0.5, INF]]), np.zeros(2))
def reductions_with_weights_of_zero(a, w):
    parts = np.std(a, axis=1) + np.var(a, axis=1) + np.prod(a, axis=1) + np.sqrt(np.sum(a * a, axis=1))
    others = np.linalg.norm(a, axis=1)
    good = np.isfinite(others)
    return np.sum(np.where(good, parts, 0.0) * w) + np.sum(np.where(good, others, 0.0) * w)


@program(np.array([0.0, 0.5, 2.0]), np.array([1.0, 0.2, 3.0]))
def the_other_one_only_compared(x, y):
    """Each number is chosen by one of the two, but one of these has no influence on the result."""
    total = 0.0
    for i in range(x.shape[0]):
        a = np.log(x[i])
        lower, upper = np.where(x[i] < 0.1, a, y[i]), np.where(x[i] < 0.1, y[i], a)
        if lower < 10.0:
            total += upper
    return total


@program(np.array([[0.0, 0.5, 2.0], [1.0, 0.0, 0.3]]), np.array([1.0, 0.2, 3.0]))
def elements_of_which_one_is_only_compared(x, y):
    total = 0.0
    v = np.ones(3)
    for t in range(x.shape[0]):
        logarithms = np.log(x[t])
        lower, upper = np.where(x[t] < 0.1, logarithms, y), np.where(x[t] < 0.1, y, logarithms)
        v = v * 0.5 + upper
        if lower[0] < 10.0:
            total += v[0] * v[1]
    return total + np.sum(v)

"""What the other collections leave out: broadcasting, indexing, control flow, state, calls, dtypes and odd shapes."""

from collections import namedtuple

import numpy as np

from collect import program

GENERATOR = np.random.default_rng(20)
X = np.array([0.5, -1.2, 2.0, 0.7])
Y = np.array([1.5, 0.8, 1.1, 2.3])
M = GENERATOR.normal(size=(3, 4))
N = GENERATOR.uniform(0.5, 2.0, size=(3, 4))
COLUMN = GENERATOR.uniform(0.5, 2.0, size=(3, 1))
ROW = GENERATOR.uniform(0.5, 2.0, size=4)
CUBE = GENERATOR.normal(size=(2, 3, 4))
SQUARE = GENERATOR.normal(size=(3, 3)) + 3.0 * np.eye(3)


# Broadcasting, every binary operation, both directions


@program(N, ROW)
@program(ROW, N)
@program(COLUMN, ROW)
@program(1.5, N)
@program(N, 0.5)
def broadcast_add(a, b):
    return np.sum((a + b) ** 2)


@program(N, ROW)
@program(ROW, N)
@program(COLUMN, ROW)
@program(1.5, N)
@program(N, 0.5)
def broadcast_subtract(a, b):
    return np.sum((a - b) ** 2)


@program(N, ROW)
@program(ROW, N)
@program(COLUMN, ROW)
@program(1.5, N)
@program(N, 0.5)
def broadcast_multiply(a, b):
    return np.sum(np.sin(a * b))


@program(N, ROW)
@program(ROW, N)
@program(COLUMN, ROW)
@program(1.5, N)
@program(N, 0.5)
def broadcast_divide(a, b):
    return np.sum((a / b) ** 2)


@program(N, ROW)
@program(ROW, N)
@program(COLUMN, ROW)
@program(1.5, N)
@program(N, 0.5)
def broadcast_power(a, b):
    return np.sum(a**b)


@program(5.0 * N, ROW)
@program(ROW, N)
@program(5.0 * COLUMN, ROW)
@program(7.3, N)
@program(N, 0.31)
def broadcast_remainder(a, b):
    return np.sum((a % b) * a)


@program(5.0 * N, ROW)
@program(ROW, N)
@program(7.3, N)
def broadcast_floor_divide(a, b):
    return np.sum((a // b) * a)


@program(N, ROW)
@program(ROW, N)
@program(COLUMN, ROW)
@program(N, 0.9)
def broadcast_maximum(a, b):
    return np.sum(np.maximum(a, b) ** 2)


@program(N, ROW)
@program(ROW, N)
@program(COLUMN, ROW)
@program(0.9, N)
def broadcast_minimum(a, b):
    return np.sum(np.minimum(a, b) ** 2)


@program(M, ROW)
@program(ROW, M)
@program(COLUMN, ROW)
def broadcast_arctan2(a, b):
    return np.sum(np.arctan2(a, b))


@program(M, ROW)
@program(COLUMN, ROW)
def broadcast_hypot_and_logaddexp(a, b):
    return np.sum(np.hypot(a, b) * np.logaddexp(a, b))


@program(CUBE, M, ROW)
@program(ROW, CUBE, COLUMN)
def broadcast_three_ranks(a, b, c):
    return np.sum((a * b + c) * a)


@program(COLUMN, np.ones((1, 1, 4)))
def broadcast_axes_of_length_one(a, b):
    return np.sum(a * b * np.exp(a - b))


@program(N, ROW)
def broadcast_where(a, b):
    return np.sum(np.where(a > 1.0, a * b, b))


# Reductions


@program(M)
def sum_over_axis(x):
    return np.sum(np.sum(x, axis=0) ** 2) + np.sum(np.sum(x, axis=-1) ** 3)


@program(M)
def sum_keeping_dimensions(x):
    return np.sum(x / (1.0 + np.sum(x * x, axis=1, keepdims=True)))


@program(CUBE)
def sum_over_two_axes(x):
    return np.sum(np.sum(x, axis=(0, 2)) ** 2)


@program(M)
def mean_over_axis(x):
    centred = x - np.mean(x, axis=0)
    return np.sum(centred**3) + np.mean(x, axis=(0, 1), keepdims=True)[0, 0]


@program(M)
def variance_and_deviation(x):
    return np.sum(np.var(x, axis=0)) + np.std(x) + np.sum(x.std(axis=1, ddof=1))


@program(M)
def maximum_over_axis(x):
    return np.sum(np.max(x, axis=1) ** 2) + np.min(x) + np.sum(x.max(axis=0, keepdims=True) * x)


@program(N)
@program(np.array([[0.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 5.0], [1.0, 2.0, 3.0, 0.5]]))
def product_over_axis(x):
    return np.sum(np.prod(x, axis=1)) + np.prod(x[:, 0])


@program(M)
def cumulative_sum(x):
    return np.sum(np.cumsum(x, axis=1) ** 2) + np.cumsum(x)[5] ** 2


@program(Y)
@program(np.array([2.0, 0.0, 3.0, 1.0]))
def cumulative_product(x):
    return np.sum(np.cumprod(x) * np.arange(4.0))


@program(M)
def softmax_of_rows(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


@program(X)
def methods_of_arrays(x):
    y = x.copy()
    return x.sum() * y.mean() + x.reshape(2, 2).T.sum(axis=0)[1] * x.dot(y) + x.prod() * x.max()


# Linear algebra


@program(M, np.arange(8.0).reshape(4, 2) / 3.0)
def matrix_products(a, b):
    return np.sum((a @ b) ** 2) + np.sum(np.matmul(a, b) * np.dot(a, b))


@program(CUBE, GENERATOR.normal(size=(4, 2)))
def batched_matmul(a, b):
    return np.sum((a @ b) ** 2)


@program(X, Y)
def outer_and_dot(x, y):
    return np.sum(np.outer(x, y) ** 2) * np.dot(x, y) + x @ y


@program(M, M.T.copy())
def small_einsum(a, b):
    return np.sum(np.einsum("ij,jk->ik", a, b) ** 2)


@program(SQUARE, np.array([1.0, -2.0, 0.5]))
def solve_and_inverse(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2) + np.sum(np.linalg.inv(a) ** 3)


@program(SQUARE)
def log_determinant(a):
    sign, logarithm = np.linalg.slogdet(a)
    return sign * logarithm


@program(SQUARE)
def cholesky_of_gram(a):
    return np.sum(np.linalg.cholesky(a @ a.T + np.eye(3)) ** 3)


# Indexing


@program(X)
def negative_index(x):
    return x[-1] * x[-2] + x[len(x) - 3]


@program(X)
def negative_step(x):
    return np.sum(x[::-1] * np.arange(4.0)) + np.sum(x[3:0:-2] ** 2)


@program(X)
def write_through_negative_step(x):
    y = np.zeros(4)
    y[::-1] = x * x
    y[2::-2] *= x[:2]
    return np.sum(y * np.arange(1.0, 5.0))


@program(M)
def newaxis_and_ellipsis(x):
    return np.sum(x[:, np.newaxis, :] * x[np.newaxis, ..., ::-1]) + np.sum(x[..., 1] ** 2) + np.sum(x[None, 0] ** 3)


@program(CUBE)
def mixed_three_dimensional_index(x):
    return np.sum(x[1, :, 2] ** 2) + np.sum(x[:, 1] ** 3) + x[0, -1, -2] * x[-1][0][1] + np.sum(x[:, ::2, 1:3] ** 2)


@program(M)
def element_of_row(x):
    return x[1][2] * x[2, 3] + np.sum(x[1] * x[-1])


@program(X)
def integer_array_with_repeats(x):
    index = np.array([0, 2, 2, 1, 0])
    return np.sum(x[index] ** 2 * np.arange(5.0))


@program(X, np.array([3, 0, 1]))
def integer_array_argument(x, index):
    return np.sum(x[index] ** 3) + x[index[0]] * x[index[2]]


@program(X)
def integer_array_written(x):
    index = np.array([3, 0])
    y = x * 2.0
    y[index] = x[:2] * x[2:]
    return np.sum(y**2)


@program(X)
def integer_array_augmented(x):
    """A repeated index counts once in `+=`, and every time in np.add.at."""
    index = np.array([1, 1, 3])
    y = x * 2.0
    y[index] += x[:3]
    z = np.zeros(4)
    np.add.at(z, index, x[:3] ** 2)
    return np.sum(y**2) + np.sum(z * z)


@program(M)
def two_integer_arrays(x):
    return np.sum(x[np.array([0, 2, 0]), np.array([1, 3, 1])] ** 2) + np.sum(x[:, np.array([0, 0, 2])] ** 3)


@program(X)
def element_read_is_a_copy(x):
    y = np.zeros(2)
    y[0] = x[0] * x[1]
    a = y[0]
    y[1] = y[0]
    y[0] *= 3.0
    return a * y[0] + y[1] ** 2


@program(X)
def boolean_mask_read(x):
    return np.sum(x[x > 0.6] ** 2) + np.sum(x[(x > -2.0) & (x < 0.6)] ** 3)


@program(X)
def boolean_mask_written(x):
    y = x * 1.0
    y[x < 0.6] = 0.0
    y[y > 1.0] = x[0]
    return np.sum(y**2 * x)


@program(X)
def boolean_mask_augmented(x):
    y = x * x
    mask = x > 0
    y[mask] *= 3.0
    y[~mask] += x[~mask]
    return np.sum(y**2)


@program(M)
def boolean_mask_of_matrix(x):
    y = x.copy()
    y[y < 0] = 0.0
    return np.sum(y * y) + np.sum(x[x[:, 0] > 0])


@program(M)
def rows_and_columns_written(x):
    y = np.zeros((3, 4))
    y[0] = x[1] * x[2]
    y[:, 1] += x[:, 2] ** 2
    y[1:, 2:] = x[:2, :2]
    y[2, ...] -= x[0]
    return np.sum(y**2)


@program(M, ROW)
def broadcast_into_slice(x, row):
    y = x * 1.0
    y[1:] = row
    y[:, 0] = row[1] * row[2]
    y[0, 1:] += 2.0
    return np.sum(y**2 * x)


@program(X)
def subscript_with_every_operator(x):
    y = x * 1.0
    y[0] += x[1]
    y[1] -= x[0] * x[0]
    y[2] *= x[3]
    y[3] /= x[2]
    y[2] **= 2
    y[0] %= 0.4
    y[1:3] *= y[2:]
    y[2:] /= 3.0
    return np.sum(y**2)


@program(2.3)
def name_with_every_operator(a):
    b = a
    b += 1.5
    b *= a
    b -= 0.5
    b /= a + 1.0
    b **= 2
    b %= 3.0
    c = a
    c //= 1.0
    return b * a + c


@program(X)
def overlapping_slices_shifted(x):
    y = x * x
    y[1:] += y[:-1]
    y[:-1] = y[1:] * x[0]
    return np.sum(y**2)


@program(M)
def view_of_transpose_written(x):
    y = x * 1.0
    t = y.T
    t[1] *= 2.0
    t[0, :] = x[0, 3]
    return np.sum(y**3)


@program(X)
def reshaped_view_written(x):
    y = x * 1.0
    square = y.reshape(2, 2)
    square[0] *= square[1]
    flat = square.ravel()
    flat[3] += x[0] ** 2
    return np.sum(y**2)


@program(X, 3)
def swapped_buffers(x, n):
    u = x * 1.0
    v = np.zeros(4)
    for step in range(n):
        for i in range(1, 3):
            v[i] = u[i] + 0.3 * (u[i - 1] * u[i + 1] - u[i])
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


@program(X)
def swapped_elements_in_loop(x):
    y = x * 1.0
    for i in range(len(y)):
        for j in range(len(y) - 1):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    return np.sum(y * y * np.arange(4.0))


@program(X)
def index_computed_from_values(x):
    best = 0
    for i in range(len(x)):
        if x[i] > x[best]:
            best = i
    return x[best] ** 2 * x[np.argmin(x)]


# Control flow


@program(X, 1.0)
@program(X, 100.0)
def for_else(x, limit):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
        if total > limit:
            break
    else:
        total = total * 3.0
    return total


@program(1.1, 5.0)
@program(1.1, 1e6)
def while_else(a, limit):
    n = 0
    while n < 6:
        a = a * (1.0 + a)
        if a > limit:
            break
        n += 1
    else:
        a = a * 2.0
    return a


@program(1.7)
@program(0.3)
def nested_while(a):
    total = 0.0
    outer = 0
    while outer < 3:
        b = a + outer
        while b > 0.5:
            b = b * 0.5
            total += b * a
        outer += 1
    return total


@program(X)
def break_in_nested_loops(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            total += x[i] * x[j]
        if total < -4.0:
            break
    return total


@program(X)
@program(np.abs(X))
def return_from_nested_loops(x):
    total = 1.0
    for i in range(len(x)):
        for j in range(i):
            total *= x[i] - x[j]
            if total < 0:
                return total * x[0]
    return total


@program(2.0)
@program(0.5)
@program(-1.0)
def several_returns(a):
    if a < 0:
        return a
    if a < 1:
        b = a * a
        return b * 3.0
    else:
        a = a + 1.0
    return a**3


@program(X, 0)
@program(X, 3)
def loop_of_zero_trips(x, n):
    total = x[0]
    for i in range(n):
        total = total * x[i]
    for i in range(3, n):
        total = 100.0
    return total


@program(3.0)
def while_of_zero_trips(a):
    b = a * a
    while b < 1.0:
        b = b * 2.0
    return b


@program(X)
def reversed_range(x):
    y = x * 1.0
    for i in range(len(x) - 2, -1, -1):
        y[i] = y[i] + 0.5 * y[i + 1] * y[i + 1]
    for i in reversed(range(2)):
        y[i] *= y[i + 2]
    return y[0] * y[1]


@program(np.array([0.5, -1.2, 2.0, 0.7, 1.1, -0.3, 0.9]))
def stepped_range(x):
    total = 1.0
    for i in range(1, len(x), 3):
        total *= x[i] + x[i - 1]
    for i in range(6, 0, -2):
        total += x[i] ** 2
    return total


@program(X)
def loop_index_after_the_loop(x):
    for i in range(len(x) - 1):
        y = x[i] * 2.0
    return y * x[i] * i


@program(X)
def enumerated(x):
    total = 0.0
    for i, value in enumerate(x):
        total += (i + 1) * value**2
    return total


@program(X, Y)
def zipped(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b * b
    return total


@program(M)
def rows_of_matrix_iterated(x):
    total = 0.0
    for row in x:
        total += np.sum(row) ** 2
    return total


@program(2.0, True)
@program(2.0, False)
def defined_in_one_branch(a, flag):
    if flag:
        b = a * a
    c = a + 1.0
    if flag:
        c = c * b
    return c


@program(2.0, 1)
@program(2.0, 4)
def chosen_by_integer(a, kind):
    if kind == 1:
        b = a**2
    elif kind == 2 or kind == 3:
        b = a**3
    else:
        b = -a
    return b * a


@program(0.5)
@program(1.5)
@program(2.5)
def chained_comparison(a):
    if 1.0 < a <= 2.0:
        return a * a
    elif not 0.0 < a < 1.0:
        return a**3
    return 2.0 * a


@program(0.5, -1.0)
@program(-0.5, 1.0)
def boolean_operators(a, b):
    if a > 0 and b < 0 or a * b > 3:
        c = a * b
    else:
        c = a + b * b
    return c if (a > b) == (b > 0) else c * a


@program(1.5)
def chained_assignment(a):
    b = c = a * a
    b += a
    return b * c


@program(X)
def chained_assignment_of_array(x):
    y = z = x * 2.0
    y[0] = x[1]
    return np.sum(z**2) + y[0]


@program(1.5, -0.5)
def tuple_assignment(a, b):
    a, b = b, a * b
    (c, d), e = (a + b, a), b
    return a * c + d * e


@program(0.8)
@program(-0.8)
def nested_conditional_expressions(a):
    b = a if a > 1 else (a * a if a > 0 else -a)
    return b * (2.0 if b > 0.7 else 3.0)


@program(np.array([0.3, 2.0, -0.5]))
def guarded_division(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] != 0 and 1.0 / x[i] > 1.0:
            total += 1.0 / x[i]
    return total


# State


@program(X)
def integers_and_flags_beside_floats(x):
    count = 0
    seen = False
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            count += 1
            seen = True
        elif seen:
            count -= 2
        total += count * x[i]
    return total * (1 if seen else -1)


@program(1.5, 3)
def integer_becomes_float(a, n):
    s = 0
    p = 1
    for i in range(n):
        s += a * i
        p = p * a
    return s * p


@program(X)
def boolean_arithmetic(x):
    positive = x > 0
    return np.sum(positive * x**2) + np.sum(x) * np.sum(positive)


@program(np.array([1.0, 1e-3, -0.5, 1e3, 0.25]))
def kahan_sum(x):
    total = 0.0
    correction = 0.0
    for i in range(len(x)):
        y = x[i] * x[i] - correction
        t = total + y
        correction = (t - total) - y
        total = t
    return total


@program(X)
def dead_values_are_overwritten(x):
    y = np.exp(x)
    y[:] = 1.0
    y[1] = x[0]
    z = x * 5.0
    z = y * 2.0
    return np.sum(z**2)


@program(X)
def array_name_rebound_in_loop(x):
    y = x
    for i in range(3):
        y = np.sin(y) * x + i
    return np.sum(y)


@program(X)
def element_as_accumulator(x):
    state = np.ones(2)
    for i in range(len(x)):
        state[0] = state[0] * np.cos(x[i]) - state[1]
        state[1] += state[0] * x[i]
    return state[1]


def scale_in_place(values, factor):
    for i in range(len(values)):
        values[i] *= factor


@program(X, 1.5)
def callee_changes_its_argument(x, factor):
    y = x * x
    scale_in_place(y, factor)
    scale_in_place(y[1:3], y[0])
    return np.sum(y**2)


@program(X, Y)
def two_arguments_changed(x, y):
    for i in range(len(x)):
        x[i] = x[i] * y[i]
        y[i] += x[i]
    return np.sum(x * y)


@program(X, Y)
def exchange_of_arguments(x, y):
    saved = x.copy()
    x[:] = y * 2.0
    y[:] = saved
    return np.sum(x**2) + np.sum(y**3)


# Calls


@program(1.5, 4)
def recursion_with_two_calls(a, n):
    if n < 2:
        return a + n
    return recursion_with_two_calls(a, n - 1) * 0.5 + recursion_with_two_calls(a * a, n - 2)


def even_part(a, n):
    if n == 0:
        return a
    return odd_part(a * a, n - 1)


def odd_part(a, n):
    if n == 0:
        return a + 1.0
    return 0.5 * even_part(a + 1.0, n - 1)


@program(1.1, 3)
@program(1.1, 0)
def mutual_recursion(a, n):
    return even_part(a, n)


def polynomial(x, a=2.0, *, b=0.5, power=2):
    return a * x**power + b


@program(1.5, 0.7)
def default_and_keyword_arguments(x, c):
    return polynomial(x) + polynomial(x, c) + polynomial(x, b=c, power=3) + polynomial(power=1, x=c)


@program(1.5)
@program(1.5, 3.0)
def own_default_argument(a, b=2.0):
    return a**2 * b


GRAVITY = 9.81
WEIGHTS = np.array([0.5, 1.0, -0.5, 2.0])


@program(X)
def module_constants(x):
    return GRAVITY * np.sum(WEIGHTS * x**2)


def make_closure(rate, table):
    def closure(x):
        return np.sum(np.exp(-rate * x) * table)

    return closure


closure_over_values = program(X, name="closure_over_values")(make_closure(0.5, np.array([1.0, -1.0, 2.0, 0.5])))


@program(1.5, 0.5)
def nested_functions_capture(a, b):
    c = a * b

    def inner(x):
        def innermost(y):
            return y * c + a

        return innermost(x * b) + innermost(c)

    return inner(a)


@program(1.5)
def local_lambda(a):
    scaled = lambda x, y=2.0: x * y + a
    return scaled(a * a) * scaled(1.0, a)


def apply_twice(function, x):
    return function(function(x))


def wave(x):
    return np.sin(x) * x


@program(0.8)
def function_as_argument(a):
    return apply_twice(wave, a) + apply_twice(lambda x: x * x, a)


def both(x):
    return np.sum(x), np.prod(x)


@program(X)
def callee_returns_tuple(x):
    total, product = both(x)
    again = both(x * 2.0)
    return total * product + again[1]


@program(X, cotangent=(1.0, np.array([0.5, -1.0, 2.0, 0.0])))
def tuple_result(x):
    return np.sum(x**2), x**3


@program(X, 2.0, cotangent=(1.0, (np.array([1.0, 0.0, -1.0, 0.5]), 2.0)))
def nested_result(x, a):
    y = x * a
    return np.sum(y), (y * y, a**2)


@program(1.5, 0.5, cotangent={"total": 1.0, "parts": (0.5, -1.0)})
def dict_result(a, b):
    return {"total": a + b, "parts": (a * b, b**2)}


Point = namedtuple("Point", ["x", "y"])


@program(Point(1.5, 0.5), 2.0, cotangent=Point(1.0, -0.5))
def namedtuple_argument_and_result(p, a):
    return Point(p.x * a, p.y * p.x)


@program(X, cotangent=np.array([1.0, -1.0, 0.5, 2.0]))
def array_result(x):
    y = x * x
    y[1:] += x[:-1]
    return y


@program(X, cotangent=(np.array([1.0, -1.0, 0.5, 2.0]), np.array([0.5, 1.0])))
def result_and_its_view(x):
    y = np.exp(x)
    return y, y[1:3]


@program({"layers": [(M, ROW), (np.ones((4, 2)), np.array([0.1, -0.2]))], "scale": 0.5}, np.array([1.0, -0.5, 2.0]))
def nested_parameters(params, x):
    for w, b in params["layers"]:
        x = np.tanh(x @ w + b)
    return np.sum(x) * params["scale"]


@program([X, Y])
def list_argument(parts):
    return np.sum(parts[0] * parts[1] ** 2)


@program(X)
def list_as_stack(x):
    stack = []
    for i in range(len(x)):
        stack.append(np.sin(x[i]))
    total = 1.0
    while len(stack) > 0:
        top = stack.pop()
        total = total * 0.5 + top * top
    return total


@program(X)
def list_of_arrays(x):
    history = [x]
    for i in range(3):
        history.append(np.tanh(history[-1] * x))
    return np.sum(history[1] * history[3])


@program(X)
def comprehension_with_condition(x):
    squares = [v * v for v in x if v > 0]
    return sum(squares) * sum([x[i] * i for i in range(len(x))])


@program(X)
def builtin_reductions(x):
    return max(x[0], x[1]) * min(x[2], x[3]) + sum(x) + abs(x[1]) + max(x) * sum(v * v for v in x)


# Dtypes and shapes


@program(X.astype(np.float32))
def float32_argument(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return np.sum(y * x)


@program(X.astype(np.float32), Y)
def float32_beside_float64(x, y):
    return np.sum(x * y) + np.sum(x) * 2.0


@program(X, np.array([1, 2, 0, 3]))
def integer_array_beside_floats(x, k):
    return np.sum(x * k) + np.sum(np.abs(x) ** k)


@program(np.zeros(0))
def empty_array(x):
    total = 1.0
    for i in range(len(x)):
        total += x[i]
    return total + np.sum(x * 2.0)


@program(np.zeros((0, 3)), np.array([1.0, 2.0, 3.0]))
def empty_matrix(x, w):
    return np.sum(x @ w) + np.sum(w * w) + np.sum(np.sum(x, axis=0) * w)


@program(np.array(1.5))
def zero_dimensional_array(x):
    return np.sum(x * x) + x[()] * 2.0


@program(M[:, ::2])
@program(M.T)
@program(np.asfortranarray(M))
@program(CUBE[:, 1])
@program(M[::-1])
def layouts_other_than_contiguous(x):
    y = x * 1.0
    y[0] *= x[1]
    return np.sum(y**2) + np.sum(x.reshape(-1)[:3] ** 3) + np.sum(x.T[0] * x.T[-1])


@program(M[:, ::2])
@program(np.asfortranarray(M))
def layouts_written(x):
    x[0] = x[1] * x[2]
    x[:, 1] += x[:, 0]
    return np.sum(x**2)


@program(np.array([2.0]))
def array_of_one_element(x):
    y = np.zeros(1)
    y[0] = x[0] ** 2
    return y[0] * x[-1]


@program(M)
def shape_functions(x):
    y = np.concatenate((x, x[:1] * 2.0), axis=0)
    z = np.stack([x[0], x[1]], axis=1)
    w = np.expand_dims(np.transpose(x), 0)
    return np.sum(y**2) + np.sum(z[:, 0] * z[:, 1]) + np.sum(w[0, :, 2] ** 3) + np.sum(np.flip(x) * x)


@program(X)
def constructors(x):
    a = np.full(4, x[0])
    b = np.ones(4) * x
    c = np.eye(4)
    d = np.linspace(0.0, 1.0, 4)
    c[1] = b
    return np.sum(a * b) + np.sum(c @ (d * x))


# Names


@program(X, 1.5)
def awkward_names(x, np_):
    x_bar = np.sum(x)
    t1 = x_bar * np_
    x_saved = t1 * t1
    result = x_saved + x_bar
    i_ = 0
    for t2 in range(len(x)):
        i_ += t2
        result = result + x[t2] * np_ * i_
    x_dot = result
    np__bar = x_dot * 2.0
    return np__bar


@program(1.5, 0.5)
def names_of_builtins(sum, len):
    max = sum * len
    list = max + sum
    return list * max


@program(1.5)
def argument_named_like_the_function(argument_named_like_the_function):
    self = argument_named_like_the_function**2
    _ = self * 2.0
    __ = _ * self
    return __


@program(0.7)
def greek_names(θ):
    α = np.sin(θ)
    return α * θ + α**2


# Numerical methods in a few lines


@program(np.array([1.0, 0.0]), 0.1)
def runge_kutta(y0, mu):
    def slope(y):
        return np.array([y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]])

    y = y0
    h = 0.1
    for i in range(5):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y[0] ** 2 + y[1]


@program(2.0)
@program(7.5)
def newton_square_root(a):
    x = a
    while np.abs(x * x - a) > 1e-13:
        x = 0.5 * (x + a / x)
    return x * a


@program(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 2.0]]))
def cholesky_in_place(matrix):
    n = matrix.shape[0]
    a = matrix.copy()
    for k in range(n):
        a[k, k] = np.sqrt(a[k, k])
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
        for j in range(k + 1, n):
            for i in range(j, n):
                a[i, j] -= a[i, k] * a[j, k]
    total = 0.0
    for k in range(n):
        total += np.log(a[k, k]) + a[n - 1, k]
    return total


@program(np.array([1.0, 2.0, 0.5, -1.0, 0.3, 0.8]))
def stencil_with_boundaries(u):
    v = u.copy()
    for t in range(2):
        w = v.copy()
        for i in range(1, len(u) - 1):
            w[i] = v[i] + 0.2 * (v[i - 1] - 2.0 * v[i] + v[i + 1]) - 0.1 * v[i] * (v[i + 1] - v[i - 1])
        w[0] = w[1]
        w[-1] = w[-2]
        v = w
    return np.sum(v**2)


@program(np.array([0.5, 1.5, -0.3]), 0.8)
def horner(coefficients, x):
    value = 0.0
    for i in range(len(coefficients) - 1, -1, -1):
        value = value * x + coefficients[i]
    return value

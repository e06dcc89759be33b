"""Programs that earlier source transformers got wrong: each was a silent error, a refusal or a crash there."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.7])
MATRIX = np.array([[0.5, -1.2, 2.0], [0.7, 1.1, -0.4], [1.5, 0.3, -0.9], [0.2, -2.1, 0.8]])
CUBE = np.random.default_rng(1).normal(size=(2, 3, 4))


@program(X)
def augmented_element(x):
    for i in range(len(x) - 1):
        x[i + 1] += x[i] * x[i]
    return x[len(x) - 1] * x[0]


@program(MATRIX, np.array([1.5, -0.5, 2.0]))
def division_broadcasts_the_divisor(a, x):
    return np.sum((a / x) * a)


@program(np.abs(MATRIX), np.array([1.5, -0.5, 2.0]))
def power_broadcasts_the_exponent(a, x):
    return np.sum(a**x)


@program(MATRIX, np.array([1.5, -0.5, 2.0]))
def multiply_broadcasts(a, x):
    return np.sum(np.multiply(a, x) ** 2)


@program(X)
def alias_of_argument_is_written(x):
    y = x
    y[0] = 3.0 * x[1]
    return np.sum(x * x)


@program(X)
def view_of_argument_is_written(x):
    y = x[1:]
    y[0] = 5.0 * x[0]
    return np.sum(x * x)


@program(X)
@program(np.array([2.0, 0.1, -3.0]))
def logsumexp_with_running_maximum(a):
    m = a[0]
    for i in range(1, len(a)):
        if a[i] > m:
            m = a[i]
    total = 0.0
    for i in range(len(a)):
        total += np.exp(a[i] - m)
    return m + np.log(total)


@program(X)
def copy_element_by_element(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i]
    return np.sum(y**2)


@program(2.0)
@program(-1.5)
def early_return(a):
    if a < 0:
        return a * a
    b = a * 3.0
    return b * a


@program(X)
@program(np.array([0.1, 0.2]))
def break_out_of_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
        if total > 1.0:
            break
    return total


@program(X)
def continue_in_loop(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            continue
        total += x[i] ** 3
    return total


@program(1.5, 4)
@program(1.5, 0)
def recursion(a, n):
    if n == 0:
        return 1.0
    return a * recursion(a, n - 1)


@program(2.0)
@program(-1.5)
def conditional_expression(a):
    return a * a if a > 0 else 3.0 * a


@program(MATRIX, np.array([1.5, -0.5, 2.0]))
def matmul_operator(a, x):
    return np.sum((a @ x) ** 2)


# Issues of google/tangent


@program(CUBE, 2)
def mixed_index(x, f):
    """Issue 56."""
    return np.sum(x[:, :, f] ** 2)


@program(MATRIX)
def row_of_matrix(x):
    """Issue 62."""
    return np.sum(x[0, :] ** 2)


@program(1.5, 0.5)
@program(-0.5, 2.0)
def overwritten_variables(a, b):
    """Issue 64."""
    c = a * b
    a = c * a
    c = a + b * c
    b = a * c
    return a * b + c


@program(X)
def logsumexp_vectorised(x):
    """Issue 66."""
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@program(X)
def augmented_element_in_branch_in_loop(x):
    """Issue 69."""
    y = np.zeros(2)
    for i in range(len(x)):
        if x[i] > 0:
            y[0] += x[i] * x[i]
        else:
            y[1] -= 2.0 * x[i]
    return y[0] * y[1]


@program(1.5, 0.5)
def nested_definition(a, b):
    """Issue 77."""

    def scaled(value):
        return b * value * value

    return scaled(a) + scaled(b)


@program(MATRIX)
def unpacked_shape(x):
    """Issue 31."""
    rows, columns = x.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += x[i, j] * (i + j)
    return total * total


@program(X)
def loop_over_arange(x):
    """Issue 31."""
    total = 0.0
    for i in np.arange(len(x)):
        total += x[i] * x[i] * i
    return total


@program(0.5, 1.5)
def array_of_scalars(a, b):
    """Issue 28."""
    x = np.array([a, b, a * b])
    return np.sum(x * x)


numpy_by_another_name = np


@program(0.5)
def alias_of_numpy(a):
    """Issue 23."""
    return numpy_by_another_name.sin(a) * a

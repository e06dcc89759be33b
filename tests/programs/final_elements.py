"""Arrays that are filled once, and arrays whose elements are overwritten after they were read."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 1.1])
Y = np.array([0.7, 0.2, -0.6, 1.4])
A = np.array([[2.0, 0.3, 0.1, 0.4], [0.3, 1.7, 0.2, 0.1], [0.1, 0.2, 2.2, 0.5], [0.4, 0.1, 0.5, 1.9]])


@program(A, Y)
def factorisation(a, b):
    n = a.shape[0]
    l = np.zeros((n, n))
    z = np.zeros(n)
    result = 0.0
    for i in range(n):
        for j in range(i):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            l[i, j] = s / l[j, j]
        s = a[i, i]
        for k in range(i):
            s -= l[i, k] ** 2
        l[i, i] = np.sqrt(s)
        s = b[i]
        for k in range(i):
            s -= l[i, k] * z[k]
        z[i] = s / l[i, i]
        result += 0.5 * z[i] ** 2 + np.log(l[i, i])
    return result


@program(A)
def factorisation_in_place(a):
    """Each element is read before it is overwritten by its factor."""
    l = a.copy()
    n = l.shape[0]
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                l[i, j] -= l[i, k] * l[j, k]
        root = np.sqrt(l[j, j])
        for i in range(j, n):
            l[i, j] = l[i, j] / root
    total = 0.0
    for i in range(n):
        total += np.log(l[i, i]) * l[n - 1, i]
    return total


@program(A)
def elimination_in_place(a):
    u = a.copy()
    n = u.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            factor = u[i, k] / u[k, k]
            for j in range(k, n):
                u[i, j] -= factor * u[k, j]
    result = 0.0
    for i in range(n):
        result += np.log(np.abs(u[i, i]))
    return result


@program(X, Y)
def alignment(x, y):
    n = x.shape[0]
    m = y.shape[0]
    r = np.full((n + 1, m + 1), 1e3)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            low = min(r[i, j], r[i, j + 1], r[i + 1, j])
            s = np.exp(low - r[i, j]) + np.exp(low - r[i, j + 1]) + np.exp(low - r[i + 1, j])
            r[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - np.log(s)
    return r[n, m]


@program(X)
def read_before_it_is_written(x):
    y = x.copy()
    total = 0.0
    for i in range(y.shape[0]):
        total += np.sin(y[i]) * total + y[i] ** 2
        y[i] = np.exp(y[i])
    return total + np.sum(y)


@program(X)
def next_element_is_overwritten_in_the_next_iteration(x):
    y = x.copy()
    for i in range(y.shape[0] - 1):
        y[i] = np.sin(y[i + 1]) * y[i]
    return np.sum(y * y)


@program(X)
def previous_element_of_the_first_is_the_last(x):
    y = x.copy()
    for i in range(y.shape[0]):
        y[i] = np.sin(y[i - 1]) * x[i]
    return np.sum(y * y)


@program(X)
def counted_from_the_end(x):
    y = np.ones(5)
    for i in range(1, 5):
        y[-i] = np.sin(y[-i - 1] + x[i]) * y[i]
    return np.sum(y * y)


@program(X)
def backwards(x):
    y = np.zeros(6)
    y[5] = 0.3
    for i in range(4, -1, -1):
        y[i] = np.sin(y[i + 1] * x[i]) + x[i]
    return y[0] * y[2]


@program(X)
def backwards_over_what_comes(x):
    y = x.copy()
    for i in range(4, 0, -1):
        y[i] = np.sin(y[i - 1] * y[i]) + x[i]
    return y[0] * y[2] + y[4]


@program(X)
def in_strides(x):
    """The even elements are final, the odd ones are not."""
    y = x.copy()
    for i in range(0, 4, 2):
        y[i + 2 if i < 2 else i] = np.sin(y[i]) * y[i + 1]
    for i in range(1, 5, 2):
        y[i] = np.cos(y[i - 1]) * y[i]
    return np.sum(y * y)


@program(X)
def two_by_two(x):
    y = np.zeros(10)
    y[0] = 0.2
    y[1] = -0.3
    for i in range(4):
        y[2 * i + 2] = np.sin(y[2 * i] * x[i])
        y[2 * i + 3] = np.sin(y[2 * i + 1] + y[2 * i])
    return y[8] * y[9]


@program(X)
def double_places_overtake(x):
    """`y[2 * i]` is read later as `y[j]`, and overwritten before that or afterwards."""
    y = np.ones(10)
    for i in range(5):
        y[2 * i] = np.sin(y[i] + x[i])
        y[i] = y[i] * y[2 * i]
    return np.sum(y)


@program(X, 3)
@program(X, 0)
@program(X, 1)
def sweeps(x, n):
    """Every sweep reads what the one before wrote, and overwrites it."""
    y = x.copy()
    for _ in range(n):
        for i in range(1, 4):
            y[i] = np.sin(y[i - 1] + y[i + 1]) * y[i]
    return np.sum(y * y)


@program(X, 3)
def one_row_a_sweep(x, n):
    y = np.zeros((n + 1, 5))
    for i in range(5):
        y[0, i] = x[i]
    for t in range(n):
        for i in range(1, 4):
            y[t + 1, i] = np.sin(y[t, i - 1] + y[t, i + 1]) * y[t, i]
    return np.sum(y * y)


@program(X, 5)
def two_rows_in_turn(x, n):
    y = np.zeros((2, 5))
    for i in range(5):
        y[0, i] = x[i]
    for t in range(n):
        for i in range(1, 4):
            y[(t + 1) % 2, i] = np.sin(y[t % 2, i - 1] + y[t % 2, i + 1]) * y[t % 2, i]
    return np.sum(y * y)


@program(X, 4)
def two_arrays_in_turn(x, n):
    y = x.copy()
    z = x * 0.5
    for _ in range(n):
        for i in range(1, 4):
            z[i] = np.sin(y[i - 1] * y[i]) + z[i - 1]
        y, z = z, y
    return np.sum(y * z)


@program(X, np.array([0, 2, 2, 4, 1]))
def places_from_a_table(x, table):
    y = x.copy()
    for i in range(5):
        y[table[i]] = np.sin(y[table[i]] * y[i]) + x[i]
    return np.sum(y * y)


@program(A)
def both_triangles(a):
    n = a.shape[0]
    y = np.ones((n, n))
    for i in range(n):
        for j in range(i + 1):
            v = np.sin(a[i, j] * y[j, i] + y[j, j])
            y[i, j] = v
            y[j, i] = v * a[j, i]
    return np.sum(y * y)


@program(A)
def columns_then_rows(a):
    n = a.shape[0]
    y = a.copy()
    for j in range(n):
        for i in range(1, n):
            y[i, j] = np.sin(y[i - 1, j]) * y[i, j]
    for i in range(n):
        for j in range(1, n):
            y[i, j] = np.sin(y[i, j - 1]) * y[i, j]
    return np.sum(y * y)


@program(X)
def overwritten_after_the_loop(x):
    y = np.zeros(5)
    y[0] = x[0]
    for i in range(1, 5):
        y[i] = np.sin(y[i - 1] * x[i])
    s = np.sum(y * y)
    y[:] = y * 2.0
    y[2] = s
    return s + np.sum(y * y * y)


@program(X)
def one_place_for_all(x):
    y = np.zeros(2)
    y[0] = 0.3
    for i in range(5):
        y[1] = np.sin(y[0] * x[i])
        y[0] = np.exp(y[1]) * x[i]
    return y[0] + y[1]


@program(X)
def written_twice_in_an_iteration(x):
    y = np.zeros(6)
    y[0] = 0.4
    for i in range(5):
        y[i + 1] = np.sin(y[i] * x[i])
        z = y[i + 1] * y[i + 1]
        y[i + 1] = np.cos(y[i + 1]) + z
    return y[5] * y[3]


@program(X)
def written_in_some_iterations(x):
    y = x.copy()
    for i in range(1, 5):
        if x[i] > 0.4:
            y[i] = np.sin(y[i - 1]) * y[i]
        else:
            y[i - 1] = np.cos(y[i]) * y[i - 1]
    return np.sum(y * y)


@program(X)
def filled_in_a_while(x):
    y = np.zeros(6)
    y[0] = 0.4
    i = 0
    while i < 5:
        y[i + 1] = np.sin(y[i] * x[i])
        i += 1
    return y[5] * y[3]


@program(X)
def walked_over_in_a_while(x):
    y = x.copy()
    i = 0
    k = 0
    while k < 9:
        y[i] = np.sin(y[(i + 1) % 5] * y[i])
        i = (i + 2) % 5
        k += 1
    return np.sum(y * y)


@program(X, 0.5)
@program(X, 100.0)
def left_early(x, limit):
    y = np.zeros(6)
    y[0] = 0.4
    for i in range(5):
        y[i + 1] = np.sin(y[i] * x[i]) + x[i]
        if y[i + 1] > limit:
            break
    return np.sum(y * y)


@program(X)
def an_array_for_each_iteration(x):
    total = 0.0
    for i in range(5):
        y = np.zeros(4)
        y[0] = x[i]
        for j in range(3):
            y[j + 1] = np.sin(y[j] * x[j]) + y[j]
        total += y[3] ** 2
    return total


@program(X)
def an_array_for_each_iteration_in_turn(x):
    total = 0.1
    for i in range(5):
        y = np.zeros(4)
        y[0] = x[i] * total
        for j in range(3):
            y[j + 1] = np.sin(y[j] * x[j]) + y[j]
        total = y[3] ** 2 + 0.1
    return total


@program(X, A)
def rows_of_states(x, w):
    h = np.zeros((6, 4))
    h[0, 0] = 0.3
    for t in range(5):
        h[t + 1] = np.tanh(w @ h[t] * 0.3 + x[t])
    return np.sum(h * h)


@program(X, A)
def one_row_of_state(x, w):
    h = np.zeros((2, 4))
    h[0, 0] = 0.3
    for t in range(5):
        h[1] = np.tanh(w @ h[0] * 0.3 + x[t])
        h[0] = np.sin(h[1])
    return np.sum(h * h)


@program(X)
def one_number_for_a_row(x):
    h = np.zeros((6, 3))
    for t in range(5):
        v = np.exp(x[t] + h[t, 1])
        h[t + 1] = v * 0.1
    return np.sum(h * h)


@program(X)
def sums_in_place(x):
    y = np.zeros(6)
    y[0] = 0.3
    for i in range(5):
        for j in range(i + 1):
            y[i + 1] += np.sin(y[j] * x[i])
    return y[5] * y[2]


@program(X)
def rounded_when_stored(x):
    y = np.zeros(5, dtype=np.int64)
    total = 0.0
    for i in range(5):
        y[i] = int(np.floor(3.0 * x[i] + 0.05))
        total += np.sin(x[i] * y[i]) * total + x[i]
    return total


@program(X, wrt=(0,), cotangent=None)
def changes_its_argument(x):
    for i in range(1, 5):
        x[i] = np.sin(x[i - 1] * x[i])
    return x[4] * x[2]


@program(X, cotangent=np.array([0.3, -0.2, 0.5, 1.0, 0.1, 0.7]))
def hands_out_the_array(x):
    y = np.zeros(6)
    y[0] = 0.3
    for i in range(5):
        y[i + 1] = np.exp(y[i] * x[i] * 0.3)
    return y


@program(X)
def shifted_by_a_variable(x):
    y = np.zeros(12)
    y[0] = 0.3
    k = 0
    for i in range(5):
        y[k + 1] = np.sin(y[k] * x[i])
        k = k + 1 if x[i] > 0.0 else k + 2
        y[k] = y[k] + np.cos(x[i])
    return np.sum(y * y)


@program(X)
def read_by_a_later_nest(x):
    y = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            y[i, j] = np.sin(x[i] * x[j] + i)
    total = 0.1
    for i in range(1, 5):
        for j in range(5):
            total = np.cos(total * y[i, j]) + y[i - 1, j]
    return total


@program(
    np.array([[0.4, -0.2, 0.7], [0.1, 0.9, -0.5]]),
    np.array([[0.3, 0.8], [-0.6, 0.2], [0.5, 0.4]]),
    np.array([0.2, -0.3, 0.5]),
    3,
)
def of_an_array_that_each_iteration_makes(w1, w2, y, steps):
    """The adjoint of the product needs `h` as a whole, that of the hyperbolic tangent its elements."""
    for _ in range(steps):
        h = np.empty(2)
        for i in range(2):
            h[i] = np.tanh(w1[i] @ y)
        y = y + w2 @ h
    return np.sum(y**2)


@program(np.array([0.2, -0.3, 0.5]), 3)
def of_an_array_that_is_overwritten_in_the_iteration(y, steps):
    for _ in range(steps):
        h = np.empty(3)
        for i in range(3):
            h[i] = np.exp(y[i])
        total = np.sum(np.sin(h))
        for i in range(3):
            h[i] = h[i] * np.exp(0.3 * h[i] + 0.1 * total)
        y = np.tanh(h * h)
    return np.sum(y**2)


@program(np.array([0.2, -0.3, 0.5]), 3)
def of_rows_of_an_array_that_each_iteration_makes(y, steps):
    for k in range(steps):
        h = np.zeros((3, 3))
        for i in range(3):
            for j in range(i + 1):
                h[i, j] = np.exp(y[i] * y[j])
            h[k % 3, i] = np.exp(h[i, 0])
        y = np.tanh(h @ y)
    return np.sum(y**2)

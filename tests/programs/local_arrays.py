"""Small arrays of constant sizes: those that a call leaves behind, and those that outlive an iteration or the call."""

import numpy as np

from collect import program

X = np.array([0.5, -1.3, 0.8])
SINGLE = np.float32
PAIR = np.array([1.0, -0.7])
SQUARE = np.array([[0.3, 1.0], [-0.6, 0.2]])


@program(0.7, cotangent=PAIR)
@program(0.3, cotangent=PAIR)
def one_of_two_is_returned(x):
    y = np.zeros(2)
    y[0] = x
    z = np.zeros(2)
    z[1] = x * x
    if x > 0.5:
        w = y
    else:
        w = z
    return w


@program(0.7, 0)
@program(0.7, 1)
@program(0.7, 5)
def handed_on_twice(x, n):
    """Each array that an iteration makes is read in the next two iterations."""
    a = np.array([x, 1.0])
    b = np.zeros(2)
    for _ in range(n):
        c = np.zeros(2)
        c[0] = a[0] * 0.9 + b[1]
        c[1] = a[1] * x
        a, b = c, a
    return np.sum(a) + 2 * b[1]


@program(0.4, cotangent=X)
def row_of_a_small_matrix(x):
    y = np.zeros((3, 3))
    y[0, 0] = x
    y[1, 2] = x * x
    return y[1] * x


@program(0.4, cotangent=SQUARE)
def transpose_of_a_small_matrix(x):
    return np.array([[x, x * x], [1.0, np.sin(x)]]).T * x


@program(0.4, cotangent=SQUARE.ravel())
def as_another_shape(x):
    y = np.empty((2, 2))
    y[:] = x
    y[1, 1] = x * x
    return y.reshape(4) + 0.0


@program(X, cotangent=X)
def made_by_each_iteration(x):
    y = np.zeros(3)
    for i in range(3):
        t = np.zeros(2)
        t[0] += x[i] * i
        t[1] += t[0] ** 2
        y[i] = t[1]
    return y


@program(0.6)
def kept_while_others_are_made(x):
    best = np.zeros(2)
    k = 0
    while k < 4:
        trial = np.array([x * k, x - k])
        if trial[0] > best[0]:
            best = trial
        k += 1
    return best[0] * best[1]


@program(0.3, 0.4, cotangent=PAIR)
@program(SINGLE(0.3), SINGLE(0.4), cotangent=PAIR)
@program(SINGLE(0.3), 0.4, cotangent=PAIR)
def numbers_of_several_kinds(x, y):
    m = np.array([[x, y], [y, 2]])
    weights = np.array([x, 1, True])
    k = np.array([1, 0])
    return m @ weights[:2] + m[k[0]] * m[:, k[1]]


@program(0.3, 4)
def written_where_it_was_made_of_numbers(x, n):
    total = 0.0
    for i in range(n):
        m = np.array([x, 2.0 * x])
        m[0] *= m[1]
        m[i % 2] += i
        total += m[0] * m[1]
    return total


@program(X, 3, cotangent=X)
def rotations(x, n):
    v = x
    for i in range(n):
        c, s = np.cos(x[0] + i), np.sin(x[0] + i)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        v = turn @ v + np.eye(3)[i]
    return v


@program(X, np.array([0.2, 0.5]), 3)
def covariances(x, r, n):
    """The diagonal matrix is as large as the others, which the call alone can tell."""
    p = np.eye(2)
    total = 0.0
    for i in range(n):
        p = p + np.diag(r)
        det = p[0, 0] * p[1, 1] - p[0, 1] * p[1, 0]
        inverse = np.array([[p[1, 1], -p[0, 1]], [-p[1, 0], p[0, 0]]]) / det
        k = p @ inverse * x[i]
        p = (np.eye(2) - 0.5 * k) @ p
        total += np.log(det)
    return total + np.sum(p)


@program(X)
def outer_products_of_vectors(x):
    total = np.zeros((3, 3))
    for i in range(3):
        total = total + np.outer(x, x * i) - np.outer(x[:1] * x, [1.0, 2.0, x[i]])
    return np.sum(total**2)


@program(X)
@program(X[:0])
def listed_and_stacked(x):
    rows = []
    for i in range(x.shape[0]):
        row = np.zeros(2)
        row[0] = x[i]
        row[1] = x[i] ** 2
        rows.append(row)
    total = 0.0
    for row in rows:
        total += row[0] * row[1]
    return total


@program(0.9, 3)
def calls_itself(x, n):
    y = np.zeros(2)
    y[0] = x
    y[1] = n
    if n > 0:
        return calls_itself(y[0] * y[0], n - 1) * y[1]
    return y[0]


@program(X)
def nothing_in_it(x):
    y = np.zeros(0)
    z = np.zeros((0, 2))
    return np.sum(x) + np.sum(y) + np.sum(z)

"""Products that every iteration of a loop makes anew: of carried arrays, of parts, of themselves."""

import numpy as np

from collect import failing, program

A = np.array([[0.9, -0.3, 0.2], [0.1, 1.1, -0.4], [-0.2, 0.3, 0.8]])
B = np.array([[0.2, 0.5, -0.1], [0.3, -0.6, 0.4], [0.7, 0.1, -0.2]])
W = np.array([[1.0, 0.2], [0.3, -0.7], [0.5, 0.4]])
X = np.array([0.5, -1.3, 0.8])
SINGLE = np.float32


@program(A, X)
@program(np.asfortranarray(A), X)
@program(A.astype(SINGLE), X.astype(SINGLE))
@program(A[:0, :0], X[:0])
def vector_of_itself(m, x):
    for _ in range(4):
        x = m @ x
    return np.sum(x * x)


@program(A, 0)
@program(A, 1)
@program(A, 3)
def matrix_of_itself(a, n):
    for _ in range(n):
        a = a @ a
    return np.sum(a)


@program(A, B)
@program(A.astype(SINGLE), B)
def squared_and_turned(a, b):
    c = b.copy()
    for _ in range(3):
        c = (c @ a).T @ c.T * 0.3
    return np.sum(c * c)


@program(A, X, 0)
@program(A, X, 1)
@program(A, X, 3)
@program(A[1:, :2], X[:2], 2)
@program(A.astype(SINGLE), X.astype(SINGLE), 2)
def inverse_of_itself(a, x, n):
    """The inverse is handed on to the next iteration, and read there beside the new one."""
    b = a.copy()
    total = 0.0
    for k in range(n):
        c = np.linalg.inv(b + k * a.T)
        total += np.linalg.det(c) + np.sum(b @ c @ x)
        b = c
    return total + np.sum(b * b)


@program(A, X)
def inverses_by_sizes_that_change(a, x):
    total = 0.0
    for n in range(4):
        c = np.linalg.inv(a[:n, :n])
        total += np.sum(c @ x[:n]) * (n + 1)
    return total


@program(A, X)
def earlier_ones_are_read(m, x):
    """Two arrays change places, so none of them can be written over."""
    before = x.copy()
    for _ in range(4):
        before, x = x, m @ x - 0.5 * before
    return np.sum(before * x)


@program(A, X)
def handed_on_twice(m, x):
    y = x
    for _ in range(3):
        x = m @ x
        y = x
    return np.sum(x * y)


@program(A, X)
def view_is_handed_on(a, x):
    b = a
    for _ in range(3):
        t = a @ b
        b = t.T
        x = b[0] * x
    return np.sum(x) + np.sum(b)


@program(A, X)
def kept_beside_the_next(m, x):
    """What an iteration read is needed after it has been replaced."""
    total = 0.0
    for _ in range(3):
        y = x
        x = m @ x
        x = x + m @ y
        total += x @ y
    return total


@program(A, W)
def size_changes(a, w):
    """The name is bound to arrays of other sizes."""
    y = a
    for k in range(3):
        y = y @ a
        z = y @ w
        y = z @ w.T if k % 2 else np.outer(z[:, 0], z[0, :1]) @ np.ones((1, 3))
    return np.sum(y)


@program(W, 3)
@program(W, 0)
def grows(w, n):
    """Each iteration makes a larger vector."""
    x = w[:, 0]
    total = 0.0
    for _ in range(n):
        x = np.concatenate((x, w.T @ x[:3]))
        total += np.sum(np.outer(x, x))
    return total


@program(A, X)
def overwritten_later(m, x):
    total = 0.0
    for k in range(3):
        y = m @ x
        total += np.sum(y**3)
        y[0] = 2.0 * x[k]
        y *= x
        total += np.sum(y)
        x = y
    return total


@program(A, X)
def rows_are_kept(m, x):
    rows = np.zeros((4, 3))
    rows[0] = x
    for k in range(3):
        rows[k + 1] = m @ rows[k]
    return np.sum(rows * rows)


@program(A, X)
def over_itself(m, x):
    y = x.copy()
    for _ in range(3):
        y[:] = m @ y
        y += m @ y
    return np.sum(y * y)


@program(A, X)
def listed(m, x):
    found = []
    for _ in range(4):
        x = m @ x
        found.append(x)
    total = 0.0
    for y in found:
        total += np.sum(y * y * y)
    return total


@program(A, B)
@program(A[::-1, ::-1], np.asfortranarray(B))
def parts_and_transposes(a, b):
    total = 0.0
    for k in range(1, 4):
        c = a[:k].T @ b[:k]
        total += np.sum(c @ c.T) + np.sum(a.T[:k] @ b[:, ::-1])
    return total


@program(A, X, 1)
@program(A, X, -1)
def in_a_branch(m, x, sign):
    for k in range(4):
        if x[0] * sign > 0.0 and k != 2:
            x = m @ x
        else:
            y = x @ m
            x = y - m @ y
    return np.sum(x**2)


@program(A, X)
def until_small(m, x):
    y = 0.4 * m
    while x @ x > 0.01:
        x = y @ x
        y = y @ y + 0.1 * m
    return np.sum(x) + np.sum(y)


@program(A, X)
def left_early(m, x):
    for _ in range(10):
        y = m @ x
        if y[0] > 1.2:
            break
        x = y * 1.1
    return np.sum(x * y)


@program(A, np.stack((A, B)), X)
def batches(a, stack, x):
    for k in range(2):
        stack = stack @ a
        x = stack[k] @ x
    return np.sum(stack) + np.sum(x)


@program(A, X.astype(SINGLE))
@program(A, np.array([1, 2, 3]))
def mixed_types(m, x):
    y = m @ x
    for _ in range(2):
        y = m @ x + y @ m
    return np.sum(y)


@program(A, B)
def nested_loops(a, b):
    total = 0.0
    c = a
    for _ in range(2):
        d = b
        for k in range(3):
            d = c @ d
            total += d[k] @ b[:, k]
        c = d @ a
    return total + np.sum(c)


@program(A, X)
def initial_is_read_later(m, x):
    y = x
    z = m
    for _ in range(3):
        y = m @ y
        z = z @ m
    return np.sum(x * y) + np.sum(z @ m)


@program(A + 2.0 * np.eye(3), X)
@program((A + 2.0 * np.eye(3))[:1, :1], X[:1])
@program((A + 2.0 * np.eye(3)).astype(SINGLE), X.astype(SINGLE))
def inverses_in_turn(a, x):
    """The determinant's derivative has the inverse that the program has, until the matrix changes."""
    total = 0.0
    for k in range(3):
        inverse = np.linalg.inv(a)
        total += x @ inverse @ x + np.log(np.linalg.det(a))
        a[0, 0] += x[0] ** 2
        total += np.log(np.linalg.det(a))
        inverse[0, 0] = k
        total += np.sum(inverse)
        x = inverse @ x
    return total


@program(np.linspace(-1.0, 1.0, 81).reshape(9, 9), np.linspace(0.0, 1.0, 9))
@program(np.asfortranarray(np.linspace(-1.0, 1.0, 81).reshape(9, 9)), np.linspace(0.0, 1.0, 18)[::2])
def more_multiplications(a, x):
    total = 0.0
    b = a.copy()
    for _ in range(2):
        x = np.tanh(b @ x) + x @ a.T * 0.1
        b = b @ a * 0.1
        total += np.sum(b @ x)
    return total


LARGE = np.linspace(-1.0, 1.0, 600).reshape(24, 25)


@program(0.3, LARGE[0])
def longer_rows(scale, x):
    for _ in range(3):
        x = np.tanh(LARGE @ x * scale) @ LARGE * 0.1
        scale = scale + np.sum(LARGE.T[:, ::2] @ x[::2][:12]) * 0.01
    return np.sum(x)


@failing(A, X[:2], error=ValueError)
def sizes_do_not_fit(m, x):
    for _ in range(2):
        x = m @ x
    return np.sum(x)


@failing(np.ones((3, 3)), error=np.linalg.LinAlgError)
def singular_in_a_loop(a):
    total = 0.0
    for _ in range(2):
        total += np.sum(np.linalg.inv(a))
    return total

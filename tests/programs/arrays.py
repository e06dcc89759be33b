"""Array statements that become loops: stencils, broadcasts, sums along axes, views, and sizes that do not agree."""

import numpy as np

from collect import failing, program

A = np.array([[0.3, -0.8, 1.2, 0.5], [0.9, 0.1, -0.4, 1.5], [-1.1, 0.7, 0.2, -0.6], [0.4, 1.3, -0.9, 0.8]])
B = np.array([[1.4, 0.2, -0.7], [0.6, -1.2, 0.9]])
X = np.array([0.5, -1.3, 0.8, 2.1, -0.4, 1.1])
Y = np.array([1.2, 0.4, -0.9, 0.3, 1.7, -0.2])


# Stencils


@program(A, 3)
@program(A[:3, :3].copy(), 2)
@program(A[:2, :2].copy(), 2)
@program(A[:, :1].copy(), 2)
@program(A, 0)
@program(A.astype(np.float32), 2)
@program(np.asfortranarray(A), 2)
def two_planes(a, steps):
    """The interior of each plane from the other, as in Jacobi's method."""
    b = a.copy()
    a = a.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = np.tanh(b[1:-1, 2:] - 0.5 * b[:-2, :-2])
    return np.sum(a * b)


@program(X, Y, 4)
@program(X[:3].copy(), Y[:3].copy(), 2)
@program(X[:2].copy(), Y[:2].copy(), 2)
@program(X[:1].copy(), Y[:1].copy(), 2)
@program(X[:0].copy(), Y[:0].copy(), 2)
def diffusion_on_itself(u, rate, steps):
    """The array that is read at neighbours is the one that is written."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + rate[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


@program(A)
@program(A[:2].copy())
@program(A[:, :3].copy())
def neighbours_with_weights(a):
    """Rows in loops of the user's own; each neighbour adds another value."""
    n, m = a.shape
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(1, m - 1):
            out[i, j] = 0.5 * a[i, j - 1] + np.sin(a[i, j]) - 2.0 * a[i, j + 1] * a[i, j]
    return np.sum(out * out)


@program(np.linspace(0.1, 2.0, 40).reshape(2, 20))
def neighbours_far_apart(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1] - 17):
            total += a[i, j - 1] * a[i, j + 17] + a[i, j]
    return total


@program(A)
def neighbours_below_a_bound_that_varies(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(i, a.shape[1] - 1):
            total += a[i, j] * a[i, j + 1]
    return total


@program(A, 2)
def skips_an_iteration(a, skipped):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1] - 1):
            if j == skipped:
                continue
            total += np.exp(a[i, j - 1] - a[i, j + 1])
    return total


@program(A, np.array([[0.5, -0.3], [1.1, 0.2]]))
def convolution_by_slices(image, kernel):
    rows, columns = image.shape[0] - 1, image.shape[1] - 1
    response = np.zeros((rows, columns))
    for i in range(2):
        for j in range(2):
            response += kernel[i, j] * image[i : i + rows, j : j + columns]
    return np.sum(np.log(1.0 + np.exp(response)))


@program(X)
def slots_read_after_they_are_cleared(x):
    """Each iteration reads what it has overwritten itself."""
    y = np.empty(6)
    for i in range(6):
        y[i] = x[i] * 2.0
        y[i] = y[i] * y[i] + x[5 - i]
    return np.sum(y * x)


@program(A)
def slots_of_rows(a):
    """The rows are slots of the outer loop, but not of the inner one."""
    b = a.copy()
    for i in range(4):
        for j in range(4):
            b[i, 0] = b[i, 0] * a[i, j] + b[i, j]
    return np.sum(b[:, 0])


# Broadcasts and sizes


@program(A, A[0].copy(), A[:, 0].copy())
def rows_and_columns(a, row, column):
    return np.sum(np.tanh(a * row + column[:, None]) * a)


@program(A, A[:1].copy(), A[:, :1].copy())
@program(A, A[:1, :1].copy(), A * 0.5)
@program(A[:1, :1].copy(), A, A[:1].copy())
def sizes_of_one(a, row, column):
    """Arguments with axes of size 1 are served by code of their own."""
    return np.sum(np.tanh(a * row + column) * row)


@program(X, X[:1].copy())
@program(X[:1].copy(), X)
@program(X, Y)
def one_or_many(x, y):
    z = x * 2.0
    w = z * y + x
    return np.sum(w * w) + np.mean(z)


@failing(X, Y[:3].copy(), error=ValueError)
def sizes_that_never_agree(x, y):
    return np.sum(x * y)


@program(X, Y[:5].copy(), Y[:4].copy())
def sizes_that_differ_by_one(x, y, z):
    return np.sum((x[1:] - x[:-1]) * y) + np.sum((y[1:] + x[2:]) * z)


@program(np.zeros((0, 3)), B[:1, :].copy()[0])
@program(B, B[0].copy())
def no_rows(a, row):
    b = np.exp(a) * row
    return np.sum(b) + np.sum(np.sum(b, axis=0) * row)


@program(A, 3)
def number_of_two_types(a, k):
    """Python's numbers take the dtype of the array."""
    return np.sum((a * k + 0.5) ** 2 / (k + 1))


@program(A.astype(np.float32), X[:4].astype(np.float32))
def single_precision(a, x):
    b = a * 0.1 + x
    return np.sum(np.sqrt(b * b + 1.0)) * np.float32(0.5) + np.mean(b)


@program(A, np.array([1, 0, 2, 3]))
def whole_numbers(a, k):
    return np.sum(a * k) + np.sum(a[:, 1:] * (k[1:] > 1))


# Sums along axes


@program(A)
@program(np.arange(24.0).reshape(2, 3, 4) * 0.1)
def sums_along_axes(a):
    first = np.sum(a, axis=0)
    last = np.sum(a * a, axis=-1)
    kept = a - np.mean(a, axis=1, keepdims=True)
    return np.sum(first * first) + np.sum(np.sin(last)) + np.sum(kept * kept * a)


@program(np.arange(24.0).reshape(2, 3, 4) * 0.1)
def sum_over_two_axes(a):
    b = np.sum(a * a, axis=(0, 2))
    return np.sum(b * np.mean(a, axis=(0, 2)))


@program(A)
def softmax_in_steps(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.mean(np.log(p[:, 0]))


@program(X, Y)
def sum_before_and_after(x, y):
    """The second loop needs the sum of the first."""
    t = x * y
    s = np.sum(t)
    u = t / (1.0 + s * s)
    return np.sum(u * x) + s


# Views and writes


@program(A)
def transposed_and_strided(a):
    b = a.T * a
    c = b[::2, 1:] + a[1:3, ::1][:, :3]
    return np.sum(c * a[None, :2, 1:])


@program(A, 1)
@program(A, -1)
def row_by_number(a, k):
    return np.sum(a[k] * a[:, k] + a[k, 1:3].sum())


@failing(A, 4, error=IndexError)
def row_out_of_range(a, k):
    return np.sum(a[k] * a[0])


@program(X, 2)
@program(X, 0)
@program(X, -2)
def slice_by_number(x, k):
    y = x[k:] * 2.0
    return np.sum(y * x[k:]) + np.sum(x[:k] * x[:k])


@program(X)
def written_between_reading_and_use(x):
    """`v` is a copy of what was there before the write."""
    y = x * 1.0
    v = y[1:] * 3.0
    w = y[:-1]
    y[0] = 7.0 * x[2]
    return np.sum(v * w * y[1:]) + y[0]


@program(X)
def reversed_and_shifted_writes(x):
    y = np.exp(x * 0.3)
    y[::-1] = y * 2.0
    y[1:] = y[:-1] + x[1:]
    y[:3] *= x[3:]
    return np.sum(y * y)


@program(X, Y)
def argument_in_place(x, y):
    x *= y
    x[1:] += np.sin(y[:-1]) * x[1:]
    return np.sum(x * y)


@program(X)
def used_in_three_places(x):
    """One array goes to a loop, to a product of matrices and out."""
    t = np.tanh(x) * x
    m = np.outer(t, t)
    return np.sum(m @ t) + np.sum(t * t) + t[2]


@program(X)
def branch_between(x):
    t = x * 2.0
    if t[0] > 0.0:
        u = t * t
    else:
        u = t + x
    return np.sum(u * t)


@program(X)
def accumulated_over_iterations(x):
    total = np.zeros(6)
    for k in range(3):
        total += np.sin(x * k)
        total[k:] = total[k:] * 0.5
    return np.sum(total * x)


@program(X, Y)
def where_and_extrema(x, y):
    z = np.where(x > y, np.exp(x), y * y)
    return np.sum(np.maximum(z, 0.5) * np.minimum(x, y) + np.clip(x, -1.0, 1.0) * np.abs(y))


@program(np.array(0.7), X)
def array_without_axes(a, x):
    return np.sum(a * x + a)


@program(A, 2)
@program(A, 3)
@program(A[:2, :2].copy(), 1)
def windows_of_a_size_found_before(image, width):
    """Both ends of each slice lie in the array; a slice past the end would be shorter."""
    rows = image.shape[0] - width
    total = 0.0
    for i in range(width + 1):
        part = image[i : i + rows, 0]
        total += np.sum(part * image[i : i + rows, 1] + part)
    return total


@failing(A, error=ValueError)
def window_past_the_end(image):
    rows = image.shape[0] - 1
    total = np.zeros(rows)
    for i in range(3):
        total += image[i : i + rows, 0]
    return np.sum(total)


@program(X)
def window_cut_off_at_the_end(x):
    """The last parts are shorter than the others."""
    total = 0.0
    for i in range(6):
        part = x[i : i + 3] * 2.0
        total += np.sum(part * x[i : i + 3])
    return total


@program(np.linspace(-1.0, 1.0, 60).reshape(3, 4, 5), 2)
@program(np.linspace(-1.0, 1.0, 30).reshape(3, 5, 2), 1)
@program(np.linspace(-1.0, 1.0, 24).reshape(2, 2, 6).astype(np.float32), 1)
def planes_of_a_volume(a, first):
    """Neighbours in rows that each iteration weighs in another way, from a row that is not the first."""
    total = 0.0
    for k in range(a.shape[0]):
        for i in range(first, a.shape[1] - 1):
            for j in range(1, a.shape[2] - 1):
                total += a[k, i - 1, j] * a[k, i + 1, j - 1] + np.sin(a[k, i, j + 1])
    return total


@program(np.linspace(-1.0, 1.0, 42).reshape(6, 7))
@program(np.linspace(-1.0, 1.0, 14).reshape(2, 7))
@program(np.linspace(-1.0, 1.0, 12).reshape(6, 2))
def triangle_of_neighbours(a):
    """The columns of an iteration depend on its row."""
    out = np.zeros(a.shape)
    for i in range(1, a.shape[0]):
        for j in range(min(i, a.shape[1] - 1)):
            out[i, j] = a[i - 1, j] * a[i, j + 1] + a[i, j]
    return np.sum(out * out)


@program(np.linspace(-1.0, 1.0, 30).reshape(5, 6), 3)
def neighbours_and_what_else_a_row_does(a, steps):
    """Rows carry a number and read what the row before has written elsewhere."""
    b = a.copy()
    weight = 1.0
    for _ in range(steps):
        c = np.zeros(b.shape)
        for i in range(1, b.shape[0] - 1):
            weight = weight * 0.9 + b[i, 0]
            for j in range(1, b.shape[1] - 1):
                c[i, j] = weight * (b[i - 1, j + 1] - b[i + 1, j - 1]) + b[i, j] ** 2
        b = np.tanh(c + a)
    return np.sum(b) * weight


@program(np.linspace(-1.0, 1.0, 12).reshape(3, 4))
def wrapped_rows(a):
    """Rows are found from the end where there is none before."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1] - 1):
            total += a[i - 1, j] * a[i, j + 1] * a[i - 1, j + 1]
    return total


# Axes put back


@program(A)
@program(A.astype(np.float32))
@program(np.asfortranarray(A))
@program(A[:0])
def turned_twice(a):
    """A transpose of a transpose is the array itself, and sees what is written into it."""
    b = a.copy()
    c = b.T.T
    b[1:, 0] = b[1:, 0] * c[1:, 1]
    return np.sum(c * c * np.transpose(np.transpose(a)))


@program(np.arange(24.0).reshape(2, 3, 4) / 10, 3)
@program(np.arange(24.0).reshape(2, 3, 4) / 10, 0)
def axes_around(a, n):
    """Two turns of three axes are not the array, three are."""
    once = np.transpose(a, (1, 2, 0))
    twice = np.transpose(once, (1, 2, 0))
    thrice = np.transpose(twice, (1, 2, 0))
    back = np.transpose(once, (-1, 0, 1))
    total = 0.0
    for k in range(n):
        total += np.sum(np.sin(thrice * back + k)) + np.sum(twice * twice * np.transpose(once, (1, 2, 0)))
    return total


@program(A, A[0])
def turned_products(a, x):
    y = x
    c = a
    for _ in range(2):
        c = (c.T @ a.T).T @ a.T.T
        y = (a @ (c.T.T @ y)) * 0.1
    return np.sum(y) + np.sum(c.T.T.T)


@program(np.arange(1.0, 7.0), 0.3)
def copied_in_each_iteration_and_written_behind(x, a):
    for _ in range(3):
        y = x * 1.0
        for _ in range(2):
            y[0] = y[1] * a
    x[0] = x[5]
    return np.sum(x)

"""Arrays of which only the run knows whose memory they are: chosen by branches, bound anew by iterations, written."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3])
Y = np.array([1.5, 0.7, -0.4, 0.9])
M = np.array([[0.4, -0.8, 1.2, 0.6], [1.1, 0.5, -0.3, 0.2], [0.9, -1.4, 0.7, 0.8]])


@program(M, 2)
@program(M, 0)
def rebound_by_some_iterations(m, n):
    row = m[0]
    for _ in range(n):
        if row[0] > 0.0:
            row = row * 0.5
        m[0, 1] += row[2]
    return np.sum(row)


@program(X, Y, 0.75)
@program(X, Y, -0.75)
def chosen_by_a_branch(x, y, a):
    z = x if a > 0.0 else y
    z[0] = a
    return np.sum(x * y)


@program(X, 2)
@program(X, 3)
@program(X, 0)
def argument_among_swapped_buffers(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        v[1:] = u[:-1]
        u, v = v, u
    return np.sum(u)


@program(X, Y, 0.75)
@program(X, Y, -0.75)
def written_behind_a_choice(x, y, a):
    z = x if a > 0.0 else y
    x[0] = a
    return np.sum(z)


@program(X, 3)
@program(X, 0)
def another_array_after_some_iterations(x, n):
    out, w = x * 1.0, x * 2.0
    for _ in range(n):
        w = out
    out[0] = 5.0
    return np.sum(w)


@program(X, 3)
def bound_in_the_loop_alone(x, n):
    out = x * 1.0
    for _ in range(n):
        w = out
    out[0] = 5.0
    return np.sum(w)


@program(X, 3)
@program(X, 0)
def another_array_in_the_next_iteration(x, n):
    out, w, t = x * 1.0, x * 2.0, 0.0
    for _ in range(n):
        out[0] += 1.0
        t += w[0]
        w = out
    return t


@program(X, 3)
def bound_by_the_iteration_before(x, n):
    out, t = x * 1.0, 0.0
    for k in range(n):
        out[0] += 1.0
        if k > 0:
            t += w[0]  # noqa: F821  (bound by the iteration before)
        w = out  # noqa: F841
    return t


@program(X, 3)
@program(X, 0)
def another_array_in_an_inner_loop(x, n):
    out, w = x * 1.0, x * 2.0
    for _ in range(n):
        for _ in range(2):
            w = out
        out[0] = out[0] + w[1]
    return np.sum(w)


@program(X, 2)
@program(X, 1)
def chosen_by_a_branch_in_a_branch(b, k):
    g = b * 2.0
    if k == 1:
        g = b[::-1] * b
    elif k != 1:
        g = b
    g[:2] = g[2:4]
    return np.sum(g) + np.sum(b)


@program(X, 3)
def view_written_after_its_loop(x, n):
    rows = np.zeros((n, 4))
    for k in range(n):
        row = rows[k]
        row[:] = x * k
    row[0] = 9.0
    return np.sum(rows)


@program(X, 0.5)
@program(X, -1.5)
def bound_anew_by_a_branch_beside_its_own_name(x, a):
    y = x * 2.0
    z = y
    if a > 0:
        y = y * 3.0
    y[0] = 5.0
    return np.sum(z * y)


@program(X, 0.5)
@program(X, -1.5)
def bound_anew_by_a_branch_beside_a_part(x, a):
    y = x * 2.0
    part = y[1:]
    if a > 0:
        y = y * 3.0
    y[1] = 5.0
    return np.sum(part) + np.sum(y)


@program(X, 0.5)
@program(X, -1.5)
def bound_anew_by_a_branch_beside_a_list(x, a):
    y = x * 2.0
    both = [y]
    if a > 0:
        y = y * 3.0
    y[0] = 5.0
    return np.sum(both[0] * y)


@program(X, 0.5)
@program(X, -1.5)
def bound_anew_by_a_branch_beside_a_default(x, a):
    y = x * 2.0

    def inner(v=y):
        return np.sum(v * v)

    if a > 0:
        y = y * 3.0
    y[0] = 5.0
    return inner()


@program(X, 0.5)
@program(X, -1.5)
def kept_by_one_branch(x, a):
    y = x * 2.0
    if a > 0:
        z = y
        y = y * 4.0
    else:
        z = y * 3.0
    y[0] = 5.0
    return np.sum(y * z)


@program(X)
def gone_over_and_bound_anew(x):
    y, t = x * 2.0, 0.0
    for e in y:
        y[2] = 4.0
        t += e * e
        y = y * 1.0
    return t


@program(X)
def bound_anew_in_a_loop_beside_a_default(x):
    y = x * 2.0

    def inner(v=y):
        return np.sum(v * v)

    for _ in range(3):
        y[0] = 5.0
        y = y * 2.0
    return inner() + np.sum(y)


@program(X)
def gone_over_beside_another_and_bound_anew(x):
    y, z, t = x * 2.0, x * 3.0, 0.0
    for e, w in zip(y, z, strict=False):
        z[2] = 4.0
        t += e * w
        z = y * 1.0
    return t


@program(X)
def rows_gone_over_and_bound_anew(x):
    m, t = np.outer(x, x), 0.0
    for _, row in enumerate(m):
        m[2, 0] = 4.0
        t += np.sum(row * row)
        m = m * 1.0
    return t


@program(X, 0.5)
@program(X, 1.5)
def chosen_and_written_in_a_loop_that_binds_anew(x, a):
    y, z = x * 2.0, x * 3.0
    chosen = z if a < 1.0 else y
    for _ in range(2):
        z[0] += x[1]
        z = z * 2.0
    return np.sum(chosen) + np.sum(z)


@program(X, 0.5)
@program(X, 1.5)
def chosen_and_read_in_the_next_iteration(x, a):
    y, z, t = x * 2.0, x * 3.0, 0.0
    chosen = z if a < 1.0 else y
    for _ in range(2):
        t += np.sum(chosen * chosen)
        z[0] += x[1]
    return t + np.sum(z)


@program(X, 1.0)
@program(X, 0.2)
@program(X, -1.0)
def one_of_three_is_filled(x, c):
    a, b, d = x * 2.0, x * x, np.ones(4)
    y = a
    if c > 0.5:
        y = b[::-1]
    elif c > 0.0:
        y = d
    for i in range(4):
        y[i] = y[i - 1] * x[i] + a[i]
    return np.sum(a * b) + np.sum(d * x) + np.sum(y)


@program(X, 1)
@program(X, 3)
def view_whose_start_a_branch_computes(x, k):
    y = x * 1.5
    if k > 1:
        start = k - 1
        part = y[start:]
    else:
        part = y[:2]
    part[0] = 3.0 * part[1]
    part *= x[0]
    return np.sum(y * x)


@program(M, 3)
@program(M, 1)
def row_of_the_last_iteration(m, n):
    row = m[0] * 2.0
    for i in range(n):
        row[1] += m[i, 0]
        row = m[i]
        row[0] *= 2.0
    row[2] = row[0] * row[3]
    return np.sum(m * m)


@program(M, 3)
@program(M, 0)
def row_with_the_largest_sum(m, n):
    best, largest = m[0], -100.0
    for i in range(n):
        total = np.sum(m[i])
        if total > largest:
            largest = total
            best = m[i]
    best[1] = 5.0 * best[0]
    best /= largest
    return np.sum(m * m) + best[2]


@program(X, Y, 3)
@program(X, Y, 4)
def swapped_in_some_iterations(x, y, n):
    for i in range(n):
        x[i % 4] = y[i % 4] * x[i - 1]
        if x[0] * i > 0.2:
            x, y = y, x
    y[0] = 2.0 * y[1]
    return np.sum(x * x) - np.sum(y * x)


@program(X, 5)
@program(X, 0)
def three_buffers_in_turn(x, n):
    old, now, new = x, x * 0.5, np.zeros(4)
    for _ in range(n):
        for i in range(4):
            new[i] = 1.5 * now[i] - 0.5 * old[i - 1]
        old, now, new = now, new, old
    return np.sum(now * old)


@program(X, 2)
@program(X, 5)
def restarted_from_the_argument(x, n):
    y = x
    for i in range(n):
        y[i % 4] = y[i % 4] * 0.5 + y[i - 3]
        if i == 2:
            y = x * 3.0
        if i == 3:
            y = x
    return np.sum(y * y) + np.sum(x)


@program(X, 0.1)
@program(X, 10.0)
def halved_beside_its_start(x, c):
    y = x * c
    start = y
    while np.sum(y * y) > 1.0:
        y[0] += 0.1
        y = y * 0.5
    y[1] = y[0]
    return np.sum(start * y)


@program(X, 0.4)
@program(X, -0.4)
def columns_of_one_of_two(x, c):
    a, b = np.outer(x, x), np.outer(x, x + 1.0)
    m = a if c > 0 else b.T
    column = m[:, 1]
    column[2] = 7.0 * x[0]
    m[0] *= column[3]
    return np.sum(a * x) + np.sum(b[1] * b[2])


@program(X, 0.4)
@program(X, -0.4)
def ravelled_after_a_choice(x, c):
    y = x * 2.0
    if c > 0:
        y = y[::2]
    z = y.ravel()
    return np.sum(z * z) + np.sum(y)


def chosen_from(a, b, c):
    if c > 0:
        return a
    return b


def filled(a, value):
    a[1:3] = value
    return a


@program(X, Y, 0.4)
@program(X, Y, -0.4)
def returned_by_a_function_that_chooses(x, y, c):
    z = chosen_from(x, y, c)
    w = filled(z, x[0] * y[0])
    w[0] = z[1] * z[2]
    return np.sum(x * x) + np.sum(y * z)


@program(X, 3)
def pairs_of_arrays(x, n):
    pair = (x * 2.0, x * 3.0)
    first = pair[0]
    for i in range(n):
        if i % 2 == 0:
            pair = (pair[1], pair[0] + x)
        pair[0][i] += first[i]
    pair[1][0] = 9.0
    return np.sum(pair[0] * pair[1]) + np.sum(first)


@program(X, 0.4)
@program(X, -0.4)
def only_one_path_sets_two_names(x, c):
    if c > 0:
        y = x * 2.0
        z = y[1:]
    else:
        y = x * 3.0
        z = x[1:] * 4.0
    y[1] = x[0] * x[3]
    z[2] *= 2.0
    return np.sum(z * z) + np.sum(y * x)


@program(X, 3)
def read_by_the_condition_of_a_while(x, n):
    y, k = x * 1.0, 0
    while np.sum(y) < 20.0 and k < n:
        y[k] += 4.0 * x[k]
        k += 1
        if k == 1:
            y = x
    return np.sum(y) + np.sum(x * x)


@program(X, 5)
@program(X, 0)
def one_is_the_other_backwards(x, n):
    u, v = x * 2.0, x * 3.0
    for i in range(n):
        u[0] += v[1] * 0.1
        v[1] *= 0.5
        if i % 2 == 0:
            u = u * 0.7
            v = u[::-1]
        else:
            v = v * 0.3
            u = v
    return np.sum(u * v)


@program(X.astype(np.float32), 3)
@program(X.astype(np.float32), 0)
def single_precision_restarted(x, n):
    y = x
    for i in range(n):
        y[i % 4] *= np.float32(0.5)
        if i == 1:
            y = x * np.float32(3)
    return np.sum(y * x)


@program(X, 1.0)
@program(X, -1.0)
def entries_of_a_dict(x, c):
    p = {"a": x * 2, "b": x * 3}
    w = p["a"] if c > 0 else p["b"]
    w *= x
    p["a"] = p["a"] + 1.0
    return np.sum(p["a"] * p["b"] * w)


@program(X, 0.1)
@program(X, -100.0)
def started_anew_and_left_early(x, c):
    y = x * 2
    z = y
    for i in range(4):
        z[i] = z[i - 1] * x[i]
        if z[i] < c:
            z = x * 1.0
            continue
        if i == 2:
            break
    return np.sum(y * z)


@program(X, 1.0)
@program(X, -1.0)
def every_other_element(x, c):
    y = x[::2] if c > 0 else x[::-1][::2]
    y[0] = 3 * x[1]
    y += 1
    return np.sum(x * x)


@program(M[:2, :2], 1.0)
@program(M[:2, :2], -1.0)
def transposed_in_each_iteration(m, c):
    v = m.T if c > 0 else m
    for i in range(2):
        v[i, 0] = v[0, i] * 2 + i
        v = v.T
    return np.sum(m * m)


@program(X, 3)
@program(np.zeros(0), 2)
def swapped_with_an_argument(x, n):
    y = x
    z = x * 2
    for _ in range(n):
        y += z.sum()
        y, z = z, y
    return np.sum(y * y) + np.sum(z)


@program(M)
def copy_in_another_shape_written(m):
    y = np.reshape(m, 12, copy=True)
    y[1] = 9.0 * m[0, 0]
    return np.sum(m * m) + np.sum(y * y)


@program(X)
def vector_in_c_order_written(x):
    z = x * 2.0
    y = np.ascontiguousarray(z)
    y[0] = 5.0 * x[1]
    return np.sum(z * z) + np.sum(y)


@program(M)
def expression_in_c_order_written(m):
    y = np.ascontiguousarray(m.T * 2.0)
    y[0, 1] = 5.0 * m[1, 1]
    return np.sum(m * m) + np.sum(y * y)


@program(M)
def turned_array_in_c_order_read(m):
    y = np.ascontiguousarray(m.T)
    return np.sum(y[1] * y[2])


@program(X)
def number_in_c_order(x):
    y = np.ascontiguousarray(x[0] * 2.0)
    return y.shape[0] * y[0] * x[1]


@program(X, 0)
@program(X, 2)
def padded_array_written(x, n):
    z = x * 2.0
    y = np.pad(z, n)
    y[0] = 50.0 * x[1]
    return np.sum(z * z) + np.sum(y * y)


@program(X)
def number_in_an_array_written_through_other_shapes(x):
    z = np.array(x[0] * 2.0)
    y = np.ravel(z)
    y[0] = 9.0 * x[1]
    w = np.atleast_2d(z)
    w[0, 0] = w[0, 0] * x[2]
    return z * y[0]


@program(X)
def written_behind_a_plus(x):
    y = 2.0 * x
    z = +y
    z[0] = 5.0 * x[1]
    w = np.positive(y)
    y[1] = x[2]
    return np.sum(y * x) + np.sum(z * w)


@program(X)
def number_with_an_axis_overwritten(x):
    z = x * 2.0
    y = np.atleast_1d(z[0])
    y[...] = y * z[2] + 3.0
    return np.sum(z * z) + np.sum(y * y)


@program(2.0)
def argument_with_an_axis_overwritten(x):
    y = np.ravel(x)
    y[...] = y * x + 3.0
    return x * x + 0.1 * np.sum(y * y)


@program(X)
def number_in_an_array_overwritten(x):
    z = np.array(x[0] * 2.0)
    y = z * x[1]
    z[...] = z * z * x[1]
    return z * y


@program(X, np.array([2, -1, 3, 1]), 2)
@program(X, np.array([2, -1, 3, 1]), 0)
def integers_that_iterations_replace_by_floats(x, counts, n):
    total = 0.0
    for _ in range(n):
        total += np.sum(counts * x) + counts[1] * x[0]
        counts = x
    return total + np.sum(counts * x) * 0.5


@program(X, np.array([2, -1, 3, 1]))
def integers_and_floats_exchanged(x, counts):
    own = counts * 1
    other = own
    for _ in range(3):
        own, other = other * 0.5 + x, own
    return np.sum(own * other * x)


@program(X, Y.astype(np.float32))
def single_numbers_that_an_iteration_replaces_by_doubles(x, y):
    y = y * np.float32(0.5)
    for k in range(2):
        doubles = x * (1.5 + k)
        y[0] *= np.float32(2.0)
        y = doubles
    return np.sum(x * y)


@program(X, np.array([2, -1, 3, 1]))
def integers_read_as_floats_and_written(x, counts):
    total = 0.0
    mixed = x * 2.0
    for _ in range(3):
        total += np.sum(mixed * x)
        counts[1] += 1
        mixed = counts
    return total

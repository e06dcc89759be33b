"""Wrong or missing results of other libraries, in our words. `EXPECTED` holds the numbers of the reports."""

import numpy as np

from collect import failing, program

EXPECTED = {
    "dissipation": (0.00752962, (3.8954715,)),
    "assigned_state": (18.0, ([0.0, 10.0, 4.0, 6.0],)),
    "loop_carried_product": (64.0, ([16.0, 16.0, 16.0],)),
}


@program(0.0045)
def dissipation(theta, n=60, e=1000.0, limit=2.0):
    """taichi #8802: element i+1, written in one iteration, is read in the next."""
    strain = np.zeros(n + 1)
    total = 0.0
    for i in range(n):
        trial = e * (theta * np.sin(2 * np.pi * i / n) - strain[i])
        flow = 0.0
        if abs(trial) > limit:
            flow = (abs(trial) - limit) / e
            total += flow
        strain[i + 1] = strain[i] + (flow if trial > 0 else -flow)
    return total


@program(np.array([0.0, 1.0, 2.0, 3.0]))
def assigned_state(v):
    """State assigned in a TensorFlow tape, read as native arrays: the flow from the initial values."""
    v[0] = 2.0 * v[1]
    return np.sum(v * v)


@program(np.array([0.5, -1.2, 2.0]), 3)
def first_of_equal_loops(x, n):
    """taichi #8356: of two loops with equal effect, one had another gradient."""
    total = 0.0
    for i in range(n):
        total += x[i] * x[i]
    return total


@program(np.array([0.5, -1.2, 2.0]), 3)
def second_of_equal_loops(x, n):
    """taichi #8356: the accumulator is an element."""
    total = np.zeros(1)
    for i in range(n):
        square = x[i] * x[i]
        total[0] = total[0] + square
    return total[0]


@program(np.array([2.0, 0.5, -1.2, 3.0]))
def while_with_continue(x):
    """taichi #7771."""
    total = 0.0
    i = 0
    while i < len(x):
        i += 1
        if x[i - 1] < 0:
            continue
        total += x[i - 1] ** 2
    return total


@program(np.array([4.0, 4.0, 4.0]))
def loop_carried_product(x):
    """NVIDIA/warp documentation: [32, 8, 2] for a product of three."""
    product = 1.0
    for i in range(len(x)):
        product = product * x[i]
    return product


@program(1.5)
def copied_name(a):
    """NVIDIA/warp #202: `b = a` stopped the gradient."""
    b = a
    c = b * b
    b = c
    return b * a


@program(np.array([2.0, 3.0]), np.array([2.0, 1.0]))
def copied_array_name(a, b):
    """NVIDIA/warp #202, for arrays."""
    c = a
    b = c
    return np.sum(b * a)


@program(np.array([2.0, 3.0]))
def buffer_used_again(x):
    """pytorch PR 192575: one buffer holds two results in turn."""
    buffer = np.zeros(2)
    buffer[:] = x * x
    first = np.sum(buffer * x)
    buffer[:] = np.sin(x)
    return first * np.sum(buffer)


@program(np.array([2.0, 3.0, 0.5, -1.0]))
def view_of_a_view_written(x):
    """pytorch #31258 and #49824: writes through chained views."""
    y = x * 2.0
    v = y[1:]
    w = v[:2]
    w *= x[:2]
    v[1] += x[3]
    return np.sum(y**3)


@program(np.array([2.0, 3.0, 0.5]))
def in_place_on_output(x):
    """pytorch PR 85374: the result of exp is overwritten after exp has kept it."""
    y = np.exp(x)
    y *= 2.0
    y[0] = x[1]
    return np.sum(y)


@program(np.array([[2.0, 3.0], [0.5, -1.0]]))
def loop_bound_by_loop(x):
    """taichi #2505 and quadrants #229: inner bounds and elements of the same array change together."""
    y = x * 1.0
    for i in range(2):
        for j in range(i + 1):
            y[i, j] = y[i, j] * y[j, i] + y[0, j]
    return np.sum(y * y)


@failing(np.arange(4.0), error=IndexError)
def read_out_of_bounds(x):
    """jax #5760: x[10] of four elements gave the last."""
    return x[10] ** 2


@failing(np.arange(4.0), error=IndexError)
def write_out_of_bounds(x):
    """jax #5760: the write was dropped in silence."""
    y = x * 1.0
    y[10] = x[0]
    return np.sum(y)


@failing(np.arange(4.0), 4, error=IndexError)
def computed_index_out_of_bounds(x, n):
    total = 0.0
    for i in range(n):
        total += x[i] * x[i + 1]
    return total


@failing(np.arange(4.0), error=IndexError)
def negative_index_out_of_bounds(x):
    return x[-5] * 2.0


@program(np.array([0.1, 0.2, 0.3]), 0.4, 3)
def result_set_on_one_path_only(x, a, n):
    """The first return sets what the loop hands on; on the other path it has no value yet."""
    if a > 1.0 and x[0] > 0.39:
        if a <= 2.0:
            return 0.11 * a
        a = a * a
    for j in range(n):
        if x[j] > 2.0:
            return np.tanh(x[j])
    return np.prod(x) - a


@program(np.array([[0.3, -0.2], [0.8, 0.4]]), 4)
def argument_changed_in_place_in_a_loop(m, n):
    """The name is assigned in the loop, but only by an augmented assignment: it stays the argument's array."""
    for k in range(n):
        m *= 0.5 + 0.1 * k
        m[0, k % 2] = np.sin(m[1, 0])
    return np.sum(m * m)


@program(np.array([-0.7, 0.9, -0.5, 1.1, 0.1, 1.0]), 6)
def written_again_after_it_was_returned(x, n):
    """The argument's new elements are wanted at the end, and so is an array that could have taken its memory."""
    x -= x[5::-1]
    flow = x * 1.0
    for k in range(1, n, 2):
        flow[1:-1] = 0.85 * k
    return np.prod(flow)


@program(np.arange(300.0), np.array([0, 2, 250], np.uint8))
def narrow_index_below_a_size(x, labels):
    """NumPy compares integers of any size; the size of `x` does not fit the dtype of the index."""
    total = 0.0
    for i in range(labels.shape[0]):
        k = labels[i]
        if k < x.shape[0]:
            total += x[k] * x[k]
    return total


@program(np.arange(300.0), np.array([3, 2, 250], np.uint8), 10)
@program(np.arange(300.0), np.array([3, 2, 25], np.int8), 110)
def narrow_index_wraps_around(x, labels, offset):
    """An integer of eight bits stays one: 250 + 10 is 4, and 25 + 110 is -121."""
    total = 0.0
    for i in range(labels.shape[0]):
        total += x[labels[i] + offset] ** 2
    return total


@failing(np.arange(4.0), np.array([0, 255], np.uint8), error=IndexError)
def wrapped_index_proves_nothing(x, labels):
    """255 + 1 is 0 and below the size; 255 is not."""
    total = 0.0
    for i in range(labels.shape[0]):
        k = labels[i]
        if k + 1 < x.shape[0]:
            total += x[k]
    return total


@failing(np.arange(4.0), np.array([0, 1], np.uint8), 300, error=OverflowError)
def offset_that_a_narrow_index_cannot_take(x, labels, offset):
    total = 0.0
    for i in range(labels.shape[0]):
        total += x[labels[i] + offset]
    return total


@program(np.arange(4.0) + 0.3, np.arange(16.0).reshape(4, 4) * 0.1, 0.5)
@program(np.arange(4.0) + 0.3, np.arange(16.0).reshape(4, 4) * 0.1, 1.5)
def view_kept_in_a_branch_and_added_to_in_its_loop(x, m, c):
    """The row that the backward sweep adds to shares memory with `m`, whose sum is due before."""
    m = np.sin(m)
    if c <= 1.05:
        for i in range(1):
            m[i + 1, i] = np.sin(x[i] + m[i, i - 1] * m[i, i])
        c += np.dot(x, m[-2])
    return c - np.sum(m)


@program(np.array([0.5, -1.2, 2.0, 0.3]), 3)
def arrays_that_change_places_are_read_before_they_are_overwritten(x, n):
    """The cotangent of each is the other, which the backward iterations of the inner loop overwrite."""
    y = x.copy()
    z = x * 0.5
    for _ in range(n):
        for i in range(1, len(x)):
            z[i] = np.sin(y[i]) + z[i - 1]
        y, z = z, y
    return np.sum(y * z)


@program(np.array([[0.5, -1.2], [2.0, 0.3]]))
def trace_of_a_product(a):
    """The cotangent is an identity matrix with the dtype of the argument."""
    return np.trace(a @ a)


@program(np.array([[0.5, -1.2], [2.0, 0.3]]), 2)
@program(np.array([[0.5, -1.2], [2.0, 0.3]]), 0)
def cotangent_of_a_sum_leaves_a_loop(x, n):
    """What the iterations hand on is the same number for each row, in memory that cannot be written."""
    a = x * 2.0
    for _ in range(n):
        a = np.sum(x - 0.5 * a, axis=0, keepdims=True) + np.zeros((2, 2))
        x = np.tanh(a)
    return np.sum(x * x) + np.sum(a)


@program(np.linspace(0.2, 1.1, 12), 5)
def iterations_that_meet_where_indices_count_from_the_end(x, n):
    """The first two iterations and the last two are about the same elements."""
    y = np.full(n, 0.7)
    for i in range(n + 2):
        y[i - 2] = np.sin(y[i - 2] * x[i]) + x[i]
    return np.sum(y * y)


@program(np.linspace(0.2, 1.1, 12), 4)
def each_element_from_the_end_and_then_from_the_start(x, n):
    y = x[:n] * 1.0
    for i in range(-n, n):
        y[i] = y[i] * y[i] * 0.3 + x[i + n]
    return np.sum(y)


@program(np.linspace(0.2, 1.1, 12), 5)
def overwritten_from_the_end_and_then_from_the_start(x, n):
    y = np.zeros(n)
    for i in range(-n, n):
        y[i] = x[i + n] * 2.0
    return np.sum(y * y)


@program(np.array([0.5, -1.3, 0.8, 0.2]))
def sum_of_an_array_that_starts_from_a_number(x):
    """The adjoint of h begins as 1 - tanh(h)², an array less than a number: no loop can add to the number."""
    h = np.sin(x[::-1]) + x
    total = 0.0
    for k in range(x.shape[0]):
        total += np.cos(h[k])
    return total + np.sum(np.tanh(h))


@program(np.array([0.5, 0.7, 0.9, 0.2]), np.array([1.0, 2.0, 3.0, 4.0]))
def factor_of_what_a_loop_in_a_branch_makes(x, w):
    """The adjoint of r is what the inner loop made, as it is, and in another iteration something else."""
    total = 0.0
    z = 0.4
    for i in range(x.shape[0]):
        r = np.sin(w[i])
        z = np.sin(z) * r
        q = 0.0
        if x[i] > 0.3:
            s = 0.1
            for j in range(3):
                s = s * s + x[j] * x[i]
            q = r * s
        total += q
    return total + z


@program(np.array([0.5, -1.3, 0.8]))
def choice_of_numbers_in_a_loop(x):
    """np.where of numbers gives an array without axes, which the next operator makes a number again."""
    t = 0.5
    for i in range(x.shape[0]):
        t = np.where(t > 0.3, t, t * t) + x[i] * np.where(x[i] > 0.0, x[i], t)
    return t + np.where(t > 0.0, t, 1.0) ** 2


@program(np.array([0.5, -1.3, 0.8]))
def choice_that_is_known_among_arrays_of_different_sizes(x):
    """What is chosen is still spread over the axes of the other one."""
    return np.sum(np.where(True, x[:1], x) * x) + np.sum(np.where(False, x, x[1:2]) * x)


@program(np.array(1.5), -0.7)
def axis_of_a_number(a, b):
    """NumPy lets some reductions name axis 0 or -1 of a number."""
    total = np.sum(a * b, axis=0) * np.max(a * 2.0, axis=-1) + np.prod(b * a, axis=0)
    return total * np.sum(b * b, axis=0, keepdims=True)


def returned_from_a_loop_that_exchanges_names(v, p):
    for i in range(3):
        g = v
        v, g = g, v
        if g[1] < 0.74:
            return v, np.sqrt(1.0 + (p * g[i]) * (p * g[i]))
    return v, v[-1] ** 2 / (1.0 + p**2)


@program(np.array([0.9, 0.8, 0.95]), 0.7)
@program(np.array([0.3, 0.5, 0.2]), 0.7)
def written_behind_a_loop_that_returns_it(x, a):
    """On the path that no call takes, the array has no value."""
    flow, p = returned_from_a_loop_that_exchanges_names(x, a)
    flow[-1] = np.arctan(flow[1])
    if p * flow[-1] < 0.21:
        return np.sqrt(1.0 + flow[1] * flow[1])
    return np.sum(flow) + p


@program(np.array([0.2, -1.4, -1.3]), np.arange(12.0).reshape(3, 4) / 7.0, -0.2)
def bound_anew_in_a_loop_read_and_written_behind(x, m, a):
    """The tangent of the sum is that from before the write."""
    w = m * 1.0
    column = w[:, 3]
    y = w
    for _ in range(4):
        y = np.outer(x, y[2])
    before = [y.sum(), column[-2]]
    y[2][3] = a
    return np.sum(y) - np.sum(before)


@program(np.array([0.5, -1.3, 0.8]), cotangent=(np.array([1.0, 0.5, -0.3]), np.array([0.2, -1.0, 0.7])))
def a_view_and_a_map_of_one_array(x):
    """Both tangents are asked for behind the statements of the function, those that become a loop among them."""
    y = np.cos(x)
    y[0] = x[1]
    return y[::-1], np.sin(y)


@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), 0.3, 1)
@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), 0.3, 2)
def a_row_that_no_loop_has_named(m, a, k):
    """Behind the branch, `line` may have no value; the second loop carries what it was."""
    m = m.copy()
    h = a
    if k > 1:
        for line in m:
            line[0] = np.sin(a)
        h = a * a
    m[k - 1, 2:-1] = np.tanh(h)
    for row in m:
        row[1] = a
        line = row * h
        if line[k] >= 0.5:
            break
        h = h + line[0]
    return np.sum(m) * h


@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), 0.3, 2)
@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), 5.0, 2)
@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), 5.0, 1)
@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), -1.0, 1)
def a_row_of_one_path_or_another(m, c, n):
    """On one path `g` has no value."""
    m = m.copy()
    if m[1, -1] < c and m[2, -1] < c:
        if n != 2:
            g = m[-3]
    elif m[0, 1] < c:
        g = m[n % 3]
        g[1:-1] = 0.5 * g[1:-1] * c
    m[n, 1] *= 2.0
    return np.sum(m * m)


@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), 0.3)
@program(np.linspace(0.1, 1.2, 12).reshape(3, 4), 0.7)
def exchanged_in_a_branch(m, c):
    """The adjoints are copied from one another in each iteration; one of the copies can be left out."""
    right = m
    y = right * 1.0
    for _ in range(4):
        r = right.T
        r -= np.sin(r * y.T)
        if c < 0.5:
            right = y
            y = np.tanh(r.T)
        if y[0, 1] > 2.0:
            break
    return np.sum(y * right)


def _until_it_returns(v):
    for i in range(4):
        if i % 3 == 1:
            continue
        if i % 2 == 0 and v[i] > 0.1:
            return v
    return v


@program(np.array([0.1, 0.2, 0.3, 0.4]))
@program(np.array([0.4, 0.2, 0.3, 0.4]))
def returned_from_a_loop_and_written(x):
    """Before the loop, what it returns has no size."""
    y = _until_it_returns(np.arctan(x))
    y[-3] = np.tanh(x[2])
    return np.sum(y[2:3]) + np.sum(x)


@program(np.array([0.3, 0.5, 0.9]), 0.5)
@program(np.array([0.3, 0.5, 0.9]), 1.5)
def table_of_a_branch(x, c):
    """Where the branch is not taken the table has no rows of three, and the argument has been changed by then."""
    x *= 0.5
    if c > 1.0:
        table = np.zeros((x.shape[0], 3))
        for i in range(x.shape[0]):
            table[i, 0] = x[i] * c
            table[i, 1] = np.sin(x[i])
            table[i, 2] = table[i, 0] * table[i, 1]
    s = np.sum(np.exp(x))
    if c > 1.0:
        for i in range(x.shape[0]):
            s += table[i, 0] * table[i, 2]
    return s

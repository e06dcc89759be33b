"""Lists of mixed numbers: a list takes the type of all that it ever holds."""

import numpy as np

from collect import program


@program(1.3, 5)
def integer_replaced_by_a_float(x, n):
    l = [1]
    y = x
    for i in range(n):
        l.append(-y)
        y = l.pop() * 1.5
    return y


@program(1.3, 5)
def two_popped(x, n):
    l = [1, 2]
    s = 0.0
    for i in range(n):
        l.append(x * i)
        if len(l) > 3:
            s += l.pop()
            s += l.pop()
    return s


@program(1.3, 5)
def integers_then_a_float(x, n):
    l = []
    for i in range(n):
        l.append(i)
    l.append(x)
    return l.pop() + sum(l)


@program(1.3, 5)
def a_truth_value_and_floats(x, n):
    l = [True]
    for i in range(n):
        l.append(x)
    return l.pop() * l[1]


@program(1.3, 5)
def sums_of_the_last(x, n):
    l = [0]
    for i in range(n):
        l.append(l[-1] + x)
    return l[-1]


@program(1.3, 5)
def integers_and_floats_by_parity(x, n):
    l = [1]
    for i in range(n):
        if i % 2:
            l.append(x)
        else:
            l.append(2)
    p = 1.0
    while len(l) > 0:
        p *= l.pop()
    return p


@program(1.3, 5)
def iterated_over(x, n):
    l = [1]
    for i in range(n):
        for j in range(2):
            l.append(i)
        l.append(x)
    s = 0.0
    for v in l:
        s += v * v
    return s


@program(1.3, 5)
def an_integer_of_numpy(x, n):
    l = [np.int64(1)]
    for i in range(n):
        l.append(x * 0.5)
    return l.pop() * l[0]


@program(1.3, 5)
def first_one_replaced(x, n):
    l = [1]
    for i in range(n):
        l[0] = x * 0.5
        l.append(2)
    return l[0] * l[1]


@program(1.3, 5)
def replaced_integer(x, n):
    l = [1, 1]
    for i in range(n):
        l[1] = x * 0.5
        l.append(2)
    return l[1] * l[2]


@program(1.3, 5)
def pushed_in_one_branch(x, n):
    l = [1]
    y = x
    for i in range(n):
        if i % 2 == 0:
            l.append(-y)
        else:
            y = y + l.pop() * 0.5
    return y + l[0]


@program(1.3, 5)
def filled_in_a_while_loop(x, n):
    l = [1]
    y = x
    while len(l) < n:
        l.append(-y)
        l.append(2)
        y = y + l.pop() * l.pop()
        l.append(3)
    return y


@program(1.3, 5)
def integers_replaced_by_floats(x, n):
    l = [1, 2, 3]
    for i in range(n):
        l.append(4)
    for i in range(n):
        l[i] = x * i
    s = 0.0
    for v in l:
        s += v
    return s


@program(1.3, 5)
def pushed_once(x, n):
    l = [1]
    if x > 0:
        l.append(-x)
    s = l.pop()
    return s * 2


@program(1.3, 5)
def pushed_twice_in_a_branch(x, n):
    l = [1]
    if x > 0:
        l.append(-x)
        l.append(2)
    t = 0.0
    while len(l):
        t = t * 2 + l.pop()
    return t


@program(1.3, 5)
def work_list_of_integers(x, n):
    stack = [n]
    total = 0.0
    while len(stack) > 0:
        k = stack.pop()
        total += x * k
        if k > 1:
            stack.append(k // 2)
            stack.append(k - 2)
    return total


@program(1.3, 5)
def last_one_added_to(x, n):
    l = [1]
    for i in range(n):
        l.append(2)
        l[-1] += x
    return l[-1]


@program(1.3, 5)
def pushed_in_an_inner_loop(x, n):
    l = [1]
    y = x
    for i in range(n):
        for j in range(n):
            l.append(-y)
            y = y + 0.1 * l.pop()
    return y


@program(1.3, 5)
def pushed_by_a_nested_function(x, n):
    l = [1]

    def push(v):
        l.append(v)

    for i in range(n):
        push(-x)
    return l.pop()


@program(1.3, 5)
def comprehension_that_grows(x, n):
    l = [i for i in range(3)]
    for i in range(n):
        l.append(-x)
    return l.pop() + l[2]


@program(1.3, 5)
def truth_values_then_numbers(x, n):
    l = [False]
    for i in range(n):
        l.append(3)
    for i in range(n):
        l.append(x)
    return l[2] * l[-1]


@program(1.3, 5)
def pushed_and_popped_in_each_iteration(x, n):
    l = [1]
    y = x
    for i in range(n):
        l.append(-y)
        z = l.pop()
        y = y * 1.1 + z
    return y


@program(1.3, 5)
def popped_later(x, n):
    l = [1]
    y = x
    i = 0
    while i < n:
        l.append(-y)
        if i > 1:
            y = l.pop() * 1.1
        i += 1
    return y


@program(np.array([0.125, 0.25]))
def numbers_behind_integers(x):
    items = [0, 1, 2]
    items.append(x[0])
    items.append(x[1] * x[1])
    total = 0
    for _ in range(4):
        total = total + items.pop()
    return total * x[0]


@program(np.array([0.125, 0.25]))
def integers_among_numbers(x):
    items = [True, 2, x[0], 3]
    total = 0.0
    while len(items) > 0:
        total = total * 1.5 + items.pop()
    return total


@program(np.array([0.125, 0.25]), 3)
def array_of_a_mixed_list(x, n):
    items = [n, 1]
    items.append(x[1])
    for i in range(2):
        items.append(x[i] * i)
    return np.sum(np.array(items) * x[0])


@program(np.array([0.4, -1.3, 2.1]))
def lists_joined_with_arrays(v):
    """A list among the arrays that are joined is an array of its items."""
    a = np.concatenate(([1.0], v, [v[0], 2]))
    b = np.hstack(((0.5 * v[1],), v))
    c = np.vstack((v, [float(k) for k in range(v.shape[0])], 2 * v))
    d = np.stack([list(v), v**2], axis=1)
    return np.sum(a**2) + np.sum(np.sin(b)) + np.sum(c**3) + np.sum(d * d)


@program(np.array([0.4, -1.3, 2.1]))
def rows_joined_with_matrices(v):
    c = np.concatenate([[v, 2 * v], np.ones((1, v.shape[0]))])
    d = np.concatenate([[[v[0], 1], [2, v[1]]], [[3.0], [v[2]]]], axis=1)
    return np.sum(c**2) + np.sum(np.cos(d))


@program(np.array([0.4, -1.3, 2.1]))
def appended_items_joined_with_an_array(v):
    items = []
    for i in range(v.shape[0]):
        if v[i] > 0:
            items.append(v[i] ** 2)
    return np.sum(np.concatenate((items, v)) ** 2)

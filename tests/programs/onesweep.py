"""Loops that are differentiated iteration by iteration, and loops that look like them but are not."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0, 0.3])
Y = np.array([1.5, 0.2, -0.7, 0.9])


@program(X, Y)
def two_loops_add_to_one_gradient(x, y):
    first = 0.0
    for i in range(x.shape[0]):
        first += np.sin(x[i]) * y[i]
    second = 0.0
    for i in range(x.shape[0]):
        second += x[i] * x[i]
    return first + second


@program(X)
def gradient_has_other_parts_before_and_after(x):
    head = x[0] * x[0]
    total = 0.0
    for i in range(x.shape[0]):
        total += np.exp(0.1 * x[i])
    return head * 3.0 + total + x[-1] * head


@program(X)
def adjoint_of_the_sum_is_known_only_afterwards(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return np.sqrt(total)


@program(X, Y)
def second_loop_needs_the_first_sum(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    loss = 0.0
    for i in range(x.shape[0]):
        loss += (x[i] - total) ** 2
    return loss


@program(X)
def state_beside_the_sum(x):
    state = 0.1
    total = 0.0
    for i in range(x.shape[0]):
        state = np.tanh(state + x[i])
        total += state
    return total


@program(X)
def sum_that_is_read_in_the_loop(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * (1.0 + total)
    return total


@program(X, 4)
def inner_loop_keeps_its_iterations(x, n):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        for _ in range(n):
            y = np.sin(y) + 0.3 * y * y
        total += y
    return total


@program(X)
def inner_while_with_iterations_of_its_own(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = abs(x[i]) + 1.5
        while y > 0.4:
            y = y * y / (y + 1.3)
        total += y * x[i]
    return total


@program(X, Y)
def row_is_overwritten_in_each_iteration(x, y):
    row = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        row[0] = x[i]
        row[1] = row[0] * y[i]
        row[2] = np.cos(row[1])
        total += row[2] * row[1]
    return total


@program(X)
def row_lives_on_from_iteration_to_iteration(x):
    row = np.zeros(2)
    total = 0.0
    for i in range(x.shape[0]):
        row[0] += x[i]
        row[1] = row[0] * row[0]
        total += row[1]
    return total


@program(X)
def sum_in_one_branch_and_break(x):
    total = 0.0
    for v in x:
        if v < -5.0:
            break
        if v > 0.0:
            total += np.log(v)
        else:
            total -= v * v
    return total


@program(X, Y)
def elements_of_an_array_as_sums(x, y):
    bins = np.zeros(2)
    for i in range(x.shape[0]):
        bins[i % 2] += x[i] * y[i] ** 2
    return bins[0] * 2.0 + bins[1]


@program(X, Y)
def while_loop_that_adds_up(x, y):
    total = 0.0
    i = 0
    while i < x.shape[0]:
        total += np.arctan(x[i]) * y[i]
        i += 2
    return total


@program(np.array([[0.5, -1.2], [2.0, 0.3], [0.1, 0.7]]))
def nested_loops_that_add_up(m):
    total = 0.0
    for i in range(m.shape[0]):
        part = 1.0
        for j in range(m.shape[1]):
            part += m[i, j] * m[i, j]
        total += part
    return total


@program(np.array([[0.5, -1.2], [2.0, 0.3], [0.1, 0.7]]), np.array([0.3, 0.9, -0.4]))
def argument_changed_in_the_loop_that_adds_up(m, w):
    total = 0.0
    for i in range(m.shape[0]):
        m[i] *= w[i]
        total += np.sum(m[i] ** 2)
    return total


@program(np.zeros(0))
def loop_without_iterations(x):
    total = 1.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return total


@failing(X, 0.0, error=ValueError)
@program(X, 0.5)
def divided_by_what_is_looked_at_first(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i])
    if y == 0.0:
        raise ValueError("nothing can be divided by it")
    return total * (1.0 / y)


@failing(-X, 0.0, error=ValueError)
@program(X, 0.5)
def divided_after_iterations_that_may_raise(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 2.5 or x[i] == -0.5:
            raise ValueError("out of range")
        total += np.sin(x[i])
    return total / y

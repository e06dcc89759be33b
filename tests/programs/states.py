"""Recurrences of which the way back needs the state before an iteration and the one after it."""

import numpy as np

from collect import program

X = np.array([0.5, -1.3, 0.8, 0.2, 1.1])
H = np.array([0.3, -0.4, 0.6])
W = np.array([[0.4, -0.3, 0.2], [-0.8, 0.5, 0.9], [0.6, 0.1, -0.7]])
ROWS = np.cos(np.arange(15.0)).reshape(5, 3)


@program(0.4, X)
@program(0.4, X[:0])
@program(np.float32(0.4), X.astype(np.float32))
def of_numbers(w, x):
    h = 0.1
    for i in range(x.shape[0]):
        h = np.tanh(w * h + x[i])
    return h


@program(W, ROWS)
@program(W, ROWS[:0])
@program(W.astype(np.float32), ROWS.astype(np.float32))
@program(np.asfortranarray(W), ROWS[::-2])
def of_vectors(w, x):
    h = np.zeros(w.shape[0])
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + x[t])
    return np.sum(h * x[0]) if x.shape[0] else np.sum(h)


@program(W, ROWS)
@program(W, ROWS[:1])
@program(W[:0, :0], ROWS[:, :0])
def of_vectors_in_loops(w, x):
    n = w.shape[0]
    h = np.zeros(n)
    for t in range(x.shape[0]):
        after = np.empty(n)
        for i in range(n):
            s = x[t, i]
            for j in range(n):
                s += w[i, j] * h[j]
            after[i] = np.tanh(s)
        h = after
    return np.sum(h * h)


@program(W, H, 3)
@program(W, H, 0)
def from_an_argument(w, h, steps):
    """The first state is an array of the caller's, which must stay as it is."""
    first = h
    for _ in range(steps):
        h = np.exp(-w @ (h * h))
    return np.sum(h * first)


@program(0.4, 0.3, 5)
@program(0.4, 0.3, 1)
@program(0.4, 0.3, 0)
def two_states_change_places(a, b, steps):
    for _ in range(steps):
        a, b = b, np.exp(-a * b)
    return a * np.sin(b)


@program(0.4, 0.3, 0.2, 6)
@program(0.4, 0.3, 0.2, 1)
def three_states_in_a_row(a, b, c, steps):
    for _ in range(steps):
        a, b, c = b, c, np.tanh(a * b + np.exp(-c))
    return a * b * c


@program(X, 3)
@program(X, 0)
@program(X[:0], 3)
def anew_in_each_row(x, rows):
    """The inner loop starts anew in every iteration of the outer one."""
    total = 0.0
    for k in range(rows):
        h = x[0] * (k + 1) if x.shape[0] else 1.0
        for i in range(x.shape[0]):
            h = np.tanh(h * x[i] + 0.1 * k)
        total += h * h
    return total


@program(X)
@program(X[:0])
def rows_of_a_triangle(x):
    total = 0.0
    for k in range(x.shape[0]):
        h = x[k]
        for i in range(k + 1):
            h = np.exp(-h * x[i])
        total += h * x[k]
    return total


@program(X)
@program(X[:1])
def backwards_by_two(x):
    h = 0.5
    for i in range(x.shape[0] - 1, -1, -2):
        h = np.tanh(h * x[i] - x[0])
    return h


@program(X, 2)
@program(X, 4)
@program(X, 7)
def from_a_start_of_the_callers(x, start):
    h = 0.5
    for i in range(start, x.shape[0]):
        h = np.exp(-h * x[i])
    return h


@program(X, 0.3)
@program(X, -9.0)
def until_it_is_small(x, limit):
    h = 1.0
    for i in range(x.shape[0]):
        h = np.tanh(h + x[i])
        if h < limit:
            break
    return h


@program(0.9)
@program(0.2)
def while_it_is_large(x):
    h = x
    while h > 0.3:
        h = 0.9 * np.tanh(h)
    return h * x


@program(X, 3)
@program(X, 0)
def in_a_branch(x, steps):
    h = np.sin(x)
    total = 0.0
    for k in range(steps):
        if k % 2 == 0:
            for i in range(1, x.shape[0]):
                h = np.tanh(h * x[i])
        else:
            h = h + 0.1
        total += np.sum(h)
    return total


@program(X)
@program(X[:1])
def after_a_branch(x):
    h = 0.3
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            h = np.tanh(h * x[i])
        else:
            h = np.exp(h + x[i])
        h = np.sqrt(h * h + 1.0)
    return h


@program(X, 4)
def written_after_it_is_handed_on(x, steps):
    """The state is changed in place where the next iteration begins, behind what this one keeps."""
    h = x.copy()
    for k in range(steps):
        h[k] = h[k] * h[0]
        h = np.tanh(h * h[1])
    return np.sum(h)


@program(X, 3)
def written_in_place(x, steps):
    h = x.copy()
    for _ in range(steps):
        y = np.sin(h)
        for i in range(1, h.shape[0]):
            h[i] = h[i] * np.exp(-h[i - 1] * y[i])
    return np.sum(h * h)


@program(ROWS)
@program(ROWS[:1])
def rows_of_an_argument(x):
    """The next state is a part of an array that is there anyway."""
    h = np.exp(x[0])
    total = 0.0
    for t in range(x.shape[0]):
        total += np.sum(np.exp(h * x[t]))
        h = x[t]
    return total * np.sum(h)


@program(X, 3)
@program(X, 0)
def it_grows(x, steps):
    """Each state is longer than the one before."""
    h = np.tanh(x)
    for _ in range(steps):
        h = np.tanh(np.concatenate((h, h[:1] * x[:1])))
    return np.sum(h * h)


@program(X, W)
def one_number_then_an_array(x, w):
    """What the loop starts with has other sizes than what it hands on."""
    h = np.ones((1, 3))
    for i in range(x.shape[0]):
        h = np.tanh(w * h + x[i])
    return np.sum(h)


@program(X)
@program(X[:0])
def known_after_the_first_iteration(x):
    for i in range(x.shape[0]):
        if i == 0:
            h = np.sin(x[i])
        else:
            h = np.tanh(h * x[i])
    return h if x.shape[0] else 0.0


@program(X, W)
def a_state_of_two_arrays(x, w):
    h, c = np.zeros(3), np.ones(3)
    for i in range(x.shape[0]):
        gate = 1.0 / (1.0 + np.exp(-(w @ h) - x[i]))
        c = gate * c + (1.0 - gate) * np.tanh(w[0] * h)
        h = gate * np.tanh(c)
    return np.sum(h * c)


@program(W, ROWS)
def in_a_list(w, x):
    state = [np.zeros(3), np.ones(3)]
    for t in range(x.shape[0]):
        state = [np.tanh(w @ state[1] + x[t]), np.exp(-state[0] * state[1])]
    return np.sum(state[0] * state[1])


@program(W, ROWS)
def the_steps_of_a_function(w, x):
    def step(h, row):
        return np.tanh(w @ h + row)

    h = np.zeros(3)
    total = 0.0
    for row in x:
        h = step(h, row)
        total += np.sum(h * h)
    return total


@program(X, 2)
def two_nests(x, steps):
    h = 0.2
    for _ in range(steps):
        for i in range(x.shape[0]):
            h = np.tanh(h * x[i] + 0.5)
        for i in range(x.shape[0] - 1):
            h = np.exp(-h * x[i + 1])
    return h


@program(0.7, 0.2, 4)
def the_same_value_for_two_names(x, y, steps):
    for _ in range(steps):
        x = np.tanh(x * y)
        y = x
    return x * y


@program(X, 3)
def of_booleans_and_integers(x, steps):
    h, up = 0.3, True
    for k in range(steps):
        for i in range(x.shape[0]):
            h = np.tanh(h * x[i]) if up else np.exp(-h)
            up = h > 0.2 * k
    return h


@program(X, 3)
@program(X[:1], 3)
@program(X[:0], 3)
def from_the_second_element(x, rows):
    total = 0.0
    for k in range(rows):
        h = 0.1 * k
        for i in range(1, x.shape[0]):
            h = np.tanh(h * x[i] + x[0])
        for i in range(2, x.shape[0]):
            h = np.tanh(h * x[i] + x[1])
        total += h * h
    return total

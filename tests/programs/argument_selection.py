"""Loops that take the last of the numbers that fulfil a condition: the largest, the first zero, where it was."""

import math

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 2.1, -0.4])
M = np.array([[0.5, 1.2, -2.0], [0.3, 0.4, 0.1], [-0.4, 1.9, 1.8]])
NAN = np.array([np.nan, 1.0, 2.0])


@program(X)
@program(-X)
@program(X[:1])
@program(X.astype(np.float32))
@program(X[::2])
def largest(x):
    top = x[0]
    for j in range(1, x.shape[0]):
        if x[j] > top:
            top = x[j]
    return top * top * x[1 - x.shape[0]]


@program(X)
@program(X[:0])
def smallest_square_and_its_place(x):
    low = 4.0
    at = -3
    for j in range(x.shape[0]):
        v = math.sin(x[j]) * x[j]
        if not v >= low:
            low = v
            at = j
    return low * at + 0.5


@program(M, X[:3])
def row_sums_of_exponentials(m, w):
    total = 0.0
    for i in range(m.shape[0]):
        top = m[i, 0]
        for j in range(1, m.shape[1]):
            if m[i, j] > top:
                top = m[i, j]
        s = 0.0
        for j in range(m.shape[1]):
            s += math.exp(m[i, j] - top)
        total += w[i] * (math.log(s) + top * top)
    return total


@program(M)
def largest_of_a_matrix(m):
    top = m[0, 0]
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > top:
                top = m[i, j]
    return top * m[0, 1]


@program(X)
def largest_and_smallest(x):
    top = x[0]
    low = x[0]
    for j in range(x.shape[0]):
        if x[j] > top:
            top = x[j]
        if x[j] < low:
            low = x[j] * 1.0
    return top * low


@program(X)
def two_numbers_of_one_iteration(x):
    top = x[0]
    other = 0.5
    for j in range(1, x.shape[0]):
        if x[j] > top:
            top = x[j]
            other = x[j] * x[j - 1]
    return top * other


@program(X)
@program(X, 7)
def nearest_to_the_end(x, n=6):
    top = x[0]
    for j in range(n - 2, -1, -2):
        if x[j] > 0.4:
            top = x[j] * j
    return top * top


@program(X)
def where_the_loop_writes(x):
    y = x.copy()
    top = y[0]
    for j in range(1, y.shape[0]):
        y[j] = y[j] * y[j - 1]
        if y[j] > top:
            top = y[j]
    return top * y[2]


@program(X)
def overwritten_afterwards(x):
    y = x * 1.0
    top = y[0]
    for j in range(1, y.shape[0]):
        if y[j] > top:
            top = y[j]
    y[2] = top * y[0]
    y[4] = top * y[1]
    return np.sum(y) * top


@program(X)
def sum_of_running_maxima(x):
    top = x[0]
    total = 0.0
    for j in range(1, x.shape[0]):
        if x[j] > top:
            top = x[j]
        total += top * top
    return total * top


@program(X)
def grows_by_what_it_was(x):
    top = x[0]
    for j in range(1, x.shape[0]):
        if x[j] > 0.0:
            top = top * x[j]
    return top


@program(X)
def until_one_is_large(x):
    top = x[1]
    for j in range(2, x.shape[0]):
        if x[j] > top:
            top = x[j] * x[j]
        if top > 3.0:
            break
    return top * x[0]


@program(X)
@program(X[:1])
def from_the_end(x):
    top = x[0]
    for j in range(-1, -x.shape[0], -1):
        if x[j] > top:
            top = x[j]
    return top * top


@program(X)
def numbers_known_beforehand(x):
    a = x[0] * x[1]
    chosen = x[2]
    for j in range(x.shape[0]):
        if x[j] < 0.0:
            chosen = a
    return chosen * chosen


@program(NAN[::-1])
def with_numbers_that_are_none(x):
    top = x[0]
    for j in range(1, 3):
        if x[j] > top:
            top = x[j]
    return top * x[1]


@program(X, np.array([3, 0, 2, 5]))
def among_chosen_places(x, places):
    top = -1.0
    for k in range(places.shape[0]):
        v = x[places[k]]
        if v > top:
            top = v
    return top * top


@program(X)
def one_before_and_one_now(x):
    top = x[0]
    second = x[1]
    for j in range(2, x.shape[0]):
        if x[j] > top:
            second = top
            top = x[j]
    return top * second


@program(X)
@program(-X)
def one_number_on_each_side(x):
    top = x[0]
    other = 0.1
    for j in range(x.shape[0]):
        if x[j] > top:
            top = x[j]
        else:
            other = x[j] * 2
    return top * other


@program(X)
def only_the_first_time(x):
    found = False
    v = x[0]
    for j in range(x.shape[0]):
        if not found and x[j] > 1.0:
            v = x[j]
            found = True
    return v * v


LONG = np.array([0.5, -1.2, 2.0, 0.3, 2.1, -0.4, 2.05, 0.7, -3.0, 1.9, 0.2])
FIRST_IS_NAN = np.array([np.nan, *LONG])
NAN_AMONG = np.array([0.1, np.nan, -0.2, 0.4, np.nan, 0.3, 0.9, 0.8, np.nan])


@program(LONG)
@program(LONG[::-1])
@program(LONG[:5])
@program(LONG[::3])
@program(NAN_AMONG)
@program(LONG.astype(np.float32))
def largest_and_its_place(x):
    top = x[0]
    at = 0
    for j in range(1, x.shape[0]):
        if x[j] > top:
            top = x[j]
            at = j
    return top * top + at


@program(LONG)
@program(LONG[:0])
@program(LONG[:3])
def smallest_below_a_limit(x):
    low = 1.0
    at = -1
    for j in range(x.shape[0]):
        if low > x[j]:
            at = j
            low = x[j]
    return low * (at + 2)


@program(np.column_stack([LONG, LONG[::-1] * 0.7]))
@program(np.asfortranarray(np.column_stack([LONG, LONG[::-1] * 0.7])))
def largest_of_each_column(m):
    total = 0.0
    for k in range(m.shape[1]):
        top = -5.0
        for j in range(2, m.shape[0]):
            if m[j, k] > top:
                top = m[j, k]
        total += top * top * (k + 1)
    return total


@program(LONG, np.array([3, 1, 0, 1, 5, 9, 2, 8, 5, 4, 7]))
def largest_of_chosen_ones(x, chosen):
    top = x[0]
    for j in range(chosen.shape[0]):
        if x[chosen[j]] > top:
            top = x[chosen[j]]
    return top**3


def number_and_place(x):
    top = x[0]
    at = 0
    for j in range(1, x.shape[0]):
        if x[j] > top:
            top = x[j]
            at = j
    return top, at


SCORES = np.array([[0.3, -0.2, 0.9], [1.1, 0.4, -0.6], [-0.5, 0.8, 0.25], [0.15, -1.3, 0.7]])
MOVES = np.array([[0.2, -0.7, 0.5], [-0.35, 0.6, 0.1], [0.45, -0.15, -0.9]])


@program(SCORES, MOVES, wrt=(0, 1))
@program(SCORES[:1], MOVES, wrt=(0, 1))
@program(np.hstack([SCORES, SCORES[::-1] * 0.9]), np.kron(np.array([[0.3, 1.1], [0.8, -0.4]]), MOVES), wrt=(0, 1))
@program(SCORES.astype(np.float32), MOVES.astype(np.float32), wrt=(0, 1))
def best_path(scores, moves):
    """Viterbi's algorithm: the states of a step go down the columns of the moves."""
    steps, states = scores.shape
    best = np.empty((steps, states))
    for s in range(states):
        best[0, s] = scores[0, s]
    for t in range(1, steps):
        for s in range(states):
            top = -np.inf
            for p in range(states):
                value = best[t - 1, p] + moves[p, s]
                if value > top:
                    top = value
            best[t, s] = scores[t, s] + top
    last = best[steps - 1, 0]
    for s in range(1, states):
        last = max(last, best[steps - 1, s])
    return last * last


@program(SCORES, SCORES[0])
@program(SCORES[:1], SCORES[0])
@program(np.asfortranarray(SCORES), SCORES[1])
@program(np.hstack([SCORES, SCORES * 1.1]), np.hstack([SCORES[0], SCORES[1]]))
def softmax_of_columns(scores, weights):
    n, m = scores.shape
    total = 0.0
    for j in range(m):
        top = scores[0, j]
        for i in range(1, n):
            if scores[i, j] > top:
                top = scores[i, j]
        s = 0.0
        for i in range(n):
            s += np.exp(scores[i, j] - top)
        total += weights[j] * (1.5 * top + np.log(s))
    return total

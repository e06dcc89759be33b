"""Lists to which each iteration appends one item, and lists that grow otherwise."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(73)
X, Y, A = RANDOM.uniform(0.3, 1.2, 3), RANDOM.uniform(0.3, 1.2, 4), RANDOM.uniform(-0.6, 0.6, (3, 3))
F, H = np.array([[1.0, 0.1], [0.0, 0.9]]), np.array([[1.0, 0.3]])


@program(0.4, 0.7, Y, F, H, wrt=(0, 1, 2))
@program(0.4, 0.7, Y[:1], F, H, wrt=(0, 1, 2))
@program(0.4, 0.7, Y[:3], F, F, wrt=(0, 1))
@failing(0.4, 0.7, Y[:0], F, H, error=IndexError)
def smoothed(q, r, observed, transition, h):
    """A smoother: means and covariances in lists, which a second loop goes back through; `h` has one row, or two."""
    mean, covariance = np.zeros(2), np.eye(2)
    means, covariances, predicted = [], [], []
    for y in observed:
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + q * np.eye(2)
        predicted.append(covariance)
        gain = covariance @ h.T @ np.linalg.inv(h @ covariance @ h.T + r * np.eye(h.shape[0]))
        mean = mean + gain @ (y - h @ mean)
        covariance = covariance - gain @ h @ covariance
        means.append(mean)
        covariances.append(covariance)
    smooth = means[-1]
    total = np.sum(smooth**2)
    for t in range(len(observed) - 2, -1, -1):
        gain = covariances[t] @ transition.T @ np.linalg.inv(predicted[t + 1])
        smooth = means[t] + gain @ (smooth - transition @ means[t])
        total += np.sum(smooth**2)
    return total


@program(X, A, 4)
@program(X, A, 1)
@program(X, A, 0)
@program(X[::-1], A.T, 2)
@program(X.astype(np.float32), A.astype(np.float32), 2)
def with_the_first_state(x, a, n):
    """The items are as long as the one that the list has before the loop."""
    states, sizes = [x], [np.sum(x)]
    for _ in range(n):
        states.append(np.tanh(a @ states[-1]) + 0.1)
        sizes.append(sizes[-1] * np.sum(states[-1]))
    return np.sum(np.array(states) ** 2) * sizes[-1]


@program(X, A, 3)
@program(X, A, 1)
def two_before(x, a, n):
    states = [x, a @ x]
    for t in range(1, n):
        states.append(a @ states[t] + states[t - 1] * 0.5)
    return np.sum(states[-1] * states[0])


@program(Y)
@program(Y[:1])
@program(Y[:0])
def of_numbers(y):
    squares = []
    for v in y:
        squares.append(np.sin(v) * v)
    halves = [0.5 * s for s in squares]
    total = np.sum(np.array(squares))
    for i in range(len(halves)):
        total += halves[i] * squares[-1 - i]
    return total


@program(X, 3)
@program(X, 0)
def changed_after_it_was_appended(x, n):
    rows = []
    for k in range(n):
        row = x * (k + 1)
        rows.append(row.copy())
        row[0] = 7.0
        x = np.sin(row)
    total = np.sum(x)
    for row in rows:
        total += np.sum(row**2)
    return total


@program(X, 3)
@program(X, 0)
def appended_to_again(x, n):
    """After the loop, in another one, and more than once in an iteration."""
    rows, twice = [], []
    for k in range(n):
        rows.append(x * (k + 1))
        twice.append(x[0] * k)
        twice.append(x[1])
    rows.append(np.sin(x))
    for k in range(2):
        rows.append(rows[-1] * x)
    return np.sum(rows[0]) + np.sum(rows[-1]) + np.sum(np.array(twice))


@program(X, 2)
@program(X, 1)
def in_each_iteration_of_another_loop(x, n):
    total = 0.0
    for i in range(n):
        rows = [x * (i + 1)]
        for j in range(i + 1):
            rows.append(rows[j] * np.cos(x) + j)
        total += np.sum(rows[-1] * rows[i])
    return total


@program(Y, 0.6)
@program(Y, 9.0)
def in_some_iterations(y, least):
    found = []
    for v in y:
        if v > least:
            found.append(v**2)
    total = 1.0
    for v in found:
        total = np.sin(total * v)
    return total + np.sum(y)


@program(X, 4)
@program(X, 9)
def until_it_is_left(x, n):
    rows = []
    for k in range(n):
        rows.append(np.sin(x * (k + 1)))
        if k > 2:
            break
    return np.sum(rows[-1] * rows[0])


@program(Y)
def items_of_other_sizes(y):
    """Items that become shorter do not fit into one array, unless there is one."""
    rows = []
    for k in range(0, y.shape[0] - 3):
        y = y[1:] * (k + 1)
        rows.append(y)
    return np.sum(rows[-1] ** 2)

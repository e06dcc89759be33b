"""Arguments that are cut into parts at constant places, as a vector of parameters is."""

import numpy as np

from collect import failing, program

THETA = np.array([0.3, 1.1, -0.4, 0.9, 0.2, 0.7, -0.5, 0.6, 1.3, 1.2, -0.8, 0.1])


@program(THETA, np.array([0.7, -0.2, 1.4]))
@program(THETA.astype(np.float32), np.array([0.7, -0.2, 1.4], dtype=np.float32))
@program(np.repeat(THETA, 2)[::2], np.array([0.7, -0.2, 1.4]))
def layers(theta, x):
    w, b = theta[:6].reshape(2, 3), theta[6:8]
    v, c = theta[8:10], theta[10]
    h = np.tanh(w @ x + b)
    return np.sum(v * h) * c + theta[-1] * np.sum(theta[-3:-1] * b)


@program(THETA, 0.1)
def positions_and_momenta(state, dt):
    q, p = state[:5].copy(), state[5:10].copy()
    for _ in range(4):
        p = p - 0.5 * dt * np.sin(q)
        q = q + dt * p
        p = p - 0.5 * dt * np.sin(q)
    return np.sum(p * p - np.cos(q)) * state[11]


@program(THETA)
@program(THETA[:9])
@program(THETA[:2])
def parts_that_may_be_shorter(x):
    return np.sum(x[:7] ** 3) + np.sum(np.sin(x[2:10])) + np.sum(x[-8:] * x[-8:]) + np.sum(x[-3:-1])


@program(THETA[:3], THETA)
def a_head_of_one_element_is_repeated(x, y):
    return np.sum(x[2:9] * y[:7])


@program(THETA)
def rows_of_a_matrix(x):
    m = x.reshape(6, 2)
    return np.sum(np.exp(m[:2]) * m[4:6]) + np.sum(m[1:3, 0] - m[-3:-1, 1] ** 2)


@program(THETA)
def parts_that_overlap(x):
    x = x.copy()
    x[1:6] = x[0:5] * x[2:7]
    x[3:5] += x[8:10]
    return np.sum(x[2:8] * x[6:12])


@failing(THETA[:9], error=ValueError)
def parts_of_other_lengths(x):
    return np.sum(x[:5] * x[5:10])


@failing(THETA[:5], error=IndexError)
def a_number_behind_the_end(x):
    return np.sum(x[:5]) * x[10]

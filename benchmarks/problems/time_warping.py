"""Dynamic programming: soft dynamic time warping of two series (Cuturi and Blondel 2017)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import exp, log
from harness.peers import jax_gradient

WRT = (0, 1)
FAR = 1e10


def make(scale=1.0):
    random = np.random.default_rng(9)
    n, m = max(4, int(200 * scale)), max(5, int(220 * scale))
    return np.cumsum(random.standard_normal(n)) * 0.3, np.cumsum(random.standard_normal(m)) * 0.3, 0.5


def primal(x, y, gamma):
    n = x.shape[0]
    m = y.shape[0]
    r = np.full((n + 1, m + 1), FAR)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            a = r[i, j]
            b = r[i, j + 1]
            c = r[i + 1, j]
            low = min(a, b, c)
            s = np.exp((low - a) / gamma) + np.exp((low - b) / gamma) + np.exp((low - c) / gamma)
            r[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * np.log(s)
    return r[n, m]


@adjoint
def hand(x, y, gamma):
    """Along antidiagonals k = i + j, whose elements do not depend on each other.

    Views of what an antidiagonal holds count from 0: for other ranges Numba tests each index for being negative.
    """
    n, m = x.shape[0], y.shape[0]
    backwards = y[::-1].copy()  # y[k - i] is read forwards
    r = np.full((n + m + 1, n + 1), FAR)
    r[0, 0] = 0.0
    # The shares of two of the three predecessors of (i + 1, j + 1), in the row of k = i + j.
    share_a, share_b = np.empty((n + m, n)), np.empty((n + m, n))
    inverse_sums = np.empty(n)
    for k in range(n + m - 1):
        start, stop = max(0, k - m + 1), min(n, k + 1)
        a, b, now = r[k, start:stop], r[k + 1, start : stop + 1], r[k + 2, start + 1 : stop + 1]
        soft_minimum(a, b, gamma, share_a[k, start:stop], share_b[k, start:stop], inverse_sums)
        along_x, along_y = x[start:stop], backwards[m - 1 - k + start :]
        for i in range(stop - start):
            d = along_x[i] - along_y[i]
            now[i] = d * d + min(min(a[i], b[i]), b[i + 1]) + gamma * log(inverse_sums[i])
    return r[n + m, n], *warping_backward(x, backwards, share_a, share_b)


@inlined
def soft_minimum(a, b, gamma, share_a, share_b, inverse_sums):
    """Shares of a[i] and b[i] in the soft minimum of a[i], b[i], b[i + 1], and what scales them.

    LLVM tests at most eight pairs of arrays for overlap before it gives up vectorising, hence three loops.
    """
    inverse = 1 / gamma
    for i in range(a.shape[0]):
        low = min(min(a[i], b[i]), b[i + 1])
        share_a[i] = exp((low - a[i]) * inverse)
        share_b[i] = exp((low - b[i]) * inverse)
    for i in range(a.shape[0]):
        low = min(min(a[i], b[i]), b[i + 1])
        inverse_sums[i] = 1 / (share_a[i] + share_b[i] + exp((low - b[i + 1]) * inverse))
    for i in range(a.shape[0]):
        share_a[i] *= inverse_sums[i]
        share_b[i] *= inverse_sums[i]


@adjoint
def warping_backward(x, backwards, share_a, share_b):
    """A cell passes its cotangent to its three predecessors in proportion to their shares."""
    n, m = x.shape[0], backwards.shape[0]
    x_bar, y_bar = np.zeros(n), np.zeros(m)
    bars = np.zeros((3, n + 2))  # of three antidiagonals in turn, by i + 1
    bars[(n + m) % 3, n] = 1.0
    for k in range(n + m - 2, -1, -1):
        start, stop = max(0, k - m + 1), min(n, k + 1)
        bar, a_bar, b_bar = bars[(k + 2) % 3, start + 1 : stop + 1], bars[k % 3, start:stop], bars[(k + 1) % 3, start:]
        of_a, of_b = share_a[k, start:stop], share_b[k, start:stop]
        first = m - 1 - k + start
        along_x, along_y, along_x_bar, along_y_bar = x[start:], backwards[first:], x_bar[start:], y_bar[first:]
        for i in range(stop - start):
            d_bar = 2 * (along_x[i] - along_y[i]) * bar[i]
            along_x_bar[i] += d_bar
            along_y_bar[i] -= d_bar
        for i in range(stop - start):
            a_bar[i] = of_a[i] * bar[i]
        for i in range(stop - start):
            b_bar[i] += of_b[i] * bar[i]
        for i in range(stop - start):
            b_bar[i + 1] += (1 - of_a[i] - of_b[i]) * bar[i]
        bars[(k + 2) % 3] = 0.0
    return x_bar, y_bar[::-1].copy()


@adjoint
def in_order(x, y, gamma):
    """The program's own order: row by row, and back."""
    n, m = x.shape[0], y.shape[0]
    inverse = 1 / gamma
    r = np.full((n + 1, m + 1), FAR)
    r[0, 0] = 0.0
    share_a, share_b = np.empty((n, m)), np.empty((n, m))
    for i in range(n):
        for j in range(m):
            a, b, c = r[i, j], r[i, j + 1], r[i + 1, j]
            low = min(min(a, b), c)
            share_a[i, j], share_b[i, j] = exp((low - a) * inverse), exp((low - b) * inverse)
            total = share_a[i, j] + share_b[i, j] + exp((low - c) * inverse)
            share_a[i, j] /= total
            share_b[i, j] /= total
            d = x[i] - y[j]
            r[i + 1, j + 1] = d * d + low - gamma * log(total)
    x_bar, y_bar = np.zeros(n), np.zeros(m)
    bar = np.zeros((n + 1, m + 1))
    bar[n, m] = 1.0
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            now = bar[i + 1, j + 1]
            d_bar = 2 * (x[i] - y[j]) * now
            x_bar[i] += d_bar
            y_bar[j] -= d_bar
            bar[i, j] += share_a[i, j] * now
            bar[i, j + 1] += share_b[i, j] * now
            bar[i + 1, j] += (1 - share_a[i, j] - share_b[i, j]) * now
    return r[n, m], x_bar, y_bar


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    x, y, gamma = arguments
    n, m = len(x), len(y)
    k = np.arange(n + m - 1)
    j = k[:, None] - np.arange(n)
    inside = (j >= 0) & (j < m)
    j = np.clip(j, 0, m - 1)

    def loss(x, y):
        def step(state, row):
            two_before, one_before = state
            cost, inside = row
            around = jnp.stack([two_before[:-1], one_before[:-1], one_before[1:]])
            low = jnp.min(around, axis=0)
            soft = low - gamma * jnp.log(jnp.sum(jnp.exp((low - around) / gamma), axis=0))
            now = jnp.concatenate([jnp.full(1, FAR), jnp.where(inside, cost + soft, FAR)])
            return (one_before, now), None

        start = jnp.full(n + 1, FAR).at[0].set(0.0)
        (_, last), _ = lax.scan(step, (start, jnp.full(n + 1, FAR)), ((x - y[j]) ** 2, inside))
        return last[n]

    return jax_gradient(loss, (x, y))


PEERS = {"jax": jax}

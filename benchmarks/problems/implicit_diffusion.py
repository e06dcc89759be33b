"""Recurrences inside a time loop, up and down: implicit steps of the heat equation by Thomas's algorithm (1949)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import jax_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(13)
    n, steps = max(6, int(600 * scale)), max(3, int(600 * scale))
    x = np.linspace(0.0, 1.0, n)
    return random.uniform(0.0, 1.0, n), random.uniform(0.2, 2.0, n + 1), 1.5, np.sin(np.pi * x), steps


def primal(u, conductivity, ratio, observed, steps):
    """conductivity: at the n + 1 faces of the cells; beyond the first and the last it is 0 degrees.

    ratio: time step / square of the width of a cell.
    """
    n = u.shape[0]
    now = u.copy()
    upper = np.empty(n)
    reduced = np.empty(n)
    for _ in range(steps):
        pivot = 1 + ratio * (conductivity[0] + conductivity[1])
        upper[0] = -ratio * conductivity[1] / pivot
        reduced[0] = now[0] / pivot
        for i in range(1, n):
            lower = -ratio * conductivity[i]
            pivot = 1 + ratio * (conductivity[i] + conductivity[i + 1]) - lower * upper[i - 1]
            upper[i] = -ratio * conductivity[i + 1] / pivot
            reduced[i] = (now[i] - lower * reduced[i - 1]) / pivot
        now[n - 1] = reduced[n - 1]
        for i in range(n - 2, -1, -1):
            now[i] = reduced[i] - upper[i] * now[i + 1]
    return np.sum((now - observed) ** 2)


@adjoint
def hand(u, conductivity, ratio, observed, steps):
    """The matrix is factored once, and as it is symmetric the way back solves with the same factors."""
    n = u.shape[0]
    inward, outward, inverse = factors(conductivity, ratio)
    path = np.empty((steps + 1, n))
    path[0] = u
    for t in range(steps):
        solve(inward, outward, inverse, path[t], path[t + 1])
    value, bar = misfit(path[steps], observed)
    conductivity_bar = np.zeros(n + 1)
    for t in range(steps, 0, -1):
        after = path[t]
        solve(inward, outward, inverse, bar, bar)
        conductivity_bar[0] -= bar[0] * after[0]
        for i in range(1, n):
            conductivity_bar[i] -= (bar[i] - bar[i - 1]) * (after[i] - after[i - 1])
        conductivity_bar[n] -= bar[n - 1] * after[n - 1]
    for i in range(n + 1):
        conductivity_bar[i] *= ratio
    return value, bar, conductivity_bar


@inlined
def misfit(last, observed):
    """The sum of squares, and the cotangent of the last state."""
    value = 0.0
    bar = np.empty(last.shape[0])
    for i in range(last.shape[0]):
        difference = last[i] - observed[i]
        value += difference * difference
        bar[i] = 2 * difference
    return value, bar


@adjoint
def factors(conductivity, ratio):
    """Elimination from both ends to the middle: what a row takes of its neighbours, and the inverse pivots.

    `inward` is for the elimination and `outward` for the substitution; the middle row uses both at once.
    """
    n = conductivity.shape[0] - 1
    middle = n // 2
    inward, outward, inverse = np.empty(n), np.empty(n), np.empty(n)
    from_left = from_right = 0.0
    for i in range(middle):
        left, right = ratio * conductivity[i], ratio * conductivity[i + 1]
        inverse[i] = 1 / (1 + left + right - left * from_left)
        inward[i] = left * inverse[i]
        outward[i] = from_left = right * inverse[i]
    for i in range(n - 1, middle, -1):
        left, right = ratio * conductivity[i], ratio * conductivity[i + 1]
        inverse[i] = 1 / (1 + left + right - right * from_right)
        inward[i] = right * inverse[i]
        outward[i] = from_right = left * inverse[i]
    left, right = ratio * conductivity[middle], ratio * conductivity[middle + 1]
    inverse[middle] = 1 / (1 + left + right - left * from_left - right * from_right)
    inward[middle] = left * inverse[middle]
    outward[middle] = right * inverse[middle]
    return inward, outward, inverse


@inlined
def solve(inward, outward, inverse, b, x):
    """The recurrences of the two halves do not wait for each other. b and x may be one array."""
    n = b.shape[0]
    middle = n // 2
    pairs = n - 1 - middle
    left = right = 0.0
    for i in range(pairs):
        j = n - 1 - i
        x[i] = left = b[i] * inverse[i] + inward[i] * left
        x[j] = right = b[j] * inverse[j] + inward[j] * right
    for i in range(pairs, middle):  # once, where n is even
        x[i] = left = b[i] * inverse[i] + inward[i] * left
    x[middle] = b[middle] * inverse[middle] + inward[middle] * left + outward[middle] * right
    left = right = x[middle]
    for k in range(1, pairs + 1):
        i, j = middle - k, middle + k
        x[i] = left = x[i] + outward[i] * left
        x[j] = right = x[j] + outward[j] * right
    if pairs < middle:
        x[0] += outward[0] * left


@adjoint
def in_order(u, conductivity, ratio, observed, steps):
    """The program's own order: it eliminates again in each step, and the way back goes through all of it."""
    n = u.shape[0]
    path, reduced = np.empty((steps + 1, n)), np.empty((steps, n))
    upper, inverse = np.empty((steps, n)), np.empty((steps, n))
    path[0] = u
    for t in range(steps):
        share = above = 0.0
        for i in range(n):
            left, right = ratio * conductivity[i], ratio * conductivity[i + 1]
            inverse[t, i] = 1 / (1 + left + right - left * share)
            upper[t, i] = share = right * inverse[t, i]
            reduced[t, i] = above = (path[t, i] + left * above) * inverse[t, i]
        path[t + 1, n - 1] = below = above
        for i in range(n - 2, -1, -1):
            path[t + 1, i] = below = reduced[t, i] + upper[t, i] * below
    value, bar = misfit(path[steps], observed)
    conductivity_bar = np.zeros(n + 1)
    for t in range(steps - 1, -1, -1):
        step_backward(conductivity, ratio, path[t + 1], reduced[t], upper[t], inverse[t], bar, conductivity_bar)
    return value, bar, conductivity_bar


@inlined
def step_backward(conductivity, ratio, after, reduced, upper, inverse, bar, conductivity_bar):
    """bar: the cotangent of the state behind the step, which becomes the one before it."""
    n = bar.shape[0]
    for i in range(n - 1):
        bar[i + 1] += upper[i] * bar[i]
    reduced_bar = share_bar = 0.0  # what row i + 1 passes to row i
    for i in range(n - 1, -1, -1):
        left = ratio * conductivity[i]
        now_bar = (bar[i] + reduced_bar) * inverse[i]
        upper_bar = share_bar + (bar[i] * after[i + 1] if i < n - 1 else 0.0)
        pivot_bar = -now_bar * reduced[i] - upper_bar * upper[i] * inverse[i]
        conductivity_bar[i + 1] += ratio * (upper_bar * inverse[i] + pivot_bar)
        conductivity_bar[i] += ratio * pivot_bar
        if i > 0:
            conductivity_bar[i] += ratio * (now_bar * reduced[i - 1] - pivot_bar * upper[i - 1])
        reduced_bar = now_bar * left
        share_bar = -pivot_bar * left
        bar[i] = now_bar


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    u, conductivity, ratio, observed, steps = arguments

    def loss(u, conductivity):
        coupling = ratio * conductivity
        diagonal = 1 + coupling[:-1] + coupling[1:]
        lower, upper = -coupling[:-1].at[0].set(0.0), -coupling[1:].at[-1].set(0.0)

        def step(now, _):
            return lax.linalg.tridiagonal_solve(lower, diagonal, upper, now[:, None])[:, 0], None

        now, _ = lax.scan(step, u, None, length=steps)
        return jnp.sum((now - observed) ** 2)

    return jax_gradient(loss, (u, conductivity))


PEERS = {"jax": jax}

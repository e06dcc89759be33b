"""Ragged rows of a CSR matrix: conjugate gradients (Hestenes and Stiefel 1952) for a network of conductors."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import jax_gradient

WRT = (0, 1)
GROUND = 0.02  # conductance from each node to the ground, which makes the Laplacian definite


def make(scale=1.0):
    """A triangulated grid: up to six neighbours for a node. `edges` holds the edge that an entry belongs to."""
    random = np.random.default_rng(21)
    side, iterations = max(4, int(45 * scale**0.5)), max(3, int(40 * scale))
    n = side * side
    number = np.arange(n).reshape(side, side)
    pairs = ((number[:, :-1], number[:, 1:]), (number[:-1], number[1:]), (number[:-1, :-1], number[1:, 1:]))
    first, second = (np.concatenate([pair[k].ravel() for pair in pairs]) for k in (0, 1))
    rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.lexsort((columns, rows))
    starts = np.searchsorted(rows[order], np.arange(n + 1))
    weights, b = random.uniform(0.5, 2.0, first.size), random.standard_normal(n)
    return weights, b, starts, columns[order], order % first.size, random.standard_normal(n), iterations


def primal(weights, b, starts, columns, edges, observed, iterations):
    n = b.shape[0]
    data = np.empty(columns.shape[0])
    diagonal = np.empty(n)
    for i in range(n):
        diagonal[i] = GROUND
        for k in range(starts[i], starts[i + 1]):
            data[k] = -weights[edges[k]]
            diagonal[i] += weights[edges[k]]
    x = np.zeros(n)
    r = b.copy()
    p = r.copy()
    q = np.empty(n)
    rr = np.dot(r, r)
    for _ in range(iterations):
        for i in range(n):
            s = diagonal[i] * p[i]
            for k in range(starts[i], starts[i + 1]):
                s += data[k] * p[columns[k]]
            q[i] = s
        alpha = rr / np.dot(p, q)
        x = x + alpha * p
        r = r - alpha * q
        rr_next = np.dot(r, r)
        p = r + rr_next / rr * p
        rr = rr_next
    return np.sum((x - observed) ** 2)


@adjoint
def hand(weights, b, starts, columns, edges, observed, iterations):
    """Each iteration keeps p and q = A p; r = p_after - β p is computed again."""
    n = b.shape[0]
    # No index of CSR is negative. Numba tests signed ones for it, which takes as long as the product itself.
    starts, columns = starts.astype(np.uint64), columns.astype(np.uint64)
    data, diagonal = assemble(weights, starts, edges)
    ps, qs = np.empty((iterations + 1, n)), np.empty((iterations, n))
    rrs, pqs = np.zeros(iterations + 1), np.empty(iterations)
    x, r = np.zeros(n), b.copy()
    ps[0] = b
    for i in range(n):
        rrs[0] += b[i] * b[i]
    for t in range(iterations):
        p, q, after = ps[t], qs[t], ps[t + 1]
        pqs[t] = multiply(data, diagonal, starts, columns, p, q)
        alpha = rrs[t] / pqs[t]
        rr = 0.0
        for i in range(n):
            x[i] += alpha * p[i]
        for i in range(n):
            r[i] -= alpha * q[i]
            rr += r[i] * r[i]
        rrs[t + 1] = rr
        beta = rr / rrs[t]
        for i in range(n):
            after[i] = r[i] + beta * p[i]
    value = 0.0
    x_bar = np.empty(n)
    for i in range(n):
        x_bar[i] = 2 * (x[i] - observed[i])
        value += (x[i] - observed[i]) ** 2
    b_bar = iterations_backward(b, data, diagonal, starts, columns, ps, qs, rrs, pqs, x_bar)
    return value, weights_backward(weights, starts, columns, edges, ps, qs), b_bar


@inlined
def assemble(weights, starts, edges):
    data, diagonal = np.empty(edges.shape[0]), np.empty(starts.shape[0] - 1)
    for i in range(diagonal.shape[0]):
        s = GROUND
        for k in range(starts[i], starts[i + 1]):
            w = weights[edges[k]]
            data[k] = -w
            s += w
        diagonal[i] = s
    return data, diagonal


@inlined
def multiply(data, diagonal, starts, columns, p, q):
    """q = A p; returns p · q."""
    pq = 0.0
    for i in range(p.shape[0]):
        s = diagonal[i] * p[i]
        for k in range(starts[i], starts[i + 1]):
            s += data[k] * p[columns[k]]
        q[i] = s
        pq += p[i] * s
    return pq


@inlined
def iterations_backward(b, data, diagonal, starts, columns, ps, qs, rrs, pqs, x_bar):
    """The cotangent of b. The cotangents of the products q take the place of the products in `qs`."""
    n = b.shape[0]
    r_bar, p_bar = np.zeros(n), np.zeros(n)
    rr_bar = 0.0
    for t in range(qs.shape[0] - 1, -1, -1):
        p, q, after = ps[t], qs[t], ps[t + 1]
        alpha, beta = rrs[t] / pqs[t], rrs[t + 1] / rrs[t]
        beta_bar = x_along = r_bar_along = r_along = 0.0
        for i in range(n):
            r_bar[i] += p_bar[i]
            beta_bar += p_bar[i] * p[i]
            x_along += x_bar[i] * p[i]
            r_bar_along += r_bar[i] * q[i]
            r_along += (after[i] - beta * p[i]) * q[i]
        after_bar = 2 * (rr_bar + beta_bar / rrs[t])  # r_bar += after_bar r
        alpha_bar = x_along - r_bar_along - after_bar * r_along
        pq_bar = -alpha_bar * alpha / pqs[t]
        rr_bar = alpha_bar / pqs[t] - beta_bar * beta / rrs[t]
        for i in range(n):
            r_bar[i] += after_bar * (after[i] - beta * p[i])
        for i in range(n):
            p_bar[i] = beta * p_bar[i] + alpha * x_bar[i] + pq_bar * q[i]
        for i in range(n):
            q[i] = pq_bar * p[i] - alpha * r_bar[i]
        for i in range(n):
            q_bar = q[i]
            p_bar[i] += diagonal[i] * q_bar
            for k in range(starts[i], starts[i + 1]):
                p_bar[columns[k]] += data[k] * q_bar
    for i in range(n):
        r_bar[i] += p_bar[i] + 2 * rr_bar * b[i]
    return r_bar


@inlined
def weights_backward(weights, starts, columns, edges, ps, q_bars):
    """A weight's cotangent is a sum over the iterations, which stand side by side in transposed copies."""
    weights_bar = np.zeros(weights.shape[0])
    iterations, n = q_bars.shape
    p, q_bar = np.empty((n, iterations)), np.empty((n, iterations))
    for i in range(n):
        for t in range(iterations):
            p[i, t] = ps[t, i]
            q_bar[i, t] = q_bars[t, i]
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            j = columns[k]
            s = 0.0
            for t in range(iterations):
                s += q_bar[i, t] * (p[i, t] - p[j, t])
            weights_bar[edges[k]] += s
    return weights_bar


def jax(arguments):
    import jax
    from jax import lax
    from jax import numpy as jnp

    weights, b, starts, columns, edges, observed, iterations = arguments
    n = len(b)
    rows = np.repeat(np.arange(n), np.diff(starts))

    def sum_rows(entries):
        return jax.ops.segment_sum(entries, rows, num_segments=n, indices_are_sorted=True)

    def loss(weights, b):
        data = -weights[edges]
        diagonal = GROUND - sum_rows(data)

        def step(state, _):
            x, r, p, rr = state
            q = diagonal * p + sum_rows(data * p[columns])
            alpha = rr / jnp.dot(p, q)
            x, r = x + alpha * p, r - alpha * q
            rr_next = jnp.dot(r, r)
            return (x, r, r + rr_next / rr * p, rr_next), None

        (x, *_), _ = lax.scan(step, (jnp.zeros(n), b, b, jnp.dot(b, b)), None, length=iterations)
        return jnp.sum((x - observed) ** 2)

    return jax_gradient(loss, (weights, b))


PEERS = {"jax": jax}

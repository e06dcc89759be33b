"""A recurrence of matrix-vector products in plain loops: the loss of a gated recurrent unit (Cho et al. 2014)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import exp, tanh
from harness.peers import jax_gradient

WRT = tuple(range(9))


def make(scale=1.0):
    random = np.random.default_rng(15)
    steps, hidden, inputs = max(3, int(2000 * scale)), 16, 8
    weights = []
    for _ in range(3):
        weights.append(random.standard_normal((hidden, inputs)) / np.sqrt(inputs))
        weights.append(random.standard_normal((hidden, hidden)) / np.sqrt(hidden))
        weights.append(0.1 * random.standard_normal(hidden))
    return *weights, random.standard_normal((steps, inputs)), random.uniform(-1.0, 1.0, (steps, hidden))


def primal(wz, uz, bz, wr, ur, br, wh, uh, bh, x, target):
    steps, inputs = x.shape
    hidden = bz.shape[0]
    h = np.zeros(hidden)
    loss = 0.0
    for t in range(steps):
        z = np.empty(hidden)
        r = np.empty(hidden)
        for i in range(hidden):
            a = bz[i]
            b = br[i]
            for j in range(inputs):
                a += wz[i, j] * x[t, j]
                b += wr[i, j] * x[t, j]
            for j in range(hidden):
                a += uz[i, j] * h[j]
                b += ur[i, j] * h[j]
            z[i] = 1 / (1 + np.exp(-a))
            r[i] = 1 / (1 + np.exp(-b))
        after = np.empty(hidden)
        for i in range(hidden):
            a = bh[i]
            for j in range(inputs):
                a += wh[i, j] * x[t, j]
            for j in range(hidden):
                a += uh[i, j] * (r[j] * h[j])
            after[i] = (1 - z[i]) * h[i] + z[i] * np.tanh(a)
        h = after
        for i in range(hidden):
            loss += (h[i] - target[t, i]) ** 2
    return loss


@adjoint
def hand(wz, uz, bz, wr, ur, br, wh, uh, bh, x, target):
    """What does not recur, for all steps at once by BLAS; the rest with z, r and the candidate side by side."""
    steps, hidden = target.shape
    u_gates, w = np.empty((hidden, 2 * hidden)), np.empty((x.shape[1], 3 * hidden))
    for i in range(hidden):
        for j in range(x.shape[1]):
            w[j, i], w[j, hidden + i], w[j, 2 * hidden + i] = wz[i, j], wr[i, j], wh[i, j]
        for j in range(hidden):
            u_gates[j, i], u_gates[j, hidden + i] = uz[i, j], ur[i, j]
    u_candidate, b_gates = uh.T.copy(), np.concatenate((bz, br))
    units = np.dot(x, w)
    hs, resets = np.zeros((steps + 1, hidden)), np.empty((steps, hidden))
    loss = 0.0
    for t in range(steps):
        unit, h, after, reset, wanted = units[t], hs[t], hs[t + 1], resets[t], target[t]
        gates, candidate = unit[: 2 * hidden], unit[2 * hidden :]
        z, r = unit[:hidden], unit[hidden : 2 * hidden]
        add_product(h, u_gates, gates)
        for i in range(gates.shape[0]):
            gates[i] = 1 / (1 + exp(-b_gates[i] - gates[i]))
        for i in range(hidden):
            reset[i] = r[i] * h[i]
        add_product(reset, u_candidate, candidate)
        for i in range(hidden):
            candidate[i] = tanh(candidate[i] + bh[i])
        for i in range(hidden):
            after[i] = h[i] + z[i] * (candidate[i] - h[i])
        for i in range(hidden):
            loss += (after[i] - wanted[i]) ** 2
    gates_bar, candidates_bar = gru_backward(uz, ur, uh, units, hs, target)
    w_gates_bar, u_gates_bar, b_gates_bar = sums(gates_bar.T, x, hs[:steps])
    wh_bar, uh_bar, bh_bar = sums(candidates_bar.T, x, resets)
    return (
        loss,
        w_gates_bar[:hidden], u_gates_bar[:hidden], b_gates_bar[:hidden],
        w_gates_bar[hidden:], u_gates_bar[hidden:], b_gates_bar[hidden:],
        wh_bar, uh_bar, bh_bar,
    )  # fmt: skip


@inlined
def add_product(x, a, out):
    """out += xᵀ a, by four rows of a at a time, for fewer loads and stores of `out`."""
    rows = x.shape[0]
    whole = rows - rows % 4
    for j in range(0, whole, 4):
        first, second, third, fourth = a[j], a[j + 1], a[j + 2], a[j + 3]
        for i in range(out.shape[0]):
            out[i] += x[j] * first[i] + x[j + 1] * second[i] + x[j + 2] * third[i] + x[j + 3] * fourth[i]
    for j in range(whole, rows):
        for i in range(out.shape[0]):
            out[i] += x[j] * a[j, i]


@adjoint
def gru_backward(uz, ur, uh, units, hs, target):
    """The cotangents of the arguments of both logistic functions and of tanh, for all steps."""
    steps, hidden = target.shape
    gates_bar, candidates_bar = np.empty((steps, 2 * hidden)), np.empty((steps, hidden))
    h_bar, reset_bar = np.zeros(hidden), np.empty(hidden)
    for t in range(steps - 1, -1, -1):
        h, after, wanted = hs[t], hs[t + 1], target[t]
        z, r, c = units[t, :hidden], units[t, hidden : 2 * hidden], units[t, 2 * hidden :]
        z_bar, r_bar, c_bar = gates_bar[t, :hidden], gates_bar[t, hidden:], candidates_bar[t]
        for i in range(hidden):
            h_bar[i] += 2 * (after[i] - wanted[i])
        for i in range(hidden):
            c_bar[i] = h_bar[i] * z[i] * (1 - c[i] * c[i])
        for i in range(hidden):
            z_bar[i] = h_bar[i] * (c[i] - h[i]) * z[i] * (1 - z[i])
        reset_bar[:] = 0.0
        add_product(c_bar, uh, reset_bar)
        for i in range(hidden):
            r_bar[i] = reset_bar[i] * h[i] * r[i] * (1 - r[i])
        for i in range(hidden):
            h_bar[i] = h_bar[i] * (1 - z[i]) + reset_bar[i] * r[i]
        add_product(z_bar, uz, h_bar)
        add_product(r_bar, ur, h_bar)
    return gates_bar, candidates_bar


@adjoint
def sums(a_bar, x, h):
    """Cotangents of w, u and b where a = w x + u h + b in every step."""
    b_bar = np.zeros(a_bar.shape[0])
    for t in range(a_bar.shape[1]):
        for i in range(a_bar.shape[0]):
            b_bar[i] += a_bar[i, t]
    return np.dot(a_bar, x), np.dot(a_bar, h), b_bar


def jax(arguments):
    import jax
    from jax import lax
    from jax import numpy as jnp

    x, target = arguments[9:]

    def loss(wz, uz, bz, wr, ur, br, wh, uh, bh):
        def step(h, row):
            x, target = row
            z = jax.nn.sigmoid(wz @ x + uz @ h + bz)
            r = jax.nn.sigmoid(wr @ x + ur @ h + br)
            h = (1 - z) * h + z * jnp.tanh(wh @ x + uh @ (r * h) + bh)
            return h, jnp.sum((h - target) ** 2)

        return jnp.sum(lax.scan(step, jnp.zeros(len(bz)), (x, target))[1])

    return jax_gradient(loss, arguments[:9])


PEERS = {"jax": jax}

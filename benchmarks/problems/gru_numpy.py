"""Matrix-vector products in a recurrence: a gated recurrent unit (Cho et al. 2014) that predicts a series."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import exp
from harness.peers import jax_gradient

WRT = tuple(range(1, 11))
LANES = 16  # of a block of the hidden state, which is padded to a multiple of it: LLVM vectorises loops of this length


def make(scale=1.0):
    random = np.random.default_rng(22)
    steps, inputs, hidden = max(4, int(2500 * scale)), 8, 16

    def weights(rows, columns):
        return random.standard_normal((rows, columns)) / np.sqrt(columns)

    x = np.sin(np.arange(steps)[:, None] * random.uniform(0.05, 0.5, inputs)) + random.normal(0.0, 0.1, (steps, inputs))
    gates = [
        part
        for _ in range(3)
        for part in (weights(hidden, inputs), weights(hidden, hidden), random.normal(0.0, 0.1, hidden))
    ]
    return x, *gates, weights(inputs, hidden)


def primal(x, Wz, Uz, bz, Wr, Ur, br, Wh, Uh, bh, V):
    h = np.zeros(Uz.shape[0])
    loss = 0.0
    for t in range(x.shape[0] - 1):
        z = 1 / (1 + np.exp(-(Wz @ x[t] + Uz @ h + bz)))
        r = 1 / (1 + np.exp(-(Wr @ x[t] + Ur @ h + br)))
        candidate = np.tanh(Wh @ x[t] + Uh @ (r * h) + bh)
        h = z * h + (1 - z) * candidate
        error = V @ h - x[t + 1]
        loss += np.sum(error**2)
    return loss


@adjoint
def hand(x, Wz, Uz, bz, Wr, Ur, br, Wh, Uh, bh, V):
    """Only what recurs is computed step by step, with tiles of 16×16 of its matrices; BLAS does the rest at once."""
    steps, hidden = x.shape[0] - 1, Uz.shape[0]
    blocks = (hidden + LANES - 1) // LANES
    n = blocks * LANES
    inputs, wanted = x[:-1], x[1:]
    gates = np.dot(inputs, side_by_side(Wr.T, Wz.T, n))
    candidates = np.dot(inputs, padded(Wh.T, n))
    add_to_rows(gates, br, 0)
    add_to_rows(gates, bz, n)
    add_to_rows(candidates, bh, 0)
    hs, resets = np.zeros((steps + 1, n)), np.empty((steps, n))
    tiles = np.zeros((6, blocks, blocks, LANES, LANES))
    for k, U in enumerate((Ur, Uz, Uh)):
        fill(U.T, tiles[k])
        fill(U, tiles[3 + k])
    gru_forward(tiles[0], tiles[1], tiles[2], gates, candidates, hs, resets)
    readout = padded(V, n)
    error = np.dot(hs[1:], readout.T)
    loss = 0.0
    for t in range(steps):
        for i in range(error.shape[1]):
            miss = error[t, i] - wanted[t, i]
            loss += miss * miss
            error[t, i] = 2 * miss
    from_error, gate_bars, candidate_bars = np.dot(error, readout), np.empty((steps, 2 * n)), np.empty((steps, n))
    gru_backward(tiles[3], tiles[4], tiles[5], gates, candidates, hs, from_error, gate_bars, candidate_bars)
    W_bar, U_bar, b_bar = np.dot(gate_bars.T, inputs), np.dot(gate_bars.T, hs[:-1]), sum_rows(gate_bars)
    r, z = slice(0, hidden), slice(n, n + hidden)
    return (
        loss,
        W_bar[z], U_bar[z, r], b_bar[z],
        W_bar[r], U_bar[r, r], b_bar[r],
        np.dot(candidate_bars.T, inputs)[r], np.dot(candidate_bars.T, resets)[r, r], sum_rows(candidate_bars)[r],
        np.dot(error.T, hs[1:])[:, r],
    )  # fmt: skip


@adjoint
def padded(a, n):
    """Further columns of zeros."""
    out = np.zeros((a.shape[0], n))
    out[:, : a.shape[1]] = a
    return out


@adjoint
def side_by_side(a, b, n):
    out = np.zeros((a.shape[0], 2 * n))
    out[:, : a.shape[1]] = a
    out[:, n : n + b.shape[1]] = b
    return out


@adjoint
def add_to_rows(a, b, first):
    for t in range(a.shape[0]):
        row = a[t, first:]
        for i in range(b.shape[0]):
            row[i] += b[i]


@adjoint
def fill(a, tiles):
    """Tile [i, j] gets the rows of block j and the columns of block i of a square matrix."""
    for row in range(a.shape[0]):
        for column in range(a.shape[1]):
            tiles[column // LANES, row // LANES, row % LANES, column % LANES] = a[row, column]


@inlined
def add_product(x, a, out):
    """out += xᵀ a, all in blocks."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for l in range(LANES):
                s = out[i, l]
                for k in range(LANES):
                    s += x[j, k] * a[i, j, k, l]
                out[i, l] = s


@inlined
def in_blocks(a):
    return a.reshape(a.shape[0], a.shape[1] // LANES, LANES)


@inlined
def gru_forward(Ur, Uz, Uh, gates, candidates, hs, resets):
    """`gates` and `candidates` hold the parts of the inputs, and then r beside z, and the candidates."""
    n, blocks = hs.shape[1], Ur.shape[0]
    h_blocks, gate_blocks = in_blocks(hs), in_blocks(gates)
    reset_blocks, candidate_blocks = in_blocks(resets), in_blocks(candidates)
    for t in range(gates.shape[0]):
        h, after, reset, gate, candidate = hs[t], hs[t + 1], resets[t], gates[t], candidates[t]
        r, z = gate[:n], gate[n:]
        add_product(h_blocks[t], Ur, gate_blocks[t, :blocks])
        add_product(h_blocks[t], Uz, gate_blocks[t, blocks:])
        for i in range(gate.shape[0]):
            gate[i] = 1 / (1 + exp(-gate[i]))
        for i in range(n):
            reset[i] = r[i] * h[i]
        add_product(reset_blocks[t], Uh, candidate_blocks[t])
        for i in range(n):
            candidate[i] = 2 / (1 + exp(-2 * candidate[i])) - 1  # tanh, to the accuracy of 1
        for i in range(n):
            after[i] = candidate[i] + z[i] * (h[i] - candidate[i])


@inlined
def gru_backward(Ur, Uz, Uh, gates, candidates, hs, from_error, gate_bars, candidate_bars):
    """The cotangents of the arguments of both logistic functions and of tanh, for all steps."""
    n, blocks = hs.shape[1], Ur.shape[0]
    gate_blocks, candidate_blocks = in_blocks(gate_bars), in_blocks(candidate_bars)
    h_bar, reset_bar = np.zeros(n), np.empty(n)
    h_bar_blocks, reset_bar_blocks = h_bar.reshape(blocks, LANES), reset_bar.reshape(blocks, LANES)
    for t in range(gates.shape[0] - 1, -1, -1):
        h, r, z, c, direct = hs[t], gates[t, :n], gates[t, n:], candidates[t], from_error[t]
        r_bar, z_bar, c_bar = gate_bars[t, :n], gate_bars[t, n:], candidate_bars[t]
        for i in range(n):
            h_bar[i] += direct[i]
        for i in range(n):
            c_bar[i] = h_bar[i] * (1 - z[i]) * (1 - c[i] * c[i])
        for i in range(n):
            z_bar[i] = h_bar[i] * (h[i] - c[i]) * z[i] * (1 - z[i])
        reset_bar[:] = 0.0
        add_product(candidate_blocks[t], Uh, reset_bar_blocks)
        for i in range(n):
            r_bar[i] = reset_bar[i] * h[i] * r[i] * (1 - r[i])
        for i in range(n):
            h_bar[i] = h_bar[i] * z[i] + reset_bar[i] * r[i]
        add_product(gate_blocks[t, blocks:], Uz, h_bar_blocks)
        add_product(gate_blocks[t, :blocks], Ur, h_bar_blocks)


@adjoint
def sum_rows(a):
    sums = np.zeros(a.shape[1])
    for t in range(a.shape[0]):
        for i in range(a.shape[1]):
            sums[i] += a[t, i]
    return sums


def jax(arguments):
    import jax
    from jax import lax
    from jax import numpy as jnp

    x = arguments[0]

    def loss(Wz, Uz, bz, Wr, Ur, br, Wh, Uh, bh, V):
        def step(h, pair):
            now, ahead = pair
            z = jax.nn.sigmoid(Wz @ now + Uz @ h + bz)
            r = jax.nn.sigmoid(Wr @ now + Ur @ h + br)
            h = z * h + (1 - z) * jnp.tanh(Wh @ now + Uh @ (r * h) + bh)
            return h, jnp.sum((V @ h - ahead) ** 2)

        return jnp.sum(lax.scan(step, jnp.zeros(len(bz)), (x[:-1], x[1:]))[1])

    return jax_gradient(loss, arguments[1:])


PEERS = {"jax": jax}

"""A recursion of 3×3 matrices: the likelihood of BEKK(1,1) volatility of three series (Engle and Kroner 1995)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import log
from harness.peers import jax_gradient

WRT = (1, 2, 3)
LANES = 128  # steps of a block
ROW, COLUMN = (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)  # of the elements of an upper triangle


def make(scale=1.0):
    random = np.random.default_rng(24)
    steps = max(6, int(25000 * scale))
    mixing = np.array([[1.0, 0.0, 0.0], [0.4, 0.9, 0.0], [0.2, 0.3, 0.8]])
    e = random.standard_t(6.0, (steps, 3)) @ mixing.T
    C = 0.3 * mixing
    A = 0.25 * np.eye(3) + 0.02 * random.standard_normal((3, 3))
    B = 0.9 * np.eye(3) + 0.02 * random.standard_normal((3, 3))
    return e, C, A, B


def primal(e, C, A, B):
    steps = e.shape[0]
    H = e.T @ e / steps
    loss = 0.0
    for t in range(1, steps):
        H = C @ C.T + A.T @ np.outer(e[t - 1], e[t - 1]) @ A + B.T @ H @ B
        _, log_det = np.linalg.slogdet(H)
        loss += 0.5 * (3 * np.log(2 * np.pi) + log_det + e[t] @ np.linalg.solve(H, e[t]))
    return loss


@adjoint
def hand(e, C, A, B):
    """H stands by its upper triangle h, for which the recursion is h = K h + constants. In blocks of steps.

    Only the recursion goes from step to step; the rest is computed for the steps of a block side by side.
    """
    steps = e.shape[0]
    moments, K, own, h = np.dot(e.T, e), np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    for m in range(6):
        k, l = ROW[m], COLUMN[m]
        for i in range(3):
            own[m] += C[k, i] * C[l, i]
        h[m] = moments[k, l] / steps
        for n in range(6):
            i, j = ROW[n], COLUMN[n]
            K[m, n] = B[i, k] * B[j, l] + (B[j, k] * B[i, l] if i != j else 0.0)
    # A block holds h, with that of the step before in front, the constants and then the cotangents of h, and Aᵀ e, in
    # rows of one array: LLVM sees that they do not overlap.
    space = np.empty(((steps + LANES - 2) // LANES, 15, LANES + 1))
    loss = 0.5 * (steps - 1) * 3 * np.log(2 * np.pi)
    for block in range(space.shape[0]):
        first = 1 + block * LANES
        lanes = min(LANES, steps - first)
        shocks(e[first - 1 :], A, own, space[block], lanes)
        recur(K, h, space[block], lanes)
        loss += density(e[first:], space[block], lanes)
    return loss, *recursion_backward(e, C, A, B, K, space)


@inlined
def shocks(e, A, own, w, lanes):
    for l in range(lanes):
        for k in range(3):
            w[12 + k, l] = A[0, k] * e[l, 0] + A[1, k] * e[l, 1] + A[2, k] * e[l, 2]
    for l in range(lanes):
        a0, a1, a2 = w[12, l], w[13, l], w[14, l]
        w[6, l], w[7, l], w[8, l] = a0 * a0 + own[0], a0 * a1 + own[1], a0 * a2 + own[2]
        w[9, l], w[10, l], w[11, l] = a1 * a1 + own[3], a1 * a2 + own[4], a2 * a2 + own[5]


@inlined
def recur(K, h, w, lanes):
    x = (h[0], h[1], h[2], h[3], h[4], h[5])
    for m in range(6):
        w[m, 0] = x[m]
    for l in range(lanes):
        x = (
            dot(K[0], x) + w[6, l], dot(K[1], x) + w[7, l], dot(K[2], x) + w[8, l],
            dot(K[3], x) + w[9, l], dot(K[4], x) + w[10, l], dot(K[5], x) + w[11, l],
        )  # fmt: skip
        w[0, l + 1], w[1, l + 1], w[2, l + 1] = x[0], x[1], x[2]
        w[3, l + 1], w[4, l + 1], w[5, l + 1] = x[3], x[4], x[5]
    h[0], h[1], h[2], h[3], h[4], h[5] = x


@inlined
def dot(a, b):
    """Of two of 6. The halves do not wait for each other."""
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@inlined
def density(e, w, lanes):
    """What the steps add to the loss, and to the cotangents of their h: (H⁻¹ - u uᵀ) / 2 with u = H⁻¹ e."""
    loss = 0.0
    for l in range(lanes):
        h00, h01, h02, h11, h12, h22 = w[0, l + 1], w[1, l + 1], w[2, l + 1], w[3, l + 1], w[4, l + 1], w[5, l + 1]
        p00, p01, p02 = h11 * h22 - h12 * h12, h02 * h12 - h01 * h22, h01 * h12 - h02 * h11
        p11, p12, p22 = h00 * h22 - h02 * h02, h01 * h02 - h00 * h12, h00 * h11 - h01 * h01
        determinant = h00 * p00 + h01 * p01 + h02 * p02
        inverse = 1 / determinant
        e0, e1, e2 = e[l, 0], e[l, 1], e[l, 2]
        u0 = (p00 * e0 + p01 * e1 + p02 * e2) * inverse
        u1 = (p01 * e0 + p11 * e1 + p12 * e2) * inverse
        u2 = (p02 * e0 + p12 * e1 + p22 * e2) * inverse
        loss += 0.5 * (log(abs(determinant)) + e0 * u0 + e1 * u1 + e2 * u2)
        w[6, l] = 0.5 * (p00 * inverse - u0 * u0)
        w[7, l] = p01 * inverse - u0 * u1
        w[8, l] = p02 * inverse - u0 * u2
        w[9, l] = 0.5 * (p11 * inverse - u1 * u1)
        w[10, l] = p12 * inverse - u1 * u2
        w[11, l] = 0.5 * (p22 * inverse - u2 * u2)
    return loss


@adjoint
def recursion_backward(e, C, A, B, K, space):
    steps = e.shape[0]
    K_transposed, g = K.T.copy(), np.zeros(6)
    own_bar, K_bar, A_bar = np.zeros(6), np.zeros((6, 6)), np.zeros((3, 3))
    for block in range(space.shape[0] - 1, -1, -1):
        first = 1 + block * LANES
        lanes = min(LANES, steps - first)
        w = space[block]
        recur_back(K_transposed, g, w, lanes)
        for m in range(6):
            add_products(w[6 + m], w, own_bar, K_bar, m, lanes)
        shocks_back(e[first - 1 :], A_bar, w, lanes)
    B_bar, C_bar = np.zeros((3, 3)), np.zeros((3, 3))
    for m in range(6):
        k, l = ROW[m], COLUMN[m]
        for i in range(3):
            C_bar[k, i] += own_bar[m] * C[l, i]
            C_bar[l, i] += own_bar[m] * C[k, i]
        for n in range(6):
            i, j = ROW[n], COLUMN[n]
            B_bar[i, k] += K_bar[m, n] * B[j, l]
            B_bar[j, l] += K_bar[m, n] * B[i, k]
            if i != j:
                B_bar[j, k] += K_bar[m, n] * B[i, l]
                B_bar[i, l] += K_bar[m, n] * B[j, k]
    return C_bar, A_bar, B_bar


@inlined
def recur_back(K_transposed, g, w, lanes):
    """The cotangents of h that come from the steps after are added; `g` passes them on from block to block."""
    K = K_transposed
    x = (g[0], g[1], g[2], g[3], g[4], g[5])
    for l in range(lanes - 1, -1, -1):
        x = (x[0] + w[6, l], x[1] + w[7, l], x[2] + w[8, l], x[3] + w[9, l], x[4] + w[10, l], x[5] + w[11, l])
        w[6, l], w[7, l], w[8, l], w[9, l], w[10, l], w[11, l] = x
        x = (dot(K[0], x), dot(K[1], x), dot(K[2], x), dot(K[3], x), dot(K[4], x), dot(K[5], x))
    g[0], g[1], g[2], g[3], g[4], g[5] = x


@inlined
def add_products(g, w, own_bar, K_bar, m, lanes):
    """Row m of the cotangents of C Cᵀ and of K, from those of h."""
    s, s0, s1, s2, s3, s4, s5 = own_bar[m], K_bar[m, 0], K_bar[m, 1], K_bar[m, 2], K_bar[m, 3], K_bar[m, 4], K_bar[m, 5]
    for l in range(lanes):
        s += g[l]
        s0 += g[l] * w[0, l]
        s1 += g[l] * w[1, l]
        s2 += g[l] * w[2, l]
        s3 += g[l] * w[3, l]
        s4 += g[l] * w[4, l]
        s5 += g[l] * w[5, l]
    own_bar[m], K_bar[m, 0], K_bar[m, 1], K_bar[m, 2], K_bar[m, 3], K_bar[m, 4], K_bar[m, 5] = s, s0, s1, s2, s3, s4, s5


@inlined
def shocks_back(e, A_bar, w, lanes):
    for l in range(lanes):
        a0, a1, a2 = w[12, l], w[13, l], w[14, l]
        w[12, l] = 2 * w[6, l] * a0 + w[7, l] * a1 + w[8, l] * a2
        w[13, l] = w[7, l] * a0 + 2 * w[9, l] * a1 + w[10, l] * a2
        w[14, l] = w[8, l] * a0 + w[10, l] * a1 + 2 * w[11, l] * a2
    for k in range(3):
        s0, s1, s2 = A_bar[0, k], A_bar[1, k], A_bar[2, k]
        for l in range(lanes):
            s0 += e[l, 0] * w[12 + k, l]
            s1 += e[l, 1] * w[12 + k, l]
            s2 += e[l, 2] * w[12 + k, l]
        A_bar[0, k], A_bar[1, k], A_bar[2, k] = s0, s1, s2


@adjoint
def in_order(e, C, A, B):
    """The program's own order: one step after the other, and back. H and its cotangent are symmetric."""
    steps = e.shape[0]
    H, inverses, half = np.empty((steps, 3, 3)), np.empty((steps, 3, 3)), np.empty((3, 3))
    a, u, own = np.empty((steps, 3)), np.empty((steps, 3)), np.dot(C, C.T)
    H[0] = np.dot(e.T, e) / steps
    loss = 0.5 * (steps - 1) * 3 * np.log(2 * np.pi)
    for t in range(1, steps):
        for i in range(3):
            a[t, i] = A[0, i] * e[t - 1, 0] + A[1, i] * e[t - 1, 1] + A[2, i] * e[t - 1, 2]
        product(H[t - 1], B, half)
        for i in range(3):
            for j in range(i, 3):
                along = B[0, i] * half[0, j] + B[1, i] * half[1, j] + B[2, i] * half[2, j]
                H[t, i, j] = H[t, j, i] = own[i, j] + a[t, i] * a[t, j] + along
        determinant = invert(H[t], inverses[t])
        loss += 0.5 * log(abs(determinant))
        for i in range(3):
            u[t, i] = inverses[t, i, 0] * e[t, 0] + inverses[t, i, 1] * e[t, 1] + inverses[t, i, 2] * e[t, 2]
            loss += 0.5 * u[t, i] * e[t, i]
    own_bar, A_bar, B_bar, H_bar = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    B_transposed = B.T.copy()
    for t in range(steps - 1, 0, -1):
        for i in range(3):
            for j in range(3):
                H_bar[i, j] += 0.5 * (inverses[t, i, j] - u[t, i] * u[t, j])
                own_bar[i, j] += H_bar[i, j]
        for i in range(3):
            a_bar = 2 * (H_bar[i, 0] * a[t, 0] + H_bar[i, 1] * a[t, 1] + H_bar[i, 2] * a[t, 2])
            for j in range(3):
                A_bar[j, i] += e[t - 1, j] * a_bar
        product(B, H_bar, half)
        for i in range(3):
            for j in range(3):
                for k in range(3):
                    B_bar[i, j] += 2 * H[t - 1, i, k] * half[k, j]
        product(half, B_transposed, H_bar)
    return loss, 2 * np.dot(own_bar, C), A_bar, B_bar


@inlined
def product(a, b, out):
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@inlined
def invert(a, inverse):
    """The inverse of a symmetric matrix by its cofactors; its determinant."""
    p00, p01, p02 = (
        a[1, 1] * a[2, 2] - a[1, 2] * a[1, 2],
        a[0, 2] * a[1, 2] - a[0, 1] * a[2, 2],
        a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1],
    )
    determinant = a[0, 0] * p00 + a[0, 1] * p01 + a[0, 2] * p02
    scale = 1 / determinant
    inverse[0, 0], inverse[1, 1] = p00 * scale, (a[0, 0] * a[2, 2] - a[0, 2] * a[0, 2]) * scale
    inverse[2, 2] = (a[0, 0] * a[1, 1] - a[0, 1] * a[0, 1]) * scale
    inverse[0, 1] = inverse[1, 0] = p01 * scale
    inverse[0, 2] = inverse[2, 0] = p02 * scale
    inverse[1, 2] = inverse[2, 1] = (a[0, 1] * a[0, 2] - a[0, 0] * a[1, 2]) * scale
    return determinant


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    e = arguments[0]

    def loss(C, A, B):
        def step(H, pair):
            before, now = pair
            H = C @ C.T + A.T @ jnp.outer(before, before) @ A + B.T @ H @ B
            return H, 0.5 * (3 * np.log(2 * np.pi) + jnp.linalg.slogdet(H)[1] + now @ jnp.linalg.solve(H, now))

        return jnp.sum(lax.scan(step, e.T @ e / len(e), (e[:-1], e[1:]))[1])

    return jax_gradient(loss, arguments[1:])


PEERS = {"jax": jax}

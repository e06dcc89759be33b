"""Small matrices in a loop: the likelihood of a Kalman filter for a path in the plane (Bar-Shalom et al. 2001)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import log
from harness.peers import jax_gradient

WRT = (0, 1, 2)


def make(scale=1.0):
    random = np.random.default_rng(21)
    steps, dt = max(3, int(8000 * scale)), 0.5
    F = np.array([[1.0, 0.0, dt, 0.0], [0.0, 1.0, 0.0, dt], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    H = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    G = np.array([[dt**2 / 2, 0.0], [0.0, dt**2 / 2], [dt, 0.0], [0.0, dt]])
    velocity = np.cumsum(0.3 * dt * random.standard_normal((steps, 2)), axis=0)
    measured = np.cumsum(dt * velocity, axis=0) + random.standard_normal((steps, 2)) * np.array([0.8, 1.2])
    return measured, 0.1, np.array([0.6, 1.5]), F, H, G


def primal(measured, q, r, F, H, G):
    Q = q * G @ G.T
    R = np.diag(r)
    x = np.zeros(4)
    P = 10.0 * np.eye(4)
    log_likelihood = 0.0
    for t in range(measured.shape[0]):
        x = F @ x
        P = F @ P @ F.T + Q
        y = measured[t] - H @ x
        S = H @ P @ H.T + R
        det = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
        S_inverse = np.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / det
        K = P @ H.T @ S_inverse
        x = x + K @ y
        P = (np.eye(4) - K @ H) @ P
        log_likelihood -= 0.5 * (y @ S_inverse @ y + np.log(det)) + np.log(2 * np.pi)
    return log_likelihood


@inlined
def product(a, b, out, rows):
    """out = a b with b of 4×4. LLVM unrolls all loops whose lengths it knows."""
    for i in range(rows):
        for j in range(4):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j] + a[i, 3] * b[3, j]


@inlined
def symmetric_product(a, b, out):
    """out = a bᵀ of 4×4, which is known to be symmetric."""
    for i in range(4):
        for j in range(i, 4):
            out[i, j] = out[j, i] = dot(a[i], b[j])


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@adjoint
def hand(measured, q, r, F, H, G):
    """The filter with f = H P and its gain transposed; each step keeps what its adjoint reads.

    Covariances stay symmetric, of which half the elements are computed.
    """
    steps = measured.shape[0]
    noise_shape, P = np.empty((4, 4)), np.zeros((4, 4))
    for i in range(4):
        P[i, i] = 10.0
        for j in range(4):
            noise_shape[i, j] = 0.0
            for k in range(G.shape[1]):
                noise_shape[i, j] += G[i, k] * G[j, k]
    gains, inverses, weighted = np.empty((steps, 2, 4)), np.empty((steps, 3)), np.empty((steps, 2))
    determinants = np.empty(steps)
    x, ahead, half, before, f = np.zeros(4), np.empty(4), np.empty((4, 4)), np.empty((4, 4)), np.empty((2, 4))
    log_likelihood = -steps * np.log(2 * np.pi)
    for t in range(steps):
        gain = gains[t]
        product(F, P, half, 4)
        for i in range(4):
            ahead[i] = dot(F[i], x)
            for j in range(i, 4):
                before[i, j] = before[j, i] = dot(half[i], F[j]) + q * noise_shape[i, j]
        product(H, before, f, 2)
        s00, s01, s11 = dot(f[0], H[0]) + r[0], dot(f[0], H[1]), dot(f[1], H[1]) + r[1]
        det = s00 * s11 - s01 * s01
        inverse = 1 / det
        i00, i01, i11 = s11 * inverse, -s01 * inverse, s00 * inverse
        y0, y1 = measured[t, 0] - dot(H[0], ahead), measured[t, 1] - dot(H[1], ahead)
        w0, w1 = i00 * y0 + i01 * y1, i01 * y0 + i11 * y1
        for j in range(4):
            gain[0, j] = i00 * f[0, j] + i01 * f[1, j]
            gain[1, j] = i01 * f[0, j] + i11 * f[1, j]
        for i in range(4):
            x[i] = ahead[i] + w0 * f[0, i] + w1 * f[1, i]
            for j in range(i, 4):
                P[i, j] = P[j, i] = before[i, j] - gain[0, i] * f[0, j] - gain[1, i] * f[1, j]
        inverses[t, 0], inverses[t, 1], inverses[t, 2] = i00, i01, i11
        weighted[t, 0], weighted[t, 1] = w0, w1
        determinants[t] = det
        log_likelihood -= 0.5 * (y0 * w0 + y1 * w1)
    for t in range(steps):
        log_likelihood -= 0.5 * log(determinants[t])
    return log_likelihood, *tracking_backward(F, H, noise_shape, gains, inverses, weighted)


@adjoint
def tracking_backward(F, H, noise_shape, gains, inverses, weighted):
    """Cotangents of the measurements, q and r. Those of x and P are of the negated likelihood.

    That of the covariance before a measurement is P̄ + Hᵀ a + aᵀ H.
    """
    steps = gains.shape[0]
    F_transposed = F.T.copy()
    measured_bar, r_bar, q_bar = np.empty((steps, 2)), np.zeros(2), 0.0
    x_bar, P_bar, before_bar = np.zeros(4), np.zeros((4, 4)), np.empty((4, 4))
    half, a, v = np.empty((4, 4)), np.empty((2, 4)), np.empty(4)
    for t in range(steps - 1, -1, -1):
        gain, w0, w1 = gains[t], weighted[t, 0], weighted[t, 1]
        i00, i01, i11 = inverses[t, 0], inverses[t, 1], inverses[t, 2]
        product(gain, P_bar, a, 2)
        b00, b01, b11 = dot(a[0], gain[0]), dot(a[0], gain[1]), dot(a[1], gain[1])
        z0, z1 = dot(gain[0], x_bar), dot(gain[1], x_bar)
        measured_bar[t, 0], measured_bar[t, 1] = -z0 - w0, -z1 - w1
        r_bar[0] -= b00 + 0.5 * (i00 - w0 * w0) - z0 * w0
        r_bar[1] -= b11 + 0.5 * (i11 - w1 * w1) - z1 * w1
        c00, c01, c11 = 0.5 * b00 + 0.25 * i00, 0.5 * b01 + 0.25 * i01, 0.5 * b11 + 0.25 * i11
        for j in range(4):
            v[j] = x_bar[j] - (z0 + 0.5 * w0) * H[0, j] - (z1 + 0.5 * w1) * H[1, j]
            a[0, j] = c00 * H[0, j] + c01 * H[1, j] + 0.5 * w0 * v[j] - a[0, j]
            a[1, j] = c01 * H[0, j] + c11 * H[1, j] + 0.5 * w1 * v[j] - a[1, j]
            v[j] -= 0.5 * w0 * H[0, j] + 0.5 * w1 * H[1, j]
        sum_bar = 0.0
        for i in range(4):
            for j in range(i, 4):
                along_H = H[0, i] * a[0, j] + H[1, i] * a[1, j] + a[0, i] * H[0, j] + a[1, i] * H[1, j]
                before_bar[i, j] = before_bar[j, i] = P_bar[i, j] + along_H
                sum_bar += before_bar[i, j] * noise_shape[i, j] * (1.0 if i == j else 2.0)
        q_bar -= sum_bar
        product(F_transposed, before_bar, half, 4)
        symmetric_product(half, F_transposed, P_bar)
        for i in range(4):
            x_bar[i] = dot(F_transposed[i], v)
    return measured_bar, q_bar, r_bar


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    F, H, G = arguments[3:]

    def loss(measured, q, r):
        Q, R = q * G @ G.T, jnp.diag(r)

        def step(state, z):
            x, P = F @ state[0], F @ state[1] @ F.T + Q
            y = z - H @ x
            S = H @ P @ H.T + R
            det = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
            S_inverse = jnp.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / det
            K = P @ H.T @ S_inverse
            return (x + K @ y, (jnp.eye(4) - K @ H) @ P), -0.5 * (y @ S_inverse @ y + jnp.log(det))

        terms = lax.scan(step, (jnp.zeros(4), 10.0 * jnp.eye(4)), measured)[1]
        return jnp.sum(terms) - len(measured) * np.log(2 * np.pi)

    return jax_gradient(loss, arguments[:3])


PEERS = {"jax": jax}

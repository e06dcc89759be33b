"""Products of 3×3 matrices in a loop: an attitude from the rates of a gyroscope, by Rodrigues' formula (1840)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import ROUNDER, bits_of, branch_free, float_of, select
from harness.peers import jax_gradient

WRT = (0, 1)
LANES = 128  # steps of a block


def make(scale=1.0):
    random = np.random.default_rng(23)
    steps, dt = max(3, int(50000 * scale)), 0.01
    rates = np.sin(np.arange(steps)[:, None] * dt * np.array([0.7, 1.1, 1.9])) + random.normal(0.0, 0.05, (steps, 3))
    measured = np.array([0.0, 0.0, 9.81]) + random.normal(0.0, 1.0, (steps, 3))
    return rates, np.array([0.02, -0.01, 0.03]), measured, dt


def primal(rates, bias, measured, dt):
    g = np.array([0.0, 0.0, 9.81])
    R = np.eye(3)
    loss = 0.0
    for t in range(rates.shape[0]):
        rotation = (rates[t] - bias) * dt
        angle = np.linalg.norm(rotation)
        k = rotation / angle
        K = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
        step = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        R = R @ step
        residual = R.T @ g - measured[t]
        loss += residual @ residual
    return loss


@adjoint
def hand(rates, bias, measured, dt):
    """By u = Rᵀ g, which a step multiplies by its transpose: R itself is not needed. In blocks of steps.

    Only u and its cotangent go from step to step; the rest is computed for the steps of a block side by side. All rows
    that such a loop concerns belong to one array, of which LLVM sees that they do not overlap.
    """
    steps = rates.shape[0]
    space, transposed = np.empty(((steps + LANES - 1) // LANES, 13, LANES + 1)), np.empty((9, LANES))
    u = np.array([0.0, 0.0, 9.81])
    loss = 0.0
    for block in range(space.shape[0]):
        first = block * LANES
        lanes = min(LANES, steps - first)
        w = space[block]
        rodrigues(rates[first:], bias, dt, w, lanes)
        transposed_steps(w, transposed, lanes)
        turn(transposed, u, w, lanes)
        loss += compare(measured[first:], w, lanes)
    return loss, *attitude_backward(dt, space, transposed, steps)


@branch_free
def sine_cosine(x):
    """x less the nearest multiple of π/2, then fdlibm's polynomials."""
    shifted = x * 0.6366197723675814 + ROUNDER
    k, quadrant = shifted - ROUNDER, bits_of(shifted)
    y = x - k * 1.57079632673412561417e00 - k * 6.07710050630396597660e-11 - k * 2.02226624879595063154e-21
    z = y * y
    p = z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08
    p = p * z + 2.75573137070700676789e-06
    p = p * z - 1.98412698298579493134e-04
    p = p * z + 8.33333333332248946124e-03
    p = p * z - 1.66666666666666324348e-01
    s = y + y * z * p
    p = z * -1.13596475577881948265e-11 + 2.08757232129817482790e-09
    p = p * z - 2.75573143513906633035e-07
    p = p * z + 2.48015872894767294178e-05
    p = p * z - 1.38888888888741095749e-03
    p = p * z + 4.16666666666666019037e-02
    c = 1.0 - (0.5 * z - z * z * p)
    odd = (quadrant & np.int64(1)) == np.int64(1)
    sine, cosine = select(odd, c, s), select(odd, s, c)
    sine_sign, cosine_sign = quadrant & np.int64(2), (quadrant + np.int64(1)) & np.int64(2)
    return (
        float_of(bits_of(sine) ^ (sine_sign << np.int64(62))),
        float_of(bits_of(cosine) ^ (cosine_sign << np.int64(62))),
    )


@inlined
def rodrigues(rates, bias, dt, w, lanes):
    """The rotation vectors of angle θ in rows 0 to 2, then sin θ / θ and (1 - cos θ) / θ², and their slopes over θ."""
    for l in range(lanes):
        for i in range(3):
            w[i, l] = (rates[l, i] - bias[i]) * dt
    for l in range(lanes):
        square = w[0, l] * w[0, l] + w[1, l] * w[1, l] + w[2, l] * w[2, l]
        angle = np.sqrt(square)
        sine, cosine = sine_cosine(angle)
        inverse = 1 / square
        a, b = sine * angle * inverse, (1 - cosine) * inverse
        w[3, l], w[4, l] = a, b
        w[5, l], w[6, l] = (cosine - a) * inverse, (a - 2 * b) * inverse


@inlined
def transposed_steps(w, m, lanes):
    for l in range(lanes):
        x, y, z, a, b = w[0, l], w[1, l], w[2, l], w[3, l], w[4, l]
        xy, xz, yz = b * x * y, b * x * z, b * y * z
        m[0, l], m[1, l], m[2, l] = 1 - b * (y * y + z * z), xy + a * z, xz - a * y
        m[3, l], m[4, l], m[5, l] = xy - a * z, 1 - b * (x * x + z * z), yz + a * x
        m[6, l], m[7, l], m[8, l] = xz + a * y, yz - a * x, 1 - b * (x * x + y * y)


@inlined
def turn(m, u, w, lanes):
    """The path of u in rows 7 to 9, with its value before the block in front."""
    x, y, z = u
    w[7, 0], w[8, 0], w[9, 0] = x, y, z
    for l in range(lanes):
        x, y, z = (
            m[0, l] * x + m[1, l] * y + m[2, l] * z,
            m[3, l] * x + m[4, l] * y + m[5, l] * z,
            m[6, l] * x + m[7, l] * y + m[8, l] * z,
        )
        w[7, l + 1], w[8, l + 1], w[9, l + 1] = x, y, z
    u[0], u[1], u[2] = x, y, z


@inlined
def compare(measured, w, lanes):
    """What the steps add to the loss, and to the cotangents of u in rows 10 to 12."""
    loss = 0.0
    for l in range(lanes):
        for i in range(3):
            residual = w[7 + i, l + 1] - measured[l, i]
            loss += residual * residual
            w[10 + i, l] = 2 * residual
    return loss


@adjoint
def attitude_backward(dt, space, transposed, steps):
    rates_bar, bias_bar, u_bar = np.empty((steps, 3)), np.zeros(3), np.zeros(3)
    for block in range(space.shape[0] - 1, -1, -1):
        first = block * LANES
        lanes = min(LANES, steps - first)
        w = space[block]
        transposed_steps(w, transposed, lanes)
        turn_back(transposed, u_bar, w, lanes)
        rodrigues_back(dt, w, rates_bar[first:], bias_bar, lanes)
    return rates_bar, bias_bar


@inlined
def turn_back(m, u_bar, w, lanes):
    """The cotangents of u that come from the steps after are added; `u_bar` passes them on from block to block."""
    x, y, z = u_bar
    for l in range(lanes - 1, -1, -1):
        x, y, z = x + w[10, l], y + w[11, l], z + w[12, l]
        w[10, l], w[11, l], w[12, l] = x, y, z
        x, y, z = (
            m[0, l] * x + m[3, l] * y + m[6, l] * z,
            m[1, l] * x + m[4, l] * y + m[7, l] * z,
            m[2, l] * x + m[5, l] * y + m[8, l] * z,
        )
    u_bar[0], u_bar[1], u_bar[2] = x, y, z


@inlined
def rodrigues_back(dt, w, rates_bar, bias_bar, lanes):
    """From u after = u - a r × u + b (r (r·u) - r² u), with r the rotation vector and g the cotangent of u after."""
    s0 = s1 = s2 = 0.0
    for l in range(lanes):
        r0, r1, r2, a, b = w[0, l], w[1, l], w[2, l], w[3, l], w[4, l]
        u0, u1, u2, g0, g1, g2 = w[7, l], w[8, l], w[9, l], w[10, l], w[11, l], w[12, l]
        c0, c1, c2 = u1 * g2 - u2 * g1, u2 * g0 - u0 * g2, u0 * g1 - u1 * g0
        ru, rg, ug = r0 * u0 + r1 * u1 + r2 * u2, r0 * g0 + r1 * g1 + r2 * g2, u0 * g0 + u1 * g1 + u2 * g2
        a_bar = -(r0 * c0 + r1 * c1 + r2 * c2)
        b_bar = ru * rg - (r0 * r0 + r1 * r1 + r2 * r2) * ug
        along = a_bar * w[5, l] + b_bar * w[6, l] - 2 * b * ug
        w[10, l] = dt * (b * (g0 * ru + u0 * rg) - a * c0 + along * r0)
        w[11, l] = dt * (b * (g1 * ru + u1 * rg) - a * c1 + along * r1)
        w[12, l] = dt * (b * (g2 * ru + u2 * rg) - a * c2 + along * r2)
    for l in range(lanes):
        x, y, z = w[10, l], w[11, l], w[12, l]
        rates_bar[l, 0], rates_bar[l, 1], rates_bar[l, 2] = x, y, z
        s0, s1, s2 = s0 + x, s1 + y, s2 + z
    bias_bar[0] -= s0
    bias_bar[1] -= s1
    bias_bar[2] -= s2


@adjoint
def in_order(rates, bias, measured, dt):
    """The program's own order and its matrices: one step after the other, and back."""
    steps = rates.shape[0]
    R, S = np.zeros((steps + 1, 3, 3)), np.empty((steps, 3, 3))
    rotations, factors, residuals = np.empty((steps, 3)), np.empty((steps, 4)), np.empty((steps, 3))
    g, loss = np.array([0.0, 0.0, 9.81]), 0.0
    R[0, 0, 0] = R[0, 1, 1] = R[0, 2, 2] = 1.0
    for t in range(steps):
        for i in range(3):
            rotations[t, i] = (rates[t, i] - bias[i]) * dt
        factors[t, 0], factors[t, 1], factors[t, 2], factors[t, 3] = step_of(rotations[t], S[t])
        for i in range(3):
            for j in range(3):
                R[t + 1, i, j] = R[t, i, 0] * S[t, 0, j] + R[t, i, 1] * S[t, 1, j] + R[t, i, 2] * S[t, 2, j]
        for i in range(3):
            in_body = R[t + 1, 0, i] * g[0] + R[t + 1, 1, i] * g[1] + R[t + 1, 2, i] * g[2]
            residuals[t, i] = in_body - measured[t, i]
            loss += residuals[t, i] * residuals[t, i]
    rates_bar, bias_bar = np.empty((steps, 3)), np.zeros(3)
    R_bar, S_bar, before_bar, r_bar = np.zeros((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for t in range(steps - 1, -1, -1):
        for i in range(3):
            for j in range(3):
                R_bar[i, j] += 2 * g[i] * residuals[t, j]
        for i in range(3):
            for j in range(3):
                S_bar[i, j] = R[t, 0, i] * R_bar[0, j] + R[t, 1, i] * R_bar[1, j] + R[t, 2, i] * R_bar[2, j]
                before_bar[i, j] = R_bar[i, 0] * S[t, j, 0] + R_bar[i, 1] * S[t, j, 1] + R_bar[i, 2] * S[t, j, 2]
        R_bar, before_bar = before_bar, R_bar
        step_of_back(rotations[t], factors[t], S_bar, r_bar)
        for i in range(3):
            rates_bar[t, i] = dt * r_bar[i]
            bias_bar[i] -= rates_bar[t, i]
    return loss, rates_bar, bias_bar


@inlined
def step_of(r, S):
    """I + a K + b K², where r is the vector of K and K² = r rᵀ - θ² I; a and b, and their slopes over θ."""
    x, y, z = r[0], r[1], r[2]
    square = x * x + y * y + z * z
    angle = np.sqrt(square)
    sine, cosine = sine_cosine(angle)
    inverse = 1 / square
    a, b = sine * angle * inverse, (1 - cosine) * inverse
    S[0, 0], S[0, 1], S[0, 2] = 1 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y
    S[1, 0], S[1, 1], S[1, 2] = b * x * y + a * z, 1 - b * (x * x + z * z), b * y * z - a * x
    S[2, 0], S[2, 1], S[2, 2] = b * x * z - a * y, b * y * z + a * x, 1 - b * (x * x + y * y)
    return a, b, (cosine - a) * inverse, (a - 2 * b) * inverse


@inlined
def step_of_back(r, factors, S_bar, r_bar):
    a, b, trace = factors[0], factors[1], S_bar[0, 0] + S_bar[1, 1] + S_bar[2, 2]
    k0, k1, k2 = S_bar[2, 1] - S_bar[1, 2], S_bar[0, 2] - S_bar[2, 0], S_bar[1, 0] - S_bar[0, 1]
    b_bar = 0.0
    for i in range(3):
        r_bar[i] = -2 * trace * r[i]
        for j in range(3):
            r_bar[i] += (S_bar[i, j] + S_bar[j, i]) * r[j]
        b_bar += 0.5 * r[i] * r_bar[i]
    along = (k0 * r[0] + k1 * r[1] + k2 * r[2]) * factors[2] + b_bar * factors[3]
    r_bar[0] = b * r_bar[0] + a * k0 + along * r[0]
    r_bar[1] = b * r_bar[1] + a * k1 + along * r[1]
    r_bar[2] = b * r_bar[2] + a * k2 + along * r[2]


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    measured, dt = arguments[2:]
    g = np.array([0.0, 0.0, 9.81])

    def loss(rates, bias):
        def step(R, row):
            rate, acceleration = row
            rotation = (rate - bias) * dt
            angle = jnp.linalg.norm(rotation)
            k = rotation / angle
            K = jnp.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
            R = R @ (jnp.eye(3) + jnp.sin(angle) * K + (1 - jnp.cos(angle)) * K @ K)
            residual = R.T @ g - acceleration
            return R, residual @ residual

        return jnp.sum(lax.scan(step, jnp.eye(3), (rates, measured))[1])

    return jax_gradient(loss, arguments[:2])


PEERS = {"jax": jax}

"""Small matrices in NumPy style: an unscented Kalman filter for the Lorenz system (Julier and Uhlmann 1997)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import jax_gradient

WRT = (0, 1, 2)
KAPPA = 0.5
SUBSTEPS = 4
N, POINTS = 3, 7  # as the program has them
SPREAD = N + KAPPA
CENTRE, SIDE = KAPPA / SPREAD, 0.5 / SPREAD  # weights


def make(scale=1.0):
    random = np.random.default_rng(1)
    steps = max(3, int(1500 * scale))
    dt = 0.01
    x = np.array([1.0, 1.0, 20.0])
    measured = np.empty((steps, 2))
    for t in range(steps):
        for _ in range(SUBSTEPS):
            x = x + dt * np.array([10.0 * (x[1] - x[0]), x[0] * (28.0 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]])
        measured[t] = np.sqrt(1 + x[0] ** 2 + x[1] ** 2), x[2]
    measured += 0.3 * random.standard_normal(measured.shape)
    return np.array([9.5, 27.5, 2.5]), np.array([0.1, 0.12, 0.08]), np.array([0.1, 0.1]), measured, dt


def primal(parameters, noise, sensor_noise, measured, dt):
    sigma, rho, beta = parameters
    n = 3
    weights = np.full(2 * n + 1, 0.5 / (n + KAPPA))
    weights[0] = KAPPA / (n + KAPPA)
    x = np.array([1.0, 1.0, 20.0])
    p = np.eye(3)
    loss = 0.0
    for t in range(measured.shape[0]):
        # sigma points
        root = np.linalg.cholesky((n + KAPPA) * p)
        points = np.empty((2 * n + 1, n))
        points[0] = x
        for i in range(n):
            points[1 + i] = x + root[:, i]
            points[1 + n + i] = x - root[:, i]
        # prediction
        for _ in range(SUBSTEPS):
            a, b, c = points[:, 0], points[:, 1], points[:, 2]
            change = np.stack((sigma * (b - a), a * (rho - c) - b, a * b - beta * c), axis=1)
            points = points + dt * change
        x = weights @ points
        centred = points - x
        p = (weights[:, None] * centred).T @ centred + np.diag(noise)
        # measurement
        z = np.stack((np.sqrt(1 + points[:, 0] ** 2 + points[:, 1] ** 2), points[:, 2]), axis=1)
        z_mean = weights @ z
        z_centred = z - z_mean
        s = (weights[:, None] * z_centred).T @ z_centred + np.diag(sensor_noise)
        cross = (weights[:, None] * centred).T @ z_centred
        gain = np.linalg.solve(s, cross.T).T
        y = measured[t] - z_mean
        x = x + gain @ y
        p = p - gain @ s @ gain.T
        loss += 0.5 * (y @ np.linalg.solve(s, y) + np.log(np.linalg.det(s)))
    return loss


@adjoint
def hand(parameters, noise, sensor_noise, measured, dt):
    """Each step keeps what its adjoint reads. The covariances are symmetric, and so are their cotangents."""
    steps = measured.shape[0]
    roots, paths = np.zeros((steps, N, N)), np.empty((steps, SUBSTEPS + 1, POINTS, N))
    centreds, zs, z_centreds = np.empty((steps, POINTS, N)), np.empty((steps, POINTS)), np.empty((steps, POINTS, 2))
    gains, residuals = np.empty((steps, N, 2)), np.empty((steps, 2))
    covariances, inverses = np.empty((steps, 3)), np.empty((steps, 3))  # of the residuals: 00, 01 and 11
    x, p, cross = np.array([1.0, 1.0, 20.0]), np.eye(N), np.empty((N, 2))
    loss = 0.0
    for t in range(steps):
        y, s = residuals[t], covariances[t]
        cholesky(p, roots[t])
        points = propagate(x, roots[t], parameters, dt, paths[t])
        z_mean = average(points, noise, sensor_noise, zs[t], centreds[t], z_centreds[t], x, p, cross, s)
        y[0], y[1] = measured[t, 0] - z_mean, measured[t, 1] - x[2]
        loss += correct(x, p, cross, s, y, inverses[t], gains[t])
    kept = roots, paths, centreds, zs, z_centreds, gains, residuals, covariances, inverses
    return loss, *filter_backward(parameters, dt, kept)


@inlined
def cholesky(p, root):
    """The lower triangle of the Cholesky factor of SPREAD p."""
    for i in range(N):
        for j in range(i + 1):
            s = SPREAD * p[i, j]
            for k in range(j):
                s -= root[i, k] * root[j, k]
            root[i, j] = np.sqrt(s) if i == j else s / root[j, j]


@inlined
def propagate(x, root, parameters, dt, path):
    """The sigma points, at the mean and a column of the root to either side of it, after the substeps in path."""
    sigma, rho, beta = parameters[0], parameters[1], parameters[2]
    for j in range(N):
        path[0, 0, j] = x[j]
        for i in range(N):
            path[0, 1 + i, j] = x[j] + root[j, i]
            path[0, 1 + N + i, j] = x[j] - root[j, i]
    for k in range(SUBSTEPS):
        for m in range(POINTS):
            a, b, c = path[k, m, 0], path[k, m, 1], path[k, m, 2]
            path[k + 1, m, 0] = a + dt * sigma * (b - a)
            path[k + 1, m, 1] = b + dt * (a * (rho - c) - b)
            path[k + 1, m, 2] = c + dt * (a * b - beta * c)
    return path[SUBSTEPS]


@inlined
def average(points, noise, sensor_noise, z, centred, z_centred, x, p, cross, s):
    """The mean of the first measurement, the square root; that of the second is x[2].

    x and p become mean and covariance of the points, s the covariance of their measurements, cross that of both.
    """
    x0 = x1 = x2 = z_mean = 0.0
    for m in range(POINTS):
        w, a, b = CENTRE if m == 0 else SIDE, points[m, 0], points[m, 1]
        z[m] = np.sqrt(1 + a * a + b * b)
        x0 += w * a
        x1 += w * b
        x2 += w * points[m, 2]
        z_mean += w * z[m]
    x[0], x[1], x[2] = x0, x1, x2
    p[:] = 0.0
    cross[:] = 0.0
    s00, s01, s11 = sensor_noise[0], 0.0, sensor_noise[1]
    for i in range(N):
        p[i, i] = noise[i]
    for m in range(POINTS):
        w, u, v = CENTRE if m == 0 else SIDE, z[m] - z_mean, points[m, 2] - x2
        z_centred[m, 0], z_centred[m, 1] = u, v
        s00 += w * u * u
        s01 += w * u * v
        s11 += w * v * v
        for i in range(N):
            centred[m, i] = points[m, i] - x[i]
        for i in range(N):
            d = w * centred[m, i]
            cross[i, 0] += d * u
            cross[i, 1] += d * v
            for j in range(N):
                p[i, j] += d * centred[m, j]
    s[0], s[1], s[2] = s00, s01, s11
    return z_mean


@inlined
def correct(x, p, cross, s, y, inverse, gain):
    """The term of the loss; x and p become those after the measurement."""
    determinant = s[0] * s[2] - s[1] * s[1]
    i00, i01, i11 = s[2] / determinant, -s[1] / determinant, s[0] / determinant
    inverse[0], inverse[1], inverse[2] = i00, i01, i11
    for i in range(N):
        gain[i, 0] = cross[i, 0] * i00 + cross[i, 1] * i01
        gain[i, 1] = cross[i, 0] * i01 + cross[i, 1] * i11
        x[i] += gain[i, 0] * y[0] + gain[i, 1] * y[1]
    for i in range(N):
        for j in range(N):
            p[i, j] -= gain[i, 0] * cross[j, 0] + gain[i, 1] * cross[j, 1]
    return 0.5 * (i00 * y[0] * y[0] + 2 * i01 * y[0] * y[1] + i11 * y[1] * y[1] + np.log(determinant))


@inlined
def filter_backward(parameters, dt, kept):
    """Cotangents of the parameters, of noise and of sensor_noise."""
    roots, paths, centreds, zs, z_centreds, gains, residuals, covariances, inverses = kept
    parameters_bar, noise_bar, sensor_noise_bar = np.zeros(N), np.zeros(N), np.zeros(2)
    x_bar, p_bar, points_bar = np.zeros(N), np.zeros((N, N)), np.empty((POINTS, N))
    cross_bar, root_bar = np.empty((N, 2)), np.empty((N, N))
    for t in range(residuals.shape[0] - 1, -1, -1):
        for i in range(N):
            noise_bar[i] += p_bar[i, i]
        z_bar, s_bar = correct_backward(x_bar, p_bar, gains[t], covariances[t], inverses[t], residuals[t], cross_bar)
        sensor_noise_bar[0] += s_bar[0]
        sensor_noise_bar[1] += s_bar[2]
        kept_points = paths[t, SUBSTEPS], zs[t], centreds[t], z_centreds[t]
        average_backward(*kept_points, p_bar, cross_bar, s_bar, z_bar, x_bar, points_bar)
        propagate_backward(paths[t], parameters, dt, points_bar, x_bar, root_bar, parameters_bar)
        cholesky_backward(roots[t], root_bar, p_bar)
    return parameters_bar, noise_bar, sensor_noise_bar


@inlined
def correct_backward(x_bar, p_bar, gain, s, inverse, y, cross_bar):
    """Cotangents of the two mean measurements, and of s: 00, the sum of 01 and 10, 11. x_bar and p_bar stay.

    The new p is p - gain s gainᵀ with gain = cross s⁻¹, so that s counts there as well.
    """
    v0, v1 = inverse[0] * y[0] + inverse[1] * y[1], inverse[1] * y[0] + inverse[2] * y[1]
    y0_bar, y1_bar = v0, v1
    diagonal, off, last = 0.5 * (inverse[0] - v0 * v0), inverse[1] - v0 * v1, 0.5 * (inverse[2] - v1 * v1)
    for i in range(N):
        y0_bar += gain[i, 0] * x_bar[i]
        y1_bar += gain[i, 1] * x_bar[i]
        g0 = g1 = 0.0
        for j in range(N):
            g0 += p_bar[i, j] * gain[j, 0]
            g1 += p_bar[i, j] * gain[j, 1]
        u = x_bar[i] * y[0] - 2 * (g0 * s[0] + g1 * s[1])
        v = x_bar[i] * y[1] - 2 * (g0 * s[1] + g1 * s[2])
        cross_bar[i, 0] = u * inverse[0] + v * inverse[1]
        cross_bar[i, 1] = u * inverse[1] + v * inverse[2]
        g0 += cross_bar[i, 0]
        g1 += cross_bar[i, 1]
        diagonal -= gain[i, 0] * g0
        off -= gain[i, 0] * g1 + gain[i, 1] * g0
        last -= gain[i, 1] * g1
    return (-y0_bar, -y1_bar), (diagonal, off, last)


@inlined
def average_backward(points, z, centred, z_centred, p_bar, cross_bar, s_bar, z_bar, x_bar, points_bar):
    """The cotangent of the points, from those of the means and the covariances; x_bar is overwritten."""
    z0_bar, z1_bar = z_bar
    for m in range(POINTS):
        w, u, v = CENTRE if m == 0 else SIDE, z_centred[m, 0], z_centred[m, 1]
        u_bar, v_bar = 2 * s_bar[0] * u + s_bar[1] * v, s_bar[1] * u + 2 * s_bar[2] * v
        for i in range(N):
            d = cross_bar[i, 0] * u + cross_bar[i, 1] * v
            for j in range(N):
                d += 2 * p_bar[i, j] * centred[m, j]
            u_bar += cross_bar[i, 0] * centred[m, i]
            v_bar += cross_bar[i, 1] * centred[m, i]
            points_bar[m, i] = w * d
            x_bar[i] -= w * d
        z0_bar -= w * u_bar
        z1_bar -= w * v_bar
        slope = w * u_bar / z[m]
        points_bar[m, 0] += slope * points[m, 0]
        points_bar[m, 1] += slope * points[m, 1]
        points_bar[m, 2] += w * v_bar
    for m in range(POINTS):  # the means, whose cotangents are complete
        w = CENTRE if m == 0 else SIDE
        slope = w * z0_bar / z[m]
        points_bar[m, 0] += w * x_bar[0] + slope * points[m, 0]
        points_bar[m, 1] += w * x_bar[1] + slope * points[m, 1]
        points_bar[m, 2] += w * (x_bar[2] + z1_bar)


@inlined
def propagate_backward(path, parameters, dt, points_bar, x_bar, root_bar, parameters_bar):
    """Cotangents of the mean and the root, from that of the points after the substeps, which is overwritten."""
    sigma, rho, beta = parameters[0], parameters[1], parameters[2]
    sigma_bar = rho_bar = beta_bar = 0.0
    for m in range(POINTS):
        a_bar, b_bar, c_bar = points_bar[m, 0], points_bar[m, 1], points_bar[m, 2]
        for k in range(SUBSTEPS - 1, -1, -1):
            a, b, c = path[k, m, 0], path[k, m, 1], path[k, m, 2]
            da, db, dc = dt * a_bar, dt * b_bar, dt * c_bar
            sigma_bar += da * (b - a)
            rho_bar += db * a
            beta_bar -= dc * c
            a_bar += -sigma * da + db * (rho - c) + dc * b
            b_bar += sigma * da - db + dc * a
            c_bar += -db * a - beta * dc
        points_bar[m, 0], points_bar[m, 1], points_bar[m, 2] = a_bar, b_bar, c_bar
    parameters_bar[0] += sigma_bar
    parameters_bar[1] += rho_bar
    parameters_bar[2] += beta_bar
    for j in range(N):
        x_bar[j] = points_bar[0, j]
        for i in range(N):
            x_bar[j] += points_bar[1 + i, j] + points_bar[1 + N + i, j]
            root_bar[j, i] = points_bar[1 + i, j] - points_bar[1 + N + i, j]


@inlined
def cholesky_backward(root, root_bar, p_bar):
    """The cotangent of p, symmetric; root_bar is overwritten."""
    for i in range(N - 1, -1, -1):
        for j in range(i, -1, -1):
            if i == j:
                s_bar = 0.5 * root_bar[i, i] / root[i, i]
                p_bar[i, i] = SPREAD * s_bar
            else:
                s_bar = root_bar[i, j] / root[j, j]
                root_bar[j, j] -= s_bar * root[i, j]
                p_bar[i, j] = p_bar[j, i] = 0.5 * SPREAD * s_bar
            for k in range(j):
                root_bar[i, k] -= s_bar * root[j, k]
                root_bar[j, k] -= s_bar * root[i, k]


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    measured, dt = arguments[3:]
    weights = np.array([CENTRE] + [SIDE] * 2 * N)

    def loss(parameters, noise, sensor_noise):
        sigma, rho, beta = parameters

        def step(state, measured):
            x, p = state
            root = jnp.linalg.cholesky(SPREAD * p)
            points = jnp.concatenate((x[None], x + root.T, x - root.T))
            for _ in range(SUBSTEPS):
                a, b, c = points.T
                points += dt * jnp.stack((sigma * (b - a), a * (rho - c) - b, a * b - beta * c), axis=1)
            x = weights @ points
            z = jnp.stack((jnp.sqrt(1 + points[:, 0] ** 2 + points[:, 1] ** 2), points[:, 2]), axis=1)
            y = measured - weights @ z
            centred, z_centred = points - x, z - weights @ z
            p = (weights[:, None] * centred).T @ centred + jnp.diag(noise)
            s = (weights[:, None] * z_centred).T @ z_centred + jnp.diag(sensor_noise)
            cross = (weights[:, None] * centred).T @ z_centred
            gain = jnp.linalg.solve(s, cross.T).T
            term = 0.5 * (y @ jnp.linalg.solve(s, y) + jnp.log(jnp.linalg.det(s)))
            return (x + gain @ y, p - gain @ s @ gain.T), term

        return jnp.sum(lax.scan(step, (jnp.array([1.0, 1.0, 20.0]), jnp.eye(N)), measured)[1])

    return jax_gradient(loss, arguments[:3])


PEERS = {"jax": jax}

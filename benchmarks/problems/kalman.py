"""Small matrices in a loop: the log-likelihood of a Kalman filter with four states and two measurements."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import autograd_gradient, jax_gradient, torch_gradient

WRT = (0, 1, 2)
N = 4  # states, as the program has it; the number of measurements is that of its arguments


def make(scale=1.0):
    random = np.random.default_rng(11)
    steps = max(3, int(300 * scale))
    motion = np.eye(4) + np.diag([0.1, 0.1], 2)
    noise = 0.05 * np.eye(4) + 0.01
    sensor_noise = np.array([[0.5, 0.1], [0.1, 0.4]])
    sensor = np.array([[1.0, 0.0, 0.2, 0.0], [0.0, 1.0, 0.0, 0.2]])
    return motion, noise, sensor_noise, sensor, np.cumsum(random.standard_normal((steps, 2)), axis=0) * 0.3


def primal(motion, noise, sensor_noise, sensor, measured):
    x = np.zeros(4)
    p = np.eye(4)
    loss = 0.0
    for t in range(measured.shape[0]):
        x = motion @ x
        p = motion @ p @ motion.T + noise
        y = measured[t] - sensor @ x
        s = sensor @ p @ sensor.T + sensor_noise
        inverse = np.linalg.inv(s)
        gain = p @ sensor.T @ inverse
        x = x + gain @ y
        p = p - gain @ sensor @ p
        loss += np.dot(y, inverse @ y) + np.log(np.linalg.det(s))
    return loss


@inlined
def product(a, b, out, rows, inner, columns):
    """out = a b"""
    for i in range(rows):
        for j in range(columns):
            s = 0.0
            for k in range(inner):
                s += a[i, k] * b[k, j]
            out[i, j] = s


@inlined
def product_nt(a, b, out, rows, inner, columns):
    """out = a bᵀ"""
    for i in range(rows):
        for j in range(columns):
            s = 0.0
            for k in range(inner):
                s += a[i, k] * b[j, k]
            out[i, j] = s


@inlined
def add_product_tn(a, b, out, rows, inner, columns):
    """out += aᵀ b"""
    for i in range(rows):
        for j in range(columns):
            s = out[i, j]
            for k in range(inner):
                s += a[k, i] * b[k, j]
            out[i, j] = s


@inlined
def invert(a, inverse):
    """The inverse of a small matrix, which is overwritten, by elimination; its determinant."""
    n = a.shape[0]
    determinant = 1.0
    for i in range(n):
        for j in range(n):
            inverse[i, j] = 1.0 if i == j else 0.0
    for i in range(n):
        row = i
        for j in range(i + 1, n):
            if abs(a[j, i]) > abs(a[row, i]):
                row = j
        if row != i:
            determinant = -determinant
            for k in range(n):
                a[i, k], a[row, k] = a[row, k], a[i, k]
                inverse[i, k], inverse[row, k] = inverse[row, k], inverse[i, k]
        determinant *= a[i, i]
        scale = 1 / a[i, i]
        for k in range(n):
            a[i, k] *= scale
            inverse[i, k] *= scale
        for j in range(n):
            if j != i:
                factor = a[j, i]
                for k in range(n):
                    a[j, k] -= factor * a[i, k]
                    inverse[j, k] -= factor * inverse[i, k]
    return determinant


@adjoint
def hand(motion, noise, sensor_noise, sensor, measured):
    """The filter with its gain g and f = sensor p; each step keeps what its adjoint reads."""
    steps, M = measured.shape
    xs, ps = np.zeros((steps + 1, N)), np.zeros((steps + 1, N, N))  # after the measurement
    predicted, residuals = np.empty((steps, N)), np.empty((steps, M))
    fs, gains, inverses = np.empty((steps, M, N)), np.empty((steps, N, M)), np.empty((steps, M, M))
    half, p, s = np.empty((N, N)), np.empty((N, N)), np.empty((M, M))
    for i in range(N):
        ps[0, i, i] = 1.0
    loss = 0.0
    for t in range(steps):
        x, y, f, gain, inverse = predicted[t], residuals[t], fs[t], gains[t], inverses[t]
        for i in range(N):
            x[i] = 0.0
            for k in range(N):
                x[i] += motion[i, k] * xs[t, k]
        product(motion, ps[t], half, N, N, N)
        product_nt(half, motion, p, N, N, N)
        for i in range(N):
            for j in range(N):
                p[i, j] += noise[i, j]
        product(sensor, p, f, M, N, N)
        product_nt(f, sensor, s, M, N, M)
        for i in range(M):
            y[i] = measured[t, i]
            for k in range(N):
                y[i] -= sensor[i, k] * x[k]
            for j in range(M):
                s[i, j] += sensor_noise[i, j]
        determinant = invert(s, inverse)
        product_nt(p, sensor, half[:, :M], N, N, M)
        product(half[:, :M], inverse, gain, N, M, M)
        for i in range(N):
            xs[t + 1, i] = x[i]
            for k in range(M):
                xs[t + 1, i] += gain[i, k] * y[k]
            for j in range(N):
                ps[t + 1, i, j] = p[i, j]
                for k in range(M):
                    ps[t + 1, i, j] -= gain[i, k] * f[k, j]
        for i in range(M):
            for k in range(M):
                loss += y[i] * inverse[i, k] * y[k]
        loss += np.log(determinant)
    return loss, *kalman_backward(motion, sensor, xs, ps, residuals, fs, gains, inverses)


@adjoint
def kalman_backward(motion, sensor, xs, ps, residuals, fs, gains, inverses):
    """Cotangents of motion, noise and sensor_noise. No use is made of the symmetry of p and s."""
    M = sensor.shape[0]
    motion_bar, noise_bar, sensor_noise_bar = np.zeros((N, N)), np.zeros((N, N)), np.zeros((M, M))
    x_bar, p_bar = np.zeros(N), np.zeros((N, N))
    u, y_bar, weighted, weighted_left = np.empty(N), np.empty(M), np.empty(M), np.empty(M)
    gain_bar, q_bar = np.empty((N, M)), np.empty((N, M))
    f_bar, s_bar = np.empty((M, N)), np.empty((M, M))
    half, transposed = np.empty((N, N)), np.empty((N, N))
    for t in range(residuals.shape[0] - 1, -1, -1):
        y, f, gain, inverse = residuals[t], fs[t], gains[t], inverses[t]
        # x_after = x + gain y, p_after = p - gain f
        for i in range(N):
            for j in range(M):
                gain_bar[i, j] = x_bar[i] * y[j]
                for k in range(N):
                    gain_bar[i, j] -= p_bar[i, k] * f[j, k]
        for i in range(M):
            for j in range(N):
                f_bar[i, j] = 0.0
                for k in range(N):
                    f_bar[i, j] -= gain[k, i] * p_bar[k, j]
        # loss += yᵀ s⁻¹ y + log det s; gain = q s⁻¹ with q = p sensorᵀ
        for i in range(M):
            weighted[i] = weighted_left[i] = 0.0
            for k in range(M):
                weighted[i] += inverse[i, k] * y[k]
                weighted_left[i] += inverse[k, i] * y[k]
            y_bar[i] = weighted[i] + weighted_left[i]
            for k in range(N):
                y_bar[i] += gain[k, i] * x_bar[k]
        product_nt(gain_bar, inverse, q_bar, N, M, M)
        for i in range(M):
            for j in range(M):
                s_bar[i, j] = inverse[j, i] - weighted_left[i] * weighted[j]
                for k in range(N):
                    s_bar[i, j] -= gain[k, i] * q_bar[k, j]
                sensor_noise_bar[i, j] += s_bar[i, j]
        # s = f sensorᵀ + sensor_noise, y = measured - sensor x, f = sensor p
        product(s_bar, sensor, half[:M], M, M, N)
        for i in range(M):
            for j in range(N):
                f_bar[i, j] += half[i, j]
        for i in range(N):
            for k in range(M):
                x_bar[i] -= sensor[k, i] * y_bar[k]
        add_product_tn(sensor, f_bar, p_bar, N, M, N)
        for i in range(N):
            for j in range(N):
                for k in range(M):
                    p_bar[i, j] += q_bar[i, k] * sensor[k, j]
                noise_bar[i, j] += p_bar[i, j]
        # p = motion p_before motionᵀ + noise, x = motion x_before
        product(p_bar, motion, half, N, N, N)
        for i in range(N):
            u[i] = x_bar[i]
            for j in range(N):
                motion_bar[i, j] += x_bar[i] * xs[t, j]
                transposed[i, j] = p_bar[j, i]
                for k in range(N):
                    motion_bar[i, j] += half[i, k] * ps[t, j, k]
        p_bar[:] = 0.0
        add_product_tn(motion, half, p_bar, N, N, N)
        product(transposed, motion, half, N, N, N)
        for i in range(N):
            x_bar[i] = 0.0
            for j in range(N):
                x_bar[i] += motion[j, i] * u[j]
                for k in range(N):
                    motion_bar[i, j] += half[i, k] * ps[t, k, j]
    return motion_bar, noise_bar, sensor_noise_bar


def vectorised(package, inverse, determinant, eye, constants):
    """The same loss, in the functions of another array package."""
    sensor, measured = constants

    def loss(motion, noise, sensor_noise):
        x, p, result = 0.0 * sensor[0], eye, 0.0
        for z in measured:
            x = motion @ x
            p = motion @ p @ motion.T + noise
            y = z - sensor @ x
            s = sensor @ p @ sensor.T + sensor_noise
            inverted = inverse(s)
            gain = p @ sensor.T @ inverted
            x = x + gain @ y
            p = p - gain @ sensor @ p
            result = result + y @ inverted @ y + package.log(determinant(s))
        return result

    return loss


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    sensor, measured = arguments[3:]

    def loss(motion, noise, sensor_noise):
        def step(state, z):
            x, p = motion @ state[0], motion @ state[1] @ motion.T + noise
            y = z - sensor @ x
            s = sensor @ p @ sensor.T + sensor_noise
            inverse = jnp.linalg.inv(s)
            gain = p @ sensor.T @ inverse
            return (x + gain @ y, p - gain @ sensor @ p), y @ inverse @ y + jnp.log(jnp.linalg.det(s))

        return jnp.sum(lax.scan(step, (jnp.zeros(4), jnp.eye(4)), measured)[1])

    return jax_gradient(loss, arguments[:3])


def torch(arguments):
    import torch

    constants = [torch.tensor(argument) for argument in arguments[3:]]
    eye = torch.eye(4, dtype=torch.float64)
    return torch_gradient(vectorised(torch, torch.linalg.inv, torch.linalg.det, eye, constants), arguments[:3])


def autograd(arguments):
    import autograd.numpy as package

    linalg = package.linalg
    return autograd_gradient(vectorised(package, linalg.inv, linalg.det, np.eye(4), arguments[3:]), arguments[:3])


PEERS = {"jax": jax, "torch": torch, "autograd": autograd}

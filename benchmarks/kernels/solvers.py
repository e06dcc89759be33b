"""Linear and differential equations, solved step by step."""

import numpy as np

from harness.kernels import kernel


def positive_definite(random, n):
    a = random.standard_normal((n, n))
    return a @ a.T / n + np.eye(n)


@kernel(lambda random: (positive_definite(random, 120), random.standard_normal(120), 1e-10), wrt=(0, 1))
def conjugate_gradients(a, b, tolerance):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    square = r @ r
    while square > tolerance:
        step = a @ p
        alpha = square / (p @ step)
        x = x + alpha * p
        r = r - alpha * step
        last = square
        square = r @ r
        p = r + square / last * p
    return np.sum(x**2)


@kernel(
    lambda random: (random.standard_normal(200), random.uniform(0.2, 1.0, 200), 20),
    wrt=(0, 1),
)
def implicit_heat(u, conductivity, steps):
    """Implicit steps of the heat equation on a line, each by Thomas' algorithm."""
    n = u.shape[0]
    u = u.copy()
    upper = np.empty(n)
    right = np.empty(n)
    for _ in range(steps):
        upper[0] = -conductivity[0] / (1 + 2 * conductivity[0])
        right[0] = u[0] / (1 + 2 * conductivity[0])
        for i in range(1, n):
            k = conductivity[i]
            below = 1 + 2 * k + k * upper[i - 1]
            upper[i] = -k / below
            right[i] = (u[i] + k * right[i - 1]) / below
        u[n - 1] = right[n - 1]
        for i in range(n - 2, -1, -1):
            u[i] = right[i] - upper[i] * u[i + 1]
    return np.sum(u**2)


@kernel(lambda random: (positive_definite(random, 60), random.standard_normal(60)), wrt=(0, 1))
def elimination(a, b):
    """Gaussian elimination of rows without pivots, then substitution; also the logarithm of the determinant."""
    a = a.copy()
    x = b.copy()
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            x[i] -= factor * x[k]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - np.dot(a[i, i + 1 :], x[i + 1 :])) / a[i, i]
    return np.sum(x**2) + np.sum(np.log(np.diag(a)))


def predator_prey(y, rates):
    hunted = rates[1] * y[0] * y[1]
    return np.array([rates[0] * y[0] - hunted, rates[2] * hunted - rates[3] * y[1]])


@kernel(
    lambda random: (np.array([2.0, 1.0]), np.array([1.1, 0.4, 0.8, 0.4]), 1.5 + random.random((300, 2)), 0.02),
    wrt=(0, 1),
)
def runge_kutta(y, rates, observed, h):
    """The misfit of a model of predators and prey, by the classical method of Runge and Kutta."""
    loss = 0.0
    for k in range(observed.shape[0]):
        k1 = predator_prey(y, rates)
        k2 = predator_prey(y + h / 2 * k1, rates)
        k3 = predator_prey(y + h / 2 * k2, rates)
        k4 = predator_prey(y + h * k3, rates)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        loss += np.sum((y - observed[k]) ** 2)
    return loss


@kernel(lambda random: (random.uniform(0.5, 3.0, 20), 2.0, 6.0, 1e-5), wrt=(0, 1))
def adaptive_steps(stiffness, start, end, tolerance):
    """Van der Pol oscillators by Heun's method, whose steps shrink and grow with the estimated error."""
    total = 0.0
    for k in range(stiffness.shape[0]):
        mu = stiffness[k]
        x, v, t, h = start, 0.0, 0.0, 0.01
        while t < end:
            h = min(h, end - t)
            ax, av = v, mu * (1 - x * x) * v - x
            xe, ve = x + h * ax, v + h * av
            bx, bv = ve, mu * (1 - xe * xe) * ve - xe
            error = 0.5 * h * np.sqrt((bx - ax) ** 2 + (bv - av) ** 2)
            if error < tolerance or h < 1e-4:
                x += 0.5 * h * (ax + bx)
                v += 0.5 * h * (av + bv)
                t += h
            h *= min(2.0, max(0.5, 0.9 * np.sqrt(tolerance / (error + 1e-300))))
        total += x * x + v * v
    return total


@kernel(lambda random: (random.uniform(0.5, 1.5, 24), np.eye(24) + 0.05 * random.standard_normal((24, 24))), wrt=(0, 1))
def newton_for_systems(load, coupling):
    """Newton's method for a nonlinear system with its Jacobian."""
    x = np.ones_like(load)
    for _ in range(8):
        residual = coupling @ x + x**3 - load
        jacobian = coupling + np.diag(3 * x**2)
        x = x - np.linalg.solve(jacobian, residual)
    return np.sum(x**2)


@kernel(lambda random: (random.standard_normal((30, 30)), 1.5, 20), wrt=(0, 1))
def over_relaxation(charge, relaxation, sweeps):
    """Poisson's equation by successive over-relaxation, in place."""
    n, m = charge.shape
    potential = np.zeros((n + 2, m + 2))
    for _ in range(sweeps):
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                around = potential[i - 1, j] + potential[i + 1, j] + potential[i, j - 1] + potential[i, j + 1]
                update = 0.25 * (around + charge[i - 1, j - 1]) - potential[i, j]
                potential[i, j] += relaxation * update
    return np.sum(potential[1:-1, 1:-1] * charge)


@kernel(lambda random: (random.standard_normal((60, 30)), random.standard_normal(60)), wrt=(0, 1))
def gram_schmidt(a, b):
    """Least squares by orthogonal columns, made one after the other."""
    a = a.copy()
    explained = 0.0
    for k in range(a.shape[1]):
        q = a[:, k] / np.linalg.norm(a[:, k])
        for j in range(k + 1, a.shape[1]):
            a[:, j] -= np.dot(q, a[:, j]) * q
        explained += np.dot(q, b) ** 2
    return np.sum(b**2) - explained

"""Particles, quantum transport, transforms, sparse products and fractals."""

import numba as nb
import numpy as np

from real_programs import draw, real


def accelerations(r, m, eps):
    sep = r[np.newaxis, :, :] - r[:, np.newaxis, :]
    d2 = np.sum(sep**2, axis=2) + eps**2
    return np.sum(m[np.newaxis, :, np.newaxis] * sep * (d2**-1.5)[:, :, np.newaxis], axis=1)


@real(draw(1, 4, 3), draw(2, 4, 3), draw(0, 4), 4, 0.01, 0.1, wrt=(0, 1, 2, 5))
def nbody(r, v, m, steps, dt, eps):
    """Leapfrog; returns kinetic and potential energies of all steps."""
    v -= (m @ v) / m.sum()
    kinetic = np.ndarray(steps, dtype=np.float64)
    potential = np.ndarray(steps, dtype=np.float64)
    a = accelerations(r, m, eps)
    rows, cols = np.triu_indices(len(m), k=1)
    for s in range(steps):
        v += 0.5 * dt * a
        r += dt * v
        a = accelerations(r, m, eps)
        v += 0.5 * dt * a
        kinetic[s] = 0.5 * np.sum(m[:, None] * v**2)
        potential[s] = -np.sum(m[rows] * m[cols] / np.linalg.norm(r[rows] - r[cols], axis=1))
    return kinetic, potential


@real(draw(3, 2, 3, 2, 2), draw(4, 2, 3, 2, 2), draw(5, 2, 2, 2), wrt=(0, 1, 2))
def scattering_self_energies(G_re, G_im, dH):
    """Sums over momenta k, energies e and phonon frequencies w of dH G dH."""
    G = G_re + 1j * G_im
    Sigma = np.zeros_like(G)
    n_k, n_e = G.shape[:2]
    for k in range(n_k):
        for e in range(n_e):
            for w in range(2):
                if e - w < 0:
                    continue
                left = dH[w] @ G[k, e - w]
                Sigma[k, e] += 1j * left @ dH[w].T
    return np.sum(Sigma.real**2 - Sigma.imag)


@real(draw(6, 3, 3, 3), draw(7, 3, 2), 6, wrt=(0, 1))
def contour_integral(H, Y, nodes):
    """Moments of (H0 + z H1 + z² H2)⁻¹ Y along a circle."""
    n, m = Y.shape
    moments = np.zeros((2, n, m), dtype=np.complex128)
    for z in 2.0 * np.exp(2j * np.pi * np.arange(nodes) / nodes):
        T = np.zeros((n, n), dtype=np.complex128)
        for power, part in enumerate(H):
            T += z**power * part
        X = np.linalg.solve(T + 5 * np.eye(n), Y)
        moments[0] += X
        moments[1] += z * X
    return np.sum(np.abs(moments) ** 2)


@real(draw(8, 8), draw(9, 8), wrt=(0, 1))
def stockham_fft(re, im):
    """Autosort transform of radix two."""
    x = re + 1j * im
    n, stride = x.size, 1
    y = np.empty_like(x)
    while n > 1:
        half = n // 2
        for p in range(half):
            w = np.exp(-2j * np.pi * p / n)
            for q in range(stride):
                a, b = x[q + stride * p], x[q + stride * (p + half)]
                y[q + stride * 2 * p] = a + b
                y[q + stride * (2 * p + 1)] = (a - b) * w
        x, y = y, x
        n, stride = half, 2 * stride
    return np.sum(np.abs(x) ** 3)


@real(-1.93, 0.47, 1.17, 9, 6, wrt=(0, 1, 2))
def mandelbrot1(left, right, top, points, iterations):
    re = np.linspace(left, right, points)
    im = np.linspace(-top, top, points)
    c = re + 1j * im[:, np.newaxis]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    for n in range(iterations):
        inside = np.abs(z) < 2.0
        count[inside] = n
        z[inside] = z[inside] ** 2 + c[inside]
    return np.sum(np.log1p(np.abs(z)) * count)


@nb.njit
def _escape(cr, ci, maxiter):
    x = y = 0.0
    for n in range(maxiter):
        x, y = x * x - y * y + cr, 2 * x * y + ci
        if x * x + y * y > 4.0:
            return n, x * x + y * y
    return maxiter, x * x + y * y


@real(draw(10, 8, low=-2.0), draw(11, 8, low=-1.0), 12, wrt=(0, 1))
def mandelbrot2(re, im, maxiter):
    smooth = np.zeros(re.shape[0])
    for k in range(re.shape[0]):
        n, r2 = _escape(re[k], im[k], maxiter)
        smooth[k] = n - np.log2(np.log(r2 + 1.5) / 2)
    return smooth


@real(np.array([0, 2, 3, 6, 6, 8]), np.array([0, 2, 1, 0, 3, 4, 2, 4]), draw(12, 8), draw(13, 5), wrt=(2, 3))
def spmv(indptr, indices, data, x):
    y = np.empty(indptr.size - 1, data.dtype)
    for row in range(y.size):
        span = slice(indptr[row], indptr[row + 1])
        y[row] = data[span] @ x[indices[span]]
    return y


@nb.njit(parallel=True)
def _lennard_jones(positions, forces, epsilon, sigma):
    n = positions.shape[0]
    energy = 0.0
    for i in nb.prange(n):
        for j in range(n):
            if i == j:
                continue
            d = positions[i] - positions[j]
            r2 = np.sum(d * d)
            s6 = (sigma * sigma / r2) ** 3
            energy += 2.0 * epsilon * (s6 * s6 - s6)
            forces[i] += 24.0 * epsilon * (2.0 * s6 * s6 - s6) / r2 * d
    return energy


@real(draw(14, 5, 3) * 3, 1.0, 0.7, wrt=(0, 1, 2))
def lennard_jones(positions, epsilon, sigma):
    forces = np.zeros_like(positions)
    energy = _lennard_jones(positions, forces, epsilon, sigma)
    return energy, forces


@nb.vectorize(["float64(float64, float64, float64)"])
def _call_price(s, k, vol):
    d1 = (np.log(s / k) + 0.5 * vol * vol) / vol
    return s / (1.0 + np.exp(-1.702 * d1)) - k / (1.0 + np.exp(-1.702 * (d1 - vol)))


@real(draw(15, 6) + 1.0, 1.2, 0.3, wrt=(0, 1, 2))
def option_ufunc(s, k, vol):
    return np.sum(_call_price(s, k, vol))


@real(draw(16, 5, 5), 6)
def power_iteration(A, iterations):
    v = np.ones(A.shape[1])
    for _ in range(iterations):
        w = np.dot(A, v)
        v = w / np.linalg.norm(w)
    return v @ A @ v

"""Differential equations, fluids, images and transforms."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.signal import convolve as sp_convolve

from real_programs import draw, real


def nn(params, y):
    for i, (W, b) in enumerate(params):
        y = y @ W + b
        if i < len(params) - 1:
            y = np.tanh(y)
    return y


NET = [(draw(0, 2, 3, low=-1.0), draw(1, 3)), (draw(2, 3, 2, low=-1.0), draw(3, 2))]


@real(NET, np.array([2.0, 0.5]), wrt=(0, 1))
def neural_ode(params, y0):
    """A fixed step of the method of Runge and Kutta, with the network as the right-hand side."""
    ts = np.linspace(0.0, 0.5, 6)
    ys = [y0]
    for t0, t1 in zip(ts[:-1], ts[1:]):
        h, y = t1 - t0, ys[-1]
        k1 = nn(params, y**3)
        k2 = nn(params, (y + h * k1 / 2) ** 3)
        k3 = nn(params, (y + h * k2 / 2) ** 3)
        k4 = nn(params, (y + h * k3) ** 3)
        ys.append(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return np.mean(np.abs(np.array(ys)))


@real(np.array([1.0, 0.1]), np.array([0.2, 1.5]), wrt=(0, 1))
def ode_net_by_scipy(y0, theta):
    def dynamics(t, y):
        return np.array([y[1], theta[0] * (1 - y[0] ** 2) * y[1] - theta[1] * y[0]])

    sol = solve_ivp(dynamics, (0, 1), y0, t_eval=np.linspace(0, 1, 4), rtol=1e-10, atol=1e-12)
    return np.sum(sol.y**2)


def without_divergence(v, sweeps=4):
    neighbours = [(axis, shift) for axis in (0, 1) for shift in (1, -1)]
    div = sum(np.roll(v[axis], -1, axis) - np.roll(v[axis], 1, axis) for axis in (0, 1)) / 2
    p = np.zeros_like(div)
    for _ in range(sweeps):
        p = (sum(np.roll(p, shift, axis) for axis, shift in neighbours) - div) / 4
    return v - np.stack([np.roll(p, -1, axis) - np.roll(p, 1, axis) for axis in (0, 1)]) / 2


def carried(f, v):
    """What each cell held where it came from, between the four cells around it."""
    n, m = f.shape
    ii, jj = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    x, y = ii - v[0], jj - v[1]
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    a, b = x - i, y - j
    i0, i1, j0, j1 = i % n, (i + 1) % n, j % m, (j + 1) % m
    low = (1 - b) * f[i0, j0] + b * f[i0, j1]
    high = (1 - b) * f[i1, j0] + b * f[i1, j1]
    return (1 - a) * low + a * high


@real(draw(4, 2, 4, 4, low=-0.3, high=0.3), draw(5, 4, 4), wrt=(0, 1))
def fluid_by_advection(velocity, smoke):
    for t in range(2):
        velocity = without_divergence(np.array([carried(c, velocity) for c in velocity]))
        smoke = carried(smoke, velocity)
    return smoke


@real(draw(6, 8, 8, low=-1.0), 1e-2, wrt=(0, 1))
def navier_stokes_by_fft(w, nu, dt=0.05, steps=2):
    """Vorticity in a periodic square, pseudo-spectrally."""
    n = w.shape[0]
    k = np.fft.fftfreq(n, 1.0 / n)
    kx, ky = np.meshgrid(k, k, indexing="ij")
    k2 = kx**2 + ky**2
    inv = np.where(k2 > 0, 1.0 / np.where(k2 > 0, k2, 1.0), 0.0)
    w_hat = np.fft.fft2(w)
    for _ in range(steps):
        psi_hat = inv * w_hat
        u = np.real(np.fft.ifft2(1j * ky * psi_hat))
        v = np.real(np.fft.ifft2(-1j * kx * psi_hat))
        wx = np.fft.ifft2(1j * kx * w_hat).real
        wy = np.fft.ifft2(1j * ky * w_hat).real
        w_hat = (w_hat - dt * np.fft.fft2(u * wx + v * wy)) / (1 + dt * nu * k2)
    return np.fft.ifft2(w_hat).real


@real(draw(7, 16), 0.3, wrt=(0, 1))
def heat_by_rfft(u, t):
    freq = np.fft.rfftfreq(u.size, d=1 / u.size)
    return np.fft.irfft(np.fft.rfft(u) * np.exp(-((2 * np.pi * freq) ** 2) * 1e-3 * t), n=u.size)


@real(draw(8, 16), draw(9, 16), wrt=(0, 1))
def spectrum_loss(signal, window):
    spectrum = np.fft.fftshift(np.fft.fft(signal * window))
    power = np.abs(spectrum) ** 2
    return np.sum(np.log1p(power)) + np.sum(np.angle(spectrum[9:12]))


@real(draw(10, 2, 1, 6, 6), draw(11, 2, 1, 3, 3, low=-1.0), draw(12, 8, 3), wrt=(0, 1, 2))
def convnet(images, kernels, W):
    """Convolution through patches, pooling through reshape, and a dense layer."""
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), axis=(2, 3))
    features = np.einsum("ncijkl,fckl->nfij", windows, kernels)
    features = np.maximum(features, 0)
    n, f, h, w = features.shape
    pooled = features.reshape(n, f, h // 2, 2, w // 2, 2).max(axis=(3, 5))
    logits = pooled.reshape(n, -1) @ W
    return logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))


def im2col_indices(h, w, k):
    i0 = np.repeat(np.arange(k), k)
    j0 = np.tile(np.arange(k), k)
    i1 = np.repeat(np.arange(h - k + 1), w - k + 1)
    j1 = np.tile(np.arange(w - k + 1), h - k + 1)
    return i0.reshape(-1, 1) + i1.reshape(1, -1), j0.reshape(-1, 1) + j1.reshape(1, -1)


@real(draw(13, 2, 5, 5), draw(14, 4, 9, low=-1.0), wrt=(0, 1))
def convolution_by_im2col(images, kernels):
    i, j = im2col_indices(5, 5, 3)
    cols = images[:, i, j]
    out = np.tensordot(kernels, cols, axes=[[1], [1]])
    return np.swapaxes(out, 0, 1).reshape(2, 4, 3, 3)


@real(draw(15, 8), draw(16, 3), wrt=(0, 1))
def blur_and_compare(signal, kernel):
    k = np.abs(kernel) / np.sum(np.abs(kernel))
    return np.sum((sp_convolve(signal, k, mode="same") - np.convolve(signal, k[::-1], mode="same")) ** 2)


@real(draw(17, 2, 3, 4, 4), 0.3, wrt=(0, 1))
def augment_and_mix(images, lam):
    flipped = images[:, :, :, ::-1]
    rotated = np.rot90(images, axes=(2, 3))
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="reflect")[:, :, 1:5, 0:4]
    mixed = lam * flipped + (1 - lam) * rotated + padded**2
    return mixed.mean(axis=(2, 3)) / (1e-3 + mixed.std(axis=(2, 3)))


@real(draw(18, 4, 4), draw(19, 4), wrt=(0, 1))
def implicit_layer(A, b):
    """The fixed point of x = tanh(W x + b), found by iterating."""
    W = 0.4 * A / np.linalg.norm(A, 2)
    x, x_prev, iters = np.zeros_like(b), np.full_like(b, np.inf), 0
    while np.linalg.norm(x - x_prev) > 1e-12 and iters < 100:
        x_prev, x = x, np.tanh(W @ x + b)
        iters += 1
    return x


@real(draw(20, 6, 3, low=-1.0))
def whitening(X):
    X = X - X.mean(0)
    cov = np.cov(X, rowvar=False) + 1e-3 * np.eye(3)
    vals, vecs = np.linalg.eigh(cov)
    return np.sum((X @ vecs / np.sqrt(vals)) ** 4)

"""Statistics of tables, images, sequences, and elementwise arithmetic."""

import math

import numba as nb
import numpy as np

from real_programs import draw, real


@real(4, 7.0, draw(0, 7, 4), wrt=(2,))
def correlation(M, float_n, data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float_n) * stddev
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return corr


@real(4, 7.0, draw(1, 7, 4), wrt=(2,))
def covariance(M, float_n, data):
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((M, M), dtype=data.dtype)
    for i in range(M):
        cov[i:M, i] = cov[i, i:M] = data[:, i] @ data[:, i:M] / (float_n - 1.0)
    return cov


@real(draw(2, 5, 5) * 4 + 0.5)
def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
    return path


@real(np.array([0, 3, 1, 2, 2, 1, 3, 0]), wrt=())
def nussinov(seq):
    """The most pairs of bases that fold without a crossing."""
    n = len(seq)
    best = np.zeros((n, n), np.int32)
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            best[i, j] = max(best[i + 1, j], best[i, j - 1], best[i + 1, j - 1] + (seq[i] + seq[j] == 3))
            for k in range(i + 1, j):
                best[i, j] = max(best[i, j], best[i, k] + best[k + 1, j])
    return best


def recursive_filter(x, a0, a1, a2, a3, b1, b2):
    """Causal and anticausal filters of second order along the columns."""
    forward, backward = np.empty_like(x), np.empty_like(x)
    forward[:, 0] = a0 * x[:, 0]
    forward[:, 1] = a0 * x[:, 1] + a1 * x[:, 0] + b1 * forward[:, 0]
    for j in range(2, x.shape[1]):
        forward[:, j] = a0 * x[:, j] + a1 * x[:, j - 1] + b1 * forward[:, j - 1] + b2 * forward[:, j - 2]
    backward[:, -1] = 0.0
    backward[:, -2] = a2 * x[:, -1]
    for j in range(x.shape[1] - 3, -1, -1):
        backward[:, j] = a2 * x[:, j + 1] + a3 * x[:, j + 2] + b1 * backward[:, j + 1] + b2 * backward[:, j + 2]
    return forward + backward


@real(0.25, draw(3, 6, 7), wrt=(0, 1))
def deriche(alpha, image):
    e = np.exp(-alpha)
    k = (1.0 - e) ** 2 / (1.0 + 2.0 * alpha * e - e**2)
    coefficients = k, k * e * (alpha - 1.0), k * e * (alpha + 1.0), -k * e**2, 2.0 ** (-alpha), -(e**2)
    rows = recursive_filter(image, *coefficients)
    return recursive_filter(rows.T, *coefficients).T


@real(draw(4, 40), draw(5, 40), 4, wrt=(0,))
def azimint_naive(data, radius, npt):
    edges = np.linspace(0, radius.max(), npt + 1)
    profile = np.zeros(npt)
    for k in range(npt):
        ring = np.logical_and(edges[k] <= radius, radius < edges[k + 1])
        profile[k] = data[ring].mean()
    return profile


@nb.njit
def bin_of(x, low, high, bins):
    if x == high:
        return bins - 1
    return int(bins * (x - low) / (high - low))


@real(draw(6, 30), draw(7, 30), 5, wrt=(1,))
def azimint_hist(radius, data, npt):
    low, high = radius.min(), radius.max()
    total = np.zeros((npt,), np.float64)
    count = np.zeros((npt,), np.int64)
    for r, value in zip(radius, data):
        k = bin_of(r, low, high, npt)
        count[k] += 1
        total[k] += value
    return total / count


@real(draw(8, 12), draw(9, 30), 6, wrt=(1,))
def azimint_numpy_hist(radius, data, npt):
    histu = np.histogram(radius, npt)[0]
    histw = np.histogram(radius, npt, weights=data[: len(radius)])[0]
    return histw / np.maximum(histu, 1)


@real(draw(10, 6), draw(11, 6), draw(12, 6), draw(13, 6), wrt=(0, 1, 2, 3))
def arc_distance(theta_1, phi_1, theta_2, phi_2):
    temp = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    distance_matrix = 2 * (np.arctan2(np.sqrt(temp), np.sqrt(1 - temp)))
    return distance_matrix


@real(draw(14, 5, 6), draw(15, 5, 6), 4.0, 3.0, 9.0, wrt=(0, 1, 2, 3, 4))
def compute(array_1, array_2, a, b, c):
    return np.clip(array_1, 0.2, 0.8) * a + array_2 * b + c


@nb.njit(nogil=True, cache=False)
def clip_loop(x, lo, hi):
    out = np.empty_like(x)
    for i in range(x.size):
        v = x[i]
        if v < lo:
            v = lo
        elif v > hi:
            v = hi
        out[i] = v
    return out


@real(draw(16, 12, low=-2.0, high=2.0), -0.9, 1.1, wrt=(0, 1, 2))
def clipping(x, lo, hi):
    return clip_loop(x, lo, hi)


@real(draw(17, 5, 5))
def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


@real(np.array([17, 250, 3, 66, 128], dtype=np.uint8), wrt=())
def crc16(data, poly=0x8408):
    crc = 0xFFFF
    for byte in data:
        crc ^= int(byte)
        for _ in range(8):
            crc = (crc >> 1) ^ poly if crc & 1 else crc >> 1
    crc = ~crc & 0xFFFF
    return ((crc << 8) | (crc >> 8)) & 0xFFFF


@real(draw(18, 6, 3), draw(19, 5, 3), wrt=(0, 1))
def pairwise(X, Y):
    return np.sqrt(((X[:, None, :] - Y[None, :, :]) ** 2).sum(-1))


@real(draw(20, 7, 7), 0.5, wrt=(0, 1))
def bilateral_filter(img, sigma):
    out = np.zeros_like(img)
    h, w = img.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            acc = norm = 0.0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    d = img[y + dy, x + dx] - img[y, x]
                    wgt = math.exp(-(dx * dx + dy * dy) / 2.0 - d * d / (2.0 * sigma**2))
                    acc += wgt * img[y + dy, x + dx]
                    norm += wgt
            out[y, x] = acc / norm
    return out


@real(draw(21, 6, 6))
def sobel_energy(img):
    Kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    Ky = Kx.T
    h, w = img.shape
    gx = np.zeros((h - 2, w - 2))
    gy = np.zeros((h - 2, w - 2))
    for i, j in np.ndindex(3, 3):
        patch = img[i : h - 2 + i, j : w - 2 + j]
        gx += Kx[i, j] * patch
        gy += Ky[i, j] * patch
    return np.hypot(gx, gy).mean()

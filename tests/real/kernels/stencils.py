"""Stencils and time steps of partial differential equations."""

import numpy as np

from real_programs import draw, real


@real(draw(0, 7, 7), 3, 2.0, 1.0)
def adi(u, steps, rx, ry):
    """Alternating directions: in each half of a step one direction is implicit, solved by elimination along it."""
    n = u.shape[0]
    v, p, q = np.zeros(u.shape), np.empty(u.shape), np.empty(u.shape)
    inner = slice(1, n - 1)
    for t in range(1, steps + 1):
        for source, target, r, s in ((u, v, rx, ry), (v, u, ry, rx)):
            a, b = -r / 2, 1 + r
            target[0, inner] = 1.0
            p[inner, 0] = 0.0
            q[inner, 0] = target[0, inner]
            for j in range(1, n - 1):
                den = a * p[inner, j - 1] + b
                explicit = (1 - s) * source[j, inner] + s / 2 * (source[j, : n - 2] + source[j, 2:])
                p[inner, j] = -a / den
                q[inner, j] = (explicit - a * q[inner, j - 1]) / den
            target[n - 1, inner] = 1.0
            for j in range(n - 2, 0, -1):
                target[j, inner] = p[inner, j] * target[j + 1, inner] + q[inner, j]
    return u


@real(4, draw(1, 5, 6), draw(2, 5, 6), draw(3, 5, 6), draw(4, 4), wrt=(1, 2, 3, 4))
def fdtd_2d(TMAX, ex, ey, hz, _fict_):
    for t in range(TMAX):
        ey[0, :] = _fict_[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


@real(3, draw(5, 5, 5, 5), draw(6, 5, 5, 5), wrt=(1, 2))
def heat_3d(TSTEPS, A, B):
    for t in range(1, TSTEPS):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, 0:-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, 0:-2])
            + B[1:-1, 1:-1, 1:-1]
        )
    return A, B


@real(4, draw(7, 9), draw(8, 9), wrt=(1, 2))
def jacobi_1d(TSTEPS, A, B):
    for t in range(1, TSTEPS):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return A


@real(4, draw(9, 6, 6), draw(10, 6, 6), wrt=(1, 2))
def jacobi_2d(TSTEPS, A, B):
    for t in range(1, TSTEPS):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return A, B


@real(3, 6, draw(11, 6, 6), wrt=(2,))
def seidel_2d(TSTEPS, N, A):
    for t in range(0, TSTEPS - 1):
        for i in range(1, N - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            )
            for j in range(1, N - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return A


@real(draw(12, 8, 8, 3), np.empty((4, 4, 3)), draw(13, 4, 4, 3), wrt=(0, 2))
def hdiff(field, out, coeff):
    """Horizontal diffusion whose fluxes are limited to go down the gradient."""
    lap = 4.0 * field[1:-1, 1:-1] - field[2:, 1:-1] - field[:-2, 1:-1] - field[1:-1, 2:] - field[1:-1, :-2]
    flx = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flx = np.where(flx * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, flx)
    fly = lap[1:-1, 1:] - lap[1:-1, :-1]
    fly = np.where(fly * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, fly)
    out[...] = field[2:-2, 2:-2] - coeff * (flx[1:] - flx[:-1] + fly[:, 1:] - fly[:, :-1])
    return out


@real(draw(14, 3, 3, 5), draw(15, 3, 3, 5), draw(16, 4, 3, 5), 0.5, wrt=(0, 1, 2, 3))
def vadv(stage, u, w, rdt, beta=0.5):
    """Vertical advection, implicit: one tridiagonal system a column, solved for all columns at once."""
    ni, nj, nk = u.shape
    ccol = np.ndarray((ni, nj, nk), dtype=u.dtype)
    dcol = np.ndarray((ni, nj, nk), dtype=u.dtype)
    for k in range(nk):
        dcol[:, :, k] = rdt * u[:, :, k] + stage[:, :, k]
        b = np.full((ni, nj), rdt)
        if k > 0:
            down = -0.25 * (w[1:, :, k] + w[:-1, :, k])
            dcol[:, :, k] -= (1 - beta) * down * (u[:, :, k - 1] - u[:, :, k])
            b -= beta * down
        if k < nk - 1:
            up = 0.25 * (w[1:, :, k + 1] + w[:-1, :, k + 1])
            dcol[:, :, k] -= (1 - beta) * up * (u[:, :, k + 1] - u[:, :, k])
            ccol[:, :, k] = beta * up
            b -= ccol[:, :, k]
        if k > 0:
            b = b - beta * down * ccol[:, :, k - 1]
            dcol[:, :, k] -= beta * down * dcol[:, :, k - 1]
        ccol[:, :, k] /= b
        dcol[:, :, k] /= b
    column = dcol[:, :, nk - 1].copy()
    stage[:, :, nk - 1] = rdt * (column - u[:, :, nk - 1])
    for k in reversed(range(nk - 1)):
        column[:] = dcol[:, :, k] - ccol[:, :, k] * column
        stage[:, :, k] = rdt * (column - u[:, :, k])
    return stage


@real(draw(19, 7, 7), draw(20, 7, 7), 0.1, 0.05, 3, wrt=(0, 1, 2, 3))
def gray_scott(A, B, feed, kill, steps):
    def spread(Z):
        return Z[:-2, 1:-1] + Z[2:, 1:-1] + Z[1:-1, :-2] + Z[1:-1, 2:] - 4 * Z[1:-1, 1:-1]

    a, b = A[1:-1, 1:-1], B[1:-1, 1:-1]
    for _ in range(steps):
        react = a * b**2
        da, db = 0.2 * spread(A), 0.1 * spread(B)
        a += da - react + feed * (1 - a)
        b += db + react - (feed + kill) * b
        for Z in (A, B):
            Z[0], Z[-1] = Z[-2], Z[1]
            Z[:, 0], Z[:, -1] = Z[:, -2], Z[:, 1]
    return A, B


@real(draw(21, 6, 6), draw(22, 6, 6), 4, wrt=(0, 1))
def wave_equation(u_now, c, steps, dt=0.1):
    u_prev = u_now.copy()
    for _ in range(steps):
        lap = np.roll(u_now, 1, 0) + np.roll(u_now, -1, 0) + np.roll(u_now, 1, 1) + np.roll(u_now, -1, 1) - 4 * u_now
        u_prev, u_now = u_now, 2 * u_now - u_prev + dt**2 * c**2 * lap
    return u_now


@real(draw(23, 6, 6), draw(24, 6, 6), 3, wrt=(0, 1))
def hotspot(temp, power, steps):
    rows, cols = temp.shape
    result = np.empty_like(temp)
    for _ in range(steps):
        for r in range(rows):
            for c in range(cols):
                up = temp[r - 1, c] if r > 0 else temp[r, c]
                down = temp[r + 1, c] if r < rows - 1 else temp[r, c]
                left = temp[r, c - 1] if c > 0 else temp[r, c]
                right = temp[r, c + 1] if c < cols - 1 else temp[r, c]
                delta = 0.1 * (power[r, c] + (up + down - 2.0 * temp[r, c]) + (left + right - 2.0 * temp[r, c]))
                result[r, c] = temp[r, c] + delta
        temp, result = result, temp
    return temp

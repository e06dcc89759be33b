"""Branches that store into one element on both sides."""

import numpy as np

from collect import failing, program

_RNG = np.random.default_rng(53)
U = _RNG.uniform(0.5, 1.5, 9)
A = _RNG.uniform(-0.8, 0.8, 9)
F = U.astype(np.float32)


@program(U, A, 2)
@program(U, A, 0)
@program(U[:4], A[:4], 1)
def limited_fluxes(u, a, steps):
    """Van Leer's limiter (1974), on the side that the wind comes from."""
    n = u.shape[0]
    u = u.copy()
    flux = np.zeros(n + 1)
    for _ in range(steps):
        for i in range(2, n - 1):
            if a[i] > 0.0:
                d, e = u[i - 1] - u[i - 2], u[i] - u[i - 1]
                slope = 2.0 * d * e / (d + e) if d * e > 0.0 else 0.0
                flux[i] = a[i] * (u[i - 1] + 0.5 * (1.0 - 0.4 * a[i]) * slope)
            else:
                d, e = u[i + 1] - u[i], u[i] - u[i - 1]
                slope = 2.0 * d * e / (d + e) if d * e > 0.0 else 0.0
                flux[i] = a[i] * (u[i] - 0.5 * (1.0 + 0.4 * a[i]) * slope)
        for i in range(2, n - 2):
            u[i] -= 0.4 * (flux[i + 1] - flux[i])
    return np.sum(u**2)


@program(U, A)
def of_several_cases(u, a):
    y = np.empty(u.shape[0])
    for i in range(u.shape[0]):
        if a[i] > 0.4:
            y[i] = u[i] ** 2
        elif a[i] > 0.0:
            y[i] = np.sin(u[i])
        elif a[i] > -0.4:
            y[i] = 1.0
        else:
            y[i] = u[i] * a[i]
    return np.sum(y * y * u)


@program(U, A)
def additions(u, a):
    y = u * 0.5
    for i in range(1, u.shape[0]):
        if a[i] > 0.0:
            y[i] += u[i - 1] * y[i - 1]
        else:
            y[i] += a[i] * y[i - 1]
    return np.sum(y**2)


@program(U, A)
def two_arrays(u, a):
    y, z = np.empty(u.shape[0]), np.empty(u.shape[0])
    for i in range(u.shape[0]):
        if a[i] > 0.0:
            y[i] = u[i] ** 2
            z[i] = 2.0 * u[i]
        else:
            t = u[i] * a[i]
            z[i] = t
            y[i] = t * t
    return np.sum(np.sin(y) * z)


@program(U, A)
def element_read_after_it_was_stored(u, a):
    y = np.empty(u.shape[0])
    s = 0.0
    for i in range(u.shape[0]):
        if a[i] > 0.0:
            y[i] = u[i] ** 2
            s += y[i]
        else:
            y[i] = a[i]
    return s + np.sum(y * u)


@program(U, A)
def old_element_read_by_one_side(u, a):
    y = u * u
    for i in range(1, u.shape[0]):
        if a[i] > 0.0:
            y[i] = y[i] * y[i - 1] + u[i]
        else:
            y[i] = u[i] * a[i]
    return np.sum(y)


@program(U, A)
def other_elements(u, a):
    y = np.zeros(u.shape[0] + 1)
    for i in range(u.shape[0]):
        if a[i] > 0.0:
            y[i] = u[i] ** 2
        else:
            y[i + 1] = u[i] * a[i]
    return np.sum(y**2)


@program(F, A)
def narrow(u, a):
    y = np.empty_like(u)
    for i in range(u.shape[0]):
        if a[i] > 0.0:
            y[i] = u[i] * u[i]
        else:
            y[i] = 0.1
    return np.sum(y * u)


@program(U, A, 3)
def element_of_every_iteration(u, a, k):
    y = u * 0.5
    for i in range(u.shape[0]):
        if a[i] > 0.0:
            y[k] = y[k] * 0.9 + u[i]
        else:
            y[k] = y[k] * u[i]
    return y[k] + np.sum(y)


@failing(U, A, error=IndexError)
def beyond_the_end(u, a):
    y = np.empty(u.shape[0])
    for i in range(u.shape[0]):
        if a[i] > 0.0:
            y[i + 5] = u[i] ** 2
        else:
            y[i + 5] = u[i]
    return np.sum(y)


@failing(U, A, error=IndexError)
def an_error_after_the_store(u, a):
    y = np.empty(u.shape[0])
    s = 0.0
    for i in range(u.shape[0]):
        if a[i] > 0.0:
            y[i] = u[i] ** 2
            s += u[i + 6]
        else:
            y[i] = u[i]
            s += u[i + 5]
    return np.sum(y) + s

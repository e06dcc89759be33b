"""A recursion: Simpson's rule, halving each interval until it is exact enough (Kuncir 1962), for a few integrands."""

import numba
import numpy as np

from harness.compiled import adjoint, inlined

WRT = (0, 1, 2)
DEPTH = 60


def make(scale=1.0):
    random = np.random.default_rng(5)
    n = max(2, int(40 * scale))
    return random.uniform(0.5, 2.0, n), random.uniform(0.5, 2.0, n), 2.5, 1e-8


@numba.njit
def integrand(t, p, q):
    return np.exp(-p * t) * np.sin(q * t * t)


@numba.njit
def integral(p, q, left, right, f_left, f_middle, f_right, whole, tolerance):
    middle = 0.5 * (left + right)
    f_first = integrand(0.5 * (left + middle), p, q)
    f_second = integrand(0.5 * (middle + right), p, q)
    first = (middle - left) / 6 * (f_left + 4 * f_first + f_middle)
    second = (right - middle) / 6 * (f_middle + 4 * f_second + f_right)
    error = first + second - whole
    if abs(error) <= 15 * tolerance:
        return first + second + error / 15
    return integral(p, q, left, middle, f_left, f_first, f_middle, first, tolerance / 2) + integral(
        p, q, middle, right, f_middle, f_second, f_right, second, tolerance / 2
    )


def primal(p, q, end, tolerance):
    total = 0.0
    for i in range(p.shape[0]):
        f_left = integrand(0.0, p[i], q[i])
        f_middle = integrand(0.5 * end, p[i], q[i])
        f_right = integrand(end, p[i], q[i])
        whole = end / 6 * (f_left + 4 * f_middle + f_right)
        total += integral(p[i], q[i], 0.0, end, f_left, f_middle, f_right, whole, tolerance) ** 2
    return total


@inlined
def sample(t, p, q):
    """(f, ∂f/∂p, ∂f/∂q, t ∂f/∂t) at t: every point is proportional to the end of the interval."""
    e = np.exp(-p * t)
    f = e * np.sin(q * t * t)
    slope = e * np.cos(q * t * t) * t * t
    return f, -t * f, slope, 2 * q * slope - p * t * f


@inlined
def simpson(width, a, b, c):
    return (
        width / 6 * (a[0] + 4 * b[0] + c[0]),
        width / 6 * (a[1] + 4 * b[1] + c[1]),
        width / 6 * (a[2] + 4 * b[2] + c[2]),
        width / 6 * (a[3] + 4 * b[3] + c[3]),
    )


@adjoint
def integral_with_partials(p, q, end, tolerance, stack):
    """The integral and its three partials: what is summed at the leaves is linear in the samples.

    stack: (DEPTH, 3, 4), the samples at the left, middle and right of intervals that wait.
    """
    widths = np.empty(DEPTH)
    lefts = np.empty(DEPTH)
    a, b, c = sample(0.0, p, q), sample(0.5 * end, p, q), sample(end, p, q)
    left, width, waiting = 0.0, end, 0
    value = p_bar = q_bar = end_bar = 0.0
    while True:
        ab = sample(left + 0.25 * width, p, q)
        bc = sample(left + 0.75 * width, p, q)
        whole = simpson(width, a, b, c)
        first, second = simpson(0.5 * width, a, ab, b), simpson(0.5 * width, b, bc, c)
        # The tolerance of an interval is proportional to its width.
        if abs(first[0] + second[0] - whole[0]) > 15 * tolerance * width / end:
            width *= 0.5
            lefts[waiting], widths[waiting] = left + width, width
            for k in range(4):
                stack[waiting, 0, k], stack[waiting, 1, k], stack[waiting, 2, k] = b[k], bc[k], c[k]
            waiting += 1
            b, c = ab, b
            continue
        value += first[0] + second[0] + (first[0] + second[0] - whole[0]) / 15
        p_bar += first[1] + second[1] + (first[1] + second[1] - whole[1]) / 15
        q_bar += first[2] + second[2] + (first[2] + second[2] - whole[2]) / 15
        end_bar += first[3] + second[3] + (first[3] + second[3] - whole[3]) / 15
        if waiting == 0:
            return value, p_bar, q_bar, (value + end_bar) / end
        waiting -= 1
        left, width, s = lefts[waiting], widths[waiting], stack[waiting]
        a = (s[0, 0], s[0, 1], s[0, 2], s[0, 3])
        b = (s[1, 0], s[1, 1], s[1, 2], s[1, 3])
        c = (s[2, 0], s[2, 1], s[2, 2], s[2, 3])


@adjoint
def hand(p, q, end, tolerance):
    n = p.shape[0]
    p_bar, q_bar = np.empty(n), np.empty(n)
    stack = np.empty((DEPTH, 3, 4))
    total = end_bar = 0.0
    for i in range(n):
        value, p_part, q_part, end_part = integral_with_partials(p[i], q[i], end, tolerance, stack)
        total += value * value
        p_bar[i] = 2 * value * p_part
        q_bar[i] = 2 * value * q_part
        end_bar += 2 * value * end_part
    return total, p_bar, q_bar, end_bar


PEERS = {}

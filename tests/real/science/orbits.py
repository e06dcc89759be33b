"""Orbits and attitude: Kepler's equation, Lambert's problem, oblateness, quaternions."""

import math
from math import cos, pi, sin, sqrt, tan

import numpy as np
from numba import njit

from real_programs import draw, real

MU = 1.0
R0, V0 = np.array([1.0, 0.2, 0.1]), np.array([-0.1, 0.9, 0.2])
Q0 = np.array([0.9, 0.2, -0.3, 0.1])


@njit
def solve_kepler(M, e):
    E = M if e < 0.8 else math.pi
    for _ in range(50):
        step = (E - e * math.sin(E) - M) / (1 - e * math.cos(E))
        E -= step
        if abs(step) < 1e-14:
            break
    return E


@njit
def rotation_matrix(angle, axis):
    c = cos(angle)
    s = sin(angle)
    if axis == 0:
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    elif axis == 1:
        return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    elif axis == 2:
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    else:
        raise ValueError("Invalid axis: must be one of 'x', 'y' or 'z'")


@real(1.3, 0.3, 0.4, 0.2, 0.5, 0.9, wrt=(0, 1, 2, 3, 4, 5))
def elements_to_state(a, e, inc, raan, argp, M):
    E = solve_kepler(M, e)
    nu = 2 * math.atan2(sqrt(1 + e) * sin(E / 2), sqrt(1 - e) * cos(E / 2))
    p = a * (1 - e**2)
    r_pqw = np.array([cos(nu), sin(nu), 0]) * p / (1 + e * cos(nu))
    v_pqw = np.array([-sin(nu), e + cos(nu), 0]) * sqrt(MU / p)
    R = rotation_matrix(raan, 2) @ rotation_matrix(inc, 0) @ rotation_matrix(argp, 2)
    return R @ r_pqw, R @ v_pqw


@real(R0, V0, wrt=(0, 1))
def state_to_elements(r, v, tol=1e-8):
    h = np.cross(r, v)
    n = np.cross([0, 0, 1], h)
    e = ((v @ v - MU / np.linalg.norm(r)) * r - (r @ v) * v) / MU
    ecc = np.linalg.norm(e)
    p = h @ h / MU
    inc = np.arccos(h[2] / np.linalg.norm(h))
    circular = ecc < tol
    equatorial = abs(inc) < tol
    if equatorial and not circular:
        raan = 0
        argp = np.arctan2(e[1], e[0]) % (2 * pi)
    elif not equatorial and circular:
        raan = np.arctan2(n[1], n[0]) % (2 * pi)
        argp = 0
    else:
        raan = np.arctan2(n[1], n[0]) % (2 * np.pi)
        argp = np.arctan2(e @ np.cross(h, n) / np.linalg.norm(h), e @ n) % (2 * np.pi)
    return np.array([p, ecc, inc, raan, argp])


@njit
def c2(psi):
    if psi > 1.0:
        return (1 - math.cos(math.sqrt(psi))) / psi
    if psi < -1.0:
        return (math.cosh(math.sqrt(-psi)) - 1) / -psi
    total, k = 0.0, 0
    while True:
        term = (-psi) ** k / math.gamma(2 * k + 3)
        if total + term == total:
            return total
        total += term
        k += 1


@njit
def c3(psi):
    if psi > 1.0:
        return (np.sqrt(psi) - np.sin(np.sqrt(psi))) / (psi * np.sqrt(psi))
    res, term, k = 1.0 / 6.0, 1.0 / 6.0, 0
    while abs(term) > 1e-17:
        k += 1
        term *= -psi / ((2 * k + 2) * (2 * k + 3))
        res += term
    return res


@real(R0, V0, 0.7, wrt=(0, 1, 2))
def universal_propagation(r, v, t):
    """Kepler's problem in universal variables, by Newton's method."""
    radius = np.dot(r, r) ** 0.5
    sigma = np.dot(r, v) / np.sqrt(MU)
    alpha = 2 / radius - np.dot(v, v) / MU
    chi = np.sqrt(MU) * alpha * t
    for _ in range(35):
        psi = alpha * chi**2
        C, S = c2(psi), c3(psi)
        time = sigma * chi**2 * C + (1 - alpha * radius) * chi**3 * S + radius * chi
        slope = sigma * chi * (1 - psi * S) + (1 - alpha * radius) * chi**2 * C + radius
        step = (np.sqrt(MU) * t - time) / slope
        chi += step
        if abs(step) < 1e-13:
            break
    else:
        raise RuntimeError(f"no convergence: {step}")
    psi = alpha * chi**2
    f, g = 1 - chi**2 * c2(psi) / radius, t - chi**3 * c3(psi) / np.sqrt(MU)
    place = f * r + g * v
    distance = np.linalg.norm(place)
    fdot = np.sqrt(MU) * chi * (psi * c3(psi) - 1) / (distance * radius)
    return place, fdot * r + (1 - chi**2 * c2(psi) / distance) * v


@real(R0, np.array([-0.3, 1.1, 0.2]), 1.2, wrt=(0, 1, 2))
def lambert(r1, r2, tof):
    """Velocities that join two places in a given time, by bisection and one step of Newton's method."""
    norm1, norm2 = np.linalg.norm(r1), np.linalg.norm(r2)
    cos_dnu = np.clip(r1 @ r2 / (norm1 * norm2), -1, 1)
    A = np.sqrt(norm1 * norm2 * (1 + cos_dnu))
    if A == 0.0:
        raise RuntimeError("Cannot compute orbit, phase angle is 180 degrees")

    def time_of(psi):
        y = norm1 + norm2 - A * (1 - psi * c3(psi)) / c2(psi) ** 0.5
        xi = np.sqrt(y / c2(psi))
        return (xi**3 * c3(psi) + A * np.sqrt(y)) / np.sqrt(MU), y

    low, high = -4 * np.pi, 4 * np.pi**2
    low = 0.05
    psi = 0.5 * (low + high)
    for _ in range(40):
        t, y = time_of(psi)
        if t <= tof:
            low = psi
        else:
            high = psi
        psi = (low + high) / 2
    h = 1e-4
    for _ in range(2):
        t, y = time_of(psi)
        slope = (time_of(psi + h)[0] - time_of(psi - h)[0]) / (2 * h)
        psi = psi - (t - tof) / slope
    t, y = time_of(psi)
    f, g, gdot = 1 - y / norm1, A * np.sqrt(y / MU), 1 - y / norm2
    return (r2 - f * r1) / g, (gdot * r2 - r1) / g


def j2_acceleration(state, J2=1e-2, R=0.5):
    x, y, z = state[:3]
    r = np.linalg.norm(state[:3])
    factor = 1.5 * J2 * MU * R**2 / r**5
    a_x = 5.0 * z**2 / r**2 - 1
    a_z = 5.0 * z**2 / r**2 - 3
    return -MU * state[:3] / r**3 + np.array([a_x * x, a_x * y, a_z * z]) * factor


def rk4(f, y, h, **kwargs):
    k1 = f(y, **kwargs)
    k2 = f(y + 0.5 * h * k1, **kwargs)
    k3 = f(y + 0.5 * h * k2, **kwargs)
    k4 = f(y + h * k3, **kwargs)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@real(np.concatenate([R0, V0]), 0.02, wrt=(0, 1))
def j2_propagation(state, J2):
    def rhs(s, **kw):
        return np.hstack([s[3:], j2_acceleration(s, **kw)])

    trajectory = [state]
    for _ in range(5):
        trajectory.append(rk4(rhs, trajectory[-1], 0.1, J2=J2))
    return np.array(trajectory)


class Quaternion:
    """A unit quaternion with the operations that filters use."""

    def __init__(self, q):
        self.q = q / np.linalg.norm(q)

    def product(self, other):
        w, x, y, z = self.q
        return np.array(
            [
                w * other[0] - x * other[1] - y * other[2] - z * other[3],
                w * other[1] + x * other[0] + y * other[3] - z * other[2],
                w * other[2] - x * other[3] + y * other[0] + z * other[1],
                w * other[3] + x * other[2] - y * other[1] + z * other[0],
            ]
        )

    def to_DCM(self):
        w, x, y, z = self.q
        return np.array(
            [
                [1.0 - 2.0 * (y**2 + z**2), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                [2.0 * (x * y + w * z), 1.0 - 2.0 * (x**2 + z**2), 2.0 * (y * z - w * x)],
                [2.0 * (x * z - w * y), 2.0 * (w * x + y * z), 1.0 - 2.0 * (x**2 + y**2)],
            ]
        )


@real(Q0, draw(0, 3, 3, low=-1.0), draw(1, 3, 3, low=-1.0), 0.1, wrt=(0, 1, 2, 3))
def madgwick_filter(q, gyr, acc, gain):
    for w, a in zip(gyr, acc):
        a = a / np.linalg.norm(a)
        qDot = 0.5 * Quaternion(q).product([0.0, *w])
        qw, qx, qy, qz = q
        f = np.array(
            [2.0 * (qx * qz - qw * qy) - a[0], 2.0 * (qw * qx + qy * qz) - a[1], 2.0 * (0.5 - qx**2 - qy**2) - a[2]]
        )
        J = np.array([[-2.0 * qy, 2.0 * qz, -2.0 * qw, 2.0 * qx], [2.0 * qx, 2.0 * qw, 2.0 * qz, 2.0 * qy],
                      [0.0, -4.0 * qx, -4.0 * qy, 0.0]])  # fmt: skip
        gradient = J.T @ f
        gradient /= np.linalg.norm(gradient)
        qDot -= gain * gradient
        q = q + qDot * 0.01
        q /= np.linalg.norm(q)
    return q


@real(draw(2, 4, 3, low=-1.0), Q0, draw(3, 4), wrt=(0, 1, 2))
def wahba_loss(vectors, q, weights):
    R = Quaternion(q).to_DCM()
    rotated = np.array([R @ v for v in vectors])
    K = np.einsum("n,ni,nj->ij", weights, rotated, vectors)
    U, s, Vt = np.linalg.svd(K)
    d = np.linalg.det(U) * np.linalg.det(Vt)
    return s[0] + s[1] + d * s[2] + np.trace(U @ np.diag([1, 1, d]) @ Vt)

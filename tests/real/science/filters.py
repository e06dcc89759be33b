"""Kalman filters and their relatives, and residuals of maps and poses."""

from collections import namedtuple

import numpy as np

from real_programs import draw, real

F = np.array([[1.0, 0.1], [0.0, 1.0]])
H = np.array([[1.0, 0.0]])
Q, R, P0 = 0.1 * np.eye(2), np.array([[0.5]]), np.eye(2)
Z = draw(0, 6, 1, low=-1.0)


class KalmanFilter:
    """Keeps state and covariance as attributes, as filter packages do."""

    def __init__(self, dim_x, dim_z):
        self.x = np.zeros(dim_x)
        self.P = np.eye(dim_x)
        self.Q = np.eye(dim_x)
        self.F = np.eye(dim_x)
        self.H = np.zeros((dim_z, dim_x))
        self.R = np.eye(dim_z)
        self.log_likelihood = 0.0

    def predict(self, u=None, B=None):
        self.x = self.F @ self.x
        if u is not None:
            self.x = self.x + B @ u
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        PHT = self.P @ self.H.T
        S = self.H @ PHT + self.R
        K = PHT @ np.linalg.inv(S)
        self.x = self.x + K @ y
        I_KH = np.eye(len(self.x)) - K @ self.H
        self.P = I_KH @ self.P @ I_KH.T + K @ self.R @ K.T
        self.log_likelihood -= 0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))


@real(F, H, Q, R, Z, wrt=(0, 1, 2, 3, 4))
def kalman_class_likelihood(F, H, Q, R, zs):
    kf = KalmanFilter(2, 1)
    kf.F, kf.H, kf.Q, kf.R = F, H, Q, R
    for z in zs:
        kf.predict()
        kf.update(z)
    return kf.log_likelihood


def kf_predict(x, P, F=1, Q=0, u=0, B=1, alpha=1.0):
    if np.isscalar(F):
        F = np.array(F)
    x = np.dot(F, x) + np.dot(B, u)
    P = (alpha * alpha) * np.dot(np.dot(F, P), F.T) + Q
    return x, P


def kf_update(x, P, z, R, H=None, return_all=False):
    if z is None:
        return x, P
    if H is None:
        H = np.eye(x.shape[0])
    y = z - np.dot(H, x)
    S = np.dot(np.dot(H, P), H.T) + R
    K = np.dot(np.dot(P, H.T), np.linalg.inv(S))
    x = x + np.dot(K, y)
    P = P - np.dot(np.dot(K, H), P)
    if return_all:
        return x, P, y, K, S
    return x, P


@real(P0, F, Q, R, Z, wrt=(0, 1, 2, 3, 4))
def kalman_functions(P, F, Q, R, zs):
    x = np.zeros(2)
    means = np.zeros((len(zs), 2))
    for i, z in enumerate(zs):
        x, P = kf_predict(x, P, F=F, Q=Q)
        x, P, *_ = kf_update(x, P, z, R, H=H, return_all=True)
        means[i] = x
    return means


def rts_smoother(Xs, Ps, F, Q):
    n = len(Xs)
    x, P, Pp = Xs.copy(), Ps.copy(), Ps.copy()
    K = np.zeros_like(Ps)
    for k in range(n - 2, -1, -1):
        Pp[k] = F @ P[k] @ F.T + Q
        K[k] = P[k] @ F.T @ np.linalg.inv(Pp[k])
        x[k] += K[k] @ (x[k + 1] - F @ x[k])
        P[k] += K[k] @ (P[k + 1] - Pp[k]) @ K[k].T
    return x, P, K


@real(draw(1, 5, 2), np.stack([np.eye(2) + 0.1 * k for k in range(5)]), F, Q, wrt=(0, 1, 2, 3))
def smoother(Xs, Ps, F, Q):
    x, P, _ = rts_smoother(Xs, Ps, F, Q)
    return x, P


@real(np.array([0.5, 0.2, 0.3]), draw(2, 4, 2), np.diag([0.1, 0.2]), np.array([[2.0, 1.0], [-1.0, 2.0]]), wrt=(0, 1, 2))
def ekf_localisation(x, controls, R, landmarks, dt=0.1):
    """A unicycle that measures ranges and bearings."""
    P = np.eye(3)
    for u in controls:
        theta = x[2]
        x = x + dt * np.array([u[0] * np.cos(theta), u[0] * np.sin(theta), u[1]])
        Fx = np.array([[1, 0, -dt * u[0] * np.sin(theta)], [0, 1, dt * u[0] * np.cos(theta)], [0, 0, 1]])
        P = Fx @ P @ Fx.T + 0.01 * np.eye(3)
        for lm in landmarks:
            d = lm - x[:2]
            q = d @ d
            r = np.sqrt(q)
            Hx = np.array([[-d[0] / r, -d[1] / r, 0], [d[1] / q, -d[0] / q, -1]])
            z_hat = np.array([r, np.arctan2(d[1], d[0]) - x[2]])
            innovation = np.array([1.0, 0.3]) - z_hat
            innovation[1] = (innovation[1] + np.pi) % (2 * np.pi) - np.pi
            S = Hx @ P @ Hx.T + R
            K = P @ Hx.T @ np.linalg.inv(S)
            x = x + K @ innovation
            P = (np.eye(3) - K @ Hx) @ P
    return x, P


def sigma_points(x, P, kappa):
    n = len(x)
    U = np.linalg.cholesky((n + kappa) * P).T
    sigmas = np.zeros((2 * n + 1, n))
    sigmas[0] = x
    for k in range(n):
        sigmas[k + 1] = x + U[k]
        sigmas[n + k + 1] = x - U[k]
    return sigmas


@real(np.array([1.0, 0.4]), np.array([[0.3, 0.1], [0.1, 0.2]]), Z, wrt=(0, 1), symmetric=(1,))
def ukf(x, P, zs, kappa=1.0):
    n = 2
    W = np.full(2 * n + 1, 0.5 / (n + kappa))
    W[0] = kappa / (n + kappa)
    for z in zs:
        s = sigma_points(x, P, kappa)
        s = np.array([[a + 0.1 * b, b - 0.1 * np.sin(a)] for a, b in s])
        x = W @ s
        P = sum(w * np.outer(d, d) for w, d in zip(W, s - x)) + 0.01 * np.eye(2)
        h = np.array([np.hypot(a, 1.0) for a, _ in s])
        zp = W @ h
        S = W @ (h - zp) ** 2 + 0.2
        Pxz = np.zeros(2)
        for i in range(2 * n + 1):
            Pxz += W[i] * (s[i] - x) * (h[i] - zp)
        K = Pxz / S
        x = x + K * (z[0] - zp)
        P = P - np.outer(K, K) * S
    return x, P


Edge = namedtuple("Edge", ["i", "j", "z"])
EDGES = [
    Edge(0, 1, np.array([1.0, 0.1, 0.2])),
    Edge(1, 2, np.array([0.9, -0.1, 0.1])),
    Edge(0, 2, np.array([2.0, 0, 0.3])),
]


def v2t(p):
    c, s = np.cos(p[2]), np.sin(p[2])
    return np.array([[c, -s, p[0]], [s, c, p[1]], [0, 0, 1]])


def t2v(T):
    return np.array([T[0, 2], T[1, 2], np.arctan2(T[1, 0], T[0, 0])])


@real(draw(3, 3, 3), 1.5, wrt=(0, 1))
def pose_graph(poses, huber):
    total = 0
    for edge in EDGES:
        error = t2v(np.linalg.inv(v2t(edge.z)) @ np.linalg.inv(v2t(poses[edge.i])) @ v2t(poses[edge.j]))
        e = np.linalg.norm(error)
        total += 0.5 * e**2 if e <= huber else huber * (e - 0.5 * huber)
    return total


@real({"cameras": draw(4, 2, 6), "points": draw(5, 4, 3) + np.array([0, 0, 3.0])}, draw(6, 2, 4, 2))
def bundle_adjustment(params, observed):
    """Reprojection residuals with rotations by Rodrigues' formula."""

    def rotate(points, rot):
        theta = np.linalg.norm(rot)
        v = rot / theta
        dot = points @ v
        return (
            np.cos(theta) * points
            + np.sin(theta) * np.cross(v, points)
            + (1 - np.cos(theta)) * dot[:, None] * v[None, :]
        )

    residuals = []
    for camera, seen in zip(params["cameras"], observed):
        p = rotate(params["points"], camera[:3]) + camera[3:]
        residuals.append((p[:, :2] / p[:, 2, np.newaxis] - seen).ravel())
    return np.sum(np.concatenate(residuals) ** 2)

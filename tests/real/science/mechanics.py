"""Robot arms, oscillators, epidemics, neurons, spins, and light in layers."""

import numpy as np
from scipy.integrate import odeint
from scipy.interpolate import CubicSpline
from scipy.linalg import expm

from real_programs import draw, real

DH = [(0.0, np.pi / 2, 0.3), (0.5, 0.0, 0.0), (0.4, 0.0, 0.1)]


def dh_transform(theta, a, alpha, d):
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]])


@real(draw(0, 3), np.array([0.4, 0.2, 0.5]), wrt=(0, 1))
def inverse_kinematics_loss(q, target):
    T = np.eye(4)
    for qi, (a, alpha, d) in zip(q, DH):
        T = T @ dh_transform(qi, a, alpha, d)
    position = T[:3, 3]
    return np.linalg.norm(position - target) ** 2 + 0.1 * (1 - T[:3, 2] @ np.array([0, 0, 1.0]))


@real(draw(1, 3), draw(2, 3), draw(3, 3), draw(4, 3) + 0.5, wrt=(0, 1, 2, 3))
def newton_euler(q, qd, qdd, mass):
    """Torques of a planar arm by recursion outwards and inwards."""
    n = len(q)
    z = np.array([0.0, 0.0, 1.0])
    w, wd, vd = np.zeros(3), np.zeros(3), np.array([0.0, 9.81, 0.0])
    Rs, Fs, Ns = [], [], []
    link, com = np.array([0.5, 0.0, 0.0]), np.array([0.25, 0.0, 0.0])
    for i in range(n):
        c, s = np.cos(q[i]), np.sin(q[i])
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        w_new = R.T @ w + z * qd[i]
        wd = R.T @ wd + np.cross(R.T @ w, z * qd[i]) + z * qdd[i]
        w = w_new
        vd = R.T @ vd
        ac = vd + np.cross(wd, com) + np.cross(w, np.cross(w, com))
        inertia = np.diag([0.01, 0.02, 0.02]) * mass[i]
        Fs.append(mass[i] * ac)
        Ns.append(inertia @ wd + np.cross(w, inertia @ w))
        Rs.append(R)
        vd = vd + np.cross(wd, link) + np.cross(w, np.cross(w, link))
    f, moment = np.zeros(3), np.zeros(3)
    tau = np.zeros(n)
    for i in reversed(range(n)):
        R = Rs[i + 1] if i + 1 < n else np.eye(3)
        moment = Ns[i] + R @ moment + np.cross(com, Fs[i]) + np.cross(link, R @ f)
        f = R @ f + Fs[i]
        tau[i] = moment @ z
    return tau


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


@real(draw(5, 3, 6), draw(6, 3), wrt=(0, 1))
def product_of_exponentials(screws, thetas):
    T = np.eye(4)
    for S, th in zip(screws, thetas):
        se3 = np.zeros((4, 4))
        se3[:3, :3] = skew(S[:3])
        se3[:3, 3] = S[3:]
        T = T @ expm(se3 * th)
    return T


@real(np.array([0.99, 0.01, 0.0]), {"beta": 0.6, "gamma": 0.2}, wrt=(0, 1))
def sir_model(y0, params, n=20, dt=0.5):
    def deriv(y, beta, gamma):
        S, I, R = y
        return np.array([-beta * S * I, beta * S * I - gamma * I, gamma * I])

    y = y0
    out = [y0]
    for _ in range(n):
        y = y + dt * deriv(y, **params)
        out.append(y)
    return np.stack(out)[:, 1].max()


@real(np.array([1.5, 1.0, 3.0, 1.0]), np.array([1.0, 0.5]), wrt=(0, 1))
def lotka_volterra_fit(theta, y0):
    def rhs(y, t, a, b, c, d):
        return [a * y[0] - b * y[0] * y[1], -c * y[1] + d * y[0] * y[1]]

    t = np.linspace(0, 1, 5)
    sol = odeint(rhs, y0, t, args=tuple(theta), rtol=1e-10, atol=1e-10)
    return np.sum((sol - 1.0) ** 2)


@real(0.5, draw(7, 10), wrt=(0, 1))
def hodgkin_huxley(g, current, dt=0.01):
    V, m, h, n = -65.0, 0.05, 0.6, 0.32
    trace = np.zeros_like(current)
    for i, I in enumerate(current):
        alpha_n = 0.01 * (V + 55) / (1 - np.exp(-0.1 * (V + 55)))
        beta_n = 0.125 * np.exp(-0.0125 * (V + 65))
        alpha_m = 0.1 * (V + 40) / (1 - np.exp(-0.1 * (V + 40)))
        beta_m = 4 * np.exp(-0.0556 * (V + 65))
        alpha_h, beta_h = 0.07 * np.exp(-0.05 * (V + 65)), 1 / (1 + np.exp(-0.1 * (V + 35)))
        V += dt * (I - 120 * m**3 * h * (V - 50) - 36 * n**4 * (V + 77) - g * (V + 54.4))
        m += dt * (alpha_m * (1 - m) - beta_m * m)
        h += dt * (alpha_h * (1 - h) - beta_h * h)
        n += dt * (alpha_n * (1 - n) - beta_n * n)
        trace[i] = V
    return trace


def S(v, v_max=5.0, r=0.56, v0=6.0):
    return v_max / (1 + np.exp(r * (v0 - v)))


@real(draw(8, 3, 3), draw(9, 3), 3.25, wrt=(0, 1, 2))
def jansen_rit(weights, drive, A):
    """Neural masses that are coupled; second differences of the potentials."""
    n = len(drive)
    y = np.zeros((6, n))
    eeg = []
    for step in range(6):
        coupling = weights @ S(y[1] - y[2])
        dy = np.empty_like(y)
        dy[:3] = y[3:]
        dy[3] = A * 0.1 * S(y[1] - y[2]) - 0.2 * y[3] - 0.01 * y[0]
        dy[4] = A * 0.1 * (drive + coupling + 108 * S(135 * y[0])) - 0.2 * y[4] - 0.01 * y[1]
        dy[5] = 22 * 0.05 * 33 * S(33 * y[0]) - 0.1 * y[5] - 0.0025 * y[2]
        y = y + 0.5 * dy
        eeg.append(y[1] - y[2])
    return np.array(eeg).T @ np.ones(6)


@real(0.4, 0.1, wrt=(0, 1))
def ising_free_energy(J, field, L=4):
    """By the transfer matrix of a ring, and by summing over all states."""
    T = np.array([[np.exp(J + field), np.exp(-J)], [np.exp(-J), np.exp(J - field)]])
    by_matrix = np.log(np.trace(np.linalg.matrix_power(T, L)))
    Zsum = 0.0
    for state in range(2**L):
        spins = [1 if (state >> k) & 1 else -1 for k in range(L)]
        energy = sum(J * spins[k] * spins[(k + 1) % L] + field * spins[k] for k in range(L))
        Zsum += np.exp(energy)
    return by_matrix + np.log(Zsum)


@real(draw(10, 5), draw(11, 5), 0.3, wrt=(0, 1, 2))
def two_stream_transfer(tau, albedo, surface):
    """Fluxes through layers by adding them one to another from below."""
    R, up = surface, 0.0
    for t, w in zip(tau[::-1], albedo[::-1]):
        k = np.sqrt(3 * (1 - w))
        r = w * (1 - np.exp(-2 * k * t)) / 2
        tr = np.exp(-k * t)
        R = r + tr**2 * R / (1 - r * R)
        up = up * tr / (1 - r * R) + (1 - w) * t
    return R + up


@real(draw(12, 6), draw(13, 4), wrt=(0, 1))
def spline_fit(y, queries):
    x = np.arange(6.0)
    spline = CubicSpline(x, y)
    return np.sum(spline(queries * 5) ** 2)


@real(draw(14, 7), wrt=(0,))
def natural_spline(y, lam=0.5):
    n = len(y)
    D = np.diff(np.eye(n), 2, axis=0)
    smooth = np.linalg.solve(np.eye(n) + lam * D.T @ D, y)
    return np.sum((y - smooth) ** 2) + np.ptp(smooth)

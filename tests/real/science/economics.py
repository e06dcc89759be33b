"""Prices, growth models, and life cycles."""

import numpy as np
from numba import jit, njit, prange
from scipy.stats import norm

from real_programs import draw, real


@real(1.1, 1.0, 0.5, 0.02, 0.3, wrt=(0, 1, 2, 3, 4))
def black_scholes(S, K, T, r, sigma, option="call"):
    d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    if option == "call":
        return S * norm.cdf(d1) - K * np.exp(-r * T) * norm.cdf(d2)
    elif option == "put":
        return K * np.exp(-r * T) * norm.cdf(-d2) - S * norm.cdf(-d1)
    else:
        raise ValueError(f"unknown option {option}")


@real(1.1, 1.0, 0.5, 0.02, 0.3, 6, wrt=(0, 1, 2, 3, 4))
def binomial_tree(S, K, T, r, sigma, n):
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    stock = S * u ** np.arange(n, -n - 1, -2.0)
    values = np.maximum(K - stock, 0)
    for i in range(n - 1, -1, -1):
        stock = stock[:-1] * d
        values = np.exp(-r * dt) * (p * values[:-1] + (1 - p) * values[1:])
        values = np.maximum(values, K - stock)
    return values[0]


@real(np.array([0.04, 1.5, 0.04, 0.3, -0.7]), draw(0, 5, 8, 2, low=-1.0), wrt=(0,))
def heston_monte_carlo(theta, normals, K=1.0, dt=0.1):
    v0, kappa, vbar, xi, rho = theta
    steps, paths, _ = normals.shape
    S, v = np.ones(paths), v0 * np.ones(paths)
    for z in normals:
        w = rho * z[:, 0] + np.sqrt(1 - rho**2) * z[:, 1]
        vp = np.maximum(v, 0.0)
        S *= np.exp(-0.5 * vp * dt + np.sqrt(vp * dt) * z[:, 0])
        v += kappa * (vbar - vp) * dt + xi * np.sqrt(vp * dt) * w
    return np.mean(np.maximum(S - K, 0))


@njit
def utility(c, gamma):
    return np.log(c) if gamma == 1 else (c ** (1 - gamma) - 1) / (1 - gamma)


@jit(nopython=True, parallel=True)
def bellman(v, grid, alpha, beta, gamma, A):
    new = np.empty_like(v)
    for i in prange(len(grid)):
        best = -np.inf
        for j in range(len(grid)):
            c = A * grid[i] ** alpha - grid[j]
            if c > 0:
                val = utility(c, gamma) + beta * v[j]
                if val > best:
                    best = val
        new[i] = best
    return new


@real(0.36, 0.9, 2.0, 1.2, wrt=(0, 1, 2, 3))
def value_function_iteration(alpha, beta, gamma, A, tol=1e-3):
    grid = np.linspace(0.1, 0.5, 7)
    v = np.zeros(7)
    error, i = tol + 1, 0
    while error > tol and i < 12:
        v_new = bellman(v, grid, alpha, beta, gamma, A)
        error = np.max(np.abs(v - v_new))
        v = v_new
        i += 1
    return v


class RBC:
    """A growth model with parameters as attributes and the steady state as a property."""

    def __init__(self, alpha=0.33, beta=0.96, delta=0.1, rho=0.9):
        self.alpha, self.beta, self.delta, self.rho = alpha, beta, delta, rho

    @property
    def k_ss(self):
        return ((1 / self.beta - 1 + self.delta) / self.alpha) ** (1 / (self.alpha - 1))

    def f(self, k, z):
        return np.exp(z) * k**self.alpha

    def simulate(self, shocks, s=0.2):
        k, z, path = self.k_ss, 0.0, []
        for e in shocks:
            z = self.rho * z + e
            k = (1 - self.delta) * k + s * self.f(k, z)
            path.append(k)
        return np.array(path)


@real(0.33, 0.96, draw(1, 6, low=-0.1, high=0.1), wrt=(0, 1, 2))
def rbc_simulation(alpha, beta, shocks):
    model = RBC(alpha, beta=beta)
    return model.simulate(shocks)


@real(np.array([0.3, 0.2, 0.25, 0.1]), 0.96, 1.5, wrt=(0, 1, 2))
def olg_euler_errors(savings, beta, gamma, w=1.0, r=0.05):
    """Residuals of the households' first-order conditions over the life cycle."""
    productivity = [0.6, 0.9, 1.2, 1.0, 0.0]
    assets = np.append(0.0, savings)
    income = w * np.array(productivity) + (1 + r) * assets
    c = income - np.append(savings, 0.0)
    mu = c ** (-gamma)
    return np.sum((1 - beta * (1 + r) * mu[1:] / mu[:-1]) ** 2)


@real(draw(2, 4), np.array([[0.9, 0.1], [0.2, 0.8]]), 0.95, wrt=(0, 1, 2))
def asset_prices(dividends, P, beta):
    d = dividends.reshape(2, 2)
    n = P.shape[0]
    v = np.linalg.solve(np.eye(n) - beta * P, beta * P @ d)
    assert v.shape == (n, 2), "wrong shape"
    evals, evecs = np.linalg.eigh(P @ P.T)
    return v.sum() + np.max(evals)


@real(draw(3, 6, 3), draw(4, 3, low=-1.0), np.array([0, 2, 1, 1, 0, 2]), wrt=(0, 1))
def multinomial_logit(X, beta, choice):
    def logsumexp(a):
        m = max(a)
        return m + np.log(sum(np.exp(ai - m) for ai in a))

    ll = 0.0
    for x, c in zip(X, choice):
        utilities = [beta[j] * x[j] for j in range(3)]
        ll += utilities[c] - logsumexp(utilities)
    return -ll / len(choice)

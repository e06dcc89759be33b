"""Likelihoods of volatility models and of survival times."""

import numpy as np
from scipy.special import gammaln

from real_programs import draw, real

RETURNS = draw(0, 12, low=-1.0)
PARAMS = np.array([0.05, 0.1, 0.8])


@real(PARAMS, RETURNS, wrt=(0, 1))
def garch_loglik(params, returns):
    omega, alpha, beta = params
    T = returns.shape[0]
    sigma2 = np.zeros(T)
    sigma2[0] = np.var(returns)
    for t in range(1, T):
        sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    lls = -0.5 * (np.log(2 * np.pi) + np.log(sigma2) + returns**2 / sigma2)
    return -lls.sum()


@real(np.array([-0.1, 0.2, -0.1, 0.9]), RETURNS, np.empty(12), wrt=(0, 1))
def egarch_recursion(params, z, log_variance):
    """Asymmetric reactions to standardised returns; the buffer is the caller's."""
    omega, alpha, gamma, beta = params
    mean_size = np.sqrt(2 / np.pi)
    for t, _ in enumerate(z):
        log_variance[t] = omega
        if t > 0:
            log_variance[t] += alpha * (abs(z[t - 1]) - mean_size) + gamma * z[t - 1] + beta * log_variance[t - 1]
    return np.exp(log_variance)


class StudentsT:
    """Student's distribution with variance one, as a class with its own checks."""

    lowest = 2.05

    def __init__(self, lowest=None):
        if lowest is not None:
            self.lowest = lowest

    def loglik(self, nu, e, s2, pointwise=False):
        if not nu > self.lowest:
            raise ValueError(f"nu must be above {self.lowest}")
        const = gammaln(0.5 * (nu + 1)) - gammaln(0.5 * nu) - 0.5 * np.log(np.pi * (nu - 2))
        ll = const - 0.5 * np.log(s2) - 0.5 * (nu + 1) * np.log1p(e**2 / (s2 * (nu - 2)))
        return ll if pointwise else sum(ll)


@real(np.array([6.0]), RETURNS, draw(1, 12) + 0.5, wrt=(0, 1, 2))
def student_likelihood(parameters, resids, sigma2):
    dist = StudentsT()
    return dist.loglik(parameters[0], resids, sigma2)


@real(np.array([0.05, 0.1, 0.1, 0.7]), RETURNS, 1, 1, 1)
def gjr_garch(params, y, p, o, q):
    """Any orders; values before the sample are backcast."""
    w = 0.94 ** np.arange(len(y))
    w = w / w.sum()
    backcast = np.sum(y**2 * w)
    sigma2 = []
    for t in range(len(y)):
        s = params[0]
        loc = 1
        for j in range(p):
            s += params[loc] * (y[t - 1 - j] ** 2 if t - 1 - j >= 0 else backcast)
            loc += 1
        for j in range(o):
            if t - 1 - j < 0:
                s += params[loc] * 0.5 * backcast
            else:
                s += params[loc] * y[t - 1 - j] ** 2 * (y[t - 1 - j] < 0)
            loc += 1
        for j in range(q):
            s += params[loc] * (sigma2[t - 1 - j] if t - 1 - j >= 0 else backcast)
            loc += 1
        sigma2.append(s)
    sigma2 = np.array(sigma2)
    return 0.5 * (np.log(sigma2) + y**2 / sigma2).sum()


@real(np.array([0.2, 0.9, -0.3]), RETURNS, draw(2, 12, 20, low=-1.5, high=1.5))
def stochastic_volatility_filter(theta, y, noise):
    """A particle filter without resampling, with noise from outside."""
    mu, phi, log_tau = theta
    n_particles = noise.shape[1]
    h = mu * np.ones(n_particles)
    loglik = 0.0
    logw = np.zeros(n_particles)
    for t, obs in enumerate(y):
        h = mu + phi * (h - mu) + np.exp(log_tau) * noise[t]
        logw += -0.5 * (np.log(2 * np.pi) + h + obs**2 * np.exp(-h))
        m = logw.max()
        w = np.exp(logw - m)
        loglik += m + np.log(w.mean())
        logw = np.log(w / w.sum() * n_particles)
    return loglik


@real({"beta": draw(3, 3), "log_shape": 0.2}, draw(4, 10, 3), draw(5, 10) + 0.1, draw(6, 10) > 0.3)
def weibull_regression(params, X, times, observed):
    shape = np.exp(params["log_shape"])
    log_scale = X @ params["beta"]
    z = (np.log(times) - log_scale) * shape
    log_hazard = np.log(shape) + (shape - 1) * np.log(times) - shape * log_scale
    return -np.sum(np.where(observed, log_hazard, 0.0) - np.exp(z))


@real(draw(7, 3), draw(8, 8, 3), draw(9, 8), draw(10, 8) > 0.4)
def cox_partial_likelihood(beta, X, times, event):
    order = np.argsort(-times)
    X, event = X[order], event[order]
    eta = X.dot(beta)
    risk = np.cumsum(np.exp(eta))
    return -(eta - np.log(risk))[event].sum()

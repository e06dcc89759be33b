"""Gaussian processes, variational inference, mixtures and samplers."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import expit, logsumexp
from scipy.stats import multivariate_normal as mvn
from scipy.stats import norm

from real_programs import draw, real

X, Y = draw(0, 6, 1, low=-2.0, high=2.0), draw(1, 6)
NOISE = draw(2, 5, 2, low=-1.5, high=1.5)


def squared_exponential(theta, a, b):
    scaled = [np.asarray(v) / np.exp(theta[1:]) for v in (a, b)]
    gaps = scaled[0][:, None, :] - scaled[1][None, :, :]
    return np.exp(theta[0]) * np.exp(-0.5 * (gaps**2).sum(axis=-1))


def gaussian_process(kernel):
    """Two functions of all parameters: the first is the mean, the second the logarithm of the noise."""

    def split(params):
        mean, log_noise, *_ = params
        return mean, np.exp(log_noise) + 0.01, params[2:]

    def evidence(params, x, y):
        mean, noise, theta = split(params)
        return mvn.logpdf(y, np.full(len(y), mean), kernel(theta, x, x) + noise * np.eye(len(y)))

    def posterior(params, x, y, new):
        mean, noise, theta = split(params)
        K, cross = kernel(theta, x, x) + noise * np.eye(len(y)), kernel(theta, new, x)
        gain = np.linalg.solve(K, cross.T).T
        return mean + gain @ (y - mean), kernel(theta, new, new) - gain @ cross.T

    return evidence, posterior


GP_LIKELIHOOD, GP_PREDICT = gaussian_process(squared_exponential)


@real(draw(3, 4), X, Y)
def gp_likelihood(params, x, y):
    return -GP_LIKELIHOOD(params, x, y)


@real(draw(4, 4), X, Y, draw(5, 3, 1), wrt=(0, 2, 3))
def gp_prediction(params, x, y, xstar):
    mean, cov = GP_PREDICT(params, x, y, xstar)
    return mean, np.diag(cov)


@real(draw(6, 3), X, Y)
def gp_by_cholesky(theta, x, y):
    K = theta[0] ** 2 * np.exp(-((x - x.T) ** 2) / theta[1] ** 2) + (theta[2] ** 2 + 1e-6) * np.eye(len(x))
    factor = cho_factor(K, lower=True)
    alpha = cho_solve(factor, y)
    return 0.5 * y @ alpha + np.log(np.diag(factor[0])).sum() + 0.5 * len(y) * np.log(2 * np.pi)


@real([draw(7, 4), draw(8, 4)], draw(9, 6), X, Y, wrt=(0, 1))
def deep_gp(layers, hidden, x, y):
    """The values between the layers are parameters."""
    values = [x, hidden[:, np.newaxis], y]
    return -sum(GP_LIKELIHOOD(p, a, np.squeeze(b)) for p, a, b in zip(layers, values[:-1], values[1:]))


def inducing_points(Z, x, y, log_len, noise=0.1):
    def k(a, b):
        return np.exp(-0.5 * (a[:, None] - b[None, :]) ** 2 / np.exp(2 * log_len))

    L = np.linalg.cholesky(k(Z, Z) + 1e-4 * np.eye(len(Z)))
    A = solve_triangular(L, k(Z, x), lower=True) / np.sqrt(noise)
    B = np.eye(len(Z)) + A @ A.T
    LB = np.linalg.cholesky(B)
    c = solve_triangular(LB, A @ y, lower=True) / np.sqrt(noise)
    return -np.sum(np.log(np.diag(LB))) + 0.5 * c @ c - 0.5 * (len(x) - np.trace(A @ A.T) * noise) / noise


@real(draw(10, 3), 0.1, X[:, 0], Y, wrt=(0, 1))
def sparse_gp_bound(Z, log_len, x, y):
    return inducing_points(Z, x, y, log_len)


def evidence_bound(log_density, size, noise):
    def bound(variational):
        mean, log_std = variational[:size], variational[size:]
        z = mean + np.exp(log_std) * noise
        return np.mean(log_density(z)) + log_std.sum() + 0.5 * size * np.log(2 * np.pi * np.e)

    return bound


def funnel(x):
    place, log_width = x.T
    return norm.logpdf(log_width, scale=1.35) + norm.logpdf(place, loc=0, scale=np.exp(log_width))


OBJECTIVE = evidence_bound(funnel, 2, NOISE)


@real(np.array([0.2, -0.1, -1.0, -0.7]))
def funnel_by_variational_inference(params):
    return -OBJECTIVE(params)


@real(draw(11, 2 * 7, low=-1.0, high=0.0), draw(12, 4, 7, low=-1.0), X, Y)
def bayesian_neural_net(params, eps, x, y):
    D = len(params) // 2
    mean, log_std = np.split(params, 2)
    total = 0.0
    for e in eps:
        w = mean + np.exp(log_std) * e
        W1, b1, W2, b2 = w[:2].reshape(1, 2), w[2:4], w[4:6].reshape(2, 1), w[6]
        out = np.sin(x @ W1 + b1) @ W2 + b2
        total += -0.5 * np.sum((out[:, 0] - y) ** 2) / 0.01 - 0.5 * np.sum(w**2)
    return -(total / len(eps) + np.sum(log_std) + 0.5 * D)


@real(
    {"logits": draw(13, 2), "means": draw(14, 2, 2), "roots": draw(15, 2, 2, 2) + np.eye(2)}, draw(16, 7, 2), wrt=(0, 1)
)
def mixture_of_gaussians(params, data):
    weights = dict(params, logits=params["logits"] - logsumexp(params["logits"]))
    parts = [w + mvn.logpdf(data, m, r.T @ r) for w, m, r in zip(*weights.values())]
    return logsumexp(np.vstack(parts), axis=0).sum()


@real([draw(17, 3, 4, low=-1.0), draw(18, 4), draw(19, 2, 3, low=-1.0), draw(20, 3)],
      (draw(21, 5, 3) > 0.5).astype(float), draw(22, 5, 2, low=-1.0))  # fmt: skip
def variational_autoencoder(params, images, eps):
    W_enc, b_enc, W_dec, b_dec = params
    mean, log_std = np.array_split(images @ W_enc + b_enc, 2, axis=1)
    z = mean + eps * np.exp(log_std)
    logits = z @ W_dec + b_dec
    unary = -np.logaddexp(0, -logits * (images * 2 - 1))
    kl = 0.5 * (np.exp(2 * log_std) + mean**2 - 1 - 2 * log_std).sum(axis=-1)
    return -np.mean(unary.sum(-1) - kl)


@real(draw(23, 3, low=-1.0), draw(24, 3), 0.1, 5, wrt=(0, 1, 2))
def hamiltonian_trajectory(q, p, step, n):
    """Leapfrog steps in a logistic posterior with its gradient by hand."""
    A = draw(25, 8, 3)

    def grad_U(q):
        return q - A.T @ (1 - expit(A @ q))

    def U(q):
        return 0.5 * q @ q - np.log(expit(A @ q)).sum()

    start = U(q) + 0.5 * p @ p
    p = p - 0.5 * step * grad_U(q)
    for i in range(n):
        q = q + step * p
        if i != n - 1:
            p = p - step * grad_U(q)
    p = -(p - 0.5 * step * grad_U(q))
    return start - U(q) - 0.5 * p @ p


@real(np.array([0.2, 0.5]), NOISE)
def natural_gradient_step(params, noise, rate=0.1):
    """Fisher's information from samples of the score."""
    mu, log_sigma = params
    x = mu + np.exp(log_sigma) * noise[:, 0]
    z = (x - mu) / np.exp(log_sigma)
    score = np.stack([z / np.exp(log_sigma), z**2 - 1], axis=1)
    fisher = sum(np.outer(s, s) for s in score) / len(score)
    g = np.mean([s * xi**2 for s, xi in zip(score, x)], axis=0)
    return params - rate * np.linalg.solve(fisher + 0.1 * np.eye(2), g)


def flow_step(z, w, u, b):
    activation = np.tanh(z @ w + b)
    psi = (1 - activation**2)[:, None] * w
    return z + activation[:, None] * u, np.log(np.abs(1 + psi @ u))


@real([(draw(26, 2), draw(27, 2), 0.1), (draw(28, 2), draw(29, 2), -0.2)], NOISE)
def planar_flow(flow_params, z):
    logdet = np.zeros(len(z))
    for params in flow_params:
        z, ld = flow_step(z, *params)
        logdet += ld
    return -np.mean(norm.logpdf(z).sum(axis=1) + logdet)

"""Likelihoods and estimates of statistics."""

import numpy as np

from harness.kernels import kernel


@kernel(
    lambda random: (
        np.log(random.dirichlet(np.ones(8), 8)),
        random.standard_normal(8),
        random.uniform(0.5, 1.5, 8),
        random.standard_normal(200),
    ),
    wrt=(0, 1, 2),
)
def hidden_markov(log_transition, mean, deviation, observed):
    """The log-likelihood of a hidden Markov model with normal emissions, by the forward algorithm."""
    states = mean.shape[0]
    log_alpha = np.full(states, -np.log(states))
    for t in range(observed.shape[0]):
        joint = log_alpha[:, None] + log_transition
        largest = np.max(joint, axis=0)
        predicted = largest + np.log(np.sum(np.exp(joint - largest), axis=0))
        z = (observed[t] - mean) / deviation
        log_alpha = predicted - 0.5 * z**2 - np.log(deviation)
    largest = np.max(log_alpha)
    return largest + np.log(np.sum(np.exp(log_alpha - largest)))


@kernel(lambda random: (np.array([0.1, 0.1, 0.8]), 0.0, 0.5 * random.standard_normal(8000)), wrt=(0, 1))
def garch(parameters, mean, returns):
    """The negative log-likelihood of a GARCH(1, 1) model."""
    omega, alpha, beta = parameters
    variance = np.var(returns)
    loss = 0.0
    for r in returns:
        loss += 0.5 * (np.log(variance) + (r - mean) ** 2 / variance)
        variance = omega + alpha * (r - mean) ** 2 + beta * variance
    return loss


@kernel(
    lambda random: (0.1 * random.standard_normal(10), random.standard_normal((5000, 10)), random.random(5000) < 0.7),
    wrt=(0,),
)
def survival(weights, features, died):
    """Cox's partial likelihood; the rows are in the order of the times, the last one first."""
    risk = features @ weights
    at_risk = np.cumsum(np.exp(risk))
    return -np.sum((risk - np.log(at_risk))[died]) + 0.01 * np.sum(weights**2)


@kernel(
    lambda random: (np.array([0.5, 1.0, 0.1]), random.standard_normal((60, 2)), random.standard_normal(60)),
    wrt=(0, 1),
)
def gaussian_process(hyper, points, values):
    """The negative log-likelihood of values under a Gaussian process."""
    length, size, noise = hyper
    n = points.shape[0]
    covariance = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            square = np.sum((points[i] - points[j]) ** 2)
            covariance[i, j] = size * np.exp(-0.5 * square / length**2)
            covariance[j, i] = covariance[i, j]
        covariance[i, i] += noise
    solved = np.linalg.solve(covariance, values)
    return 0.5 * np.dot(values, solved) + 0.5 * np.log(np.linalg.det(covariance))


@kernel(
    lambda random: (
        random.standard_normal(6),
        np.array([0.1, 0.5, 0.4, 0.6]),
        random.standard_normal((3000, 6)),
        random.integers(0, 5, 3000),
    ),
    wrt=(0, 1),
)
def ordered_grades(weights, gaps, features, grade):
    """Ordinal regression: a grade is the number of thresholds that a score exceeds."""
    thresholds = np.cumsum(gaps) - 1.0
    score = features @ weights
    below = 1 / (1 + np.exp(score[:, None] - thresholds[None, :]))
    edges = np.zeros((score.shape[0], 6))
    edges[:, 1:5] = below
    edges[:, 5] = 1.0
    rows = np.arange(score.shape[0])
    chance = edges[rows, grade + 1] - edges[rows, grade]
    return -np.mean(np.log(np.maximum(chance, 1e-12)))


@kernel(lambda random: (random.standard_normal((60, 30)), random.standard_normal((30, 30))), wrt=(0,))
def correlation(data, wanted):
    """The distance of a correlation matrix from another one, row by row as in polybench."""
    n, m = data.shape
    centred = (data - np.mean(data, axis=0)) / (np.sqrt(n) * np.std(data, axis=0))
    matrix = np.eye(m)
    for i in range(m - 1):
        matrix[i + 1 :, i] = matrix[i, i + 1 :] = centred[:, i] @ centred[:, i + 1 :]
    return np.sum((matrix - wanted) ** 2)


@kernel(
    lambda random: (random.standard_normal((4, 2)), np.zeros(4), random.standard_normal((2000, 2))),
    wrt=(0, 1),
)
def mixture(means, log_shares, points):
    """The log-likelihood of a mixture of round normal distributions, point by point."""
    log_shares = log_shares - np.log(np.sum(np.exp(log_shares)))
    total = 0.0
    for i in range(points.shape[0]):
        chance = 0.0
        for k in range(means.shape[0]):
            d = points[i] - means[k]
            chance += np.exp(log_shares[k] - 0.5 * np.dot(d, d))
        total += np.log(chance)
    return total / points.shape[0]


@kernel(
    lambda random: (random.standard_normal((400, 5)), random.standard_normal((30, 5)), random.uniform(0.5, 1.5, 5)),
    wrt=(1, 2),
)
def kernel_density(points, centres, width):
    """The log-likelihood of points under a sum of normal densities, with buffers that every point fills again."""
    scaled = np.empty(points.shape[1])
    exponents = np.empty(centres.shape[0])
    total = 0.0
    for i in range(points.shape[0]):
        for k in range(centres.shape[0]):
            for j in range(points.shape[1]):
                scaled[j] = (points[i, j] - centres[k, j]) / width[j]
            square = 0.0
            for j in range(points.shape[1]):
                square += scaled[j] * scaled[j]
            exponents[k] = -0.5 * square
        largest = exponents[0]
        for k in range(1, centres.shape[0]):
            if exponents[k] > largest:
                largest = exponents[k]
        density = 0.0
        for k in range(centres.shape[0]):
            density += np.exp(exponents[k] - largest)
        total += np.log(density) + largest
    return total - points.shape[0] * np.sum(np.log(width))

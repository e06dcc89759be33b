"""Mixtures, hidden states, and regressions by likelihood."""

import numpy as np
from scipy import stats
from scipy.special import digamma, gammaln, logsumexp

from real_programs import draw, real

X = np.concatenate([draw(0, 6, 2), draw(1, 6, 2) + 2.0])


@real(X, draw(2, 2, 2), wrt=(0, 1))
def mixture_em(X, means):
    n, d = X.shape
    K = len(means)
    covs = np.array([np.eye(d) for _ in range(K)])
    pis = np.ones(K) / K
    for it in range(3):
        logp = np.empty((n, K))
        for k in range(K):
            diff = X - means[k]
            logp[:, k] = (
                np.log(pis[k])
                - 0.5 * np.sum(diff @ np.linalg.inv(covs[k]) * diff, axis=1)
                - 0.5 * np.linalg.slogdet(covs[k])[1]
            )
        r = np.exp(logp - logsumexp(logp, axis=1, keepdims=True))
        nk = r.sum(axis=0)
        means = (r.T @ X) / nk[:, None]
        for k in range(K):
            diff = X - means[k]
            covs[k] = (r[:, k, None] * diff).T @ diff / nk[k] + 1e-3 * np.eye(d)
        pis = nk / n
    return logsumexp(logp, axis=1).sum()


@real(np.log(np.array([0.6, 0.4])), draw(3, 2, 2) + 0.5, draw(4, 2, 3) + 0.5, np.array([0, 2, 1, 1, 0]), wrt=(0, 1, 2))
def hmm_forward(log_pi, A, B, obs):
    A = A / A.sum(axis=1, keepdims=True)
    B = B / B.sum(axis=1, keepdims=True)
    alpha = log_pi + np.log(B[:, obs[0]])
    for o in obs[1:]:
        alpha = np.array([logsumexp(alpha + np.log(A[:, j])) for j in range(len(alpha))]) + np.log(B[:, o])
    return logsumexp(alpha)


@real(draw(5, 2, 3), np.array([3.0, 1.0, 4.0, 2.0]), draw(6, 4, 3), wrt=(0,))
def zero_inflated_poisson(params, counts, X):
    gate = 1 / (1 + np.exp(-X @ params[0]))
    rate = np.exp(X @ params[1])
    log_pois = counts * np.log(rate) - rate - gammaln(counts + 1)
    return -np.sum(
        np.where(counts == 0, np.logaddexp(np.log(gate), np.log1p(-gate) - rate), np.log1p(-gate) + log_pois)
    )


@real(np.array([0.3, 0.8, 2.0]), draw(7, 8) * 3, wrt=(0, 1))
def density_products(theta, x):
    mu, sigma, df = theta
    ll = stats.norm.logpdf(x, mu, sigma).sum()
    ll += stats.t.logpdf(x, df=df, loc=mu, scale=sigma).sum()
    ll += np.sum(stats.gamma.logpdf(x, a=df, scale=1 / sigma))
    return ll


@real(draw(8, 4) + 0.5, draw(9, 5, 4) + 0.1, wrt=(0, 1))
def dirichlet_likelihood(alpha, P):
    P = P / P.sum(axis=1, keepdims=True)
    norm = gammaln(np.sum(alpha)) - np.sum(gammaln(alpha))
    entropy = -norm + (alpha.sum() - len(alpha)) * digamma(alpha.sum()) - ((alpha - 1) * digamma(alpha)).sum()
    return (norm + ((alpha - 1) * np.log(P)).sum(axis=1)).sum() + entropy


@real(np.array([0.5, -0.2, 0.1]), draw(10, 9, low=-1.0), wrt=(0, 1))
def arma_likelihood(params, y):
    phi, theta, log_sigma = params
    e = np.zeros(len(y) + 1)
    for t in range(1, len(y)):
        e[t] = y[t] - phi * y[t - 1] - theta * e[t - 1]
    sigma2 = np.exp(2 * log_sigma)
    return 0.5 * len(y) * np.log(2 * np.pi * sigma2) + np.sum(e**2) / (2 * sigma2)

"""Triangular loops: the log-likelihood of a Gaussian, by Cholesky factorisation and forward substitution in loops."""

import numpy as np

from harness.compiled import adjoint
from harness.peers import jax_gradient, torch_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(2)
    n = max(4, int(100 * scale))
    points = np.sort(random.uniform(0.0, 10.0, n))
    covariance = np.exp(-((points[:, None] - points) ** 2)) + 0.1 * np.eye(n)
    return covariance, random.standard_normal(n)


def primal(a, b):
    n = a.shape[0]
    l = np.zeros((n, n))
    z = np.zeros(n)
    result = 0.0
    for i in range(n):
        for j in range(i):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            l[i, j] = s / l[j, j]
        s = a[i, i]
        for k in range(i):
            s -= l[i, k] ** 2
        l[i, i] = np.sqrt(s)
        s = b[i]
        for k in range(i):
            s -= l[i, k] * z[k]
        z[i] = s / l[i, i]
        result += 0.5 * z[i] ** 2 + np.log(l[i, i])
    return result


@adjoint
def hand(a, b):
    n = a.shape[0]
    l = np.empty((n, n))
    z = np.empty(n)
    inverse = np.empty(n)  # of the diagonal of l
    result = 0.0
    for i in range(n):
        row = l[i]
        for j in range(i):
            s = a[i, j]
            for k in range(j):
                s -= row[k] * l[j, k]
            row[j] = s * inverse[j]
        s = a[i, i]
        t = b[i]
        for k in range(i):
            s -= row[k] * row[k]
            t -= row[k] * z[k]
        row[i] = np.sqrt(s)
        inverse[i] = 1 / row[i]
        z[i] = t * inverse[i]
        result += 0.5 * z[i] * z[i] + np.log(row[i])
    a_bar = np.zeros((n, n))  # holds l_bar until its own element is reached
    b_bar = z.copy()
    for i in range(n - 1, -1, -1):
        row, row_bar = l[i], a_bar[i]
        t_bar = b_bar[i] * inverse[i]
        b_bar[i] = t_bar
        s_bar = 0.5 * (row_bar[i] + inverse[i] - t_bar * z[i]) * inverse[i]
        row_bar[i] = s_bar
        for k in range(i):
            row_bar[k] -= t_bar * z[k] + 2 * s_bar * row[k]
            b_bar[k] -= t_bar * row[k]
        for j in range(i - 1, -1, -1):
            s_bar = row_bar[j] * inverse[j]
            row_bar[j] = s_bar
            a_bar[j, j] -= s_bar * row[j]
            for k in range(j):
                row_bar[k] -= s_bar * l[j, k]
                a_bar[j, k] -= s_bar * row[k]
    return result, a_bar, b_bar


def jax(arguments):
    from jax import numpy as jnp
    from jax.scipy.linalg import solve_triangular

    def loss(a, b):
        lower = jnp.tril(a)
        l = jnp.linalg.cholesky(lower + jnp.tril(a, -1).T, symmetrize_input=False)
        z = solve_triangular(l, b, lower=True)
        return 0.5 * jnp.sum(z**2) + jnp.sum(jnp.log(jnp.diag(l)))

    return jax_gradient(loss, arguments)


def torch(arguments):
    import torch

    def loss(a, b):
        l = torch.linalg.cholesky(torch.tril(a) + torch.tril(a, -1).T)
        z = torch.linalg.solve_triangular(l, b[:, None], upper=False)
        return 0.5 * torch.sum(z**2) + torch.sum(torch.log(torch.diag(l)))

    return torch_gradient(loss, arguments)


PEERS = {"jax": jax, "torch": torch}

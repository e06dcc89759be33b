"""Products of thin matrices around a softmax of rows: one head of dot-product attention (Vaswani et al. 2017)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import exp, select
from harness.peers import jax_gradient, torch_gradient

WRT = (0, 1, 2, 3)
ROWS = 64  # of a block of the attention matrix, which stays in the cache of the second level


def make(scale=1.0):
    random = np.random.default_rng(22)
    tokens, width, head = max(5, int(448 * scale)), 32, 16
    read_in = [random.standard_normal((width, head)) / np.sqrt(width) for _ in range(3)]
    x, target = random.standard_normal((tokens, width)), random.standard_normal((tokens, width))
    return *read_in, random.standard_normal((head, width)) / np.sqrt(head), x, target


def primal(wq, wk, wv, wo, x, target):
    q = x @ wq
    k = x @ wk
    v = x @ wv
    scores = q @ k.T / np.sqrt(wq.shape[1])
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    attention = e / np.sum(e, axis=1, keepdims=True)
    y = attention @ v @ wo
    return np.mean((y - target) ** 2)


@adjoint
def hand(wq, wk, wv, wo, x, target):
    """In blocks of rows of the attention matrix, forwards and at once backwards: nothing of its size is kept.

    The rows of `e` stay without their factor 1 / sum, which z and z_bar take over. The sum of a row of attention times
    its cotangent is that of a row of z times its cotangent.
    """
    n, head = x.shape[0], wq.shape[1]
    scale = 1 / np.sqrt(head)
    q, k, v = np.dot(x, wq * scale), np.dot(x, wk), np.dot(x, wv)
    k_transposed, v_transposed = k.T.copy(), v.T.copy()  # BLAS is a quarter slower with a transposed second factor
    q_bar, k_bar, v_bar, wo_bar = np.empty(q.shape), np.zeros(k.shape), np.zeros(v.shape), np.zeros(wo.shape)
    e_space, scores_bar_space, inverse_sums = np.empty((ROWS, n)), np.empty((ROWS, n)), np.empty(ROWS)
    loss = 0.0
    for first in range(0, n, ROWS):
        stop = min(n, first + ROWS)
        rows = stop - first
        e, scores_bar = e_space[:rows], scores_bar_space[:rows]
        np.dot(q[first:stop], k_transposed, out=e)
        exponentials(e, inverse_sums)
        z = np.dot(e, v)
        for i in range(rows):
            for c in range(z.shape[1]):
                z[i, c] *= inverse_sums[i]
        y_bar = np.dot(z, wo)
        for i in range(rows):
            for c in range(y_bar.shape[1]):
                miss = y_bar[i, c] - target[first + i, c]
                loss += miss * miss
                y_bar[i, c] = 2 * miss / target.size
        wo_bar += np.dot(z.T, y_bar)
        z_bar = np.dot(y_bar, wo.T)
        for i in range(rows):
            for c in range(z.shape[1]):
                z_bar[i, c] *= inverse_sums[i]
        np.dot(z_bar, v_transposed, out=scores_bar)
        for i in range(rows):
            along = 0.0
            for c in range(z.shape[1]):
                along += z[i, c] * z_bar[i, c]
            for j in range(n):
                scores_bar[i, j] = e[i, j] * (scores_bar[i, j] - along)
        v_bar += np.dot(e.T, z_bar)
        k_bar += np.dot(scores_bar.T, q[first:stop])
        q_bar[first:stop] = np.dot(scores_bar, k)
    return loss / target.size, np.dot(x.T, q_bar) * scale, np.dot(x.T, k_bar), np.dot(x.T, v_bar), wo_bar


@inlined
def exponentials(scores, inverse_sums):
    """Replace each row by the exponentials of its distances from its largest element; 1 / their sums."""
    for i in range(scores.shape[0]):
        largest = largest_of(scores[i])
        total = 0.0
        for j in range(scores.shape[1]):
            scores[i, j] = exp(scores[i, j] - largest)
            total += scores[i, j]
        inverse_sums[i] = 1 / total


@inlined
def largest_of(row):
    """By quarters at once: LLVM does not reorder comparisons, as NaN might be among the numbers."""
    n = row.shape[0]
    quarter = n // 4
    second, third, fourth = row[quarter:], row[2 * quarter :], row[3 * quarter :]
    a = b = c = d = row[0]
    for j in range(quarter):
        a = select(row[j] > a, row[j], a)
        b = select(second[j] > b, second[j], b)
        c = select(third[j] > c, third[j], c)
        d = select(fourth[j] > d, fourth[j], d)
    for j in range(4 * quarter, n):
        a = select(row[j] > a, row[j], a)
    a, c = select(a > b, a, b), select(c > d, c, d)
    return select(a > c, a, c)


def vectorised(softmax, constants):
    """The same loss, for another array package."""
    x, target = constants

    def loss(wq, wk, wv, wo):
        scores = (x @ wq) @ (x @ wk).T / np.sqrt(wq.shape[1])
        return ((softmax(scores) @ (x @ wv) @ wo - target) ** 2).mean()

    return loss


def jax(arguments):
    from jax import nn

    return jax_gradient(vectorised(lambda scores: nn.softmax(scores, axis=1), arguments[4:]), arguments[:4])


def torch(arguments):
    import torch

    constants = [torch.tensor(argument) for argument in arguments[4:]]
    return torch_gradient(vectorised(lambda scores: torch.softmax(scores, 1), constants), arguments[:4])


PEERS = {"jax": jax, "torch": torch}

"""Recurrent networks, dynamic programming, hidden Markov models, attention and sorting."""

from functools import partial, reduce

import numpy as np

from real_programs import draw, real


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def affine(weights, *parts):
    """All parts side by side, with a column of ones, times the weights."""
    ones = np.ones((parts[0].shape[0], 1))
    return np.hstack(parts + (ones,)) @ weights


RNN = {"start": draw(0, 1, 4, low=-0.5), "step": draw(1, 8, 4, low=-0.5), "out": draw(2, 5, 3, low=-0.5)}
TEXT = np.eye(3)[np.array([[0, 1], [1, 2], [2, 2], [0, 1]])]


@real(RNN, TEXT)
def rnn_likelihood(params, letters):
    def log_probabilities(hidden):
        scores = affine(params["out"], hidden)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    hidden = np.repeat(params["start"], letters.shape[1], axis=0)
    predictions = []
    for letter in letters:
        predictions.append(log_probabilities(hidden))
        hidden = np.tanh(affine(params["step"], letter, hidden))
    return sum(np.sum(p * seen) for p, seen in zip(predictions, letters)) / letters.size


LSTM = {gate: draw(3 + k, 3 + 2 + 1, 2, low=-0.5) for k, gate in enumerate(["keep", "write", "read", "value"])}


@real(LSTM, draw(8, 2, 2), TEXT, wrt=(0, 1))
def lstm(params, cells, inputs):
    hidden = np.zeros_like(cells)
    for x in inputs:
        keep, write, read = (sigmoid(affine(params[gate], x, hidden)) for gate in ("keep", "write", "read"))
        cells = keep * cells + write * np.tanh(affine(params["value"], x, hidden))
        hidden = read * np.tanh(cells)
    return np.sum(hidden**2)


@real(draw(9, 3, 4), draw(10, 3, 6), draw(11, 3, 3), wrt=(0, 1, 2))
def gru_scan(x, W, U):
    def step(h, xt):
        gates = xt @ W[0, :4].reshape(4, 1) + h @ U
        z = 1 / (1 + np.exp(-gates))
        return (1 - z) * h + z * np.tanh(h * W[1, :3])

    return reduce(step, x, np.zeros(3)).sum()


@real(draw(12, 4, 5), draw(13, 4, 5), 0.5, wrt=(0, 1))
def soft_dtw(a, b, gamma):
    D = np.array([[np.sum((x - y) ** 2) for y in b] for x in a])
    n, m = D.shape
    R = np.full((n + 1, m + 1), np.inf)
    R[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            r = -np.array([R[i - 1, j - 1], R[i - 1, j], R[i, j - 1]]) / gamma
            rmax = r.max()
            R[i, j] = D[i - 1, j - 1] - gamma * (np.log(np.exp(r - rmax).sum()) + rmax)
    return R[n, m]


@real(draw(14, 5, 3), draw(15, 3, 3), wrt=(0, 1))
def viterbi_score(emissions, transitions):
    score = emissions[0]
    backpointers = []
    for e in emissions[1:]:
        candidates = score[:, None] + transitions
        backpointers.append(np.argmax(candidates, axis=0))
        score = np.max(candidates, axis=0) + e
    best = [int(np.argmax(score))]
    for bp in reversed(backpointers):
        best.append(int(bp[best[-1]]))
    return np.max(score) + 0.1 * sum(best)


@real(draw(16, 5, 3), draw(17, 3, 3), np.array([0, 2, 1, 1, 0]), wrt=(0, 1))
def crf_loss(emissions, transitions, tags):
    alpha = emissions[0]
    for t in range(1, len(emissions)):
        alpha = np.logaddexp.reduce(alpha[:, None] + transitions, axis=0) + emissions[t]
    partition = np.logaddexp.reduce(alpha)
    gold = emissions[np.arange(5), tags].sum() + transitions[tags[:-1], tags[1:]].sum()
    return partition - gold


@real({k: draw(18 + i, 4, 4, low=-1.0) for i, k in enumerate("qkvo")}, draw(22, 3, 5, 4))
def multi_head_attention(params, x, heads=2):
    B, T, D = x.shape
    q, k, v = (np.reshape(x @ params[name], (B, T, heads, D // heads)).transpose(0, 2, 1, 3) for name in "qkv")
    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(D // heads)
    mask = np.tril(np.ones((T, T), dtype=bool))
    scores = np.where(mask, scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    out = np.einsum("bhij,bhjd->bhid", weights, v).transpose(0, 2, 1, 3).reshape(B, T, D)
    return out @ params["o"]


@real(draw(23, 6), 0.3, wrt=(0, 1))
def neural_sort(scores, tau):
    """A permutation that is smoothed, applied to its own scores."""
    n = len(scores)
    A = np.abs(np.subtract.outer(scores, scores))
    B = A.sum(axis=1)
    rows = [((n + 1 - 2 * (i + 1)) * scores - B) / tau for i in range(n)]
    P = np.array([np.exp(r - r.max()) / np.exp(r - r.max()).sum() for r in rows])
    return P @ scores


@real(draw(24, 4), draw(25, 4), draw(26, 4, 4), wrt=(0, 1, 2))
def sinkhorn(a, b, C, eps=0.5):
    a, b = a / a.sum(), b / b.sum()
    K = np.exp(-C / eps)
    u = v = np.ones_like(a)
    for _ in range(10):
        u = a / (K @ v)
        v = b / (K.T @ u)
    P = u[:, None] * K * v
    return np.sum(P * C)


ADJACENCY = {0: [1, 2], 1: [0], 2: [0, 3], 3: [2]}


@real(draw(27, 4, 3), draw(28, 6, 3), wrt=(0, 1))
def message_passing(nodes, W):
    h = nodes
    for _ in range(2):
        messages = np.stack([np.mean([h[j] for j in ADJACENCY[i]], axis=0) for i in range(len(h))])
        h = np.tanh(np.concatenate([h, messages], axis=1) @ W)
    return h.sum(axis=0)


@real(draw(29, 4, 3), draw(30, 3, 2), wrt=(0, 1))
def graph_convolution(H, W):
    A = np.zeros((4, 4))
    for i, neighbours in ADJACENCY.items():
        for j in neighbours:
            A[i, j] = 1.0
    A += np.eye(4)
    d = np.power(A.sum(1), -0.5)
    return np.maximum(np.diag(d) @ A @ np.diag(d) @ H @ W, 0)


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * (np.exp(np.minimum(x, 0)) - 1))


@real(draw(31, 5, low=-2.0, high=2.0), 0.7, wrt=(0, 1))
def activations_by_partial(x, slope):
    chain = [partial(elu, alpha=slope), np.tanh, lambda v: v**2]
    for f in chain:
        x = f(x)
    return x.mean()

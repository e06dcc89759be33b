"""Losses of machine learning."""

import numpy as np

from harness.kernels import kernel


def cross_entropy(scores, labels):
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_shares = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_shares[np.arange(labels.shape[0]), labels])


@kernel(
    lambda random: (
        0.1 * random.standard_normal((64, 32)),
        np.zeros(32),
        0.2 * random.standard_normal((32, 10)),
        np.zeros(10),
        random.standard_normal((100, 64)),
        random.integers(0, 10, 100),
    ),
    wrt=(0, 1, 2, 3),
)
def perceptron(w1, b1, w2, b2, x, labels):
    """A network of two layers with rectifiers."""
    hidden = np.maximum(x @ w1 + b1, 0.0)
    return cross_entropy(hidden @ w2 + b2, labels) + 1e-4 * (np.sum(w1**2) + np.sum(w2**2))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@kernel(
    lambda random: (
        *(0.2 * random.standard_normal((24, 8)) for _ in range(3)),
        *(0.2 * random.standard_normal((24, 24)) for _ in range(3)),
        random.standard_normal((80, 8)),
        random.standard_normal((80, 24)),
    ),
    wrt=(0, 1, 2, 3, 4, 5),
)
def gated_recurrence(wz, wr, wh, uz, ur, uh, inputs, targets):
    """A gated recurrent unit over a sequence (Cho et al. 2014)."""
    h = np.zeros(24)
    loss = 0.0
    for t in range(inputs.shape[0]):
        z = sigmoid(wz @ inputs[t] + uz @ h)
        r = sigmoid(wr @ inputs[t] + ur @ h)
        candidate = np.tanh(wh @ inputs[t] + uh @ (r * h))
        h = (1 - z) * h + z * candidate
        loss += np.mean((h - targets[t]) ** 2)
    return loss


@kernel(
    lambda random: (
        random.standard_normal((48, 32)),
        *(random.standard_normal((32, 32)) / 6 for _ in range(4)),
        np.ones(32),
    ),
    wrt=(1, 2, 3, 4, 5),
)
def attention(x, wq, wk, wv, wo, gain):
    """Attention with four heads to what came before, then layer normalisation (Vaswani et al. 2017)."""
    length, width = x.shape
    size = width // 4
    q, k, v = x @ wq, x @ wk, x @ wv
    mixed = np.zeros((length, width))
    later = np.triu(np.ones((length, length)), 1)
    for h in range(4):
        first, last = h * size, (h + 1) * size
        scores = q[:, first:last] @ k[:, first:last].T / np.sqrt(size) - 1e9 * later
        shares = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        shares = shares / np.sum(shares, axis=1, keepdims=True)
        mixed[:, first:last] = shares @ v[:, first:last]
    y = x + mixed @ wo
    y = y - np.mean(y, axis=1, keepdims=True)
    y = gain * y / np.sqrt(np.mean(y * y, axis=1, keepdims=True) + 1e-5)
    return np.mean(np.abs(y - np.roll(x, -1, axis=0)))


@kernel(
    lambda random: (
        random.random((6, 20, 20)),
        0.3 * random.standard_normal((3, 3, 4)),
        0.1 * random.standard_normal((324, 10)),
        random.integers(0, 10, 6),
    ),
    wrt=(1, 2),
)
def convolutional_network(images, filters, weights, labels):
    """A convolution, a rectifier, pooling by the largest of four, and a dense layer."""
    batch, height, width = images.shape
    rows, columns, channels = height - 2, width - 2, filters.shape[2]
    response = np.zeros((batch, rows, columns, channels))
    for i in range(rows):
        for j in range(columns):
            patch = images[:, i : i + 3, j : j + 3, None]
            response[:, i, j] = np.sum(patch * filters, axis=(1, 2))
    response = np.maximum(response, 0.0)
    pooled = np.empty((batch, rows // 2, columns // 2, channels))
    for i in range(rows // 2):
        for j in range(columns // 2):
            pooled[:, i, j] = np.max(response[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2], axis=(1, 2))
    return cross_entropy(pooled.reshape(batch, -1) @ weights, labels)


@kernel(
    lambda random: (
        0.3 * random.standard_normal((200, 16)),
        0.3 * random.standard_normal((200, 16)),
        random.integers(0, 200, 300),
        random.integers(0, 200, 300),
        random.integers(0, 200, (300, 5)),
    ),
    wrt=(0, 1),
)
def word_vectors(words, contexts, centre, around, wrong):
    """Skip-grams with negative samples (Mikolov et al. 2013)."""
    near = np.sum(words[centre] * contexts[around], axis=1)
    far = np.sum(words[centre][:, None, :] * contexts[wrong], axis=2)
    return np.mean(np.log(1 + np.exp(-near))) + np.mean(np.sum(np.log(1 + np.exp(far)), axis=1))


@kernel(
    lambda random: (
        0.3 * random.standard_normal((60, 8)),
        0.3 * random.standard_normal((80, 8)),
        np.stack([random.integers(0, 60, 8000), random.integers(0, 80, 8000)], axis=1),
        random.uniform(1, 5, 8000),
        0.02,
    ),
    wrt=(0, 1),
)
def factorisation(users, items, pairs, ratings, penalty):
    """Ratings as products of features of users and items, rating by rating."""
    loss = 0.0
    for n in range(ratings.shape[0]):
        u, i = pairs[n]
        missed = ratings[n] - 3.0
        for k in range(users.shape[1]):
            missed -= users[u, k] * items[i, k]
        loss += missed * missed
    return loss / ratings.shape[0] + penalty * (np.sum(users**2) + np.sum(items**2))


@kernel(lambda random: (random.standard_normal((10, 4)), random.standard_normal((8000, 4))), wrt=(0,))
def nearest_centres(centres, points):
    """The loss of k-means: each point counts its distance from the nearest centre."""
    total = 0.0
    for i in range(points.shape[0]):
        nearest = np.inf
        for k in range(centres.shape[0]):
            distance = 0.0
            for c in range(points.shape[1]):
                distance += (points[i, c] - centres[k, c]) ** 2
            if distance < nearest:
                nearest = distance
        total += nearest
    return total / points.shape[0]


@kernel(
    lambda random: (
        random.standard_normal((15, 6)),
        random.standard_normal(15),
        random.standard_normal(16),
        random.standard_normal((300, 6)),
        random.standard_normal(300),
    ),
    wrt=(0, 1, 2),
)
def soft_tree(weights, biases, leaves, x, y):
    """A decision tree of four levels whose nodes send a share each way (Frosst and Hinton 2017)."""
    loss = 0.0
    for n in range(x.shape[0]):
        share = np.ones(31)
        for node in range(15):
            right = 1 / (1 + np.exp(-(x[n] @ weights[node] + biases[node])))
            share[2 * node + 1] = share[node] * (1 - right)
            share[2 * node + 2] = share[node] * right
        loss += (np.dot(share[15:], leaves) - y[n]) ** 2
    return loss / x.shape[0]

"""Networks for curves and classes, with parameters in lists and dicts."""

import itertools

import numpy as np

from real_programs import draw, real

X, Y = draw(0, 6, 2, low=-1.0), draw(1, 6, 1, low=-1.0)
LAYERS = [(draw(2, 2, 4, low=-1.0), draw(3, 4)), (draw(4, 4, 1, low=-1.0), draw(5, 1))]


def forward(layers, x, act=np.tanh):
    *hidden, (W, b) = layers
    for V, c in hidden:
        x = act(x @ V + c)
    return x @ W + b


@real(LAYERS, X, Y, 0.1, wrt=(0, 3))
def network_loss(layers, x, y, decay):
    penalty = sum((part**2).sum() for layer in layers for part in layer)
    return np.mean((forward(layers, x) - y) ** 2) + decay * penalty


def logsumexp(x, axis, keepdims=False):
    m = np.max(x, axis=axis, keepdims=True)
    s = m + np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True))
    return s if keepdims else np.squeeze(s, axis=axis)


@real([(draw(6, 2, 5, low=-1.0), draw(7, 5)), (draw(8, 5, 3, low=-1.0), draw(9, 3))], X, np.eye(3)[[0, 2, 1, 1, 0, 2]])
def classifier_posterior(layers, x, classes, precision=0.3):
    scores = forward(layers, x, act=lambda v: np.maximum(v, 0.0))
    fit = np.sum(classes * (scores - logsumexp(scores, axis=1, keepdims=True)))
    flat = np.concatenate([np.ravel(part) for layer in layers for part in layer])
    return fit - precision * np.dot(flat, flat)


def make_unflatten(shapes):
    sizes = [int(np.prod(s)) for s in shapes]
    offsets = list(itertools.accumulate(sizes, initial=0))

    def unflatten(vector):
        return [vector[a:b].reshape(s) for a, b, s in zip(offsets[:-1], offsets[1:], shapes)]

    return unflatten


UNFLATTEN = make_unflatten([(2, 3), (3,), (3, 1), (1,)])


@real(draw(10, 13, low=-1.0), X, Y)
def flat_network(vector, x, y):
    W1, b1, W2, b2 = UNFLATTEN(vector)
    h = np.tanh(x @ W1 + b1)
    return np.sum((h @ W2 + b2 - y) ** 2)


@real(draw(11, 4), 12)
def rosenbrock_descent(x, iterations, step=1e-3, mass=0.9):
    """Momentum on Rosenbrock's function with its gradient by hand."""

    def gradient(x):
        g = np.zeros_like(x)
        g[:-1] += -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
        g[1:] += 200 * (x[1:] - x[:-1] ** 2)
        return g

    velocity = np.zeros(len(x))
    for _ in range(iterations):
        velocity = mass * velocity - (1.0 - mass) * gradient(x)
        x = x + step * velocity
    return sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0)


@real(0.7)
def taylor_sine(x):
    total, term, n = 0.0, x, 1
    while np.abs(term) > 1e-13:
        total += term
        term *= -(x**2) / ((n + 1) * (n + 2))
        n += 2
    return total


@real(draw(12, 5, low=-1.0))
def tanh_by_exponentials(x):
    up, down = (np.exp(s * x) for s in (1, -1))
    return (up - down) / (up + down)


@real({"r": 3.0, "logit_p": 0.4}, np.array([1, 4, 2, 0, 7]))
def negative_binomial(params, counts):
    from scipy.special import gammaln

    r, p = params["r"], 1 / (1 + np.exp(-params["logit_p"]))
    ll = gammaln(r + counts) - gammaln(counts + 1) - gammaln(r) + r * np.log1p(-p) + counts * np.log(p)
    return -np.sum(ll)


class Dense:
    """A layer as an object that is called."""

    def __init__(self, W, b, activation=None):
        self.W, self.b = W, b
        self.activation = activation or (lambda x: x)

    def __call__(self, x):
        return self.activation(x @ self.W + self.b)


class Sequential:
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@real(draw(13, 2, 3), draw(14, 3), draw(15, 3, 1), draw(16, 1), X, wrt=(0, 1, 2, 3))
def layers_as_objects(W1, b1, W2, b2, x):
    model = Sequential(Dense(W1, b1, np.tanh), Dense(W2, b2))
    return np.mean(model(x) ** 2)


@real(draw(17, 2, low=-1.0), X, np.array([1, 0, 1, 1, 0, 0]))
def logistic_regression(w, x, labels):
    p = 1 / (1 + np.exp(-(x @ w)))
    return -np.mean(np.log(np.where(labels == 1, p, 1 - p)))


@real(draw(18, 3, 3, low=-1.0), draw(19, 20, 3, low=-1.0))
def ica_log_likelihood(W, data):
    """Independent components with heavy tails."""
    sources = data @ W.T
    return np.sum(-np.log(np.cosh(sources))) + len(data) * np.linalg.slogdet(W)[1]


@real(draw(20, 6, 2), draw(21, 4, 2), np.array([2.0, 1.0, 0.5, 3.0]), wrt=(0, 1))
def matrix_factorisation(U, V, ratings):
    users, items = np.array([0, 3, 3, 5]), np.array([1, 0, 2, 3])
    errors = np.sum(U[users] * V[items], axis=1) - ratings
    penalty = 0.1 * (np.linalg.norm(U) ** 2 + np.linalg.norm(V, ord="fro") ** 2)
    return np.dot(errors, errors) + penalty

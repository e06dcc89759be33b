"""Arrays that `concatenate` lengthens: connectionist temporal classification, in log space (Graves et al. 2006)."""

import numpy as np
from scipy.special import logsumexp

from harness.compiled import adjoint, inlined
from harness.libm import exp, log
from harness.peers import jax_gradient

WRT = (0,)
NEVER = -1e30


def make(scale=1.0):
    random = np.random.default_rng(4)
    frames, symbols, letters = max(8, int(400 * scale)), 30, max(2, int(30 * scale))
    label = random.integers(1, symbols, letters)
    label[1] = label[0]
    extended = np.zeros(2 * letters + 1, dtype=np.int64)
    extended[1::2] = label
    skip = np.full(2 * letters + 1, NEVER)
    for s in range(3, 2 * letters + 1, 2):
        if extended[s] != extended[s - 2]:
            skip[s] = 0.0
    return 2 * random.standard_normal((frames, symbols)), extended, skip


def primal(logits, extended, skip):
    log_p = logits - logsumexp(logits, axis=1)[:, None]
    emitted = log_p[:, extended]
    states = extended.shape[0]
    alpha = np.full(states, NEVER)
    alpha[0] = emitted[0, 0]
    alpha[1] = emitted[0, 1]
    for t in range(1, logits.shape[0]):
        one = np.concatenate((np.array([NEVER]), alpha[:-1]))
        two = np.concatenate((np.array([NEVER, NEVER]), alpha[:-2])) + skip
        alpha = np.logaddexp(np.logaddexp(alpha, one), two) + emitted[t]
    return -np.logaddexp(alpha[-1], alpha[-2])


@adjoint
def hand(logits, extended, skip):
    """The shares of the three ways into each state are kept; with them the adjoint has no exponentials."""
    states = extended.shape[0]
    p, norms = softmax(logits)
    last, other, shares = align(logits, norms, extended, skip)
    value = np.logaddexp(last, other)
    bar = np.zeros(states + 2)  # two zeros, after
    bar[states - 1] = -np.exp(last - value)
    bar[states - 2] = -np.exp(other - value)
    return -value, align_backward(p, shares, extended, bar)


@inlined
def softmax(logits):
    """The probabilities of the symbols in each frame, and the logarithms of the sums that normalise them."""
    frames, symbols = logits.shape
    p, norms = np.empty((frames, symbols)), np.empty(frames)
    for t in range(frames):
        top = logits[t, 0]
        for k in range(1, symbols):
            top = max(top, logits[t, k])
        total = 0.0
        for k in range(symbols):
            p[t, k] = exp(logits[t, k] - top)
            total += p[t, k]
        for k in range(symbols):
            p[t, k] /= total
        norms[t] = top + np.log(total)
    return p, norms


@inlined
def align(logits, norms, extended, skip):
    """The last two elements of the last alpha; the shares of staying, of one state on and of two, for each frame."""
    frames, states = logits.shape[0], extended.shape[0]
    stay, step, jump = np.empty((frames, states)), np.empty((frames, states)), np.empty((frames, states))
    alpha, after = np.full(states + 2, NEVER), np.full(states + 2, NEVER)  # two that never are, before
    alpha[2] = logits[0, extended[0]] - norms[0]
    alpha[3] = logits[0, extended[1]] - norms[0]
    emitted = np.empty(states)
    for t in range(1, frames):
        for s in range(states):
            emitted[s] = logits[t, extended[s]] - norms[t]
        advance(alpha, emitted, skip, after, stay[t], step[t], jump[t])
        alpha, after = after, alpha
    return alpha[states + 1], alpha[states], (stay, step, jump)


@inlined
def advance(alpha, emitted, skip, after, stay, step, jump):
    """One frame: a single maximum and a single logarithm for the three ways into a state."""
    now, one, two, out = alpha[2:], alpha[1:], alpha, after[2:]
    for s in range(emitted.shape[0]):
        a, b, c = now[s], one[s], two[s] + skip[s]
        top = max(a, max(b, c))
        a, b, c = exp(a - top), exp(b - top), exp(c - top)
        total = a + b + c
        inverse = 1 / total
        stay[s], step[s], jump[s] = a * inverse, b * inverse, c * inverse
        out[s] = top + log(total) + emitted[s]


@inlined
def align_backward(p, shares, extended, bar):
    """The cotangent of the logits, from that of the last alpha, which is overwritten."""
    frames, states = p.shape[0], extended.shape[0]
    stay, step, jump = shares
    logits_bar, before = np.zeros(p.shape), np.zeros(states + 2)
    for t in range(frames - 1, -1, -1):
        emit_backward(p[t], extended, bar, logits_bar[t])
        if t > 0:
            retreat(bar, stay[t], step[t], jump[t], before)
            bar, before = before, bar
        if t == 1:  # the first alpha has two elements that depend on the logits
            for s in range(2, states):
                bar[s] = 0.0
    return logits_bar


@inlined
def emit_backward(p, extended, bar, row):
    """Pass the cotangents of the emitted states to the logits of their frame, through the softmax."""
    total = 0.0
    for s in range(extended.shape[0]):
        row[extended[s]] += bar[s]
        total += bar[s]
    for k in range(p.shape[0]):
        row[k] -= p[k] * total


@inlined
def retreat(bar, stay, step, jump, before):
    """The cotangents of the states one frame before, each from the three states that it leads to."""
    states = stay.shape[0]
    for s in range(states):
        before[s] = bar[s] * stay[s]
    for s in range(states - 1):
        before[s] += bar[s + 1] * step[s + 1]
    for s in range(states - 2):
        before[s] += bar[s + 2] * jump[s + 2]


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp
    from jax.nn import log_softmax

    logits, extended, skip = arguments
    start = np.arange(len(extended)) < 2

    def loss(logits):
        emitted = log_softmax(logits, axis=1)[:, extended]

        def advance(alpha, emitted):
            one = jnp.concatenate((jnp.array([NEVER]), alpha[:-1]))
            two = jnp.concatenate((jnp.array([NEVER, NEVER]), alpha[:-2])) + skip
            return jnp.logaddexp(jnp.logaddexp(alpha, one), two) + emitted, None

        alpha, _ = lax.scan(advance, jnp.where(start, emitted[0], NEVER), emitted[1:])
        return -jnp.logaddexp(alpha[-1], alpha[-2])

    return jax_gradient(loss, (logits,))


PEERS = {"jax": jax}

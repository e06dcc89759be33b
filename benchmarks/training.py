"""Whole training loops: a compiled function with a tape in it, and a loop with its gradient written by hand in Numba.

    python benchmarks/training.py [--repeats 7] [--budget 0.5] [--only network]

The hand-written loops are what a careful person would write: arrays made once, elementwise work in one loop, products
by BLAS into arrays that exist. Beside them stands the same training under the eager tape. The contestants take turns,
each time is the least of several repeats, and all must end at the same weights.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import pullback as pb
from harness.report import as_text
from harness.turns import measured

RNG = np.random.default_rng(0)
FAST = {"contract", "nsz", "arcp", "afn", "reassoc"}
Run = Callable[[], Any]


# Logistic regression: 200 points of 10 features, 100 steps


def regression(w: Any, x: Any, y: Any, steps: int) -> Any:
    for _ in range(steps):
        with pb.GradientTape() as tape:
            tape.watch(w)
            z = x @ w
            loss = np.mean(np.log(1.0 + np.exp(-y * z)))
        w = w - 0.5 * tape.gradient(loss, w)
    return w


@numba.njit(fastmath=FAST, error_model="numpy")
def regression_by_hand(w: Any, x: Any, y: Any, steps: int) -> Any:
    w = w.copy()
    n = x.shape[0]
    z, z_bar, w_bar = np.empty(n), np.empty(n), np.empty(w.shape[0])
    for _ in range(steps):
        np.dot(x, w, z)
        for i in range(n):
            e = np.exp(-y[i] * z[i])
            z_bar[i] = -y[i] * e / ((1.0 + e) * n)
        np.dot(z_bar, x, w_bar)
        for j in range(w.shape[0]):
            w[j] -= 0.5 * w_bar[j]
    return w


# A network of two layers, 64 × 784 × 128 × 10 in float32, 10 steps


def network(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, labels: Any, steps: int) -> Any:
    rate = np.float32(0.1)
    for _ in range(steps):
        with pb.GradientTape() as tape:
            tape.watch((w1, b1, w2, b2))
            hidden = np.tanh(x @ w1 + b1)
            scores = hidden @ w2 + b2
            scores = scores - np.max(scores, axis=1, keepdims=True)
            logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
            loss = -np.mean(np.sum(labels * logs, axis=1))
        g1, c1, g2, c2 = tape.gradient(loss, (w1, b1, w2, b2))
        w1 = w1 - rate * g1
        b1 = b1 - rate * c1
        w2 = w2 - rate * g2
        b2 = b2 - rate * c2
    return w1, b1, w2, b2


@numba.njit(fastmath=FAST, error_model="numpy")
def network_by_hand(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, labels: Any, steps: int) -> Any:
    w1, b1, w2, b2 = w1.copy(), b1.copy(), w2.copy(), b2.copy()
    n, width, classes = x.shape[0], b1.shape[0], b2.shape[0]
    rate = np.float32(0.1)
    share = np.float32(1.0 / n)
    hidden, hidden_bar = np.empty((n, width), np.float32), np.empty((n, width), np.float32)
    scores = np.empty((n, classes), np.float32)
    w1_bar, w2_bar = np.empty_like(w1), np.empty_like(w2)
    for _ in range(steps):
        np.dot(x, w1, hidden)
        for i in range(n):
            for j in range(width):
                hidden[i, j] = np.tanh(hidden[i, j] + b1[j])
        np.dot(hidden, w2, scores)
        for i in range(n):
            most = np.float32(-np.inf)
            for k in range(classes):
                scores[i, k] += b2[k]
                most = max(most, scores[i, k])
            total = np.float32(0.0)
            for k in range(classes):
                scores[i, k] = np.exp(scores[i, k] - most)
                total += scores[i, k]
            for k in range(classes):
                scores[i, k] = (scores[i, k] / total - labels[i, k]) * share
        np.dot(scores, w2.T, hidden_bar)
        np.dot(hidden.T, scores, w2_bar)
        for i in range(n):
            for k in range(classes):
                b2[k] -= rate * scores[i, k]
            for j in range(width):
                hidden_bar[i, j] *= np.float32(1.0) - hidden[i, j] * hidden[i, j]
                b1[j] -= rate * hidden_bar[i, j]
        np.dot(x.T, hidden_bar, w1_bar)
        for j in range(w1.shape[0]):
            for k in range(width):
                w1[j, k] -= rate * w1_bar[j, k]
        for j in range(width):
            for k in range(classes):
                w2[j, k] -= rate * w2_bar[j, k]
    return w1, b1, w2, b2


# A pendulum's damping and stiffness from its path, 200 steps of time, 20 steps of gradient descent with momentum


def pendulum(p: Any, path: Any, steps: int) -> Any:
    velocity = np.zeros(2)
    for _ in range(steps):
        with pb.GradientTape() as tape:
            tape.watch(p)
            angle, speed, loss = 1.0, 0.0, 0.0
            for k in range(path.shape[0]):
                angle, speed = angle + 0.02 * speed, speed - 0.02 * (p[0] * np.sin(angle) + p[1] * speed)
                loss += (angle - path[k]) ** 2
        velocity = 0.8 * velocity - 1e-3 * tape.gradient(loss, p)
        p = p + velocity
    return p


@numba.njit(fastmath=FAST, error_model="numpy")
def pendulum_by_hand(p: Any, path: Any, steps: int) -> Any:
    p = p.copy()
    n = path.shape[0]
    velocity = np.zeros(2)
    angles, speeds = np.empty(n), np.empty(n)
    for _ in range(steps):
        angle, speed = 1.0, 0.0
        for k in range(n):
            angles[k], speeds[k] = angle, speed
            angle, speed = angle + 0.02 * speed, speed - 0.02 * (p[0] * np.sin(angle) + p[1] * speed)
        after = angle
        angle_bar, speed_bar, first, second = 0.0, 0.0, 0.0, 0.0
        for k in range(n - 1, -1, -1):
            angle_bar += 2.0 * (after - path[k])
            after = angles[k]
            pushed = -0.02 * speed_bar
            first += pushed * np.sin(after)
            second += pushed * speeds[k]
            speed_bar, angle_bar = (
                speed_bar + 0.02 * angle_bar + pushed * p[1],
                angle_bar + pushed * p[0] * np.cos(after),
            )
        velocity[0] = 0.8 * velocity[0] - 1e-3 * first
        velocity[1] = 0.8 * velocity[1] - 1e-3 * second
        p[0] += velocity[0]
        p[1] += velocity[1]
    return p


def problems() -> dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]]:
    """The function with a tape, the loop by hand, and the arguments."""
    x = RNG.normal(size=(200, 10))
    y = np.sign(x @ RNG.normal(size=10) + 0.3 * RNG.normal(size=200))
    images = RNG.normal(size=(64, 784)).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[RNG.integers(0, 10, 64)]
    shapes = (((784, 128), 0.03), ((128,), 0.1), ((128, 10), 0.1), ((10,), 0.1))
    weights = [(RNG.normal(size=shape) * scale).astype(np.float32) for shape, scale in shapes]
    path = np.cos(0.02 * np.arange(200)) * np.exp(-0.002 * np.arange(200))
    return {
        "regression": (regression, regression_by_hand, (np.zeros(10), x, y, 100)),
        "network": (network, network_by_hand, (*weights, images, labels, 10)),
        "pendulum": (pendulum, pendulum_by_hand, (np.array([0.5, 0.1]), path, 20)),
    }


def on_tape(value: Any) -> Any:
    return pb.constant(value) if isinstance(value, np.ndarray) else value


def numbers(value: Any) -> list[np.ndarray]:
    items = value if isinstance(value, tuple) else (value,)
    return [item.numpy() if isinstance(item, pb.Tensor) else item for item in items]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time whole training loops.")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--budget", type=float, default=0.5, help="seconds for each contestant")
    parser.add_argument("--only", default="", help="problems, separated by commas")
    options = parser.parse_args()
    rows = [["problem", "by hand", "compiled tape", "ratio", "eager tape", "eager / compiled"]]
    for name, (function, by_hand, arguments) in problems().items():
        if options.only and name not in options.only.split(","):
            continue
        compiled = pb.differentiable(function)
        tensors = tuple(map(on_tape, arguments))
        runs: dict[str, Run] = {
            "hand": lambda by_hand=by_hand, arguments=arguments: by_hand(*arguments),
            "compiled": lambda compiled=compiled, arguments=arguments: compiled(*arguments),
            "eager": lambda function=function, tensors=tensors: function(*tensors),
        }
        expected = numbers(runs["hand"]())
        for run in runs.values():
            for actual, due in zip(numbers(run()), expected, strict=True):
                np.testing.assert_allclose(actual, due, rtol=2e-4, atol=1e-5)
        best = measured(runs, options.repeats, options.budget)
        ratio = best["compiled"] / best["hand"]
        rows.append(
            [
                name,
                *(f"{best[who]:.0f} µs" for who in ("hand", "compiled")),
                f"{ratio:.2f}",
                f"{best['eager']:.0f} µs",
                f"{best['eager'] / best['compiled']:.0f}",
            ]
        )
    print(as_text(rows))


if __name__ == "__main__":
    main()

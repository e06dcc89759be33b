"""What derivatives by a tape cost: ours beside TensorFlow's, PyTorch's and autograd's, in one run.

    python benchmarks/tape.py [--repeats 7] [--budget 0.3] [--only step]

Each problem is written as a user of each library would write it, in float32 for the network and float64 elsewhere. The
libraries take turns, each time is the least of several repeats, and all must find the same derivatives. Libraries
that are not installed are left out.
"""

import argparse
import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from harness.report import as_text
from harness.turns import measured

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
RNG = np.random.default_rng(0)
BATCH, PIXELS, HIDDEN, CLASSES = 64, 784, 128, 10
X = RNG.normal(size=(BATCH, PIXELS)).astype(np.float32)
LABELS = np.eye(CLASSES, dtype=np.float32)[RNG.integers(0, CLASSES, BATCH)]
WEIGHTS = [
    (RNG.normal(size=shape) * scale).astype(np.float32)
    for shape, scale in (
        ((PIXELS, HIDDEN), 0.03),
        ((HIDDEN,), 0.1),
        ((HIDDEN, CLASSES), 0.1),
        ((CLASSES,), 0.1),
    )
]
VECTOR = np.linspace(0.1, 1.0, 10)
STEPS = 2000
START = 1.2
Run = Callable[[], Any]


# Each function returns the derivatives as arrays.


def ours(problem: str) -> dict[str, Run]:
    x, v = pb.Variable(START), pb.Variable(VECTOR)
    weights = [pb.Variable(w) for w in WEIGHTS]
    images, labels = pb.constant(X), pb.constant(LABELS)

    def square() -> Any:
        with pb.GradientTape() as tape:
            y = x * x
        return tape.gradient(y, x)

    def chain() -> Any:
        with pb.GradientTape() as tape:
            y = x
            for _ in range(100):
                y = np.sin(y)
        return tape.gradient(y, x)

    def step() -> Any:
        w1, b1, w2, b2 = weights
        with pb.GradientTape() as tape:
            scores = np.tanh(images @ w1 + b1) @ w2 + b2
            loss = pb.nn.softmax_cross_entropy(scores, labels)
        return tape.gradient(loss, weights)

    def jacobian() -> Any:
        with pb.GradientTape() as tape:
            y = np.sin(v) * v
        return tape.jacobian(y, v)

    @pb.differentiable
    def recur(a: Any, h: Any) -> Any:
        for _ in range(STEPS):
            h = np.sin(a * h) + 0.1
        return h

    def recurrence() -> Any:
        with pb.GradientTape() as tape:
            y = recur(x, 0.5)
        return tape.gradient(y, x)

    runs = {"square": square, "chain": chain, "step": step, "jacobian": jacobian, "recurrence": recurrence}
    return {"pullback": runs[problem]}


def tensorflow(problem: str) -> dict[str, Run]:
    import tensorflow as tf

    x, v = tf.Variable(START, dtype=tf.float64), tf.Variable(VECTOR)
    weights = [tf.Variable(w) for w in WEIGHTS]
    images, labels = tf.constant(X), tf.constant(LABELS)

    def square() -> Any:
        with tf.GradientTape() as tape:
            y = x * x
        return tape.gradient(y, x)

    def chain() -> Any:
        with tf.GradientTape() as tape:
            y = x
            for _ in range(100):
                y = tf.sin(y)
        return tape.gradient(y, x)

    def step() -> Any:
        w1, b1, w2, b2 = weights
        with tf.GradientTape() as tape:
            scores = tf.tanh(images @ w1 + b1) @ w2 + b2
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, scores))
        return tape.gradient(loss, weights)

    def jacobian() -> Any:
        with tf.GradientTape() as tape:
            y = tf.sin(v) * v
        return tape.jacobian(y, v)

    def recurrence() -> Any:
        with tf.GradientTape() as tape:
            h = tf.constant(0.5, tf.float64)
            for _ in tf.range(STEPS):
                h = tf.sin(x * h) + 0.1
        return tape.gradient(h, x)

    runs = {"square": square, "chain": chain, "step": step, "jacobian": jacobian, "recurrence": recurrence}
    return {"TensorFlow": runs[problem], "tf.function": tf.function(runs[problem])}


def pytorch(problem: str) -> dict[str, Run]:
    import torch

    torch.set_num_threads(1)
    x = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    v = torch.tensor(VECTOR, requires_grad=True)
    weights = [torch.tensor(w, requires_grad=True) for w in WEIGHTS]
    images, labels = torch.tensor(X), torch.tensor(LABELS)

    def square() -> Any:
        return torch.autograd.grad(x * x, x)[0]

    def chain() -> Any:
        y = x
        for _ in range(100):
            y = torch.sin(y)
        return torch.autograd.grad(y, x)[0]

    def step() -> Any:
        w1, b1, w2, b2 = weights
        scores = torch.tanh(images @ w1 + b1) @ w2 + b2
        return torch.autograd.grad(torch.nn.functional.cross_entropy(scores, labels), weights)

    def jacobian() -> Any:
        return torch.autograd.functional.jacobian(lambda v: torch.sin(v) * v, v)

    def recurrence() -> Any:
        h = torch.tensor(0.5, dtype=torch.float64)
        for _ in range(STEPS):
            h = torch.sin(x * h) + 0.1
        return torch.autograd.grad(h, x)[0]

    runs = {"square": square, "chain": chain, "step": step, "jacobian": jacobian, "recurrence": recurrence}
    return {"PyTorch": runs[problem]}


def hips_autograd(problem: str) -> dict[str, Run]:
    import autograd
    import autograd.numpy as anp

    def chain_of(x: Any) -> Any:
        for _ in range(100):
            x = anp.sin(x)
        return x

    def loss(weights: Any) -> Any:
        w1, b1, w2, b2 = weights
        scores = anp.tanh(anp.dot(X, w1) + b1) @ w2 + b2
        shifted = scores - anp.max(scores, axis=1, keepdims=True)
        log_shares = shifted - anp.log(anp.sum(anp.exp(shifted), axis=1, keepdims=True))
        return -anp.mean(anp.sum(LABELS * log_shares, axis=1))

    def recur(a: Any) -> Any:
        h = 0.5
        for _ in range(STEPS):
            h = anp.sin(a * h) + 0.1
        return h

    square, chain, step = autograd.grad(lambda x: x * x), autograd.grad(chain_of), autograd.grad(loss)
    jacobian, recurrence = autograd.jacobian(lambda v: anp.sin(v) * v), autograd.grad(recur)
    runs = {
        "square": lambda: square(START),
        "chain": lambda: chain(START),
        "step": lambda: step(WEIGHTS),
        "jacobian": lambda: jacobian(VECTOR),
        "recurrence": lambda: recurrence(START),
    }
    return {"autograd": runs[problem]}


LIBRARIES = {"pullback": ours, "tensorflow": tensorflow, "torch": pytorch, "autograd": hips_autograd}
PROBLEMS = {
    "square": "x * x of a variable",
    "chain": "100 sin one after the other",
    "step": f"network of {BATCH}×{PIXELS}×{HIDDEN}×{CLASSES}, loss and gradients",
    "jacobian": "Jacobian of ten elements",
    "recurrence": f"recurrence of {STEPS:,} steps",
}


def arrays(value: Any) -> list[np.ndarray]:
    """The derivatives that a library returned, as arrays."""
    several = value if isinstance(value, list | tuple) else [value]
    return [np.asarray(one.numpy() if hasattr(one, "numpy") else one) for one in several]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--budget", type=float, default=0.3, help="seconds for each library and problem")
    parser.add_argument("--only", help="names of problems, with commas")
    arguments = parser.parse_args()

    installed = [name for name in LIBRARIES if importlib.util.find_spec(name)]
    rows = []
    for problem in arguments.only.split(",") if arguments.only else PROBLEMS:
        runs = {name: run for library in installed for name, run in LIBRARIES[library](problem).items()}
        expected = arrays(runs["pullback"]())
        for name, run in runs.items():
            for a, e in zip(arrays(run()), expected, strict=True):
                np.testing.assert_allclose(a, e, rtol=2e-3 if problem == "step" else 1e-8, atol=1e-6, err_msg=name)
        times = measured(runs, arguments.repeats, arguments.budget)
        rows += [
            [PROBLEMS[problem], name, f"{time:,.1f}", f"{time / times['pullback']:.2f}"] for name, time in times.items()
        ]
    print(as_text([["problem", "library", "µs", "× ours"], *rows]))


if __name__ == "__main__":
    main()

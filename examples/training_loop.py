"""One training loop, run by Python on a tape and compiled as a whole: the same weights, many times as fast.

    python examples/training_loop.py [--quick] [--steps 400] [--source]

A network with a layer of its own kind learns scikit-learn's 1,797 handwritten digits by gradient descent with momentum.
`train` holds all of that: the tape, its gradients, and the assignments to the variables. It is called as it is first,
and then as a differentiable function, which turns the tape into statements before it runs: --source prints them.
"""

import argparse
from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import pullback as pb

CLASSES, BATCH, RATE, MOMENTUM = 10, 32, 0.1, 0.9


class Gated(pb.nn.Module):
    """tanh(x w + a) · sigmoid(x v + c): a layer whose outputs are let through in part."""

    def __init__(self, inputs, outputs, rng):
        super().__init__()
        self.w = pb.Variable(rng.normal(0.0, inputs**-0.5, (inputs, outputs)), name="w")
        self.a = pb.Variable(np.zeros(outputs), name="a")
        self.v = pb.Variable(rng.normal(0.0, inputs**-0.5, (inputs, outputs)), name="v")
        self.c = pb.Variable(np.zeros(outputs), name="c")

    def __call__(self, x):
        return np.tanh(x @ self.w + self.a) * pb.nn.sigmoid(x @ self.v + self.c)


class Network(pb.nn.Module):
    """A gated layer and a dense one, with a velocity for each variable that is trained."""

    def __init__(self, seed=0):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.hidden = Gated(64, 24, rng)
        self.scores = pb.nn.Dense(CLASSES, seed=seed)
        self.scores.build(24)
        self.velocities = [pb.Variable(np.zeros(v.shape), trainable=False) for v in self.trainable_variables]

    def __call__(self, x):
        return self.scores(self.hidden(x))


def train(network, x, labels, steps):
    """The losses of all steps."""
    losses = np.zeros(steps)
    for step in range(steps):
        first = step * BATCH % (x.shape[0] - BATCH)
        with pb.GradientTape() as tape:
            scores = network(x[first : first + BATCH])
            loss = pb.nn.softmax_cross_entropy(scores, labels[first : first + BATCH])
        weights = network.trainable_variables
        gradients = tape.gradient(loss, weights)
        for weight, velocity, gradient in zip(weights, network.velocities, gradients, strict=True):
            velocity.assign(MOMENTUM * velocity + gradient)
            weight.assign_sub(RATE * velocity)
        losses[step] = loss
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    parser.add_argument("--source", action="store_true", help="print the text that is generated")
    parser.add_argument("--steps", type=int, default=400, help="steps of gradient descent")
    arguments = parser.parse_args()
    steps = 120 if arguments.quick else arguments.steps

    digits = load_digits()
    images = digits.data / 16.0
    labels = np.eye(CLASSES)[digits.target]
    x, test_x, y, test_y = train_test_split(images, labels, test_size=0.25, random_state=0)

    by_python, compiled = Network(), Network()
    train_compiled = pb.differentiable(lambda x, y, steps: train(compiled, x, y, steps))
    began = perf_counter()
    train_compiled(x, y, 0)
    print(f"compiled in {perf_counter() - began:.1f} s")

    seconds = []
    for run in (lambda: train(by_python, x, y, steps), lambda: train_compiled(x, y, steps)):
        began = perf_counter()
        losses = run()
        seconds.append(perf_counter() - began)
        print(f"loss {losses[0]:.4f} → {losses[-1]:.4f} in {1e3 * seconds[-1]:.1f} ms")

    pairs = zip(by_python.trainable_variables, compiled.trainable_variables, strict=True)
    difference = max(float(np.max(np.abs(a.numpy() - b.numpy()))) for a, b in pairs)
    right = np.argmax(compiled(test_x).numpy(), axis=1) == np.argmax(test_y, axis=1)
    print(f"compiled is {seconds[0] / seconds[1]:.0f} times as fast; weights differ by {difference:.1e} at most")
    print(f"held-out digits right: {100 * np.mean(right):.1f} %")
    if arguments.source:
        print(pb.source(train_compiled, x, y, steps, argnums=()))


if __name__ == "__main__":
    main()

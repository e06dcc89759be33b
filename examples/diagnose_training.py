"""A network that does not learn becomes a diagnosis: dead units, saturated units, or neither.

    python examples/diagnose_training.py [--quick] [--epochs 30] [--out diagnosis.png]

Three networks of the same size learn the digits that scikit-learn ships. One begins well; in one the biases of the
hidden relu units are so low that most of them never fire; in one the weights before the hidden tanh units are so large
that most are at ±1. The tape sees the difference: a dead unit gets a gradient of exactly 0 from every digit, a
saturated one a small gradient from the few digits that do not saturate it.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits

import pullback as pb

HIDDEN = 64


class Network(pb.nn.Module):
    """64 pixels → hidden units → 10 scores."""

    def __init__(self, activation, weight_scale=1.0, bias=0.0):
        super().__init__()
        self.hidden = pb.nn.Dense(HIDDEN, activation, name="hidden", seed=1)
        self.scores = pb.nn.Dense(10, name="scores", seed=2)
        self.hidden.build(64)
        self.hidden.kernel.assign(weight_scale * self.hidden.kernel.numpy())
        self.hidden.bias.assign(np.full(HIDDEN, bias))

    def __call__(self, x):
        return self.scores(self.hidden(x))


def train(network, x, labels, epochs, directory=None):
    """The monitor of a training by mini-batches and Adam."""
    optimizer, rng = pb.nn.Adam(0.005), np.random.default_rng(0)
    with pb.nn.monitor.Monitor(network, directory) as monitor:
        for _ in range(epochs):
            for chosen in np.array_split(rng.permutation(len(x)), len(x) // 128):
                with pb.GradientTape() as tape:
                    loss = pb.nn.softmax_cross_entropy(network(x[chosen]), labels[chosen])
                variables = network.trainable_variables
                gradients = tape.gradient(loss, variables)
                monitor.record(gradients, loss)
                optimizer.apply_gradients(zip(gradients, variables, strict=True))
    return monitor


def sizes_of_gradients(network, x, labels):
    """For each hidden unit the norm of the gradient by its weights, all digits together."""
    with pb.GradientTape() as tape:
        loss = pb.nn.softmax_cross_entropy(network(x), labels)
    return np.linalg.norm(tape.gradient(loss, network.hidden.kernel).numpy(), axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three epochs only")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--out", default="diagnosis.png", help="where the picture goes")
    parser.add_argument("--log", help="a directory for TensorBoard's files, or for JSON lines")
    arguments = parser.parse_args()

    images, labels = load_digits(return_X_y=True)
    x = images / 16.0
    networks = {
        "healthy": Network("relu"),
        "dead": Network("relu", bias=-1.3),
        "saturated": Network("tanh", weight_scale=40.0),
    }
    for name, network in networks.items():
        sizes = sizes_of_gradients(network, x, labels)
        directory = f"{arguments.log}/{name}" if arguments.log else None
        monitor = train(network, x, labels, 3 if arguments.quick else arguments.epochs, directory)
        first, last = monitor.history[0], monitor.history[-1]
        right = np.mean(np.argmax(network(x).numpy(), axis=1) == labels)
        print(f"{name}: {100 * right:.1f} % right, loss {first['loss']:.2f} to {last['loss']:.3f}")
        print(f"  gradients of hidden units at the start: exactly 0 in {100 * np.mean(sizes == 0):.0f} %, ", end="")
        print(f"median of the others {np.median(sizes[sizes > 0]):.4f}")
        for kind in ("dead", "saturated"):
            if f"hidden/{kind}" in first:
                print(
                    f"  {kind}: {100 * first[f'hidden/{kind}']:.0f} % first, {100 * last[f'hidden/{kind}']:.0f} % last"
                )
        pb.nn.monitor.draw(monitor.history, arguments.out.replace(".png", f"_{name}.png"))


if __name__ == "__main__":
    main()

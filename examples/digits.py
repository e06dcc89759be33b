"""A plain NumPy loss becomes its gradient, and the gradient a classifier of handwritten digits.

    python examples/digits.py [--quick] [--epochs 40] [--out digits.png]

A network of two layers is trained on three quarters of the 1,797 digits that scikit-learn ships, by mini-batches and
Adam, and judged on the other quarter. Only `loss` is differentiated; everything else is ordinary NumPy.
"""

import argparse
from time import perf_counter

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import pullback as pb

CLASSES = 10


def loss(params, x, targets):
    """Mean cross entropy of a batch; x: (n, 64), targets: (n, 10), one 1 in each row."""
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    scores = hidden @ params["w2"] + params["b2"]
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_total - np.sum(targets * shifted, axis=1))


def predict(params, x):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    return np.argmax(hidden @ params["w2"] + params["b2"], axis=1)


def initial_params(rng, inputs, hidden):
    return {
        "w1": rng.normal(0.0, inputs**-0.5, (inputs, hidden)),
        "b1": np.zeros(hidden),
        "w2": rng.normal(0.0, hidden**-0.5, (hidden, CLASSES)),
        "b2": np.zeros(CLASSES),
    }


class Adam:
    """Kingma and Ba (2015), algorithm 1; changes the parameters in place."""

    def __init__(self, params, rate=5e-3, decay=(0.9, 0.999)):
        self.rate, self.decay, self.steps = rate, decay, 0
        self.mean = {name: np.zeros_like(value) for name, value in params.items()}
        self.square = {name: np.zeros_like(value) for name, value in params.items()}

    def step(self, params, gradient):
        self.steps += 1
        first, second = self.decay
        for name, g in gradient.items():
            self.mean[name] += (1 - first) * (g - self.mean[name])
            self.square[name] += (1 - second) * (g * g - self.square[name])
            mean = self.mean[name] / (1 - first**self.steps)
            square = self.square[name] / (1 - second**self.steps)
            params[name] -= self.rate * mean / (np.sqrt(square) + 1e-8)


def train(params, x, targets, epochs, batch, rng):
    """The loss of every step, and the seconds each gradient took; the first one includes the compilation."""
    gradient_of_loss = pb.value_and_grad(loss)
    optimizer = Adam(params)
    losses, seconds = [], []
    with tqdm(total=epochs * (len(x) // batch), desc="compiling", unit=" steps") as progress:
        for _ in range(epochs):
            # The few digits left over by whole batches would make noisy gradients; they differ from epoch to epoch.
            order = rng.permutation(len(x))[: len(x) // batch * batch]
            for chosen in order.reshape(-1, batch):
                batch_x, batch_targets = x[chosen], targets[chosen]
                began = perf_counter()
                value, gradient = gradient_of_loss(params, batch_x, batch_targets)
                seconds.append(perf_counter() - began)
                losses.append(value)
                optimizer.step(params, gradient)
                progress.set_description("training", refresh=False)
                progress.update()
    return np.array(losses), np.array(seconds)


def draw(losses, epoch_means, x, labels, predictions, path, shown=32):
    """The loss of training, and held-out digits: the wrong ones first and in red, then the first of the right ones."""
    wrong = np.flatnonzero(predictions != labels)
    right = np.flatnonzero(predictions == labels)
    chosen = np.concatenate([wrong, right])[:shown]

    figure = Figure(figsize=(13, 5), layout="constrained")
    left, right_side = figure.subfigures(1, 2, width_ratios=(5, 7))
    axes = left.subplots()
    steps = np.arange(1, len(losses) + 1) * len(epoch_means) / len(losses)
    axes.semilogy(steps, losses, color="0.75", linewidth=0.8, label="each batch")
    axes.semilogy(np.arange(len(epoch_means)) + 0.5, epoch_means, color="C0", label="mean of the epoch")
    axes.set(xlabel="epoch", ylabel="cross entropy", title="Training loss")
    axes.legend()

    right_side.suptitle(f"Held-out digits: {len(right)} of {len(labels)} predicted rightly; the wrong ones come first")
    for place, i in zip(right_side.subplots(4, shown // 4).flat, chosen, strict=True):
        is_wrong = predictions[i] != labels[i]
        place.imshow(x[i].reshape(8, 8), cmap="gray_r")
        place.set(xticks=[], yticks=[])
        place.set_title(
            f"{predictions[i]}, is {labels[i]}" if is_wrong else f"{predictions[i]}",
            color="red" if is_wrong else "black",
            fontsize=10,
        )
        place.spines[:].set(color="red" if is_wrong else "0.8", linewidth=2 if is_wrong else 1)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="ten epochs only")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="digits.png", help="where the picture goes")
    arguments = parser.parse_args()
    epochs = min(10, arguments.epochs) if arguments.quick else arguments.epochs

    images, labels = load_digits(return_X_y=True)
    x_train, x_test, labels_train, labels_test = train_test_split(
        images / 16.0, labels, test_size=0.25, random_state=arguments.seed, stratify=labels
    )
    targets = np.eye(CLASSES)[labels_train]
    rng = np.random.default_rng(arguments.seed)
    params = initial_params(rng, x_train.shape[1], arguments.hidden)

    print(pb.source(loss, params, x_train[: arguments.batch], targets[: arguments.batch]))

    losses, seconds = train(params, x_train, targets, epochs, arguments.batch, rng)
    epoch_means = losses.reshape(epochs, -1).mean(axis=1)
    predictions = predict(params, x_test)
    correct = np.count_nonzero(predictions == labels_test)
    print(f"held-out digits right:     {100 * correct / len(labels_test):.2f} % ({correct} of {len(labels_test)})")
    print(f"loss, first to last epoch: {epoch_means[0]:.3f} to {epoch_means[-1]:.4f}")
    print(f"first gradient:            {seconds[0]:.2f} s, compilation included")
    print(f"gradients per second:      {1 / np.mean(seconds[1:]):,.0f} (batches of {arguments.batch})")

    draw(losses, epoch_means, x_test, labels_test, predictions, arguments.out)
    print(f"picture:                   {arguments.out}")


if __name__ == "__main__":
    main()

"""The sigmoid function becomes a picture of itself and of its first two derivatives.

python examples/sigmoid.py [--quick] [--out sigmoid.png]
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import pullback as pb


def derivatives(x):
    """The sigmoid at points x, and its derivatives: elementwise functions have the gradient of their sum."""
    x = pb.constant(x)
    with pb.GradientTape() as outer:
        outer.watch(x)
        with pb.GradientTape() as inner:
            inner.watch(x)
            y = pb.nn.sigmoid(x)
        slope = inner.gradient(y, x)
    return y.numpy(), slope.numpy(), outer.gradient(slope, x).numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer points")
    parser.add_argument("--out", default="sigmoid.png", help="where the picture goes")
    arguments = parser.parse_args()

    x = np.linspace(-10.0, 10.0, 41 if arguments.quick else 401)
    y, slope, curvature = derivatives(x)
    print(f"largest slope: {slope.max():.4f} at {x[np.argmax(slope)]:.1f}")

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for values, label in ((y, "y = 1 / (1 + exp(-x))"), (slope, "dy/dx"), (curvature, "d²y/dx²")):
        axes.plot(x, values, label=label)
    axes.set(xlabel="x", title="The sigmoid and its derivatives")
    axes.legend()
    figure.savefig(arguments.out, dpi=110)
    print(f"picture: {arguments.out}")


if __name__ == "__main__":
    main()

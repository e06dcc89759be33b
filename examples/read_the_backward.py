"""Six small NumPy functions become what pullback generates for them, to be read.

    python examples/read_the_backward.py [--quick] [energy recurrence newton branch view_write layer]

Each function is printed as the forward and backward functions that its gradient runs, then called: its value, and its
gradient with respect to its first argument.
"""

import argparse

import numpy as np

import pullback as pb


def energy(w, x):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.tanh(w * x[i])
    return s


def recurrence(a, x):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] = a * y[i - 1] * (1.0 - y[i - 1]) + y[i]
    return y[-1]


def newton(a):
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def branch(r, width):
    total = 0.0
    for i in range(r.shape[0]):
        if abs(r[i]) <= width:
            total += 0.5 * r[i] ** 2
        else:
            total += width * (abs(r[i]) - 0.5 * width)
    return total


def view_write(x):
    y = x.copy()
    inner = y[1:-1]
    inner *= x[2:] - x[:-2]
    return np.sum(y * y)


def layer(w, b, x):
    return np.mean(np.tanh(x @ w + b) ** 2)


X = np.array([0.3, -0.7, 1.1, 0.4])

# Function → what it shows, and arguments to call it with.
SHOWN = {
    energy: ("a loop over scalars", (0.5, X)),
    recurrence: ("an array overwritten while it is read", (0.9, 0.1 * X)),
    newton: ("an iteration whose length is not known beforehand", (2.0,)),
    branch: ("the two sides of Huber's loss", (X, 0.5)),
    view_write: ("a write through a view", (X,)),
    layer: ("whole arrays and a matrix product", (np.eye(4, 3), np.zeros(3), np.outer(X, X))),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="print only, compile nothing")
    names = [function.__name__ for function in SHOWN]
    parser.add_argument("names", nargs="*", metavar="name", help=f"some of {', '.join(names)}; all of them by default")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(names):
        parser.error(f"no function called {', '.join(sorted(unknown))}")

    for function, (what, values) in SHOWN.items():
        if function.__name__ in (arguments.names or names):
            print(f"# {function.__name__}: {what}\n")
            print(pb.source(function, *values).strip(), end="\n\n")
            if not arguments.quick:
                value, gradient = pb.value_and_grad(function)(*values)
                print(f"# value {value:.10g}, gradient {np.array2string(np.asarray(gradient), prefix='# ')}\n\n")


if __name__ == "__main__":
    main()

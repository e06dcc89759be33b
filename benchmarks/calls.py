"""What a call from Python costs: our gradients beside bare `@njit` functions with the same body, in microseconds.

python benchmarks/calls.py [--calls 20000] [--repeats 30]
"""

import argparse
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

import pullback as pb
from harness.report import as_text
from pullback.compilation.options import Options

bare = njit(**Options(cache=False).numba())
FACTOR = 3.0
X, Y, A, OUT = 0.5, 2.0, np.linspace(0.0, 1.0, 10), np.empty(10)
Call = Callable[..., Any]


def product(x, y):
    return x * y + np.sin(x)


def squares(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * a[i]
    return total


def product_by_factor(x, y):
    return FACTOR * x * y


@bare
def product_by_factor_grad(x, y):
    return FACTOR * y, FACTOR * x


@bare
def product_grad(x, y):
    return y + np.cos(x), x


@bare
def product_value_and_grad(x, y):
    return x * y + np.sin(x), (y + np.cos(x), x)


@bare
def squares_grad(a):
    a_bar = np.empty_like(a)
    for i in range(a.shape[0]):
        a_bar[i] = 2.0 * a[i]
    return a_bar


@bare
def squares_value_and_grad(a):
    total, a_bar = 0.0, np.empty_like(a)
    for i in range(a.shape[0]):
        total += a[i] * a[i]
        a_bar[i] = 2.0 * a[i]
    return total, a_bar


@bare
def squares_grad_into(a, out):
    for i in range(a.shape[0]):
        out[i] = 2.0 * a[i]


# For each kind of call: the bare function and its arguments, ours and its arguments.
CALLS: dict[str, tuple[Call, str, Call, str]] = {
    "two numbers, the function": (bare(product), "X, Y", pb.differentiable(product), "X, Y"),
    "two numbers, grad": (product_grad, "X, Y", pb.grad(product, (0, 1)), "X, Y"),
    "two numbers, value_and_grad": (product_value_and_grad, "X, Y", pb.value_and_grad(product, (0, 1)), "X, Y"),
    "two numbers and a global, grad": (product_by_factor_grad, "X, Y", pb.grad(product_by_factor, (0, 1)), "X, Y"),
    "an array, the function": (bare(squares), "A", pb.differentiable(squares), "A"),
    "an array, grad": (squares_grad, "A", pb.grad(squares), "A"),
    "an array, value_and_grad": (squares_value_and_grad, "A", pb.value_and_grad(squares), "A"),
    "an array, grad with out": (squares_grad_into, "A, OUT", pb.grad(squares), "A, out=OUT"),
}


def main() -> None:
    options = parse_arguments()
    rows = [["µs a call", "njit", "ours", "difference"]]
    for name, (hand, given, ours, given_ours) in CALLS.items():
        timers = [timer(hand, given), timer(ours, given_ours)]
        least = np.min([[t.timeit(options.calls) for t in timers] for _ in range(options.repeats)], axis=0)
        by_hand, by_us = least / options.calls * 1e6
        rows.append([name, *(f"{t:.2f}" for t in (by_hand, by_us, by_us - by_hand))])
    print(as_text(rows))


def timer(function: Call, arguments: str) -> timeit.Timer:
    """A timer for calls of a function that is compiled already."""
    call = timeit.Timer(f"function({arguments})", globals={**globals(), "function": function})
    call.timeit(2)
    return call


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000, help="in one repeat (20,000)")
    parser.add_argument("--repeats", type=int, default=30, help="of which the fastest counts (30)")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""What a gradient costs beside its function, both compiled, for functions of NumPy and SciPy of all families.

python benchmarks/function_costs.py
python benchmarks/function_costs.py --only sort,svd --repeats 20

Each program sums a function's result times fixed weights; the gradient is by all arguments but the last, which are
the weights. Printed are the least of some repeats of the compiled function and of its gradient, with the value beside
it, and their quotient. At most 3 is the goal; `REASONS` says why a function has more.
"""

import argparse
import os
import sys
import timeit
from pathlib import Path

import numpy as np
import scipy.linalg
import scipy.special
import scipy.stats

import pullback as pb
from harness.measure import environment

GOAL = 3.0
DRAW = np.random.default_rng(5)


def normal(*shape):
    return DRAW.standard_normal(shape)


def positive(*shape):
    return 0.5 + DRAW.uniform(size=shape)


def spd(size):
    a = normal(size, size)
    return a @ a.T + size * np.eye(size)


LONG, WIDE = 100_000, (300, 300)
POSITIONS = DRAW.integers(0, LONG, LONG)

PROGRAMS = {
    "einsum": (lambda a, b, w: np.sum(np.einsum("ij,kj->ik", a, b) * w), normal(*WIDE), normal(*WIDE), normal(*WIDE)),
    "tensordot": (
        lambda a, b, w: np.sum(np.tensordot(a, b, axes=([1, 2], [0, 1])) * w),
        *(normal(100, 20, 20), normal(20, 20, 100), normal(100, 100)),
    ),
    "kron": (lambda a, b, w: np.sum(np.kron(a, b) * w), normal(20, 20), normal(20, 20), normal(400, 400)),
    "cross": (lambda a, b, w: np.sum(np.cross(a, b) * w), *(normal(20_000, 3) for _ in range(3))),
    "sort": (lambda x, w: np.sum(np.sort(x) * w), normal(LONG), normal(LONG)),
    "cumsum": (lambda x, w: np.sum(np.cumsum(x) * w), normal(LONG), normal(LONG)),
    "cumprod": (lambda x, w: np.sum(np.cumprod(x) * w), 1 + 1e-4 * normal(LONG), normal(LONG)),
    "prod": (lambda x, w: np.sum(np.prod(x, axis=1) * w), positive(1000, 100), normal(1000)),
    "std": (lambda x, w: np.sum(np.std(x, axis=1) * w), normal(*WIDE), normal(300)),
    "norm": (lambda x, w: np.sum(np.linalg.norm(x, axis=1) * w), normal(*WIDE), normal(300)),
    "max": (lambda x, w: np.sum(np.max(x, axis=1) * w), normal(*WIDE), normal(300)),
    "logsumexp": (lambda x, w: np.sum(scipy.special.logsumexp(x, axis=1) * w), normal(*WIDE), normal(300)),
    "softmax": (lambda x, w: np.sum(scipy.special.softmax(x, axis=1) * w), normal(*WIDE), normal(*WIDE)),
    "convolve": (lambda x, y, w: np.sum(np.convolve(x, y) * w), normal(10_000), normal(50), normal(10_049)),
    "interp": (
        lambda x, y, w: np.sum(np.interp(x, np.linspace(-4.0, 4.0, 1000), y) * w),
        *(normal(LONG), normal(1000), normal(LONG)),
    ),
    "gradient": (lambda x, w: np.sum(np.gradient(x) * w), normal(LONG), normal(LONG)),
    "diff": (lambda x, w: np.sum(np.diff(x, axis=0) * w), normal(*WIDE), normal(299, 300)),
    "percentile": (lambda x, w: np.sum(np.percentile(x, 30.0, axis=1) * w), normal(*WIDE), normal(300)),
    "median": (lambda x, w: np.sum(np.median(x, axis=1) * w), normal(*WIDE), normal(300)),
    "cov": (lambda x, w: np.sum(np.cov(x) * w), normal(100, 1000), normal(100, 100)),
    "solve": (lambda a, b, w: np.sum(np.linalg.solve(a, b) * w), spd(200), normal(200), normal(200)),
    "inv": (lambda a, w: np.sum(np.linalg.inv(a) * w), spd(200), normal(200, 200)),
    "det": (lambda a, w: np.linalg.det(a) * w, spd(200) / 200, 0.5),
    "slogdet": (lambda a, w: np.linalg.slogdet(a)[1] * w, spd(200), 0.5),
    "cholesky": (lambda a, w: np.sum(np.linalg.cholesky(a) * w), spd(200), normal(200, 200)),
    "svd": (lambda a, w: np.sum(np.linalg.svd(a, full_matrices=False)[0] * w), normal(100, 60), normal(100, 60)),
    "eigh": (lambda a, w: np.sum(np.linalg.eigh(a)[1] * w), spd(100), normal(100, 100)),
    "qr": (lambda a, w: np.sum(np.linalg.qr(a)[0] * w), normal(200, 100), normal(200, 100)),
    "solve_triangular": (
        lambda a, b, w: np.sum(scipy.linalg.solve_triangular(a, b, lower=True) * w),
        *(np.tril(spd(300)), normal(300), normal(300)),
    ),
    "erf": (lambda x, w: np.sum(scipy.special.erf(x) * w), normal(LONG), normal(LONG)),
    "gammaln": (lambda x, w: np.sum(scipy.special.gammaln(x) * w), positive(LONG), normal(LONG)),
    "norm.logpdf": (
        lambda x, m, s, w: np.sum(scipy.stats.norm.logpdf(x, m, s) * w),
        normal(LONG),
        0.5,
        2.0,
        normal(LONG),
    ),
    "pad": (lambda x, w: np.sum(np.pad(x, 2, mode="reflect") * w), normal(*WIDE), normal(304, 304)),
    "roll": (lambda x, w: np.sum(np.roll(x, 7) * w), normal(LONG), normal(LONG)),
    "take": (lambda x, w: np.sum(np.take(x, POSITIONS) * w), normal(LONG), normal(LONG)),
    "where": (lambda x, y, w: np.sum(np.where(x > y, x * x, np.sin(y)) * w), *(normal(LONG) for _ in range(3))),
    "clip": (lambda x, w: np.sum(np.clip(x, -1.0, 1.0) * w), normal(LONG), normal(LONG)),
    "concatenate": (lambda x, y, w: np.sum(np.concatenate((x, y)) * w), normal(LONG), normal(LONG), normal(2 * LONG)),
    "tile": (lambda x, w: np.sum(np.tile(x, (4, 2)) * w), normal(100, 100), normal(400, 200)),
    "bincount": (lambda x, w: np.sum(np.bincount(POSITIONS % 1000, x) * w), normal(LONG), normal(1000)),
    "polyval": (lambda p, x, w: np.sum(np.polyval(p, x) * w), normal(8), normal(LONG), normal(LONG)),
    "average": (
        lambda x, p, w: np.sum(np.average(x, axis=1, weights=p) * w),
        normal(*WIDE),
        positive(300),
        normal(300),
    ),
}

PRODUCTS = "the gradients are two products as large as its own: 3 in all, and what moves their axes"
INVERSE = "the gradient is an inverse, of 2 n³ operations, beside a factorisation of 2 n³ / 3"
WRITES = "the gradient writes as many elements as the function only reads"
REASONS = {
    "einsum": PRODUCTS,
    "tensordot": PRODUCTS,
    "kron": "each argument's gradient is a sum over all elements of the result",
    "cross": "two gradients, each of them a cross product",
    "cumprod": "the gradient is a recurrence with a sum beside the product, twice as long a chain",
    "det": INVERSE,
    "slogdet": INVERSE,
    "cholesky": "two solves and a product, together 7 n³ operations, beside a factorisation of n³ / 3",
    "qr": "two products and a solve beside the factorisation",
    "solve_triangular": WRITES,
    "gammaln": "digamma takes twice the time of gammaln",
    "polyval": "the sum of each step of Horner's scheme is kept, and read again",
    "average": WRITES,
}


def microseconds(call, repeats):
    """The least of some repeats of at least 10 ms each."""
    call()
    timer = timeit.Timer(call)
    number = max(1, int(0.01 / max(timer.timeit(1), 1e-7)))
    return min(timer.repeat(repeats, number)) / number * 1e6


def measure(name, repeats):
    """(function, gradient) in microseconds."""
    function, *arguments = PROGRAMS[name]
    made = pb.differentiable(function)
    gradient = pb.value_and_grad(made, argnums=tuple(range(len(arguments) - 1)))
    return microseconds(lambda: made(*arguments), repeats), microseconds(lambda: gradient(*arguments), repeats)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PROGRAMS), help="programs, separated by commas")
    parser.add_argument("--repeats", type=int, default=9)
    given = parser.parse_args()
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        own = {name: text for name, text in environment(Path()).items() if name != "PULLBACK_CACHE_DIR"}
        own |= {name: text for name, text in os.environ.items() if name == "PULLBACK_CACHE_DIR"}
        os.execve(sys.executable, [sys.executable, *sys.argv], own)
    print(f"{'':18}{'function µs':>12}{'gradient µs':>12}{'quotient':>10}")
    for name in given.only.split(","):
        primal, gradient = measure(name, given.repeats)
        reason = REASONS.get(name, "") if gradient > GOAL * primal else ""
        print(f"{name:18}{primal:12.1f}{gradient:12.1f}{gradient / primal:10.2f}  {reason}", flush=True)


if __name__ == "__main__":
    main()

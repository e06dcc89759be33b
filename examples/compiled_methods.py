"""Newton's method and Hamiltonian Monte Carlo, each one compiled function that takes its derivatives by itself.

    python examples/compiled_methods.py [--quick]

The density is that of logistic regression with a normal prior. Newton's method finds its maximum; Hamiltonian Monte
Carlo draws from it, with Numba's random numbers, gradients and all in one loop without Python.
"""

import argparse
from time import perf_counter

import numpy as np
from numba import njit

import pullback as pb


@pb.differentiable
def potential(w, x, y):
    """Minus the logarithm of the density of the weights w, but for a constant: rows x, answers y of -1 or 1."""
    total = 0.5 * np.sum(w * w)
    for i in range(x.shape[0]):
        total += np.log1p(np.exp(-y[i] * np.sum(x[i] * w)))
    return total


@njit
def newton(w, x, y, steps):
    for _ in range(steps):
        w = w - np.linalg.solve(pb.hessian(potential)(w, x, y), pb.grad(potential)(w, x, y))
    return w


@njit
def sample(w, x, y, draws, step, leaps, seed):
    """(draws, w.size) weights, and the fraction of the proposals that were accepted."""
    np.random.seed(seed)
    found, accepted = np.empty((draws, w.size)), 0
    for k in range(draws):
        p = np.random.standard_normal(w.size)
        before = potential(w, x, y) + 0.5 * np.sum(p * p)
        q = w.copy()
        for _ in range(leaps):
            p -= 0.5 * step * pb.grad(potential)(q, x, y)
            q += step * p
            p -= 0.5 * step * pb.grad(potential)(q, x, y)
        if np.log(np.random.random()) < before - potential(q, x, y) - 0.5 * np.sum(p * p):
            w = q
            accepted += 1
        found[k] = w
    return found, accepted / draws


def main() -> None:
    quick = parse_arguments().quick
    rng = np.random.default_rng(0)
    true = np.array([1.0, -2.0, 0.5])
    x = rng.standard_normal((100 if quick else 500, 3))
    y = np.where(rng.random(x.shape[0]) < 1.0 / (1.0 + np.exp(-x @ true)), 1.0, -1.0)

    best = newton(np.zeros(3), x, y, 10)
    print(f"Newton: {best.round(3)}, gradient {np.abs(pb.grad(potential)(best, x, y)).max():.0e}")
    sample(best, x, y, 2, 0.1, 2, 0)  # compiled here
    begin = perf_counter()
    draws, accepted = sample(best, x, y, 300 if quick else 3000, 0.1, 10, 0)
    spent = perf_counter() - begin
    gradients = 20 * draws.shape[0] / spent
    print(f"Monte Carlo: mean {draws.mean(axis=0).round(3)}, deviation {draws.std(axis=0).round(3)}")
    print(f"accepted {accepted:.0%}, {gradients:,.0f} gradients a second")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and draws")
    return parser.parse_args()


if __name__ == "__main__":
    main()

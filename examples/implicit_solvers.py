"""Derivatives of what solvers find: of Newton's method, of a routine of SciPy's, of an equilibrium, and of a minimiser.

A solver is not differentiated. What it finds fulfils an equation, and the derivative of that gives the derivative of
the solution: `pb.implicit(residual)(solver)`. Here gradients through three solvers are followed to where they lead.

Run: python examples/implicit_solvers.py [--quick]
"""

import argparse

import numpy as np
from scipy import optimize

import pullback as pb

# Kepler's equation by Newton's method: which eccentricity has an orbit whose position is known at three times?


def kepler(anomaly, mean, eccentricity):
    return anomaly - eccentricity * np.sin(anomaly) - mean


@pb.implicit(kepler)
def eccentric_anomaly(start, mean, eccentricity):
    anomaly = start
    while np.abs(kepler(anomaly, mean, eccentricity)) > 1e-13:
        anomaly -= kepler(anomaly, mean, eccentricity) / pb.grad(kepler)(anomaly, mean, eccentricity)
    return anomaly


def misfit(eccentricity, means, seen):
    total = 0.0
    for i in range(means.shape[0]):
        found = np.cos(eccentric_anomaly(means[i], means[i], eccentricity))
        total += (found - seen[i]) ** 2
    return total


# The prices of a market of three goods, by `scipy.optimize.root`: which tax on the first brings in most?


def excess_demand(prices, tax):
    paid = prices.copy()
    paid[0] = prices[0] + tax
    wish = np.array([6.0, 2.0, 3.0]) * np.exp(0.3 * np.mean(paid) - paid)
    return wish - prices


def settled(start, tax):
    return optimize.root(excess_demand, start, (tax,), method="hybr", tol=1e-12).x


market = pb.implicit(excess_demand)(pb.external(settled, result=np.zeros(3)))


def revenue(tax):
    prices = market(np.ones(3), tax)
    return tax * prices[0]


# Two problems in one another: the ridge penalty whose fit to some data is best for other data.


def penalised(w, log_penalty, x, y):
    r = x @ w - y
    return np.sum(r * r) + np.exp(log_penalty) * np.sum(w * w)


@pb.implicit(pb.grad(penalised))
def fitted(start, log_penalty, x, y):
    return np.linalg.solve(x.T @ x + np.exp(log_penalty) * np.eye(start.shape[0]), x.T @ y)


def validation(log_penalty, x, y, other_x, other_y):
    w = fitted(np.zeros(x.shape[1]), log_penalty, x, y)
    r = other_x @ w - other_y
    return np.mean(r * r)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer data")
    size = 40 if parser.parse_args().quick else 400

    means = np.array([0.5, 1.5, 3.0])
    seen = np.cos([eccentric_anomaly(m, m, 0.35) for m in means])
    descent = pb.value_and_grad(misfit)
    orbit = optimize.minimize(lambda e: descent(e[0], means, seen), 0.1, jac=True, bounds=[(0.0, 0.9)], tol=1e-12)
    print(f"eccentricity   {float(orbit.x[0]):.6f} after {orbit.nfev} evaluations; it was 0.35")

    best = optimize.minimize_scalar(lambda tax: -revenue(tax), bounds=(0.0, 10.0), method="bounded")
    slope = pb.grad(revenue)(best.x)
    print(f"best tax       {best.x:.4f}, revenue {revenue(best.x):.4f}, and the derivative there is {slope:.1e}")

    random = np.random.default_rng(0)
    weights = random.normal(size=30) * (np.arange(30) < 5)
    x, other_x = random.normal(size=(size, 30)), random.normal(size=(size, 30))
    y, other_y = x @ weights + random.normal(size=size), other_x @ weights + random.normal(size=size)
    outer = pb.value_and_grad(validation)
    ridge = optimize.minimize(lambda p: outer(p[0], x, y, other_x, other_y), np.zeros(1), jac=True)
    print(f"best penalty   {np.exp(ridge.x[0]):.3f} after {ridge.nfev} evaluations, error {ridge.fun:.4f}")


if __name__ == "__main__":
    main()

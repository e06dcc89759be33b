"""Four problems for SciPy, which takes Jacobians, Hessians and products with them as they are.

    python examples/scipy_solvers.py [--quick]

A chain hangs between two points (`trust-ncg` with Hessian-vector products, `trust-exact` with the Hessian). The same
chain has links of fixed length (`SLSQP` with the Jacobian of the constraints). The rates of a decay are fitted to what
is left (`least_squares`). A stiff reaction is integrated in time (`solve_ivp` with its Jacobian).
"""

import argparse

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares, minimize

import pullback as pb


@pb.differentiable
def elastic_energy(p, span, stiffness):
    """Of a chain of masses between (0, 0) and (span, 0): p holds the coordinates of all masses, x before y."""
    count = p.shape[0] // 2
    total, x, y = 0.0, 0.0, 0.0
    for k in range(count + 1):
        if k < count:
            next_x, next_y = p[k], p[count + k]
            total += next_y
        else:
            next_x, next_y = span, 0.0
        length = np.sqrt((next_x - x) ** 2 + (next_y - y) ** 2)
        total += 0.5 * stiffness * (length - 1.0) ** 2
        x, y = next_x, next_y
    return total


@pb.differentiable
def height(p):
    return np.sum(p[p.shape[0] // 2 :])


@pb.differentiable
def stretches(p, span):
    """How much longer each link is than 1, as squares."""
    count = p.shape[0] // 2
    x, y = np.zeros(count + 2), np.zeros(count + 2)
    x[1:-1], y[1:-1], x[-1] = p[:count], p[count:], span
    return (x[1:] - x[:-1]) ** 2 + (y[1:] - y[:-1]) ** 2 - 1.0


@pb.differentiable
def decay_errors(rates, times, measured):
    """Of what is left of three substances, of which the first becomes the second, and that the third."""
    errors = np.empty(times.shape[0])
    for k in range(times.shape[0]):
        first = np.exp(-rates[0] * times[k])
        second = rates[0] / (rates[1] - rates[0]) * (first - np.exp(-rates[1] * times[k]))
        errors[k] = first + 2.0 * second - measured[k]
    return errors


@pb.differentiable
def reaction(time, c):
    """Robertson's: the slow, the very fast and the fast reaction of three substances."""
    slow, fast, very_fast = 0.04 * c[0], 1e4 * c[1] * c[2], 3e7 * c[1] ** 2
    return np.array([fast - slow, slow - fast - very_fast, very_fast])


def main() -> None:
    quick = parse_arguments().quick
    count = 8 if quick else 30
    span = 0.7 * (count + 1)
    start = np.concatenate([np.linspace(0.0, span, count + 2)[1:-1], -np.ones(count)])

    given = {"args": (span, 50.0), "jac": pb.grad(elastic_energy)}
    exact = minimize(elastic_energy, start, method="trust-exact", hess=pb.hessian(elastic_energy), **given)
    products = minimize(elastic_energy, start, method="trust-ncg", hessp=pb.hvp(elastic_energy), **given)
    print(f"elastic chain: lowest mass at {exact.x[count:].min():.4f} and {products.x[count:].min():.4f}")

    links = {"type": "eq", "fun": stretches, "jac": pb.jacobian(stretches), "args": (span,)}
    rigid = minimize(height, exact.x, method="SLSQP", jac=pb.grad(height), constraints=links, options={"maxiter": 200})
    off = np.abs(stretches(rigid.x, span)).max()
    print(f"rigid chain: lowest mass at {rigid.x[count:].min():.4f}, links off by {off:.0e}")

    times = np.linspace(0.0, 5.0, 40)
    measured = decay_errors(np.array([0.8, 0.3]), times, np.zeros(40))
    fitted = least_squares(decay_errors, [1.5, 0.1], jac=pb.jacobian(decay_errors), args=(times, measured))
    print(f"decay: rates {fitted.x[0]:.4f} and {fitted.x[1]:.4f} after {fitted.njev} Jacobians")

    end = 40.0 if quick else 4e4
    jacobian = pb.jacobian(reaction, "c")
    begin = np.array([1.0, 0.0, 0.0])
    solved = solve_ivp(reaction, (0.0, end), begin, method="BDF", jac=jacobian, rtol=1e-6, atol=1e-10)
    print(f"reaction: {solved.y[0, -1]:.4f} left after {solved.t.size} steps and {solved.njev} Jacobians")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller problems")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""Second derivatives and Jacobians beside JAX's: seconds from nothing to the first result, and of each call after it.

    python benchmarks/higher_order.py [--rounds 5] [--only rosenbrock,arm]

JAX runs in the same process, in double precision, compiled; a problem is left out of its columns where it is not
installed. Each result is compared with JAX's, or with central differences.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize._numdiff import approx_derivative, group_columns

import pullback as pb
from harness.beside_jax import Problem, arguments_of, first_and_next, jax, table

if jax is not None:
    import jax.numpy as jnp
    from jax import lax

RNG = np.random.default_rng(0)


# A Rosenbrock function of ten numbers: its Hessian.


def rosenbrock(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def rosenbrock_hessian_jax():
    def rosenbrock(x):
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    return jax.jit(jax.hessian(rosenbrock))


# Heat with a source along a rod of 200 points, by Runge and Kutta's method: the Jacobian of the end by the beginning.


def heat_rate(u):
    rate = np.zeros_like(u)
    rate[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2] + 0.1 * np.sin(u[1:-1])
    return rate


def trajectory(u, steps):
    h = 0.1
    for _ in range(steps):
        k1 = heat_rate(u)
        k2 = heat_rate(u + 0.5 * h * k1)
        k3 = heat_rate(u + 0.5 * h * k2)
        k4 = heat_rate(u + h * k3)
        u = u + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return u


def trajectory_jacobian_jax():
    def rate(u):
        inner = u[2:] - 2.0 * u[1:-1] + u[:-2] + 0.1 * jnp.sin(u[1:-1])
        return jnp.zeros_like(u).at[1:-1].set(inner)

    def step(u, _):
        h = 0.1
        k1 = rate(u)
        k2 = rate(u + 0.5 * h * k1)
        k3 = rate(u + 0.5 * h * k2)
        k4 = rate(u + h * k3)
        return u + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

    return jax.jit(jax.jacfwd(lambda u, steps: lax.scan(step, u, None, steps)[0]), static_argnums=1)


# A mixture of three Gaussians in one dimension: the Hessian of its likelihood by all nine parameters.


def mixture(p, x):
    total = 0.0
    for i in range(x.shape[0]):
        density = 0.0
        for k in range(3):
            z = (x[i] - p[k]) * np.exp(-p[3 + k])
            density += np.exp(p[6 + k] - p[3 + k] - 0.5 * z * z)
        total += np.log(density)
    return total - x.shape[0] * np.log(np.exp(p[6]) + np.exp(p[7]) + np.exp(p[8]))


def mixture_hessian_jax():
    def mixture(p, x):
        means, scales, weights = p[:3], p[3:6], p[6:]
        z = (x[:, None] - means) * jnp.exp(-scales)
        density = jnp.sum(jnp.exp(weights - scales - 0.5 * z * z), axis=1)
        return jnp.sum(jnp.log(density)) - x.shape[0] * jnp.log(jnp.sum(jnp.exp(weights)))

    return jax.jit(jax.hessian(mixture))


# Softmax regression: the Hessian of the loss times a direction.


def softmax_loss(w, x, labels):
    scores = x @ w
    scores = scores - np.max(scores, axis=1)[:, None]
    logarithms = np.log(np.sum(np.exp(scores), axis=1))
    total = 0.0
    for i in range(x.shape[0]):
        total += logarithms[i] - scores[i, labels[i]]
    return total / x.shape[0] + 0.01 * np.sum(w * w)


def softmax_hvp_jax():
    def loss(w, x, labels):
        scores = x @ w
        scores = scores - jnp.max(scores, axis=1)[:, None]
        logarithms = jnp.log(jnp.sum(jnp.exp(scores), axis=1))
        chosen = jnp.take_along_axis(scores, labels[:, None], axis=1)[:, 0]
        return jnp.sum(logarithms - chosen) / x.shape[0] + 0.01 * jnp.sum(w * w)

    def hvp(w, v, x, labels):
        return jax.jvp(lambda w: jax.grad(loss)(w, x, labels), (w,), (v,))[1]

    return jax.jit(hvp)


# An arm of six links in the plane: Newton's method for the angles at which its hand is somewhere, with least turns.


def hand(angles):
    x, y, angle = 0.0, 0.0, 0.0
    for k in range(angles.shape[0]):
        angle += angles[k]
        x += np.cos(angle)
        y += np.sin(angle)
    return np.array([x, y])


@pb.differentiable
def reach(angles, goal, steps):
    for _ in range(steps):
        j = pb.jacobian(hand)(angles)
        angles = angles + j.T @ np.linalg.solve(j @ j.T + 1e-9 * np.eye(2), goal - hand(angles))
    return angles


def reach_jax():
    def hand(angles):
        along = jnp.cumsum(angles)
        return jnp.array([jnp.sum(jnp.cos(along)), jnp.sum(jnp.sin(along))])

    def reach(angles, goal, steps):
        def step(angles, _):
            j = jax.jacobian(hand)(angles)
            return angles + j.T @ jnp.linalg.solve(j @ j.T + 1e-9 * jnp.eye(2), goal - hand(angles)), None

        return lax.scan(step, angles, None, steps)[0]

    return jax.jit(reach, static_argnums=2)


# A band of 10,000 residuals: their sparse Jacobian, beside JAX's dense one and SciPy's coloured differences.


def residuals(x):
    r = (3.0 - 2.0 * x) * x + 1.0
    r[1:] -= x[:-1]
    r[:-1] -= 2.0 * x[1:]
    return r


def band(size):
    return sparse.diags_array([np.ones(size - 1), np.ones(size), np.ones(size - 1)], offsets=[-1, 0, 1])


def residuals_jacobian_jax():
    def residuals(x):
        return ((3.0 - 2.0 * x) * x + 1.0).at[1:].add(-x[:-1]).at[:-1].add(-2.0 * x[1:])

    return jax.jit(jax.jacfwd(residuals))


def differences(x):
    compiled = pb.differentiable(residuals)
    groups = group_columns(band(x.size))
    return lambda: approx_derivative(compiled, x, method="2-point", sparsity=(band(x.size), groups))


LABELS = RNG.integers(0, 10, 1000)
SAMPLE = np.concatenate([RNG.normal(-2.0, 0.5, 400), RNG.normal(0.0, 1.0, 300), RNG.normal(3.0, 0.7, 300)])
PROBLEMS = {
    "rosenbrock": Problem(pb.hessian(rosenbrock), rosenbrock_hessian_jax, (RNG.normal(size=10),)),
    "trajectory": Problem(pb.jacfwd(trajectory), trajectory_jacobian_jax, (RNG.normal(size=200), 50)),
    "mixture": Problem(
        pb.hessian(mixture), mixture_hessian_jax, (np.array([-1.5, 0.1, 2.5, -0.5, 0.1, -0.2, 0.2, 0.1, 0.0]), SAMPLE)
    ),
    "softmax": Problem(
        pb.hvp(softmax_loss),
        softmax_hvp_jax,
        (0.1 * RNG.normal(size=(50, 10)), RNG.normal(size=(50, 10)), RNG.normal(size=(1000, 50)), LABELS),
    ),
    "band": Problem(
        pb.jacobian(residuals, sparsity=band(10_000)), residuals_jacobian_jax, (np.linspace(-1.0, 1.0, 10_000),)
    ),
    "arm": Problem(reach, reach_jax, (np.full(6, 0.3), np.array([2.0, 3.0]), 10)),
}


def main() -> None:
    chosen, rounds = arguments_of(__doc__, PROBLEMS)
    print(table(chosen, rounds))
    if "band" in chosen:
        _, first, later = first_and_next(differences(chosen["band"].arguments[0]), rounds)
        print(f"band by SciPy's coloured differences: {first:.2f} s first, {later * 1e6:.1f} µs next")


if __name__ == "__main__":
    main()

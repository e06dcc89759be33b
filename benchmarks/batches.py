"""Batches by loops beside JAX's `vmap`: gradients of each example, many Jacobians, an ensemble of trajectories.

    python benchmarks/batches.py [--rounds 5] [--only examples,arms]

JAX runs in the same process, in double precision, compiled; a problem is left out of its columns where it is not
installed. Each result is compared with JAX's.
"""

from __future__ import annotations

import numpy as np

import pullback as pb
from harness.beside_jax import Problem, arguments_of, jax, table

if jax is not None:
    import jax.numpy as jnp
    from jax import lax

RNG = np.random.default_rng(0)


# A network with one hidden layer: the gradient of the loss of each of 1000 examples.


def loss(w, v, x, y):
    return (v @ np.tanh(w @ x) - y) ** 2


slope = pb.grad(loss, (0, 1))


@pb.differentiable(parallel=True)
def slope_of_each(w, v, xs, ys):
    by_w = np.empty((xs.shape[0], w.shape[0], w.shape[1]))
    by_v = np.empty((xs.shape[0], v.shape[0]))
    for i in range(xs.shape[0]):
        by_w[i], by_v[i] = slope(w, v, xs[i], ys[i])
    return by_w, by_v


def slope_of_each_jax():
    def loss(w, v, x, y):
        return (v @ jnp.tanh(w @ x) - y) ** 2

    return jax.jit(jax.vmap(jax.grad(loss, (0, 1)), (None, None, 0, 0)))


# An arm of eight links in the plane: the Jacobian of its hand by its angles, in 2000 positions.


def hand(angles):
    position = np.zeros(2)
    angle = 0.0
    for k in range(angles.shape[0]):
        angle += angles[k]
        position[0] += np.cos(angle)
        position[1] += np.sin(angle)
    return position


turn = pb.jacobian(hand)


@pb.differentiable(parallel=True)
def turn_of_each(many):
    made = np.empty((many.shape[0], 2, many.shape[1]))
    for i in range(many.shape[0]):
        made[i] = turn(many[i])
    return made


def turn_of_each_jax():
    def hand(angles):
        along = jnp.cumsum(angles)
        return jnp.array([jnp.sum(jnp.cos(along)), jnp.sum(jnp.sin(along))])

    return jax.jit(jax.vmap(jax.jacobian(hand)))


# 2000 trajectories of the Lorenz system: how the mean of where they end depends on its three parameters.


def final_distance(start, sigma, rho, beta, steps):
    x, y, z, dt = start[0], start[1], start[2], 0.005
    for _ in range(steps):
        dx, dy, dz = sigma * (y - x), x * (rho - z) - y, x * y - beta * z
        x, y, z = x + dt * dx, y + dt * dy, z + dt * dz
    return x * x + y * y + z * z


@pb.differentiable(parallel=True)
def mean_distance(sigma, rho, beta, starts, steps):
    total = 0.0
    for i in range(starts.shape[0]):
        total += final_distance(starts[i], sigma, rho, beta, steps)
    return total / starts.shape[0]


def mean_distance_jax():
    def final_distance(start, sigma, rho, beta, steps):
        def step(state, _):
            (x, y, z), dt = state, 0.005
            return (x + dt * sigma * (y - x), y + dt * (x * (rho - z) - y), z + dt * (x * y - beta * z)), None

        (x, y, z), _ = lax.scan(step, (start[0], start[1], start[2]), None, steps)
        return x * x + y * y + z * z

    def mean(sigma, rho, beta, starts, steps):
        ends = jax.vmap(final_distance, (0, None, None, None, None))(starts, sigma, rho, beta, steps)
        return jnp.mean(ends)

    return jax.jit(jax.grad(mean, (0, 1, 2)), static_argnums=4)


PROBLEMS = {
    "examples": Problem(
        slope_of_each,
        slope_of_each_jax,
        (RNG.normal(size=(32, 16)) / 4, RNG.normal(size=32) / 6, RNG.normal(size=(1000, 16)), RNG.normal(size=1000)),
    ),
    "arms": Problem(turn_of_each, turn_of_each_jax, (RNG.normal(size=(2000, 8)),)),
    "ensemble": Problem(
        pb.grad(mean_distance, (0, 1, 2)), mean_distance_jax, (10.0, 28.0, 8 / 3, RNG.normal(size=(2000, 3)), 200)
    ),
}


def main() -> None:
    chosen, rounds = arguments_of(__doc__, PROBLEMS)
    print(table(chosen, rounds))


if __name__ == "__main__":
    main()

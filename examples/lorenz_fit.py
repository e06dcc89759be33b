"""A noisy trajectory of the Lorenz system becomes its parameters, by gradients through a plain Runge-Kutta loop.

    python examples/lorenz_fit.py [--quick] [--observations 60] [--noise 0.2]

Unknown are sigma, rho and beta and the state at the start, whose observation is as noisy as all others. The search
starts with parameters 15 to 20 % off, on the first half of the observations: chaos would hide the way to the optimum in
a long trajectory, and what the first half gives is close enough to go on from. `misfit` is differentiated as it stands,
loops, helpers and all.
"""

import argparse
from time import perf_counter

import numpy as np
from scipy.optimize import minimize
from tqdm import tqdm

import pullback as pb

NAMES = ("sigma", "rho", "beta", "x", "y", "z")
TRUE = np.array([10.0, 28.0, 8.0 / 3.0, 1.0, 2.0, 20.0])


def velocity(x, y, z, sigma, rho, beta):
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


def advance(x, y, z, sigma, rho, beta, h):
    """One classical Runge-Kutta step of length h."""
    ax, ay, az = velocity(x, y, z, sigma, rho, beta)
    bx, by, bz = velocity(x + h / 2 * ax, y + h / 2 * ay, z + h / 2 * az, sigma, rho, beta)
    cx, cy, cz = velocity(x + h / 2 * bx, y + h / 2 * by, z + h / 2 * bz, sigma, rho, beta)
    dx, dy, dz = velocity(x + h * cx, y + h * cy, z + h * cz, sigma, rho, beta)
    x += h / 6 * (ax + 2 * bx + 2 * cx + dx)
    y += h / 6 * (ay + 2 * by + 2 * cy + dy)
    z += h / 6 * (az + 2 * bz + 2 * cz + dz)
    return x, y, z


def misfit(unknowns, observed, h, every):
    """Mean squared distance to the observations, of which there is one after every `every` steps of length h.

    unknowns: sigma, rho, beta and the state at the start; observed: (n, 3), the start first.
    """
    sigma, rho, beta, x, y, z = unknowns
    total = (x - observed[0, 0]) ** 2 + (y - observed[0, 1]) ** 2 + (z - observed[0, 2]) ** 2
    for k in range(1, observed.shape[0]):
        for _ in range(every):
            x, y, z = advance(x, y, z, sigma, rho, beta, h)
        total += (x - observed[k, 0]) ** 2 + (y - observed[k, 1]) ** 2 + (z - observed[k, 2]) ** 2
    return total / observed.shape[0]


def observe(rng, count, h, every, noise):
    """A trajectory of `count` states with normal noise of standard deviation `noise`; (count, 3)."""
    parameters, state = TRUE[:3], tuple(TRUE[3:])
    states = [state]
    for _ in range(count - 1):
        for _ in range(every):
            state = advance(*state, *parameters, h)
        states.append(state)
    return np.array(states) + rng.normal(0.0, noise, (count, 3))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="half the observations")
    parser.add_argument("--observations", type=int, default=60)
    parser.add_argument("--noise", type=float, default=0.2, help="standard deviation; the states are about 20 long")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    count = arguments.observations // 2 if arguments.quick else arguments.observations
    h, every = 0.01, 5

    observed = observe(np.random.default_rng(arguments.seed), count, h, every, arguments.noise)
    start = np.concatenate([TRUE[:3] * (1.2, 0.85, 1.2), observed[0]])
    bounds = [*zip(start[:3] / 2, start[:3] * 2, strict=True), *zip(start[3:] - 5, start[3:] + 5, strict=True)]
    value_and_gradient = pb.value_and_grad(misfit)

    seconds = []
    with tqdm(desc="compiling", unit=" gradients") as progress:

        def evaluate(unknowns, observed):
            began = perf_counter()
            answer = value_and_gradient(unknowns, observed, h, every)
            seconds.append(perf_counter() - began)
            progress.set_description("searching", refresh=False)
            progress.update()
            return answer

        def search(start, observed):
            return minimize(evaluate, start, (observed,), method="L-BFGS-B", jac=True, bounds=bounds)

        rough = search(start, observed[: count // 2])
        found = search(rough.x, observed)

    for name, true, first, recovered in zip(NAMES, TRUE, start, found.x, strict=True):
        print(f"{name:6} true {true:8.4f}   start {first:8.4f}   recovered {recovered:8.4f}")
    print(f"misfit {found.fun:.4f}, noise alone {3 * arguments.noise**2:.4f}; {rough.nit} + {found.nit} iterations")
    print(f"first gradient {seconds[0]:.2f} s, compilation included")
    print(f"each further one {1e6 * np.median(seconds[1:]):,.1f} µs, through {(count - 1) * every} Runge-Kutta steps")


if __name__ == "__main__":
    main()

"""A triangle of pairs with a branch: the energy of particles in a periodic box (Lennard-Jones 1924)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import select
from harness.peers import jax_gradient

WRT = (0, 1, 2)
LANES = 256


def make(scale=1.0):
    random = np.random.default_rng(12)
    n = max(60, int(1200 * scale))
    side = int(np.ceil(n ** (1 / 3)))
    sites = np.unravel_index(random.permutation(side**3)[:n], (side, side, side))
    box = 1.1 * side
    positions = 1.1 * np.stack(sites, axis=1) + random.uniform(-0.1, 0.1, (n, 3))
    return positions, 0.9, 1.02, box, min(2.5, 0.45 * box)


def primal(positions, epsilon, sigma, box, cutoff):
    n = positions.shape[0]
    shift = (sigma / cutoff) ** 12 - (sigma / cutoff) ** 6
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = positions[i, 0] - positions[j, 0]
            dy = positions[i, 1] - positions[j, 1]
            dz = positions[i, 2] - positions[j, 2]
            dx -= box * round(dx / box)
            dy -= box * round(dy / box)
            dz -= box * round(dz / box)
            r2 = dx**2 + dy**2 + dz**2
            if r2 < cutoff**2:
                s6 = (sigma**2 / r2) ** 3
                energy += 4 * epsilon * (s6**2 - s6 - shift)
    return energy


@adjoint
def hand(positions, epsilon, sigma, box, cutoff):
    """With every pair computed and those beyond the cutoff multiplied by 0, so that the loops over j vectorise.

    A block holds x, y, z and their cotangents of LANES particles. Where rows have constant distances, LLVM need not
    test whether they overlap.
    """
    n = positions.shape[0]
    blocks = np.zeros(((n + LANES - 1) // LANES, 6, LANES))
    for i in range(n):
        for c in range(3):
            blocks[i // LANES, c, i % LANES] = positions[i, c]
    sum12, sum6, count = 0.0, 0.0, 0.0
    for i in range(n):
        own, lane = blocks[i // LANES], i % LANES
        x_bar = y_bar = z_bar = 0.0
        start = lane + 1
        for first in range(i - lane, n, LANES):
            particles = blocks[first // LANES, :, start : min(LANES, n - first)]
            sums = pairs(own[0, lane], own[1, lane], own[2, lane], particles, sigma, box, cutoff)
            x_bar += sums[0]
            y_bar += sums[1]
            z_bar += sums[2]
            sum12 += sums[3]
            sum6 += sums[4]
            count += sums[5]
            start = 0
        own[3, lane] += x_bar
        own[4, lane] += y_bar
        own[5, lane] += z_bar
    positions_bar = np.empty((n, 3))
    for i in range(n):
        for c in range(3):
            positions_bar[i, c] = 24 * epsilon * blocks[i // LANES, 3 + c, i % LANES]
    ratio = (sigma / cutoff) ** 6
    epsilon_bar = 4 * (sum12 - sum6 - count * (ratio * ratio - ratio))
    sigma_bar = 24 * epsilon / sigma * (2 * sum12 - sum6 - count * (2 * ratio * ratio - ratio))
    return epsilon * epsilon_bar, positions_bar, epsilon_bar, sigma_bar


@inlined
def pairs(x, y, z, particles, sigma, box, cutoff):
    """Sums over the pairs of (x, y, z) with `particles`: its cotangent / 24 ε, (σ / r)¹², (σ / r)⁶ and 1."""
    xs, ys, zs, xs_bar, ys_bar, zs_bar = (
        particles[0], particles[1], particles[2], particles[3], particles[4], particles[5],
    )  # fmt: skip
    per_box, sigma2, cutoff2 = 1 / box, sigma * sigma, cutoff * cutoff
    x_bar = y_bar = z_bar = 0.0
    sum12 = sum6 = count = 0.0
    for j in range(xs.shape[0]):
        dx, dy, dz = x - xs[j], y - ys[j], z - zs[j]
        dx -= box * np.round(dx * per_box)
        dy -= box * np.round(dy * per_box)
        dz -= box * np.round(dz * per_box)
        r2 = dx * dx + dy * dy + dz * dz
        inverse = select(r2 < cutoff2, 1 / r2, 0.0)
        s2 = sigma2 * inverse
        s6 = s2 * s2 * s2
        s12 = s6 * s6
        sum12 += s12
        sum6 += s6
        count += select(r2 < cutoff2, 1.0, 0.0)
        pull = (s6 - 2 * s12) * inverse
        x_bar += pull * dx
        y_bar += pull * dy
        z_bar += pull * dz
        xs_bar[j] -= pull * dx
        ys_bar[j] -= pull * dy
        zs_bar[j] -= pull * dz
    return x_bar, y_bar, z_bar, sum12, sum6, count


@adjoint
def in_order(positions, epsilon, sigma, box, cutoff):
    """Pair by pair, with the program's branch; a pair's cotangent needs nothing that comes later."""
    n = positions.shape[0]
    positions_bar = np.zeros((n, 3))
    per_box, sigma2, cutoff2 = 1 / box, sigma * sigma, cutoff * cutoff
    sum12, sum6, count = 0.0, 0.0, 0
    for i in range(n):
        x, y, z = positions[i, 0], positions[i, 1], positions[i, 2]
        x_bar = y_bar = z_bar = 0.0
        for j in range(i + 1, n):
            dx, dy, dz = x - positions[j, 0], y - positions[j, 1], z - positions[j, 2]
            dx -= box * np.round(dx * per_box)
            dy -= box * np.round(dy * per_box)
            dz -= box * np.round(dz * per_box)
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < cutoff2:
                s2 = sigma2 / r2
                s6 = s2 * s2 * s2
                sum12 += s6 * s6
                sum6 += s6
                count += 1
                pull = 24 * epsilon * (s6 - 2 * s6 * s6) / r2
                x_bar += pull * dx
                y_bar += pull * dy
                z_bar += pull * dz
                positions_bar[j, 0] -= pull * dx
                positions_bar[j, 1] -= pull * dy
                positions_bar[j, 2] -= pull * dz
        positions_bar[i, 0] += x_bar
        positions_bar[i, 1] += y_bar
        positions_bar[i, 2] += z_bar
    ratio = (sigma / cutoff) ** 6
    epsilon_bar = 4 * (sum12 - sum6 - count * (ratio * ratio - ratio))
    sigma_bar = 24 * epsilon / sigma * (2 * sum12 - sum6 - count * (2 * ratio * ratio - ratio))
    return epsilon * epsilon_bar, positions_bar, epsilon_bar, sigma_bar


def jax(arguments):
    from jax import numpy as jnp

    positions, epsilon, sigma, box, cutoff = arguments
    earlier = np.tri(len(positions), k=-1, dtype=bool)

    def loss(positions, epsilon, sigma):
        d = positions[:, None] - positions
        d -= box * jnp.round(d / box)
        r2 = jnp.sum(d**2, axis=2)
        inside = earlier & (r2 < cutoff**2)
        s6 = (sigma**2 / jnp.where(inside, r2, 1.0)) ** 3
        shift = (sigma / cutoff) ** 12 - (sigma / cutoff) ** 6
        return jnp.sum(jnp.where(inside, 4 * epsilon * (s6**2 - s6 - shift), 0.0))

    return jax_gradient(loss, (positions, epsilon, sigma))


PEERS = {"jax": jax}

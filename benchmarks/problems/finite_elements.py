"""Gathers through a connectivity array: the area of a film of linear triangles (Courant 1943) and the gas below it."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import jax_gradient

WRT = (0, 1)
LANES = 64


def make(scale=1.0):
    """A square, cut into pairs of triangles, whose inner nodes are moved a little."""
    random = np.random.default_rng(22)
    side = max(4, int(241 * scale**0.5))
    number = np.arange(side * side).reshape(side, side)
    lower = np.stack([number[:-1, :-1], number[:-1, 1:], number[1:, 1:]], axis=-1)
    upper = np.stack([number[:-1, :-1], number[1:, 1:], number[1:, :-1]], axis=-1)
    triangles = np.concatenate([lower.reshape(-1, 3), upper.reshape(-1, 3)])
    y, x = np.meshgrid(np.linspace(0.0, 1.0, side), np.linspace(0.0, 1.0, side), indexing="ij")
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    inner = (points > 0.0).all(axis=1) & (points < 1.0).all(axis=1)
    points[inner] += random.uniform(-0.2, 0.2, (np.sum(inner), 2)) / side
    u = np.sin(3 * points[:, 0]) * np.cos(2 * points[:, 1]) + 0.2 * random.standard_normal(side * side) / side
    return u, points, triangles, 0.7


def primal(u, points, triangles, pressure):
    energy = 0.0
    for e in range(triangles.shape[0]):
        twice_area = 0.0
        slope_x = 0.0
        slope_y = 0.0
        height = 0.0
        for a in range(3):
            i = triangles[e, a]
            j = triangles[e, (a + 1) % 3]
            k = triangles[e, (a + 2) % 3]
            twice_area += points[i, 0] * (points[j, 1] - points[k, 1])
            slope_x += u[i] * (points[j, 1] - points[k, 1])
            slope_y += u[i] * (points[k, 0] - points[j, 0])
            height += u[i] / 3
        area = twice_area / 2
        slope_x /= twice_area
        slope_y /= twice_area
        energy += area * (np.sqrt(1 + slope_x**2 + slope_y**2) - pressure * height)
    return energy


@adjoint
def hand(u, points, triangles, pressure):
    """In blocks of elements: gathered, then computed with in a loop that LLVM vectorises, then scattered."""
    n, elements = u.shape[0], triangles.shape[0]
    u_bar, points_bar = np.zeros(n), np.zeros((n, 2))
    nodes, block = np.empty((3, LANES), np.uint64), np.empty((7, LANES))
    energy = 0.0
    for first in range(0, elements, LANES):
        lanes = min(LANES, elements - first)
        gather(u, points, triangles[first : first + lanes], nodes, block)
        energy += lifted_areas(block, lanes, pressure)
        scatter(u_bar, points_bar, nodes, lanes, block)
    return energy, u_bar, points_bar


@inlined
def position(node, n):
    """A node that Numba need not test for being negative at each use."""
    return np.uint64(node + n if node < 0 else node)


@inlined
def gather(u, points, triangles, nodes, block):
    """The nodes, the two sides that start at the first of them, lifted by u, and the sum of u."""
    n = u.shape[0]
    for l in range(triangles.shape[0]):
        i, j, k = position(triangles[l, 0], n), position(triangles[l, 1], n), position(triangles[l, 2], n)
        nodes[0, l], nodes[1, l], nodes[2, l] = i, j, k
        block[0, l], block[1, l], block[2, l] = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], u[j] - u[i]
        block[3, l], block[4, l], block[5, l] = points[k, 0] - points[i, 0], points[k, 1] - points[i, 1], u[k] - u[i]
        block[6, l] = u[i] + u[j] + u[k]


@inlined
def lifted_areas(block, lanes, pressure):
    """Their energy: half the length of a cross product, less the load. Cotangents take the place of the block."""
    energy = 0.0
    for l in range(lanes):
        x1, y1, u1, x2, y2, u2 = block[0, l], block[1, l], block[2, l], block[3, l], block[4, l], block[5, l]
        twice_area, b, c = x1 * y2 - x2 * y1, u1 * y2 - u2 * y1, x1 * u2 - x2 * u1
        film = np.copysign(np.sqrt(twice_area * twice_area + b * b + c * c), twice_area)
        load = pressure / 3 * block[6, l]
        energy += 0.5 * (film - load * twice_area)
        half = 0.5 / film
        area_bar, b_bar, c_bar = half * twice_area - 0.5 * load, half * b, half * c
        block[0, l], block[3, l] = area_bar * y2 + c_bar * u2, -area_bar * y1 - c_bar * u1
        block[1, l], block[4, l] = -area_bar * x2 - b_bar * u2, area_bar * x1 + b_bar * u1
        block[2, l], block[5, l] = b_bar * y2 - c_bar * x2, c_bar * x1 - b_bar * y1
        block[6, l] = -pressure / 6 * twice_area
    return energy


@inlined
def scatter(u_bar, points_bar, nodes, lanes, block):
    for l in range(lanes):
        i, j, k = nodes[0, l], nodes[1, l], nodes[2, l]
        points_bar[i, 0] -= block[0, l] + block[3, l]
        points_bar[i, 1] -= block[1, l] + block[4, l]
        u_bar[i] += block[6, l] - block[2, l] - block[5, l]
        points_bar[j, 0] += block[0, l]
        points_bar[j, 1] += block[1, l]
        u_bar[j] += block[6, l] + block[2, l]
        points_bar[k, 0] += block[3, l]
        points_bar[k, 1] += block[4, l]
        u_bar[k] += block[6, l] + block[5, l]


def jax(arguments):
    from jax import numpy as jnp

    u, points, triangles, pressure = arguments

    def loss(u, points):
        height, corner = u[triangles], points[triangles]
        after, before = jnp.roll(corner, -1, axis=1), jnp.roll(corner, -2, axis=1)
        dx, dy = before[..., 0] - after[..., 0], after[..., 1] - before[..., 1]
        twice_area = jnp.sum(corner[..., 0] * dy, axis=1)
        slope_x = jnp.sum(height * dy, axis=1) / twice_area
        slope_y = jnp.sum(height * dx, axis=1) / twice_area
        film = jnp.sqrt(1 + slope_x**2 + slope_y**2)
        return jnp.sum(0.5 * twice_area * (film - pressure * jnp.mean(height, axis=1)))

    return jax_gradient(loss, (u, points))


PEERS = {"jax": jax}

"""A sum over a list of neighbours (CSR): the energy of a metal by embedded atoms (Finnis and Sinclair 1984)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import jax_gradient

WRT = (0,)
LATTICE = 2.8665  # Å; iron, as all that follows
A = 1.828905
D, BETA = 3.569745, 1.8
C, C0, C1, C2 = 3.4, 1.2371147, -0.3592185, -0.0385607
SKIN = 0.7
BLOCK = 16  # atoms


def make(scale=1.0):
    """A body-centred cubic crystal with thermal noise: the list holds three shells of neighbours, two count."""
    random = np.random.default_rng(13)
    cells = max(3, round(14 * scale ** (1 / 3)))
    corners = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    positions = LATTICE * (corners[:, None] + np.array([0.0, 0.5])[:, None]).reshape(-1, 3)
    positions += 0.07 * random.standard_normal(positions.shape)
    box = cells * LATTICE
    return positions, *list_neighbours(positions, box), box


def list_neighbours(positions, box):
    """(first, neighbours): those of atom i are neighbours[first[i] : first[i + 1]]."""
    rows = []
    for i in range(len(positions)):
        d = positions - positions[i]
        d -= box * np.round(d / box)
        near = np.sum(d**2, axis=1) < (D + SKIN) ** 2
        near[i] = False
        rows.append(np.flatnonzero(near))
    return np.cumsum([0, *map(len, rows)]), np.concatenate(rows)


def primal(positions, first, neighbours, box):
    n = positions.shape[0]
    density = np.zeros(n)
    repulsion = 0.0
    for i in range(n):
        for k in range(first[i], first[i + 1]):
            j = neighbours[k]
            dx = positions[i, 0] - positions[j, 0]
            dy = positions[i, 1] - positions[j, 1]
            dz = positions[i, 2] - positions[j, 2]
            dx -= box * np.round(dx / box)
            dy -= box * np.round(dy / box)
            dz -= box * np.round(dz / box)
            r = np.sqrt(dx**2 + dy**2 + dz**2)
            if r < D:
                density[i] += (r - D) ** 2 + BETA * (r - D) ** 3 / D
            if r < C:
                repulsion += (r - C) ** 2 * (C0 + C1 * r + C2 * r**2)
    energy = repulsion / 2
    for i in range(n):
        energy -= A * np.sqrt(density[i])
    return energy


@adjoint
def hand(positions, first, neighbours, box):
    """In blocks of atoms: their pairs, one array for each quantity, go through vectorised loops and stay in the cache.

    The densities of a block are complete with its own pairs, so that their cotangents are known before the next block.
    """
    n = positions.shape[0]
    positions_bar = np.zeros((n, 3))
    most = 0
    for start in range(0, n, BLOCK):
        most = max(most, first[min(start + BLOCK, n)] - first[start])
    dx, dy, dz, r = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    density, density_slope, repulsion_slope = np.empty(most), np.empty(most), np.empty(most)
    density_bars = np.empty(BLOCK)
    energy = 0.0
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        origin, count = first[start], first[stop] - first[start]
        for i in range(start, stop):
            others, low = neighbours[first[i] : first[i + 1]], first[i] - origin
            separate(i, others, positions, dx[low:], dy[low:], dz[low:])
        measure(dx[:count], dy[:count], dz[:count], box, r)
        energy += interact(r[:count], density, density_slope, repulsion_slope)
        for i in range(start, stop):
            density_bars[i - start] = total(density[first[i] - origin : first[i + 1] - origin])
        energy += embed(density_bars[: stop - start])
        for i in range(start, stop):
            others, own = neighbours[first[i] : first[i + 1]], slice(first[i] - origin, first[i + 1] - origin)
            slopes = density_slope[own], repulsion_slope[own]
            pull(i, others, density_bars[i - start], slopes, dx[own], dy[own], dz[own], positions_bar)
    return energy, positions_bar


@inlined
def separate(i, others, positions, dx, dy, dz):
    """The vectors between atom i and its neighbours, wherever these lie in memory."""
    x, y, z = positions[i, 0], positions[i, 1], positions[i, 2]
    for k in range(others.shape[0]):
        j = np.uint64(others[k])  # Numba tests signed indices for being negative
        dx[k] = x - positions[j, 0]
        dy[k] = y - positions[j, 1]
        dz[k] = z - positions[j, 2]


@inlined
def measure(dx, dy, dz, box, r):
    """The nearest images, in place, and their distances."""
    for d in (dx, dy, dz):
        for k in range(d.shape[0]):
            d[k] -= box * np.round(d[k] / box)
    for k in range(dx.shape[0]):
        r[k] = np.sqrt(dx[k] * dx[k] + dy[k] * dy[k] + dz[k] * dz[k])


@inlined
def interact(r, density, density_slope, repulsion_slope):
    """Half the sum of the repulsion; slopes are divided by r, and that of the repulsion counts half."""
    repulsion = 0.0
    for k in range(r.shape[0]):
        inverse = 1 / r[k]
        u, v = min(r[k] - D, 0.0), min(r[k] - C, 0.0)  # 0 beyond the cutoff, and so is all that follows
        density[k] = u * u * (1 + BETA / D * u)
        density_slope[k] = u * (2 + 3 * BETA / D * u) * inverse
        p = C0 + r[k] * (C1 + C2 * r[k])
        repulsion += v * v * p
        repulsion_slope[k] = v * (p + 0.5 * v * (C1 + 2 * C2 * r[k])) * inverse
    return 0.5 * repulsion


@inlined
def total(x):
    s = 0.0
    for k in range(x.shape[0]):
        s += x[k]
    return s


@inlined
def embed(densities):
    """The energy of embedding; the cotangents of the densities take their place."""
    energy = 0.0
    for k in range(densities.shape[0]):
        root = np.sqrt(densities[k])
        energy -= A * root
        densities[k] = -A / (2 * root)
    return energy


@inlined
def pull(i, others, density_bar, slopes, dx, dy, dz, positions_bar):
    """Pass the cotangents of the distances of atom i to it and to its neighbours."""
    density_slope, repulsion_slope = slopes
    x_bar = y_bar = z_bar = 0.0
    for k in range(others.shape[0]):
        slope = density_bar * density_slope[k] + repulsion_slope[k]
        if slope != 0:  # half of the list lies beyond both cutoffs
            j = np.uint64(others[k])
            along_x, along_y, along_z = slope * dx[k], slope * dy[k], slope * dz[k]
            x_bar += along_x
            y_bar += along_y
            z_bar += along_z
            positions_bar[j, 0] -= along_x
            positions_bar[j, 1] -= along_y
            positions_bar[j, 2] -= along_z
    positions_bar[i, 0] += x_bar
    positions_bar[i, 1] += y_bar
    positions_bar[i, 2] += z_bar


@adjoint
def in_order(positions, first, neighbours, box):
    """Atom by atom, with the program's branches; the pairs of one atom are kept until its density is complete."""
    n = positions.shape[0]
    positions_bar = np.zeros((n, 3))
    most = 0
    for i in range(n):
        most = max(most, first[i + 1] - first[i])
    dx, dy, dz = np.empty(most), np.empty(most), np.empty(most)
    density_slope, repulsion_slope = np.empty(most), np.empty(most)
    kept = np.empty(most, np.int64)
    energy = 0.0
    for i in range(n):
        density = 0.0
        count = 0
        for j in neighbours[first[i] : first[i + 1]]:
            x, y, z = (
                positions[i, 0] - positions[j, 0],
                positions[i, 1] - positions[j, 1],
                positions[i, 2] - positions[j, 2],
            )
            x -= box * np.round(x / box)
            y -= box * np.round(y / box)
            z -= box * np.round(z / box)
            r = np.sqrt(x * x + y * y + z * z)
            if r < max(C, D):
                dx[count], dy[count], dz[count], kept[count] = x, y, z, j
                u, v = min(r - D, 0.0), min(r - C, 0.0)
                p = C0 + r * (C1 + C2 * r)
                density += u * u * (1 + BETA / D * u)
                density_slope[count] = u * (2 + 3 * BETA / D * u) / r
                energy += 0.5 * v * v * p
                repulsion_slope[count] = v * (p + 0.5 * v * (C1 + 2 * C2 * r)) / r
                count += 1
        energy -= A * np.sqrt(density)
        slopes = density_slope[:count], repulsion_slope[:count]
        pull(i, kept[:count], -A / (2 * np.sqrt(density)), slopes, dx, dy, dz, positions_bar)
    return energy, positions_bar


def jax(arguments):
    from jax import numpy as jnp
    from jax.ops import segment_sum

    positions, first, neighbours, box = arguments
    n = len(positions)
    atoms = np.repeat(np.arange(n), np.diff(first))

    def loss(positions):
        d = positions[atoms] - positions[neighbours]
        d -= box * jnp.round(d / box)
        r = jnp.sqrt(jnp.sum(d**2, axis=1))
        shares = jnp.where(r < D, (r - D) ** 2 + BETA * (r - D) ** 3 / D, 0.0)
        repulsion = jnp.where(r < C, (r - C) ** 2 * (C0 + C1 * r + C2 * r**2), 0.0)
        density = segment_sum(shares, atoms, num_segments=n, indices_are_sorted=True)
        return jnp.sum(repulsion) / 2 - A * jnp.sum(jnp.sqrt(density))

    return jax_gradient(loss, (positions,))


PEERS = {"jax": jax}

"""Models of physics: particles, waves, rays."""

import numpy as np

from harness.kernels import kernel


@kernel(
    lambda random: (
        random.standard_normal((40, 3)),
        0.1 * random.standard_normal((40, 3)),
        random.uniform(0.5, 1.5, 40),
        0.01,
        10,
    ),
    wrt=(0, 1, 2),
)
def n_bodies(position, velocity, mass, dt, steps):
    """Bodies that attract each other, by leapfrog steps; all pairs at once."""
    for _ in range(steps):
        d = position[None, :, :] - position[:, None, :]
        inverse = (np.sum(d * d, axis=2) + 0.01) ** -1.5
        acceleration = np.sum(d * (inverse * mass)[:, :, None], axis=1)
        velocity = velocity + dt * acceleration
        position = position + dt * velocity
    return 0.5 * np.sum(mass * np.sum(velocity**2, axis=1))


def lattice(random, n):
    points = [(i, j, k) for i in range(n) for j in range(n) for k in range(n)]
    return 1.1 * np.array(points, dtype=float) + 0.02 * random.standard_normal((n**3, 3))


@kernel(lambda random: (lattice(random, 7), 1.0, 1.0, 2.35), wrt=(0, 1, 2))
def lennard_jones(position, depth, size, cutoff):
    """The energy of particles whose forces end at a distance, pair by pair."""
    n = position.shape[0]
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            r2 = 0.0
            for k in range(3):
                r2 += (position[i, k] - position[j, k]) ** 2
            if r2 < cutoff**2:
                s6 = (size * size / r2) ** 3
                energy += 4 * depth * (s6 * s6 - s6)
    return energy


@kernel(
    lambda random: (random.uniform(0, 6.28, 50), random.standard_normal(50), 0.5 * random.random((50, 50)), 0.02, 10),
    wrt=(0, 1, 2),
)
def kuramoto(phase, frequency, coupling, dt, steps):
    """Coupled oscillators; how far they agree in the end."""
    for _ in range(steps):
        difference = phase[None, :] - phase[:, None]
        phase = phase + dt * (frequency + np.mean(coupling * np.sin(difference), axis=1))
    return np.mean(np.cos(phase)) ** 2 + np.mean(np.sin(phase)) ** 2


@kernel(
    lambda random: (random.uniform(-0.5, 0.5, 400), np.linspace(1.0, 1.6, 12) + 0.02 * random.random(12), 0.3),
    wrt=(0, 1, 2),
)
def rays_through_layers(slope, index, thickness):
    """Rays through flat layers by Snell's law; those that are reflected at a layer end there."""
    place = np.zeros_like(slope)
    sine = np.sin(slope)
    alive = np.ones(slope.shape[0], dtype=bool)
    for k in range(1, index.shape[0]):
        sine = sine * index[k - 1] / index[k]
        alive = alive & (np.abs(sine) < 0.4)
        cosine = np.sqrt(1 - sine[alive] ** 2)
        place[alive] += thickness * sine[alive] / cosine
    return np.sum(place**2)


@kernel(
    lambda random: (0.05 * random.standard_normal((20, 20, 3)), 40.0, 0.02, 15),
    wrt=(0, 1),
)
def cloth(shift, stiffness, dt, steps):
    """A hanging cloth of springs between neighbours, whose upper edge is held."""
    n, m, _ = shift.shape
    x = shift.copy()
    for i in range(n):
        for j in range(m):
            x[i, j, 0] += j
            x[i, j, 1] -= i
    v = np.zeros((n, m, 3))
    for _ in range(steps):
        force = np.zeros((n, m, 3))
        force[:, :, 1] -= 9.81
        down = x[1:] - x[:-1]
        length = np.sqrt(np.sum(down**2, axis=2))
        pull = stiffness * ((length - 1.0) / length)[:, :, None] * down
        force[:-1] += pull
        force[1:] -= pull
        across = x[:, 1:] - x[:, :-1]
        length = np.sqrt(np.sum(across**2, axis=2))
        pull = stiffness * ((length - 1.0) / length)[:, :, None] * across
        force[:, :-1] += pull
        force[:, 1:] -= pull
        force[0] = 0.0
        v += dt * force
        x += dt * v
    return np.sum(v**2)


@kernel(
    lambda random: (random.uniform(0.0, 0.3, (60, 300)), random.uniform(0.2, 1.0, (60, 300)), np.full(300, 0.1)),
    wrt=(0, 1, 2),
)
def radiation(depth, emission, albedo):
    """Radiation that leaves an atmosphere of layers, at many wavelengths: down, reflected, and up again."""
    layers, wavelengths = depth.shape
    total = 0.0
    for w in range(wavelengths):
        intensity = 0.0
        for k in range(layers):
            passed = np.exp(-depth[k, w])
            intensity = intensity * passed + (1 - passed) * emission[k, w]
        intensity *= albedo[w]
        for k in range(layers - 1, -1, -1):
            passed = np.exp(-depth[k, w])
            intensity = intensity * passed + (1 - passed) * emission[k, w]
        total += intensity
    return total


@kernel(
    lambda random: (random.standard_normal(1000), random.standard_normal(1000), random.random(1000), 0.1, 60),
    wrt=(0, 1, 2),
)
def wave_function(real, imaginary, potential, dt, steps):
    """Schrödinger's equation on a ring, real and imaginary parts in turn (Visscher 1991)."""
    a = real.copy()
    b = imaginary.copy()
    for _ in range(steps):
        a[1:-1] += dt * (potential[1:-1] * b[1:-1] - 0.5 * (b[2:] - 2 * b[1:-1] + b[:-2]))
        a[0] = a[-2]
        a[-1] = a[1]
        b[1:-1] -= dt * (potential[1:-1] * a[1:-1] - 0.5 * (a[2:] - 2 * a[1:-1] + a[:-2]))
        b[0] = b[-2]
        b[-1] = b[1]
    return np.sum(potential * (a**2 + b**2))


@kernel(lambda random: (random.uniform(-3, 3, (60, 3)), random.uniform(0.2, 0.6, 60), 12), wrt=(0, 1))
def sphere_tracing(centre, radius, resolution):
    """How far rays travel before they meet one of many spheres: each step is as long as the nearest allows."""
    total = 0.0
    for row in range(resolution):
        for column in range(resolution):
            dx = (column - resolution / 2) / resolution
            dy = (row - resolution / 2) / resolution
            norm = np.sqrt(dx * dx + dy * dy + 1.0)
            travelled = 0.0
            step = 1.0
            while step > 1e-3 and travelled < 10.0:
                x, y, z = travelled * dx / norm, travelled * dy / norm, travelled / norm - 5.0
                step = 10.0
                for s in range(radius.shape[0]):
                    away = (x - centre[s, 0]) ** 2 + (y - centre[s, 1]) ** 2 + (z - centre[s, 2]) ** 2
                    step = min(step, np.sqrt(away) - radius[s])
                travelled += step
            total += np.exp(-travelled)
    return total

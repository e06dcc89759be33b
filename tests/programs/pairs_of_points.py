"""Loops over pairs of points: short rows, sums in branches, whole numbers of box lengths, additions in place."""

import numpy as np

from collect import program


def points(n, dims=3):
    return 2.0 * np.sin(np.arange(float(n * dims)) * 1.3).reshape(n, dims)


@program(points(5), 1.7, 0.9)
@program(points(0), 1.7, 0.9)
@program(points(1), 1.7, 0.9)
@program(points(5, 4), 1.7, 0.9)
@program(np.asfortranarray(points(5)), 1.7, 0.9)
@program(points(10)[::-2], 1.7, 0.9)
def periodic_energy(x, box, cutoff):
    energy, near = 0.0, 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            dx = x[i, 0] - x[j, 0]
            dy = x[i, 1] - x[j, 1]
            dz = x[i, 2] - x[j, 2]
            dx -= box * round(dx / box)
            dy -= box * round(dy / box)
            dz -= box * round(dz / box)
            r2 = dx**2 + dy**2 + dz**2
            if r2 < cutoff:
                energy += (cutoff - r2) ** 2 / r2
                if r2 < cutoff / 2:
                    near += r2 * box
                    near -= energy * 0.0 + dx
            else:
                near -= 0.1 * dz
    return energy + near * near


@program(points(4, 2), points(3, 2))
@program(points(4, 3), points(3, 3))
@program(points(4, 5), points(3, 5))
def over_coordinates(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            d = 0.0
            for c in range(x.shape[1]):
                d += (x[i, c] - y[j, c]) ** 2
            if d > 1.0:
                total += np.sqrt(d)
    return total


@program(points(4), np.array([1, 3, 0, 0, 2]), np.array([0, 3, 3, 1, 1]))
def bonds(x, first, second):
    energy = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for k in range(first.shape[0]):
            j = first[k]
            energy[i] += x[i, 0] * x[j, 1] + x[second[k], 2] ** 2
            energy[j] -= x[i, 2]
    return np.sum(energy**2)


@program(np.array([2.5, -3.5, 0.4, -0.4, 7.2]), 0.5)
def integers_as_numbers(x, step):
    total = 0.0
    for i in range(x.shape[0]):
        total += step * round(x[i] / step) * x[i] - int(x[i]) * step + x[i] / (1.5 + float(int(x[i])))
    return total


@program(np.array([2.5, -3.5, 0.4, 7.2]), np.array([1.0, -2.0, 3.0, 0.5]))
def integer_and_float_of_it(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        k = int(abs(x[i])) % 4
        total += w[k] * x[i] + w[i] * k
    return total


@program(np.array([1.0, -2.0, 0.0, 3.0]), cotangent=np.array([1.0, 0.5, 2.0, -1.0]))
def negative_zeros(x):
    out = np.zeros_like(x)
    for i in range(x.shape[0]):
        out[i] = -0.0 * round(0.3 * x[i]) - 0.0 + x[i] * round(-0.2)
    return out


@program(points(3), np.ones(3))
def rows_that_stand_for_points(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        a, b, c = x[i]
        for j in range(x.shape[0]):
            p = x[j]
            if i != j:
                total += w[i] * (a * p[0] + b * p[1] + c * p[2]) ** 2
    return total

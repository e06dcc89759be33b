"""Arrays that are rounded among other arithmetic of their elements."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(64)
D = _RNG.uniform(-4.0, 4.0, 6)
BOX = np.array([2.0, 3.0, 2.5])
POINTS = _RNG.uniform(0.0, 6.0, (5, 3))


@program(D, 3.1)
@program(D[:0], 3.1)
@program(D.astype(np.float32), 3.1)
def nearest_images(d, box):
    return np.sum((d - box * np.round(d / box)) ** 2)


@program(D)
def other_names(d):
    return np.sum(np.around(d, 0) * d) + np.sum(d.round() * d) + np.sum(np.round(d, decimals=0) * np.fix(d) * d)


@program(D)
def to_decimals(d):
    return np.sum(np.round(d, 1) * d * d)


@program(POINTS, BOX)
def pairs_in_a_periodic_box(points, box):
    n = points.shape[0]
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = points[j] - points[i]
            d -= box * np.round(d / box)
            total += 1.0 / (0.3 + np.sum(d * d))
    return total

"""Indices computed from the data: the bilinear warp of an image along a displacement field, for registration."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import select
from harness.peers import jax_gradient

WRT = (0, 1, 2)


def make(scale=1.0):
    random = np.random.default_rng(14)
    rows, columns = max(4, int(450 * scale)), max(5, int(470 * scale))
    y, x = np.meshgrid(np.linspace(0.0, 6.0, rows), np.linspace(0.0, 6.0, columns), indexing="ij")
    image = np.sin(2 * y) * np.cos(x) + 0.1 * random.standard_normal((rows, columns))
    along_y = 3 * np.sin(x + y) + 0.2 * random.standard_normal((rows, columns))
    along_x = 3 * np.cos(x - y) + 0.2 * random.standard_normal((rows, columns))
    return image, along_y, along_x, np.sin(2 * y + 0.1) * np.cos(x - 0.1)


def primal(image, along_y, along_x, target):
    """The sum of the squared differences; along_y, along_x: where each pixel comes from, relative to it."""
    rows, columns = image.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            y = min(max(i + along_y[i, j], 0.0), rows - 1.0)
            x = min(max(j + along_x[i, j], 0.0), columns - 1.0)
            top = min(int(np.floor(y)), rows - 2)
            left = min(int(np.floor(x)), columns - 2)
            dy = y - top
            dx = x - left
            upper = (1 - dx) * image[top, left] + dx * image[top, left + 1]
            lower = (1 - dx) * image[top + 1, left] + dx * image[top + 1, left + 1]
            total += ((1 - dy) * upper + dy * lower - target[i, j]) ** 2
    return total


@adjoint
def hand(image, along_y, along_x, target):
    """Row by row: where the pixels lie, in loops that LLVM vectorises, and then one loop for both ways."""
    rows, columns = image.shape
    along_y_bar, along_x_bar = np.empty((rows, columns)), np.empty((rows, columns))
    image_bar = np.zeros((rows, columns))
    # Elements by number, and views of them from the second row on.
    pixels, pixels_bar = image.ravel(), image_bar.ravel()
    below, below_bar = pixels[columns:], pixels_bar[columns:]
    corner, dy, dx = np.empty(columns, np.int64), np.empty(columns), np.empty(columns)
    total = 0.0
    for i in range(rows):
        find_corners(i, along_y[i], along_x[i], rows, corner, dy, dx)
        wanted, y_bar, x_bar = target[i], along_y_bar[i], along_x_bar[i]
        for j in range(columns):
            k = max(corner[j], 0)  # It is not negative, which spares Numba the test in each access.
            v, w = dy[j], dx[j]
            across, across_below = pixels[k + 1] - pixels[k], below[k + 1] - below[k]
            upper, lower = pixels[k] + w * across, below[k] + w * across_below
            difference = upper + v * (lower - upper) - wanted[j]
            total += difference * difference
            bar = 2 * difference
            y_bar[j] = bar * (lower - upper)
            x_bar[j] = bar * (across + v * (across_below - across))
            lower_bar = bar * v
            upper_bar = bar - lower_bar
            pixels_bar[k] += upper_bar - w * upper_bar
            pixels_bar[k + 1] += w * upper_bar
            below_bar[k] += lower_bar - w * lower_bar
            below_bar[k + 1] += w * lower_bar
        for j in range(columns):
            y = i + along_y[i, j]
            y_bar[j] = select((y >= 0.0) & (y <= rows - 1.0), y_bar[j], 0.0)
        for j in range(columns):
            x = j + along_x[i, j]
            x_bar[j] = select((x >= 0.0) & (x <= columns - 1.0), x_bar[j], 0.0)
    return total, image_bar, along_y_bar, along_x_bar


@inlined
def find_corners(i, along_y, along_x, rows, corner, dy, dx):
    """The number of the pixel at the upper left of where each one of row i comes from, and the way from there."""
    columns = corner.shape[0]
    for j in range(columns):
        y, x = min(max(i + along_y[j], 0.0), rows - 1.0), min(max(j + along_x[j], 0.0), columns - 1.0)
        top, left = min(int(y), rows - 2), min(int(x), columns - 2)
        corner[j] = top * columns + left
        dy[j] = y - top
        dx[j] = x - left


def jax(arguments):
    from jax import numpy as jnp
    from jax.scipy.ndimage import map_coordinates

    image, along_y, along_x, target = arguments
    y, x = jnp.indices(image.shape)

    def loss(image, along_y, along_x):
        warped = map_coordinates(image, [y + along_y, x + along_x], order=1, mode="nearest")
        return jnp.sum((warped - target) ** 2)

    return jax_gradient(loss, (image, along_y, along_x))


PEERS = {"jax": jax}

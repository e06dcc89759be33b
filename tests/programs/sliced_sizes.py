"""Arrays as long as slices of one array, which turns out to be as long as another one."""

import numpy as np

from collect import program

RANDOM = np.random.default_rng(20)
FIELD, OBSERVED = RANDOM.uniform(0.5, 1.5, (4, 5)), RANDOM.uniform(0.5, 1.5, (4, 5))
DOWN, RIGHT = RANDOM.uniform(-1.0, 1.0, (3, 5)), RANDOM.uniform(-1.0, 1.0, (4, 4))


@program(FIELD, DOWN, RIGHT, OBSERVED, 2)
@program(FIELD[::-1], DOWN[:, ::-1], np.asfortranarray(RIGHT), OBSERVED, 1)
@program(FIELD[:1, :1], DOWN[:0, :1], RIGHT[:1, :0], OBSERVED[:1, :1], 2)
def flow_between_cells(field, down, right, observed, steps):
    now = field
    for _ in range(steps):
        flux_down = 0.2 * down * now[:-1, :] + 0.1 * down * now[1:, :]
        flux_right = 0.3 * right * now[:, :-1]
        after = now.copy()
        after[:-1, :] -= flux_down
        after[1:, :] += flux_down
        after[:, :-1] -= flux_right
        after[:, 1:] += flux_right
        now = after
    return np.sum((now - observed) ** 2)


@program(FIELD, DOWN, RIGHT, OBSERVED, 2)
def upwind_flow_between_cells(field, down, right, observed, steps):
    now = field
    for _ in range(steps):
        flux_down = 0.2 * (np.maximum(down, 0.0) * now[:-1, :] + np.minimum(down, 0.0) * now[1:, :])
        flux_right = 0.2 * right * np.where(right > 0, now[:, :-1], now[:, 1:])
        after = now.copy()
        after[:-1, :] -= flux_down
        after[1:, :] += flux_down
        after[:, :-1] -= flux_right
        after[:, 1:] += flux_right
        now = after
    return np.sum((now - observed) ** 2)


@program(FIELD[0], DOWN[0, :4], OBSERVED[0])
def parts_of_parts(x, edges, y):
    """The edges are as many as x[1:], and edges[1:] as many as y[2:], where x and y are as long."""
    curvature = np.sum((edges[1:] * y[2:] - edges[:-1] * x[:-2]) ** 2)
    return curvature + np.sum(edges * x[1:] * y[:-1]) + np.sum((x - y) ** 2)

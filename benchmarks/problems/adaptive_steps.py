"""A while with rejected steps: predators and prey by an embedded Runge–Kutta pair (Bogacki and Shampine 1989)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import jax_gradient

WRT = (0, 1)


def make(scale=1.0):
    parameters = np.array([1.1, 0.4, 0.4, 0.1])
    return parameters, np.array([10.0, 2.0]), np.array([5.0, 3.0]), max(10.0, 2200.0 * scale), 1e-4


def slope(y, parameters):
    """Lotka (1925) and Volterra (1926)."""
    prey, predators = y
    birth, hunt, death, feed = parameters
    return np.array([birth * prey - hunt * prey * predators, feed * prey * predators - death * predators])


def primal(parameters, start, observed, end, tolerance):
    y = start
    t = 0.0
    h = 0.01
    k1 = slope(y, parameters)
    while t < end:
        h = min(h, end - t)
        k2 = slope(y + h / 2 * k1, parameters)
        k3 = slope(y + 3 * h / 4 * k2, parameters)
        proposed = y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
        k4 = slope(proposed, parameters)
        error = h / 72 * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4)
        allowed = tolerance * (1 + np.maximum(np.abs(y), np.abs(proposed)))
        size = np.sqrt(np.mean((error / allowed) ** 2))
        if size <= 1.0:
            t += h
            y = proposed
            k1 = k4
        h *= min(5.0, max(0.2, 0.9 * size ** (-1 / 3)))
    return np.sum((y - observed) ** 2)


@adjoint
def hand(parameters, start, observed, end, tolerance):
    rates = parameters[0], parameters[1], parameters[2], parameters[3]
    path, x, y = integrate(rates, start[0], start[1], end, tolerance)
    x_bar, y_bar = 2 * (x - observed[0]), 2 * (y - observed[1])
    value = 0.25 * (x_bar * x_bar + y_bar * y_bar)
    return value, *integrate_backward(rates, path, tolerance, x_bar, y_bar)


@inlined
def change(rates, x, y):
    birth, hunt, death, feed = rates
    return birth * x - hunt * x * y, feed * x * y - death * y


@inlined
def change_vjp(rates, x, y, change_x_bar, change_y_bar, rates_bar):
    """Cotangents of x and y, and the cotangents of the rates with this change's share."""
    birth, hunt, death, feed = rates
    birth_bar, hunt_bar, death_bar, feed_bar = rates_bar
    meeting_bar = feed * change_y_bar - hunt * change_x_bar
    x_bar, y_bar = birth * change_x_bar + meeting_bar * y, meeting_bar * x - death * change_y_bar
    birth_bar += change_x_bar * x
    hunt_bar -= change_x_bar * x * y
    death_bar -= change_y_bar * y
    feed_bar += change_y_bar * x * y
    return x_bar, y_bar, (birth_bar, hunt_bar, death_bar, feed_bar)


@inlined
def attempt(rates, x, y, k1x, k1y, h):
    """The second and third stage and their arguments, the proposed state and its change, and 72 / h times the error."""
    x2, y2 = x + h / 2 * k1x, y + h / 2 * k1y
    k2x, k2y = change(rates, x2, y2)
    x3, y3 = x + 3 / 4 * h * k2x, y + 3 / 4 * h * k2y
    k3x, k3y = change(rates, x3, y3)
    x4, y4 = x + h / 9 * (2 * k1x + 3 * k2x + 4 * k3x), y + h / 9 * (2 * k1y + 3 * k2y + 4 * k3y)
    k4x, k4y = change(rates, x4, y4)
    error_x, error_y = -5 * k1x + 6 * k2x + 8 * k3x - 9 * k4x, -5 * k1y + 6 * k2y + 8 * k3y - 9 * k4y
    return (x2, y2, k2x, k2y, x3, y3, k3x, k3y), (x4, y4, k4x, k4y), (error_x, error_y)


@inlined
def integrate(rates, x, y, end, tolerance):
    """A row for each attempt, and the last state.

    A row holds the state before, the step and what it is multiplied by, whether the attempt is accepted, and whether
    its step was cut at the end.
    """
    path = np.empty((1024, 6))
    attempts, t, h = 0, 0.0, 0.01
    k1x, k1y = change(rates, x, y)
    while t < end:
        if attempts == path.shape[0]:
            path = np.concatenate((path, np.empty(path.shape)))
        row = path[attempts]
        attempts += 1
        cut = end - t < h
        h = min(h, end - t)
        _, (x4, y4, k4x, k4y), (error_x, error_y) = attempt(rates, x, y, k1x, k1y, h)
        scaled_x, scaled_y = error_x / (1 + max(abs(x), abs(x4))), error_y / (1 + max(abs(y), abs(y4)))
        unit = h / (72 * tolerance)
        square = unit * unit / 2 * (scaled_x * scaled_x + scaled_y * scaled_y)
        factor = min(5.0, max(0.2, 0.9 * square ** (-1 / 6)))
        row[0], row[1], row[2], row[3], row[4], row[5] = x, y, h, factor, square <= 1, cut
        if square <= 1:
            t += h
            x, y, k1x, k1y = x4, y4, k4x, k4y
        h *= factor
    return path[:attempts], x, y


@inlined
def integrate_backward(rates, path, tolerance, x_bar, y_bar):
    """Cotangents of the rates and of the first state. Each attempt is computed again."""
    rates_bar = 0.0, 0.0, 0.0, 0.0
    k1x_bar = k1y_bar = h_bar = t_bar = 0.0
    for n in range(path.shape[0] - 1, -1, -1):
        row = path[n]
        x, y, h, factor = row[0], row[1], row[2], row[3]
        k1x, k1y = change(rates, x, y)
        inner, (x4, y4, _, _), (error_x, error_y) = attempt(rates, x, y, k1x, k1y, h)
        x2, y2, k2x, k2y, x3, y3, k3x, k3y = inner
        free = 0.2 < factor < 5.0
        along = -h_bar * factor * h / 3 if free else 0.0  # twice the mean square times its cotangent
        h_bar = h_bar * factor + along / h
        x4_bar = y4_bar = k4x_bar = k4y_bar = 0.0
        if row[4] > 0:
            x4_bar, y4_bar, k4x_bar, k4y_bar = x_bar, y_bar, k1x_bar, k1y_bar
            x_bar = y_bar = k1x_bar = k1y_bar = 0.0
            h_bar += t_bar
        weight_x, weight_y = 1 / (1 + max(abs(x), abs(x4))), 1 / (1 + max(abs(y), abs(y4)))
        scaled_x, scaled_y = error_x * weight_x, error_y * weight_y
        share = along / (scaled_x * scaled_x + scaled_y * scaled_y) if free else 0.0
        error_x_bar, error_y_bar = share * scaled_x * weight_x, share * scaled_y * weight_y
        if abs(x4) > abs(x):
            x4_bar -= error_x_bar * scaled_x * np.copysign(1.0, x4)
        else:
            x_bar -= error_x_bar * scaled_x * np.copysign(1.0, x)
        if abs(y4) > abs(y):
            y4_bar -= error_y_bar * scaled_y * np.copysign(1.0, y4)
        else:
            y_bar -= error_y_bar * scaled_y * np.copysign(1.0, y)

        bars = change_vjp(rates, x4, y4, k4x_bar - 9 * error_x_bar, k4y_bar - 9 * error_y_bar, rates_bar)
        x4_bar, y4_bar, rates_bar = x4_bar + bars[0], y4_bar + bars[1], bars[2]
        h_bar += ((2 * k1x + 3 * k2x + 4 * k3x) * x4_bar + (2 * k1y + 3 * k2y + 4 * k3y) * y4_bar) / 9
        ninth_x, ninth_y = h / 9 * x4_bar, h / 9 * y4_bar
        x3_bar, y3_bar, rates_bar = change_vjp(
            rates, x3, y3, 8 * error_x_bar + 4 * ninth_x, 8 * error_y_bar + 4 * ninth_y, rates_bar
        )
        h_bar += 3 / 4 * (k2x * x3_bar + k2y * y3_bar)
        k2x_bar = 6 * error_x_bar + 3 * ninth_x + 3 / 4 * h * x3_bar
        k2y_bar = 6 * error_y_bar + 3 * ninth_y + 3 / 4 * h * y3_bar
        x2_bar, y2_bar, rates_bar = change_vjp(rates, x2, y2, k2x_bar, k2y_bar, rates_bar)
        h_bar += 1 / 2 * (k1x * x2_bar + k1y * y2_bar)
        k1x_bar += -5 * error_x_bar + 2 * ninth_x + h / 2 * x2_bar
        k1y_bar += -5 * error_y_bar + 2 * ninth_y + h / 2 * y2_bar
        x_bar += x2_bar + x3_bar + x4_bar
        y_bar += y2_bar + y3_bar + y4_bar
        if row[5] > 0:
            t_bar -= h_bar
            h_bar = 0.0
    first = path[0]
    x_more, y_more, rates_bar = change_vjp(rates, first[0], first[1], k1x_bar, k1y_bar, rates_bar)
    return np.array(rates_bar), np.array((x_bar + x_more, y_bar + y_more))


def jax(arguments):
    """A bound on the number of attempts takes the place of the condition; attempts behind the end change nothing."""
    from jax import lax
    from jax import numpy as jnp

    parameters, start, observed, end, tolerance = arguments
    attempts = count_attempts(*arguments) + 10

    def loss(parameters, start):
        birth, hunt, death, feed = parameters

        def slope(y):
            meetings = y[0] * y[1]
            return jnp.stack([birth * y[0] - hunt * meetings, feed * meetings - death * y[1]])

        def step(state, _):
            y, t, h, k1 = state
            running = t < end
            h = jnp.where(running, jnp.minimum(h, end - t), 0.01)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + 3 * h / 4 * k2)
            proposed = y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
            k4 = slope(proposed)
            error = h / 72 * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4)
            allowed = tolerance * (1 + jnp.maximum(jnp.abs(y), jnp.abs(proposed)))
            size = jnp.sqrt(jnp.mean((error / allowed) ** 2))
            accepted = running & (size <= 1.0)
            y, k1 = jnp.where(accepted, proposed, y), jnp.where(accepted, k4, k1)
            t = jnp.where(accepted, t + h, t)
            return (y, t, h * jnp.clip(0.9 * size ** (-1 / 3), 0.2, 5.0), k1), None

        (y, *_), _ = lax.scan(step, (start, 0.0, 0.01, slope(start)), None, length=attempts)
        return jnp.sum((y - observed) ** 2)

    return jax_gradient(loss, (parameters, start))


@adjoint
def count_attempts(parameters, start, observed, end, tolerance):
    rates = parameters[0], parameters[1], parameters[2], parameters[3]
    return integrate(rates, start[0], start[1], end, tolerance)[0].shape[0]


PEERS = {"jax": jax}

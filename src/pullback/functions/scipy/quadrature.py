"""Integrals of functions: of `scipy.integrate`. The sums that stand for them are differentiated, node by node."""

from __future__ import annotations

import numpy as np
from scipy import integrate

from pullback.functions.declare import composes, planning
from pullback.runtime import stop_gradient

NODES = (
    *(0.9956571630258081, 0.9739065285171717, 0.9301574913557082, 0.8650633666889845, 0.7808177265864169),
    *(0.6794095682990244, 0.5627571346686047, 0.4333953941292472, 0.2943928627014602, 0.1488743389816312),
)
WEIGHTS = (
    *(0.011694638867371874, 0.032558162307964725, 0.054755896574351995, 0.07503967481091996, 0.0931254545836976),
    *(0.10938715880229764, 0.12349197626206584, 0.13470921731147334, 0.14277593857706009, 0.1477391049013385),
)
OF_GAUSS = (0.06667134430868814, 0.1494513491505806, 0.21908636251598204, 0.26926671930999635, 0.29552422471475287)
MIDDLE = 0.1494455540029169
EPSILON = 2.0**-52


@planning
def rule():
    """The nodes of Gauss and Kronrod with 21 points, their weights, and those of the 10 points of Gauss.

    Piessens, de Doncker-Kapenga, Überhuber and Kahaner (1983), QUADPACK, 2.2.
    """
    of_gauss = tuple(OF_GAUSS[k // 2] if k % 2 else 0.0 for k in range(10))
    nodes = (*(-x for x in NODES), 0.0, *reversed(NODES))
    return nodes, (*WEIGHTS, MIDDLE, *reversed(WEIGHTS)), (*of_gauss, 0.0, *reversed(of_gauss))


@composes(integrate.quad)
def quad(func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    """The integral and an estimate of its error, by bisection of the worst interval.

    Infinite ranges are mapped to 0 … 1. Raises ArithmeticError where so many intervals are not enough.
    """
    without_report(full_output)
    arguments = args if isinstance(args, tuple) else (args,)
    starts, stops, values, errors = np.zeros(limit), np.ones(limit), np.zeros(limit), np.zeros(limit)
    values[0], errors[0] = over_interval(func, a, b, arguments, 0.0, 1.0)
    count = 1
    while np.sum(errors[:count]) > max(epsabs, epsrel * abs(np.sum(values[:count]))):
        if count == limit:
            raise ArithmeticError(
                "scipy.integrate.quad does not reach its tolerance with so many intervals as limit says"
            )
        worst = np.argmax(errors[:count])
        middle = 0.5 * (starts[worst] + stops[worst])
        starts[count], stops[count], stops[worst] = middle, stops[worst], middle
        for place in (worst, count):
            values[place], errors[place] = over_interval(func, a, b, arguments, starts[place], stops[place])
        count += 1
    return np.sum(values[:count]), np.sum(errors[:count])


@planning
def without_report(full_output):
    """Raises NotImplementedError where a report of all intervals is asked for."""
    if full_output:
        raise NotImplementedError("scipy.integrate.quad is followed without full_output")


def over_interval(func, a, b, arguments, start, stop):
    """The integral over a part of the range, of which start and stop are shares, and an estimate of its error."""
    nodes, weights, of_gauss = rule()
    nodes, weights, of_gauss = np.array(nodes), np.array(weights), np.array(of_gauss)
    half = 0.5 * (stop - start)
    values = np.zeros(21)
    for k in range(21):
        x, factor = mapped(0.5 * (start + stop) + half * nodes[k], a, b)
        values[k] = func(x, *arguments) * factor
    integral = half * np.sum(weights * values)
    known = stop_gradient(values)
    mean = 0.5 * np.sum(weights * known)
    spread, size = half * np.sum(weights * np.abs(known - mean)), half * np.sum(weights * np.abs(known))
    error = np.abs(half * np.sum((weights - of_gauss) * known))
    if spread != 0.0 and error != 0.0:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    return integral, max(error, 50.0 * EPSILON * size)


def mapped(share, a, b):
    """The place at a share of a range, which may be infinite, and the derivative by the share."""
    if np.isinf(a) and np.isinf(b):
        both = share * (1.0 - share)
        return (2.0 * share - 1.0) / both, np.sign(b) * (1.0 - 2.0 * both) / both**2
    if np.isinf(b):
        return a + np.sign(b) * (1.0 - share) / share, np.sign(b) / share**2
    if np.isinf(a):
        return b + np.sign(a) * (1.0 - share) / share, -np.sign(a) / share**2
    return a + (b - a) * share, b - a


@composes(integrate.fixed_quad)
def fixed_quad(func, a, b, args=(), n=5):
    """By the nodes of Gauss, at all of which the function is called at once."""
    nodes, weights = gauss(n)
    y = (b - a) * (np.array(nodes) + 1.0) / 2.0 + a
    return (b - a) / 2.0 * np.sum(np.array(weights) * func(y, *args), axis=-1), None


@planning
def gauss(n):
    """The nodes of Gauss, and their weights."""
    return tuple(tuple(map(float, part)) for part in np.polynomial.legendre.leggauss(n))

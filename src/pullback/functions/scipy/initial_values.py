"""Ordinary differential equations: of `scipy.integrate`, by Runge-Kutta methods whose statements are differentiated.

The steps that the error control chooses are taken as given: the derivative is that of the solution on these steps, and
as near to that of the exact one as the solution is. Hairer, Nørsett and Wanner (1993), Solving ordinary differential
equations I, II.4 (the control) and II.6 (between the steps).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from pullback.functions.declare import composes, planning
from pullback.functions.parts import as_array
from pullback.runtime import stop_gradient

EPSILON = 2.0**-52
STIFF = (
    "scipy.integrate.odeint: more than 300000 steps: the equation is stiff, and is solved by an explicit method here"
)
SHRINKING = "the steps of the solution become smaller than the distance of two numbers"


@dataclass
class Solution:
    """What `solve_ivp` returns of a solution that reached the end."""

    t: Any
    y: Any
    sol: Any
    t_events: Any
    y_events: Any
    nfev: Any
    njev: Any
    nlu: Any
    status: Any
    message: Any
    success: Any


@planning
def tableau(method):
    """The nodes, the coefficients with the weights as last row, those of the error and of the polynomials between."""
    known: dict[Any, Any] = {"RK45": integrate.RK45, "RK23": integrate.RK23}
    chosen = known.get(method, method)
    if chosen not in known.values():
        raise NotImplementedError(f"a differential equation is solved by 'RK45' or 'RK23' here, not by {method!r}")
    stages = chosen.n_stages
    rows = np.zeros((stages + 1, stages))
    rows[:stages, : chosen.A.shape[1]], rows[stages] = chosen.A[:, :stages], chosen.B
    tables = (np.append(chosen.C, 1.0), rows, chosen.E, chosen.P)
    return stages, chosen.error_estimator_order, *(in_tuples(table) for table in tables)


def in_tuples(table):
    return tuple(map(in_tuples, table)) if np.ndim(table) else float(table)


@composes(integrate.solve_ivp)
def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    vectorized=False,
    args=None,
    rtol=1e-3,
    atol=1e-6,
    max_step=np.inf,
    first_step=None,
):
    """The solution at its steps, or at the times that are given."""
    plain_solution(dense_output, events)
    y0 = as_array(y0)
    one_axis(np.ndim(y0))
    given = () if args is None else args

    def slope(t, y):
        return as_array(fun(t, y, *given)).astype(np.float64)

    start, end = t_span[0] * 1.0, t_span[1] * 1.0
    if t_eval is not None:
        t_eval = as_array(t_eval)
        if np.any(t_eval < min(start, end)) or np.any(t_eval > max(start, end)):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
    control = rtol, atol, max_step, first_step, 2**62
    times, states, calls = solved(slope, start, end, y0, tableau(method), t_eval, control)
    message = "The solver successfully reached the end of the integration interval."
    return Solution(times, states.T, None, None, None, calls, 0, 0, 0, message, True)


@planning
def plain_solution(dense_output, events):
    """Raises NotImplementedError where more than values at times is asked for."""
    if dense_output or events is not None:
        raise NotImplementedError("scipy.integrate.solve_ivp is followed without dense_output and events: give t_eval")


@planning
def one_axis(rank):
    """Raises ValueError where a state is no vector."""
    if rank != 1:
        raise ValueError("`y0` must be 1-dimensional.")


@composes(integrate.odeint)
def odeint(func, y0, t, args=(), rtol=1.49012e-8, atol=1.49012e-8, tfirst=False, hmax=0.0):
    """The solution at times, by the method of Dormand and Prince; SciPy's is by LSODA, which has other errors."""
    given = args if isinstance(args, tuple) else (args,)

    def slope(time, y):
        if tfirst:
            return as_array(func(time, y, *given)).astype(np.float64)
        return as_array(func(y, time, *given)).astype(np.float64)

    t = as_array(t)
    most = hmax if hmax > 0 else np.inf
    control = 0.1 * rtol, 0.1 * atol, most, None, 1_800_000
    _, states, _ = solved(slope, t[0] * 1.0, t[-1] * 1.0, y0, tableau("RK45"), t, control)
    return states


def norm_of(x):
    """The root of the mean square."""
    return np.sqrt(np.sum(x * x) / max(np.size(x), 1))


def first_size(slope, t, end, y, f, direction, order, rtol, atol, most):
    """A step that is small beside the changes of the solution.   Hairer, Nørsett and Wanner (1993), II.4."""
    span = abs(end - t)
    scale = atol + np.abs(y) * rtol
    of_y, of_f = norm_of(y / scale), norm_of(f / scale)
    size = 1e-6 if of_y < 1e-5 or of_f < 1e-5 else 0.01 * of_y / of_f
    size = min(size, span)
    after = slope(t + size * direction, y + size * direction * f)
    change = norm_of((after - f) / scale) / size
    if of_f <= 1e-15 and change <= 1e-15:
        another = max(1e-6, size * 1e-3)
    else:
        another = (0.01 / max(of_f, change)) ** (1.0 / (order + 1))
    return min(100.0 * size, another, span, most)


def solved(slope, start, end, y0, method, t_eval, control):
    """The times, the states at them, and how often the slope was asked for."""
    stages, order, nodes, rows, of_error, between = method
    rtol, atol, most, first_step, most_calls = control
    nodes, rows, of_error, between = np.array(nodes), np.array(rows), np.array(of_error), np.array(between)
    rtol = max(rtol, 100.0 * EPSILON)
    t, y, direction = start, np.ravel(as_array(y0)).astype(np.float64), 1.0 if end >= start else -1.0
    f = slope(t, y)
    if first_step is None:
        size = stop_gradient(first_size(slope, t, end, y, f, direction, order, rtol, atol, most))
        calls = 2
    else:
        size, calls = first_step * 1.0, 1
    times, states, found = [t], [y], 0
    wanted = np.zeros((0, y.shape[0])) if t_eval is None else np.zeros((t_eval.shape[0], y.shape[0]))
    slopes = np.zeros((stages + 1, y.shape[0]))
    while direction * (end - t) > 0:
        least = 10.0 * np.abs(np.nextafter(stop_gradient(t), direction * np.inf) - stop_gradient(t))
        size, is_rejected, is_accepted = max(min(size, most), least), False, False
        step, after, later = 0.0, y, t
        while not is_accepted:
            if not size >= least:  # also where it is NaN
                raise ArithmeticError(SHRINKING)
            later = t + size * direction
            if direction * (later - end) > 0:
                later = end
            step = later - t
            size = stop_gradient(abs(step))
            slopes[0] = f
            for s in range(1, stages + 1):
                after = y + step * (rows[s, :s] @ slopes[:s])
                slopes[s] = slope(t + nodes[s] * step, after)
            calls += stages
            if calls > most_calls:
                raise ArithmeticError(STIFF)
            scale = atol + np.maximum(np.abs(y), np.abs(after)) * rtol
            error = stop_gradient(norm_of(step * (of_error @ slopes) / scale))
            is_accepted = error < 1.0
            if is_accepted:
                factor = 10.0 if error == 0.0 else min(10.0, 0.9 * error ** (-1.0 / (order + 1)))
                size = size * (min(1.0, factor) if is_rejected else factor)
            else:
                size, is_rejected = size * max(0.2, 0.9 * error ** (-1.0 / (order + 1))), True
        if t_eval is None:
            times.append(later)
            states.append(after)
        else:
            combined = between.T @ slopes
            while found < t_eval.shape[0] and direction * (t_eval[found] - later) <= 0:
                share = (t_eval[found] - t) / step
                at, power = np.zeros_like(y), 1.0
                for p in range(combined.shape[0]):
                    power = power * share
                    at = at + power * combined[p]
                wanted[found] = y + step * at
                found += 1
        t, y, f = later, after, slopes[stages].copy()
    if t_eval is None:
        return np.array(times), np.array(states), calls
    return t_eval, wanted, calls

"""A Function and what is asked of it become derivative Functions: joint, or a forward and a backward one.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def f(x, y):
...     return np.exp(x) * y
>>> function = prepared(normal_form(f, 1.0, 2.0))
>>> print(show(joint(function, (0,), with_results=True)))
f_value_and_grad(x: float64*, y: float64*):
    t.0: float64 = exp(x)
    t.1: float64 = multiply(t.0, y)
    x_bar: float64 = multiply(y, t.0)
    return t.1, x_bar
>>> pair = split(function, (0,))
>>> print(show(pair.forward))
f_forward(x: float64*, y: float64*):
    saved: float64 = exp(x)
    t.0: float64 = multiply(saved, y)
    return t.0, y, saved
>>> print(show(pair.backward))
f_backward(y: float64*, saved: float64, result_bar: float64):
    t.0: float64 = multiply(result_bar, y)
    x_bar: float64 = multiply(t.0, saved)
    return x_bar

The joint function runs both sweeps, so that residuals are its own variables. The split pair hands them over: the
forward function returns the results and the residuals, the backward one takes residuals and cotangents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from pullback.ir.identities import again
from pullback.ir.nodes import Block, Constant, Function, Let, Operand, Value, defined_in, free_in
from pullback.ir.rewrite import copied, substituted
from pullback.ir.types import is_float
from pullback.passes.entries import Settings
from pullback.passes.loops.array_privatisation import privatise_arrays
from pullback.passes.memory.allocation_hoisting import hoist_allocations
from pullback.passes.pipeline import ALL
from pullback.passes.running import finished, note, preparation, run
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.preserved_exceptions import leave_checks
from pullback.transform.linear_maps import in_terms, terms_of_maps, without_maps
from pullback.transform.rematerialisation import rematerialise
from pullback.transform.requests.resolving import has_requests, resolved, with_marks
from pullback.transform.residual_sizes import with_sizes
from pullback.transform.reverse.public_cotangents import conjugated, conjugates
from pullback.transform.rules_of_users import with_rules, without_unread
from pullback.transform.sweeps import NONE, Kept, cotangent_of, sweeps, with_derivatives


@dataclass(frozen=True, slots=True)
class Pair:
    """A forward function that also returns residuals, and a backward function that takes them."""

    forward: Function
    backward: Function
    residuals: tuple[Value, ...]


def alone(function: Function, settings: Settings = ALL, has_sweeps: bool = False) -> Function:
    """A prepared function as it runs on its own, not differentiated; `has_sweeps` says that its tapes were."""
    if has_sweeps:
        return finished(function, settings)
    extrema = ["extrema"] if settings.lowers else []
    return run(function, settings, *extrema, "buffers", "allocation") if settings.lowered else function


def joint(
    function: Function,
    wrt: tuple[int, ...],
    *,
    with_results: bool,
    settings: Settings = ALL,
    checkpointed: frozenset[int] = NONE,
    kept: Kept | None = None,
    seeded: bool = False,
) -> Function:
    """One function for the value and the gradient of the first result of a prepared function, which is a float number.

    It returns the results (if asked for) and the gradients with respect to the parameters `wrt`. The loops with the
    numbers `checkpointed` run in segments; see `numbered_loops`. `kept` takes what its loops keep. `seeded`: the
    cotangent of the result is a value, so that partial derivatives are multiplied by it as by any adjoint.
    """
    result = function.results[0]
    one = Constant(1.0, result.type)
    seed = Value("", result.type, (result, "_bar")) if seeded and isinstance(result, Value) else one
    forward, backward = sweeps(
        function, _parameters(function, wrt), [(result, seed)], settings, True, kept, checkpointed
    )
    way_back = function.location.on_the_way_back()
    backward = conjugated(backward, way_back)
    changed = function.body.yields[len(function.results) :]
    returned = (*function.results, *backward.yields) if with_results else backward.yields
    begin = [Let(seed, again, (one,), (), way_back)] if isinstance(seed, Value) else []
    body = Block((*forward, *begin, *backward.statements), (*returned, *changed))
    name = f"{function.name}_{'value_and_grad' if with_results else 'grad'}"
    made = Function(name, function.parameters, body, function.mutated, function.location)
    made = note("differentiation", "both_sweeps", function, without_maps(made))
    made = leave_checks(made, set(defined_in(function.body)))
    made = run(made, settings, "segments") if checkpointed else made  # the segments share their residual arrays
    made = finished(made, settings)
    return replace(made, callees=with_derivatives(function, (made.body,), settings))


def find_kept(
    function: Function,
    wrt: tuple[int, ...],
    settings: Settings = ALL,
    *,
    together: bool = True,
    checkpointed: frozenset[int] = NONE,
) -> Kept:
    """What the loops of a prepared function keep for its gradient; see `joint`, and `split` for two functions."""
    targets = function.results[:1] if together else tuple(r for r in function.results if is_float(r.type))
    seeds = [(r, Constant(1.0, r.type) if together else Value("", r.type)) for r in targets]
    kept = Kept()
    sweeps(function, _parameters(function, wrt), seeds, settings, together, kept, checkpointed)
    return kept


def split(
    function: Function,
    wrt: tuple[int, ...],
    *,
    settings: Settings = ALL,
    checkpointed: frozenset[int] = NONE,
    kept: Kept | None = None,
) -> Pair:
    """A forward and a backward function for cotangents of all float results of a prepared function; see `joint`."""
    function = replace(function, body=copied(function.body, {}))  # whose values are named here
    floats = [r for r in function.results if is_float(r.type)]
    seeds = [cotangent_of(r, function) for r in floats]
    way_back = function.location.on_the_way_back()
    turned, cotangents = conjugates(seeds, way_back)
    pairs = list(zip(floats, cotangents, strict=True))
    unlowered = replace(settings, lowered=False)
    forward, backward = sweeps(function, _parameters(function, wrt), pairs, settings, False, kept, checkpointed)
    backward = conjugated(replace(backward, statements=(*turned, *backward.statements)), way_back)
    terms = terms_of_maps(Block(tuple(forward)))
    forward, backward = list(in_terms(Block(tuple(forward)), terms).statements), in_terms(backward, terms)
    function = replace(function, body=in_terms(function.body, terms))
    changed = function.body.yields[len(function.results) :]
    pulled = Function(f"{function.name}_backward", tuple(seeds), backward, (), function.location)
    pulled = finished(run(pulled, unlowered, "segments") if checkpointed else pulled, unlowered)
    order = [*function.parameters, *defined_in(Block(tuple(forward)))]
    residuals = _residuals(pulled, order)
    if settings.optimisations:
        whole = Function(function.name, function.parameters, Block(tuple(forward), ()))
        pulled = finished(rematerialise(pulled, whole, residuals), unlowered)
        pulled, sizes = with_sizes(pulled, whole, _residuals(pulled, order))
        forward += sizes
        pulled = finished(pulled, unlowered)
        residuals = _residuals(pulled, [*function.parameters, *defined_in(Block(tuple(forward)))])
    for residual in residuals:
        residual.called("saved")
    body = Block(tuple(forward), (*function.results, *residuals, *changed))
    pushed = Function(f"{function.name}_forward", function.parameters, body, function.mutated, function.location)
    pushed = finished(pushed, unlowered)
    if settings.optimisations:
        pushed, pulled, residuals = _with_fewer(pushed, pulled, residuals, unlowered)
    callees = with_derivatives(function, (pushed.body, pulled.body), settings)
    backward_function = replace(pulled, parameters=(*residuals, *seeds), callees=callees)
    return Pair(replace(pushed, callees=callees), backward_function, residuals)


def _parameters(function: Function, numbers: tuple[int, ...]) -> list[Value]:
    return [function.parameters[k] for k in numbers]


def _residuals(pulled: Function, order: Iterable[Value]) -> tuple[Value, ...]:
    """The forward values that a backward function reads, in this order."""
    read = set(free_in(pulled.body))
    return tuple(value for value in order if value in read)


def _with_fewer(
    pushed: Function, pulled: Function, residuals: tuple[Value, ...], settings: Settings
) -> tuple[Function, Function, tuple[Value, ...]]:
    """The pair with one residual for those that the forward function returns as one, and none for numbers it knows."""
    yields = pushed.body.yields
    count = len(yields) - len(pushed.mutated) - len(residuals)
    returned = dict(zip(residuals, yields[count:], strict=False))
    first: dict[Operand, Value] = {}
    same: dict[Value, Operand] = {}
    for residual, operand in returned.items():
        if isinstance(operand, Constant):
            same[residual] = operand
        elif first.setdefault(operand, residual) is not residual:
            same[residual] = first[operand]
    if not same:
        return pushed, pulled, residuals
    pulled = finished(replace(pulled, body=substituted(pulled.body, same)), settings)
    residuals = _residuals(pulled, residuals)
    kept = yields[len(yields) - len(pushed.mutated) :]
    body = replace(pushed.body, yields=(*yields[:count], *(returned[r] for r in residuals), *kept))
    return remove_dead(replace(pushed, body=body)), pulled, residuals


def prepared(function: Function, settings: Settings = ALL, wrt: tuple[int, ...] = ()) -> Function:
    """The function itself, simplified: what is differentiated by the parameters `wrt`, or called for the value."""
    resolve = partial(resolved, settings=settings)
    if not has_requests(function):
        function = run(with_rules(function, _parameters(function, wrt), resolve), settings, "exceptions")
        return run(function, settings, *preparation(settings))
    function = run(without_unread(function), settings, "exceptions")
    made = resolve(run(with_marks(function), settings, *preparation(settings)))
    return with_rules(made, _parameters(made, wrt), resolve)


def with_marked_private_arrays(function: Function, settings: Settings) -> Function:
    """The prepared function with its loops marked where what they carry is a buffer and no more (`Carried.private`)."""
    if not {"array_privatisation", "allocation_hoisting"} <= settings.optimisations:
        return function
    return hoist_allocations(privatise_arrays(function))

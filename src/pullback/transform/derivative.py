"""A Function and what is asked of it become derivative Functions: joint, or a forward and a backward one.

The joint function runs both sweeps, so that residuals are its own variables. The split pair hands them over: the
forward function returns the results and the residuals, the backward one takes residuals and cotangents.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from pullback.analysis import ANALYSES
from pullback.ir.nodes import Block, Constant, Function, Operand, Value, defined_in, free_in
from pullback.ir.rewrite import substituted
from pullback.ir.types import is_float
from pullback.optimize.abreast import run_abreast
from pullback.optimize.closed import close_counters
from pullback.optimize.dead import remove_dead
from pullback.optimize.lift import lift_buffers
from pullback.optimize.loads import hoist_loads
from pullback.optimize.lower import lower
from pullback.optimize.raising import leave_checks
from pullback.optimize.scratch import renew_scratch
from pullback.optimize.simplify import simplify
from pullback.transform.passes import buffered, finished, hoisted, tidied
from pullback.transform.sweeps import NONE, Kept, sweeps, with_derivatives
from pullback.transform.tapes import has_tapes, with_marks, without_tapes


@dataclass(frozen=True, slots=True)
class Pair:
    """A forward function that also returns residuals, and a backward function that takes them."""

    forward: Function
    backward: Function
    residuals: tuple[Value, ...]


def alone(
    function: Function, analyses: Set[str] = ANALYSES, lowered: bool = False, has_sweeps: bool = False
) -> Function:
    """A prepared function as it runs on its own, not differentiated; `has_sweeps` says that its tapes were."""
    if has_sweeps:
        return finished(function, analyses, lowered)
    return lift_buffers(buffered(function, analyses)) if lowered and "lift" in analyses else function


def joint(
    function: Function,
    wrt: tuple[int, ...],
    *,
    with_results: bool,
    analyses: Set[str] = ANALYSES,
    lowered: bool = False,
    segmented: frozenset[int] = NONE,
    kept: Kept | None = None,
) -> Function:
    """One function for the value and the gradient of the first result of a prepared function, which is a float number.

    It returns the results (if asked for) and the gradients with respect to the parameters `wrt`. The loops with the
    numbers `segmented` run in segments; see `numbered_loops`. `kept` takes what its loops keep.
    lowered: with loops in place of array statements, those of the backward sweep too.
    """
    result = function.results[0]
    seed = Constant(1.0, result.type)
    forward, backward = sweeps(function, _parameters(function, wrt), [(result, seed)], analyses, True, kept, segmented)
    changed = function.body.yields[len(function.results) :]
    returned = (*function.results, *backward.yields) if with_results else backward.yields
    body = Block((*forward, *backward.statements), (*returned, *changed))
    name = f"{function.name}_{'value_and_grad' if with_results else 'grad'}"
    made = Function(name, function.parameters, body, function.mutated, function.location)
    made = leave_checks(made, set(defined_in(function.body)))
    made = hoisted(made, analyses) if segmented else made  # the segments share their tapes
    made = finished(made, analyses, lowered)
    return replace(made, callees=with_derivatives(function, (made.body,), analyses))


def find_kept(
    function: Function,
    wrt: tuple[int, ...],
    analyses: Set[str] = ANALYSES,
    *,
    together: bool = True,
    segmented: frozenset[int] = NONE,
) -> Kept:
    """What the loops of a prepared function keep for its gradient; see `joint`, and `split` for two functions."""
    targets = function.results[:1] if together else tuple(r for r in function.results if is_float(r.type))
    seeds = [(r, Constant(1.0, r.type) if together else Value("", r.type)) for r in targets]
    kept = Kept()
    sweeps(function, _parameters(function, wrt), seeds, analyses, together, kept, segmented)
    return kept


def split(
    function: Function,
    wrt: tuple[int, ...],
    *,
    analyses: Set[str] = ANALYSES,
    segmented: frozenset[int] = NONE,
    kept: Kept | None = None,
) -> Pair:
    """A forward and a backward function for cotangents of all float results of a prepared function; see `joint`."""
    floats = [r for r in function.results if is_float(r.type)]
    seeds = [Value(f"{getattr(r, 'name', '') or 'y'}_bar", r.type) for r in floats]
    pairs = list(zip(floats, seeds, strict=True))
    forward, backward = sweeps(function, _parameters(function, wrt), pairs, analyses, False, kept, segmented)
    changed = function.body.yields[len(function.results) :]
    pulled = Function(f"{function.name}_backward", tuple(seeds), backward, (), function.location)
    pulled = finished(hoisted(pulled, analyses) if segmented else pulled, analyses)
    residuals = _residuals(pulled, seeds)
    for residual in residuals:
        residual.called("saved")
    body = Block(tuple(forward), (*function.results, *residuals, *changed))
    pushed = Function(f"{function.name}_forward", function.parameters, body, function.mutated, function.location)
    pushed = finished(pushed, analyses)
    if analyses:
        pushed, pulled, residuals = _with_fewer(pushed, pulled, residuals, seeds, analyses)
    callees = with_derivatives(function, (pushed.body, pulled.body), analyses)
    backward_function = replace(pulled, parameters=(*residuals, *seeds), callees=callees)
    return Pair(replace(pushed, callees=callees), backward_function, residuals)


def _parameters(function: Function, numbers: tuple[int, ...]) -> list[Value]:
    return [function.parameters[k] for k in numbers]


def _residuals(pulled: Function, seeds: list[Value]) -> tuple[Value, ...]:
    """The forward values that a backward function reads."""
    return tuple(dict.fromkeys(v for v in free_in(pulled.body) if v not in seeds))


def _with_fewer(
    pushed: Function, pulled: Function, residuals: tuple[Value, ...], seeds: list[Value], analyses: Set[str]
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
    pulled = finished(replace(pulled, body=substituted(pulled.body, same)), analyses)
    residuals = _residuals(pulled, seeds)
    kept = yields[len(yields) - len(pushed.mutated) :]
    body = replace(pushed.body, yields=(*yields[:count], *(returned[r] for r in residuals), *kept))
    return remove_dead(replace(pushed, body=body)), pulled, residuals


def prepared(function: Function, analyses: Set[str] = ANALYSES, lowered: bool = False) -> Function:
    """The function itself, simplified: what is differentiated, and what is called for the value.

    lowered: with loops in place of array statements.
    """
    function = leave_checks(function)
    if not has_tapes(function):
        return _simplified(function, analyses, lowered)
    return without_tapes(_simplified(with_marks(function), analyses, lowered), analyses)


def _simplified(function: Function, analyses: Set[str], lowered: bool) -> Function:
    if not analyses:
        return remove_dead(function)
    if lowered and "lower" in analyses:
        function = tidied(function, analyses)
        function = lower(function)
    function = hoisted(simplify(function), analyses)
    if "counters" in analyses:
        function = close_counters(function)
    if "hoist" in analyses:
        function = hoist_loads(function)
    function = remove_dead(simplify(function))
    if not lowered or "abreast" not in analyses:
        return function
    renewed = renew_scratch(function) if "scratch" in analyses else function
    strips = run_abreast(renewed)
    return tidied(strips, analyses) if strips.body != renewed.body else function


def with_marked_scratch(function: Function, analyses: Set[str]) -> Function:
    """The prepared function with its loops marked where what they carry is a buffer and no more (`Carried.scratch`)."""
    if not {"scratch", "lift"} <= analyses:
        return function
    return lift_buffers(renew_scratch(function))

"""A Function and what is asked of it become derivative Functions: joint, or a forward and a backward one.

The joint function runs both sweeps, so that residuals are its own variables. The split pair hands them over: the
forward function returns the results and the residuals, the backward one takes residuals and cotangents.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from pullback.analysis import OPTIMISATIONS
from pullback.ir.nodes import Block, Constant, Function, Operand, Value, defined_in, free_in
from pullback.ir.rewrite import substituted
from pullback.ir.types import is_float
from pullback.passes.loops.array_privatisation import privatise_arrays
from pullback.passes.loops.invariant_loads import hoist_invariant_loads
from pullback.passes.lowering import lower
from pullback.passes.memory.allocation_hoisting import hoist_allocations
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.induction_variables import substitute_induction_variables
from pullback.passes.scalar.preserved_exceptions import leave_checks
from pullback.passes.scalar.simplify import simplify
from pullback.passes.vector.outer_vectorisation import vectorise_outer_loops
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
    function: Function, optimisations: Set[str] = OPTIMISATIONS, lowered: bool = False, has_sweeps: bool = False
) -> Function:
    """A prepared function as it runs on its own, not differentiated; `has_sweeps` says that its tapes were."""
    if has_sweeps:
        return finished(function, optimisations, lowered)
    return (
        hoist_allocations(buffered(function, optimisations))
        if lowered and "allocation_hoisting" in optimisations
        else function
    )


def joint(
    function: Function,
    wrt: tuple[int, ...],
    *,
    with_results: bool,
    optimisations: Set[str] = OPTIMISATIONS,
    lowered: bool = False,
    checkpointed: frozenset[int] = NONE,
    kept: Kept | None = None,
) -> Function:
    """One function for the value and the gradient of the first result of a prepared function, which is a float number.

    It returns the results (if asked for) and the gradients with respect to the parameters `wrt`. The loops with the
    numbers `checkpointed` run in segments; see `numbered_loops`. `kept` takes what its loops keep.
    lowered: with loops in place of array statements, those of the backward sweep too.
    """
    result = function.results[0]
    seed = Constant(1.0, result.type)
    forward, backward = sweeps(
        function, _parameters(function, wrt), [(result, seed)], optimisations, True, kept, checkpointed
    )
    changed = function.body.yields[len(function.results) :]
    returned = (*function.results, *backward.yields) if with_results else backward.yields
    body = Block((*forward, *backward.statements), (*returned, *changed))
    name = f"{function.name}_{'value_and_grad' if with_results else 'grad'}"
    made = Function(name, function.parameters, body, function.mutated, function.location)
    made = leave_checks(made, set(defined_in(function.body)))
    made = hoisted(made, optimisations) if checkpointed else made  # the segments share their tapes
    made = finished(made, optimisations, lowered)
    return replace(made, callees=with_derivatives(function, (made.body,), optimisations))


def find_kept(
    function: Function,
    wrt: tuple[int, ...],
    optimisations: Set[str] = OPTIMISATIONS,
    *,
    together: bool = True,
    checkpointed: frozenset[int] = NONE,
) -> Kept:
    """What the loops of a prepared function keep for its gradient; see `joint`, and `split` for two functions."""
    targets = function.results[:1] if together else tuple(r for r in function.results if is_float(r.type))
    seeds = [(r, Constant(1.0, r.type) if together else Value("", r.type)) for r in targets]
    kept = Kept()
    sweeps(function, _parameters(function, wrt), seeds, optimisations, together, kept, checkpointed)
    return kept


def split(
    function: Function,
    wrt: tuple[int, ...],
    *,
    optimisations: Set[str] = OPTIMISATIONS,
    checkpointed: frozenset[int] = NONE,
    kept: Kept | None = None,
) -> Pair:
    """A forward and a backward function for cotangents of all float results of a prepared function; see `joint`."""
    floats = [r for r in function.results if is_float(r.type)]
    seeds = [Value(f"{getattr(r, 'name', '') or 'y'}_bar", r.type) for r in floats]
    pairs = list(zip(floats, seeds, strict=True))
    forward, backward = sweeps(function, _parameters(function, wrt), pairs, optimisations, False, kept, checkpointed)
    changed = function.body.yields[len(function.results) :]
    pulled = Function(f"{function.name}_backward", tuple(seeds), backward, (), function.location)
    pulled = finished(hoisted(pulled, optimisations) if checkpointed else pulled, optimisations)
    residuals = _residuals(pulled, seeds)
    for residual in residuals:
        residual.called("saved")
    body = Block(tuple(forward), (*function.results, *residuals, *changed))
    pushed = Function(f"{function.name}_forward", function.parameters, body, function.mutated, function.location)
    pushed = finished(pushed, optimisations)
    if optimisations:
        pushed, pulled, residuals = _with_fewer(pushed, pulled, residuals, seeds, optimisations)
    callees = with_derivatives(function, (pushed.body, pulled.body), optimisations)
    backward_function = replace(pulled, parameters=(*residuals, *seeds), callees=callees)
    return Pair(replace(pushed, callees=callees), backward_function, residuals)


def _parameters(function: Function, numbers: tuple[int, ...]) -> list[Value]:
    return [function.parameters[k] for k in numbers]


def _residuals(pulled: Function, seeds: list[Value]) -> tuple[Value, ...]:
    """The forward values that a backward function reads."""
    return tuple(dict.fromkeys(v for v in free_in(pulled.body) if v not in seeds))


def _with_fewer(
    pushed: Function, pulled: Function, residuals: tuple[Value, ...], seeds: list[Value], optimisations: Set[str]
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
    pulled = finished(replace(pulled, body=substituted(pulled.body, same)), optimisations)
    residuals = _residuals(pulled, seeds)
    kept = yields[len(yields) - len(pushed.mutated) :]
    body = replace(pushed.body, yields=(*yields[:count], *(returned[r] for r in residuals), *kept))
    return remove_dead(replace(pushed, body=body)), pulled, residuals


def prepared(function: Function, optimisations: Set[str] = OPTIMISATIONS, lowered: bool = False) -> Function:
    """The function itself, simplified: what is differentiated, and what is called for the value.

    lowered: with loops in place of array statements.
    """
    function = leave_checks(function)
    if not has_tapes(function):
        return _simplified(function, optimisations, lowered)
    return without_tapes(_simplified(with_marks(function), optimisations, lowered), optimisations)


def _simplified(function: Function, optimisations: Set[str], lowered: bool) -> Function:
    if not optimisations:
        return remove_dead(function)
    if lowered and "lowering" in optimisations:
        function = tidied(function, optimisations)
        function = lower(function)
    function = hoisted(simplify(function), optimisations)
    if "induction_variables" in optimisations:
        function = substitute_induction_variables(function)
    if "loop_invariants" in optimisations:
        function = hoist_invariant_loads(function)
    function = remove_dead(simplify(function))
    if not lowered or "outer_vectorisation" not in optimisations:
        return function
    renewed = privatise_arrays(function) if "array_privatisation" in optimisations else function
    strips = vectorise_outer_loops(renewed)
    return tidied(strips, optimisations) if strips.body != renewed.body else function


def with_marked_private_arrays(function: Function, optimisations: Set[str]) -> Function:
    """The prepared function with its loops marked where what they carry is a buffer and no more (`Carried.scratch`)."""
    if not {"array_privatisation", "allocation_hoisting"} <= optimisations:
        return function
    return hoist_allocations(privatise_arrays(function))

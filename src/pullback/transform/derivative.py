"""A Function and what is asked of it become derivative Functions: joint, or a forward and a backward one.

The joint function runs both sweeps, so that residuals are its own variables. The split pair hands them over: the
forward function returns the results and the residuals, the backward one takes residuals and cotangents.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace

from pullback.analysis import ANALYSES
from pullback.analysis.activity import all_floats, find_active
from pullback.analysis.buffers import find_buffers
from pullback.analysis.shapes import Shapes
from pullback.ir.nodes import Block, Constant, For, Function, Operand, Statement, Value, operands_of, values_in, walk
from pullback.ir.rewrite import substituted
from pullback.ir.types import is_float
from pullback.optimize.abreast import run_abreast
from pullback.optimize.clears import leave_uncleared
from pullback.optimize.closed import close_counters
from pullback.optimize.dead import remove_dead
from pullback.optimize.fresh import fill_once
from pullback.optimize.hoist import hoist
from pullback.optimize.induction import merge_counters
from pullback.optimize.inplace import write_in_place
from pullback.optimize.lift import lift_buffers
from pullback.optimize.loads import hoist_loads
from pullback.optimize.lower import lower
from pullback.optimize.order import run_forwards
from pullback.optimize.picks import remember_picks
from pullback.optimize.products import write_products
from pullback.optimize.scratch import renew_scratch
from pullback.optimize.simplify import simplify
from pullback.rules import is_constant
from pullback.transform.onesweep import in_one_sweep
from pullback.transform.recursion import called_by, has_joint_form, join_calls, joint_name, pullback_name
from pullback.transform.residuals import Residuals, Tape
from pullback.transform.reverse import Reverser, Sweep, pull_back
from pullback.transform.segments import in_segments
from pullback.transform.sharing import share
from pullback.transform.threading import carry_out

NONE: frozenset[int] = frozenset()


@dataclass(slots=True)
class Kept:
    """What the loops of a derivative keep, its statements, its loops over segments by the indices of their mirrors.

    loops: those of the forward sweep, in the order of their numbers.
    """

    tapes: list[Tape] = field(default_factory=list)
    loops: list[For] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    segments: dict[Value, For] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """A forward function that also returns residuals, and a backward function that takes them."""

    forward: Function
    backward: Function
    residuals: tuple[Value, ...]


def alone(function: Function, analyses: Set[str] = ANALYSES, lowered: bool = False) -> Function:
    """A prepared function as it runs on its own, not differentiated."""
    return lift_buffers(_buffered(function, analyses)) if lowered and "lift" in analyses else function


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
    forward, backward = _sweeps(function, wrt, [(result, seed)], analyses, True, kept, segmented)
    changed = function.body.yields[len(function.results) :]
    returned = (*function.results, *backward.yields) if with_results else backward.yields
    body = Block((*forward, *backward.statements), (*returned, *changed))
    name = f"{function.name}_{'value_and_grad' if with_results else 'grad'}"
    made = Function(name, function.parameters, body, function.mutated, function.location)
    made = _hoisted(made, analyses) if segmented else made  # the segments share their tapes
    made = _finished(made, analyses, lowered)
    return replace(made, callees=_with_derivatives(function, (made.body,), analyses))


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
    _sweeps(function, wrt, seeds, analyses, together, kept, segmented)
    return kept


def numbered_loops(function: Function) -> list[For]:
    """The loops of a function in the order of its text: each has the same number wherever it is made anew."""
    return [statement for statement in walk(function.body) if isinstance(statement, For)]


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
    forward, backward = _sweeps(function, wrt, pairs, analyses, False, kept, segmented)
    changed = function.body.yields[len(function.results) :]
    pulled = Function(f"{function.name}_backward", tuple(seeds), backward, (), function.location)
    pulled = _finished(_hoisted(pulled, analyses) if segmented else pulled, analyses)
    residuals = _residuals(pulled, seeds)
    for residual in residuals:
        residual.called("saved")
    body = Block(tuple(forward), (*function.results, *residuals, *changed))
    pushed = Function(f"{function.name}_forward", function.parameters, body, function.mutated, function.location)
    pushed = _finished(pushed, analyses)
    if analyses:
        pushed, pulled, residuals = _with_fewer(pushed, pulled, residuals, seeds, analyses)
    callees = _with_derivatives(function, (pushed.body, pulled.body), analyses)
    backward_function = replace(pulled, parameters=(*residuals, *seeds), callees=callees)
    return Pair(replace(pushed, callees=callees), backward_function, residuals)


def _residuals(pulled: Function, seeds: list[Value]) -> tuple[Value, ...]:
    """The forward values that a backward function reads."""
    return tuple(dict.fromkeys(v for v in _mentioned(pulled.body) if v not in seeds))


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
    pulled = _finished(replace(pulled, body=substituted(pulled.body, same)), analyses)
    residuals = _residuals(pulled, seeds)
    kept = yields[len(yields) - len(pushed.mutated) :]
    body = replace(pushed.body, yields=(*yields[:count], *(returned[r] for r in residuals), *kept))
    return remove_dead(replace(pushed, body=body)), pulled, residuals


def _with_derivatives(function: Function, bodies: tuple[Block, ...], analyses: Set[str]) -> tuple[Function, ...]:
    """The recursive functions that bodies made of a function call, and their derivatives."""
    made = {callee.name: callee for callee in function.callees}
    for callee in function.callees:
        joined = has_joint_form(callee)
        wrt = tuple(k for k, parameter in enumerate(callee.parameters) if is_float(parameter.type))
        floats = [r for r in callee.body.yields if is_float(r.type)]
        cotangents = () if joined else tuple(Value(f"{getattr(r, 'name', '') or 'y'}_bar", r.type) for r in floats)
        seeds = cotangents or (Constant(1.0, floats[0].type),)
        whole = replace(callee, callees=function.callees)
        forward, backward = _sweeps(whole, wrt, list(zip(floats, seeds, strict=True)), analyses, together=True)
        name = joint_name(callee.name) if joined else pullback_name(callee.name)
        results = (*callee.body.yields, *backward.yields) if joined else backward.yields
        body = Block((*forward, *backward.statements), results)
        derivative = Function(name, (*callee.parameters, *cotangents), body, (), callee.location)
        made[name] = _finished(derivative, analyses)
    return called_by(bodies, made)


def prepared(function: Function, analyses: Set[str] = ANALYSES, lowered: bool = False) -> Function:
    """The function itself, simplified: what is differentiated, and what is called for the value.

    lowered: with loops in place of array statements.
    """
    if not analyses:
        return remove_dead(function)
    if lowered and "lower" in analyses:
        function = _tidied(function, analyses)
        function = lower(function)
    function = _hoisted(simplify(function), analyses)
    if "counters" in analyses:
        function = close_counters(function)
    if "hoist" in analyses:
        function = hoist_loads(function)
    function = remove_dead(simplify(function))
    if not lowered or "abreast" not in analyses:
        return function
    renewed = renew_scratch(function) if "scratch" in analyses else function
    strips = run_abreast(renewed)
    return _tidied(strips, analyses) if strips.body != renewed.body else function


def _tidied(function: Function, analyses: Set[str]) -> Function:
    return remove_dead(simplify(_hoisted(simplify(function), analyses)))


def _hoisted(function: Function, analyses: Set[str]) -> Function:
    return hoist(function) if "hoist" in analyses else function


def _finished(function: Function, analyses: Set[str], lowered: bool = False) -> Function:
    """The derivative without what nobody reads; a second round removes what the first one laid bare."""
    function = remove_dead(function)
    if not analyses:
        return function
    function = remove_dead(simplify(function))
    if "counters" in analyses:
        function = remove_dead(merge_counters(function))
    if "clears" in analyses:
        function = remove_dead(simplify(leave_uncleared(function)))
    if "order" in analyses:
        function = run_forwards(function)
    if lowered and "lower" in analyses:
        function = remove_dead(simplify(lower(function)))
    if "fresh" in analyses:
        function = fill_once(function)
    if "lift" not in analyses:
        return function
    return lift_buffers(_buffered(function, analyses) if lowered else function)


def _buffered(function: Function, analyses: Set[str]) -> Function:
    """The function with the products and arrays of its rounds in memory that other rounds have used."""
    return write_in_place(_hoisted(simplify(write_products(function)), analyses))


def _sweeps(
    function: Function,
    wrt: tuple[int, ...],
    seeds: list[tuple[Operand, Operand]],
    analyses: Set[str],
    together: bool = False,
    kept: Kept | None = None,
    segmented: frozenset[int] = NONE,
) -> tuple[list[Statement], Block]:
    """The forward statements with what they keep, and the backward block that yields the gradients.

    together: both run in one function, so that a loop may do its backward rounds along with the forward ones.
    kept: takes what the loops keep. segmented: the numbers of the loops that run in segments.
    """
    sources = [function.parameters[k] for k in wrt]
    targets = tuple(result for result, _ in seeds)
    function = _independent(function, sources, targets, analyses)
    active = _active(function, sources, targets, analyses)
    function = join_calls(function, active)
    shapes = Shapes(function)
    sweep = pull_back(function, active, seeds, shapes)
    results = _gradients(sweep, sources, active, shapes, function)
    sweep.statements[:], results = _live(sweep, results, analyses)
    if "share" in analyses:
        sweep.statements[:], results = share(function.body, sweep, results)
    buffers = find_buffers(function)
    loops = numbered_loops(function)
    chosen = {id(loops[k]) for k in segmented}

    def merge(
        body: Block, sweep: Sweep, results: tuple[Operand, ...], together: bool = True
    ) -> tuple[list[Statement], Block]:
        if together and "one_sweep" in analyses:
            body, results = in_one_sweep(body, sweep, results, merge)
        body, segments = in_segments(body, sweep, chosen, shapes, merge)
        residuals = Residuals(body, sweep, buffers, shapes, keep_everything="residuals" not in analyses)
        made = carry_out(residuals, results)
        if kept is not None:
            kept.tapes += [tape for saved in residuals.plan.saves.values() for tape in saved]
            kept.segments |= segments
        return made

    forward, backward = merge(function.body, sweep, results, together)
    if kept is not None:
        kept.loops += loops
        kept.statements += [*forward, *backward.statements]
    return forward, backward


def _active(
    function: Function, sources: list[Value], targets: tuple[Operand, ...], analyses: Set[str]
) -> frozenset[Value]:
    if "activity" not in analyses:
        return all_floats(function)
    return find_active(function, sources, targets, is_constant)


def with_marked_scratch(function: Function, analyses: Set[str]) -> Function:
    """The prepared function with its loops marked where what they carry is a buffer and no more (`Carried.scratch`)."""
    if not {"scratch", "lift"} <= analyses:
        return function
    return lift_buffers(renew_scratch(function))


def _independent(
    function: Function, sources: list[Value], targets: tuple[Operand, ...], analyses: Set[str]
) -> Function:
    """The function with fewer values that its loops hand from round to round."""
    if "picks" in analyses:
        function = remember_picks(function, _active(function, sources, targets, analyses))
    return renew_scratch(function) if "scratch" in analyses else function


def _gradients(
    sweep: Sweep, sources: list[Value], active: frozenset[Value], shapes: Shapes, function: Function
) -> tuple[Operand, ...]:
    """The adjoint of each source; zeros where nothing reaches it."""
    reverser = Reverser(active, shapes, frozenset(), set(function.parameters), set())
    with reverser.builder.into(sweep.statements):
        return tuple(sweep.adjoints[s] if s in sweep.adjoints else reverser.zeros(s, f"{s.name}_bar") for s in sources)


def _live(
    sweep: Sweep, results: tuple[Operand, ...], analyses: Set[str]
) -> tuple[list[Statement], tuple[Operand, ...]]:
    """The backward statements without those that no gradient needs, so that nothing is kept for them."""
    function = remove_dead(Function("backward", (), Block(tuple(sweep.statements), results)))
    body = simplify(function).body if analyses else function.body
    return list(body.statements), body.yields


def _mentioned(block: Block) -> list[Value]:
    """The values that a block mentions and does not define."""
    defined: set[Value] = set()
    found: list[Value] = []
    _collect(block, defined, found)
    return [value for value in found if value not in defined]


def _collect(block: Block, defined: set[Value], found: list[Value]) -> None:
    for statement in walk(block):
        found += values_in(operands_of(statement))
        defined.update(getattr(statement, "results", ()) or [getattr(statement, "value", None)])
        if hasattr(statement, "index"):
            defined.add(statement.index)
        defined.update(c.parameter for c in getattr(statement, "carried", ()))
        for inner in ("then", "orelse", "body", "condition"):
            part = getattr(statement, inner, None)
            if isinstance(part, Block):
                found += values_in(part.yields)
    found += values_in(block.yields)

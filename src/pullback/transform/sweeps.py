"""Both sweeps: forward statements that keep what is needed, and a backward block that yields the adjoints.

>>> import numpy as np, pullback as pb
>>> def f(x):
...     y = np.exp(x)
...     return y * y
>>> print(pb.explain(f, 1.0, passes=["both_sweeps"]))
differentiation: both_sweeps
  ...
  -f(x: float64*):
  +f_value_and_grad(x: float64*):
       y: float64 = exp(x)
       t.0: float64 = multiply(y, y)
  -    return t.0
  +    t.1: float64 = multiply(2, y)
  +    x_bar: float64 = multiply(t.1, y)
  +    return t.0, x_bar
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pullback.analysis.activity import all_floats, find_active
from pullback.analysis.aliases import find_aliases
from pullback.analysis.carried_sizes import shapes_with_carried
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size
from pullback.functions import is_constant
from pullback.ir.nodes import Block, Constant, For, Function, Let, Operand, Statement, Value, While, defined_in, walk
from pullback.ir.types import is_float
from pullback.passes.entries import Settings
from pullback.passes.loops.argument_selection import select_arguments
from pullback.passes.loops.array_privatisation import privatise_arrays
from pullback.passes.running import finished
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.preserved_exceptions import leave_checks
from pullback.passes.scalar.simplify import simplify
from pullback.transform.checkpointing.placement import asked_for, with_checkpoints
from pullback.transform.checkpointing.segmentation import Segments
from pullback.transform.common_subexpressions import eliminate_common_subexpressions
from pullback.transform.linear_maps import without_maps
from pullback.transform.materialised_residuals import materialise
from pullback.transform.one_sweep import in_one_sweep
from pullback.transform.recursion import called_by, has_joint_form, join_calls, joint_name, pullback_name
from pullback.transform.residual_plan import ResidualArray
from pullback.transform.residuals import Residuals
from pullback.transform.reverse.adjoints import Adjoints, bar_name
from pullback.transform.reverse.preaccumulation import Partials, preaccumulated
from pullback.transform.reverse.statements import pull_back
from pullback.transform.reverse.sweep import Sweep
from pullback.transform.sizes_at_source import read_at_source
from pullback.transform.strong_zeros import find_strong_zeros

NONE: frozenset[int] = frozenset()


@dataclass(slots=True)
class Kept:
    """What the loops of a derivative keep.

    loops: those of the forward sweep, in the order of their numbers. statements: those of both sweeps. segments: those
    of checkpointed loops, by the indices of the backward loops over them. overwritten: what loads elements that stores
    overwrite, for nothing but to keep them.
    """

    arrays: list[ResidualArray] = field(default_factory=list)
    loops: list[For | While] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    segments: dict[Value, Segments] = field(default_factory=dict)
    overwritten: dict[Value, Let] = field(default_factory=dict)


def numbered_loops(function: Function) -> list[For | While]:
    """The loops of a function in the order of its text: each has the same number wherever it is made anew."""
    return [statement for statement in walk(function.body) if isinstance(statement, For | While)]


def sweeps(
    function: Function,
    sources: list[Value],
    seeds: list[tuple[Operand, Operand]],
    settings: Settings,
    together: bool = False,
    kept: Kept | None = None,
    checkpointed: frozenset[int] = NONE,
    equal: Mapping[Size, Size] | None = None,
    masked: bool = True,
) -> tuple[list[Statement], Block]:
    """The forward statements with what they keep, and the backward block that yields the gradients.

    sources: parameters, and values that a tape watches. seeds: what is differentiated, each with its cotangent.
    together: both run in one function, so that a loop may do its backward iterations along with the forward ones.
    kept: takes what the loops keep. checkpointed: the numbers of the loops that run in segments.
    equal: what is known of the sizes of parameters. masked: whether a cotangent of exactly 0 stays 0 behind a choice.
    """
    targets = tuple(result for result, _ in seeds)
    function = _independent(function, sources, targets, settings)
    active = _active(function, sources, targets, settings)
    function, joined = join_calls(function, active)
    strong_zeros = find_strong_zeros(function) if masked else frozenset[Value]()
    partials: Partials = {}
    if settings.lowered and settings.has("preaccumulation"):
        function, partials = preaccumulated(function, active)
    shapes = shapes_with_carried(function, equal)
    branching = settings.lowered and settings.has("branching_rules")
    sweep = pull_back(function, active, seeds, shapes, strong_zeros, joined, branching, partials)
    results = _gradients(sweep, sources, active, shapes, function)
    if settings.optimisations:
        sweep.statements[:] = read_at_source(sweep.statements, function, shapes)
    sweep.statements[:], results = _live(sweep, results, settings)
    if settings.has("common_subexpressions"):
        sweep.statements[:], results = eliminate_common_subexpressions(function.body, sweep, results)
    aliases = find_aliases(function)
    loops = numbered_loops(function)
    chosen = {id(loops[k]) for k in checkpointed} | asked_for(function, loops)

    def merge(
        body: Block, sweep: Sweep, results: tuple[Operand, ...], together: bool = True
    ) -> tuple[list[Statement], Block]:
        if together and settings.has("one_sweep"):
            body, results = in_one_sweep(body, sweep, results, merge)
        body, segments = with_checkpoints(body, sweep, chosen, shapes, merge)
        keep_everything, restore = not settings.has("residuals"), settings.has("save_on_kill")
        residuals = Residuals(body, sweep, aliases, shapes, keep_everything=keep_everything, restore=restore)
        made = materialise(residuals, results)
        if kept is not None:
            kept.arrays += [array for saved in residuals.plan.saves.values() for array in saved]
            kept.arrays += [array for pieces in segments.values() for array in pieces.arrays]
            kept.segments |= segments
            kept.overwritten |= {element.value: element for element in residuals.plan.before.values()}
        return made

    forward, backward = merge(function.body, sweep, results, together)
    if kept is not None:
        kept.loops += loops
        kept.statements += [*forward, *backward.statements]
    return forward, backward


def _active(
    function: Function, sources: list[Value], targets: tuple[Operand, ...], settings: Settings
) -> frozenset[Value]:
    active = find_active(function, sources, targets, is_constant)
    return active if settings.has("activity") else all_floats(function, active)


def _independent(
    function: Function, sources: list[Value], targets: tuple[Operand, ...], settings: Settings
) -> Function:
    """The function with fewer values that its loops hand from iteration to iteration."""
    if settings.has("argument_selection"):
        function = select_arguments(function, _active(function, sources, targets, settings))
    return privatise_arrays(function) if settings.has("array_privatisation") else function


def _gradients(
    sweep: Sweep, sources: list[Value], active: frozenset[Value], shapes: Shapes, function: Function
) -> tuple[Operand, ...]:
    """The adjoint of each source; zeros where nothing reaches it."""
    adjoints = Adjoints(active, shapes, frozenset(), set(function.parameters), set())
    with adjoints.builder.into(sweep.statements):
        found = [sweep.adjoints[s] if s in sweep.adjoints else adjoints.zeros(s, bar_name(s)) for s in sources]
    return tuple(
        adjoint.returned_as(bar_name(s), (s, "_bar")) if isinstance(adjoint, Value) else adjoint
        for adjoint, s in zip(found, sources, strict=True)
    )


def _live(
    sweep: Sweep, results: tuple[Operand, ...], settings: Settings
) -> tuple[list[Statement], tuple[Operand, ...]]:
    """The backward statements without those that no gradient needs, so that nothing is kept for them."""
    function = remove_dead(Function("backward", (), Block(tuple(sweep.statements), results)))
    body = simplify(function).body if settings.optimisations else function.body
    return list(body.statements), body.yields


def cotangent_of(result: Operand, function: Function) -> Value:
    """A parameter for the cotangent of a result: `y_bar` for one without a name, unless the function has a `y`."""
    values = (*function.parameters, *defined_in(function.body))
    unnamed = "result" if any(value.name == "y" for value in values) else "y"
    return Value(f"{getattr(result, 'name', '') or unnamed}_bar", result.type)


def with_derivatives(function: Function, bodies: tuple[Block, ...], settings: Settings) -> tuple[Function, ...]:
    """The recursive functions that bodies made of a function call, and their derivatives."""
    made = {callee.name: callee for callee in function.callees}
    for callee in function.callees:
        joined = has_joint_form(callee)
        sources = [parameter for parameter in callee.parameters if is_float(parameter.type)]
        floats = [r for r in callee.body.yields if is_float(r.type)]
        cotangents = () if joined else tuple(cotangent_of(r, callee) for r in floats)
        seeds = cotangents or (Constant(1.0, floats[0].type),)
        whole = replace(callee, callees=function.callees)
        forward, backward = sweeps(whole, sources, list(zip(floats, seeds, strict=True)), settings, together=True)
        name = joint_name(callee.name) if joined else pullback_name(callee.name)
        results = (*callee.body.yields, *backward.yields) if joined else backward.yields
        body = Block((*forward, *backward.statements), results)
        derivative = Function(name, (*callee.parameters, *cotangents), body, (), callee.location)
        derivative = leave_checks(without_maps(derivative), set(defined_in(callee.body)))
        made[name] = finished(derivative, replace(settings, lowered=False))
    return called_by(bodies, made)

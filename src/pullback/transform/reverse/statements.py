"""The pull-back of a function's statements from last to first: branches become branches, loops loops backwards.

>>> import pullback as pb
>>> def f(x):
...     for i in range(3):
...         if x > 0.0:
...             x = 2.0 * x
...     return x
>>> print(pb.explain(f, 1.0, passes=["both_sweeps"]))
differentiation: both_sweeps
  ...
  -f(x: float64*):
  -    x.4 = for i in range(0, 3, 1) with (x.1: float64* = x):
  +f_value_and_grad(x: float64*):
  +    t_saved: bool[:] = empty((3), dtype='bool')
  +    x.4, t_saved.3 = for i in range(0, 3, 1) with (x.1: float64* = x, t_saved.1: bool[:] = t_saved):
           t.0: bool* = greater(x.1, 0.0)
  +        t_saved.2: bool[:] = store(t_saved.1, ([i]), t.0)
           x.3 = if t.0:
  ...
               yield x.1
  -        yield x.3
  -    return x.4
  +        yield x.3, t_saved.2
  +    x_bar.3 = for i.1 in range(0, 3, 1) reversed with (x_bar: float64* = 1.0):
  +        t.1: bool* = load(t_saved.3, ([i.1]))
  +        x_bar.2 = if t.1:
  +            x_bar.1: float64* = multiply(x_bar, 2.0)
  +            yield x_bar.1
  +        else:
  +            yield x_bar
  +        yield x_bar.2
  +    return x.4, x_bar.3
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes
from pullback.frontend.tapes.inserted import Inserted
from pullback.functions import is_constant
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.identities import Identity
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    defined_in,
    lets_in,
    operands_of,
    read_in,
    results_of,
    values_in,
)
from pullback.ir.reach import WITHOUT_DERIVATIVE
from pullback.ir.rewrite import like
from pullback.ir.ruled import LinearMap
from pullback.ir.types import INT, Array, Stack, Type, is_float
from pullback.transform.recursion import pullback_name
from pullback.transform.reverse import elements, stacks
from pullback.transform.reverse.adjoints import Adjoints, named_after
from pullback.transform.reverse.rules import pull_by_rule, pull_inserted, pull_linear, pull_several
from pullback.transform.reverse.sweep import Sweep


def pull_back(
    function: Function,
    active: frozenset[Value],
    seeds: list[tuple[Operand, Operand]],
    shapes: Shapes,
    strong_zeros: frozenset[Value] = frozenset(),
    joined: Set[Value] = frozenset(),
    branching: bool = False,
    partials: Mapping[Value, tuple[Operand, ...]] | None = None,
) -> Sweep:
    """The backward sweep of a function for the given cotangents of its results.

    strong_zeros: the values at which a cotangent of exactly 0 stays 0. joined: the first results of calls that give
    partial derivatives behind them. branching: whether rules may branch.
    partials: by values, the partial derivatives that the forward sweep has computed along with them.

    Raises MissingRuleError where an active value is made by a function without a rule.
    """
    top = {*function.parameters, *(v for s in function.body.statements for v in results_of(s))}
    primal = {*function.parameters, *defined_in(function.body)}
    uses = Counter(read_in(function.body))
    sole = {value: let for value, let in lets_in(function.body).items() if uses[value] == 1}
    growing = stacks.growing_arrays(function)
    adjoints = Adjoints(active, shapes, strong_zeros, top, primal, sole, branching, partials, growing)
    sweep = Sweep([], {}, {})
    with adjoints.builder.block() as sweep.statements:
        for result, seed in seeds:
            adjoints.add(result, seed)
        Reverser(adjoints, sweep, joined).block(function.body)
        for parameter in function.parameters:
            if parameter in adjoints.known:
                adjoints.known[parameter] = adjoints.whole(parameter)
    sweep.adjoints = {**adjoints.known, **adjoints.watched}
    return sweep


class Reverser:
    """Goes through blocks backwards, and notes in the sweep which forward statement a backward one mirrors."""

    def __init__(self, adjoints: Adjoints, sweep: Sweep, joined: Set[Value]) -> None:
        self.adjoints, self.sweep, self.joined = adjoints, sweep, joined
        self.builder = adjoints.builder

    def block(self, block: Block) -> None:
        for statement in reversed(block.statements):
            if any(result in self.adjoints.known for result in results_of(statement)):
                with self.builder.at(statement.location.on_the_way_back()):
                    self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                pull_let(self.adjoints, statement)
            case If():
                self.branches(statement)
            case For() | While():
                self.loop(statement)
            case Call() if statement.results[0] in self.joined:
                pull_joined_call(self.adjoints, statement)
            case Call(function=str()):
                pull_call(self.adjoints, statement)
            case Call(function=LinearMap()):
                pull_linear(self.adjoints, statement)
            case Call():
                pull_several(self.adjoints, statement)

    def yielded(self, block: Block, cotangents: dict[int, Operand]) -> None:
        """Pull the cotangents of what a block yields, by its place, through the block."""
        for k, cotangent in cotangents.items():
            self.adjoints.add(block.yields[k], cotangent)
        self.block(block)

    def branches(self, statement: If) -> None:
        """The same branch is taken in the backward sweep; outer adjoints that it changes are its results."""
        adjoints = self.adjoints
        taken = {k: adjoints.take(result) for k, result in enumerate(statement.results) if result in adjoints.known}
        outer = adjoints.known
        sides: list[tuple[list[Statement], dict[Value, Operand]]] = []
        for block in (statement.then, statement.orelse):
            adjoints.known = dict(outer)
            statements: list[Statement]
            with self.builder.block() as statements:
                self.yielded(block, taken)
            sides.append((statements, adjoints.known))
        inside = {v for block in (statement.then, statement.orelse) for v in defined_in(block)}
        changed = _changed(outer, [known for _, known in sides], inside)
        yields: list[list[Operand]] = [[], []]
        for value in changed:
            for side, (statements, known) in enumerate(sides):
                adjoints.known = known
                with self.builder.into(statements):
                    yields[side].append(adjoints.whole(value))
        adjoints.known = outer
        then, orelse = (Block(tuple(statements), tuple(y)) for (statements, _), y in zip(sides, yields, strict=True))
        results = tuple(_adjoint_of(value) for value in changed)
        self.sweep.mirrored.update(dict.fromkeys(results, statement))
        self.builder.add(If(statement.condition, then, orelse, results, statement.location))
        outer.update(zip(changed, results, strict=True))

    def loop(self, statement: For | While) -> None:
        """The iterations in reverse order; carried are the adjoints of what the loop carries and of what it reads."""
        adjoints = self.adjoints
        count = len(statement.carried)
        flowing = [k for k in range(count) if self.flows(statement.carried[k].parameter, statement.results[k])]
        outside = self.read_outside(statement)
        initials = [adjoints.whole(statement.results[k]) for k in flowing]
        for result in statement.results[:count]:
            adjoints.known.pop(result, None)
        initials += [adjoints.whole(value) for value in outside]
        names = [statement.carried[k].parameter for k in flowing] + outside
        parameters = [_adjoint_of(value) for value in names]
        outer = adjoints.known
        adjoints.known = dict(zip(outside, parameters[len(flowing) :], strict=True))
        statements: list[Statement]
        with self.builder.block() as statements:
            self.yielded(statement.body, dict(zip(flowing, parameters, strict=False)))
            yields = [adjoints.whole(value) for value in names]
        adjoints.known = outer
        touched = [k for k, y in enumerate(yields) if k < len(flowing) or y is not parameters[k]]
        carried = tuple(Carried(parameters[k], initials[k]) for k in touched)
        body = Block(tuple(statements), tuple(yields[k] for k in touched))
        results = self.backward_loop(statement, carried, body)
        for k, result in zip(touched[len(flowing) :], results[len(flowing) :], strict=True):
            outer[names[k]] = result
        for k, result in zip(flowing, results, strict=False):
            adjoints.add(statement.carried[k].initial, result)

    def flows(self, parameter: Value, result: Value) -> bool:
        """Whether a loop carries a cotangent; that of a stack, which has no size of its own, only if there is one."""
        known = not isinstance(parameter.type, Stack) or result in self.adjoints.known
        return parameter in self.adjoints.active and known

    def read_outside(self, statement: For | While) -> list[Value]:
        """The active values from outside that the loop reads, in the order in which it reads them."""
        inside = set(defined_in(statement.body)) | {carried.parameter for carried in statement.carried}
        read = dict.fromkeys(_read(statement.body))
        return [value for value in read if value in self.adjoints.active and value not in inside]

    def backward_loop(self, statement: For | While, carried: tuple[Carried, ...], body: Block) -> tuple[Value, ...]:
        """Append the loop that mirrors a forward one, and return its results."""
        results = tuple(like(c.parameter) for c in carried)
        if isinstance(statement, For) and not statement.exits:
            index = Value(statement.index.name, INT, (statement.index, ""))
            start, stop, step = statement.start, statement.stop, statement.step
            turned = not statement.reverse
        else:
            index = Value("k", INT)
            trips = Value("trips", INT)
            self.sweep.trip_counts.note(statement, trips)
            start, stop, step = constant(0), trips, constant(1)
            turned = True
        self.sweep.mirrored[index] = statement
        made = For(index, start, stop, step, carried, body, results, reverse=turned, location=statement.location)
        self.builder.add(made)
        return results


def _adjoint_of(value: Value) -> Value:
    """A new value for the adjoint of a value: that of a stack is an array."""
    type_: Type = Array(value.type.dtype, 1) if isinstance(value.type, Stack) else value.type
    return named_after(value, Value("", type_))


def _read(block: Block) -> Iterator[Value]:
    """Every value that a block mentions, what it yields included."""
    for statement in block.statements:
        yield from values_in(operands_of(statement))
        match statement:
            case If():
                yield from _read(statement.then)
                yield from _read(statement.orelse)
            case For() | While():
                yield from _read(statement.body)
    yield from values_in(block.yields)


def _changed(outer: dict[Value, Operand], inner: list[dict[Value, Operand]], inside: set[Value]) -> list[Value]:
    """The outer values whose adjoint some branch changed, in a fixed order."""
    found: dict[Value, None] = {}
    for adjoints in inner:
        for value, adjoint in adjoints.items():
            if value not in inside and outer.get(value) is not adjoint:
                found[value] = None
    return list(found)


def pull_call(adjoints: Adjoints, statement: Call) -> None:
    """A call of a recursive function: its pullback takes the arguments and the cotangents of the results."""
    assert isinstance(statement.function, str), "a recursive function is called by its name"
    seeds = [adjoints.whole(result) for result in statement.results if is_float(result.type)]
    for result in statement.results:
        adjoints.known.pop(result, None)
    floats = [operand for operand in statement.operands if is_float(operand.type)]
    results = tuple(Value("", operand.type) for operand in floats)
    operands = (*statement.operands, *seeds)
    adjoints.builder.add(Call(pullback_name(statement.function), operands, results, statement.location))
    for operand, result in zip(floats, results, strict=True):
        adjoints.add(operand, result)


def pull_joined_call(adjoints: Adjoints, statement: Call) -> None:
    """A call that gives the partial derivatives of its one result."""
    result, *partials = statement.results
    seed = adjoints.take(result)
    floats = [operand for operand in statement.operands if is_float(operand.type)]
    function = runtime.masked_product if result in adjoints.strong_zeros else np.multiply
    for operand, partial in zip(floats, partials, strict=True):
        if adjoints.is_active(operand):
            adjoints.add(operand, adjoints.builder.let(function, seed, partial))


def pull_let(adjoints: Adjoints, statement: Let) -> None:
    """A call of any other function: of a primitive, or of one with a rule."""
    special = _PRIMITIVES.get(statement.function)
    if isinstance(statement.function, Inserted):
        pull_inserted(adjoints, statement, statement.function)
    elif isinstance(statement.function, Identity):
        elements.hand_on(adjoints, statement)
    elif special is not None:
        special(adjoints, statement)
    elif statement.function not in WITHOUT_DERIVATIVE and not is_constant(statement.function):
        pull_by_rule(adjoints, statement)


_PRIMITIVES: dict[Callable[..., Any], Callable[[Adjoints, Let], None]] = {
    primitives.load: elements.pull_load,
    primitives.load_last: elements.pull_load_last,
    primitives.store: elements.pull_store,
    primitives.add_at: elements.pull_add_at,
    primitives.accumulate: elements.pull_accumulate,
    primitives.cast: elements.hand_on,
    primitives.copy: elements.hand_on,
    primitives.watched: elements.pull_watched,
    primitives.select: elements.pull_select,
    np.array: elements.pull_array,
    runtime.push: stacks.pull_push,
    runtime.push_row: stacks.pull_push,
    runtime.keep: stacks.pull_keep,
    runtime.push_block: stacks.pull_push_block,
    runtime.block_of: stacks.pull_block_of,
    runtime.contents: elements.hand_on,
    runtime.reserve: elements.hand_on,
}

"""Calls of functions with rules become statements: those of the rule where they are differentiated, else their own.

>>> import numpy as np, pullback as pb
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> @pb.custom_vjp
... def sine(x):
...     return np.sin(x)
>>> sine.defvjp(lambda x: (np.sin(x), np.cos(x)), lambda slope, y_bar: (slope * y_bar,))
>>> def f(x):
...     return 2.0 * sine(x)
>>> function = normal_form(f, 0.5)
>>> print(show(function))
f(x: float64*):
    t.0 = sine(x)
    t.1: float64 = multiply(2.0, t.0)
    return t.1
>>> print(show(with_rules(function, function.parameters, lambda f: f)))
f(x: float64*):
    t.0: float64 = sin(x)
    t.1: float64 = cos(x)
    t.2 = sine((t.0), (x), (t.1))
    t.3: float64 = multiply(2.0, t.2)
    return t.3

The last call stands for its first operand, whose derivative by the second one is a linear map. When that has been
differentiated, nothing but the operand is left of it (`linear_maps.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from functools import cache

from pullback.analysis.activity import find_active
from pullback.errors import TypingError
from pullback.functions import is_constant
from pullback.ir.external import is_call_outside
from pullback.ir.nodes import (
    Block,
    Call,
    Effect,
    Function,
    Operand,
    Statement,
    Value,
    free_in,
    read_by,
    results_of,
    type_of_operand,
    values_in,
    walk,
)
from pullback.ir.rewrite import copied, like, renamed, substituted, with_blocks
from pullback.ir.ruled import LinearMap, Rule, Ruled
from pullback.ir.types import is_float
from pullback.passes.pipeline import ALL
from pullback.passes.scalar.dead_code import remove_dead
from pullback.transform.sweeps import sweeps

Resolve = Callable[[Function], Function]
"""Puts statements in place of the derivatives that a function asks for (`transform/requests`)."""


def has_rules(function: Function) -> bool:
    """Whether a function calls others with rules."""
    here = any(isinstance(s, Call) and isinstance(s.function, Ruled) for s in walk(function.body))
    return here or any(map(has_rules, function.callees))


def with_rules(function: Function, sources: Iterable[Value], resolve: Resolve) -> Function:
    """The function without calls of functions with rules: it is differentiated by `sources`, or not if there are none.

    Raises MissingRuleError for one without a rule.
    """
    sources = tuple(sources)

    def of_callee(callee: Function) -> Function:
        return with_rules(callee, [p for p in callee.parameters if is_float(p.type)] if sources else (), resolve)

    while has_rules(replace(function, callees=())):
        active = find_active(function, sources, function.results, is_constant)
        function = replace(function, body=_Expansion(function, active, resolve).block(function.body))
    return replace(function, callees=tuple(map(of_callee, function.callees)))


def with_active_rules(
    function: Function, sources: Iterable[Value], targets: Iterable[Operand], resolve: Resolve
) -> Function:
    """The function with the statements of rules between sources and targets alone."""
    while True:
        active = find_active(function, sources, targets, is_constant)
        expansion = _Expansion(function, active, resolve, only_active=True)
        body = expansion.block(function.body)
        if not expansion.count:
            return function
        function = replace(function, body=body)


def without_unread(function: Function) -> Function:
    """The function with the statements of functions whose results nobody reads: those may raise, or print."""
    calls = [s for s in walk(function.body) if isinstance(s, Call) and isinstance(s.function, Ruled)]
    if not calls:
        return function
    read = {value for statement in walk(function.body) for value in read_by(statement)}
    read.update(values_in(function.body.yields))
    unread = {id(call) for call in calls if read.isdisjoint(call.results)}
    return replace(function, body=_Expansion(function, frozenset(), _same, unread=unread).block(function.body))


def _same(function: Function) -> Function:
    return function


class _Expansion:
    """Puts statements in the place of calls. only_active: of those of active values; unread: of these calls."""

    def __init__(
        self,
        function: Function,
        active: Set[Value],
        resolve: Resolve,
        only_active: bool = False,
        unread: Set[int] | None = None,
    ) -> None:
        self.function, self.active, self.resolve = function, active, resolve
        self.only_active, self.unread, self.count = only_active, unread, 0

    def block(self, block: Block) -> Block:
        terms: dict[Value, Operand] = {}
        statements: list[Statement] = []
        for statement in block.statements:
            statement = substituted(statement, terms) if terms else statement
            if isinstance(statement, Call) and isinstance(statement.function, Ruled) and self.concerns(statement):
                self.count += 1
                statements += self.statements(statement, statement.function, terms)
            else:
                statements.append(with_blocks(statement, self.block))
        return Block(tuple(statements), renamed(block.yields, terms))

    def concerns(self, call: Call) -> bool:
        if self.unread is not None:
            return id(call) in self.unread
        return not self.only_active or not self.active.isdisjoint(call.results)

    def statements(self, call: Call, ruled: Ruled, terms: dict[Value, Operand]) -> Iterator[Statement]:
        """What stands for a call; `terms` takes what stands for its results, where that are no results."""
        given = dict(zip(ruled.parameters, call.operands, strict=True))
        if self.active.isdisjoint(call.results):
            primal = copied(self.resolved(ruled.primal).body, given)
            yield from primal.statements
            terms.update(zip(call.results, primal.yields, strict=True))
            return
        rule = ruled.derivative()
        forward, linear = self.parts(rule)
        count = len(call.results)
        whole = copied(forward.body, given)
        yield from whole.statements
        ys, read = whole.yields[:count], whole.yields[count:]
        xs = tuple(renamed(source, given) for source in rule.sources)
        yield Call(_linear_map(rule, linear), (ys, xs, read), call.results, call.location)

    def parts(self, rule: Rule) -> tuple[Function, Function]:
        """The forward function, which gives the values that the linear one reads behind its results; and that one."""
        if rule.pushes:
            return _by_dependence(rule, self.resolved(rule.forward, rule.inputs))
        read = self.read_between(rule)
        forward = replace(rule.forward, body=replace(rule.forward.body, yields=(*rule.forward.body.yields, *read)))
        linear = replace(rule.linear, parameters=(*rule.inputs, *map(like, rule.sources), *read))
        return self.resolved(forward), self.resolved(linear, rule.inputs)

    def read_between(self, rule: Rule) -> tuple[Value, ...]:
        """The values of the forward part that the linear one reads."""
        free = dict.fromkeys(free_in(rule.linear.body))
        return tuple(value for value in free if value not in rule.inputs)

    def resolved(self, part: Function, inputs: tuple[Value, ...] = ()) -> Function:
        """A part of a rule without requests; where nothing is read anew after this, without other rules either.

        inputs: what it is linear in, if it is transposed.
        """
        made = self.resolve(replace(part, callees=self.function.callees))
        is_last = not self.only_active and self.unread is None
        return with_rules(made, inputs, self.resolve) if is_last and has_rules(replace(made, callees=())) else made


def _by_dependence(rule: Rule, whole: Function) -> tuple[Function, Function]:
    """A function of the operands and tangents in two: what does not depend on tangents, and what does."""
    count = len(whole.results) - sum(is_float(type_of_operand(y)) for y in whole.results) // 2
    ys, dots = whole.results[:count], whole.results[count:]
    found: set[Value] = set(rule.inputs)
    dependent: list[Statement] = []
    for statement in whole.body.statements:
        if not found.isdisjoint(read_by(statement)):
            dependent.append(statement)
            found.update(results_of(statement))
    body = remove_dead(replace(whole, body=Block(tuple(dependent), dots))).body
    read = tuple(v for v in dict.fromkeys(free_in(body)) if v not in rule.inputs)
    shapes = tuple(Value("", type_of_operand(dot)) for dot in dots)
    linear = replace(whole, parameters=(*rule.inputs, *shapes, *read), body=body)
    effects = {id(s) for s in dependent if isinstance(s, Effect) or is_call_outside(s)}
    others = tuple(s for s in whole.body.statements if id(s) not in effects)
    forward = remove_dead(replace(whole, body=Block(others, (*ys, *read))))
    if not set(rule.inputs).isdisjoint(free_in(forward.body)):
        reason = f"the value that the rule of '{whole.name}' gives depends on the tangents"
        raise TypingError(reason, whole.location, "compute it from the primals alone")
    return forward, linear


def _linear_map(rule: Rule, linear: Function) -> LinearMap:
    """A linear function and its transpose, which is made where somebody asks for it."""

    def direct() -> Function:
        return linear

    @cache
    def other() -> Function:
        return transposed(rule, linear)

    pull, push = (other, direct) if rule.pushes else (direct, other)
    return LinearMap(linear.name, pull, push)


def transposed(rule: Rule, linear: Function) -> Function:
    """The transpose of a function that is linear in the inputs of a rule.

    Its parameters are the seeds for what that one gives, what has the shapes of the inputs, and what is read besides.
    """
    count = len(rule.inputs)
    floats = [y for y in rule.forward.body.yields if is_float(type_of_operand(y))]
    types = [y.type for y in (floats[: len(linear.results)] if rule.pushes else rule.sources)]
    seeds = tuple(Value("", type_) for type_ in types)
    pairs = [(out, seed) for out, seed in zip(linear.results, seeds, strict=True) if isinstance(out, Value)]
    read = linear.parameters[count + len(linear.results) :]
    forward, backward = sweeps(linear, list(rule.inputs), pairs, ALL, True, masked=False)
    body = Block((*forward, *backward.statements), backward.yields)
    return Function(linear.name, (*seeds, *rule.inputs, *read), body, (), linear.location)

"""Height reduction: a linear recurrence of a backward sweep waits for one product and one sum in each iteration.

>>> import numpy as np, pullback as pb
>>> def decayed(x, scale):
...     y = 0.0
...     for t in range(x.shape[0]):
...         y = (x[t] - y) / scale[t] * 0.5
...     return y
>>> print(pb.explain(decayed, np.ones(3), np.ones(3), passes=["height_reduction"]))
text: height_reduction, an adjoint that each iteration hands to the next waits for one product and one sum
  ...
           scale_bar.3: float64[:] = store(scale_bar.2, ([t.11]), t.18)
  -        y_bar.1: float64 = negative(t.17)
  +        t.19: float64 = divide(0.5, t.13)
  +        t.20: float64 = negative(t.19)
  +        y_bar.1: float64 = multiply(y_bar, t.20)
           x_bar.2: float64[:] = store(x_bar.1, ([t.11]), t.17)

An adjoint of one iteration depends linearly on those of the one before: it is their sum with factors of its own, and a
number. The factors are products of partial derivatives, which wait for nothing, so that iterations compute them side by
side (Schlansker & Kathail 1993, Acceleration of first and higher order recurrences). That takes more arithmetic in all;
it pays where an iteration waited for long. Adjoints that wait for each other are a recurrence together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from pullback.analysis.recurrences import longest_path
from pullback.analysis.straight_loops import is_innermost
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, For, Function, Let, Operand, Statement, Value
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Scalar, is_complex, is_float

LEAST_GAIN = 6
"""So many cycles an iteration must wait less."""

MOST_ADDED = 16
"""So many statements an iteration may get for one recurrence."""


def reduce_heights(function: Function) -> Function:
    """The same function with such recurrences in innermost loops."""
    return replace(function, body=_in_block(function.body))


def _in_block(block: Block) -> Block:
    statements = (with_blocks(statement, _in_block) for statement in block.statements)
    return Block(tuple(_reduced(s) if isinstance(s, For) else s for s in statements), block.yields)


def _reduced(loop: For) -> For:
    """A loop, if it is an innermost one, in which no recurrence waits longer than it has to."""
    if not is_innermost(loop):
        return loop
    for value, parameters in _recurrences(loop):
        statements = _written_linearly(loop.body.statements, parameters, value)
        before, after = (longest_path(each, parameters, [value]) for each in (loop.body.statements, statements))
        added = len(statements) - len(loop.body.statements)
        if before - after >= LEAST_GAIN and added <= MOST_ADDED:
            loop = replace(loop, body=Block(statements, loop.body.yields))
    return loop


def _recurrences(loop: For) -> Iterator[tuple[Operand, list[Value]]]:
    """What an iteration hands to the next, with the parameters that it waits for and that wait for it in turn."""
    ends = {c.parameter: y for c, y in zip(loop.carried, loop.body.yields, strict=False) if _is_real(c.parameter)}
    waits = {a: {b for b in ends if longest_path(loop.body.statements, [b], [end])} for a, end in ends.items()}
    for _ in ends:
        waits = {a: others.union(*(waits[b] for b in others)) for a, others in waits.items()}
    for parameter, end in ends.items():
        yield end, [other for other in waits[parameter] if parameter in waits[other]]


def _is_real(operand: Operand) -> bool:
    type_ = getattr(operand, "type", None)
    return isinstance(type_, Scalar) and is_float(type_) and not is_complex(type_)


def _written_linearly(
    statements: tuple[Statement, ...], parameters: list[Value], value: Operand
) -> tuple[Statement, ...]:
    """Statements in which a value is a sum of parameters times factors, where it depends on them linearly."""
    forms = _Forms(parameters)
    for k, statement in enumerate(statements):
        if isinstance(statement, Let):
            forms.note(statement)
            if statement.value is value and value in forms.known:
                return (*statements[:k], *forms.written(statement), *statements[k + 1 :])
    return statements


@dataclass(frozen=True, slots=True)
class _Product:
    """Numbers over others; negated or not."""

    factors: tuple[Operand, ...] = ()
    divisors: tuple[Operand, ...] = ()
    is_negated: bool = False

    def times(self, number: Operand) -> _Product:
        return replace(self, factors=(*self.factors, number))

    def over(self, number: Operand) -> _Product:
        return replace(self, divisors=(*self.divisors, number))


@dataclass(frozen=True, slots=True)
class _Linear:
    """A sum of parameters times factors, and a number that does without them; None stands for 0."""

    factors: dict[Value, _Product]
    rest: Operand | None = None


@dataclass(slots=True)
class _Forms:
    """The values of an iteration that depend linearly on parameters, and what is computed for their factors."""

    parameters: list[Value]
    known: dict[Value, _Linear] = field(init=False)
    builder: Builder = field(default_factory=Builder)

    def __post_init__(self) -> None:
        self.known = {value: _Linear({value: _Product()}) for value in self.parameters}

    def note(self, statement: Let) -> None:
        """Take in a statement of the backward sweep, if it is linear."""
        if not statement.location.is_adjoint or not _is_real(statement.value):
            return
        if len(self.builder.statements) > MOST_ADDED:
            return
        first, *others = (self.known.get(o) if isinstance(o, Value) else None for o in statement.operands)
        with self.builder.at(statement.location):
            made = self.form(statement, first, others[0] if others else None)
        if made is not None and all(value.type == statement.value.type for value in made.factors):
            self.known[statement.value] = made

    def form(self, statement: Let, first: _Linear | None, second: _Linear | None) -> _Linear | None:
        operands = statement.operands
        match statement.function:
            case np.multiply if first and not second:
                return self.scaled(first, operands[1], np.multiply)
            case np.multiply if second and not first:
                return self.scaled(second, operands[0], np.multiply)
            case np.divide if first and not second:
                return self.scaled(first, operands[1], np.divide)
            case np.negative if first:
                return self.negated(first)
            case np.add if first or second:
                return self.total(first or _Linear({}, operands[0]), second or _Linear({}, operands[1]))
            case np.subtract if first or second:
                subtracted = second or _Linear({}, operands[1])
                return self.total(first or _Linear({}, operands[0]), self.negated(subtracted))
        return None

    def scaled(self, form: _Linear, by: Operand, function: np.ufunc) -> _Linear:
        """A form times, or over, a number."""
        scale = _Product.times if function is np.multiply else _Product.over
        factors = {value: scale(product, by) for value, product in form.factors.items()}
        return _Linear(factors, None if form.rest is None else self.builder.let(function, form.rest, by))

    def negated(self, form: _Linear) -> _Linear:
        factors = {value: replace(p, is_negated=not p.is_negated) for value, p in form.factors.items()}
        return _Linear(factors, None if form.rest is None else self.builder.let(np.negative, form.rest))

    def total(self, one: _Linear, other: _Linear) -> _Linear:
        factors = {**one.factors, **other.factors}
        for value in one.factors.keys() & other.factors.keys():
            both = (self.number(form.factors[value]) for form in (one, other))
            factors[value] = _Product((self.builder.let(np.add, *both),))
        rests = [rest for rest in (one.rest, other.rest) if rest is not None]
        return _Linear(factors, self.builder.let(np.add, *rests) if len(rests) == 2 else (*rests, None)[0])

    def number(self, product: _Product) -> Operand:
        """The value of a product."""
        whole = self.multiplied(product.factors)
        if product.divisors:
            whole = self.builder.let(np.divide, whole, self.multiplied(product.divisors))
        return self.builder.let(np.negative, whole) if product.is_negated else whole

    def multiplied(self, factors: tuple[Operand, ...]) -> Operand:
        whole, *others = factors or (constant(1.0),)
        for other in others:
            whole = self.builder.let(np.multiply, whole, other)
        return whole

    def written(self, statement: Let) -> list[Statement]:
        """What computes a value by its form, in place of the statement that did."""
        form, builder = self.known[statement.value], self.builder
        with builder.at(statement.location):
            terms = [builder.let(np.multiply, value, self.number(factor)) for value, factor in form.factors.items()]
            whole = form.rest
            for term in terms:
                whole = term if whole is None else builder.let(np.add, whole, term)
        *before, last = builder.statements
        assert isinstance(last, Let)
        return [*before, replace(last, value=statement.value)]

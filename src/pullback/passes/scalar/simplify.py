"""Simplification: algebraic identities, constant folding and the elimination of common subexpressions.

>>> import pullback as pb
>>> def price(x, y):
...     z = 1.0 * x
...     return z * y + x * y
>>> print(pb.explain(price, 0.5, 2.0, passes=["simplification"]))
lowering: simplification, algebraic identities, constant folding, common subexpressions
  ...
   price(x: float64*, y: float64*):
  -    z: float64* = multiply(1.0, x)
  -    t.0: float64* = multiply(z, y)
  -    t.1: float64* = multiply(x, y)
  -    t.2: float64* = add(t.0, t.1)
  +    t.0: float64* = multiply(x, y)
  +    t.2: float64* = add(t.0, t.0)
       return t.2

Only identities that hold for all floats: `x * 1`, `x - 0`, `x / 1`, `-(-x)`, never `x * 0`, which is NaN where x is not
finite. In the backward sweep also `x + 0`, which is 0.0 for x = -0.0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Call,
    Constant,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_undefined,
    map_values,
    read_in,
)
from pullback.ir.types import BOOL, Array, Scalar, is_float
from pullback.passes.scalar.algebraic_identities import IDENTITIES, extremum_of, is_number
from pullback.passes.scalar.region_keys import region_key


def simplify(function: Function) -> Function:
    """The same function with fewer statements."""
    simplifier = _Simplifier(Counter(read_in(function.body)))
    body = simplifier.block(function.body)
    return replace(function, body=body, callees=tuple(simplify(callee) for callee in function.callees))


_PARTS = {primitives.load, primitives.load_last, primitives.store, primitives.add_at}
"""Of an array that no path defines, a part and the next version are undefined too."""


class _Simplifier:
    def __init__(self, uses: Counter[Value]) -> None:
        self.uses = uses
        self.known: dict[Value, Operand] = {}
        self.computed: dict[Any, Value] = {}
        self.regions: dict[Any, If | For | While] = {}
        self.definitions: dict[Value, Let] = {}
        self.certain: frozenset[Operand] = frozenset()

    def operand(self, operand: Operand) -> Any:
        return map_values(operand, lambda value: self.known.get(value, value))

    def block(self, block: Block, *certain: Operand) -> Block:
        """A block that runs where some conditions hold."""
        outer = dict(self.computed), dict(self.regions), self.certain
        self.certain = self.certain.union(certain)
        statements = [new for statement in block.statements for new in self.statement(statement)]
        yields = self.operand(block.yields)
        self.computed, self.regions, self.certain = outer
        return Block(tuple(statements), yields)

    def statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case Let():
                return self.let(statement)
            case Effect(function=primitives.check):
                return self.check(statement)
            case Effect() | Call():
                return [replace(statement, operands=self.operand(statement.operands))]
            case If():
                return self.branches(statement)
            case For() | While():
                return self.once(self.loop(statement))

    def let(self, statement: Let) -> list[Statement]:
        operands = self.operand(statement.operands)
        if statement.function in _PARTS and is_undefined(operands[0]):
            self.known[statement.value] = Constant(UNDEFINED, statement.value.type)
            return []
        simpler = self.simpler(statement, operands)
        if simpler is not None and _same_type(simpler, statement.value):
            self.known[statement.value] = simpler
            return []
        new, *before = self.rewritten(replace(statement, operands=operands))
        key = expression_key(new)
        if key is not None:
            if key in self.computed and not self.is_less_exact(self.computed[key], new):
                self.known[statement.value] = self.computed[key]
                return []
            self.computed[key] = statement.value
        self.definitions |= {made.value: made for made in (*before, new)}
        return [*before, new]

    def is_less_exact(self, value: Value, statement: Let) -> bool:
        """Whether a value is of the backward sweep, where products may be contracted, the statement the user's."""
        made = self.definitions.get(value)
        return made is not None and made.location.is_adjoint and not statement.location.is_adjoint

    def rewritten(self, statement: Let) -> list[Let]:
        """A statement in another form, then what has to stand before it.

        `-1 * a` is `-a`; in the backward sweep `a * (1 / b)` is `a / b`, where nobody else reads the reciprocal.
        """
        if statement.function is np.multiply:
            a, b = statement.operands
            for one, other in ((a, b), (b, a)):
                if is_number(one, -1) and other.type == statement.value.type:
                    return [replace(statement, function=np.negative, operands=(other,))]
            made = self.definitions.get(b) if isinstance(b, Value) and self.uses[b] == 1 else None
            is_reciprocal = made is not None and made.function is np.true_divide and is_number(made.operands[0], 1)
            if made is not None and is_reciprocal and made.location.is_adjoint:
                return [replace(statement, function=np.true_divide, operands=(a, made.operands[1]))]
        if statement.function is primitives.store:
            return self.added(statement) or [statement]
        return [statement]

    def added(self, statement: Let) -> list[Let] | None:
        """`x[i] = x[i] + e` as `x[i] += e`, whose adjoint leaves that of `x` alone, and `x[i] - e` as that of `-e`."""
        array, path, value = statement.operands
        made = self.definitions.get(value) if isinstance(value, Value) and self.uses[value] == 1 else None
        if made is None or made.function not in (np.add, np.subtract) or is_advanced(path):
            return None
        is_sum = made.function is np.add
        if not is_sum and not (is_float(made.value.type) and isinstance(made.value.type, Scalar)):
            return None
        for old, new in (made.operands, made.operands[::-1]) if is_sum else (made.operands,):
            is_view = isinstance(old.type, Array)
            read = self.definitions.get(old) if isinstance(old, Value) and (is_view or self.uses[old] == 1) else None
            same = read is not None and read.function is primitives.load and read.operands == (array, path)
            if same and new.type.dtype == array.type.dtype and made.value.type == old.type:
                opposite = replace(made, value=Value("", new.type), function=np.negative, operands=(new,))
                addend = new if is_sum else opposite.value
                addition = replace(statement, function=primitives.add_at, operands=(array, path, addend))
                return [addition] if is_sum else [addition, opposite]
        return None

    def simpler(self, statement: Let, operands: tuple[Operand, ...]) -> Operand | None:
        rule = IDENTITIES.get(statement.function)
        if statement.function is np.add and not statement.location.is_adjoint and is_float(statement.value.type):
            return _folded(statement, operands)  # -0.0 + 0 is 0.0
        if rule is not None:
            found = rule(self, *operands)
            if found is not None:
                return found
        return _folded(statement, operands)

    def check(self, statement: Effect) -> list[Statement]:
        """A check, where it may fail; behind it, its condition holds."""
        operands = self.operand(statement.operands)
        if operands[0] in self.certain or operands[0] == Constant(True, BOOL):
            return []
        self.certain |= {operands[0]}
        return [replace(statement, operands=operands)]

    def branches(self, statement: If) -> list[Statement]:
        condition = self.operand(statement.condition)
        if isinstance(condition, Constant):
            chosen = statement.then if condition.value else statement.orelse
            statements = [new for inner in chosen.statements for new in self.statement(inner)]
            for result, operand in zip(statement.results, chosen.yields, strict=True):
                self.known[result] = self.operand(operand)
            return statements
        then, orelse = self.block(statement.then, condition), self.block(statement.orelse, *self.denied(condition))
        keep, extrema = [], list[Statement]()
        for k, result in enumerate(statement.results):
            a, b = then.yields[k], orelse.yields[k]
            if a is b or (isinstance(a, Constant) and a == b):
                self.known[result] = a
            elif _is_condition(condition, a, b) and result.type == condition.type:
                self.known[result] = condition
            elif (function := extremum_of(self.definitions.get(condition), a, b)) is not None:
                operands = (b, a) if isinstance(a, Constant) else (a, b)
                extrema += self.let(Let(result, function, operands, location=statement.location))
            else:
                keep.append(k)
        results = tuple(statement.results[k] for k in keep)
        blocks = [Block(block.statements, tuple(block.yields[k] for k in keep)) for block in (then, orelse)]
        rest = replace(statement, condition=condition, then=blocks[0], orelse=blocks[1], results=results)
        return [*extrema, *self.once(rest)]

    def once(self, statement: If | For | While) -> list[Statement]:
        """A branch or loop, unless the same one has been computed."""
        key = region_key(statement)
        if key is None:
            return [statement]
        same = self.regions.get(key)
        if same is None or (same.location.is_adjoint and not statement.location.is_adjoint):
            self.regions[key] = statement
            return [statement]
        self.known.update(zip(statement.results, same.results, strict=True))
        return []

    def denied(self, condition: Value) -> tuple[Operand, ...]:
        """What holds where a condition does not."""
        made = self.definitions.get(condition)
        return made.operands if made is not None and made.function is np.logical_not else ()

    def loop(self, statement: For | While) -> For | While:
        """A loop without the values that it carries unchanged."""
        initials = [self.operand(carried.initial) for carried in statement.carried]
        keep = []
        for k, carried in enumerate(statement.carried):
            if statement.body.yields[k] is carried.parameter and _same_type(initials[k], carried.parameter):
                self.known[carried.parameter] = self.known[statement.results[k]] = initials[k]
            else:
                keep.append(k)
        body_yields = tuple(statement.body.yields[k] for k in keep)
        if statement.exits:
            body_yields = (*body_yields, statement.body.yields[-1])
        kept = tuple(replace(statement.carried[k], initial=initials[k]) for k in keep)
        results = tuple(statement.results[k] for k in keep)
        if isinstance(statement, While):
            condition = self.block(statement.condition)
            body = self.block(Block(statement.body.statements, body_yields))
            return self.again(replace(statement, condition=condition, carried=kept, body=body, results=results))
        bounds = self.operand((statement.start, statement.stop, statement.step))
        start, stop, step = bounds
        body = self.block(Block(statement.body.statements, body_yields))
        return self.again(
            replace(statement, start=start, stop=stop, step=step, carried=kept, body=body, results=results)
        )

    def again(self, statement: For | While) -> For | While:
        """The loop once more, where it turned out inside that it carries something unchanged."""
        unchanged = any(
            y is c.parameter and _same_type(c.initial, c.parameter)
            for y, c in zip(statement.body.yields, statement.carried, strict=False)
        )
        return self.loop(statement) if unchanged else statement


def _same_type(operand: Operand, value: Value) -> bool:
    """Whether an operand can stand for a value; weak and strong numbers of one dtype are the same in the output."""
    a, b = operand.type, value.type
    if isinstance(a, Array) or isinstance(b, Array):
        return bool(a == b)
    return a is not None and a.dtype == b.dtype


def _is_condition(condition: Operand, a: Operand, b: Operand) -> bool:
    return isinstance(a, Constant) and isinstance(b, Constant) and a.value is True and b.value is False


def expression_key(statement: Let) -> Any:
    """What makes two statements compute the same; None where a second one must stay."""
    if isinstance(statement.value.type, Array) and statement.function is not primitives.load:
        return None
    return (statement.function, _frozen(statement.operands), statement.keywords, statement.by)


def _frozen(operand: Operand) -> Any:
    if isinstance(operand, tuple):
        return tuple(_frozen(item) for item in operand)
    return operand


def _folded(statement: Let, operands: tuple[Operand, ...]) -> Constant | None:
    """The number that a function of weak numbers gives; strong ones are computed when the program runs."""
    python = record_of(statement.function).on_numbers
    if python is None or not isinstance(statement.value.type, Scalar):
        return None
    numbers = [o for o in operands if isinstance(o, Constant) and isinstance(o.value, int | float | complex)]
    kind = _PYTHON.get(statement.value.type.dtype)
    if len(numbers) < len(operands) or kind is None:
        return None
    try:
        result = python(*(number.value for number in numbers))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return Constant(result, statement.value.type) if type(result) is kind else None


_PYTHON: dict[str, type] = {"float64": float, "int64": int, "bool": bool, "complex128": complex}

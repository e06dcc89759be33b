"""Reverse transform: a Function becomes the statements that pull cotangents of its results back to its parameters.

    t = multiply(w, x)            t_bar = multiply(y_bar, cos(t))
    y = sin(t)             →      w_bar = multiply(t_bar, x)
    return y                      x_bar = multiply(t_bar, w)

The backward statements mention the values of the forward ones as if they were all in scope; `residuals` makes them so.
Each structured statement of the backward sweep remembers which forward statement it mirrors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes
from pullback.errors import MissingRuleError
from pullback.frontend.build import Inliner
from pullback.frontend.source.addresses import name_of
from pullback.frontend.tapes.inserted import Inserted
from pullback.functions import is_constant, rule_of
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    While,
    defined_in,
    operands_of,
    results_of,
    values_in,
)
from pullback.ir.types import INT, Array, Scalar, Stack, Type, is_float
from pullback.transform.recursion import pullback_name
from pullback.transform.strong_zeros import find_behind, is_finite

Adjoints = dict[Value, Operand]


@dataclass(slots=True)
class Sweep:
    """The backward statements, the adjoints at their end, and which forward statement each one mirrors.

    A backward loop is known by its index, a backward branch by any of its results: both outlive other passes.
    room: the most iterations that a forward loop has whenever it runs, where it runs with several counts of them.
    """

    statements: list[Statement]
    adjoints: Adjoints
    mirrored: dict[Value, Statement]
    trip_counts: dict[int, Value] = field(default_factory=dict)
    room: dict[int, Operand] = field(default_factory=dict)

    def mirror_of(self, statement: Statement) -> Statement | None:
        """The forward statement that a backward one mirrors; None for one of a rule's own."""
        match statement:
            case For():
                return self.mirrored.get(statement.index)
            case If():
                return next((self.mirrored[r] for r in statement.results if r in self.mirrored), None)
        return None


def pull_back(
    function: Function,
    active: frozenset[Value],
    seeds: list[tuple[Operand, Operand]],
    shapes: Shapes,
    joined: Set[Value] = frozenset(),
) -> Sweep:
    """The backward sweep of a function for the given cotangents of its results.

    joined: the first results of calls that give partial derivatives behind them.

    Raises MissingRuleError where an active value is made by a function without a rule.
    """
    top = {*function.parameters, *(v for s in function.body.statements for v in results_of(s))}
    primal = {*function.parameters, *defined_in(function.body)}
    reverser = Reverser(active, shapes, find_behind(function), top, primal, joined)
    builder = reverser.builder
    statements: list[Statement]
    with builder.block() as statements:
        for result, seed in seeds:
            if isinstance(result, Value):
                reverser.add(result, seed)
        reverser.block(function.body)
        for parameter in function.parameters:
            if parameter in reverser.adjoints:
                reverser.adjoints[parameter] = reverser.whole(parameter)
    return Sweep(statements, {**reverser.adjoints, **reverser.noted}, reverser.mirrored, reverser.trip_counts)


class Reverser:
    """Goes through a function backwards; `adjoints` holds the cotangent of each value so far.

    The adjoint of an array may be a number: then every element has that adjoint.
    """

    def __init__(
        self,
        active: frozenset[Value],
        shapes: Shapes,
        behind: frozenset[Value],
        top: set[Value],
        primal: set[Value],
        joined: Set[Value] = frozenset(),
    ) -> None:
        self.active, self.shapes, self.behind, self.top, self.primal = active, shapes, behind, top, primal
        self.joined = joined
        self.inliner = Inliner()
        self.builder: Builder = self.inliner.builder
        self.adjoints: Adjoints = {}
        self.noted: Adjoints = {}
        self.mirrored: dict[Value, Statement] = {}
        self.trip_counts: dict[int, Value] = {}

    # Adjoints

    def add(self, value: Value, contribution: Operand) -> None:
        """Add to the adjoint of a value."""
        if value not in self.active:
            return
        if contribution.type.dtype != value.type.dtype:
            contribution = self.builder.cast(contribution, value.type.dtype)
        name = f"{value.name}_bar" if value.name else ""
        known = self.adjoints.get(value)
        if known is None:
            if name and isinstance(contribution, Value):
                contribution.called(name)
            self.adjoints[value] = contribution
            return
        if isinstance(contribution.type, Array) and isinstance(known.type, Scalar):
            known, contribution = contribution, known
        if isinstance(known.type, Scalar) or known in self.primal:
            self.adjoints[value] = self.builder.let(np.add, known, contribution, name=name)
        else:
            self.adjoints[value] = self.builder.let(primitives.accumulate, known, contribution, name=name)

    def whole(self, value: Value) -> Operand:
        """The adjoint of a value in its own shape; zeros where there is none yet."""
        adjoint = self.adjoints.get(value)
        name = f"{value.name}_bar" if value.name else ""
        if adjoint is None:
            return self.zeros(value, name)
        if isinstance(value.type, Array) and isinstance(adjoint.type, Scalar):
            shape = self.dims(value)
            return self.builder.let(np.full, shape, adjoint, name=name, type_=value.type)
        return adjoint

    def zeros(self, value: Value, name: str = "") -> Operand:
        if isinstance(value.type, Scalar):
            return Constant(0.0, value.type)
        sizes = self.shapes.of(value)
        source: Any = sizes[0][0] if sizes and isinstance(sizes[0], tuple) else value
        whole = source in self.top and sizes == tuple((source, axis) for axis in range(source.type.ndim))
        if whole and source.type == value.type:
            return self.builder.let(primitives.zeros_like, source, name=name)
        return self.builder.let(
            np.zeros, self.dims(value), Constant(value.type.dtype), keywords=("dtype",), name=name, type_=value.type
        )

    def dims(self, operand: Operand) -> tuple[Operand, ...]:
        """The shape of an operand, in terms of what its sizes come from."""
        sizes: list[Operand] = []
        for axis, size in enumerate(self.shapes.of(operand)):
            match size:
                case int():
                    sizes.append(constant(size))
                case Value():
                    sizes.append(size)
                case (source, along):
                    sizes.append(self.builder.dim(source, along))
                case _:
                    sizes.append(self.builder.dim(operand, axis))
        return tuple(sizes)

    # Statements

    def block(self, block: Block) -> None:
        for statement in reversed(block.statements):
            with self.builder.at(statement.location.on_the_way_back()):
                self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                if statement.value in self.adjoints:
                    self.let(statement)
            case If():
                self.branches(statement)
            case For() | While():
                if any(result in self.adjoints for result in statement.results):
                    self.loop(statement)
            case Call():
                if any(result in self.adjoints for result in statement.results):
                    self.call(statement)
            case Effect():
                pass

    def let(self, statement: Let) -> None:
        if isinstance(statement.function, Inserted):
            self.inserted(statement, statement.function)
            return
        special = _SPECIAL.get(statement.function)
        if special is not None:
            special(self, statement)
            return
        if is_constant(statement.function):
            return
        rule = rule_of(statement.function)
        if statement.function is np.multiply and statement.operands[0] is statement.operands[1]:
            rule = rule_of(np.square)
            statement = replace(statement, function=np.square, operands=statement.operands[:1])
        if not any(value in self.active for value in values_in(statement.operands)):
            return
        if rule is None:
            raise MissingRuleError(
                f"{name_of(statement.function)} has no derivative rule",
                statement.location,
                "define one, or keep the differentiated values out of it",
            )
        if rule.kind == "partials":
            self.partials(statement, rule.body)
        else:
            self.vjp(statement, rule.behind if rule.behind and statement.value in self.behind else rule.body)

    def inserted(self, statement: Let, inserted: Inserted) -> None:
        """A variable whose cotangent the user's own statements change."""
        y_bar = self.whole(statement.value)
        del self.adjoints[statement.value]
        operand, *others = statement.operands
        changed = self.inliner.run_inserted(inserted, y_bar, tuple(others), statement.location)
        if isinstance(operand, Value):
            self.add(operand, self.summed(operand, changed, statement))

    # Elementwise functions

    def partials(self, statement: Let, body: Callable[..., Any]) -> None:
        y = statement.value
        operands = statement.operands[: len(statement.operands) - len(statement.keywords)]
        wanted = [k for k, o in enumerate(operands) if isinstance(o, Value) and o in self.active]
        y_bar = self.adjoints.pop(y)
        if isinstance(y.type, Array) and isinstance(y_bar.type, Scalar) and not self.same_shapes(y, operands):
            y_bar = self.filled(y, y_bar)
        start = len(self.builder.statements)
        partials = self.inlined(body, statement, {"y": y})
        made = {s.value: s for s in self.builder.statements[start:] if isinstance(s, Let)}
        for k in wanted:
            masked = y in self.behind and partials[k] is not None and not is_finite(partials[k], made)
            self.add_product(statement, operands[k], y_bar, partials[k], masked)

    def same_shapes(self, y: Value, operands: tuple[Operand, ...]) -> bool:
        """Whether all arrays among the operands surely have the shape of the result."""
        arrays = [o for o in operands if isinstance(o, Value) and isinstance(o.type, Array)]
        return all(self.shapes.of(array) == self.shapes.of(y) for array in arrays)

    def filled(self, value: Value, number: Operand) -> Value:
        return self.builder.let(np.full, self.dims(value), number, type_=value.type)

    def add_product(self, statement: Let, operand: Value, y_bar: Operand, partial: Operand, masked: bool) -> None:
        y = statement.value
        if partial is None:
            return
        if isinstance(partial, Constant) and partial.value == 1:
            contribution = y_bar
        elif isinstance(partial, Constant) and partial.value == -1:
            contribution = self.builder.let(np.negative, y_bar)
        else:
            partial = self.matched(partial, y_bar)
            function = runtime.masked_product if masked else np.multiply
            contribution = self.builder.let(function, y_bar, partial)
        self.add_summed(operand, contribution, y)

    def matched(self, partial: Operand, y_bar: Operand) -> Operand:
        """A number in the dtype of the cotangent, so that float32 stays float32."""
        if partial.type.dtype == y_bar.type.dtype or isinstance(partial.type, Array):
            return partial
        if isinstance(partial, Constant):
            if y_bar.type.dtype == "float64" and isinstance(partial.value, int):
                return Constant(float(partial.value), Scalar("float64", weak=True))
            return Constant(partial.value, Scalar(y_bar.type.dtype))
        return self.builder.cast(partial, y_bar.type.dtype)

    def add_summed(self, operand: Value, contribution: Operand, y: Value) -> None:
        """Add what belongs to an operand that was broadcast to the shape of `y`."""
        if isinstance(y.type, Array) and isinstance(operand.type, Scalar):
            if isinstance(contribution.type, Scalar):
                contribution = self.times_size(contribution, y)
            else:
                contribution = self.builder.let(np.sum, contribution)
        elif isinstance(contribution.type, Array) and self.shapes.of(operand) != self.shapes.of(y):
            assert isinstance(operand.type, Array), "a number under an array was summed above"
            shape = self.dims(operand)
            contribution = self.builder.let(
                runtime.sum_to, contribution, shape, type_=Array(contribution.type.dtype, operand.type.ndim)
            )
        self.add(operand, contribution)

    def times_size(self, number: Operand, y: Value) -> Operand:
        for extent in self.dims(y):
            size = self.builder.cast(extent, number.type.dtype)
            number = self.builder.let(np.multiply, number, size)
        return number

    # Other rules

    def vjp(self, statement: Let, body: Callable[..., Any]) -> None:
        y_bar = self.whole(statement.value)
        del self.adjoints[statement.value]
        cotangents = self.inlined(body, statement, {"y": statement.value, "y_bar": y_bar})
        for operand, cotangent in zip(statement.operands, cotangents, strict=False):
            self.add_nested(operand, cotangent, statement)

    def add_nested(self, operand: Operand, cotangent: Any, statement: Let) -> None:
        if isinstance(operand, tuple):
            if cotangent is not None:
                for item, part in zip(operand, cotangent, strict=True):
                    self.add_nested(item, part, statement)
        elif isinstance(operand, Value) and operand in self.active and cotangent is not None:
            cotangent = self.uniform(cotangent) if isinstance(operand.type, Array) else cotangent
            self.add(operand, self.summed(operand, cotangent, statement))

    def summed(self, operand: Value, cotangent: Operand, statement: Let) -> Operand:
        """The cotangent in the operand's shape, where the function broadcasts its operands."""
        rank, own_rank = (getattr(v.type, "ndim", 0) for v in (cotangent, operand))
        if own_rank == 0:
            return self.builder.let(np.sum, cotangent) if rank else cotangent
        broadcasts = statement.function in (np.where, runtime.where)
        broadcasts = broadcasts and self.shapes.of(operand) != self.shapes.of(statement.value)
        batched = statement.function in (np.matmul, np.linalg.solve, np.linalg.inv) and own_rank > 2
        if rank > own_rank or (rank and (broadcasts or batched)):
            type_ = Array(cotangent.type.dtype, own_rank)
            return self.builder.let(runtime.sum_to, cotangent, self.dims(operand), type_=type_)
        return cotangent

    def uniform(self, cotangent: Operand) -> Operand:
        """The number behind a cotangent that is the same for all elements, where it was just made."""
        last = self.builder.statements[-1] if self.builder.statements else None
        if isinstance(last, Let) and last.value is cotangent and last.function is runtime.broadcast_along:
            number = last.operands[0]
            if isinstance(number.type, Scalar):
                return number
        return cotangent

    def inlined(self, body: Callable[..., Any], statement: Let, supplied: dict[str, Operand]) -> tuple[Any, ...]:
        names = inspect.signature(body).parameters
        keyword_only = {name for name, p in names.items() if p.kind is p.KEYWORD_ONLY}
        split = len(statement.operands) - len(statement.keywords)
        keywords = dict(zip(statement.keywords, statement.operands[split:], strict=True))
        unknown = [k for k in keywords if k not in names]
        if unknown or split > len(names) - len(keyword_only):
            what = f"the argument '{unknown[0]}'" if unknown else "so many arguments"
            raise MissingRuleError(
                f"{name_of(statement.function)} has no derivative rule for {what}",
                statement.location,
                "leave it out, or define a rule",
            )
        keywords.update({name: value for name, value in supplied.items() if name in keyword_only})
        return self.inliner.inline(body, statement.operands[:split], keywords, statement.location.on_the_way_back())

    def call(self, statement: Call) -> None:
        """A call of a recursive function: its pullback takes the arguments and the cotangents of the results."""
        if statement.results[0] in self.joined:
            self.scale(statement)
            return
        seeds = [self.whole(result) for result in statement.results if is_float(result.type)]
        for result in statement.results:
            self.adjoints.pop(result, None)
        floats = [operand for operand in statement.operands if is_float(operand.type)]
        results = tuple(Value("", operand.type) for operand in floats)
        operands = (*statement.operands, *seeds)
        self.builder.add(Call(pullback_name(statement.function), operands, results, statement.location))
        for operand, result in zip(floats, results, strict=True):
            if isinstance(operand, Value):
                self.add(operand, result)

    def scale(self, statement: Call) -> None:
        """A call that gives the partial derivatives of its one result."""
        result, *partials = statement.results
        seed = self.adjoints.pop(result)
        floats = [operand for operand in statement.operands if is_float(operand.type)]
        function = runtime.masked_product if result in self.behind else np.multiply
        for operand, partial in zip(floats, partials, strict=True):
            if isinstance(operand, Value) and operand in self.active:
                self.add(operand, self.builder.let(function, seed, partial))

    # Branches

    def branches(self, statement: If) -> None:
        """The same branch is taken on the way back; outer adjoints that it changes are its results."""
        seeds = [(k, result) for k, result in enumerate(statement.results) if result in self.adjoints]
        if not seeds:
            return
        given = {k: self.adjoints.pop(result) for k, result in seeds}
        outer = self.adjoints
        blocks: list[tuple[list[Statement], Adjoints]] = []
        for block in (statement.then, statement.orelse):
            self.adjoints = dict(outer)
            statements: list[Statement]
            with self.builder.block() as statements:
                for k, seed in given.items():
                    operand = block.yields[k]
                    if isinstance(operand, Value):
                        self.add(operand, seed)
                self.block(block)
            blocks.append((statements, self.adjoints))
        inside = {v for block in (statement.then, statement.orelse) for v in defined_in(block)}
        changed = _changed(outer, [adjoints for _, adjoints in blocks], inside)
        self.adjoints = outer
        self.join(statement, blocks, changed)

    def join(self, statement: If, blocks: list[tuple[list[Statement], Adjoints]], changed: list[Value]) -> None:
        yields: list[list[Operand]] = [[], []]
        outer = self.adjoints
        for value in changed:
            for side, (statements, adjoints) in enumerate(blocks):
                self.adjoints = adjoints
                with self.builder.into(statements):
                    yields[side].append(self.whole(value))
        self.adjoints = outer
        results = tuple(Value(f"{v.name}_bar" if v.name else "", _cotangent_type(v)) for v in changed)
        made = If(
            statement.condition,
            Block(tuple(blocks[0][0]), tuple(yields[0])),
            Block(tuple(blocks[1][0]), tuple(yields[1])),
            results,
            statement.location,
        )
        self.mirrored.update(dict.fromkeys(results, statement))
        self.builder.add(made)
        self.adjoints.update(zip(changed, results, strict=True))

    # Loops

    def loop(self, statement: For | While) -> None:
        """The iterations in reverse order; carried are the adjoints of what the loop carries and of what it reads."""
        count = len(statement.carried)
        flowing = [k for k in range(count) if self.flows(statement.carried[k].parameter, statement.results[k])]
        outside = self.read_outside(statement)
        initials = [self.whole(statement.results[k]) for k in flowing]
        for k in range(count):
            self.adjoints.pop(statement.results[k], None)
        initials += [self.whole(value) for value in outside]
        names = [statement.carried[k].parameter for k in flowing] + outside
        parameters = [Value(f"{v.name}_bar" if v.name else "", _cotangent_type(v)) for v in names]
        outer = self.adjoints
        self.adjoints = dict(zip(outside, parameters[len(flowing) :], strict=True))
        statements: list[Statement]
        with self.builder.block() as statements:
            for k, parameter in zip(flowing, parameters, strict=False):
                operand = statement.body.yields[k]
                if isinstance(operand, Value):
                    self.add(operand, parameter)
            self.block(statement.body)
            yields = [self.whole(value) for value in names]
        self.adjoints = outer
        touched = [k for k, y in enumerate(yields) if k < len(flowing) or y is not parameters[k]]
        parameters, initials, yields = ([items[k] for k in touched] for items in (parameters, initials, yields))
        results = self.backward_loop(statement, statements, parameters, initials, yields)
        for k, result in zip(touched[len(flowing) :], results[len(flowing) :], strict=True):
            self.adjoints[names[k]] = result
        for k, result in zip(flowing, results, strict=False):
            initial = statement.carried[k].initial
            if isinstance(initial, Value):
                self.add(initial, result)

    def flows(self, parameter: Value, result: Value) -> bool:
        """Whether a loop hands a cotangent on; one of a stack, which has no size of its own, only if it has one."""
        return parameter in self.active and (not isinstance(parameter.type, Stack) or result in self.adjoints)

    def read_outside(self, statement: For | While) -> list[Value]:
        """The active values from outside that the loop reads, in the order in which it reads them."""
        inside = set(defined_in(statement.body)) | {carried.parameter for carried in statement.carried}
        found: dict[Value, None] = {}
        for value in _read(statement.body):
            if value in self.active and value not in inside:
                found[value] = None
        return list(found)

    def backward_loop(
        self,
        statement: For | While,
        statements: list[Statement],
        parameters: list[Value],
        initials: list[Operand],
        yields: list[Operand],
    ) -> tuple[Value, ...]:
        carried = tuple(Carried(p, i) for p, i in zip(parameters, initials, strict=True))
        results = tuple(Value(p.name, p.type) for p in parameters)
        body = Block(tuple(statements), tuple(yields))
        index = Value(statement.index.name if isinstance(statement, For) else "k", INT)
        bounds: tuple[Operand, ...]
        if isinstance(statement, For) and not statement.exits:
            bounds = (statement.start, statement.stop, statement.step)
        else:
            trips = Value("trips", INT)
            self.trip_counts[id(statement)] = trips
            bounds = (constant(0), trips, constant(1))
            if isinstance(statement, For):
                index = Value("k", INT)
        start, stop, step = bounds
        turned = not (isinstance(statement, For) and statement.reverse and not statement.exits)
        made = For(index, start, stop, step, carried, body, results, reverse=turned, location=statement.location)
        self.mirrored[made.index] = statement
        self.builder.add(made)
        return results


def _cotangent_type(value: Value) -> Type:
    return Array(value.type.dtype, 1) if isinstance(value.type, Stack) else value.type


def _read(block: Block) -> Iterator[Value]:
    """Every value that a block mentions, what it yields included."""
    for statement in block.statements:
        yield from values_in(operands_of(statement))
        match statement:
            case If():
                yield from _read(statement.then)
                yield from _read(statement.orelse)
            case For():
                yield from _read(statement.body)
            case While():
                yield from _read(statement.body)
    yield from values_in(block.yields)


def _changed(outer: Adjoints, inner: list[Adjoints], inside: set[Value]) -> list[Value]:
    """The outer values whose adjoint some branch changed, in a fixed order."""
    found: dict[Value, None] = {}
    for adjoints in inner:
        for value, adjoint in adjoints.items():
            if value not in inside and outer.get(value) is not adjoint:
                found[value] = None
    return list(found)


# Primitives


def _load(reverser: Reverser, statement: Let) -> None:
    """y = x[i]: x_bar[i] += y_bar."""
    array, path = statement.operands
    y_bar = reverser.adjoints.pop(statement.value)
    if array not in reverser.active:
        return
    _add_at(reverser, array, path, y_bar)


def _add_at(reverser: Reverser, array: Value, path: Any, contribution: Operand) -> None:
    builder = reverser.builder
    if contribution.type.dtype != array.type.dtype:
        contribution = builder.cast(contribution, array.type.dtype)
    shadow = reverser.whole(array)
    name = f"{array.name}_bar" if array.name else ""
    reverser.adjoints[array] = builder.let(primitives.add_at, shadow, path, contribution, name=name)


def _store(reverser: Reverser, statement: Let) -> None:
    """x' = x with x[i] = v: v_bar = x'_bar[i], then x'_bar[i] = 0 is x_bar."""
    array, path, value = statement.operands
    builder = reverser.builder
    shadow = reverser.whole(statement.value)
    del reverser.adjoints[statement.value]
    if isinstance(value, Value) and value in reverser.active:
        _pull_stored(reverser, statement, shadow)
    if array in reverser.active:
        name = f"{array.name}_bar" if array.name else ""
        zero = Constant(0.0, Scalar(array.type.dtype, weak=array.type.dtype == "float64"))
        reverser.add(array, builder.let(primitives.store, shadow, path, zero, name=name))


def _pull_stored(reverser: Reverser, statement: Let, shadow: Operand) -> None:
    _, path, value = statement.operands
    builder = reverser.builder
    last = Index(path[-1].items)
    function = primitives.load_last if is_advanced((last,)) else primitives.load
    part = builder.let(function, shadow, path)
    if isinstance(part.type, Array):
        if isinstance(value.type, Scalar):
            part = builder.let(np.sum, part)
        elif reverser.shapes.part(reverser.shapes.of(statement.value), path) != reverser.shapes.of(value):
            shape = reverser.dims(value)
            part = builder.let(runtime.sum_to, part, shape, type_=Array(part.type.dtype, value.type.ndim))
        else:
            part = builder.let(primitives.copy, part)
    reverser.add(value, part)


def _pass(reverser: Reverser, statement: Let) -> None:
    """y = copy(x), y = cast(x): the cotangent goes on."""
    y_bar = reverser.adjoints.pop(statement.value)
    operand = statement.operands[0]
    if isinstance(operand, Value):
        reverser.add(operand, y_bar)


def _watched(reverser: Reverser, statement: Let) -> None:
    """y = watched(x): the cotangent of y is what a tape may ask for, and goes on."""
    y_bar = reverser.whole(statement.value)
    reverser.noted[statement.value] = y_bar
    _pass(reverser, statement)


def _accumulate(reverser: Reverser, statement: Let) -> None:
    y_bar = reverser.adjoints.pop(statement.value)
    for operand in statement.operands:
        if isinstance(operand, Value):
            if isinstance(operand.type, Scalar) and isinstance(statement.value.type, Array):
                reverser.add_summed(operand, y_bar, statement.value)
            else:
                reverser.add(operand, y_bar)


def _pull_added(reverser: Reverser, statement: Let) -> None:
    """x' = x with x[i] += v: v_bar = x'_bar[i], x_bar = x'_bar."""
    array, path, value = statement.operands
    builder = reverser.builder
    shadow = reverser.whole(statement.value)
    del reverser.adjoints[statement.value]
    if isinstance(value, Value) and value in reverser.active:
        part = builder.let(primitives.load, shadow, path)
        if isinstance(part.type, Array):
            if isinstance(value.type, Scalar):
                part = builder.let(np.sum, part)
            else:
                shape = reverser.dims(value)
                part = builder.let(runtime.sum_to, part, shape, type_=Array(part.type.dtype, value.type.ndim))
        reverser.add(value, part)
    if isinstance(array, Value):
        reverser.add(array, shadow)


def _array(reverser: Reverser, statement: Let) -> None:
    """y = np.array((a, b, …)): each number gets its element."""
    shadow = reverser.whole(statement.value)
    del reverser.adjoints[statement.value]
    for position, item in _positions(statement.operands[0]):
        if isinstance(item, Value) and item in reverser.active:
            index = Index(tuple(constant(k) for k in position))
            part = reverser.builder.let(primitives.load, shadow, (index,))
            reverser.add(item, reverser.builder.let(primitives.copy, part) if isinstance(part.type, Array) else part)


def _positions(items: Any, prefix: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Operand]]:
    for k, item in enumerate(items):
        if isinstance(item, tuple):
            yield from _positions(item, (*prefix, k))
        else:
            yield (*prefix, k), item


def _push(reverser: Reverser, statement: Let) -> None:
    """A list with one more element: the new element's cotangent; what is left belongs to the list before."""
    buffer, length, value = statement.operands
    shadow = reverser.whole(statement.value)
    del reverser.adjoints[statement.value]
    path = (Index((length,)),)
    if isinstance(value, Value) and value in reverser.active:
        part = reverser.builder.let(primitives.load, shadow, path)
        is_row = statement.function is runtime.push_row
        reverser.add(value, reverser.builder.let(primitives.copy, part) if is_row else part)
    if buffer in reverser.active:
        zero = Constant(0.0, Scalar(buffer.type.dtype, weak=buffer.type.dtype == "float64"))
        name = f"{buffer.name}_bar" if buffer.name else ""
        reverser.add(buffer, reverser.builder.let(primitives.store, shadow, path, zero, name=name))


# What a backward sweep kept, when it is differentiated itself. The cotangent of a growing place for values is one array
# of its final size; each element was stored once, so that none has to be cleared.


def _kept(reverser: Reverser, statement: Let) -> None:
    """S' = S with S[k] = v: v_bar = S_bar[k]."""
    stack, k, value = statement.operands
    shadow = reverser.adjoints.pop(statement.value)
    if isinstance(value, Value) and value in reverser.active:
        reverser.add(value, reverser.builder.let(primitives.load, shadow, (Index((k,)),)))
    reverser.add(stack, shadow)


def _block_kept(reverser: Reverser, statement: Let) -> None:
    """B' = B with the elements of v from `top` on: v_bar is that part of B_bar."""
    buffer, top, value = statement.operands
    shadow = reverser.adjoints.pop(statement.value)
    if isinstance(value, Value) and value in reverser.active:
        part = reverser.builder.let(runtime.block_of, shadow, top, reverser.dims(value), type_=value.type)
        reverser.add(value, reverser.builder.let(primitives.copy, part))
    reverser.add(buffer, shadow)


def _block_read(reverser: Reverser, statement: Let) -> None:
    """v = the elements of B from `top` on: that part of B_bar grows by v_bar."""
    buffer, top, shape = statement.operands
    y_bar = reverser.whole(statement.value)
    del reverser.adjoints[statement.value]
    if buffer not in reverser.active:
        return
    builder = reverser.builder
    flat = builder.let(np.reshape, y_bar, (constant(-1),), type_=Array(y_bar.type.dtype, 1))
    size: Operand = constant(1)
    for extent in shape:
        size = builder.let(np.multiply, size, extent)
    end = builder.let(np.add, top, size)
    _add_at(reverser, buffer, (Index((Slice(top, end, None),)),), flat)


def _last_read(reverser: Reverser, statement: Let) -> None:
    """v = x[i], where i repeats an element only at the last of its places: x_bar grows there."""
    array, path = statement.operands
    y_bar = reverser.whole(statement.value)
    del reverser.adjoints[statement.value]
    if array in reverser.active:
        reverser.add(array, reverser.builder.let(primitives.store, reverser.zeros(array), path, y_bar))


def _select(reverser: Reverser, statement: Let) -> None:
    condition, *sides = statement.operands
    y_bar = reverser.adjoints.pop(statement.value)
    zero = Constant(0.0, y_bar.type)
    for side, (then, orelse) in zip(sides, ((y_bar, zero), (zero, y_bar)), strict=True):
        if isinstance(side, Value) and side in reverser.active:
            reverser.add(side, reverser.builder.let(primitives.select, condition, then, orelse))


_SPECIAL: dict[Callable[..., Any], Callable[[Reverser, Let], None]] = {
    primitives.load: _load,
    primitives.store: _store,
    primitives.cast: _pass,
    primitives.copy: _pass,
    primitives.watched: _watched,
    primitives.accumulate: _accumulate,
    primitives.add_at: _pull_added,
    primitives.select: _select,
    primitives.load_last: _last_read,
    np.array: _array,
    runtime.push: _push,
    runtime.push_row: _push,
    runtime.keep: _kept,
    runtime.contents: _pass,
    runtime.reserve: _pass,
    runtime.push_block: _block_kept,
    runtime.block_of: _block_read,
}

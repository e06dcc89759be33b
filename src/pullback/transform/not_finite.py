"""Where NaN and infinities come from: a function is told to raise at the first number that is not finite.

Two forms. The one that runs looks at its results alone, and raises ResultNotFinite. The other one then runs in its
place, and looks at every value, adjoint and tangent when it is made:

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import joint, prepared
>>> def f(x):
...     return np.log(x)
>>> function = prepared(normal_form(f, 1.0))
>>> print(show(with_checked_results(joint(function, (0,), with_results=False))))
f_grad(x: float64*):
    t.0: float64* = divide(1, x)
    t.1: bool* = is_finite(t.0)
    check(t.1, ResultNotFinite)
    return t.0
>>> checked = with_checked_values(function, {}, True, {})
>>> print("\\n".join(show(checked).splitlines()[:7]))
f(x: float64*):
    t.0: float64 = log(x)
    t.1: bool* = is_finite(t.0)
    t.2: bool* = logical_not(t.1)
    if t.2:
        t.3: float64 = unexplained_by_elements(t.0, x)
        t.4: bool* = is_finite(t.3)

A value is the first one if it is NaN and no operand is, or infinite and all operands are finite: what follows from a
constant such as `np.inf` is no fault. An adjoint or tangent is, wherever it is not finite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from pullback import runtime
from pullback.analysis.moved_numbers import chooses, floats_in, is_not_finite, may_be_infinite_constant, moves
from pullback.errors import Location, NotFinite
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.identities import Identity
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
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
    lets_in,
    walk,
)
from pullback.ir.types import BOOL, INT, Array, Scalar, Stack, is_complex, is_float
from pullback.transform.named_numbers import (
    Loop,
    Named,
    belongs,
    expression_at,
    goes_over_segments,
    is_derived,
    left_to_choices,
    numbers_of,
    quantity_of,
    variable_of,
    written_into,
    written_part,
)

_SILENT = {*primitives.PRINTING, primitives.breakpoint_}


def with_checked_results(function: Function) -> Function:
    """The function, which raises ResultNotFinite at its end where one of its results is not finite."""
    builder = Builder()
    with builder.at(function.location):
        for result in dict.fromkeys(function.results):
            if isinstance(result, Value) and is_float(result.type):
                fits = builder.let(runtime.is_finite, result, type_=BOOL)
                builder.effect(primitives.check, fits, Constant(runtime.ResultNotFinite))
    statements = (*function.body.statements, *builder.statements)
    return replace(function, body=replace(function.body, statements=statements))


def has_checks(function: Function) -> bool:
    """Whether a function looks at derivatives that its own text asks for."""
    bodies = [function.body, *(callee.body for callee in function.callees)]
    return any(_is_check(statement) for body in bodies for statement in walk(body))


def _is_check(statement: Statement) -> bool:
    return isinstance(statement, Effect) and statement.operands[1:] == (Constant(runtime.ResultNotFinite),)


def with_checked_values(
    function: Function, origins: Mapping[Value, Let], values: bool, given: Mapping[Value, str]
) -> Function:
    """The function, which raises NotFinite at the first number that is not finite, and prints nothing.

    origins: the statements of the user's function, by which adjoints and tangents of expressions are called.
    values: whether they are looked at, and not only adjoints and tangents.
    given: what the parameters are that may be blamed, as 'argument'.
    """
    callees = tuple(
        replace(callee, body=_Checks(callee, {**origins, **lets_in(callee.body)}, values, {}).checked())
        for callee in function.callees
    )
    return replace(function, body=_Checks(function, origins, values, given).checked(), callees=callees)


@dataclass(frozen=True, slots=True)
class _Argument:
    """An argument, what it is called, and what tells of one of its numbers that is not finite."""

    number: Operand
    named: Named
    told: tuple[Operand, ...]
    axes: int


class _Checks:
    def __init__(
        self, function: Function, origins: Mapping[Value, Let], values: bool, given: Mapping[Value, str]
    ) -> None:
        self.function, self.values, self.given = function, values, given
        self.builder = Builder()
        self.definitions = lets_in(function.body)
        self.origins = {**origins, **self.definitions}
        self.arrays = written_into(function.body)
        self.loops: list[Loop] = []
        self.optional = left_to_choices(function.body)
        self.arguments: list[_Argument] = []

    def checked(self) -> Block:
        with self.builder.block() as statements, self.builder.at(self.function.location):
            self.look_at_arguments()
            self.builder.statements += self.block(self.function.body).statements
            for result in dict.fromkeys(self.function.results):
                if isinstance(result, Value) and is_float(result.type):
                    self.check_result(result)
        return Block(tuple(statements), self.function.body.yields)

    # What was given, and what comes out

    def look_at_arguments(self) -> None:
        """Remember which numbers of the arguments are not finite, before any is written."""
        for parameter, quantity in self.given.items():
            if not is_float(parameter.type):
                continue
            inner = quantity_of(parameter)[1]
            named = Named(quantity, inner.name if inner.is_named else "", self.function.location)
            number, told, axes = self.told_of(parameter)
            self.arguments.append(_Argument(number, named, told, axes))
            if quantity != "argument":
                self.blame(self.arguments[-1:])

    def blame(self, arguments: list[_Argument]) -> None:
        """Raise where a number of an argument is not finite."""
        for argument in arguments:
            with self.where_not_finite(argument.number):
                self.raise_(argument.named, argument.told, argument.axes, [])

    def check_result(self, result: Value) -> None:
        """Raise where a result is not finite, unless the user has written that."""
        if may_be_infinite_constant(result, self.function):
            return
        with self.where_not_finite(result):
            self.blame(self.arguments)
            made = self.definitions.get(result)
            with self.builder.at(self.builder.location if made is None else self.place_of(made)):
                self.report(result, self.named(result))

    # Statements

    def block(self, block: Block) -> Block:
        with self.builder.block() as statements:
            for statement in block.statements:
                with self.builder.at(self.place_of(statement)):
                    self.statement(statement)
        return Block(tuple(statements), block.yields)

    def place_of(self, statement: Statement) -> Location:
        return statement.location if statement.location.line else self.function.location

    def statement(self, statement: Statement) -> None:
        match statement:
            case Effect() if _is_check(statement):
                self.check_result(self.definitions[statement.operands[0]].operands[0])
            case Effect():
                if statement.function not in _SILENT:
                    self.builder.add(statement)
            case Let():
                self.builder.add(statement)
                self.let(statement)
            case If():
                then, orelse = self.block(statement.then), self.block(statement.orelse)
                self.builder.add(replace(statement, then=then, orelse=orelse))
            case For():
                self.builder.add(self.count(statement))
            case While():
                self.builder.add(self.repeat(statement))
            case Call():
                self.builder.add(statement)
                self.call(statement)

    def count(self, loop: For) -> For:
        name, over_segments = variable_of(loop), goes_over_segments(loop)
        in_segment = any(other.over_segments and other.location == loop.location for other in self.loops)
        is_plain = bool(name) or in_segment or (loop.start, loop.step) == (constant(0), constant(1))

        def number(builder: Builder) -> Operand:
            if is_plain:
                return loop.index
            return builder.let(np.floor_divide, builder.let(np.subtract, loop.index, loop.start), loop.step)

        with self.around(Loop(name, loop.location, number, over_segments)):
            return replace(loop, body=self.block(loop.body))

    def repeat(self, loop: While) -> While:
        """The loop with a counter."""
        over_segments = goes_over_segments(loop)
        counter, end = Value("iteration", INT), Value("iteration", INT)
        with self.around(Loop("", loop.location, lambda builder: counter, over_segments)):
            condition, body = self.block(loop.condition), self.block(loop.body)
        with self.builder.block() as more, self.builder.at(loop.location):
            following = self.builder.let(np.add, counter, constant(1))
        count = len(loop.carried)
        yields = (*body.yields[:count], following, *body.yields[count:])
        return replace(
            loop,
            condition=condition,
            carried=(*loop.carried, Carried(counter, constant(0))),
            body=Block((*body.statements, *more), yields),
            results=(*loop.results, end),
        )

    @contextmanager
    def around(self, loop: Loop) -> Iterator[None]:
        """Within it a loop is around."""
        outer = self.loops
        self.loops = [*outer, loop]
        try:
            yield
        finally:
            self.loops = outer

    # Numbers

    def let(self, statement: Let) -> None:
        value = statement.value
        if not is_float(value.type) or isinstance(value.type, Stack) or isinstance(statement.function, Identity):
            return
        if belongs(value):
            self.derivative(statement)
        elif self.is_primal(value, statement.location):
            self.value(statement)
        elif statement.function in primitives.WRITES and belongs(statement.operands[0]):
            self.derivative(statement)

    def is_primal(self, value: Value, location: Location) -> bool:
        """Whether a value is one of the user's function, computed for the first time."""
        return self.values and value.of is None and not is_derived(location)

    def derivative(self, statement: Let) -> None:
        """Check an adjoint or tangent, or what was written into one."""
        named = self.named(statement.value)
        if statement.function in primitives.WRITES:
            path, written = statement.operands[1:]
            if isinstance(written, Value) or is_not_finite(written):
                part = self.builder.load(statement.value, path)
                self.check_derivative(part, named, written_part(statement), numbers_of(path))
        elif not moves(statement):
            self.check_derivative(statement.value, named, statement)

    def check_derivative(self, value: Value, named: Named, made: Let, index: tuple[Operand, ...] = ()) -> None:
        """Raise where an adjoint or tangent is not finite: for an argument that is the reason, or for itself."""
        with self.where_not_finite(value):
            reasons = self.explanations(made)
            if self.arguments and reasons:
                with self.where_not_finite(self.without(value, reasons), otherwise=True):
                    self.blame(self.arguments)
            self.report(value, named, index)

    def value(self, statement: Let) -> None:
        """Check a value of the user's function, of which the operands do not explain what it is."""
        if statement.value in self.optional:
            return
        taken = chooses(statement) and any(o in self.optional for o in floats_in(statement.operands))
        if taken or not moves(statement):
            with self.where_not_finite(statement.value):
                left = self.without(statement.value, self.explanations(statement))
                self.report(left, self.named(statement.value))

    def call(self, statement: Call) -> None:
        """Check what a function of NumPy returns; one of the user's checks it itself."""
        if isinstance(statement.function, str):
            return
        for result in statement.results:
            if is_float(result.type) and self.is_primal(result, statement.location):
                reasons = [(operand, False) for operand in floats_in(statement.operands)]
                with self.where_not_finite(result):
                    self.report(self.without(result, reasons), self.named(result))

    def explanations(self, statement: Let, by_elements: bool = True) -> list[tuple[Operand, bool]]:
        """What may be the reason why a number is not finite, each with whether it is so element by element.

        Of partial derivatives and of what `np.where` is given, it is their own operands.
        """
        found: list[tuple[Operand, bool]] = []
        by_elements = by_elements and is_elementwise(statement.function)
        for operand in floats_in(statement.operands):
            made = self.definitions.get(operand)
            if made is not None and (operand in self.optional or self.is_partial(made)):
                found += self.explanations(made, by_elements)
            elif not belongs(operand):
                found.append((operand, by_elements))
        return found

    def is_partial(self, statement: Let) -> bool:
        """Whether a value is neither the user's nor an adjoint or tangent."""
        return statement.value.of is None and is_derived(statement.location)

    def without(self, value: Value, reasons: list[tuple[Operand, bool]]) -> Value:
        """The number or array with 0 where one of these explains that it is not finite."""
        for operand, by_elements in dict.fromkeys(reasons):
            by_elements = by_elements and getattr(operand.type, "ndim", 0) <= getattr(value.type, "ndim", 0)
            helper = runtime.unexplained_by_elements if by_elements else runtime.unexplained
            value = self.builder.let(helper, value, operand, type_=value.type)
        return value

    # Names

    def named(self, value: Value) -> Named:
        """What a value is called, at the place of the statement that is read now."""
        quantity, _ = quantity_of(value)
        location = self.builder.location
        return Named(quantity, self.name_of(value) or expression_at(location), location)

    def name_of(self, value: Value) -> str:
        """The user's name for a value, or for what it is the adjoint or tangent of; else the expression."""
        inner = quantity_of(value)[1]
        if inner.is_named:
            return inner.name
        if inner not in self.origins:
            return self.name_of(self.arrays[value]) if value in self.arrays else ""
        made = self.origins[inner]
        array = made.operands[0] if made.function is primitives.load else None
        text = expression_at(made.location)
        is_read = array is None or not array.is_named or re.fullmatch(r"[\w.]+(\[.*\])?", text)
        return text if is_read else array.name

    # Checks

    @contextmanager
    def where_not_finite(self, value: Operand, otherwise: bool = False) -> Iterator[None]:
        """Around statements for where a number, or an element of an array, is not finite, or `otherwise`."""
        finite: Operand = self.builder.let(runtime.is_finite, value, type_=BOOL)
        condition = finite if otherwise else self.builder.let(np.logical_not, finite)
        with self.builder.block() as made:
            yield
        self.builder.add(If(condition, Block(tuple(made)), Block(()), (), self.builder.location))

    def told_of(self, value: Value) -> tuple[Operand, tuple[Operand, ...], int]:
        """The first number of a value that is not finite, what tells of it, and the number of axes; see NotFinite."""
        if not isinstance(value.type, Array):
            told = self.builder.let(np.absolute, value) if is_complex(value.type) else value
            return told, (told,), 0
        place = self.builder.let(runtime.first_not_finite, value, type_=INT)
        number = self.builder.let(runtime.element_of, value, place, type_=Scalar("float64"))
        axes = value.type.ndim
        return number, (place, *self.builder.dims(value), number) if axes else (number,), axes

    def report(self, value: Value, named: Named, index: tuple[Operand, ...] = ()) -> None:
        """Raise where a number or an element is not finite."""
        with self.where_not_finite(value):
            _, told, axes = self.told_of(value)
            loops = [loop for loop in self.loops if loop.is_of_user and not loop.over_segments]
            if not axes:
                places = tuple(loop.number(self.builder) for loop in self.loops if not loop.is_of_user)
                told, axes = (*places, *index, *told), -len(places) - len(index)
            self.raise_(named, told, axes, loops)

    def raise_(self, named: Named, told: tuple[Operand, ...], axes: int, loops: list[Loop]) -> None:
        at = named.location
        names = ",".join(loop.name or f"line {loop.location.line}" for loop in loops)
        said = (named.quantity, named.variable, at.file, at.line, at.column, at.end_column, at.text, names, axes)
        iterations = [loop.number(self.builder) for loop in loops]
        self.builder.effect(primitives.raise_, Constant(NotFinite), *map(constant, said), *iterations, *told)

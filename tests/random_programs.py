"""A seed becomes an imperative NumPy program, its arguments, and the arguments to differentiate by.

    program = generate(17)
    print(program.source)                      # def f(x, a, n): ...
    function = load(program)                   # inspect.getsource(function) works
    value = function(*program.make_args())

The same seed gives the same text on every run and under every hash seed. Shapes and index ranges are known while the
text is written, so that no index is out of range; that values stay bounded and lie on no kink is tested by running the
program, and an attempt that fails is thrown away. `python tests/random_programs.py --count 300` counts what the
programs contain.
"""

from __future__ import annotations

import argparse
import linecache
import random
import sys
import time
import types
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import cells

Shape = tuple[int, ...]

# Relative frequency of each kind of statement. `generate(seed, weights={"alias": 10.0})` overrides single entries.
WEIGHTS: dict[str, float] = {
    "new_scalar": 4.0,
    "set_scalar": 4.0,
    "augment_scalar": 5.0,
    "new_array": 4.0,
    "set_array": 2.0,
    "augment_array": 1.5,
    "write_element": 6.0,
    "write_slice": 4.0,
    "write_matrix": 4.0,
    "write_overlap": 1.6,
    "write_masked": 0.9,
    "write_indexed": 1.5,
    "alias": 2.4,
    "view": 3.4,
    "swap_names": 2.2,
    "swap_elements": 0.9,
    "unpack": 1.0,
    "chained_assignment": 0.8,
    "for_loop": 6.0,
    "while_loop": 2.0,
    "branch": 5.0,
    "assign_in_both_branches": 0.9,
    "jump": 5.0,
    "nested_def": 1.1,
    "call": 4.0,
    "lists": 3.0,
    "integer_state": 1.6,
    "flag": 1.0,
}

# Share of programs that own a helper of each kind, and that use unusual names.
HELPER_WEIGHTS: dict[str, float] = {
    "pure": 0.30,
    "vector": 0.22,
    "mutating": 0.36,
    "pair": 0.20,
    "keyword": 0.20,
    "recursive": 0.10,
}
NASTY_NAME_SHARE = 0.18

# Relative frequency of each kind of expression: of any shape, and of scalars or arrays alone.
FORMS: dict[str, float] = {
    "leaf": 2.0,
    "sum": 5.0,
    "product": 5.0,
    "quotient": 2.0,
    "function": 4.0,
    "exp": 1.0,
    "sqrt": 0.8,
    "log": 0.5,
    "negative": 0.6,
    "power": 0.7,
    "abs": 0.8,
    "maximum": 0.9,
    "clip": 0.7,
    "call": 1.4,
}
SCALAR_FORMS: dict[str, float] = {"conditional": 0.7, "reduction": 2.0, "dot": 0.7}
ARRAY_FORMS: dict[str, float] = {"where": 1.4, "product of matrices": 2.0, "along an axis": 2.0}

NAMES = ("s", "t", "u", "v", "w", "y", "z", "p", "q", "r", "h", "acc", "total", "state", "left", "right", "flow", "g")
NASTY_NAMES = (
    *(
        "x_bar",
        "t1",
        "np_",
        "result",
        "s_saved",
        "out",
        "y_bar",
        "s_bar",
        "x_dot",
        "residuals",
        "tape",
        "shadow",
        "value",
    ),
    *("forward", "backward", "grad", "x_saved", "_t", "t_1", "sum", "type", "i_saved", "numba", "f_", "_", "lambda_"),
)
INDEX_NAMES = ("i", "j", "l", "k1", "row_", "i_bar")
COUNTER_NAMES = ("k", "count", "steps", "m_", "trips")

LARGEST_VALUE = 1e3
LARGEST_GRADIENT = 1e4
LARGEST_LINE_COUNT = 6_000
LARGEST_ATTEMPT = 60


@dataclass(frozen=True, slots=True)
class RandomProgram:
    """A program of one seed: module text with a function `f`, its arguments, and the positions of the active ones.

    `constructs` names what the text contains, as counted by the self-test.
    """

    seed: int
    source: str
    arguments: tuple[Any, ...]
    wrt: tuple[int, ...]
    constructs: tuple[str, ...] = ()

    def make_args(self) -> tuple[Any, ...]:
        """Fresh copies of the arguments: programs may change them in place."""
        return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in self.arguments)


class FiniteDifferences(NamedTuple):
    """Central differences by argument. `spread` compares steps and sides: above 1e-4 there is a kink or a jump."""

    value: float
    gradients: tuple[Any, ...]
    spread: float


class InvalidProgramError(Exception):
    """An attempt that cannot be used: it raises, runs for too long, is not finite, or lies on a kink."""


def generate(seed: int, size: float = 1.0, weights: dict[str, float] | None = None) -> RandomProgram:
    """The program of `seed`: it runs in plain NumPy without exception or warning, and is finite and smooth there.

    `size` scales the number of statements; `weights` replaces entries of WEIGHTS.
    """

    def attempt(draw: random.Random) -> RandomProgram:
        return Attempt(draw, size, WEIGHTS | (weights or {})).program(seed)

    return first_valid(f"pullback/{seed}", attempt, check_validity)


def first_valid(
    name: str, attempt: Callable[[random.Random], RandomProgram], check: Callable[[RandomProgram], None]
) -> RandomProgram:
    """The first attempt that passes the check; what is drawn depends on the name alone."""
    for number in range(LARGEST_ATTEMPT):
        # A string is hashed by random.Random itself, with SHA-512: the same under every PYTHONHASHSEED.
        program = attempt(random.Random(f"{name}/{number}"))
        try:
            check(program)
        except InvalidProgramError:
            continue
        return program
    raise AssertionError(f"no valid program of {name} in {LARGEST_ATTEMPT} attempts")


def load(program: RandomProgram) -> Callable[..., Any]:
    """The function `f` of the program, as if imported: its source is registered, so that inspect.getsource finds it."""
    digest = zlib.crc32(program.source.encode())
    module = types.ModuleType(f"random_program_{program.seed}_{digest:08x}")
    filename = f"<{module.__name__}>"
    module.__file__ = filename
    cells.remember(program.source, filename)
    # inspect and pickle look a function's module up by its name.
    sys.modules[module.__name__] = module
    exec(compile(program.source, filename, "exec"), module.__dict__)
    function: Callable[..., Any] = module.f
    return function


def unload(function: Callable[..., Any]) -> None:
    """Forget a loaded program; a campaign of many thousands would keep them all."""
    linecache.cache.pop(function.__code__.co_filename, None)
    sys.modules.pop(function.__module__, None)


def finite_difference_gradient(program: RandomProgram, steps: Sequence[float] = (1e-5, 1e-6)) -> FiniteDifferences:
    """Central differences at the smallest step, and how far steps and sides disagree, relative to each component."""
    function = load(program)
    try:
        value = float(function(*program.make_args()))
        tables: list[list[float]] = [[] for _ in steps]
        sides: list[float] = []
        gradients = []
        for position in program.wrt:
            columns: list[list[float]] = [[] for _ in steps]
            for index in range(np.size(program.arguments[position])):
                for column, step in zip(columns, steps, strict=True):
                    above = float(function(*shifted(program, position, index, step)))
                    below = float(function(*shifted(program, position, index, -step)))
                    column.append((above - below) / (2 * step))
                sides.append((above - 2 * value + below) / step)
            for table, column in zip(tables, columns, strict=True):
                table.extend(column)
            gradients.append(np.reshape(columns[-1], np.shape(program.arguments[position])))
    finally:
        unload(function)
    central = np.array(tables)
    disagreement = np.maximum(np.ptp(central, axis=0), np.abs(sides)) / (1.0 + np.abs(central[-1]))
    spread = disagreement.max(initial=0.0)
    return FiniteDifferences(value, tuple(gradients), float(spread))


def shifted(program: RandomProgram, position: int, index: int, step: float) -> tuple[Any, ...]:
    """Fresh arguments with one component moved by `step`."""
    arguments = list(program.make_args())
    if isinstance(arguments[position], np.ndarray):
        arguments[position].flat[index] += step
    else:
        arguments[position] += step
    return tuple(arguments)


def check_validity(program: RandomProgram) -> FiniteDifferences:
    """The program's finite differences. Raises InvalidProgramError if it cannot serve as a test."""
    check_run(program)
    with np.errstate(all="raise", under="ignore"):
        try:
            differences = finite_difference_gradient(program)
        except (ArithmeticError, ValueError, TypeError, LookupError) as error:
            raise InvalidProgramError(str(error)) from error
    largest = max((float(np.abs(each).max()) for each in differences.gradients), default=0.0)
    if not 1e-6 < largest < LARGEST_GRADIENT:
        raise InvalidProgramError("gradient without use")
    if not differences.spread < 1e-4:
        raise InvalidProgramError("kink or jump")
    return differences


def check_run(program: RandomProgram) -> float:
    """The value of one run. Raises InvalidProgramError: an exception, a warning, too many lines, or a large result."""
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        try:
            function = load(program)
            arguments = program.make_args()
            try:
                with line_limit(function.__code__.co_filename, LARGEST_LINE_COUNT):
                    value = float(function(*arguments))
            finally:
                unload(function)
        except Exception as error:
            raise InvalidProgramError(f"{type(error).__name__}: {error}") from error
    for each in (value, *arguments):
        if not np.all(np.abs(each) < LARGEST_VALUE):
            raise InvalidProgramError("large or not finite")
    return value


@contextmanager
def line_limit(filename: str, limit: int) -> Iterator[None]:
    """Raise TimeoutError after `limit` lines of a file: a time limit that is the same on every machine."""
    count = 0

    def trace_line(_frame: types.FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        if count > limit:
            raise TimeoutError(f"more than {limit} lines")
        return trace_line

    def trace_call(frame: types.FrameType, _event: str, _argument: Any) -> Any:
        return trace_line if frame.f_code.co_filename == filename else None

    previous = sys.gettrace()
    sys.settrace(trace_call)
    try:
        yield
    finally:
        sys.settrace(previous)


class Text(NamedTuple):
    """An expression's text and how tightly it binds, so that brackets are written only where they are needed."""

    text: str
    level: int


TERNARY, OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, POWER, ATOM = range(10)


def within(expression: Text, level: int) -> str:
    return expression.text if expression.level >= level else f"({expression.text})"


def atom(text: str) -> Text:
    return Text(text, ATOM)


def binary(left: Text, operator: str, right: Text) -> Text:
    level = SUM if operator in "+-" else PRODUCT
    return Text(f"{within(left, level)} {operator} {within(right, level + 1)}", level)


def negated(operand: Text) -> Text:
    return Text(f"-{within(operand, POWER)}", UNARY)


def call(function: str, *operands: Text | str) -> Text:
    return atom(f"{function}({', '.join(each if isinstance(each, str) else each.text for each in operands)})")


@dataclass(slots=True, eq=False)
class Variable:
    """A name in scope. Shapes are exact; an integer lies in low..high (high None: no upper limit).

    frozen: its elements are not written. fixed: the name is not bound again. length: of a list, None if it varies.
    """

    name: str
    kind: str
    shape: Shape = ()
    low: int = 0
    high: int | None = None
    frozen: bool = False
    fixed: bool = False
    length: int | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Helper:
    """A function that the program may call. `results` are the shapes it returns; () alone is a scalar."""

    name: str
    parameters: tuple[Variable, ...]
    results: tuple[Shape, ...]
    pure: bool
    keywords: tuple[str, ...] = ()
    steps: str = ""


@dataclass(slots=True)
class Loop:
    trips: int
    is_while: bool = False
    broken: bool = False


def slices_of(length: int, wanted: int | None = None) -> list[tuple[str, int]]:
    """Texts of slices of an axis, each with the number of elements it selects, which is at least one."""
    found = []
    for step in (None, 2, -1, -2):
        for start in (None, 0, 1, 2, length - 1, -2):
            for stop in (None, 1, 2, 3, length - 1, -1):
                count = len(range(*slice(start, stop, step).indices(length)))
                if count and (start, stop, step) != (None, None, None) and wanted in (None, count):
                    text = f"{'' if start is None else start}:{'' if stop is None else stop}"
                    found.append((text + ("" if step is None else f":{step}"), count))
    return found


class Attempt:
    """One attempt at a program: the helpers, then `f`, then values for its arguments."""

    def __init__(self, rng: random.Random, size: float, weights: dict[str, float]) -> None:
        self.rng = rng
        self.size = size
        self.weights = weights
        self.nasty = rng.random() < NASTY_NAME_SHARE
        self.helpers: list[Helper] = []
        self.constructs: set[str] = {"unusual names"} if self.nasty else set()
        self.constants: list[Variable] = []
        self.length = rng.randint(3, 6)

    def program(self, seed: int) -> RandomProgram:
        lines = ["import numpy as np", ""]
        lines += self.module_constants()
        for kind, share in HELPER_WEIGHTS.items():
            if self.rng.random() < share:
                lines += ["", *self.helper(kind), ""]
        parameters = self.parameters()
        writer = FunctionWriter(self, parameters, results=((),))
        budget = max(2, round(self.size * self.rng.randint(7, 17)))
        lines += ["", f"def f({', '.join(each.name for each in parameters)}):", *writer.main_body(budget), ""]
        arguments = tuple(self.argument(each) for each in parameters)
        wrt = tuple(position for position, each in enumerate(parameters) if each.kind != "integer")
        if len(wrt) > 1 and self.rng.random() < 0.15:
            wrt = tuple(sorted(self.rng.sample(wrt, len(wrt) - 1)))
        return RandomProgram(seed, "\n".join(lines), arguments, wrt, tuple(sorted(self.constructs)))

    def note(self, construct: str) -> None:
        self.constructs.add(construct)

    def number(self, low: float = -1.5, high: float = 1.5) -> float:
        return round(self.rng.uniform(low, high), 2)

    def module_constants(self) -> list[str]:
        lines = []
        if self.rng.random() < 0.15:
            self.note("captured scalar")
            self.constants.append(Variable("SCALE", "scalar", fixed=True))
            lines.append(f"SCALE = {self.number(0.3, 1.2)}")
        if self.rng.random() < 0.12:
            self.note("captured array")
            self.constants.append(Variable("TABLE", "array", (self.length,), frozen=True, fixed=True))
            lines.append(f"TABLE = np.array([{', '.join(str(self.number()) for _ in range(self.length))}])")
        return [*lines, ""] if lines else []

    def parameters(self) -> list[Variable]:
        """x first, then any of: a second vector, a matrix, scalars, n = x.shape[0]."""
        rng = self.rng
        found = [Variable("y_bar" if self.nasty and rng.random() < 0.3 else "x", "array", (self.length,))]
        if rng.random() < 0.4:
            found.append(Variable("b", "array", (self.length if rng.random() < 0.75 else rng.randint(3, 6),)))
        if rng.random() < 0.7:
            self.note("2-d array")
            found.append(Variable("m", "array", (3, 4)))
        if rng.random() < 0.75:
            found.append(Variable("a", "scalar"))
        if rng.random() < 0.25:
            found.append(Variable("c", "scalar"))
        if rng.random() < 0.5:
            self.note("int argument")
            found.append(Variable("n", "integer", low=self.length, high=self.length, fixed=True))
        return found

    def argument(self, parameter: Variable) -> Any:
        if parameter.kind == "integer":
            return parameter.low
        if parameter.kind == "scalar":
            return self.rng.uniform(-1.5, 1.5)
        count = int(np.prod(parameter.shape))
        return np.array([self.rng.uniform(-1.5, 1.5) for _ in range(count)]).reshape(parameter.shape)

    def helper(self, kind: str) -> list[str]:
        """The lines of one helper; it is entered in `helpers` once written, so that later ones may call it."""
        rng = self.rng
        vector = Variable("v", "array", (self.length,), frozen=kind != "mutating")
        scalars = [Variable("p", "scalar"), Variable("q", "scalar")]
        match kind:
            case "pure":
                parameters = scalars[: rng.randint(1, 2)] if rng.random() < 0.5 else [vector, scalars[0]]
                return self.written("smooth", parameters, ((),), pure=True)
            case "vector":
                parameters = [vector, *scalars[: rng.randint(0, 1)]]
                return self.written("spread", parameters, ((self.length,),), pure=True)
            case "mutating":
                if rng.random() < 0.5:
                    vector.shape = (self.length - 1,)
                results: tuple[Shape, ...] = rng.choice([(), ((),), ((),), (vector.shape,)])
                return self.written("advance", [vector, *scalars[: rng.randint(0, 1)]], results, pure=False)
            case "pair":
                results = rng.choice([((), ()), ((self.length,), ())])
                parameters = scalars if len(results[0]) == 0 else [vector, scalars[0]]
                return self.written("both", parameters, results, pure=True)
            case "keyword":
                keywords = ("scale", "shift")[: rng.randint(1, 2)]
                defaults = [Variable(each, "scalar") for each in keywords]
                return self.written("tuned", [scalars[0], *defaults], ((),), pure=True, keywords=keywords)
            case _:
                self.helpers.append(Helper("again", (Variable("p", "scalar"),), ((),), pure=True, steps="steps"))
                writer = FunctionWriter(self, [Variable("p", "scalar")], results=((),))
                inner = writer.damped(writer.expression((), 2), 1.0)
                base = writer.damped(writer.expression((), 1), 1.0)
                factor, share = self.number(0.3, 0.9), self.number(0.2, 0.8)
                return [
                    "def again(p, steps):",
                    "    if steps <= 0:",
                    f"        return {base.text}",
                    f"    return {factor} * again({inner.text}, steps - 1) + {share} * p",
                ]

    def written(
        self,
        name: str,
        parameters: list[Variable],
        results: tuple[Shape, ...],
        *,
        pure: bool,
        keywords: tuple[str, ...] = (),
    ) -> list[str]:
        helper = Helper(name, tuple(parameters), results, pure, keywords)
        writer = FunctionWriter(
            self, [Variable(each.name, each.kind, each.shape, frozen=each.frozen) for each in parameters], results
        )
        header = [f"{each.name}={self.number(0.3, 1.2)}" if each.name in keywords else each.name for each in parameters]
        body = writer.helper_body(self.rng.randint(0, 3), pure=pure)
        self.helpers.append(helper)
        return [f"def {name}({', '.join(header)}):", *body]


class FunctionWriter:
    """Writes the body of one function, statement by statement, with every name's kind and shape at hand."""

    def __init__(self, attempt: Attempt, parameters: Sequence[Variable], results: tuple[Shape, ...]) -> None:
        self.attempt = attempt
        self.rng = attempt.rng
        self.number = attempt.number
        self.variables: list[Variable] = [*attempt.constants, *parameters]
        self.parameters = tuple(parameters)
        self.names = {each.name for each in self.variables} | {each.name for each in attempt.helpers} | {"n", "f", "np"}
        self.retired: list[Variable] = []
        self.views: set[str] = set()
        self.locals: list[Helper] = []
        self.results = results
        self.lines: list[str] = []
        self.depth = 0
        self.loops: list[Loop] = []
        self.budget = 0
        self.is_main = False

    # Bodies

    def main_body(self, budget: int) -> list[str]:
        self.is_main = True
        self.budget = budget
        if self.chance(0.1):
            self.emit('"""A random program."""')
        while self.budget > 0:
            self.statement()
        self.emit(f"return {self.summary().text}")
        return self.lines

    def helper_body(self, budget: int, *, pure: bool) -> list[str]:
        self.budget = budget
        if not pure:
            vector = next(each for each in self.variables if each.kind == "array" and not each.frozen)
            self.write_to(vector)
        while self.budget > 0:
            self.statement()
        if self.results:
            self.emit(f"return {self.result().text}")
        return self.lines

    def summary(self) -> Text:
        """A sum over most of what is in scope: most values influence the result."""
        terms: list[Text] = []
        for each in self.variables:
            if each.kind == "scalar" and self.chance(0.8):
                terms.append(self.scaled(atom(each.name)))
            elif each.kind == "array" and self.chance(0.85):
                terms.append(self.scaled(self.reduction(each)))
            elif each.kind == "list" and self.chance(0.8):
                terms.append(call("np.sum", call("np.array", each.name)))
        if not terms:
            terms.append(self.expression((), 2))
        total = terms[0]
        for term in terms[1:]:
            total = binary(total, self.rng.choice("+++-"), term)
        return total

    def scaled(self, term: Text) -> Text:
        return binary(atom(str(self.number(0.2, 1.4))), "*", term) if self.chance(0.4) else term

    def result(self) -> Text:
        """What a `return` of this function gives, by the shapes it promised."""
        if self.is_main:
            return self.damped(self.expression((), 2), 0.5)
        texts = []
        for shape in self.results:
            owned = [each for each in self.arrays(shape) if each.name not in ("TABLE",)]
            if shape and owned and self.chance(0.5):
                self.note("helper returns an argument or local array")
                texts.append(atom(self.pick(owned).name))
            else:
                texts.append(self.damped(self.expression(shape, 2), 0.6))
        if len(texts) == 1:
            return texts[0]
        return Text(", ".join(within(each, TERNARY) for each in texts), TERNARY)

    # Lines and names

    def note(self, construct: str) -> None:
        self.attempt.note(construct)

    def emit(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, variables: Sequence[Variable]) -> Variable:
        """One of them, the later the likelier: programs read what they just computed."""
        return max(self.rng.choice(variables), self.rng.choice(variables), key=self.variables.index)

    def of_kind(self, *kinds: str) -> list[Variable]:
        return [each for each in self.variables if each.kind in kinds]

    def arrays(self, shape: Shape) -> list[Variable]:
        return [each for each in self.variables if each.kind == "array" and each.shape == shape]

    def writable(self, dimensions: int) -> list[Variable]:
        """Arrays whose elements may be written; arguments less often, so that both cases are common."""
        found = [
            each
            for each in self.variables
            if each.kind == "array" and len(each.shape) == dimensions and not each.frozen
        ]
        own = [each for each in found if each not in self.parameters]
        return own if own and self.chance(0.6) else found

    def fresh_name(self, kind: str, shape: Shape = (), pool: Sequence[str] = ()) -> str:
        visible = {each.name for each in self.variables}
        again = [
            each for each in self.retired if each.kind == kind and each.shape == shape and each.name not in visible
        ]
        if again and kind in ("scalar", "array") and self.chance(0.4):
            self.note("name of an inner block used again")
            return self.rng.choice(again).name
        choices = [each for each in pool or NAMES if each not in self.names]
        if self.attempt.nasty and not pool and self.chance(0.6):
            choices = [each for each in NASTY_NAMES if each not in self.names] or choices
        name = self.rng.choice(choices) if choices else f"{(pool or NAMES)[0]}{len(self.names)}"
        self.names.add(name)
        return name

    def declare(self, variable: Variable) -> Variable:
        variable.depth = self.depth
        self.variables = [each for each in self.variables if each.name != variable.name] + [variable]
        return variable

    @contextmanager
    def block(self) -> Iterator[None]:
        """Indented lines; names first bound inside are not used after it."""
        outer = list(self.variables)
        functions = list(self.locals)
        self.depth += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.emit("pass")
        self.depth -= 1
        self.retired += [each for each in self.variables if each not in outer]
        self.variables, self.locals = outer, functions

    def body(self, limit: int) -> None:
        """A few statements, at least one."""
        for _ in range(self.rng.randint(1, limit)):
            self.statement(inner=True)

    # Statements

    def statement(self, *, inner: bool = False) -> None:
        self.budget -= 1
        weights = self.attempt.weights
        blocks = self.depth < 3 and (self.budget > 0 or not inner)
        for _ in range(20):
            kinds = list(weights)
            kind = self.rng.choices(kinds, [weights[each] for each in kinds])[0]
            if kind in ("for_loop", "while_loop", "branch", "assign_in_both_branches") and not blocks:
                continue
            constructs = set(self.attempt.constructs)
            if getattr(self, kind)() is not False:
                return
            self.attempt.constructs = constructs
        self.new_scalar()

    def new_scalar(self) -> None:
        value = self.damped(self.expression((), 2), 0.4)
        self.assign_new("scalar", (), value)

    def assign_new(self, kind: str, shape: Shape, value: Text) -> Variable:
        name = self.fresh_name(kind, shape)
        self.emit(f"{name} = {value.text}")
        return self.declare(Variable(name, kind, shape))

    def set_scalar(self) -> bool | None:
        found = [each for each in self.of_kind("scalar") if not each.fixed]
        if not found:
            return False
        target = self.pick(found)
        if self.chance(0.5):
            mixed = binary(
                binary(atom(str(self.number(0.3, 0.7))), "*", atom(target.name)),
                "+",
                self.damped(self.expression((), 2), 0.9),
            )
            self.emit(f"{target.name} = {mixed.text}")
        else:
            self.emit(f"{target.name} = {self.damped(self.expression((), 2)).text}")
        self.note("scalar overwritten")
        return None

    def augmented(self, target: str, shape: Shape) -> None:
        """`target op= value` with a value that keeps the target bounded."""
        operator = self.rng.choices("+-*/", [5, 2, 3, 2])[0]
        value = self.operand(shape, 2)
        if operator in "+-":
            value = self.damped(value)
        elif operator == "*":
            if self.loops or self.chance(0.5):
                bounded = call(self.rng.choice(["np.sin", "np.cos", "np.tanh"]), value)
                value = binary(
                    atom(str(self.number(0.4, 0.8))), "+", binary(atom(str(self.number(0.2, 0.4))), "*", bounded)
                )
        else:
            value = self.denominator(value)
        self.note(f"{operator}=")
        self.emit(f"{target} {operator}= {value.text}")

    def augment_scalar(self) -> bool | None:
        found = [each for each in self.of_kind("scalar") if not each.fixed]
        if not found:
            return False
        self.note("augmented name")
        self.augmented(self.pick(found).name, ())
        return None

    def new_array(self) -> None:
        """A fresh array: a copy, a buffer of zeros, or an expression."""
        shape = self.any_shape()
        same = self.arrays(shape)
        forms = ["expression", "expression", "array literal"]
        if same:
            forms += ["copy", "times one", "zeros_like"] * 2
        if shape == (self.attempt.length,):
            forms += ["zeros", "zeros"]
        form = self.rng.choice(forms)
        if form == "array literal" and len(shape) == 2:
            form = "expression"
        match form:
            case "copy":
                value = atom(self.rng.choice(["{}.copy()", "np.copy({})", "{}[:].copy()"]).format(self.pick(same).name))
            case "times one":
                value = binary(atom(self.pick(same).name), "*", atom("1.0"))
            case "zeros_like":
                value = call(self.rng.choice(["np.zeros_like", "np.zeros_like", "np.ones_like"]), self.pick(same).name)
            case "zeros":
                value = call(self.rng.choice(["np.zeros", "np.zeros", "np.ones"]), self.size_text(shape[0]))
            case "array literal":
                elements = [self.expression((), 1).text for _ in range(shape[0])]
                value = atom(f"np.array([{', '.join(elements)}])")
            case _:
                value = self.damped(self.expression(shape, 2), 0.4)
        self.note(f"fresh array: {form}")
        if value.level == ATOM and value.text in self.names:
            self.note("alias")
        new = self.assign_new("array", shape, value)
        if form in ("zeros", "zeros_like") and self.chance(0.5) and self.depth < 3:
            self.fill(new)

    def fill(self, target: Variable) -> None:
        """for i in range(n): y[i] = ... over a fresh buffer."""
        with self.for_header(target.shape[0], "range"):
            index = self.variables[-1].name
            if len(target.shape) == 2:
                self.note("row write")
            value = self.damped(self.expression(target.shape[1:], 2), 0.6)
            self.emit(f"{target.name}[{index}] = {value.text}")
            if self.chance(0.4):
                self.statement(inner=True)
        self.note("buffer filled by a loop")

    def set_array(self) -> bool | None:
        """`y = expression` for a bound y; outside loops and branches sometimes with a new shape or kind."""
        found = [each for each in self.of_kind("array") if not each.fixed]
        if not found:
            return False
        target = self.pick(found)
        if self.depth == 0 and not self.locals and len(target.shape) == 1 and target.shape[0] > 3 and self.chance(0.45):
            self.note("variable changes shape")
            text, count = self.rng.choice(slices_of(target.shape[0]))
            if count >= 2:
                self.emit(f"{target.name} = {target.name}[{text}] * {self.number(0.5, 1.3)}")
                self.declare(Variable(target.name, "array", (count,)))
                return None
        if self.depth == 0 and not self.locals and self.chance(0.3) and target.name not in ("x", "y_bar"):
            self.note("variable changes kind")
            self.emit(f"{target.name} = {self.reduction(target).text}")
            self.declare(Variable(target.name, "scalar"))
            return None
        self.note("array rebound")
        self.emit(f"{target.name} = {self.damped(self.expression(target.shape, 2)).text}")
        return None

    def augment_array(self) -> bool | None:
        found = self.writable(self.rng.choice([1, 1, 2]))
        if not found:
            return False
        target = self.pick(found)
        self.note("augmented array")
        self.augmented(target.name, target.shape)
        return None

    def write_to(self, target: Variable) -> None:
        if len(target.shape) == 2:
            self.write_place(target.name, *self.matrix_place(target.shape))
        elif self.chance(0.5):
            self.write_place(target.name, f"[{self.index(target.shape[0])}]", ())
        else:
            text, count = self.slice(target.shape[0])
            self.write_place(target.name, f"[{text}]", (count,))

    def write_place(self, name: str, place: str, shape: Shape) -> None:
        """`name[place] = value`, `op= value`, or broadcast of a smaller value."""
        kind = ("element", "slice", "block")[len(shape)]
        if self.chance(0.4):
            self.note(f"augmented {kind}")
            self.augmented(name + place, shape)
            return
        self.note(f"{kind} write")
        value = self.expression((), 2) if shape and self.chance(0.25) else self.expression(shape, 2)
        self.emit(f"{name}{place} = {self.damped(value, 0.7).text}")

    def write_element(self) -> bool | None:
        found = self.writable(1)
        if not found:
            return False
        target = self.pick(found)
        if "-" in (index := self.index(target.shape[0])):
            self.note("negative index write")
        self.write_place(target.name, f"[{index}]", ())
        return None

    def write_slice(self) -> bool | None:
        found = self.writable(1)
        if not found:
            return False
        target = self.pick(found)
        if self.chance(0.12):
            self.write_place(target.name, self.rng.choice(["[:]", "[:]", "[...]"]), target.shape)
            self.note("full slice write")
            return None
        text, count = self.slice(target.shape[0])
        self.write_place(target.name, f"[{text}]", (count,))
        return None

    def write_matrix(self) -> bool | None:
        found = self.writable(2)
        if not found:
            return False
        target = self.pick(found)
        self.write_place(target.name, *self.matrix_place(target.shape))
        return None

    def matrix_place(self, shape: Shape) -> tuple[str, Shape]:
        """The subscript of a part of a 2-d array, and the part's shape."""
        rows, columns = shape
        match self.rng.randint(0, 6):
            case 0 | 1:
                self.note("2-d element")
                return f"[{self.index(rows)}, {self.index(columns)}]", ()
            case 2:
                self.note("row write")
                return f"[{self.index(rows)}]", (columns,)
            case 3:
                text, count = self.slice(columns)
                self.note("part of a row")
                return f"[{self.index(rows)}, {text}]", (count,)
            case 4:
                self.note("column")
                return f"[:, {self.index(columns)}]", (rows,)
            case 5:
                self.note("chained subscript")
                return f"[{self.index(rows)}][{self.index(columns)}]", ()
            case _:
                self.note("2-d block")
                first, high = self.slice(rows)
                second, wide = self.slice(columns)
                return f"[{first}, {second}]", (high, wide)

    def write_overlap(self) -> bool | None:
        """y[1:] = y[:-1] * y[1:] and the like: the right side reads what the left side writes."""
        found = self.writable(1)
        if not found:
            return False
        target = self.pick(found)
        name, length = target.name, target.shape[0]
        choices = [
            ("1:", ":-1"),
            (":-1", "1:"),
            (":", "::-1"),
            ("::-1", ":"),
            ("1:-1", "2:"),
            ("1:-1", ":-2"),
            ("2:", ":-2"),
        ]
        left, right = self.rng.choice(choices)
        self.note("overlapping slices")
        source = f"{name}[{right}]"
        factor = self.number(0.4, 0.9)
        count = len(range(length)[slice(*(int(each) if each else None for each in left.split(":")))])
        match self.rng.randint(0, 4):
            case 0:
                self.emit(f"{name}[{left}] = {source}")
            case 1:
                self.emit(f"{name}[{left}] = {source} * {name}[{left}]")
            case 2:
                operator = self.rng.choice(["+=", "-=", "*="])
                self.note(operator)
                self.note("augmented slice")
                self.emit(f"{name}[{left}] {operator} {factor} * {source}")
            case 3:
                self.emit(f"{name}[{left}] = {factor} * ({source} + {self.operand((count,), 1).text})")
            case _:
                self.emit(f"{name}[{left}] = np.tanh({source} - {factor} * {name}[{left}])")
        return None

    def write_masked(self) -> bool | None:
        found = self.writable(1)
        if not found:
            return False
        target = self.pick(found)
        others = [each for each in self.arrays(target.shape) if each is not target]
        tested = self.pick(others) if others and self.chance(0.3) else target
        mask = Text(f"{tested.name} {self.rng.choice('<>')} {self.number(-0.8, 0.8)}", COMPARISON)
        if self.chance(0.3):
            self.note("mask variable")
            name = self.fresh_name("mask", target.shape, ("mask", "chosen", "inside"))
            if self.chance(0.5):
                mask = Text(
                    f"({mask.text}) & ({tested.name} {self.rng.choice('<>')} {self.number(-1.2, 1.2)})", COMPARISON
                )
            self.emit(f"{name} = {mask.text}")
            mask = atom(name)
        self.note("boolean mask write")
        match self.rng.randint(0, 3):
            case 0:
                self.emit(f"{target.name}[{mask.text}] = {self.number()}")
            case 1:
                self.emit(f"{target.name}[{mask.text}] = {self.damped(self.expression((), 1)).text}")
            case 2:
                self.emit(f"{target.name}[{mask.text}] *= {self.damped(self.expression((), 1)).text}")
            case _:
                self.emit(f"{target.name}[{mask.text}] = {self.number(0.3, 0.9)} * {tested.name}[{mask.text}]")
        return None

    def write_indexed(self) -> bool | None:
        """Through an array of indices: reads and writes, with repetitions (where `+=` counts once, as in NumPy)."""
        found = self.writable(1)
        if not found:
            return False
        target = self.pick(found)
        length = target.shape[0]
        known = [each for each in self.of_kind("index") if each.high is not None and each.high < length]
        if known and self.chance(0.5):
            places = self.pick(known)
        else:
            count = self.rng.randint(2, 4)
            values = [self.rng.randrange(min(3, length)) for _ in range(count)]
            name = self.fresh_name("index", (count,), ("idx", "order", "where_"))
            self.emit(f"{name} = np.array([{', '.join(map(str, values))}])")
            places = self.declare(Variable(name, "index", (count,), high=max(values)))
            self.note("index array")
        match self.rng.randint(0, 3):
            case 0:
                self.note("index array write")
                self.emit(f"{target.name}[{places.name}] = {self.damped(self.expression(places.shape, 1)).text}")
            case 1:
                self.note("augmented index array")
                self.augmented(f"{target.name}[{places.name}]", places.shape)
            case _:
                self.note("index array read")
                self.assign_new(
                    "array",
                    places.shape,
                    self.damped(binary(atom(f"{target.name}[{places.name}]"), "*", self.operand(places.shape, 1)), 0.4),
                )
        return None

    def alias(self) -> bool | None:
        """z = y, usually followed by a write through one of them."""
        found = self.of_kind("array")
        if not found:
            return False
        source = self.pick(found)
        same = [
            each
            for each in self.arrays(source.shape)
            if each is not source and not each.fixed and each not in self.parameters
        ]
        # Binding an existing name in a branch or loop makes an alias that depends on the path taken.
        if same and (self.depth == 0 or self.chance(0.5)) and self.chance(0.7):
            target = self.pick(same)
            target.frozen = target.frozen or source.frozen
            self.emit(f"{target.name} = {source.name}")
            self.note("alias under a bound name")
        else:
            target = self.assign_new("array", source.shape, atom(source.name))
            target.frozen = source.frozen
        self.note("alias")
        if not target.frozen and self.chance(0.8):
            self.write_to(target if self.chance(0.65) else source)
            self.note("write through an alias")
        return None

    def view(self) -> bool | None:
        found = self.of_kind("array")
        if not found:
            return False
        matrices = [each for each in found if len(each.shape) == 2]
        source = self.pick(matrices if matrices and self.chance(0.5) else found)
        if source.name in self.views:
            self.note("view of a view")
        shape: Shape
        if len(source.shape) == 1:
            text, count = self.slice(source.shape[0])
            place, shape, kind = f"[{text}]", (count,), "view: slice"
        else:
            rows, columns = source.shape
            first, high = self.slice(rows)
            second, wide = self.slice(columns)
            place, shape, kind = self.rng.choice(
                [
                    (f"[{self.index(rows)}]", (columns,), "view: row"),
                    (f"[{self.index(rows)}]", (columns,), "view: row"),
                    (f"[:, {self.index(columns)}]", (rows,), "view: column"),
                    (".T", (columns, rows), "view: transpose"),
                    (".T", (columns, rows), "view: transpose"),
                    (f"[:, {self.index(columns)}]", (rows,), "view: column"),
                    (f"[{first}, {second}]", (high, wide), "view: block"),
                ]
            )
        self.note(kind)
        target = self.assign_new("array", shape, atom(source.name + place))
        target.frozen = source.frozen
        self.views.add(target.name)
        if not target.frozen and self.chance(0.75):
            self.note("write through a view")
            if self.chance(0.4):
                self.note("augmented array")
                self.augmented(target.name, target.shape)
            else:
                self.write_to(target)
            if self.chance(0.2):
                self.write_to(source)
        return None

    def swap_names(self) -> bool | None:
        shape = self.rng.choice([(), *[(self.attempt.length,)] * 2])
        kind = "array" if shape else "scalar"
        found = [each for each in self.variables if (each.kind, each.shape) == (kind, shape) and not each.fixed]
        if len(found) < 2:
            return False
        first, second = self.rng.sample(found, 2)
        if first.frozen != second.frozen:
            return False
        self.note(f"swap of {kind} names" + (" in a loop" if self.loops else ""))
        self.note("swap of names" + (" in a loop" if self.loops else ""))
        self.emit(f"{first.name}, {second.name} = {second.name}, {first.name}")
        return None

    def swap_elements(self) -> bool | None:
        found = self.writable(1)
        if not found:
            return False
        target = self.pick(found)
        name, length = target.name, target.shape[0]
        first, second = self.index(length), self.index(length)
        if first == second:
            return False
        self.note("swap of elements")
        self.emit(f"{name}[{first}], {name}[{second}] = {name}[{second}], {name}[{first}]")
        return None

    def unpack(self) -> None:
        self.note("tuple unpacking")
        values = [self.damped(self.expression((), 2), 0.4) for _ in range(3)]
        match self.rng.randint(0, 3):
            case 0 | 1:
                names = [self.fresh_name("scalar") for _ in range(2)]
                self.emit(f"{names[0]}, {names[1]} = {values[0].text}, {values[1].text}")
            case 2:
                names = [self.fresh_name("scalar") for _ in range(3)]
                self.emit(
                    f"({names[0]}, {names[1]}), {names[2]} = ({values[0].text}, {values[1].text}), {values[2].text}"
                )
            case _:
                pair = self.fresh_name("tuple", (), ("pair", "both_", "point"))
                names = [self.fresh_name("scalar") for _ in range(2)]
                self.emit(f"{pair} = ({values[0].text}, {values[1].text})")
                self.emit(f"{names[0]} = {pair}[0] * {self.number(0.4, 0.9)}")
                self.emit(f"{names[1]} = {pair}[1] - {pair}[0]")
                self.note("tuple variable")
        for name in dict.fromkeys(names):
            self.declare(Variable(name, "scalar"))

    def chained_assignment(self) -> None:
        self.note("chained assignment")
        shape = self.rng.choice([(), (), (self.attempt.length,)])
        kind = "array" if shape else "scalar"
        value = self.damped(self.expression(shape, 2), 0.4)
        first, second = self.fresh_name(kind, shape), self.fresh_name(kind, shape)
        if first == second:
            second = self.rng.choice([each for each in NAMES if each not in self.names] or ["another"])
            self.names.add(second)
        self.emit(f"{first} = {second} = {value.text}")
        self.declare(Variable(first, kind, shape))
        self.declare(Variable(second, kind, shape))

    # Loops and branches

    def trips(self) -> int:
        total = 1
        for each in self.loops:
            total *= each.trips
        return total

    @contextmanager
    def looping(self, trips: int, *, is_while: bool = False) -> Iterator[Loop]:
        loop = Loop(trips, is_while)
        self.loops.append(loop)
        if len(self.loops) > 1:
            self.note("nested loops")
        with self.block():
            yield loop
        self.loops.pop()

    @contextmanager
    def for_header(self, length: int, form: str = "") -> Iterator[Loop]:
        """The `for` line over at most `length` indices, and its block; the loop's names come last in scope."""
        visible = {each.name for each in self.variables}
        free = [each for each in INDEX_NAMES[: 6 if self.attempt.nasty else 3] if each not in visible]
        name = self.rng.choice(free or ["inner_index"])
        form = form or self.rng.choice(["range", "range", "constant", "bounds", "step", "down", "reversed"])
        self.note(f"for over range: {form}")
        low, high = 0, length - 1
        match form:
            case "range":
                header = f"range({self.size_text(length)})"
            case "constant":
                header, high = (f"range({(count := self.rng.randint(1, 4))})", count - 1)
            case "bounds":
                low = 1
                high, stop = self.rng.choice(
                    [(length - 1, self.size_text(length)), (length - 2, f"{self.size_text(length)} - 1")]
                )
                header = f"range(1, {stop})"
            case "step":
                low = self.rng.randint(0, 1)
                header = f"range({low}, {self.size_text(length)}, 2)"
            case "down":
                low = self.rng.randint(0, 1)
                header = f"range({self.size_text(length)} - 1, {low - 1}, {self.rng.choice([-1, -1, -2])})"
            case _:
                header = f"reversed(range({self.size_text(length)}))"
        self.emit(f"for {name} in {header}:")
        with self.looping(high - low + 1) as loop:
            self.declare(Variable(name, "integer", low=low, high=max(low, high), fixed=True))
            yield loop

    def for_loop(self) -> bool | None:
        if self.trips() > 30 or len(self.loops) >= 3:
            return False
        names = {each.name for each in self.variables}
        vectors = [each for each in self.of_kind("array") if len(each.shape) == 1]
        matrices = [each for each in self.of_kind("array") if len(each.shape) == 2]
        form = self.rng.choices(
            ["range", "elements", "enumerate", "zip", "rows"], [7, 1.5, 1.2, 1.2, 1.8 if matrices else 0]
        )[0]
        if form == "range" or not vectors:
            with self.for_header(self.attempt.length) as loop:
                self.loop_body(loop)
            self.loop_else(loop)
            return None
        index = next((each for each in INDEX_NAMES if each not in names), None)
        if index is None:
            return False
        first, second = self.pick(vectors), self.pick(vectors)
        element = Variable(self.fresh_name("element", (), ("e", "xi", "item")), "scalar")
        other = Variable(self.fresh_name("element", (), ("d", "yi", "term")), "scalar")
        counter = Variable(index, "integer", high=first.shape[0] - 1, fixed=True)
        self.note(f"for over {form}")
        match form:
            case "elements":
                source = first.name if self.chance(0.7) else f"{first.name}[{self.slice(first.shape[0])[0]}]"
                header, bound, trips = f"{element.name} in {source}", [element], first.shape[0]
            case "enumerate":
                header, bound, trips = (
                    f"{index}, {element.name} in enumerate({first.name})",
                    [counter, element],
                    first.shape[0],
                )
            case "zip":
                header = f"{element.name}, {other.name} in zip({first.name}, {second.name})"
                bound, trips = [element, other], min(first.shape[0], second.shape[0])
            case _:
                matrix = self.pick(matrices)
                row = Variable(
                    self.fresh_name("element", (), ("row", "line")),
                    "array",
                    matrix.shape[1:],
                    frozen=matrix.frozen,
                    fixed=True,
                )
                header, bound, trips = f"{row.name} in {matrix.name}", [row], matrix.shape[0]
        self.emit(f"for {header}:")
        with self.looping(trips) as loop:
            for each in bound:
                self.declare(each)
            if form == "rows" and not matrix.frozen and self.chance(0.5):
                self.write_to(row)
                self.note("write through a view")
            else:
                self.accumulate()
            self.loop_body(loop)
        self.loop_else(loop)
        return None

    def accumulate(self) -> None:
        """A use of the loop's own names."""
        targets = [each for each in self.of_kind("scalar") if not each.fixed and each.depth < self.depth]
        if targets:
            self.augmented(self.pick(targets).name, ())
        else:
            self.statement(inner=True)

    def loop_body(self, loop: Loop) -> None:
        self.body(3 if len(self.loops) < 2 else 2)
        if self.chance(0.3):
            self.jump()
            if self.chance(0.6):
                self.statement(inner=True)

    def loop_else(self, loop: Loop) -> None:
        if self.chance(0.35 if loop.broken else 0.03):
            self.note("loop else")
            self.emit("else:")
            with self.block():
                self.body(2)

    def while_loop(self) -> bool | None:
        """Bounded by a counter of its own, ended by data."""
        if self.trips() > 30 or len(self.loops) >= 3:
            return False
        self.note("while")
        counter = self.fresh_name("counter", (), COUNTER_NAMES)
        limit = self.rng.randint(2, 7)
        self.emit(f"{counter} = 0")
        endless = self.chance(0.2)
        condition = self.comparison()
        shape = self.chance(0.7)
        if endless:
            self.note("while True")
            self.emit("while True:")
        elif shape:
            self.note("while on data")
            self.emit(f"while {within(condition, NOT)} and {counter} < {limit}:")
        else:
            self.emit(f"while {counter} < {limit}:")
        self.declare(Variable(counter, "integer", low=0, high=limit, fixed=True))
        with self.looping(limit, is_while=True) as loop:
            self.emit(f"{counter} += 1")
            if endless:
                loop.broken = True
                self.note("break")
                self.emit(f"if {counter} >= {limit} or {within(condition, AND)}:")
                with self.block():
                    self.emit("break")
            self.loop_body(loop)
        self.loop_else(loop)
        return None

    def branch(self) -> None:
        self.note("if")
        self.emit(f"if {self.condition().text}:")
        with self.block():
            self.body(3)
        if self.chance(0.25):
            self.note("elif")
            self.emit(f"elif {self.condition().text}:")
            with self.block():
                self.body(2)
        if self.chance(0.45):
            self.note("else")
            self.emit("else:")
            with self.block():
                self.body(2)

    def assign_in_both_branches(self) -> None:
        self.note("bound in both branches only")
        shape = self.rng.choice([(), (), (self.attempt.length,)])
        kind = "array" if shape else "scalar"
        name = self.fresh_name(kind, shape)
        # Inside the branches the name is not visible: an earlier one of this name must not be read as the new kind.
        self.variables = [each for each in self.variables if each.name != name]
        self.emit(f"if {self.condition().text}:")
        with self.block():
            if self.chance(0.4):
                self.body(1)
            self.emit(f"{name} = {self.damped(self.expression(shape, 2), 0.5).text}")
        self.emit("else:")
        with self.block():
            self.emit(f"{name} = {self.damped(self.expression(shape, 2), 0.5).text}")
        self.declare(Variable(name, kind, shape))

    def jump(self) -> bool | None:
        """`if condition: break | continue | return`; a return outside loops is rarer."""
        if not self.loops and not self.chance(0.12):
            return False
        kind = self.rng.choices(["break", "continue", "return"], [4, 4, 1.5])[0] if self.loops else "return"
        if kind == "return" and self.depth + 1 >= 4:
            return False
        self.note(kind if kind != "return" else "early return" + (" in a loop" if self.loops else ""))
        if kind == "break":
            self.loops[-1].broken = True
        self.emit(f"if {self.condition().text}:")
        with self.block():
            if self.chance(0.3) and self.depth < 4:
                self.augment_scalar()
            if kind != "return":
                self.emit(kind)
            elif self.results:
                self.emit(f"return {self.result().text}")
            else:
                self.emit("return")
        return None

    # Calls

    def nested_def(self) -> bool | None:
        """A function or lambda that reads names of its surroundings, called now and perhaps after they have changed."""
        read = [each for each in self.of_kind("scalar", "array") if not (each.kind == "array" and len(each.shape) == 2)]
        if not self.is_main or not read or len(self.locals) > 1:
            return False
        name = self.fresh_name("function", (), ("inner", "local_", "bend"))
        captured = self.pick(read)
        outer = self.variables
        parameter = Variable(self.rng.choice(["v", "x", "arg"]), "scalar")
        visible = [parameter] if parameter.name == captured.name else [captured, parameter]
        self.variables = visible
        value = self.damped(binary(self.expression((), 2), "*", self.leaf(())), 0.9)
        if self.chance(0.45):
            self.note("lambda")
            self.emit(f"{name} = lambda {parameter.name}: {value.text}")
        else:
            self.note("nested def")
            self.emit(f"def {name}({parameter.name}):")
            with self.block():
                if self.chance(0.4):
                    self.emit(f"if {self.comparison().text}:")
                    with self.block():
                        self.emit(f"return {self.leaf(()).text}")
                self.emit(f"return {value.text}")
        self.variables = outer
        self.locals.append(Helper(name, (Variable("v", "scalar"),), ((),), pure=True))
        if captured.name != parameter.name:
            self.note("closure")
        self.new_from(self.locals[-1])
        return None

    def new_from(self, helper: Helper) -> None:
        self.assign_new("scalar", (), self.call_of(helper))

    def call(self) -> bool | None:
        """A call as a statement, or with its results bound: of tuples, of arrays, or changing an argument in place."""
        helpers = [each for each in self.attempt.helpers if self.can_call(each)]
        if self.depth == 0 and self.locals and self.chance(0.3):
            helpers += self.locals
        if not helpers:
            return False
        helper = self.rng.choice(helpers)
        value = self.call_of(helper)
        if not helper.results:
            self.emit(value.text)
        elif len(helper.results) == 2:
            self.note("helper returns a tuple")
            names = []
            for shape in helper.results:
                kind = "array" if shape else "scalar"
                name = self.fresh_name(kind, shape)
                while name in names:
                    name = self.fresh_name(kind, shape, NAMES)
                names.append(name)
            self.emit(f"{names[0]}, {names[1]} = {value.text}")
            for name, shape in zip(names, helper.results, strict=True):
                self.declare(Variable(name, "array" if shape else "scalar", shape))
        elif self.chance(0.5) and not helper.pure:
            self.note("result of a mutating call dropped")
            self.emit(value.text)
        else:
            shape = helper.results[0]
            self.assign_new("array" if shape else "scalar", shape, value)
        return None

    def can_call(self, helper: Helper) -> bool:
        shapes = [each.shape for each in helper.parameters if each.kind == "array"]
        return helper.pure or all(self.places_of(shape) for shape in shapes)

    def call_of(self, helper: Helper, depth: int = 1) -> Text:
        operands: list[str] = []
        for each in helper.parameters:
            if each.name in helper.keywords:
                if self.chance(0.55):
                    self.note("keyword argument")
                    operands.append(f"{each.name}={self.expression((), depth).text}")
                else:
                    self.note("default argument")
            elif each.kind == "scalar":
                operands.append(self.expression((), depth).text)
            elif helper.pure:
                same = self.arrays(each.shape)
                operands.append(
                    self.pick(same).name if same and self.chance(0.7) else self.expression(each.shape, depth).text
                )
            else:
                place = self.rng.choice(self.places_of(each.shape))
                if "[" in place:
                    self.note("slice passed to be changed")
                operands.append(place)
        if helper.steps:
            self.note("recursion")
            operands.append(str(self.rng.randint(0, 3)))
        kind = "helper call: pure" if helper.pure else "helper call: changes its argument"
        self.note("helper call: vector" if helper.results and helper.results[0] and helper.pure else kind)
        return call(helper.name, *operands)

    def places_of(self, shape: Shape) -> list[str]:
        """Writable arrays of a 1-d shape that a helper may change: names, and slices of longer arrays."""
        places = []
        for each in self.of_kind("array"):
            if len(each.shape) == 1 and not each.frozen:
                if each.shape == shape:
                    places += [each.name] * 3
                elif parts := slices_of(each.shape[0], shape[0]):
                    places.append(f"{each.name}[{self.rng.choice(parts)[0]}]")
        return places

    # Lists

    def lists(self) -> bool | None:
        known = [
            each
            for each in self.of_kind("list")
            if each.length is not None and each.depth == self.depth and each.length > 0
        ]
        if known and self.chance(0.5):
            self.use_list(self.pick(known))
            return None
        form = self.rng.choice(["literal", "append", "loop", "loop", "conditional", "stack", "comprehension", "rows"])
        if form in ("loop", "conditional", "stack", "rows") and (self.depth >= 2 or self.trips() > 30):
            form = "literal"
        name = self.fresh_name("list", (), ("items", "lst", "stack", "parts", "kept"))
        result = Variable(name, "list", length=None, fixed=True)
        self.note(f"list: {form}")
        match form:
            case "literal" | "append":
                count = self.rng.randint(2, 3) if form == "literal" else 0
                elements = [self.damped(self.expression((), 1), 0.4).text for _ in range(count)]
                self.emit(f"{name} = [{', '.join(elements)}]")
                for _ in range(self.rng.randint(1, 3) if form == "append" else self.rng.randint(0, 1)):
                    self.note("append")
                    self.emit(f"{name}.append({self.damped(self.expression((), 2), 0.4).text})")
                    count += 1
                result.length = count
                self.declare(result)
                self.use_list(result)
            case "comprehension":
                vectors = [each for each in self.of_kind("array") if len(each.shape) == 1]
                if not vectors:
                    self.names.discard(name)
                    return False
                source = self.pick(vectors)
                outer = self.variables
                self.variables = [each for each in outer if each.kind != "list" and each.name != "e_"] + [
                    Variable("e_", "scalar")
                ]
                element = self.damped(binary(atom("e_"), "*", self.expression((), 1)), 0.6)
                self.variables = outer
                self.emit(f"{name} = [{element.text} for e_ in {source.name}]")
                result.length = source.shape[0]
                self.declare(result)
                self.use_list(result)
            case "rows":
                self.emit(f"{name} = []")
                shape = (self.attempt.length,)
                with self.for_header(self.attempt.length):
                    self.emit(f"{name}.append({self.damped(self.expression(shape, 1), 0.8).text})")
                    if self.chance(0.5):
                        self.statement(inner=True)
                target = self.assign_new("scalar", (), atom("0.0"))
                self.emit(f"for line_ in {name}:")
                with self.looping(self.attempt.length):
                    self.emit(f"{target.name} += {self.number(0.2, 0.6)} * np.sum(line_ * line_)")
                self.names.discard("line_")
            case _:
                self.emit(f"{name} = []")
                with self.for_header(self.attempt.length):
                    if self.chance(0.5):
                        self.statement(inner=True)
                    if form == "conditional":
                        self.note("append under a condition")
                        self.emit(f"if {self.condition().text}:")
                        with self.block():
                            self.emit(f"{name}.append({self.damped(self.expression((), 2), 0.6).text})")
                    else:
                        self.emit(f"{name}.append({self.damped(self.expression((), 2), 0.6).text})")
                    self.note("append")
                if form == "stack":
                    self.unwind(name)
                    return None
                self.declare(result)
                self.use_varying_list(name)
        return None

    def use_list(self, items: Variable) -> None:
        """Index, pop, loop over or add up a list of known length."""
        assert items.length, "only lists with elements are used"
        name = items.name
        match self.rng.randint(0, 4):
            case 0:
                self.note("list index")
                index = self.rng.choice([0, -1, items.length - 1])
                self.assign_new(
                    "scalar", (), self.damped(binary(atom(f"{name}[{index}]"), "*", self.expression((), 1)), 0.5)
                )
            case 1 | 2 if not self.loops:
                self.note("pop")
                self.assign_new("scalar", (), binary(atom(f"{name}.pop()"), "*", atom(str(self.number(0.5, 1.2)))))
                items.length -= 1
            case 3:
                self.use_varying_list(name)
            case _:
                self.note("array of a list")
                self.assign_new("array", (items.length,), call("np.array", name))

    def use_varying_list(self, name: str) -> None:
        match self.rng.randint(0, 2):
            case 0:
                self.note("array of a list")
                self.assign_new("scalar", (), call("np.sum", call("np.array", name)))
            case 1:
                self.note("for over a list")
                target = self.assign_new("scalar", (), atom(str(self.number())))
                element = self.fresh_name("element", (), ("e", "item", "part"))
                self.emit(f"for {element} in {name}:")
                with self.looping(6):
                    self.emit(f"{target.name} = {self.number(0.3, 0.8)} * {target.name} + np.sin({element})")
            case _:
                self.note("last of a list, if any")
                target = self.assign_new("scalar", (), atom(str(self.number())))
                self.emit(
                    self.rng.choice([f"if len({name}) > 0:", f"if len({name}) > 1 and {self.comparison().text}:"])
                )
                with self.block():
                    self.emit(f"{target.name} += {name}[-1] * {target.name}")

    def unwind(self, name: str) -> None:
        self.note("pop")
        target = self.assign_new("scalar", (), atom(str(self.number())))
        if self.chance(0.7):
            self.emit(f"while len({name}) > 0:")
        else:
            self.emit(f"for _ in range({self.size_text(1)}):")
        with self.looping(6):
            self.emit(f"{target.name} = np.tanh({target.name}) + {self.number(0.3, 0.9)} * {name}.pop()")

    # Integers and flags

    def integer_state(self) -> None:
        states = [each for each in self.of_kind("integer") if not each.fixed]
        if states and self.chance(0.75):
            target = self.pick(states)
            self.note("integer state")
            self.emit(f"{target.name} {self.rng.choice(['+= 1', '+= 2', f'= ({target.name} + 1) % 3'])}")
            return
        if self.chance(0.35):
            self.note("integer start of a float")
            name = self.fresh_name("scalar")
            self.emit(f"{name} = {self.rng.randint(0, 1)}")
            self.declare(Variable(name, "scalar"))
            if self.chance(0.8) and self.depth < 2:
                with self.for_header(self.attempt.length):
                    self.emit(f"{name} {self.rng.choice('+-')}= {self.damped(self.expression((), 1)).text}")
            return
        name = self.fresh_name("integer", (), COUNTER_NAMES)
        self.emit(f"{name} = {self.rng.randint(0, 2)}")
        self.declare(Variable(name, "integer", low=0, high=None))
        self.note("integer state")
        if self.depth < 2 and self.chance(0.6) and self.trips() <= 30:
            with self.for_header(self.attempt.length) as loop:
                self.emit(f"if {self.condition().text}:")
                with self.block():
                    self.emit(f"{name} += 1")
                self.loop_body(loop)

    def flag(self) -> None:
        self.note("boolean state")
        flags = [each for each in self.of_kind("flag") if each.depth <= self.depth]
        if flags and self.chance(0.6):
            target = self.pick(flags)
            self.emit(f"{target.name} = {self.rng.choice([f'not {target.name}', self.condition().text])}")
            return
        name = self.fresh_name("flag", (), ("flag", "found", "seen"))
        self.emit(f"{name} = {self.rng.choice(['False', 'True', self.comparison().text, self.comparison().text])}")
        self.declare(Variable(name, "flag"))
        if self.depth < 3:
            self.emit(f"if {self.rng.choice(['', 'not '])}{name}:")
            with self.block():
                self.body(2)

    # Indices, slices, sizes

    def size_text(self, length: int) -> str:
        """The number `length`, as a literal or as something that has this value."""
        choices = [str(length)]
        for each in self.variables:
            if each.kind == "integer" and each.low == each.high == length:
                choices += [each.name] * 3
            elif each.kind == "array" and each.shape[0] == length and each.name in ("x", "y_bar"):
                choices += [f"{each.name}.shape[0]"] * 2 + [f"len({each.name})", f"{each.name}.size"]
        return self.rng.choice(choices)

    def index(self, length: int) -> str:
        """An index that is in range for an axis of this length, whatever path is taken."""
        choices = [str(self.rng.randrange(length)), str(self.rng.randrange(length)), str(-self.rng.randint(1, length))]
        for each in self.of_kind("integer"):
            if each.high is None:
                choices += [f"{each.name} % {length}"] * 3
                continue
            offsets = [offset for offset in (0, 1, -1) if -length <= each.low + offset and each.high + offset < length]
            if each.low == each.high == length:
                choices += [f"{each.name} - 1"]
            elif offsets:
                for offset in offsets:
                    text = each.name if not offset else f"{each.name} {'+' if offset > 0 else '-'} 1"
                    choices += [text] * (8 if not offset else 2)
                if each.low >= 0 and each.high == length - 1:
                    choices += [f"{length - 1} - {each.name}"]
            if each.low >= 0 and length > 1:
                choices += [f"{each.name} % {self.rng.randint(2, length)}"]
        found = self.rng.choice(choices)
        if "%" in found:
            self.note("index by remainder")
        return found

    def slice(self, length: int) -> tuple[str, int]:
        """A slice of an axis and its number of elements; sometimes it starts at a loop index."""
        moving = [
            each
            for each in self.of_kind("integer")
            if each.high is not None and each.high + 2 <= length and each.low >= 0
        ]
        moving = [each for each in moving if each.low != each.high]
        if moving and self.chance(0.5):
            self.note("slice at a loop index")
            name = self.pick(moving).name
            return f"{name}:{name} + 2", 2
        text, count = self.rng.choice(slices_of(length))
        if text.count(":") == 2:
            self.note("negative step" if "-" in text.rsplit(":", 1)[1] else "slice with a step")
        return text, count

    def any_shape(self) -> Shape:
        shapes = [(self.attempt.length,)] * 2 + [each.shape for each in self.of_kind("array")]
        shapes += [each for each in shapes if len(each) == 2]
        return self.rng.choice([each for each in shapes if each[0] > 1])

    # Expressions

    def damped(self, value: Text, probability: float | None = None) -> Text:
        """A value kept small, always likely in loops: repeated, it must not grow without limit."""
        if not self.chance((0.85 if self.loops else 0.5) if probability is None else probability):
            return value
        match self.rng.randint(0, 5):
            case 0 | 1:
                return call("np.tanh", value)
            case 2:
                return call("np.sin", value)
            case 3:
                return binary(value, "/", self.denominator(value if value.level == ATOM else self.leaf(())))
            case 4:
                return binary(atom(str(self.number(0.2, 0.6))), "*", value)
            case _:
                return binary(atom(str(self.number(0.2, 0.6))), "*", call("np.cos", value))

    def denominator(self, value: Text) -> Text:
        """A positive value, away from zero."""
        match self.rng.randint(0, 2):
            case 0 if value.level == ATOM and len(value.text) < 12:
                return atom(f"({self.number(1.2, 2.5)} + {value.text} * {value.text})")
            case 1:
                return atom(f"(1.0 + {within(value, ATOM)} ** 2)")
            case _:
                return atom(f"({self.number(1.4, 2.5)} + {self.rng.choice(['np.sin', 'np.tanh'])}({value.text}))")

    def operand(self, shape: Shape, depth: int) -> Text:
        """Of the shape, or one that broadcasts to it."""
        if shape and self.chance(0.35):
            smaller = shape[1:] if self.chance(0.5) else ()
            if len(shape) == 2 and smaller:
                self.note("broadcast of a row")
            return self.expression(smaller, depth)
        return self.expression(shape, depth)

    def expression(self, shape: Shape, depth: int) -> Text:
        """An expression of exactly this shape."""
        if depth <= 0 or self.chance(0.12):
            return self.leaf(shape)
        forms = FORMS | (ARRAY_FORMS if shape else SCALAR_FORMS)
        form = self.rng.choices(list(forms), list(forms.values()))[0]
        match form:
            case "call":
                return self.pure_call(shape, depth)
            case "reduction":
                return self.reduction_of_any(depth)
            case "dot":
                return self.dot(depth)
            case "product of matrices":
                return self.matrix_product(shape, depth)
            case "along an axis":
                return self.along_axis(shape, depth)
        first = self.expression(shape, depth - 1)
        match form:
            case "sum":
                return self.exchanged(first, self.rng.choice("+-"), self.operand(shape, depth - 1))
            case "product":
                return self.exchanged(first, "*", self.operand(shape, depth - 1))
            case "quotient":
                return binary(first, "/", self.denominator(self.operand(shape, depth - 1)))
            case "function":
                name = self.rng.choice(["np.sin", "np.cos", "np.tanh", "np.tanh", "np.arctan"])
                return call(name, first)
            case "exp":
                self.note("exp")
                bounded = self.rng.choice(["np.exp(-{0} * {0})", "np.exp(0.5 * np.sin({0}))", "np.exp(-np.tanh({0}))"])
                return atom(bounded.format(within(first, ATOM)))
            case "sqrt":
                self.note("sqrt")
                return call("np.sqrt", Text(f"1.0 + {within(first, ATOM)} * {within(first, ATOM)}", SUM))
            case "log":
                self.note("log")
                return call("np.log", Text(f"{self.number(1.1, 2.0)} + {within(first, ATOM)} ** 2", SUM))
            case "negative":
                return negated(first)
            case "power":
                self.note("power")
                return Text(f"{within(first, ATOM)} ** {self.rng.choice([2, 2, 3])}", POWER)
            case "abs":
                self.note("abs")
                return call(self.rng.choice(["np.abs", "np.abs", "abs"]), first)
            case "maximum":
                self.note("maximum, minimum")
                second = self.operand(shape, depth - 1) if self.chance(0.6) else atom(str(self.number()))
                if not shape and self.chance(0.25):
                    return call(self.rng.choice(["max", "min"]), first, second)
                return call(self.rng.choice(["np.maximum", "np.minimum"]), first, second)
            case "clip":
                self.note("clip")
                return call("np.clip", first, str(self.number(-0.9, -0.3)), str(self.number(0.3, 0.9)))
            case "where":
                self.note("where")
                return self.where(shape, depth, first)
            case "conditional":
                self.note("conditional expression")
                second = self.expression((), depth - 1)
                return Text(f"{within(first, OR)} if {within(self.condition(), OR)} else {within(second, OR)}", TERNARY)
            case _:
                return first

    def pure_call(self, shape: Shape, depth: int) -> Text:
        helpers = [*self.attempt.helpers, *self.locals]
        pure = [each for each in helpers if each.pure and each.results == (shape,)]
        return self.call_of(self.rng.choice(pure), depth - 1) if pure else self.leaf(shape)

    def reduction_of_any(self, depth: int) -> Text:
        arrays = self.of_kind("array")
        return self.reduction(self.pick(arrays)) if arrays else self.expression((), depth - 1)

    def exchanged(self, left: Text, operator: str, right: Text) -> Text:
        return binary(left, operator, right) if self.chance(0.6) else binary(right, operator, left)

    def where(self, shape: Shape, depth: int, first: Text) -> Text:
        tested = self.leaf(shape)
        condition = f"{within(tested, SUM)} {self.rng.choice('<>')} {self.number(-0.7, 0.7)}"
        if self.chance(0.25):
            # Both branches are evaluated, so the root is of something positive everywhere.
            first = call("np.sqrt", Text(f"np.abs({tested.text}) + 0.5", SUM))
        other = self.operand(shape, depth - 1) if self.chance(0.7) else atom("0.0")
        return call("np.where", condition, first, other)

    def reduction(self, array: Variable) -> Text:
        """A scalar of a whole array, or of a part of it."""
        source = Text(array.name, ATOM)
        if len(array.shape) == 1 and self.chance(0.15):
            source = atom(f"{array.name}[{self.slice(array.shape[0])[0]}]")
        if self.chance(0.3):
            self.note("reduction by a method")
            name = self.rng.choice(["sum", "sum", "mean", "max", "min"])
            self.note(f"reduction: {name}")
            return atom(f"{source.text}.{name}()")
        name = self.rng.choices(["sum", "mean", "max", "min", "prod"], [6, 2, 1.2, 1.2, 1.2])[0]
        self.note(f"reduction: {name}")
        if name == "sum" and self.chance(0.4):
            source = self.rng.choice([binary(source, "*", source), call("np.tanh", source), call("np.sin", source)])
        return call(f"np.{name}", source)

    def dot(self, depth: int) -> Text:
        vectors = [each for each in self.of_kind("array") if len(each.shape) == 1]
        if not vectors:
            return self.expression((), depth - 1)
        first = self.pick(vectors)
        second = self.leaf(first.shape)
        self.note("dot of vectors")
        if self.chance(0.4):
            return Text(f"{first.name} @ {within(second, PRODUCT + 1)}", PRODUCT)
        return call("np.dot", first.name, second)

    def matrix_product(self, shape: Shape, depth: int) -> Text:
        """m @ v, v @ m, m @ m.T, or an outer product."""
        matrices = [each for each in self.of_kind("array") if len(each.shape) == 2]
        if len(shape) == 2:
            if matrices and self.chance(0.4):
                usable = [each for each in matrices if each.shape[0] == shape[0]]
                other = [each for each in matrices if each.shape[1] == shape[1]]
                if usable and other:
                    left, right = self.pick(usable), self.pick(other)
                    if left.shape[1] == right.shape[0]:
                        self.note("matrix product")
                        return call("np.tanh", Text(f"{left.name} @ {right.name}", PRODUCT))
            self.note("outer")
            return call("np.outer", self.leaf((shape[0],)), self.leaf((shape[1],)))
        for each in self.rng.sample(matrices, len(matrices)):
            rows, columns = each.shape
            if rows == shape[0]:
                self.note("matrix times vector")
                return self.product_text(atom(each.name), self.leaf((columns,)))
            if columns == shape[0]:
                self.note("matrix times vector")
                if self.chance(0.35):
                    return self.product_text(self.leaf((rows,)), atom(each.name))
                self.note("transpose")
                return self.product_text(atom(f"{each.name}.T"), self.leaf((rows,)))
        return self.expression(shape, depth - 1)

    def product_text(self, left: Text, right: Text) -> Text:
        if self.chance(0.6):
            return Text(f"{within(left, PRODUCT)} @ {within(right, PRODUCT + 1)}", PRODUCT)
        return call("np.dot", left, right)

    def along_axis(self, shape: Shape, depth: int) -> Text:
        if len(shape) != 1:
            return self.expression(shape, depth - 1)
        for each in self.rng.sample(self.variables, len(self.variables)):
            if each.kind == "array" and len(each.shape) == 2 and shape[0] in each.shape:
                axis = self.rng.choice([1, -1] if each.shape[0] == shape[0] else [0])
                self.note("reduction along an axis")
                name = self.rng.choice(["sum", "sum", "mean", "max", "min", "prod"])
                self.note(f"reduction: {name}")
                if name != "prod" and self.chance(0.3):
                    return atom(f"{each.name}.{name}(axis={axis})")
                return call(f"np.{name}", each.name, f"axis={axis}")
        return self.expression(shape, depth - 1)

    def leaf(self, shape: Shape) -> Text:
        if len(shape) == 0:
            return self.scalar_leaf()
        if len(shape) == 1:
            return self.vector_leaf(shape)
        same, turned = self.arrays(shape), self.arrays(shape[::-1])
        if turned and self.chance(0.5 if same else 0.9):
            self.note("transpose")
            return atom(f"{self.pick(turned).name}.T")
        if same and self.chance(0.85):
            return atom(self.pick(same).name)
        self.note("outer")
        return call("np.outer", self.vector_leaf(shape[:1]), self.vector_leaf(shape[1:]))

    def vector_leaf(self, shape: Shape) -> Text:
        length = shape[0]
        choices: list[Text] = []
        for each in self.variables:
            if each.kind != "array":
                continue
            if each.shape == shape:
                choices += [atom(each.name)] * 6
            if len(each.shape) == 1:
                if parts := slices_of(each.shape[0], length):
                    choices += [atom(f"{each.name}[{self.rng.choice(parts)[0]}]")] * (1 if each.shape == shape else 3)
            elif each.shape[1] == length:
                choices += [atom(f"{each.name}[{self.index(each.shape[0])}]")] * 3
            elif each.shape[0] == length:
                choices += [atom(f"{each.name}[:, {self.index(each.shape[1])}]")] * 2
        if not choices:
            return call("np.array", f"[{', '.join(self.scalar_leaf().text for _ in range(length))}]")
        return self.rng.choice(choices)

    def scalar_leaf(self) -> Text:
        kinds = {"constant": 1.0}
        scalars, arrays = self.of_kind("scalar"), self.of_kind("array")
        integers = [each for each in self.of_kind("integer") if each.high is not None]
        if scalars:
            kinds["scalar"] = 5.0
        if arrays:
            kinds["element"] = 4.5
        if integers:
            kinds["integer"] = 0.5
        match self.rng.choices(list(kinds), list(kinds.values()))[0]:
            case "scalar":
                return atom(self.pick(scalars).name)
            case "element":
                array = self.pick(arrays)
                return atom(f"{array.name}[{', '.join(self.index(each) for each in array.shape)}]")
            case "integer":
                self.note("integer in arithmetic")
                return Text(f"{self.number(0.1, 0.3)} * {self.pick(integers).name}", PRODUCT)
            case _:
                value = self.number()
                return Text(str(value), UNARY if value < 0 else ATOM)

    # Conditions

    def comparison(self) -> Text:
        """Of an active scalar with a number or with another one."""
        left = self.expression((), self.rng.choice([0, 0, 1]))
        if left.level == TERNARY or left.text.lstrip("-").replace(".", "").isdigit():
            left = self.scalar_leaf()
        if self.chance(0.15):
            self.note("chained comparison")
            return Text(f"{self.number(-1.0, -0.2)} < {within(left, SUM)} < {self.number(0.2, 1.0)}", COMPARISON)
        right = atom(str(self.number(-0.8, 0.8))) if self.chance(0.6) else self.scalar_leaf()
        return Text(f"{within(left, SUM)} {self.rng.choice(['<', '>', '<=', '>='])} {within(right, SUM)}", COMPARISON)

    def condition(self) -> Text:
        kind = self.rng.choices(["comparison", "integer", "and", "or", "not", "flag"], [5, 3, 0.8, 0.8, 0.6, 1.0])[0]
        integers = self.of_kind("integer")
        flags = self.of_kind("flag")
        match kind:
            case "integer" if integers:
                self.note("condition on an integer")
                name = self.pick(integers).name
                texts = [
                    f"{name} % 2 == 0",
                    f"{name} % 3 == 1",
                    f"{name} > {self.rng.randint(0, 3)}",
                    f"{name} != {self.rng.randint(0, 3)}",
                ]
                return Text(self.rng.choice(texts), COMPARISON)
            case "and" | "or":
                self.note("and, or, not")
                level = AND if kind == "and" else OR
                return Text(f"{within(self.comparison(), level)} {kind} {within(self.condition(), level + 1)}", level)
            case "not":
                self.note("and, or, not")
                return Text(f"not {within(self.comparison(), ATOM)}", NOT)
            case "flag" if flags:
                return atom(self.pick(flags).name)
            case _:
                self.note("condition on data")
                return self.comparison()


@dataclass(slots=True)
class Statistics:
    """What a range of seeds contains: constructs by number of programs, sizes, times, and seeds that fail."""

    constructs: Counter[str] = field(default_factory=Counter)
    line_counts: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failures: list[tuple[int, str]] = field(default_factory=list)


def collect(start: int, count: int, size: float) -> Statistics:
    statistics = Statistics()
    for seed in range(start, start + count):
        begin = time.perf_counter()
        try:
            program = generate(seed, size)
            check_validity(program)
        except Exception as error:
            statistics.failures.append((seed, f"{type(error).__name__}: {error}"))
            continue
        statistics.seconds.append(time.perf_counter() - begin)
        statistics.constructs.update(program.constructs)
        statistics.line_counts.append(len([line for line in program.source.splitlines() if line.strip()]))
    return statistics


def main() -> int:
    parser = argparse.ArgumentParser(description="Generate programs and count what they contain.")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--size", type=float, default=1.0)
    parser.add_argument("--show", type=int, nargs="*", default=[], help="print the programs of these seeds instead")
    options = parser.parse_args()
    for seed in options.show:
        program = generate(seed, options.size)
        print(f"# seed {seed}, wrt {program.wrt}\n{program.source}")
    if options.show:
        return 0
    statistics = collect(options.start, options.count, options.size)
    valid = len(statistics.line_counts)
    for construct, number in sorted(statistics.constructs.items(), key=lambda item: (-item[1], item[0])):
        print(f"{construct:45s} {number:6d} {100 * number / max(1, valid):6.1f} %")
    if valid:
        low, middle, high = np.percentile(statistics.line_counts, [5, 50, 95])
        print(f"lines of text: {low:.0f} .. {middle:.0f} .. {high:.0f} (5, 50, 95 %)")
        print(f"seconds a program: mean {np.mean(statistics.seconds):.3f}, largest {max(statistics.seconds):.3f}")
    print(f"{valid} valid, {len(statistics.failures)} failures")
    for seed, reason in statistics.failures:
        print(f"  seed {seed}: {reason}")
    return 1 if statistics.failures else 0


if __name__ == "__main__":
    sys.exit(main())

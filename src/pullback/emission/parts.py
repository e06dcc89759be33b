"""A long function becomes parts that are called in a row: Numba's time grows faster than the length of a function.

def program(x):              def program_part1(x):
    a = np.sin(x)                a = np.sin(x)
    b = a * x                    b = a * x
    c = b + a         →          return a, b
    ...
                             def program(x):
                                 a, b = program_part1(x)
                                 ...

A part takes the variables that it reads and returns those that are read after it. An array is handed over as it is, so
that what a part writes into it is seen by all. Cuts are made between statements of the function itself, never inside a
loop or a branch, and only where each variable that is read later surely has a value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import gast

from pullback import runtime
from pullback.emission.printer import is_comment
from pullback.emission.spelling import call, name

LONGEST = 250
"""A function of about this many statements stays whole."""

SIZE = 60
"""The statements of a part at most, unless a single one has more inside. Numba takes the least time for 40 to 80."""

Names = frozenset[str]
Mask = int  # a set of variables: one bit for each, in the order in which the function mentions them


def in_parts(tree: Any, size: int) -> list[Any]:
    """The parts of a function, of at most `size` statements where that can be, then the function, which calls them."""
    parts, tree.body = _Cutter(tree, size).cut()
    return [*parts, tree]


@dataclass(frozen=True, slots=True)
class Unit:
    """A statement of the function with the comments above it.

    reads: the variables that it may read before it assigns them; assigns: those that it may assign; sure: those that
    have a value afterwards, whether or not they had one before. stays: it belongs to the function itself, as do the
    checks of sizes at its entry.
    """

    lines: tuple[Any, ...]
    length: int
    reads: Mask
    assigns: Mask
    sure: Mask
    stays: bool


class _Cutter:
    def __init__(self, tree: Any, size: int) -> None:
        self.tree, self.size = tree, size
        parameters = [parameter.id for parameter in tree.args.args]
        nodes = (node for statement in tree.body for node in gast.walk(statement))
        self.variables = list(dict.fromkeys([*parameters, *(n.id for n in nodes if _is_stored(n))]))
        self.bits = {variable: 1 << k for k, variable in enumerate(self.variables)}
        self.units = self._units()
        self.live, self.legal = self._cuts(self.mask(parameters))

    def mask(self, variables: Iterable[str]) -> Mask:
        return sum(self.bits[variable] for variable in set(variables))

    def _units(self) -> list[Unit]:
        units: list[Unit] = []
        comments: list[Any] = []
        everything = frozenset(self.variables)
        for statement in self.tree.body:
            if is_comment(statement):
                comments.append(statement)
                continue
            flow = Flow(everything)
            flow.statement(statement)
            nodes = list(gast.walk(statement))
            unit = Unit(
                lines=(*comments, statement),
                length=sum(isinstance(node, gast.stmt) and not is_comment(node) for node in nodes),
                reads=self.mask(flow.reads),
                assigns=self.mask(_names(nodes)[1] & everything),
                sure=self.mask(flow.sure or ()),
                stays=_is_in_frame(statement) or any(map(_stays, nodes)),
            )
            units.append(unit)
            comments = []
        guards = [k for k, unit in enumerate(units) if _leaves_for_general_form(unit.lines[-1])]
        entry = guards[-1] + 1 if guards else 0
        return [*(replace(unit, stays=True) for unit in units[:entry]), *units[entry:]]

    def _cuts(self, parameters: Mask) -> tuple[list[Mask], list[bool]]:
        """Before each unit and after the last: the variables that are read later, and whether a cut may be made."""
        read: list[Mask] = [0]
        for unit in reversed(self.units):
            read.append(unit.reads | (read[-1] & ~unit.sure))
        given = sure = parameters
        live, legal = [parameters], [True]
        for unit, later in zip(self.units, reversed(read[:-1]), strict=True):
            given, sure = given | unit.assigns, sure | unit.sure
            live.append(later & given)
            legal.append(not later & given & ~sure)
        return live, legal

    def cut(self) -> tuple[list[Any], list[Any]]:
        """The parts, and the body of the function that calls them."""
        parts: list[Any] = []
        body: list[Any] = []
        k = 0
        while k < len(self.units):
            end = self.end_of_part(k)
            if end is None:
                body += self.units[k].lines
                k += 1
                continue
            made, calling = self.part(k, end, len(parts) + 1)
            parts.append(made)
            body.append(calling)
            k = end
        return parts, body

    def end_of_part(self, start: int) -> int | None:
        """Where a part that begins with a unit ends: few variables are read later there. None if there is no part."""
        length, best, end = 0, None, start
        if not self.legal[start]:
            return None
        while end < len(self.units) and not self.units[end].stays:
            length += self.units[end].length
            if best is not None and length > self.size:
                return best
            end += 1
            if not self.legal[end] or 4 * length < self.size:
                continue
            if length > self.size:
                return end
            early = 2 * length < self.size
            if best is None or early or self.live[end].bit_count() <= self.live[best].bit_count():
                best = end
        return best

    def part(self, start: int, end: int, number: int) -> tuple[Any, Any]:
        """A part as a function, and the statement that calls it."""
        reads, assigns, sure = _together(self.units[start:end])
        given, later = self.live[start], self.live[end]
        taken = self.named(given & (reads | (assigns & ~sure & later)))
        returned = self.named(assigns & later)
        text = f"{self.tree.name}_part{number}"
        while text in self.bits:
            text += "_"
        body = [line for unit in self.units[start:end] for line in unit.lines]
        result = _tuple_or_one(returned, gast.Load())
        if result is not None:
            body.append(gast.Return(result))
        parameters = [gast.Name(variable, gast.Param(), None, None) for variable in taken]
        arguments = gast.arguments(parameters, [], None, [], [], None, [])
        made = gast.FunctionDef(text, arguments, body, [], None, None, [])
        calling = call(name(text), *map(name, taken))
        target = _tuple_or_one(returned, gast.Store())
        return made, gast.Expr(calling) if target is None else gast.Assign([target], calling, None)

    def named(self, mask: Mask) -> list[str]:
        variables = []
        while mask:
            last = mask.bit_length() - 1
            variables.append(self.variables[last])
            mask ^= 1 << last
        return variables[::-1]


def _tuple_or_one(variables: list[str], context: Any) -> Any:
    if not variables:
        return None
    names = [gast.Name(variable, context, None, None) for variable in variables]
    return names[0] if len(names) == 1 else gast.Tuple(names, context)


def _together(units: list[Unit]) -> tuple[Mask, Mask, Mask]:
    """What several units in a row read, may assign, and surely assign."""
    reads = assigns = sure = 0
    for unit in units:
        reads |= unit.reads & ~sure
        assigns |= unit.assigns
        sure |= unit.sure
    return reads, assigns, sure


class Flow:
    """The variables that statements read before they assign them, and those that are surely assigned after them.

    sure is None where the end is never reached.
    """

    def __init__(self, variables: Names, sure: Names | None = frozenset()) -> None:
        self.variables, self.sure = variables, sure
        self.reads: Names = frozenset()

    def block(self, statements: list[Any]) -> None:
        for statement in statements:
            self.statement(statement)

    def read(self, node: Any) -> None:
        """Go through what reads variables, and assigns them afterwards."""
        if self.sure is not None:
            read, stored = _names(gast.walk(node))
            self.reads |= (read & self.variables) - self.sure
            self.sure |= stored & self.variables

    def statement(self, statement: Any) -> None:
        match statement:
            case gast.If():
                self.read(statement.test)
                sides = [self.inside(statement.body), self.inside(statement.orelse)]
                ends = [side.sure for side in sides if side.sure is not None]
                self.sure = frozenset.intersection(*ends) if ends else None
            case gast.For():
                self.read(statement.iter)
                self.inside(statement.body, statement.target)
            case gast.While():
                self.read(statement.test)
                self.inside(statement.body)
            case gast.Raise() | gast.Break():
                self.read(statement)
                self.sure = None
            case gast.AugAssign(target=gast.Name() as target):
                self.read(statement.value)
                self.read(name(target.id))
                self.read(target)
            case _:
                self.read(statement)

    def inside(self, statements: list[Any], target: Any = None) -> Flow:
        """Go through an inner block."""
        flow = Flow(self.variables, self.sure)
        if target is not None:
            flow.read(target)
        flow.block(statements)
        self.reads |= flow.reads
        return flow


def _is_stored(node: Any) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)


def _names(nodes: Iterable[Any]) -> tuple[Names, Names]:
    """The names that nodes read, and those that they assign."""
    names = [node for node in nodes if isinstance(node, gast.Name)]
    assigned = frozenset(node.id for node in names if _is_stored(node))
    return frozenset(node.id for node in names if not _is_stored(node)), assigned


def _leaves_for_general_form(statement: Any) -> bool:
    """Whether a statement raises SizesDiffer: what parts assert of sizes holds behind it."""
    raised = [getattr(node.exc, "func", None) for node in gast.walk(statement) if isinstance(node, gast.Raise)]
    return any(isinstance(error, gast.Name) and error.id == runtime.SizesDiffer.__name__ for error in raised)


def _is_in_frame(statement: Any) -> bool:
    """Whether a statement makes an array in the frame of the function, which the parts after it may read."""
    match statement:
        case gast.Assign(value=gast.Call(func=gast.Name(id="local_empty" | "local_zeros"))):
            return True
    return False


def _stays(node: Any) -> bool:
    """Whether a node cannot be in a part: returning, and what makes Python objects while compiled code runs."""
    match node:
        case gast.Raise(exc=gast.Call(args=arguments)):
            return not all(isinstance(argument, gast.Constant) for argument in arguments)
        case gast.Call(func=gast.Name(id="print_formatted")):
            return True
    return isinstance(node, gast.Return)

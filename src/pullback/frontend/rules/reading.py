"""Reading the functions of a rule, with parameters in the place of the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pullback.errors import Location
from pullback.frontend.derivatives.structures import paired
from pullback.frontend.source.user_rules import UserRule
from pullback.frontend.values.arguments import Form, Leaf, leaf_types
from pullback.frontend.values.bindings import ArrayRef, Binding, DictRef, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.frames import Frame
from pullback.frontend.values.results import binding_from, result_of
from pullback.frontend.values.stacks import cast_to
from pullback.ir import primitives
from pullback.ir.nodes import Block, Constant, Function, Operand, Value
from pullback.ir.types import FLOAT, Array, is_float

Reader = Callable[[Context, Binding, tuple[Binding, ...], dict[str, Binding], Any], Binding]
"""Reads a call of any function: `frontend.calls.calls.call`."""

NOTHING: Mapping[Any, Value] = MappingProxyType({})

Again = Callable[[Context, tuple[Binding, ...]], Binding]
"""Reads a call of a function whose derivative is a rule, with other arguments."""


@dataclass(frozen=True, slots=True)
class Given:
    """The arguments of a call: the Form of each, and what stands for all numbers and arrays in the rule.

    leaves: a parameter for each value, and numbers that are known.
    """

    forms: dict[str, Form]
    leaves: tuple[Value | Constant, ...]

    @property
    def parameters(self) -> tuple[Value, ...]:
        return tuple(leaf for leaf in self.leaves if isinstance(leaf, Value))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call stands, as the source of a frame around its rule."""

    where: Location

    def location(self, node: Any) -> Location:
        return self.where


class RuleReader:
    """Reads the function of a rule, and what goes into the functions of a derivative and comes out of them.

    again: reads a call of the function whose derivative is the rule. form, may_share: the Form of its results, and
    whether arrays in them may be memory of the arguments, when `primal` has read it.
    """

    def __init__(self, read: Reader, again: Again, context: Context, rule: UserRule, given: Given, node: Any) -> None:
        self.read, self.again, self.rule, self.given, self.node = read, again, rule, given, node
        self.place = Place(context.location(node))
        self.template = context.beside()
        self.form: Form = Leaf(FLOAT)
        self.may_share = False
        name = getattr(rule.function, "__name__", "")
        self.name = name if name.isidentifier() else "function"

    def reader(self, *rules: UserRule) -> Context:
        """A reader for one of the functions; `rules`: those that are being read."""
        made = self.template.beside()
        made.rules = (*self.template.rules, *rules)
        made.frames.append(Frame(0, self.place, None, [], frozenset()))
        return made

    def primal(self) -> tuple[Function | None, Context]:
        """The function itself, None if it always raises, and its reader; the Form of its results is noted."""
        context = self.reader()
        context.primals = (*context.primals, self.rule)
        with context.builder.block() as statements:
            result = self.called(context, self.rule.function, *self.arguments(context).values())
            if self.rule.kind == "gradient" and not context.state.dead:
                result, _ = self.pair(context, result, "(value, function of cotangents)")
            if context.state.dead:
                return None, context
            self.may_share = shares_memory(context, result)
            leaves, self.form = result_of(context, result, self.node)
        return self.function(statements, tuple(leaves)), context

    # What goes in

    def arguments(self, context: Context, terms: Mapping[Any, Value] = NOTHING) -> dict[str, Binding]:
        """The arguments by their names, in terms of other values; what they hold must not be written."""
        leaves: list[Any] = [terms.get(leaf, leaf) for leaf in self.given.leaves]
        known = set(context.state.cells)
        made = {name: binding_from(context, form, leaves) for name, form in self.given.forms.items()}
        for cell in context.state.cells.keys() - known:
            cell.constant = f"'{cell.name}' is an argument of '{self.name}', whose derivative is a rule, and is written"
        return made

    def apart(self, arguments: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """Those without derivatives, and all others."""
        items, count = list(arguments.values()), len(arguments)
        nondiff = {k % count for k in self.rule.nondiff}
        first = [items[k % count] for k in self.rule.nondiff]
        return first, [item for k, item in enumerate(items) if k not in nondiff]

    def sources(self) -> tuple[Value, ...]:
        """The parameters by which a derivative is taken."""
        _, others = self.apart(self._leaves_by_name())
        return tuple(v for leaves in others for v in leaves if isinstance(v, Value) and is_float(v.type))

    def _leaves_by_name(self) -> dict[str, list[Value | Constant]]:
        leaves: Iterator[Value | Constant] = iter(self.given.leaves)
        return {name: [next(leaves) for _ in leaf_types(form)] for name, form in self.given.forms.items()}

    def seeds(self, context: Context) -> tuple[tuple[Value, ...], Binding]:
        """Parameters for the cotangents of the float results, and these in the structure of the value."""
        made: list[Any] = [
            Value("y_bar", type_) if is_float(type_) else Static(None) for type_ in leaf_types(self.form)
        ]
        inputs = tuple(seed for seed in made if isinstance(seed, Value))
        return inputs, binding_from(context, self.form, list(made))

    def tangents(self, context: Context, inputs: Mapping[Any, Value]) -> list[Binding]:
        """The tangents of the arguments, in their structures: 0 for what is known, and for integers."""
        leaves = self._leaves_by_name()
        made: dict[str, Binding] = {}
        for name, form in self.given.forms.items():
            dots = [inputs.get(leaf) or self._no_tangent(context, leaf) for leaf in leaves[name]]
            made[name] = binding_from(context, form, dots)
        return self.apart(made)[1]

    def _no_tangent(self, context: Context, leaf: Value | Constant) -> Any:
        if isinstance(leaf.type, Array):
            return context.builder.let(primitives.zeros_like, context.builder.cast(leaf, "float64"))
        return Constant(0.0, FLOAT)

    # What comes out

    def called(self, context: Context, function: Any, *arguments: Binding) -> Binding:
        """What one of the functions returns."""
        return self.read(context, Static(function), arguments, {}, self.node)

    def pair(self, context: Context, returned: Binding, what: str) -> tuple[Binding, Binding]:
        """The two items of what a function of the rule returns."""
        items = context.items(returned, self.node) if isinstance(returned, TupleValue | ListRef) else ()
        if len(items) != 2:
            context.mistyped(self.node, f"the rule of '{self.name}' does not return a pair {what}")
        return items[0], items[1]

    def results(self, context: Context, value: Binding) -> tuple[Operand, ...]:
        """The value of a rule, in the structure and the types of that of the function."""
        leaves, form = result_of(context, value, self.node)
        if _plain(form) != _plain(self.form):
            reason = f"the rule of '{self.name}' gives a value of another structure, rank or dtype than the function"
            context.mistyped(self.node, reason)
        types = leaf_types(self.form)
        return tuple(cast_to(context, leaf, type_) for leaf, type_ in zip(leaves, types, strict=True))

    def cotangents(self, context: Context, arguments: list[Binding], returned: Binding) -> tuple[Operand, ...]:
        """The cotangents of the sources in what a function returns for these arguments; None where there is none."""
        items = context.items(returned, self.node) if isinstance(returned, TupleValue | ListRef) else ()
        if len(items) != len(arguments):
            reason = f"the rule of '{self.name}' returns {len(items)} cotangents, for {len(arguments)} arguments"
            context.mistyped(self.node, reason, "return a tuple with one for each, None where there is none")
        found: dict[Operand, Operand] = {}
        for argument, item in zip(arguments, items, strict=True):
            if item not in (Static(None), Constant(None)):
                found.update(paired(context, argument, item, "cotangent", self.node))
        return tuple(found.get(source, Constant(None)) for source in self.sources())

    def function(self, statements: list[Any], results: tuple[Operand, ...]) -> Function:
        block = Block(tuple(statements), results)
        return Function(self.name, self.given.parameters, block, (), self.place.where)


def shares_memory(context: Context, result: Binding) -> bool:
    """Whether an array in a result may be memory of the arguments, which are constant."""
    cells = {leaf.cell for leaf in leaves_in(context, result) if isinstance(leaf, ArrayRef)}
    state = context.state
    reached = {memory for own in cells for memory in state.memories(own)}
    return any(cell.constant for own in reached for cell in (own, *state.linked.get(own, ())))


def leaves_in(context: Context, binding: Binding) -> list[Binding]:
    """The numbers and arrays of a structure."""
    match binding:
        case TupleValue():
            items = binding.items
        case ListRef():
            content = context.state.cells[binding.cell]
            items = content if isinstance(content, tuple) else ()
        case DictRef():
            items = tuple(item for _, item in context.state.cells[binding.cell])
        case _:
            return [binding]
    return [leaf for item in items for leaf in leaves_in(context, item)]


def _plain(form: Form) -> Any:
    """What must agree in two Forms: all but whether numbers are Python's own."""
    if isinstance(form, Leaf):
        return form.type.dtype, getattr(form.type, "ndim", -1)
    items = getattr(form, "items", None)
    if items is None:
        return form
    return type(form), getattr(form, "keys", None), getattr(form, "kind", None), tuple(map(_plain, items))

"""Python source → gast → desugared gast → the normal form: a function and the Forms of its arguments become a Function.

def scaled(a, x):                 scaled(a: float64*, x: float64[:]):
    x = a * x             →           x.1: float64[:] = multiply(a, x)
    return np.sum(x)                  t: float64 = sum(x.1)
                                      return t
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

from pullback.errors import LanguageError, Location, MissingRuleError, PullbackError, TypingError
from pullback.frontend.calls import calls, in_place
from pullback.frontend.calls.parameters import bind_arguments, new_dict
from pullback.frontend.calls.recursion import Recursion
from pullback.frontend.derivatives.made import derived, without_nan
from pullback.frontend.source.derivations import Derivation, derivation_of, innermost
from pullback.frontend.source.finding import Source, find_source
from pullback.frontend.source.language import check_language
from pullback.frontend.source.nesting import limited_nesting
from pullback.frontend.source.outside import Dependency, look_up_again, still_holds
from pullback.frontend.source.passed import is_tensor
from pullback.frontend.source.plain_functions import plain_function
from pullback.frontend.source.star_parameters import as_call, identifier_of, identifiers_of_items
from pullback.frontend.syntax.expressions import evaluate
from pullback.frontend.syntax.statements import execute
from pullback.frontend.tapes.captured import binding_of
from pullback.frontend.tapes.inserted import Inserted
from pullback.frontend.tapes.variables import Assigned
from pullback.frontend.values.arguments import Form, Known, Leaf, Mapping_, Sequence_, form_of, leaf_places
from pullback.frontend.values.bindings import ArrayRef, Binding, Bound, Cell, ListRef, Static, TupleValue
from pullback.frontend.values.captures import Capture
from pullback.frontend.values.context import AttributeAssigned, Context, StaticNeeded
from pullback.frontend.values.frames import Frame
from pullback.frontend.values.kinds import Kinds
from pullback.frontend.values.points_to import PointsToContext
from pullback.frontend.values.results import result_of
from pullback.frontend.values.state import State
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import NOWHERE, Block, Constant, Effect, Function, Operand, Value, is_scalar, values_in
from pullback.ir.types import Array


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Built:
    """A Function with what its caller must know: the Form of the result, and what is read from outside on each call.

    The parameters are the leaves of the arguments, then the captured numbers and arrays. places: how each of these
    leaves is written. code: what callers make of it.
    """

    function: Function
    result: Form
    captures: tuple[Capture, ...]
    dependencies: tuple[Dependency, ...]
    source: Any
    places: tuple[str, ...]
    code: Any = None

    @property
    def uses_tensors(self) -> bool:
        """Whether it reads variables or tensors from outside, which a tape may follow."""
        return any(is_tensor(look_up_again(capture.namespace, capture.name)) for capture in self.captures)

    def holds(self) -> bool:
        """Whether all that the function used from outside is still what it was."""
        return all(map(still_holds, self.dependencies))


Fixed = frozenset[Any] | None
"""The places of the numbers from outside that are constants; None for all of them."""


def build(
    source: Source,
    arguments: dict[str, Form],
    name: str = "",
    numbers: bool = True,
    called: Any = None,
) -> Built:
    """The normal form of a function for arguments of these Forms.

    numbers: numbers from outside are parameters, but for those that the code depends on. called: what is called with
    the arguments instead of the function itself: a derivative of it in the end, or the function with a rule.
    Raises LanguageError, TypingError or AliasError, each with a place; StaticNeeded where an argument must be known.
    """
    with limited_nesting(source.tree, source.location):
        return _built_with_numbers(_Asked(source, arguments, name, called), numbers)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a normal form is made of; see `build`."""

    source: Source
    arguments: dict[str, Form]
    name: str
    called: Any


def normal_form(function: Callable[..., Any], *arguments: Any) -> Function:
    """The normal form of a function for arguments like these.

    >>> def doubled(x):
    ...     return 2.0 * x
    >>> normal_form(doubled, 0.5).parameters
    (x: float64*,)
    """
    source = find_source(function)
    names = [argument.id for argument in source.tree.args.args]
    return build(source, {name: form_of(a) for name, a in zip(names, arguments, strict=True)}).function


def _built_with_numbers(asked: _Asked, numbers: bool) -> Built:
    check_language(asked.source)
    met: dict[Any, None] = {}
    if numbers:
        try:
            return _settled(asked, frozenset(), met)
        except PullbackError:
            if not met:
                raise
    built, fixed = _settled(asked, None, {}), frozenset(met)
    for place in list(met)[:MOST_TRIED]:
        with suppress(PullbackError):
            built = _settled(asked, fixed - {place}, {})
            fixed -= {place}
    return built


MOST_TRIED = 10
"""Of so many numbers it is tried which of them the code depends on; the others are constants then."""


def _settled(asked: _Asked, fixed: Fixed, met: dict[Any, None]) -> Built:
    """The normal form with numbers fixed that must be; `met` takes up the places of those that are parameters."""
    assigned: tuple[tuple[Any, Any], ...] = ()
    kinds, refused = Kinds(), None
    while True:
        context = new_context()
        context.fixed, context.kinds = fixed, kinds
        try:
            built = _built(context, asked, assigned)
            if fixed is None or not any(key[0] is asked.source.function for key in context.callees):
                return built
            fixed = None  # the calls of itself pass the arguments alone
        except Assigned as found:
            assigned = (*assigned, found.place)
        except AttributeAssigned as found_kind:
            kinds = Kinds(kinds.assigned | {found_kind.kind}, kinds.as_records - {found_kind.kind})
        except (LanguageError, TypingError) as error:
            if refused is not None or not kinds.made - kinds.assigned:
                raise _further(refused, error) from None
            kinds, refused = Kinds(kinds.assigned, frozenset(kinds.made - kinds.assigned)), error
        except StaticNeeded as needed:
            captures = context.captures.items()
            place = next((place for place, (capture, _) in captures if capture.parameter is needed.value), None)
            if place is None and needed.value.name in _names_given(asked.arguments):
                raise
            if place is None or fixed is None:
                raise needed.error from None
            fixed |= {place}
        finally:
            captures = context.captures.items()
            met |= {key: None for key, (c, _) in captures if isinstance(key, tuple) and is_scalar(c.parameter)}


def _further(refused: PullbackError | None, error: PullbackError) -> PullbackError:
    """Of what two readings refuse, that which stands further on: the other reading has come that far."""
    if refused is None:
        return error
    before, now = _location(refused), _location(error)
    return error if now.file != before.file or now.line > before.line else refused


def _location(error: PullbackError) -> Location:
    found = error.problems[0].location if isinstance(error, LanguageError) else getattr(error, "location", None)
    return found or NOWHERE


def _names_given(arguments: Mapping[str, Form]) -> Iterator[str]:
    """The names of arguments, and of the items of tuples among them."""
    for name, form in arguments.items():
        yield identifier_of(name)
        if isinstance(form, Sequence_) and form.kind is tuple:
            yield from identifiers_of_items(name, len(form.items))


def _built(context: Context, asked: _Asked, assigned: tuple[tuple[Any, Any], ...]) -> Built:
    """The normal form, given the places of the variables that the function assigns."""
    source = asked.source
    parameters: list[Value] = []
    statements: list[Any]
    with context.builder.block() as statements:
        for namespace, key in assigned:
            variable = look_up_again(namespace, key)
            context.watching.assigned.add(id(variable))
            binding_of(context, variable, namespace, key, source.tree)
        bound = {key: _bind(context, f, identifier_of(key), parameters) for key, f in asked.arguments.items()}
        cells = {context.state.cells[cell]: cell for cell in context.state.cells if _is_version(context.state, cell)}
        result = read_called(context, asked, bound) if asked.called else read_whole(context, source, bound)
        context.fixed_location = source.location(source.tree)
        leaves, form = result_of(context, result, source.tree)
    captures = tuple(capture for capture, _ in context.captures.values())
    given = (*parameters, *(capture.parameter for capture in captures))
    versions = [context.state.cells[cells[p]] if p in cells else p for p in given]
    mutated = tuple(k for k, (p, v) in enumerate(zip(given, versions, strict=True)) if p is not v)
    body = Block(tuple(statements), (*leaves, *(versions[k] for k in mutated)))
    location = source.location(source.tree)
    callees = tuple(callee.function for callee in context.callees.values())
    function = Function(asked.name or _identifier(source.name), given, body, mutated, location, callees)
    context.depend(Dependency(source.function, "__code__", source.function.__code__))
    context.forget_places()
    places = tuple(place for key, f in asked.arguments.items() for place in leaf_places(f, key))
    return Built(function, form, captures, tuple(context.dependencies.values()), source, places)


def read_whole(context: Context, source: Source, bound: dict[str, Binding]) -> Binding:
    """What the function itself returns; if it calls itself, by a call of its own."""
    if source.tree.args.vararg is not None or source.tree.args.kwarg is not None:
        positional, keywords = as_call(source.tree.args, bound)
        bound = bind_arguments(context, source.tree.args, positional, keywords, (), {}, source.tree, source.name)
    state = context.state.copy()
    try:
        return in_place.run(context, source, source.tree, bound, None, source.function, source.tree)
    except Recursion as found:
        if found.function is not source.function:
            raise
        context.state = state
        context.builder.statements.clear()
        context.frames.append(Frame(0, source, None, [], frozenset()))
        return in_place.call_itself(context, source, bound, source.function, source.tree)


def read_called(context: Context, asked: _Asked, bound: dict[str, Binding]) -> Binding:
    """What a derivative of the function, or the function with a rule, returns."""
    source, node = asked.source, asked.source.tree
    context.frames.append(Frame(0, source, None, [], frozenset()))
    function = innermost(asked.called)
    of: Binding = Static(function)
    positional, keywords = as_call(node.args, bound)
    if isinstance(function, MethodType):
        of = Bound(plain_function(function), positional[0])
        positional = positional[1:]
    called = without_nan(derived(asked.called, of)) if isinstance(derivation_of(asked.called), Derivation) else of
    return calls.call(context, called, positional, keywords, node)


def new_context() -> Context:
    """A reader that knows expressions and statements."""
    return PointsToContext(evaluate, execute)


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "function"


def _is_version(state: State, cell: Cell) -> bool:
    return isinstance(state.cells[cell], Value)


def _bind(context: Context, form: Form, name: str, parameters: list[Value]) -> Binding:
    """The binding of a parameter; its leaves become parameters of the Function."""
    match form:
        case Leaf():
            value = Value(name, form.type)
            parameters.append(value)
            if not isinstance(form.type, Array):
                return value
            cell = Cell(name, outside="")
            context.state.cells[cell] = value
            context.state.arguments |= {cell}
            return ArrayRef(cell)
        case Known():
            return _known(form.value)
        case Mapping_():
            entries = {key: _bind(context, i, f"{name}_{key}", parameters) for key, i in _pairs(form)}
            mapping = new_dict(context, entries, name)
            mapping.cell.outside = "items of a dict that the caller passes cannot be replaced, added or removed"
            return mapping
        case Sequence_():
            fields: tuple[Any, ...] = form.names or tuple(range(len(form.items)))
            pairs = zip(fields, form.items, strict=True)
            items = tuple(_bind(context, i, f"{name}_{field}", parameters) for field, i in pairs)
            if form.kind is list:
                listed = context.new_list(items, name)
                listed.cell.outside = "items of a list that the caller passes cannot be replaced, added or removed"
                return listed
            return TupleValue(items, form.kind if form.names else None, form.names)


def _pairs(form: Mapping_) -> list[tuple[Any, Form]]:
    return list(zip(form.keys, form.items, strict=True))


def _known(value: Any) -> Binding:
    if isinstance(value, bool | int | float | complex):
        return constant(value)
    return Static(value)


class Inliner:
    """Reads the bodies of rules into a block that is being built: operands in, operands out."""

    def __init__(self) -> None:
        self.context = new_context()
        self.builder = self.context.builder

    def inline(
        self, body: Callable[..., Any], operands: tuple[Operand, ...], keywords: dict[str, Operand], location: Location
    ) -> tuple[Any, ...]:
        """What a rule's body returns for these operands: operands, tuples of them, and None.

        Raises MissingRuleError with the rule's own reason where it raises NotImplementedError.
        """
        assert isinstance(body, FunctionType), "a rule is a Python function"
        context = self.context
        context.state, context.fixed_location = State(), location
        context.given = frozenset(values_in((operands, tuple(keywords.values()))))
        with context.builder.at(location):
            source = in_place.checked_source(body)
            given = tuple(self._binding(operand) for operand in operands)
            named = {name: self._binding(operand) for name, operand in keywords.items()}
            frame_node = source.tree
            context.frames.clear()
            result = in_place.call_python(context, body, given, named, frame_node)
            match self.builder.statements[-1:]:
                case [Effect(function=primitives.raise_, operands=(_, Constant(value=reason)))] if context.state.dead:
                    raise MissingRuleError(reason, location)
            outcome = self._operand(result, frame_node)
        return outcome if isinstance(outcome, tuple) else (outcome,)

    def run_inserted(
        self, inserted: Inserted, cotangent: Operand, operands: tuple[Operand, ...], location: Location
    ) -> Any:
        """What a block of `insert_grad_of` makes of a cotangent."""
        context = self.context
        context.state, context.fixed_location = State(), location
        bound = {inserted.gradient: cotangent, **dict(zip(inserted.names, operands, strict=True))}
        context.frames[:] = [inserted.frame()]
        body = list(inserted.body)
        with context.builder.at(location):
            for name, operand in bound.items():
                context.state.names[(0, name)] = self._binding(operand)
            context.execute(body)
            return context.operand(context.state.names[(0, inserted.gradient)], body[0])

    def _binding(self, operand: Operand) -> Binding:
        if isinstance(operand, tuple):
            return TupleValue(tuple(map(self._binding, operand)))
        if isinstance(operand, Constant):
            return operand if operand.type is not None else Static(operand.value)
        return self.context.bind(operand)

    def _operand(self, binding: Binding, node: Any) -> Any:
        if isinstance(binding, TupleValue | ListRef):
            return tuple(self._operand(item, node) for item in self.context.items(binding, node))
        if isinstance(binding, Static) and binding.value is None:
            return None
        return self.context.operand(binding, node)

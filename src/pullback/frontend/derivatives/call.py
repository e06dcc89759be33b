"""One call of a derivative: the function is read with marked arguments, and what it returns is taken apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from pullback.frontend.derivatives.parameters import chosen_of, names_of
from pullback.frontend.derivatives.watched import Watched
from pullback.frontend.source.derivations import Derivation
from pullback.frontend.values.bindings import Binding, ListRef, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.results import binding_from, result_of
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import is_float

Reader = Callable[[Context, Binding, tuple[Binding, ...], dict[str, Binding], Any], Binding]
"""Reads a call of any function: `frontend.calls.calls.call`."""


class Call:
    """One call of a derivative: of which function, and with which arguments."""

    def __init__(
        self,
        read: Reader,
        context: Context,
        function: Binding,
        arguments: tuple[Binding, ...],
        keywords: dict[str, Binding],
        node: Any,
    ) -> None:
        self.read, self.context, self.node, self.function = read, context, node, function
        names = names_of(function, len(arguments))
        if len(arguments) > len(names):
            context.mistyped(node, f"{len(arguments)} arguments are given, where there are {len(names)}")
        self.positional = list(zip(names, arguments, strict=False))
        self.names, self.keywords = names, dict(keywords)

    @property
    def given(self) -> dict[str, Binding]:
        return dict(self.positional) | self.keywords

    def watch(self, derivation: Derivation, watched: Watched) -> list[Binding]:
        """Mark the arguments by which a derivative is taken, for which the marked ones stand from now on."""
        chosen = chosen_of(self.context, derivation, self.names, self.given, self.node)
        made = {name: watched.argument(self.given[name], name) for name in chosen}
        self.exchange(made)
        return [made[name] for name in chosen]

    def exchange(self, made: dict[str, Binding]) -> None:
        """Let other bindings be the arguments of these names."""
        self.positional = [(name, made.get(name, binding)) for name, binding in self.positional]
        self.keywords = {name: made.get(name, binding) for name, binding in self.keywords.items()}

    def result(self, watched: Watched) -> Binding:
        """What the function returns, in memory of its own."""
        arguments = tuple(binding for _, binding in self.positional)
        result = self.read(self.context, self.function, arguments, self.keywords, self.node)
        if not self.context.state.dead:
            leaves, form = result_of(self.context, result, self.node)
            result = binding_from(self.context, form, list(leaves))
            watched.leave()
        return result


def with_aux(call: Call, value: Binding) -> tuple[Binding, Binding]:
    """The two items of what a function returns with has_aux."""
    if isinstance(value, TupleValue | ListRef):
        items = call.context.items(value, call.node)
        if len(items) == 2:
            return items[0], items[1]
    call.context.mistyped(call.node, "with has_aux the function returns (value, aux)")


def number_of(call: Call, value: Binding) -> Operand:
    """The float number that a function returns."""
    operand = value if isinstance(value, Value | Constant) else None
    if operand is None or operand.type is None or not is_float(operand.type):
        reason = "the function of which the gradient is taken does not return a float number"
        call.context.mistyped(call.node, reason, "return a number, as np.sum does, or use pb.vjp or pb.jacobian")
    return operand


def leaves_of(call: Call, value: Binding) -> list[Operand]:
    return result_of(call.context, value, call.node)[0]


def refuse_complex(call: Call) -> NoReturn:
    """Refuse partial derivatives by complex numbers."""
    reason = "partial derivatives by complex numbers are asked for: there are two, by the real and the imaginary part"
    call.context.refuse(call.node, reason, "let the function take the two parts, or use pb.jvp or pb.vjp")

"""One kind of call of a derivative: what is compiled for it, and how its results are put together."""

from __future__ import annotations

from typing import Any

from pullback.api.calling import call_entry, check_is_number, converted, describe_form, strong
from pullback.api.calls import Asked
from pullback.api.labelled import Unlabelled, labelled_like
from pullback.api.out import check_apart, check_out
from pullback.api.prepared import Prepared
from pullback.api.specialise import Engine, build_for, chosen_names, names_of, wrt_leaves
from pullback.compilation.entrance import Entrance
from pullback.compilation.explained import explained
from pullback.compilation.functions import Compiled
from pullback.compilation.shortcut import Shortcut, Writer, listed, never
from pullback.errors import PullbackError, TypingError
from pullback.frontend.build import Built
from pullback.frontend.source.passed import captured_value
from pullback.frontend.values.arguments import Form, Leaf, Sequence_, leaf_types, rebuild
from pullback.ir.types import Type


class PreparedGradient(Prepared):
    """One kind of call of a derivative: what is compiled for it, and how to put the results together."""

    def __init__(
        self,
        entrance: Entrance,
        engine: Engine,
        asked: Asked,
        forms: dict[str, Form],
        built: Built,
        numbers: tuple[int, ...],
        wanted: tuple[Form, ...],
    ) -> None:
        super().__init__(entrance, engine, forms, built)
        self.asked, self.numbers, self.wanted = asked, numbers, wanted
        self.with_value = asked.with_value or asked.has_aux
        self.types = leaf_types(built.result) if self.with_value else []
        self.types += [type_ for form in wanted for type_ in leaf_types(form)]
        self.made: dict[tuple[int, ...], Compiled] = {}
        self.shortcuts: dict[tuple[int, ...], Shortcut] = {}
        self.labels: tuple[Any, ...] | None = None
        """The arguments to differentiate, where some of them have labels, for this one call."""

    @staticmethod
    def of(entrance: Entrance, engine: Engine, asked: Asked, bound: dict[str, Any]) -> PreparedGradient:
        """What is compiled for these arguments."""
        forms, built = build_for(engine, bound)
        numbers, wanted = wrt_leaves(engine, forms, asked.argnums)
        check_result(engine, built, asked.has_aux)
        made = PreparedGradient(entrance, engine, asked, forms, built, numbers, wanted)
        if isinstance(bound, Unlabelled):
            made.labels = tuple(bound.given[name] for name in chosen_names(names_of(engine, forms), asked.argnums))
        return made

    def compiled(self, into: tuple[int, ...] = ()) -> Compiled:
        """The derivative that writes these of its gradients into arrays of the caller's."""
        if into not in self.made:
            kind = "value_and_grad" if self.with_value else "grad"
            tuple_from = None if into else self.tuple_from
            self.made[into] = self.built.code.derivative(kind, self.numbers, into, tuple_from=tuple_from)
        return self.made[into]

    @property
    def plain(self) -> bool:
        """Whether value and gradients are a number or array each."""
        return isinstance(self.built.result, Leaf) and not self.asked.has_aux and len(self.numbers) == len(self.wanted)

    @property
    def tuple_from(self) -> int | None:
        """Where the tuple of the gradients begins in what compiled code returns, if it is not all of that."""
        first = len(self.types) - len(self.numbers)
        inner = self.plain and self.asked.several and (first if len(self.numbers) > 1 else self.numbers)
        return first if inner else None

    def called(self, leaves: list[Any], outs: list[Any] | None = None) -> Any:
        """The call with the leaves of the arguments; `outs` are the arrays for gradients, None where there is none."""
        if outs is None:
            results = call_entry(self.compiled(), self.built, leaves)
            return self.shaped([strong(r, t) for r, t in zip(results, self.types, strict=True)])
        into = tuple(k for k, out in enumerate(outs) if out is not None)
        self.check_outs(leaves, outs)
        made = iter(call_entry(self.compiled(into), self.built, leaves, [outs[k] for k in into]))
        lent = [None] * (len(self.types) - len(outs)) + outs
        return self.shaped(
            [strong(next(made), t) if out is None else out for out, t in zip(lent, self.types, strict=True)]
        )

    def check_outs(self, leaves: list[Any], outs: list[Any]) -> None:
        """TypingError, ShapeError or AliasError for an array that cannot take its gradient."""
        lent = [(number, out) for number, out in zip(self.numbers, outs, strict=True) if out is not None]
        parameters = self.built.function.parameters
        for number, out in lent:
            check_out(out, parameters[number], leaves[number])
        if lent:
            captured = [captured_value(capture) for capture in self.built.captures]
            names = [parameter.name for parameter in parameters]
            arrays = list(zip([*leaves, *captured], names, strict=True))
            check_apart([(out, names[number]) for number, out in lent], arrays)

    def shaped(self, results: list[Any]) -> Any:
        """The results in the structure that the user expects."""
        leaves = iter(results)
        value: Any = rebuild(self.built.result, leaves) if self.with_value else None
        parts = [rebuild(form, leaves, lambda value: None) for form in self.wanted]
        parts = parts if self.labels is None else [*map(labelled_like, self.labels, parts)]
        gradient = tuple(parts) if self.asked.several else parts[0]
        if not self.with_value:
            return gradient
        return (value, gradient) if self.asked.with_value else (gradient, value[1])

    def code(self) -> Compiled:
        return self.compiled()

    def returned(self) -> str | None:
        return self.expression(self.compiled(), [], ())

    def boxed(self) -> list[Type] | None:
        return self.types if self.plain and self.numbers else None

    def expression(self, compiled: Compiled, parts: list[str], into: tuple[int, ...]) -> str | None:
        """The user's results, in which `parts` stand for those that are written into arrays."""
        if not isinstance(self.built.result, Leaf) or self.asked.has_aux:
            return None
        made = (f"r{k}" for k in range(compiled.count))
        first = len(self.types) - len(self.numbers)
        results = [
            parts[k - first] if k - first in into else converted(next(made), t) for k, t in enumerate(self.types)
        ]
        returned = listed(results[first:]) if self.asked.several else results[first]
        return f"{results[0]}, {returned}" if self.with_value else returned

    def shortcut_into(self, arguments: tuple[Any, ...], out: Any) -> Shortcut:
        """The short way for calls with arrays for the gradients like these."""
        parts = out if self.asked.several else (out,)
        into = tuple(k for k, part in enumerate(parts) if part is not None)
        if not self.has_short_way or not self.is_plainly_served(arguments, self.compiled(into)):
            return never
        if into not in self.shortcuts:
            self.shortcuts[into] = self.write_into(arguments, out, into)
        return self.shortcuts[into]

    def write_into(self, arguments: tuple[Any, ...], out: Any, into: tuple[int, ...]) -> Shortcut:
        compiled = self.compiled(into)
        writer = Writer(compiled, self.built.captures, self.dependencies(len(arguments)), arguments, self.rest)
        returned = self.expression(compiled, writer.into(out, into), into)
        leaves = len(arguments) + len(self.rest)

        def explain(error: Exception, given: tuple[Any, ...]) -> Exception:
            outs = dict(zip(into, given[len(given) - len(into) :], strict=True))
            try:
                self.check_outs(list(given[:leaves]), [outs.get(k) for k in range(len(self.numbers))])
            except PullbackError as refused:
                return refused
            return explained(compiled, error, given)

        return never if returned is None else writer.written(returned, explain, compiled.may_run_again)


def check_result(engine: Engine, built: Built, has_aux: bool) -> None:
    """TypingError where the value of a function is no float number, or no pair with one where that is due."""
    form = built.result
    if has_aux:
        if not isinstance(form, Sequence_) or len(form.items) != 2:
            place = engine.source.location(engine.source.tree)
            raise TypingError(f"with has_aux the function returns (value, aux), not {describe_form(form)}", place)
        form = form.items[0]
    check_is_number(engine, form)

"""What random generators draw: calls that stay where they are, as those of external functions.

    rng.poisson(2.0, size=n)    →    call_external(rng, 'poisson(float64*, size[]=int64*) -> int64[:]', 2.0, n)

A generator from outside is a number, and moves on as in a plain call. One that the function makes is the array of its
state, and a draw gives the next one as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.derivatives.structures import whole
from pullback.frontend.tapes.captured import number_of
from pullback.frontend.values.bindings import ArrayRef, Binding, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.functions.generators import drawn_by, drawn_from, seeded
from pullback.ir.nodes import Call, Constant, Operand, Value
from pullback.ir.types import Array, Type, is_complex, type_of, within
from pullback.runtime import call_external
from pullback.runtime.python.external import OF_STATE, SIZES
from pullback.runtime.python.generators import STATES

DRAWS = Meanings()
STATE = Array("uint64", 1)

SAMPLES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("beta", "f", "gamma", "noncentral_chisquare", "wald", "vonmises"), (1.0, 1.0)),
    **dict.fromkeys(("betavariate", "gammavariate"), (1.0, 1.0)),
    **dict.fromkeys(("chisquare", "pareto", "power", "standard_gamma", "standard_t", "weibull"), (1.0,)),
    **dict.fromkeys(("binomial", "negative_binomial"), (1, 0.5)),
    **dict.fromkeys(("geometric", "logseries"), (0.5,)),
    **dict.fromkeys(("integers", "randint", "randrange"), (1, 2)),
    **dict.fromkeys(("choice", "permutation"), (2,)),
    "expovariate": (1.0,),
    "gauss": (0.0, 1.0),
    "dirichlet": ([1.0],),
    "hypergeometric": (1, 1, 1),
    "multinomial": (1, [1.0]),
    "multivariate_normal": ([0.0], [[1.0]]),
    "noncentral_f": (1.0, 1.0, 1.0),
    "normalvariate": (0.0, 1.0),
    "seed": (1,),
    "triangular": (0.0, 0.5, 1.0),
    "zipf": (2.0,),
}
"""Parameters that a method takes, for those that need some."""

OF_PARTS = ("dirichlet", "multinomial", "multivariate_normal", "permutation", "seed", "choice")
"""Methods whose parameters are not broadcast."""

MAKERS: dict[Any, Callable[[], Any]] = {
    np.random.Generator: lambda: np.random.default_rng(0),
    np.random.RandomState: lambda: np.random.RandomState(0),
}


@DRAWS.of(drawn_by)
def _drawn_by(
    context: Context,
    node: Any,
    number: Binding,
    kind: Binding,
    name: Binding,
    size: Binding | None,
    *parameters: Binding,
    **settings: Binding,
) -> Binding:
    asked = _Draw(context, kind, name, size, parameters, settings, node)
    return asked.call(context.operand(number, node), (), ())


@DRAWS.of(drawn_from)
def _drawn_from(
    context: Context,
    node: Any,
    state: Binding,
    kind: Binding,
    name: Binding,
    size: Binding | None,
    *parameters: Binding,
    **settings: Binding,
) -> Binding:
    asked = _Draw(context, kind, name, size, parameters, settings, node)
    states = number_of(context, STATES[_value(kind)])
    return asked.call(states, (whole(context, state, node),), (STATE,))


@DRAWS.of(seeded)
def _seeded(context: Context, node: Any, kind: Binding, *seed: Binding) -> Binding:
    given = [_parameter(context, "seed", one, node) for one in seed]
    states = number_of(context, STATES[_value(kind)])
    result = Value("state", STATE)
    name = f"{OF_STATE}seeded" if seed else "seeded"
    signature = Constant(f"{name}({', '.join(str(one.type) for one in given)}) -> {STATE}")
    context.builder.add(Call(call_external, (states, signature, *given), (result,), context.location(node)))
    return context.bind(result)


def _value(binding: Binding) -> Any:
    assert isinstance(binding, Static | Constant), "a text of ours says it"
    return binding.value


class _Draw:
    """One call of a method of a generator."""

    def __init__(
        self,
        context: Context,
        kind: Binding,
        name: Binding,
        size: Binding | None,
        parameters: tuple[Binding, ...],
        settings: dict[str, Binding],
        node: Any,
    ) -> None:
        self.context, self.node = context, node
        self.name: str = _value(name)
        self.sizes = self._sizes(size)
        self.given = [_parameter(context, self.name, one, node) for one in parameters]
        self.named = [k for k in settings if k == "p"]
        self.given += [_parameter(context, self.name, settings[k], node) for k in self.named]
        self.settings = {k: self._setting(k, v) for k, v in settings.items() if k not in self.named}
        self.result = self._result(_value(kind))

    def _sizes(self, size: Binding | None) -> tuple[Operand, ...]:
        if size is None or size == Static(None):
            return ()
        items = self.context.items(size, self.node) if isinstance(size, TupleValue | ListRef) else (size,)
        return tuple(self.context.scalar(item, self.node) for item in items)

    def _setting(self, name: str, binding: Binding) -> Any:
        if not isinstance(binding, Static | Constant):
            self.context.refuse(self.node, f"'{name}' of '{self.name}' must be known before the run", "write it itself")
        value = binding.value
        return np.dtype(value).name if name == "dtype" else value

    def _result(self, kind: Any) -> Type | None:
        """The type of what is drawn, as that of a sample."""
        generator = MAKERS[kind]() if kind in MAKERS else kind(0)
        try:
            found = type_of(getattr(generator, self.name)(*SAMPLES.get(self.name, ()), **self.settings))
        except (TypeError, ValueError) as error:
            self.context.mistyped(self.node, f"{self.name}: {error}")
        if found is None:
            return None
        own = getattr(found, "ndim", 0)
        spread = 0 if self.name in OF_PARTS else max((getattr(o.type, "ndim", 0) for o in self.given), default=0)
        rank = own + (len(self.sizes) or spread)
        return Array(found.dtype, rank) if rank else found

    def call(self, number: Operand, before: tuple[Operand, ...], results: tuple[Type, ...]) -> Binding:
        """The statement, and what it gives."""
        types = (*results, *(() if self.result is None else (self.result,)))
        names = ["" for _ in self.given[: len(self.given) - len(self.named)]] + [f"{name}=" for name in self.named]
        items = [str(one.type) for one in before]
        items += [f"{name}{one.type}" for name, one in zip(names, self.given, strict=True)]
        items += [f"{SIZES}={one.type}" for one in self.sizes]
        settings = ",".join(f"{name}={value}" for name, value in self.settings.items())
        returned = ", ".join(map(str, types))
        title = (OF_STATE if before else "") + self.name + (f"[{settings}]" if settings else "")
        signature = f"{title}({', '.join(items)}) -> {returned if len(types) == 1 else f'({returned})'}"
        values = tuple(Value("", type_) for type_ in types)
        operands = (number, Constant(signature), *before, *self.given, *self.sizes)
        self.context.builder.add(Call(call_external, operands, values, self.context.location(self.node)))
        made = tuple(map(self.context.bind, values))
        return TupleValue(made) if results else made[0] if made else Static(None)


def _parameter(context: Context, name: str, binding: Binding, node: Any) -> Any:
    """A number or an array that is given to a generator."""
    binding = context.bind(context.array_of(binding, node)) if isinstance(binding, TupleValue | ListRef) else binding
    if (
        isinstance(binding, Constant)
        and isinstance(binding.value, int)
        and within(binding.value, "int64") != binding.value
    ):
        context.mistyped(node, f"an integer of more than 64 bits is given to '{name}'")
    if isinstance(binding, ArrayRef):
        operand = whole(context, binding, node)
    elif isinstance(binding, Value | Constant) and binding.type is not None:
        operand = binding
    else:
        context.mistyped(node, f"'{name}' of a random generator takes numbers and arrays")
    if is_complex(operand.type):
        context.mistyped(node, f"'{name}' of a random generator takes no complex numbers", "pass the real part")
    return operand

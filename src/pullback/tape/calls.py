"""A call of a differentiable function on tensors: computed by compiled code, and recorded as one operation.

Its pullback is compiled too: a scalar function computes its gradient together with its value, others keep residuals.
Variables and tensors that the function uses from outside are inputs like its arguments.

Where the pullback itself is recorded, for higher derivatives, it is a call of a function like any other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.api.calling import call_entry, call_forward, strong
from pullback.api.derivatives import GradientFunction
from pullback.api.recording import register
from pullback.api.specialise import Engine, PullbackEngine, build_for
from pullback.compilation.shortcut import MISS
from pullback.errors import MissingRuleError, TypingError
from pullback.frontend.build import Built
from pullback.frontend.source.outside import look_up_again
from pullback.frontend.source.passed import passed_for
from pullback.frontend.values.arguments import Form, Leaf, form_of, leaf_types, leaves_in, leaves_of, rebuild
from pullback.ir.types import Array, Scalar, Type, is_float
from pullback.tape import recorders
from pullback.tape.generators import Generators
from pullback.tape.pullbacks import Pullback, Wanted
from pullback.tape.readers import Held, as_given
from pullback.tape.tensor import Tensor
from pullback.tape.variable import Variable

Pull = Callable[[tuple[Any, ...]], list[Any]]
"""From the cotangents of the float results to those of the inputs."""


def follow(callable_: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The result of a call that involves tensors, as tensors; MISS for a plain one."""
    given = any(isinstance(leaf, Tensor) for leaf in _leaves((arguments, keywords)))
    if not given and not recorders.active():
        return MISS
    engine: Engine = callable_.as_function if isinstance(callable_, GradientFunction) else callable_.engine
    engine = engine.with_nan(next((nan for r in recorders.active() if (nan := getattr(r, "nan", None))), None))
    bound = engine.bind(arguments, keywords)
    call = Call.of(engine, bound)
    if not given and not any(isinstance(value, Tensor) for value in call.captured):
        return MISS
    return call.result()


register(follow)


class Call:
    """One call of a function: its arguments with tensors in them, and what it uses from outside."""

    def __init__(
        self, engine: Engine, forms: dict[str, Form], built: Built, leaves: list[Any], captured: list[Any]
    ) -> None:
        self.engine, self.forms, self.built = engine, forms, built
        self.leaves, self.captured = leaves, captured

    @staticmethod
    def of(engine: Engine, bound: dict[str, Any]) -> Call:
        """The call with these arguments."""
        forms, built = build_for(engine, {name: _replaced(v, _bare) for name, v in bound.items()})
        leaves = leaves_in(bound, forms)
        captured = [look_up_again(capture.namespace, capture.name) for capture in built.captures]
        return Call(engine, forms, built, leaves, captured)

    def passed(self) -> list[Any]:
        """What compiled code is given for what stands outside."""
        return [passed_for(value, c.changes) for value, c in zip(self.captured, self.built.captures, strict=True)]

    def inputs(self) -> list[tuple[int, Tensor]]:
        """(number of the parameter, tensor) for those that a recorder follows."""
        every = enumerate([*self.leaves, *self.captured])
        return [(k, x) for k, x in every if isinstance(x, Tensor) and x.dtype.kind == "f" and recorders.is_connected(x)]

    def note_readings(self) -> None:
        """Tell the recorders of all tensors that the call depends on, whether they follow them or not."""
        for one in (*self.leaves, *self.captured):
            if isinstance(one, Tensor):
                recorders.note_reading(one, followed=True)

    def result(self) -> Any:
        """The function's value, recorded if there is something to follow."""
        inputs = self.inputs()
        numbers, tensors = tuple(k for k, _ in inputs), tuple(x for _, x in inputs)
        self.note_readings()
        self.check_mutated(bool(inputs))
        plain = [_bare(leaf) for leaf in self.leaves]
        if not inputs:
            compiled = self.built.code.derivative("primal", ())
            return self.rebuilt(call_entry(compiled, self.built, plain, captured=self.passed()))
        active = recorders.active()
        again = Again(self, numbers) if len(active) > 1 or active[0].persistent else None
        try:
            values, pull = self.computed(numbers, plain)
        except MissingRuleError as error:
            compiled = self.built.code.derivative("primal", ())
            values, pull = call_entry(compiled, self.built, plain, captured=self.passed()), _raising(error)
        return self.rebuilt(values, Compiled(self.engine.source.name, tensors, pull, again))

    def computed(self, numbers: tuple[int, ...], leaves: list[Any]) -> tuple[tuple[Any, ...], Pull]:
        """The values of the results, and the function from cotangents of the float ones to those of the inputs."""
        form = self.built.result
        if isinstance(form, Leaf) and isinstance(form.type, Scalar) and is_float(form.type):
            compiled = self.built.code.derivative("value_and_grad", numbers)
            value, *gradients = call_entry(compiled, self.built, leaves, captured=self.passed())
            found = [self.in_type(gradient, k) for gradient, k in zip(gradients, numbers, strict=True)]
            return (value,), lambda y_bars: [y_bars[0] * gradient for gradient in found]
        whole = self.built.code.derivative("split", numbers)
        pair, results = call_forward(whole, self.built, leaves, self.passed())
        types = leaf_types(form)
        floats = [type_ for type_ in types if is_float(type_)]
        residuals = tuple(map(self.apart, results[len(types) :]))

        def pull(y_bars: tuple[Any, ...]) -> list[Any]:
            seeds = [_ready(y_bar, type_) for y_bar, type_ in zip(y_bars, floats, strict=True)]
            cotangents = pair.backward.served(*residuals, *seeds)
            every = cotangents if len(numbers) > 1 else (cotangents,)
            return [self.in_type(x_bar, k) for x_bar, k in zip(every, numbers, strict=True)]

        return results[: len(types)], pull

    def in_type(self, x_bar: Any, number: int) -> Any:
        """A cotangent in the dtype of its parameter; Numba hands out Python numbers."""
        if isinstance(x_bar, np.ndarray):
            return x_bar if x_bar.shape else x_bar[()]
        return np.dtype(self.built.function.parameters[number].type.dtype).type(x_bar)

    def apart(self, value: Any) -> Any:
        """A value that nobody else changes: a copy of what may be part of an array that is not a tensor's."""
        arrays = [x for x in (*self.leaves, *self.captured) if isinstance(x, np.ndarray)]
        if isinstance(value, np.ndarray) and any(np.may_share_memory(value, array) for array in arrays):
            return value.copy()
        return value

    def rebuilt(self, values: tuple[Any, ...], operation: Compiled | None = None) -> Any:
        """The results as tensors in their structure, recorded if they are an operation's."""
        types = leaf_types(self.built.result)
        pairs = zip(values, types, strict=False)
        tensors = [Tensor(self.apart(np.asarray(strong(v, t), t.dtype))[()]) for v, t in pairs]
        floats = tuple(y for y in tensors if y.dtype.kind == "f")
        if operation is not None and floats:
            recorders.tell(operation, operation.inputs, floats)
        return rebuild(self.built.result, iter(tensors))

    def check_mutated(self, follows: bool) -> None:
        """TypingError where the function writes into a tensor, or what a tape follows into an array or variable."""
        for k in self.built.function.mutated:
            name = self.built.function.parameters[k].name
            if k >= len(self.leaves) and follows:
                raise TypingError(
                    f"'{self.engine.source.name}' assigns the variable '{name}', which a tape around it cannot follow",
                    self.engine.source.location(self.engine.source.tree),
                    "call it outside of the tape, or let it return the new value",
                )
            if k < len(self.leaves) and (follows or isinstance(self.leaves[k], Tensor)):
                raise TypingError(
                    f"'{self.engine.source.name}' writes into its argument '{name}', which a tape cannot follow",
                    self.engine.source.location(self.engine.source.tree),
                    "let it work on a copy, y = x.copy(), and return that",
                )


class Compiled:
    """The operation that a call is recorded as; `pull` takes cotangents of its float results to those of `inputs`."""

    def __init__(self, name: str, inputs: tuple[Tensor, ...], pull: Pull, again: Again | None) -> None:
        self.__name__ = name
        self.inputs, self.pull, self.again = inputs, pull, again

    def pullback(self, wanted: Wanted) -> Pullback:
        """What is recorded."""

        def run(y_bar: Any) -> tuple[Any, ...]:
            y_bars = y_bar if isinstance(y_bar, tuple) else (y_bar,)
            on_tensors = isinstance(y_bars[0], Tensor)
            if not on_tensors:
                cotangents = self.pull(y_bars)
            elif self.again is not None:
                cotangents = self.again.pull(y_bars)
            else:
                raise TypingError(
                    f"the tape for a second derivative of '{self.__name__}' was entered after the call",
                    None,
                    "enter the outer tape before the function is called",
                )
            return tuple([cotangents[k] for k in wanted])

        return Pullback(self, wanted, run, run, (), False)


class Again:
    """The pullback of a call as a call itself, of the inputs and the cotangents, which recorders follow.

    It is made before the call, and draws from random generators what the call has drawn.
    """

    def __init__(self, call: Call, numbers: tuple[int, ...]) -> None:
        self.engine = PullbackEngine(call.engine, call.built, call.forms, numbers)
        self.captures = call.built.captures
        self.floats = [type_ for type_ in leaf_types(call.built.result) if is_float(type_)]
        self.leaves = [_kept(leaf) for leaf in call.leaves]
        self.objects = call.captured
        self.captured = [_kept(value) for value in call.captured]
        self.held = Held((x, x._value) for x in (*call.leaves, *call.captured) if isinstance(x, Variable))
        self.generators = Generators(call.forms, call.leaves, call.built.captures, call.captured)

    def pull(self, y_bars: tuple[Any, ...]) -> list[Any]:
        """The cotangents of the inputs, as tensors."""
        self.check_captured()
        seeds = [_of_dtype(y_bar, type_) for y_bar, type_ in zip(y_bars, self.floats, strict=True)]
        engine = self.engine
        count, given, streams = len(self.leaves), [*self.leaves, *self.captured], self.generators.streams()
        for k, stream in streams.items():
            given[k] = stream.number
        with self.held:
            return list(Call(engine, engine.forms, engine.only, [*given[:count], *seeds], given[count:]).result())

    def check_captured(self) -> None:
        """RuntimeError where an array from outside has changed since the call, or a tensor been exchanged."""
        for capture, object_, then in zip(self.captures, self.objects, self.captured, strict=True):
            now = look_up_again(capture.namespace, capture.name)
            if not isinstance(then, Tensor | np.ndarray):
                continue  # a number is passed again as it was
            same = _is_same(now, object_) if isinstance(object_, Tensor) else np.array_equal(now, then, equal_nan=True)
            if not same:
                kind = "tensor" if isinstance(object_, Tensor) else "array"
                raise RuntimeError(
                    f"the {kind} '{capture.name}' that '{self.engine.source.name}' uses was changed after the call, "
                    f"which its second derivative runs again: pass the {kind} as an argument"
                )


def _is_same(now: Any, then: Tensor) -> bool:
    """Whether a name still stands for a tensor, of which a record may hold another object with its number."""
    return isinstance(now, Tensor) and now._key == then._key


# Nested arguments


def _leaves(value: Any) -> Iterator[Any]:
    """What stands in nested lists, tuples, dicts and dataclasses, in the order in which it stands."""
    if isinstance(value, list | tuple):
        items = list(value)
    elif isinstance(value, dict):
        items = list(value.values())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        items = [getattr(value, field.name) for field in dataclasses.fields(value)]
    else:
        yield value
        return
    for item in items:
        yield from _leaves(item)


def _replaced(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same structure with every leaf changed."""
    form = form_of(value)
    return rebuild(form, map(change, leaves_of(value, form)), change)


def _bare(leaf: Any) -> Any:
    return leaf._value if isinstance(leaf, Tensor) else leaf


def _kept(leaf: Any) -> Any:
    """A leaf that does not change: arrays are copied."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else as_given(leaf)


def _as_tensor(leaf: Any) -> Any:
    """A float that can be a source."""
    if isinstance(leaf, float | np.floating | np.ndarray) and np.asarray(leaf).dtype.kind == "f":
        return Tensor(np.array(leaf)[()])
    return leaf


def _ready(y_bar: Any, type_: Type) -> Any:
    """A cotangent as compiled code takes it."""
    if isinstance(type_, Array):
        return np.array(y_bar, type_.dtype, order="C")
    return float(y_bar) if type_.dtype == "float64" else np.dtype(type_.dtype).type(y_bar)


def _of_dtype(y_bar: Any, type_: Type) -> Any:
    """A cotangent in the dtype of its result."""
    return y_bar if y_bar.dtype == type_.dtype else y_bar.astype(type_.dtype)


def _raising(error: Exception) -> Pull:
    """The pullback of a function that has none: it says so when the gradient is asked for."""

    def pull(y_bars: tuple[Any, ...]) -> list[Any]:
        raise error

    return pull

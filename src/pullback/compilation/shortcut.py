"""The short way from Python into compiled code: a function for one kind of call, which does only what each needs.

    def call(arguments):
        try:
            (a0, a1,) = arguments
            if not (type(a0) is kind0 and type(a1) is kind1 and place0['np'] is value0):
                return MISS
        except GONE:
            return MISS
        try:
            (r0, r1,) = gate(a0, a1,)
        except OTHER:
            return MISS
        except Exception as error:
            raise explain(error, (a0, a1,)) from None
        return r0, r1

It looks at the types of the arguments and at the names that the function uses from outside; Numba's own dispatch looks
at dtype, rank and layout of arrays. Where anything is not as it was, the call goes the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import CellType, MethodType
from typing import Any, Protocol

import numpy as np

from pullback.compilation.gates import Gate, Miss
from pullback.compilation.layout import ready
from pullback.frontend.source.outside import (
    ABSENT,
    GONE,
    Dependency,
    Place,
    Shape,
    look_up_again,
    place_key,
    still_holds,
)
from pullback.frontend.source.passed import captured_value
from pullback.ir.types import Array, Scalar
from pullback.runtime.refusals import KeepsTooMuch, ResultNotFinite, SizesDiffer

Shortcut = Callable[..., Any]
MISS = object()
"""What a shortcut returns where the call is of another kind."""
OTHER = (Miss, SizesDiffer, KeepsTooMuch, ResultNotFinite)
"""What machine code raises where other code serves the call."""

_TEXT = """\
def call({parameters}):
    try:
        {unpacked}
        if not ({conditions}):
            return MISS
    except GONE:
        return MISS
    try:
        {results}gate({given})
    except OTHER:
        return MISS
{explained}    return {returned}
"""
_EXPLAINED = """\
    except Exception as error:
        raise explain(error, ({given})) from None
"""


def never(*arguments: Any) -> Any:
    """The shortcut where there is none."""
    return MISS


class Code(Protocol):
    """Machine code that serves calls.

    count: how many results it has. tuple_from: the number of the first of those that are returned in a tuple of their
    own.
    """

    @property
    def count(self) -> int: ...

    @property
    def tuple_from(self) -> int | None: ...

    def gate(self, arguments: Sequence[Any]) -> Gate:
        """What runs it for arguments like these."""


class Writer:
    """Writes the shortcut for calls like one that went the long way."""

    def __init__(
        self,
        code: Code,
        captures: Sequence[Any],
        dependencies: Sequence[Dependency],
        arguments: Sequence[Any],
        rest: Sequence[Any],
    ) -> None:
        """`rest` is what is passed after the arguments, and `dependencies` what the call depends on."""
        self.code = code
        self.names: dict[str, Any] = {}
        self.parameters = "arguments"
        self.given = [f"a{k}" for k in range(len(arguments))]
        self.unpacked = [f"{listed(self.given)} = arguments"] if arguments else ["if arguments: return MISS"]
        self.conditions = [
            f"type({a}) is {self.name('kind', type(v))}" for a, v in zip(self.given, arguments, strict=True)
        ]
        self.given += [self.name("rest", leaf) for leaf in rest]
        self.values = [*arguments, *rest]
        self.outside(captures, dependencies)

    def outside(self, captures: Sequence[Any], dependencies: Sequence[Dependency]) -> None:
        """What the function uses from outside: the gate looks at the arrays, the shortcut at everything else."""
        captured = {place_key(capture.namespace, capture.name) for capture in captures}
        self.conditions += [
            self.holds(d)
            for d in dependencies
            if not isinstance(d.value, Array | Scalar) or place_key(d.namespace, d.name) not in captured
        ]
        for k, capture in enumerate(captures):
            self.given.append(f"c{k}")
            kind = type(look_up_again(capture.namespace, capture.name))
            self.conditions.append(f"type(c{k}) is {self.name('kind', kind)}")
            self.unpacked.append(f"c{k} = {self.place(capture.namespace, capture.name)}")
            self.values.append(captured_value(capture))

    def into(self, out: Any, numbers: tuple[int, ...]) -> list[str]:
        """Take `out` as well, an array or a tuple; the names of the arrays in it, in the places `numbers`."""
        self.parameters = "arguments, out"
        parts = out if isinstance(out, tuple) else (out,)
        names = [f"o{k}" for k in range(len(parts))]
        self.unpacked.append(f"{listed(names) if isinstance(out, tuple) else names[0]} = out")
        if isinstance(out, tuple):
            self.conditions.append("type(out) is tuple")
        self.conditions += [f"{name} is None" for k, name in enumerate(names) if k not in numbers]
        self.given += [names[k] for k in numbers]
        self.values += [parts[k] for k in numbers]
        return names

    def name(self, stem: str, value: Any) -> str:
        """A name for an object in the text."""
        name = f"{stem}{len(self.names)}"
        self.names[name] = value
        return name

    def holds(self, dependency: Dependency) -> str:
        """The condition that a name outside stands for the same object, or for one that is as good."""
        namespace, name, value = dependency.namespace, dependency.name, dependency.value
        if value is ABSENT:
            return f"{self.key(name)} not in {self.name('place', namespace)}"
        again = f"{self.name('holds', still_holds)}({self.name('dependency', dependency)})"
        if isinstance(value, Shape):
            return self.has_shape(self.place(namespace, name), value)
        if isinstance(value, Array | Scalar | MethodType):
            return again
        same = f"{self.place(namespace, name)} is {self.name('value', value)}"
        return f"({same} or {again})" if isinstance(value, float | int | str | np.generic) else same

    def has_shape(self, place: str, shape: Shape) -> str:
        """The condition that a container is of this shape."""
        if issubclass(shape.kind, dict):
            return (
                f"type({place}) is {self.name('kind', shape.kind)} and (*{place},) == {self.name('keys', shape.keys)}"
            )
        return f"type({place}) is {self.name('kind', shape.kind)} and len({place}) == {shape.keys[0]}"

    def place(self, namespace: Any, name: Any) -> str:
        """The expression for what stands at a place outside; see `captured.look_up_again`."""
        match namespace:
            case Place():
                return f"{self.place(namespace.namespace, namespace.name)}[{self.key(name)}]"
            case Mapping():
                return f"{self.name('place', namespace)}[{self.key(name)}]"
            case CellType():
                return f"{self.name('place', namespace)}.cell_contents"
        return f"getattr({self.name('place', namespace)}, {self.key(name)})"

    def key(self, key: Any) -> str:
        return repr(key) if type(key) in (str, int) else self.name("key", key)

    def written(self, returned: str, explain: Callable[..., Exception] | None = None, again: bool = False) -> Shortcut:
        """The shortcut that returns this expression of the results `r0`, `r1`, …, as many as there are.

        explain: makes the user's error of one that was raised, and the arguments; without it, calls that raise go the
        long way. again: whether a call that was too deep for the stack may be made again, the long way.
        """
        arrays = [name for name, value in zip(self.given, self.values, strict=True) if isinstance(value, np.ndarray)]
        # To Numba's dispatcher, an array with its bytes in the other order may be the same.
        self.conditions += [f"{name}.dtype.isnative" for name in arrays]
        given = "".join(f"{name}, " for name in self.given)
        text = _TEXT.format(
            parameters=self.parameters,
            unpacked="\n        ".join(self.unpacked),
            conditions=" and ".join(self.conditions) or "True",
            results=self.targets(),
            given=given,
            explained=_EXPLAINED.format(given=given) if explain else "",
            returned=returned,
        )
        other = Exception if explain is None else (*OTHER, RecursionError) if again else OTHER
        names = {**self.names, "MISS": MISS, "GONE": GONE, "OTHER": other, "np": np}
        self.gate = self.code.gate([*map(ready, self.values)])
        names |= {"gate": self.gate, "explain": explain}
        exec(compile(text, "<shortcut>", "exec"), names)
        shortcut: Shortcut = names["call"]
        return shortcut

    def targets(self) -> str:
        """The assignment to the results, in the structure in which they are returned."""
        names, first = [f"r{k}" for k in range(self.code.count)], self.code.tuple_from
        if first:
            names = [*names[:first], listed(names[first:])]
        return {0: "", 1: "r0 = "}.get(len(names) + (first == 0), f"{listed(names)} = ")


def listed(expressions: Sequence[str]) -> str:
    """A tuple of expressions as an expression.

    >>> listed(["a"]), listed(["a", "b"])
    ('(a,)', '(a, b,)')
    """
    return f"({''.join(f'{e}, ' for e in expressions)})".replace(", )", ",)")

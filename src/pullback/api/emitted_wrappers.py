"""The functions of an emitted module that people call: they take structures apart, check them, and put them together.

def value_and_grad(p, x):
    total, w_bar, b_bar = model_value_and_grad(*arguments_of(p, x))
    return total, {"w": w_bar, "b": b_bar}
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.api.calling import converted, is_narrow
from pullback.compilation.functions import Compiled
from pullback.errors import TypingError
from pullback.frontend.build import Built
from pullback.frontend.source.externals import External
from pullback.frontend.source.passed import captured_value
from pullback.frontend.values.arguments import Form, Known, Leaf, Mapping_, Sequence_, leaf_types
from pullback.ir.external import is_call_outside, method_of, title_of
from pullback.ir.nodes import Value, walk
from pullback.ir.types import Array, Type, is_float

MOST_ELEMENTS = 1000
"""of an array from outside that is written into a module"""


@dataclass(frozen=True, slots=True)
class Emitted:
    """What is emitted. wanted: the arguments that are differentiated, and their Forms; several: in a tuple."""

    name: str
    signature: inspect.Signature
    forms: dict[str, Form]
    built: Built
    numbers: tuple[int, ...]
    wanted: tuple[tuple[str, Form], ...]
    several: bool


def parameters_of(emitted: Emitted) -> list[str]:
    """A line for each argument: its name and type."""
    return [f"{name}: {_described(form)}" for name, form in emitted.forms.items()]


def _described(form: Form) -> str:
    match form:
        case Leaf():
            return str(form.type).removesuffix("*")
        case Known():
            return repr(form.value)
        case Mapping_():
            items = (f"{key!r}: {_described(item)}" for key, item in zip(form.keys, form.items, strict=True))
            return f"{{{', '.join(items)}}}"
    return f"{form.kind.__name__}({', '.join(map(_described, form.items))})"


def wrappers_of(emitted: Emitted, codes: Sequence[Compiled]) -> str:
    """The text of the functions; codes: what is called, `value_and_grad` only where the value is a number."""
    *joint, forward, backward = codes
    outside = _constants(emitted)
    parts = [*([f"{name} = {text}" for name, text in outside])]
    parts = ["\n".join(parts)] if parts else []
    parts += [_value_and_grad(emitted, code) for code in joint]
    parts += [_forward(emitted, forward, backward.function.parameters)]
    parts += [_backward(emitted, backward), _arguments(emitted, [n for n, _ in outside])]
    return "\n\n\n".join(parts)


def _constants(emitted: Emitted) -> list[tuple[str, str]]:
    """Names and texts of the numbers and arrays from outside."""
    for call in filter(is_call_outside, walk(emitted.built.function.body)):
        if method_of(call):
            reason = f"{title_of(call)} is called, which cannot stand in a module"
            raise TypingError(reason, call.location, "draw before the call, and pass what was drawn")
    count = sum(len(leaf_types(form)) for form in emitted.forms.values())
    parameters = emitted.built.function.parameters[count:]
    taken = {*emitted.forms, "np", "njit"}
    made: list[tuple[str, str]] = []
    for parameter, capture in zip(parameters, emitted.built.captures, strict=True):
        name = parameter.name
        if isinstance(capture.namespace, External):
            reason = f"'{name}', which is called and not read, cannot stand in a module"
            raise TypingError(reason, emitted.built.function.location, "call it before, and pass what it returns")
        while name in taken:
            name += "_outside"
        taken.add(name)
        made.append((name, _literal(captured_value(capture), name)))
    return made


def _literal(value: Any, name: str) -> str:
    """An expression for a number or array. Raises TypingError for one that is too large."""
    if not isinstance(value, np.ndarray):
        plain = value.item() if isinstance(value, np.generic) else value
        text = repr(plain) if not isinstance(plain, float) or math.isfinite(plain) else f"float({str(plain)!r})"
        return f"{_dtype(value)}({text})" if isinstance(value, np.generic) else text
    if value.size > MOST_ELEMENTS:
        reason = f"'{name}' from outside has {value.size} elements, too many for a text"
        raise TypingError(reason, None, "pass it as an argument")
    if not value.size:
        return f"np.empty({value.shape}, {_dtype(value)})"
    elements = re.sub(r"(nan|inf)", r"np.\1", repr(value.tolist()))
    return f"np.array({elements}, {_dtype(value)})"


def _dtype(value: Any) -> str:
    return "np.bool_" if value.dtype == np.bool_ else f"np.{value.dtype}"


def _value_and_grad(emitted: Emitted, code: Compiled) -> str:
    names = ["value", *_gradient_names(emitted)]
    types = [*leaf_types(emitted.built.result), *_gradient_types(emitted)]
    classes = [f"{place}.__class__" for name, form in emitted.wanted for place in _records(form, name)]
    value, *gradients = (converted(n, t) for n, t in zip(names, types, strict=True))
    parameters = ", ".join(emitted.forms)
    of = ", ".join(name for name, _ in emitted.wanted)
    return f'''def value_and_grad{_signature(emitted)}:
    """The value of {emitted.name}, and its gradient with respect to {of}."""
    {", ".join(names)} = {code.name}(*arguments_of({parameters}))
    return {value}, {_gradient(emitted, gradients, iter(classes))}'''


def _signature(emitted: Emitted) -> str:
    """The parameters of the function, with those defaults that can be written."""
    parameters: list[inspect.Parameter] = []
    for parameter in emitted.signature.parameters.values():
        default: Any = parameter.empty
        if parameter.default is not parameter.empty:
            try:
                default = _Text(_default(parameter.default, parameter.name))
            except (TypingError, ValueError):
                parameters = [before.replace(default=parameter.empty) for before in parameters]
        parameters.append(parameter.replace(default=default, annotation=parameter.empty))
    return str(inspect.Signature(parameters))


class _Text(str):
    """A text that stands for itself in the text of a signature."""

    def __repr__(self) -> str:
        return str(self)


def _default(value: Any, name: str) -> str:
    """An expression for a default. Raises TypingError or ValueError where there is none."""
    if isinstance(value, np.ndarray | np.generic | float):
        return _literal(value, name)
    if ast.literal_eval(repr(value)) != value:
        raise ValueError(value)
    return repr(value)


def _forward(emitted: Emitted, code: Compiled, taken_back: Sequence[Value]) -> str:
    types = leaf_types(emitted.built.result)
    names = [f"value{k}" if len(types) > 1 else "value" for k in range(len(types))]
    shapes = [f"{n}.shape" for n, t in zip(names, types, strict=True) if is_float(t) and isinstance(t, Array)]
    results = (converted(n, t) for n, t in zip(names, types, strict=True))
    value = _rebuilt(emitted.built.result, results, None)
    classes = [f"{place}.__class__" for name, form in emitted.wanted for place in _records(form, name)]
    parameters = ", ".join(emitted.forms)
    call = f"{code.name}(*arguments_of({parameters}))"
    extras = [*shapes, *classes]
    kept = f"({', '.join(extras)}, *kept)" if extras else "(*kept,)"
    taken = f"{', '.join(names)}, *kept = {call}" if code.count > 1 else f"{names[0]}, kept = {call}, ()"
    residuals = [parameter.type for parameter in taken_back[: code.count - len(types)]]
    own = [f"    kept[{k}] = {converted(f'kept[{k}]', t)}\n" for k, t in enumerate(residuals) if is_narrow(t)]
    return f'''def forward{_signature(emitted)}:
    """The value of {emitted.name}, and what `backward` needs."""
    {taken}
{"".join(own)}    return {value}, {kept}'''


def _backward(emitted: Emitted, code: Compiled) -> str:
    result = emitted.built.result
    pairs = zip(_places(result, "value_bar"), leaf_types(result), strict=True)
    seeds = [(place, type_) for place, type_ in pairs if is_float(type_)]
    shapes = [f"shape{k}" for k, (_, type_) in enumerate(seeds) if isinstance(type_, Array)]
    classes = [f"class{k}" for k in range(sum(len(list(_records(form, ""))) for _, form in emitted.wanted))]
    rest = iter(shapes)
    given = "".join(f", {_seed(place, t, next(rest) if isinstance(t, Array) else '')}" for place, t in seeds)
    gradients = [converted(n, t) for n, t in zip(_gradient_names(emitted), _gradient_types(emitted), strict=True)]
    of = ", ".join(name for name, _ in emitted.wanted)
    unpacked = f"    {', '.join([*shapes, *classes])}, *residuals = residuals\n" if shapes or classes else ""
    return f'''def backward(residuals, value_bar):
    """The gradient with respect to {of}, for the cotangent of the value."""
{unpacked}    {", ".join(_gradient_names(emitted))} = {code.name}(*residuals{given})
    return {_gradient(emitted, gradients, iter(classes))}'''


def _seed(place: str, type_: Type, shape: str) -> str:
    """The cotangent of a number or array as generated code takes it; a number serves for all elements of an array."""
    if isinstance(type_, Array):
        return f"np.asarray(np.broadcast_to(np.asarray({place}, np.{type_.dtype}), {shape}), order='C')"
    return f"float({place})" if type_.weak else f"np.{type_.dtype}({place})"


def _arguments(emitted: Emitted, outside: Sequence[str]) -> str:
    """The function that takes arguments apart."""
    parameters = ", ".join(emitted.forms)
    checks = [line for name, form in emitted.forms.items() for line in _checks(form, name)]
    leaves = [place for name, form in emitted.forms.items() for place in _places(form, name)]
    lines = [
        f"def arguments_of({parameters}):",
        '    """The numbers and arrays of a call. TypeError or ValueError: this was not made for such arguments."""',
        *(f"    {line}" for line in checks),
        f"    return {_tuple([*leaves, *outside])}",
    ]
    return "\n".join(lines)


def _checks(form: Form, place: str) -> Iterator[str]:
    """Statements that raise where an argument has another type or structure."""
    match form:
        case Leaf(type=type_):
            ndim = type_.ndim if isinstance(type_, Array) else 0
            yield f"check_argument({place!r}, {place}, {type_.dtype!r}, {ndim}, {isinstance(type_, Array)})"
            return
        case Known(value=value):
            if not (value is None or isinstance(value, str | int | float | bool)):
                reason = f"'{place}' is an object, which stands in no module"
                raise TypingError(reason, None, "emit a function that uses it from outside")
            yield f"if {place} {'is not None' if value is None else f'!= {value!r}'}:"
            yield f"    raise ValueError({f'this was made for {place} = {value!r}'!r})"
            return
        case Mapping_():
            yield f"if {{*{place}}} != {{{', '.join(map(repr, form.keys))}}}:" if form.keys else f"if {place}:"
            yield f"    raise ValueError({f'this was made for a {place} with the keys {form.keys}'!r})"
        case Sequence_():
            yield f"check_record({place!r}, {place}, {form.kind.__name__!r}, {len(form.items)})"
    for item, inner in _items(form, place):
        yield from _checks(inner, item)


def _items(form: Form, place: str) -> list[tuple[str, Form]]:
    """The places and Forms of what a container holds."""
    match form:
        case Mapping_():
            return [(f"{place}[{key!r}]", item) for key, item in zip(form.keys, form.items, strict=True)]
        case Sequence_(names=()):
            return [(f"{place}[{k}]", item) for k, item in enumerate(form.items)]
        case Sequence_():
            return [(f"{place}.{name}", item) for name, item in zip(form.names, form.items, strict=True)]
    return []


def _places(form: Form, place: str) -> Iterator[str]:
    """The expressions for the numbers and arrays of a structure."""
    if isinstance(form, Leaf):
        yield place
    for item, inner in _items(form, place):
        yield from _places(inner, item)


def _records(form: Form, place: str) -> Iterator[str]:
    """The places of the objects whose class makes another one like them, in the order of `_rebuilt`."""
    if isinstance(form, Sequence_) and form.kind not in (tuple, list):
        yield place
    for item, inner in _items(form, place):
        yield from _records(inner, item)


def _rebuilt(form: Form, leaves: Iterator[str], classes: Iterator[str] | None) -> str:
    """The expression for a structure of new leaves; without `classes`, it is a result, of tuples, lists and dicts."""
    match form:
        case Leaf():
            return next(leaves)
        case Known(value=value):
            if classes is None and not (value is None or isinstance(value, str | int | float | bool)):
                raise TypingError("the value holds an object, which stands in no module", None, "return numbers")
            return repr(value) if classes is None else "None"
        case Mapping_():
            items = (_rebuilt(item, leaves, classes) for item in form.items)
            return f"{{{', '.join(f'{k!r}: {item}' for k, item in zip(form.keys, items, strict=True))}}}"
    if form.kind in (tuple, list):
        items_ = [_rebuilt(item, leaves, classes) for item in form.items]
        return _tuple(items_) if form.kind is tuple else f"[{', '.join(items_)}]"
    if classes is None:
        reason = f"the value is a {form.kind.__name__}, which stands in no module"
        raise TypingError(reason, None, "return a tuple or a dict")
    made = next(classes)
    return f"{made}({', '.join(_rebuilt(item, leaves, classes) for item in form.items)})"


def _gradient(emitted: Emitted, leaves: Sequence[str], classes: Iterator[str]) -> str:
    """The expression for the gradient."""
    rest = iter(leaves)
    parts = [_rebuilt(form, rest, classes) for _, form in emitted.wanted]
    return _tuple(parts) if emitted.several else parts[0]


def _gradient_names(emitted: Emitted) -> list[str]:
    """The names of the leaves of the gradient."""
    return [f"{emitted.built.function.parameters[k].name}_bar" for k in emitted.numbers]


def _gradient_types(emitted: Emitted) -> list[Type]:
    return [type_ for _, form in emitted.wanted for type_ in leaf_types(form)]


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' * (len(items) == 1)})"

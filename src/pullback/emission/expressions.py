"""Operands and operations as gast expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast
import numpy as np

from pullback import runtime
from pullback.emission import spelling
from pullback.emission.numba_linalg import in_numba
from pullback.emission.spelling import attribute, call, constant, name, tuple_
from pullback.ir import primitives
from pullback.ir.identities import Identity
from pullback.ir.nodes import (
    UNDEFINED,
    Call,
    Constant,
    Index,
    Let,
    Operand,
    Permute,
    Reshape,
    Slice,
    Value,
    is_scalar,
    results_of,
)
from pullback.ir.types import INT, Array, Scalar, Type

_NARROW = {"int8", "int16", "int32", "uint8", "uint16", "uint32"}
VECTOR_LIBRARY = "vm"
"""What generated modules call the vector math library."""


class Expressions:
    """Writes operands: a value is its name, or the expression that stands for it."""

    def __init__(
        self,
        names: dict[Value, str],
        inlined: dict[Value, Let],
        compiled: bool,
        vector: bool,
        exact: bool,
        reductions: frozenset[Value],
        non_negative: frozenset[Value],
        one_by_one: frozenset[Value],
        classes: Mapping[type, str],
        writers: Mapping[Any, Callable[[Expressions, Let], Any]],
    ) -> None:
        """`classes` names the exceptions that are not built in; the rest is what `emit_function` found out.

        one_by_one: the powers for which the vector math library takes longer than C's.

        writers: what writes operations that are not calls.
        """
        self.names, self.inlined, self.compiled = names, inlined, compiled
        self.vector, self.exact = vector, exact
        self.reductions, self.non_negative, self.one_by_one = reductions, non_negative, one_by_one
        self.classes = classes
        self.writers = writers
        self.helpers: set[str] = set()
        self.modules: set[str] = set()

    def operand(self, operand: Operand) -> Any:
        match operand:
            case Value():
                if operand in self.inlined:
                    return self.let(self.inlined[operand])
                return name(self.names[operand])
            case Constant():
                return self.constant(operand)
            case tuple():
                return self.sequence(operand)
        raise AssertionError(f"{operand!r} cannot be written")

    def constant(self, operand: Constant) -> Any:
        if operand.value is UNDEFINED:
            return self.placeholder(operand.type)
        if operand.type is not None:
            return spelling.typed_number(operand)
        if isinstance(operand.value, type):
            return self.kind(operand.value)
        if isinstance(operand.value, np.dtype):
            return attribute(name("np"), operand.value.name)
        if isinstance(operand.value, tuple):
            return tuple_([constant(item) for item in operand.value])
        return constant(operand.value)

    def kind(self, kind: type) -> Any:
        """A class of exceptions; one of the helpers' own is imported."""
        if getattr(runtime, kind.__name__, None) is kind:
            self.helpers.add(kind.__name__)
        return name(self.classes.get(kind, kind.__name__))

    def placeholder(self, type_: Type | None) -> Any:
        """A value for a variable that nobody reads."""
        assert type_ is not None, "an undefined value has a type"
        if isinstance(type_, Array):
            shape = tuple_([constant(0)] * type_.ndim)
            return call(attribute(name("np"), "empty"), shape, dtype=dtype_(type_.dtype))
        zero = {"f": 0.0, "c": 0j, "b": False}.get(type_.dtype[0], 0)
        return spelling.typed_number(Constant(zero, type_))

    def sequence(self, items: tuple[Operand, ...]) -> Any:
        """A tuple; all sizes of one array are its shape."""
        inlined = [self.inlined.get(i) for i in items if isinstance(i, Value)]
        dims = [let for let in inlined if let is not None and let.function is primitives.dim]
        if items and len(dims) == len(items):
            array = dims[0].operands[0]
            axes = [(d.operands[0] is array, d.operands[1].value) for d in dims]
            if axes == [(True, k) for k in range(array.type.ndim)]:
                return attribute(self.operand(array), "shape")
        return tuple_([self.operand(item) for item in items])

    def let(self, statement: Let) -> Any:
        """The right-hand side of a statement."""
        function, operands = statement.function, statement.operands
        if isinstance(function, Identity):
            return self.operand(operands[0])
        writer = self.writers.get(function)
        if writer is not None:
            return writer(self, statement)
        if statement.value in self.reductions:
            return self.sum(statement)
        if self.vector and spelling.has_vector(function, operands) and statement.value not in self.one_by_one:
            return self.of_library(VECTOR_LIBRARY, function.__name__, operands)
        library, _, own_name = spelling.library_for(statement, self.compiled, self.exact).partition(".")
        if own_name:
            return self.of_library(library, own_name, operands)
        helper = self.of_helper(statement)
        if helper is not None:
            return helper
        if self.compiled and spelling.is_of_special(function):
            return self.of_library("special", function.__name__, operands)
        if function in spelling.BINARY and not self.divides_integers(statement):
            left, right = self.operands(statement)
            return self.narrowed(gast.BinOp(left, spelling.BINARY[function](), right), statement.value.type)
        if function in spelling.COMPARISONS:
            left, right = self.operands(statement)
            return gast.Compare(left, [spelling.COMPARISONS[function]()], [right])
        if self.compiled and function is np.invert and operands[0].type.dtype == "bool" and is_scalar(operands[0]):
            return gast.UnaryOp(gast.Not(), self.operand(operands[0]))  # without Numba it may be a bool of Python's
        if function in spelling.UNARY:
            return self.narrowed(
                gast.UnaryOp(spelling.UNARY[function](), self.operand(operands[0])), statement.value.type
            )
        return self.called(statement)

    def divides_integers(self, statement: Let) -> bool:
        """Whether Python's numbers are divided by an integer, which raises an error where NumPy has an infinity."""
        a, b = statement.operands
        by_zero = not isinstance(b, Constant) or b.value == 0
        of_python = isinstance(a, Constant) or a.type == INT
        return not self.compiled and statement.function is np.true_divide and by_zero and of_python and b.type == INT

    def operands(self, statement: Let) -> list[Any]:
        """The operands of a function; NumPy would take Python's numbers in the dtype of what they meet."""
        written = [self.operand(operand) for operand in statement.operands]
        if self.compiled:
            return written
        pairs = zip(statement.operands, written, spelling.widening_numbers(statement), strict=True)
        return [call(dtype_(o.type.dtype), w) if widens else w for o, w, widens in pairs]

    def narrowed(self, value: Any, type_: Type) -> Any:
        """An integer in its own dtype: Numba computes with 64 bits where NumPy wraps around."""
        if self.compiled and isinstance(type_, Scalar) and type_.dtype in _NARROW:
            return call(dtype_(type_.dtype), value)
        return value

    def sum(self, statement: Let) -> Any:
        """A running total whose order of additions the compiler may choose."""
        total, addend = (self.operand(operand) for operand in statement.operands)
        if statement.function is np.subtract:
            addend = gast.UnaryOp(gast.USub(), addend)
        return self.helper(runtime.plus, [total, addend])

    def of_helper(self, statement: Let | Call) -> Any:
        """A call of the helper that stands for a function in compiled code; None where there is none."""
        if not self.compiled:
            return None
        found = spelling.runtime_for(statement.function, statement.operands, statement.keywords)
        return None if found is None else self.helper(found[0], [self.operand(argument) for argument in found[1]])

    def called(self, statement: Let | Call) -> Any:
        assert not isinstance(statement.function, str), "a callee is called by its name"
        split = len(statement.operands) - len(statement.keywords)
        written = self.operands(statement) if isinstance(statement, Let) else [*map(self.operand, statement.operands)]
        arguments, keywords = written[:split], dict(zip(statement.keywords, written[split:], strict=True))
        if "dtype" in keywords:
            operand = statement.operands[split + statement.keywords.index("dtype")]
            keywords["dtype"] = dtype_(np.dtype(operand.value).name)
        module = getattr(statement.function, "__module__", "") or ""
        if module.startswith("pullback.runtime"):
            return self.helper(statement.function, arguments)
        module, written_name = spelling.public_name(statement.function)
        of_numpy = module == "numpy.linalg" and not in_numba(statement.function, statement.operands, statement.keywords)
        if self.compiled and (module.startswith("scipy.") or of_numpy):
            return self.by_python(statement, written_name)
        if not module.startswith("numpy"):
            self.modules.add(module)
        return call(written_name, *arguments, **keywords)

    def by_python(self, statement: Let | Call, function: Any) -> Any:
        """A call that Python makes, as compiled code has no body for it: see `runtime.python.libraries`."""
        given: list[Value] = []

        def placed(operand: Operand) -> Any:
            if isinstance(operand, tuple):
                return tuple_([placed(item) for item in operand])
            if isinstance(operand, Value):
                given.append(operand)
                return name(f"_{len(given) - 1}")
            return self.constant(operand)

        split = len(statement.operands) - len(statement.keywords)
        written = [placed(operand) for operand in statement.operands]
        keywords = dict(zip(statement.keywords, written[split:], strict=True))
        text = gast.unparse(call(function, *written[:split], **keywords)).strip()
        results = ", ".join(str(value.type) for value in results_of(statement))
        results = results if isinstance(statement, Let) else f"({results})"
        taken = ", ".join(str(value.type) for value in given)
        whole = constant(f"{text}: ({taken}) -> {results}")
        return self.helper(runtime.call_library, [whole, *map(self.operand, given)])

    def helper(self, function: Callable[..., Any], arguments: list[Any]) -> Any:
        self.helpers.add(function.__name__)
        return call(name(function.__name__), *arguments)

    def of_library(self, library: str, own_name: str, operands: tuple[Operand, ...]) -> Any:
        """A call of a function of one of the libraries of elementary functions."""
        self.helpers.add(library)
        return call(attribute(name(library), own_name), *map(self.operand, operands))

    # Parts of arrays

    def part(self, array: Any, path: tuple[Any, ...], ranked: bool = True) -> Any:
        """`array[i, j]`, `array.T[i]`; `ranked` says that it is not 0-d."""
        for step in path:
            match step:
                case Index((Constant() as only,)) if only.value is Ellipsis and (ranked or self.compiled):
                    everything = gast.Slice(None, None, None) if ranked else tuple_([])  # Numba cannot read x[...]
                    array = gast.Subscript(array, everything, gast.Load())
                case Index(items):
                    array = gast.Subscript(array, self.index(items), gast.Load())
                case Permute(axes):
                    array = self.permuted(array, axes)
                case Reshape(shape):
                    array = call(attribute(array, "reshape"), self.sequence(shape))
        return array

    def permuted(self, array: Any, axes: tuple[int, ...]) -> Any:
        if axes == tuple(reversed(range(len(axes)))):
            return attribute(array, "T")
        order = tuple_([constant(axis) for axis in axes])
        if self.compiled:  # Numba's own np.transpose takes two seconds to compile.
            return self.helper(runtime.transpose, [array, order])
        return call(attribute(name("np"), "transpose"), array, order)

    def index(self, items: tuple[Any, ...]) -> Any:
        parts = [self.item(item) for item in items]
        return parts[0] if len(parts) == 1 else tuple_(parts)

    def item(self, item: Any) -> Any:
        if not isinstance(item, Slice):
            # Unsigned: Numba does not ask whether it counts from the end.
            return call(dtype_("uint64"), self.operand(item)) if item in self.non_negative else self.operand(item)
        bounds = [None if part is None else self.operand(part) for part in (item.start, item.stop, item.step)]
        return gast.Slice(*bounds)

    def index_tuple(self, path: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        """The path before its last index, and that index as a tuple for the helpers."""
        *before, last = path
        parts = []
        for item in last.items:
            if isinstance(item, Slice):
                bounds = [item.start, item.stop, item.step]
                parts.append(call(name("slice"), *(constant(None) if b is None else self.operand(b) for b in bounds)))
            else:
                parts.append(self.operand(item))
        return tuple(before), tuple_(parts)


def dtype_(dtype: Any) -> Any:
    text = np.dtype(dtype).name
    return attribute(name("np"), "bool_" if text == "bool" else text)

"""What is at hand while a function is read: the open block, the state of names and cells, the functions being read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from pullback.errors import LanguageError, Location, Problem, PullbackError, TypingError
from pullback.frontend.source.outside import Dependency, Shape, place_key
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    Conflict,
    DictRef,
    Key,
    ListRef,
    MaybeUnset,
    Range,
    Stack,
    Static,
    Text,
    TupleValue,
)
from pullback.frontend.values.captures import Capture
from pullback.frontend.values.described import described, described_value
from pullback.frontend.values.frames import Frame
from pullback.frontend.values.kinds import Kinds
from pullback.frontend.values.state import State
from pullback.frontend.values.stored_integers import as_item
from pullback.frontend.values.views import merged
from pullback.frontend.values.watching import Watching
from pullback.functions.objects import title_of
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.infer import infer
from pullback.ir.nodes import NOWHERE, Constant, Index, Operand, Permute, Reshape, Slice, Step, Value, values_in
from pullback.ir.types import INT, Array, Scalar, is_complex, within

WHOLE = Index((Constant(Ellipsis),))


class Pending(Exception):
    """A variable is read, at a node, that an earlier iteration sets; the first reading of the loop does not know it."""

    def __init__(self, key: Key, node: Any = None) -> None:
        super().__init__(key[1])
        self.key, self.node = key, node

    @property
    def problem(self) -> tuple[str, str]:
        """What is wrong where no iteration sets the variable before it is read, and what to do."""
        name = self.key[1]
        return f"'{name}' has no value here", f"assign '{name}' before this line, on every path that leads here"


class AttributeAssigned(Exception):
    """An attribute is assigned to an object of a class that was taken for one whose objects stay as they are made."""

    def __init__(self, kind: type) -> None:
        super().__init__(kind.__name__)
        self.kind = kind


class StaticNeeded(Exception):
    """A number is needed before the run; `parameter` is the argument that carries it, if it is one."""

    def __init__(self, value: Value, error: PullbackError) -> None:
        super().__init__(str(error))
        self.value, self.error = value, error


class Context:
    """The reader's working state. The State inside is copied at branches; everything else only grows.

    loops: those around what is read. copies: how many iterations those over known numbers among them have
    together. written: the cells that each loop was found to write.
    fixed: the places of the numbers from outside that are constants; None where all of them are. given: the values of a
    rule's arguments. rules, primals: the rules of users that are being read, and those whose functions are.
    returned: functions that have ended, but whose nested functions may be called. in_text_of_ours: what is read belongs
    to a function of ours, whose names are not the user's. mixes_truth_values: somewhere a truth value is Python's on
    one path, and NumPy's on another. classes: those that functions define, by frame and code. kinds: what is known of
    classes whose objects are made.
    """

    def __init__(
        self, evaluate: Callable[[Context, Any], Binding], execute: Callable[[Context, list[Any]], None]
    ) -> None:
        self._evaluate, self._execute = evaluate, execute
        self.builder = Builder()
        self.state = State()
        self.frames: list[Frame] = []
        self.returned: dict[int, Frame] = {}
        self.frame_count = 0
        self.dependencies: dict[Any, Dependency] = {}
        self.captures: dict[Any, tuple[Capture, Binding]] = {}
        self.fixed: frozenset[Any] | None = None
        self.callees: dict[Any, Any] = {}
        self.pending: set[Key] = set()
        self.fixed_location: Location | None = None
        self.in_text_of_ours = False
        self.given: frozenset[Value] = frozenset()
        self.watching, self.copies = Watching(), 1
        self.loops: tuple[Any, ...] = ()
        self.rules: tuple[Any, ...] = ()
        self.primals: tuple[Any, ...] = ()
        self.at_return: tuple[Any, Callable[[Binding], None]] | None = None
        self.written: dict[Location, tuple[Cell, ...]] = {}
        self.mixes_truth_values = False
        self.classes: dict[Any, type] = {}
        self.kinds = Kinds()

    def inner(self) -> Context:
        """A reader for a function of its own, which shares what is known of recursive functions."""
        context = type(self)(self._evaluate, self._execute)
        context.callees, context.kinds = self.callees, self.kinds
        return context

    def beside(self) -> Context:
        """A reader for what a rule says of a call, which uses the same things from outside."""
        context = self.inner()
        context.captures, context.fixed = self.captures, self.fixed
        context.rules, context.primals = self.rules, self.primals
        return context

    def forget_places(self) -> None:
        """End of reading: what rules are still to be read by must not keep alive what the function uses."""
        for key, (capture, binding) in self.captures.items():
            self.captures[key] = Capture(None, capture.name, capture.parameter, capture.changes), binding

    def evaluate(self, node: Any) -> Binding:
        """What an expression stands for."""
        return self._evaluate(self, node)

    def execute(self, statements: list[Any]) -> None:
        """Read statements: what they compute is appended to the open block."""
        self._execute(self, statements)

    def depend(self, *dependencies: Dependency) -> None:
        """Note what was looked up outside; one note for each place and what stood there."""
        for dependency in dependencies:
            value = dependency.value
            told = value if isinstance(value, Array | Scalar | Shape) else id(value)
            self.dependencies[place_key(dependency.namespace, dependency.name), told] = dependency

    # Places and errors

    @property
    def depth(self) -> int:
        """How many loops are around what is read."""
        return len(self.loops)

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def location(self, node: Any) -> Location:
        """Where a node stands; inside the body of a rule, the place that the rule is applied at."""
        if self.fixed_location is not None:
            return self.fixed_location
        source = self.frame.source if self.frames else None
        return source.location(node) if source is not None and hasattr(node, "lineno") else NOWHERE

    def refuse(self, node: Any, reason: str, remedy: str = "") -> NoReturn:
        raise LanguageError([Problem(self.location(node), reason, remedy)])

    def mistyped(self, node: Any, reason: str, remedy: str = "") -> NoReturn:
        raise TypingError(reason, self.location(node), remedy)

    # Reading bindings

    def version(self, cell: Cell, node: Any) -> Any:
        """The present version of a cell."""
        self.check_fresh(cell, node)
        if cell not in self.state.cells:  # captured inside a branch that was left
            parameter = next(capture.parameter for capture, ref in self.captures.values() if ref == ArrayRef(cell))
            return self.watching.shown(parameter)
        return self.state.cells[cell]

    def check_fresh(self, cell: Cell, node: Any) -> None:
        """Refuse to read what a write to another array may have changed."""
        if cell in self.state.stale:
            which = "arrays" if isinstance(self.state.cells.get(cell), Value) else "two"
            self.refuse(node, self.state.stale[cell], f"copy one of the {which} first, as in y = x.copy()")

    def type_of(self, cell: Cell, node: Any) -> Any:
        """The type of an array, without a look at its present version."""
        content = self.state.cells.get(cell)
        return content.type if content is not None else self.version(cell, node).type

    def settled_unless_none(self, binding: Binding, node: Any, name: str = "") -> Binding:
        """The same, but for what is None on some path: that may be passed on, and compared with None."""
        is_none = isinstance(binding, MaybeUnset) and binding.is_none
        return binding if is_none else self.settled(binding, node, name)

    def settled(self, binding: Binding, node: Any, name: str = "") -> Binding:
        """The binding, once it is sure that it has a value."""
        if isinstance(binding, MaybeUnset):
            error: type[Exception] = TypeError if binding.is_none else UnboundLocalError
            message = f"cannot access local variable '{name}' where it is not associated with a value"
            if binding.is_none:
                message = f"{binding.name or name or 'a value'} is None here"
            with self.builder.at(self.location(node)):
                self.builder.effect(primitives.check, binding.flag, Constant(error), Constant(message))
            return binding.binding
        if isinstance(binding, Conflict):
            self.refuse(node, binding.reason, binding.remedy)
        return binding

    def read(self, ref: ArrayRef, node: Any) -> Value:
        """The present value of a view: the version itself, or a load of the part that the path names."""
        return self.along(self.version(ref.cell, node), ref.path, node)

    def along(self, value: Value, path: tuple[Step, ...], node: Any) -> Value:
        """The part of a value that a path names."""
        indices: list[Step] = []
        for step in path:
            if isinstance(step, Index):
                indices.append(step)
                continue
            value, indices = self._part(value, indices, node), []
            if isinstance(step, Permute):
                value = self.let(node, np.transpose, value, tuple(Constant(axis, INT) for axis in step.axes))
            elif isinstance(step, Reshape):
                value = self.let(node, np.reshape, value, step.shape)
        return self._part(value, indices, node)

    def _part(self, value: Value, indices: list[Step], node: Any) -> Value:
        if not indices:
            return value
        try:
            with self.builder.at(self.location(node)):
                return self.builder.load(value, merged(tuple(indices)))
        except IndexError as error:
            self.mistyped(node, str(error))

    def let(self, node: Any, function: Callable[..., Any], *operands: Operand, keywords: tuple[str, ...] = ()) -> Value:
        with self.builder.at(self.location(node)):
            return self.builder.let(function, *operands, keywords=keywords)

    def operand(self, binding: Binding, node: Any) -> Operand:
        """A number or array as an operand; lists and tuples of numbers become arrays."""
        match binding:
            case Value() | Constant():
                return binding
            case ArrayRef():
                value = self.read(binding, node)
                if isinstance(value.type, Array) and value.type.ndim == 0:
                    return self._part(value, [Index(())], node)
                return value
            case TupleValue() | ListRef():
                self.check_plain(binding, node)
                return self.array_of(binding, node)
            case Range(start=start, stop=stop, step=step):
                return self.let(node, np.arange, start, stop, step)
            case MaybeUnset() | Conflict():
                return self.operand(self.settled(binding, node), node)
            case Static(value=None, why=(reason, remedy)):
                self.mistyped(node, f"None is not a number or an array{reason}", remedy)
            case Static():
                self.mistyped(node, f"{described_value(binding.value)} is not a number or an array")
            case Text():
                self.mistyped(node, "a string is not a number or an array")
        self.mistyped(node, f"{described(binding)} cannot be used as a number or an array")

    def array_of(self, binding: Binding, node: Any) -> Value:
        """A fresh array of the numbers in a (nested) list or tuple."""
        if isinstance(binding, ListRef):
            content = self.version(binding.cell, node)
            if isinstance(content, Stack):
                if content.form is not None and content.form.is_of_objects:
                    self.mistyped(node, f"{described(binding)} of objects cannot be used as an array")
                part = Index((Slice(None, content.length, None),))
                return self.let(node, primitives.copy, self.let(node, primitives.load, content.buffer, (part,)))
        return self._joined(self.nested_operands(binding, node), node)

    def _joined(self, items: tuple[Operand, ...], node: Any) -> Value:
        """An array of numbers, or of arrays and of rows of them."""
        whole = any(isinstance(value.type, Array) for value in values_in(items))
        rows = tuple(self._joined(i, node) if whole and isinstance(i, tuple) else i for i in items)
        try:
            return self.let(node, np.stack if whole else np.array, rows)
        except ValueError as error:
            self.mistyped(node, str(error))

    def nested_operands(self, binding: Binding, node: Any) -> tuple[Operand, ...]:
        return tuple(
            self.nested_operands(item, node) if isinstance(item, TupleValue | ListRef) else self.operand(item, node)
            for item in self.items(binding, node)
        )

    def items(self, binding: Binding, node: Any) -> tuple[Binding, ...]:
        """The items of a tuple, or of a list whose length is known before the run."""
        binding = self.settled(binding, node)
        if isinstance(binding, TupleValue):
            self.check_plain(binding, node)
        if isinstance(binding, TupleValue) and binding.is_sequence:
            return binding.items
        if isinstance(binding, ListRef):
            content = self.version(binding.cell, node)
            if isinstance(content, tuple):
                return content
            reason, remedy = "the length of this list is a matter of the run", "use an array, or index the list"
            if content.repeated is not None:
                problem = Problem(self.location(node), reason, remedy)
                raise StaticNeeded(content.repeated, LanguageError([problem]))
            self.refuse(node, reason, remedy)
        self.mistyped(node, f"cannot take items from {described(binding, self.state)}")

    def check_plain(self, binding: Binding, node: Any) -> None:
        """Refuse an object that is followed as a record of ours where it is taken for a tuple or an array."""
        title = title_of(binding.kind) if isinstance(binding, TupleValue) else ""
        if title:
            self.refuse(
                node, f"{title} cannot be used in this way", "call its methods that are followed, or use arrays"
            )

    def scalar(self, binding: Binding, node: Any) -> Value | Constant:
        operand: Value | Constant = self.operand(binding, node)
        if isinstance(operand.type, Scalar):
            return operand
        self.mistyped(node, "a single number is needed here, not an array", "index the array, or reduce it first")

    def check_shape(self, value: Operand, like: Operand, message: str, node: Any) -> None:
        """Let the run raise ValueError where an array of the same rank has other sizes than another one."""
        with self.builder.at(self.location(node)):
            for given, due in zip(self.builder.dims(value), self.builder.dims(like), strict=True):
                fits = self.builder.let(np.equal, given, due)
                self.builder.effect(primitives.check, fits, Constant(ValueError), Constant(message))

    # Making bindings

    def bind(self, value: Value | Constant, name: str = "") -> Binding:
        """A number as it is; an array in a cell of its own."""
        if isinstance(value, Value) and isinstance(value.type, Array):
            cell = Cell(name or value.name)
            self.state.cells[cell] = value
            return ArrayRef(cell)
        return value

    def new_list(self, items: tuple[Binding, ...], name: str = "") -> ListRef:
        cell = Cell(name)
        self.state.cells[cell] = items
        return ListRef(cell)

    def copied_list(self, source: ListRef, content: Any) -> ListRef:
        """A new list of the items of another one, or of some of them."""
        made = self.new_list(content)
        if not isinstance(content, tuple):
            self.state.copy_items(made.cell, source.cell)
        return made

    def named(self, binding: Binding, name: str) -> Binding:
        """The binding under the user's name, if it was made just now and has none."""
        if isinstance(binding, Value):
            return binding if self.in_text_of_ours or binding in self.given else binding.called(name)
        if self.in_text_of_ours:
            return binding
        if isinstance(binding, ListRef | DictRef) and not binding.cell.name:
            binding.cell.name = name
        if isinstance(binding, ArrayRef) and not binding.path and not binding.cell.name:
            array = self.state.cells[binding.cell]
            if array not in self.given:
                array.called(name)
            binding.cell.name = name
        return binding

    def store(
        self,
        ref: ArrayRef,
        path: tuple[Step, ...],
        value: Operand,
        node: Any,
        function: Callable[..., Any] = primitives.store,
    ) -> None:
        """Write `value` to a part of what `ref` views; `function` may add instead."""
        self.check_writable(ref.cell, node)
        self.overwrite(ref, path, value, node, function)

    def overwrite(
        self, ref: ArrayRef, path: tuple[Step, ...], value: Operand, node: Any, function: Callable[..., Any]
    ) -> None:
        """Write to memory that may be written."""
        cell = ref.cell
        array = self.version(cell, node)
        full = (*ref.path, *path)
        if not full or not isinstance(full[-1], Index):
            full = (*full, WHOLE)
        try:
            part = infer(primitives.load, (array, merged(full)))
        except IndexError as error:
            self.mistyped(node, str(error))
        with self.builder.at(self.location(node)):
            value = self._fitting(value, part, node)
            stored = self.builder.let(function, array, merged(full), value, name=cell.name)
        self.state.cells[cell] = stored

    def _fitting(self, value: Operand, part: Any, node: Any) -> Operand:
        """The value in the dtype of the array that it is written to."""
        rank = getattr(value.type, "ndim", 0)
        if rank > getattr(part, "ndim", 0):
            self.mistyped(node, f"cannot write an array of {rank} dimensions here", "index it, or reduce it first")
        if value.type.dtype == part.dtype:
            return value
        if isinstance(value, Constant):
            self.check_fits(value, part.dtype, node)
        if is_complex(value.type) and not is_complex(part):
            reason = f"an array of {part.dtype} cannot take complex numbers"
            self.mistyped(node, reason, "make it a complex array, or write the real part")
        if isinstance(value, Constant) and part.dtype in ("float64", "complex128"):
            python = float if part.dtype == "float64" else complex
            return Constant(python(value.value), Scalar(part.dtype, weak=True))
        if isinstance(value, Value) and isinstance(value.type, Scalar) and np.dtype(part.dtype).kind in "iu":
            value = as_item(self.builder, value, part.dtype)
        return self.builder.cast(value, part.dtype)

    def check_fits(self, number: Constant, dtype: str, node: Any) -> None:
        """TypingError where NumPy has an OverflowError: for a Python integer beyond the range of a dtype."""
        is_python = isinstance(number.value, int) and getattr(number.type, "weak", False)
        if is_python and np.dtype(dtype).kind in "iu" and within(number.value, dtype) != number.value:
            self.mistyped(node, f"the Python integer {number.value} is out of bounds for {dtype}")

    def check_writable(self, cell: Cell, node: Any) -> None:
        """Refuse a write whose target is not sure, and mark what may share its memory."""
        if cell.constant:
            self.refuse(node, cell.constant, "pass the array as an argument and return the changed copy")
        if cell.outside:
            self.refuse(node, cell.outside, "start from a copy, as in y = x.copy()")
        is_list = not isinstance(self.state.cells.get(cell), Value)
        for other in self.state.linked.get(cell, ()):
            if is_list and isinstance(self.state.cells.get(other), Value):
                continue  # a list takes another item, and its arrays stay as they are
            if is_list and not isinstance(self.state.cells.get(other), Value):
                name = f"'{other.name}'" if other.name else "a list or dict"
                changed = f"'{cell.name}'" if cell.name not in ("", other.name) else "another one"
                self.state.stale[other] = f"{name} may be, or hold, the same as {changed}, which was changed"
                continue
            other_name = other.name or "another array"
            self.state.stale[other] = (
                f"'{other_name}' may or may not share the memory of '{cell.name or 'an array'}', which was written"
            )

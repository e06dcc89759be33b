"""Calls of a tape's methods: `watch` gives values that it follows, `gradient` asks for statements by each source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from pullback.frontend.derivatives.made import looked_at
from pullback.frontend.tapes.blocks import Tape, follow, recorded, rename, stop
from pullback.frontend.values.bindings import ArrayRef, Binding, Cell, DictRef, ListRef, Static, TapeRef, TupleValue
from pullback.frontend.values.context import Context
from pullback.functions import is_constant
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, Let, Operand, Value, results_of
from pullback.ir.reach import reached
from pullback.ir.types import Array, Scalar, is_float


def call_tape(
    context: Context,
    ref: TapeRef,
    name: str,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """`tape.name(*arguments, **keywords)`."""
    method = _METHODS.get(name)
    if method is None:
        context.refuse(
            node,
            f"'{name}' of a tape cannot be followed in a differentiated function",
            "use watch and gradient here, or the tape around a call of the function",
        )
    takes, function = method
    if len(arguments) > len(takes):
        context.mistyped(node, f"{name}() takes {len(takes)} arguments but {len(arguments)} were given")
    given = dict(zip(takes, arguments, strict=False))
    for keyword, value in keywords.items():
        if keyword not in takes or keyword in given:
            context.mistyped(node, f"{name}() got an unexpected argument '{keyword}'")
        given[keyword] = value
    return function(context, ref.tape, node, **given)


def _watch(context: Context, tape: Tape, node: Any, tensor: Binding | None = None) -> Binding:
    if tensor is None:
        context.mistyped(node, "watch() is missing its argument")
    if not tape.recording or context.builder.statements is not tape.statements:
        context.refuse(
            node,
            "what a tape watches must be known before the run",
            "call watch in the block of the tape itself, outside of branches and loops",
        )
    _watch_all(context, tape, tensor, node)
    return Static(None)


def _watch_all(context: Context, tape: Tape, binding: Binding, node: Any) -> None:
    match binding:
        case TupleValue() | ListRef():
            for item in context.items(binding, node):
                _watch_all(context, tape, item, node)
        case DictRef():
            for _, item in context.version(binding.cell, node):
                _watch_all(context, tape, item, node)
        case ArrayRef(cell=cell, path=()) if is_float(context.version(cell, node).type):
            if cell not in tape.sources:
                context.state.settle(cell, "an array that a tape watches may be one of several here")
                context.state.cells[cell] = follow(context, tape, cell, context.version(cell, node), node)
        case Value() if is_float(binding.type):
            root = context.watching.history(binding)[-1]
            if root not in tape.sources:
                rename(context, {binding: follow(context, tape, root, binding, node)})
        case Constant(value=float()):
            _follow_number(context, tape, binding, node)
        case _:
            remedy = "watch a float or a whole array of floats: a part is one after part = x[1:].copy()"
            context.mistyped(node, f"{_described(binding)} cannot be watched", remedy)


def _follow_number(context: Context, tape: Tape, number: Constant, node: Any) -> None:
    """A number that is known before the run, by the variable that holds it."""
    argument = node.args[0] if node.args else node.keywords[0].value
    if not isinstance(argument, gast.Name):
        context.refuse(node, "this number is known before the run", "give it a name of its own, and watch that")
    key = (context.frame.number, argument.id)
    new = follow(context, tape, key, number, node).called(argument.id)
    tape.sources[new] = new
    del tape.renamed[new], context.watching.originals[new]
    context.state.names[key] = new


def _described(binding: Binding) -> str:
    match binding:
        case ArrayRef(path=(_, *_)):
            return "a part of an array"
        case ArrayRef() | Value() | Constant():
            return "what is not made of floats"
        case Static(value=value):
            return repr(value)
    return "this"


# Gradients


def _gradient(
    context: Context,
    tape: Tape,
    node: Any,
    target: Binding | None = None,
    sources: Binding | None = None,
    output_gradients: Binding | None = None,
    unconnected_gradients: Binding | None = None,
) -> Binding:
    if target is None or sources is None:
        context.mistyped(node, "gradient() needs a target and sources")
    if not tape.persistent and (tape in context.state.spent or context.depth > tape.depth):
        context.refuse(
            node,
            "this tape is asked for a gradient more than once",
            "ask once, with a list of sources, or write GradientTape(persistent=True)",
        )
    context.state.spent |= {tape}
    if tape.recording and not tape.persistent:
        stop(context, tape)
    if not context.builder.is_open(tape.statements):
        context.refuse(
            node, "the block of this tape is not on every path that leads here", "ask for the gradient beside the block"
        )
    asked = _Request(context, tape, node, _zeros_wanted(context, unconnected_gradients, node))
    asked.add_targets(target, output_gradients)
    looked_at(context, target, tape.nan, node)
    return looked_at(context, asked.by(sources), tape.nan, node)


def _zeros_wanted(context: Context, given: Binding | None, node: Any) -> bool:
    if given is None:
        return False
    chosen = getattr(given, "value", None)
    name = getattr(chosen, "value", chosen)
    if name not in ("none", "zero"):
        context.mistyped(node, "unconnected_gradients is 'none' or 'zero'")
    return bool(name == "zero")


class _Request:
    """One call of `tape.gradient`: targets with cotangents, then a gradient by each source."""

    def __init__(self, context: Context, tape: Tape, node: Any, zeros: bool) -> None:
        self.context, self.tape, self.node, self.zeros = context, tape, node, zeros
        self.number = context.watching.number()
        self.recorded = recorded(tape)
        self.targets: list[Value] = []
        self.seeds: list[Operand] = []
        self.made_in_block = {v for statement in tape.statements for v in results_of(statement)}

    def add_targets(self, target: Binding, seed: Binding | None) -> None:
        context = self.context
        if isinstance(target, TupleValue | ListRef | DictRef):
            seeds: Any = [None] * len(self.items(target)) if seed in (None, Static(None)) else self.items(seed)
            if len(seeds) != len(self.items(target)):
                context.mistyped(self.node, "output_gradients has another number of items than the targets")
            for item, part in zip(self.items(target), seeds, strict=True):
                self.add_targets(item, part)
            return
        if isinstance(target, ArrayRef) and target.path:
            context.refuse(
                self.node, "a part of an array is no target", "copy it in the tape's block, as in part = y[1:].copy()"
            )
        value = self.source(target) if self.is_source(target) else context.operand(target, self.node)
        if not isinstance(value, Value) or value not in self.recorded:
            if self.tape.recording and isinstance(value, Value) and value not in self.made_in_block:
                self.check_outside(target, value)
            return
        self.check_place(value, "the target")
        self.targets.append(value)
        self.seeds.append(Constant(None) if seed in (None, Static(None)) else self.seed(value, seed))

    def check_outside(self, target: Binding, value: Value) -> None:
        """Refuse a target that is computed deeper in the tape's block, of what the tape may follow."""
        if self.context.builder.statements is not self.tape.statements and is_float(value.type):
            self.refuse_place("the target")

    def check_place(self, value: Value, what: str) -> None:
        if value not in self.made_in_block:
            self.refuse_place(what)

    def refuse_place(self, what: str) -> None:
        self.context.refuse(
            self.node,
            f"{what} is computed in a branch or loop inside of the tape's block",
            "put the block of the tape, and the gradient, into that branch or loop",
        )

    def items(self, binding: Binding) -> tuple[Binding, ...]:
        if isinstance(binding, DictRef):
            return tuple(item for _, item in self.context.version(binding.cell, self.node))
        return self.context.items(binding, self.node)

    def seed(self, target: Value, given: Binding) -> Operand:
        """A cotangent in the dtype of its target; its shape must be the same."""
        context, node = self.context, self.node
        seed = context.operand(given, node)
        if isinstance(seed.type, Array) != isinstance(target.type, Array) or (
            isinstance(seed.type, Array) and seed.type.ndim != target.type.ndim
        ):
            context.mistyped(node, "an output gradient has another number of dimensions than its target")
        if seed.type.dtype != target.type.dtype:
            with context.builder.at(context.location(node)):
                seed = context.builder.cast(seed, target.type.dtype)
        context.check_shape(seed, target, "an output gradient has another shape than its target", node)
        return seed

    def by(self, sources: Binding) -> Binding:
        """The gradients, in the structure of the sources."""
        match sources:
            case TupleValue():
                return replace(sources, items=tuple(self.by(item) for item in sources.items), over=())
            case ListRef():
                return self.context.new_list(tuple(self.by(item) for item in self.items(sources)))
            case DictRef():
                cell = Cell("")
                entries = self.context.version(sources.cell, self.node)
                self.context.state.cells[cell] = tuple((key, self.by(item)) for key, item in entries)
                return DictRef(cell)
        return self.one(sources)

    def one(self, binding: Binding) -> Binding:
        context = self.context
        source = self.source(binding)
        if source is not None and source in self.recorded:
            self.check_place(source, "the source")
            dependent = reached(Block(tuple(self.tape.statements)), [source], is_constant)
            if any(target in dependent for target in self.targets):
                return self.made(source)
        if not self.zeros:
            return Static(None, self.why(binding, source))
        value = context.operand(binding, self.node)
        if isinstance(value.type, Scalar):
            return Constant(0.0, value.type)
        return context.bind(context.let(self.node, primitives.zeros_like, value))

    def why(self, binding: Binding, source: Value | None) -> tuple[str, str]:
        """Why there is no gradient by a source, and what to do."""
        name = getattr(source, "name", "") or getattr(getattr(binding, "cell", None), "name", "") or "the source"
        if source not in self.recorded:
            return f": the tape does not watch '{name}'", f"call tape.watch({name}) in the block of the tape"
        if not self.targets:
            return ": the target is not computed of what the tape watches, in its block", "compute it there"
        return f": the target does not depend on '{name}'", ""

    def made(self, source: Value) -> Binding:
        value = Value("", source.type)
        operands = (source, tuple(self.targets), tuple(self.seeds), constant(self.number))
        self.context.builder.add(Let(value, primitives.gradient, operands, (), self.context.location(self.node)))
        return self.context.bind(value)

    def is_source(self, binding: Binding) -> bool:
        return self.key(binding) in self.tape.sources

    def key(self, binding: Binding) -> Any:
        """What the tape knows a source by."""
        match binding:
            case ArrayRef(cell=cell, path=()):
                return cell
            case Value():
                return binding if binding in self.tape.sources else self.context.watching.history(binding)[-1]
        return None

    def source(self, binding: Binding) -> Value | None:
        """The value that a source has on the tape; None for what it does not know."""
        context = self.context
        if isinstance(binding, ArrayRef) and binding.path:
            context.refuse(self.node, "a part of an array is no source", "take the part of the whole array's gradient")
        key = self.key(binding)
        if key is None:
            if not isinstance(binding, Constant):
                context.mistyped(self.node, f"{_described(binding)} is no source", "name what the tape watches")
            return None
        known = self.tape.sources.get(key)
        if isinstance(known, str):
            context.refuse(self.node, known, "write to a copy, or ask for the gradient by a value that stays")
        if known is not None:
            return known
        value = context.operand(binding, self.node)
        return value if isinstance(value, Value) else None


_METHODS: dict[str, tuple[tuple[str, ...], Callable[..., Binding]]] = {
    "watch": (("tensor",), _watch),
    "gradient": (("target", "sources", "output_gradients", "unconnected_gradients"), _gradient),
}

"""Statements: each changes what names stand for, or appends to the open block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from pullback.frontend.calls.item_writing import remove
from pullback.frontend.calls.iteration import check_followed, iterable_of, iterate, refuse_change, snapshots
from pullback.frontend.calls.messages import argument_parts
from pullback.frontend.source.desugar import is_passive
from pullback.frontend.source.names import assigned_names
from pullback.frontend.syntax.assignments import annotate, assign, assign_all, augment
from pullback.frontend.syntax.exceptions import execute_guarded
from pullback.frontend.syntax.expressions import evaluate, local_function, look_up, settled
from pullback.frontend.syntax.imports import import_modules, import_names
from pullback.frontend.syntax.local_classes import define_class
from pullback.frontend.syntax.loop_statements import exit_of, read_for, read_while
from pullback.frontend.syntax.loops import Loop, Reading
from pullback.frontend.syntax.operators import condition_of, truth
from pullback.frontend.syntax.passive_contexts import enter_passive
from pullback.frontend.syntax.unrolling import few_indices, needs_numbers, read_as_range, read_one_way
from pullback.frontend.tapes.blocks import is_tape, record
from pullback.frontend.tapes.inserted import insert
from pullback.frontend.values.bindings import (
    Binding,
    Iteration,
    ListRef,
    Range,
    Snapshot,
    Static,
)
from pullback.frontend.values.branches import branch
from pullback.frontend.values.context import Context
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, Operand, Value
from pullback.ir.types import INT


def execute(context: Context, statements: list[Any]) -> None:
    """Read the statements one after the other, until the path ends."""
    for statement in statements:
        if context.state.dead:
            return
        handler = _HANDLERS.get(type(statement))
        if handler is None:
            context.refuse(statement, f"'{type(statement).__name__}' statements cannot be differentiated")
        handler(context, statement)


def _expression(context: Context, node: Any) -> None:
    if not isinstance(node.value, gast.Constant):
        evaluate(context, node.value)


def _if(context: Context, node: Any) -> None:
    condition = condition_of(context, node.test)
    if isinstance(condition, Constant):
        execute(context, node.body if condition.value else node.orelse)
        return
    branch(context, condition, lambda: execute(context, node.body), lambda: execute(context, node.orelse), node)


def _for(context: Context, node: Any) -> None:
    given = iterable_of(context, evaluate(context, node.iter), node.iter)
    source = iterate(context, given, node.iter)
    body, stopped = exit_of(node.body)
    match source:
        case tuple():
            over = snapshots(context, given, node)
            check_followed(context, over, 0, node)
            if not _read_as_range(context, node, source, over, body, stopped):
                _unrolled(context, node, source, over, body, stopped)
        case Range():
            _over_range(context, node, source, body, stopped)
        case Iteration(apart=True, count=Constant(value=count), item=item):
            _one_by_one(
                context, node, lambda k: item(constant(k)), count, snapshots(context, given, node), body, stopped
            )
        case Iteration():
            _iterated(context, node, source, body, stopped)


def _over_range(context: Context, node: Any, source: Range, body: list[Any], stopped: str) -> None:
    """A loop over a range; iteration by iteration where it is short, and can only be read so."""
    indices = few_indices(node, source)
    counted = partial(_counted, context, node, source, body, stopped)
    if indices is None:
        counted()
        return
    unrolled = partial(_unrolled, context, node, indices, (), body, stopped)
    if indices and needs_numbers(context, node):
        unrolled()
    else:
        read_one_way(context, len(indices), counted, unrolled)


def _read_as_range(
    context: Context, node: Any, items: tuple[Binding, ...], over: tuple[Snapshot, ...], body: list[Any], stopped: str
) -> bool:
    """Read a loop over known numbers as one over a range, where that keeps a nest of loops short; whether it was."""

    def first() -> None:
        assign(context, node.target, items[0], node)
        execute(context, body)

    def read(numbers: Range) -> None:
        _counted(context, node, numbers, body, stopped)
        check_followed(context, over, len(items), node)

    return isinstance(node.target, gast.Name) and read_as_range(context, node, items, first, read)


def _unrolled(
    context: Context,
    node: Any,
    items: tuple[Binding, ...],
    over: tuple[Snapshot, ...],
    body: list[Any],
    stopped: str,
) -> None:
    """A loop over items that are known before the run: one iteration after the other."""
    _one_by_one(context, node, items.__getitem__, len(items), over, body, stopped)


def _one_by_one(
    context: Context,
    node: Any,
    item: Callable[[int], Binding],
    count: int,
    over: tuple[Snapshot, ...],
    body: list[Any],
    stopped: str,
    first: int = 0,
) -> None:
    """The iterations of a loop from the one numbered `first`, of a known number."""
    for k in range(first, count):
        assign(context, node.target, item(k), node)
        execute(context, body)
        if context.state.dead:
            return
        flag = truth(context, look_up(context, stopped, node), node) if stopped else constant(False)
        if flag == constant(True):
            return
        check_followed(context, over, k + 1, node)
        if not isinstance(flag, Constant):
            rest = partial(_one_by_one, context, node, item, count, over, body, stopped, k + 1)
            branch(context, flag, lambda: None, rest, node)
            return


def _counted(context: Context, node: Any, source: Range, body: list[Any], stopped: str) -> None:
    """A loop over a range: the index is the user's own variable."""
    name = node.target.id if isinstance(node.target, gast.Name) else "k"
    index = Value(name, INT)
    targets = assigned_names([gast.Assign([node.target], node.iter, None)])

    def read() -> Reading:
        with context.builder.block() as statements:
            assign(context, node.target, index, node)
            execute(context, body)
            return Reading(statements, context.state, _exit(context, stopped, node))

    read_for(Loop(context, node, read, targets), index, source)


def _iterated(context: Context, node: Any, source: Iteration, body: list[Any], stopped: str) -> None:
    """A loop over an array, or anything that counts its iterations; what it goes over has a name until it ends."""
    index = Value("k", INT)
    targets = assigned_names([gast.Assign([node.target], node.iter, None)])
    lists = [followed.cell for followed in source.over if isinstance(followed, ListRef)]

    def read() -> Reading:
        lengths = [context.state.cells[cell].length for cell in lists]
        with context.builder.block() as statements:
            assign(context, node.target, source.item(index), node)
            execute(context, body)
            for cell, length in zip(lists, lengths, strict=True):
                if not context.state.dead and context.state.cells[cell].length != length:
                    refuse_change(context, cell, node)
            return Reading(statements, context.state, _exit(context, stopped, node))

    key = (context.frame.number, f"<what the loop of line {node.lineno}, column {node.col_offset} goes over>")
    context.state.names[key] = source
    whole = Range(constant(0), source.count, constant(1), source.checkpoints)
    read_for(Loop(context, node, read, targets), index, whole)
    context.state.names.pop(key, None)


def _exit(context: Context, stopped: str, node: Any) -> Operand | None:
    if not stopped or context.state.dead:
        return None
    flag = truth(context, look_up(context, stopped, node), node)
    return None if flag == constant(False) else flag


def _while(context: Context, node: Any) -> None:
    body, stopped = exit_of(node.body)

    def read() -> Reading:
        before, names = context.state.copy(), dict(context.state.names)
        with context.builder.block() as tests:
            condition = condition_of(context, node.test)
        if context.state.has_written(before):
            context.refuse(node.test, "the condition of a 'while' changes an array", "change it in the body")
        context.state.cells.update(before.cells)
        context.state.points_to.update(before.points_to)
        if any(context.state.names.get(key) is not binding for key, binding in names.items()):
            context.refuse(node.test, "the condition of a 'while' changes a variable", "change it in the body")
        with context.builder.block() as statements:
            runs = condition != constant(False)  # as of a list that is empty, but filled by a loop around this one
            execute(context, body if runs else [])
            leaving = _exit(context, stopped, node) if runs else None
            return Reading(statements, context.state, leaving, Block(tuple(tests), (condition,)))

    read_while(Loop(context, node, read, frozenset()))


def _assert(context: Context, node: Any) -> None:
    condition = condition_of(context, node.test)
    given = (evaluate(context, node.msg),) if node.msg is not None else ()
    parts = argument_parts(context, AssertionError, given, node)
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.check, condition, Constant(AssertionError), *parts)


def _raise(context: Context, node: Any) -> None:
    arguments: tuple[Any, ...] = ()
    exception = node.exc
    if isinstance(exception, gast.Call):
        if exception.keywords or any(isinstance(argument, gast.Starred) for argument in exception.args):
            context.refuse(node, "what is raised is given arguments by name, or by '*'", "write one message")
        exception, arguments = exception.func, tuple(exception.args)
    kind = evaluate(context, exception)
    if not (isinstance(kind, Static) and isinstance(kind.value, type) and issubclass(kind.value, BaseException)):
        context.refuse(node, "what is raised must be an exception class, with or without a message")
    given = tuple(evaluate(context, argument) for argument in arguments)
    parts = argument_parts(context, kind.value, given, node)
    with context.builder.at(context.location(node)):
        context.builder.effect(primitives.raise_, Constant(kind.value), *parts)
    context.state.dead = True


def _define(context: Context, node: Any) -> None:
    context.state.names[(context.frame.number, node.name)] = local_function(context, node)


def _with(context: Context, node: Any) -> None:
    if is_passive(node):
        for target, entered in enter_passive(context, node):
            assign(context, target, entered, node)
        return
    function = evaluate(context, getattr(node.items[0].context_expr, "func", node.items[0].context_expr))
    if is_tape(function):
        record(context, node)
    else:
        insert(context, node)


def _delete(context: Context, node: Any) -> None:
    """`del name, values[key]`: the name stands for nothing from here on; a list or dict loses an item."""
    for target in node.targets:
        if isinstance(target, gast.Name):
            look_up(context, target.id, target)
            context.state.names.pop((context.frame.number, target.id), None)
        else:
            remove(context, settled(context, target.value), target.slice, target)


def _try(context: Context, node: Any) -> None:
    execute_guarded(context, node, execute)


def _pass(context: Context, node: Any) -> None:
    pass


_HANDLERS: dict[type, Callable[[Context, Any], None]] = {
    gast.Assign: assign_all,
    gast.AnnAssign: annotate,
    gast.AugAssign: augment,
    gast.Expr: _expression,
    gast.If: _if,
    gast.For: _for,
    gast.While: _while,
    gast.Assert: _assert,
    gast.Raise: _raise,
    gast.FunctionDef: _define,
    gast.ClassDef: define_class,
    gast.Pass: _pass,
    gast.Delete: _delete,
    gast.Try: _try,
    gast.Import: import_modules,
    gast.ImportFrom: import_names,
    gast.Global: _pass,
    gast.Nonlocal: _pass,
    gast.With: _with,
}

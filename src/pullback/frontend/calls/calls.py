"""Calls: builtins and NumPy functions mean something to the reader, other Python functions are read in place."""

from __future__ import annotations

import functools
import inspect
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from pullback.frontend.calls.apply import apply, as_of_numpy, as_python_float
from pullback.frontend.calls.compositions import planned, ranks_of
from pullback.frontend.calls.construction import construct, text_of_class
from pullback.frontend.calls.destinations import call_into, destination_of
from pullback.frontend.calls.exact_libraries import by_call
from pullback.frontend.calls.external import call_of_external
from pullback.frontend.calls.frozen import (
    Frozen,
    call_of_frozen,
    frozen,
    frozen_outside,
    is_distribution,
    shapes_in_place,
)
from pullback.frontend.calls.in_place import bound_arguments, call_bound, call_composed, call_local, call_python
from pullback.frontend.calls.indexing import type_of_ref
from pullback.frontend.calls.list_operands import check_operands
from pullback.frontend.calls.mathematics import known_beforehand
from pullback.frontend.calls.meaning import call_meaning
from pullback.frontend.calls.members import member, parent_behind, parent_of
from pullback.frontend.calls.methods import call_method
from pullback.frontend.calls.numba_ufuncs import call_of_numba, is_of_numba
from pullback.frontend.calls.objects import method_of
from pullback.frontend.calls.refused import check_may_be_called
from pullback.frontend.calls.special import SPECIAL
from pullback.frontend.calls.surroundings import is_logged
from pullback.frontend.calls.truth_values import truths_of_numpy
from pullback.frontend.derivatives.calling import call_derivative, call_derived
from pullback.frontend.derivatives.parameters import names_of
from pullback.frontend.rules.calling import call_with_rule
from pullback.frontend.source.addresses import address_of, generator_of, is_numpy, is_of_runtime, is_public, name_of
from pullback.frontend.source.derivations import derivation_of
from pullback.frontend.source.externals import External
from pullback.frontend.source.outside import ABSENT, Dependency
from pullback.frontend.source.plain_functions import primal_of
from pullback.frontend.source.user_rules import UserRule, rule_of_user
from pullback.frontend.tapes.captured import binding_of, generator_outside
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Bound,
    Derived,
    DictRef,
    ListRef,
    Local,
    Method,
    ObjectRef,
    Pullback,
    Stack,
    Static,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.functions import METHODS, canonical, is_elementwise, record_of, text_for
from pullback.functions.along import element_by_element
from pullback.functions.declare import PLANNING
from pullback.functions.generators import FUNCTIONS as OF_RANDOM
from pullback.functions.joining import OF_ROWS
from pullback.functions.progress import stand_in_for
from pullback.functions.writing import IN_PLACE
from pullback.ir.nodes import Value

_REMEDY = "write it in NumPy, or let it be called by pb.external, with a rule"
CALL = "__pullback_call__"
"""The attribute that names the method to read for a call of an object, if it is not `__call__`."""


def call(
    context: Context, function: Binding, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """`function(*arguments, **keywords)`."""
    match function:
        case Local():
            return call_local(context, function, arguments, keywords, node)
        case Method(receiver=ArrayRef(), name=name) if name in IN_PLACE:
            given = (function.receiver, *arguments)
            return call_composed(context, IN_PLACE[name], IN_PLACE[name], given, keywords, node)
        case Method(receiver=ArrayRef() | Value()) if is_of_record(function.name, keywords):
            given = arguments_of_method(function, arguments)
            return call_static(context, METHODS[function.name], given, keywords, node)
        case Method(receiver=TupleValue(kind=kind) as law) if kind is Frozen:
            return call_of_frozen(call_static, context, law, function.name, arguments, keywords, node)
        case Method():
            return call_method(context, function, arguments, keywords, node)
        case Bound(function=FunctionType() as plain):
            return call_bound(context, plain, (function.receiver, *arguments), keywords, node)
        case Static(value=value):
            return call_static(context, value, arguments, keywords, node)
        case ObjectRef() | TupleValue() if (method := method_of(context, function, "__call__")) is not None:
            return call(context, method, arguments, keywords, node)
        case Derived():
            return call_derived(call, context, function, arguments, keywords, node)
        case Pullback(pull=pull):
            return pull(arguments, keywords, node)
    context.mistyped(node, "this is not a function that can be followed")


def is_of_record(name: str, keywords: dict[str, Binding]) -> bool:
    """Whether a method of arrays is called as the function of its name: it has a text, or writes somewhere."""
    return record_of(METHODS.get(name)).text is not None or (name in METHODS and "out" in keywords)


def arguments_of_method(method: Method, arguments: tuple[Binding, ...]) -> tuple[Binding, ...]:
    """The arguments of the function that a method stands for: the array is the first one, or the second one."""
    if method.name == "compress":
        return (*arguments[:1], method.receiver, *arguments[1:])
    return (method.receiver, *arguments)


def call_static(
    context: Context, function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """A call of a Python object that is known before the run."""
    result = _followed(context, function, arguments, keywords, node)
    for kind in (_by_special_method, _declared, _of_object, _applied, _read_in_place):
        if result is None:
            result = kind(context, function, arguments, keywords, node)
    if result is None:
        name = getattr(function, "__name__", type(function).__name__)
        context.refuse(node, f"'{name}' has no Python source and no rule", _REMEDY)
    return result


SPECIAL_METHODS = {len: "__len__", abs: "__abs__", round: "__round__"}


def _by_special_method(
    context: Context, function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding | None:
    """A call of a function of Python that is a method of the user's class, as len(...) is; None of another one."""
    name = SPECIAL_METHODS.get(function) if _hashable(function) and arguments else None
    method = method_of(context, arguments[0], name) if name is not None else None
    return None if method is None else call(context, method, arguments[1:], keywords, node)


def _followed(
    context: Context, function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding | None:
    """A call of what has rules or derivatives of its own, or stands for something else; None of another object."""
    rule = rule_of_user(function)
    if rule is not None:
        return call_ruled(context, rule, arguments, keywords, node)
    if isinstance(function, External):
        return call_of_external(context, function, arguments, keywords, node)
    derivation = derivation_of(function)
    if derivation is not None:
        return call_derivative(call, context, function, derivation, arguments, keywords, node)
    law = frozen_outside(context, function, node)
    if law is not None:
        return call_of_frozen(call_static, context, *law, arguments, keywords, node)
    if is_logged(function):
        return Static(None)
    bar = stand_in_for(function)
    if bar is not None:
        return call_static(context, bar, arguments, keywords, node)
    draws = generator_of(function)
    if draws is not None:
        method = member(context, call_python, generator_outside(context, draws), function.__name__, node)
        return call(context, method, arguments, keywords, node)
    if _hashable(function) and function in OF_RANDOM:
        return call_composed(context, function, OF_RANDOM[function], arguments, keywords, node)
    return None


def _declared(
    context: Context, given: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding | None:
    """A call of a function that is declared by a text, or means something to the reader; None of another one."""
    function = canonical(given)
    if is_distribution(function):
        return frozen(function, arguments, keywords)
    check_may_be_called(context, given, function, node)
    known = known_beforehand(given, arguments, keywords)
    if known is not None:
        return known
    rows = rows_of(context, arguments, node) if _hashable(function) and function in OF_ROWS else None
    if rows is not None:
        if function is np.concatenate and type_of_ref(context, rows, node).ndim == 1:
            context.mistyped(node, "zero-dimensional arrays cannot be concatenated", "use np.array, or np.stack")
        return call_composed(context, function, OF_ROWS[function], (rows, *arguments[1:]), keywords, node)
    if _hashable(function) and function in PLANNING:
        return planned(context, function, arguments, node)
    if is_numpy(function) or record_of(function).text is not None:
        into = destination_of(context, function, arguments, keywords, node)
        if into is not None:
            return call_into(call_static, context, function, into, node)
        text = text_for(function, ranks_of(context, function, arguments, keywords, node))
        if text is not None:
            arguments, keywords = shapes_in_place(function, arguments, keywords)
            return call_composed(context, function, text, arguments, keywords, node)
    if _hashable(function) and function in SPECIAL:
        return call_meaning(context, function, SPECIAL[function], arguments, keywords, node)
    return None


def _of_object(
    context: Context, given: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding | None:
    """A call of a class, or of an object that holds the function to call; None of another one."""
    function = canonical(given)
    if is_of_numba(function):
        return call_of_numba(call_static, context, function, arguments, keywords, node)
    if isinstance(function, np.vectorize):
        pyfunc = binding_of(context, function.pyfunc, function, "pyfunc", node)
        return call_static(context, element_by_element, (pyfunc, *arguments), keywords, node)
    if isinstance(function, functools.partial):
        return _call_partial(context, function, arguments, keywords, node)
    if function is super:
        return parent_behind(context, arguments, node) if arguments else parent_of(context, node)
    if isinstance(function, type):
        text = text_of_class(context, function, node)
        if text is not None:
            return call_composed(context, text, text, arguments, keywords, node)
        return construct(context, call_python, function, arguments, keywords, node)
    return None


def _applied(
    context: Context, given: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding | None:
    """A call that becomes a statement; None of what is no function of NumPy, SciPy or our own runtime."""
    function = canonical(given)
    if not is_of_runtime(function) and not (_hashable(function) and is_public(function)):
        return None
    if not is_of_runtime(function) and address_of(function) is None:
        reason = f"{name_of(function)} has no public name by which generated code could call it"
        context.refuse(node, reason, "write the function in Python")
    by = by_call(given)
    if getattr(given, "__module__", None) in ("builtins", "_operator", "math") and is_elementwise(function):
        check_operands(context, function, arguments, node)
    if by:
        arguments = tuple(as_python_float(context, argument, node) for argument in arguments)
    if is_numpy(given):
        arguments = truths_of_numpy(context, function, arguments, node)
    result = apply(context, function, arguments, keywords, node, by)
    return as_of_numpy(context, result, node) if is_numpy(given) else result


def _read_in_place(
    context: Context, given: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding | None:
    """A call of what is written in Python; None of another object."""
    function = canonical(given)
    plain, receiver = plain_function(function)
    if plain is not None:
        bound = arguments if receiver is None else (Static(receiver), *arguments)
        return call_python(context, plain, bound, keywords, node)
    called = getattr(function, CALL, "__call__")
    method = inspect.getattr_static(type(function), called, None)
    if isinstance(method, FunctionType):
        context.depend(Dependency(type(function), called, method), Dependency(function, "__class__", type(function)))
        return call_python(context, method, (Static(function), *arguments), keywords, node)
    return None


def rows_of(context: Context, arguments: tuple[Binding, ...], node: Any) -> ArrayRef | None:
    """The items, in one array, of a list that is the first argument and whose length the run decides."""
    if arguments and isinstance(arguments[0], ListRef):
        content = context.version(arguments[0].cell, node)
        if isinstance(content, Stack):
            rows = context.bind(context.array_of(arguments[0], node))
            assert isinstance(rows, ArrayRef), "an array has a cell"
            return rows
    return None


def call_ruled(
    context: Context, rule: UserRule, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """A call of a function whose derivative is a rule, with its arguments in the order of the parameters."""
    plain, _ = plain_function(rule.function)
    if plain is None:
        reason = f"an object of '{type(rule.function).__name__}', whose derivative is a rule, is no function of Python"
        context.refuse(node, reason, "write it as a function")
    if plain.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        if keywords:
            reason = f"'{plain.__name__}', whose derivative is a rule, takes '*' or '**', and is given keywords"
            context.refuse(node, reason, "pass the arguments by position")
        names = names_of(Static(plain), len(arguments))
        return call_with_rule(call, context, rule, dict(zip(names, arguments, strict=False)), node)
    bound = bound_arguments(context, plain, arguments, keywords, node)
    names = [name for name in plain.__code__.co_varnames if name in bound]
    return call_with_rule(call, context, rule, {name: bound[name] for name in names}, node)


def _call_partial(
    context: Context,
    function: functools.partial[Any],
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A call of a functools.partial: its own arguments stand where any container from outside does."""
    if any(value is getattr(functools, "Placeholder", ABSENT) for value in function.args):
        context.refuse(node, "a functools.partial with placeholders cannot be followed", "write a lambda")
    bound = context.items(binding_of(context, function.args, function, "args", node), node)
    named = binding_of(context, function.keywords, function, "keywords", node)
    assert isinstance(named, DictRef), "a dict from outside"
    entries = dict(context.version(named.cell, node))
    return call_static(context, function.func, (*bound, *arguments), entries | keywords, node)


def plain_function(function: Any) -> tuple[FunctionType | None, Any]:
    """The Python function behind a function, method, dispatcher or one of our wrappers, and its receiver."""
    plain = primal_of(function)
    return plain, function.__self__ if plain is not None and isinstance(function, MethodType) else None


def _hashable(value: Any) -> bool:
    return getattr(type(value), "__hash__", None) is not None

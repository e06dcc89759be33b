"""What programs do besides computing: they ask clocks, write log records, decide about warnings, make named tuples.

Clocks are called as external functions. Log records are not written, as warnings are not given.
"""

from __future__ import annotations

import collections
import logging
import time
from collections.abc import Callable
from functools import cache
from types import MethodType
from typing import Any

import numpy as np

from pullback.frontend.calls.external import call_of_external
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.calls.parameters import new_dict
from pullback.frontend.source.externals import External
from pullback.frontend.values.bindings import Binding, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.known import known_value

SURROUNDINGS = Meanings()
_LOGGED = ("debug", "info", "warning", "error", "critical", "exception", "log")


@cache
def _clock(function: Callable[[], float], result: Any) -> External:
    return External(function, result)


def _asked(function: Callable[[], Any], result: Any) -> Meaning:
    def meaning(context: Context, node: Any) -> Binding:
        return call_of_external(context, _clock(function, result), (), {}, node)

    return meaning


for _function in (time.time, time.perf_counter, time.monotonic, time.process_time, time.thread_time):
    SURROUNDINGS[_function] = _asked(_function, float)
for _function in (time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns):
    SURROUNDINGS[_function] = _asked(_function, int)


@SURROUNDINGS.of(*(getattr(logging, name) for name in _LOGGED))
def _logged(context: Context, node: Any, *values: Binding, **settings: Binding) -> Binding:
    return Static(None)


def is_logged(function: Any) -> bool:
    """Whether a function is the method of a logger that writes a record."""
    of_logger = isinstance(function, MethodType) and isinstance(
        function.__self__, logging.Logger | logging.LoggerAdapter
    )
    return of_logger and function.__name__ in _LOGGED


@SURROUNDINGS.of(logging.getLogger)
def _logger(context: Context, node: Any, name: Binding | None = None) -> Binding:
    if name is not None and not isinstance(name, Static):
        context.refuse(node, "the name of a logger must be known before the run", "write it itself")
    return Static(logging.getLogger(None if name is None else name.value))


@SURROUNDINGS.of(np.seterr)
def _set_errors(context: Context, node: Any, *settings: Binding, **named: Binding) -> Binding:
    """What is done about floating point errors, as it was: a setting that raises them is refused."""
    if not all(
        getattr(one, "value", None) in ("ignore", "warn", "print", None) for one in (*settings, *named.values())
    ):
        reason = "a floating point error that raises an exception cannot be followed"
        context.refuse(node, reason, "use 'ignore' or 'warn', or test the numbers with an 'if'")
    return _errors(context, node)


@SURROUNDINGS.of(np.geterr)
def _errors(context: Context, node: Any) -> Binding:
    return new_dict(context, {name: Static(value) for name, value in np.geterr().items()})


@SURROUNDINGS.of(collections.namedtuple)
def _named_tuple(context: Context, node: Any, typename: Binding, field_names: Binding, **named: Binding) -> Binding:
    """A class of named tuples, the same one each time that the call is read."""
    settings = [typename, field_names, *named.values()]
    settings = [TupleValue(context.items(one, node)) if isinstance(one, ListRef) else one for one in settings]
    known = [known_value(one) for one in settings]
    given = [one[0] for one in known if one is not None]
    if len(given) < len(known):
        context.refuse(node, "the fields of a named tuple must be known before the run", "write their names")
    key = (context.frame.number, node.lineno, node.col_offset, *map(repr, given))
    if key not in context.classes:
        context.classes[key] = collections.namedtuple(given[0], given[1], **dict(zip(named, given[2:], strict=True)))
    return Static(context.classes[key])

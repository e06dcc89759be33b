"""An operation becomes a record: its pullback, the numbers of the tensors it pulls back to, and what it needs.

A record is one flat tuple, `(pullback, fits, *inputs, *kept)`, for there are as many as operations. `fits` holds shape
and dtype of each input where cotangents need to be brought to them, and is None where they have them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.errors import Location, MissingRuleError
from pullback.frontend.source.addresses import name_of
from pullback.functions import record_of, rule_of
from pullback.tape.call_sites import call_site
from pullback.tape.matching import Unruled
from pullback.tape.operand_needs import Need
from pullback.tape.pullbacks import RESULT, Pullback, Wanted, pullback_of
from pullback.tape.tensor import Tensor, as_recorded

Record = tuple[Any, ...]


def tensors_in(arguments: tuple[Any, ...]) -> list[tuple[Any, Tensor]]:
    """(place, tensor) for the tensors among arguments, also those in tuples."""
    found: list[tuple[Any, Tensor]] = []
    for k, argument in enumerate(arguments):
        if isinstance(argument, Tensor):
            found.append((k, argument))
        elif type(argument) is tuple:
            found += [((k, j), part) for j, part in enumerate(argument) if isinstance(part, Tensor)]
    return found


def recorded(function: Any, arguments: tuple[Any, ...], result: Any, inputs: list[tuple[Any, Tensor]]) -> Record:
    """The record of a call, for inputs with their places among the arguments; `result` is a tensor, or several."""
    if isinstance(result, tuple) and any(y._value.dtype.kind not in "fbiu" for y in result):
        return recorded_beyond(function, inputs, result)
    wanted = tuple([place for place, _ in inputs])
    pullback = _PULLBACKS.get((function, wanted)) or find_pullback(function, wanted)
    kept = [keep(result if k == RESULT else arguments[k], need) for k, need in pullback.keeps]
    keys = [x._key for _, x in inputs]
    if not pullback.elementwise:
        if any(x._value.dtype.kind not in "fbiu" for _, x in inputs):
            return recorded_beyond(function, inputs, result)
        if isinstance(result, tuple):
            kept.append(tuple([zeros_like(y._value) for y in result]))
        return (pullback, [(x._value.shape, x._value.dtype) for _, x in inputs], *keys, *kept)
    value = result._value
    shape, dtype = value.shape, value.dtype
    fits = None
    for _, x in inputs:
        if x._value.shape != shape or x._value.dtype is not dtype:
            if x._value.dtype.kind not in "fbiu":
                return recorded_beyond(function, inputs, result)
            fits = [(x._value.shape, x._value.dtype) for _, x in inputs]
    # Python's numbers would raise where NumPy's give infinity.
    return (pullback, fits, *keys, *[dtype.type(x) if isinstance(x, _NUMBERS) else x for x in kept])


_NUMBERS = (int, float)
_MADE_BY_SHAPE = {np.zeros_like, np.ones_like, np.shape, np.ndim, np.size, np.isreal, np.iscomplex}


def is_beyond(function: Any, result: Tensor, inputs: list[tuple[Any, Tensor]]) -> bool:
    """Whether a result that is no float, or has no derivative as one, depends on its inputs by way of other numbers.

    Of complex numbers no rule knows anything: np.sign is constant between jumps on the real line alone.
    """
    kind = result._value.dtype.kind
    if kind in "biuSU" or function in _MADE_BY_SHAPE:
        return False
    return kind not in "f" or any(x._value.dtype.kind not in "fbiu" for _, x in inputs)


def recorded_beyond(function: Any, inputs: list[tuple[Any, Tensor]], result: Any) -> Record:
    """The record of a call with numbers that are not real: a gradient along it raises."""
    kinds = sorted({x._value.dtype.name for _, x in inputs if x._value.dtype.kind not in "fbiu"})
    called = (
        function if isinstance(function, Unruled) else Unruled(function, f"{kinds[0] if kinds else 'complex'} numbers")
    )
    pullback = missing(called, tuple([place for place, _ in inputs]), call_site())
    fits = [(x._value.shape, x._value.dtype) for _, x in inputs]
    zeros = (tuple([zeros_like(y._value) for y in result]),) if isinstance(result, tuple) else ()
    return (pullback, fits, *[x._key for _, x in inputs], *zeros)


def keep(argument: Any, need: Need) -> Any:
    """What of an argument is kept: its elements as they are now, or an array of its shape and dtype that has none."""
    if type(argument) is Tensor and need is Need.ELEMENTS:
        return argument
    if isinstance(argument, Tensor):
        if need is Need.SHAPE and argument._value.shape:
            return hollow(argument._value)
        return argument if type(argument) is Tensor else as_recorded(argument)
    if isinstance(argument, np.ndarray):
        return hollow(argument) if need is Need.SHAPE else argument.copy()
    if type(argument) is tuple:
        return tuple([keep(part, need) for part in argument])
    return argument


def hollow(array: np.ndarray) -> np.ndarray:
    """An array of the same shape and dtype that takes no memory for its elements, which are 0."""
    dtype = array.dtype
    zero = _ZEROS.get(dtype)
    if zero is None:
        zero = _ZEROS[dtype] = np.zeros(1, dtype)
    return np.ndarray(array.shape, dtype, zero, 0, (0,) * array.ndim)


def zeros_like(value: Any) -> Any:
    """Zeros that take no memory: the cotangent of one of several results that nobody used."""
    return hollow(value) if value.shape else value.dtype.type(0)


_ZEROS: dict[np.dtype[Any], np.ndarray] = {}


# Which pullback


def find_pullback(function: Any, wanted: Wanted) -> Pullback:
    """The pullback of a function, or of an operation that brings it along; without a rule, one that says so."""
    if hasattr(function, "pullback"):
        made: Pullback = function.pullback(wanted)
        return made
    unknown = [k for k in record_of(function).unknown if k in wanted]
    if unknown:
        function = Unruled(function, f"a tensor as argument {unknown[0] + 1}")
    rule = None if isinstance(function, Unruled) else rule_of(function)
    if rule is None:
        return missing(function, wanted, call_site())
    _PULLBACKS[function, wanted] = pullback_of(rule, wanted)
    return _PULLBACKS[function, wanted]


_PULLBACKS: dict[tuple[Any, Wanted], Pullback] = {}


def missing(function: Any, wanted: Wanted, site: Location) -> Pullback:
    """A pullback that raises MissingRuleError, a LookupError as well."""
    if isinstance(function, Unruled):
        called = f"{name_of(function.function)} with {function.argument}"
    else:
        called = name_of(function)

    def run(*_: Any) -> tuple[Any, ...]:
        raise MissingRuleError(
            f"{called} has no derivative rule",
            site,
            "write the function with pb.custom_gradient, or keep what the tape watches out of it",
        )

    return Pullback(function, wanted, run, run, (), False)

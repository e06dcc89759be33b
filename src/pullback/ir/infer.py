"""NumPy is the type checker: the type of a result is found by calling the function on one-element arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.functions import on_numbers, record_of
from pullback.ir import primitives
from pullback.ir.nodes import Constant, Index, Operand, Permute, Reshape, Slice, Step, Value
from pullback.ir.types import INT, Array, Scalar, Type, is_float, sample_of, type_of

_KNOWN: dict[Any, Type | Exception] = {}
_VIEWS: dict[Any, bool] = {}


class SeveralResults(TypeError):
    """A function gives a tuple of numbers and arrays: their types, the tuple's class and the names of its fields."""

    def __init__(self, types: tuple[Type, ...], kind: type) -> None:
        fields = getattr(kind, "_fields", ())
        super().__init__(f"the result is a {kind.__name__}, not a number or array")
        self.types, self.kind, self.fields = types, kind if fields else None, fields


def infer(function: Callable[..., Any], operands: tuple[Operand, ...], keywords: tuple[str, ...] = ()) -> Type:
    """The type of `function(*operands)`; the last operands go to `keywords`.

    Raises what NumPy raises on these types, TypeError where the result is not a number or an array of numbers.

    >>> str(infer(np.add, (Value("x", Array("float32", 2)), Constant(1.0, type_of(1.0)))))
    'float32[:, :]'
    """
    if function in _PRIMITIVES:
        return _PRIMITIVES[function](*operands)
    if record_of(function).keeps_type:
        return _type_of(operands[0])
    like = record_of(function).typed_by
    if like >= 0 and is_float(_type_of(operands[like])):
        return _type_of(operands[like])
    key = (function, keywords, _shape_of(operands))
    if key not in _KNOWN:
        _KNOWN[key] = _ask(on_numbers(function), operands, keywords)
    known = _KNOWN[key]
    if isinstance(known, Exception):
        raise known
    return known


def several_results(
    function: Callable[..., Any], operands: tuple[Operand, ...], keywords: tuple[str, ...] = ()
) -> SeveralResults | None:
    """The types of the tuple that a function of NumPy returns; None where it returns one number or array."""
    try:
        infer(function, operands, keywords)
    except SeveralResults as found:
        return found
    except Exception:  # whatever else is wrong, `infer` says again
        return None
    return None


def may_be_view(function: Callable[..., Any], operands: tuple[Operand, ...], keywords: tuple[str, ...] = ()) -> bool:
    """Whether the result of a NumPy function shares memory with an argument, as that of `np.diagonal` does."""
    key = (function, keywords, _shape_of(operands))
    if key not in _VIEWS:
        result, samples = _asked(function, operands, keywords)
        given = [array for sample in samples for array in (sample if isinstance(sample, tuple) else (sample,))]
        arrays = [array for array in given if isinstance(array, np.ndarray)]
        _VIEWS[key] = isinstance(result, np.ndarray) and any(_overlap(result, array) for array in arrays)
    return _VIEWS[key]


def _overlap(part: np.ndarray, array: np.ndarray) -> bool:
    """Whether one is part of the other, which may be an empty part."""
    return np.may_share_memory(part, array) or (part.size == 0 and part.base is not None)


def _called(function: Callable[..., Any], samples: list[Any], keywords: tuple[str, ...]) -> Any:
    split = len(samples) - len(keywords)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*samples[:split], **dict(zip(keywords, samples[split:], strict=True)))


def _ask(function: Callable[..., Any], operands: tuple[Operand, ...], keywords: tuple[str, ...]) -> Type | Exception:
    try:
        result, _ = _asked(function, operands, keywords)
    except ZeroDivisionError:  # of Python's; floats divide as NumPy's do
        result = function(_sample(operands[0]), type(_sample(operands[1]))(1))
    except Exception as error:  # whatever NumPy raises on these types is the answer
        return error
    if isinstance(result, tuple):
        types = tuple(type_ for type_ in map(type_of, result) if type_ is not None)
        if len(types) == len(result):
            return SeveralResults(types, type(result))
    type_ = type_of(result)
    return type_ if type_ is not None else TypeError(f"the result is a {type(result).__name__}, not a number or array")


def _asked(
    function: Callable[..., Any], operands: tuple[Operand, ...], keywords: tuple[str, ...]
) -> tuple[Any, list[Any]]:
    """What a function gives for arrays of one element, or else of more; and these. Raises what it does for many.

    Some do not take arrays of one element, as `np.cross` and `np.gradient`.
    """
    samples = [_sample(operand) for operand in operands]
    for size in () if _has_integers(tuple(samples)) else (3, 2, 4, 20):
        try:
            return _called(function, samples, keywords), samples
        except Exception:
            samples = [_grown(sample, size) for sample in samples]
    return _called(function, samples, keywords), samples


def _has_integers(sample: Any) -> bool:
    """Whether a sample holds an array of integers, which may say what the function does."""
    if isinstance(sample, tuple):
        return any(map(_has_integers, sample))
    return isinstance(sample, np.ndarray) and sample.dtype.kind in "iu"


def _grown(sample: Any, size: int) -> Any:
    """A sample with as many elements along each axis."""
    if isinstance(sample, tuple):
        return tuple(_grown(part, size) for part in sample)
    if isinstance(sample, np.ndarray) and sample.ndim <= 3:
        return np.ones((size,) * sample.ndim, sample.dtype)
    return sample


def _shape_of(operand: Operand) -> Any:
    """What the answer depends on: types of values, constants themselves where they are not plain numbers."""
    match operand:
        case Value():
            return operand.type
        case Constant():
            return operand
        case tuple():
            return tuple(_shape_of(item) for item in operand)
    return operand


def _sample(operand: Operand) -> Any:
    match operand:
        case Value():
            return sample_of(operand.type)
        case Constant(value=value, type=Scalar(weak=False) as type_):
            return np.dtype(type_.dtype).type(value)
        case Constant(type=Scalar(dtype="int64")):
            return operand.value if abs(operand.value) <= 16 else int(np.sign(operand.value))
        case Constant():
            return operand.value
        case tuple():
            return tuple(_sample(item) for item in operand)
    return operand


def type_of_part(array: Type, path: tuple[Step, ...]) -> Type:
    """The type of an array's part: integers drop an axis, index arrays put their own axes in.

    >>> str(type_of_part(Array("float64", 2), (Index((Constant(0, INT), Slice(None, None, None))),)))
    'float64[:]'
    """
    assert isinstance(array, Array)
    ndim = array.ndim
    for step in path:
        match step:
            case Index(items):
                ndim = _rank_after(ndim, items)
            case Permute(axes):
                ndim = len(axes)
            case Reshape(shape):
                ndim = len(shape)
    return Array(array.dtype, ndim) if ndim or not path or not _drops_all(path) else Scalar(array.dtype)


def _drops_all(path: tuple[Step, ...]) -> bool:
    """Whether the last step yields an element, as `x[()]` does, where `x[...]` yields an array."""
    last = path[-1]
    return isinstance(last, Index) and not any(_is_ellipsis(item) for item in last.items)


def _rank_after(ndim: int, items: tuple[Operand | Slice, ...]) -> int:
    used = sum(consumed_axes(item) for item in items)
    if used > ndim:
        raise IndexError(f"too many indices: the array has {ndim} dimensions, but {used} were indexed")
    advanced = [item.type.ndim for item in items if isinstance(item, Value) and isinstance(item.type, Array)]
    masks = [item for item in items if isinstance(item, Value) and item.type.dtype == "bool"]
    kept = ndim - used + sum(isinstance(item, Slice) for item in items) + sum(_is_newaxis(item) for item in items)
    ranks = [1 if item in masks else rank for item, rank in zip(_arrays(items), advanced, strict=True)]
    return kept + max(ranks, default=0)


def _arrays(items: tuple[Operand | Slice, ...]) -> list[Value]:
    return [item for item in items if isinstance(item, Value) and isinstance(item.type, Array)]


def consumed_axes(item: Operand | Slice) -> int:
    """How many axes of the array an index item takes up."""
    if _is_newaxis(item) or _is_ellipsis(item):
        return 0
    if isinstance(item, Value) and item.type.dtype == "bool":
        return item.type.ndim if isinstance(item.type, Array) else 0
    return 1


def _is_newaxis(item: Any) -> bool:
    return isinstance(item, Constant) and item.value is None


def _is_ellipsis(item: Any) -> bool:
    return isinstance(item, Constant) and item.value is Ellipsis


def is_advanced(path: tuple[Step, ...]) -> bool:
    """Whether a path ends in an index by arrays, whose result is a copy and whose places may repeat."""
    return bool(path) and isinstance(path[-1], Index) and bool(_arrays(path[-1].items))


def _type_of(operand: Operand) -> Type:
    type_: Type = operand.type
    return type_


def _cast_type(operand: Operand, dtype: Constant) -> Type:
    type_ = _type_of(operand)
    weak = isinstance(type_, Scalar) and dtype.value.endswith("*")
    name = dtype.value.rstrip("*")
    return Array(name, type_.ndim) if isinstance(type_, Array) else Scalar(name, weak)


def _type_of_jacobian(target: Type, source: Type) -> Type:
    rank = sum(type_.ndim for type_ in (target, source) if isinstance(type_, Array))
    return Array(target.dtype, rank) if rank else Scalar(target.dtype)


_PRIMITIVES: dict[Callable[..., Any], Callable[..., Type]] = {
    primitives.load: lambda array, path: type_of_part(array.type, path),
    primitives.load_last: lambda array, path: type_of_part(array.type, path),
    primitives.store: lambda array, path, value: _type_of(array),
    primitives.add_at: lambda array, path, value: _type_of(array),
    primitives.accumulate: lambda array, value: _type_of(array),
    primitives.zeros_like: lambda value: _type_of(value),
    primitives.copy: lambda array: _type_of(array),
    primitives.watched: lambda value, number: _type_of(value),
    primitives.gradient: lambda source, targets, seeds, request: _type_of(source),
    primitives.tangent: lambda target, sources, seeds, request: _type_of(target),
    primitives.jacobian: lambda target, source, mode, request: _type_of_jacobian(_type_of(target), _type_of(source)),
    primitives.columns: lambda target, source, tangents, request: Array(
        _type_of(target).dtype, getattr(target.type, "ndim", 0) + 1
    ),
    primitives.divergence: lambda target, source, request: Scalar(_type_of(target).dtype),
    primitives.dim: lambda array, axis: INT,
    primitives.cast: _cast_type,
    np.reshape: lambda array, shape: Array(_type_of(array).dtype, len(shape) if isinstance(shape, tuple) else 1),
    primitives.select: lambda condition, then, orelse: _type_of(then),
}

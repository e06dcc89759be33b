"""`tf.debugging`: checks, which raise an InvalidArgumentError (a ValueError), and return None where they hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import bare, convert_to_tensor, operands


def _check(name: str, holds: np.ndarray, x: Any, message: str | None, beside: Any = None) -> None:
    """ValueError, which names the first element for which a condition does not hold."""
    holds = np.asarray(holds)
    if holds.all():
        return
    where = tuple(int(k) for k in np.argwhere(~holds)[0])
    values = [np.broadcast_to(one, holds.shape)[where].item() for one in (x, beside) if one is not None]
    shown = " and ".join(map(str, values))
    failed = f"{int((~holds).sum())} of {holds.size} elements fail, the first at {where}: {shown}"
    raise ValueError(_said(message, f"{name}: {failed}"))


def _said(message: str | None, reason: str) -> str:
    return f"{message}: {reason}" if message else reason


# What is said of the elements, the condition, and an example that holds.
_OF_TWO: dict[str, tuple[str, Any, str]] = {
    "assert_equal": ("equals", np.equal, "2, [2]"),
    "assert_greater": ("is greater than", np.greater, "3, [2]"),
    "assert_greater_equal": ("is greater than or equals", np.greater_equal, "2, [2]"),
    "assert_less": ("is less than", np.less, "1, [2]"),
    "assert_less_equal": ("is less than or equals", np.less_equal, "2, [2]"),
    "assert_none_equal": ("does not equal", np.not_equal, "1, [2]"),
}
_OF_ONE: dict[str, tuple[str, Any, str]] = {
    "assert_negative": ("is negative", lambda x: x < 0, "[-1.0]"),
    "assert_non_negative": ("is not negative", lambda x: x >= 0, "[0.0]"),
    "assert_non_positive": ("is not positive", lambda x: x <= 0, "[0.0]"),
    "assert_positive": ("is positive", lambda x: x > 0, "[1.0]"),
}


def _of_two(name: str, what: str, condition: Any, example: str) -> Any:
    def function(
        x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> None:
        a, b = (one._value for one in operands(x, y))
        _check(function.__name__, condition(a, b), a, message, b)

    return _documented(function, name, f"each element of `x` {what} the one of `y`", example)


def _of_one(name: str, what: str, condition: Any, example: str) -> Any:
    def function(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
        given = bare(x)
        _check(function.__name__, condition(given), given, message)

    return _documented(function, name, f"each element of `x` {what}", example)


def _documented(function: Any, name: str, what: str, example: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Raise an InvalidArgumentError (a ValueError) with the `message`, unless {what}.

    `summarize` has no effect.

    >>> import pullback.tf as tf
    >>> tf.debugging.{name}({example})
    """
    return function


ASSERTIONS: dict[str, Any] = {name: _of_two(name, *row) for name, row in _OF_TWO.items()}
ASSERTIONS |= {name: _of_one(name, *row) for name, row in _OF_ONE.items()}
globals().update(ASSERTIONS)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: Any = None,
    name: Any = None,
) -> None:
    """Raise an InvalidArgumentError with the `message`, unless |x - y| ≤ atol + rtol |y| for all of `x` and `y`.

    rtol, atol: ten times the distance of 1 from the next number by default. `summarize` has no effect.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_near(1.0, 1.0 + 1e-7)
    """
    a, b = (one._value for one in operands(x, y))
    eps = 10 * np.finfo(a.dtype).eps
    bound = (eps if atol is None else atol) + (eps if rtol is None else rtol) * np.abs(b)
    _check("assert_near", np.abs(a - b) <= bound, a, message, b)


def assert_all_finite(x: Any, message: str | None = None, name: str | None = None) -> Tensor:
    """`x`, unless an element is infinite or NaN: that raises an InvalidArgumentError with the `message`.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_all_finite([1.0], "x is finite")
    <Tensor [1.], float32>
    """
    given = convert_to_tensor(x)
    _check("assert_all_finite", np.isfinite(given._value), given._value, message)
    return given


def check_numerics(tensor: Any, message: str | None = None, name: str | None = None) -> Tensor:
    """`tf.debugging.assert_all_finite(tensor, message)`.

    >>> import pullback.tf as tf
    >>> tf.debugging.check_numerics([1.0], "x is finite")
    <Tensor [1.], float32>
    """
    return assert_all_finite(tensor, message)


def Assert(condition: Any, data: Any = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raise an InvalidArgumentError that shows `data`, unless all of `condition` holds. `summarize` has no effect.

    >>> import pullback.tf as tf
    >>> tf.debugging.Assert(tf.constant(1.0) > 0.0, ["not positive"])
    """
    if not bare(condition).all():
        shown = [one.numpy() if isinstance(one, Tensor) else one for one in data or []]
        raise ValueError(f"a condition does not hold: {shown}")


def assert_shapes(
    shapes: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: Any = None
) -> None:
    """Raise a ValueError with the `message`, unless tensors have these `shapes`: pairs of a tensor and its shape.

    A shape has a number, None for any, or a letter that stands for one number everywhere. `data` and `summarize` have
    no effect.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("n", 3)), (tf.ones([2]), ("n",))])
    """
    known: dict[Any, int] = {}
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        shape = convert_to_tensor(x).shape
        symbols = tuple(wanted) if isinstance(wanted, list | tuple | str) else (wanted,)
        extents = [known.setdefault(n, m) if isinstance(n, str) else n for n, m in zip(symbols, shape, strict=False)]
        fits = len(symbols) == len(shape) and all(n in (None, m) for n, m in zip(extents, shape, strict=True))
        if not fits:
            raise ValueError(
                f"{message + ': ' if message else ''}a tensor of shape {shape} does not have the shape {wanted}"
            )


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise a ValueError with the `message`, unless `x` has `rank` axes.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_rank([1.0], 1)
    """
    _check_rank(x, [rank], "", message)


def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise a ValueError with the `message`, unless `x` has `rank` axes or more.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_rank_at_least([1.0], 0)
    """
    found = convert_to_tensor(x).ndim
    _check_rank(x, [found if found >= int(rank) else int(rank)], "at least ", message)


def assert_rank_in(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise a ValueError with the `message`, unless the number of axes of `x` is one of `ranks`.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_rank_in([1.0], [1, 2])
    """
    _check_rank(x, [int(rank) for rank in ranks], "", message)


def _check_rank(x: Any, ranks: list[Any], bound: str, message: str | None) -> None:
    given = convert_to_tensor(x)
    if given.ndim not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise ValueError(
            f"{message + ': ' if message else ''}a tensor of shape {given.shape} does not have {bound}{wanted} axes"
        )


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> Tensor:
    """`tensor`, unless it has axes: that raises a ValueError with the `message`.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_scalar(1.0)
    <Tensor 1.0, float32>
    """
    _check_rank(tensor, [0], "", message)
    return convert_to_tensor(tensor)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise a TypeError with the `message`, unless `tensor` has the dtype `tf_type`.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)
    """
    found = convert_to_tensor(tensor).dtype
    if found != np.dtype(tf_type):
        raise TypeError(_said(message, f"a tensor of {found} is not one of {np.dtype(tf_type)}"))


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise a TypeError with the `message`, unless `x` is of integers.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_integer([1, 2])
    """
    found = convert_to_tensor(x).dtype
    if found.kind not in "iu":
        raise TypeError(_said(message, f"a tensor of {found} is not one of integers"))


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> np.dtype[Any]:
    """The dtype of floats that all of `tensors` have, which is `dtype` where one is given. ValueError otherwise.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant([2.0])])
    dtype('float32')
    """
    found = {convert_to_tensor(one).dtype for one in tensors or ()}
    found |= set() if dtype is None else {np.dtype(dtype)}
    if len(found) > 1 or any(one.kind != "f" for one in found):
        raise ValueError(f"one dtype of floats is wanted, not {sorted(map(str, found))}")
    return found.pop() if found else np.dtype(np.float32)


def assert_proper_iterable(values: Any) -> None:
    """Raise a TypeError, unless `values` is a collection: tensors, arrays and texts are none.

    >>> import pullback.tf as tf
    >>> tf.debugging.assert_proper_iterable([tf.constant(1.0)])
    """
    if isinstance(values, Tensor | np.ndarray | str | bytes) or not hasattr(values, "__iter__"):
        raise TypeError(f"a collection is wanted, not a {type(values).__name__}")


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether `tensor` is a tensor of numbers.

    >>> import pullback.tf as tf
    >>> tf.debugging.is_numeric_tensor(tf.constant([1.0]))
    True
    """
    return isinstance(tensor, Tensor) and tensor.dtype.kind in "fiu"


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """No effect: see `tf.GradientTape(nan="raise")`. Neither have `stack_height_limit` and `path_length_limit`.

    >>> import pullback.tf as tf
    >>> tf.debugging.enable_check_numerics()
    """


def disable_check_numerics() -> None:
    """No effect: see `tf.GradientTape(nan="raise")`.

    >>> import pullback.tf as tf
    >>> tf.debugging.disable_check_numerics()
    """


__all__ = [
    *ASSERTIONS,
    "Assert",
    "assert_all_finite",
    "assert_integer",
    "assert_near",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "enable_check_numerics",
    "is_numeric_tensor",
]

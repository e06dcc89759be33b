"""`external`: functions that are called and not read, as those of C and of SciPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pullback.frontend.source.externals import UNKNOWN, External


def external(function: Callable[..., Any] | None = None, result: Any = UNKNOWN) -> Any:
    """A function that is called as it is, and not read: it may be written in C, or be an object of SciPy.

    In differentiable functions it is called as often as in a plain call, and in the order of the text. It is given
    numbers, copies of arrays, which cannot be written, or None; arrays that it returns are copied. Its derivative is
    what `custom_vjp`, `custom_jvp`, `implicit` or `constant_function` say of it.

    function: anything that can be called. Functions of C by ctypes, cffi and `numba.cfunc`, and capsules of Cython as
        `scipy.LowLevelCallable` has them, which take and give numbers alone, are called without Python.
    result: what it returns, by a type, a dtype, or an example, of which dtype and rank count: `float`, `np.float32`,
        `np.zeros(3)`, a tuple of such, or None. It need not be given where a function of C tells it.

    Raises TypingError where a result is not what was said, MissingRuleError where a derivative goes through a function
    without a rule. What the function raises is raised as it is.

    >>> import numpy as np, pullback as pb
    >>> from scipy.interpolate import CubicSpline
    >>> curve = CubicSpline(np.arange(5.0), np.arange(5.0) ** 3)
    >>> slope = pb.external(curve.derivative(), result=float)
    >>> spline = pb.custom_vjp(pb.external(curve, result=float))
    >>> spline.defvjp(lambda x: (spline(x), slope(x)), lambda slope, y_bar: (slope * y_bar,))
    >>> round(pb.grad(lambda x: 2.0 * spline(x))(1.5), 6)
    13.5
    """
    return functools.partial(external, result=result) if function is None else External(function, result)

"""One record for each function: how it is spelled, what kind it is, what computes it, and its derivative.

    record_of(np.sin)
        spellings   (math.sin,)                       what the user may call instead
        operator    "Add" of np.add                   the node of Python's syntax that means it
        rule        partials: lambda x: np.cos(x)     its derivative
        vector      True                              the vector math library has it
        compiled    (runtime.sum_over, …) of np.sum   what stands for it in compiled code, where Numba lacks it

Whoever asks for something about a function asks its record; functions without one are NumPy's or Numba's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Function = Callable[..., Any]
Kind = Literal["partials", "linear", "bilinear", "vjp"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The derivative of `function`: `body` is read by the frontend, and may be called as it is.

    linear_in: the numbers of the operands that a linear function is linear in, all of them together.
    behind: what stands for `body` behind a choice, as `np.where` is one. There a cotangent of exactly 0 stays 0, also
    where it meets infinity or NaN; None where that needs nothing. Partial derivatives are multiplied so by themselves.
    branching: what stands for `body` of numbers of 64 bits in compiled code: it computes less, but branches where that
    is not accurate. It calls helpers that have no rule themselves; None for none.
    preaccumulated: what stands for `body` of numbers of 64 bits where a machine computes the partial derivatives along
    with the value, with which they share what costs most; None where they share nothing.
    """

    function: Function
    kind: Kind
    body: Function
    linear_in: tuple[int, ...] = (0,)
    behind: Function | None = None
    branching: Function | None = None
    preaccumulated: Function | None = None


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of `pullback.runtime` that computes the same in compiled code.

    settings: its last parameters, with the values they have where a call does not say them; the others come first.
    when: whether it takes these operands, of its own parameters in order; None for all.
    as_text: settings whose floats are written as texts, which Numba knows while it compiles.
    """

    function: Function
    settings: Mapping[str, Any] = field(default_factory=dict)
    when: Callable[..., bool] | None = None
    as_text: frozenset[str] = frozenset()


@dataclass(slots=True)
class Record:
    """What is known of a function.

    spellings: other functions that mean the same.
    in_scipy: the name of such a function in `scipy.special`; "" if none does.
    operator: the node of Python's syntax that means the same; "" if none does.
    on_numbers: what Python computes it by of its own numbers, which keep their types so; None for itself.
    is_method: whether arrays have it as a method by its own name.
    parameters: the names by position, where `inspect.signature` does not know them.
    renamed: other names of parameters, and those that the rule has for them.
    is_elementwise: whether an element of the result is a function of one element of each operand, all spread over
        common axes. Ufuncs with one result are so in any case.
    has_order: whether an operand is a whole number by its meaning, and stays an integer beside floats.
    chosen: the operands of which it takes some elements and leaves others; None for none.
    mixed: the operands whose common dtype is that of the result, where it is not elementwise; None for none.
    is_reduction: whether it is a reduction or a scan along `axis`.
    has_dtype: whether it computes in the dtype that `dtype` names.
    has_axis_of_number: whether a number counts as an array with one axis where the call names an axis.
    is_view: whether its result may share memory with the first argument.
    keeps_type: whether the result has the type of the first argument; else NumPy is asked.
    typed_by: the number of the operand that has the type of the result, where that is floats; -1 for none.
    vector: whether the vector math library has it, under the same name, for floats; or for which of them.
    loop: whether NumPy or SciPy computes it in a loop that rounds in its own way, which `runtime.exact.ufuncs` calls
        under the same name.
    compiled: what stands for it in compiled code: the first that takes the operands; Numba's own if none does.
    rule: its derivative; None where there is none.
    unknown: the numbers of the operands by which no derivative is known, though there is a rule.
    is_constant: whether the derivative is 0 wherever it exists.
    of_complex: whether the rule, or the text, is right for complex numbers. For others they are refused.
    text: a Python function in the place of its calls; None for none.
    text_when: of a function that is known otherwise too, whether the text stands for a call with arguments of these
        ranks, by name.
    """

    function: Function
    spellings: tuple[Function, ...] = ()
    in_scipy: str = ""
    operator: str = ""
    on_numbers: Function | None = None
    is_method: bool = False
    parameters: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    is_elementwise: bool = False
    has_order: bool = False
    chosen: slice | None = None
    mixed: slice | None = None
    is_reduction: bool = False
    has_dtype: bool = False
    has_axis_of_number: bool = False
    is_view: bool = False
    keeps_type: bool = False
    typed_by: int = -1
    vector: bool | Callable[..., bool] = False
    loop: bool = False
    compiled: tuple[Helper, ...] = ()
    rule: Rule | None = None
    unknown: tuple[int, ...] = ()
    is_constant: bool = False
    of_complex: bool = False
    text: Function | None = None
    text_when: Callable[[Mapping[str, int]], bool] | None = None

    @property
    def is_comparison(self) -> bool:
        return self.operator in ("Lt", "LtE", "Gt", "GtE", "Eq", "NotEq")


RECORDS: dict[Function, Record] = {}
_NOTHING = Record(lambda: None)


def record_of(function: Any) -> Record:
    """The record of a function; one that says nothing where there is none."""
    try:
        return RECORDS.get(function, _NOTHING)
    except TypeError:  # what cannot be hashed is no function of ours
        return _NOTHING


def is_elementwise(function: Any) -> bool:
    """Whether an element of the result is a function of one element of each operand, all spread over common axes.

    >>> is_elementwise(np.add), is_elementwise(np.where), is_elementwise(np.matmul), is_elementwise(np.modf)
    (True, True, False, False)
    """
    is_ufunc = isinstance(function, np.ufunc) and function.signature is None and function.nout == 1
    return is_ufunc or record_of(function).is_elementwise

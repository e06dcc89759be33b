"""`Tensor`: an array of NumPy whose use in operators and NumPy's functions is seen by the tapes that are recording."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.functions import canonical
from pullback.ir.classes import obstacle_of
from pullback.runtime.numpy.nested_lists import array_of
from pullback.tape.followed import Followed, new_key
from pullback.tape.protocols import HANDLERS
from pullback.tape.recorders import active

Operator = Callable[[Any, Any], "Tensor"]


def apply(function: Callable[..., Any], call: Callable[..., Any], *arguments: Any) -> Tensor:
    """The result of `call` with the elements of the arguments, recorded as that of the canonical `function`."""
    value = call(*[a._value if isinstance(a, Tensor) else a for a in arguments])
    result = tensor_of(value, arguments) if type(value) is np.ndarray else Tensor(value)
    for recorder in active():
        recorder.record(function, arguments, result)
    return result


def apply_to_one(function: Callable[..., Any], call: Callable[[Any], Any], x: Tensor) -> Tensor:
    """`apply` for one argument."""
    value = call(x._value)
    result = tensor_of(value, (x,)) if type(value) is np.ndarray else Tensor(value)
    for recorder in active():
        recorder.record(function, (x,), result)
    return result


def as_operand(given: Any) -> Any:
    """What stands beside a tensor: itself, a number, or the array of a list's items. TypeError for other things."""
    if isinstance(given, Tensor | complex):
        return given
    check_class(given)
    if isinstance(given, np.ndarray | np.generic | int | float):
        return given
    if isinstance(given, list | tuple):
        return array_of(given)
    array = np.asarray(given)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"a {type(given).__name__} cannot be combined with a tensor")
    return array


def holds_tensor(argument: Any) -> bool:
    """Whether there is a tensor among the items of a nested sequence."""
    if isinstance(argument, list | tuple):
        return any(holds_tensor(item) for item in argument)
    return isinstance(argument, Tensor)


def check_class(given: Any) -> None:
    """TypingError for what is no array or number of NumPy's, or one whose operations mean something else."""
    found = None if isinstance(given, complex | np.complexfloating) else obstacle_of(type(given))
    if found is not None:
        raise TypingError(f"what stands beside a tensor {found.reason}", None, found.remedy.format("it"))


def binary(function: np.ufunc, call: Callable[[Any, Any], Any], reflected: bool = False) -> Operator:
    """The operator that computes `function` by `call`; `reflected`: with the tensor on its right side."""

    def operate(self: Tensor, other: Any) -> Tensor:
        if type(other) not in PLAIN:
            try:
                other = as_operand(other)
            except TypingError:
                raise
            except TypeError:
                return NotImplemented
        return apply(function, call, other, self) if reflected else apply(function, call, self, other)

    return operate


def both_sides(function: np.ufunc, call: Callable[[Any, Any], Any]) -> tuple[Operator, Operator]:
    """The operator and the one that Python asks for where the tensor stands on the right."""
    return binary(function, call), binary(function, call, reflected=True)


def unary(function: np.ufunc, call: Callable[[Any], Any]) -> Callable[[Tensor], Tensor]:
    """The operator that computes `function` by `call`."""
    return lambda self: apply_to_one(function, call, self)


def in_place(operate: Callable[[Any, Any], Any]) -> Operator:
    """`x += y` and its like: a new tensor under the name x, as for numbers.

    NumPy would change an array under all of its names, and TensorFlow changes none: the array that it was, and views of
    it, cannot be used any more under theirs.
    """

    def operate_in_place(self: Tensor, other: Any) -> Tensor:
        result = operate(self, other)
        if self.shape and isinstance(result, Tensor):
            withdraw(self)
        return result

    return operate_in_place


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """The method of arrays that is a function of NumPy by the same name."""

    def call(self: Tensor, *arguments: Any, **keywords: Any) -> Any:
        return function(self, *arguments, **keywords)

    call.__name__, call.__doc__ = function.__name__, f"np.{function.__name__} of it."
    return call


class Tensor(Followed):
    """An immutable array that tapes can follow. Made by `constant`, and by every operation on tensors.

    value: an array or number of NumPy's, which is not copied, and must not be changed any more.

    It takes part in operators, indexing and iteration, and in NumPy's functions, as an array of its shape and dtype
    does. `numpy()` gives its elements as an array of NumPy, in which no tape follows them any further.

    >>> import numpy as np, pullback as pb
    >>> x = pb.constant([1.0, 2.0])
    >>> np.exp(x) * 2
    <Tensor [ 5.43656366 14.7781122 ], float64>
    """

    __slots__ = ()
    __hash__ = None  # `==` compares elements

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Tensor, (self.numpy(),)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method == "__call__" and not keywords and ufunc.nout == 1 and ufunc.signature is None:
            if len(inputs) == 1:
                return apply_to_one(canonical(ufunc), ufunc, self)
            return apply(canonical(ufunc), ufunc, *(as_operand(one) for one in inputs))
        return HANDLERS.call_ufunc(ufunc, method, inputs, keywords)

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        return HANDLERS.call(function, arguments, keywords)

    def __getitem__(self, index: Any) -> Tensor:
        return HANDLERS.item(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypingError(
            "the elements of a tensor cannot be assigned",
            None,
            "make a new one, by np.where or np.concatenate, or write the loop as a function and call pb.grad",
        )

    def __iter__(self) -> Iterator[Tensor]:
        if not self._value.shape:
            raise TypeError("a tensor without axes cannot be iterated over")
        return (self[k] for k in range(self._value.shape[0]))

    __add__, __radd__ = both_sides(np.add, operator.add)
    __sub__, __rsub__ = both_sides(np.subtract, operator.sub)
    __mul__, __rmul__ = both_sides(np.multiply, operator.mul)
    __truediv__, __rtruediv__ = both_sides(np.true_divide, operator.truediv)
    __floordiv__, __rfloordiv__ = both_sides(np.floor_divide, operator.floordiv)
    __mod__, __rmod__ = both_sides(np.remainder, operator.mod)
    __matmul__, __rmatmul__ = both_sides(np.matmul, np.matmul)
    __and__, __rand__ = both_sides(np.bitwise_and, operator.and_)
    __or__, __ror__ = both_sides(np.bitwise_or, operator.or_)
    __xor__, __rxor__ = both_sides(np.bitwise_xor, operator.xor)
    __lshift__, __rlshift__ = both_sides(np.left_shift, operator.lshift)
    __rshift__, __rrshift__ = both_sides(np.right_shift, operator.rshift)
    _power, __rpow__ = both_sides(np.power, operator.pow)
    __lt__, __le__ = binary(np.less, np.less), binary(np.less_equal, np.less_equal)
    __gt__, __ge__ = binary(np.greater, np.greater), binary(np.greater_equal, np.greater_equal)
    __eq__, __ne__ = binary(np.equal, np.equal), binary(np.not_equal, np.not_equal)
    __neg__, __pos__ = unary(np.negative, operator.neg), unary(np.positive, operator.pos)
    __abs__, __invert__ = unary(np.absolute, operator.abs), unary(np.invert, operator.invert)

    def __pow__(self, other: Any) -> Tensor:
        if type(other) is int and other == 2:
            return apply_to_one(np.square, np.square, self)
        return self._power(other)

    @property
    def T(self) -> Tensor:
        """With its axes in reverse order."""
        return np.transpose(self)

    @property
    def mT(self) -> Tensor:
        """With its last two axes exchanged. ValueError where there are less than two."""
        return np.matrix_transpose(self)

    @property
    def real(self) -> Tensor:
        """The real parts of its elements."""
        return np.real(self)

    @property
    def imag(self) -> Tensor:
        """The imaginary parts of its elements: zeros where they are real."""
        return np.imag(self)

    def astype(
        self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Tensor:
        """Its elements in another dtype; no gradient flows through integers. TypeError where `casting` forbids it."""
        if not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"{self.dtype} cannot be cast to {np.dtype(dtype)} by casting={casting!r}")
        return HANDLERS.as_dtype(self, dtype)

    def reshape(self, *shape: Any, order: Any = "C", copy: bool | None = None) -> Tensor:
        """Its elements in another shape, given as a tuple or as numbers."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape, order=order)

    def transpose(self, *axes: Any) -> Tensor:
        """With its axes in another order, or in reverse order."""
        order = axes[0] if len(axes) == 1 else axes or None
        return np.transpose(self, order)

    def flatten(self, order: Any = "C") -> Tensor:
        """Its elements in a row."""
        return np.ravel(self, order)

    def compress(self, condition: Any, axis: int | None = None) -> Tensor:
        """np.compress of it: the parts along an axis for which a condition holds."""
        return np.compress(condition, self, axis)

    def clip(self, min: Any = None, max: Any = None, **keywords: Any) -> Tensor:
        """np.clip of it, between two bounds of which one may be left out."""
        return np.clip(self, min, max, **keywords)

    def copy(self) -> Tensor:
        """A tensor of the same elements, recorded as computed from this one."""
        return +self

    sum, mean, prod = method(np.sum), method(np.mean), method(np.prod)
    max, min, var, std = method(np.max), method(np.min), method(np.var), method(np.std)
    any, all, argmax, argmin = method(np.any), method(np.all), method(np.argmax), method(np.argmin)
    cumsum, cumprod, dot, trace = method(np.cumsum), method(np.cumprod), method(np.dot), method(np.trace)
    ravel, squeeze, swapaxes = method(np.ravel), method(np.squeeze), method(np.swapaxes)
    round, repeat, take = method(np.round), method(np.repeat), method(np.take)
    diagonal, argsort, argpartition = method(np.diagonal), method(np.argsort), method(np.argpartition)
    conj, conjugate, nonzero = method(np.conjugate), method(np.conjugate), method(np.nonzero)
    searchsorted, choose = method(np.searchsorted), method(np.choose)

    __iadd__, __isub__ = in_place(operator.add), in_place(operator.sub)
    __imul__, __itruediv__ = in_place(operator.mul), in_place(operator.truediv)
    __ifloordiv__, __imod__ = in_place(operator.floordiv), in_place(operator.mod)
    __ipow__, __imatmul__ = in_place(operator.pow), in_place(operator.matmul)

    def __divmod__(self, other: Any) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Tensor, Tensor]:
        return other // self, other % self

    def __round__(self, digits: int = 0) -> Tensor:
        return np.round(self, digits)


class View(Tensor):
    """A tensor that shows elements of another one: `_root`, or one that shows it."""

    __slots__ = ("_elements", "_root")

    def __init__(self, elements: Any, root: Tensor) -> None:
        self._elements = elements
        self._root = root
        self._key = new_key()

    @property
    def _value(self) -> Any:
        if type(self._root) is Withdrawn:
            raise _withdrawn()
        return self._elements


PLAIN = {Tensor, View, float, int, bool, np.ndarray, np.float64, np.float32, np.int64}
"""Classes of what may stand beside a tensor, for a quick look."""


class Withdrawn(Tensor):
    """What is left of an array, under other names, after it was changed in place under one."""

    __slots__ = ()

    @property
    def _value(self) -> Any:
        raise _withdrawn()

    @property
    def shape(self) -> tuple[int, ...]:
        return elements_of(self).shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return elements_of(self).dtype

    def __repr__(self) -> str:
        return "<Tensor, changed in place under another name>"


_elements_of_tensor = Followed.__dict__["_value"].__get__


def elements_of(tensor: Tensor) -> Any:
    """The elements of a tensor, also of one that has been withdrawn."""
    return tensor._elements if isinstance(tensor, View) else _elements_of_tensor(tensor)


def as_recorded(tensor: Tensor) -> Tensor:
    """A tensor of the same number and elements that stays what it is."""
    same = Tensor.__new__(Tensor)
    same._value, same._key = elements_of(tensor), tensor._key
    return same


def withdraw(tensor: Tensor) -> None:
    """Forbid the use of an array, and of all views of it, under any name that it still has."""
    root = tensor._root if isinstance(tensor, View) else tensor
    for one in (root, tensor):
        if type(one) is Tensor:
            one.__class__ = Withdrawn


def _withdrawn() -> TypingError:
    return TypingError(
        "this tensor was changed in place under another name, as by y = x; y += 1",
        None,
        "write y = y + 1, which leaves x as it is, or use the name that was changed",
    )


def tensor_of(value: Any, arguments: Iterable[Any]) -> Tensor:
    """What an operation computed, as a tensor: a view where it shows elements of one of the arguments."""
    if type(value) is not np.ndarray:
        return Tensor(value)
    if not value.shape:
        return Tensor(value[()])
    if value.base is not None:
        for argument in arguments:
            if isinstance(argument, Tensor) and _shows(value, argument._value):
                return View(value, _root_of(argument))
    return Tensor(value)


def _shows(value: np.ndarray, array: Any) -> bool:
    """Whether `value` is a view of an array, or both are of a third."""
    return value.base is array or (
        isinstance(array, np.ndarray) and array.base is not None and value.base is array.base
    )


def _root_of(tensor: Tensor) -> Tensor:
    """What a view of a tensor shows: of a variable what it is now, for an assignment does not change views."""
    if isinstance(tensor, View):
        return tensor._root
    return tensor if type(tensor) is Tensor else as_recorded(tensor)

"""Functions that are called and not read: all that is known of one is how it is called, and what it returns."""

from __future__ import annotations

import inspect
from keyword import iskeyword
from types import FunctionType
from typing import Any

import numpy as np

from pullback.errors import Location, TypingError
from pullback.frontend.source.c_functions import CFunction, c_function
from pullback.ir.classes import changes_meaning
from pullback.ir.types import BOOL, FLOAT, INT, Array, Scalar, Type, type_of, within
from pullback.runtime import call_address
from pullback.runtime.protocol import has_protocol
from pullback.runtime.python.external import numbered

_PLAIN_TYPES = {float: FLOAT, int: INT, bool: BOOL}


class Unknown:
    """What stands for the type of a result that nobody has said."""


UNKNOWN = Unknown()


class External:
    """A function that is called as it is.

    given: what its user has said of the result. results: the types of the numbers and arrays that it returns, in a
    tuple if there are `several`. c: what it is in C, if it takes and gives numbers of C alone. number: what generated
    code calls it by: the address of its machine code, or a number that no other object has.
    """

    __pullback_external__ = True

    def __init__(self, function: Any, given: Any = UNKNOWN) -> None:
        self.function, self.given = function, given
        self.__name__ = _name_of(function)
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)
        self.__module__ = getattr(function, "__module__", None) or ""
        self.__doc__ = getattr(function, "__doc__", None)
        self.c: CFunction | None = c_function(function)
        self.several = isinstance(given, tuple)
        self.results = self._results()
        if self.c is None and not callable(function):
            reason = f"'{self.__name__}' cannot be called, or is a function of C that takes or gives more than numbers"
            raise TypingError(reason, None, "pass a function that Python can call")
        self.number = numbered(self) if self.c is None else self.c.address
        self.parameters = _parameters(function, self.c)
        self.__pullback_primal__ = _stand_in(self)

    def _results(self) -> tuple[Type, ...]:
        if isinstance(self.given, Unknown):
            if self.c is None:
                reason = f"nothing is known of what '{self.__name__}' returns"
                remedy = f"say it by an example or a type, as in pb.external({self.__name__}, result=float)"
                raise TypingError(reason, None, remedy)
            return () if self.c.result is None else (_python_type(self.c.result),)
        if self.given is None:
            return ()
        found = tuple(map(self._type, self.given if self.several else (self.given,)))
        if self.c is not None and (self.several or found[0] != _python_type(self.c.result or "")):
            self.c = None  # what is said of it counts, and is checked at each call
        return found

    def _type(self, given: Any) -> Type:
        """The type that an example or a class says."""
        is_dtype = isinstance(given, np.dtype) or (isinstance(given, type) and issubclass(given, np.generic))
        dtype = np.dtype(given) if is_dtype else None
        found = type_of(given) if dtype is None else Scalar(dtype.name) if dtype.kind in "fiub" else None
        if isinstance(given, type) and not is_dtype:
            found = _PLAIN_TYPES.get(given)
        if found is None or np.dtype(found.dtype) in (np.float16, np.longdouble):
            shown = getattr(given, "__name__", repr(given))
            reason = f"result= of '{self.__name__}' is {shown}, which tells no type of numbers that can be followed"
            raise TypingError(reason, None, "give float, int, bool, a dtype, an example array, or a tuple of them")
        return found

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """What the function returns, in the types that were said: a copy, if it is an array."""
        if any(map(has_protocol, (*arguments, *keywords.values()))):
            return self._of_tensors(arguments, keywords)
        if self.c is None:
            return self.answer(*arguments, **keywords)
        given = tuple(a.item() if isinstance(a, np.generic) else a for a in arguments)
        if callable(self.function):
            return self.checked(self.function(*given, **keywords))
        return self.checked(call_address(self.c.address, self.c.signature, *given, **keywords))

    def answer(self, *arguments: Any, **keywords: Any) -> Any:
        """What the function returns for numbers and arrays."""
        return self.checked(self.function(*arguments, **keywords))

    def _of_tensors(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A tensor, of which a tape knows that it has no rule."""
        if keywords or len(self.results) != 1 or self.several:
            reason = f"'{self.__name__}' is given a tensor by keyword, or returns no single number or array"
            raise TypingError(reason, self.place, "give it a rule, by pb.custom_vjp or pb.constant_function")

        def computed(*elements: Any) -> Any:
            return np.asarray(self(*elements))[()]

        computed.__name__ = self.__name__
        tensor = next(filter(has_protocol, arguments))
        return tensor.__array_function__(computed, (type(tensor),), arguments, {})

    def checked(self, returned: Any) -> Any:
        """What was returned, in the types that were said. TypingError where it has others."""
        if not self.results and not self.several:
            return None
        items = (returned,) if not self.several else returned if isinstance(returned, tuple | list) else ()
        if len(items) != len(self.results):
            given = f"{len(items)} items" if items else f"a {type(returned).__name__}"
            self._refuse(given, f"a tuple of {len(self.results)}")
        made = tuple(map(self._checked, items, self.results))
        return made if self.several else made[0]

    def _checked(self, returned: Any, type_: Type) -> Any:
        if type(returned) is float and type_ == FLOAT:
            return returned
        found = None if changes_meaning(type(returned)) else type_of(returned)
        is_number = isinstance(type_, Scalar) and getattr(found, "ndim", 0) == 0
        if found is None or found.dtype != type_.dtype or not (is_number or _rank(found) == _rank(type_)):
            self._refuse(str(found or f"a {type(returned).__name__}"), str(type_))
        if isinstance(type_, Array):
            return np.array(returned, type_.dtype, order="C")
        number = np.dtype(type_.dtype).type(returned) if not isinstance(returned, int) else returned
        if type(number) is int and within(number, "int64") != number:
            self._refuse("an integer of more than 64 bits", str(type_))
        if type_.weak:
            return number.item() if isinstance(number, np.generic) else number
        return np.dtype(type_.dtype).type(number)

    def _refuse(self, returned: str, said: str) -> None:
        reason = f"'{self.__name__}' returned {returned}, and result= says {said}"
        raise TypingError(reason, self.place, "let result= be what it returns, or convert what it returns")

    @property
    def place(self) -> Location | None:
        """Where the function stands, if it is one of Python's."""
        code = getattr(self.function, "__code__", None)
        return None if code is None else Location(code.co_filename, code.co_firstlineno, function=code.co_name)

    def __reduce__(self) -> tuple[Any, ...]:
        return External, (self.function, self.given)

    def __repr__(self) -> str:
        return f"<external function {self.__name__}>"


def _rank(type_: Type) -> int:
    return type_.ndim if isinstance(type_, Array) else -1


def _python_type(dtype: str) -> Scalar:
    """The type that a number of C has in Python."""
    return FLOAT if dtype.startswith("float") else INT


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", None) or type(function).__name__
    return name if name.isidentifier() and not iskeyword(name) else "function"


# How it is called


def _parameters(function: Any, c: CFunction | None) -> tuple[str, ...] | None:
    """The names of the parameters that have to be given, by position; None where nobody knows them."""
    count = len(c.arguments) if c is not None else function.nin if isinstance(function, np.ufunc) else None
    if count is not None:
        return tuple(f"x{k}" for k in range(count))
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    given = [p for p in found if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in given) if all(p.kind in plain for p in given) else None


def _stand_in(external: External) -> FunctionType:
    """A Python function with the parameters of an external one, which calls it; its text is found where files are."""
    names = ", ".join(["*arguments"] if external.parameters is None else external.parameters)
    call = "call"
    while call in (external.__name__, *(external.parameters or ())):
        call += "_it"
    text = f"def {external.__name__}({names}):\n    return {call}({names})\n"
    outside = {call: external, "__name__": "externals", "__loader__": _Text(text)}
    exec(compile(text, f"external function {external.__name__}({names})", "exec"), outside)
    made = outside[external.__name__]
    assert isinstance(made, FunctionType), "the text defines a function"
    made.__doc__ = external.__doc__
    return made


class _Text:
    """What `linecache` asks for the text of a module."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, name: str) -> str:
        return self.text

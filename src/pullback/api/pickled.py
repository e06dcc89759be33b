"""Functions that are pickled by value keep the files that they are from: their text is found there.

`cloudpickle` sends the code of a lambda, of a nested function or of one of the main module, and forgets its file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any

from pullback.frontend.source.code_objects import nested_codes
from pullback.frontend.source.plain_functions import primal_of

Files = tuple[tuple[str, int, str], ...]
"""The file of each function, by its name and first line."""


def reduced(make: Callable[..., Any], function: Any, *others: Any) -> tuple[Any, ...]:
    """What `__reduce__` returns for something that `make(function, *others)` makes anew."""
    files = tuple((f.__code__.co_qualname, f.__code__.co_firstlineno, f.__code__.co_filename) for f in sent(function))
    return (made_again, (make, files, function, *others)) if files else (make, (function, *others))


def made_again(make: Callable[..., Any], files: Files, function: Any, *others: Any) -> Any:
    """The same in another process."""
    known = {(name, line): file for name, line, file in files}
    for each in sent(function):
        code = each.__code__
        file = known.get((code.co_qualname, code.co_firstlineno), code.co_filename)
        if file != code.co_filename:
            each.__code__ = of_file(code, file)
    return make(function, *others)


def of_file(code: CodeType, file: str) -> CodeType:
    """The code, and that inside of it, as that of a file."""
    constants = tuple(of_file(c, file) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants)


def sent(function: Any) -> Iterator[FunctionType]:
    """The Python functions that go by value with a function: itself, and those that it uses."""
    waiting, seen = [function], set[int]()
    while waiting:
        plain = primal_of(waiting.pop())
        if plain is not None and id(plain) not in seen and not is_found_by_name(plain):
            seen.add(id(plain))
            yield plain
            waiting += used_by(plain)


def used_by(function: FunctionType) -> list[Any]:
    """What a function has in its closure and finds among its globals."""
    code, outside = function.__code__, function.__globals__
    used = [outside[name] for c in (code, *nested_codes(code)) for name in c.co_names if name in outside]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # a name that has no value yet
            used.append(cell.cell_contents)
    return [each for each in used if callable(each)]  # modules may import others where they are asked


def is_found_by_name(function: FunctionType) -> bool:
    """Whether another process that imports the function's module finds it there."""
    return function.__module__ != "__main__" and named(function.__module__, function.__qualname__) is not None


def named(module: str, name: str) -> Any:
    """What stands under a dotted name in a module that has been imported; None if nothing does."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found

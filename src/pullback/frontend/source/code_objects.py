"""Code objects compared: what they compute without their places, and what they hold and where."""

from __future__ import annotations
import __future__

import ast
import dis
import functools
from collections import Counter
from collections.abc import Iterator
from types import CodeType

FUTURE_FLAGS: int = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


def flags_of(code: CodeType) -> int:
    """The flags to compile with: the `from __future__` in force, and `await` at top level as in notebooks."""
    return (code.co_flags & FUTURE_FLAGS) | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """The code objects within `code`, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from nested_codes(constant)


def parameters(code: CodeType) -> tuple[int, int, tuple[str, ...]]:
    """What a code object says of the signature."""
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_argcount, code.co_posonlyargcount, code.co_varnames[:count]


def contents(code: CodeType) -> set[object]:
    """The names and constants of a code object and those within it."""
    held: set[object] = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}
    for constant in code.co_consts:
        held |= contents(constant) if isinstance(constant, CodeType) else {constant_key(constant)}
    return held


def is_rewritten_by_pytest(code: CodeType) -> bool:
    """Whether the assertions of a code object are those that pytest has put in place of the user's."""
    return any(isinstance(name, str) and name.startswith("@py") for name in contents(code))


def operators(code: CodeType) -> Counter[str]:
    """The operators of a code object and those within it, and how often each stands there.

    >>> operators(compile("-x * x * x", "", "eval")) == {"UNARY_NEGATIVE": 1, "*": 2}
    True
    """
    found = Counter(map(_name_of_operator, filter(_is_operator, dis.get_instructions(code))))
    return sum((operators(c) for c in code.co_consts if isinstance(c, CodeType)), found)


def _is_operator(instruction: dis.Instruction) -> bool:
    name = instruction.opname
    return name in ("BINARY_OP", "COMPARE_OP", "CONTAINS_OP", "IS_OP", "CALL_INTRINSIC_1") or name.startswith("UNARY_")


def _name_of_operator(instruction: dis.Instruction) -> str:
    """What tells one operator from another, whether or not its result is tested at once."""
    return instruction.argrepr.removeprefix("bool(").removesuffix(")") or instruction.opname


def fingerprint(code: CodeType) -> tuple[object, ...]:
    """All that decides what a code object does, without its places."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    constants = tuple(fingerprint(c) if isinstance(c, CodeType) else constant_key(c) for c in code.co_consts)
    return code.co_name, code.co_code, code.co_exceptiontable, parameters(code), names, constants


def constant_key(constant: object) -> object:
    """A key that tells 1 from 1.0 and True, and 0.0 from -0.0."""
    if isinstance(constant, frozenset):
        return frozenset(constant_key(item) for item in constant)
    return type(constant), repr(constant)


def columns(code: CodeType) -> list[tuple[int | None, int | None]]:
    """The columns at which the instructions start and end."""
    return [(column, end) for _, _, column, end in code.co_positions()]

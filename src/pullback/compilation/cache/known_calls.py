"""What a process has found out about a kind of call becomes a file, so that the next one need not find it out again.

The file tells which machine code serves the call, and what must stand outside of the function for that. Its name is a
hash of the function's code, the kinds of the arguments, what is wanted, the options, and all files of this package.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from numba.core.registry import cpu_target
from numba.core.typing.typeof import Purpose, typeof

from pullback.compilation.cache import files
from pullback.compilation.cache.descriptions import Described, Words, hash_of
from pullback.compilation.cache.fingerprints import whole_fingerprint
from pullback.compilation.cache.folder import logger
from pullback.compilation.cache.machine_code import MachineCode
from pullback.compilation.gates import Gate, gate_to
from pullback.ir.types import Type


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A kind of call, as it is kept on disk.

    name, module, file, key: the generated function, its module, the file with its text, the hash of its machine code.
    count, tuple_from: see `shortcut.Code`. returned: the expression of the results that the user gets. boxed: the types
    of what machine code returns, where that is what the user gets; None where calls need more than machine code.
    rest: the numbers that are passed after the arguments. captures: the places of the arrays and numbers after those.
    """

    name: str
    module: str
    file: str
    key: str
    count: int
    tuple_from: int | None
    returned: str
    boxed: tuple[Type, ...] | None
    rest: tuple[Any, ...]
    captures: tuple[tuple[Words, Any], ...]
    dependencies: tuple[Described, ...]

    def gate(self, arguments: Sequence[Any]) -> Gate:
        """What runs the machine code for arguments like these. Raises LookupError where it is not on disk."""
        types = tuple(typeof(argument, Purpose.argument) for argument in arguments)
        context = cpu_target.target_context
        code = MachineCode(self.name, self.key).load_alone(types, context, self.module)
        if code is None:
            raise LookupError(self.name)
        return gate_to(code, stand_in(self.name, self.file, len(types)))


def stand_in(name: str, file: str, count: int) -> Any:
    """A function with so many parameters; nobody calls it."""
    names: dict[str, Any] = {}
    parameters = ", ".join(f"a{k}" for k in range(count))
    exec(compile(f"def {name}({parameters}): pass", file, "exec"), names)
    return names[name]


def place_of(function: FunctionType, wanted: str, kinds: str) -> tuple[str, str]:
    """The name and the key of the file for a kind of call.

    wanted: what is called, with which options; kinds: those of the arguments.
    """
    key = "\0".join([function.__code__.co_name, hash_of(function.__code__), wanted, kinds, whole_fingerprint()])
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{files.stem(function.__code__.co_name, digest)}.call", key


def load(name: str, key: str) -> KnownCall | None:
    """The call in a file, or None."""
    contents = files.load(name, key)
    if contents is None:
        return None
    try:
        known = pickle.loads(contents)
    except Exception as error:
        logger.debug("%s cannot be used: %r", name, error)
        files.discard(name)
        return None
    return known if isinstance(known, KnownCall) else None


def save(name: str, key: str, known: KnownCall) -> None:
    """Keep a call for other processes, where it can be kept."""
    try:
        contents = pickle.dumps(known)
    except Exception as error:
        logger.debug("%s cannot be kept: %r", name, error)
        return
    if files.load(name, key) != contents:
        files.save(name, key, contents)

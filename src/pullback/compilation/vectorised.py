"""Which of the user's loops LLVM runs on several elements at a time.

The text is compiled once more with debug information, which tells for each instruction of the optimised code from which
line of the text it comes; the comment before a loop names the user's line. What LLVM's vectoriser makes of a loop bears
the name vector.body.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numba
from numba.core.errors import NumbaDebugInfoWarning, NumbaError

from pullback.compilation.as_python import function_of
from pullback.compilation.explained import comment_before, explained
from pullback.compilation.functions import Compiled
from pullback.compilation.modules import load_module
from pullback.emission.names import name_classes
from pullback.ir.syntax import parse
from pullback.runtime.codegen.compiler import Compiler

_FUNCTION = re.compile(r"^define .*?\n}", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^(?P<label>[\w.]+):.*?(?=^[\w.]+:|^})", re.MULTILINE | re.DOTALL)
_REFERENCE = re.compile(r"!dbg !(\d+)")
_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)(?:.*?inlinedAt: !(\d+))?", re.MULTILINE)


class _WithLines(Compiler):
    """The compiler of all generated code, with the line of each instruction and no other debug information."""

    def define_pipelines(self) -> list[Any]:
        self.state.flags.dbg_directives_only = True
        made: list[Any] = super().define_pipelines()
        return made


def vectorised_loops(compiled: Compiled, arguments: Sequence[Any]) -> set[str]:
    """The places "file:line" of the user's loops that run on vectors for arguments of these types, in any sweep.

    Raises CompileError where Numba does not compile the text.
    """
    if not compiled.options.jit or numba.config.DISABLE_JIT:
        return set()
    function = compiled.machine_function
    text = compiled.emitted(function)
    classes = name_classes([function])
    module = load_module(compiled.name, text, f"{compiled.options.key()} debug", classes)
    options = compiled.options.numba() | {"debug": True}
    dispatcher = numba.njit(pipeline_class=_WithLines, **options)(function_of(module, compiled.name))
    types = tuple(map(dispatcher.typeof_pyval, arguments))
    with warnings.catch_warnings():
        # Numba writes functions of its own for array expressions, and misses their text.
        warnings.simplefilter("ignore", NumbaDebugInfoWarning)
        try:
            dispatcher.compile(types)
        except NumbaError as error:
            raise explained(compiled, error, tuple(arguments)) from None
    loops = [node for node in ast.walk(parse(text)) if isinstance(node, ast.For | ast.While)]
    lines = _vector_lines(dispatcher.inspect_llvm(types), module.__name__)
    innermost = (_innermost(loops, line) for line in lines)
    return {comment_before(text.splitlines(), loop.lineno)[0] for loop in innermost if loop is not None}


def _vector_lines(ir: str, module: str) -> set[int]:
    """The lines of a module that instructions in vectorised loops come from."""
    locations = {found[1]: (int(found[2]), found[3]) for found in _LOCATION.finditer(ir)}
    lines = set()
    for function in _FUNCTION.finditer(ir):
        if module not in function[0].partition("\n")[0]:
            continue  # a helper that is called
        for block in _BLOCK.finditer(function[0]):
            if "vector.body" in block["label"]:
                lines |= {_outermost_line(number, locations) for number in _REFERENCE.findall(block[0])}
    return lines


def _outermost_line(number: str, locations: dict[str, tuple[int, str | None]]) -> int:
    """The line in the function itself, where an instruction comes from one that is inlined."""
    line, caller = locations[number]
    while caller is not None:
        line, caller = locations[caller]
    return line


def _innermost(loops: list[ast.For | ast.While], line: int) -> ast.For | ast.While | None:
    """The smallest of the loops that a line stands in."""
    around = [loop for loop in loops if loop.lineno <= line <= (loop.end_lineno or line)]
    return max(around, key=lambda loop: loop.lineno, default=None)

"""Python's parser and compiler, one thread at a time: before 3.13 all threads share their count of nested nodes."""

from __future__ import annotations

import ast
import threading
from types import CodeType

PARSING = threading.RLock()


def parse(text: str) -> ast.Module:
    """The tree of a text."""
    with PARSING:
        return ast.parse(text)


def compile_tree(tree: ast.Module, flags: int) -> CodeType:
    """The code of a tree that is no file's."""
    with PARSING:
        code: CodeType = compile(tree, "<source>", "exec", flags=flags, dont_inherit=True)
        return code

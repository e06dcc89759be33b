"""Which intermediate results are written inside the expression that uses them.

A result is, if it has no name of the user's, is used once, in its own block, and no array that it reads is written
between; nor is there a branch between, if it reads any: which elements are read before branches matters to LLVM
(`passes/loops/load_scheduling.py`). So `t = mul(w, x); s = add(s, t)` prints as `s = s + w * x`.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from pullback.analysis.aliases import consumes
from pullback.analysis.lifetimes import Lifetimes
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Effect,
    For,
    Function,
    If,
    Let,
    Statement,
    Value,
    While,
    blocks_of,
    operands_of,
    read_in,
    values_in,
    walk,
)
from pullback.ir.types import Array, is_float

MOST_LEAVES = 12
_CONTRACTIBLE = {np.add, np.subtract, np.multiply}


def find_inlined(function: Function, apart: bool = False, copies: bool = False) -> dict[Value, Let]:
    """The statements that are written where their value is used.

    apart: the arithmetic of the user's statements is not written into those of the backward sweep. copies: one that is
    made to be returned is.
    """
    return _Finder(function, apart, copies).found


class _Finder:
    def __init__(self, function: Function, apart: bool, copies: bool) -> None:
        self.apart = apart
        self.returned = frozenset(r for r in function.results if isinstance(r, Value)) if copies else frozenset()
        self.exact: set[Value] = set()
        self.lifetimes = Lifetimes(function)
        self.counts = Counter(read_in(function.body))
        self.shaped = {
            s.operands[0] for s in walk(function.body) if isinstance(s, Let) and s.function is primitives.dim
        }
        self.leaves: dict[Value, int] = {}
        self.reads: dict[Value, frozenset[Value]] = {}
        self.found: dict[Value, Let] = {}
        for statement in walk(function.body):
            if isinstance(statement, Let) and statement.function is primitives.dim and not statement.value.name:
                self.found[statement.value] = statement
        self.block(function.body)

    def block(self, block: Block) -> None:
        open_: dict[Value, Let] = {}
        for statement in block.statements:
            self.take(statement, open_)
            written = self.written_by(statement)
            for value in [v for v in open_ if self.reads[v] & written or (self.reads[v] and isinstance(statement, If))]:
                del open_[value]
            if isinstance(statement, Let) and self.may_inline(statement):
                open_[statement.value] = statement
            for inner in blocks_of(statement):
                self.block(inner)
        for value in values_in(block.yields):
            if value in open_:
                self.accept(value, open_)

    def take(self, statement: Statement, open_: dict[Value, Let]) -> None:
        """Inline the open values that a statement uses, while its expression stays readable."""
        total = self.size(statement)
        read = operands_of(statement)
        if isinstance(statement, Let) and consumes(statement):
            read = read[1:]
        is_adjoint = statement.location.is_adjoint
        for value in reversed([v for v in values_in(read) if v in open_]):
            if is_adjoint and value in self.exact:
                continue
            size = self.leaves[value]
            if total + size - 1 <= MOST_LEAVES:
                total += size - 1
                self.accept(value, open_)
        if isinstance(statement, Let):
            if self.apart and not is_adjoint and self.has_arithmetic(statement):
                self.exact.add(statement.value)
            self.leaves[statement.value] = total
            self.reads[statement.value] = self.arrays_read(statement)

    def has_arithmetic(self, statement: Let) -> bool:
        """Whether an expression adds or multiplies floats, the expressions inside it included."""
        if statement.function in _CONTRACTIBLE and is_float(statement.value.type):
            return True
        return any(value in self.exact and value in self.found for value in values_in(statement.operands))

    def size(self, statement: Statement) -> int:
        return max(1, sum(1 for _ in values_in(operands_of(statement))))

    def accept(self, value: Value, open_: dict[Value, Let]) -> None:
        self.found[value] = open_.pop(value)

    def arrays_read(self, statement: Let) -> frozenset[Value]:
        """Where the arrays come from that an expression reads, the expressions inside it included."""
        found: set[Value] = set()
        if statement.function is primitives.dim:
            return frozenset()
        for value in values_in(statement.operands):
            if value in self.found:
                found |= self.reads.get(value, frozenset())
            elif isinstance(value.type, Array):
                found |= self.lifetimes.origin(value)
        return frozenset(found)

    def may_inline(self, statement: Let) -> bool:
        value = statement.value
        if value in self.found or value in self.shaped:
            return False
        if self.counts[value] != 1 or consumes(statement):
            return False
        if statement.function is primitives.copy and isinstance(value.type, Array):
            return value in self.returned
        return value.name in ("", "result")

    def written_by(self, statement: Statement) -> frozenset[Value]:
        """The memory that a statement writes, blocks inside included."""
        found: set[Value] = set()
        if isinstance(statement, Let):
            if consumes(statement):
                found |= self.lifetimes.origin(statement.operands[0])
            return frozenset(found)
        if isinstance(statement, Effect) and statement.function is primitives.write_back:
            return self.lifetimes.origin(statement.operands[0])
        for deeper in walk(Block((statement,))):
            if isinstance(deeper, Let) and consumes(deeper):
                found |= self.lifetimes.origin(deeper.operands[0])
            if isinstance(deeper, For | While):
                for carried in deeper.carried:
                    if carried.parameter in self.lifetimes.taken:
                        found |= self.lifetimes.origin(carried.initial)
        return frozenset(found)

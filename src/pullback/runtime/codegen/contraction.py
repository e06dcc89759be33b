"""Operations of the backward sweep may be contracted to fused multiply-adds, those of the user's values not.

NumPy rounds each product: `x * x - y * y` is exactly 0 for x = y. Contracted it need not be, and its square root may be
NaN. The last line of a generated text names the lines in which statements may be contracted; there a division by a
constant may be a product with its reciprocal, and the sign of a zero is not kept.
"""

from __future__ import annotations

import linecache
from typing import Any

from numba.core.lowering import Lower

ENDING = "# fused multiply-adds allowed in lines "
_FLAGS = {
    "fadd": ("contract", "nsz"),
    "fsub": ("contract", "nsz"),
    "fmul": ("contract", "nsz"),
    "fdiv": ("arcp", "nsz"),
}


def contracted_lines(text: str) -> frozenset[int]:
    """The lines of a generated text in which products and sums may be contracted.

    >>> sorted(contracted_lines("a = b * c" + chr(10) + ENDING + "3, 5"))
    [3, 5]
    """
    last = text.rstrip().rpartition("\n")[2]
    return frozenset(map(int, last[len(ENDING) :].split(", "))) if last.startswith(ENDING) else frozenset()


class ContractingLower(Lower):
    """Numba's translation to LLVM, with a flag of its own on each operation that may be contracted."""

    def pre_lower(self) -> None:
        self._contracted = contracted_lines("".join(linecache.getlines(self.func_ir.loc.filename)[-1:]))
        super().pre_lower()

    def lower_inst(self, inst: Any) -> None:
        if inst.loc.line not in self._contracted:
            super().lower_inst(inst)
            return
        block = self.builder.block
        count = len(block.instructions)
        super().lower_inst(inst)
        others = self.builder.block.instructions if self.builder.block is not block else []
        for made in [*block.instructions[count:], *others]:
            if not made.flags:
                made.flags.extend(_FLAGS.get(made.opname, ()))

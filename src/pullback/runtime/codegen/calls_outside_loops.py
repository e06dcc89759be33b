"""In the parts of a long function, what is inlined by force is called outside of loops.

    y = sin(x)        →    y = sin(x), a call
    for i in ...:          for i in ...:
        z = sin(y)             z = sin(y), inlined, so that the loop can be vectorised

Two thousand sines in a row would be as many copies of thirty instructions each, and of use to nobody.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import CallInstr
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.lowering import Lower


class CallingLower(Lower):
    """Numba's translation to LLVM, with such calls."""

    def pre_lower(self) -> None:
        loops = compute_cfg_from_blocks(self.blocks).loops().values()
        self._in_loops = {id(self.blocks[label]) for loop in loops for label in loop.body}
        super().pre_lower()

    def pre_block(self, block: Any) -> None:
        self._calls = id(block) not in self._in_loops
        super().pre_block(block)

    def lower_inst(self, inst: Any) -> None:
        block = self.builder.block
        count = len(block.instructions)
        super().lower_inst(inst)
        for made in block.instructions[count:] if self._calls else ():
            # What is called by its address has no attributes.
            if isinstance(made, CallInstr) and "alwaysinline" in getattr(made.callee, "attributes", ()):
                made.attributes.add("noinline")

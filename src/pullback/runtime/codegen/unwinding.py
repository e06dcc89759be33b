"""What a function holds is released where it raises.

Numba returns the code of an error at once, and the arrays that live there are lost. Here the references of all
variables that may be alive are given back first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llvmlite import ir as ll
from numba.core import callconv, cgutils, ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.cpu import CPUContext
from numba.core.lowering import Lower

_NO_ERROR = (callconv.RETCODE_OK, callconv.RETCODE_NONE)


class UnwindingLower(Lower):
    """Numba's translation to LLVM, which gives back what the function holds before it returns the code of an error."""

    context: Any

    def init(self) -> None:
        super().init()
        context = self.context.subtarget()
        context.__class__ = _Context
        context.unwinding = _Unwinding(context, self)
        self.context = context
        self._held_before = held_before(self.blocks)
        self._labels = {id(block): label for label, block in self.blocks.items()}
        self._held: set[str] = set()
        self._unwinding: Any = None

    def pre_block(self, block: Any) -> None:
        self._held = set(self._held_before[self._labels[id(block)]])
        super().pre_block(block)

    def lower_inst(self, inst: Any) -> None:
        super().lower_inst(inst)
        _step(inst, self._held)

    def leave(self, code: Any) -> None:
        """Return the code of an error, after what is held is given back."""
        self._release(sorted(self._held & self._blk_local_varmap.keys()))
        if self._unwinding is None:
            self._unwinding = self.function.append_basic_block("unwinding")
            self._code = cgutils.alloca_once(self.builder, code.type)
        self.builder.store(code, self._code)
        self.builder.branch(self._unwinding)

    def post_lower(self) -> None:
        """Write the block in which all errors end. A variable without a value is zero there, and holds nothing."""
        super().post_lower()
        if self._unwinding is not None:
            self.builder.position_at_end(self._unwinding)
            self._release(sorted(self.varmap))
            self.builder.ret(self.builder.load(self._code))

    def _release(self, names: list[str]) -> None:
        for name in names:
            held = self.typeof(name)
            if self.context.data_model_manager[held].contains_nrt_meminfo():
                self.decref(held, self.loadvar(name))


class _Context(CPUContext):
    """What a function is translated in, with a calling convention of its own."""

    unwinding: _Unwinding

    @property
    def call_conv(self) -> _Unwinding:
        return self.unwinding


class _Unwinding(callconv.CPUCallConv):
    """The calling convention of one function that is being translated."""

    def __init__(self, context: _Context, lower: UnwindingLower) -> None:
        super().__init__(context)
        self._lower = lower

    def _return_errcode_raw(self, builder: Any, code: Any) -> None:
        if builder is self._lower.builder and code not in _NO_ERROR:
            self._lower.leave(ll.Constant(ll.IntType(32), code) if isinstance(code, int) else code)
        else:
            super()._return_errcode_raw(builder, code)

    def set_static_user_exc(self, builder: Any, *exception: Any, **place: Any) -> None:
        """As Numba's, without the mark by which its pruning of references forgives paths that release nothing.

        Pruned in that way, what is released here would be released twice.
        """
        super().set_static_user_exc(builder, *exception, **place)
        builder.block.instructions[-1].metadata.pop("numba_exception_output", None)


def held_before(blocks: Mapping[int, Any]) -> dict[int, frozenset[str]]:
    """The variables that may have a value at the start of each block: a forward analysis to a fixed point."""
    graph = compute_cfg_from_blocks(blocks)
    held = dict.fromkeys(blocks, frozenset[str]())
    waiting = list(blocks)
    while waiting:
        label = waiting.pop()
        after = set(held[label])
        for inst in blocks[label].body:
            _step(inst, after)
        for successor, _ in graph.successors(label):
            if not after <= held[successor]:
                held[successor] |= after
                waiting.append(successor)
    return held


def _step(inst: Any, held: set[str]) -> None:
    """What a statement changes of the variables that have a value."""
    if isinstance(inst, ir.Assign):
        held.add(inst.target.name)
    elif isinstance(inst, ir.Del):
        held.discard(inst.value)

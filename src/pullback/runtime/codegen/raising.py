"""Which compiled functions may raise: calls of the others do not look at the code that they return.

What tells errors from results is a dozen of LLVM's instructions at each call, and a way out of the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, imputils
from numba.core.callconv import RETCODE_NONE, RETCODE_OK, excinfo_t
from numba.core.codegen import JITCodeLibrary
from numba.core.types.misc import Optional

_CODE = ir.IntType(32)
_NO_ERROR = (RETCODE_OK.constant, RETCODE_NONE.constant)


class NotingLibrary(JITCodeLibrary):
    """Numba's library, which notes whether a function in it may raise."""

    may_raise = False

    def add_ir_module(self, module: Any) -> None:
        blocks = [block for function in module.functions for block in function.blocks]
        self.may_raise = self.may_raise or any(_returns_error(block.terminator) for block in blocks)
        super().add_ir_module(module)


def _returns_error(end: Any) -> bool:
    """Whether a block ends with the return of a code that may be another than those of results."""
    if not isinstance(end, ir.Ret) or end.return_value is None or end.return_value.type != _CODE:
        return False
    return not isinstance(end.return_value, ir.Constant) or end.return_value.constant not in _NO_ERROR


def call_linked(
    context: Any,
    builder: Any,
    description: Any,
    signature: Any,
    values: Sequence[Any],
    may_raise: bool,
    attributes: tuple[str, ...] = (),
) -> Any:
    """What a function returns; its errors are the caller's."""
    function = context.declare_function(builder.module, description)
    kinds = signature.return_type, signature.args
    convention = context.call_conv
    if not may_raise and not isinstance(signature.return_type, Optional):
        place = cgutils.alloca_once(builder, convention.get_return_type(signature.return_type).pointee)
        no_error = ir.Constant(excinfo_t.as_pointer().as_pointer(), None)
        given = context.get_arg_packer(signature.args).as_arguments(builder, values)
        builder.call(function, [place, no_error, *given], attrs=attributes)
        return context.get_returned_value(builder, signature.return_type, builder.load(place))
    status, result = convention.call_function(builder, function, *kinds, values, attributes)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return imputils.fix_returning_optional(context, builder, signature, status, result)


def call_catching(context: Any, builder: Any, description: Any, signature: Any, values: Sequence[Any]) -> Any:
    """Call a function that returns nothing; its errors are forgotten."""
    function = context.declare_function(builder.module, description)
    context.call_conv.call_function(builder, function, signature.return_type, signature.args, values)
    return context.get_dummy_value()

"""Escapes of a tensor's number: `float(x)` asks for it plainly; a function of `math` or an array's element does not.

Python calls the same `__float__` for all of them. The instruction that is being run, and its text, tell them apart.
"""

from __future__ import annotations

import dis
import linecache
import sys
from itertools import islice
from opcode import _nb_ops  # type: ignore[attr-defined]
from types import FrameType

from pullback.errors import TypingError
from pullback.tape.call_sites import call_site_in
from pullback.tape.recorders import is_connected, note_escape

_PLAIN = {"float", "int", "complex", "bool", "round", "str", "print", "format", "repr"}
_REMEDY = (
    "use NumPy's functions on tensors (np.sin, np.stack, …), write x.item() where a constant is meant, or make the "
    "loop a function: under a tape, a call of a pb.differentiable function is differentiated as a whole"
)


def check_escape(tensor: object, how: str) -> None:
    """Tell the recorders of an escape. TypingError where the number would be lost and the user did not ask for it."""
    if not is_connected(tensor):
        return
    frame = sys._getframe(2)
    culprit = find_culprit(frame)
    if culprit:
        raise TypingError(
            f"{culprit} would take a tensor's number out of the tape, and its gradient would be lost",
            call_site_in(frame),
            _REMEDY,
        )
    note_escape(tensor, how)


def find_culprit(frame: FrameType) -> str:
    """What a frame is doing, where that is not surely a plain conversion or formatting; an empty text where it is."""
    code, at = frame.f_code.co_code, frame.f_lasti
    instruction = dis.opname[code[at]]
    if instruction.startswith("STORE"):
        return "storing it in an array"
    if instruction.startswith("FORMAT") or (instruction == "BINARY_OP" and code[at + 1] in _REMAINDERS):
        return ""
    if not instruction.startswith(("CALL", "PRECALL")):
        return "what this line does"
    text = called_text(frame)
    if text is None:
        return "" if _PLAIN.intersection(frame.f_code.co_names) else "what is called here"
    is_own = text in frame.f_globals or text in frame.f_locals
    return "" if text in _PLAIN and not is_own else f"{text}()"


_REMAINDERS = {k for k, (name, _) in enumerate(_nb_ops) if name in ("NB_REMAINDER", "NB_INPLACE_REMAINDER")}
"""The operands of the instruction for `%`, which formats texts."""


def called_text(frame: FrameType) -> str | None:
    """The text of the function that a frame is calling; None where the source is not at hand."""
    line, _, start, _ = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    if line is None or start is None:
        return None
    text = linecache.getline(frame.f_code.co_filename, line, frame.f_globals)
    return text.encode()[start:].decode(errors="ignore").partition("(")[0].strip() or None

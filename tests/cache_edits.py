"""Edits between two processes: each is a program before and after, and whether the machine code still fits."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cache_faults import Outcome, apart, cache_in, defined, gradient_of
from pullback.compilation.cache.fingerprints import fingerprint, whole_fingerprint

PROGRAM = """
import numpy as np
from math import sin as wave
from numba import njit

FACTOR = 2.0
MODE = "plain"
WEIGHTS = np.array([1.0, 2.0, 0.5])


class Refused(Exception):
    pass


class Model:
    def __init__(self):
        self.rate = 0.5

    def scaled(self, v):
        return self.rate * v


model = Model()


def innermost(v):
    return v * v


def inner(v, power=1.5):
    return innermost(v) + power * v


def outer(cell):
    def f(x, shift=0.25):
        # A remark.
        if np.sum(x) > 1e9:
            raise Refused("too much")
        y = FACTOR * inner(x) + cell * x + wave(0.3) * x
        if MODE == "plain":
            y = y + model.scaled(x)
        return np.sum(y * WEIGHTS) + shift * np.sum(x * x)

    return f


f = outer(3.0)
"""
ARGUMENT = np.array([0.5, -1.0, 2.0])


@dataclasses.dataclass(frozen=True)
class Edit:
    """What is replaced in the program, or set for the process; `fits`: the old machine code is to be used."""

    name: str
    fits: bool
    old: str = ""
    new: str = ""
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    file: str = "user.py"
    setting: tuple[str, Any] | None = None

    def text(self) -> str:
        assert self.old in PROGRAM, f"{self.old!r} is not in the program"
        return PROGRAM.replace(self.old, self.new, 1) if self.old else PROGRAM


EDITS = (
    Edit("nothing", True),
    Edit("comment", True, "# A remark.", "# Another one, longer than before."),
    Edit("blank lines", True, "    def f(x", "\n\n    def f(x"),
    Edit("moved down", True, "FACTOR = 2.0", "FACTOR = 2.0\nOTHER = 1\nMORE = 2"),
    Edit("comment behind a statement", True, "y = y + model.scaled(x)", "y = y + model.scaled(x)  # more"),
    Edit("docstring", True, "        # A remark.", '        """What f returns."""'),
    Edit("annotation", True, "def f(x, shift=0.25):", "def f(x: np.ndarray, shift: float = 0.25) -> float:"),
    Edit("decorator of a callee", True, "def innermost", "@njit\ndef innermost"),
    Edit("name of the file", True, file="renamed.py"),
    Edit("default argument", True, "shift=0.25", "shift=0.75"),
    Edit("element of an array", True, "[1.0, 2.0, 0.5]", "[1.0, 5.0, 0.5]"),
    Edit("unused function", True, "model = Model()", "model = Model()\ndef unused():\n    return 7"),
    Edit("body", False, "shift * np.sum(x * x)", "shift * np.sum(x * x * x)"),
    Edit("global number", True, "FACTOR = 2.0", "FACTOR = 3.0"),
    Edit("type of a global number", False, "FACTOR = 2.0", "FACTOR = np.float32(2.0)"),
    Edit("string", False, 'MODE = "plain"', 'MODE = "other"'),
    Edit("dtype of an array", False, "0.5])", "0.5], np.float32)"),
    Edit("closure cell", True, "outer(3.0)", "outer(4.0)"),
    Edit("callee", False, "innermost(v) +", "innermost(v) -"),
    Edit("callee's callee", False, "return v * v", "return v * v * v"),
    Edit("callee's default argument", False, "power=1.5", "power=2.5"),
    Edit("aliased import", False, "import sin as", "import cos as"),
    Edit("method of an object", False, "return self.rate * v", "return self.rate * v * v"),
    Edit("attribute of an object", True, "self.rate = 0.5", "self.rate = 0.75"),
    Edit("message", False, "too much", "too many"),
    Edit("base of an exception", True, "Refused(Exception)", "Refused(ValueError)"),
    Edit("option boundscheck", False, options={"boundscheck": False}),
    Edit("option fastmath", False, options={"fastmath": False}),
    Edit("option math", False, options={"math": "libm"}),
    Edit("version of NumPy", False, setting=("numpy", "__version__")),
    Edit("version of Numba", False, setting=("numba", "__version__")),
    Edit("setting of Numba", False, setting=("numba.core.config", "LOOP_VECTORIZE")),
    Edit("the old text again", True),
)


def outcome_of(edit: Edit) -> Outcome:
    """What a process makes of the program after an edit."""

    def action() -> Outcome:
        if edit.setting is not None:
            module, name = edit.setting
            fingerprint.cache_clear()
            whole_fingerprint.cache_clear()
            setattr(__import__(module, fromlist=[name]), name, "other" if name.startswith("_") else 0)
        return gradient_of(edit.text(), ARGUMENT, edit.options, file=edit.file)

    return apart(action)


def expected(edit: Edit) -> np.ndarray:
    """The gradient by finite differences of the program that Python runs."""
    f = defined(edit.text())["f"]
    steps = 1e-6 * np.eye(ARGUMENT.size)
    return np.array([(f(ARGUMENT + h) - f(ARGUMENT - h)) / 2e-6 for h in steps])


def edit_fails(folder: Path, edits: tuple[Edit, ...] = EDITS) -> Iterator[str]:
    """What went wrong with edits, each made to the program as it was at first."""
    with cache_in(folder):
        for _ in range(2):
            first = outcome_of(EDITS[0])
        assert first.hits == 1, first
        for edit in edits:
            outcome = outcome_of(edit)
            if outcome.error or outcome.warnings:
                yield f"{edit.name}: {outcome}"
            elif not np.allclose(outcome.value, expected(edit), rtol=1e-5, atol=1e-6):
                yield f"{edit.name}: {outcome.value} is not {expected(edit)}"
            elif bool(outcome.hits) != edit.fits:
                yield f"{edit.name}: {'found' if outcome.hits else 'not found'}"

"""A seed becomes a program at the edges: it may raise, and what it computes with is seldom tried.

    program = generate(17)
    print(program.source)                      # def f(x, y, n): ...

Lists of mixed numbers, integers beyond 64 bits, `np.where` with NaN and infinity behind it, sizes that differ in dead
and live places, numbers from outside that change between calls, functions without a rule. `verdict_on` asks for the
value of the plain call, bit for bit where that is promised, or for its exception.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import oracle
from random_programs import RandomProgram, load, unload
from random_statements import Statement, Statements

DEEPEST, LONGEST = 2, 14
ROUNDED_APART = re.compile(r"np\.(sum|dot|median|linalg)|@")
"""What is added up in an order of NumPy's own; all else has the same bits in strict code."""

MODES: dict[str, dict[str, Any]] = {
    "interpreted": {"jit": False},
    "loops": {"jit": False, "fuse": True},
    "off": {"jit": False, "optimisations": False},
}
COMPILED: dict[str, dict[str, Any]] = {"compiled": {}, "strict": {"fastmath": False, "math": "libm"}}
CHANGES = (("RATE", 0.25), ("RATE", 3), ("SHIFT", np.array([0.5, 0.0, -2.0])), ("RATE", True), ("RATE", -0.0))


def generate(seed: int) -> RandomProgram:
    """The program of a seed."""
    draw = random.Random(f"edges/{seed}")
    head = "import math\n\nimport numpy as np\n\nRATE = 0.5\nSHIFT = np.array([1.0, -1.0, 0.0])\n\n\n"
    source = head + "\n".join(_Edges(draw).lines()) + "\n"
    x = np.array([draw.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, np.nan, np.inf, 1e-300]) for _ in range(3)])
    if draw.random() < 0.7:
        x = np.where(np.isfinite(x), x, 0.25)
    y = np.array([round(draw.gauss(0.0, 1.0), 2) for _ in range(draw.choice([2, 3, 3, 3, 3]))])
    return RandomProgram(seed, source, (x, y, draw.choice([0, 1, 2, 3, 3, 3, 4])), (0,))


class _Edges(Statements):
    """Draws statements; `t` is a number, `k` an integer, `a` and `b` arrays, `l` a list."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__(draw, LONGEST)

    def lines(self) -> list[str]:
        first = self.draw.choice(["1", "1, 0.5", "True", "x[0]", "0, 1, 2"])
        begin = ["    a = x * 1.0", "    b = y + 0.0", "    t = 0", "    k = 3", f"    l = [{first}]"]
        body = self.block(0, "    ", self.draw.randint(3, 6))
        end = "    return t * 1.0 + np.sum(a) + k * 1e-3" + self.draw.choice(["", " + l[0]", " + len(l)"])
        return ["def f(x, y, n):", *begin, *body, end]

    def number(self) -> str:
        index = self.draw.choice([*self.indices, "0", "1", "n", "-1"])
        forms = {f"a[{index}]": 5, f"b[{index}]": 2, "t": 3, "RATE": 2, "k": 1, "SHIFT[1]": 1, "n": 1, "0.5": 1, "2": 1}
        return str(self.one_of(forms))

    def condition(self) -> str:
        forms = {f"{self.number()} > 0.2": 4, "n > 2": 2, "k < 100": 1, "np.isnan(a[0])": 1, "len(l) > 1": 1}
        return str(self.one_of(forms))

    def ranges(self) -> list[str]:
        return ["3", "n", "2", "len(y)"]

    def kinds(self, depth: int) -> dict[Statement, float]:
        kinds: dict[Statement, float] = {self.list_change: 8, self.integer: 6, self.choice: 8, self.sizes: 6}
        kinds |= {self.without_rule: 3, self.add: 6, self.write: 5}
        if self.left >= 0 and depth <= DEEPEST:
            kinds |= {self.branch: 5, self.counted: 6}
        return kinds

    def _one(self, indent: str, *forms: str) -> list[str]:
        return [indent + self.draw.choice(forms)]

    def list_change(self, depth: int, indent: str) -> list[str]:
        number = self.number()
        return self._one(
            indent, f"l.append({number})", f"l.append(-{number})", "t = t + l.pop()", f"l[0] = {number}", "t += l[-1]"
        )

    def integer(self, depth: int, indent: str) -> list[str]:
        forms = (
            "k = k * 3037000499",
            "k = k * k",
            "k = k << 20",
            "k = k ** 3",
            "k = -k - 1",
            "k = k // 7",
            "k = k % 1000",
        )
        further = (
            "k = int(a[0] * 1e10) * 3",
            "k = k + 10 ** 18",
            "k = abs(k) >> 3",
            "t = t + k * 1e-12",
            "t = 10 ** -2 * k",
        )
        return self._one(indent, *forms, *further)

    def choice(self, depth: int, indent: str) -> list[str]:
        return self._one(
            indent,
            "a = np.where(a > 0.0, np.log(a) * a, 0.0)",
            "a = np.where(np.isnan(a), 0.0, a * a)",
            "a = np.where(a != 0.0, 1.0 / a, 0.0)",
            "a = np.sqrt(np.where(a > 0.0, a, 0.0))",
            "a = np.where(a > 0.0, np.sqrt(a), a)",
            "t = np.where(a[0] > 0.0, np.log(a[0]), 0.0) + t",
            "t = t + np.sum(np.where(np.isfinite(a), a, 0.0))",
            "a = np.minimum(np.maximum(a, -2.0), 2.0)",
        )

    def sizes(self, depth: int, indent: str) -> list[str]:
        return self._one(
            indent,
            "z = a + b",
            "z = a @ b",
            "t = t + np.dot(a, b[:n])",
            "z = a[:n] * b",
            "a = a + b",
            "z = b[n]",
            "a[:2] = b[:n]",
            "z = np.concatenate((a, b))[n + 1]",
            "t = t + np.sum(a[1:] * b[:-1])",
        )

    def without_rule(self, depth: int, indent: str) -> list[str]:
        return self._one(
            indent,
            "t = t + np.argmax(y) * RATE",
            "t = t + math.comb(5, 2) * a[1]",
            "k = int(np.searchsorted(y, 0.0)) + k % 10",
            "t = t + np.fft.fftfreq(5)[1] * a[0]",
            "t = t + np.count_nonzero(y)",
        )

    def add(self, depth: int, indent: str) -> list[str]:
        return self._one(
            indent, f"t = t + {self.number()} * {self.number()}", "t += RATE * a[0]", "a = a * RATE + SHIFT"
        )

    def write(self, depth: int, indent: str) -> list[str]:
        index = self.draw.choice([*self.indices, "0", "n", "-1"])
        return self._one(indent, f"a[{index}] = {self.number()}", f"a[{index}] += {self.number()}", f"b[{index}] *= 2")


def verdict_on(program: RandomProgram, *, compiled: bool = False) -> Iterator[tuple[str, str, str, str]]:
    """For each mode and each change of what is outside: the verdict, its kind, its detail, the mode."""
    import pullback as pb

    modes = COMPILED if compiled else MODES
    function = load(program)
    try:
        slopes = {
            m: pb.value_and_grad(pb.differentiable(**options)(function), argnums=program.wrt)
            for m, options in modes.items()
        }
        for change in (None, *CHANGES):
            if change is not None:
                function.__globals__[change[0]] = change[1]
            expected = outcome_of(function, program)
            for mode, slope in slopes.items():
                found = outcome_of(slope, program)
                exact = mode == "strict" and not ROUNDED_APART.search(program.source)
                verdict, kind, detail = _judged(function, program, expected, found, exact)
                yield verdict, kind, f"after {change}: {detail}" if change and detail else detail, mode
    finally:
        unload(function)


def outcome_of(function: Callable[..., Any], program: RandomProgram) -> Any:
    """What a call returns, or the exception that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*program.make_args())
        except Exception as error:
            return error


def _judged(function: Any, program: RandomProgram, expected: Any, found: Any, exact: bool) -> tuple[str, str, str]:
    """The verdict, its kind and its detail."""
    import pullback as pb
    from pullback.compilation.explained import CompileError

    if isinstance(found, CompileError):
        return "crashed", "CompileError", str(found)
    if isinstance(found, pb.PullbackError):
        return "refused", " ".join(str(found).split()[:6]), ""
    if isinstance(found, OverflowError):
        return "refused", "an integer beyond 64 bits", ""
    if isinstance(expected, Exception):
        # Of two statements that both raise, the later one may come first.
        if isinstance(found, type(expected) | IndexError | ValueError):
            return "right", "", ""
        return "wrong", "exception", f"{found!r} instead of {expected!r}"
    if isinstance(found, Exception):
        return "crashed", type(found).__name__, f"{found!r} instead of {expected!r}"
    value, (gradient,) = found
    if exact and np.float64(value).tobytes() != np.float64(expected).tobytes() and not np.isnan(expected):
        return "wrong", "bits", f"{value!r} instead of {expected!r}"
    if not np.allclose(value, expected, rtol=1e-12, atol=1e-13, equal_nan=True):
        return "wrong", "value", f"{value!r} instead of {expected!r}"
    reference = outcome_of(lambda *arguments: oracle.gradient(function, arguments, program.wrt)[1][0], program)
    known = not isinstance(reference, Exception) and bool(np.all(np.isfinite(reference)) and np.isfinite(expected))
    if known and not np.allclose(gradient, reference, rtol=1e-10, atol=1e-12):
        return "wrong", "gradient", f"{gradient!r} instead of {reference!r}"
    return "right", "", ""

"""The records of NumPy's functions become the table of docs/numpy.md.

    python tests/numpy_table.py

writes it. `test_numpy_table.py` asks that it is as it stands there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pullback.functions import RECORDS, canonical, record_of
from pullback.functions.record import Record

FILE = Path(__file__).parent.parent / "docs" / "numpy.md"
KINDS = {
    "partials": "each element's",
    "linear": "linear",
    "bilinear": "linear in two arguments",
    "vjp": "its own rule",
}
START = """# Functions of NumPy

What is known of each function of NumPy. `python tests/numpy_table.py` writes this page from the records in
`src/pullback/functions/`, and a test asks that it is up to date. All of them are for compiled and interpreted code,
reverse and forward mode, and tensors on tapes; a setting that is not known, or that Numba has no body for in compiled
code, is refused where it is called. What is not listed may be called as long as no derivative flows through it
([language](language.md#functions-of-numpy)).

The derivative is one of:

- *each element's*: the partial derivatives of an elementwise function;
- *linear*, *linear in two arguments*: the transposed map;
- *its own rule*: a formula, as for the functions of matrices;
- *made of others*: the function is a text in others, which is read in its place;
- *constant*: 0 wherever it exists; the function may stand anywhere in differentiated code.

Of complex numbers, derivatives are known where the notes say so; other functions refuse them where one would flow.

`ufunc.reduce`, `accumulate`, `outer`, `at` and `reduceat` stand at the end, each with the ufuncs that have it.
"""
SPACES: tuple[tuple[str, Any], ...] = (
    ("np", np),
    ("np.fft", np.fft),
    ("np.linalg", np.linalg),
    ("np.lib.stride_tricks", np.lib.stride_tricks),
    *((f"np.polynomial.{name}", getattr(np.polynomial, name)) for name in ("polynomial", "chebyshev", "legendre")),
    *((f"np.polynomial.{name}", getattr(np.polynomial, name)) for name in ("hermite", "hermite_e", "laguerre")),
)
METHODS_OF_UFUNCS = ("reduce", "accumulate", "outer", "at", "reduceat")


def derivative_of(record: Record) -> str:
    """What is known of a function's derivative, in the words of the page; "" for nothing."""
    if record.rule is not None:
        return KINDS[record.rule.kind] + (", else made of others" if record.text else "")
    if record.is_constant:
        return "constant" + (", else made of others" if record.text else "")
    return "made of others" if record.text is not None else ""


def notes_of(record: Record) -> str:
    """What else the record says."""
    given = [
        "complex numbers too" if record.of_complex else "",
        "a method of arrays" if record.is_method else "",
        "its result may be a view" if record.is_view else "",
        f"no derivative by argument {', '.join(str(k + 1) for k in record.unknown)}" if record.unknown else "",
    ]
    return "; ".join(filter(None, given))


def rows(space: str, module: Any) -> Iterator[str]:
    """A line for each function of a module with a derivative, aliases behind what they stand for."""
    for name in sorted(getattr(module, "__all__", dir(module)), key=lambda name: (name.lower(), name)):
        function = getattr(module, name, None)
        if name.startswith("_") or not callable(function) or isinstance(function, type):
            continue
        meant = canonical(function)
        derivative = derivative_of(record_of(meant))
        if derivative:
            yield f"| `{space}.{name}` | {derivative} | {notes_of(record_of(meant))} |"


def rows_of_ufuncs() -> Iterator[str]:
    """A line for each method of ufuncs."""
    for method in METHODS_OF_UFUNCS:
        ufuncs = [getattr(np, name) for name in sorted(set(np.__all__)) if isinstance(getattr(np, name), np.ufunc)]
        names = {f.__name__: f for f in ufuncs}
        known = sorted(name for name, f in names.items() if has_method(f, method))
        yield f"| `{method}` | {', '.join(f'`{name}`' for name in known)} |"


def has_method(ufunc: np.ufunc, method: str) -> bool:
    """Whether a method of a ufunc can be differentiated; `np.add.at` is a statement, and has no record."""
    return (ufunc, method) == (np.add, "at") or getattr(ufunc, method, None) in RECORDS


def page() -> str:
    """The whole page."""
    lines = [START, "| function | derivative | notes |", "|---|---|---|"]
    for space, module in SPACES:
        lines += rows(space, module)
    lines += ["", "| method of ufuncs | of |", "|---|---|", *rows_of_ufuncs()]
    return "\n".join(lines) + "\n"


def main() -> int:
    FILE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

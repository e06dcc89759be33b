"""Calls that another process has described: served without being read again, as long as what they rest on is there."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import collect
import pullback as pb
from cache_faults import Child, Outcome, cache_in, defined
from pullback.compilation.cache import known_calls
from pullback.compilation.cache.fingerprints import whole_fingerprint
from pullback.frontend.values.arguments import form_of, leaves_of

pytestmark = pytest.mark.known_calls

PROGRAM = """
import numpy as np
from numpy import sin as wave

FACTOR = 2.0
MODE = "plain"
WEIGHTS = np.array([1.0, 2.0, 0.5])
TABLE = [0.5, 1.5]


def innermost(v):
    return v * np.abs(v)


def inner(v, power=1.5, *, extra=0.25):
    return innermost(v) + power * v + extra * abs(-1.0)


def outer(cell):
    def f(x, shift=0.25):
        # A remark.
        y = FACTOR * inner(x) + cell * x + wave(0.3) * x
        if MODE == "plain":
            y = y + TABLE[1] * x
        for i in range(1, x.shape[0]):
            y[i] += y[i - 1] * x[i]
        return np.sum(y * WEIGHTS) + shift * np.sum(x * x)

    return f


f = outer(3.0)
"""
ARGUMENT = np.array([0.5, -1.0, 2.0])

EDITS = {
    "nothing": (True, "", ""),
    "comment": (True, "# A remark.", "# Another one, longer than before."),
    "moved down": (True, "FACTOR = 2.0", "FACTOR = 2.0\nOTHER = 1\nMORE = 2"),
    "annotation": (True, "def f(x, shift=0.25):", "def f(x: np.ndarray, shift: float = 0.25) -> float:"),
    "unused function": (True, "TABLE =", "def unused():\n    return 7\nTABLE ="),
    "element of an array": (True, "[1.0, 2.0, 0.5]", "[1.0, 5.0, 0.5]"),
    "global number": (True, "FACTOR = 2.0", "FACTOR = 3.0"),
    "closure cell": (True, "outer(3.0)", "outer(4.0)"),
    "number in a list": (True, "[0.5, 1.5]", "[0.5, 2.5]"),
    "body": (False, "shift * np.sum(x * x)", "shift * np.sum(x * x * x)"),
    "constant": (False, "wave(0.3)", "wave(0.4)"),
    "sign of a zero": (False, "wave(0.3)", "(0.0 * np.sum(x) + wave(0.3))"),
    "default argument": (False, "shift=0.25", "shift=0.75"),
    "type of a global number": (False, "FACTOR = 2.0", "FACTOR = np.float32(2.0)"),
    "global number is an array": (False, "FACTOR = 2.0", "FACTOR = np.array([1.0, 2.0, 3.0])"),
    "string": (False, 'MODE = "plain"', 'MODE = "other"'),
    "dtype of an array": (False, "0.5])", "0.5], np.float32)"),
    "rank of an array": (False, "np.array([1.0, 2.0, 0.5])", "np.array([[1.0, 2.0, 0.5]])"),
    "length of a list": (False, "[0.5, 1.5]", "[0.5, 1.5, 2.5]"),
    "tuple for a list": (False, "[0.5, 1.5]", "(0.5, 1.5)"),
    "callee's callee": (False, "return v * np.abs(v)", "return v * v * v"),
    "callee's default argument": (False, "power=1.5", "power=2.5"),
    "callee's default by keyword": (False, "extra=0.25", "extra=1.25"),
    "callee is compiled": (False, "def innermost", "from numba import njit\n@njit\ndef innermost"),
    "callee is differentiable": (False, "def innermost", "import pullback\n@pullback.differentiable\ndef innermost"),
    "aliased import": (False, "import sin as", "import cos as"),
    "builtin is hidden": (False, "TABLE =", "def abs(v):\n    return 2.0 * v\nTABLE ="),
    "NumPy is another class": (
        False,
        "TABLE =",
        "class np:\n    sum = staticmethod(lambda v: 3.0 * v[0])\n    abs = staticmethod(abs)\nTABLE =",
    ),
}


def gradient_of(text: str, **options: Any) -> Outcome:
    """The gradient of `f` in a text; hits: whether it was served without anything being read."""
    function = pb.grad(pb.differentiable(**options)(defined(text)["f"]))
    value = function(ARGUMENT)
    return Outcome(value.tolist(), int(not function.engine.made))


def by_differences(text: str) -> np.ndarray:
    f, steps = defined(text)["f"], 1e-6 * np.eye(ARGUMENT.size)
    return np.array([(f(ARGUMENT + h) - f(ARGUMENT - h)) / 2e-6 for h in steps])


def apart(text: str, **options: Any) -> Outcome:
    return Child(lambda: gradient_of(text, **options)).outcome()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A cache in which a process has told of a call of the program."""
    with cache_in(tmp_path_factory.mktemp("calls") / "cache") as path:
        first = apart(PROGRAM)
        assert not first.error, first
        yield path


@pytest.mark.drawn(4)
@pytest.mark.parametrize("edit", EDITS)
def test_what_is_known_serves_what_it_fits(edit: str, folder: Path) -> None:
    fits, old, new = EDITS[edit]
    assert old in PROGRAM
    text = PROGRAM.replace(old, new, 1)
    found = apart(text)
    assert not found.error
    assert np.allclose(found.value, by_differences(text), rtol=1e-6, atol=1e-6)
    assert bool(found.hits) == fits
    if not fits:  # the edited program may have told of itself under the same name
        assert np.allclose(apart(PROGRAM).value, by_differences(PROGRAM), rtol=1e-6, atol=1e-6)


def test_options_and_files_of_ours_are_part_of_it(folder: Path) -> None:
    whole = apart(PROGRAM).value
    for options in ({"boundscheck": False}, {"math": "libm"}, {"fastmath": False}, {"cache": False}, {"jit": False}):
        found = apart(PROGRAM, **options)
        assert found.hits == 0
        assert np.allclose(found.value, whole, rtol=1e-12)

    def with_another_file_of_ours() -> Outcome:
        known_calls.whole_fingerprint = lambda: whole_fingerprint() + "0"
        return gradient_of(PROGRAM)

    assert Child(with_another_file_of_ours).outcome() == Outcome(whole, 0)


SCRIPT = """
import sys, json
import numpy as np
import pullback as pb
{program}
read = lambda: any(m.startswith(("pullback.frontend.syntax", "pullback.transform")) for m in sys.modules)
print(json.dumps({expression}))
"""


def printed(program: str, expression: str, folder: Path, **variables: str) -> Any:
    """What an expression is after a program, in a process of its own."""
    path = folder / "script.py"
    path.write_text(SCRIPT.format(program=program, expression=expression))
    environment = {**os.environ, "PULLBACK_CACHE_DIR": str(folder / "cache"), **variables}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(path)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


SMALL = """
def f(x, a):
    for i in range(1, x.size):
        x = x * 1.0
        x[i] = x[i - 1] * np.sin(x[i] * a)
    return np.sum(x)
"""
LAYOUTS = "[np.arange(6.0), np.arange(12.0)[::2], np.arange(6.0)[::-1], np.broadcast_to(1.5, 6), np.zeros(0)]"
SAME_BITS = {
    "array and number": (SMALL, "pb.grad(f)(np.arange(3.0), 2.0).tolist()"),
    "several": (SMALL, "[np.asarray(g).tolist() for g in pb.grad(f, (0, 1))(np.arange(3.0), 2.0)]"),
    "one in a tuple": (SMALL, "[g.tolist() for g in pb.grad(f, (0,))(np.arange(3.0), 2.0)]"),
    "value": (SMALL, "[np.asarray(g).tolist() for g in pb.value_and_grad(f, 'a')(np.arange(3.0), 2.0)]"),
    "primal": (SMALL, "pb.differentiable(f)(np.arange(3.0), 2.0)"),
    "float32": (SMALL, "str(pb.grad(f)(np.arange(3, dtype=np.float32), np.float32(2)).dtype)"),
    "scalar types": (
        "def f(x):\n    return x * x",
        "[repr(pb.grad(f)(k)) for k in (2.0, np.float64(2), np.float32(2))]",
    ),
    "layouts": (SMALL, f"[pb.grad(f)(x, 2.0).tolist() for x in {LAYOUTS}]"),
    "0-d": ("def f(x):\n    return x * x", "repr(pb.grad(f)(np.array(3.0)))"),
    "int": ("def f(x, n):\n    return x ** n", "[pb.grad(f)(1.5, k) for k in (2, 3)]"),
    "matrices": ("def f(x):\n    return np.sum(np.tanh(x @ x.T))", "pb.grad(f)(np.arange(6.0).reshape(2, 3)).tolist()"),
    "solve": (
        "def f(x):\n    return np.sum(np.linalg.solve(x, x.T @ x))",
        "pb.grad(f)(np.arange(4.0).reshape(2, 2) + np.eye(2)).tolist()",
    ),
    "recursion": ("def f(x, n):\n    return x if n == 0 else x * f(x, n - 1)", "pb.grad(f)(1.5, 6)"),
    "lambdas on a line": (
        "pair = [lambda x: x * x, lambda x: x * x * x]",
        "[pb.grad(f)(3.0) for f in pair]",
    ),
    "default": ("def f(x, a=3.0):\n    return a * x * x", "[pb.grad(f)(2.0), pb.grad(f)(2.0, 5.0)]"),
    "two variables around it": (
        "def made(rate, table):\n    return lambda x: np.sum(table * x) * rate\nf = made(0.5, np.array([1.0, 3.0]))",
        "pb.grad(f)(2.0)",
    ),
    "parallel loop": (
        "@pb.differentiable(parallel=True)\ndef f(x):\n    s = 0.0\n    for i in range(x.shape[0]):\n"
        "        s += np.sin(x[i]) ** 2\n    return s",
        "pb.grad(f)(np.linspace(0.0, 1.0, 200_000)).sum()",
    ),
    "generated names": ("def f(x_bar, np_, r0):\n    return x_bar * np_ * r0", "pb.grad(f, (0, 1, 2))(2.0, 3.0, 4.0)"),
}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", SAME_BITS)
def test_second_process_reads_nothing_and_gets_the_same(name: str, tmp_path: Path) -> None:
    program, expression = SAME_BITS[name]
    first = printed(program, expression, tmp_path)
    assert printed(program, f"({expression}, read())", tmp_path) == [first, False]


def test_what_is_served_can_be_read(tmp_path: Path) -> None:
    program = "@pb.differentiable\n" + SMALL.lstrip() + "g = pb.grad(f)\ng(np.arange(3.0), 2.0)"
    expression = "(read(), 'x_bar' in g._repr_html_(), 'x_bar' in f._repr_html_(), read())"
    assert [printed(program, expression, tmp_path)[0] for _ in range(2)] == [True, False]
    assert printed(program, expression, tmp_path) == [False, True, True, True]


LONG = {
    "prints": ("def f(x):\n    print(x, file=__import__('sys').stderr)\n    return x * x", "pb.grad(f)(2.0)"),
    "aux": ("def f(x):\n    return x * x, x", "pb.grad(f, has_aux=True)(2.0)"),
    "dict": ("def f(p):\n    return p['a'] * 2.0", "pb.grad(f)({'a': 2.0})"),
    "method": ("class M:\n    a = 2.0\n    def f(self, x):\n        return self.a * x", "pb.grad(M().f)(2.0)"),
    "changed argument": ("def f(x):\n    x[0] = 2.0 * x[1]\n    return np.sum(x)", "pb.grad(f)(np.ones(2)).tolist()"),
    "instance": ("class M:\n    a = 2.0\nm = M()\ndef f(x):\n    return m.a * x", "pb.grad(f)(2.0)"),
}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", LONG)
def test_what_cannot_be_told_is_read_again(name: str, tmp_path: Path) -> None:
    program, expression = LONG[name]
    if name == "prints":
        program = "def f(x):\n    if x < 0:\n        print('negative')\n    return x * x"
    first = printed(program, expression, tmp_path)
    assert printed(program, f"({expression}, read())", tmp_path) == [first, True]


def test_errors_go_the_long_way(tmp_path: Path) -> None:
    program = """
def f(x, k):
    return x[k] * x[0]

def attempt(k):
    try:
        return pb.grad(f)(np.arange(3.0), k).tolist()
    except IndexError as error:
        return [str(error), *error.__notes__]
"""
    first = printed(program, "[attempt(1), attempt(7), attempt(2)]", tmp_path)
    assert first[1][1].endswith("return x[k] * x[0]")
    assert printed(program, "[attempt(1), attempt(7), attempt(2)]", tmp_path) == first


def test_exceptions_of_the_users_go_the_long_way(tmp_path: Path) -> None:
    program = """
class Refused(Exception):
    pass

def f(x):
    if x < 0:
        raise Refused("negative")
    return x * x

g = pb.grad(f)
def attempt(x):
    try:
        return g(x)
    except Refused as error:
        return str(error)
"""
    for _ in range(2):
        assert printed(program, "[attempt(x) for x in (1.0, -1.0, 2.0, -2.0, 3.0)]", tmp_path) == [
            *(2.0, "negative", 4.0, "negative", 6.0)
        ]


def test_sizes_that_differ_go_the_long_way(tmp_path: Path) -> None:
    program = "def f(x, y):\n    return np.sum(x * y)"
    expression = "[pb.grad(f)(np.ones(3), np.ones(n)).tolist() for n in (3, 1)]"
    first = printed(program, expression, tmp_path)
    assert printed(program, expression, tmp_path) == first == [[1.0, 1.0, 1.0]] * 2


def test_global_that_changes_between_calls(tmp_path: Path) -> None:
    program = """
def helper(v):
    return v * v

def f(x):
    return helper(x)

g = pb.grad(f)
def calls():
    yield from (g(3.0), g(3.0), g(3.0))
    globals()["helper"] = lambda v: 5.0 * v
    yield from (g(3.0), g(3.0))
    f.__code__ = (lambda x: 7.0 * x).__code__
    yield from (g(3.0), g(3.0))
"""
    for _ in range(2):
        assert printed(program, "[*calls()]", tmp_path) == [6.0, 6.0, 6.0, 5.0, 5.0, 7.0, 7.0]


def test_numba_can_be_switched_off(tmp_path: Path) -> None:
    program = "def f(x):\n    return x * x"
    for off in ("0", "1", "1"):
        assert printed(program, "pb.grad(f)(2.0)", tmp_path, NUMBA_DISABLE_JIT=off) == 4.0


def test_two_globals_that_were_one_function(tmp_path: Path) -> None:
    program = """
def one(v):
    return 2.0 * v
{other}
def f(x):
    return one(x) if one is two else x * x * x
"""
    alike = "def two(v):\n    return 2.0 * v"
    alike = alike.replace("two", "one", 1) + "\ntwo = one\ndef one(v):\n    return 2.0 * v"
    for other, expected in (("two = one", 2.0), (alike, 12.0), ("two = one", 2.0)):
        assert printed(program.format(other=other), "pb.grad(f)(2.0)", tmp_path) == expected


SCALARS = [p for p in collect.programs() if p.samples[0].cotangent is None]


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", SCALARS, ids=lambda program: program.id)
def test_programs_get_the_same_from_what_is_known(program: Any) -> None:
    """To the bit where sums keep their order; the memory of small arrays decides which of them are vectorised else."""
    function = pb.differentiable(fastmath=False)(program.function)
    for sample in program.samples:
        first, second = (pb.value_and_grad(function, argnums=sample.wrt)(*sample.fresh()) for _ in range(2))
        form = form_of(first)
        for expected, found in zip(leaves_of(first, form), leaves_of(second, form), strict=True):
            assert type(expected) is type(found)
            np.testing.assert_array_equal(found, expected, strict=isinstance(expected, np.ndarray))

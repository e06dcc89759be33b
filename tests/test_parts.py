"""Long functions are compiled in parts: however they are cut, they compute the same, and no part is long."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import campaign
import pullback as pb
from pullback.api.specialise import Engine
from pullback.compilation.options import Options
from pullback.emission import parts
from pullback.emission.printer import to_text
from pullback.frontend.values.arguments import form_of
from test_programs import PROGRAMS, case_id, check_program

EACH = [(program, size) for size in (3, 8) for program in PROGRAMS]


@pytest.fixture
def size() -> int:
    return 3


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Functions of any length are cut into parts of this size."""
    monkeypatch.setattr(parts, "LONGEST", 0)
    monkeypatch.setattr(parts, "SIZE", size)


@pytest.mark.drawn(16)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize(("program", "size"), EACH, ids=case_id)
def test_programs_in_parts(program: Any) -> None:
    check_program(program, jit=False, fuse=True)


@pytest.mark.drawn(8)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.usefixtures("cut", "numba_off")
@pytest.mark.parametrize(("program", "size"), EACH, ids=case_id)
def test_programs_in_parts_as_numba_gets_them(program: Any) -> None:
    check_program(program, jit=True)


@pytest.mark.usefixtures("cut")
def test_rows_have_no_length_where_a_part_gets_an_array_without_a_value() -> None:
    (program,) = [each for each in PROGRAMS if each.function.__name__ == "table_of_a_branch"]
    check_program(program, jit=True)


@pytest.mark.drawn(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("program", PROGRAMS, ids=case_id)
def test_programs_compiled_in_parts(program: Any) -> None:
    check_program(program, jit=True)


@pytest.mark.drawn(1)
@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("block", range(5))
def test_random_programs_in_parts(block: int) -> None:
    outcomes = {seed: campaign.examine(seed, compiled=False) for seed in range(3000 + block, 3030, 5)}
    bad = {seed: outcome for seed, outcome in outcomes.items() if outcome.verdict not in ("right", "refused")}
    assert not bad, bad


# Where the cuts are


CUTS = [
    # Each part takes what it reads, and returns what is read later.
    (3, "a = x + 1\nb = a * x\nc = b + 1\nd = c * x\nreturn d + x", ["(x) c", "(x, c) d"]),
    # A variable that may have no value where it is read is not handed over.
    (2, "if x:\n    a = 1\nb = x\nif x:\n    b = a\nreturn b", ["(x) b"]),
    # What a part may leave as it was goes through it.
    (4, "a = 1\nc = x\nif x:\n    a = 2\nelse:\n    c = a\nreturn a + c", ["() a", "(x, a) a, c"]),
    (3, "a = 1\nc = 3\nfor i in x:\n    a += i\n    c = i\nreturn a + c", ["() a", "() c", "(x, a, c) a, c"]),
    # A part may return nothing.
    (3, "x[0] = 1\nx[1] = 2\nx[2] = 3\nreturn x", ["(x) "]),
    # What needs objects of Python's stays.
    (2, "a = x\nprint(a)\nb = a\nprint(b)\nreturn b", ["(x) a", "(a) b"]),
    (2, "a = x\nif a:\n    raise ValueError('bad ', a)\nb = a\nreturn b", ["(x) a", "(a) b"]),
    (2, "a = x\nif a:\n    raise ValueError('bad')\nb = a\nreturn b", ["(x) a", "(a) ", "(a) b"]),
]


@pytest.mark.parametrize(("size", "body", "expected"), CUTS)
def test_cuts(size: int, body: str, expected: list[str]) -> None:
    tree = gast.parse("def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())).body[0]
    *made, _ = parts.in_parts(tree, size)
    texts = [to_text(gast.Module([part], [])) for part in made]
    ends = [text.rsplit("return ", 1)[1].strip() if "return" in text else "" for text in texts]
    heads = [text[text.index("(") : text.index(":")] for text in texts]
    assert [f"{head} {end}" for head, end in zip(heads, ends, strict=True)] == expected


def chain(count: int) -> str:
    """A function of `count` statements in a row."""
    lines = [f"    x{k} = np.sin(x{k - 1}) + 0.5 * x{k // 2}" for k in range(1, count + 1)]
    return "\n".join(["def program(x0):", *lines, f"    return x{count}", ""])


def branches(count: int) -> str:
    """The same with a branch in each statement, which keeps another number for each side."""
    lines = ["def program(x0):"]
    for k in range(1, count + 1):
        lines += [f"    if x{k - 1} > 0.1:", f"        x{k} = np.sin(x{k - 1}) * x{k - 1}"]
        lines += ["    else:", f"        x{k} = np.exp(x{k - 1}) + 0.5 * x{k // 2}"]
    return "\n".join([*lines, f"    return x{count}", ""])


def nests(count: int) -> str:
    """A function of `count` loop nests."""
    lines = ["def program(a0):"]
    for k in range(1, count + 1):
        lines += [f"    a{k} = np.empty((9, 9))", "    for i in range(9):", "        for j in range(9):"]
        lines += [f"            a{k}[i, j] = np.sin(a{k - 1}[j, i]) + 0.5 * a{k // 2}[i, j]"]
    return "\n".join([*lines, f"    return np.sum(a{count})", ""])


def made_of(text: str) -> Any:
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    return scope["program"]


def functions_in(text: str, argument: Any) -> Iterator[ast.FunctionDef]:
    """What is compiled for the gradient of the program in a text."""
    program = made_of(text)
    engine = Engine(program, Options(), text)
    (name,) = engine.signature.parameters
    compiled = engine.build({name: form_of(argument)}).code.derivative("value_and_grad", (0,))
    for node in ast.parse(compiled.machine_text).body:
        if isinstance(node, ast.FunctionDef):
            yield node


def length(function: ast.FunctionDef) -> int:
    return sum(isinstance(node, ast.stmt) for node in ast.walk(function)) - 2  # neither itself nor its return


ARRAY = np.linspace(0.0, 1.0, 81).reshape(9, 9)


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    ("grow", "argument", "small"), [(chain, 0.5, 100), (branches, 0.5, 60), (nests, ARRAY, 40)]
)  # fmt: skip
def test_parts_grow_in_number_not_in_length(grow: Any, argument: Any, small: int) -> None:
    counts = []
    for count in (small, 4 * small):
        *made, whole = functions_in(grow(count), argument)
        assert max(map(length, made)) <= parts.SIZE
        assert length(whole) <= len(made) + parts.SIZE
        counts.append(len(made))
    assert 3.5 <= counts[1] / counts[0] <= 4.5, counts


def test_a_short_function_stays_whole() -> None:
    assert len(list(functions_in(chain(20), 0.5))) == 1


def test_a_loop_is_not_cut() -> None:
    head, *lines, _ = chain(150).splitlines()
    text = "\n".join([head, "    for i in range(3):", *(f"    {line}" for line in lines), "        x0 = x150"])
    *made, _ = functions_in(text + "\n    return x0\n", 0.5)
    loops = [node for function in made for node in ast.walk(function) if isinstance(node, ast.For)]
    assert len(loops) == 2
    assert max(map(length, made)) > parts.SIZE


# What a user sees


def test_read_text_stays_one_function() -> None:
    function = pb.differentiable(made_of(chain(300)), source=chain(300))
    assert re.findall(r"^def (\w+)", pb.source(function, 0.5), re.M) == ["program_forward", "program_backward"]


def reads_anywhere(x: Any, k: int) -> Any:
    a = np.sin(x[0])
    b = a * x[1]
    c = b + a
    if c > 100.0:
        raise ValueError("too large")
    d = np.cos(c) * x[2]
    if k < 0:
        raise ValueError(f"negative: {k}")
    return x[k] * d * d + a


@pytest.mark.usefixtures("cut")
def test_errors_in_parts_have_their_place() -> None:
    gradient = pb.grad(reads_anywhere)
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(IndexError, match="index 7 is out of bounds") as found:
        gradient(x, 7)
    assert "return x[k] * d * d + a" in found.value.__notes__[0]
    with pytest.raises(ValueError, match="negative: -1"):
        gradient(x, -1)
    with pytest.raises(ValueError, match="too large"):
        gradient(np.array([1.0, 1e3, 1.0]), 0)


@pytest.mark.usefixtures("cut")
def test_parts_give_back_their_memory() -> None:
    function = pb.differentiable(made_of(nests(6)), source=nests(6))
    gradient = pb.value_and_grad(function)
    gradient(ARRAY)
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    for _ in range(5):
        gradient(ARRAY)
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


SCRIPT = """
import json, sys
import numpy as np, pullback as pb
from pullback.api.known import KnownCalls
from pullback.emission import parts
KnownCalls.find = lambda self, kinds, arguments: None
parts.LONGEST, parts.SIZE = 0, 3
text = open(sys.argv[1]).read()
scope = {"np": np}
exec(text, scope)
function = pb.differentiable(scope["program"], source=text)
gradient = pb.grad(function)(np.linspace(0.0, 1.0, 81).reshape(9, 9))
(made,) = function.engine.made.values()
print(json.dumps([gradient.tolist(), sum(made.dispatcher.stats.cache_hits.values())]))
"""


def test_machine_code_of_parts_is_found_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.txt"
    program.write_text(nests(4))
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "cache"))
    command = [sys.executable, "-c", SCRIPT, str(program)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True, timeout=120) for _ in range(2)]
    (first, hits), (second, later_hits) = (json.loads(run.stdout) for run in runs)
    assert (first, hits, later_hits) == (second, 0, 1)


def test_parts_call_outside_of_loops_what_is_inlined_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LONGEST", 0)
    lines = [f"    x{k} = np.sin(x{k - 1})" for k in range(1, 9)]
    lines += ["    y = np.empty_like(v)", "    for i in range(v.shape[0]):", "        y[i] = np.exp(v[i] * x8)"]
    text = "\n".join(["def program(x0, v):", *lines, "    return np.sum(y)", ""])
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    gradient = pb.value_and_grad(pb.differentiable(scope["program"], source=text))
    x, v = 0.5, np.linspace(0.0, 1.0, 40)
    value, slope = gradient(x, v)
    assert value == pytest.approx(scope["program"](x, v), rel=1e-14)
    above, below = (scope["program"](x + h, v) for h in (1e-6, -1e-6))
    assert slope == pytest.approx((above - below) / 2e-6, rel=1e-8)
    dispatcher = gradient.prepare(gradient.engine.bind((x, v), {})).compiled().dispatcher
    code = dispatcher.inspect_llvm(dispatcher.signatures[0])
    assert len(re.findall(r" call i32 @_ZN8pullback7runtime10vectormath", code)) >= 16  # a sine and a cosine each
    assert "<4 x double>" in code or "<8 x double>" in code or "<2 x double>" in code


def test_parts_know_what_the_whole_knows_of_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which are made here, and so apart from others; and how long rows are, without which no loop is vectorised."""
    monkeypatch.setattr(parts, "LONGEST", 0)
    monkeypatch.setattr(parts, "SIZE", 4)
    lines = ["    a = np.zeros((v.shape[0], 3))", "    b = np.empty(v.shape[0])", "    c = v if v[0] > 0.0 else b"]
    lines += ["    for i in range(v.shape[0]):", "        a[i, 1] = np.exp(v[i])", "        a[i, 0] = np.sin(v[i])"]
    lines += ["    for i in range(v.shape[0]):", "        c[i] = a[i, 1] * a[i, 0] + a[i, 2]"]
    text = "\n".join(["def program(v):", *lines, "    return np.sum(a) + np.sum(c)", ""])
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    function = pb.differentiable(scope["program"], source=text)
    for v in (np.linspace(-1.0, 1.0, 40), np.linspace(1.0, 2.0, 40)):
        assert function(v.copy()) == pytest.approx(scope["program"](v.copy()), rel=1e-13)
    machine = pb.inspect_source(function, v, argnums=())
    assert "@apart('a')" in machine
    assert "assert a.shape[1] == 3" in machine


def test_loops_may_stand_in_one_another_as_deep_as_python_allows() -> None:
    """Work that doubles with each loop would not end."""
    depth = 18
    lines = [f"{'    ' * (k + 1)}for i{k} in range(n):" for k in range(depth)]
    inner = f"{'    ' * (depth + 1)}x = np.sin(x)"
    text = "\n".join(["def program(x, n):", *lines, inner, "    return x", ""])
    scope: dict[str, Any] = {"np": np}
    exec(text, scope)
    gradient = pb.value_and_grad(pb.differentiable(scope["program"], source=text))
    assert gradient(0.5, 1) == (np.sin(0.5), np.cos(0.5))

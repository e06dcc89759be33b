"""What a user's files, names and messages contain is written into generated text, and stays a name or message there."""

import linecache
import types
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest

import pullback as pb
from pullback.emission import printer
from pullback.emission.printer import comment, to_text

BROKEN: list[int] = []
"""What text that broke out would append to."""

PROGRAM = '''
class Refused(Exception):
    pass


def f(x):
    """A "docstring" with {x} and a \\\\ backslash,
    and two lines."""
    if x < 0:
        raise Refused("no")  # \x0c not a line \u2028 of its own {x}
    return x * x
'''


def defined(text: str, file: str) -> dict[str, Any]:
    """The names that a text defines in a file of this name."""
    linecache.cache[file] = (len(text), None, [line + "\n" for line in text.split("\n")], file)
    names: dict[str, Any] = {"np": np, "__name__": "user", "BROKEN": BROKEN}
    exec(compile(text, file, "exec"), names)
    return names


def message_of(function: Any, argument: float) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  it is compared as a whole
        function(argument)
    return str(caught.value)


FILES = [
    "a\nBROKEN.append(1)\n.py",
    "a\n    BROKEN.append(1)\n.py",
    "a\r    BROKEN.append(1)\r.py",
    "a\x0cBROKEN.append(1)\x0c.py",
    "a\u2028BROKEN.append(1)\u2029.py",
    "a\x85BROKEN.append(1)\x1d.py",
    'quotes \'\'\'""" ".py',
    "half \udc80 a letter.py",
    "colons: 1: c.py",
    "tab\tand \\ backslash \\",
    "# -*- coding: utf-7 -*-",
]


@pytest.mark.parametrize(("file", "jit"), [(file, False) for file in FILES] + [(file, True) for file in FILES[1:8:3]])
def test_name_of_a_file_stays_in_its_comment(file: str, jit: bool) -> None:
    names = defined(PROGRAM, file)
    gradient = pb.grad(pb.differentiable(jit=jit)(names["f"]))
    assert gradient(3.0) == 6.0
    with pytest.raises(names["Refused"], match="no") as caught:
        gradient(-3.0)
    (note,) = caught.value.__notes__
    assert "raise Refused" in note
    assert len(note.splitlines()) == 1
    assert not BROKEN


MESSAGES = [
    "new\nline, tab\t, return\r, feed\x0c",
    "a \\ backslash, \\n none, \\",
    'it\'s "quoted"',
    "'''three\"\"\"",
    "{braces} {{two}} {",
    "nothing\0more",
    "é \u2028 \U0001f600 \x85",
    "ends with '",
    'ends with "',
    "${x} %s %d #",
]


@pytest.mark.parametrize("kind", ["string", "f-string"])
@pytest.mark.parametrize("message", MESSAGES, ids=ascii)
def test_messages_are_what_python_says(message: str, kind: str) -> None:
    words = repr(message.replace("{", "{{").replace("}", "}}"))
    written = repr(message) if kind == "string" else f"f{words[:-1]}{{x:5.1f}}{words[0]}"
    f = defined(f"def f(x):\n    if x < 0:\n        raise ValueError({written})\n    return x * x\n", "said.py")["f"]
    gradient = pb.grad(pb.differentiable(jit=False)(f))
    assert gradient(3.0) == 6.0
    assert message_of(gradient, -3.0) == message_of(f, -3.0) != ""


def test_compiled_code_says_the_same() -> None:
    raised = "".join(f"    if x == {-k - 1}:\n        raise ValueError({m!r})\n" for k, m in enumerate(MESSAGES))
    f = defined(f"def f(x):\n{raised}    return x * x\n", "all_said.py")["f"]
    gradient = pb.grad(f)
    assert gradient(3.0) == 6.0
    (made,) = gradient.engine.made.values()
    for k, message in enumerate(MESSAGES):
        assert message_of(made.dispatcher, -k - 1.0) == message


@pytest.mark.parametrize(
    "line",
    [
        'raise ValueError("\\ud800")',
        'raise ValueError(f"{x} \\udfff")',
        'print("\\ud800")',
        'assert x > 0, "\\ud800"',
        'print(("\\ud800", x))',
    ],
)
def test_half_of_a_letter_in_a_message_is_refused(line: str) -> None:
    f = defined(f"def f(x):\n    if x < 0:\n        {line}\n    return x * x\n", "surrogates.py")["f"]
    with pytest.raises(pb.LanguageError, match="lone surrogate") as caught:
        pb.grad(f)(3.0)
    assert caught.value.problems[0].location.line == 3


def error_class(name: str) -> type[Exception]:
    return type(name, (Exception,), {})


NAMES = ["x", "x_bar", "np", "f_grad", "class", "two words", "a\nBROKEN.append(1)", "\ufb01ne", "sum", "", "Exception"]


@pytest.mark.parametrize(("name", "jit"), [(name, False) for name in NAMES] + [(name, True) for name in NAMES[1:9:3]])
def test_name_of_an_exception_class_means_nothing_else(name: str, jit: bool) -> None:
    text = "def f(x):\n    if x < 0:\n        raise First('negative')\n    y = x * x\n    return y * y\n"
    names = defined(text, "classes.py")
    names["First"] = error_class(name)
    gradient = pb.grad(pb.differentiable(jit=jit)(names["f"]))
    assert gradient(2.0) == 32.0
    with pytest.raises(names["First"], match="negative"):
        gradient(-2.0)
    assert not BROKEN


TWINS = """
def f(x):
    if x < -10:
        raise First("far")
    if x < 0:
        raise Second("near")
    return x * x
"""


def test_exception_classes_of_one_name_are_told_apart() -> None:
    names = defined(TWINS, "twins.py")
    names["First"], names["Second"] = error_class("Twin"), error_class("Twin")
    gradient = pb.grad(names["f"])
    assert gradient(3.0) == 6.0
    (made,) = gradient.engine.made.values()
    for value, kind in ((-20.0, "First"), (-2.0, "Second")):
        for function in (gradient, made.dispatcher, made.interpreted):
            with pytest.raises(names[kind]) as caught:
                function(value)
            assert type(caught.value) is names[kind]


def test_the_same_text_raises_the_classes_of_its_own_function() -> None:
    """A cell of a notebook that is run again makes a class of the same name, and the old function may be in use."""
    raised = []
    for _ in range(2):
        names = defined(TWINS, "cell.py")
        names["First"], names["Second"] = error_class("First"), error_class("Second")
        gradient = pb.grad(names["f"])
        gradient(3.0)
        raised.append((names, next(iter(gradient.engine.made.values()))))
    for names, made in raised:
        for function in (made.dispatcher, made.interpreted):
            with pytest.raises(names["First"]):
                function(-20.0)


def test_function_that_calls_itself_raises_the_users_exception() -> None:
    text = (
        "def f(x, n):\n    if n < 0:\n        raise Refused('negative')\n    return x if n == 0 else x * f(x, n - 1)\n"
    )
    names = defined(text, "recursive.py")
    names["Refused"] = error_class("Refused")
    gradient = pb.grad(names["f"])
    assert gradient(2.0, 3) == 32.0
    (made,) = gradient.engine.made.values()
    for function in (gradient, made.dispatcher, made.interpreted):
        with pytest.raises(names["Refused"], match="negative"):
            function(2.0, -1)


def test_shortcut_looks_up_names_that_are_no_names() -> None:
    class Settings:
        pass

    settings = types.ModuleType("settings")
    settings.__dict__["\ufb01ne"] = Settings  # Python reads the attribute as `fine`
    settings.__dict__["fine"] = 3.0
    names = defined("def f(x):\n    return settings.\ufb01ne * x\n", "attributes.py")
    names["settings"] = settings
    gradient = pb.grad(names["f"])
    assert [gradient(2.0), gradient(2.0)] == [3.0, 3.0]
    settings.__dict__["fine"] = 4.0
    assert gradient(2.0) == 4.0


def test_text_that_reads_back_otherwise_is_refused_without_assertions_too() -> None:
    file = Path(printer.__file__)
    names: dict[str, Any] = {"__name__": "optimized"}
    exec(compile(file.read_text(), str(file), "exec", optimize=2), names)
    tree = gast.parse("y = x")
    assert names["to_text"](tree) == "y = x\n"
    names["Printer"]._Name = lambda self, tree: self.write(f"{tree.id}; spoilt()")
    with pytest.raises(pb.PullbackError, match="not the program that was meant"):
        names["to_text"](tree)


@pytest.mark.parametrize("broken", ["\n", "\r", "\x0c\n"], ids=ascii)
def test_comment_with_a_line_of_code_is_refused(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second guard, should the first one let a letter through."""
    monkeypatch.setattr(printer, "_on_a_line", lambda text: text)
    with pytest.raises(pb.PullbackError, match="not the program that was meant"):
        to_text(gast.Module([comment(f"a{broken}import os")], []))

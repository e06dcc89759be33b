"""What is printed, and the messages of exceptions, are what plain Python prints and says, compiled or not.

PYTEST_DONT_REWRITE: the message of an assertion here is that of Python.
"""

import contextlib
import io
import math
import sys
from collections import namedtuple

import numba
import numpy as np
import pytest

import pullback as pb

Point = namedtuple("Point", "x y")
GRID = [1.0, 2.5]


class Unlucky(ValueError):
    """An exception of the user's."""


def formats_of_numbers(x):
    for i in range(2):
        print(f"{x[i]:.3f}", i, f"{x[0]!r:>20}|{x[i]:+10.2e}|{i:03d}|{i!s:>4}", f"{x[0]=} {{}}")
    width = 8
    print(f"{x[0]:{width}.{width - 5}f}|{3:{width:02d}}|{None!r:>6}|{'s'!r}|{x[0] > 1.0!s:>6}|{x[0] > 1.0:d}")
    print("%5d|%-8.3f|%s|%r|%%|%05d" % (x.shape[0], x[0], x[1], x[0], True), "{:.2f} {}".format(x[1], "b"))  # noqa: UP031
    return x.sum()


def separators_and_ends(x):
    print("a", x[0], f"{x[1]:.1f}", sep="-")
    print("b", end="!")
    print("c {}", x[1], end="", flush=True)
    print()
    print("{x}", f"{{ {x[0]} }}", "%", "\0é", sep="", end="{}\n")
    print("d", 1, file=sys.stdout, sep=None, end=None)
    return x.sum()


def numbers_of_python_and_numpy(x):
    n = x.shape[0]
    a = float(x[0])
    b = math.sqrt(a)
    x[1] = 3
    print(a * 1e22, a * np.nan, a * 1e-7, 1e16, -0.0 * a, x[1], n, a > 1.0, None, True, "s", 1e22)
    print([a, b, np.sqrt(a), a * n, int(a), a > 1.0, x[0] > 1.0, x[1]], (n,), (), [[x[0]], "it's", None])
    for k in range(2):
        print([k, GRID[k], k * 2, x[k]], f"{GRID[k]!r} {x[k]!r} {k!r}")
    z = x[0] + 1j
    print(z, [z, 2j * a], f"{z:.2f}")
    return x.sum()


def narrow_numbers(x):
    y = x.astype(np.float32)
    print(y[0], f"{y[0]}", str(y[0]), [y[0]], y.astype(np.int8)[1], [y.astype(np.int8)[1]], sep="|")
    print(y, y[0] * 2, y.sum())
    return x.sum()


def arrays(x):
    print(x, x * 2, x[::-1], x[:, None], x > 1.2, x.astype(np.int32), x.shape, np.zeros((0, 3)))
    print(f"{x!r} {x}", [x], np.array(1.5) * x[0], np.arange(2000.0), "a" * 2000)
    return x.sum()


def texts_in_texts(x):
    inner = f"{x[0]:.2f}"
    outer = f"<{inner}>"
    print(outer, f"{outer!s}{inner}", inner + "abc", "x" + str(x[0]), repr(x[1]), ", ".join([inner, "e"]), sep="/")
    return x.sum()


PRINTING = [
    formats_of_numbers,
    separators_and_ends,
    numbers_of_python_and_numpy,
    narrow_numbers,
    arrays,
    texts_in_texts,
]


def raised_after_a_write(x):
    x[0] = 5.0
    for i in range(4):
        if x[0] > 4.0 and i == 2:
            raise Unlucky(f"bad {i:03d} {x[1]:.2f} {{}}")
    return x.sum()


def several_arguments(x):
    x[0] = 5.0
    if x[0] > 4.0:
        raise Unlucky(f"bad {x[0]}", x.shape[0], x[1], x, float(x[0]), np.float64(1.0), 7)
    return x.sum()


def number_as_a_key(x):
    x[0] = 5.0
    print("before")
    if x[0] > 4.0:
        raise KeyError(x[0])
    return x.sum()


def number_as_a_key_without_a_write(x):
    if x[0] > 1.0:
        raise KeyError(float(x[0]), x[1])
    return x.sum()


def asserted(x):
    x[0] = 5.0
    assert x[0] < x[1], f"no {x[0]!r}"
    return x.sum()


def tuple_as_a_message(x):
    x[1] = 0.5
    assert x[0] < x[1], ("no", x[0])
    return x.sum()


def format_that_does_not_fit(x):
    print("before")
    print(f"{x[0]:q}")
    return x.sum()


def known_format_that_does_not_fit(x):
    if x[0] > 1.0:
        print(f"{3:q}")
    return x.sum()


def array_with_a_format(x):
    print(f"{x:.3f}")
    return x.sum()


RAISING = [
    raised_after_a_write,
    several_arguments,
    number_as_a_key,
    number_as_a_key_without_a_write,
    asserted,
    tuple_as_a_message,
    format_that_does_not_fit,
    known_format_that_does_not_fit,
    array_with_a_format,
]

MODES = {
    "compiled value": pb.differentiable,
    "compiled gradient": pb.grad,
    "value and gradient": pb.value_and_grad,
    "forward mode": lambda f: lambda x: pb.jvp(f, (x,), (np.ones_like(x),)),
    "interpreted value": pb.differentiable(jit=False),
    "interpreted gradient": lambda f: pb.grad(pb.differentiable(jit=False)(f)),
}


def outcome(function):
    """What a call prints, raises and leaves in its argument."""
    x = np.array([1.1, 2.25])
    error = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            function(x)
        except Exception as raised:
            error = raised
    arguments = getattr(error, "args", ())
    return printed.getvalue(), type(error), x.tolist(), [*map(str, arguments)], str(error), repr(arguments)


@pytest.mark.drawn(8)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [*PRINTING, *RAISING], ids=lambda f: f.__name__)
def test_messages_are_those_of_a_plain_call(function, mode):
    plain = outcome(function)
    assert (plain[1] is type(None)) == (function in PRINTING)
    ours = outcome(MODES[mode](function))
    if function is tuple_as_a_message:  # the text of the tuple
        plain, ours = plain[:3], ours[:3]
    if function in (several_arguments, number_as_a_key) and not mode.startswith("interpreted"):
        plain, ours = plain[:4], ours[:4]  # Python's numbers, and the text of an array
    assert ours == plain


@pytest.mark.parametrize("function", [asserted, several_arguments, number_as_a_key], ids=lambda f: f.__name__)
def test_compiled_code_can_catch_the_errors(function):
    called = pb.differentiable(function)

    @numba.njit
    def guarded(x):
        try:
            made = called(x)
        except Exception:
            made = -1.0
        return made

    with contextlib.redirect_stdout(io.StringIO()):
        assert guarded(np.array([1.1, 2.25])) == -1.0


@pytest.mark.parametrize("jit", [True, False])
def test_another_stream_is_written_to(jit, capsys):
    def f(x):
        print("to", "err", x[0], file=sys.stderr)
        return x.sum()

    pb.grad(pb.differentiable(jit=jit)(f))(np.ones(2))
    assert capsys.readouterr() == ("", "to err 1.0\n")


def opened_file(x):
    print(x[0], file=io.StringIO())
    return x.sum()


def stream_under_another_name(x):
    print(x[0], file=_STDERR)
    return x.sum()


def ends_that_follow(x):
    for i in range(x.shape[0]):
        print(i, end=" " if i < 1 else "\n")
    return x.sum()


def number_as_a_separator(x):
    print(x[0], 1, sep=1)
    return x.sum()


def record(x):
    print(Point(x[0], 1))
    return x.sum()


def formatted_text(x):
    inner = f"{x[0]:.2f}"
    print(f"{inner:>10}")
    return x.sum()


def other_printoptions(x):
    with np.printoptions(precision=1):
        print(x)
    return x.sum()


def percent_of_a_float(x):
    print("%d" % x[0])  # noqa: UP031
    return x.sum()


def hexadecimal(x):
    print("%#x" % x.shape[0])  # noqa: UP031
    return x.sum()


def exception_given_by_name(x):
    if x[0] > 1.0:
        raise ImportError("no", name="module")
    return x.sum()


def none_as_a_key(x):
    if x[0] > 1.0:
        raise KeyError(None)
    return x.sum()


def address_of_a_function(x):
    print(outcome, x[0])
    return x.sum()


_STDERR = sys.stderr

REFUSED = [
    opened_file,
    stream_under_another_name,
    ends_that_follow,
    number_as_a_separator,
    record,
    formatted_text,
    other_printoptions,
    percent_of_a_float,
    hexadecimal,
    exception_given_by_name,
    none_as_a_key,
    address_of_a_function,
]


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_would_be_another_text_is_refused_at_its_line(function, jit):
    with pytest.raises((pb.LanguageError, pb.TypingError)) as error:
        pb.grad(pb.differentiable(jit=jit)(function))(np.array([1.1, 2.25]))
    assert "test_messages.py" in str(error.value)


def test_emitted_module_prints_and_raises_the_same(tmp_path, monkeypatch):
    def f(x):
        print(f"{x[0]:.3f}", [x[1]], x, end="!\n")
        if x[0] > 5.0:
            raise ValueError(f"bad {x[0]:.2f}")
        return x.sum()

    (tmp_path / "emitted_messages.py").write_text(pb.emit(f, np.ones(2)))
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("emitted_messages")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        module.value_and_grad(np.array([1.1, 2.0]))
        with pytest.raises(ValueError, match=r"^bad 6\.10$"):
            module.value_and_grad(np.array([6.1, 2.0]))
    assert printed.getvalue() == "1.100 [np.float64(2.0)] [1.1 2. ]!\n6.100 [np.float64(2.0)] [6.1 2. ]!\n"

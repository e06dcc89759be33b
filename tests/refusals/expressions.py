# ruff: noqa
# fmt: off
"""Expressions that are refused. A marker names words of the reason and, between backquotes, what the caret is under."""

import numpy as np


def bytes_literal(x):
    key = b"w"  # refused: bytes are not supported, at `b"w"`
    return x


def generator_kept(x):
    squares = (a * a for a in x)  # refused: a generator expression is supported only, at `(a * a for a in x)`
    return sum(squares)


def generator_in_np_sum(x):
    return np.sum(a * a for a in x)  # refused: a generator expression is supported only, at `(a * a for a in x)`


def generator_for_a_local_sum(x):
    def sum(values):
        return values

    return sum(a for a in x)  # refused: a generator expression is supported only, at `(a for a in x)`


def two_problems_on_a_line(x, f):
    return f(b"a", b"bc")  # refused: bytes are not supported, at `b"a"`; bytes are not supported, at `b"bc"`


def calls_exec(x):
    exec("y = 1")  # refused: 'exec' is not supported: it runs code, at `exec`
    return x


def calls_eval(x):
    return eval("x * x")  # refused: 'eval' is not supported: it runs code, at `eval`


def calls_compile(x):
    compile("x", "f", "eval")  # refused: 'compile' is not supported, at `compile`
    return x


def calls_import(x):
    return __import__("math").sin(x)  # refused: '__import__' is not supported, at `__import__`


def calls_locals(x):
    return locals()["x"]  # refused: 'locals' is not supported, at `locals`


def calls_globals(x):
    return x * globals()["scale"]  # refused: 'globals' is not supported, at `globals`


def calls_vars(x, model):
    return x * vars(model)["w"]  # refused: 'vars' is not supported, at `vars`


def calls_setattr(x, model):
    setattr(model, "w", x)  # refused: 'setattr' is not supported, at `setattr`
    return x


def calls_delattr(x, model):
    delattr(model, "w")  # refused: 'delattr' is not supported, at `delattr`
    return x


def calls_open(x):
    f = open("log")  # refused: 'open' is not supported, at `open`
    return x


def calls_input(x):
    return x * float(input("scale? "))  # refused: 'input' is not supported, at `input`


def after_other_letters(x):
    θ = "é"; ψ = b"e"  # refused: bytes are not supported, at `b"e"`
    return x

# ruff: noqa
# fmt: off
"""Statements that are refused. A marker names words of the reason and, between backquotes, what the caret is under."""

import numpy as np


def try_star(x):
    try:  # refused: cannot replay an exception, at `try`
        return np.log(x)
    except* ValueError:
        x = 0.0
    return x


def delete_an_attribute(x, model):
    del model.weight  # refused: 'model.weight' cannot be deleted, at `model.weight`
    return x


counter = 0.0


def global_write(x):
    global counter  # refused: 'counter' is written, and is global, at `global counter`
    counter = counter + x
    return counter


def with_file(x):
    with open("weights") as f:  # refused: 'with' cannot be differentiated, at `with`; cannot read or write files, at `open`
        f.write("x")
    return x


def with_two_contexts(x, lock, other):
    with lock, other:  # refused: 'with' cannot be differentiated, at `with`
        return x * x


def match_structure(x, pair):
    match pair:
        case (a, *rest) if (b := a) > 0:
            return a * x
        case {"w": w, **others}:  # refused: this pattern is not supported, at `{"w": w, **others}`
            return w * x
    return x


def match_classes(x, model):
    match model:
        case Model(weight=w):  # refused: this pattern is not supported, at `Model(weight=w)`
            return w * x
    return x


def jump_from_finally(x):
    for i in range(3):
        try:
            x = x * x
        finally:
            break  # refused: 'finally' cannot be left by a jump, at `break`
    return x


def jump_from_the_else_of_a_tested_loop(x):
    for i in range(3):
        while (x := x / 2) > 1.0:
            pass
        else:
            continue  # refused: cannot have a jump in its 'else', at `continue`
    return x


def nonlocal_outside():
    total = 0.0

    def add(x):
        nonlocal total  # refused: 'nonlocal' of a variable outside, at `nonlocal total`
        total += x
        return total

    return add


nonlocal_of_a_closure = nonlocal_outside()
del nonlocal_outside


def raise_from_another(x, cause):
    if x < 0:
        raise ValueError("negative") from cause  # refused: compiled code does not chain exceptions
    return np.sqrt(x)


def bare_raise(x):
    if x < 0:
        raise  # refused: there is none to raise again, at `raise`
    return np.sqrt(x)

# ruff: noqa
# fmt: off
"""Signatures and kinds of function that are refused. A marker names words of the reason and what the caret is under."""

import functools

import numpy as np


def generator(x):
    for a in x:
        yield a * a  # refused: 'yield' cannot be differentiated, at `yield a * a`


def generator_of_a_generator(x):
    yield from x  # refused: 'yield' cannot be differentiated, at `yield from x`


def nested_generator(x):
    def squares():
        for a in x:
            yield a * a  # refused: 'yield' cannot be differentiated, at `yield a * a`

    s = 0.0
    for a in squares():
        s += a
    return s


async def coroutine(x):  # refused: 'async' and 'await' cannot be differentiated, at `async`
    return x * x


async def awaiting(x, future):  # refused: 'async' and 'await' cannot be differentiated, at `async`
    return x * await future  # refused: 'async' and 'await' cannot be differentiated, at `await future`


async def async_loop(x, stream):  # refused: 'async' and 'await', at `async`
    async for a in stream:  # refused: 'async' and 'await', at `async`
        x = x + a
    async with stream:  # refused: 'async' and 'await', at `async`
        x = x + 1
    return x


async def async_comprehension(x, stream):  # refused: 'async' and 'await', at `async`
    return sum([a async for a in stream])  # refused: 'async' and 'await', at `[a async for a in stream]`


def nested_coroutine(x):
    async def square():  # refused: 'async' and 'await', at `async`
        return x * x

    return x


def decorated_nested_function(x):
    @functools.cache  # refused: the decorator may exchange it, at `functools.cache`
    def square(y):
        return y * y

    return square(x)


def decorated_deep_inside(x):
    def outer(y):
        @np.vectorize  # refused: the decorator may exchange it, at `np.vectorize`
        def inner(z):
            return z * b"a"  # refused: bytes are not supported, at `b"a"`

        return inner(y)

    return outer(x)


def problem_in_a_nested_default(x):
    def scale(y, factor=b"2"):  # refused: bytes are not supported, at `b"2"`
        return y

    return scale(x)


def five_problems(x, *rest):
    global counter  # refused: 'counter' is written, and is global, at `global counter`
    counter = x
    try:  # refused: cannot replay an exception, at `try`
        y = np.sin(x)
    except* ValueError:
        y = x
    if y in (b"a", b"b"):  # refused: bytes are not supported, at `b"a"`; bytes are not supported, at `b"b"`
        del y.real  # refused: 'y.real' cannot be deleted, at `y.real`
    return x

"""Random generators behind numbers, by which generated code draws from them, and generators that are their state alone.

    x = call_external(rng, "normal(float64*, float64*, size=int64*) -> float64[:]", mean, scale, n)

What a generator from outside draws moves it on, as in a plain call. One that a function makes is an array of its state;
each draw gives the state behind it as well.
"""

from __future__ import annotations

import functools
import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.runtime.python.external import OF_STATE, numbered

_LOCK = threading.Lock()
_STREAMS: dict[int, Any] = {}
"""By the address of the generator, which nothing else can have while it is in here."""

NOBODY = 2
"""The references to a generator that nobody outside of its stream has, with the one that counting takes."""


class Stream:
    """A generator that generated code knows by a number."""

    __name__ = "rng"

    def __init__(self, generator: Any) -> None:
        self.generator = generator
        self.number = numbered(self)

    def asked(self, text: str) -> Callable[..., Any]:
        """The method that a text means, as in `standard_normal[dtype=float32]`."""
        name, settings = settings_in(text)
        return functools.partial(getattr(self.generator, name), **settings)


@functools.cache
def settings_in(text: str) -> tuple[str, dict[str, Any]]:
    """The name of a method, and what is given to it by name before the run.

    >>> settings_in("integers[dtype=int32,endpoint=True]")
    ('integers', {'dtype': 'int32', 'endpoint': True})
    """
    name, _, listed = text.rstrip("]").partition("[")
    pairs = (pair.split("=") for pair in listed.split(",") if pair)
    words = {"True": True, "False": False}
    return name, {key: words.get(value, value) for key, value in pairs}


def stream_of(generator: np.random.Generator | np.random.RandomState | random.Random) -> Stream:
    """The stream of a generator; those that nobody else has are let go."""
    found = _STREAMS.get(id(generator))
    if found is not None:
        return found
    with _LOCK:
        for address, stream in list(_STREAMS.items()):
            if sys.getrefcount(stream.generator) <= NOBODY:
                del _STREAMS[address]
        return _STREAMS.setdefault(id(generator), Stream(generator))


class States:
    """What makes generators of a class from seeds, and draws from one that is the array of its state."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make, self.__name__ = make, make.__name__
        self.number = numbered(self)

    def asked(self, text: str) -> Callable[..., Any]:
        """What gives the state of a new generator for `seeded`, or a state and what was drawn for other names."""
        text = text.removeprefix(OF_STATE)
        return self.seeded if text == "seeded" else functools.partial(self.drawn, text)

    def seeded(self, seed: Any = None) -> np.ndarray:
        """The state of a new generator."""
        return packed(self.make(seed))

    def drawn(self, text: str, state: np.ndarray, *arguments: Any, **keywords: Any) -> Any:
        """The state behind a draw, and what was drawn."""
        name, settings = settings_in(text)
        generator = unpacked(state)
        drawn = getattr(generator, name)(*arguments, **settings, **keywords)
        return packed(generator), drawn


_HALF = 2**64
WORDS = 6
"""How many words the state of `np.random.default_rng` has; a legacy one has more."""


def packed(generator: Any) -> np.ndarray:
    """The state of a generator in words of 64 bits."""
    if isinstance(generator, np.random.RandomState):
        whole = generator.get_state(legacy=False)
        gauss = np.array([whole["gauss"]]).view(np.uint64)[0]
        words = [whole["state"]["pos"], whole["has_gauss"], gauss]
        return np.concatenate((whole["state"]["key"].astype(np.uint64), np.array(words, np.uint64)))
    whole = generator.bit_generator.state
    numbers = [whole["state"]["state"], whole["state"]["inc"]]
    words = [word for number in numbers for word in divmod(number, _HALF)]
    return np.array([*words, whole["has_uint32"], whole["uinteger"]], np.uint64)


def unpacked(words: np.ndarray) -> Any:
    """The generator with a state."""
    if len(words) > WORDS:
        state = {"key": words[:-3].astype(np.uint32), "pos": int(words[-3])}
        legacy = np.random.RandomState(np.random.MT19937(0))
        gauss = float(words[-1:].view(np.float64)[0])
        legacy.set_state({"bit_generator": "MT19937", "state": state, "has_gauss": int(words[-2]), "gauss": gauss})
        return legacy
    high, low, high_step, low_step, has_half, half = (int(word) for word in words)
    made = np.random.PCG64(0)
    inner: Any = {"state": high * _HALF + low, "inc": high_step * _HALF + low_step}
    made.state = {"bit_generator": "PCG64", "state": inner, "has_uint32": has_half, "uinteger": half}
    return np.random.Generator(made)


STATES = {np.random.Generator: States(np.random.default_rng), np.random.RandomState: States(np.random.RandomState)}

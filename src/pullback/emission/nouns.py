"""Nouns: what an intermediate result may be called, from the operation that makes it and the names of its operands.

    np.exp(x)       exp_x              x * y     x_times_y          u[i]          u_i
    np.log(p.T)     log_p_T            -k        minus_k            u_bar[i]      u_i_bar
    x.shape[0]      x_size             x ** 2    x_squared          a.shape[1]    a_columns

Where an operand has no name, or the phrase would be long, the noun alone remains: `product`, `total`, `solution`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pullback.ir import primitives
from pullback.ir.nodes import Block, Constant, For, Index, Let, Operand, Permute, Slice, Value, lets_in, walk
from pullback.ir.types import Array, axis_noun

LONGEST = 16
TRIPS = "trips"
_OPERATOR = re.compile("_(plus|minus|times|over|outer|mod|to_the)_")

_NOUNS = {
    "absolute": "magnitude",
    "add": "sum",
    "clip": "clipped",
    "concatenate": "joined",
    "divide": "quotient",
    "dot": "product",
    "empty": "array",
    "equal": "is_equal",
    "expand_dims": "expanded",
    "flip": "flipped",
    "floor_divide": "quotient",
    "full": "array",
    "greater": "is_greater",
    "greater_equal": "is_greater",
    "greater_of": "largest",
    "hypot": "distance",
    "inner": "product",
    "inv": "inverse",
    "less": "is_less",
    "less_equal": "is_less",
    "lesser_of": "smallest",
    "linspace": "grid",
    "logical_and": "condition",
    "logical_not": "condition",
    "logical_or": "condition",
    "masked_product": "product",
    "matmul": "product",
    "max": "largest",
    "maximum": "larger",
    "min": "smallest",
    "minimum": "smaller",
    "moveaxis": "moved",
    "multiply": "product",
    "negative": "opposite",
    "not_equal": "is_different",
    "outer": "outer_product",
    "power": "raised",
    "prod": "product",
    "ravel": "flat",
    "reciprocal": "inverse",
    "remainder": "rest",
    "repeat": "repeated",
    "reshape": "reshaped",
    "round": "rounded",
    "select": "chosen",
    "sign": "direction",
    "solve": "solution",
    "sqrt": "root",
    "square": "square",
    "squeeze": "squeezed",
    "stack": "stacked",
    "subtract": "difference",
    "swapaxes": "swapped",
    "transpose": "transposed",
    "tril": "lower",
    "triu": "upper",
    "true_divide": "quotient",
    "where": "chosen",
    "zeros": "array",
    "zeros_like": "array",
}
_OF_ONE = {
    "absolute": "abs_{}",
    "logical_not": "not_{}",
    "negative": "minus_{}",
    "reciprocal": "one_over_{}",
    "square": "{}_squared",
}
_OF_TWO = {
    "add": "{}_plus_{}",
    "divide": "{}_over_{}",
    "dot": "{}_times_{}",
    "masked_product": "{}_times_{}",
    "matmul": "{}_times_{}",
    "multiply": "{}_times_{}",
    "outer": "{}_outer_{}",
    "power": "{}_to_the_{}",
    "remainder": "{}_mod_{}",
    "subtract": "{}_minus_{}",
    "true_divide": "{}_over_{}",
}
_PLURALS = {"largest": "maxima", "smallest": "minima"}
_COUNTABLE = re.compile("[a-z]*[a-rt-z]")
_BEFORE: dict[tuple[str, float], str] = {
    ("divide", 1): "one_over_{}",
    ("multiply", -1): "minus_{}",
    ("multiply", 0.5): "half_{}",
    ("multiply", 2): "twice_{}",
    ("true_divide", 1): "one_over_{}",
}
"""Where the first operand is this number."""

_BEHIND: dict[tuple[str, float], str] = {
    ("equal", 0): "{}_is_zero",
    ("floor_divide", 2): "half_{}",
    ("greater", 0): "{}_is_positive",
    ("less", 0): "{}_is_negative",
    ("power", 2): "{}_squared",
    ("power", 3): "{}_cubed",
    ("power", 0.5): "sqrt_{}",
    ("multiply", 0.5): "half_{}",
    ("multiply", 2): "twice_{}",
    ("true_divide", 2): "half_{}",
}
_WITH_NUMBER = {
    "add": "shifted_{}",
    "multiply": "scaled_{}",
    "power": "power_of_{}",
    "subtract": "shifted_{}",
    "true_divide": "scaled_{}",
}
"""Where the second operand is any other number."""

_SMALL = {1: "one", 2: "two", 3: "three"}
_COMPARING = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


class Nouns:
    """Phrases and nouns for the values that the statements of a block make.

    word: gives the name of an operand, if it has one.
    """

    def __init__(self, body: Block, word: Callable[[Value], str | None]) -> None:
        self.definitions, self.word = lets_in(body), word
        loops = [s for s in walk(body) if isinstance(s, For)]
        self.last = {r: y for loop in loops for r, y in zip(loop.results, loop.body.yields, strict=False)}

    def phrase(self, value: Value) -> str | None:
        """What the operation and the names of its operands say, if that is short."""
        statement = self.definitions.get(value)
        found = None if statement is None else self._phrase(statement)
        return found if found is not None and len(found) <= LONGEST else None

    def noun(self, value: Value) -> str | None:
        """What the operation alone says."""
        statement = self.definitions.get(value)
        if statement is None:
            return None
        if statement.function is primitives.add_at:
            return "sums"
        if statement.function is primitives.store:
            stored = self.last.get(statement.operands[2], statement.operands[2])
            noun = self.noun(stored) if isinstance(stored, Value) else None
            return _PLURALS.get(noun, f"{noun}s") if noun and _COUNTABLE.fullmatch(noun) else None
        name = _name(statement.function)
        if name in _COMPARING and isinstance(value.type, Array):
            return "mask"
        if statement.function is primitives.dim:
            array, axis = statement.operands
            return axis_noun(array.type, axis.value)
        if statement.function is primitives.load:
            return "part" if isinstance(value.type, Array) else "element"
        if name in ("add", "subtract") and value.type.dtype == "int64":
            return None  # an index more often than a sum
        return _NOUNS.get(name, None if _is_ours(statement.function) else name)

    def _phrase(self, statement: Let) -> str | None:
        function, operands = statement.function, statement.operands
        if function is max and operands[1:] == (Constant(0, operands[1].type),):
            return TRIPS
        if function in (primitives.store, primitives.add_at):
            return None
        if function in (primitives.cast, primitives.copy):
            return self._word(operands[0])
        if function is primitives.dim:
            array = self._word(operands[0])
            return array and f"{array}_{axis_noun(operands[0].type, operands[1].value)}"
        if function is primitives.load:
            return self._element(*operands)
        name = _name(function)
        if name in _OF_ONE:
            return _filled(_OF_ONE[name], self._word(operands[0]))
        if len(operands) == 2 and (name in _OF_TWO or name in _COMPARING):
            return self._of_two(name, *operands)
        if _is_ours(function) or not operands or any(isinstance(o, Value) for o in operands[1:]):
            return None
        return _filled(f"{name}_{{}}", self._word(operands[0]))

    def _of_two(self, name: str, a: Operand, b: Operand) -> str | None:
        if isinstance(a, Constant):
            if name in ("add", "subtract") and a.value in _SMALL:
                return _filled(_OF_TWO[name], _SMALL[a.value], self._word(b))
            phrase = _BEFORE.get((name, a.value)) or ("scaled_{}" if name == "multiply" else None)
            return _filled(phrase, self._word(b))
        if isinstance(b, Constant):
            if name in ("add", "subtract", "remainder") and b.value in _SMALL:
                return _filled(_OF_TWO[name], self._word(a), _SMALL[b.value])
            return _filled(_BEHIND.get((name, b.value)) or _WITH_NUMBER.get(name), self._word(a))
        if a is b and name == "multiply":
            return _filled("{}_squared", self._word(a))
        return _filled(_OF_TWO.get(name), self._word(a), self._word(b))

    def _word(self, operand: Operand) -> str | None:
        """The name of an operand that can stand in a phrase and be read in one way only."""
        word = self.word(operand) if isinstance(operand, Value) else None
        return None if word is None or _OPERATOR.search(word) else word

    def _element(self, array: Value, path: tuple[Any, ...]) -> str | None:
        """`u_i` for `u[i]`, `u_next` for `u[i + 1]`, `u_part` for `u[1:]`, `a_T` for `a.T`."""
        name = self.word(array)
        if name is None or len(path) != 1:
            return None
        step = path[0]
        words = ["T"] if isinstance(step, Permute) else [*self._places(step)] if isinstance(step, Index) else [None]
        if None in words or not words:
            return None
        stem, bar, _ = name.partition("_bar") if name.endswith("_bar") else (name, "", "")
        return "_".join([stem, *map(str, words)]) + bar

    def _places(self, index: Index) -> Iterator[str | None]:
        for item in index.items:
            match item:
                case Slice():
                    if any(part is not None for part in (item.start, item.stop, item.step)):
                        yield "part"
                case Constant(value=int() as number):
                    yield "last" if number == -1 else str(number) if number >= 0 else None
                case Value():
                    yield self._place(item)
                case _:
                    yield None

    def _place(self, index: Value) -> str | None:
        name = self.word(index)
        if name is not None and not _OPERATOR.search(name):
            return name
        statement = self.definitions.get(index)
        if statement is None or len(statement.operands) != 2 or statement.operands[1] != Constant(1, index.type):
            return None
        return {"add": "next", "subtract": "previous"}.get(_name(statement.function))


def _name(function: Any) -> str:
    return getattr(function, "__name__", "").strip("_")


def _is_ours(function: Any) -> bool:
    return not (getattr(function, "__module__", "") or "numpy").startswith("numpy")


def _filled(phrase: str | None, *words: str | None) -> str | None:
    """The phrase with words in its gaps; None where one is missing."""
    return None if phrase is None or None in words else phrase.format(*words)

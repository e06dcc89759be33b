"""What the generators of small random programs share: choices, names, blocks, branches and loops."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Statement = Callable[[int, str], list[str]]
"""Draws the lines of a statement at this depth, with this indent."""


class Draws:
    """What draws texts."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def one_of(self, weights: dict[Any, float]) -> Any:
        """One of the keys, as often as their weights say."""
        return self.draw.choices([*weights], [*weights.values()])[0]


class Expressions(Draws):
    """Draws expressions of arrays `a`, `b`, `c` and the names that a program defines after them."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__(draw)
        self.names = ["a", "b", "c"]


class Statements(Draws):
    """Draws statements; knows the indices in sight, and how many statements are left."""

    def __init__(self, draw: random.Random, longest: int) -> None:
        super().__init__(draw)
        self.left = longest
        self.indices: list[str] = []
        self.names = 0

    def kinds(self, depth: int) -> dict[Statement, float]:
        """The kinds of statements that may stand here, with their weights."""
        raise NotImplementedError

    def condition(self) -> str:
        raise NotImplementedError

    def ranges(self) -> list[str]:
        """What loops may count over."""
        raise NotImplementedError

    def usual_length(self, depth: int) -> int:
        return self.draw.randint(1, 3)

    def name(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def block(self, depth: int, indent: str, length: int = 0) -> list[str]:
        lines: list[str] = []
        for _ in range(length or self.usual_length(depth)):
            lines += self.statement(depth, indent)
        return lines

    def statement(self, depth: int, indent: str) -> list[str]:
        self.left -= 1
        lines: list[str] = self.one_of(self.kinds(depth))(depth, indent)
        return lines

    def branch(self, depth: int, indent: str) -> list[str]:
        lines = [f"{indent}if {self.condition()}:", *self.block(depth + 1, indent + "    ")]
        if self.draw.random() < 0.5:
            lines += [f"{indent}else:", *self.block(depth + 1, indent + "    ")]
        return lines

    def counted(self, depth: int, indent: str) -> list[str]:
        index, ranges = self.name("i"), self.ranges()
        return self.loop(f"{indent}for {index} in range({self.draw.choice(ranges)}):", [], index, depth, indent)

    def loop(self, head: str, first: list[str], index: str, depth: int, indent: str) -> list[str]:
        self.indices.append(index)
        body = self.block(depth + 1, indent + "    ")
        self.indices.remove(index)
        return [head, *first, *body]

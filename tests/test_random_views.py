"""Parts of parts of arrays, drawn at random and used in five ways: value, gradient and IndexError are NumPy's."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import cells
import oracle
import pullback as pb

SHAPES = [(4,), (4, 5), (4, 5, 3), (3, 3), (1, 4)]
USES = [
    ["return np.sum(np.sin(v) * v)"],
    ["v *= 0.5", "v += np.cos(v)", "return np.sum(m * m)"],
    ["v[...] = 2.0 * v + v[::-1]", "return np.sum(m * m) + np.sum(v)"],
    ["t = 0.0", "for i in range(-2, 3):", "    t += np.sum(v[i] * v[-1]) * (i + 3)", "return t + np.sum(m * m)"],
    ["w = v * 1.0", "v[-1] = v[0] * w[-1]", "return np.sum(m * m) + np.sum(w[1:] * w[:-1]) + np.sum(w[-1] * v[0])"],
]


@dataclass
class Drawn:
    """A program: its steps from an array to a part of it, and the numbers that it is given."""

    draw: random.Random
    numbers: dict[str, int] = field(default_factory=dict)

    def step(self, ndim: int) -> str:
        if self.draw.random() < 0.15:
            return ".T"
        items: list[str] = []
        for _ in range(self.draw.randint(1, max(1, ndim))):
            items.append(self.draw.choice([self.slice, self.slice, self.place, self.place, lambda: "None"])())
        if self.draw.random() < 0.15:
            items.insert(self.draw.randrange(len(items) + 1), "...")
        return f"[{', '.join(items)}]"

    def slice(self) -> str:
        ends = [self.draw.choice(["", "", str(self.draw.randint(-4, 4))]) for _ in range(2)]
        return ":".join([*ends, self.draw.choice(["", "", "2", "-1"])])

    def place(self) -> str:
        number = self.draw.randint(-3, 3)
        if self.draw.random() < 0.5:
            return str(number)
        name = f"k{len(self.numbers)}"
        self.numbers[name] = number
        return name


def drawn(seed: int) -> tuple[Callable[..., Any], list[Any]]:
    """The program of a seed, and its arguments."""
    made = Drawn(random.Random(seed))
    x = np.random.default_rng(seed).normal(size=made.draw.choice(SHAPES))
    lines, part = ["m = x.copy()", "v = m"], x
    for _ in range(made.draw.randint(1, 3)):
        step = made.step(part.ndim)
        try:
            part = eval(f"part{step}", {"part": part, **made.numbers})
        except IndexError:
            if made.draw.random() < 0.7:
                continue  # most programs should run
            lines.append(f"v = v{step}")
            break
        lines.append(f"v = v{step}")
        if not np.ndim(part):
            break
    lines += made.draw.choice(USES) if np.ndim(part) else ["return v * 2.0 + np.sum(m)"]
    text = f"def f({', '.join(['x', *made.numbers])}):\n" + "".join(f"    {line}\n" for line in lines)
    return cells.run(text, np=np)["f"], [x, *made.numbers.values()]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("block", range(8))
def test_parts_of_parts_are_numpys(block: int) -> None:
    ran = 0
    for seed in range(block, 160, 8):
        function, arguments = drawn(seed)
        for options in ({}, {"fuse": True}):
            derivative = pb.value_and_grad(pb.differentiable(jit=False, **options)(function))
            try:
                plain = function(*arguments)
            except IndexError:
                with pytest.raises(IndexError):
                    derivative(*arguments)
                continue
            value, gradient = derivative(*arguments)
            _, (expected,) = oracle.gradient(function, arguments, (0,))
            context = "".join(linecache.getlines(function.__code__.co_filename))
            np.testing.assert_allclose(value, plain, rtol=1e-10, atol=1e-12, err_msg=context)
            np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-12, err_msg=context)
            ran += 1
    assert ran > 20

"""Arrays of sizes that fit by broadcasting, drawn at random: value and gradient are NumPy's."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cells
import oracle
import pullback as pb
from random_statements import Expressions

SHAPES = [(), (1,), (3,), (2, 1), (1, 3), (2, 3), (1, 1)]
FLAGS = ["True", "False"]


class Drawn(Expressions):
    """Draws a program over arrays `a`, `b`, `c` and the names that it defines."""

    def program(self) -> str:
        lines = []
        for k in range(self.draw.randint(1, 4)):
            lines.append(f"y{k} = {self.expression(2)}")
            self.names.append(f"y{k}")
            if self.draw.random() < 0.3:
                lines.append(self.write(f"y{k}"))
        shown = " + ".join(f"np.sum(np.sin({name}) * {name})" for name in self.names[3:])
        body = "".join(f"    {line}\n" for line in lines)
        return f"def f(a, b, c):\n{body}    return {shown}\n"

    def write(self, name: str) -> str:
        operator, value = self.draw.choice(["+=", "*="]), self.expression(1)
        return self.draw.choice(
            [f"{name} {operator} {value}", f"{name}[...] = {value}", f"{name}[:1] {operator} {value}"]
        )

    def expression(self, depth: int) -> str:
        if depth == 0 or self.draw.random() < 0.15:
            return self.draw.choice([*self.names, *self.names, "0.5", "2.0"])
        x, y, z = (self.expression(depth - 1) for _ in range(3))
        axis, flag = self.draw.choice(["0", "-1", "1", "None"]), self.draw.choice(FLAGS)
        forms = {
            f"({x} {self.draw.choice('+-*')} {y})": 30,
            f"{x} / (1.5 + {y} ** 2)": 6,
            f"np.{self.draw.choice(['sin', 'exp', 'tanh'])}({x})": 12,
            f"np.where({x} > 0.1, {y}, {z})": 8,
            f"np.where({flag}, {x}, {y})": 4,
            f"np.{self.draw.choice(['maximum', 'minimum', 'hypot'])}({x}, {y})": 8,
            f"np.clip({x}, -0.5, {y} ** 2 + 0.1)": 4,
            f"np.{self.draw.choice(['sum', 'mean', 'max'])}({x}, axis={axis}, keepdims={flag})": 10,
            f"np.transpose({x})": 4,
            f"np.broadcast_to({x}, (2, 3))": 3,
            f"np.reshape({x} + np.zeros((2, 3)), (3, 2)).T": 2,
            f"({x} if {self.draw.choice(self.names[:3])}.size > 1 else {y})": 3,
        }
        return self.one_of(forms)


def drawn(seed: int) -> tuple[Callable[..., Any], list[Any], str] | None:
    """The program of a seed, its arguments and its text; None where NumPy finds that the sizes do not fit."""
    draw = random.Random(seed)
    text = Drawn(draw).program()
    numbers = np.random.default_rng(seed)
    arguments = [numbers.normal(size=draw.choice(SHAPES)) for _ in range(3)]
    function = cells.run(text, np=np)["f"]
    try:
        function(*oracle.copy_arguments(arguments))
    except (ValueError, TypeError, IndexError):  # the last ones: numbers have no items
        return None
    return function, arguments, text


@pytest.mark.drawn(2)
@pytest.mark.parametrize("block", range(4))
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_is_spread_over_axes_gives_numpys_gradient(block: int) -> None:
    ran = 0
    for seed in range(block, 90, 4):
        program = drawn(seed)
        if program is None:
            continue
        function, arguments, text = program
        plain = function(*oracle.copy_arguments(arguments))
        _, expected = oracle.gradient(function, arguments, (0, 1, 2))
        for options in ({}, {"fuse": True}, {"optimisations": False}):
            made = pb.value_and_grad(pb.differentiable(jit=False, **options)(function), argnums=(0, 1, 2))
            try:
                value, gradients = made(*oracle.copy_arguments(arguments))
            except pb.PullbackError:
                break
            ran += 1
            context = f"seed {seed} {options}\n{text}{[a.shape for a in arguments]}"
            np.testing.assert_allclose(value, plain, rtol=1e-10, atol=1e-12, err_msg=context)
            for gradient, exact in zip(gradients, expected, strict=True):
                np.testing.assert_allclose(gradient, exact, rtol=1e-9, atol=1e-11, err_msg=context)
    assert ran > 30

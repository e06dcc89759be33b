"""A seed becomes names that share arrays: views, choices, exchanges, lists and calls, with writes between them.

    program = generate(17)
    print(program.source)                      # def f(x, c, n): ...

Whether two names share memory is often a matter of the run; many programs are refused for that. What is accepted must
see each write through every name. What does not run, or grows, is drawn again.
"""

from __future__ import annotations

import random

import numpy as np

from random_programs import RandomProgram, check_run, first_valid
from random_statements import Statement, Statements

DEEPEST, LONGEST, MOST_NAMES = 3, 16, 4
SECOND = ["np.sin(x)", "y", "y[::-1]", "x.copy()", "np.outer(x, x)[1]"]


def generate(seed: int) -> RandomProgram:
    """The program of a seed: it runs in plain NumPy, and is finite there."""

    def attempt(draw: random.Random) -> RandomProgram:
        source = "import numpy as np\n\n\n" + "\n".join(_Sharing(draw).lines()) + "\n"
        x = np.array([round(draw.gauss(0.0, 1.0), 2) for _ in range(3)])
        return RandomProgram(seed, source, (x, draw.choice([-0.5, 0.5, 1.5]), 3), (0,))

    return first_valid(f"aliases/{seed}", attempt, check_run)


class _Sharing(Statements):
    """Draws statements; knows the names of arrays, lists and functions in sight."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__(draw, LONGEST)
        self.arrays = ["y", "z"]
        self.lists: list[str] = []
        self.functions: list[str] = []

    def lines(self) -> list[str]:
        begin = ["    y = x * 0.5", f"    z = {self.draw.choice(SECOND)}", "    t = 0.1"]
        body = self.block(0, "    ", self.draw.randint(4, 8))
        shown = [*self.arrays, *(f"{name}[{k}]" for name in self.lists for k in (0, 1))]
        total = " + ".join(f"np.sum({name} * {k}.5)" for k, name in enumerate(shown, start=1))
        return ["def f(x, c, n):", *begin, *body, f"    return t + {total}"]

    # Expressions

    def array_name(self) -> str:
        return self.draw.choice(self.arrays)

    def index(self) -> str:
        return self.draw.choice([*self.indices, *self.indices, "0", "1", "-1"])

    def number(self) -> str:
        y, i = self.array_name(), self.index()
        literal = str(round(self.draw.uniform(-1.2, 1.2), 2))
        return self.draw.choices([f"{y}[{i}]", f"x[{i}]", "t", f"np.sum({y})", literal], [35, 25, 15, 10, 15])[0]

    def array(self) -> str:
        y, z = self.array_name(), self.array_name()
        forms = {
            y: 25,
            f"{y}[::-1]": 10,
            f"{y}[:]": 3,
            f"np.ravel({y})": 3,
            f"({y} if {self.condition()} else {z})": 8,
            f"{y}.copy()": 10,
            f"{y} * {self.number()}": 15,
            f"np.sin({y})": 8,
            f"{y} + {z}": 8,
            f"np.where({y} > 0.1, {z}, 0.3)": 3,
        }
        if self.lists:
            forms[f"{self.draw.choice(self.lists)}[{self.draw.choice('01')}]"] = 6
        if self.functions:
            forms[f"{self.draw.choice(self.functions)}({y}, {z})"] = 6
        return self.one_of(forms)

    def condition(self) -> str:
        if self.indices and self.draw.random() < 0.5:
            return f"{self.draw.choice(self.indices)} {self.draw.choice(['<', '>', '=='])} {self.draw.choice('012')}"
        return self.draw.choice(["c > 0", "c > 1", "c < 1", f"{self.number()} > 0.2"])

    # Statements

    def kinds(self, depth: int) -> dict[Statement, float]:
        kinds: dict[Statement, float] = {self.bind: 18, self.write: 16, self.write_all: 7, self.write_part: 4}
        kinds |= {self.add: 5, self.exchange: 3}
        if self.lists:
            kinds[self.replace_item] = 2
        if self.left >= 0 and depth <= DEEPEST:
            kinds |= {self.branch: 14, self.counted: 11, self.over_array: 4}
            if len(self.arrays) < MOST_NAMES:
                kinds[self.new_name] = 5
            if self.lists:
                kinds[self.over_list] = 3
        if depth == 0:
            kinds |= {self.collect: 4} if not self.lists else {}
            kinds |= {self.define: 4} if len(self.functions) < 2 else {}
        return kinds

    def ranges(self) -> list[str]:
        return ["3", "2", "n"]

    def bind(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}{self.array_name()} = {self.array()}"]

    def write(self, depth: int, indent: str) -> list[str]:
        operator = self.draw.choice(["=", "+=", "*="])
        return [f"{indent}{self.array_name()}[{self.index()}] {operator} {self.number()}"]

    def write_all(self, depth: int, indent: str) -> list[str]:
        operand = self.draw.choice([self.number(), self.array_name()])
        return [f"{indent}{self.array_name()} {self.draw.choice(['+=', '*='])} {operand}"]

    def write_part(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}{self.array_name()}[{self.draw.choice([':', '1:', ':-1'])}] = {self.number()}"]

    def add(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}t += {self.number()} * {self.number()}"]

    def exchange(self, depth: int, indent: str) -> list[str]:
        a, b = self.array_name(), self.array_name()
        return [f"{indent}{a}, {b} = {b}, {a}"]

    def replace_item(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}{self.draw.choice(self.lists)}[{self.draw.choice('01')}] = {self.array_name()}"]

    def collect(self, depth: int, indent: str) -> list[str]:
        """A list of two arrays, as they are."""
        name = self.name("l")
        line = f"{indent}{name} = [{self.array()}, {self.array()}]"
        self.lists.append(name)
        return [line]

    def new_name(self, depth: int, indent: str) -> list[str]:
        """One more name: to the end of the function, or of this block."""
        name = self.name("w")
        lines = [f"{indent}{name} = {self.array()}"]
        self.arrays.append(name)
        if depth:
            lines += self.block(depth + 1, indent)
            self.arrays.remove(name)
        return lines

    def define(self, depth: int, indent: str) -> list[str]:
        """A function that writes to its arguments, and returns one of them or another array."""
        name = self.name("g")
        outside = self.arrays, self.lists
        self.arrays, self.lists = ["u", "v"], []
        body = [f"{indent}    t = 0.5", *self.block(1, indent + "    ")]
        result = self.draw.choice([self.array_name(), self.array()])
        self.arrays, self.lists = outside
        self.functions.append(name)
        return [f"{indent}def {name}(u, v):", *body, f"{indent}    return {result}"]

    def over_array(self, depth: int, indent: str) -> list[str]:
        element, array = self.name("e"), self.array_name()
        body = self.block(depth + 1, indent + "    ")
        return [f"{indent}for {element} in {array}:", *body, f"{indent}    t += {element} * 0.3"]

    def over_list(self, depth: int, indent: str) -> list[str]:
        item = self.name("e")
        head = f"{indent}for {item} in {self.draw.choice(self.lists)}:"
        self.arrays.append(item)
        body = self.block(depth + 1, indent + "    ")
        self.arrays.remove(item)
        return [head, *body]

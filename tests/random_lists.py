"""A seed becomes a program over lists: of numbers and of arrays, which loops lengthen, shorten, copy and exchange.

    program = generate(17)
    print(program.source)                      # def f(x, w, n): ...

Loops count over a size of the run, or over three known numbers, which may be read iteration by iteration.
"""

from __future__ import annotations

import random

import numpy as np

from random_programs import RandomProgram, check_run, first_valid
from random_statements import Statement, Statements

DEEPEST, LONGEST = 2, 10
NUMBERS, ARRAYS = ("a", "b"), ("p", "q")
STARTS = {
    "numbers": ["[]", "[x[0]]", "[x[1], w * x[0]]", "[v * v for v in x]", "[0.5] * n"],
    "arrays": ["[x * 0.5]", "[x, y]", "[x * k for k in range(n)]", "[]"],
}


def generate(seed: int) -> RandomProgram:
    """The program of a seed: it runs in plain NumPy, and is finite there."""

    def attempt(draw: random.Random) -> RandomProgram:
        lists = _Lists(draw)
        lines = ["s = x[0] * w", "t = 0.4", "y = x * w"]
        lines += [f"{name} = {draw.choice(STARTS['numbers'])}" for name in NUMBERS]
        lines += [f"{name} = {draw.choice(STARTS['arrays'])}" for name in ARRAYS]
        lines += [line[4:] for _ in range(draw.randint(1, 2)) for line in lists.counted(0, "    ")]
        for name in NUMBERS:
            lines.append(f"s = s + sum({name}) * 0.3 + len({name}) * w")
        for name in ARRAYS:
            lines += [f"for row in {name}:", "    s += np.sum(row * row) * 0.5"]
        lines.append("return s + t * w + np.sum(y * y)")
        source = "import numpy as np\n\n\ndef f(x, w, n):\n" + "\n".join("    " + line for line in lines) + "\n"
        x = np.array([round(draw.uniform(0.4, 1.4), 2) for _ in range(4)])
        return RandomProgram(seed, source, (x, round(draw.uniform(0.5, 1.2), 2), 4), (0, 1))

    return first_valid(f"lists/{seed}", attempt, check_run)


class _Lists(Statements):
    def __init__(self, draw: random.Random) -> None:
        super().__init__(draw, LONGEST)

    # Expressions

    def place(self, name: str) -> str:
        return self.draw.choice(["0", "-1", "-1", *(f"{index} % len({name})" for index in self.indices)])

    def number(self) -> str:
        """A number of moderate size."""
        name, rows = self.draw.choice(NUMBERS), self.draw.choice(ARRAYS)
        forms = {
            self.draw.choice(["s", "t", "w", "x[-1]", *(f"x[{index}]" for index in self.indices)]): 30,
            f"({name}[{self.place(name)}] if len({name}) > 0 else 0.5)": 25,
            f"sum({name})": 6,
            f"(np.sum({rows}[{self.place(rows)}]) if len({rows}) > 0 else 0.25)": 15,
        }
        first, second = self.one_of(forms), self.one_of(forms)
        return self.draw.choice([f"np.sin({first} * {second})", f"np.tanh({first} + {second})", f"0.5 * {first}"])

    def array(self) -> str:
        name = self.draw.choice(ARRAYS)
        item = f"({name}[{self.place(name)}] if len({name}) > 0 else y)"
        return self.draw.choice([f"np.cos({item}) * x", f"np.sin({item} + y)", f"y * {self.number()}", "x * t", item])

    def condition(self) -> str:
        name = self.draw.choice([*NUMBERS, *ARRAYS])
        conditions = [f"len({name}) {self.draw.choice('<>')} {self.draw.randint(0, 3)}", "s > 0.3123", "t < 0.4321"]
        conditions += [f"{index} % 2 == {self.draw.randint(0, 1)}" for index in self.indices]
        return self.draw.choice(conditions)

    # Statements

    def kinds(self, depth: int) -> dict[Statement, float]:
        plain: dict[Statement, float] = {
            self.appended: 30,
            self.popped: 12,
            self.replaced: 14,
            self.written: 14,
            self.exchanged: 8,
            self.total: 10,
            self.state: 14,
        }
        nested: dict[Statement, float] = {self.branch: 12, self.counted: 12, self.left_early: 5, self.until: 5}
        return plain if self.left < 0 or depth > DEEPEST else plain | nested

    def ranges(self) -> list[str]:
        return ["n", "n", "n - 1, -1, -1", "1, n", "3", "x.shape[0]"]

    def any_list(self) -> tuple[str, str]:
        """A list, and what may be an item of it."""
        if self.draw.random() < 0.55:
            return self.draw.choice(NUMBERS), self.number()
        return self.draw.choice(ARRAYS), self.array()

    def appended(self, depth: int, indent: str) -> list[str]:
        name, item = self.any_list()
        return [f"{indent}{name}.append({item})"]

    def popped(self, depth: int, indent: str) -> list[str]:
        name, _ = self.any_list()
        taken = ["", "t = 0.5 * t + "] if name in NUMBERS else ["", "y = 0.5 * y + "]
        return [
            f"{indent}if len({name}) > {self.draw.randint(0, 2)}:",
            f"{indent}    {self.draw.choice(taken)}{name}.pop()",
        ]

    def replaced(self, depth: int, indent: str) -> list[str]:
        name, item = self.any_list()
        other = self.draw.choice(NUMBERS if name in NUMBERS else ARRAYS)
        forms = [f"list({other})", f"{other}[:]", f"{other}[-2:]", f"[v * 0.7 for v in {other}]", f"[{item}]"]
        return [f"{indent}{name} = {self.draw.choice(forms)}"]

    def written(self, depth: int, indent: str) -> list[str]:
        name, item = self.any_list()
        return [f"{indent}if len({name}) > 0:", f"{indent}    {name}[{self.place(name)}] = {item}"]

    def exchanged(self, depth: int, indent: str) -> list[str]:
        first, second = self.draw.choice([NUMBERS, ARRAYS])
        return [f"{indent}{first}, {second} = {second}, {first}"]

    def total(self, depth: int, indent: str) -> list[str]:
        name, _ = self.any_list()
        value = self.name("v")
        read = f"s = s * 0.5 + {value} * w" if name in NUMBERS else f"y = y * 0.5 + np.sin({value})"
        return [f"{indent}for {value} in {name}:", f"{indent}    {read}"]

    def state(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}{self.draw.choice([f's = {self.number()}', f't = {self.number()}', f'y = {self.array()}'])}"]

    def left_early(self, depth: int, indent: str) -> list[str]:
        if not self.indices:
            return self.state(depth, indent)
        return [f"{indent}if {self.condition()}:", f"{indent}    {self.draw.choice(['break', 'continue'])}"]

    def until(self, depth: int, indent: str) -> list[str]:
        name, _ = self.any_list()
        last = "t = t * 0.5 + " if name in NUMBERS else "y = y * 0.5 + "
        return [f"{indent}while len({name}) > {self.draw.randint(0, 3)}:", f"{indent}    {last}{name}.pop()"]

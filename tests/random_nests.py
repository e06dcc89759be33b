"""A seed becomes loops and branches in one another, over four numbers and two arrays.

    program = generate(17)
    print(program.source)                      # def f(x, p, n): ...

Unlike `random_programs`, whose programs have something of everything, these are short texts of few constructs, deeply
nested, with values that few statements hand far: they meet what a sweep keeps, and for whom. Loads and jumps stand
where they like; what does not run, or grows, is drawn again.
"""

from __future__ import annotations

import random

import numpy as np

from random_programs import RandomProgram, check_run, first_valid
from random_statements import Statement, Statements

DEEPEST, LONGEST = 4, 22
BEGIN = ["def f(x, p, n):", "    y = x * 0.5", "    a = p", "    b = 0.3", "    t = 0.0"]
RESULTS = ["t + a * b", "t + np.sum(y)", "t + a + b + np.sum(y * x)", "np.sum(y * y) + t * b", "a + b + t"]


def generate(seed: int) -> RandomProgram:
    """The program of a seed: it runs in plain NumPy, and is finite there."""

    def attempt(draw: random.Random) -> RandomProgram:
        lines = [*BEGIN, *_Nest(draw).block(0, "    ", draw.randint(2, 5)), f"    return {draw.choice(RESULTS)}"]
        source = "import numpy as np\n\n\n" + "\n".join(lines) + "\n"
        x = np.array([round(draw.gauss(0.0, 1.0), 2) for _ in range(4)])
        return RandomProgram(seed, source, (x, round(draw.gauss(0.0, 1.0), 2), 4), (0, 1))

    return first_valid(f"nests/{seed}", attempt, check_run)


class _Nest(Statements):
    """Draws statements; knows the numbers in sight."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__(draw, LONGEST)
        self.numbers = ["a", "b", "t"]

    # Expressions

    def index(self) -> str:
        if self.indices and self.draw.random() < 0.7:
            index = self.draw.choice(self.indices)
            return self.draw.choice([index, index, f"{index} - 1", f"-1 - {index}"])
        return str(self.draw.randint(-4, 3))

    def atom(self) -> str:
        number = str(round(self.draw.uniform(-1.5, 1.5), 2))
        atoms = [self.draw.choice(self.numbers), f"x[{self.index()}]", f"y[{self.index()}]", "p", number]
        return self.draw.choices([*atoms, self.draw.choice(self.indices or ["p"])], [45, 15, 15, 8, 10, 7])[0]

    def expression(self) -> str:
        a, b = self.atom(), self.atom()
        forms = {
            f"{a} * {b}": 25,
            f"np.{self.draw.choice(['sin', 'cos', 'tanh'])}({a})": 15,
            f"np.sin({a} * {b})": 10,
            f"{a} + {b}": 10,
            f"0.5 * ({a} - {b})": 8,
            f"{a} / (1.5 + {b} ** 2)": 6,
            "np.sum(y * x)": 3,
            f"np.sum(np.sin(y[1:]) * {a})": 3,
            f"max({a}, {b})": 5,
            a: 15,
        }
        return self.one_of(forms)

    def condition(self) -> str:
        if self.indices and self.draw.random() < 0.4:
            operator = self.draw.choice(["<", "==", "!=", ">="])
            return f"{self.draw.choice(self.indices)} {operator} {self.draw.randint(0, 2)}"
        return f"{self.atom()} {self.draw.choice('<>')} {self.atom()}"

    # Statements

    def usual_length(self, depth: int) -> int:
        return self.draw.randint(1, 4 if depth < 3 else 2)

    def kinds(self, depth: int) -> dict[Statement, float]:
        plain: dict[Statement, float] = {self.assign: 25, self.augment: 13, self.write: 12, self.write_all: 5}
        nested = {self.local: 5, self.branch: 16, self.jump: 4, self.counted: 15, self.repeated: 5}
        return plain if self.left < 0 or depth >= DEEPEST else plain | nested

    def ranges(self) -> list[str]:
        return ["3", "n", "1, 4", "3, 0, -1", "n - 3", *self.indices]

    def assign(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}{self.draw.choice(self.numbers)} = {self.expression()}"]

    def augment(self, depth: int, indent: str) -> list[str]:
        operator = self.draw.choice(["+=", "+=", "-=", "*="])
        return [f"{indent}{self.draw.choice(self.numbers)} {operator} {self.expression()}"]

    def write(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}y[{self.index()}] {self.draw.choice(['=', '=', '+=', '*='])} {self.expression()}"]

    def write_all(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}y {self.draw.choice(['= y *', '+=', '*='])} {self.draw.choice(['0.7', 'x', self.atom()])}"]

    def local(self, depth: int, indent: str) -> list[str]:
        """A number that only the statements after it in this block know."""
        name = self.name("w")
        lines = [f"{indent}{name} = {self.expression()}"]
        self.numbers.append(name)
        lines += self.block(depth + 1, indent)
        self.numbers.remove(name)
        return lines

    def jump(self, depth: int, indent: str) -> list[str]:
        if not self.indices:
            return self.assign(depth, indent)
        return [f"{indent}if {self.condition()}:", f"{indent}    {self.draw.choice(['break', 'continue'])}"]

    def repeated(self, depth: int, indent: str) -> list[str]:
        count = self.name("k")
        head = f"{indent}while {count} < 3 and {self.condition()}:"
        body = self.loop(head, [f"{indent}    {count} += 1"], count, depth, indent)
        return [f"{indent}{count} = 0", *body]

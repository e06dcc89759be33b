"""A seed becomes recurrences: loops, up to two deep, whose iterations hand numbers and arrays to the next.

    program = generate(17)
    print(program.source)                      # def f(x, s, p, n): ...

Every loop counts over a size of the run, so that none is unrolled, and every statement computes a number, an element or
an array from itself: with quotients, powers and exponentials, whose derivatives need what was there before and after.
Jumps end loops early.
"""

from __future__ import annotations

import random

import numpy as np

from random_programs import RandomProgram, check_run, first_valid
from random_statements import Statement, Statements

DEEPEST, LONGEST = 2, 9
BEGIN = ["y = x * 0.5", "v = s * p", "rows = np.zeros((n, n))", "a = p", "b = 0.6"]
RESULTS = ["a * b", "a + np.sum(y * x)", "np.sum(y * v) * b", "np.sum(rows * rows) * a", "y[n - 1] * a + rows[1, 1]"]


def generate(seed: int) -> RandomProgram:
    """The program of a seed: it runs in plain NumPy, and is finite there."""

    def attempt(draw: random.Random) -> RandomProgram:
        recurrences = _Recurrences(draw)
        lines = ["def f(x, s, p, n):", *("    " + line for line in BEGIN), *recurrences.counted(0, "    ")]
        if draw.random() < 0.4:
            lines += recurrences.block(0, "    ", 2)
        source = "import numpy as np\n\n\n" + "\n".join([*lines, f"    return {draw.choice(RESULTS)}"]) + "\n"
        x, s = (np.array([round(draw.uniform(low, low + 1.0), 2) for _ in range(5)]) for low in (0.5, 1.5))
        return RandomProgram(seed, source, (x, s, round(draw.uniform(0.5, 1.5), 2), 5), (0, 1, 2))

    return first_valid(f"recurrences/{seed}", attempt, check_run)


class _Recurrences(Statements):
    def __init__(self, draw: random.Random) -> None:
        super().__init__(draw, LONGEST)

    # Expressions

    def index(self) -> str:
        index = self.draw.choice([*self.indices, "0"])
        return self.draw.choice([index, index, f"{index} - 1"])

    def datum(self) -> str:
        return self.draw.choice([f"x[{self.index()}]", f"s[{self.index()}]", "p", "0.7"])

    def state(self) -> str:
        return self.draw.choice(["a", "b", f"y[{self.index()}]"])

    def next_of(self, state: str, other: str, datum: str) -> str:
        """What the next iteration has in place of a number, or of the elements of an array."""
        forms = {
            f"({state} + 0.1) / ({datum} + 0.5)": 15,
            f"{state} / (1.0 + {other} ** 2) * {datum}": 12,
            f"{state} * {datum} + {other} * 0.3": 12,
            f"np.exp(-{state}) * {datum}": 8,
            f"np.sqrt(1.0 + {state} * {state}) - {datum}": 8,
            f"np.tanh({state} * {datum}) + {other} * 0.2": 8,
            f"np.maximum({state}, {other} * 0.9) * {datum}": 6,
            f"{state} ** 2 * 0.5 + {datum}": 6,
            f"np.log(1.5 + {state} ** 2) * {other}": 6,
            f"{datum} / ({state} ** 2 + 1.0)": 6,
            f"np.sin({state}) * np.cos({other}) + {datum}": 5,
        }
        return self.one_of(forms)

    def condition(self) -> str:
        limit = round(self.draw.uniform(0.1, 1.5), 2)
        conditions = [f"{self.state()} {self.draw.choice('<>')} {limit}"]
        if self.indices:
            conditions.append(f"{self.draw.choice(self.indices)} % 2 == {self.draw.randint(0, 1)}")
            conditions.append(f"{self.draw.choice(self.indices)} {self.draw.choice('<>')} 2")
        return self.draw.choice(conditions)

    # Statements

    def usual_length(self, depth: int) -> int:
        return self.draw.randint(1, 3)

    def kinds(self, depth: int) -> dict[Statement, float]:
        plain: dict[Statement, float] = {
            self.number: 25,
            self.element: 20,
            self.array: 10,
            self.exchange: 4,
            self.new: 12,
        }
        nested: dict[Statement, float] = {self.branch: 10, self.jump: 8, self.counted: 14, self.repeated: 6}
        return plain if self.left < 0 or depth > DEEPEST else plain | nested

    def ranges(self) -> list[str]:
        return ["n", "1, n", "n - 1, -1, -1", "x.shape[0]", "0, n, 2", *(f"{index} + 1" for index in self.indices)]

    def number(self, depth: int, indent: str) -> list[str]:
        name = self.draw.choice("ab")
        return [f"{indent}{name} = {self.next_of(name, self.state(), self.datum())}"]

    def element(self, depth: int, indent: str) -> list[str]:
        element = f"y[{self.index()}]"
        if self.draw.random() < 0.3:
            return [f"{indent}{element} {self.draw.choice(['+=', '*=', '/='])} {self.datum()}"]
        return [f"{indent}{element} = {self.next_of(self.state(), self.state(), self.datum())}"]

    def array(self, depth: int, indent: str) -> list[str]:
        name = self.draw.choice("yv")
        target = self.draw.choice([name, name, f"{name}[:]", f"{name}[1:]"])
        part = "[1:]" if "1" in target else ""
        other, datum = self.draw.choice([f"x{part}", "a", f"v{part}", f"y{part}"]), self.draw.choice([f"s{part}", "b"])
        return [f"{indent}{target} = {self.next_of(name + part, other, datum)}"]

    def new(self, depth: int, indent: str) -> list[str]:
        """An array of the iteration alone, which it overwrites, and copies to others."""
        name, other = self.name("w"), self.draw.choice(["y", "v"])
        made = self.draw.choice([f"{name} = {other} * s", f"{name} = {other} + a", f"{name} = np.ones(n)"])
        filled = [f"{name}[:] = {self.next_of(self.draw.choice([name, other]), 'x', self.datum())}"]
        filled.append(f"{name} /= np.sum({name} * {name}) + 1.0")
        read = [f"rows[{self.index()}] = {name}", f"{other} = {name} * x", f"a = a + 0.1 * np.sum({name} * {name})"]
        chosen = [*self.draw.sample(filled, self.draw.randint(1, 2)), *self.draw.sample(read, self.draw.randint(1, 3))]
        return [f"{indent}{line}" for line in (made, *chosen)]

    def exchange(self, depth: int, indent: str) -> list[str]:
        return [f"{indent}a, b = b, {self.next_of('a', 'b', self.datum())}"]

    def jump(self, depth: int, indent: str) -> list[str]:
        if not self.indices:
            return self.number(depth, indent)
        return [f"{indent}if {self.condition()}:", f"{indent}    {self.draw.choice(['break', 'break', 'continue'])}"]

    def repeated(self, depth: int, indent: str) -> list[str]:
        count = self.name("k")
        head = f"{indent}while {count} < n - 1 and {self.condition()}:"
        body = self.loop(head, [f"{indent}    {count} += 1"], count, depth, indent)
        return [f"{indent}{count} = -1", *body]

"""Generated modules become one module that needs NumPy and Numba alone: what they call of the runtime stands in it.

from pullback.runtime import plus        def energy_grad(x): …          as it was generated
def energy_grad(x): …               →    def plus(total, addend): …     as it stands in the runtime
                                         energy_grad = njit(…)(energy_grad)
"""

from __future__ import annotations

import ast
import builtins
import keyword
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pullback.emission.runtime_source import ROOT, Definition, Name, Needed, needed_for, origin_of, outer_names
from pullback.runtime.codegen.contraction import ENDING, contracted_lines

VECTOR_MATH = f"{ROOT}.vectormath"
COMPILER = f"{ROOT}.codegen.standalone", "Compiler"
CHECKS = tuple((f"{ROOT}.codegen.standalone", name) for name in ("check_argument", "check_record"))
REGISTERED = """\
if __name__ not in sys.modules:  # where Numba looks for the module of a function that calls itself
    sys.modules[__name__] = ModuleType(__name__)
    vars(sys.modules[__name__]).update(globals())"""
RULE = "# " + "-" * 118


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated function: its text, and the lines of it in which products and sums may be contracted.

    ours: the helpers that it calls, by their names in it. others: the imports that it needs. is_declared: whether it is
    compiled where it is defined.
    """

    name: str
    text: str
    tree: ast.FunctionDef
    contracted: frozenset[int]
    ours: Mapping[str, Name]
    others: frozenset[str]
    is_declared: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A text of the module; the lines of it in which products and sums may be contracted."""

    text: str
    contracted: frozenset[int] = frozenset()


def generated_in(text: str) -> list[Generated]:
    """The functions of a generated module."""
    lines, contracted = text.split("\n"), contracted_lines(text)
    ours: dict[str, Name] = {}
    others: dict[str, str] = {}
    made: list[Generated] = []
    for node in ast.parse(text).body:
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith(ROOT):
                home = f"{ROOT}.helpers" if module == ROOT else module
                ours |= {a.name: (home, a.name) for a in node.names}
            case ast.Import() | ast.ImportFrom():
                others |= {a.asname or a.name: ast.unparse(node) for a in node.names if not a.name.startswith(ROOT)}
            case ast.FunctionDef():
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                own = frozenset(k - first + 1 for k in contracted if first <= k <= (node.end_lineno or first))
                body = "\n".join(lines[first - 1 : node.end_lineno])
                used = {n.id for n in outer_names(node)}
                helpers = {name: origin for name, origin in ours.items() if name in used}
                helpers |= {f"vm.{name}": (VECTOR_MATH, name) for name in _vector_math_in(node)}
                imports = frozenset(line for name, line in others.items() if name in used)
                tree = ast.parse(body).body[0]
                assert isinstance(tree, ast.FunctionDef)
                made.append(Generated(node.name, body, tree, own, helpers, imports, bool(node.decorator_list)))
    return made


def _vector_math_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "vm":
            yield node.attr


def standalone_module(head: str, wrappers: str, texts: Iterable[str], options: str) -> str:
    """The module with these generated functions, and with what else they need.

    head: its docstring. wrappers: functions that call the generated ones. options: keywords of `njit` for them.
    """
    functions = _without_twins([made for text in texts for made in generated_in(text)])
    called = [origin for function in functions for origin in function.ours.values()]
    needed = needed_for([*called, COMPILER, *CHECKS])
    names = _Names(functions, wrappers, needed)
    definitions = [Part(names.renamed_definition(d)) for d in needed.definitions]
    own = {function.name: Part(names.renamed_function(function), function.contracted) for function in functions}
    first = [own[f.name] for f in functions if not f.is_declared]
    last = [own[f.name] for f in functions if f.is_declared]
    compiler = names.of[COMPILER]
    compiled = [
        f"{f.name} = njit(pipeline_class={compiler}, {options})({f.name})" for f in functions if not f.is_declared
    ]
    parts = [
        Part(head + "\n\nfrom __future__ import annotations\n\n" + "\n".join(names.imports())),
        Part(renamed(wrappers, {name: names.of[home, name] for home, name in CHECKS})),
        *first,
        Part(f"{RULE}\n# What the generated functions call, and how Numba compiles that.\n{RULE}"),
        *definitions,
        *([Part(REGISTERED), *last] if last else []),
        Part("\n".join(compiled)),
    ]
    return _joined(parts)


def _without_twins(functions: Sequence[Generated]) -> list[Generated]:
    found: dict[str, Generated] = {}
    for function in functions:
        twin = found.setdefault(function.name, function)
        assert twin.text == function.text, f"two functions are called {function.name}"
    return list(found.values())


def _joined(parts: Sequence[Part]) -> str:
    """The texts one after the other, and a last line with the contracted lines of all of them."""
    lines: list[str] = []
    contracted: list[int] = []
    for part in parts:
        if lines:
            lines += ["", ""]
        contracted += [len(lines) + k for k in sorted(part.contracted)]
        lines += part.text.rstrip().split("\n")
    if contracted:
        lines += ["", "", ENDING + ", ".join(map(str, contracted))]
    return "\n".join(lines) + "\n"


class _Names:
    """The names that everything has in the module: its own where that is free."""

    def __init__(self, functions: Sequence[Generated], wrappers: str, needed: Needed) -> None:
        self.functions, self.needed = functions, needed
        trees = [*(f.tree for f in functions), ast.parse(wrappers)]
        self.taken = {name for tree in trees for name in _identifiers(tree)} - {n for f in functions for n in f.ours}
        self.taken |= {*dir(builtins), *keyword.kwlist, "np", "njit", "annotations", "sys", "ModuleType"}
        self.taken -= {name for _, name in CHECKS}
        self.lines: dict[int, str] = {}
        """the imports, by what they import"""
        self.aliases: dict[str, str] = {}
        """the name that each import makes, by its text"""
        own = [line for function in functions for line in sorted(function.others)]
        own += ["import sys", "from types import ModuleType"] * any(function.is_declared for function in functions)
        for line in ["import numpy as np", "from numba import njit", *own]:
            self.lines.setdefault(id(imported(line)), line)
            self.aliases[line] = alias_of(line)
        for line in sorted({meaning for meaning in needed.meanings.values() if isinstance(meaning, str)}):
            self._add_import(line)
        self.of: dict[Name, str] = {}
        for definition in needed.definitions:
            for name in definition.names:
                self.of[definition.home, name] = self._free(name, definition.home)

    def _add_import(self, line: str) -> None:
        what = imported(line)
        if id(what) not in self.lines:
            alias = alias_of(line)
            free = alias if alias not in self.taken else self._free(alias, "module")
            self.taken.add(free)
            self.lines[id(what)] = line if free == alias else f"{line.partition(' as ')[0]} as {free}"
        self.aliases[line] = alias_of(self.lines[id(what)])

    def _free(self, name: str, home: str) -> str:
        free, count = name, 1
        while free in self.taken:
            free = f"{name}_{home.rpartition('.')[2]}" + (f"_{count}" if count > 1 else "")
            count += 1
        self.taken.add(free)
        return free

    def imports(self) -> list[str]:
        """The lines of the imports: of Python's own modules, then of others."""
        plain = sorted(line for line in self.lines.values() if line.startswith("import"))
        taken: dict[str, list[str]] = {}
        for line in sorted(self.lines.values()):
            if line.startswith("from"):
                home, _, what = line.removeprefix("from ").partition(" import ")
                taken.setdefault(home, []).append(what)
        lines = [*plain, *(f"from {home} import {', '.join(names)}" for home, names in sorted(taken.items()))]
        own = [line for line in lines if line.split()[1].split(".")[0] in sys.stdlib_module_names]
        return [*own, *[""] * bool(own), *(line for line in lines if line not in own)]

    def renamed_definition(self, definition: Definition) -> str:
        """The text of a definition of the runtime, with the names that things have here."""
        meanings = {name: self.needed.meanings.get((definition.home, name)) for name in definition.uses}
        names = {
            name: self.of[meaning] if isinstance(meaning, tuple) else self.aliases[meaning]
            for name, meaning in meanings.items()
            if meaning is not None
        }
        names |= {name: self.of[definition.home, name] for name in definition.names}
        return renamed(definition.text, names)

    def renamed_function(self, function: Generated) -> str:
        """The text of a generated function, with the names that helpers have here."""
        return renamed(function.text, {name: self.of[origin_of(*o)] for name, o in function.ours.items()})


def imported(line: str) -> Any:
    """The object that a line imports."""
    names: dict[str, Any] = {}
    exec(line, names)
    return names[alias_of(line)]


def alias_of(line: str) -> str:
    """The name that a line imports something as.

    >>> alias_of("import numpy as np"), alias_of("from numba import types"), alias_of("import numpy.linalg")
    ('np', 'types', 'numpy')
    """
    name = line.split()[-1]
    return name if line.startswith("from") else name.split(".")[0]


def _identifiers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name():
                yield node.id
            case ast.arg():
                yield node.arg
            case ast.FunctionDef():
                yield node.name


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text in which outer names are replaced, `vm.exp` by one name; everything else stays as it is.

    >>> renamed("def f(x):  # doubled\\n    return vm.exp(x) * two", {"vm.exp": "exp", "two": "2.0"})
    'def f(x):  # doubled\\n    return exp(x) * 2.0'
    """
    tree = ast.parse(text)
    lines = [line.encode() for line in text.split("\n")]
    places: list[tuple[int, int, int, str]] = []
    for node in outer_names(tree):
        if node.id in names and names[node.id] != node.id:
            places.append((node.lineno, node.col_offset, node.end_col_offset or 0, names[node.id]))
    for inner in ast.walk(tree):
        if (
            isinstance(inner, ast.Attribute)
            and isinstance(inner.value, ast.Name)
            and f"{inner.value.id}.{inner.attr}" in names
        ):
            places.append(
                (inner.lineno, inner.col_offset, inner.end_col_offset or 0, names[f"{inner.value.id}.{inner.attr}"])
            )
    for statement in tree.body:
        if (
            isinstance(statement, ast.FunctionDef | ast.ClassDef)
            and names.get(statement.name, statement.name) != statement.name
        ):
            start = lines[statement.lineno - 1].index(statement.name.encode())
            places.append((statement.lineno, start, start + len(statement.name.encode()), names[statement.name]))
    for number, start, end, new in sorted(places, reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:start] + new.encode() + line[end:]
    return b"\n".join(lines).decode()

"""The text of the helpers that generated code calls, and of all that those need: what a linker does, with source.

    {"plus"}   →   Definition("plus"), Definition("_add"), …, and the imports from other packages

A file of the runtime is a row of definitions. One is needed where a name that it defines is, or where it declares how a
needed one is compiled: by a decorator or call whose first argument is that name.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pullback.runtime

ROOT = "pullback.runtime"
IN_PLACE = {
    f"{ROOT}.codegen.{home}": f"{ROOT}.codegen.standalone" for home in ("compiled", "compiler", "borrowed_arguments")
}
"""Files that stand for others where NumPy and Numba are all there is, for the names that they define."""
Name = tuple[str, str]
"""A module of the runtime, and a name that it defines."""


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A statement of a file of the runtime.

    text: with its comments and the text that describes it. names: what it defines. declares: the name of the function
    for which it tells how it is compiled. uses: the names from outside that stand in it.
    """

    home: str
    text: str
    tree: ast.stmt
    names: tuple[str, ...]
    declares: str | None
    uses: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuntimeFile:
    """A file: its definitions in their order, what it imports from other files of ours, and from other packages.

    unknown: statements of which nobody can tell what needs them.
    """

    definitions: tuple[Definition, ...]
    ours: dict[str, Name]
    others: dict[str, str]
    unknown: tuple[str, ...]


@dataclass(slots=True)
class Needed:
    """What is needed: definitions in the order in which they can stand, and imports by the names they are known by."""

    definitions: list[Definition] = field(default_factory=list)
    meanings: dict[Name, Name | str] = field(default_factory=dict)
    """for each name in a file, the one that it means in ours, or the import that makes it"""


def needed_for(wanted: Iterable[Name]) -> Needed:
    """The definitions of these names, and of all that they need. Raises LookupError for other files than described."""
    needed, found = Needed(), dict[Definition, None]()
    waiting = [origin_of(*name) for name in wanted]
    while waiting:
        home, name = waiting.pop()
        for definition in _with(home, name):
            if definition not in found:
                if file_of(home).unknown:
                    raise LookupError(f"{home}: nobody can tell what needs {file_of(home).unknown[0]}")
                found[definition] = None
                for used in definition.uses:
                    meaning = _meaning(definition.home, used)
                    if meaning is not None:
                        needed.meanings[definition.home, used] = meaning
                        waiting += [meaning] if isinstance(meaning, tuple) else []
    places = {home: place for place, home in enumerate(_in_order_of_imports(d.home for d in found))}
    needed.definitions = sorted(found, key=lambda d: (places[d.home], d.tree.lineno))
    return needed


def _with(home: str, name: str) -> Iterator[Definition]:
    """What defines a name, and what declares how it is compiled."""
    for definition in file_of(home).definitions:
        if name in definition.names or definition.declares == name:
            yield definition


def _meaning(home: str, name: str) -> Name | str | None:
    """What a name stands for in a file: a name of ours, an import of another package, or None for what is built in."""
    file = file_of(home)
    if name in file.others:
        return file.others[name]
    if name in file.ours or _defines(home, name):
        return origin_of(home, name)
    if hasattr(builtins, name):
        return None
    raise LookupError(f"{name} in {home}")


def origin_of(home: str, name: str) -> Name:
    """The file that defines a name which another one imports."""
    while name in file_of(home).ours and not _defines(home, name):
        home, name = file_of(home).ours[name]
    stands_in = IN_PLACE.get(home, home)
    return (stands_in, name) if _defines(stands_in, name) else (home, name)


def _defines(home: str, name: str) -> bool:
    return any(name in definition.names for definition in file_of(home).definitions)


def _in_order_of_imports(homes: Iterable[str]) -> list[str]:
    """Files such that each stands behind those that it imports."""
    order: dict[str, None] = {}

    def visit(home: str) -> None:
        if home in order:
            return
        for other, _ in file_of(home).ours.values():
            visit(IN_PLACE.get(other, other))
        order[home] = None

    for home in sorted(set(homes)):
        visit(home)
    return list(order)


@cache
def file_of(home: str) -> RuntimeFile:
    """The file of a module of the runtime."""
    path = Path(pullback.runtime.__file__).parent.joinpath(*home.removeprefix(ROOT).split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    definitions: list[Definition] = []
    unknown: list[str] = []
    ours: dict[str, Name] = {}
    others: dict[str, str] = {}
    lines = text.split("\n")
    statements = ast.parse(text).body
    for statement, following in zip(statements, [*statements[1:], None], strict=True):
        match statement:
            case ast.ImportFrom(module=str(module)) if module.startswith(ROOT):
                ours |= {a.asname or a.name: (module, a.name) for a in statement.names}
            case ast.ImportFrom(module=str(module)) if module != "__future__":
                others |= {a.asname or a.name: f"from {module} import {_written(a)}" for a in statement.names}
            case ast.Import():
                others |= {(a.asname or a.name).split(".")[0]: f"import {_written(a)}" for a in statement.names}
            case ast.FunctionDef() | ast.ClassDef() | ast.Assign() | ast.AnnAssign():
                definitions.append(_definition(home, lines, statement, following))
            case ast.Expr(value=ast.Call(func=ast.Name())):
                definitions.append(_definition(home, lines, statement, following))
            case ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                pass
            case _ if not _tells_our_compiler(statement, ours):
                unknown.append(ast.unparse(statement).partition("\n")[0])
    return RuntimeFile(tuple(definitions), ours, others, tuple(unknown))


def _tells_our_compiler(statement: ast.stmt, ours: Mapping[str, Name]) -> bool:
    """Whether a statement changes what our part of Numba's compiler knows, and nothing else."""
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    changed = min(names, key=lambda node: (node.lineno, node.col_offset)).id if names else ""
    return changed in ours and ours[changed][0].startswith(f"{ROOT}.codegen.")


def _written(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _definition(home: str, lines: list[str], statement: ast.stmt, following: ast.stmt | None) -> Definition:
    """One statement; a text behind a variable describes it."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(d.lineno for d in decorators)])
    while lines[first - 2].startswith("#"):
        first -= 1
    last = statement.end_lineno or statement.lineno
    is_described = isinstance(statement, ast.Assign | ast.AnnAssign) and _is_text(following)
    if is_described and following is not None:
        last = following.end_lineno or last
    calls = [d for d in decorators if isinstance(d, ast.Call)]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        calls.append(statement.value)
    declared = [
        c.args[0].id for c in calls if isinstance(c.func, ast.Name) and c.args and isinstance(c.args[0], ast.Name)
    ]
    names = tuple(_defined(statement))
    text = "\n".join(lines[first - 1 : last])
    return Definition(home, text, statement, names, declared[0] if declared else None, frozenset(_outside(statement)))


def _is_text(statement: ast.stmt | None) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _defined(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Assign() | ast.AnnAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))


def _outside(statement: ast.stmt) -> set[str]:
    """The names in a statement that stand for something outside of it."""
    return {node.id for node in outer_names(statement)}


def outer_names(tree: ast.AST) -> Iterator[ast.Name]:
    """The names in a statement or module that no function in it binds."""
    yield from _unbound(tree, frozenset())


def _unbound(tree: ast.AST, bound: frozenset[str]) -> Iterator[ast.Name]:
    match tree:
        case ast.Name():
            if tree.id not in bound:
                yield tree
            return
        case ast.FunctionDef() | ast.Lambda():
            inner = bound | _bound_in(tree)
            inside = tree.body if isinstance(tree.body, list) else [tree.body]
            outside = [n for n in ast.iter_child_nodes(tree) if n not in inside]
            for node in outside:
                yield from _unbound(node, bound)
            for node in inside:
                yield from _unbound(node, inner)
            return
        case ast.ClassDef():
            own = {name for node in tree.body for name in _defined(node)}
            for node in ast.iter_child_nodes(tree):
                yield from _unbound(node, bound if isinstance(node, ast.FunctionDef) else bound | own)
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            bound |= {n.id for g in tree.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    for node in ast.iter_child_nodes(tree):
        yield from _unbound(node, bound)


def _bound_in(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """The parameters of a function, and the names that are assigned in it."""
    bound = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    waiting: list[ast.AST] = [*function.body] if isinstance(function.body, list) else []
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                bound.add(node.name)
                continue
            case ast.Name(ctx=ast.Store()):
                bound.add(node.id)
            case ast.MatchAs() | ast.MatchStar() | ast.ExceptHandler() if node.name is not None:
                bound.add(node.name)
            case ast.Import() | ast.ImportFrom():
                bound |= {(a.asname or a.name).split(".")[0] for a in node.names}
            case ast.Lambda():
                continue
        waiting += ast.iter_child_nodes(node)
    return bound

"""The folders of src/pullback stand in the order of the pipeline, and each imports only what stands before it.

No file imports itself by way of others, in whatever folders, and be it when a function of it is called.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "pullback"

ORDER = (
    "errors",
    "runtime",
    "functions",
    "ir",
    "frontend",
    "analysis",
    "passes",
    "transform",
    "emission",
    "compilation",
    "api",
    "tape",
    "nn",
    "tf",
    "testing",
    "__init__",
    "__main__",
)
# Generated modules import the runtime, and nothing else of ours may come along with it.
ALONE = {"errors", "runtime"}


def layer_of(name: tuple[str, ...]) -> str:
    """The entry of ORDER that a name of ours belongs to: ("pullback", "ir", "nodes") → "ir"."""
    return name[1] if len(name) > 1 else "__init__"


def find_layers(package: Path) -> set[str]:
    return {
        path.stem for path in package.iterdir() if path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
    }


def find_imports(path: Path, package: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(line, dotted name) for everything of ours that a file imports, wherever in the file it does so.

    The name is as long as it is written: `from pullback.ir import nodes` and `from pullback.ir.nodes import Let` give
    ("pullback", "ir", "nodes") and ("pullback", "ir", "nodes", "Let").
    """
    inside = (package.name, *path.relative_to(package).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        match node:
            case ast.Import():
                names = [tuple(alias.name.split(".")) for alias in node.names]
            case ast.ImportFrom():
                start = inside[: len(inside) - node.level] if node.level else ()
                module = start + tuple(node.module.split(".") if node.module else ())
                names = [(*module, alias.name) for alias in node.names]
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(str() as name), *_]
            ):
                names = [tuple(name.split("."))] if called in ("import_module", "__import__") else []
            case _:
                continue
        yield from ((node.lineno, name) for name in names if name[0] == package.name)


def is_layer(name: tuple[str, ...], package: Path) -> bool:
    return len(name) > 1 and (package.joinpath(name[1]).is_dir() or package.joinpath(name[1] + ".py").is_file())


def may_import(importer: str, imported: str) -> bool:
    if importer == imported:
        return True
    return importer not in ALONE and ORDER.index(imported) < ORDER.index(importer)


def find_violations(package: Path) -> list[str]:
    """One line for each layer that is not in ORDER, and for each import that goes against it."""
    unknown = find_layers(package) - set(ORDER)
    violations = [f"{name}: not in the order of the layers" for name in sorted(unknown)]
    for path in sorted(package.rglob("*.py")):
        importer = layer_of((package.name, *path.relative_to(package).with_suffix("").parts))
        for line, name in find_imports(path, package):
            imported = layer_of(name if is_layer(name, package) else name[:1])
            if not {importer, imported} & unknown and not may_import(importer, imported):
                place = path.relative_to(package.parent).as_posix()
                violations.append(f"{place}:{line}: {importer} imports {imported}, which does not stand before it")
    return violations


def test_each_layer_imports_only_what_stands_before_it():
    assert not find_violations(PACKAGE)


def write_package(root: Path, files: dict[str, str]) -> Path:
    """A package `pullback` under `root`, with these files: path inside the package → text."""
    package = root / "pullback"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return package


LEGAL = {"errors.py": "import ast", "runtime/array.py": "import numpy", "ir/nodes.py": "", "api/grad.py": ""}


@pytest.mark.parametrize(
    ("name", "text", "importer", "imported"),
    [
        ("ir/printer.py", "import pullback.api.grad", "ir", "api"),
        ("ir/printer.py", "from pullback import api", "ir", "api"),
        ("ir/printer.py", "from pullback.api.grad import grad", "ir", "api"),
        ("ir/printer.py", "from ..api import grad", "ir", "api"),
        ("ir/printer.py", "from .. import api", "ir", "api"),
        ("ir/printer.py", "def late():\n    from ..api.grad import grad", "ir", "api"),
        ("ir/printer.py", "import pullback", "ir", "__init__"),
        ("ir/printer.py", "from pullback import grad", "ir", "__init__"),
        ("ir/deep/printer.py", "from ...api import grad", "ir", "api"),
        ("runtime/loops.py", "from pullback.errors import ShapeError", "runtime", "errors"),
        ("errors.py", "from .runtime import array", "errors", "runtime"),
        ("testing.py", "from . import grad", "testing", "__init__"),
    ],
)
def test_an_import_against_the_order_is_found(tmp_path, name, text, importer, imported):
    package = write_package(tmp_path, LEGAL | {name: text})
    (violation,) = find_violations(package)
    assert violation.endswith(f": {importer} imports {imported}, which does not stand before it")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ir/printer.py", "from . import nodes"),
        ("ir/printer.py", "from ..errors import ShapeError"),
        ("ir/printer.py", "from .. import errors"),
        ("ir/printer.py", "import pullbackward"),
        ("api/vjp.py", "from pullback.ir.nodes import Let"),
        ("functions/linalg.py", "from pullback.runtime import array"),
        ("testing.py", "from pullback.api.grad import grad"),
        ("__init__.py", "from .api.grad import grad"),
    ],
)
def test_an_import_in_the_order_is_accepted(tmp_path, name, text):
    assert not find_violations(write_package(tmp_path, LEGAL | {name: text}))


def test_a_layer_that_is_not_in_the_order_is_found(tmp_path):
    package = write_package(tmp_path, LEGAL | {"helpers/strings.py": "from pullback.api import grad"})
    assert find_violations(package) == ["helpers: not in the order of the layers"]


def file_of(name: tuple[str, ...], package: Path) -> Path:
    """The file that a dotted name is found in: that of the longest part of it which is a module or a package."""
    for length in range(len(name), 1, -1):
        found = package.joinpath(*name[1:length])
        for file in (found.with_suffix(".py"), found / "__init__.py"):
            if file.is_file():
                return file
    return package / "__init__.py"


def find_graph(package: Path) -> dict[Path, dict[Path, int]]:
    """For each file those that it imports, and the line where it does.

    Each file also needs the `__init__` of the folders that it is in, which Python runs before: that is no import of
    the file's, and needs the file in turn wherever a package has names of its modules.
    """
    graph: dict[Path, dict[Path, int]] = {}
    for path in sorted(package.rglob("*.py")):
        graph[path] = {file_of(name, package): line for line, name in find_imports(path, package)}
    return graph


def find_cycle(package: Path) -> list[str]:
    """The imports by which a file imports itself in the end, a line for each; none where no file does."""
    graph = find_graph(package)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        files = [path.relative_to(package.parent).as_posix() for path in error.args[1]]
        lines = [graph[importer][imported] for imported, importer in pairwise(error.args[1])]
        imports = zip(pairwise(files), lines, strict=True)
        return [f"{importer}:{line} imports {imported}" for (imported, importer), line in imports][::-1]
    return []


def test_no_file_imports_itself_by_way_of_others():
    cycle = find_cycle(PACKAGE)
    assert not cycle, "\n".join(cycle)


ROW = {
    "__init__.py": "from pullback.api.grad import grad",
    "ir/__init__.py": "from pullback.ir.nodes import Let",
    "ir/nodes.py": "",
    "api/grad.py": "import ast\nfrom pullback.api import view\nfrom pullback.ir import Let",
    "api/view.py": "from pullback.ir import nodes",
}


def test_files_in_a_row_are_accepted(tmp_path):
    assert not find_cycle(write_package(tmp_path, ROW))


@pytest.mark.parametrize(
    "text",
    [
        "from pullback.api.grad import grad",
        "import pullback.api.grad",
        "from pullback.api import grad",
        "from .grad import grad",
        "from . import grad",
        "from ..api import grad",
        "def late():\n    from pullback.api.grad import grad",
        "if TYPE_CHECKING:\n    from pullback.api.grad import grad",
        "importlib.import_module('pullback.api.grad')",
        "from pullback import grad",
    ],
)
def test_a_cycle_of_files_is_listed(tmp_path, text):
    cycle = find_cycle(write_package(tmp_path, ROW | {"api/view.py": text}))
    assert "pullback/api/grad.py:2 imports pullback/api/view.py" in cycle
    assert any(line.startswith("pullback/api/view.py:") for line in cycle)


def test_a_cycle_through_the_names_of_a_folder_is_listed(tmp_path):
    cycle = find_cycle(write_package(tmp_path, ROW | {"ir/nodes.py": "\nfrom pullback.ir import Let"}))
    assert sorted(cycle) == [
        "pullback/ir/__init__.py:1 imports pullback/ir/nodes.py",
        "pullback/ir/nodes.py:2 imports pullback/ir/__init__.py",
    ]


def test_a_file_that_imports_itself_is_listed(tmp_path):
    cycle = find_cycle(write_package(tmp_path, ROW | {"ir/nodes.py": "from . import nodes"}))
    assert cycle == ["pullback/ir/nodes.py:1 imports pullback/ir/nodes.py"]

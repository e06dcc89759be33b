"""The folders of src/pullback stand in the order of the pipeline, and each imports only what stands before it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "pullback"

ORDER = (
    "errors",
    "runtime",
    "ir",
    "functions",
    "frontend",
    "analysis",
    "passes",
    "transform",
    "emit",
    "compile",
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


def layer_of(module: tuple[str, ...]) -> str:
    """The entry of ORDER that a module of ours belongs to: ("pullback", "ir", "nodes") → "ir"."""
    return module[1] if len(module) > 1 else "__init__"


def find_layers(package: Path) -> set[str]:
    return {
        path.stem for path in package.iterdir() if path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
    }


def find_imports(path: Path, package: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(line, module) for everything of ours that a file imports, wherever in the file it does so."""
    inside = (package.name, *path.relative_to(package).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        match node:
            case ast.Import():
                modules = [tuple(alias.name.split(".")) for alias in node.names]
            case ast.ImportFrom():
                start = inside[: len(inside) - node.level] if node.level else ()
                module = start + tuple(node.module.split(".") if node.module else ())
                # `from pullback import ir` names the folder only after the word import.
                modules = [(*module, alias.name) if len(module) == 1 else module for alias in node.names]
                modules = [one if is_layer(one, package) else one[:1] for one in modules]
            case _:
                continue
        yield from ((node.lineno, module) for module in modules if module[0] == package.name)


def is_layer(module: tuple[str, ...], package: Path) -> bool:
    return len(module) > 1 and (package.joinpath(module[1]).is_dir() or package.joinpath(module[1] + ".py").is_file())


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
        for line, module in find_imports(path, package):
            imported = layer_of(module)
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

"""A folder of modules becomes a list of problems.

A problem is a module with

    WRT                  the numbers of the arguments to differentiate
    make(scale)          the arguments, the same ones on every call; scale 1 is what is timed
    primal(*arguments)   a float, in plain Python with NumPy
    hand(*arguments)     (value, gradient, ...), one gradient for each of WRT: the hand-written adjoint
    PEERS                {name: builder}; builder(arguments) returns a call() that returns what `hand` does

and, where needed,

    in_order(*arguments) a second hand-written adjoint, where the first one runs the loops in another order
    REDUCED              {peer: scale}, for peers that are too slow at full size (their time is divided by it)
    RTOL                 the tolerance of the gradients where 1e-6 is too strict
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parent.parent
OWN = BENCHMARKS / "problems"


def find_problems(folders: list[Path], only: list[str]) -> list[Path]:
    """The files of the problems, all of them or those named in `only`. Raises SystemExit for a name that none has."""
    files = [path for folder in folders for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]
    unknown = set(only) - {path.stem for path in files}
    if unknown:
        known = ", ".join(path.stem for path in files)
        raise SystemExit(f"No problem is called {', '.join(sorted(unknown))}; there are {known}")
    return [path for path in files if not only or path.stem in only]


def load(path: Path) -> ModuleType:
    """The module in the file. What it imports may stand beside its folder."""
    beside = str(path.parent.parent)
    if beside not in sys.path:
        sys.path.insert(0, beside)
    name = f"problem_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, f"{path} is not a Python file"
    assert spec.loader is not None, f"{path} cannot be imported"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

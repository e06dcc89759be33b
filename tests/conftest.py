"""A pytest run on this checkout: its own sources, its own empty cache of generated modules, no window for pictures."""

import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SRC = TESTS.parent / "src"

# Set before anything imports matplotlib.
os.environ["MPLBACKEND"] = "Agg"

if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))
if find_spec("pullback") is None:
    sys.path.insert(0, str(SRC))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SRC), os.environ.get("PYTHONPATH")]))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="write what is generated now into tests/cases/*.txt")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run a cache directory. The workers of xdist and the examples are children and inherit it.

    One that is set already is kept: a second run with the same PULLBACK_CACHE_DIR starts warm.
    """
    if "PULLBACK_CACHE_DIR" not in os.environ:
        directory = tempfile.TemporaryDirectory(prefix="pullback-tests-", ignore_cleanup_errors=True)
        os.environ["PULLBACK_CACHE_DIR"] = directory.name
        config.add_cleanup(directory.cleanup)

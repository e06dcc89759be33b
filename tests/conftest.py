"""A pytest run on this checkout: its own sources, its own empty cache of generated modules, no window for pictures.

Of tests with many cases, those marked `drawn(count)`, a seeded random part of that size runs. So it does of the tests
that take seconds, which `costly.txt` names: others for each commit.
"""

import gc
import os
import subprocess
import sys
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SRC = TESTS.parent / "src"
COSTLY = frozenset((TESTS / "costly.txt").read_text().split())
MOST_COSTLY = 160

# Set before anything imports matplotlib, or NumPy: as many tests run side by side as there are cores.
os.environ["MPLBACKEND"] = "Agg"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))
if find_spec("pullback") is None:
    sys.path.insert(0, str(SRC))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SRC), os.environ.get("PYTHONPATH")]))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="write what is generated now into tests/cases/*.txt")
    parser.addoption("--every-case", action="store_true", help="run all cases of the tests that are marked 'drawn'")
    parser.addoption("--draw", default="0", metavar="SEED", help="draw other cases")
    parser.addoption("--most", type=int, metavar="COUNT", help="run so many tests, drawn from all")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run a cache directory. The workers of xdist and the examples are children and inherit it.

    One that is set already is kept: a second run with the same PULLBACK_CACHE_DIR starts warm.
    """
    config.addinivalue_line("markers", "drawn(count): so many of the cases run, drawn at random from a seed")
    config.addinivalue_line("markers", "known_calls: calls that the cache knows may be served by it alone")
    if "PULLBACK_CACHE_DIR" not in os.environ:
        directory = tempfile.TemporaryDirectory(prefix="pullback-tests-", ignore_cleanup_errors=True)
        os.environ["PULLBACK_CACHE_DIR"] = directory.name
        config.add_cleanup(directory.cleanup)


@pytest.fixture(autouse=True)
def made_anew(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read functions and generate their derivatives in every test, also of calls that the cache knows.

    With a MonkeyPatch of its own: what a test patches with the fixture ends before the fixtures of its module do.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("known_calls") is None:
            patch.setattr("pullback.api.known.KnownCalls.find", lambda self, kinds, arguments: None)
        yield


@pytest.fixture
def numba_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python runs the texts that Numba would compile, which takes a fifth of the time."""
    monkeypatch.setattr("numba.config.DISABLE_JIT", True)
    monkeypatch.setattr("pullback.compilation.modules._LOADED", {})


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Leave what is collected, which stays to the end, out of all garbage collections. It is a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draw from what is selected. Another case more or less changes little of what is drawn of the others."""
    if config.getoption("--every-case"):
        return
    seed, most = config.getoption("--draw"), config.getoption("--most")
    limited = defaultdict(list)
    for item in items:
        marker = item.get_closest_marker("drawn")
        if marker is not None:
            limited[_function(item), marker.args[0]].append(item)
    left_out = {item for (_, count), cases in limited.items() for item in _in_random_order(cases, seed)[count:]}
    costly = [item for item in items if item not in left_out and _function(item).rpartition("/")[2] in COSTLY]
    left_out |= set(_in_random_order(costly, f"{seed} {_commit()}")[MOST_COSTLY:])
    if most is not None:
        left_out |= set(_in_random_order([item for item in items if item not in left_out], seed)[most:])
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _commit() -> str:
    """The commit that is tested, if Git knows it."""
    command = ["git", "-C", str(TESTS), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _in_random_order(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    return sorted(items, key=lambda item: (zlib.crc32(f"{seed} {item.nodeid}".encode()), item.nodeid))

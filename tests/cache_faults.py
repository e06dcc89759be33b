"""What may happen to the cache, done to it: damage, other owners, full disks, kills, many processes, edits.

    python tests/cache_faults.py                     everything, 12 minutes on 2 cores
    python tests/cache_faults.py damage --count 100  or kills, cold, folders, edits

Each call is made by a child process that was forked before it knew the function, so that a crash is seen as one. A call
must give the right number; warnings and hits are compared with what is expected. What needs an administrator (foreign
owners, small disks) is left out for others.
"""

import argparse
import dataclasses
import json
import linecache
import os
import pickle
import pwd
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import pullback as pb
from pullback.compilation.cache import files

PROGRAM = """\
def f(x):
    return 3.25 * x * x * x + 0.6875 * x
"""
RIGHT = 3 * 3.25 * 4.0 + 0.6875
CONSTANTS = (3.25, 0.6875, 9.75, 6.5, 3.0)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a call in a process of its own. `signal` is what ended the process, 0 if nothing did."""

    value: Any = None
    hits: int = 0
    warnings: tuple[str, ...] = ()
    error: str = ""
    signal: int = 0

    @property
    def silent_and_right(self) -> bool:
        return dataclasses.replace(self, hits=0) == Outcome(RIGHT)


def defined(text: str, file: str = "user.py") -> dict[str, Any]:
    """The names that a text defines as a file of a user's."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np, "__name__": "user"}
    exec(compile(text, file, "exec"), scope)
    return scope


def gradient_of(
    text: str = PROGRAM, argument: Any = 2.0, options: dict[str, Any] | None = None, file: str = "user.py"
) -> Outcome:
    """A call in this process of the gradient of `f` in a text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function = pb.differentiable(**(options or {}))(defined(text, file)["f"])
        derivative = pb.grad(function)
        value = derivative(argument)
        made = [*derivative.engine.made.values()][:1]
    # A call that another process has described is made without anything being generated.
    hits = sum(sum(code.dispatcher.stats.cache_hits.values()) for code in made) if made else 1
    return Outcome(
        value.tolist() if isinstance(value, np.ndarray) else value, hits, tuple(str(w.message) for w in caught)
    )


class Child:
    """A process that runs an action and tells its outcome."""

    def __init__(self, action: Callable[[], Outcome]) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                os.close(reading)
                sys.stderr = open(os.devnull, "w")  # noqa: SIM115  it is never closed
                try:
                    outcome = action()
                except BaseException as error:
                    outcome = Outcome(error=f"{type(error).__name__}: {error}")
                os.write(writing, json.dumps(dataclasses.asdict(outcome)).encode())
            finally:
                os._exit(0)
        os.close(writing)
        self.reading = reading

    def outcome(self) -> Outcome:
        with os.fdopen(self.reading) as pipe:
            told = pipe.read()
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status) or not told:
            return Outcome(error="died", signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else -1)
        fields = json.loads(told)
        return Outcome(**fields | {"warnings": tuple(fields["warnings"])})


def apart(action: Callable[[], Outcome] = gradient_of) -> Outcome:
    """The outcome of an action in a process of its own."""
    return Child(action).outcome()


@contextmanager
def cache_in(path: Path) -> Iterator[Path]:
    """Calls keep their code in this folder."""
    before = os.environ.get("PULLBACK_CACHE_DIR")
    os.environ["PULLBACK_CACHE_DIR"] = str(path)
    try:
        yield path
    finally:
        os.environ.pop("PULLBACK_CACHE_DIR") if before is None else os.environ.update(PULLBACK_CACHE_DIR=before)


def warm_up(path: Path) -> None:
    """Let this process, and those forked from it, know Numba's helpers and the C function that calls need."""
    with cache_in(path):
        gradient_of("def f(x):\n    return x + x\n")


def codes(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("f_grad_*.code"))


# Damage


def truncate(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def empty(data: bytes, draw: random.Random) -> bytes:
    return b""


def garbage(data: bytes, draw: random.Random) -> bytes:
    return draw.randbytes(len(data))


def garbage_behind_the_mark(data: bytes, draw: random.Random) -> bytes:
    return files.MARK + draw.randbytes(len(data) - len(files.MARK))


def flip(data: bytes, draw: random.Random, start: int = 0, stop: int | None = None) -> bytes:
    changed = bytearray(data)
    changed[draw.randrange(start, len(data) if stop is None else stop)] ^= 1 << draw.randrange(8)
    return bytes(changed)


def flip_in_the_head(data: bytes, draw: random.Random) -> bytes:
    return flip(data, draw, 0, len(files.MARK) + 32)


def flip_in_a_constant(data: bytes, draw: random.Random) -> bytes:
    """Where the function's own numbers stand in machine code: unnoticed, it would be a wrong result."""
    places = [k for c in CONSTANTS for k in range(len(data)) if data.startswith(struct.pack("<d", c), k)]
    place = draw.choice(places or [len(data) - 9])
    return flip(data, draw, place, place + 8)


def lengthen(data: bytes, draw: random.Random) -> bytes:
    return data + draw.randbytes(draw.randrange(1, 5000))


def blank(data: bytes, draw: random.Random) -> bytes:
    """As after a power failure: the size is right, some of the contents were not written."""
    start = draw.randrange(len(data))
    return data[:start] + bytes(len(data) - start)


def exchange(data: bytes, draw: random.Random) -> bytes:
    """A whole file that belongs to another key."""
    return files.sealed("another key", data[len(files.MARK) + 32 :])


class Planted:
    """A pickle that runs code when it is read."""

    def __reduce__(self) -> Any:
        return os.abort, ()


def plant(data: bytes, draw: random.Random) -> bytes:
    pickled = pickle.dumps(Planted())
    head = draw.choice([b"", files.MARK, data[: len(files.MARK) + 32]])
    return head + pickled


DAMAGE = (
    truncate,
    empty,
    garbage,
    garbage_behind_the_mark,
    flip,
    flip_in_a_constant,
    flip_in_a_constant,
    flip_in_the_head,
    lengthen,
    blank,
    exchange,
    plant,
)


def damage_fails(count: int, seed: int, folder: Path) -> Iterator[str]:
    """What went wrong with a number of damaged files, each a call that must find no machine code and make it anew."""
    with cache_in(folder):
        _written(folder)
        for k in range(count):
            damage, draw = DAMAGE[k % len(DAMAGE)], random.Random(seed + k)
            path = (codes(folder)[0], *folder.glob("f_*.call"))[k // len(DAMAGE) % 2]
            damaged = damage(path.read_bytes(), draw)
            path.write_bytes(damaged)
            for outcome in (apart(), apart() if k % 10 == 0 else None):
                if outcome is not None and not outcome.silent_and_right:
                    yield f"{damage.__name__} {seed + k}: {outcome}"
            if path.read_bytes() == damaged or apart_hits(k) != 1:
                yield f"{damage.__name__} {seed + k}: the file was not made anew"


def apart_hits(k: int) -> int:
    """How often a further process finds the machine code; asked for one file in ten."""
    return apart().hits if k % 10 == 0 else 1


def _written(folder: Path) -> bytes:
    """The file with the machine code, once it is written and was found by another process."""
    first, second = apart(), apart()
    assert first.silent_and_right, first
    assert second == Outcome(RIGHT, 1), second
    (path,) = codes(folder)
    return path.read_bytes()


def forget_calls(folder: Path) -> None:
    """Remove what tells of calls, which are then read and generated again."""
    for path in folder.glob("*.call"):
        path.unlink()


def text_fails(folder: Path) -> Iterator[str]:
    """What went wrong with damaged texts, which are there for people and never run."""
    with cache_in(folder):
        _written(folder)
        (path,) = folder.glob("f_grad_*.py")
        text = path.read_bytes()
        for spoilt in (b"", text[:40], b"import os; os.abort()\n", b"\xff\xfe\0", text.replace(b"9.75", b"9.25")):
            path.write_bytes(spoilt)
            forget_calls(folder)
            if apart() != Outcome(RIGHT, 1) or path.read_bytes() != text:
                yield f"text {spoilt!r}"


# Kills


def kill_fails(count: int, seed: int, folder: Path) -> Iterator[str]:
    """What is wrong in the cache after processes were killed while they wrote."""
    contents = [random.Random(k).randbytes(200_000 + 1000 * k) for k in range(8)]

    def write_forever() -> Outcome:
        while True:
            for k, data in enumerate(contents):
                files.save(f"k_{k:020x}-{k:020x}.code", f"key {k}", data)

    with cache_in(folder):
        for k in range(count):
            child = Child(write_forever)
            time.sleep(random.Random(seed + k).uniform(0.0, 0.05))
            os.kill(child.pid, signal.SIGKILL)
            child.outcome()
            for path in folder.glob("k_*.code"):
                number = int(path.stem.partition("-")[2], 16)
                if files.unsealed(f"key {number}", path.read_bytes()) != contents[number]:
                    yield f"kill {seed + k}: {path.name} is not whole"
        for k in range(max(1, count // 10)):
            shutil.rmtree(folder, ignore_errors=True)
            child = Child(gradient_of)
            time.sleep(random.Random(seed + k).uniform(0.0, 0.8))
            os.kill(child.pid, signal.SIGKILL)
            child.outcome()
            if not (outcome := apart()).silent_and_right:
                yield f"killed call {seed + k}: {outcome}"


# Many processes


def cold_fails(iterations: int, folder: Path, processes: int = 8) -> Iterator[str]:
    """What went wrong where processes start at once with an empty cache."""
    with cache_in(folder):
        for number in range(iterations):
            shutil.rmtree(folder, ignore_errors=True)
            children = [Child(gradient_of) for _ in range(processes)]
            for outcome in [child.outcome() for child in children]:
                if not outcome.silent_and_right:
                    yield f"turn {number}: {outcome}"
            left = [path.name for path in folder.iterdir() if path.suffix == ".tmp"]
            if left or apart() != Outcome(RIGHT, 1):
                yield f"turn {number}: the cache is not filled, or {left} is left"


# Folders


def poison(folder: Path) -> None:
    """Write a pickle that ends the process into the file of the machine code, under the right key: it must be read."""

    def write(name: str, key: str) -> None:
        (folder / name).write_bytes(files.sealed(key, pickle.dumps(Planted())))

    def action() -> Outcome:
        files.load, files.save = write, lambda *_: False
        return gradient_of()

    assert apart(action).value == RIGHT
    assert apart().signal == signal.SIGABRT, "what is planted in a file of the user's own is run"


def foreign_folder(folder: Path) -> None:
    os.chown(folder, 12345, 12345)


def foreign_file(folder: Path) -> None:
    for path in folder.iterdir():
        os.chown(path, 12345, 12345)


def folder_for_all(folder: Path) -> None:
    folder.chmod(0o777)


def folder_for_the_group(folder: Path) -> None:
    folder.chmod(0o770)


def files_for_all(folder: Path) -> None:
    for path in folder.iterdir():
        path.chmod(0o666)


def linked_folder(folder: Path) -> None:
    moved = folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(moved, target_is_directory=True)


def linked_files(folder: Path) -> None:
    moved = folder.with_name("moved")
    moved.mkdir()
    for path in list(folder.iterdir()):
        path.symlink_to(path.rename(moved / path.name))


def pipes(folder: Path) -> None:
    for path in list(folder.iterdir()):
        path.unlink()
        os.mkfifo(path)


def folders_in_place_of_files(folder: Path) -> None:
    for path in list(folder.iterdir()):
        path.unlink()
        path.mkdir()


UNTRUSTED: tuple[Callable[[Path], None], ...] = (
    folder_for_all,
    folder_for_the_group,
    files_for_all,
    linked_folder,
    linked_files,
    pipes,
    folders_in_place_of_files,
)
FOREIGN: tuple[Callable[[Path], None], ...] = (foreign_folder, foreign_file)


def untrusted_fails(change: Callable[[Path], None], folder: Path) -> Iterator[str]:
    """What went wrong where the cache may be somebody else's: it must be left alone, and said so."""
    with cache_in(folder):
        _written(folder)
        poison(folder)
        change(folder)
        before = listing(folder)
        outcome = apart()
        said = [warning for warning in outcome.warnings if "left alone by the cache" in warning]
        if (outcome.value, outcome.hits, outcome.error) != (RIGHT, 0, ""):
            yield f"{change.__name__}: {outcome}"
        if not said or len(set(said)) != len(said) or len(said) != len(outcome.warnings):
            yield f"{change.__name__}: it was said {outcome.warnings}"
        if listing(folder) != before:
            yield f"{change.__name__}: the folder was changed"


def listing(folder: Path) -> dict[str, Any]:
    """What is in a folder, and when it was changed."""
    return {path.name: (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in folder.iterdir()}


@contextmanager
def small_disk(path: Path, size: str) -> Iterator[Path]:
    """A disk of its own, of some kilobytes."""
    path.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(path)], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True)


def disk_fails(folder: Path) -> Iterator[str]:
    """What went wrong with a disk that is full, at any size, and with one that is for reading only."""
    for size in ("4k", "8k", "16k", "64k"):
        with small_disk(folder, size) as disk, cache_in(disk / "cache"):
            for _ in range(2):
                if not (outcome := apart()).silent_and_right:
                    yield f"disk of {size}: {outcome}"
            if list(disk.rglob("*.tmp")):
                yield f"disk of {size}: an unfinished file is left"
    with small_disk(folder, "10m") as disk, cache_in(disk / "cache"):
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        if not (outcome := apart()).silent_and_right:
            yield f"empty, for reading only: {outcome}"
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        _written(disk / "cache")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        if (outcome := apart()) != Outcome(RIGHT, 1):
            yield f"filled, for reading only: {outcome}"


def quota_fails(folder: Path) -> Iterator[str]:
    """What went wrong where the system allows files of a few kilobytes only."""
    import resource

    def limited() -> Outcome:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        return gradient_of()

    with cache_in(folder):
        if not (outcome := apart(limited)).silent_and_right or list(folder.glob("*.tmp")):
            yield f"quota: {outcome}"


def homeless_fails(folder: Path) -> Iterator[str]:
    """What went wrong for users without a home, or with one that cannot be."""

    def unknown(_: int) -> Any:
        raise KeyError("no such user")

    def action(**variables: str) -> Callable[[], Outcome]:
        def homeless() -> Outcome:
            for name in ("HOME", "XDG_CACHE_HOME", "PULLBACK_CACHE_DIR"):
                os.environ.pop(name, None)
            os.environ.update(variables)
            os.chdir(folder.parent)
            pwd.getpwuid = unknown
            return gradient_of()

        return homeless

    folder.parent.mkdir(parents=True, exist_ok=True)
    homes: tuple[dict[str, str], ...] = (
        {},
        {"HOME": "/dev/null"},
        {"HOME": "/nowhere/at/all"},
        {"XDG_CACHE_HOME": "/dev/null/x"},
        {"HOME": ""},
    )
    for home in homes:
        outcome = apart(action(**home))
        if outcome.value != RIGHT or outcome.error:
            yield f"{home}: {outcome}"
    if list(folder.parent.iterdir()):
        yield "a folder was made where the user has none"
    for _ in range(2):
        outcome = apart(action(PULLBACK_CACHE_DIR=str(folder)))
    if outcome != Outcome(RIGHT, 1):
        yield f"a folder given, and no home: {outcome}"
    for odd in ("/dev/null", "/dev/null/cache", str(folder / ("long" * 100)), str(folder / "\udcff"), "\n"):
        outcome = apart(action(PULLBACK_CACHE_DIR=odd))
        if not outcome.silent_and_right:
            yield f"{odd!r}: {outcome}"


PARTS = ("damage", "kills", "cold", "folders", "edits")


def main(words: list[str] | None = None) -> int:
    """Run the campaign; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=PARTS, help="only this part")
    parser.add_argument("--count", type=int, help="damaged files, kills or iterations; 1,000, 100 and 50 without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--small", action="store_true", help="a little of everything, as in the tests")
    chosen = parser.parse_args(words)
    failures = 0
    with tempfile.TemporaryDirectory() as place:
        warm_up(Path(place) / "warm")
        for part in [chosen.part] if chosen.part else PARTS:
            start = time.perf_counter()
            found = list(fails(part, Path(place) / part, chosen.count, chosen.seed, chosen.small))
            print(*(f"FAILED {failure}" for failure in found), sep="\n", end="\n" if found else "")
            print(f"{part}: {len(found)} failures, {time.perf_counter() - start:.0f} s", flush=True)
            failures += len(found)
    return min(failures, 1)


def fails(part: str, place: Path, count: int | None, seed: int, small: bool) -> Iterator[str]:
    """The failures of a part of the campaign."""
    match part:
        case "damage":
            yield from damage_fails(count or (2 * len(DAMAGE) if small else 1000), seed, place)
        case "kills":
            yield from kill_fails(count or (10 if small else 100), seed, place)
        case "cold":
            yield from cold_fails(count or (1 if small else 50), place)
        case "folders":
            yield from folder_fails(place)
        case "edits":
            from cache_edits import EDITS, edit_fails

            yield from edit_fails(place, EDITS[:: 4 if small else 1])


def folder_fails(place: Path) -> Iterator[str]:
    """What went wrong with folders that are not as they should be."""
    administrator = os.geteuid() == 0
    for change in UNTRUSTED + (FOREIGN if administrator else ()):
        yield from untrusted_fails(change, place / change.__name__ / "cache")
    yield from text_fails(place / "text")
    yield from quota_fails(place / "quota")
    yield from homeless_fails(place / "homeless" / "cache")
    if administrator:
        yield from disk_fails(place / "disk")


if __name__ == "__main__":
    sys.exit(main())

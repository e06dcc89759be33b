"""Files of the cache: sealed, whole, limited in size; and the command that shows and clears them."""

import logging
import os
import runpy
import stat
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import config

import pullback as pb
from pullback.api.commands import main
from pullback.compilation import modules
from pullback.compilation.cache import files, machine_code, room
from pullback.errors import CacheWarning


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache directory, which is not there yet."""
    path = tmp_path / "cache"
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(path))
    return path


def name(k: int) -> str:
    return f"f_{k:020x}-{k:020x}.code"


def test_sealed_contents_come_back_for_their_key_alone() -> None:
    data = files.sealed("key", b"contents")
    assert files.unsealed("key", data) == b"contents"
    assert files.unsealed("other", data) is None
    assert files.unsealed("ke", files.sealed("key", b"y\0contents")) is None


def test_any_flipped_bit_is_seen() -> None:
    data = files.sealed("key", b"some contents")
    for k in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[k // 8] ^= 1 << k % 8
        assert files.unsealed("key", bytes(flipped)) is None


def test_files_are_for_the_user_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        assert files.save(name(1), "key", b"contents")
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / name(1)).stat().st_mode) == 0o600


def test_damaged_file_is_removed_and_logged(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    files.save(name(1), "key", b"contents")
    (folder / name(1)).write_bytes(b"spoilt")
    with caplog.at_level(logging.DEBUG, "pullback.cache"):
        assert files.load(name(1), "key") is None
    assert not list(folder.iterdir())
    assert "is damaged" in caplog.text


def test_writer_that_is_interrupted_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.save(name(1), "key", b"contents")
    assert not list(folder.iterdir())


def test_what_was_not_used_for_longest_makes_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULLBACK_CACHE_LIMIT", "10 kB")
    for k in range(9):
        files.save(name(k), "key", bytes(1000))
        os.utime(folder / name(k), (0, 1e9 + 10_000 * k))
    assert files.load(name(0), "key") == bytes(1000)  # used just now
    files.save(name(9), "key", bytes(1000))
    left = sorted(int(path.stem.partition("-")[2], 16) for path in folder.iterdir())
    assert left == [0, 4, 5, 6, 7, 8, 9]
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 8000


def test_other_files_in_the_folder_are_not_touched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may be one that the user keeps other things in."""
    folder.mkdir(mode=0o700)
    others = ["mine.py", "f_0123.py", "notes.code", ".mine.tmp", f"{name(1)}.bak", "f_" + "g" * 20 + ".py"]
    for other in others:
        (folder / other).write_bytes(bytes(5000))
        os.utime(folder / other, (0, 0))
    monkeypatch.setenv("PULLBACK_CACHE_LIMIT", "1000")
    for k in range(3):
        files.save(name(k), "key", bytes(500))
    assert main(["cache", "clear"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == sorted(others)


def test_file_beyond_the_limit_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULLBACK_CACHE_LIMIT", "0")
    assert not files.save(name(1), "key", b"contents")
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("given", "expected"),
    [("", room.DEFAULT), ("1000", 1000), ("2k", 2000), ("5 MB", 5 * 10**6), ("3GB", 3 * 10**9), ("0", 0)],
)
def test_limits(given: str, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULLBACK_CACHE_LIMIT", given)
    assert room.most_bytes() == expected


def test_limit_that_is_no_size_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULLBACK_CACHE_LIMIT", "plenty")
    with pytest.warns(CacheWarning, match="plenty is not a size"):
        assert room.most_bytes() == room.DEFAULT


def test_files_that_nobody_finishes_are_removed_in_time(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    old, new = (folder / f".{name(k)}.{k:016x}.tmp" for k in range(2))
    for path in (old, new):
        path.write_bytes(b"unfinished")
    os.utime(old, (0, time.time() - 2 * room.ABANDONED_AFTER))
    files.save(name(5), "key", b"contents")
    assert sorted(path.name for path in folder.iterdir()) == sorted([new.name, name(5)])


def test_command_shows_and_clears(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    assert "size       0 bytes of 1.0 GB" in capsys.readouterr().out
    files.save(name(1), "key", bytes(2000))
    files.keep_text(f"f_{1:020x}.py", "pass\n")
    assert main(["cache", "info"]) == 0
    shown = capsys.readouterr().out
    assert f"folder     {folder}" in shown
    assert "functions  1" in shown
    assert "2.1 kB" in shown
    assert main(["cache", "clear"]) == 0
    assert "removed 2 files, 2.1 kB" in capsys.readouterr().out
    assert not list(folder.iterdir())


def test_package_is_a_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pullback", "cache", "clear"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("pullback", run_name="__main__")
    assert ended.value.code == 0


def test_command_wants_words_that_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["cache", "burn"], ["unknown"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
    assert "usage: python -m pullback" in capsys.readouterr().err


def cube() -> Any:
    """The gradient of a function that nobody has called."""

    def f(x: Any) -> Any:
        return x * x * x

    return pb.grad(f)


def test_machine_code_from_disk_raises_the_users_own_class(folder: Path) -> None:
    class Refused(Exception):
        pass

    def refusing() -> Any:
        def f(x: Any) -> Any:
            if x < 0:
                raise Refused("negative")
            return x * x

        return pb.grad(f)

    for hits in (0, 1):
        gradient = refusing()
        assert gradient(2.0) == 4.0
        (made,) = gradient.engine.made.values()
        assert sum(made.dispatcher.stats.cache_hits.values()) == hits
        with pytest.raises(Refused, match="negative"):
            made.dispatcher(-1.0)


def test_sources_that_are_exchanged_while_a_process_runs_do_not_change_its_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it compiles is from the sources that it has read."""
    before = modules.key_of("text")
    monkeypatch.setattr(Path, "read_bytes", lambda self: b"newer")
    assert modules.key_of("text") == before


@pytest.mark.parametrize("lacking", ["_reduce", "_rebuild"])
def test_numba_without_these_names_means_no_cache(folder: Path, lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(machine_code.CompileResult, lacking)
    assert cube()(2.0) == 12.0
    assert not list(folder.glob("*.code"))


def test_numba_that_fails_to_take_functions_to_pieces_means_no_cache(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise AttributeError("moved")

    monkeypatch.setattr(machine_code.CompileResult, "_reduce", fail)
    assert cube()(3.0) == 27.0
    assert not list(folder.glob("f_grad*.code"))


@pytest.mark.known_calls
def test_this_numba_is_supported(folder: Path) -> None:
    """A version that moves its private names fails here, and only here."""
    assert machine_code.is_supported()
    first = cube()
    assert first(2.0) == 12.0
    (kept,) = folder.glob("f_grad*.code")
    second = cube()
    assert second(2.0) == 12.0
    assert not second.engine.made, "an earlier call has told which machine code serves it"
    (told,) = folder.glob("f_*.call")
    told.unlink()
    third = cube()
    assert third(2.0) == 12.0
    (made,) = third.engine.made.values()
    assert sum(made.dispatcher.stats.cache_hits.values()) == 1
    assert kept.exists()


def test_settings_of_numba_that_are_in_the_key_exist() -> None:
    assert not [setting for setting in machine_code._SETTINGS if not hasattr(config, setting)]


def test_arrays_of_other_layouts_are_other_files(folder: Path) -> None:
    gradient = pb.grad(pb.differentiable(lambda x: np.sum(x * x)))
    gradient(np.ones(3))
    before = len(list(folder.glob("*.code")))
    gradient(np.ones(3, np.float32))
    assert len(list(folder.glob("*.code"))) == before + 1

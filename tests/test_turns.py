"""Threads that make code at once, processes that are copied meanwhile, and users who interrupt it."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cells
import pullback as pb
from pullback.compilation.turns import collected_later, interrupts_end_it


@pytest.mark.parametrize("jit", [False, True])
def test_threads_that_call_first_at_once_while_a_number_changes(jit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = cells.run("def f(x):\n    return rate * np.sum(np.sin(x) * x)\n", np=np, rate=1.0)
    function = pb.grad(pb.differentiable(jit=jit)(scope["f"]))
    numbers, x, stop = [1.0, 2, np.float32(3.0), True], np.ones(3), threading.Event()
    barrier, problems = threading.Barrier(16), list[Any]()
    slopes = [float(n) * (np.sin(1.0) + np.cos(1.0)) for n in numbers]

    def change() -> None:
        while not stop.is_set():
            for scope["rate"] in numbers:
                time.sleep(3e-4)

    def work() -> None:
        barrier.wait()
        for _ in range(5):
            try:
                found = function(x)
                assert any(np.allclose(found, slope, rtol=1e-6) for slope in slopes), found
            except BaseException as error:
                problems.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work) for _ in range(16)]
    changing = threading.Thread(target=change)
    for thread in (changing, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    changing.join()
    sys.setswitchinterval(interval)
    assert problems == []


def test_threads_that_make_many_functions_at_once() -> None:
    """Python's parser counts nested nodes for all threads together."""
    texts = [f"def f(x):\n    return np.sum((x + {k}.0) * x * (x - {k}.0))\n" for k in range(24)]
    functions = [cells.run(text, np=np)["f"] for text in texts]
    results: dict[int, Any] = {}

    def work(k: int) -> None:
        try:
            results[k] = pb.grad(pb.differentiable(jit=False)(functions[k]))(np.ones(2)).tolist()
        except BaseException as error:
            results[k] = error

    threads = [threading.Thread(target=work, args=(k,)) for k in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: [3.0 - k * k] * 2 for k in range(24)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is nothing to copy a process with")
def test_copied_process_compiles_while_another_thread_did(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, signal, threading, time, warnings
            import numpy as np
            import pullback as pb

            fresh = pb.differentiable(cache=False)

            def slow(x, n):
                for i in range(n):
                    for j in range(1, x.shape[0]):
                        x[j] = np.sin(x[j - 1] * x[j]) + np.exp(-x[j])
                return np.sum(x)

            def f(x):
                return np.sum(x * x)

            thread = threading.Thread(target=lambda: pb.grad(fresh(slow))(np.ones(3), 2))
            thread.start()
            for delay in (0.1, 0.2):
                time.sleep(delay)
                child = os.fork()
                if child == 0:
                    signal.alarm(60)
                    quiet = pb.grad(pb.differentiable(jit=False)(f))(np.ones(2)).tolist()
                    os._exit(7 if pb.grad(fresh(f))(np.ones(2)).tolist() == quiet == [2.0, 2.0] else 1)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            thread.join()
            """
        ),
        encoding="utf-8",
    )
    options = ["-W", "ignore::DeprecationWarning"]
    printed = subprocess.run([sys.executable, *options, script], capture_output=True, text=True, check=True)
    assert printed.stdout.split() == ["7", "7"]


def swallowed() -> None:
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1.0)
    except KeyboardInterrupt:
        pass


def turned_into_another_error() -> None:
    swallowed()
    raise RuntimeError("compiled object not yet available")


@pytest.fixture
def with_handler() -> Iterator[None]:
    """Python's own handler of interrupts, which processes that a shell starts in the background do not have."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("with_handler")
@pytest.mark.parametrize("block", [swallowed, turned_into_another_error])
def test_interrupt_that_is_lost_is_raised(block: Any) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupts_end_it():
        block()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("with_handler")
def test_interrupt_waits_until_llvm_has_left_its_objects() -> None:
    """One that a destructor of LLVM's objects raised half way would have them freed twice."""
    dispose = "def dispose():\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(0.05)\n    done.append(1)\n"
    done = list[int]()
    scope = {"__name__": "llvmlite.binding.ffi", "os": os, "signal": signal, "time": time, "done": done}
    exec(dispose, scope)

    def work() -> None:
        scope["dispose"]()  # type: ignore[operator]
        time.sleep(1.0)
        done.append(2)

    with pytest.raises(KeyboardInterrupt), interrupts_end_it():
        work()
    assert done == [1]
    time.sleep(0.03)  # none comes later


def test_errors_without_an_interrupt_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="not yet"), interrupts_end_it():
        raise RuntimeError("not yet")
    with interrupts_end_it():
        pass


@pytest.mark.usefixtures("with_handler")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("part", [0.1, 0.4, 0.6, 0.8])
def test_call_after_an_interrupted_one_compiles(part: float) -> None:
    text = "def f(x, a):\n    s = 0.0\n    for v in x:\n        s += np.sin(a * v) * {}\n    return s\n"
    fresh = pb.differentiable(cache=False)
    start = time.perf_counter()
    expected = pb.grad(fresh(cells.run(text.format(0.5), np=np)["f"]))(np.ones(2), 2.0)
    delay = part * (time.perf_counter() - start)
    gradient = pb.grad(fresh(cells.run(text.format(0.5 + part), np=np)["f"]))
    timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()

    def call_until_then() -> None:
        while timer.is_alive():
            gradient(np.ones(2), 2.0)
        time.sleep(1.0)

    with suppress(KeyboardInterrupt):  # Python itself loses one that comes while it removes an object
        call_until_then()
    np.testing.assert_allclose(gradient(np.ones(2), 2.0), expected * (0.5 + part) / 0.5)


def test_cycles_are_collected_again_after_a_compilation() -> None:
    with suppress(ValueError), collected_later():
        assert not gc.isenabled()
        with collected_later():
            pass
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()
    gc.disable()
    try:
        with collected_later():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()

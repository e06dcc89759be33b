"""A problem and its peers become measurements: processes side by side, one of which runs at a time, in turns."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.problems import BENCHMARKS

TOO_SLOW = 20.0  # s: a call that takes longer is not repeated


@dataclass(frozen=True, slots=True)
class Settings:
    """How to measure: repeats of `budget` seconds, the size of the problems, the core to stay on, stderr shown."""

    repeats: int
    budget: float
    scale: float
    core: int
    verbose: bool


@dataclass(frozen=True, slots=True)
class Measurement:
    """What came of one peer: seconds of a call, seconds that the first call took longer, and the error of the results.

    failure: why there are no figures, empty if there are. wrong: the results are not those of the hand-written adjoint.
    reduced: the part of the full size at which it ran; the time is scaled up.
    """

    time: float = float("nan")
    first: float = float("nan")
    error: float = float("nan")
    wrong: bool = False
    reduced: float = 1.0
    failure: str = ""

    @property
    def valid(self) -> bool:
        return not self.failure and not self.wrong


def measure(problem: Path, peers: list[str], settings: Settings) -> dict[str, Measurement]:
    """Measurements of the hand-written adjoint, the primal, ours and `peers`."""
    with tempfile.TemporaryDirectory(prefix="pullback-bench-") as folder:
        workers = {peer: Worker(problem, peer, Path(folder), settings) for peer in ("hand", "primal", "ours", *peers)}
        for _ in range(settings.repeats):
            for worker in workers.values():
                worker.run(settings.budget)
        return {peer: worker.finish() for peer, worker in workers.items()}


class Worker:
    """The process of one peer. It works only between a request and its answer."""

    def __init__(self, problem: Path, peer: str, folder: Path, settings: Settings) -> None:
        command = [sys.executable, "-m", "harness.worker", str(problem), peer]
        command += [str(settings.scale), str(folder / "reference.npz")]
        if shutil.which("taskset"):
            command = ["taskset", "--cpu-list", str(settings.core), *command]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if settings.verbose else subprocess.DEVNULL,
            text=True,
            env=environment(folder / "cache"),
        )
        self.about = self.read()
        self.best: float = self.about.get("once", float("nan"))

    def read(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"failure": "the process died"}

    def run(self, budget: float) -> None:
        if "failure" in self.about or self.about["once"] > TOO_SLOW:
            return
        assert self.process.stdin
        self.process.stdin.write(f"{budget}\n")
        self.process.stdin.flush()
        answer = self.read()
        if "failure" in answer:
            self.about = answer
        else:
            self.best = min(self.best, answer["best"])

    def finish(self) -> Measurement:
        self.process.communicate()
        if "failure" in self.about:
            return Measurement(failure=self.about["failure"])
        kept = {name: self.about[name] for name in ("first", "error", "wrong", "reduced")}
        return Measurement(time=self.best, **kept)


def environment(cache: Path) -> dict[str, str]:
    """One thread everywhere, an empty cache of generated modules, and an allocator that keeps the pages it has.

    Without the last, a gradient of some megabytes costs more page faults than arithmetic, for every peer.
    """
    changes = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    changes["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    changes["JAX_PLATFORMS"] = "cpu"
    changes["CUDA_VISIBLE_DEVICES"] = ""
    changes["MALLOC_MMAP_THRESHOLD_"] = str(1 << 32)
    changes["MALLOC_TRIM_THRESHOLD_"] = str(1 << 34)
    changes["PULLBACK_CACHE_DIR"] = str(cache)
    changes["PYTHONPATH"] = os.pathsep.join(filter(None, [str(BENCHMARKS), os.environ.get("PYTHONPATH")]))
    return {**os.environ, **changes}

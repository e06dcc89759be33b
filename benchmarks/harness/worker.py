"""One peer of one problem: a process that builds the call, checks its result, and times it on demand.

Started by `measure.py`. It answers in lines of JSON: one with what the first call showed, then one for each line of
input, which holds the seconds to spend.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from harness.problems import load

BATCH = 2e-4  # s: shorter calls are timed in batches of about this length

Call = Callable[[], Any]


def main(file: str, peer: str, scale: str, reference: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the peers print goes to stderr

    def answer(**content: Any) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    module = load(Path(file))
    reduced = getattr(module, "REDUCED", {}).get(peer, 1.0)
    arguments = module.make(float(scale) * reduced)
    try:
        import_what_is_shared()
        call, first, result = first_call(module, peer, arguments)
        error = 0.0 if peer in ("hand", "primal") else deviation(result, wanted(module, reduced, arguments, reference))
        if peer == "hand":
            np.savez(reference, *result)
    except Exception as problem:
        traceback.print_exc()
        answer(failure=f"{type(problem).__name__}: {problem}")
        return
    once = timed(call)
    tolerance = getattr(module, "RTOL", 1e-6)
    answer(first=max(0.0, first - once), once=once / reduced, error=error, wrong=not error < tolerance, reduced=reduced)
    for line in sys.stdin:
        answer(best=best_time(call, float(line), once) / reduced)


def import_what_is_shared() -> None:
    """Import all of pullback and start Numba's compiler, so that the time of a first call is that of its function."""
    import numba

    import pullback.api.prepared_gradient
    import pullback.runtime.helpers  # noqa: F401

    numba.njit(lambda x: x + x.sum())(np.ones(2))


def first_call(module: ModuleType, peer: str, arguments: tuple[Any, ...]) -> tuple[Call, float, list[Any]]:
    """The call, the seconds from nothing to its first result, and that result."""
    start = time.perf_counter()
    call = build(module, peer, arguments)
    result = call()
    return call, time.perf_counter() - start, [to_numpy(part) for part in flatten(result)]


def build(module: ModuleType, peer: str, arguments: tuple[Any, ...]) -> Call:
    import pullback as pb

    match peer:
        case "hand":
            return lambda: module.hand(*arguments)
        case "in_order":
            return lambda: module.in_order(*arguments)
        case "primal":
            primal = pb.differentiable(module.primal)
            return lambda: primal(*arguments)
        case "ours":
            gradient = pb.value_and_grad(module.primal, argnums=module.WRT)
            return lambda: gradient(*arguments)
        case _:
            call: Call = module.PEERS[peer](arguments)
            return call


def flatten(result: Any) -> Iterator[Any]:
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from flatten(part)
    else:
        yield result


def to_numpy(value: Any) -> Any:
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    return np.asarray(value, dtype=np.float64)


def wanted(module: ModuleType, reduced: float, arguments: tuple[Any, ...], reference: str) -> list[Any]:
    """What the hand-written adjoint returned; computed here where this peer's arguments are smaller."""
    if reduced != 1.0:
        return [to_numpy(part) for part in flatten(module.hand(*arguments))]
    with np.load(reference) as saved:
        return list(saved.values())


def deviation(result: list[Any], wanted: list[Any]) -> float:
    """The largest error of a part, relative to the largest element of that part."""
    if [part.size for part in result] != [part.size for part in wanted]:
        return float("inf")
    pairs = [(a.ravel(), b.ravel()) for a, b in zip(result, wanted, strict=True)]
    return max(float(np.max(np.abs(a - b)) / (np.max(np.abs(b)) + 1e-300)) for a, b in pairs if b.size)


def timed(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def best_time(call: Call, budget: float, once: float) -> float:
    """The least time of a call among the batches that fit into `budget` seconds, at least one."""
    batch = range(max(1, min(2000, int(BATCH / max(once, 1e-9)))))
    best = float("inf")
    end = time.perf_counter() + budget
    while True:
        start = time.perf_counter()
        for _ in batch:
            call()
        now = time.perf_counter()
        best = min(best, (now - start) / len(batch))
        if now > end:
            return best


if __name__ == "__main__":
    main(*sys.argv[1:])

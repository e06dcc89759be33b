"""A program becomes the passes that its gradient depends on, and the time that the gradient takes without each."""

import ast
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pullback as pb
from harness.measure import environment
from harness.programs import Program, find_program, programs
from harness.worker import best_time, deviation, flatten, timed, to_numpy
from pullback.passes.pipeline import PASSES
from pullback.passes.running import watched

ALL, AGAIN = "all passes", "all passes, compiled again"
TOLERANCE = 1e-6


def passes_of_all(kinds: Sequence[str], among: Set[str]) -> list[tuple[Program, set[str]]]:
    """The programs of these kinds that have a gradient, with `passes_of` each, found out on all cores."""
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(max_workers=cores, mp_context=multiprocessing.get_context("spawn")) as pool:
        parts = list(pool.map(passes_of_part, *zip(*((kinds, among, k, cores) for k in range(cores)), strict=True)))
    return [
        (program, passes)
        for k, program in enumerate(programs(kinds))
        if (passes := parts[k % cores][k // cores]) is not None
    ]


def passes_of_part(kinds: Sequence[str], among: Set[str], first: int, step: int) -> list[set[str] | None]:
    """`passes_of` for each of the programs of these kinds from a number on, in steps."""
    return [passes_of(program, among) for program in programs(kinds)[first::step]]


def passes_of(program: Program, among: Set[str]) -> set[str] | None:
    """Those of the passes without which Numba compiles another gradient; None where the program has no gradient.

    Nothing is compiled. Texts that differ in comments and in names of variables alone are the same. A pass that changed
    nothing is not left out, except for steps of the differentiation, which tell nobody, and "lowering", which others
    ask for.
    """
    changing: set[str] = set()
    try:
        with watched(lambda stage, name, before, after: changing.add(name)):
            whole = machine_text(program, pb.OPTIMISATIONS)
    except pb.PullbackError:
        return None
    chosen = {entry.option for entry in PASSES if entry.run is None or entry.name in changing}
    return {
        name
        for name in among & (chosen | {"lowering"})
        if not same(machine_text(program, pb.OPTIMISATIONS - {name}), whole)
    }


def machine_text(program: Program, passes: frozenset[str]) -> str:
    """What Numba compiles for the value and the gradient with these passes. PullbackError where there is none."""
    gradient = gradient_with(program, passes)
    return gradient.prepare(gradient.engine.bind(program.make(), {})).compiled().machine_text


def gradient_with(program: Program, passes: frozenset[str]) -> Any:
    return pb.value_and_grad(pb.differentiable(program.function, optimisations=passes), argnums=program.wrt)


def same(one: str, other: str) -> bool:
    return one == other or canonical(one) == canonical(other)


def canonical(text: str) -> str:
    """The text without its comments, and with its variables numbered in the order in which they appear."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    parameters = [node for node in nodes if isinstance(node, ast.arg)]
    own = {p.arg for p in parameters} | {n.id for n in names if isinstance(n.ctx, ast.Store)}
    numbers = {name: f"v{k}" for k, name in enumerate(dict.fromkeys(n.id for n in names if n.id in own))}
    for parameter in parameters:
        parameter.arg = numbers.get(parameter.arg, "unused")
    for name in names:
        name.id = numbers.get(name.id, name.id)
    return ast.dump(nodes[0])


def times_without(program: Program, passes: Set[str], repeats: int, budget: float) -> dict[str, float]:
    """Seconds of a call of the value and the gradient with all passes, compiled twice, and without each of `passes`.

    Measured by a new process with an empty cache. AssertionError where a pass changes what the gradient is.
    """
    with tempfile.TemporaryDirectory(prefix="pullback-passes-") as cache:
        os.environ.update(environment(Path(cache)))
        with ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn")) as pool:
            return pool.submit(times_of_calls, program.id, program.kind, passes, repeats, budget).result()


def times_of_calls(name: str, kind: str, passes: Set[str], repeats: int, budget: float) -> dict[str, float]:
    program = find_program(name, kind)
    off = {ALL: frozenset(), AGAIN: frozenset(), **{one: frozenset({one}) for one in sorted(passes)}}
    arguments = program.make()
    runs = {what: call_of(program, pb.OPTIMISATIONS - left_out, arguments) for what, left_out in off.items()}
    results = {what: [to_numpy(part) for part in flatten(run())] for what, run in runs.items()}
    for what, found in results.items():
        error = deviation(found, results[ALL])
        assert error < TOLERANCE, f"without '{what}', results of {name} differ by {error:.1e}"
    return least_times(runs, repeats, budget)


def least_times(runs: dict[str, Callable[[], Any]], repeats: int, budget: float) -> dict[str, float]:
    """The least seconds of each, in turns; what disturbs the machine spares some of the short batches of calls."""
    once = {what: min(timed(run), timed(run)) for what, run in runs.items()}
    turns = [{what: best_time(run, budget / repeats, once[what]) for what, run in runs.items()} for _ in range(repeats)]
    return {what: min(turn[what] for turn in turns) for what in runs}


def call_of(program: Program, passes: frozenset[str], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    """A call that is compiled with these passes."""
    gradient = gradient_with(program, passes)
    return lambda: gradient(*arguments)

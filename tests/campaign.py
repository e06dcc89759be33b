"""Random programs through the library: each seed becomes right, refused, wrong or crashed.

    python tests/campaign.py --start 0 --count 1000 --jobs 2
    python tests/campaign.py --start 0 --count 1000 --kind nests
    python tests/campaign.py --start 0 --count 100 --compiled --json outcomes.json
    python tests/campaign.py --start 0 --count 1000 --second
    python tests/campaign.py --minimise 17

Right means, in each of the modes: the value is NumPy's, the gradients are those of the dual numbers (`oracle.py`), the
arguments are left as a plain call leaves them, and what was made is sound (`ir/checker.py`). Exits with 1 if a seed is
wrong or crashed, or if it is stopped before the last one: by Ctrl-C or SIGTERM, after which it reports on the others.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import multiprocessing
import signal
import sys
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

import random_aliases
import random_edges
import random_lists
import random_nests
import random_recurrences
from random_programs import (
    InvalidProgramError,
    RandomProgram,
    check_run,
    finite_difference_gradient,
    generate,
    load,
    unload,
)

Examine = Callable[[Any], "Outcome"]

RELATIVE, ABSOLUTE = 1e-10, 1e-12
# Finite differences stand in where the dual numbers cannot run, and judge between them and the library.
COARSE_RELATIVE, COARSE_ABSOLUTE = 1e-4, 1e-5

# From good to bad: the verdict on a seed is its worst. "oracle" and "generator" are faults of the tests.
VERDICTS = ("right", "refused", "oracle", "generator", "crashed", "wrong")
# The optimisations on and off, loops in place of array statements, the forward and the backward sweep as two functions,
# loops in segments, and tangents in place of cotangents.
MODES: dict[str, dict[str, Any]] = {
    "on": {},
    "off": {"optimisations": False},
    "loops": {"fuse": True},
    "split": {},
    "segments": {"max_residual_bytes": 0},
    "forward": {},
}
# Of everything; loops and branches in one another; what iterations hand on; lists that change; names that share arrays;
# what seldom happens, and may raise.
GENERATORS: dict[str, Callable[[int, float], RandomProgram]] = {
    "mixed": generate,
    "nests": lambda seed, size: random_nests.generate(seed),
    "recurrences": lambda seed, size: random_recurrences.generate(seed),
    "lists": lambda seed, size: random_lists.generate(seed),
    "aliases": lambda seed, size: random_aliases.generate(seed),
    "edges": lambda seed, size: random_edges.generate(seed),
}
FAILURES = ("crashed", "wrong", "oracle", "generator")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one seed: the verdict, why (the first words of a refusal, an exception's last line), and where.

    `kind` is equal for equal failures: the exception's type, or which comparison failed.
    """

    seed: int
    verdict: str
    kind: str = ""
    detail: str = ""
    mode: str = "on"
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Expected:
    """What the program does by itself: its value, its gradients, its arguments afterwards; exact, or by differences."""

    value: float
    gradients: tuple[Any, ...]
    arguments: tuple[Any, ...]
    exact: bool


def examine(task: RandomProgram | int, *, compiled: bool = False, size: float = 1.0, kind: str = "mixed") -> Outcome:
    """Compare the library with plain NumPy and the oracle: on a program, or on the one of a seed."""
    begin = time.perf_counter()
    try:
        program = task if isinstance(task, RandomProgram) else GENERATORS[kind](task, size)
    except Exception as error:
        return Outcome(int(task), "generator", type(error).__name__, last_line(error))
    outcome = (examine_edges if kind == "edges" else examine_program)(program, compiled=compiled)
    return replace(outcome, seconds=round(time.perf_counter() - begin, 3))


def examine_program(program: RandomProgram, *, compiled: bool = False) -> Outcome:
    """The worst outcome of the program in all modes."""
    try:
        expected = expect(program)
    except Exception as error:
        return Outcome(program.seed, "oracle", type(error).__name__, last_line(error))
    outcomes = [compare(program, expected, compiled=compiled, mode=mode) for mode in MODES]
    return max(outcomes, key=lambda outcome: VERDICTS.index(outcome.verdict))


def examine_second(
    task: RandomProgram | int, *, compiled: bool = False, size: float = 1.0, kind: str = "mixed"
) -> Outcome:
    """Compare second derivatives, by each nesting, with dual numbers of dual numbers; see `examine`."""
    begin = time.perf_counter()
    program = task if isinstance(task, RandomProgram) else GENERATORS[kind](task, size)
    outcomes = [compare_second(program, nesting, compiled=compiled) for nesting in NESTINGS]
    outcome = max(outcomes, key=lambda outcome: VERDICTS.index(outcome.verdict))
    return replace(outcome, seconds=round(time.perf_counter() - begin, 3))


def compare_second(program: RandomProgram, nesting: str, *, compiled: bool) -> Outcome:
    """The Hessian times a random direction by one nesting, against the oracle's."""
    import pullback as pb
    from oracle import hvp
    from pullback.errors import PullbackError

    function = load(program)
    rng = np.random.default_rng(program.seed)
    directions = tuple(rng.standard_normal(np.shape(program.make_args()[k])) for k in program.wrt)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _, expected = hvp(function, program.make_args(), directions, program.wrt)
            except Exception as error:
                return Outcome(program.seed, "right", "no dual numbers", last_line(error), nesting)
            differentiable = pb.differentiable(jit=compiled)(function)
            found = NESTINGS[nesting](pb, differentiable, tuple(program.wrt), program.make_args(), directions)
    except PullbackError as error:
        return Outcome(program.seed, "refused", first_words(error), str(error), nesting)
    except Exception as error:
        return Outcome(program.seed, "crashed", type(error).__name__, last_line(error), nesting)
    finally:
        unload(function)
    scale = max(1.0, *(float(np.max(np.abs(part), initial=0.0)) for part in expected))
    pairs = zip(found, expected, strict=True)
    if all(np.allclose(a, b, rtol=RELATIVE, atol=RELATIVE * scale, equal_nan=True) for a, b in pairs):
        return Outcome(program.seed, "right", "", "", nesting)
    return Outcome(program.seed, "wrong", "second derivative", f"{shown(found)} instead of {shown(expected)}", nesting)


def hessian_along(pb: Any, function: Any, wrt: tuple[int, ...], arguments: Any, directions: Any) -> list[Any]:
    """The whole Hessian, contracted with a direction."""
    rows = pb.hessian(function, wrt)(*arguments)
    return [sum(np.tensordot(h, v, np.ndim(v)) for h, v in zip(row, directions, strict=True)) for row in rows]


NESTINGS: dict[str, Callable[..., Any]] = {
    "forward over reverse": lambda pb, f, wrt, arguments, directions: pb.hvp(f, wrt)(
        *arguments[: max(wrt) + 1], directions, *arguments[max(wrt) + 1 :]
    ),
    "reverse over forward": lambda pb, f, wrt, arguments, directions: pb.vhp(f, wrt)(
        *arguments[: max(wrt) + 1], directions, *arguments[max(wrt) + 1 :]
    ),
    "reverse over reverse": lambda pb, f, wrt, arguments, directions: pb.vjp(pb.grad(f, wrt), wrt)(*arguments)[1](
        directions
    ),
    "columns": hessian_along,
}


def examine_edges(program: RandomProgram, *, compiled: bool = False) -> Outcome:
    """The worst outcome of a program that may raise, in all modes and after changes of what is outside."""
    outcomes = [Outcome(program.seed, *found) for found in random_edges.verdict_on(program, compiled=compiled)]
    return max(outcomes, key=lambda outcome: VERDICTS.index(outcome.verdict))


def expect(program: RandomProgram) -> Expected:
    """By a plain call, and by dual numbers; where these cannot run, by central differences."""
    from oracle import gradient

    function = load(program)
    try:
        arguments = program.make_args()
        value = float(function(*arguments))
        try:
            dual_value, gradients = gradient(function, program.make_args(), program.wrt)
        except Exception:
            return Expected(value, finite_difference_gradient(program).gradients, arguments, exact=False)
        assert np.isclose(float(dual_value), value, rtol=RELATIVE, atol=ABSOLUTE), (
            "the dual numbers' value is not NumPy's"
        )
        return Expected(value, as_tuple(gradients), arguments, exact=True)
    finally:
        unload(function)


def compare(program: RandomProgram, expected: Expected, *, compiled: bool, mode: str) -> Outcome:
    """The library's value, gradients and changed arguments against what is expected."""
    import pullback as pb
    from pullback.api.differentiable import engine_of
    from pullback.errors import PullbackError
    from pullback.ir.checker import check

    function = load(program)
    arguments = program.make_args()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            differentiable = pb.differentiable(jit=compiled, **MODES[mode])(function)
            if mode == "forward":
                return compare_forward(program, expected, differentiable)
            if mode == "split":
                value, pull_back = pb.vjp(differentiable, argnums=program.wrt)(*arguments)
                gradients = pull_back(1.0)
            else:
                value, gradients = pb.value_and_grad(differentiable, argnums=program.wrt)(*arguments)
        for made in engine_of(differentiable).made.values():
            for part in (made.forward, made.backward) if mode == "split" else (made,):
                check(part.function)
    except PullbackError as error:
        return Outcome(program.seed, "refused", first_words(error), str(error), mode)
    except Exception as error:
        return Outcome(program.seed, "crashed", type(error).__name__, last_line(error), mode)
    finally:
        unload(function)
    kind, detail = difference(program, expected, value, as_tuple(gradients), arguments)
    if not kind:
        return Outcome(program.seed, "right", "by differences" if not expected.exact else "", "", mode)
    if kind == "gradient" and expected.exact:
        reference = finite_difference_gradient(program).gradients
        if close(gradients, reference, exact=False) and not close(expected.gradients, reference, exact=False):
            return Outcome(program.seed, "oracle", "finite differences side with the library", detail, mode)
    return Outcome(program.seed, "wrong", kind, detail, mode)


def compare_forward(program: RandomProgram, expected: Expected, differentiable: Any) -> Outcome:
    """The library's value and tangent along a random direction against what the gradients make of that."""
    import pullback as pb

    arguments = program.make_args()
    rng = np.random.default_rng(program.seed)
    directions = [rng.standard_normal(np.shape(arguments[k])) for k in program.wrt]
    given = dict(zip(program.wrt, directions, strict=True))
    value, tangent = pb.jvp(differentiable, arguments, [given.get(k) for k in range(len(arguments))])
    terms = [np.sum(g * d) for g, d in zip(expected.gradients, directions, strict=True)]
    relative, absolute = (RELATIVE, ABSOLUTE) if expected.exact else (COARSE_RELATIVE, COARSE_ABSOLUTE)
    absolute += relative * np.sum(np.abs(terms))
    kind, detail = difference(program, expected, value, expected.gradients, arguments)
    if not kind and not np.isclose(tangent, sum(terms), rtol=relative, atol=absolute):
        kind, detail = "tangent", f"{tangent!r} instead of {sum(terms)!r}"
    return Outcome(program.seed, "wrong" if kind else "right", kind, detail, "forward")


def difference(
    program: RandomProgram, expected: Expected, value: Any, gradients: tuple[Any, ...], arguments: tuple[Any, ...]
) -> tuple[str, str]:
    """Which comparison fails, and with what numbers; two empty strings if none does."""
    if not close((value,), (expected.value,)):
        return "value", f"{value!r} instead of {expected.value!r}"
    if not close(arguments, expected.arguments):
        pairs = enumerate(zip(arguments, expected.arguments, strict=True))
        positions = [index for index, (left, right) in pairs if not close((left,), (right,))]
        return "arguments", f"arguments {positions} are left in another state than by a plain call"
    if len(gradients) != len(expected.gradients):
        return "structure", f"{len(gradients)} gradients instead of {len(expected.gradients)}"
    for position, found, wanted in zip(program.wrt, gradients, expected.gradients, strict=True):
        if np.shape(found) != np.shape(wanted):
            return "shape", f"argument {position}: shape {np.shape(found)} instead of {np.shape(wanted)}"
        if not close((found,), (wanted,), exact=expected.exact):
            return "gradient", f"argument {position}: {shown(found)} instead of {shown(wanted)}"
    return "", ""


def close(found: Iterable[Any], wanted: Iterable[Any], *, exact: bool = True) -> bool:
    """Equal shapes, and equal values within the tolerance of exact derivatives or of finite differences."""
    relative, absolute = (RELATIVE, ABSOLUTE) if exact else (COARSE_RELATIVE, COARSE_ABSOLUTE)
    return all(
        np.shape(left) == np.shape(right)
        and np.allclose(np.asarray(left, float), np.asarray(right, float), rtol=relative, atol=absolute)
        for left, right in zip(as_tuple(found), as_tuple(wanted), strict=True)
    )


def as_tuple(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def shown(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"({', '.join(shown(part) for part in value)})"
    return np.array2string(np.asarray(value), precision=12, separator=", ").replace("\n", "")


def last_line(error: BaseException) -> str:
    """The exception and the innermost place in this library or elsewhere, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    lines = traceback.format_exception_only(error)[-1].strip().splitlines() or [""]
    return lines[-1] + place


def first_words(error: BaseException, count: int = 6) -> str:
    """The beginning of a refusal's reason, without the quoted names that vary from program to program."""
    reason = (str(error).splitlines() or [""])[0]
    words = ["'…'" if word.startswith(("'", "`")) else word for word in reason.split()]
    return f"{type(error).__name__}: {' '.join(words[:count])}"


# Many seeds, in processes that may be lost


def run_campaign(
    seeds: Sequence[int], examine: Examine, *, jobs: int, timeout: float, report: Callable[[Outcome], None]
) -> list[Outcome]:
    """The outcomes in the order of the seeds; of those that were examined, where the campaign is interrupted.

    A program that hangs or kills its process is a crash of its seed only.
    """
    pending = list(reversed(seeds))
    workers = [Worker(examine) for _ in range(min(jobs, len(seeds)))]
    outcomes: dict[int, Outcome] = {}
    try:
        for worker in workers:
            worker.begin(pending)
        while any(worker.seed is not None for worker in workers):
            busy = [worker for worker in workers if worker.seed is not None]
            left = min(worker.deadline(timeout) for worker in busy) - time.monotonic()
            wait([worker.connection for worker in busy], timeout=max(0.0, left))
            for worker in busy:
                outcome = worker.collect(timeout)
                if outcome is not None:
                    outcomes[outcome.seed] = outcome
                    report(outcome)
                    worker.begin(pending)
    except KeyboardInterrupt:
        pass
    finally:
        for worker in workers:
            worker.stop()
    return [outcomes[seed] for seed in seeds if seed in outcomes]


class Worker:
    """A process that examines one seed at a time; it is replaced when it dies or takes too long."""

    def __init__(self, examine: Examine) -> None:
        self.answer = examine
        self.seed: int | None = None
        self.started = 0.0
        self.start()

    def start(self) -> None:
        # Spawned, not forked: Numba's threads and NumPy's do not survive a fork.
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, self.answer), daemon=True)
        self.process.start()
        other.close()

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()

    def begin(self, pending: list[int]) -> None:
        """Take the next seed, if there is one."""
        self.seed = None
        if pending:
            self.send(pending.pop())

    def examine(self, program: RandomProgram, timeout: float) -> Outcome:
        """The outcome of one program, waited for."""
        self.send(program)
        while True:
            wait([self.connection], timeout=max(0.0, self.deadline(timeout) - time.monotonic()))
            outcome = self.collect(timeout)
            if outcome is not None:
                return outcome

    def send(self, task: RandomProgram | int) -> None:
        self.seed = task if isinstance(task, int) else task.seed
        self.started = time.monotonic()
        self.connection.send(task)

    def deadline(self, timeout: float) -> float:
        return self.started + timeout

    def collect(self, timeout: float) -> Outcome | None:
        """The outcome of the seed at work, None if there is nothing yet."""
        assert self.seed is not None, "only a worker with a seed is asked"
        if self.connection.poll():
            try:
                outcome: Outcome = self.connection.recv()
                return outcome
            except EOFError:
                self.process.join()
                return self.lost("process died", f"exit code {self.process.exitcode}")
        if time.monotonic() > self.deadline(timeout):
            return self.lost("timeout", f"no answer after {timeout:g} s")
        return None

    def lost(self, kind: str, detail: str) -> Outcome:
        assert self.seed is not None, "only a worker with a seed can lose it"
        self.stop()
        self.start()
        return Outcome(self.seed, "crashed", kind, detail, seconds=round(time.monotonic() - self.started, 3))


def serve(connection: Connection, examine: Examine) -> None:
    """The loop of a worker's process: a seed or a program in, an outcome out."""
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(examine(task))


# Smaller programs with the same failure


def minimise(
    program: RandomProgram, examine: Examine = examine, timeout: float = 60.0
) -> tuple[RandomProgram, Outcome]:
    """The smallest program found, by deleting statements and operations, that fails in the same way; and its outcome.

    The same way: wrong again, or the same exception. A program that is right or refused is returned as it is.
    """
    worker = Worker(examine)
    try:
        outcome = worker.examine(program, timeout)
        shrinks = outcome.verdict in FAILURES
        while shrinks:
            shrinks = False
            for source in smaller_sources(program.source):
                candidate = replace(program, source=source)
                if not is_valid(candidate):
                    continue
                found = worker.examine(candidate, timeout)
                # Any wrong result serves: the value may go right while the gradient stays wrong.
                if found.verdict == outcome.verdict and (found.verdict == "wrong" or found.kind == outcome.kind):
                    program, outcome, shrinks = candidate, found, True
                    break
        return program, outcome
    finally:
        worker.stop()


def is_valid(program: RandomProgram) -> bool:
    """Runs, and lies on no kink. Unlike a generated program, it may have the gradient zero."""
    try:
        check_run(program)
        return finite_difference_gradient(program).spread < COARSE_RELATIVE
    except (InvalidProgramError, ArithmeticError, LookupError, TypeError, ValueError, NameError):
        return False


def smaller_sources(source: str) -> Iterator[str]:
    """Texts with one reduction each: a statement deleted, a block in its place, an operand instead of an operation."""
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for kind in (reduce_statements, reduce_expressions):
        # Each number stands for one place to reduce; the tree is parsed again, as a reduction changes it.
        number = 0
        while True:
            tree = ast.parse(source)
            if not kind(tree, number):
                break
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            if text not in seen:
                seen.add(text)
                yield text
            number += 1


def reduce_statements(tree: ast.Module, number: int) -> bool:
    """Delete the statement of this number, or put a compound statement's body in its place; False if there is none."""
    for block in statement_lists(tree):
        for index in reversed(range(len(block))):
            statement = block[index]
            if isinstance(statement, (ast.Return, ast.Import)) and isinstance(block, list) and len(block) == 1:
                continue
            bodies: list[list[ast.stmt]] = [[]]
            if isinstance(statement, (ast.If, ast.For, ast.While)):
                bodies += [statement.body, *([statement.orelse] if statement.orelse else [])]
            if number < len(bodies):
                block[index : index + 1] = bodies[number]
                if not block:
                    block.append(ast.Pass())
                return True
            number -= len(bodies)
    return False


def statement_lists(tree: ast.AST) -> list[list[ast.stmt]]:
    """All lists of statements, the outer ones first."""
    return [
        block
        for node in ast.walk(tree)
        for name in ("body", "orelse")
        if isinstance(block := getattr(node, name, None), list) and block and isinstance(block[0], ast.stmt)
    ]


def reduce_expressions(tree: ast.Module, number: int) -> bool:
    """Replace the expression of this number by one of its operands; False if there is none."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for index, child in enumerate(value if isinstance(value, list) else [value]):
                operands = operands_of(child)
                if number < len(operands):
                    if isinstance(value, list):
                        value[index] = operands[number]
                    else:
                        setattr(node, field, operands[number])
                    return True
                number -= len(operands)
    return False


def operands_of(node: Any) -> list[ast.expr]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp(operand=ast.expr() as operand) if not isinstance(operand, ast.Constant):
            return [operand]
        case ast.Call() if node.args:
            return list(node.args)
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return list(node.values)
    return []


# Reports


def table(outcomes: Sequence[Outcome]) -> str:
    """How many seeds of each verdict, the reasons by number, and the seeds of each."""
    lines = []
    for verdict in VERDICTS:
        members = [each for each in outcomes if each.verdict == verdict]
        share = 100 * len(members) / max(1, len(outcomes))
        lines.append(f"{verdict:10s} {len(members):7d} {share:7.2f} %")
    accepted = sum(each.verdict in ("right", "wrong") for each in outcomes)
    lines.append(f"accepted   {accepted:7d} {100 * accepted / max(1, len(outcomes)):7.2f} %")
    for verdict in VERDICTS[1:]:
        seeds: defaultdict[str, list[int]] = defaultdict(list)
        details: dict[str, str] = {}
        for each in outcomes:
            if each.verdict == verdict:
                seeds[each.kind].append(each.seed)
                details.setdefault(each.kind, each.detail)
        if seeds:
            lines.append(f"\n{verdict}:")
        for kind, found in sorted(seeds.items(), key=lambda item: (-len(item[1]), item[0])):
            rest = f" … ({len(found)} in all)" if len(found) > 20 else ""
            lines.append(f"  {len(found):5d}  {kind}")
            lines.append(f"         seeds {' '.join(map(str, found[:20]))}{rest}")
            if verdict != "refused":
                lines.append(f"         {details[kind][:300]}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Random programs through the library, classified.")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--size", type=float, default=1.0, help="scales the length of mixed programs")
    parser.add_argument(
        "--kind", choices=[*GENERATORS], default="mixed", help="which programs; only mixed ones have a size"
    )
    parser.add_argument("--compiled", action="store_true", help="with Numba; without: the generated Python as it is")
    parser.add_argument("--second", action="store_true", help="second derivatives, by each nesting of both modes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds a program")
    parser.add_argument("--json", type=Path, help="write the outcomes to this file")
    parser.add_argument("--quiet", action="store_true", help="no line per failure while running")
    parser.add_argument("--minimise", type=int, metavar="SEED", help="shrink the failure of one seed instead")
    options = parser.parse_args()
    chosen = functools.partial(
        examine_second if options.second else examine, compiled=options.compiled, size=options.size, kind=options.kind
    )
    if options.minimise is not None:
        program = GENERATORS[options.kind](options.minimise, options.size)
        smallest, outcome = minimise(program, chosen, options.timeout)
        print(f"# {outcome.verdict}: {outcome.kind}: {outcome.detail}")
        print(f"# arguments {smallest.arguments}, wrt {smallest.wrt}")
        print(smallest.source)
        return int(outcome.verdict in FAILURES)

    def report(outcome: Outcome) -> None:
        if outcome.verdict in FAILURES and not options.quiet:
            mode = "" if outcome.mode == "on" else f" ({outcome.mode})"
            print(f"seed {outcome.seed}: {outcome.verdict}{mode}: {outcome.kind}: {outcome.detail}", flush=True)

    begin = time.perf_counter()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seeds = range(options.start, options.start + options.count)
    outcomes = run_campaign(seeds, chosen, jobs=options.jobs, timeout=options.timeout, report=report)
    print(table(outcomes))
    print(f"\n{len(outcomes)} programs in {time.perf_counter() - begin:.1f} s")
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1) + "\n")
    counts = Counter(each.verdict for each in outcomes)
    return int(len(outcomes) < len(seeds) or any(counts[verdict] for verdict in FAILURES))


if __name__ == "__main__":
    sys.exit(main())

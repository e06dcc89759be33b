"""Time our gradients with `parallel=True` beside those without, on the cores that this process may use.

    python benchmarks/threads.py [--only sabr,attention] [--repeats 5] [--budget 0.3] [--extra FOLDER]

Products of matrices run in the threads of the linear algebra library either way; OPENBLAS_NUM_THREADS=1 leaves it one.
"""

import argparse
from pathlib import Path

import numba

import pullback as pb
from harness.problems import OWN, find_problems, load
from harness.report import as_text
from harness.worker import Call, best_time, deviation, flatten, to_numpy


def main() -> None:
    options = parse_arguments()
    rows = [["", "one thread", f"{numba.get_num_threads()} threads", "speed-up", "difference"]]
    for problem in find_problems([OWN, *options.extra], options.only):
        rows.append([problem.stem, *measured(problem, options.repeats, options.budget)])
        print(" ".join(rows[-1]), flush=True)
    print(as_text(rows))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--only", type=lambda text: text.split(","), default=[], metavar="NAMES", help="these problems")
    add("--repeats", type=int, default=5, help="how often each has its turn (%(default)s)")
    add("--budget", type=float, default=0.3, help="seconds of a turn (%(default)s)")
    add("--extra", type=Path, action="append", default=[], metavar="FOLDER", help="a further folder of problems")
    return parser.parse_args()


def measured(problem: Path, repeats: int, budget: float) -> list[str]:
    """The milliseconds of a gradient without and with the option, their ratio, and how far the results differ."""
    calls = [gradient(problem, parallel) for parallel in (False, True)]
    plain, divided = ([to_numpy(part) for part in flatten(call())] for call in calls)
    best = [1.0, 1.0]
    for _ in range(repeats):
        best = [min(least, best_time(call, budget, least)) for least, call in zip(best, calls, strict=True)]
    in_a_row, in_threads = best
    times = f"{1e3 * in_a_row:.3f} ms", f"{1e3 * in_threads:.3f} ms"
    return [*times, f"{in_a_row / in_threads:.2f}", f"{deviation(divided, plain):.0e}"]


def gradient(problem: Path, parallel: bool) -> Call:
    """The gradient of a problem, and its arguments, as a call."""
    module = load(problem)
    arguments = module.make(1.0)
    derivative = pb.value_and_grad(pb.differentiable(module.primal, parallel=parallel), argnums=module.WRT)
    return lambda: derivative(*arguments)


if __name__ == "__main__":
    main()

"""Time first gradients: CPU seconds from nothing to the first result, beside those of hand-written adjoints.

    python benchmarks/first_call.py [--only wave,sabr] [--extra FOLDER] [--programs 40] [--draw SEED]

Each runs in a new process with an empty cache; Python, NumPy, Numba and pullback are imported before. Numba's
compilation of the hand-written adjoint is measured in the same way. "later" is the same gradient where the compiled
helpers are in the cache, as after the gradients of other functions.
"""

import argparse
import statistics
from functools import partial
from pathlib import Path

from harness.first_calls import (
    OTHERS,
    FirstCall,
    drawn_programs,
    hand_written,
    measure_first,
    measure_first_and_later,
    of_problem,
    of_program,
)
from harness.problems import OWN, find_problems
from harness.report import as_text, geometric_mean, number, seconds
from harness.stages import STAGES


def main() -> None:
    options = parse_arguments()
    print(as_text(problem_table([OWN, *options.extra], options.only)), end="\n\n", flush=True)
    if not options.only:
        print(as_text(table_of_others()), end="\n\n", flush=True)
        print(as_text(program_table(options.programs, options.draw)), flush=True)


def parse_arguments() -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--only", type=names, default=[], metavar="NAMES", help="these problems and nothing else")
    add("--extra", type=Path, action="append", default=[], metavar="FOLDER", help="a further folder of problems")
    add("--programs", type=int, default=40, metavar="COUNT", help="how many programs of the tests (%(default)s)")
    add("--draw", type=int, default=0, metavar="SEED", help="which of them (%(default)s)")
    return parser.parse_args()


def problem_table(folders: list[Path], only: list[str]) -> list[list[str]]:
    rows = [["problem", "hand", "ours", "ours/hand", "later", *STAGES]]
    ratios = []
    for problem in find_problems(folders, only):
        hand = measure_first(partial(hand_written, problem))
        ours, later = measure_first_and_later(partial(of_problem, problem))
        ratios.append(ours.seconds / hand.seconds)
        cells = [problem.stem, seconds(hand.seconds), seconds(ours.seconds), number(ratios[-1])]
        rows.append([*cells, seconds(later.seconds), *shares(ours)])
    rows.append(["geometric mean", "", "", number(geometric_mean(ratios)), "", *[""] * len(STAGES)])
    return [*rows, ["largest", "", "", number(max(ratios)), "", *[""] * len(STAGES)]]


def table_of_others() -> list[list[str]]:
    rows = [["program", "aim", "ours", "later", *STAGES]]
    for name, (make, aim) in OTHERS.items():
        ours, later = measure_first_and_later(make)
        rows.append([name, seconds(aim), seconds(ours.seconds), seconds(later.seconds), *shares(ours)])
    return rows


def program_table(count: int, seed: int) -> list[list[str]]:
    rows = [["program of the tests", "ours", *STAGES]]
    times = []
    for name in drawn_programs(count, seed):
        ours = measure_first(partial(of_program, name, "tests"))
        times.append(ours.seconds)
        rows.append([name, seconds(ours.seconds), *shares(ours)])
    return [*rows, ["median", seconds(statistics.median(times)), *[""] * len(STAGES)]]


def shares(ours: FirstCall) -> list[str]:
    return [seconds(ours.stages.get(stage, 0.0)) for stage in STAGES]


if __name__ == "__main__":
    main()

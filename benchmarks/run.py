"""Time our gradients beside hand-written adjoints, and beside JAX, PyTorch and autograd where they are installed.

    python benchmarks/run.py [--only wave,sabr] [--peers jax,torch] [--repeats 5] [--budget 0.3] [--picture bars.png]

Quote ratios of one run only: peers take turns, so that what else the machine does falls on all of them.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from harness.measure import Measurement, Settings, measure
from harness.picture import draw_ratios
from harness.problems import OWN, find_problems, load
from harness.report import Results, as_markdown, as_text, number, ratio, remarks, table

USUAL_PEERS = ("jax", "torch", "autograd")


def main() -> None:
    options = parse_arguments()
    settings = Settings(options.repeats, options.budget, options.scale, options.core, options.verbose)
    results: Results = {}
    for problem in find_problems([OWN, *options.extra], options.only):
        module = load(problem)
        peers = ["in_order"] if hasattr(module, "in_order") else []
        peers += [peer for peer in module.PEERS if peer in options.peers]
        results[problem.stem] = measure(problem, peers, settings)
        print(progress(problem.stem, results[problem.stem]), file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(as_json(results))
    rows = table(results)
    print(as_text(rows))
    for line in remarks(results):
        print(line)
    if options.markdown:
        options.markdown.write_text(as_markdown(rows) + "\n")
    if options.picture:
        draw_ratios(results, options.picture)


def parse_arguments() -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return text.split(",")

    installed = [peer for peer in USUAL_PEERS if find_spec(peer)]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--only", type=names, default=[], metavar="NAMES", help="these problems, separated by commas")
    add("--peers", type=names, default=installed, metavar="NAMES", help=f"of {', '.join(USUAL_PEERS)} (the installed)")
    add("--repeats", type=int, default=5, help="how often each peer has its turn (%(default)s)")
    add("--budget", type=float, default=0.3, help="seconds of a turn (%(default)s)")
    add("--scale", type=float, default=1.0, help="size of the problems (%(default)s)")
    add("--core", type=int, default=last_core(), help="the core to stay on (%(default)s)")
    add("--extra", type=Path, action="append", default=[], metavar="FOLDER", help="a further folder of problems")
    add("--json", type=Path, metavar="FILE", help="write the measurements, after each problem")
    add("--markdown", type=Path, metavar="FILE", help="write the table")
    add("--picture", type=Path, metavar="FILE", help="draw the ratios to the hand-written adjoint")
    add("--verbose", action="store_true", help="show what the peers print")
    return parser.parse_args()


def last_core() -> int:
    """The last core that this process may use: the first serves more interrupts."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0


def progress(problem: str, row: dict[str, Measurement]) -> str:
    ratios = (f"{peer} {number(ratio(row, peer))}" for peer in row if peer not in ("hand", "primal"))
    return f"{problem}, as a multiple of hand: {', '.join(ratios)}"


def as_json(results: Results) -> str:
    plain = {problem: {peer: asdict(one) for peer, one in row.items()} for problem, row in results.items()}
    return json.dumps(plain, indent=1) + "\n"


if __name__ == "__main__":
    main()

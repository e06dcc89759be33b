"""Prints what the library makes of each program of tests/real, and how long the first compiled derivative takes.

Times are those of the processor, so that other work on the machine does not count.

    python tests/real_report.py [--interpreted] [--update] [WORD ...]

Words choose the programs whose names contain one. --update writes what is refused to tests/real/refused.txt.
"""

import argparse
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

import pullback as pb
import real_checks
import real_programs

HEAD = "# Programs of tests/real that are refused, and why. Remove the line of one that is not any more.\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--interpreted", action="store_true", help="without Numba")
    parser.add_argument("--update", action="store_true", help="write the list of refused programs")
    options = parser.parse_args()
    outcomes: dict[str, real_checks.Outcome] = {}
    pb.value_and_grad(warm_up)(np.ones(3))
    for name, program in real_programs.corpus().items():
        if not options.words or any(word in name for word in options.words):
            each = outcomes[name] = real_checks.examine(program, compiled=not options.interpreted)
            seconds = f"{each.seconds:6.2f} s" if each.verdict != "crash" else 8 * " "
            print(f"{each.verdict:8s} {seconds} {each.reference:11s} {name} {each.detail}".rstrip(), flush=True)
    print(report(outcomes))
    if options.update:
        lines = [f"{name}: {each.detail}\n" for name, each in outcomes.items() if each.verdict == "refused"]
        Path(real_checks.REFUSED).write_text(HEAD + "".join(lines), encoding="utf-8")
    return int(any(each.verdict in ("wrong", "crash") for each in outcomes.values()))


def warm_up(x: Any) -> Any:
    """What compiling any program needs once, helpers of the library among it, is not counted with the first one."""
    return np.sum(np.exp(x) * np.tanh(x))


def report(outcomes: dict[str, real_checks.Outcome]) -> str:
    """How many of each verdict, and the times of those that are right."""
    counts = Counter(each.verdict for each in outcomes.values())
    lines = [f"\n{len(outcomes)} programs: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())]
    times = {name: each.seconds for name, each in outcomes.items() if each.verdict == "right"}
    if times:
        worst = max(times, key=times.__getitem__)
        lines.append(
            f"first derivative: median {statistics.median(times.values()):.2f} s, {worst} {times[worst]:.2f} s"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

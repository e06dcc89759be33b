"""Trials of library functions: each becomes right, refused, wrong or crashed.

    python tests/function_campaign.py --count 2000 --jobs 2
    python tests/function_campaign.py --every --modes interpreted --layouts C --dtypes float64
    python tests/function_campaign.py --only np.pad --count 100

Prints the trials that are not right, and how many there are of each kind. Exits with 1 if one is wrong or crashed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter

from function_cases import DTYPES, LAYOUTS, MODES, Trial, drawn_trials, every_trial, verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="so many trials, drawn at random")
    parser.add_argument("--every", action="store_true", help="each case in each mode, layout and dtype")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose text has this in it")
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS, choices=LAYOUTS)
    parser.add_argument("--dtypes", nargs="+", default=DTYPES, choices=DTYPES)
    given = parser.parse_args()
    trials = every_trial(given.only, given.modes, given.layouts, given.dtypes, given.seed)
    if not given.every:
        trials = drawn_trials(trials, given.count, given.seed)
    counts: Counter[str] = Counter()
    with multiprocessing.Pool(given.jobs, maxtasksperchild=200) as pool:
        for trial, (kind, why) in pool.imap_unordered(_tried, trials, chunksize=4):
            counts[kind] += 1
            if kind not in ("right", "no such call"):
                print(f"{kind}: {trial}\n    {why}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if counts["wrong"] or counts["crashed"] else 0


def _tried(trial: Trial) -> tuple[Trial, tuple[str, str]]:
    return trial, verdict(trial)


if __name__ == "__main__":
    sys.exit(main())

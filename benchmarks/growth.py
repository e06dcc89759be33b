"""How the time, memory and compile time of a gradient grow with the trip count, the arrays and the source.

    python benchmarks/growth.py [--only "trip count,statements"] [--largest 1000] [--picture growth.png]

The exponent is that of the power of the size through the last two points: 1 is linear growth.
"""

import argparse
import math
import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from harness.growing import SERIES, Point, measure_point
from harness.measure import environment
from harness.picture import draw_growth
from harness.report import as_text, number, seconds

MEGABYTE = 1e6
NOISE = 5 * MEGABYTE  # less memory than this tells nothing about growth


def main() -> None:
    options = parse_arguments()
    results: dict[str, list[Point]] = {}
    for name in options.only:
        results[name] = measure_series(name, options.largest, options.patience)
        print(as_text(table(name, results[name])), end="\n\n", flush=True)
    if options.picture:
        draw_growth(curves(results), options.picture)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    kinds = ", ".join(SERIES)
    parser.add_argument("--only", type=names, default=list(SERIES), metavar="NAMES", help=f"of {kinds} (all)")
    parser.add_argument("--largest", type=float, default=math.inf, metavar="SIZE", help="leave out what is larger")
    parser.add_argument("--patience", type=float, default=60.0, metavar="S", help="first call after which to stop (60)")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the times")
    return parser.parse_args()


def names(text: str) -> list[str]:
    chosen = text.split(",")
    unknown = set(chosen) - set(SERIES)
    if unknown:
        raise argparse.ArgumentTypeError(f"nothing grows by {', '.join(sorted(unknown))}")
    return chosen


def measure_series(name: str, largest: float, patience: float) -> list[Point]:
    """The points up to the size `largest`, or to the first that needs more seconds than `patience` to compile."""
    points: list[Point] = []
    for size in SERIES[name].sizes:
        if size > largest or (points and points[-1].compile > patience):
            break
        points.append(in_own_process(name, size))
    return points


def in_own_process(name: str, size: int) -> Point:
    """The point, measured by a new process with an empty cache."""
    with tempfile.TemporaryDirectory(prefix="pullback-growth-") as cache:
        os.environ.update(environment(Path(cache)))
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(max_workers=1, mp_context=spawn) as pool:
            return pool.submit(measure_point, name, size).result()


def table(name: str, points: list[Point]) -> list[list[str]]:
    rows = [[name, "first call", "time", "memory"]]
    for point in points:
        memory = f"{point.memory / MEGABYTE:.1f} MB"
        rows.append([f"{point.size:,}", seconds(point.compile), seconds(point.time), memory])
    sizes = [point.size for point in points]
    exponents = [
        exponent(sizes, [point.compile for point in points]),
        exponent(sizes, [point.time for point in points]),
        exponent(sizes, [point.memory for point in points], floor=NOISE),
    ]
    return [*rows, ["exponent", *map(number, exponents)]]


def exponent(sizes: list[int], values: list[float] | list[int], floor: float = 0.0) -> float:
    """The slope through the last two points in logarithms; NaN with fewer points, or values too small to tell."""
    if len(sizes) < 2 or min(values[-2:]) <= floor:
        return math.nan
    return math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2])


def curves(results: dict[str, list[Point]]) -> dict[str, list[tuple[float, float]]]:
    """The time of a call against the size, and that of the first call where the source grows."""
    drawn = {}
    for name, points in results.items():
        drawn[name] = [(point.size, point.time) for point in points]
        if not SERIES[name].by_data:
            drawn[f"{name}, first call"] = [(point.size, point.compile) for point in points]
    return drawn


if __name__ == "__main__":
    main()

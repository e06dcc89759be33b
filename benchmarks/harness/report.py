"""Measurements become a table: one line a problem, as text or as Markdown, with geometric means at the bottom."""

import math
from collections.abc import Iterable

from harness.measure import Measurement

Results = dict[str, dict[str, Measurement]]
"""problem → peer → measurement"""

SIDES = ("hand", "primal", "in_order")
"""What the ratios are taken to; every other name in the results is a peer or ours."""


def peers_of(results: Results) -> list[str]:
    """The peers besides ours, in order of appearance."""
    names = dict.fromkeys(peer for row in results.values() for peer in row)
    return [name for name in names if name not in (*SIDES, "ours")]


def ratio(row: dict[str, Measurement], peer: str, to: str = "hand") -> float:
    """The time of `peer` as a multiple of another's; NaN where one of the two has no valid result."""
    if peer not in row or to not in row or not row[peer].valid or not row[to].valid:
        return math.nan
    return row[peer].time / row[to].time


def geometric_mean(ratios: Iterable[float]) -> float:
    """Of those that are numbers; NaN if none is."""
    logarithms = [math.log(ratio) for ratio in ratios if not math.isnan(ratio)]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def table(results: Results) -> list[list[str]]:
    """Cells, with the headings first and the geometric means of the ratios last."""
    peers = peers_of(results)
    headings = ["problem", "primal", "hand", "ours", "ours/hand", "ours/in order", "ours/primal"]
    headings += ["compile hand", "compile ours"]
    rows = [[*headings, *(f"{peer}/hand" for peer in peers)]]
    for problem, row in results.items():
        cells = [problem, *(time_cell(row[peer]) for peer in ("primal", "hand", "ours"))]
        cells += [ratio_cell(row, "ours", to) for to in ("hand", "in_order", "primal")]
        cells += [seconds(row["hand"].first), seconds(row["ours"].first)]
        rows.append(cells + [ratio_cell(row, peer) for peer in peers])
    means = [mean_cell(results, "ours"), "", mean_cell(results, "ours", "primal")]
    rows.append(["geometric mean", "", "", "", *means, "", "", *(mean_cell(results, peer) for peer in peers)])
    return rows


def time_cell(measurement: Measurement) -> str:
    if measurement.failure:
        return "failed"
    return seconds(measurement.time)


def ratio_cell(row: dict[str, Measurement], peer: str, to: str = "hand") -> str:
    if peer not in row or to not in row:
        return ""
    if row[peer].wrong:
        return "WRONG"
    return "failed" if row[peer].failure else number(ratio(row, peer, to))


def mean_cell(results: Results, peer: str, to: str = "hand") -> str:
    """The geometric mean, and of how many problems if not of all."""
    ratios = [ratio(row, peer, to) for row in results.values()]
    count = sum(not math.isnan(ratio) for ratio in ratios)
    mean = number(geometric_mean(ratios))
    return mean if count in (0, len(ratios)) else f"{mean} ({count})"


def seconds(time: float) -> str:
    if math.isnan(time):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if time >= size:
            return f"{time / size:.2f} {unit}"
    return f"{time * 1e6:.2f} µs"


def number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}"


def as_text(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
    return "\n".join("  ".join(row).rstrip() for row in aligned)


def as_markdown(rows: list[list[str]]) -> str:
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:]))


def remarks(results: Results) -> list[str]:
    """A line for each peer that failed, was wrong or ran at a reduced size."""
    lines = []
    for problem, row in results.items():
        for peer, measurement in row.items():
            if measurement.failure:
                lines.append(f"{problem}, {peer}: {measurement.failure}")
            elif measurement.wrong:
                lines.append(f"{problem}, {peer}: wrong by {measurement.error:.1e}")
            elif measurement.reduced != 1.0:
                lines.append(f"{problem}, {peer}: ran at {measurement.reduced:g} of the size, its time scaled")
    return lines

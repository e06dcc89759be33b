"""Measurements and series become pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.report import Results, peers_of, ratio


def draw_ratios(results: Results, file: Path) -> None:
    """Horizontal bars: the time of each peer as a multiple of the hand-written adjoint's, on a logarithmic axis."""
    from matplotlib.figure import Figure

    peers = ["ours", *peers_of(results)]
    problems = list(results)[::-1]
    height = 0.8 / len(peers)
    figure = Figure(figsize=(8, 1.5 + 0.18 * len(problems) * (len(peers) + 1)), layout="constrained")
    axes = figure.subplots()
    for k, peer in enumerate(peers):
        ratios = [ratio(results[problem], peer) for problem in problems]
        places = [place + 0.4 - (k + 0.5) * height for place in range(len(problems))]
        bars = axes.barh(places, [r - 1 for r in ratios], height, left=1.0, label=peer)
        axes.bar_label(bars, ["" if r != r else f" {r:.3g}" for r in ratios], fontsize=7)
    axes.set_xscale("log")
    axes.margins(x=0.12, y=0.01)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(problems)), problems)
    axes.set_xlabel("time / time of the hand-written adjoint")
    axes.legend()
    figure.savefig(file, dpi=150)


def draw_growth(series: Mapping[str, Sequence[tuple[float, float]]], file: Path) -> None:
    """Seconds of a gradient against the size, one line for each kind of growth, both axes logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.subplots()
    for name, points in series.items():
        axes.loglog(*zip(*points, strict=True), marker="o", label=name)
    axes.set_xlabel("size")
    axes.set_ylabel("seconds")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(file, dpi=150)

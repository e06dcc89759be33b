"""What TensorFlow itself reaches by the texts of our tutorials.

`python tests/tutorials_beside_tensorflow.py`, in an environment with tensorflow, pytest and scikit-learn, trains the
networks of `test_tutorials.py` and `test_tutorials_generative.py` by TensorFlow, from five seeds, and writes what they
reach into `tests/cases/tutorials.json`, where `assert_as_tensorflow` finds it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

CASES = Path(__file__).parent / "cases" / "tutorials.json"
NAMES = {
    "test_tutorials": ("gradient_penalty", "custom_training_loop", "adversarial_examples"),
    "test_tutorials_generative": ("text_generation", "variational_autoencoder", "adversarial_pair"),
}


def assert_as_tensorflow(name: str, reached: Mapping[str, float]) -> None:
    """Every figure lies where TensorFlow's do from five seeds, or as far beyond them as those are apart."""
    theirs = json.loads(CASES.read_text())["figures"][name]
    for figure, value in reached.items():
        low, high = min(theirs[figure]), max(theirs[figure])
        spread = max(high - low, 0.01 * high)
        assert low - spread <= value <= high + spread, f"{figure} is {value}, and TensorFlow's are {theirs[figure]}"


def reached_by_tensorflow(name: str, seed: int) -> dict[str, Any]:
    """The figures of one training; a process makes one alone, since what TensorFlow has traced stays."""
    import tensorflow

    sys.modules["pullback"] = ModuleType("pullback")
    sys.modules["pullback"].tf = sys.modules["pullback.tf"] = tensorflow  # type: ignore[attr-defined]
    module = next(module for module, names in NAMES.items() if name in names)
    reached = getattr(import_module(module), name)(seed)
    figures = reached if isinstance(reached, dict) else reached[0]
    return {figure: round(float(value), 4) for figure, value in figures.items()} | {"version": tensorflow.__version__}


def write() -> None:
    figures: dict[str, dict[str, list[float]]] = {}
    for name in (name for names in NAMES.values() for name in names):
        figures[name] = {}
        for seed in range(5):
            with ProcessPoolExecutor(1) as alone:
                reached = alone.submit(reached_by_tensorflow, name, seed).result()
            version = reached.pop("version")
            for figure, value in reached.items():
                figures[name].setdefault(figure, []).append(value)
        print(name, figures[name], flush=True)
    CASES.write_text(json.dumps({"tensorflow": version, "figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    write()

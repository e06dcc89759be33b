"""What happens in a network while it is trained: numbers for each variable and layer, step by step.

    monitor = pb.nn.monitor.Monitor(model, "runs/first")
    for step in range(100):
        with pb.GradientTape() as tape:
            loss = loss_of(model(x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        monitor.record(gradients, loss)

The numbers go to TensorBoard where tensorboardX is installed, else to a file of JSON lines; `draw` shows them.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pullback.nn.layers import Dense
from pullback.nn.module import Module

__all__ = [
    "SATURATED",
    "JsonLines",
    "Monitor",
    "Statistics",
    "TensorBoard",
    "Writer",
    "draw",
    "histogram_of",
    "layers_of",
    "names_of",
    "read",
    "unit_shares",
    "writer_for",
]

SATURATED = 0.02
"""A unit of a bounded activation is saturated where its derivative is less than this share of the largest one."""

Statistics = dict[str, float]


class Writer(Protocol):
    """Where the numbers go: an object with these two methods.

    >>> import pullback as pb
    >>> class Printed:
    ...     def write(self, step, numbers, arrays):
    ...         print(step, numbers["loss"])
    ...     def close(self):
    ...         pass
    >>> monitor = pb.nn.monitor.Monitor(pb.nn.Module(), writer=Printed())
    >>> _ = monitor.record([], 0.25)
    0 0.25
    """

    def write(self, step: int, numbers: Statistics, arrays: dict[str, np.ndarray]) -> None:
        """The numbers of a step, and the arrays whose histograms belong to it."""

    def close(self) -> None:
        """Nothing more is written."""


class JsonLines:
    """The file monitor.jsonl in a `directory`, which is made: one JSON object for each step.

    It has the numbers, and of arrays the counts and edges of a histogram. A file that is there is continued.

    >>> import tempfile
    >>> import pullback as pb
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     writer = pb.nn.monitor.JsonLines(directory)
    ...     writer.write(0, {"loss": 0.25}, {})
    ...     writer.close()
    ...     pb.nn.monitor.read(directory)
    [{'step': 0, 'loss': 0.25, 'histograms': {}}]
    """

    def __init__(self, directory: str | Path) -> None:
        self.path = Path(directory) / "monitor.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = self.path.open("a", encoding="utf-8")

    def write(self, step: int, numbers: Statistics, arrays: dict[str, np.ndarray]) -> None:
        """One line."""
        histograms = {name: histogram_of(array) for name, array in arrays.items()}
        self.file.write(json.dumps({"step": step, **numbers, "histograms": histograms}) + "\n")
        self.file.flush()

    def close(self) -> None:
        """Close the file."""
        self.file.close()


class TensorBoard:
    """TensorBoard's event files in a `directory`, written by tensorboardX. ImportError where that is not installed.

    >>> import os, tempfile
    >>> import pullback as pb
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     writer = pb.nn.monitor.TensorBoard(directory)
    ...     writer.write(0, {"loss": 0.25}, {})
    ...     writer.close()
    ...     len(os.listdir(directory))
    1
    """

    def __init__(self, directory: str | Path) -> None:
        from tensorboardX import SummaryWriter

        self.writer = SummaryWriter(str(directory))

    def write(self, step: int, numbers: Statistics, arrays: dict[str, np.ndarray]) -> None:
        """A scalar for each number, a histogram for each array."""
        for name, number in numbers.items():
            self.writer.add_scalar(name, number, step)
        for name, array in arrays.items():
            if np.all(np.isfinite(array)) and array.size:
                self.writer.add_histogram(name, array, step)

    def close(self) -> None:
        """Write what is left and close the file."""
        self.writer.close()


def histogram_of(array: np.ndarray, bins: int = 20) -> dict[str, list[float]]:
    """Counts and edges of a histogram of the finite elements of an `array`, with so many `bins`.

    >>> import numpy as np, pullback as pb
    >>> pb.nn.monitor.histogram_of(np.array([0.0, 1.0, 1.0, np.nan]), bins=2)
    {'counts': [1, 2], 'edges': [0.0, 0.5, 1.0]}
    """
    finite = array[np.isfinite(array)]
    counts, edges = np.histogram(finite, bins)
    return {"counts": counts.tolist(), "edges": edges.tolist()}


def writer_for(directory: str | Path) -> Writer:
    """A writer into a `directory`: for TensorBoard where tensorboardX is installed, else of JSON lines.

    >>> import tempfile
    >>> import pullback as pb
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     writer = pb.nn.monitor.writer_for(directory)
    ...     writer.close()
    """
    return TensorBoard(directory) if importlib.util.find_spec("tensorboardX") else JsonLines(directory)


class Monitor:
    """Records the training of a model: `history` has the numbers of each step.

    model: a Module. directory: where they are written too, None for nowhere; writer: what writes them.
    histograms: after how many steps histograms of weights and gradients are written, 0 for never.

    The numbers, for each trainable variable: the norms of the weights and of the gradient, and the norm of the last
    change over that of the weights (about 1e-3 where training goes well). For each Dense layer, of its last outputs:
    the share of dead units (no row of the batch gives them a gradient: relu at 0) and of saturated outputs (tanh,
    sigmoid near their bounds, where the derivative is below 2 % of its largest value).

    >>> import numpy as np, pullback as pb
    >>> layer = pb.nn.Dense(2, "relu", seed=0)
    >>> layer.build(1); _ = layer.kernel.assign([[1.0, -1.0]])
    >>> monitor = pb.nn.monitor.Monitor(layer)
    >>> with pb.GradientTape() as tape:
    ...     loss = np.sum(layer(np.array([[1.0], [2.0]])))
    >>> numbers = monitor.record(tape.gradient(loss, layer.trainable_variables), loss)
    >>> numbers["Dense/dead"], numbers["Dense/kernel/gradient_norm"]
    (0.5, 3.0)
    """

    def __init__(
        self,
        model: Module,
        directory: str | Path | None = None,
        writer: Writer | None = None,
        histograms: int = 10,
    ) -> None:
        self.model, self.histograms = model, histograms
        self.writer = writer or (writer_for(directory) if directory is not None else None)
        self.history: list[Statistics] = []
        self.before: dict[str, np.ndarray] = {}

    def record(self, gradients: Sequence[Any], loss: Any = None) -> Statistics:
        """The numbers of a step: the gradients of the model's trainable variables, in their order, and the loss."""
        names = names_of(self.model)
        variables = self.model.trainable_variables
        if len(gradients) != len(variables):
            raise ValueError(f"there are {len(variables)} trainable variables and {len(gradients)} gradients")
        numbers: Statistics = {} if loss is None else {"loss": float(_plain(loss))}
        arrays: dict[str, np.ndarray] = {}
        for variable, gradient in zip(variables, gradients, strict=True):
            name, weights = names[id(variable)], variable.numpy()
            slope = np.zeros_like(weights) if gradient is None else np.asarray(_plain(gradient))
            numbers |= self.numbers_of(name, np.asarray(weights), slope)
            arrays |= {f"{name}/weights": np.asarray(weights), f"{name}/gradient": slope}
        for name, layer in layers_of(self.model):
            numbers |= {f"{name}/{key}": number for key, number in unit_shares(layer).items()}
        step = len(self.history)
        self.history.append(numbers)
        if self.writer is not None:
            self.writer.write(step, numbers, arrays if self.histograms and step % self.histograms == 0 else {})
        return numbers

    def numbers_of(self, name: str, weights: np.ndarray, gradient: np.ndarray) -> Statistics:
        """Norms, and the ratio of the change since the last step to the weights."""
        norm = float(np.linalg.norm(weights))
        change = float(np.linalg.norm(weights - self.before.get(name, weights)))
        self.before[name] = weights
        return {
            f"{name}/weight_norm": norm,
            f"{name}/gradient_norm": float(np.linalg.norm(gradient)),
            f"{name}/update_ratio": change / norm if norm else 0.0,
        }

    def close(self) -> None:
        """Write what is left."""
        if self.writer is not None:
            self.writer.close()

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _plain(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def layers_of(model: Module) -> Iterator[tuple[str, Dense]]:
    """The Dense layers of a `model` with names that tell them apart.

    >>> import pullback as pb
    >>> class Two(pb.nn.Module):
    ...     def __init__(self):
    ...         self.layers = [pb.nn.Dense(2), pb.nn.Dense(1)]
    >>> [name for name, _ in pb.nn.monitor.layers_of(Two())]
    ['Dense_0', 'Dense_1']
    """
    layers = [one for one in (model, *model.submodules) if isinstance(one, Dense)]
    for k, layer in enumerate(layers):
        alike = [one for one in layers if one.name == layer.name]
        yield layer.name if len(alike) == 1 else f"{layer.name}_{k}", layer


def names_of(model: Module) -> dict[int, str]:
    """A name for each variable of a `model`, by its identity: of its layer and its own, made different by a number.

    >>> import pullback as pb
    >>> layer = pb.nn.Dense(2)
    >>> layer.build(1)
    >>> list(pb.nn.monitor.names_of(layer).values())
    ['Dense/kernel', 'Dense/bias']
    """
    names: dict[int, str] = {}
    for layer_name, layer in layers_of(model):
        names |= {id(variable): f"{layer_name}/{variable.name}" for variable in layer.variables}
    for variable in model.variables:
        if id(variable) not in names:
            taken = set(names.values())
            counted = (f"{variable.name}_{k}" for k in range(1, len(taken) + 2))
            names[id(variable)] = next(name for name in (variable.name, *counted) if name not in taken)
    return names


def unit_shares(layer: Dense) -> Statistics:
    """The share of dead units and of saturated outputs of a `layer`, where its activation has them.

    >>> import numpy as np, pullback as pb
    >>> layer = pb.nn.Dense(1, "tanh", seed=0)
    >>> _ = layer(np.array([[0.0], [1000.0]]))
    >>> pb.nn.monitor.unit_shares(layer)
    {'saturated': 0.5}
    """
    if layer.outputs is None:
        return {}
    y = np.reshape(_plain(layer.outputs), (-1, layer.units))
    match getattr(layer.activation, "__name__", ""):
        case "relu":
            return {"dead": float(np.mean(np.all(y == 0, axis=0)))}
        case "tanh":
            return {"saturated": float(np.mean(1 - y * y < SATURATED))}
        case "sigmoid":
            return {"saturated": float(np.mean(4 * y * (1 - y) < SATURATED))}
    return {}


def read(directory: str | Path) -> list[dict[str, Any]]:
    """The steps that JsonLines wrote into a `directory`, a dict for each.

    >>> import tempfile
    >>> import pullback as pb
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with pb.nn.monitor.Monitor(pb.nn.Module(), writer=pb.nn.monitor.JsonLines(directory)) as monitor:
    ...         _ = monitor.record([], 0.25)
    ...     pb.nn.monitor.read(directory)[0]["loss"]
    0.25
    """
    with (Path(directory) / "monitor.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def draw(history: Sequence[Statistics], path: str | Path | None = None) -> Any:
    """A figure of matplotlib's with a panel for each kind of number; it is saved as `path` where that is given.

    history: that of a Monitor, or what `read` gives. Raises ImportError where matplotlib is not installed.

    >>> import pullback as pb
    >>> figure = pb.nn.monitor.draw([{"loss": 2.0}, {"loss": 1.0}])
    >>> [panel.get_title() for panel in figure.axes]
    ['loss']
    """
    from matplotlib.figure import Figure

    kinds = ["loss", "gradient_norm", "weight_norm", "update_ratio", "dead", "saturated"]
    found = [kind for kind in kinds if any(key.rpartition("/")[2] == kind for key in history[0])]
    figure = Figure(figsize=(5 * len(found), 3.5), layout="constrained")
    for panel, kind in zip(np.atleast_1d(figure.subplots(1, len(found))), found, strict=True):
        for key in (key for key in history[0] if key.rpartition("/")[2] == kind):
            panel.plot([numbers[key] for numbers in history], label=key.rpartition("/")[0] or key)
        panel.set_title(kind.replace("_", " "))
        panel.set_xlabel("step")
        if kind in ("gradient_norm", "update_ratio", "loss"):
            panel.set_yscale("log")
        panel.legend(fontsize="x-small")
    if path is not None:
        figure.savefig(path)
    return figure

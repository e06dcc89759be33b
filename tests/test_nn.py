"""Modules, layers, optimizers, losses and the monitor of training."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.nn import monitor


def two_layers() -> Any:
    class Net(pb.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.hidden = pb.nn.Dense(4, "tanh", seed=1)
            self.out = pb.nn.Dense(1, seed=2)

        def __call__(self, x: Any) -> Any:
            return self.out(self.hidden(x))

    return Net()


def test_variables_are_listed_once_and_in_order() -> None:
    class Net(pb.nn.Module):
        pass

    net, inner = Net(), Net()
    net.z, net.a = pb.Variable(1.0, name="z"), pb.Variable(2.0, name="a")
    net.deep = {"y": [pb.Variable(3.0, name="y")], "x": (pb.Variable(4.0, name="x"), inner)}
    net.again, net.frozen = net.z, pb.Variable(5.0, name="frozen", trainable=False)
    inner.v, inner.back = pb.Variable(6.0, name="v"), net
    assert [v.name for v in net.variables] == ["a", "z", "x", "y", "frozen", "v"]
    assert [v.name for v in net.trainable_variables] == ["a", "z", "x", "y", "v"]
    assert net.submodules == (inner,)


def test_frozen_layer_is_not_watched() -> None:
    layer = pb.nn.Dense(2, trainable=False)
    x = pb.Variable(np.ones((3, 2)))
    with pb.GradientTape() as tape:
        y = np.sum(layer(x))
    assert tape.watched_variables() == (x,)
    assert layer.trainable_variables == ()
    assert tape.gradient(y, layer.kernel) is None


def test_layer_takes_rows_of_one_length() -> None:
    layer = pb.nn.Dense(2)
    layer(np.ones((3, 4)))
    with pytest.raises(pb.ShapeError, match="rows of 4 numbers, not of shape"):
        layer(np.ones((3, 5)))
    with pytest.raises(ValueError, match="there is no activation 'swash'"):
        pb.nn.Dense(2, activation="swash")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_network_learns(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 3)).astype(dtype)
    t = np.sin(x[:, :1]) * x[:, 1:2]
    net = two_layers()
    net(x)
    for optimizer in (pb.nn.SGD(0.1, momentum=0.9), pb.nn.Adam(0.02)):
        losses = []
        for _ in range(60):
            loss = optimizer.minimize(lambda: pb.nn.mean_squared_error(net(x), t), net.trainable_variables)
            losses.append(loss.item())
        assert losses[-1] < 0.9 * losses[0]
        assert all(v.dtype == dtype for v in net.variables)


def test_losses_serve_arrays_tensors_and_compiled_functions() -> None:
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(5, 3)), np.array([0, 2, 1, 1, 0])
    shares = np.eye(3)[labels]

    def dense(z: Any) -> Any:
        return pb.nn.softmax_cross_entropy(z, shares)

    def binary(z: Any) -> Any:
        return pb.nn.sigmoid_cross_entropy(z, shares)

    for loss in (dense, binary):
        z = pb.Variable(logits)
        with pb.GradientTape() as tape:
            value = loss(z)
        compiled, expected = pb.value_and_grad(pb.differentiable(jit=False)(loss))(logits)
        assert value.item() == pytest.approx(loss(logits), rel=1e-14)
        assert compiled == pytest.approx(loss(logits), rel=1e-14)
        np.testing.assert_allclose(tape.gradient(value, z).numpy(), expected, rtol=1e-12, atol=1e-15)
    assert pb.nn.softmax_cross_entropy(logits, labels) == pytest.approx(dense(logits))


LOGITS = np.random.default_rng(3).normal(size=(4, 3))
SHARES = np.random.default_rng(4).uniform(0.1, 1.0, (4, 3))
OF_ROWS: list[Callable[[Any], Any]] = [
    lambda z: np.sum(SHARES * pb.nn.softmax(z)),
    lambda z: np.sum(SHARES * pb.nn.softmax(z, axis=0) ** 2),
    lambda z: np.sum(SHARES[0] * pb.nn.softmax(z[0])),
    lambda z: np.sum(SHARES * pb.nn.log_softmax(z, 0) ** 2),
    lambda z: pb.nn.softmax_cross_entropy(z, SHARES),
    lambda z: pb.nn.softmax_cross_entropy(z, SHARES[:1]),
    lambda z: pb.nn.softmax_cross_entropy(z[:1], SHARES),
    lambda z: pb.nn.softmax_cross_entropy(z[:, :1], SHARES),
    lambda z: pb.nn.softmax_cross_entropy(z[None], SHARES),
    lambda z: pb.nn.softmax_cross_entropy(SHARES, z * z),
    lambda z: pb.nn.softmax_cross_entropy(z, z),
    lambda z: pb.nn.softmax_cross_entropy(z, np.array([0, -1, 1, 1])),
    lambda z: pb.nn.softmax_cross_entropy(z, np.array([0, 2])),
]


@pytest.mark.drawn(5)
@pytest.mark.parametrize("loss", OF_ROWS)
def test_one_operation_on_a_tape_has_the_derivatives_of_its_text(loss: Callable[[Any], Any]) -> None:
    z = pb.Variable(LOGITS)
    with pb.GradientTape() as second:
        with pb.GradientTape() as first:
            value = loss(z)
        gradient = first.gradient(value, z)
        curvature = np.sum(gradient * gradient * SHARES)
    slope = pb.grad(pb.differentiable(jit=False)(loss))
    of_curvature = pb.grad(pb.differentiable(jit=False)(lambda z: np.sum(slope(z) ** 2 * SHARES)))
    with pb.ForwardAccumulator(z, pb.constant(SHARES)) as forward:
        again = loss(z)
    assert value.item() == again.item() == loss(LOGITS)
    np.testing.assert_allclose(gradient.numpy(), slope(LOGITS), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(second.gradient(curvature, z).numpy(), of_curvature(LOGITS), rtol=1e-12, atol=1e-15)
    assert forward.jvp(again).item() == pytest.approx(np.sum(slope(LOGITS) * SHARES), rel=1e-12, abs=1e-15)


def test_rows_that_are_not_chosen_add_nothing() -> None:
    z = pb.Variable([[0.0, 1.0], [np.nan, 0.0], [np.inf, 1.0]])
    chosen = np.array([[True], [False], [False]])
    for function in (pb.nn.softmax, pb.nn.log_softmax):
        with pb.GradientTape() as tape, np.errstate(invalid="ignore"):
            total = np.sum(np.where(chosen, function(z), 0.0)[:, 0])
        gradient = tape.gradient(total, z).numpy()
        assert np.isfinite(gradient).all()
        assert not gradient[1:].any()
        assert gradient[0].all()


def test_gradients_that_are_missing() -> None:
    v, w = pb.Variable(1.0, name="v"), pb.Variable(1.0, name="w")
    optimizer = pb.nn.SGD(0.5)
    with pytest.warns(UserWarning, match="no gradients for the variables 'v'"):
        optimizer.apply_gradients([(None, v), (2.0, w)])
    assert (v.item(), w.item()) == (1.0, 0.0)
    with pytest.raises(ValueError, match="no gradient for any variable"):
        optimizer.apply_gradients([])


# The monitor


def trained(writer: Any = None, directory: Any = None) -> monitor.Monitor:
    """A network after six steps, watched."""
    net = two_layers()
    x = np.linspace(-1, 1, 12).reshape(6, 2)
    net(x)
    watched = monitor.Monitor(net, directory, writer, histograms=2)
    optimizer = pb.nn.SGD(0.1)
    for _ in range(6):
        with pb.GradientTape() as tape:
            loss = np.mean(net(x) ** 2)
        gradients = tape.gradient(loss, net.trainable_variables)
        watched.record(gradients, loss)
        optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
    watched.close()
    return watched


def test_numbers_of_a_step() -> None:
    history = trained().history
    first, second = history[:2]
    assert set(first) == {
        "loss",
        *(f"Dense_{k}/{v}/{n}" for k in (0, 1) for v in ("kernel", "bias") for n in NUMBERS),
        "Dense_0/saturated",
    }
    assert first["Dense_0/kernel/update_ratio"] == 0.0
    ratio = 0.1 * first["Dense_0/kernel/gradient_norm"] / second["Dense_0/kernel/weight_norm"]
    assert second["Dense_0/kernel/update_ratio"] == pytest.approx(ratio)


NUMBERS = ("weight_norm", "gradient_norm", "update_ratio")


def test_dead_and_saturated_units_are_told_apart() -> None:
    x = np.linspace(0.5, 1.0, 10)[:, None]
    dead, saturated = pb.nn.Dense(2, "relu"), pb.nn.Dense(2, "sigmoid")
    for layer, kernel in ((dead, [[-1.0, 1.0]]), (saturated, [[20.0, 0.1]])):
        layer.build(1)
        layer.kernel.assign(kernel)
        with pb.GradientTape() as tape:
            loss = np.sum(layer(x))
        found = monitor.Monitor(layer).record(tape.gradient(loss, layer.trainable_variables))
        assert found["Dense/dead" if layer is dead else "Dense/saturated"] == 0.5


def test_json_lines(tmp_path: Path) -> None:
    watched = trained(monitor.JsonLines(tmp_path))
    steps = monitor.read(tmp_path)
    assert [line["step"] for line in steps] == list(range(6))
    assert [line["loss"] for line in steps] == [numbers["loss"] for numbers in watched.history]
    assert sum(steps[2]["histograms"]["Dense_0/kernel/weights"]["counts"]) == 8
    assert steps[1]["histograms"] == {}


def test_json_lines_stand_in_for_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor.importlib.util, "find_spec", lambda name: None)
    trained(directory=tmp_path)
    assert len(monitor.read(tmp_path)) == 6


def records_in(file: Path) -> list[bytes]:
    """The records of an event file: each a length, its checksum, the bytes, and their checksum."""
    content, found, at = file.read_bytes(), [], 0
    while at < len(content):
        (length,) = struct.unpack_from("<Q", content, at)
        found.append(content[at + 12 : at + 12 + length])
        at += 16 + length
    return found


def test_event_file_of_tensorboard_is_written_and_read_back(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto.event_pb2 import Event

    watched = trained(directory=tmp_path)
    (file,) = tmp_path.glob("events.out.tfevents.*")
    events = [Event.FromString(record) for record in records_in(file)]
    values = [(event.step, value) for event in events if event.HasField("summary") for value in event.summary.value]
    losses = {step: value.simple_value for step, value in values if value.tag == "loss"}
    assert losses == {k: pytest.approx(numbers["loss"], rel=1e-6) for k, numbers in enumerate(watched.history)}
    histograms = [(step, value) for step, value in values if value.tag == "Dense_0/kernel/gradient"]
    assert [step for step, _ in histograms] == [0, 2, 4]
    assert all(value.histo.num == 8 for _, value in histograms)


def test_figure_has_a_panel_for_each_kind(tmp_path: Path) -> None:
    figure = monitor.draw(trained().history, tmp_path / "training.png")
    assert [axes.get_title() for axes in figure.axes] == [
        "loss",
        "gradient norm",
        "weight norm",
        "update ratio",
        "saturated",
    ]
    assert (tmp_path / "training.png").stat().st_size > 1000
    assert json.dumps(trained().history)
    assert "pullback.nn.monitor" in sys.modules

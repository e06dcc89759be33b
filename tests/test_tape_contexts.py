"""A tape is open in the thread or task that entered it, and in those that began while it was open."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import pullback as pb


async def step(w: Any, scale: float, order: list[float]) -> Any:
    """A step of training that gives way in the middle."""
    with pb.GradientTape() as tape:
        y = w * scale
        await asyncio.sleep(0)
        order.append(scale)
        loss = y * w
        await asyncio.sleep(0)
    return tape, tape.gradient(loss, w)


def test_steps_of_two_tasks_do_not_see_each_other() -> None:
    w, order = pb.Variable(3.0), []

    async def run() -> Any:
        return await asyncio.gather(step(w, 1.0, order), step(w, 10.0, order))

    (_, first), (_, second) = asyncio.run(run())
    assert (first.item(), second.item(), order) == (6.0, 60.0, [1.0, 10.0])


def test_a_tape_does_not_record_what_another_task_computes() -> None:
    w, v = pb.Variable(3.0), pb.Variable(2.0)
    entered, done = asyncio.Event(), asyncio.Event()
    found: list[Any] = []

    async def taping() -> None:
        with pb.GradientTape() as tape:
            entered.set()
            await done.wait()
            y = w * w
        found.extend([tape.watched_variables(), tape.gradient(y, w).item()])

    async def computing() -> None:
        await entered.wait()
        found.append(float((v * v) * 1.0))
        found.append(np.array([v, v]).tolist())  # no tape follows it here
        done.set()

    async def run() -> None:
        await asyncio.gather(taping(), computing())

    asyncio.run(run())
    assert found == [4.0, [2.0, 2.0], (w,), 6.0]


def test_tasks_that_begin_inside_of_a_tape_are_recorded() -> None:
    w = pb.Variable(3.0)

    async def part(scale: float) -> Any:
        await asyncio.sleep(0)
        return w * scale

    async def run() -> Any:
        with pb.GradientTape() as tape:
            y = sum(await asyncio.gather(part(2.0), part(3.0), asyncio.to_thread(lambda: w * w)))
        return tape.gradient(y, w)

    assert asyncio.run(run()).item() == 11.0


def test_a_tape_inside_of_a_task_of_a_tape_is_its_own() -> None:
    w = pb.Variable(3.0)

    async def inner() -> Any:
        with pb.GradientTape() as tape:
            y = w * w * w
            await asyncio.sleep(0)
        return tape.gradient(y, w)

    async def run() -> Any:
        with pb.GradientTape() as outer:
            slope = await asyncio.create_task(inner())
        return slope, outer.gradient(slope, w)

    slope, curvature = asyncio.run(run())
    assert (slope.item(), curvature.item()) == (27.0, 18.0)


def test_a_task_outlives_the_tape_it_began_in() -> None:
    w = pb.Variable(3.0)

    async def late() -> Any:
        await asyncio.sleep(0.01)
        return float(w * w), np.sum(w * w)

    async def run() -> Any:
        with pb.GradientTape() as tape:
            task = asyncio.create_task(late())
            await asyncio.sleep(0)
            y = w * w
        return tape.gradient(y, w), await task

    gradient, (number, total) = asyncio.run(run())
    assert (gradient.item(), number, total.item()) == (6.0, 9.0, 9.0)


def test_a_pause_in_one_task_is_none_in_another() -> None:
    w = pb.Variable(3.0)

    async def paused(tape: Any) -> Any:
        with tape.stop_recording():
            await asyncio.sleep(0)
            y = w * w
            await asyncio.sleep(0)
        return y

    async def plain() -> Any:
        await asyncio.sleep(0)
        return w * w

    async def run() -> Any:
        with pb.GradientTape(persistent=True) as tape:
            constant, followed = await asyncio.gather(paused(tape), plain())
        return tape.gradient(constant, w), tape.gradient(followed, w)

    constant, followed = asyncio.run(run())
    assert constant is None
    assert followed.item() == 6.0


def test_a_generator_computes_in_the_context_of_its_caller() -> None:
    w = pb.Variable(3.0)

    def squares() -> Iterator[Any]:
        while True:
            yield w * w

    made = squares()
    next(made)
    with pb.GradientTape() as tape:
        y = next(made)
    next(made)
    assert tape.gradient(y, w).item() == 6.0


def test_an_accumulator_belongs_to_its_task() -> None:
    x = pb.constant(3.0)

    async def pushed(scale: float) -> Any:
        with pb.ForwardAccumulator(x, pb.constant(scale)) as accumulator:
            await asyncio.sleep(0)
            y = x * x
            await asyncio.sleep(0)
        return accumulator.jvp(y).item()

    async def run() -> Any:
        return await asyncio.gather(pushed(1.0), pushed(10.0))

    assert asyncio.run(run()) == [6.0, 60.0]


def test_a_fresh_thread_begins_without_tapes() -> None:
    w, found = pb.Variable(3.0), []

    def compute() -> None:
        found.append(w * w)

    with pb.GradientTape() as tape:
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
        with ThreadPoolExecutor(1) as pool:
            found.append(pool.submit(lambda: w * 2.0).result())
    assert tape.watched_variables() == ()
    assert all(y.item() > 0 for y in found)

"""Tapes in functions that cannot be resolved before they run: each line of trouble is marked."""

import numpy as np

import pullback as pb


def not_watched(x):
    with pb.GradientTape() as tape:
        y = np.sum(x * x)
    return 2.0 * tape.gradient(y, x)  # refused: the tape does not watch 'x', at `2.0 * tape.gradient(y, x)`


def computed_afterwards(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
    z = 2.0 * y
    return 2.0 * tape.gradient(z, x)  # refused: the target is not computed of what the tape watches


def independent(x):
    y = np.sum(x * x)
    with pb.GradientTape() as tape:
        tape.watch((x, y))
        z = np.exp(y)
    return 2.0 * tape.gradient(z, x)  # refused: the target does not depend on 'x'


def written_in_the_block(x):
    y = x.copy()
    with pb.GradientTape() as tape:
        tape.watch(y)
        y[0] = 3.0
        z = np.sum(y * y)
    return tape.gradient(z, y)  # refused: 'y' is written in the block of its tape, at `tape.gradient(z, y)`


def written_under_another_name(x):
    y = x.copy()
    other = y
    with pb.GradientTape() as tape:
        tape.watch(y)
        z = np.sum(y * y)
        other[1:] = 0.0
    return tape.gradient(z, y)  # refused: 'y' is written in the block of its tape


def asked_twice(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
    first = tape.gradient(y, x)
    return first + tape.gradient(y, x)  # refused: more than once, at `tape.gradient(y, x)`


def asked_in_a_loop(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
    total = np.zeros(x.shape)
    for _ in range(3):
        total += tape.gradient(y, x)  # refused: more than once, at `tape.gradient(y, x)`
    return total


def asked_in_a_branch_and_behind_it(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
    total = np.zeros(x.shape)
    if y > 1.0:
        total += tape.gradient(y, x)
    return total + tape.gradient(y, x)  # refused: more than once


def asked_behind_a_branch(x):
    if x[0] > 0.0:
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
    return tape.gradient(y, x)  # refused: not on every path that leads here, at `tape.gradient(y, x)`


def asked_behind_a_loop(x):
    for _ in range(3):
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
    return tape.gradient(y, x)  # refused: 'tape' is a tape that an iteration of a loop has made, at `tape`


def watched_in_a_branch(x):
    with pb.GradientTape() as tape:
        if x[0] > 0.0:
            tape.watch(x)  # refused: must be known before the run, at `tape.watch(x)`
        y = np.sum(x * x)
    return tape.gradient(y, x)


def watched_afterwards(x):
    with pb.GradientTape() as tape:
        y = np.sum(x * x)
    tape.watch(x)  # refused: must be known before the run
    return tape.gradient(y, x)


def target_in_a_loop(x):
    total = np.zeros(x.shape)
    with pb.GradientTape(persistent=True) as tape:
        tape.watch(x)
        for i in range(3):
            y = np.sum(x * x) * i
            total += tape.gradient(y, x)  # refused: the target is computed in a branch or loop
    return total


def part_watched(x):
    part = x[1:]
    with pb.GradientTape() as tape:
        tape.watch(part)  # refused: a part of an array cannot be watched
        y = np.sum(part * part)
    return tape.gradient(y, part)


def part_as_source(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
    return tape.gradient(y, x[1:])  # refused: a part of an array is no source


def part_as_target(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        part = y[1:]
    return tape.gradient(part, x)  # refused: a part of an array is no target


def integers(x):
    k = np.arange(3)
    with pb.GradientTape() as tape:
        tape.watch(k)  # refused: what is not made of floats cannot be watched
        y = np.sum(x[:3] * k)
    return tape.gradient(y, x)


def jacobian(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.jacobian(y, x)  # refused: 'jacobian' of a tape cannot be followed, at `tape.jacobian(y, x)`


def without_sources(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y)  # refused: gradient() needs a target and sources


def unknown_argument(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, seed=1.0)  # refused: unexpected argument 'seed'


def unknown_option(x):
    with pb.GradientTape(resistant=True) as tape:  # refused: no argument 'resistant'
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def option_of_the_run(x):
    with pb.GradientTape(persistent=x[0] > 0.0) as tape:  # refused: 'persistent' is not known before the run
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def bad_choice(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, unconnected_gradients="ones")  # refused: is 'none' or 'zero'


def cotangents_of_another_rank(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=2.0)  # refused: another number of dimensions


def too_few_cotangents(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient([y, y], x, output_gradients=[x])  # refused: another number of items


def returned_from(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        return np.sum(x * x)  # refused: cannot be left by a jump, at `return np.sum(x * x)`


def broken_off(x):
    y = 0.0
    for _ in range(3):
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
            if y > 3.0:
                break  # refused: cannot be left by a jump, at `break`
    return y


def without_a_name(x):
    with pb.GradientTape():  # refused: 'with' cannot be differentiated, at `with`
        y = np.sum(x * x)
    return y


def made_before(x):
    tape = pb.GradientTape()
    with tape:  # refused: 'with' cannot be differentiated, at `with`
        tape.watch(x)
        y = np.sum(x * x)
    return tape.gradient(y, x)


def function_without_a_rule(x):
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.union1d(x, x))  # refused: np.union1d has no derivative rule, at `np.union1d(x, x)`
    return tape.gradient(y, x)

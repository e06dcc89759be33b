"""Loops that keep much, so that they run in segments where memory is short."""

import numpy as np

import pullback as pb
from collect import program


@program(0.3, 1.1, 0)
@program(0.3, 1.1, 1)
@program(0.3, 1.1, 2)
@program(0.3, 1.1, 16)
@program(0.3, 1.1, 17)
@program(0.3, 1.1, 23)
def recurrence(x, a, n):
    for _ in range(n):
        x = np.sin(a * x + 0.5)
    return x


@program(0.3, -0.2, 0.05, 29)
@program(0.3, -0.2, 0.05, 0)
def pendulum(angle, speed, dt, n):
    energy = 0.0
    for _ in range(n):
        force = -np.sin(angle)
        speed = speed + dt * force
        angle = angle + dt * speed
        energy = energy + speed * speed * angle
    return energy * angle


@program(np.array([0.3, -0.4, 0.9]), 0.1, 14)
def euler(x, dt, n):
    for _ in range(n):
        x = x + dt * np.tanh(x) * x
    return np.sum(x * x)


@program(np.array([0.3, -0.4, 0.9, 0.2]), 14)
def relaxation_in_place(x, n):
    u = x.copy()
    for _ in range(n):
        for j in range(1, u.shape[0] - 1):
            u[j] = np.sin(u[j - 1] * u[j + 1]) + 0.5 * u[j]
    return np.sum(u * u)


@program(np.array([0.3, -0.4, 0.9, 0.2]), 7)
def argument_overwritten(x, n):
    for _ in range(n):
        x[1:] = np.cos(x[:-1]) * x[1:]
        x[0] = x[-1] * 0.7
    return np.sum(x * x)


@program(np.array([[0.3, -0.4], [0.9, 0.2]]), np.array([0.5, -0.5]), 11)
def swaps(a, b, n):
    old, new = b, a @ b
    for _ in range(n):
        old, new = new, np.tanh(a @ new) + 0.1 * old
    return np.dot(old, new)


@program(0.4, 11)
@program(-0.4, 12)
def branches(x, n):
    for i in range(n):
        if x > 0.2:
            x = np.sin(3.0 * x)
        elif i % 3 == 0:
            x = x * x - 0.3
        else:
            x = np.exp(-x) * 0.5
    return x


@program(0.4, 10, -1, -1)
@program(0.4, 20, 3, -3)
@program(0.4, 3, 25, 3)
@program(0.4, 25, 3, 3)
@program(0.4, -7, 9, 2)
def any_range(x, start, stop, step):
    total = 0.0
    for i in range(start, stop, step):
        x = np.cos(x + 0.1 * i)
        total += x * i
    return total * x


@program(np.array([0.3, -0.4, 0.9]), 9)
def reads_what_is_overwritten_later(x, n):
    w = np.exp(x)
    s = x[0]
    for i in range(n):
        s = np.tanh(s * w[i % 3] + x[i % 3])
    w[1] = s * s
    return np.sum(w * x)


@program(np.array([0.3, -0.4, 0.9]), 9, 13)
def two_loops(x, n, m):
    s = x[0]
    for _ in range(n):
        s = np.sin(s + x[1])
    t = s * x[2]
    for _ in range(m):
        t = np.cos(s * t) - 0.3 * t * t
    return s * t


@program(np.linspace(0.1, 0.9, 13))
def loss_of_a_mean(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.tanh(x[i] * x[i])
    return total * total


@program(np.linspace(0.1, 0.9, 11), 0.2, 5)
def each_of_many_chains(x, a, n):
    total = 0.0
    for i in range(x.shape[0]):
        s = x[i]
        for _ in range(n):
            s = np.sin(s + a) * s
        total += s
    return total * total


@program(np.linspace(0.1, 0.9, 5), 0.2, 11)
@program(np.linspace(0.1, 0.9, 70), 0.2, 5)
def chains_in_a_sum(x, a, n):
    total = 0.0
    for i in range(x.shape[0]):
        s = x[i]
        for _ in range(n):
            s = np.sin(s + a) * s
        total += s
    return total


@program(0.9, 6)
def as_long_as_needed_each_time(x, n):
    for i in range(n):
        y = x + i
        while y > 0.5:
            y = y * np.sin(y) * 0.6
        x = x + y * y * 0.1
    return x


@program(0.9, 6)
def leaves_inner_loops(x, n):
    for i in range(n):
        for j in range(10):
            x = np.sin(x) + 0.3
            if x * j > 2.0 + i:
                break
    return x * x


@program(0.9, 5)
@program(0.9, 0)
def set_in_an_iteration(x, n):
    last = x
    count = 0
    seen = x > 0.0
    for i in range(n):
        last = np.exp(-x) * x
        x = x + last / (1.0 + i)
        seen = not seen
        count += 2 if seen else 1
    return last * x * count if seen else last + x * count


@program(np.float32(0.3), np.array([0.5, 0.25, 0.125], np.float32), 7)
def single_precision(x, w, n):
    for i in range(n):
        x = np.sin(x * w[i % 3]) + w[0]
    return x


@program(np.array([0.3, 0.8, 0.4]), 6)
def writes_into_what_it_reads(x, n):
    y = np.zeros(4)
    y[0] = x[0]
    for i in range(n):
        y[i % 4] = np.sin(y[(i + 3) % 4] + x[i % 3]) * y[i % 4] + x[0]
    return np.sum(y * y)


@program(np.linspace(0.2, 0.9, 3), 20)
def trajectory(x, n):
    y = np.empty((n + 1, 3))
    y[0] = x
    for i in range(n):
        y[i + 1] = y[i] + 0.1 * np.sin(y[i]) / (1.0 + y[i] ** 2)
    return np.sum(y * y)


@program(0.4, 7)
def of_a_list(x, n):
    kept = [x]
    for _ in range(n):
        kept.append(np.sin(kept[-1]) * x)
    total = 0.0
    for value in kept:
        total += value * value * total + value
    return total


@program(np.array([0.4, 0.2]), np.ones((4, 2)), 5)
def asserted_and_checked(x, w, n):
    for i in range(n):
        assert x[0] < 10.0
        if x[1] > 100.0:
            raise ValueError("x grows")
        x = np.tanh(x * w[i % 4]) + 0.1
    return np.sum(x)


@program(0.3, 1.4)
@program(0.3, 0.31)
@program(1.5, 1.4)
def until_large(x, most):
    while x < most:
        x = x + 0.1 * np.sin(x) * x
    return x * x


@program(np.array([0.3, -0.4, 0.9]), 40)
@program(np.array([0.3, -0.4, 0.9]), 0)
def while_of_arrays(x, n):
    k = 0
    while k < n and np.sum(x * x) > 0.05:
        x = 0.98 * np.sin(x) + 0.001 * k
        k += 1
    return np.sum(x) * k


@program(0.3, 30, 9.0)
@program(0.3, 30, 1.1)
@program(0.3, 30, 0.35)
@program(0.3, 0, 9.0)
@program(0.3, 1, 0.0)
def until_break(x, n, most):
    for i in range(n):
        x = x + 0.1 * np.sin(x + i)
        if x > most:
            break
        x = x * 1.01
    return x


@program(0.3, 25, 1.2)
@program(0.3, 2, 1.2)
def break_in_steps(x, n, most):
    for i in range(n, -4, -3):
        if x > most:
            break
        x = x + 0.05 * i * np.cos(x)
    return x


@program(0.3, 40)
@program(0.3, 0)
def while_with_break(x, n):
    steps = 0
    y = 1.0
    while steps < n:
        y = y * np.exp(-x * y)
        if y < 0.2:
            break
        steps = steps + 1
        x = np.sin(x) + 0.2
    return x * y


@program(0.3, 12, True)
@program(0.3, 12, False)
def loop_in_branch(x, n, yes):
    if yes:
        for i in range(n):
            x = np.sin(x) * x + 0.5
    else:
        while x < 3.0:
            x = x * 1.3
    return x


@program(0.3, 7, 11)
@program(0.3, 0, 11)
@program(0.3, 3, 0)
def loops_in_a_loop(x, n, m):
    for i in range(n):
        y = x
        for j in range(m):
            y = np.sin(y) + 0.1 * j
        x = x * y + 0.1 * i
        while y < 4.0:
            y = y * y + 0.9
        x = x + 0.01 * y
    return x


@program(np.array([0.3, 0.7, 0.9]), 0.05)
def newton_for_each(a, tol):
    total = 0.0
    for i in range(a.shape[0]):
        x = 1.0
        while abs(x * x - a[i]) > tol:
            if x > 0.0:
                for _ in range(3):
                    x = x - 0.2 * (x * x - a[i]) / x
        total = total + x * a[i]
    return total


@program(np.array([0.3, -0.4, 0.9, 0.2]), 14)
def while_in_place(x, n):
    u = x.copy()
    k = 0
    while True:
        for j in range(1, u.shape[0] - 1):
            u[j] = np.sin(u[j - 1] * u[j + 1]) + 0.5 * u[j]
        k += 1
        if k == n or u[1] > 2.0:
            break
    return np.sum(u * u)


@program(np.array([0.3, -0.4, 0.9, 0.2, 0.5]), 0.2)
def condition_that_reads_elements(x, w):
    i = 0
    s = 0.0
    while i < x.shape[0] and x[i] * w < 0.17:
        s = s * np.cos(s + x[i] * w) + x[i]
        i += 1
    return s * w


@program(0.3, 1.1, 0, 100)
@program(0.3, 1.1, 1, 100)
@program(0.3, 1.1, 900, 100)
@program(0.3, 1.1, 900, 0)
@program(0.3, 1.1, 700, 24)
def in_given_memory(x, a, n, most):
    for _ in pb.checkpointed(range(n), memory=most):
        x = np.sin(a * x + 0.5)
    return x


@program(np.array([0.3, -0.4, 0.9]), 0.1, 140)
def arrays_in_given_memory(x, dt, n):
    energy = 0.0
    for i in pb.checkpointed(range(n, 2, -3), memory=100):
        x = x + dt * np.tanh(x) * x / i
        energy = energy + np.sum(x) * 0.01
    return np.sum(x * x) * energy


@program(np.array([[0.3, -0.4, 0.9], [0.1, 0.2, 0.3]]), 0.7)
def rows_in_segments(rows, w):
    s = 0.0
    for i, row in enumerate(pb.checkpointed(rows)):
        s = np.cos(s * w) + np.sum(row * s) + i
    return s


@program(np.array([0.3, -0.4, 0.9, 0.2]), 50)
def in_place_in_given_memory(x, n):
    u = x.copy()
    path = np.zeros(n)
    for k in pb.checkpointed(range(n), memory=200):
        for j in range(1, u.shape[0] - 1):
            u[j] = np.sin(u[j - 1] * u[j + 1]) + 0.5 * u[j]
        path[k] = u[1]
    return np.sum(u * u) + path[n // 2]


@program(0.3, 20, 30)
def in_given_memory_in_a_loop(x, n, m):
    for i in range(n):
        y = x
        for j in pb.checkpointed(range(m), memory=50):
            y = np.sin(y) + 0.1 * j
        x = x * 0.9 + 0.01 * y
    return x


@program(0.3, 20, 30)
def loops_in_given_memory_each(x, n, m):
    for i in pb.checkpointed(range(n), memory=24):
        for j in pb.checkpointed(range(m), memory=16):
            x = np.sin(x) + 0.1 * j
        if x > 2.0:
            x = x * x
    return x


@program(0.3, 90)
def segments_until_break(x, n):
    for i in pb.checkpointed(range(n)):
        x = x + 0.1 * np.sin(x + i)
        if x > 1.2:
            break
    return x

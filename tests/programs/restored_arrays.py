"""Nests that write an array in place, and whose inner loops load elements of it that are overwritten later."""

import numpy as np

from collect import program

COUPLING = np.array([[0.0, 0.3, -0.4], [0.2, 0.1, 0.5], [-0.6, 0.4, 0.2]])
STATE = np.array([0.5, -0.3, 0.8])
FIRST = np.array([0, 2, 3, 6])
COLUMNS = np.array([0, 2, 1, 0, 1, 2])
VALUES = np.array([2.0, 0.3, 1.7, 0.4, -0.2, 2.3])


@program(COUPLING, STATE, 2)
@program(COUPLING, STATE, 0)
@program(COUPLING, STATE, 1)
@program(COUPLING.astype(np.float32), STATE.astype(np.float32), 2)
@program(np.asfortranarray(COUPLING), STATE[::-1], 2)
def mean_field(coupling, start, sweeps):
    x = start.copy()
    for _ in range(sweeps):
        for i in range(x.shape[0]):
            field = 0.2
            for j in range(x.shape[0]):
                field += coupling[i, j] * x[j]
            x[i] = np.tanh(field)
    return np.sum(x * start)


@program(VALUES, FIRST, COLUMNS, STATE, 3)
def sparse_relaxation(values, first, columns, b, sweeps):
    x = np.zeros(b.shape[0])
    for _ in range(sweeps):
        change = 0.0
        for i in range(b.shape[0]):
            rest, diagonal = b[i], 1.0
            for k in range(first[i], first[i + 1]):
                if columns[k] == i:
                    diagonal = values[k]
                else:
                    rest -= values[k] * x[columns[k]]
            new = 0.1 * x[i] + 0.9 * rest / diagonal
            change = max(change, abs(new - x[i]))
            x[i] = new
        if change < 0.05:
            break
    return np.sum((x - 0.1) ** 2)


@program(COUPLING, STATE, 2)
def both_ways(coupling, start, sweeps):
    x = start * 1.0
    n = x.shape[0]
    for _ in range(sweeps):
        for i in range(n):
            s = x[i]
            for j in range(i):
                s += coupling[i, j] * x[j] * x[j]
            x[i] = np.sin(s)
        for i in range(n - 1, -1, -1):
            s = 0.0
            for j in range(i + 1, n):
                s += coupling[i, j] * np.exp(x[j])
            x[i] = 0.5 * x[i] + 0.1 * s
    return x[0] + x[1] * x[2]


@program(COUPLING, STATE)
def boundary_written_before_the_nest(coupling, start):
    n = start.shape[0]
    x = start.copy()
    for t in range(3):
        x[0] = 0.3 * t + start[1]
        x[-1] *= 1.1
        for i in range(1, n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] ** 2
            x[i] = s + 0.5 * x[i]
        total = 0.0
        for j in range(n):
            total += np.cos(x[j]) * x[j]
    return np.sum(x) * total


@program(COUPLING, STATE)
def boundary_written_after_the_nest(coupling, start):
    n = start.shape[0]
    x = start.copy()
    for _ in range(3):
        for i in range(1, n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] ** 2
            x[i] = s + 0.5 * x[i]
        x[0] = x[1] * x[2]
        x[0] += start[0] * x[0]
        s = 0.0
        for i in range(n):
            for j in range(n):
                s += coupling[i, j] * x[i] * np.sin(x[j])
    return np.sum(x) + s


@program(COUPLING, STATE)
def stores_among_nests(coupling, start):
    n = start.shape[0]
    x = start.copy()
    for _ in range(2):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] ** 2
            x[i] = s
        x[1] = 0.2 + x[0]
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += coupling[j, i] * x[j] ** 2
            x[i] = s + 0.1 * i
    return np.sum(x)


@program(COUPLING, STATE, np.array([True, False, True]))
def writes_in_branches(coupling, start, chosen):
    n = start.shape[0]
    x = start.copy()
    for k in range(3):
        for i in range(n):
            if chosen[(i + k) % 3]:
                s = 0.0
                for j in range(n):
                    s += coupling[i, j] * np.sin(x[j])
                if s > 0.05:
                    x[i] = s
                else:
                    x[i] -= 0.3 * s
            else:
                s = 0.0
                for j in range(n):
                    s += coupling[i, j] * x[j] * x[i]
                x[(i + 1) % 3] *= 1.0 + s
    return np.sum(x * x)


@program(COUPLING, STATE)
def several_stores_to_one_element(coupling, start):
    n = start.shape[0]
    x = start.copy()
    for k in range(2):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] * x[j]
            x[i] = s * x[i]
            x[i - 1] = np.cos(s) + x[i]
            x[i] = x[i - 1] * 0.5 - s
    return np.sum(x)


@program(COUPLING, STATE, 2)
def an_argument_written_in_place(coupling, x, sweeps):
    n = x.shape[0]
    for _ in range(sweeps):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] * x[j]
            x[i] = s + 0.3
    return np.sum(np.exp(x))


@program(COUPLING, STATE, cotangent=np.array([0.3, 1.2, -0.7]))
def the_array_is_the_result(coupling, start):
    n = start.shape[0]
    x = start.copy()
    for _ in range(2):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] * x[j]
            x[i] = np.tanh(s + 0.3)
    return x


@program(COUPLING, STATE)
def until_it_settles(coupling, start):
    n = start.shape[0]
    x = start.copy()
    change, count = 1.0, 0
    while change > 0.02:
        change = 0.0
        i = 0
        while i < 3:
            s = 0.1
            for j in range(n):
                if j != i:
                    s += coupling[i, j] * x[j] ** 3
            change += abs(s - x[i])
            x[i] = s
            i += 1 + count // 5
        count += 1
    return x[0] * x[1] + x[2]


@program(COUPLING, STATE)
def two_arrays_of_two_dimensions(coupling, start):
    n = start.shape[0]
    x = coupling + 1.0
    y = np.ones((3, 3)) * start
    for _ in range(2):
        for i in range(n):
            for j in range(n - 1):
                s = 0.0
                for k in range(n):
                    s += x[i, k] * y[k, j] * y[k, j + 1]
                x[i, j] = np.sin(s)
                y[-1 - i, j] = x[i, 2 - j] + 0.5 * s
    return np.sum(x) + np.sum(y * y)


@program(COUPLING, STATE)
def a_view_and_a_copy(coupling, start):
    n = start.shape[0]
    x = start.copy()
    old = x.copy()
    part = x[1:]
    for _ in range(2):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] ** 2 + old[j] * part[j - 1]
            x[i] = np.cos(s)
        old = x.copy()
    return np.sum(part) + old[0]


@program(COUPLING, STATE)
def a_function_of_its_own(coupling, start):
    n = start.shape[0]

    def swept(x, scale):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += coupling[i, j] * x[j] ** 2
            x[i] = s * scale
        return x

    x = start.copy()
    for k in range(3):
        x = swept(x, 1.0 + 0.2 * k)
    return np.sum(x)

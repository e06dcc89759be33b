"""Elements that branches of innermost loops read, inside the array whatever the condition, and others."""

import numpy as np

from collect import failing, program

U = np.array([0.5, -1.2, 2.0, 0.3, 1.1, -0.7])
V = np.array([0.7, -0.2, -0.6, 1.4, 0.3])
W = np.array([[0.4, -0.3, 1.2], [-0.8, 0.5, 0.9], [1.5, 0.2, -1.1]])


@program(U, V, 3)
@program(U, V, 0)
@program(U[::-1], V[::-1], 2)
@program(U.astype(np.float32), V.astype(np.float32), 2)
@program(U[:1], V[:0], 2)
def upwind(u, velocity, steps):
    now = u.copy()
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            if velocity[i] > 0:
                flux = 0.3 * velocity[i] * now[i]
            else:
                flux = 0.3 * velocity[i] * now[i + 1]
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return np.sum(now**2)


@program(U, V)
def inside_by_the_condition_alone(u, v):
    """At the last iteration v[i] is not there, and it is not read."""
    total = 0.0
    for i in range(u.shape[0]):
        if i < v.shape[0]:
            total += u[i] * v[i]
        else:
            total += u[i] * u[i - 1]
    return total


@program(U)
def first_element_left_out(u):
    total = 0.0
    for i in range(u.shape[0]):
        if i > 0:
            total += (u[i] - u[i - 1]) ** 2
    return total


@program(U, V)
def one_branch_in_another(u, v):
    total = 0.0
    for i in range(v.shape[0]):
        if u[i] > 0:
            if v[i] > u[i + 1]:
                s = v[i] * u[i + 1]
            else:
                s = u[i] - u[i + 1]
        else:
            s = v[i]
        total += s * s
    return total


@program(W, 1)
def of_rows(w, k):
    total = 0.0
    for i in range(w.shape[0]):
        for j in range(w.shape[1] - 1):
            if w[k, j] > 0:
                s = w[i, j] * w[k, j + 1]
            else:
                s = w[i, j + 1]
            total += s * s
    return total


@program(U)
def elements_written_in_the_loop(u):
    y = u.copy()
    total = 0.0
    for i in range(1, y.shape[0]):
        if u[i] > 0:
            y[i] = y[i] * 0.5
            s = y[i] * y[i - 1]
        else:
            s = y[i]
        total += s * s
    return total


@program(U, np.array([3, 0, 2, 5, 1]))
def places_of_the_run(u, k):
    total = 0.0
    for i in range(k.shape[0]):
        if u[i] > 0:
            s = u[k[i]] * u[i]
        else:
            s = u[i + 1]
        total += s * s
    return total


@program(U, V)
def added_and_subtracted(u, v):
    """In the order of the iterations: sums of three numbers have one rounding each."""
    y = np.zeros(u.shape[0] + 1)
    for i in range(v.shape[0]):
        y[i] -= v[i] * u[i]
        y[i + 1] += v[i] * 1e-9
        y[i + 2] -= u[i + 1]
        y[i] = y[i] - 0.1 * v[i]
    return y @ y


@program(np.array([5, 7, 9]), V)
def integers(k, v):
    k = k.copy()
    total = 0.0
    for i in range(k.shape[0]):
        k[i] -= 2
        total += v[i] * k[i]
    return total


@program(U, np.abs(V), 0.9)
@program(U[:3], np.abs(V), 0.9)
@program(U[:4], np.abs(V[:3]), 0.7)
@program(np.array([0.5, 0.2, 2.0]), np.abs(V[:1]), 5.0, wrt=(0,))
@failing(np.abs(U), V[:2], 0.1, error=IndexError)
def heavier_than(u, mass, least):
    """The second array is as long, or its elements are not read where it ends."""
    total = 0.0
    for i in range(u.shape[0]):
        for j in range(i + 1, u.shape[0]):
            if np.sin(u[i]) * u[j] > least:
                total += u[j] * mass[j] - mass[i] * u[i] ** 2
    return total + np.sum(u)


@program(U, V, 4)
@program(U, V[:3], 2)
@failing(U, V[:3], 6, error=IndexError)
def up_to_the_place(u, v, end):
    total = 0.0
    for i in range(u.shape[0]):
        if i >= end:
            break
        total += np.tanh(u[i]) * v[i]
    return total


@program(U, V[:4], wrt=(0, 1))
def beside_in_the_other_array(u, v):
    """What one branch reads is one place further than there is, but for the last iteration, where it is not taken."""
    total = 0.0
    for i in range(v.shape[0] + 1):
        if u[i] * i < 3.0 and i < 4:
            total += u[i + 1] * v[i] * u[i + 2]
    return total


@program(V, U, 2.5)
@program(U[:5], V, 2.5)
@program(U, U[::-1], 100.0)
@program(U.astype(np.float32), U.astype(np.float32), 2.5)
@failing(U, V[:2], 2.5, error=IndexError)
def pairs_within(x, charge, cutoff):
    """Each pair adds to the adjoints of both its elements; one of them is the same in the inner loop."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            distance = (x[i] - x[j]) ** 2
            if distance < cutoff:
                total += charge[i] * charge[j] * np.exp(-distance)
    return total


@program(U, V)
@program(U, V[:2])
@program(V, U)
def read_where_there_is_one(x, y):
    """The element that every iteration of the inner loop reads is there only where the condition holds."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            if i < y.shape[0] and x[j] < x[i]:
                total += x[j] * np.tanh(y[i])
            elif x[j] > 1.0:
                total += x[i] * x[j]
    return total


@program(V, True, wrt=(0,))
@program(V, False, wrt=(0,))
@program(V[:0], False, wrt=(0,))
def array_of_one_path(x, is_weighted):
    """Where there are no weights, nothing reads them."""
    if is_weighted:
        weights = np.ones(3)
        weights[1] = x[0] + 2.0
    total = 0.0
    for i in range(x.shape[0]):
        if is_weighted:
            total += weights[1] * x[i] * x[i]
        else:
            total += x[i] ** 3
    return total


@program(U, True, wrt=(0,))
@program(U, False, wrt=(0,))
def neighbours_in_an_array_of_one_path(x, is_scaled):
    if is_scaled:
        scaled = x * 2.0
    total = 0.0
    for i in range(x.shape[0] - 1):
        if is_scaled:
            flux = x[i] * scaled[i]
        else:
            flux = x[i] * x[i + 1]
        total += flux * flux
    return total

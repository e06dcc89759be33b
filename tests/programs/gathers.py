"""Elements and rows that arrays of indices name, in arithmetic with whole arrays, and sums that are scattered."""

import numpy as np

from collect import failing, program

X = np.array([0.3, 1.1, -0.4, 0.9, 0.2, -0.7])
W = np.array([0.5, -0.2, 0.8, 1.3])
P = np.array([[0.3, 1.1, -0.4], [0.9, 0.2, 0.7], [-0.5, 0.6, 1.3], [1.2, -0.8, 0.1]])
NEAR = np.array([4, 0, 4, 2])


@program(X, W, NEAR)
@program(X, W, -1 - NEAR)
@program(X, W, NEAR.astype(np.int32))
@program(np.abs(X).astype(np.float32), np.abs(W).astype(np.float32), NEAR)
@program(np.repeat(X, 2)[::2], W[::-1], NEAR[::-1])
@program(X, W[:0], NEAR[:0])
@program(X, W[:1], NEAR)
@program(X, W, NEAR[:1])
def weighted_elements(x, w, near):
    return np.sum(w * np.sin(x[near]) + x[near] ** 2)


@program(P, np.array([[0, 1], [1, 2], [2, 0], [3, 3], [-1, 0]]))
@program(np.asfortranarray(P), np.array([[0, 1], [1, -2]]))
@program(P[:, :0], np.array([[0, 1], [1, 2]]))
def lengths_of_bonds(p, bonds):
    d = p[bonds[:, 0]] - p[bonds[:, 1]]
    return np.sum(np.sqrt(np.sum(d**2, axis=1) + 0.1))


@program(P, np.array([2, 0, 2, 1, 1]))
def columns_by_name(p, kept):
    q = p[:, kept] * 2.0
    return np.sum(np.exp(q) * p[:, kept])


@program(P, np.array([[0, 2], [1, 2]]), np.array([[2, -1], [0, 0]]))
def elements_of_a_matrix(p, i, j):
    return np.sum(p[i, j] ** 2 * np.cos(p[j, i]))


@program(X, np.array([[0, 5], [1, 1], [-2, 3]]))
def a_matrix_of_places(x, near):
    return np.sum(np.tanh(x[near]) * x[near[:, :1]])


@program(X, W, NEAR)
@program(X, W[:3], NEAR[:3])
@program(X, W[:1], NEAR)
def sums_that_are_scattered(x, w, near):
    out = np.zeros(len(x))
    np.add.at(out, near, w * w)
    np.add.at(out, near, x[near] * w)
    return np.sum(out**2 * x)


@program(P, np.array([[0, 1, 2, 0], [1, 3, 0, 1]]))
def messages_between_nodes(h, edges):
    for _ in range(edges.shape[0]):
        m = np.zeros(h.shape)
        np.add.at(m, edges[1], h[edges[0]] * 0.5)
        h = np.tanh(m + h)
    return np.sum(h**2)


@program(X, W, NEAR)
def the_last_one_stays(x, w, near):
    out = np.ones(len(x))
    out[near] = w * w
    return np.sum(out * x**2)


@program(X, NEAR, np.array([1, 1, 0, 3]))
def an_array_that_it_reads(x, near, to):
    y = x * x
    y[to] = y[near] * 2.0
    y[to] += y[near]
    np.add.at(y, to, y[:4])
    np.add.at(y, near, np.sin(y[to]))
    return np.sum(y**2)


@program(X, NEAR)
def before_it_changes(x, near):
    y = x * 1.5
    taken = y[near]
    y[:] = y + 1.0
    y[0] = 3.0
    return np.sum(taken * y[near] + taken**2)


@program(X, W)
def indices_that_are_computed(x, w):
    near = (w * 2.0 + 1.3).astype(np.int64)
    return np.sum(w * x[near] + x[near + 1] * x[np.abs(near - 1)])


@program(X, P)
def a_part_of_an_array(x, p):
    row = p[2]
    return np.sum(row[np.array([0, 2, -1])] * x[1:4][np.array([-1, 0, 1])])


@program(X, NEAR, np.array([True, False, True, True]))
def indices_that_a_mask_chooses(x, near, kept):
    return np.sum(x[near[kept]] ** 2) + np.sum(np.where(kept, x[near], 0.0))


@failing(X, np.array([0, 6, 1]), error=IndexError)
@failing(X, np.array([0, -7, 1]), error=IndexError)
def no_such_element(x, near):
    return np.sum(np.sin(x[near]) * 2.0)


@failing(P[:, :0], np.array([0, 9]), error=IndexError)
def no_such_row_of_nothing(p, near):
    return np.sum(p[near] * 2.0)


@failing(P[:, :0], np.array([0, 9]), error=IndexError)
def no_such_row_of_nothing_to_add_to(p, near):
    out = np.zeros(p.shape)
    np.add.at(out, near, p[:2] * 2.0)
    return np.sum(out)


@failing(X, np.array([0, 6, 1]), error=IndexError)
def no_such_place_to_add_to(x, near):
    out = np.zeros(4)
    np.add.at(out, near, x[:3] * 2.0)
    return np.sum(out**2)


@failing(X, W, np.array([0, 1]), error=ValueError)
def as_many_as_there_are_places(x, w, near):
    out = np.zeros(len(x))
    out[near] = w * 2.0
    return np.sum(out**2)

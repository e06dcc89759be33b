"""Maxima and minima of arrays: over all elements, along one axis or several, fused with what makes and reads them."""

import numpy as np

from collect import failing, program

A = np.sin(np.arange(12.0) * 1.7).reshape(3, 4) + 0.1 * np.arange(4)
B = np.cos(np.arange(24.0) * 0.9).reshape(2, 3, 4) + 0.03 * np.arange(24.0).reshape(2, 3, 4)
V = np.array([0.4, -0.7, 1.1, 0.3])


@program(V)
@program(A)
@program(np.asfortranarray(A))
@program(A[:, ::2])
def the_largest_and_the_smallest(x):
    return np.max(np.sin(x)) - 2.0 * np.min(x * x)


@program(A, V)
@program(A.T[::-1], np.array([0.2, -0.5, 0.9]))
def largest_of_columns(x, w):
    y = np.exp(x) * w
    return np.sum(np.max(y, axis=0) * w)


@program(A)
@program(np.asfortranarray(A))
@program(A[::2, ::-1])
def smallest_of_rows(x):
    return np.sum(np.tanh((x + 1.0).min(axis=1)))


@program(A)
def softmax_of_squares(x):
    scores = x * x
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return np.sum(e / np.sum(e, axis=1, keepdims=True) * x)


@program(B)
@program(B[:, ::-1, ::3])
def along_each_axis(x):
    y = x + 0.5 * x * x
    return np.sum(np.max(y, axis=0)) * np.sum(np.min(y, axis=1)) + np.sum(np.max(y, axis=-1, keepdims=True) * x)


@program(B)
def over_two_axes(x):
    first = np.max(np.cos(x), axis=(0, 1)) + np.min(x, axis=(1, 2), keepdims=True)[0, 0, 0]
    return np.sum(first * np.max(x * 2.0, axis=(0, 2), keepdims=True)[0, 0, 0])


@program(A, V, 4)
def most_probable_path(transition, start, steps):
    alpha = start
    for _ in range(steps):
        scores = alpha[:3, None] + transition
        largest = np.max(scores, axis=0)
        alpha = largest + np.log(np.sum(np.exp(scores - largest), axis=0)) - 0.5 * alpha
    return np.max(alpha)


@program(A, np.array([0.1, -0.3, 0.7]))
def distances_to_the_nearest(points, x):
    depth = np.zeros(4)
    for k in range(3):
        distances = np.sqrt((points - depth[None, :] - x[k]) ** 2 + 0.01)
        depth = depth + 0.5 * np.min(distances, axis=0)
    return np.sum(depth)


@program(V, 2)
@program(V, 3)
def largest_behind(x, n):
    y = x[n:] * x[n:]
    return np.max(y) + np.min(x[1:] - x[:-1])


@program(np.array([0.5, 0.2, 0.9]), 1.0)
def with_the_error_of_a_step(y, h):
    t = 0.0
    while t < 2.0:
        after = y + h * np.sin(y)
        error = np.max(np.abs(after - y) / (1.0 + np.abs(y)))
        if error <= 0.5:
            t += h
            y = after
        h *= min(2.0, max(0.2, 0.4 / error))
    return np.sum(y)


@program(A)
def the_largest_of_tangents(x):
    total = 0.0
    for i in range(x.shape[0]):
        row = np.tan(0.3 * x[i])
        total += np.max(row) * np.min(row)
    return total


@program(np.zeros((4, 0)), V)
def largest_of_no_columns(x, w):
    return np.sum(np.max(x * 2.0, axis=0)) + np.sum(w)


@failing(np.zeros((0, 4)), V, error=ValueError)
def largest_of_columns_without_elements(x, w):
    return np.sum(np.max(x * 2.0, axis=0) * w)


@failing(np.zeros(0), error=ValueError)
def smallest_of_nothing(x):
    return np.min(x * 2.0)


@failing(V, 9, error=ValueError)
def largest_behind_the_end(x, n):
    return np.max(x[n:] * 2.0)


@program(A)
@program(A[:0])
def sums_over_no_axis(x):
    return np.sum(np.sum(x * x, axis=()) * x) + np.sum(np.sum(x, axis=(), keepdims=True) ** 2)

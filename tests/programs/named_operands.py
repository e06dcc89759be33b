"""What is computed, passed by keyword, in another order than that of the parameters, or behind one that is left out."""

import numpy as np

from collect import program

X = np.array([0.1, 0.5, 0.9])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.2, 3.0, 0.4], [0.5, 0.1, 2.5]])


@program(X, 0.6)
def clipped_above(x, limit):
    return np.sum(np.clip(x, a_min=None, a_max=limit) * x)


@program(X, 0.3)
def clipped_below(x, limit):
    return np.sum(np.clip(x, a_min=limit, a_max=None) * x)


@program(X, 0.6)
def clipped_between(x, limit):
    return np.sum(np.clip(a=x, a_max=limit, a_min=0.2) * x)


@program(X, 0.6)
def clipped_by_method(x, limit):
    return np.sum(x.clip(max=limit) * x) + np.sum(np.clip(x, min=limit) * x)


@program(X, 0.7)
def filled(x, value):
    return np.sum(np.full(3, fill_value=value) * x) + np.sum(np.full_like(x, fill_value=value) * x)


@program(X, 0.7)
def points_between(x, end):
    return np.sum(np.linspace(0.0, stop=end, num=3) * x) + np.sum(np.linspace(stop=2.0, start=end, num=3) * x)


@program(X, 0.7)
def products(x, y):
    outer = np.outer(b=x, a=np.array([y, 2.0 * y]))
    return np.sum(outer * np.array([[1.0], [3.0]])) + np.sum(np.dot(b=x * y, a=MATRIX + y) * x)


@program(MATRIX, X)
def solution(a, b):
    return np.sum(np.linalg.solve(b=b * b, a=a) * b)


@program(X, 0.7)
def one_operand(x, y):
    total = np.sum(a=x * y) + np.sum(np.repeat(repeats=2, a=x * y) ** 2)
    return total + np.sum(np.broadcast_to(array=y * x, shape=(2, 3)) * x)

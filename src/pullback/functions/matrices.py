"""Functions of `np.linalg` that are made of others, each by a text."""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.functions.composed import extent
from pullback.functions.declare import composes, constant, known, planning
from pullback.functions.parts import numbers_to

constant(np.linalg.matrix_rank)


@composes(np.linalg.svdvals)
def svdvals(x):
    return np.linalg.svd(x, compute_uv=False)


@composes(np.linalg.cond)
def cond(x, p=None):
    """The largest singular value over the smallest one, or the product of the norms of a matrix and its inverse."""
    if p is None or p == 2:
        s = np.linalg.svd(x, compute_uv=False)
        return np.max(s, axis=-1) / np.min(s, axis=-1)
    if p == -2:
        s = np.linalg.svd(x, compute_uv=False)
        return np.min(s, axis=-1) / np.max(s, axis=-1)
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))


@composes(np.linalg.vector_norm)
def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """The norm of the vectors that lie along one axis or several; of all elements without one."""
    if isinstance(axis, int):
        return np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    along, left = axes_together(axis, np.ndim(x))
    sizes = np.shape(x)
    rows = np.reshape(np.transpose(x, left + along), tuple([sizes[k] for k in left]) + (-1,))
    norm = np.linalg.norm(rows, ord, axis=-1)
    return np.expand_dims(norm, along) if keepdims else norm


@planning
def axes_together(axis, rank):
    """The axes that are named, all for None, and those that are not."""
    along = tuple(range(rank)) if axis is None else tuple(k % rank for k in axis)
    return along, tuple(k for k in range(rank) if k not in along)


@composes(np.linalg.matrix_norm)
def matrix_norm(x, *, keepdims=False, ord="fro"):
    return np.linalg.norm(x, ord, axis=(-2, -1), keepdims=keepdims)


@composes(np.linalg.multi_dot)
def multi_dot(arrays, *, out=None):
    """The product of all, from the end that begins with a vector, or else from the first one."""
    if np.ndim(arrays[0]) > 1 and np.ndim(arrays[-1]) == 1:
        total = arrays[-1]
        for k in numbers_to(len(arrays) - 1):
            total = np.dot(arrays[len(arrays) - 2 - k], total)
        return total
    total = arrays[0]
    for array in arrays[1:]:
        total = np.dot(total, array)
    return total


@composes(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    """The inverse of the matrix whose rows are the first axes and whose columns are the others."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    rows, columns = a.shape[:ind], a.shape[ind:]
    inverse = np.linalg.inv(np.reshape(a, (extent(rows), extent(columns))))
    return np.reshape(inverse, columns + rows)


@composes(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    """x with tensordot(a, x, x.ndim) = b. axes: those of `a` that are moved to the end first."""
    if axes is not None:
        a = np.moveaxis(a, axes, last_places(len(axes)))
    of_x = np.shape(a)[np.ndim(b) :]
    if extent(np.shape(a)[: np.ndim(b)]) != extent(of_x):
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    solution = np.linalg.solve(np.reshape(a, (extent(of_x), extent(of_x))), np.ravel(b))
    return np.reshape(solution, of_x)


@planning
def last_places(count):
    """So many axes at the end."""
    return tuple(range(-count, 0))


@composes(np.linalg.eig)
def eig(a):
    """Real ones. Raises ValueError where they are complex."""
    return runtime.real_eig(a)


@composes(np.linalg.eigvals)
def eigvals(a):
    return runtime.real_eig(a).eigenvalues


known(
    np.linalg.svdvals,
    np.linalg.cond,
    np.linalg.vector_norm,
    np.linalg.matrix_norm,
    np.linalg.multi_dot,
    np.linalg.tensorinv,
    np.linalg.tensorsolve,
    of_complex=True,
)

"""The sparsity of a Jacobian: how its columns are coloured, and how it is detected by tangents along groups of columns.

Detection halves the groups. Two groups whose rows do not meet are told apart by one tangent along both, so that a band
of b diagonals and n columns takes about 2 b log₂ n tangents.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from pullback.api.once import once

FIRST_GROUPS = 64
ONE_BY_ONE = 256

Along = Callable[[np.ndarray], np.ndarray]
"""Gives the tangents of the results, in columns, along tangents of the argument, in columns."""


class Colouring:
    """A sparsity, with its columns coloured so that those of one colour share no row."""

    def __init__(self, pattern: sparse.csr_array) -> None:
        self.pattern = pattern

    @once
    def colours(self) -> np.ndarray:
        """The number of the tangent that gives each column."""
        return colours_of(self.pattern)

    @once
    def seeds(self) -> np.ndarray:
        """The tangents, in columns; the last one is a probe of all elements together."""
        columns = self.pattern.shape[1]
        count = int(self.colours.max(initial=-1)) + 1
        seeds = np.zeros((columns, count + 1))
        seeds[np.arange(columns), self.colours] = 1.0
        seeds[:, count] = weights_of(columns)
        return seeds

    def derivative(self, compressed: np.ndarray) -> sparse.csr_array:
        """The sparse derivative, of what the tangents give."""
        rows, columns = self.pattern.nonzero()
        indices, pointers = self.pattern.indices.copy(), self.pattern.indptr.copy()
        return sparse.csr_array((compressed[rows, self.colours[columns]], indices, pointers), self.pattern.shape)


def weights_of(columns: int) -> np.ndarray:
    """A tangent along which no sum of other elements than 0 is 0 by chance."""
    return np.random.default_rng(0).uniform(0.5, 1.5, columns)


def pattern_of(sparsity: object) -> sparse.csr_array:
    """A given sparsity as a pattern: True for what may be other than 0."""
    pattern = sparse.csr_array(sparsity).astype(bool)
    pattern.eliminate_zeros()
    pattern.sort_indices()
    return pattern


def detected(along: Along, columns: int) -> sparse.csr_array:
    """The pattern of a derivative with so many columns, at the place where `along` takes it.

    Raises ValueError where the derivative is not finite there.

    >>> band = np.eye(200) + np.eye(200, k=1)
    >>> calls = []
    >>> def along(seeds):
    ...     calls.append(seeds.shape[1])
    ...     return band @ seeds
    >>> bool((detected(along, 200).toarray() == (band != 0)).all()), sum(calls)
    (True, 72)
    """
    weights = weights_of(columns)
    bounds = np.linspace(0, columns, min(FIRST_GROUPS, columns) + 1).astype(np.int64)
    parents = np.arange(len(bounds) - 1)
    known: sparse.csr_array | None = None
    while True:
        possible = None if known is None else sparse.csr_array(sparse.csc_array(known)[:, parents])
        if possible is not None and _is_full(possible):
            bounds, possible = np.arange(columns + 1), None
        colours = np.arange(len(bounds) - 1) if possible is None else colours_of(possible)
        known = _probed(along, weights, bounds, colours, possible)
        sizes = np.diff(bounds)
        if sizes.max(initial=0) <= 1:
            return known
        halves = [np.unique([start, start + size // 2]) for start, size in zip(bounds[:-1], sizes, strict=True)]
        parents = np.repeat(np.arange(len(sizes)), [len(half) for half in halves])
        bounds = np.append(np.concatenate(halves), columns)


def _is_full(possible: sparse.csr_array) -> bool:
    """Whether most groups meet in a row, so that each column is better asked for by itself."""
    return bool(2 * np.diff(possible.indptr).max(initial=0) > possible.shape[1])


def _probed(
    along: Along, weights: np.ndarray, bounds: np.ndarray, colours: np.ndarray, possible: sparse.csr_array | None
) -> sparse.csr_array:
    """The rows of each group: those that its tangent reaches, of those that are possible."""
    of_columns = np.repeat(colours, np.diff(bounds))
    found = []
    for first in range(0, int(colours.max(initial=-1)) + 1, ONE_BY_ONE):
        count = min(ONE_BY_ONE, int(colours.max()) + 1 - first)
        here = np.flatnonzero((of_columns >= first) & (of_columns < first + count))
        seeds = np.zeros((len(weights), count))
        seeds[here, of_columns[here] - first] = weights[here]
        found.append(along(seeds))
    reached = np.concatenate(found, axis=1) if found else along(np.zeros((len(weights), 0)))
    if not np.isfinite(reached).all():
        raise ValueError("the sparsity cannot be detected where the derivative is not finite")
    if possible is None:
        return pattern_of(reached[:, colours] != 0)
    rows, groups = possible.nonzero()
    inside = reached[rows, colours[groups]] != 0
    made = sparse.csr_array((np.ones(inside.sum(), bool), (rows[inside], groups[inside])), possible.shape)
    made.sort_indices()
    return made


def colours_of(pattern: sparse.csr_array) -> np.ndarray:
    """A colour for each column of a pattern, so that columns of one colour share no row; the first that is free.

    >>> colours_of(sparse.csr_array(np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])))
    array([0, 0, 0, 1])
    """
    by_column = sparse.csc_array(pattern)
    colours = np.full(pattern.shape[1], -1)
    for column in range(pattern.shape[1]):
        rows = by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]
        near = [pattern.indices[pattern.indptr[row] : pattern.indptr[row + 1]] for row in rows]
        taken = set(colours[np.concatenate(near)]) if near else set()
        colours[column] = next(colour for colour in range(len(taken) + 1) if colour not in taken)
    return colours

"""Sparse Jacobians and Hessians: columns that share no row are computed by one tangent.

x 0 0 x        colours of the columns: 0 0 1 1
0 x 0 0    →   two tangents, (1 1 0 0) and (0 0 1 1), give all elements
0 0 x 0
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from pullback.api.derivative import Derivative
from pullback.api.derivatives import grad
from pullback.api.pickled import reduced
from pullback.errors import ShapeError, TypingError
from pullback.frontend.source.derivations import Argnums, Derivation

LARGEST_ERROR = 1e-8
"""How far, relative to the sums of sizes, a row times the probe may be from that row's tangent: rounding, no more."""


class SparseDerivative:
    """What `jacobian` and `hessian` return for a given sparsity: a function that returns a sparse array.

    of_gradient: whether the function is the gradient of `function`, so that this is its Hessian.
    """

    __pullback_derivative__ = True

    def __init__(
        self, function: Callable[..., Any], argnums: Argnums, sparsity: Any, of_gradient: bool, nan: str | None = None
    ) -> None:
        if isinstance(argnums, tuple):
            raise TypingError("a sparse derivative is taken by one argument", None, "give one number or name")
        self.__wrapped__, self.argnums, self.of_gradient, self.nan = function, argnums, of_gradient, nan
        self.pattern = sparse.csr_array(sparsity).astype(bool)
        self.pattern.eliminate_zeros()
        self.pattern.sort_indices()
        self.columns = Derivative(
            grad(function, argnums) if of_gradient else function, Derivation("columns", argnums, nan=nan)
        )
        self.__name__ = self.columns.__name__.replace("columns", "hessian" if of_gradient else "jacobian")
        self.__doc__ = self.columns.__doc__

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(SparseDerivative, self.__wrapped__, self.argnums, self.pattern, self.of_gradient, self.nan)

    def __repr__(self) -> str:
        return f"<{self.__name__}, argnums={self.argnums!r}, {self.pattern.nnz} elements>"

    @cached_property
    def colours(self) -> np.ndarray:
        """The number of the tangent that gives each column."""
        return colours_of(self.pattern)

    @cached_property
    def seeds(self) -> np.ndarray:
        """The tangents, in columns; the last one is a probe of all elements together."""
        columns = self.pattern.shape[1]
        count = int(self.colours.max(initial=-1)) + 1
        seeds = np.zeros((columns, count + 1))
        seeds[np.arange(columns), self.colours] = 1.0
        seeds[:, count] = np.random.default_rng(0).uniform(0.5, 1.5, columns)
        return seeds

    @cached_property
    def places(self) -> np.ndarray:
        """Where each element of the pattern stands among all tangents of results."""
        rows, columns = self.pattern.nonzero()
        return rows.astype(np.int64) * self.seeds.shape[1] + self.colours[columns]

    def __call__(self, *arguments: Any, **keywords: Any) -> sparse.csr_array:
        """The derivative for these arguments. Raises ShapeError for another size, ValueError for another sparsity."""
        given, x = self.with_seeds(arguments, keywords)
        if np.ndim(x) == 1 and np.size(x) != self.pattern.shape[1]:
            raise ShapeError(f"the sparsity has {self.pattern.shape[1]} columns, the argument {np.size(x)} elements")
        compressed = self.columns(*given, **keywords)
        if compressed.shape[0] != self.pattern.shape[0]:
            raise ShapeError(
                f"the sparsity has {self.pattern.shape[0]} rows, the result {compressed.shape[0]} elements"
            )
        rows, columns = self.pattern.nonzero()
        indices, pointers = self.pattern.indices.copy(), self.pattern.indptr.copy()
        data = compressed[rows, self.colours[columns]]
        made = sparse.csr_array((data, indices, pointers), self.pattern.shape)
        self.check(made, compressed[:, -1])
        return made

    def with_seeds(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """The arguments with the tangents behind the one that these belong to, which is the second result."""
        engine = self.columns.engine
        names = list(engine.signature.parameters)[engine.receiver is not None :]
        place = names.index(self.argnums) if isinstance(self.argnums, str) else range(len(names) - 1)[self.argnums]
        x = arguments[place] if place < len(arguments) else keywords.get(names[place])
        seeds = self.seeds.astype(np.asarray(x).dtype, copy=False)
        if place < len(arguments):
            return (*arguments[: place + 1], seeds, *arguments[place + 1 :]), x
        keywords[names[place + 1]] = seeds
        return arguments, x

    def check(self, made: sparse.csr_array, probe: np.ndarray) -> None:
        """ValueError where elements outside of the sparsity are not 0."""
        weights = self.seeds[:, -1].astype(probe.dtype)
        error, scale = np.abs(made @ weights - probe), abs(made) @ weights + np.abs(probe)
        limit = LARGEST_ERROR if probe.dtype == np.float64 else 1e-3
        wrong = np.flatnonzero(error > limit * scale)
        if wrong.size:
            raise ValueError(
                f"'{self.__name__}' has elements in row {wrong[0]} that are not 0 and not in the sparsity it was given"
            )


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

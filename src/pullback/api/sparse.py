"""Sparse Jacobians and Hessians: columns that share no row are computed by one tangent.

x 0 0 x        colours of the columns: 0 0 1 1
0 x 0 0    →   two tangents, (1 1 0 0) and (0 0 1 1), give all elements
0 0 x 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from pullback.api.derivative import Derivative
from pullback.api.derivatives import grad
from pullback.api.pickled import reduced
from pullback.api.sparsity import Colouring, detected, pattern_of
from pullback.errors import ShapeError, TypingError
from pullback.frontend.source.derivations import Argnums, Derivation

LARGEST_ERROR = 1e-8
"""How far, relative to the sums of sizes, a row times the probe may be from that row's tangent: rounding, no more."""


class SparseDerivative:
    """What `jacobian` and `hessian` return for a sparsity: a function that returns a sparse array.

    sparsity: a pattern, or 'detect'. of_gradient: whether the function is the gradient of `function`, so that this is
    its Hessian.
    """

    __pullback_derivative__ = True

    def __init__(
        self, function: Callable[..., Any], argnums: Argnums, sparsity: Any, of_gradient: bool, nan: str | None = None
    ) -> None:
        if isinstance(argnums, tuple):
            raise TypingError("a sparse derivative is taken by one argument", None, "give one number or name")
        if isinstance(sparsity, str) and sparsity != "detect":
            raise ValueError(f"sparsity={sparsity!r}: it is a pattern or 'detect'")
        self.__wrapped__, self.argnums, self.of_gradient, self.nan = function, argnums, of_gradient, nan
        self.detects = isinstance(sparsity, str)
        self.colouring = None if self.detects else Colouring(pattern_of(sparsity))
        self.columns = Derivative(
            grad(function, argnums) if of_gradient else function, Derivation("columns", argnums, nan=nan)
        )
        self.__name__ = self.columns.__name__.replace("columns", "hessian" if of_gradient else "jacobian")
        self.__doc__ = self.columns.__doc__

    def __reduce__(self) -> tuple[Any, ...]:
        sparsity = "detect" if self.detects or self.colouring is None else self.colouring.pattern
        return reduced(SparseDerivative, self.__wrapped__, self.argnums, sparsity, self.of_gradient, self.nan)

    def __repr__(self) -> str:
        known = "sparsity not yet detected" if self.colouring is None else f"{self.colouring.pattern.nnz} elements"
        return f"<{self.__name__}, argnums={self.argnums!r}, {known}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> sparse.csr_array:
        """The derivative for these arguments. Raises ShapeError for another size, ValueError for another sparsity."""
        given = _Given(self, arguments, keywords)
        colouring = self.colouring
        if self.detects and (colouring is None or colouring.pattern.shape[1] != given.columns):
            colouring = self.detect(given, None)
        assert colouring is not None, "a sparsity is given or detected"
        made, rows = self.computed(colouring, given)
        if self.detects and rows.size:
            made, rows = self.computed(self.detect(given, colouring), given)
        if rows.size:
            raise ValueError(
                f"'{self.__name__}' has elements in row {rows[0]} that are not 0 and not in the sparsity it was given"
            )
        return made

    def detect(self, given: _Given, before: Colouring | None) -> Colouring:
        """The sparsity for these arguments, with what was found of it before."""
        pattern = detected(given.along, given.columns)
        if before is not None and before.pattern.shape == pattern.shape:
            pattern = pattern_of(pattern + before.pattern)
        self.colouring = Colouring(pattern)
        return self.colouring

    def computed(self, colouring: Colouring, given: _Given) -> tuple[sparse.csr_array, np.ndarray]:
        """The derivative by a colouring, and its rows that have further elements."""
        shape = colouring.pattern.shape
        if shape[1] != given.columns:
            raise ShapeError(f"the sparsity has {shape[1]} columns, the argument {given.columns} elements")
        compressed = given.along(colouring.seeds)
        if compressed.shape[0] != shape[0]:
            if self.detects:
                return self.computed(self.detect(given, None), given)
            raise ShapeError(f"the sparsity has {shape[0]} rows, the result {compressed.shape[0]} elements")
        made = colouring.derivative(compressed)
        return made, _wrong_rows(made, colouring.seeds[:, -1], compressed[:, -1])


class _Given:
    """The arguments of a call, which take tangents behind the one that these belong to."""

    def __init__(self, derivative: SparseDerivative, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.run, self.arguments, self.keywords = derivative.columns, arguments, keywords
        engine, argnums = self.run.engine, derivative.argnums
        self.names = list(engine.signature.parameters)[engine.receiver is not None :]
        self.place = self.names.index(argnums) if isinstance(argnums, str) else range(len(self.names) - 1)[argnums]
        x = arguments[self.place] if self.place < len(arguments) else keywords.get(self.names[self.place])
        self.dtype, self.columns = np.asarray(x).dtype, np.asarray(x).size

    def along(self, seeds: np.ndarray) -> np.ndarray:
        """The tangents of the result along these, in columns."""
        seeds = seeds.astype(self.dtype, copy=False)
        given, keywords = self.arguments, self.keywords
        if self.place < len(given):
            given = (*given[: self.place + 1], seeds, *given[self.place + 1 :])
        else:
            keywords = {**keywords, self.names[self.place + 1]: seeds}
        tangents: np.ndarray = self.run(*given, **keywords)
        return tangents


def _wrong_rows(made: sparse.csr_array, weights: np.ndarray, probe: np.ndarray) -> np.ndarray:
    """The rows in which elements outside of the sparsity are not 0."""
    weights = weights.astype(probe.dtype)
    error, scale = np.abs(made @ weights - probe), abs(made) @ weights + np.abs(probe)
    limit = LARGEST_ERROR if probe.dtype == np.float64 else 1e-3
    return np.flatnonzero(error > limit * scale)

"""What is known of NumPy's functions, one record a function, one file a family: importing this package fills RECORDS.

Conventions beyond those of `declare`. A rule is asked for by the canonical function, so aliases have none of their own.
A `linear` rule whose first cotangent is None (`np.where`, `np.full`) is linear in the arguments that do get one,
together; where the first argument is a tuple of arrays (`np.concatenate`), its cotangent is a tuple too. Parameters
that are not differentiable stand last and get no cotangent.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from pullback.functions import (
    along,
    complex_numbers,
    composed,
    constants,
    elementwise,
    factorisations,
    filled,
    fourier,
    generators,
    histograms,
    indexing,
    joining,
    linalg,
    masked_reductions,
    matrices,
    ordering,
    padding,
    parts,
    polynomials,
    products,
    quantiles,
    reductions,
    sampled,
    selecting,
    shapes,
    softmax,
    special,
    statistics,
    turning,
    ufunc_methods,
    writing,
)
from pullback.functions import strong_zeros as behind
from pullback.functions.objects import RECORDS_OF
from pullback.functions.record import RECORDS, Function, Helper, Record, Rule, is_elementwise, record_of

__all__ = [
    "METHODS",
    "RECORDS",
    "Helper",
    "Record",
    "Rule",
    "also_spelled",
    "canonical",
    "is_constant",
    "is_elementwise",
    "on_numbers",
    "record_in_place_of",
    "record_of",
    "rule_of",
    "text_for",
]

FAMILIES = (
    *(composed, elementwise, complex_numbers, factorisations, special, reductions, linalg, matrices, shapes, parts),
    *(padding, fourier, histograms, indexing, constants, joining, masked_reductions, polynomials, products, quantiles),
    *(filled, generators, sampled),
    *(selecting, softmax, statistics, turning, writing, along, ordering, ufunc_methods, behind),
)


def rule_of(function: Function) -> Rule | None:
    """The rule of a canonical function; None where there is none, and for functions that are constant."""
    return record_of(function).rule


def text_for(function: Function, ranks: Mapping[str, int]) -> Function | None:
    """The text in others that stands in the place of a call of a canonical function.

    ranks: of the arguments that the call names, by parameter; -1 where there is none. None where there is no text, and
    for a function with a rule where that knows them all, or the text does not either.
    """
    record = record_of(function)
    if record.text is None:
        return None
    if record.text_when is not None:
        return record.text if record.text_when(ranks) else None
    if record.rule is None:
        return record.text
    given = {record.renamed.get(name, name) for name in ranks}
    known = _parameters(record.rule.body) | ({"dtype"} if record.has_dtype else set())
    return record.text if given <= _parameters(record.text) and not given <= known else None


@cache
def _parameters(function: Function) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def is_constant(function: Function) -> bool:
    """Whether the derivative of a function is 0 wherever it exists: nothing flows back through it."""
    return record_of(function).is_constant


def on_numbers(function: Function) -> Function:
    """What computes a function of Python's numbers, so that they stay Python's: `operator.add` for `np.add`."""
    return record_of(function).on_numbers or function


_SPELLINGS: dict[Any, Callable[..., Any]] = {}


def _spell(records: Iterable[Record]) -> None:
    """Let what else the functions of records are called stand for them."""
    for record in records:
        spellings = (*record.spellings, *([record.on_numbers] if record.on_numbers else []))
        _SPELLINGS.update(dict.fromkeys(spellings, record.function))


_spell(RECORDS.values())

_IN_SCIPY = {record.in_scipy: record.function for record in RECORDS.values() if record.in_scipy}

METHODS: dict[str, Callable[..., Any]] = {
    record.function.__name__: record.function for record in RECORDS.values() if record.is_method
} | {"conj": np.conjugate}
"""Methods of arrays that are functions by the same name."""


def canonical(function: Any) -> Any:
    """The one function that stands for all spellings.

    >>> import math, operator
    >>> import numpy as np
    >>> canonical(math.sin) is np.sin, canonical(operator.mul) is np.multiply, canonical(np.sin) is np.sin
    (True, True, True)
    """
    try:
        found = _SPELLINGS.get(function)
        if found is None and function not in RECORDS:
            load_scipy()
            found = _SPELLINGS.get(function) or _of_scipy(function)
        return found or function
    except TypeError:  # unhashable objects are nobody's spelling
        return function


_WAITING = {
    "scipy.fft": ("fourier",),
    "scipy.special": ("errors", "gammas", "bessel", "elementary", "polynomials", "probabilities", "softmax"),
    "scipy.linalg": ("solving", "factorising", "matrix_functions", "structured", "banded", "assembled"),
    "scipy.sparse": ("sparse",),
    "scipy.sparse.linalg": ("sparse_linalg",),
    "scipy.integrate": ("sampled_integrals", "quadrature", "initial_values"),
    "scipy.interpolate": ("interpolants", "made_interpolants"),
    "scipy.signal": ("convolutions", "designs", "filters", "smoothing"),
    "scipy.stats": ("distributions", "multivariate"),
}
"""The families of functions of modules of SciPy, which are declared as soon as the user has imported the module."""


def load_scipy(modules: Container[str] | None = None) -> None:
    """Declare the functions of those modules of SciPy that are imported; or of these."""
    for module in [module for module in _WAITING if module in (sys.modules if modules is None else modules)]:
        for family in _WAITING.pop(module):
            known = len(RECORDS)
            importlib.import_module(f"{__name__}.scipy.{family}")
            _spell(list(RECORDS.values())[known:])


def record_in_place_of(kind: type) -> type | None:
    """The record that is read in the place of objects of a class, as of a sparse matrix; None where there is none."""
    home = kind.__module__
    if home.partition(".")[0] != "scipy" and home != "random" and not home.startswith("numpy.random"):
        return None
    load_scipy()
    return RECORDS_OF.get(kind)


def _of_scipy(function: Any) -> Any:
    """What stands for a function of `scipy.special`, which is there as soon as the user has imported it; else None."""
    special = sys.modules.get("scipy.special")
    name = getattr(function, "__name__", None)
    return _IN_SCIPY.get(str(name)) if special is not None and getattr(special, str(name), None) is function else None


def also_spelled(function: Any, spelling: Any) -> None:
    """Let another function stand for one wherever a differentiated function calls it."""
    _SPELLINGS[spelling] = function

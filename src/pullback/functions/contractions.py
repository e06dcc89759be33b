"""Plans of sums of products over common axes: which axes of which array go where, as numbers that ranks determine."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pullback.functions.declare import planning

Axes = tuple[int, ...]
Pair = tuple[Axes, Axes, tuple[int, int, int, int]]


@planning
def contracted_axes(rank_a: int, rank_b: int, axes: int | Sequence[int | Sequence[int]]) -> tuple[Axes, Axes, int]:
    """For np.tensordot: the order of both arrays' axes with those to sum over last and first, and how many these are.

    >>> contracted_axes(3, 2, 1), contracted_axes(2, 2, ((0, 1), (1, 0)))
    (((0, 1, 2), (0, 1), 1), ((0, 1), (1, 0), 2))
    """
    if np.ndim(axes) == 0:
        count = int(axes)  # type: ignore[arg-type]
        chosen = list(range(rank_a - count, rank_a)), list(range(count))
    else:
        first, second = axes  # type: ignore[misc]
        chosen = [k % rank_a for k in np.atleast_1d(first)], [k % rank_b for k in np.atleast_1d(second)]
    if len(chosen[0]) != len(chosen[1]):
        raise ValueError("shape-mismatch for sum")
    kept_a = [k for k in range(rank_a) if k not in chosen[0]]
    kept_b = [k for k in range(rank_b) if k not in chosen[1]]
    return tuple(map(int, (*kept_a, *chosen[0]))), tuple(map(int, (*chosen[1], *kept_b))), len(chosen[0])


@planning
def einsum_plan(
    subscripts: str, ranks: Sequence[int]
) -> tuple[tuple[tuple[tuple[int, int], ...], ...], tuple[Axes, ...], tuple[Pair, ...], Axes]:
    """What np.einsum does with operands of these ranks, one after the other.

    For each operand the pairs of axes to take the diagonal of, then the axes to sum over; for each operand but the
    first how it is multiplied with the product so far (`_paired`); the order of the last product's axes.
    Raises ValueError where the subscripts do not fit.

    >>> einsum_plan("ij,jk->ki", (2, 2))
    (((), ()), ((), ()), (((0, 1), (0, 1), (0, 1, 1, 1)),), (1, 0))
    """
    terms, result = _terms(subscripts, ranks)
    later = [set(result).union(*terms[k + 1 :]) for k in range(len(terms))]
    alone = [_Alone.of(term, later[k].union(*terms[:k])) for k, term in enumerate(terms)]
    term, pairs = alone[0].term, []
    for k in range(1, len(terms)):
        pair, term = _paired(term, alone[k].term, later[k])
        pairs.append(pair)
    order = tuple(term.index(letter) for letter in result)
    return tuple(a.diagonals for a in alone), tuple(a.summed for a in alone), tuple(pairs), order


@dataclass(frozen=True, slots=True)
class _Alone:
    """What is done with an operand before it meets others: diagonals, sums, and the subscripts that are left."""

    diagonals: tuple[tuple[int, int], ...]
    summed: Axes
    term: str

    @classmethod
    def of(cls, term: str, needed: set[str]) -> _Alone:
        diagonals = []
        while repeated := [c for c in term if term.count(c) > 1]:
            letter = repeated[0]
            i, j = term.index(letter), term.rindex(letter)
            diagonals.append((i, j))
            term = term[:i] + term[i + 1 : j] + term[j + 1 :] + letter
        summed = tuple(k for k, letter in enumerate(term) if letter not in needed)
        return cls(tuple(diagonals), summed, "".join(c for c in term if c in needed))


def _paired(first: str, second: str, needed: set[str]) -> tuple[Pair, str]:
    """The product of two operands: the order of both, the numbers of axes in each group, the product's subscripts.

    The groups are: those that both have and that are needed later, those of the first alone, those to sum over, those
    of the second alone.
    """
    both = [c for c in first if c in second and c in needed]
    summed = [c for c in first if c in second and c not in needed]
    of_first = [c for c in first if c not in second]
    of_second = [c for c in second if c not in first]
    order_a = tuple(first.index(c) for c in (*both, *of_first, *summed))
    order_b = tuple(second.index(c) for c in (*both, *summed, *of_second))
    groups = len(both), len(of_first), len(summed), len(of_second)
    return (order_a, order_b, groups), "".join((*both, *of_first, *of_second))


def _terms(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The subscripts of the operands and of the result, with letters for the axes of `...`."""
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"the subscripts of np.einsum name {len(terms)} operands, but {len(ranks)} are given")
    letters = [c for c in string.ascii_letters if c not in subscripts]
    counts = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    if any(count < 0 or (count > 0 and "..." not in term) for term, count in zip(terms, counts, strict=True)):
        raise ValueError(f"the subscripts {subscripts!r} of np.einsum do not fit operands of {ranks} dimensions")
    free = ["".join(reversed(letters[:count])) for count in counts]
    terms = [term.replace("...", more) for term, more in zip(terms, free, strict=True)]
    widest = max(free, key=len)
    if arrow:
        return terms, result.replace("...", widest)
    every = "".join(terms)
    return terms, widest + "".join(sorted(c for c in set(every) - set(widest) if every.count(c) == 1))

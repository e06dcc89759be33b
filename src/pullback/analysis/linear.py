"""Systems of linear forms over integers: whether they can hold at all, by Fourier-Motzkin elimination.

This decides dependence tests (Allen & Kennedy 2001, Optimizing Compilers for Modern Architectures, chapter 3).

>>> i, j = (Form(0, ((term, 1),)) for term in "ij")
>>> is_impossible([i.plus(j, -1)], [i.plus(j, -1).moved(-1)])  # i == j and i > j
True
>>> is_impossible([i.plus(j, -1).moved(-1)], [i.plus(j, -1)])  # i == j + 1 and i >= j
False
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from pullback.analysis.sizes import Form

MOST_FORMS = 200


def is_impossible(zero: Iterable[Form], not_negative: Iterable[Form]) -> bool:
    """Whether no integers make all of the first forms 0 and none of the second negative. False if unknown."""
    forms = _substituted([*zero], [*not_negative])
    while True:
        forms = _tightest(forms)
        if any(not form.terms and form.constant < 0 for form in forms):
            return True
        forms = [form for form in forms if form.terms]
        if not forms or len(forms) > MOST_FORMS:
            return False
        forms = _without_one_term(forms)


def _substituted(zero: list[Form], forms: list[Form]) -> list[Form]:
    """The second forms with a term replaced for every one of the first, those left over as two inequalities."""
    while zero:
        form = zero.pop()
        unit = next(((term, c) for term, c in form.terms if abs(c) == 1), None)
        if unit is None:
            forms += [form, Form(0).plus(form, -1)]
            continue
        term, c = unit
        zero = [other.plus(form, -c * other.of(term)) for other in zero]
        forms = [other.plus(form, -c * other.of(term)) for other in forms]
    return forms


def _tightest(forms: list[Form]) -> list[Form]:
    """Forms that are not negative for the same integers: of those with the same terms only the smallest."""
    kept: dict[frozenset[object], Form] = {}
    for form in forms:
        divisor = gcd(*(c for _, c in form.terms)) or 1
        form = Form(form.constant // divisor, tuple((term, c // divisor) for term, c in form.terms))
        key = frozenset(form.terms)
        if key not in kept or form.constant < kept[key].constant:
            kept[key] = form
    return [*kept.values()]


def _without_one_term(forms: list[Form]) -> list[Form]:
    """One step of Fourier-Motzkin elimination: each lower bound of a term is added to each upper bound of it."""
    signs: dict[object, list[int]] = {}
    for form in forms:
        for term, c in form.terms:
            signs.setdefault(term, [0, 0])[c > 0] += 1
    term = min(signs, key=lambda term: signs[term][0] * signs[term][1])
    below = [form for form in forms if form.of(term) > 0]
    above = [form for form in forms if form.of(term) < 0]
    rest = [form for form in forms if not form.of(term)]
    return rest + [Form(0).plus(a, -b.of(term)).plus(b, a.of(term)) for a in below for b in above]

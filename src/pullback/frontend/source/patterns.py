"""`match` as branches: each pattern becomes a test of the subject, and assignments of what it captures.

match n:                        <subject> = n
    case 0:                     if <subject> == 0:
        y = x            →          y = x
    case k:                     else:
        y = x * k                   k = <subject>
                                    y = x * k
"""

from __future__ import annotations

from typing import Any

import gast

CLASSES = ("bool", "int", "float", "str", "list", "tuple", "dict")


def branches_of(node: Any, subject: str, matched: str) -> list[Any]:
    """The statements that a `match` means; subject, matched: names for what is matched, and for whether it has been.

    >>> tree = gast.parse("match n:\\n    case 1 | 2: y = 3")
    >>> print(gast.unparse(branches_of(tree.body[0], "s", "m")[1]).strip())
    if s == 1 or s == 2:
        y = 3
    """
    first = _at(gast.Assign([_name(subject, gast.Store())], node.subject, None), node.subject)
    if any(case.guard is not None for case in node.cases):
        return [first, *_with_guards(node, subject, matched)]
    chain: list[Any] = []
    for case in reversed(node.cases):
        test, captured = _test(case.pattern, _name(subject)), _captures(case.pattern, _name(subject))
        body = [*captured, *case.body]
        chain = body if test is None else [gast.If(test, body, chain)]
    return [first, *(_at(statement, node) for statement in chain)]


def _with_guards(node: Any, subject: str, matched: str) -> list[Any]:
    """One branch after the other, each where none before it was taken."""
    statements: list[Any] = [gast.Assign([_name(matched, gast.Store())], gast.Constant(False, None), None)]
    for case in node.cases:
        test, captured = _test(case.pattern, _name(subject)), _captures(case.pattern, _name(subject))
        taken: list[Any] = [gast.Assign([_name(matched, gast.Store())], gast.Constant(True, None), None), *case.body]
        inner = [*captured, *(taken if case.guard is None else [gast.If(case.guard, taken, [])])]
        free = gast.UnaryOp(gast.Not(), _name(matched))
        condition = free if test is None else gast.BoolOp(gast.And(), [free, test])
        statements.append(gast.If(condition, inner, []))
    return [_at(statement, node) for statement in statements]


def is_followed(pattern: Any) -> bool:
    """Whether a pattern is one of those that can be written as tests."""
    match pattern:
        case gast.MatchValue() | gast.MatchSingleton() | gast.MatchStar():
            return True
        case gast.MatchAs():
            return pattern.pattern is None or is_followed(pattern.pattern)
        case gast.MatchOr() | gast.MatchSequence():
            return all(map(is_followed, pattern.patterns))
        case gast.MatchClass():
            plain = isinstance(pattern.cls, gast.Name) and pattern.cls.id in CLASSES
            return plain and not pattern.kwd_patterns and all(map(is_followed, pattern.patterns[:1]))
    return False


def _test(pattern: Any, subject: Any) -> Any:
    """The condition on which a pattern matches; None where it always does."""
    match pattern:
        case gast.MatchValue():
            return gast.Compare(subject, [gast.Eq()], [pattern.value])
        case gast.MatchSingleton():
            return gast.Compare(subject, [gast.Is()], [gast.Constant(pattern.value, None)])
        case gast.MatchAs():
            return None if pattern.pattern is None else _test(pattern.pattern, subject)
        case gast.MatchOr():
            tests = [_test(inner, subject) for inner in pattern.patterns]
            return None if None in tests else gast.BoolOp(gast.Or(), tests)
        case gast.MatchClass():
            tests = [_is_instance(subject, [pattern.cls]), *(_test(inner, subject) for inner in pattern.patterns)]
            return _all(tests)
        case gast.MatchSequence():
            return _all([*_of_length(pattern, subject), *(_test(p, part) for p, part in _parts(pattern, subject))])
    raise AssertionError("the language check has refused the pattern")


def _captures(pattern: Any, subject: Any) -> list[Any]:
    """The assignments of what a pattern captures."""
    match pattern:
        case gast.MatchAs():
            inner = [] if pattern.pattern is None else _captures(pattern.pattern, subject)
            return inner if pattern.name is None else [*inner, _bound(pattern.name, subject)]
        case gast.MatchClass():
            return [statement for inner in pattern.patterns for statement in _captures(inner, subject)]
        case gast.MatchStar():
            listed = gast.Call(_name("list"), [subject], [])
            return [] if pattern.name is None else [_bound(pattern.name, listed)]
        case gast.MatchSequence():
            return [s for p, part in _parts(pattern, subject, True) for s in _captures(p, part)]
    return []


def _of_length(pattern: Any, subject: Any) -> list[Any]:
    stars = sum(isinstance(inner, gast.MatchStar) for inner in pattern.patterns)
    count = gast.Constant(len(pattern.patterns) - stars, None)
    length = gast.Call(_name("len"), [subject], [])
    compared = gast.Compare(length, [gast.GtE() if stars else gast.Eq()], [count])
    return [_is_instance(subject, [_name("tuple"), _name("list")]), compared]


def _parts(pattern: Any, subject: Any, with_star: bool = False) -> list[tuple[Any, Any]]:
    """The patterns within a sequence, and the parts of the subject that they stand for."""
    parts: list[tuple[Any, Any]] = []
    count, star = len(pattern.patterns), None
    for k, inner in enumerate(pattern.patterns):
        if isinstance(inner, gast.MatchStar):
            star = k
            until = None if k == count - 1 else gast.Constant(k + 1 - count, None)
            index: Any = gast.Slice(gast.Constant(k, None), until, None)
            if not with_star:
                continue
        else:
            index = gast.Constant(k if star is None else k - count, None)
        parts.append((inner, gast.Subscript(subject, index, gast.Load())))
    return parts


def _is_instance(subject: Any, classes: list[Any]) -> Any:
    return gast.Call(_name("isinstance"), [subject, gast.Tuple(classes, gast.Load())], [])


def _all(tests: list[Any]) -> Any:
    conditions = [test for test in tests if test is not None]
    return conditions[0] if len(conditions) == 1 else gast.BoolOp(gast.And(), conditions)


def _bound(name: str, value: Any) -> Any:
    return gast.Assign([_name(name, gast.Store())], value, None)


def _name(name: str, context: Any = None) -> Any:
    return gast.Name(name, context or gast.Load(), None, None)


def _at(statement: Any, node: Any) -> Any:
    """The statement with the place of a node, wherever it has none of its own."""
    for made in gast.walk(statement):
        if not hasattr(made, "lineno"):
            gast.copy_location(made, node)
    return statement

"""`tf.nest`: nested lists, tuples and dicts, with tensors in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.tape.nest import flatten as _flatten
from pullback.tape.nest import rebuilt


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """What stands in `structure`, dicts in the order of their sorted keys. `expand_composites` has no effect.

    >>> import pullback.tf as tf
    >>> tf.nest.flatten({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]
    """
    return _flatten(structure)


def is_nested(structure: Any) -> bool:
    """Whether `structure` is a list, tuple or dict.

    >>> import pullback.tf as tf
    >>> tf.nest.is_nested([1]), tf.nest.is_nested(1)
    (True, False)
    """
    return isinstance(structure, list | tuple | dict)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """`structure` with the items of `flat_sequence` in it, in the order of `flatten`.

    `expand_composites` has no effect.

    >>> import pullback.tf as tf
    >>> tf.nest.pack_sequence_as({"b": 1, "a": [2]}, ["x", "y"])
    {'b': 'y', 'a': ['x']}
    """
    leaves = list(flat_sequence)
    if len(leaves) != len(_flatten(structure)):
        raise ValueError(f"{len(leaves)} items for a structure of {len(_flatten(structure))}")
    return rebuilt(structure, leaves)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """A structure of what `func` returns for the items of one `structure`, or of several of the same form.

    kwargs: `check_types` and `expand_composites`, which have no effect.

    >>> import pullback.tf as tf
    >>> tf.nest.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    columns = zip(*(_flatten(one) for one in structure), strict=True)
    return rebuilt(structure[0], [func(*column) for column in columns])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise a ValueError where `nest1` and `nest2` are not of one form, and a TypeError where their containers differ.

    check_types: False where a list may stand for a tuple. `expand_composites` has no effect.

    >>> import pullback.tf as tf
    >>> tf.nest.assert_same_structure([1, (2,)], [3, (4,)])
    """
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(f"{nest1!r} and {nest2!r} are not of one form")
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"a {type(nest1).__name__} and a {type(nest2).__name__} are not of one form")
    if len(nest1) != len(nest2) or (isinstance(nest1, dict) and set(nest1) != set(nest2)):
        raise ValueError(f"{nest1!r} and {nest2!r} are not of one form")
    keys = nest1 if isinstance(nest1, dict) else range(len(nest1))
    for key in keys:
        assert_same_structure(nest1[key], nest2[key], check_types)


__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

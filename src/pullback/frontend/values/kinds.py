"""What is known of the classes whose objects a function makes: it decides how the objects are followed."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Kinds:
    """Classes, by what the readings before this one found.

    assigned: those whose objects get other attributes than they are made with. as_records: those whose objects are
    records of their attributes, so that loops carry them and lists hold them. made: those that could be.
    """

    assigned: frozenset[type] = frozenset()
    as_records: frozenset[type] = frozenset()
    made: set[type] = field(default_factory=set)

"""Files, functions and classes are named by the field's terms, and the glossary of docs/architecture.md says which."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "pullback"
FILES = sorted(PACKAGE.rglob("*.py"))
GLOSSARY = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("\n## Glossary\n")[2]
ROWS = re.findall(r"^\| ([a-z -]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", GLOSSARY, re.MULTILINE)[1:]
TERMS = [term for term, *_ in ROWS]

RETIRED = {
    "abreast": "outer-loop vectorisation",
    "filling": "must-write",
    "fillings": "must-write",
    "independence": "dependence",
    "jam": "unroll-and-jam",
    "jammer": "unroll-and-jam",
    "jams": "unroll-and-jam",
    "leaving": "escape",
    "lend": "borrowed argument",
    "lending": "borrowed argument",
    "lent": "borrowed argument",
    "naturals": "non-negative",
    "pick": "argument selection",
    "plane": "array expansion",
    "planes": "array expansion",
    "questions": "request",
    "roller": "line buffer",
    "rolling": "line buffer",
    "round": "iteration",
    "rounds": "iteration",
    "scratch": "array privatisation",
    "threading": "residual array",
}
"""Words that are in no name of a file, a function or a class, and the terms that have taken their place."""

RETIRED_FROM_FILES = {
    "behind": "strong zero",
    "clears": "dead-store elimination",
    "closed": "induction-variable substitution",
    "fresh": "zero-initialisation elimination",
    "hoist": "loop-invariant code motion",
    "lanes": "outer-loop vectorisation",
    "mentions": "operand needs",
    "own": "copy insertion",
    "picks": "argument selection",
    "registers": "scalar replacement",
    "segments": "checkpointing",
    "sharing": "common-subexpression elimination",
    "sums": "reduction",
}
"""Words that are in no name of a file."""

ROUNDING = {"__round__", "_round", "_round_decimal", "round_decimal", "round_even", "rounds_up"}
"""Names of functions that round numbers."""


def words_of(name: str) -> list[str]:
    """The words of a name, of which unroll-and-jam is one."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return snake.replace("unroll_and_jam", "unroll-and-jam").split("_")


def names_in(path: Path) -> Iterator[str]:
    """The names of the functions and classes of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_name_has_a_retired_word(path):
    found = {name: RETIRED[word] for name in names_in(path) for word in words_of(name) if word in RETIRED}
    assert not {name: term for name, term in found.items() if name not in ROUNDING}


def test_no_file_is_named_by_a_retired_word():
    retired = RETIRED | RETIRED_FROM_FILES
    parts = {part.removesuffix(".py") for path in FILES for part in path.relative_to(PACKAGE).parts}
    assert not {part: retired[word] for part in parts for word in words_of(part) if word in retired}


def test_the_names_that_round_numbers_are_in_use():
    assert {name for path in FILES for name in names_in(path)} >= ROUNDING


@pytest.mark.parametrize("term", sorted({*RETIRED.values(), *RETIRED_FROM_FILES.values()}))
def test_the_term_for_a_retired_word_is_in_the_glossary(term):
    assert term in TERMS


def test_the_glossary_is_sorted_and_says_each_term_once():
    assert sorted(set(TERMS)) == TERMS


@pytest.mark.parametrize(("term", "places"), [(row[0], row[2]) for row in ROWS if row[0] != "iteration"])
def test_a_term_is_at_work_where_the_glossary_says(term, places):
    found = re.findall(r"`([a-z_/]+(?:\.py)?)`", places)
    assert found
    assert all((PACKAGE / place).exists() for place in found)


def test_a_word_is_found_in_names_of_either_style():
    assert words_of("_Scratch") == ["", "scratch"]
    assert words_of("UnrollAndJam") == ["unroll-and-jam"]
    assert words_of("jam_of") == ["jam", "of"]

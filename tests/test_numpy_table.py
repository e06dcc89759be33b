"""docs/numpy.md says what the records say."""

from __future__ import annotations

from numpy_table import FILE, page


def test_the_table_of_numpys_functions_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == page(), "run: python tests/numpy_table.py"


def test_the_table_lists_functions_of_each_kind() -> None:
    text = page()
    for row in ("`np.sin` | each element's", "`np.einsum` |", "`np.floor` | constant", "`np.cross` |", "`np.acos` |"):
        assert f"| {row}" in text

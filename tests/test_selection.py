"""Which tests run: what `costly.txt` names is there."""

import re
from pathlib import Path

TESTS = Path(__file__).parent


def test_costly_tests_exist() -> None:
    names = (TESTS / "costly.txt").read_text().split()
    assert names == sorted(set(names))
    for name in names:
        file, *_, function = name.split("::")
        assert re.search(rf"^\s*def {function}\(", (TESTS / file).read_text(encoding="utf-8"), re.M), name

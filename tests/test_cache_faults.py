"""What may happen to the cache happens, a little of everything; `cache_faults.py` does all of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from cache_faults import PARTS


@pytest.mark.drawn(2)
@pytest.mark.parametrize("part", PARTS)
def test_calls_are_right_whatever_happens_to_the_cache(part: str) -> None:
    """In a process of its own, which can be forked: no thread but one."""
    campaign = Path(__file__).with_name("cache_faults.py")
    run = subprocess.run([sys.executable, str(campaign), part, "--small"], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{part}: 0 failures" in run.stdout

"""The conformance cases of GradientTape, where they stand beside the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SUITE = Path(__file__).parent.parent.parent / "shared" / "conformance" / "run.py"


@pytest.mark.skipif(not SUITE.exists(), reason="the suite is not at hand")
def test_all_cases() -> None:
    run = subprocess.run(
        [sys.executable, str(SUITE), "pullback.tf"], capture_output=True, text=True, cwd=SUITE.parent, check=False
    )
    assert "193 passed, 0 failed" in run.stdout, run.stdout

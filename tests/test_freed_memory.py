"""Memory that calls have freed serves the next ones, unless the user has chosen otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource
import numpy as np
import pullback as pb

def steps(x, n):
    total = 0.0
    y = x.copy()
    for _ in range(n):
        for i in range(y.shape[0]):
            y[i] = np.sin(y[i])
    for i in range(y.shape[0]):
        total += y[i]
    return total

slope = pb.grad(steps)
x = np.ones(100_000)
for _ in range(3):
    slope(x, 20)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    slope(x, 20)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif("glibc" not in (os.confstr("CS_GNU_LIBC_VERSION") or ""), reason="for the C library of GNU")
def test_pages_stay_from_call_to_call(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    assert faults(program, {}) < 2000
    assert faults(program, {"MALLOC_TRIM_THRESHOLD_": "131072"}) > 10_000


def faults(program: Path, chosen: dict[str, str]) -> int:
    """How many pages five calls make that keep 16 MB each, which has 4,000 pages."""
    run = [sys.executable, str(program)]
    return int(subprocess.run(run, env=os.environ | chosen, capture_output=True, text=True, check=True).stdout)

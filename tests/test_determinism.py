"""The same function gives the same text in every process: machine code on disk is found by what it was made from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import collect

DIGESTS = """
import hashlib, random, sys, warnings
import collect
import pullback as pb
from pullback.api.differentiable import engine_of

warnings.simplefilter("ignore")
part, count, seed = map(int, sys.argv[1:])
litter = [bytes(random.Random(seed).randrange(10, 2000)) for _ in range(1000)]  # moves what is made afterwards
for program in collect.programs()[part::count]:
    if program.samples[0].cotangent is not None:
        continue
    f = pb.differentiable(jit=False, fuse=True)(program.function)
    pb.value_and_grad(f, argnums=program.samples[0].wrt)(*program.samples[0].fresh())
    for made in engine_of(f).made.values():
        print(program.id, hashlib.md5(made.machine_text.encode()).hexdigest())
"""
PARTS = 36


def digests(part: int, seed: int) -> list[str]:
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", DIGESTS, str(part), str(PARTS), str(seed)]
    done = subprocess.run(command, env=environment, cwd=Path(collect.__file__).parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.drawn(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_text_does_not_depend_on_the_process(part: int) -> None:
    first = digests(part, 1)
    assert first
    assert digests(part, 2) == first

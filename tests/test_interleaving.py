"""Loops that call the vector math library work on several vectors at a time."""

import math
import re

import numpy as np
from numba import njit

from pullback.runtime import vectormath as vm
from pullback.runtime.codegen.compiled import OPTIONS
from pullback.runtime.codegen.compiler import Compiler
from pullback.runtime.codegen.interleaving import VECTORS_AT_A_TIME

SQUARE_ROOT = re.compile(r"call .*@llvm\.sqrt\.v\d+f64")


def chains(x, out):
    for i in range(x.shape[0]):
        deviation = math.sqrt(x[i])
        out[i] = vm.erf(vm.log(x[i]) / deviation) - vm.erf(deviation) * vm.exp(-deviation)


def chains_below(x, out):
    """A loop around the loop that calls the library."""
    for i in range(x.shape[0]):
        out[i] = math.sqrt(x[i])
        for j in range(x.shape[0]):
            out[i] += vm.exp(x[j])


def vector_roots(function, **options):
    """How many square roots of vectors stand in the largest block of a function's machine code."""
    x, out = np.linspace(0.5, 2.0, 50), np.empty(50)
    compiled = njit(**OPTIONS, **options)(function)
    compiled(x, out)
    expected = np.empty(50)
    njit(**OPTIONS)(function)(x, expected)
    np.testing.assert_array_equal(out, expected)
    blocks = re.split(r"\n(?=[\w.]+:)", compiled.inspect_llvm(compiled.signatures[0]))
    return max(len(SQUARE_ROOT.findall(block)) for block in blocks)


def test_a_loop_of_long_chains_works_on_several_vectors():
    assert vector_roots(chains) == 1
    assert vector_roots(chains, pipeline_class=Compiler) == VECTORS_AT_A_TIME


def test_loops_around_are_left_to_llvm():
    assert vector_roots(chains_below, pipeline_class=Compiler) == vector_roots(chains_below)

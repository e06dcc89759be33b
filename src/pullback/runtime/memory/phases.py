"""Arrays in phases: the elements of a row whose indices leave the same remainder by a stride are a row of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import kernel


@kernel
def deinterleaved(x: Any, stride: int) -> Any:
    """The row x in phases: x[i] is the element [i % stride, i // stride].

    >>> deinterleaved(np.arange(6.0), 2)
    array([[0., 2., 4.],
           [1., 3., 5.]])
    """
    phases = np.empty((stride, (len(x) + stride - 1) // stride), x.dtype)
    for phase in range(stride):
        for place, i in enumerate(range(phase, len(x), stride)):
            phases[phase, place] = x[i]
    return phases


@kernel
def interleaved(phases: Any, size: int) -> Any:
    """The row of so many elements that is in these phases.

    >>> interleaved(deinterleaved(np.arange(5.0), 2), 5)
    array([0., 1., 2., 3., 4.])
    """
    row = np.empty(size, phases.dtype)
    for phase in range(len(phases)):
        for place, i in enumerate(range(phase, size, len(phases))):
            row[i] = phases[phase, place]
    return row

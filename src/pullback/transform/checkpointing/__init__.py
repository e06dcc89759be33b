"""Checkpointing: a loop that would keep much runs in √n segments, and the backward sweep runs each segment once more.

for i in range(n):                   for segment in range(segments):
    x = f(x)                             x_saved[segment] = x
…                                        for i in range(segment * length, …):
for i in range(n - 1, -1, -1):               x = f(x)
    x_bar = …                        …
                               →     for segment in range(segments - 1, -1, -1):
                                         x = x_saved[segment]
                                         for i in range(segment * length, …):
                                             x = f(x), keeping what the iterations backwards need
                                         for i in range(…, segment * length - 1, -1):
                                             x_bar = …

>>> import numpy as np
>>> from pullback.compilation.memory import interpreted
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import find_kept, prepared
>>> from pullback.transform.footprint import Footprint
>>> def f(x, n):
...     for i in range(n):
...         x = np.sin(x)
...     return x
>>> function = prepared(normal_form(f, 0.5, 10_000))
>>> for checkpointed in (frozenset(), frozenset({0})):  # no loop, the first loop
...     kept = find_kept(function, (0,), checkpointed=checkpointed)
...     print(interpreted(Footprint(function, kept).measure())(0.5, 10_000), "bytes")
80000 bytes
1600 bytes

To the rest of the transform the two outer loops are a loop and its mirror, so that what each segment starts with (the
checkpoint) is kept as everything else is. The statements of a segment run twice, with their effects once: checks and
prints run the first time. Griewank & Walther (2008), Evaluating Derivatives, chapter 12.

`divisible_loops.py` says which loops gain by it, `placement.py` puts the two loops where one was and its mirror,
`segmentation.py` makes them, and `binomial.py` those for a given memory.
"""

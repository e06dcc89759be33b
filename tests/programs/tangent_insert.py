"""The one program of google/tangent that needs the library itself: code injected into the backward pass.

`collect` leaves this module out, `test_programs.py` compares it with EXPECTED. With value a**3, the cotangent of the
first factor scaled by 0.9: the true target is 2.9·a**2; the oracle, which knows nothing of injected code, gives 3·a**2.
"""

import pullback as pb

COLLECT = False
EXPECTED = ((2.0, 11.6), (-1.5, 6.525), (0.5, 0.725))


def inlining_contextmanager(a):
    b = a
    with pb.insert_grad_of(b) as g:
        g = g * 0.9
    return b * a * a

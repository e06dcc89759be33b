"""Forward transform: a Function becomes one that also pushes tangents of its parameters forward to its results.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.running import finished
>>> from pullback.passes.pipeline import ALL
>>> from pullback.transform.forward.pushforward import pushed
>>> def f(w, x):
...     return np.sin(w * x)
>>> print(show(finished(pushed(normal_form(f, 2.0, 3.0), (0, 1), 0, ALL), ALL)))
f_jvp(w: float64*, x: float64*, w_dot: float64*, x_dot: float64*):
    t.0: float64* = multiply(w, x)
    t.1: float64* = multiply(x, w_dot)
    t.2: float64* = multiply(w, x_dot)
    t.3: float64* = add(t.1, t.2)
    t.4: float64 = sin(t.0)
    t.5: float64 = cos(t.0)
    t.6: float64 = multiply(t.5, t.3)
    return t.4, t.6

Each statement is followed by that of its tangent, so that nothing is kept. The records of functions serve both sweeps:
partial derivatives are multiplied by tangents; a linear function is applied to them; of any other, the vjp is linear in
the cotangent, and its transpose is what tangents go through.
"""

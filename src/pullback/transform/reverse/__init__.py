"""Reverse transform: a Function becomes the statements that pull cotangents of its results back to its parameters.

>>> import numpy as np, pullback as pb
>>> def f(w, x):
...     return np.sin(w * x)
>>> print(pb.explain(f, 2.0, 3.0, passes=["both_sweeps"]))
differentiation: both_sweeps
  ...
  -f(w: float64*, x: float64*):
  +f_value_and_grad(w: float64*, x: float64*):
       t.0: float64* = multiply(w, x)
       t.1: float64 = sin(t.0)
  -    return t.1
  +    t.2: float64 = cos(t.0)
  +    w_bar: float64 = multiply(t.2, x)
  +    x_bar: float64 = multiply(t.2, w)
  +    return t.1, w_bar, x_bar

The backward statements mention the values of the forward ones as if they were all in scope;
`transform.materialised_residuals` makes them so. Each structured statement of the backward sweep remembers which
forward statement it mirrors.
"""

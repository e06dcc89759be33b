"""Reverse transform: a Function becomes the statements that pull cotangents of its results back to its parameters.

    t = multiply(w, x)            t_bar = multiply(y_bar, cos(t))
    y = sin(t)             →      w_bar = multiply(t_bar, x)
    return y                      x_bar = multiply(t_bar, w)

The backward statements mention the values of the forward ones as if they were all in scope; `residuals` makes them so.
Each structured statement of the backward sweep remembers which forward statement it mirrors.
"""

"""Derivatives that the text of a function asks for are replaced by the statements that compute them.

    watched(x, 1)                          marks x as the function's argument by which it is differentiated
    gradient(x, targets, seeds, 2)         reverse mode: cotangents of x
    tangent(y, sources, seeds, 2)          forward mode: the tangent of y
    jacobian(y, x, mode, 2)                all partial derivatives of y by x: a loop around either
    columns(y, x, seeds, 2)                tangents of y for those of x in the columns of a matrix
    divergence(y, x, 2)                    the sum of those of y[k] by x[k]

`resolving.py` takes them in the order of the text, so that what one computes is there for the next: that is how
derivatives of higher order come about. `places.py` finds the statements that a request is about.
"""

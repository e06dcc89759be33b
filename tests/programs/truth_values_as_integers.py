"""Truth values where Python divides by integers, or raises to them: they are 0 and 1."""

import numpy as np

from collect import failing, program


@program(2.0, True)
def quotients(x, n):
    return x * (7 // n) + x * x * (7 % n + divmod(7, n)[0])


@program(2.0, True)
@program(2.0, False)
def powers(x, n):
    return x * (2**n) + x * pow(3, n) + x**n * (n**2 + n // 2)


@program(1.5)
@program(-1.5)
def made_in_the_function(x):
    positive = x > 0.0
    return x * (5 // (positive + 1)) + x * 2 ** (x < 1.0)


@program(1.5, True)
def assigned_in_place(x, n):
    m = 5
    m //= n
    m **= n
    return x * m * np.floor_divide(7, n)


@failing(2.0, False, error=ZeroDivisionError)
def quotient_by_false(x, n):
    return x * (7 // n)


@failing(2.0, False, error=ZeroDivisionError)
def remainder_by_false(x, n):
    return x * (7 % n)

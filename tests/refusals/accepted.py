# ruff: noqa
# fmt: off
"""Functions of which the language check refuses nothing."""

import math
from collections.abc import Callable

import numpy as np

scale = 2.0


def arithmetic(x, y):
    return -x + y * x / y - x // 2 % 3 + x**2 + (+y)


def bit_operations(x, n):
    mask = (x > 0) & (x < 1) | ~(x == 2) ^ (n << 1 > n >> 1)
    return np.sum(x[mask])


def matrix_product(a, b):
    return np.sum(a @ b)


def comparisons(x, n):
    return 0 < x <= 1 and n is not None and n in (1, 2) and n not in [3] or not n


def conditional_expression(x):
    return x if x > 0 else -x


def if_elif_else(x):
    if x > 1:
        y = x
    elif x > 0:
        y = 2 * x
    else:
        y = 3 * x
    return y


def for_loop(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def for_with_else_break_continue(x):
    for a in x:
        if a < 0:
            continue
        if a > 3:
            break
    else:
        return 0.0
    return a


def while_with_else(x):
    while x > 1.0:
        x = x / 2
    else:
        x = x + 1
    return x


def endless_while(x):
    while True:
        x = x / 2
        if x < 1:
            return x


def early_return(x):
    for i in range(10):
        if x[i] > 1:
            return x[i]
    return 0.0


def no_result(x):
    x[0] = 1.0
    return


def subscripts(x):
    x[1:, ::2] = x[..., None][:, -1, 0]
    x[0] += x[1]
    x[np.newaxis, [0, 1]] *= 2
    return x[0, 0]


def tuple_unpacking(x):
    a, (b, c) = x[0], (x[1], x[2])
    a, b = b, a
    [d, e] = a, c
    return a * b + c + d + e


def chained_assignment(x):
    a = b = x * x
    return a + b


def annotated_assignment(x: "np.ndarray", n: set[bytes] = None, *, f: Callable[[int], bytes] = None) -> {1, 2}:
    y: {1, 2} = x
    z: float
    z = y
    return z


def list_comprehension(x):
    return np.sum(np.array([a * a for a in x if a > 0]))


def nested_comprehension(x):
    return np.sum(np.array([[a * b for b in x] for a in x]))


def generator_in_sum(x):
    return sum(a * a for a in x)


def generator_in_max_min_any_all(x):
    if any(a > 0 for a in x) and all(a < 9 for a in x):
        return max(a for a in x) - min((a for a in x))
    return 0.0


def fstrings_and_print(x):
    print(f"x = {x!r:>{10}} {'nested'}", end="", flush=True)
    print("%s {}".format(x) % 2)
    return x


def print_to_a_file(x, file):
    print(x, file=file)
    return x


def assertions(x):
    assert x > 0, f"not positive: {x}"
    assert x < 10
    return x


def raising(x):
    if x < 0:
        raise ValueError("negative")
    if x > 10:
        raise ValueError
    return np.sqrt(x)


def nested_function(x, n):
    def power(y, k=2, *, offset=1.0):
        return y**k + offset

    for _ in range(n):
        x = power(x, offset=x)
    return x


def nested_twice(x):
    def outer(y):
        def inner(z):
            return z * x

        return inner(y)

    return outer(x)


def lambdas(x):
    square = lambda y, k=2: y**k
    return square(x) + (lambda: x)()


def parameter_kinds(x, /, y, *, z=1.0, w):
    return x * y * z * w


def defaults(x, n=3, axis=None, name="w", shape=(1, 2)):
    return x * n


def keyword_arguments(x):
    return np.sum(x, axis=0, keepdims=True)[0]


def recursion(x, n):
    return x if n == 0 else x * recursion(x, n - 1)


def reads_a_global(x):
    return scale * x * math.pi


def list_as_stack(x):
    stack = []
    for a in x:
        stack.append(a * a)
    return stack.pop()


def dict_literal(x):
    p = {"w": x, "b": 2.0}
    q = dict(w=x)
    return p["w"] * q["w"] + p["b"]


def attributes_read(x, model):
    return model.layer.weight * x.T.shape[0] + x.size


def method_calls(x, model):
    return model.forward(x).sum()


def docstring_and_pass(x):
    """The docstring is kept."""
    pass
    ...
    return x


def iterators(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, reversed(y))):
        s += i * a * b
    return s


def swap(u, v, n):
    for _ in range(n):
        u, v = v, u
    return u[0]


def input_is_a_parameter(input, label, W, b):
    return np.sum(np.dot(input, W) + b - label)


def calls_a_parameter_named_open(x, open):
    return open(x)


def own_function_named_vars(x):
    def vars(y):
        return y * y

    return vars(x)


def method_named_eval(x, model):
    return model.eval(x) + model.open(x)


def augmented_operators(x, n):
    x += 1
    x -= 1
    x *= 2
    x /= 2
    x **= 2
    x //= 1
    x %= 3
    n <<= 1
    n |= 1
    return x


def dunder_debug(x):
    if __debug__ and __name__ != "":
        return x
    return -x


def ellipsis_and_none(x):
    return x[..., None].sum(axis=None)


def two_statements_on_a_line(x):
    y = x; y += 1
    return y


lambda_itself = lambda x, y=2.0: x * y if x > 0 else y


@staticmethod
def decorated(x):
    return x

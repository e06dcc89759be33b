# ruff: noqa
# fmt: off
"""Expressions that are refused. A marker names words of the reason and, between backquotes, what the caret is under."""

import numpy as np


def starred_argument(x):
    pair = (x, x)
    return np.hypot(*pair)  # refused: '*' is not supported here, at `*pair`


def starred_print(x):
    print(*x)  # refused: '*' is not supported here, at `*x`
    return x[0]


def double_starred_argument(x):
    options = {"axis": 0}
    return np.sum(x, **options)  # refused: '**' is not supported in a call, at `**options`


def both_kinds_of_star(x, f, a, k):
    return f(*a, **k)  # refused: '*' is not supported here, at `*a`; '**' is not supported in a call, at `**k`


def starred_target(x):
    first, *rest = x  # refused: '*' is not supported in an assignment, at `*rest`
    return first


def starred_loop_target(x, pairs):
    for a, *b in pairs:  # refused: '*' is not supported in an assignment, at `*b`
        x = x + a
    return x


def starred_in_a_list(x):
    y = [*x, 1.0]  # refused: '*' is not supported here, at `*x`
    return y[0]


def starred_in_a_tuple(x):
    return (1.0, *x)  # refused: '*' is not supported here, at `*x`


def starred_index(x, index):
    return x[*index]  # refused: '*' is not supported here, at `*index`


def dict_unpacked(x, defaults):
    p = {"a": x, **defaults}  # refused: '**' is not supported in a dict, at `defaults`
    return p["a"]


def walrus(x):
    if (y := x * x) > 1:  # refused: ':=' is not supported, at `y := x * x`
        return y
    return x


def walrus_in_while(x):
    while (x := x / 2) > 1.0:  # refused: ':=' is not supported, at `x := x / 2`
        pass
    return x


def bytes_literal(x):
    key = b"w"  # refused: bytes are not supported, at `b"w"`
    return x


def set_literal(x, n):
    if n in {1, 2, 3}:  # refused: a set is not supported, at `{1, 2, 3}`
        return x
    return -x


def set_comprehension(x):
    return max({a * a for a in x})  # refused: a set comprehension is not supported, at `{a * a for a in x}`


def dict_comprehension(x):
    d = {i: x[i] for i in range(3)}  # refused: a dict comprehension is not supported, at `{i: x[i] for i in range(3)}`
    return d[0]


def generator_kept(x):
    squares = (a * a for a in x)  # refused: a generator expression is supported only, at `(a * a for a in x)`
    return sum(squares)


def generator_in_np_sum(x):
    return np.sum(a * a for a in x)  # refused: a generator expression is supported only, at `(a * a for a in x)`


def generator_with_start(x):
    return sum((a * a for a in x), 1.0)  # refused: a generator expression is supported only, at `(a * a for a in x)`


def generator_with_default(x):
    return max((a for a in x), default=0.0)  # refused: a generator expression is supported only, at `(a for a in x)`


def generator_in_a_list_call(x):
    return list(a * a for a in x)  # refused: a generator expression is supported only


def generator_for_a_local_sum(x):
    def sum(values):
        return values

    return sum(a for a in x)  # refused: a generator expression is supported only, at `(a for a in x)`


def generator_with_two_loops(x):
    return sum(a * b for a in x for b in x)  # refused: more than one 'for', at `(a * b for a in x for b in x)`


def comprehension_with_two_loops(x):
    return np.sum([a * b for a in x for b in x])  # refused: more than one 'for', at `[a * b for a in x for b in x]`


def comprehension_in_a_comprehension(x):
    y = [[a * b for b in x for c in x] for a in x]  # refused: more than one 'for', at `[a * b for b in x for c in x]`
    return y[0][0]


def complex_literal(x):
    return x * 2j  # refused: a complex number is not supported, at `2j`


def complex_default(x, z=1j):  # refused: a complex number is not supported, at `1j`
    return x


def calls_exec(x):
    exec("y = 1")  # refused: 'exec' is not supported: it runs code, at `exec`
    return x


def calls_eval(x):
    return eval("x * x")  # refused: 'eval' is not supported: it runs code, at `eval`


def calls_compile(x):
    compile("x", "f", "eval")  # refused: 'compile' is not supported, at `compile`
    return x


def calls_import(x):
    return __import__("math").sin(x)  # refused: '__import__' is not supported, at `__import__`


def calls_locals(x):
    return locals()["x"]  # refused: 'locals' is not supported, at `locals`


def calls_globals(x):
    return x * globals()["scale"]  # refused: 'globals' is not supported, at `globals`


def calls_vars(x, model):
    return x * vars(model)["w"]  # refused: 'vars' is not supported, at `vars`


def calls_setattr(x, model):
    setattr(model, "w", x)  # refused: 'setattr' is not supported, at `setattr`
    return x


def calls_delattr(x, model):
    delattr(model, "w")  # refused: 'delattr' is not supported, at `delattr`
    return x


def calls_open(x):
    f = open("log")  # refused: 'open' is not supported, at `open`
    return x


def calls_input(x):
    return x * float(input("scale? "))  # refused: 'input' is not supported, at `input`


def after_other_letters(x):
    θ = "é"; ψ = b"e"  # refused: bytes are not supported, at `b"e"`
    return x


def over_several_lines(x):
    return x * max(
        {  # refused: a set is not supported
            1,
            2,
        }
    )


def in_an_fstring(x):
    print(f"{ {1, 2} }")  # refused: a set is not supported
    return x


walrus_in_a_lambda = lambda x: (y := x) * y  # refused: ':=' is not supported, at `y := x`

set_in_a_lambda = {
    "first": lambda x: x,
    "second": lambda x: max({x, 2.0}),  # refused: a set is not supported, at `{x, 2.0}`
}["second"]

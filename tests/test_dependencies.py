"""All that a function depends on is compared on each call: code by identity, numbers by type, value and sign."""

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cells
import pullback as pb

# What is defined, and what is changed later; `other` is a function that computes something else.
CHANGES: dict[str, tuple[str, str]] = {
    "code of the function": (
        "def f(x):\n    return x * x\ndef other(x):\n    return 3.0 * x\n",
        "f.__code__ = other.__code__",
    ),
    "code of a helper": (
        "def h(v):\n    return v * v\ndef other(v):\n    return 3.0 * v\ndef f(x):\n    return h(x)\n",
        "h.__code__ = other.__code__",
    ),
    "code of a helper's helper": (
        "def g(v):\n    return v\ndef h(v):\n    return g(v) * v\ndef other(v):\n    return 3.0 * v\n"
        "def f(x):\n    return h(x)\n",
        "g.__code__ = other.__code__",
    ),
    "helper that is another one": (
        "def h(v):\n    return v * v\ndef other(v):\n    return 3.0 * v\ndef f(x):\n    return h(x)\n",
        "h = other",
    ),
    "default of the function": (
        "def f(x, a=2.0):\n    return a * x\n",
        "f.__defaults__ = (5.0,)",
    ),
    "default of the function by keyword": (
        "def f(x, *, a=2.0):\n    return a * x\n",
        "f.__kwdefaults__ = {'a': 5.0}",
    ),
    "default of the function by keyword, in its place": (
        "def f(x, *, a=2.0):\n    return a * x\n",
        "f.__kwdefaults__['a'] = 5.0",
    ),
    "default of a helper": (
        "def h(v, a=2.0):\n    return a * v\ndef f(x):\n    return h(x)\n",
        "h.__defaults__ = (5.0,)",
    ),
    "default of a helper by keyword": (
        "def h(v, *, a=2.0):\n    return a * v\ndef f(x):\n    return h(x)\n",
        "h.__kwdefaults__ = {'a': 5.0}",
    ),
    "default of a helper by keyword, in its place": (
        "def h(v, *, a=2.0):\n    return a * v\ndef f(x):\n    return h(x)\n",
        "h.__kwdefaults__['a'] = 5.0",
    ),
    "default of a helper that is given": (
        "def h(v, a=2.0):\n    return a * v\ndef f(x):\n    return h(x, 3.0)\ndef other(v, a=2.0):\n    return v + a\n",
        "h.__defaults__ = (5.0,); h.__code__ = other.__code__",
    ),
    "builtin that a global hides": (
        "def other(v):\n    return 3.0 * v\ndef f(x):\n    return abs(x) * x\n",
        "abs = other",
    ),
    "builtin of a helper that a global hides": (
        "def other(v):\n    return 3.0 * v\ndef h(v):\n    return abs(v) * v\ndef f(x):\n    return h(x)\n",
        "abs = other",
    ),
    "global that uncovers a builtin": (
        "def abs(v):\n    return 3.0 * v\ndef f(x):\n    return abs(x) * x\n",
        "del abs",
    ),
    "module under its name": (
        "import math as m\nfrom types import SimpleNamespace\ndef f(x):\n    return m.sin(x)\n",
        "m = SimpleNamespace(sin=m.cos)",
    ),
    "attribute of a module": (
        "from types import ModuleType\nhelpers = ModuleType('helpers')\ndef h(v):\n    return v * v\n"
        "def other(v):\n    return 3.0 * v\nhelpers.h = h\ndef f(x):\n    return helpers.h(x)\n",
        "helpers.h = other",
    ),
    "method of a class": (
        "class Model:\n    def h(self, v):\n        return v * v\nmodel = Model()\n"
        "def other(self, v):\n    return 3.0 * v\ndef f(x):\n    return model.h(x)\n",
        "Model.h = other",
    ),
    "code of a method": (
        "class Model:\n    def h(self, v):\n        return v * v\nmodel = Model()\n"
        "def other(self, v):\n    return 3.0 * v\ndef f(x):\n    return model.h(x)\n",
        "Model.h.__code__ = other.__code__",
    ),
    "class of an object": (
        "class Model:\n    def __call__(self, v):\n        return v * v\n"
        "class Other:\n    def __call__(self, v):\n        return 3.0 * v\n"
        "model = Model()\ndef f(x):\n    return model(x)\n",
        "model.__class__ = Other",
    ),
    "call of a class": (
        "class Model:\n    def __call__(self, v):\n        return v * v\nmodel = Model()\n"
        "def other(self, v):\n    return 3.0 * v\ndef f(x):\n    return model(x)\n",
        "Model.__call__ = other",
    ),
    "attribute of a class": (
        "class Model:\n    a = 2.0\nmodel = Model()\ndef f(x):\n    return model.a * x\n",
        "Model.a = 5.0",
    ),
    "attribute of an object over that of its class": (
        "class Model:\n    a = 2.0\nmodel = Model()\ndef f(x):\n    return model.a * x\n",
        "model.a = 5.0",
    ),
    "property of a class": (
        "class Model:\n    @property\n    def a(self):\n        return 2.0\nmodel = Model()\n"
        "def f(x):\n    return model.a * x\n",
        "Model.a = property(lambda self: 5.0)",
    ),
    "method of a record": (
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: float\n    def h(self):\n"
        "        return self.a * self.a\ndef other(self):\n    return 3.0 * self.a\n"
        "def f(x):\n    return Pair(x).h()\n",
        "Pair.h = other",
    ),
    "default of a record": (
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: float\n    b: float = 2.0\n"
        "def f(x):\n    p = Pair(x)\n    return p.a * p.b\n",
        "Pair.__new__.__defaults__ = (5.0,)",
    ),
    "number that becomes another": ("a = 2.0\ndef f(x):\n    return a * x\n", "a = 5.0"),
    "number that becomes an integer": (
        "a = 2.0\ndef f(x):\n    return x * (a // 4 + 1) + a / 4\n",
        "a = 7",
    ),
    "zero that changes its sign": ("a = 0.0\ndef f(x):\n    return np.copysign(x, a) * x\n", "a = -0.0"),
    "zero in a branch": ("a = 0.0\ndef f(x):\n    return x * np.arctan2(a, -x)\n", "a = -0.0"),
    "number that becomes NaN": ("a = 0.0\ndef f(x):\n    return x if a == a else 3.0 * x\n", "a = float('nan')"),
    "NaN that becomes a number": ("a = float('nan')\ndef f(x):\n    return x if a == a else 3.0 * x\n", "a = 1.0"),
    "cell of a closure": (
        "def make():\n    a = 2.0\n    def f(x):\n        return a * x\n    def change():\n        nonlocal a\n"
        "        a = 5.0\n    return f, change\nf, change = make()\n",
        "change()",
    ),
    "function in a cell": (
        "def make():\n    def h(v):\n        return v * v\n    def f(x):\n        return h(x)\n    def change():\n"
        "        nonlocal h\n        h = other\n    return f, change\nf, change = make()\n"
        "def other(v):\n    return 3.0 * v\n",
        "change()",
    ),
    "cell of a helper": (
        "def make():\n    a = 2.0\n    def h(v):\n        return a * v\n    def change():\n        nonlocal a\n"
        "        a = 5.0\n    return h, change\nh, change = make()\ndef f(x):\n    return h(x)\n",
        "change()",
    ),
    "element of a list": ("a = [2.0, 3.0]\ndef f(x):\n    return a[0] * x\n", "a[0] = 5.0"),
    "keys of a dict that print alike": (
        "a = {1: 2.0, '1': 3.0}\ndef f(x):\n    return a[1] * x + a['1'] * x * x\n",
        "a[1], a['1'] = 7.0, 11.0",
    ),
    "function in a dict": (
        "def h(v):\n    return v * v\ndef other(v):\n    return 3.0 * v\na = {'h': h}\n"
        "def f(x):\n    return a['h'](x)\n",
        "a['h'] = other",
    ),
    "what a block on the way back reads": (
        "a = 2.0\ndef f(x):\n    y = x * 1.0\n    with pb.insert_grad_of(y) as g:\n        g = a * g\n"
        "    return y * y\n",
        "a = 5.0",
    ),
    "what a block on the way back calls": (
        "def h(v):\n    return 2.0 * v\ndef other(v):\n    return 5.0 * v\n"
        "def f(x):\n    y = x * 1.0\n    with pb.insert_grad_of(y) as g:\n        g = h(g)\n    return y * y\n",
        "h.__code__ = other.__code__",
    ),
    "helper that is differentiable": (
        "@pb.differentiable(jit=False)\ndef h(v):\n    return v * v\ndef other(v):\n    return 3.0 * v\n"
        "def f(x):\n    return h(x)\n",
        "h.__wrapped__.__code__ = other.__code__",
    ),
    "recursive function": (
        "def f(x, n=3):\n    return x if n == 0 else a * f(x, n - 1)\na = 2.0\n",
        "a = 3.0",
    ),
}
INSERTED = [name for name in CHANGES if "way back" in name]

Call = Callable[[Any, float], Any]
CALLS: dict[str, Call] = {
    "value": lambda f, x: f(x),
    "grad": lambda f, x: f(x),
    "value_and_grad": lambda f, x: f(x),
    "vjp": lambda f, x: (lambda value, pull: (value, pull(1.0)))(*f(x)),
}
MAKERS = {"value": lambda f: f, "grad": pb.grad, "value_and_grad": pb.value_and_grad, "vjp": pb.vjp}


def expected(f: Any, x: float, kind: str) -> Any:
    """What a plain call gives, and differences of plain calls."""
    value, gradient = f(x), (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    return {"value": value, "grad": gradient}.get(kind, (value, gradient))


def check(name: str, kind: str, jit: bool) -> None:
    text, change = CHANGES[name]
    scope = cells.run(textwrap.dedent(text), np=np, pb=pb)
    f = scope["f"]
    made: Any = MAKERS[kind](pb.differentiable(jit=jit)(f))
    x = 0.7
    before = expected(f, x, kind)
    for _ in range(4):
        np.testing.assert_allclose(CALLS[kind](made, x), before, rtol=1e-6)
    exec(change, scope)
    after = expected(f, x, kind)
    assert not np.allclose(before, after, equal_nan=True)
    for _ in range(4):
        np.testing.assert_allclose(CALLS[kind](made, x), after, rtol=1e-6)


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("name", [name for name in CHANGES if name not in INSERTED])
def test_change_is_seen_by_interpreted_code(name: str, kind: str) -> None:
    check(name, kind, jit=False)


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", [name for name in CHANGES if name not in INSERTED])
def test_change_is_seen_by_compiled_code(name: str) -> None:
    check(name, "value_and_grad", jit=True)


@pytest.mark.parametrize("name", ["code of the function", "builtin that a global hides", "code of a helper"])
@pytest.mark.parametrize("kind", ["value", "grad", "vjp"])
def test_change_is_seen_by_all_compiled_code(name: str, kind: str) -> None:
    check(name, kind, jit=True)


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", INSERTED)
def test_change_is_seen_on_the_way_back(name: str, jit: bool) -> None:
    text, change = CHANGES[name]
    scope = cells.run(text, np=np, pb=pb)
    gradient = pb.grad(pb.differentiable(jit=jit)(scope["f"]))
    assert [gradient(1.0) for _ in range(4)] == [4.0] * 4
    exec(change, scope)
    assert [gradient(1.0) for _ in range(4)] == [10.0] * 4

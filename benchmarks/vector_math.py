"""Nanoseconds per element of the vector math library beside NumPy's functions and Numba's own, on one core.

python benchmarks/vector_math.py
python benchmarks/vector_math.py --only exp,sin --size 100000 --dtype float32
"""

import argparse
import math
import timeit

import numpy as np
from numba import njit
from scipy import special

from pullback.runtime import vectormath

FLAGS = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "afn"}}
BINARY = ("power", "arctan2", "logaddexp")
# Elsewhere arguments are uniform in (-5, 5), or in (0.1, 5) where a function ends at 0.
INTERVALS = {
    **dict.fromkeys(("arcsin", "arccos", "arctanh"), (-0.95, 0.95)),
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "power"), (0.1, 5.0)),
    "log1p": (-0.9, 5.0),
    "arccosh": (1.1, 5.0),
}
SCIPY = {"erf": special.erf, "erfc": special.erfc, "sigmoid": special.expit}
# What the compiled code would call otherwise; NumPy's function where Numba knows it.
NUMBA = {
    "erf": lambda x: math.erf(x),
    "erfc": lambda x: math.erfc(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "logaddexp": lambda x, y: np.logaddexp(x, y),
    "cbrt": lambda x: np.cbrt(x),
    "power": lambda x, y: x**y,
}


def loop_over(f, arity):
    """The compiled loop out[i] = f(x[i]), of one, two or (sincos) two-valued arguments."""
    if arity == 2:

        @njit(**FLAGS)
        def loop(x, y, out):
            for i in range(out.size):
                out[i] = f(x[i], y[i])

    else:

        @njit(**FLAGS)
        def loop(x, out):
            for i in range(out.size):
                out[i] = f(x[i])

    return loop


@njit(**FLAGS)
def sincos_loop(x, out):
    for i in range(out.size):
        s, c = vectormath.sincos(x[i])
        out[i] = s * c


def sin_and_cos(x):
    return np.sin(x) * np.cos(x)


def nanoseconds(call, size, repeats):
    """Minimum over `repeats` of the time per element, of at least 5 ms each."""
    call()
    timer = timeit.Timer(call)
    number = max(1, int(0.005 / max(timer.timeit(1), 1e-7)))
    return min(timer.repeat(repeats, number)) / number / size * 1e9


def measure(name, size, dtype, repeats):
    """(ours, NumPy or SciPy, Numba) in ns per element."""
    random = np.random.default_rng(1)
    low, high = INTERVALS.get(name, (-5.0, 5.0))
    x = random.uniform(low, high, size).astype(dtype)
    arguments = (x, random.uniform(-5, 5, size).astype(dtype)) if name in BINARY else (x,)
    out = np.empty_like(x)
    whole = SCIPY.get(name) or getattr(np, name, getattr(vectormath, name))
    if name == "sincos":
        ours, numba_loop, whole = sincos_loop, loop_over(njit(sin_and_cos), 1), sin_and_cos
    else:
        ours = loop_over(getattr(vectormath, name), len(arguments))
        numba_loop = loop_over(njit(**FLAGS)(NUMBA[name]) if name in NUMBA else whole, len(arguments))
    calls = (lambda: ours(*arguments, out), lambda: whole(*arguments), lambda: numba_loop(*arguments, out))
    return [nanoseconds(call, size, repeats) for call in calls]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(vectormath.__all__), help="functions, separated by commas")
    parser.add_argument("--size", type=int, default=4096, help="elements of each array")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    print(f"{'ns per element':14}{'ours':>8}{'NumPy':>8}{'Numba':>8}")
    for name in arguments.only.split(","):
        ours, whole, numba_own = measure(name, arguments.size, arguments.dtype, arguments.repeats)
        print(f"{name:14}{ours:8.2f}{whole:8.2f}{numba_own:8.2f}", flush=True)


if __name__ == "__main__":
    main()

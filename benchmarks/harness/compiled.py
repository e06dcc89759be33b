"""A function becomes a Numba function with the flags that a careful author of a hand-written adjoint would choose."""

import numba

FASTMATH = {"reassoc", "contract", "nsz", "arcp", "afn"}  # without nnan and ninf: NaN and infinity stay what they are

adjoint = numba.njit(error_model="numpy", fastmath=FASTMATH)
inlined = numba.njit(error_model="numpy", fastmath=FASTMATH, forceinline=True)

"""How helpers are compiled and linked: what Numba and LLVM are told that plain Python cannot say."""

"""Derivatives that a function takes of others: `pb.grad(f)(x)`, `pb.jvp(f, (x,), (v,))`, …, read like any other call.

`made.py` says which derivative of which function is meant, `watched.py` marks the arguments by which it is taken,
and `calling.py` reads the function in place and asks for the derivative behind it (`transform/requests`).
"""

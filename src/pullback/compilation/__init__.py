"""Text → modules on disk → machine code by Numba, made when first needed and found again by the next process.

`shortcut.py` and `c_entry.py` are the short ways from a call in Python into machine code.
"""

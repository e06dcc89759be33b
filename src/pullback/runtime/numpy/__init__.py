"""NumPy's functions where Numba has none, or others: a NumPy body, and an overload of the same value."""

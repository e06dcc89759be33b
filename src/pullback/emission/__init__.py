"""The normal form → gast → Python text, at two levels: what people read, and what Numba compiles."""

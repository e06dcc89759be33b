"""NumPy's and the C library's own functions in compiled code, bit for bit."""

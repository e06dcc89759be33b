"""Python's integers and its limit of recursion in compiled code."""

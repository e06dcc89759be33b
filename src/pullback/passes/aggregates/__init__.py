"""Scalar replacement of aggregates: elements of small arrays become numbers, and what each function does to them."""

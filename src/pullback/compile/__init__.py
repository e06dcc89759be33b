"""Text → modules on disk → machine code by Numba, made when first needed and found again by the next process."""

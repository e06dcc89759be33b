"""Products of matrices and vectors: plain loops where they are small, BLAS where they are large."""

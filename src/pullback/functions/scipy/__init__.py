"""Functions of SciPy, a file a family. Each is imported when it is asked for and the user has imported SciPy's module.

DLMF is NIST's Digital Library of Mathematical Functions, https://dlmf.nist.gov.
"""

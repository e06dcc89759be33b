"""Passes over single statements: arithmetic, integers, what nobody reads."""

"""Tapes in a function, and what it uses and assigns from outside."""

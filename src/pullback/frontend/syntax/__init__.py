"""Expressions and statements: each becomes bindings, or statements of the open block."""

"""Passes that let a compiler work on several iterations with one instruction."""

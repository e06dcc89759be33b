"""Passes over loops: what moves out of them, in which order and in how many pieces their iterations run."""

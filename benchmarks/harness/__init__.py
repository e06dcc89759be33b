"""What runs the problems: each pair of problem and peer is timed in a process of its own.

Importing `compiled`, `libm` or `peers` imports nothing of the rest, so that a problem stands on these alone.
"""

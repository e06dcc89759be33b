"""The normal form: a small typed language with structured control flow and single assignment.

Arrays are linear values: `store` consumes one version of an array and yields the next, so that "is it overwritten
before the backward pass needs it" is a question of data flow, and the emitted code can write in place.
"""

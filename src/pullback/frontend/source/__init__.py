"""From a function object to a tree of its source, checked and without jumps."""

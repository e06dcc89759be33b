"""Function → Function: the same values with less work."""

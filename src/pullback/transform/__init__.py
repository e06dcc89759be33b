"""Function → derivative Functions."""

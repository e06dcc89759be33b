"""What calls, subscripts and methods mean."""

"""What names stand for while a function is read, and where two paths meet."""

"""Functions with rules of their users: their calls stay whole until it is known whether they are differentiated."""

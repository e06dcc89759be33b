"""What compiled code raises where other code serves a call."""


class SizesDiffer(Exception):
    """The sizes of arguments differ, or one is 0, though code was made for others; other code serves the call."""

    def __str__(self) -> str:
        return "the sizes of arguments differ, or one is 0, and this was made for others"


class KeepsTooMuch(Exception):
    """A call would keep more for the backward sweep than it may; other code serves the call."""


class ResultNotFinite(Exception):
    """A result is NaN or infinite, where that is to be an error; other code finds out where it came from."""

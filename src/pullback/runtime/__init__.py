"""What generated modules import: helpers with a NumPy body and a Numba overload of the same value, dtype and shape.

They come from `helpers` when the first one is asked for: machine code that is found on disk needs none of them.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pullback.runtime.helpers import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """A helper."""
        import pullback.runtime.helpers as helpers

        globals().update({each: getattr(helpers, each) for each in helpers.__all__})
        if name not in helpers.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals()[name]
